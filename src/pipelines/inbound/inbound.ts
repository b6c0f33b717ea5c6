/** The inbound story: files are picked up, translated, submitted and reported, each from where it stands. */
import type { FileEntry, FileState } from '../../domain/journal.ts'
import { type Behind, withBehind } from '../../support/behind.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'
import { CONCERNS_ALL } from '../concerns-all.ts'
import type { InboundParts } from '../parts.ts'
import { archiveFile, sweepSpool } from './closing.ts'
import { deliverDocuments } from './documents.ts'
import { beginInbound, type InboundPass, type InboundProgress, inboundSoFar } from './progress.ts'
import { fileTaker, giveBackStrays, receiveFile } from './pick-up.ts'
import { type ReportedFile, reportFile } from './report.ts'
import { submitFile } from './submit.ts'
import { planFile } from './translate.ts'

/** An API that failed on so many files in a row is down, and not at odds with a file. */
const UNREACHABLE_MAX = 2

/** A pass under way. */
interface Passing extends InboundProgress {
  readonly behind: Behind
}

/** What comes after the last answer is of no concern to the next file: so many are told of and archived behind its back. */
const BEHIND_AT_ONCE = 4

/**
 * One pass: what an earlier pass left unfinished goes on first, then the files that are whole now, in their order.
 * A file that cannot be brought to an end stays open and the next one is taken. Failures that concern everything are
 * thrown at once, those of single files when the others had their turn; what was done before is in `pass` then.
 */
export async function passInbound(
  parts: InboundParts,
  pass: InboundProgress = beginInbound(),
): Promise<InboundPass> {
  const { journal, route } = parts
  await sweepSpool(parts)
  const left = await journal.unfinishedFiles(route.name)
  await withBehind(BEHIND_AT_ONCE, async (behind) => {
    for (const file of left) await bringOn(parts, file, { ...pass, behind })
    const known = new Set(left.map((file) => file.id))
    if (parts.onlyUnfinished !== true) await takeNew(parts, known, { ...pass, behind })
  })
  return passOf(route.name, pass)
}

async function takeNew(parts: InboundParts, known: Set<string>, pass: Passing): Promise<void> {
  const { journal, route } = parts
  await giveBackStrays(parts, known)
  const takeFiles = fileTaker(parts)
  // A file of a strict sequence is looked for when the one before it is done.
  const beforeNext = () => (route.sequence === undefined ? Promise.resolve() : pass.behind.done())
  await beforeNext()
  while ((await takeFiles()) > 0) {
    for (const file of await journal.unfinishedFiles(route.name)) {
      if (known.has(file.id)) continue
      known.add(file.id)
      await bringOn(parts, file, pass)
    }
    await beforeNext()
  }
}

/** Only the file named, from where it stands; for when a person decided about its held records. */
export async function passFile(parts: InboundParts, fileId: string): Promise<InboundPass> {
  const { journal, route } = parts
  const pass = beginInbound()
  const file = await journal.file(fileId)
  if (file !== undefined) await withBehind(1, (behind) => bringOn(parts, file, { ...pass, behind }))
  return passOf(route.name, pass)
}

function passOf(route: string, pass: InboundProgress): InboundPass {
  const failures = [...pass.failures, ...pass.earlier]
  if (failures.length > 0) throw failures[0]
  return inboundSoFar(route, pass)
}

async function bringOn(parts: InboundParts, file: FileEntry, pass: Passing): Promise<void> {
  const earlier = parts.setbacks?.of(file.id)
  if (earlier !== undefined) {
    pass.earlier.push(earlier)
    return
  }
  pass.taken.push(file.id)
  try {
    // Documents are fetched from the API, which has enough to do with the next file.
    const ahead = parts.documents === undefined ? 'submitted' : 'closed'
    const came = await advance(parts, file, pass, ahead)
    if (came.state !== 'closed' && came.state === ahead)
      await pass.behind.add(() => bringToEnd(parts, came, pass))
    else if (came.state !== 'closed') await noteUnfinished(parts, file, pass)
    else if (file.state === 'reported')
      pass.archived.push({ file: came, records: await parts.journal.countRecords({ file: file.id }) })
    pass.row.unreachable = 0
  } catch (error) {
    if (hasCode(error, ...CONCERNS_ALL)) throw error
    await noteFailure(parts, file, { error, pass })
    if (!hasCode(error, 'api-unreachable')) return
    pass.row.unreachable++
    if (pass.row.unreachable >= UNREACHABLE_MAX) throw error
  }
}

async function bringToEnd(parts: InboundParts, file: FileEntry, pass: InboundProgress): Promise<void> {
  try {
    const came = await advance(parts, file, pass, 'closed')
    if (came.state !== 'closed') await noteUnfinished(parts, file, pass)
  } catch (error) {
    if (hasCode(error, ...CONCERNS_ALL)) throw error
    await noteFailure(parts, file, { error, pass })
  }
}

async function noteFailure(
  { journal, setbacks }: InboundParts,
  file: FileEntry,
  { error, pass }: { readonly error: unknown; readonly pass: InboundProgress },
): Promise<void> {
  pass.failures.push(error)
  if (setbacks === undefined) return
  const isInInbox = (await journal.file(file.id))?.state === 'claiming'
  setbacks.note(file.id, error, isInInbox ? file.name : undefined)
}

/** A file whose other records are all final need not be run again soon. */
async function noteUnfinished(
  { journal }: InboundParts,
  file: FileEntry,
  pass: InboundProgress,
): Promise<void> {
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

/** Takes the file from state to state, until it has this one or has to wait; gives where it stands then. */
async function advance(
  parts: InboundParts,
  file: FileEntry,
  pass: InboundProgress,
  until: FileState,
): Promise<FileEntry> {
  let current = file
  for (;;) {
    const { state } = current
    if (state === 'closed' || state === until) return current
    if (parts.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    await NEXT_STEP[state](parts, current, (reported) => pass.reported.set(file.id, reported))
    const next = await parts.journal.file(file.id)
    if (next === undefined || next.state === state) return current
    current = next
  }
}
