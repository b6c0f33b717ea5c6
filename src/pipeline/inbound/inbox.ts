/** Scans an inbox: which files may be taken now, in which order, and why the others must wait. */
import type { FileEntry } from '../../domain/file.ts'
import type { Journal } from '../../domain/journal.ts'
import type { FileInfo } from '../../domain/mailbox.ts'
import type { FileSequence, IntakeOrder, Readiness } from '../../domain/route.ts'
import { elapsed } from '../../support/clock.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundContext } from '../context.ts'
import type { FileTracker } from './file-tracker.ts'

export interface InboxScan {
  /** In the order of intake. */
  readonly ready: readonly FileInfo[]
  readonly skippedFiles: readonly SkippedFile[]
  /** When the next file may be stable; undefined when no file waits for time to pass. */
  readonly stableInMs?: number
  /** How many files of the route are in the inbox. */
  readonly found: number
  /** Whether a file is new or changed since the last scan. */
  readonly hasChanges: boolean
}

export type ScanContext = Pick<InboundContext, 'route' | 'source' | 'journal' | 'clock'>

/** Lists the folder and notes its files in the tracker. Changes nothing in the folder. */
export async function scanInbox(context: ScanContext, tracker: FileTracker): Promise<InboxScan> {
  const { clock, source, route } = context
  const began = elapsed(clock)
  const guard = () => assertInboxUnused(context.journal, route)
  const listed = await excludeTaken(context, await source.list(route.folder, listWantedNames(route), guard))
  const changed = tracker.update(listed, { began, ended: elapsed(clock) })
  const { files, missing } = splitCandidates(listed, context)
  const stable: FileInfo[] = []
  const unstable: SkippedFile[] = []
  let stableInMs = Infinity
  for (const file of files) {
    const left = getMsUntilStable(file, context, tracker)
    if (left <= 0) {
      stable.push(file)
      continue
    }
    stableInMs = Math.min(stableInMs, left)
    unstable.push({ file, why: explainUnstable(file, tracker), isUsual: true })
  }
  const coming = [...unstable, ...missing].map(({ file }) => file)
  const { ready, behind } = await selectNext(context, stable, coming)
  return {
    ready,
    skippedFiles: [...unstable, ...missing, ...behind],
    ...(stableInMs === Infinity ? {} : { stableInMs }),
    found: files.length + missing.length,
    hasChanges: changed.length > 0,
  }
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
    return { file, why: `its ${ready.when} ${sidecar} is missing`, isUsual: false }
  }
  const missing = files.filter((file) => !hasSidecar(file)).map(explainMissing)
  return { files: files.filter(hasSidecar), missing }
}

const STABLE: Readiness = { when: 'stable' }

/** Timers sometimes fire a part of a millisecond early. */
const TIMER_SLACK_MS = 1

function explainUnstable({ name, size }: FileInfo, tracker: FileTracker): string {
  const seen = tracker.get(name)
  if (seen?.takenMsAgo !== undefined) return 'it could not be taken; another program may keep it open'
  if (size === 0) return 'it is empty, and may still be filled'
  return seen?.hasChanged === true ? 'it is still being written' : 'it has just arrived'
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
  return Math.max(...waitsFor.map((each) => needed - (tracker.get(each)?.unchangedMs ?? 0))) - TIMER_SLACK_MS
}

/** How many of the route's latest files are searched for the last number of its sequence. */
const LATEST_FILES = 1000

/** The latest files of the route, without those that had vanished before they were claimed. */
export async function listTakenFiles(journal: Pick<Journal, 'listRecentFiles'>, route: string) {
  const latest = await journal.listRecentFiles(LATEST_FILES, route)
  return latest.filter(({ outcome }) => outcome !== 'vanished')
}

async function selectNext(context: ScanContext, stable: readonly FileInfo[], coming: readonly FileInfo[]) {
  const { route, journal } = context
  const { order = 'oldest', sequence } = route
  const ordered = sortByIntakeOrder(stable, order)
  if (sequence === undefined || ordered.length === 0) return { ready: ordered, behind: [] }
  return splitBySequence(ordered, sequence, { taken: await listTakenFiles(journal, route.name), coming })
}

// The order of intake, and strict sequences of numbered files.

export interface SkippedFile {
  readonly file: FileInfo
  readonly why: string
  /** The file is being written or has just arrived: a usual wait that ends by itself. */
  readonly isUsual: boolean
}

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
export function splitBySequence(
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
    const why = explainWait(number, { last, expected, open, isOnTheWay: onTheWay.has(expected) })
    if (why !== undefined) {
      behind.push({ file, why, isUsual: onTheWay.has(expected) })
      continue
    }
    ready.push(file)
    if (number === expected) expected++
  }
  return { ready, behind }
}

/** `isOnTheWay`: the expected file is in the inbox and not whole yet. */
function explainWait(
  number: number | undefined,
  state: { last: number; expected: number; open: FileEntry | undefined; isOnTheWay: boolean },
) {
  const { last, expected, open, isOnTheWay } = state
  if (number === undefined)
    return 'its name has no number where `sequence` says, and the route takes files by their number'
  if (number <= last) return undefined
  if (open !== undefined) return `${open.name} comes before it in the sequence and is not done`
  // Two files of one number: the second one is a correction of the first.
  if (number <= expected) return undefined
  if (isOnTheWay) return `number ${expected} comes before it in the sequence and is not whole yet`
  return `number ${expected} of the sequence has not come; if it never will, write start: ${number} under \`sequence\``
}

// A missing inbox that had files before is most likely on a share that is not mounted.

/** `name` is the name of the route. */
type InboxRef = Pick<InboundContext['route'], 'name' | 'folder'>

/** Throws `mailbox-unreachable` where files came from the missing inbox before: it may be on an unmounted share. */
export async function assertInboxUnused(journal: Pick<Journal, 'hasTakenFrom'>, { name, folder }: InboxRef) {
  if (await journal.hasTakenFrom(name, folder)) throw createGoneInboxError({ name, folder })
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
export async function assertInboxExists(context: Pick<InboundContext, 'route' | 'source' | 'journal'>) {
  if (!(await context.source.hasFolder(context.route.folder)))
    await assertInboxUnused(context.journal, context.route)
}

/** For a folder that existed a moment ago: listing it must not create it. */
export function refuseToCreateFolder(folder: string): Promise<never> {
  return Promise.reject(new BridgeError('mailbox-unreachable', `The folder ${folder} has just gone.`))
}
