/** Runs an inbound route: takes files in, plans, sends, reports and archives each from the state where it stands. */
import type { FileEntry, FileState } from '../../domain/file.ts'
import type { StateCounts, WaitingFile } from '../../domain/record.ts'
import { type BackgroundTasks, withBackgroundTasks } from '../../support/async.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'
import type { InboundContext } from '../context.ts'
import { deliverFileDocuments } from '../documents/delivery.ts'
import { PASS_FATAL } from '../failures.ts'
import { submitFile } from '../send/submit.ts'
import { archiveFile, cleanSpool, createFileClaimer, receiveFile, releaseStrayClaims } from './intake.ts'
import { planFile } from './plan.ts'
import { type ReportedFile, reportFile } from './report.ts'
import type { Summary } from './summary.ts'

/** An API that failed on so many files in a row is down, and not at odds with a file. */
const UNREACHABLE_FILES_MAX = 2

/** A pass under way. */
type InboundRun = InboundProgress & { readonly behind: BackgroundTasks }

/** Reporting and archiving need not hold up the next file: so many files are finished in the background. */
const BACKGROUND_MAX = 4

/**
 * One pass: what an earlier pass left unfinished goes on first, then the files that are whole now, in their order.
 * A file that cannot be brought to an end stays open and the next one is taken. Failures of the whole route are
 * thrown at once, those of single files when the others had their turn; what was done before is in `pass` then.
 */
export async function runInbound(context: InboundContext, pass = createInboundProgress()) {
  const { journal, route } = context
  await cleanSpool(context)
  const left = await journal.listUnfinishedFiles(route.name)
  await withBackgroundTasks(BACKGROUND_MAX, async (behind) => {
    for (const file of left) await processFile(context, file, { ...pass, behind })
    const known = new Set(left.map((file) => file.id))
    if (context.onlyUnfinished !== true) await takeNewFiles(context, known, { ...pass, behind })
  })
  return finishInbound(route.name, pass)
}

async function takeNewFiles(context: InboundContext, known: Set<string>, pass: InboundRun): Promise<void> {
  const { journal, route } = context
  await releaseStrayClaims(context, known)
  const takeFiles = createFileClaimer(context)
  // A file of a strict sequence is looked for when the one before it is done.
  const beforeNext = () => (route.sequence === undefined ? Promise.resolve() : pass.behind.waitForAll())
  await beforeNext()
  while ((await takeFiles()) > 0) {
    for (const file of await journal.listUnfinishedFiles(route.name)) {
      if (known.has(file.id)) continue
      known.add(file.id)
      await processFile(context, file, pass)
    }
    await beforeNext()
  }
}

/** Only the file named, from where it stands; for when a person decided about its held records. */
export async function resumeFile(context: InboundContext, fileId: string): Promise<InboundOutcome> {
  const { journal, route } = context
  const pass = createInboundProgress()
  const file = await journal.getFile(fileId)
  if (file !== undefined)
    await withBackgroundTasks(1, (behind) => processFile(context, file, { ...pass, behind }))
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
    // Documents are fetched from the API, which has enough to do with the next file.
    const ahead = context.documents === undefined ? 'submitted' : 'closed'
    const came = await advanceFile(context, file, pass, ahead)
    if (came.state !== 'closed' && came.state === ahead)
      await pass.behind.add(() => finishFile(context, came, pass))
    else if (came.state !== 'closed') await noteUnfinished(context, file, pass)
    else if (file.state === 'reported')
      pass.archived.push({ file: came, records: await context.journal.countRecords({ file: file.id }) })
    pass.row.unreachable = 0
  } catch (error) {
    await noteFailure(context, file, error, pass)
    if (!hasCode(error, 'api-unreachable')) return
    pass.row.unreachable++
    if (pass.row.unreachable >= UNREACHABLE_FILES_MAX) throw error
  }
}

async function finishFile(context: InboundContext, file: FileEntry, pass: InboundProgress): Promise<void> {
  try {
    const came = await advanceFile(context, file, pass, 'closed')
    if (came.state !== 'closed') await noteUnfinished(context, file, pass)
  } catch (error) {
    await noteFailure(context, file, error, pass)
  }
}

/** Throws it again where it ends the pass. */
async function noteFailure(context: InboundContext, file: FileEntry, error: unknown, pass: InboundProgress) {
  if (hasCode(error, ...PASS_FATAL)) throw error
  const { journal, fileBackoff } = context
  pass.failures.push(error)
  if (fileBackoff === undefined) return
  const isInInbox = (await journal.getFile(file.id))?.state === 'claiming'
  fileBackoff.noteFailure(file.id, error, isInInbox ? file.name : undefined)
}

/** A file whose other records are all final need not be run again soon. */
async function noteUnfinished({ journal }: InboundContext, file: FileEntry, pass: InboundProgress) {
  const isWaiting = await journal.isOnlyWaitingForOrders(file.id)
  const waiting = isWaiting ? await journal.listWaitingFiles(1, file.id) : []
  if (waiting.length > 0) pass.waiting.push(...waiting)
  else pass.open.push(file)
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

/** Takes the file from state to state, until it has this one or has to wait; gives where it stands then. */
async function advanceFile(context: InboundContext, file: FileEntry, pass: InboundProgress, end: FileState) {
  let current = file
  for (;;) {
    const { state } = current
    if (state === 'closed' || state === end) return current
    if (context.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    await NEXT_STEP[state](context, current, pass)
    const next = await context.journal.getFile(file.id)
    if (next === undefined || next.state === state) return current
    current = next
  }
}

/** What a pass over an inbound route came to. */
export interface InboundOutcome {
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

export type InboundProgress = ReturnType<typeof createInboundProgress>

/** What a pass has come to so far. */
export function createInboundProgress() {
  return {
    /** The ids of the files in their order. */
    taken: [] as string[],
    reported: new Map<string, ReportedFile>(),
    open: [] as FileEntry[],
    waiting: [] as WaitingFile[],
    archived: [] as ArchivedFile[],
    failures: [] as unknown[],
    /** Of files that were passed over: those of an earlier pass. */
    earlierFailures: [] as unknown[],
    row: { unreachable: 0 },
  }
}

export function getInboundOutcome(route: string, pass: InboundProgress): InboundOutcome {
  const { open, waiting, archived } = pass
  const reported = pass.taken.flatMap((id) => pass.reported.get(id) ?? [])
  const summaries = reported.map(({ summary }) => summary)
  return { route, summaries, reported, open, waiting, ...(archived.length === 0 ? {} : { archived }) }
}
