/** What the status page is made of. */
import type { Configuration } from '../config/configuration.ts'
import type { NoticeEntry } from '../domain/notice.ts'
import type { StateCounts } from '../domain/record.ts'
import type { Snapshot } from '../domain/snapshot.ts'

export interface PageMatter {
  readonly snapshot: Snapshot
  /** What came of the records of the latest files, by the id of the file. */
  readonly counts: ReadonlyMap<string, StateCounts>
  /** The latest notice of each channel. */
  readonly notices: readonly NoticeEntry[]
  readonly configuration: Configuration
  /** Where the page is, for links from it. */
  readonly path: string
  /** Whether a watch keeps it fresh, or one run has left it. */
  readonly isKept: boolean
}
