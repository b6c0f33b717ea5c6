/** Creates sample files for a partner: an empty one, a good one, and a bad one with its problems. */
import { basename, dirname, extname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import iconv from 'iconv-lite'
import { type FileReading, type Format, isUnreadable, type ReadOptions, type Row } from '../domain/format.ts'
import type { Problem } from '../domain/problem.ts'
import { createEncoder } from '../formats/writer.ts'
import type { InboundMapping } from '../mapping/load.ts'
import { detectNewline } from '../formats/text/buffer.ts'
import { listMappedFields, type MappedField } from './mapped-fields.ts'
import {
  buildFileSource,
  findCell,
  readHead,
  readRecords,
  readRecordsFrom,
  readUnpackedBytes,
} from './translate-file.ts'

export interface SampleFiles {
  /** As in the example, such as `.csv`. */
  readonly extension: string
  /** The lines above the data, as in the example; empty where the file begins with data. */
  readonly head: Uint8Array
  readonly good: Uint8Array
  readonly bad: Uint8Array
  readonly problems: readonly Problem[]
  readonly delimiter: string
  readonly encoding: string
}

/** A sample is for reading: it needs no more records. */
const MAX_RECORDS = 10

/** A longer example, in characters, makes no sample files. */
const MAX_LENGTH = 5_000_000

/**
 * Makes the samples from the first example of the mapping; the good file repeats its lines. `exampleOf` returns the first cell
 * of the example under one of the names.
 */
export async function createPartnerSamples(mapping: InboundMapping, path: string, format: Format) {
  const [example] = mapping.examples
  if (example === undefined) return { exampleOf: () => '' }
  const input = resolve(dirname(path), example.input)
  const sample = await readSampleFile(input, mapping, format)
  if (sample === undefined) return { exampleOf: () => '' }
  const { reading, rows } = sample
  const exampleOf = (names: readonly string[]) =>
    rows.map((row) => findCell(row, reading.layouts, names)?.text ?? '').find((text) => text !== '') ?? ''
  // Sample files are made of lines, which interchanges do not have.
  if (mapping.translator.read.edi !== undefined) return { exampleOf }
  const files = await createSampleFiles(sample, mapping, format)
  const extension = extname(basename(input, '.gz')) || '.csv'
  return files === undefined ? { exampleOf } : { exampleOf, files: { ...files, extension } }
}

/** The rows of the sample, and the lines of each of its records. */
type SampleRead = NonNullable<Awaited<ReturnType<typeof readSampleFile>>>

async function readSampleFile(input: string, mapping: InboundMapping, format: Format) {
  const read = await readRecords(input, format, mapping)
  if ('problems' in read) return undefined
  const records: (readonly number[])[] = []
  let isWhole = true
  for await (const { draft } of read.records) {
    isWhole = records.length < MAX_RECORDS
    if (!isWhole) break
    records.push([...new Set(draft.lines.map(([line]) => line))])
  }
  const last = Math.max(0, ...records.flat())
  const reading = await format.read(readUnpackedBytes(input), mapping.translator.read)
  if (isUnreadable(reading)) return undefined
  const rows: Row[] = []
  // A totals row counts all rows, so none may be missing.
  const isWanted = ({ line }: Row) => isWhole || mapping.source.entries.has('totals') || line <= last
  for await (const batch of reading.batches) {
    rows.push(...batch.filter(isWanted))
    if (batch.some((row) => !isWanted(row))) break
  }
  return { input, reading, rows, records }
}

async function createSampleFiles(
  { input, reading, rows, records }: SampleRead,
  mapping: InboundMapping,
  format: Format,
): Promise<Omit<SampleFiles, 'extension'> | undefined> {
  const { encoding, delimiter, headerLines, layouts } = reading
  const { read } = mapping.translator
  const bytes = await readHead(input, MAX_LENGTH + 1)
  if (bytes.length > MAX_LENGTH) return undefined
  const lines = splitLines(iconv.decode(bytes, encoding), read)
  const last = Math.max(headerLines, ...rows.map(({ lastLine }) => lastLine))
  const isWhole = last >= lines.length
  const shown = isWhole ? lines : lines.slice(0, last)
  const spoils = planMistakes(mapping, { rows, records, layouts })
  const spoilt = [...shown]
  for (const [row, cells] of spoils) {
    const raw = lines.slice(row.line - 1, row.lastLine).join('')
    const line = rewriteRow(row, raw, cells, { read, delimiter, layouts })
    if (line === undefined) continue
    const end = /[\r\n]*$/.exec(raw)?.[0] ?? ''
    // As many parts as the row had lines, so that the lines below keep their numbers.
    const rest = Array.from({ length: row.lastLine - row.line }, () => '')
    spoilt.splice(row.line - 1, rest.length + 1, line + end, ...rest)
  }
  const encode = (some: readonly string[]) => encodeText(some.join(''), encoding, read)
  const bad = encode(spoilt)
  const problems = await findProblems({ bytes: bad, input }, mapping, format)
  const head = encode(lines.slice(0, headerLines))
  return { head, good: encode(shown), bad, problems, delimiter, encoding }
}

function encodeText(text: string, encoding: string, read: ReadOptions): Uint8Array {
  const { encode, needsMark } = createEncoder(encoding)
  return encode(needsMark && read.encoding === undefined && text !== '' ? `\uFEFF${text}` : text)
}

async function findProblems(
  { bytes, input }: { readonly bytes: Uint8Array; readonly input: string },
  mapping: InboundMapping,
  format: Format,
): Promise<Problem[]> {
  const from = { bytes: Readable.from([bytes]), source: buildFileSource(input) }
  const read = await readRecordsFrom(from, format, mapping)
  if ('problems' in read) return [...read.problems]
  const problems: Problem[] = []
  for await (const { draft } of read.records)
    if (draft.skipped === undefined) problems.push(...draft.problems)
  problems.push(...read.bound.listMismatches())
  return problems.toSorted((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0))
}

/** Plans typical errors: in each record one field of the record, and in each row one field of its line. */
function planMistakes(
  mapping: InboundMapping,
  { rows, records, layouts }: Pick<SampleRead, 'rows' | 'records'> & Pick<FileReading, 'layouts'>,
): ReadonlyMap<Row, readonly ReplacedCell[]> {
  const leaves = listMappedFields(mapping).filter((leaf) => chooseWrongText(leaf) !== undefined)
  const ofRecords = leaves.filter(({ perRow }) => !perRow)
  const ofRows = leaves.filter(({ perRow }) => perRow)
  const recordOf = new Map(records.flatMap((lines, number) => lines.map((line) => [line, number])))
  const mine = rows.filter(({ line }) => recordOf.has(line))
  return new Map(
    mine.flatMap((row, index): [Row, ReplacedCell[]][] => {
      const number = recordOf.get(row.line) ?? 0
      const columns = layouts[row.layout]?.columns ?? []
      const ofRow = ofRows.slice(mine.length - 1 - index).slice(0, 1)
      const chosen = [...ofRecords.slice(number, number + 1), ...ofRow]
      const cells = chosen.flatMap((leaf) => createBadCell(leaf, columns) ?? [])
      return cells.length === 0 ? [] : [[row, cells]]
    }),
  )
}

function createBadCell(leaf: MappedField, columns: readonly string[]): ReplacedCell | undefined {
  const names = leaf.branches[0]?.sources[0] ?? []
  const position = columns.findIndex((name) => names.includes(name.trim()))
  const text = chooseWrongText(leaf)
  return position === -1 || text === undefined ? undefined : { position, text }
}

/** A cell that people often get wrong, for fields with one column; undefined where none is known. */
export function chooseWrongText({ rule, required, branches, perRow }: MappedField): string | undefined {
  const [branch, other] = branches
  if (branch === undefined || other !== undefined || branch.when !== undefined) return undefined
  if (branch.sources.length !== 1) return undefined
  const { table, miss } = branch.options
  if (table !== undefined) return miss === undefined || miss === 'refuse' ? 'by owl' : undefined
  if (rule.kind === 'dateTime' || rule.kind === 'date') return 'yesterday'
  if (rule.kind === 'integer') return rule.reference === undefined ? 'two' : undefined
  if (rule.kind === 'money' || rule.kind === 'decimal') return '12.345'
  return required && perRow ? '' : undefined
}

// Physical lines, and rows in which one cell is replaced.

/** The lines of a text with their ends, as the readers count them. */
export function splitLines(text: string, { quote = '"' }: ReadOptions): string[] {
  const ends = detectNewline(text, true, quote) === '\r' ? /[^\r]*(?:\r|$)/g : /[^\n]*(?:\n|$)/g
  return (text.match(ends) ?? []).filter((line) => line !== '')
}

export interface ReplacedCell {
  readonly position: number
  readonly text: string
}

interface FileDialect extends Pick<FileReading, 'delimiter' | 'layouts'> {
  readonly read: ReadOptions
}

/** Writes the row with the new cells as one line without its end; undefined where it cannot be rewritten. */
export function rewriteRow(row: Row, raw: string, cells: readonly ReplacedCell[], file: FileDialect) {
  const { read, layouts } = file
  const layout = layouts[row.layout]
  const type = read.records?.find((each) => each.type === layout?.recordType)
  const hasParts = read.records?.some(({ of }) => of === type?.type) ?? false
  const columns = type?.columns ?? layout?.columns ?? []
  if (row.problems !== undefined || hasParts || cells.some(({ position }) => position >= columns.length)) {
    return undefined
  }
  if (read.format === 'fixed') {
    const places = type?.places ?? read.places ?? []
    return cells.reduce(
      (line, { position, text }) => {
        const { start = 1, length = 0 } = places[position] ?? {}
        const before = line.slice(0, start - 1).padEnd(start - 1)
        return before + text.slice(0, length).padEnd(length) + line.slice(start - 1 + length)
      },
      raw.replace(/[\r\n]+$/, ''),
    )
  }
  const values = row.values
    .slice(0, type === undefined ? row.values.length : columns.length)
    .map((value, at) => cells.find(({ position }) => position === at)?.text ?? value)
  const isTypeApart = type !== undefined && read.typeIn === undefined
  // Types that are read alike share a layout, so that the row may be of another one.
  if (isTypeApart && !raw.replace(/^["\s]*/, '').startsWith(type.type)) return undefined
  const all = isTypeApart ? [type.type, ...values] : values
  return all.map((value) => quoteCell(value, file)).join(file.delimiter)
}

function quoteCell(value: string, { read, delimiter }: FileDialect): string {
  const { quote = '"', escape = quote } = read
  if (quote === null || escape === null) return value
  const isPlain = ![delimiter, quote, '\r', '\n'].some((special) => value.includes(special))
  if (isPlain && value.trim() === value) return value
  const escaped = escape === quote ? value : value.replaceAll(escape, escape + escape)
  return quote + escaped.replaceAll(quote, escape + quote) + quote
}
