/** The files that a round delivers, the reader that takes them away, and the reports among them. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Resource } from '../domain/api.ts'
import { partSuffix } from '../domain/file.ts'
import { isUnreadable } from '../domain/format.ts'
import { createCsvFormat } from '../formats/csv/format.ts'
import { isTemporaryName } from '../mailboxes/names.ts'
import { groupBy } from '../support/collections.ts'
import { hasSystemCode } from '../support/errors.ts'
import { readFileBytes } from '../support/files.ts'
import { type CallGuard, guardParts } from './crash-point.ts'
import { createDefect, type Defect } from './results.ts'
import type { Random } from './fault-plan.ts'

interface DeliveredFile {
  /** The name it was delivered by; several files may have had the same one, each taken before the next came. */
  readonly name: string
  readonly path: string
}

export type DeliveryFolder = ReturnType<typeof openDeliveryFolder>

/** How a proof recognizes the records of an export in its delivered files. */
export interface RecordReader {
  /**
   * What a file must hold of each record, in the order of the records; undefined for one that its mapping cannot write. Or
   * why they cannot be recognized.
   */
  describe(records: readonly Resource[]): Promise<readonly (string | undefined)[] | string>
  /** Reads a whole file; `text` has one character for each byte. */
  read(text: string): Promise<FileRecords>
}

export interface FileRecords {
  /** How often the file holds the record. */
  count(mark: string): number
  /** The ordinals of the sets that hold the record; none in files without sets. */
  findSets(mark: string): readonly number[]
  /** Why parts of the file hold no record. */
  readonly faults: readonly string[]
  /** Whether it is a file of this export. */
  readonly isOwn: boolean
}

/** No call awaits anything, so that no bridge of this process works in between. */
export function openDeliveryFolder(folder: string, takenFolder: string) {
  const earlier = new Set(listWholeFiles(folder))
  const taken: DeliveredFile[] = []
  let takes = 0
  const take = (name: string) => {
    const place = join(takenFolder, String(++takes))
    mkdirSync(place, { recursive: true })
    const path = join(place, name)
    // Some readers move a file, others copy and remove it.
    if (takes % 2 !== 0) renameSync(join(folder, name), path)
    else {
      copyFileSync(join(folder, name), path)
      rmSync(join(folder, name))
    }
    if (!earlier.delete(name)) taken.push({ name, path })
  }
  return {
    /** The whole files that came since the folder was opened, wherever they are now. */
    files: (): DeliveredFile[] => [
      ...taken,
      ...listWholeFiles(folder)
        .filter((name) => !earlier.has(name))
        .map((name) => ({ name, path: join(folder, name) })),
    ],
    /** Takes every whole file away, as a consumer does. */
    takeAll: () => listWholeFiles(folder).forEach(take),
    /** How many files were taken since the folder was opened. */
    taken: () => taken.length,
  }
}

/** Several folders as one. */
export function joinFolders(folders: readonly DeliveryFolder[]): DeliveryFolder {
  return {
    files: () => folders.flatMap((folder) => folder.files()),
    takeAll: () => folders.forEach((folder) => folder.takeAll()),
    taken: () => folders.reduce((sum, folder) => sum + folder.taken(), 0),
  }
}

/** The files that a consumer would take for whole. */
function listWholeFiles(folder: string): string[] {
  try {
    const isWhole = (name: string) => !isTemporaryName(name) && statSync(join(folder, name)).isFile()
    return readdirSync(folder).filter(isWhole)
  } catch (error) {
    if (hasSystemCode(error, 'ENOENT')) return []
    throw error
  }
}

/** One character for each byte. */
export function readBytesAsText({ path }: DeliveredFile): string {
  return readFileSync(path, 'latin1')
}

// Reader: a foreign program that takes each whole file it sees.

/** When a reader takes files: never, after a crash, or after a crash and at any time while the bridge works. */
export type ReaderHabit = 'none' | 'after-crashes' | 'at-any-time'

export type Reader = ReturnType<typeof createReader>

/** The probability that the reader takes files right after a call of a part. */
const TAKE_PROBABILITY = 0.15

/** The longest pause between two takes while other processes work. */
const PAUSE_MS_MAX = 15

export function createReader(
  outlet: DeliveryFolder,
  habit: ReaderHabit,
  chance: Random,
  pause: (ms: number) => Promise<void>,
) {
  const isBusy = habit === 'at-any-time'
  const takeAfter: CallGuard = async (_name, act) => {
    const answer = await act()
    if (chance.next() < TAKE_PROBABILITY) outlet.takeAll()
    return answer
  }
  return {
    afterDeath: () => {
      if (habit !== 'none') outlet.takeAll()
    },
    /** Takes files while a bridge of this process works; undefined for a reader that does not. */
    wrap: isBusy ? guardParts(takeAfter) : undefined,
    /** Takes files until other processes have ended. */
    async untilEnded(ended: Promise<unknown>): Promise<void> {
      let isOver = false
      const over = ended.then(() => {
        isOver = true
      })
      while (isBusy && !isOver) {
        await Promise.race([over, pause(chance.between(0, PAUSE_MS_MAX))])
        outlet.takeAll()
      }
      await over
    },
    /** What the reader did, for people; empty when it took nothing. */
    formatTaken: () => {
      const taken = outlet.taken()
      return taken === 0 ? '' : `, while a reader took ${taken} ${taken === 1 ? 'file' : 'files'} away`
    },
  }
}

// Reports: each dropped file must lead to exactly one set.

export interface DroppedFile {
  readonly route: string
  readonly name: string
  /** One character for each byte. */
  readonly text: string
}

interface ReportSet {
  readonly drop: DroppedFile
  /** The lines of its result file, or of the first of several; undefined where none can be read. */
  readonly lines: readonly ResultLine[] | undefined
  /** How many reports of each kind there are, by their suffix. */
  readonly kinds: ReadonlyMap<string, number>
}

interface Report {
  readonly kind: string
  readonly file: DeliveredFile
  readonly lines: readonly ResultLine[] | undefined
}

const RESULTS_SUFFIX = '.results.csv'

const SUMMARY_SUFFIX = '.summary.json'

/** All reports among the files, each with its dropped file; `strays` are the names of reports on no dropped file. */
export async function groupReports(drops: readonly DroppedFile[], files: readonly DeliveredFile[]) {
  const found = new Map<DroppedFile, Report[]>(drops.map((drop) => [drop, []]))
  const strays: string[] = []
  for (const file of files) {
    const kind = findReportKind(file, drops)
    if (kind === undefined) continue
    const report = { kind, file, lines: kind === RESULTS_SUFFIX ? await readResults(file.path) : undefined }
    const reports = found.get(findDroppedFile(report, drops) ?? NO_FILE)
    if (reports === undefined) strays.push(file.name)
    else reports.push(report)
  }
  const sets = [...found].map(([drop, reports]): ReportSet => ({
    drop,
    lines: reports.find(({ lines }) => lines !== undefined)?.lines,
    kinds: new Map([...groupBy(reports, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length])),
  }))
  return { sets, strays }
}

const NO_FILE: DroppedFile = { route: '', name: '', text: '' }

/** Undefined for a file that is no report, such as a packing slip. */
function findReportKind({ name }: DeliveredFile, drops: readonly DroppedFile[]): string | undefined {
  const parts = drops.flatMap((drop) =>
    (['rejects', 'exceptions'] as const).map((part) => partSuffix(part, drop.name)),
  )
  return [RESULTS_SUFFIX, SUMMARY_SUFFIX, ...parts].find((kind) => name.endsWith(kind))
}

/** The drop that has most in common with the report; among drops of one name, the report's name decides nothing. */
function findDroppedFile(report: Report, drops: readonly DroppedFile[]): DroppedFile | undefined {
  const [only, ...rest] = drops
  if (rest.length === 0) return only
  const shares = drops.map((drop) => ({ drop, share: countSharedTexts(report, drop) }))
  const [most, second] = shares.toSorted((one, other) => other.share - one.share)
  return most === undefined || most.share === second?.share ? undefined : most.drop
}

function countSharedTexts({ kind, file, lines }: Report, { route, text }: DroppedFile): number {
  if (kind === SUMMARY_SUFFIX)
    return (JSON.parse(readBytesAsText(file)) as { route?: unknown }).route === route ? 1 : 0
  // In most texts with two bytes for a letter, one of them is zero.
  const plain = text.replaceAll('\0', '')
  if (kind === RESULTS_SUFFIX) {
    const cells = (lines ?? []).flatMap(({ keys }) => keys)
    return cells.filter((cell) => /^[ -~]+$/.test(cell) && plain.includes(cell)).length
  }
  const rows = readBytesAsText(file)
    .replaceAll('\0', '')
    .split(/[\r\n]+/)
  return rows.filter((row) => row !== '' && plain.includes(row)).length
}

/**
 * What is missing or too much, compared with the reports of a file without faults. A kind that does not occur there, such as
 * the rows of held records, may occur once. A result file that is missing is reported with its records.
 */
export function compareReports({ drop, kinds }: ReportSet, usual: ReadonlyMap<string, number>): Defect[] {
  return [...new Set([...usual.keys(), ...kinds.keys()])].flatMap((kind) => {
    const count = kinds.get(kind) ?? 0
    const file = `${drop.name} of ${drop.route}`
    if (count > 1) return [createDefect('twice', file, `its ${kind} was delivered ${count} times`)]
    const isMissing = count === 0 && usual.has(kind) && kind !== RESULTS_SUFFIX
    return isMissing ? [createDefect('lost', file, `it has no ${kind}`)] : []
  })
}

export interface ResultLine {
  readonly record: number
  readonly status: string
  readonly id: string
  readonly code: string
  /** The record as its file names it: its key columns, and its step where there are several. */
  readonly key: string
  /** The cells of the key columns. */
  readonly keys: readonly string[]
}

/** Undefined when the file does not exist or cannot be read as results. */
async function readResults(path: string): Promise<ResultLine[] | undefined> {
  if (!existsSync(path)) return undefined
  const reading = await createCsvFormat().read(readFileBytes(path), { format: 'csv' })
  if (isUnreadable(reading)) return undefined
  const columns = reading.layouts[0]?.columns ?? []
  const lines: ResultLine[] = []
  for await (const rows of reading.batches) {
    for (const { values } of rows) {
      const cell = (name: string) => values[columns.indexOf(name)] ?? ''
      const keys = values.slice(0, columns.indexOf('_line'))
      const [status, id, code] = [cell('_status'), cell('_id'), cell('_code')]
      lines.push({ record: Number(cell('_record')), status, id, code, key: keys.join(' '), keys })
    }
  }
  return lines
}
