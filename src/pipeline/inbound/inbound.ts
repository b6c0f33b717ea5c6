/** Runs an inbound route: takes files in, plans, sends, reports and archives each file, starting from its state. */
import type { FileEntry, FileState } from '../../domain/file.ts'
import type { StateCounts, WaitingFile } from '../../domain/record.ts'
import { type BackgroundTasks, withBackgroundTasks } from '../../support/async.ts'
import { hasCode, throwIfStopped } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { InboundContext } from '../context.ts'
import { deliverFileDocuments } from '../documents/delivery.ts'
import { PASS_FATAL } from '../failures.ts'
import { submitFile } from '../send/submit.ts'
import { archiveFile, cleanSpool, createFileClaimer, receiveFile, releaseStrayClaims } from './intake.ts'
import { planFile } from './plan.ts'
import { type ReportedFile, reportFile } from './report.ts'
import type { Summary } from './summary.ts'

/** After so many files in a row that find the API unreachable, it is down; fewer may be the fault of a file. */
const UNREACHABLE_FILES_MAX = 2

type InboundRun = InboundProgress & { readonly background: BackgroundTasks }

/** Reporting and archiving must not delay the next file: up to so many files are finished in the background. */
const BACKGROUND_MAX = 4

/**
 * One pass: it continues the unfinished files of earlier passes, then takes the files that are whole now, in their order.
 * A file that cannot be finished stays open, and the pass takes the next one. A failure of the whole route is thrown
 * at once, a failure of a single file after all files were tried; `pass` then holds the work done until then.
 */
export async function runInbound(context: InboundContext, pass = createInboundProgress()) {
  const { journal, route } = context
  await cleanSpool(context)
  const unfinished = await journal.listUnfinishedFiles(route.name)
  await withBackgroundTasks(BACKGROUND_MAX, async (background) => {
    for (const file of unfinished) {
      if (context.endsAfterFile?.aborted) return
      await processFile(context, file, { ...pass, background })
    }
    const known = new Set(unfinished.map((file) => file.id))
    if (context.onlyUnfinished !== true) await takeNewFiles(context, known, { ...pass, background })
  })
  return finishInbound(route.name, pass)
}

async function takeNewFiles(context: InboundContext, known: Set<string>, pass: InboundRun): Promise<void> {
  const { journal, route } = context
  await releaseStrayClaims(context, known)
  const claimFiles = createFileClaimer(context)
  // A strict sequence scans for its next file only when the one before it is finished.
  const beforeNext = () => (route.sequence === undefined ? Promise.resolve() : pass.background.waitForAll())
  await beforeNext()
  while (!context.endsAfterFile?.aborted && (await claimFiles()) > 0) {
    for (const file of await journal.listUnfinishedFiles(route.name)) {
      if (known.has(file.id)) continue
      known.add(file.id)
      // A claimed file waits for the next pass, which may have another mapping.
      if (context.endsAfterFile?.aborted) return
      await processFile(context, file, pass)
    }
    await beforeNext()
  }
}

/** Continues one file from its state, after a person decided about its held records. */
export async function resumeFile(context: InboundContext, fileId: string): Promise<InboundOutcome> {
  const { journal, route } = context
  const pass = createInboundProgress()
  const file = await journal.getFile(fileId)
  if (file !== undefined)
    await withBackgroundTasks(1, (background) => processFile(context, file, { ...pass, background }))
  return finishInbound(route.name, pass)
}

function finishInbound(route: string, pass: InboundProgress): InboundOutcome {
  const failures = [...pass.failures, ...pass.earlierFailures]
  if (failures.length > 0) throw failures[0]
  return getInboundOutcome(route, pass)
}

async function processFile(context: InboundContext, file: FileEntry, pass: InboundRun): Promise<void> {
  const earlier = context.fileBackoff?.getFailure(file.id)
  if (earlier !== undefined) {
    pass.earlierFailures.push(earlier)
    return
  }
  pass.taken.push(file.id)
  try {
    // Fetching documents needs the API, so the next file waits for it; without documents the rest runs in the background.
    const end = context.documents === undefined ? 'submitted' : 'closed'
    const advanced = await advanceFile(context, file, pass, end)
    if (advanced.state !== 'closed' && advanced.state === end)
      await pass.background.add(() => finishFile(context, advanced, pass))
    else if (advanced.state !== 'closed') await noteUnfinished(context, file, pass)
    else if (file.state === 'reported')
      pass.archived.push({ file: advanced, records: await context.journal.countRecords({ file: file.id }) })
    pass.inARow.unreachable = 0
  } catch (error) {
    await noteFailure(context, file, error, pass)
    if (!hasCode(error, 'api-unreachable')) return
    pass.inARow.unreachable++
    if (pass.inARow.unreachable >= UNREACHABLE_FILES_MAX) throw error
  }
}

async function finishFile(context: InboundContext, file: FileEntry, pass: InboundProgress): Promise<void> {
  try {
    const advanced = await advanceFile(context, file, pass, 'closed')
    if (advanced.state !== 'closed') await noteUnfinished(context, file, pass)
  } catch (error) {
    await noteFailure(context, file, error, pass)
  }
}

/** Throws the failure again if it ends the pass. */
async function noteFailure(context: InboundContext, file: FileEntry, error: unknown, pass: InboundProgress) {
  if (hasCode(error, ...PASS_FATAL)) throw error
  const { journal, fileBackoff } = context
  pass.failures.push(error)
  if (fileBackoff === undefined) return
  const { state, retakeOf } = (await journal.getFile(file.id)) ?? {}
  const isInInbox = state === 'claiming' && retakeOf === undefined
  fileBackoff.noteFailure(file.id, error, isInInbox ? file.name : undefined)
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

type FileStep = (context: InboundContext, file: FileEntry, pass: InboundProgress) => Promise<void>

/** The one next step of each state. A step that changes nothing leaves the file for a later pass. */
const NEXT_STEP: Readonly<Record<Exclude<FileState, 'closed'>, FileStep>> = {
  claiming: receiveFile,
  received: planFile,
  planned: submitFile,
  submitted: async (context, file, pass) => {
    await deliverFileDocuments(context, file)
    const reported = await reportFile(context, file)
    notifyReported(context, file, reported)
    pass.reported.set(file.id, reported)
  },
  reported: archiveFile,
}

function notifyReported({ route, notify }: InboundContext, file: FileEntry, { summary }: ReportedFile): void {
  const { total: _, ...records } = summary.records
  const again = (file.reports ?? 0) > 0 ? { again: true as const } : {}
  const { outcome } = summary
  notify({ kind: 'file-reported', route: route.name, file: file.name, outcome, records, ...again })
}

/** Takes the file from state to state until it reaches `end` or has to wait. Returns the file in its last state. */
async function advanceFile(context: InboundContext, file: FileEntry, pass: InboundProgress, end: FileState) {
  let current = file
  for (;;) {
    const { state } = current
    if (state === 'closed' || state === end) return current
    throwIfStopped(context.signal)
    await NEXT_STEP[state](context, current, pass)
    const next = await context.journal.getFile(file.id)
    if (next === undefined || next.state === state) return current
    current = next
  }
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
    /** The ids of the files in their order. */
    taken: [] as string[],
    reported: new Map<string, ReportedFile>(),
    open: [] as OpenFile[],
    waiting: [] as WaitingFile[],
    archived: [] as ArchivedFile[],
    failures: [] as unknown[],
    /** Failures that an earlier pass noted, of files that this one skipped. */
    earlierFailures: [] as unknown[],
    inARow: { unreachable: 0 },
  }
}

export function getInboundOutcome(route: string, pass: InboundProgress): InboundOutcome {
  const { open, waiting, archived } = pass
  const reported = pass.taken.flatMap((id) => pass.reported.get(id) ?? [])
  const summaries = reported.map(({ summary }) => summary)
  return { route, summaries, reported, open, waiting, ...(archived.length === 0 ? {} : { archived }) }
}
