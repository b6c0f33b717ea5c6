/** What the single checks of a gathering work with. */
import type { Configuration } from '../../config/configuration.ts'
import type { Concern } from '../../domain/attention.ts'
import type { Journal } from '../../domain/journal.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import type { Clock } from '../../support/clock.ts'
import type { Listings } from './listings.ts'

export interface Attending {
  readonly journal: Journal
  readonly configuration: Configuration
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  readonly clock: Clock
  /** Empty at first. */
  readonly folderLooks: FolderLooks
}

export interface Looking extends Attending {
  readonly now: number
  readonly listings: Listings
  /** The keys of findings of which nobody can say now whether they stand: those that stood before stand on. */
  readonly unsure: Set<string>
}

interface Looked {
  readonly at: number
  readonly concerns: readonly Concern[]
}

/** What was seen of such folders, and when. */
export type FolderLooks = Map<string, Looked>

/** What changes slowly need not be looked at each minute. */
const LOOK_MS = 15 * 60_000

/** What was found in the folder the last time, or is found now; nothing where it cannot be looked into, and next time again. */
export async function foundIn(
  { folderLooks, now }: Looking,
  key: string,
  look: () => Promise<readonly Concern[] | undefined>,
): Promise<readonly Concern[]> {
  const before = folderLooks.get(key)
  if (before !== undefined && now >= before.at && now - before.at < LOOK_MS) return before.concerns
  const concerns = await look()
  if (concerns !== undefined) folderLooks.set(key, { at: now, concerns })
  return concerns ?? []
}
