/** What a person must hear of right now, computed from the journal and the mailboxes; nothing is changed. */
import { byUrgency, type Concern, concernKey, type Tried } from '../../domain/attention.ts'
import type { Stranger } from '../../domain/snapshot.ts'
import { archiveConcerns } from './archives.ts'
import { deliveryConcerns } from './deliveries.ts'
import { expectedConcerns } from './expected.ts'
import { failingConcerns, isUntried } from './failing.ts'
import { folderConcerns } from './folders.ts'
import { inboxConcerns } from './inboxes.ts'
import { type AwayFolder, listingsOf } from './listings.ts'
import type { Attending, Looking } from './looking.ts'
import { receiptConcerns } from './receipts.ts'
import { recordConcerns } from './records.ts'
import { turnConcerns } from './turns.ts'
import { watchConcerns } from './watches.ts'

export interface Attention {
  /** All that stand, the most urgent first. */
  readonly concerns: readonly Concern[]
  /** Those of them that were found by looking now. */
  readonly found: readonly Concern[]
  readonly strangers: readonly Stranger[]
  /** Whether nobody could look at what a finding that stood before is about. */
  readonly unseen: (standing: Concern) => boolean
}

/** No bridge has so many findings that stand. */
const STANDING_MAX = 10_000

export async function gatherAttention(attending: Attending, tried: Tried): Promise<Attention> {
  const { journal, mailboxes, clock } = attending
  const listings = listingsOf(mailboxes)
  const unsure = new Set<string>()
  const looking: Looking = { ...attending, now: clock.now(), listings, unsure }
  const inboxes = await inboxConcerns(looking)
  const seen = [
    ...inboxes.concerns,
    ...(await expectedConcerns(looking)),
    ...(await turnConcerns(looking)),
    ...(await deliveryConcerns(looking)),
    ...(await receiptConcerns(looking)),
    ...(await recordConcerns(looking)),
    ...(await folderConcerns(looking)),
    ...(await archiveConcerns(looking)),
    ...(await watchConcerns(looking)),
    ...failingConcerns(tried, looking.now),
  ]
  const away = listings.away()
  const standing = await journal.standingConcerns(STANDING_MAX)
  const found = sinceFirst([...seen, ...awayConcerns(away, looking.now)], standing)
  const untried = (concern: Concern) => isUntried(concern, tried, attending.configuration)
  return {
    concerns: [...found, ...standing.filter(untried)].toSorted(byUrgency),
    found,
    strangers: inboxes.strangers,
    unseen: (concern) =>
      untried(concern) ||
      unsure.has(concernKey(concern)) ||
      (concern.code !== 'mailbox-away' && isBehind(away, concern.subject)),
  }
}

/** Whether what it is about lies in a folder that cannot be looked into. */
function isBehind(away: readonly AwayFolder[], subject: string): boolean {
  return away.some(({ place }) => subject === place || subject.startsWith(`${place}/`))
}

/** Each once. What stood before has stood since then. */
function sinceFirst(found: readonly Concern[], standing: readonly Concern[]): readonly Concern[] {
  const before = new Map(standing.map((concern) => [concernKey(concern), concern.since]))
  const each = new Map<string, Concern>()
  for (const concern of found) {
    const key = concernKey(concern)
    each.set(key, { ...concern, since: Math.min(concern.since, before.get(key) ?? Infinity) })
  }
  return [...each.values()].toSorted(byUrgency)
}

/** One for each mailbox, however many of its folders are away. */
function awayConcerns(away: readonly AwayFolder[], since: number): Concern[] {
  const mailboxes = [...new Set(away.map(({ mailbox }) => mailbox))]
  return mailboxes.map((mailbox) => {
    const [first, ...others] = away.filter((folder) => folder.mailbox === mailbox)
    const more = others.length === 0 ? '' : `; nor can ${others.map(({ place }) => place).join(', ')}`
    return {
      code: 'mailbox-away',
      subject: mailbox,
      since,
      message: `${first?.place ?? mailbox} cannot be looked into: ${(first?.why ?? '').replace(/\.$/, '')}${more}`,
      cure: first?.cure ?? 'check that it is there, mounted or reachable, and may be read',
    }
  })
}
