/** The sample a mapping is learned from: how it is written, its columns, and its cells. */
import { isUnreadable, type Reading, type Row, type Unreadable } from '../../../domain/document.ts'
import type { Format, ReadOptions } from '../../../domain/format.ts'
import { type Problem, problem } from '../../../domain/problem.ts'
import { cleaned } from '../../../mapping/values/text.ts'
import { bytesOf } from '../../translate.ts'
import { type ClosingRow, closingRow } from './closing-row.ts'
import { type Top, topOf } from './headings.ts'

export interface Sample {
  readonly columns: readonly string[]
  /** Cells without outer blanks, row by row. */
  readonly rows: readonly (readonly string[])[]
  readonly hasHeader: boolean
  readonly encoding: string
  readonly delimiter: string
  /** What the mapping has to say because it cannot be found out. */
  readonly told: Pick<ReadOptions, 'encoding' | 'quote' | 'delimiter' | 'skip' | 'ignore'>
  /** Rows that cannot be read. */
  readonly damaged: number
  /** A row at the end that speaks of the whole file; it is none of the rows. */
  readonly closing: ClosingRow | undefined
  /** Where rows held several lines in numbered columns: their names, with `{n}` for the number, and how many there are. */
  readonly numbered?: { readonly names: readonly string[]; readonly count: number }
}

/** Nothing more is learned from more rows. */
const MAX_ROWS = 20_000

/** How much is looked at to find out the encoding. */
const HEAD = 1024 * 1024

/** Reads the beginning of the file; the problems of one that cannot be read as a whole. */
export async function readSample(
  path: string,
  format: Format,
): Promise<{ readonly sample: Sample } | { readonly problems: readonly Problem[] }> {
  const head = await headOf(path)
  const encoding = isUtf(head) ? undefined : 'windows-1252'
  const top = topOf(new TextDecoder(encoding ?? 'utf-8').decode(head))
  const types = recordTypes(top.rows)
  if (types.length > 0) return { problems: [typedRecords(types)] }
  const { headings, hasPreamble } = top
  const hasHeader = headings !== undefined
  const columns = hasHeader ? undefined : top.rows[0]?.map((_, index) => `Column ${index + 1}`)
  const expectColumns = hasPreamble ? headings : undefined
  const told: Sample['told'] = {
    ...(encoding === undefined ? {} : { encoding }),
    ...(hasPreamble ? { skip: 'header' } : {}),
    ...(top.comments === undefined ? {} : { ignore: [{ startsWith: top.comments }] }),
  }
  const read = async (options: Sample['told']): Promise<Attempt> => {
    const expected = expectColumns === undefined ? {} : { expectColumns }
    return { told: options, rows: await readRows(path, format, { ...options, columns, ...expected }) }
  }
  let best = await read(told)
  for (const refine of [tellDelimiter(top), ignoreHeadings, leaveQuotes]) {
    const better = 'problems' in best.rows ? undefined : refine(best.rows)
    const other = better && (await read(together(best.told, better)))
    const isTaken = refine === leaveQuotes ? isLess : isAsGood
    if (other !== undefined && isTaken(damaged(other), damaged(best))) best = other
  }
  return 'problems' in best.rows ? best.rows : sampleOf(best.rows, hasHeader, best.told)
}

function together(told: Sample['told'], more: Sample['told']): Sample['told'] {
  const ignore = [...(told.ignore ?? []), ...(more.ignore ?? [])]
  return { ...told, ...more, ...(ignore.length === 0 ? {} : { ignore }) }
}

/** Quotes become data only where that mends something. */
const isLess = (damage: number, before: number) => damage < before
const isAsGood = (damage: number, before: number) => damage <= before

interface Attempt {
  readonly told: Sample['told']
  readonly rows: RowsRead | Unreadable
}

function damaged({ rows }: Attempt): number {
  return 'problems' in rows ? Number.POSITIVE_INFINITY : damagedOf(rows.rows)
}

/** What the mapping should say as well, going by how the file was read without it. */
type Refine = (read: RowsRead) => Sample['told'] | undefined

/** Lines above the headings, and data without any, may hold more of something else than of what stands between the cells. */
function tellDelimiter({ delimiter, headings, hasPreamble }: Top): Refine {
  const isUnsure = hasPreamble || headings === undefined
  return ({ reading }) => (isUnsure && reading.delimiter !== delimiter ? { delimiter } : undefined)
}

/** Several files that were put together into one. */
function ignoreHeadings({ reading, rows }: RowsRead): Sample['told'] | undefined {
  const headings = (reading.layouts[0]?.columns ?? []).map(cleaned).join('\n')
  const isAgain = rows.some(({ values }) => values.map(cleaned).join('\n') === headings)
  return isAgain ? { ignore: [{ header: 'repeated' }] } : undefined
}

/** Files without quoting hold quotes that are data, such as 12" for inches. */
function leaveQuotes({ rows }: RowsRead): Sample['told'] | undefined {
  const isBroken = rows.some(({ problems = [] }) => problems.some(({ code }) => code === 'quote-not-closed'))
  return isBroken ? { quote: null } : undefined
}

interface RowsRead {
  readonly reading: Reading
  readonly rows: readonly Row[]
}

async function readRows(
  path: string,
  format: Format,
  options: Omit<ReadOptions, 'format'>,
): Promise<RowsRead | Unreadable> {
  const reading = await format.read(bytesOf(path), { format: 'csv', ...options })
  if (isUnreadable(reading)) return reading
  const rows: Row[] = []
  for await (const batch of reading.batches) {
    rows.push(...batch)
    if (rows.length >= MAX_ROWS) break
  }
  return { reading, rows: rows.slice(0, MAX_ROWS) }
}

function sampleOf(
  { reading, rows }: RowsRead,
  hasHeader: boolean,
  told: Sample['told'],
): { readonly sample: Sample } | { readonly problems: readonly Problem[] } {
  const columns = reading.layouts[0]?.columns ?? []
  const usable = rows
    .filter(({ problems }) => problems === undefined)
    .map(({ values }) => values.map(cleaned))
  if (usable.length === 0) {
    const hint = 'Give a sample whose first line names the columns, with some rows under it.'
    const none = problem('file-empty', {}, 'The file has no rows under its first line.', hint)
    const message = `None of the ${rows.length} rows under the first line has as many cells as it.`
    return { problems: [rows.length === 0 ? none : problem('row-short', {}, message, hint)] }
  }
  const { encoding, delimiter } = reading
  const closing = closingRow(usable, columns)
  const data = closing === undefined ? usable : usable.slice(0, -1)
  const read = { encoding, delimiter, told, damaged: damagedOf(rows), closing }
  return { sample: { columns, rows: data, hasHeader, ...read } }
}

/** The types of rows whose first cell names their type: few, some of them repeated, each with its own number of cells. */
function recordTypes(rows: readonly (readonly string[])[]): string[] {
  const widths = new Map<string, Set<number>>()
  for (const row of rows) {
    const [type = ''] = row
    widths.set(type, (widths.get(type) ?? new Set()).add(row.length))
  }
  const types = [...widths.keys()]
  const isTyped =
    types.length > 1 &&
    types.length <= 5 &&
    types.length < rows.length &&
    types.every((type) => /^[A-Z][A-Z0-9]{0,7}$/.test(type) && widths.get(type)?.size === 1) &&
    new Set([...widths.values()].map(([width]) => width)).size > 1
  return isTyped ? types : []
}

function typedRecords(types: readonly string[]): Problem {
  const message = `The first cell of each row names its type: ${types.join(', ')}. What stands in the cells behind it, only people know.`
  const hint =
    'Start from mappings/dropstream-orders.yaml, and name the cells of each type under `read: { records: … }`.'
  return problem('header-missing', {}, message, hint)
}

function damagedOf(rows: readonly Row[]): number {
  return rows.filter(({ problems }) => problems !== undefined).length
}

async function headOf(path: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of bytesOf(path)) {
    pieces.push(piece)
    size += piece.length
    if (size >= HEAD) break
  }
  return Buffer.concat(pieces)
}

/** UTF-16 is found out by the reader; what else is not UTF-8 is nearly always what Windows writes. */
function isUtf(head: Buffer): boolean {
  if (head.includes(0)) return true
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}
