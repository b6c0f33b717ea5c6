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
}

interface Looked {
  readonly at: number
  readonly concern: Concern | undefined
}

/** What was seen of such folders, and when. */
export type FolderLooks = Map<string, Looked>
