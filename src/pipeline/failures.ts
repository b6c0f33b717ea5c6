/** Decides how far a failure reaches: the whole pass, one file, or one record; a lost lease ends the pass. */
import type { Api } from '../domain/api.ts'
import type { Journal, UnfinishedWorkRef } from '../domain/journal.ts'
import { formatAccount, type Party } from '../domain/route.ts'
import { createOrderListCall } from '../operations/operation.ts'
import { BridgeError, type FailureCode, hasCode } from '../support/errors.ts'
import type { InboundContext, OutboundContext } from './context.ts'
import type { Lease } from '../domain/lease.ts'
import { type Clock, createRenewal, isFresh, type Moment, readMoment } from '../support/clock.ts'

/** Failures that end the pass. Every other failure is of one file, and the pass continues with the next one. */
export const PASS_FATAL = [
  'interrupted',
  'lease-lost',
  'credentials-refused',
  'api-redirected',
  'journal-busy',
  'journal-damaged',
  'journal-unusable',
  'journal-newer',
  'journal-older',
  'journal-missing',
] as const satisfies FailureCode[]

// Reads about one record: a failed read must not stop the other records.

/** The value of a read, or why there is none right now. Failures of the whole API are thrown. */
export type ReadResult<Value> = { readonly value: Value } | { readonly trouble: string }

export async function tryRead<Value>(read: () => Promise<Value>): Promise<ReadResult<Value>> {
  try {
    return { value: await read() }
  } catch (error) {
    if (hasCode(error, 'api-unreachable', 'api-answer-unusable')) return { trouble: error.message }
    throw error
  }
}

/** Checks, once, whether a 403 is about the account and not the record. Throws `credentials-refused` if so. */
export function createAccountCheck(api: Api, party: Party): () => Promise<void> {
  let check: Promise<void> | undefined
  const checkOnce = async () => {
    const pages = api.list({ ...createOrderListCall(party), query: { limit: 1 } })
    await pages[Symbol.asyncIterator]().next()
  }
  return () => (check ??= tryRead(checkOnce).then(() => undefined))
}

/** Wraps a thrown value that is not an error. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  return new BridgeError('bug', 'a thrown value is not an error', { cause: thrown })
}

// The bridge never finishes work for one retailer or brand that it started for another.

/** Throws `party-changed`, a failure of this work alone. `what` names the work in the message. */
export async function assertSameParty(
  { journal, route: { name, party } }: Pick<InboundContext | OutboundContext, 'journal' | 'route'>,
  work: UnfinishedWorkRef,
  what: string,
) {
  const account = formatAccount(party)
  const other = (await journal.findOtherAccount(work, account))?.replace('/', ' ')
  if (other === undefined) return
  const now = `route ${name} is for ${account.replace('/', ' ')} now`
  throw new BridgeError('party-changed', `${what} of ${other} are not done, and ${now}.`)
}

// Keeps a process that wakes up late from doing work that its successor does by now.

/** A lease counts as just renewed for this part of its length. */
const FRESH_SHARE = 1 / 3

export type LeaseGuard = ReturnType<typeof createLeaseGuard>

/**
 * Remembers when the lease was last renewed. Make it after a write that renewed the lease, or before one by `writeWithLease`.
 */
export function createLeaseGuard({
  journal,
  lease,
  clock,
}: {
  journal: Journal
  lease: Lease
  clock: Clock
}) {
  const renewal = createRenewal(lease.ttlMs * FRESH_SHARE)
  const noteRenewed = (moment: Moment) => renewal.moment.set(moment)
  noteRenewed(readMoment(clock))
  const isValid = () => isFresh(renewal, clock)
  /** Waits for a write that renews the lease, and remembers when the write started. */
  const writeWithLease = async <Result>(work: Promise<Result>): Promise<Result> => {
    const began = readMoment(clock)
    const result = await work
    noteRenewed(began)
    return result
  }
  const renew = () => writeWithLease(journal.renewLease(lease))
  return {
    writeWithLease,
    /** For the check right before a request leaves. */
    leaseCheck: { isValid, renew, renewal },
    /** Throws `lease-lost` when another bridge has the route. Asks the journal only when the lease was not renewed just now. */
    assertHeld: async () => {
      if (!isValid()) await renew()
    },
  }
}
