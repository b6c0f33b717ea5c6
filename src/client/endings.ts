/** The ways a request can end, and what may be done then: the one table, which `docs/certainty.md` is printed from. */
import type { Exchange } from './wire.ts'

/**
 * What is known of the call once its request ended so.
 * - `done`, `refused`: the API has answered.
 * - `nothing-done`: nothing was sent, or the API said that it did not act.
 * - `unknown`: it may have been done.
 */
export type Known = 'done' | 'refused' | 'nothing-done' | 'unknown'

interface Ending {
  /** What happened, for people. */
  readonly when: string
  /** The statuses it is known by; left out where no answer came, or where the answer itself cannot be used. */
  readonly status?: { readonly from: number; readonly to: number }
  /** Only when the answer names a time to come back. */
  readonly whenAskedToWait?: true
  /** Only when a list was asked for: about a record it may mean the record, about a list only the account. */
  readonly ofList?: true
  readonly known: Known
  /** What is done about it that is not said by what is known. */
  readonly but?: 'one-renewal' | 'credentials-refused' | 'api-redirected'
}

/** Decided by where the failure happened, never by the words of a message. Of those with a status the first that fits counts. */
export const ENDINGS = {
  done: {
    when: 'Success, with a body that can be read; of an acknowledge also without one',
    status: { from: 200, to: 299 },
    known: 'done',
  },
  'never-connected': {
    when: 'No connection came about (refused, no such host, no encryption, too slow), or the bridge took the request back before a byte of it left',
    known: 'nothing-done',
  },
  'token-refused': {
    when: 'The token is refused',
    status: { from: 401, to: 401 },
    known: 'nothing-done',
    but: 'one-renewal',
  },
  'account-refused': {
    when: 'The account may not see a list of the party',
    status: { from: 403, to: 403 },
    ofList: true,
    known: 'nothing-done',
    but: 'credentials-refused',
  },
  // These two ask for the same call at another address, so it was not carried out at this one.
  redirected: {
    when: 'The call belongs to another address',
    status: { from: 307, to: 308 },
    known: 'nothing-done',
    but: 'api-redirected',
  },
  // Programs answer so after the work too: a form that was taken leads to the next page, an expired session to the login.
  'sent-elsewhere': {
    when: 'Another redirect, in answer to a call that changes something; in answer to a read it counts as the one above',
    status: { from: 300, to: 399 },
    known: 'unknown',
  },
  'slowed-down': {
    when: 'Too many requests',
    status: { from: 429, to: 429 },
    known: 'nothing-done',
  },
  'asked-to-wait': {
    when: 'The API is away and says when to come back (`Retry-After`). Gateways say so after the work too: a web page never counts, and in answer to a create it counts only with `api.trust503`',
    status: { from: 503, to: 503 },
    whenAskedToWait: true,
    known: 'nothing-done',
  },
  'never-answered': {
    when: 'The request may have left, and no status came back: the connection broke, or the deadline passed',
    known: 'unknown',
  },
  // The server gave up reading, or so it says; a proxy says it too when the API behind it was slow.
  'gave-up-reading': {
    when: 'The API, or a proxy before it, gave up waiting for the request',
    status: { from: 408, to: 408 },
    known: 'unknown',
  },
  // 500 may come after the commit; 502, 503 and 504 may come from a gateway whose API went on working.
  failed: {
    when: 'The API or a gateway failed',
    status: { from: 500, to: 599 },
    known: 'unknown',
  },
  unreadable: {
    when: 'A success whose body cannot be read: cut short, no JSON, a web page',
    known: 'unknown',
  },
  refused: {
    when: 'The API refuses it',
    status: { from: 400, to: 499 },
    known: 'refused',
  },
} as const satisfies Record<string, Ending>

export type EndingName = keyof typeof ENDINGS

export interface Asked {
  readonly isList: boolean
  /** Whether the answer names a time to come back. */
  readonly toWait: boolean
}

/** How an exchange ended, as far as its status tells. */
export function endingOf(exchange: Exchange, asked: Asked): EndingName {
  if (exchange.ended !== 'answer') {
    return exchange.ended === 'nothing-sent' ? 'never-connected' : 'never-answered'
  }
  const { status } = exchange
  return BY_STATUS.find((ending) => fits(ending, status, asked))?.name ?? 'failed'
}

const BY_STATUS = (Object.entries(ENDINGS) as [EndingName, Ending][]).map(([name, ending]) => ({
  name,
  ...ending,
}))

function fits({ status: range, whenAskedToWait, ofList }: Ending, status: number, asked: Asked): boolean {
  if (range === undefined || status < range.from || status > range.to) return false
  return (asked.toWait || whenAskedToWait !== true) && (asked.isList || ofList !== true)
}
