/** Scans an inbox: which files may be taken now, in which order, and why the others must wait. */
import type { FileEntry } from '../../domain/file.ts'
import type { Journal } from '../../domain/journal.ts'
import type { FileInfo, Mailbox } from '../../domain/mailbox.ts'
import type { FileSequence, IntakeOrder, Readiness } from '../../domain/route.ts'
import { elapsed } from '../../support/clock.ts'
import { BridgeError, type CodeText, throwIfStopped } from '../../support/errors.ts'
import type { IntakeContext } from '../context.ts'
import { runInParallel } from '../../support/async.ts'
import type { FileTracker } from './file-tracker.ts'

export interface InboxScan {
  /** In the order of intake. */
  readonly ready: readonly FileInfo[]
  readonly skippedFiles: readonly SkippedFile[]
  /** When the next file may be stable; undefined when no file waits for time to pass. */
  readonly stableInMs?: number
  /** Whether a file is new or changed since the last scan. */
  readonly hasChanges: boolean
}

/** Every reason why a scan skips a file of its route, with its fix. `why-not` adds its own reasons and the exit codes. */
export const SKIP_REASONS = {
  'still-changing': { title: 'The file is still being written.', fix: 'Wait until its writer is done.' },
  'line-end-missing': {
    title: 'The last line has no line end; more of it may come.',
    fix: 'Wait. If the files of the route end so, set `lastLineEnd: optional` under `from`.',
  },
  'sidecar-missing': {
    title: 'The marker or manifest of the file is missing.',
    fix: 'Ask the sender for the marker or manifest, or change `ready` of the route.',
  },
  'is-sidecar': {
    title: 'This is a marker or manifest.',
    fix: 'Ask about its data file: `dropbridge why-not FILE`. If that never comes, remove this one.',
  },
  'out-of-sequence': {
    title: 'A file with an earlier number must come first.',
    fix: 'Ask for the missing file. If it will never come, set `start` under `sequence` to the next number.',
  },
} as const satisfies Readonly<Record<string, CodeText>>

/** A file that is not taken yet, and why. */
export interface SkippedFile {
  readonly file: FileInfo
  readonly code: keyof typeof SKIP_REASONS
  readonly message: string
  readonly fix: string
  /** The file is being written or has just arrived: a usual wait that ends by itself. */
  readonly isUsual: boolean
  /** In how many milliseconds the file may be stable; left out where time alone does not help. */
  readonly untilMs?: number
}

export type ScanContext = Pick<IntakeContext, 'route' | 'source' | 'journal' | 'clock'>

/** Lists the folder and notes its files in the tracker. Changes nothing in the folder. */
export async function scanInbox(context: ScanContext, tracker: FileTracker): Promise<InboxScan> {
  const { clock, source, route } = context
  const began = elapsed(clock)
  const guard = () => assertInboxUnused(context)
  const all = await source.list(route.folder, listWantedNames(route), guard)
  const listed = await excludeTaken(context, all)
  const changed = tracker.update(listed, { began, ended: elapsed(clock) })
  const { files, missing } = splitCandidates(listed, context)
  const orphaned = findOrphanedSidecars(all, route)
  const stable: FileInfo[] = []
  const unstable: SkippedFile[] = []
  let stableInMs = Infinity
  const waits = await runInParallel(files, TAILS_AT_ONCE, (file) => findWait(file, context, tracker))
  for (const [index, file] of files.entries()) {
    const wait = waits[index]
    if (wait === undefined) {
      stable.push(file)
      continue
    }
    stableInMs = Math.min(stableInMs, wait.untilMs)
    unstable.push({ file, ...withFix(wait.code), ...wait, isUsual: true })
  }
  const coming = [...unstable, ...missing].map(({ file }) => file)
  const { ready, behind } = await selectNext(context, stable, coming)
  return {
    ready,
    skippedFiles: [...unstable, ...missing, ...behind, ...orphaned],
    ...(stableInMs === Infinity ? {} : { stableInMs }),
    hasChanges: changed.length > 0,
  }
}

/** Scans as a single run does: where files may become stable, it waits for the time of `stableFor` and scans again. */
export async function scanUntilStable(
  context: ScanContext & Pick<IntakeContext, 'signal'>,
  tracker: FileTracker,
): Promise<InboxScan> {
  const { clock, signal, route } = context
  const first = await scanInbox(context, tracker)
  if (first.stableInMs === undefined) return first
  await clock.sleep(route.stableForMs, signal)
  throwIfStopped(signal)
  return scanInbox(context, tracker)
}

function withFix(code: SkippedFile['code'], fix: string = SKIP_REASONS[code].fix) {
  return { code, fix }
}

/** The names to list for a route with one file name: the file and its sidecar. Undefined: list the whole folder. */
export function listWantedNames({
  onlyName,
  ready = STABLE,
}: Pick<ScanContext['route'], 'onlyName' | 'ready'>) {
  if (onlyName === undefined) return undefined
  return 'sidecarNameOf' in ready ? [onlyName, ready.sidecarNameOf(onlyName)] : [onlyName]
}

/** In a mailbox that claims in place, taken files stay in the inbox; leaves them out. */
async function excludeTaken({ journal, source, route }: ScanContext, listed: readonly FileInfo[]) {
  if (!source.claimsInPlace) return listed
  const fresh: FileInfo[] = []
  for (const file of listed) {
    const isTaken = route.matches(file.name) && (await journal.isFileTaken(route.name, file))
    if (!isTaken) fresh.push(file)
  }
  return fresh
}

/** The files of the route, without sidecars. */
function splitCandidates(listed: readonly FileInfo[], { route, source }: ScanContext) {
  const { ready = STABLE } = route
  const matching = listed.filter(({ name }) => route.matches(name))
  if (!('sidecarNameOf' in ready)) return { files: matching, missing: [] }
  const names = new Set(listed.map(({ name }) => name))
  const sidecars = new Set(matching.map(({ name }) => ready.sidecarNameOf(name)))
  const files = matching.filter(({ name }) => !sidecars.has(name))
  const hasSidecar = ({ name }: FileInfo) => names.has(ready.sidecarNameOf(name))
  const explainMissing = (file: FileInfo): SkippedFile => {
    const sidecar = source.describe(route.folder, ready.sidecarNameOf(file.name))
    const message = `its ${ready.when} ${sidecar} is missing`
    return { file, ...withFix('sidecar-missing'), message, isUsual: false }
  }
  const missing = files.filter((file) => !hasSidecar(file)).map(explainMissing)
  return { files: files.filter(hasSidecar), missing }
}

export const FIX_ORPHANED = 'Ask its sender for the data file. If that never comes, remove this one.'

/** Markers and manifests of the route whose data file is not in the folder, as all its entries show. */
function findOrphanedSidecars(all: readonly FileInfo[], { ready = STABLE, matches }: ScanContext['route']) {
  if (!('sidecarNameOf' in ready)) return []
  const owned = new Set(all.map(({ name }) => ready.sidecarNameOf(name)))
  return all
    .filter(({ name }) => ready.isSidecar(name) && !matches(name) && !owned.has(name))
    .map((file): SkippedFile => {
      const message = `the data file of this ${ready.when} is missing`
      return { file, ...withFix('is-sidecar', FIX_ORPHANED), message, isUsual: false }
    })
}

const STABLE: Readiness = { when: 'stable' }

function explainUnstable({ name, size }: FileInfo, { route }: ScanContext, tracker: FileTracker): string {
  const { ready = STABLE, stableForMs } = route
  const seen = tracker.get(name)
  if (seen?.takenMsAgo !== undefined) return 'it could not be taken; another program may keep it open'
  if (ready.when === 'manifest' && tracker.getMsUntilStable(name, stableForMs) <= 0)
    return 'its manifest is still being written, or has just arrived'
  if (size === 0) return 'it is empty, and may still be filled'
  return seen?.hasChanged === true ? 'it is still being written' : 'it has just arrived'
}

/** Why the file may not be whole yet, and for how long; undefined when it is stable. */
async function findWait(file: FileInfo, context: ScanContext, tracker: FileTracker) {
  const untilMs = getMsUntilStable(file, context, tracker)
  if (untilMs > 0) {
    return { code: 'still-changing', message: explainUnstable(file, context, tracker), untilMs } as const
  }
  const untilEndedMs = await getMsUntilEnded(file, context, tracker)
  if (untilEndedMs <= 0) return undefined
  const seconds = (context.route.stableForMs * OPEN_END_FACTOR) / 1000
  const message = `its last line has no line end, so more of it may come; it is taken once it has not changed for ${seconds} s`
  return { code: 'line-end-missing', message, untilMs: untilEndedMs } as const
}

/** A file whose last line has no line end must be stable for this many times longer: its writer may pause in that line. */
const OPEN_END_FACTOR = 10

const TAILS_AT_ONCE = 8

/** Reads the end of each version of a file once, and only while it is new. */
async function getMsUntilEnded(file: FileInfo, context: ScanContext, tracker: FileTracker): Promise<number> {
  const { source, route } = context
  const { ready = STABLE, stableForMs, lastLineEnd } = route
  if (ready.when !== 'stable' || lastLineEnd === 'optional' || /\.gz$/i.test(file.name)) return 0
  const untilMs = tracker.getMsUntilStable(file.name, stableForMs * OPEN_END_FACTOR)
  if (untilMs <= 0) return 0
  let { isOpen } = tracker.get(file.name) ?? {}
  if (isOpen === undefined) {
    const tail = await source.readTail(file, 2)
    isOpen = tail !== undefined && tail.length > 0 && !endsLine(tail)
    tracker.noteEnd(file.name, isOpen)
  }
  return isOpen ? untilMs : 0
}

/** In UTF-16 with the low byte first, a line end has a zero behind it. Ctrl-Z marks the end of a DOS text. */
function endsLine(tail: Uint8Array): boolean {
  const last = tail.at(-1) === 0 ? tail.at(-2) : tail.at(-1)
  return last === 0x0a || last === 0x0d || last === 0x1a
}

/** When a file that could not be taken is tried again. */
const RETRY_MS = 30_000

/** How long until the file is whole for certain. The bridge reads a manifest, so the manifest must be stable too. */
function getMsUntilStable({ name, size }: FileInfo, { route }: ScanContext, tracker: FileTracker): number {
  const { ready = STABLE, stableForMs } = route
  const { takenMsAgo = Infinity } = tracker.get(name) ?? {}
  if (takenMsAgo < RETRY_MS) return RETRY_MS - takenMsAgo
  if (ready.when === 'renamed' || ready.when === 'marker') return 0
  const waitsFor = ready.when === 'manifest' ? [name, ready.sidecarNameOf(name)] : [name]
  const needed = size === 0 && ready.when === 'stable' ? Math.max(stableForMs, tracker.emptyMs) : stableForMs
  return Math.max(...waitsFor.map((each) => tracker.getMsUntilStable(each, needed)))
}

/** How many of the route's latest files are searched for the last number of its sequence. */
const LATEST_FILES = 1000

async function selectNext(context: ScanContext, stable: readonly FileInfo[], coming: readonly FileInfo[]) {
  const { route, journal } = context
  const { order = 'oldest', sequence } = route
  const ordered = sortByIntakeOrder(stable, order)
  if (sequence === undefined || ordered.length === 0) return { ready: ordered, behind: [] }
  const latest = await journal.listRecentFiles(LATEST_FILES, route.name)
  const taken = latest.filter(({ outcome }) => outcome !== 'vanished')
  return splitBySequence(ordered, sequence, { taken, coming })
}

// The order of intake, and strict sequences of numbered files.

/** Listings are sorted by time already. */
function sortByIntakeOrder(files: readonly FileInfo[], order: IntakeOrder): readonly FileInfo[] {
  if (order === 'oldest') return files
  const compare = order === 'name' ? compareText : compareNumbers
  return files.toSorted((one, other) => compare(one.name, other.name))
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** `orders-9.csv` before `orders-10.csv`: each run of digits is one number, however long. */
function compareNumbers(one: string, other: string): number {
  const [left = [], right = []] = [one, other].map((name) => name.match(/\d+|\D+/g) ?? [])
  for (const [index, part] of left.entries()) {
    const against = right[index]
    if (against === undefined) return 1
    const areDigits = /^\d/.test(part) && /^\d/.test(against)
    const difference = areDigits ? compareDigits(part, against) : compareText(part, against)
    if (difference !== 0) return difference
  }
  return left.length - right.length || compareText(one, other)
}

function compareDigits(one: string, other: string): number {
  const [left = '', right = ''] = [one, other].map((digits) => digits.replace(/^0+(?=\d)/, ''))
  return left.length - right.length || compareText(left, right)
}

/** Takes the next number and its successors up to a gap. An earlier number is a correction. `coming` files are not whole yet. */
function splitBySequence(
  ordered: readonly FileInfo[],
  { numberIn, start }: FileSequence,
  { taken, coming }: { readonly taken: readonly FileEntry[]; readonly coming: readonly FileInfo[] },
) {
  const last = Math.max(start - 1, ...taken.flatMap(({ name }) => numberIn(name) ?? []))
  const open = taken.find(({ state, name }) => state !== 'closed' && numberIn(name) !== undefined)
  const onTheWay = new Set(coming.map(({ name }) => numberIn(name)))
  const ready: FileInfo[] = []
  const behind: SkippedFile[] = []
  const waiting = ordered
    .map((file) => ({ file, number: numberIn(file.name) }))
    .toSorted((one, other) => (one.number ?? 0) - (other.number ?? 0))
  let expected = last + 1
  for (const { file, number } of waiting) {
    const isUsual = onTheWay.has(expected)
    const [message, fix] = explainWait(number, { last, expected, open, isUsual })
    if (message !== undefined) {
      behind.push({ file, ...withFix('out-of-sequence', fix), message, isUsual })
      continue
    }
    ready.push(file)
    if (number === expected) expected++
  }
  return { ready, behind }
}

/** The reason and its own fix, or nothing. `isUsual`: the expected file is in the inbox and not whole yet. */
function explainWait(
  number: number | undefined,
  state: { last: number; expected: number; open: FileEntry | undefined; isUsual: boolean },
): readonly [message?: string, fix?: string] {
  const { last, expected, open, isUsual } = state
  if (number === undefined) return UNNUMBERED
  if (number <= last) return []
  if (open !== undefined)
    return [`${open.name} comes before it in the sequence and is not done`, UNFINISHED_FIX]
  // Two files of one number: the second one is a correction of the first.
  if (number <= expected) return []
  if (isUsual) return [`number ${expected} comes before it in the sequence and is not whole yet`, COMING_FIX]
  return [
    `number ${expected} of the sequence has not come; if it never will, write start: ${number} under \`sequence\``,
  ]
}

const UNNUMBERED = [
  'its name has no number where `sequence` says, and the route takes files by their number',
  'Rename it so that its number is where `sequence` says, or move it to the inbox of another route.',
] as const
const UNFINISHED_FIX = 'Finish that file first: `dropbridge trace FILE` says how far it is.'
const COMING_FIX = 'See what that file waits for: `dropbridge why-not FILE`.'

// A missing inbox that had files before is most likely on a share that is not mounted.

/** `name` is the name of the route. */
type InboxRef = Pick<IntakeContext['route'], 'name' | 'folder'>

interface InboxContext {
  readonly journal: Pick<Journal, 'isPlaceKnown'>
  readonly source: Mailbox
  readonly route: InboxRef
}

/** How the journal knows an inbox that has had files. The name is that of no entry. */
export function getInboxPlace(source: Mailbox, folder: string): string {
  return source.describe(folder, '.taken')
}

/** Throws `mailbox-unreachable` where files came from the missing inbox before: it may be on an unmounted share. */
export async function assertInboxUnused({ journal, source, route }: InboxContext): Promise<void> {
  if (await journal.isPlaceKnown(getInboxPlace(source, route.folder))) throw createGoneInboxError(route)
}

export function createGoneInboxError({ name, folder }: InboxRef): BridgeError {
  return new BridgeError(
    'mailbox-unreachable',
    `The inbox of route ${name} is gone: earlier files came from ${folder} of the mailbox, and there is no such folder now.`,
    {
      details: [
        'Perhaps a share is not mounted. Nothing is taken, and no report is left, until the folder is back.',
        'If it was removed on purpose, make it again.',
      ],
      fix: `Mount its share, or make ${folder} in the folder of its mailbox again.`,
    },
  )
}

/** Guards folders of reports and documents: the bridge creates none while an inbox that had files is missing. */
export async function assertInboxExists(context: Pick<IntakeContext, 'route' | 'source' | 'journal'>) {
  if (!(await context.source.hasFolder(context.route.folder))) await assertInboxUnused(context)
}

/** How the journal knows a folder that has had reports. The name is that of no entry. */
export function getResultsPlace(results: Mailbox, folder: string): string {
  return results.describe(folder, '.reports')
}

interface ResultsRef extends Pick<IntakeContext, 'results'> {
  readonly journal: Pick<Journal, 'isPlaceKnown'>
  readonly route: Pick<IntakeContext['route'], 'name' | 'resultsFolder'>
}

/** Throws `mailbox-unreachable` where reports were left in the missing folder: its readers look in another one. */
export async function assertResultsUnused({ journal, results, route }: ResultsRef): Promise<void> {
  const { name, resultsFolder: folder } = route
  if (!(await journal.isPlaceKnown(getResultsPlace(results, folder)))) return
  throw new BridgeError(
    'mailbox-unreachable',
    `The results folder of route ${name} is gone: earlier reports were left in ${folder} of the mailbox, and there is no such folder now.`,
    {
      details: [
        'Perhaps a share is not mounted. No report is left until the folder is back; the work is kept.',
        'If it was removed on purpose, make it again.',
      ],
      fix: `Mount its share, or make ${folder} in the folder of its mailbox again.`,
    },
  )
}

/** For a folder that existed a moment ago: listing it must not create it. */
export function refuseToCreateFolder(folder: string): Promise<never> {
  return Promise.reject(new BridgeError('mailbox-unreachable', `The folder ${folder} has just gone.`))
}
