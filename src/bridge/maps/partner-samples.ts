/** Files that show a partner what to send: an empty one to start from, a good one, and a bad one with what is wrong. */
import { basename, dirname, extname, resolve } from 'node:path'
import iconv from 'iconv-lite'
import { isUnreadable, type Reading, type Row } from '../../domain/document.ts'
import type { Format, ReadOptions } from '../../domain/format.ts'
import type { Problem } from '../../domain/problem.ts'
import { encoderFor } from '../../formats/encoder.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { bytesOf, sourceAt } from '../translate.ts'
import { leavesOfMapping, type MappingLeaf } from './leaves.ts'
import { linesOfFile, type NewCell, rewritten } from './raw-lines.ts'
import { cellOf, readRecords, recordsFrom } from './records.ts'

export interface PartnerSamples {
  /** The text of the first cell that the examples have under one of these names. */
  readonly exampleOf: (names: readonly string[]) => string
  /** Absent where the mapping has no example that can be read. */
  readonly files?: SampleFiles
}

export interface SampleFiles {
  /** Such as `.csv`, as the example has it. */
  readonly extension: string
  /** What stands above the data, as the example has it; empty where the file begins with data. */
  readonly head: Uint8Array
  readonly good: Uint8Array
  readonly bad: Uint8Array
  /** What the bridge says of the bad one. */
  readonly problems: readonly Problem[]
  readonly delimiter: string
  readonly encoding: string
}

/** A sample is for reading: it needs no more records. */
const MAX_RECORDS = 10

/** Of an example of more characters no files are made. */
const MAX_LENGTH = 5_000_000

/** Made from the first example of the mapping, whose lines the good file repeats. */
export async function partnerSamples(
  mapping: InboundMapping,
  path: string,
  format: Format,
): Promise<PartnerSamples> {
  const [example] = mapping.examples
  if (example === undefined) return { exampleOf: () => '' }
  const input = resolve(dirname(path), example.input)
  const sample = await sampleAt(input, mapping, format)
  if (sample === undefined) return { exampleOf: () => '' }
  const { reading, rows } = sample
  const exampleOf = (names: readonly string[]) =>
    rows.map((row) => cellOf(row, reading.layouts, names)?.text ?? '').find((text) => text !== '') ?? ''
  const files = await filesOf(sample, mapping, format)
  return files === undefined
    ? { exampleOf }
    : { exampleOf, files: { ...files, extension: extname(basename(input, '.gz')) || '.csv' } }
}

interface SampleRead {
  readonly input: string
  readonly reading: Reading
  /** The rows of the file that is shown, as they are read. */
  readonly rows: readonly Row[]
  /** The lines of each of its records. */
  readonly records: readonly (readonly number[])[]
}

async function sampleAt(
  input: string,
  mapping: InboundMapping,
  format: Format,
): Promise<SampleRead | undefined> {
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
  const reading = await format.read(bytesOf(input), mapping.translator.read)
  if (isUnreadable(reading)) return undefined
  const rows: Row[] = []
  // A row of totals speaks of all rows, so that none may be missing.
  const isWanted = ({ line }: Row) => isWhole || mapping.source.entries.has('totals') || line <= last
  for await (const batch of reading.batches) {
    rows.push(...batch.filter(isWanted))
    if (batch.some((row) => !isWanted(row))) break
  }
  return { input, reading, rows, records }
}

async function filesOf(
  { input, reading, rows, records }: SampleRead,
  mapping: InboundMapping,
  format: Format,
): Promise<Omit<SampleFiles, 'extension'> | undefined> {
  const { encoding, delimiter, headerLines, layouts } = reading
  const { read } = mapping.translator
  const text = await textOf(input, encoding)
  if (text === undefined) return undefined
  const lines = linesOfFile(text, read)
  const last = Math.max(headerLines, ...rows.map(({ lastLine }) => lastLine))
  const isWhole = last >= lines.length
  const shown = isWhole ? lines : lines.slice(0, last)
  const spoils = spoilsOf(mapping, { rows, records, layouts })
  const spoilt = [...shown]
  for (const [row, cells] of spoils) {
    const raw = lines.slice(row.line - 1, row.lastLine).join('')
    const line = rewritten(row, raw, cells, { read, delimiter, layouts })
    if (line === undefined) continue
    const end = /[\r\n]*$/.exec(raw)?.[0] ?? ''
    spoilt.splice(row.line - 1, row.lastLine - row.line + 1, ...splitInto(line + end, row))
  }
  const bytes = (some: readonly string[]) => encoded(some.join(''), encoding, read)
  const bad = bytes(spoilt)
  const problems = await problemsIn({ bytes: bad, input }, mapping, format)
  const head = bytes(lines.slice(0, headerLines))
  return { head, good: bytes(shown), bad, problems, delimiter, encoding }
}

/** As many parts as the row had lines, so that the lines below keep their numbers. */
function splitInto(text: string, { line, lastLine }: Row): string[] {
  return [text, ...Array.from({ length: lastLine - line }, () => '')]
}

async function textOf(input: string, encoding: string): Promise<string | undefined> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of bytesOf(input)) {
    pieces.push(piece)
    size += piece.length
    if (size > MAX_LENGTH) return undefined
  }
  return iconv.decode(Buffer.concat(pieces), encoding)
}

function encoded(text: string, encoding: string, read: ReadOptions): Uint8Array {
  const { encode, needsMark } = encoderFor(encoding)
  return encode(needsMark && read.encoding === undefined && text !== '' ? `\uFEFF${text}` : text)
}

async function problemsIn(
  { bytes, input }: { readonly bytes: Uint8Array; readonly input: string },
  mapping: InboundMapping,
  format: Format,
): Promise<Problem[]> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(bytes)
  }
  const read = await recordsFrom({ bytes: pieces(), source: sourceAt(input) }, format, mapping)
  if ('problems' in read) return [...read.problems]
  const problems: Problem[] = []
  for await (const { draft } of read.records)
    if (draft.skipped === undefined) problems.push(...draft.problems)
  problems.push(...read.bound.disagreements())
  return problems.toSorted((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0))
}

/** What people get wrong: in each record one field of the record, and in each row one of its line. */
function spoilsOf(
  mapping: InboundMapping,
  { rows, records, layouts }: Pick<SampleRead, 'rows' | 'records'> & Pick<Reading, 'layouts'>,
): ReadonlyMap<Row, readonly NewCell[]> {
  const leaves = leavesOfMapping(mapping).filter((leaf) => mistakeIn(leaf) !== undefined)
  const ofRecords = leaves.filter(({ perRow }) => !perRow)
  const ofRows = leaves.filter(({ perRow }) => perRow)
  const recordOf = new Map(records.flatMap((lines, number) => lines.map((line) => [line, number])))
  const mine = rows.filter(({ line }) => recordOf.has(line))
  return new Map(
    mine.flatMap((row, index): [Row, NewCell[]][] => {
      const number = recordOf.get(row.line) ?? 0
      const columns = layouts[row.layout]?.columns ?? []
      const chosen = [
        ...ofRecords.slice(number, number + 1),
        ...ofRows.slice(mine.length - 1 - index).slice(0, 1),
      ]
      const cells = chosen.flatMap((leaf) => spoiltCell(leaf, columns) ?? [])
      return cells.length === 0 ? [] : [[row, cells]]
    }),
  )
}

function spoiltCell(leaf: MappingLeaf, columns: readonly string[]): NewCell | undefined {
  const names = leaf.branches[0]?.columns[0] ?? []
  const position = columns.findIndex((name) => names.includes(name.trim()))
  const text = mistakeIn(leaf)
  return position === -1 || text === undefined ? undefined : { position, text }
}

/** What people send by mistake, by the kind of field. */
function mistakeIn({ rule, required, branches, perRow }: MappingLeaf): string | undefined {
  const [branch, other] = branches
  if (branch === undefined || other !== undefined || branch.when !== undefined) return undefined
  if (branch.columns.length !== 1) return undefined
  const { table, miss } = branch.options
  if (table !== undefined) return miss === undefined || miss === 'refuse' ? 'by owl' : undefined
  if (rule.kind === 'dateTime' || rule.kind === 'date') return 'yesterday'
  if (rule.kind === 'integer') return rule.reference === undefined ? 'two' : undefined
  if (rule.kind === 'money' || rule.kind === 'decimal') return '12.345'
  return required && perRow ? '' : undefined
}
