/** What a person must hear of right now, computed from the journal and the mailboxes; nothing is changed. */
import { byUrgency, type Concern, concernKey } from '../../domain/attention.ts'
import type { Stranger } from '../../domain/snapshot.ts'
import { archiveConcerns } from './archives.ts'
import { deliveryConcerns } from './deliveries.ts'
import { expectedConcerns } from './expected.ts'
import { folderConcerns } from './folders.ts'
import { inboxConcerns } from './inboxes.ts'
import { type AwayFolder, listingsOf } from './listings.ts'
import type { Attending, Looking } from './looking.ts'
import { recordConcerns } from './records.ts'
import { turnConcerns } from './turns.ts'

export interface Attention {
  /** The most urgent first. */
  readonly concerns: readonly Concern[]
  readonly strangers: readonly Stranger[]
  /** Whether nobody could look at what a finding that stood before is about. */
  readonly unseen: (standing: Concern) => boolean
}

/** No bridge has so many findings that stand. */
const STANDING_MAX = 10_000

export async function gatherAttention(attending: Attending): Promise<Attention> {
  const { journal, mailboxes, clock } = attending
  const listings = listingsOf(mailboxes)
  const looking: Looking = { ...attending, now: clock.now(), listings }
  const inboxes = await inboxConcerns(looking)
  const found = [
    ...inboxes.concerns,
    ...(await expectedConcerns(looking)),
    ...(await turnConcerns(looking)),
    ...(await deliveryConcerns(looking)),
    ...(await recordConcerns(looking)),
    ...(await folderConcerns(looking)),
    ...(await archiveConcerns(looking)),
  ]
  const away = listings.away()
  const standing = await journal.standingConcerns(STANDING_MAX)
  return {
    concerns: sinceFirst([...found, ...awayConcerns(away, looking.now)], standing),
    strangers: inboxes.strangers,
    unseen: ({ code, subject }) =>
      code !== 'mailbox-away' &&
      away.some(({ place }) => subject === place || subject.startsWith(`${place}/`)),
  }
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
      cure: 'check that it is there, mounted or reachable, and may be read',
    }
  })
}
