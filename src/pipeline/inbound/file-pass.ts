/** One pass over the files of an inbox: continues unfinished files, takes new ones, and moves each from state to state. */
import { setImmediate } from 'node:timers/promises'
import type { FileEntry, FileState } from '../../domain/file.ts'
import { type BackgroundTasks, withBackgroundTasks } from '../../support/async.ts'
import { hasCode, throwIfStopped } from '../../support/errors.ts'
import type { IntakeContext } from '../context.ts'
import { PASS_FATAL } from '../failures.ts'
import { cleanSpool, createFileClaimer, releaseStrayClaims } from './intake.ts'

/** After so many files in a row that find the API unreachable, it is down; fewer may be the fault of a file. */
const UNREACHABLE_FILES_MAX = 2

/** Reporting and archiving must not delay the next file: up to so many files are finished in the background. */
const BACKGROUND_MAX = 4

/** Shorter files are planned within two seconds, also on a slow machine. */
export const LONG_FILE_BYTES = 512 * 1024

/** Call it before each piece of a file: while a long one gives way, short files of other routes go first. */
export async function giveWay(
  { precedence }: Pick<IntakeContext, 'precedence'>,
  { size }: Pick<FileEntry, 'size'>,
): Promise<void> {
  await (precedence === undefined || size < LONG_FILE_BYTES ? setImmediate() : precedence.giveWay())
}

/** What happens to the files of one kind of inbox. */
export interface FileSteps<Context extends IntakeContext> {
  /** The one next step of each state. A step that changes nothing leaves the file for a later pass. */
  readonly next: Readonly<
    Record<Exclude<FileState, 'closed'>, (context: Context, file: FileEntry) => Promise<void>>
  >
  /** From this state on, a file is finished in the background. */
  readonly backgroundFrom: FileState
  /** The file could not be finished; it is continued in a later pass. */
  readonly noteUnfinished: (file: FileEntry) => Promise<void>
  /** The file was reported in an earlier pass, and archived in this one. */
  readonly noteArchived?: (file: FileEntry) => Promise<void>
}

export interface FilePassProgress {
  /** The ids of the files in their order. */
  readonly taken: string[]
  readonly failures: unknown[]
  /** Failures that an earlier pass noted, of files that this one skipped. */
  readonly earlierFailures: unknown[]
  readonly inARow: { unreachable: number }
}

export function createFilePassProgress(): FilePassProgress {
  return { taken: [], failures: [], earlierFailures: [], inARow: { unreachable: 0 } }
}

interface FilePass<Context extends IntakeContext> {
  readonly context: Context
  readonly steps: FileSteps<Context>
  readonly progress: FilePassProgress
  readonly background: BackgroundTasks
}

/**
 * Continues the unfinished files of earlier passes, then takes the files that are whole now, in their order. A file that
 * cannot be finished stays open, and the pass takes the next one. Failures of the whole inbox are thrown at once; those of
 * single files are in `progress`.
 */
export async function runFilePass<Context extends IntakeContext>(
  context: Context,
  steps: FileSteps<Context>,
  progress: FilePassProgress,
): Promise<void> {
  const { journal, route } = context
  await cleanSpool(context)
  const unfinished = await journal.listUnfinishedFiles(route.name)
  await withBackgroundTasks(BACKGROUND_MAX, async (background) => {
    const pass = { context, steps, progress, background }
    for (const file of unfinished) {
      if (context.endsAfterFile?.aborted) return
      await processFile(pass, file)
    }
    const known = new Set(unfinished.map((file) => file.id))
    if (context.onlyUnfinished !== true) await takeNewFiles(pass, known)
  })
}

/** Continues one file from its state. */
export async function runFile<Context extends IntakeContext>(
  context: Context,
  steps: FileSteps<Context>,
  { file, progress }: { readonly file: FileEntry; readonly progress: FilePassProgress },
): Promise<void> {
  await withBackgroundTasks(1, (background) => processFile({ context, steps, progress, background }, file))
}

/** Throws the first failure of the pass, if there was any. */
export function throwFailures({ failures, earlierFailures }: FilePassProgress): void {
  const all = [...failures, ...earlierFailures]
  if (all.length > 0) throw all[0]
}

async function takeNewFiles<Context extends IntakeContext>(
  pass: FilePass<Context>,
  known: Set<string>,
): Promise<void> {
  const { context, background } = pass
  const { journal, route } = context
  await releaseStrayClaims(context, known)
  const claimFiles = createFileClaimer(context)
  // A strict sequence scans for its next file only when the one before it is finished.
  const beforeNext = () => (route.sequence === undefined ? Promise.resolve() : background.waitForAll())
  await beforeNext()
  while (!context.endsAfterFile?.aborted && (await claimFiles()) > 0) {
    for (const file of await journal.listUnfinishedFiles(route.name)) {
      if (known.has(file.id)) continue
      known.add(file.id)
      // A claimed file waits for the next pass, which may have another mapping.
      if (context.endsAfterFile?.aborted) return
      await processFile(pass, file)
    }
    await beforeNext()
  }
}

async function processFile<Context extends IntakeContext>(
  pass: FilePass<Context>,
  file: FileEntry,
): Promise<void> {
  const { context, steps, progress, background } = pass
  const earlier = context.fileBackoff?.getFailure(file.id)
  if (earlier !== undefined) {
    progress.earlierFailures.push(earlier)
    return
  }
  progress.taken.push(file.id)
  try {
    const end = steps.backgroundFrom
    const advanced = await advanceFile(context, steps, file, end)
    if (advanced.state !== 'closed' && advanced.state === end)
      await background.add(() => finishFile(pass, advanced))
    else if (advanced.state !== 'closed') await steps.noteUnfinished(file)
    else if (file.state === 'reported') await steps.noteArchived?.(advanced)
    progress.inARow.unreachable = 0
  } catch (error) {
    await noteFailure(pass, file, error)
    if (!hasCode(error, 'api-unreachable')) return
    progress.inARow.unreachable++
    if (progress.inARow.unreachable >= UNREACHABLE_FILES_MAX) throw error
  }
}

async function finishFile<Context extends IntakeContext>(pass: FilePass<Context>, file: FileEntry) {
  try {
    const advanced = await advanceFile(pass.context, pass.steps, file, 'closed')
    if (advanced.state !== 'closed') await pass.steps.noteUnfinished(file)
  } catch (error) {
    await noteFailure(pass, file, error)
  }
}

/** Throws the failure again if it ends the pass. */
async function noteFailure<Context extends IntakeContext>(
  { context, progress }: FilePass<Context>,
  file: FileEntry,
  error: unknown,
): Promise<void> {
  if (hasCode(error, ...PASS_FATAL)) throw error
  const { journal, fileBackoff } = context
  progress.failures.push(error)
  if (fileBackoff === undefined) return
  const { state, retakeOf } = (await journal.getFile(file.id)) ?? {}
  const isInInbox = state === 'claiming' && retakeOf === undefined
  fileBackoff.noteFailure(file.id, error, isInInbox ? file.name : undefined)
}

/** Takes the file from state to state until it reaches `end` or has to wait. Returns the file in its last state. */
function advanceFile<Context extends IntakeContext>(
  context: Context,
  steps: FileSteps<Context>,
  file: FileEntry,
  end: FileState,
): Promise<FileEntry> {
  const advance = () => advanceThrough(context, steps, file, end)
  const { precedence } = context
  return precedence === undefined || file.size >= LONG_FILE_BYTES ? advance() : precedence.runShort(advance)
}

async function advanceThrough<Context extends IntakeContext>(
  context: Context,
  { next: steps }: FileSteps<Context>,
  file: FileEntry,
  end: FileState,
): Promise<FileEntry> {
  let current = file
  for (;;) {
    const { state } = current
    if (state === 'closed' || state === end) return current
    throwIfStopped(context.signal)
    await steps[state](context, current)
    const next = await context.journal.getFile(file.id)
    if (next === undefined || next.state === state) return current
    current = next
  }
}
