/** Generates files to prove a route with: copies of the records of an example, each with new key values. */
import { Readable } from 'node:stream'
import { repeatable } from '../support/async.ts'
import iconv from 'iconv-lite'
import { type FileReading, isUnreadable, type Row } from '../domain/format.ts'
import type { Draft } from '../domain/translator.ts'
import { createEncoder } from '../formats/writer.ts'
import { listMappedFields } from '../mapping-tools/mapped-fields.ts'
import {
  chooseWrongText,
  type ReplacedCell,
  rewriteRow,
  splitLines,
} from '../mapping-tools/partner-samples.ts'
import { readHead, readRecordsFrom, readUnpackedBytes } from '../mapping-tools/translate-file.ts'
import type { InboundMapping } from '../mapping/load.ts'
import { foldColumnName } from '../mapping/rows/columns.ts'
import {
  createDocumentWriter,
  createRenumberer,
  findKeyColumns,
  type Renumbering,
  RENUMBERINGS,
  type Sample,
  type SampleOptions,
  type SampleWriter,
} from './document-sample.ts'
/** Only this many records of a longer example are used. */
const RECORDS_MAX = 8

const CHARACTERS_MAX = 20_000_000

/** The sample, or why there is none. */
export async function createSample(parts: SampleOptions): Promise<Sample | string> {
  const [first] = parts.mappings
  const drafts: Sample['drafts'] = (bytes, mapping) => translateDrafts(parts, bytes, mapping)
  const write = await (first.translator.read.edi === undefined
    ? createRowWriter(parts)
    : createDocumentWriter(parts, drafts))
  if (typeof write === 'string') return write
  const hasFixedRecords = findKeyColumns(first).length === 0
  for (const renewal of Object.keys(RENUMBERINGS) as Renumbering[]) {
    if (await isUsableSample(parts.mappings, () => write(2, renewal), drafts))
      return { hasFixedRecords, file: (records) => write(records, renewal), drafts }
  }
  return 'its records cannot be distinguished once their numbers are changed; name a file with --file'
}

async function createRowWriter(parts: SampleOptions): Promise<SampleWriter | string> {
  const example = await readExample(parts)
  if (typeof example === 'string') return example
  const named = parts.mappings.flatMap(findKeyColumns)
  return (records, renewal) => writeSample({ ...example, parts, named, renewal }, records)
}

interface ExampleFile {
  readonly reading: FileReading
  readonly lines: readonly string[]
  readonly rows: ReadonlyMap<number, Row>
  /** The first lines of the rows of each record. */
  readonly records: readonly (readonly number[])[]
}

async function readExample({ mappings: [mapping], path, format }: SampleOptions) {
  const reading = await format.read(readUnpackedBytes(path), mapping.translator.read)
  if (isUnreadable(reading)) return `${path} cannot be read: ${reading.problems[0]?.message ?? ''}`
  const rows = new Map<number, Row>()
  for await (const batch of reading.batches) for (const row of batch) rows.set(row.line, row)
  const whole = await readHead(path, CHARACTERS_MAX + 1)
  if (whole.length > CHARACTERS_MAX) return `${path} is too large for a sample`
  const lines = splitLines(iconv.decode(whole, reading.encoding), mapping.translator.read)
  const read: ExampleFile = { reading, lines, rows, records: [[...rows.keys()]] }
  if (hasTotals(mapping)) return read
  const drafts = await translateDrafts({ path, format }, whole, mapping)
  const good = drafts.filter(({ problems, body }) => problems.length === 0 && body !== undefined)
  if (good.length === 0) return `${path} holds no record that could be sent`
  const records = good.slice(0, RECORDS_MAX).map((draft) => draft.lines.map(([first]) => first))
  return { ...read, records: records.map((some) => [...new Set(some)]) }
}

/** A row of totals depends on all other rows. */
function hasTotals({ source }: InboundMapping): boolean {
  return source.entries.has('totals')
}

async function translateDrafts(
  { path, format }: Pick<SampleOptions, 'path' | 'format'>,
  bytes: Uint8Array,
  mapping: InboundMapping,
): Promise<Draft[]> {
  const name = path.split(/[/\\]/).at(-1) ?? path
  const from = { bytes: repeatable(() => Readable.from([bytes])), source: { file: name, folder: '' } }
  const read = await readRecordsFrom(from, format, mapping)
  if ('problems' in read) return []
  const drafts: Draft[] = []
  for await (const { draft } of read.records) drafts.push(draft)
  return read.bound.listMismatches().length > 0 ? [] : drafts
}

interface SampleWriting extends ExampleFile {
  readonly parts: SampleOptions
  /** The columns whose cells must differ in each copy of a record. */
  readonly named: readonly (readonly string[])[]
  readonly renewal: Renumbering
}

/** Whether two files have nothing in common, and as many good records as they should. */
async function isUsableSample(
  mappings: SampleOptions['mappings'],
  write: () => Uint8Array,
  drafts: Sample['drafts'],
): Promise<boolean> {
  for (const mapping of mappings) {
    const two = [write(), write()]
    const made = (await Promise.all(two.map((bytes) => drafts(bytes, mapping)))).flat()
    const good = made.filter(({ problems }) => problems.length === 0)
    const wanted = findKeyColumns(mapping).length === 0 ? 1 : good.length
    const distinct = new Set(good.map(({ body, references }) => JSON.stringify([body, references])))
    if (good.length === 0 || distinct.size < wanted) return false
  }
  return true
}

/** Writes the records one after the other, copy after copy, with a damaged one among them. */
function writeSample(writing: SampleWriting, records: number): Uint8Array {
  const { reading, lines, parts } = writing
  const [mapping] = parts.mappings
  const head = lines.slice(0, reading.headerLines)
  // Such records cannot be copied: an item that is changed keeps its number, and a row of totals its sums.
  const isSingle = hasTotals(mapping) || findKeyColumns(mapping).length === 0
  const copies = isSingle ? 1 : Math.max(1, Math.ceil(records / writing.records.length))
  const [first = '', ...rest] = Array.from({ length: copies }, () => copyRecords(writing))
  const damaged = isSingle ? '' : copyRecords({ ...writing, records: writing.records.slice(0, 1) }, true)
  return encodeSample([...head, first, damaged, ...rest].join(''), writing)
}

function copyRecords(writing: SampleWriting, isDamaged = false): string {
  const renew = createRenumberer(writing.renewal, writing.parts.serial)
  const rows = writing.records.flat().flatMap((line) => writing.rows.get(line) ?? [])
  return rows.map((row) => copyRow(writing, row, renew, isDamaged)).join('')
}

function copyRow(
  { lines, reading, parts, named }: SampleWriting,
  row: Row,
  renew: (text: string) => string,
  isDamaged: boolean,
): string {
  const [mapping] = parts.mappings
  const raw = lines.slice(row.line - 1, row.lastLine).join('')
  const columns = reading.layouts[row.layout]?.columns ?? []
  const cells = findPositions(columns, named).map((position) => ({
    position,
    text: renew(row.values[position] ?? ''),
  }))
  if (isDamaged) cells.push(...createInvalidCells(mapping, columns))
  const { delimiter, layouts } = reading
  const file = { read: mapping.translator.read, delimiter, layouts }
  const text = cells.length === 0 ? undefined : rewriteRow(row, raw, cells, file)
  const [end = '\n'] = /[\r\n]+$/.exec(raw) ?? []
  return (text ?? raw.replace(/[\r\n]+$/, '')) + end
}

function createInvalidCells(mapping: InboundMapping, columns: readonly string[]): ReplacedCell[] {
  for (const leaf of listMappedFields(mapping)) {
    const [branch] = leaf.branches
    const text = branch?.options['table'] === undefined ? chooseWrongText(leaf) : undefined
    const [position] = findPositions(columns, branch?.sources ?? [])
    if (text !== undefined && text !== '' && position !== undefined) return [{ position, text }]
  }
  return []
}

function encodeSample(text: string, { reading: { encoding }, parts }: SampleWriting): Uint8Array {
  const { encode, needsMark } = createEncoder(encoding)
  const [{ translator }] = parts.mappings
  const isMarked = text.startsWith('\uFEFF')
  return encode(needsMark && translator.read.encoding === undefined && !isMarked ? `\uFEFF${text}` : text)
}

/** The positions of the columns; leaves missing ones out. */
function findPositions(columns: readonly string[], named: readonly (readonly string[])[]): number[] {
  const folded = columns.map(foldColumnName)
  const found = named.flatMap((names) => {
    const wanted = new Set(names.map(foldColumnName))
    const at = folded.findIndex((name) => wanted.has(name))
    return at === -1 ? [] : [at]
  })
  return [...new Set(found)]
}
