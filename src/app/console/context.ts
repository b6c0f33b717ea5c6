/** Opens what the use cases of the console work with: the journal, read only, which may be away or busy for a time. */
import { statSync } from 'node:fs'
import type { Configuration } from '../../config/configuration.ts'
import type { Journal } from '../../domain/journal.ts'
import { type OpenedToRead, openJournalToRead } from '../../journal/open.ts'
import type { Clock } from '../../support/clock.ts'
import { BridgeError } from '../../support/errors.ts'
import { type Lookout, startLookout } from './lookout.ts'
import { createReportCounts, type ReportCounts } from './report-counts.ts'
import { createVerifier, type Verifier } from './verifier.ts'

/** Nothing in it can change the journal: SQLite refuses to write. */
export interface ConsoleContext {
  readonly journal: Journal
  readonly configuration: Configuration
  readonly clock: Clock
  /** What is found in the background, for Today. */
  readonly lookout?: Lookout
  /** Verifies the chain of the journal when a person asks. */
  readonly verifier?: Verifier
  /** What was counted for reports of this journal; left out, each report counts anew. */
  readonly reportCounts?: ReportCounts
}

/** After a failure the journal is not tried more often than this. */
const RETRY_MS = 1_000

export type Console = ReturnType<typeof openConsole>

/** Never throws: a journal that cannot be read is tried again when it is asked for. */
export function openConsole({ configuration, clock }: Pick<ConsoleContext, 'configuration' | 'clock'>) {
  const { path } = configuration.journal
  let opened:
    (OpenedToRead & { readonly file: string | undefined; readonly context: ConsoleContext }) | undefined
  let opening: Promise<ConsoleContext> | undefined
  let failed: { readonly at: number; readonly failure: BridgeError } | undefined
  let openings = 0
  const listeners = new Set<() => void>()
  const verifier = createVerifier({ path, clock })

  const closeJournal = async () => {
    const before = opened
    opened = undefined
    await before?.journal.close().catch(() => undefined)
  }
  const open = async (): Promise<ConsoleContext> => {
    try {
      const file = identifyFile(path)
      const found = await openJournalToRead({ path, clock })
      const reportCounts = createReportCounts(readVersion)
      const context = { journal: found.journal, configuration, clock, lookout, verifier, reportCounts }
      opened = { ...found, file, context }
      openings++
      failed = undefined
      // A journal that cannot be read is shown by the page that is asked for.
      const isEnded = () => opened?.context !== context
      void reportCounts.countAhead(found.journal, clock.now(), isEnded).catch(() => undefined)
      return context
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error
      failed = { at: clock.now(), failure: error }
      throw error
    } finally {
      opening = undefined
    }
  }
  const readVersion = (): string | undefined => {
    if (opened === undefined) return undefined
    try {
      return `${openings}.${opened.readDataVersion()}`
    } catch {
      return undefined
    }
  }
  const getContext = async (): Promise<ConsoleContext> => {
    // A backup that was put back is another file under the same name.
    if (opened !== undefined && opened.file !== identifyFile(path)) await closeJournal()
    if (opened !== undefined) return opened.context
    if (opening === undefined && failed !== undefined && clock.now() - failed.at < RETRY_MS)
      throw failed.failure
    return (opening ??= open())
  }
  const lookout = startLookout({
    configuration,
    clock,
    getJournal: async () => (await getContext()).journal,
    readVersion,
    onSnapshot: () => {
      for (const listener of listeners) listener()
    },
  })
  return {
    configuration,
    clock,
    /** The journal as it is open now, or opened anew. Throws why it cannot be read. */
    getContext,
    /** After a failure of the journal: the next use opens it again. */
    closeJournal,
    /** Changes with every commit to the journal, and when it is opened; costs some microseconds. Undefined while it is closed. */
    readVersion,
    /** Calls the listener when something was found in the background; returns how to stop that. */
    onSnapshot(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close(): Promise<void> {
      await verifier.close()
      await lookout.close()
      await closeJournal()
    },
  }
}

/** Which file has the name now. */
function identifyFile(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev}:${file.ino}`
}
