/** Reads the sample that a mapping is learned from: its dialect, its columns and its cells. */
import type { CellPlace, FileReading, Format, ReadOptions, Row, UnreadableFile } from '../../domain/format.ts'
import { isUnreadable } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { cleanText } from '../../mapping/values/text.ts'
import { readHead, readUnpackedBytes } from '../translate-file.ts'
import { type ClosingRow, findClosingRow } from './sample-ends.ts'
import { findFixedLayout, type FixedLayout } from './fixed-width.ts'
import { findTypeColumn, findTypedRows, type TypedColumn, type TypedRows } from './record-kinds.ts'
import { readTop, type SampleTop } from './sample-ends.ts'

export interface Sample {
  readonly columns: readonly string[]
  /** Cells without outer blanks, row by row. */
  readonly rows: readonly (readonly string[])[]
  readonly hasHeader: boolean
  readonly encoding: string
  readonly delimiter: string
  /** Options that the mapping must state, because the reader does not detect them. */
  readonly statedOptions: Pick<
    ReadOptions,
    'encoding' | 'quote' | 'delimiter' | 'skip' | 'ignore' | 'rows' | 'header' | 'repeated'
  >
  /** Rows that cannot be read. */
  readonly damaged: number
  /** Which rows these are, and why the first of them; absent without one. */
  readonly unread?: string
  /** A last row that describes the whole file; it is not among the rows. */
  readonly closing: ClosingRow | undefined
  /** The titles of groups of columns above their names, one for each column; blank without one. */
  readonly groups?: readonly string[] | undefined
  /** The types of a file whose rows name their type, and the columns of each. */
  readonly typed?: TypedRows & { readonly columns: readonly TypedColumn[] }
  /** The places of the columns in a file of fixed width. */
  readonly places?: readonly CellPlace[]
  /** The names of numbered columns, with `{n}` for the number, and how many numbers there are. */
  readonly numbered?: { readonly names: readonly string[]; readonly count: number }
}

/** More rows would teach nothing more. */
const MAX_ROWS = 20_000

/** How much is read to detect the encoding. */
const HEAD_BYTES = 1024 * 1024

/** Reads the beginning of the file; returns problems when the file as a whole is unreadable. */
export async function readSample(
  path: string,
  format: Format,
): Promise<{ readonly sample: Sample } | { readonly problems: readonly Problem[] }> {
  const head = await readHead(path, HEAD_BYTES)
  const encoding = isUnicode(head) ? undefined : 'windows-1252'
  const top = readTop(new TextDecoder(encoding ?? 'utf-8').decode(head))
  const typed = findTypedRows(top.rows)
  if (typed !== undefined) return readTypedSample(path, format, { typed, delimiter: top.delimiter, encoding })
  if (top.lines !== undefined) {
    const fixed = findFixedLayout(top.lines)
    if (fixed !== undefined && 'problem' in fixed) return { problems: [fixed.problem] }
    if (fixed !== undefined) return readFixedSample(path, format, fixed, encoding)
  }
  const { headings, hasPreamble } = top
  const hasHeader = headings !== undefined
  const cells = top.hasBlankEnds ? top.rows[0]?.slice(0, -1) : top.rows[0]
  const columns = hasHeader ? undefined : cells?.map((_, index) => `Column ${index + 1}`)
  const expectColumns = hasPreamble ? headings : undefined
  const statedOptions: Sample['statedOptions'] = {
    ...(encoding === undefined ? {} : { encoding }),
    ...(hasPreamble ? { skip: 'header' } : {}),
    ...(top.hasBlankEnds ? { rows: { long: 'cut' } } : {}),
    ...(top.explainingLines === 0 ? {} : { header: { lines: 1 + top.explainingLines, names: 1 } }),
    ...(headings !== undefined && hasRepeated(headings) ? { repeated: 'allowed' } : {}),
    ...(top.comments === undefined ? {} : { ignore: [{ startsWith: top.comments }] }),
  }
  const read = async (options: Sample['statedOptions']): Promise<Attempt> => {
    const expected = expectColumns === undefined ? {} : { expectColumns }
    return {
      statedOptions: options,
      rows: await readRows(path, format, { ...options, columns, ...expected }),
    }
  }
  let best = await read(statedOptions)
  for (const refine of [refineDelimiter(top), refineRepeatedHeadings, refineQuotes]) {
    const better = 'problems' in best.rows ? undefined : refine(best.rows)
    const other = better && (await read(mergeOptions(best.statedOptions, better)))
    const isTaken = refine === refineQuotes ? isBetter : isAsGood
    if (other !== undefined && isTaken(countDamagedRows(other), countDamagedRows(best))) best = other
  }
  if ('problems' in best.rows) return best.rows
  const built = buildSample(best.rows, hasHeader, best.statedOptions)
  if ('problems' in built) return built
  const { sample } = built
  const typeColumn = hasHeader ? findTypeColumn(sample.columns, sample.rows) : undefined
  return { sample: { ...sample, groups: top.groups, ...(typeColumn && { typed: typeColumn }) } }
}

/** Whether two columns have the same name; blank ones are no names. */
function hasRepeated(headings: readonly string[]): boolean {
  const names = headings.map((name) => name.trim()).filter((name) => name !== '')
  return new Set(names).size < names.length
}

/** Reads a file of fixed width by the places that its blanks show. */
async function readFixedSample(
  path: string,
  format: Format,
  { names, places, hasHeader, isEven }: FixedLayout,
  encoding: string | undefined,
) {
  const statedOptions: Sample['statedOptions'] = {
    ...(encoding === undefined ? {} : { encoding }),
    ...(hasHeader ? { skip: 1 } : {}),
    ...(isEven ? {} : { rows: { short: 'pad' } }),
  }
  const read = await readRows(path, format, { ...statedOptions, format: 'fixed', columns: names, places })
  if ('problems' in read) return read
  const built = buildSample(read, hasHeader, statedOptions)
  return 'problems' in built ? built : { sample: { ...built.sample, places } }
}

/** Reads typed rows: the columns of each type, one type behind the other. */
async function readTypedSample(
  path: string,
  format: Format,
  file: { readonly typed: TypedRows; readonly delimiter: string; readonly encoding: string | undefined },
): Promise<{ readonly sample: Sample } | { readonly problems: readonly Problem[] }> {
  const { typed, delimiter } = file
  const encoding = file.encoding === undefined ? {} : { encoding: file.encoding }
  const records = typed.kinds.map(({ type, as, width }) => ({
    type,
    ignored: as === 'ignore',
    ...(typed.hasHeadings ? {} : { columns: Array.from({ length: width }, (_, at) => `${type} ${at + 2}`) }),
  }))
  const read = await readRows(path, format, { ...encoding, delimiter, records })
  if ('problems' in read) return read
  const { layouts } = read.reading
  const columns = layouts.flatMap(({ recordType, columns: names }, layout): TypedColumn[] => {
    const kind = typed.kinds.find(({ type }) => type === recordType)
    if (kind === undefined || kind.as === 'ignore') return []
    const own = read.rows.filter((row) => row.layout === layout && row.problems === undefined)
    const level = kind.as === 'detail' ? 'line' : 'record'
    return names.map((name, at) => ({
      name,
      level,
      cells: own.map(({ values }) => cleanText(values[at] ?? '')),
    }))
  })
  return {
    sample: {
      columns: columns.map(({ name }) => name),
      rows: read.rows.map(({ values }) => values),
      hasHeader: typed.hasHeadings,
      encoding: read.reading.encoding,
      delimiter,
      statedOptions: delimiter === ',' ? encoding : { ...encoding, delimiter },
      damaged: countDamaged(read.rows),
      ...describeUnread(read.rows, delimiter),
      closing: undefined,
      typed: { ...typed, columns },
    },
  }
}

function mergeOptions(
  stated: Sample['statedOptions'],
  more: Sample['statedOptions'],
): Sample['statedOptions'] {
  const ignore = [...(stated.ignore ?? []), ...(more.ignore ?? [])]
  return { ...stated, ...more, ...(ignore.length === 0 ? {} : { ignore }) }
}

/** Treats quotes as data only where that reduces the damage. */
const isBetter = (damage: number, before: number) => damage < before

const isAsGood = (damage: number, before: number) => damage <= before

interface Attempt {
  readonly statedOptions: Sample['statedOptions']
  readonly rows: RowsRead | UnreadableFile
}

function countDamagedRows({ rows }: Attempt): number {
  return 'problems' in rows ? Number.POSITIVE_INFINITY : countDamaged(rows.rows)
}

/** Derives further options from how the file was read without them. */
type RefineOptions = (read: RowsRead) => Sample['statedOptions'] | undefined

/** States the delimiter for a preamble or missing headings: another character may be more frequent there. */
function refineDelimiter({ delimiter, headings, hasPreamble }: SampleTop): RefineOptions {
  const isUnsure = hasPreamble || headings === undefined
  return ({ reading }) => (isUnsure && reading.delimiter !== delimiter ? { delimiter } : undefined)
}

/** Ignores repeated headings: several files were put together into one. */
function refineRepeatedHeadings({ reading, rows }: RowsRead): Sample['statedOptions'] | undefined {
  const headings = (reading.layouts[0]?.columns ?? []).map(cleanText).join('\n')
  const isAgain = rows.some(({ values }) => values.map(cleanText).join('\n') === headings)
  return isAgain ? { ignore: [{ header: 'repeated' }] } : undefined
}

/** Treats quotes as data in files without quoting, such as 12" for inches. */
function refineQuotes({ rows }: RowsRead): Sample['statedOptions'] | undefined {
  const isBroken = rows.some(({ problems = [] }) => problems.some(({ code }) => code === 'quote-not-closed'))
  return isBroken ? { quote: null } : undefined
}

interface RowsRead {
  readonly reading: FileReading
  readonly rows: readonly Row[]
}

async function readRows(path: string, format: Format, options: Partial<ReadOptions>) {
  const reading = await format.read(readUnpackedBytes(path), { format: 'csv', ...options })
  if (isUnreadable(reading)) return reading
  const rows: Row[] = []
  for await (const batch of reading.batches) {
    rows.push(...batch)
    if (rows.length >= MAX_ROWS) break
  }
  return { reading, rows: rows.slice(0, MAX_ROWS) }
}

function buildSample(
  { reading, rows }: RowsRead,
  hasHeader: boolean,
  statedOptions: Sample['statedOptions'],
): { readonly sample: Sample } | { readonly problems: readonly Problem[] } {
  const columns = reading.layouts[0]?.columns ?? []
  const usable = rows.flatMap((row) => (row.problems === undefined ? [row.values.map(cleanText)] : []))
  if (usable.length === 0) {
    const fix = 'Give a sample whose first line names the columns, with some rows under it.'
    const none = problem('file-empty', {}, 'The file has no rows under its first line.', fix)
    return { problems: [rows.length === 0 ? none : describeUnusableRows(rows, reading.delimiter, fix)] }
  }
  const { encoding, delimiter } = reading
  const closing = findClosingRow(usable, columns)
  const data = closing === undefined ? usable : usable.slice(0, -1)
  const read = {
    encoding,
    delimiter,
    statedOptions,
    damaged: countDamaged(rows),
    closing,
    ...describeUnread(rows, delimiter),
  }
  return { sample: { columns, rows: data, hasHeader, ...read } }
}

/** Says why none of the rows can be read, as a run says it of the first one. */
function describeUnusableRows(rows: readonly Row[], delimiter: string, fix: string): Problem {
  const problems = rows.flatMap((row) => row.problems ?? [])
  const long = problems.find(({ code }) => code === 'row-long')
  if (long !== undefined && problems.every(({ code }) => code === 'row-long'))
    return suggestDecimalComma(long, rows, delimiter)
  const message = `None of the ${rows.length} rows under the first line has as many cells as it.`
  return problem('row-short', {}, message, fix)
}

function suggestDecimalComma(long: Problem, rows: readonly Row[], delimiter: string): Problem {
  const isComma = delimiter === ',' && rows.some(({ values }) => hasSplitAmount(values))
  const fix = 'Decimal commas without quotes? Have these cells quoted, or the file written with semicolons.'
  return isComma ? { ...long, fix } : long
}

/** How many rows that cannot be read are named by their lines. */
const UNREAD_SHOWN = 5

/** `lines 3 and 5; line 3: The row has …`: the rows that cannot be read, and why the first of them. */
function describeUnread(rows: readonly Row[], delimiter: string): Pick<Sample, 'unread'> {
  const unread = rows.filter(({ problems = [] }) => problems.length > 0)
  const [row] = unread
  const [first] = row?.problems ?? []
  if (row === undefined || first === undefined) return {}
  const { message, fix } =
    first.code === 'row-long'
      ? suggestDecimalComma(
          first,
          unread.filter(({ problems = [] }) => problems.some((each) => each.code === 'row-long')),
          delimiter,
        )
      : first
  const lines = unread.slice(0, UNREAD_SHOWN).map(({ line }) => line)
  const more = unread.length > UNREAD_SHOWN ? ` and ${unread.length - UNREAD_SHOWN} more` : ''
  const which = `${unread.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}`
  return { unread: `${which}; line ${row.line}: ${message} ${fix}` }
}

/** Whether two cells beside each other may be one amount, such as 11 and 24. */
function hasSplitAmount(cells: readonly string[]): boolean {
  return cells.some((cell, at) => /^\d{1,2}$/.test(cell) && /^-?\d+$/.test(cells[at - 1] ?? ''))
}

function countDamaged(rows: readonly Row[]): number {
  return rows.filter(({ problems }) => problems !== undefined).length
}

/** Whether the text is Unicode. The reader detects UTF-16; other text is nearly always Windows-1252. */
function isUnicode(head: Buffer): boolean {
  if (head.includes(0)) return true
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}
