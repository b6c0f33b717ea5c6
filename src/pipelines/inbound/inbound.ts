/** The inbound story: files are picked up, translated, submitted and reported, each from where it stands. */
import type { FileEntry, FileState } from '../../domain/journal.ts'
import { BridgeError, type FailureCode, hasCode } from '../../support/errors.ts'
import type { InboundParts } from '../parts.ts'
import { sweepDocuments } from '../documents/bring.ts'
import type { WaitingFile } from '../../domain/steps.ts'
import { archiveCompanion } from './companions.ts'
import { deliverDocuments } from './documents.ts'
import { fileTaker, giveBackStrays, receiveFile, spoolName } from './pick-up.ts'
import { type ReportedFile, reportFile } from './report.ts'
import { submitFile } from './submit.ts'
import type { Summary } from './summary.ts'
import { planFile } from './translate.ts'

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
}

/** What concerns the whole route or the whole program; all else concerns one file, and the next one is taken. */
const CONCERNS_ALL = [
  'interrupted',
  'lease-lost',
  'credentials-refused',
  'api-redirected',
  'journal-busy',
  'journal-damaged',
  'journal-unusable',
  'journal-newer',
] as const satisfies FailureCode[]

/** An API that failed on so many files in a row is down, and not at odds with a file. */
const UNREACHABLE_MAX = 2

interface Pass {
  readonly reported: ReportedFile[]
  readonly open: FileEntry[]
  readonly waiting: WaitingFile[]
  readonly failures: unknown[]
  unreachableInRow: number
}

/**
 * One pass: what an earlier pass left unfinished goes on first, then the files that are settled now, oldest first.
 * A file that cannot be brought to an end stays open and the next one is taken. Failures that concern everything are
 * thrown at once, those of single files when the others had their turn.
 */
export async function passInbound(parts: InboundParts): Promise<InboundPass> {
  const { journal, route } = parts
  const pass = beginPass()
  await sweepSpool(parts)
  const left = await journal.unfinishedFiles(route.name)
  for (const file of left) await bringOn(parts, file, pass)
  const known = new Set(left.map((file) => file.id))
  if (parts.onlyUnfinished !== true) await takeNew(parts, known, pass)
  if (pass.failures.length > 0) throw pass.failures[0]
  return passOf(route.name, pass)
}

async function takeNew(parts: InboundParts, known: Set<string>, pass: Pass): Promise<void> {
  const { journal, route } = parts
  await giveBackStrays(parts, known)
  const takeFiles = fileTaker(parts)
  while ((await takeFiles()) > 0) {
    for (const file of await journal.unfinishedFiles(route.name)) {
      if (known.has(file.id)) continue
      known.add(file.id)
      await bringOn(parts, file, pass)
    }
  }
}

/** Only the file named, from where it stands; for when a person decided about its held records. */
export async function passFile(parts: InboundParts, fileId: string): Promise<InboundPass> {
  const { journal, route } = parts
  const pass = beginPass()
  const file = await journal.file(fileId)
  if (file !== undefined) await bringOn(parts, file, pass)
  if (pass.failures.length > 0) throw pass.failures[0]
  return passOf(route.name, pass)
}

function beginPass(): Pass {
  return { reported: [], open: [], waiting: [], failures: [], unreachableInRow: 0 }
}

function passOf(route: string, { reported, open, waiting }: Pass): InboundPass {
  return { route, summaries: reported.map(({ summary }) => summary), reported, open, waiting }
}

async function bringOn(parts: InboundParts, file: FileEntry, pass: Pass): Promise<void> {
  try {
    const finished = await finishFile(parts, file, (reported) => pass.reported.push(reported))
    if (!finished) await noteUnfinished(parts, file, pass)
    pass.unreachableInRow = 0
  } catch (error) {
    if (hasCode(error, ...CONCERNS_ALL)) throw error
    pass.failures.push(error)
    if (!hasCode(error, 'api-unreachable')) return
    pass.unreachableInRow++
    if (pass.unreachableInRow >= UNREACHABLE_MAX) throw error
  }
}

/** A file whose other records are all final need not be run again soon. */
async function noteUnfinished({ journal }: InboundParts, file: FileEntry, pass: Pass): Promise<void> {
  const waiting = (await journal.onlyWaits(file.id)) ? await journal.waitingFiles(1, file.id) : []
  if (waiting.length > 0) pass.waiting.push(...waiting)
  else pass.open.push(file)
}

type Report = (reported: ReportedFile) => void

/** The one next step of each state. A step that changes nothing leaves the file for a later pass. */
const NEXT_STEP: Readonly<
  Record<
    Exclude<FileState, 'closed'>,
    (parts: InboundParts, file: FileEntry, report: Report) => Promise<void>
  >
> = {
  claiming: receiveFile,
  received: planFile,
  planned: submitFile,
  submitted: async (parts, file, report) => {
    await deliverDocuments(parts, file)
    const reported = await reportFile(parts, file)
    tellReported(parts, file, reported)
    report(reported)
  },
  reported: archiveFile,
}

function tellReported({ route, notify }: InboundParts, file: FileEntry, { summary }: ReportedFile): void {
  const { total: _, ...records } = summary.records
  const again = (file.reports ?? 0) > 0 ? { again: true as const } : {}
  const { outcome } = summary
  notify({ kind: 'file-reported', route: route.name, file: file.name, outcome, records, ...again })
}

/** Takes the file from state to state until it is closed; false when it has to wait. */
async function finishFile(parts: InboundParts, file: FileEntry, report: Report): Promise<boolean> {
  let current = file
  for (;;) {
    const { state } = current
    if (state === 'closed') return true
    if (parts.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    await NEXT_STEP[state](parts, current, report)
    const next = await parts.journal.file(file.id)
    if (next === undefined || next.state === state) return false
    current = next
  }
}

/**
 * reported → closed: the source leaves the inbox for good, and the spool is cleared. A file that was taken up again is in
 * the archive already, or a person has taken it from there.
 */
async function archiveFile(parts: InboundParts, file: FileEntry): Promise<void> {
  const { source, journal, lease, route, clock } = parts
  const day = new Date(file.receivedAt ?? clock.now()).toISOString().slice(0, 10).replaceAll('-', '/')
  const claim = { id: file.id, folder: file.folder, name: file.name }
  const folder = `${route.archiveFolder}/${day}`
  const archivedAs = file.archivedAs ?? (await source.archive(claim, folder))
  await archiveCompanion(parts, file, folder)
  await journal.fileClosed(lease, file.id, archivedAs)
  await clearSpool(parts, file.id)
  parts.notify({
    kind: 'file-closed',
    route: route.name,
    file: file.name,
    outcome: file.outcome ?? 'processed',
  })
}

/** The copy of a file with held records is kept: what becomes of them is reported with their rows. */
async function clearSpool({ spool, journal }: InboundParts, fileId: string): Promise<void> {
  const held = await journal.heldFiles(1, fileId)
  if (held.length === 0) await spool.remove(spoolName(fileId))
  for (const suffix of ['results', 'rejects', 'exceptions', 'summary', 'manifest']) {
    await spool.remove(`${fileId}.${suffix}`)
  }
}

/** Removes what files left behind that were closed right before a crash. */
async function sweepSpool(parts: InboundParts): Promise<void> {
  const ids = new Set((await parts.spool.list()).map((name) => name.split('.', 1)[0] ?? ''))
  if (ids.size > 0) await parts.journal.renewLease(parts.lease)
  for (const id of ids) {
    const file = await parts.journal.file(id)
    if (file?.state !== 'closed') continue
    await clearSpool(parts, id)
    await sweepDocuments(parts, id)
  }
}
