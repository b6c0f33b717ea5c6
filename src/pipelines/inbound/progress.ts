/** What a pass over an inbound route comes to, while it is under way and at its end. */
import type { FileEntry } from '../../domain/journal.ts'
import type { StateCounts } from '../../domain/record.ts'
import type { WaitingFile } from '../../domain/steps.ts'
import type { ReportedFile } from './report.ts'
import type { Summary } from './summary.ts'

/** What a pass over an inbound route came to. */
export interface InboundPass {
  readonly route: string
  /** One for every file that was reported in this pass. */
  readonly summaries: readonly Summary[]
  /** The same files, with the places of their reports. */
  readonly reported: readonly ReportedFile[]
  /** Files whose records could not all be brought to an end. */
  readonly open: readonly FileEntry[]
  /** Files that are done but for records that wait for their orders. They need nobody, and hold nobody back. */
  readonly waiting: readonly WaitingFile[]
  /** Files that an earlier pass reported, and this one brought to their end; left out where there are none. */
  readonly archived?: readonly ArchivedFile[]
}

export interface ArchivedFile {
  readonly file: FileEntry
  readonly records: StateCounts
}

/** What a pass has come to so far. */
export interface InboundProgress {
  /** The ids of the files in their order. */
  readonly taken: string[]
  readonly reported: Map<string, ReportedFile>
  readonly open: FileEntry[]
  readonly waiting: WaitingFile[]
  readonly archived: ArchivedFile[]
  readonly failures: unknown[]
  /** Of files that were passed over: those of an earlier pass. */
  readonly earlier: unknown[]
  readonly row: { unreachable: number }
}

export function beginInbound(): InboundProgress {
  const row = { unreachable: 0 }
  return {
    taken: [],
    reported: new Map(),
    open: [],
    waiting: [],
    archived: [],
    failures: [],
    earlier: [],
    row,
  }
}

export function inboundSoFar(
  route: string,
  { taken, reported: found, open, waiting, archived }: InboundProgress,
): InboundPass {
  const reported = taken.flatMap((id) => found.get(id) ?? [])
  const summaries = reported.map(({ summary }) => summary)
  return { route, summaries, reported, open, waiting, ...(archived.length === 0 ? {} : { archived }) }
}
