/** What a person must hear of right now, computed from the journal and the mailboxes; nothing is changed. */
import type { Configuration } from '../../config/configuration.ts'
import { byUrgency, type Concern, concernKey } from '../../domain/attention.ts'
import type { Journal } from '../../domain/journal.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import type { Stranger } from '../../domain/snapshot.ts'
import type { Clock } from '../../support/clock.ts'
import { deliveryConcerns } from './deliveries.ts'
import { expectedConcerns } from './expected.ts'
import { folderConcerns, type FolderLooks } from './folders.ts'
import { inboxConcerns } from './inboxes.ts'
import { type Listings, listingsOf } from './listings.ts'
import { recordConcerns } from './records.ts'

export interface Attending {
  readonly journal: Journal
  readonly configuration: Configuration
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  readonly clock: Clock
  /** Empty at first. */
  readonly folderLooks: FolderLooks
}

/** What the single checks work with. */
export interface Looking extends Attending {
  readonly now: number
  readonly listings: Listings
}

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
    ...(await deliveryConcerns(looking)),
    ...(await recordConcerns(looking)),
    ...(await folderConcerns(looking)),
  ]
  const away = listings.away()
  const standing = await journal.standingConcerns(STANDING_MAX)
  return {
    concerns: sinceFirst([...found, ...away.map((failed) => awayConcern(failed, looking.now))], standing),
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

function awayConcern({ place, why }: { place: string; why: string }, since: number): Concern {
  return {
    code: 'mailbox-away',
    subject: place,
    since,
    message: `${place} cannot be looked into: ${why}`,
    cure: 'check that it is there, mounted or reachable, and may be read',
  }
}
