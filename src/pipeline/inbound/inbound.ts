/** Runs an inbound route: takes files in, plans, sends, reports and archives each file, starting from its state. */
import type { FileEntry } from '../../domain/file.ts'
import type { StateCounts, WaitingFile } from '../../domain/record.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { InboundContext } from '../context.ts'
import { deliverFileDocuments } from '../documents/delivery.ts'
import { submitFile } from '../send/submit.ts'
import { createFilePassProgress, type FileSteps, runFile, runFilePass, throwFailures } from './file-pass.ts'
import { archiveFile, receiveFile } from './intake.ts'
import { planFile } from './plan.ts'
import { type ReportedFile, reportFile } from './report.ts'
import type { Summary } from './summary.ts'

/**
 * One pass. A failure of the whole route is thrown at once, a failure of a single file after all files were tried; `pass`
 * then holds the work done until then.
 */
export async function runInbound(context: InboundContext, pass = createInboundProgress()) {
  await runFilePass(context, createSteps(context, pass), pass)
  throwFailures(pass)
  return getInboundOutcome(context.route.name, pass)
}

/** Continues one file from its state, after a person decided about its held records. */
export async function resumeFile(context: InboundContext, fileId: string): Promise<InboundOutcome> {
  const { journal, route } = context
  const pass = createInboundProgress()
  const file = await journal.getFile(fileId)
  if (file !== undefined) await runFile(context, createSteps(context, pass), { file, progress: pass })
  throwFailures(pass)
  return getInboundOutcome(route.name, pass)
}

function createSteps(context: InboundContext, pass: InboundProgress): FileSteps<InboundContext> {
  const { journal } = context
  return {
    next: {
      claiming: receiveFile,
      received: planFile,
      planned: submitFile,
      submitted: async (own, file) => {
        await deliverFileDocuments(own, file)
        const reported = await reportFile(own, file)
        notifyReported(own, file, reported)
        pass.reported.set(file.id, reported)
      },
      reported: archiveFile,
    },
    // Fetching documents needs the API, so the next file waits for it; without documents the rest runs in the background.
    backgroundFrom: context.documents === undefined ? 'submitted' : 'closed',
    noteUnfinished: (file) => noteUnfinished(context, file, pass),
    noteArchived: async (file) =>
      void pass.archived.push({ file, records: await journal.countRecords({ file: file.id }) }),
  }
}

/** A file that only waits for its orders need not run again soon, unlike an open file. */
async function noteUnfinished({ journal }: InboundContext, file: FileEntry, pass: InboundProgress) {
  const isWaiting = await journal.isOnlyWaitingForOrders(file.id)
  const waiting = isWaiting ? await journal.listWaitingFiles(1, file.id) : []
  if (waiting.length > 0) pass.waiting.push(...waiting)
  else pass.open.push({ ...file, ...omitUndefined({ why: await findOpenReason(journal, file.id) }) })
}

/** As many records with problems are searched for one that is open. */
const PROBLEMS_MAX = 200

/** What the API answered in place of an outcome: `some answers are not known yet: HTTP 502`. Without text of the API. */
async function findOpenReason(
  journal: InboundContext['journal'],
  fileId: string,
): Promise<string | undefined> {
  const records = await journal.listProblemRecords({ file: fileId }, PROBLEMS_MAX)
  const open = records.find(({ state }) => state === 'uncertain' || state === 'deferred')
  const status = open?.problems.map(({ message }) => /\bHTTP \d{3}\b/.exec(message)?.[0]).find(Boolean)
  if (status === undefined) return undefined
  const what = open?.state === 'deferred' ? 'some records are not sent yet' : 'some answers are not known yet'
  return `${what}: ${status}`
}

function notifyReported({ route, notify }: InboundContext, file: FileEntry, { summary }: ReportedFile): void {
  const { total: _, ...records } = summary.records
  const again = (file.reports ?? 0) > 0 ? { again: true as const } : {}
  const { outcome } = summary
  notify({ kind: 'file-reported', route: route.name, file: file.name, outcome, records, ...again })
}

/** A file with records that could not be finished. */
export interface OpenFile extends FileEntry {
  /** The status of the API that explains it; left out where there is none. */
  readonly why?: string
}

export interface InboundOutcome {
  readonly route: string
  /** One for every file that this pass reported. */
  readonly summaries: readonly Summary[]
  /** The same files, with the paths of their reports. */
  readonly reported: readonly ReportedFile[]
  /** Files with records that could not be finished. */
  readonly open: readonly OpenFile[]
  /** Files whose only open records wait for their orders. They need no person and delay no other file. */
  readonly waiting: readonly WaitingFile[]
  /** Files that an earlier pass reported and this one archived; left out where there are none. */
  readonly archived?: readonly ArchivedFile[]
}

export interface ArchivedFile {
  readonly file: FileEntry
  readonly records: StateCounts
}

export type InboundProgress = ReturnType<typeof createInboundProgress>

export function createInboundProgress() {
  return {
    ...createFilePassProgress(),
    reported: new Map<string, ReportedFile>(),
    open: [] as OpenFile[],
    waiting: [] as WaitingFile[],
    archived: [] as ArchivedFile[],
  }
}

export function getInboundOutcome(route: string, pass: InboundProgress): InboundOutcome {
  const { open, waiting, archived } = pass
  const reported = pass.taken.flatMap((id) => pass.reported.get(id) ?? [])
  const summaries = reported.map(({ summary }) => summary)
  return { route, summaries, reported, open, waiting, ...(archived.length === 0 ? {} : { archived }) }
}
