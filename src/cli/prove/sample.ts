/** Files to prove a route with: the records of an example again and again, each time under numbers nobody had before. */
import iconv from 'iconv-lite'
import { leavesOfMapping } from '../../bridge/maps/leaves.ts'
import { linesOfFile, type NewCell, rewritten } from '../../bridge/maps/raw-lines.ts'
import { recordsFrom } from '../../bridge/maps/records.ts'
import { bytesOf } from '../../bridge/translate.ts'
import { isUnreadable, type Reading, type Row } from '../../domain/document.ts'
import type { Format } from '../../domain/format.ts'
import type { Draft } from '../../domain/translator.ts'
import { encoderFor } from '../../formats/encoder.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { keyColumns, mistakeIn, positionsOf, type Renewal, RENEWALS, renewing, type Serial } from './keys.ts'

export interface Sample {
  /** Its records have no numbers that could be others each time: the stock of items, say. */
  readonly saysTheSame: boolean
  /** A file of about so many records. */
  readonly file: (records: number) => Uint8Array
  /** What the first mapping, or a later step's, makes of a file. */
  readonly drafts: (bytes: Uint8Array, mapping: InboundMapping) => Promise<Draft[]>
}

export interface SampleParts {
  /** The mappings of the route's steps, the first one first. */
  readonly mappings: readonly [InboundMapping, ...InboundMapping[]]
  readonly path: string
  readonly format: Format
  readonly serial: Serial
}

/** Of a longer example these many records are taken. */
const RECORDS_MAX = 8
const CHARACTERS_MAX = 20_000_000

/** The sample, or why there is none. */
export async function sampleOf(parts: SampleParts): Promise<Sample | string> {
  const example = await readExample(parts)
  if (typeof example === 'string') return example
  const drafts: Sample['drafts'] = (bytes, mapping) => draftsOf(parts, bytes, mapping)
  const saysTheSame = keyColumns(parts.mappings[0]).length === 0
  for (const renewal of Object.keys(RENEWALS) as Renewal[]) {
    const writing = { ...example, parts, renewal }
    if (await isGood(writing, drafts))
      return { saysTheSame, file: (records) => written(writing, records), drafts }
  }
  return 'its records cannot be told apart once their numbers are changed; name a file with --file'
}

interface Example {
  readonly reading: Reading
  readonly lines: readonly string[]
  readonly rows: ReadonlyMap<number, Row>
  /** The first lines of the rows of each record. */
  readonly records: readonly (readonly number[])[]
}

async function readExample({ mappings: [mapping], path, format }: SampleParts): Promise<Example | string> {
  const reading = await format.read(bytesOf(path), mapping.translator.read)
  if (isUnreadable(reading)) return `${path} cannot be read: ${reading.problems[0]?.message ?? ''}`
  const rows = new Map<number, Row>()
  for await (const batch of reading.batches) for (const row of batch) rows.set(row.line, row)
  const whole = await wholeFile(path)
  if (whole === undefined) return `${path} is too large for a sample`
  const lines = linesOfFile(iconv.decode(whole, reading.encoding), mapping.translator.read)
  if (hasTotals(mapping)) return { reading, lines, rows, records: [[...rows.keys()]] }
  const drafts = await draftsOf({ path, format }, whole, mapping)
  const good = drafts.filter(({ problems, body }) => problems.length === 0 && body !== undefined)
  if (good.length === 0) return `${path} holds no record that could be sent`
  const records = good.slice(0, RECORDS_MAX).map((draft) => draft.lines.map(([first]) => first))
  return { reading, lines, rows, records: records.map((some) => [...new Set(some)]) }
}

/** A row of totals speaks of all others. */
function hasTotals({ source }: InboundMapping): boolean {
  return source.entries.has('totals')
}

/** Its records are what they are: an item that is changed keeps its number, and a row of totals its sums. */
function isOnlyOnce(mapping: InboundMapping): boolean {
  return hasTotals(mapping) || keyColumns(mapping).length === 0
}

async function wholeFile(path: string): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of bytesOf(path)) {
    pieces.push(piece)
    size += piece.length
    if (size > CHARACTERS_MAX) return undefined
  }
  return Buffer.concat(pieces)
}

async function draftsOf(
  { path, format }: Pick<SampleParts, 'path' | 'format'>,
  bytes: Uint8Array,
  mapping: InboundMapping,
): Promise<Draft[]> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(bytes)
  }
  const name = path.split(/[/\\]/).at(-1) ?? path
  const read = await recordsFrom({ bytes: pieces(), source: { file: name, folder: '' } }, format, mapping)
  if ('problems' in read) return []
  const drafts: Draft[] = []
  for await (const { draft } of read.records) drafts.push(draft)
  return read.bound.disagreements().length > 0 ? [] : drafts
}

interface Writing extends Example {
  readonly parts: SampleParts
  readonly renewal: Renewal
}

/** Two files of it must have nothing in common, and as many good records as they should. */
async function isGood(writing: Writing, drafts: Sample['drafts']): Promise<boolean> {
  const { mappings } = writing.parts
  for (const mapping of mappings) {
    const two = [written(writing, 2), written(writing, 2)]
    const made = (await Promise.all(two.map((bytes) => drafts(bytes, mapping)))).flat()
    const good = made.filter(({ problems }) => problems.length === 0)
    const wanted = keyColumns(mapping).length === 0 ? 1 : good.length
    const told = new Set(good.map(({ body, references }) => JSON.stringify([body, references])))
    if (good.length === 0 || told.size < wanted) return false
  }
  return true
}

/** The records in turn, copy after copy, with a damaged one among them. */
function written(writing: Writing, records: number): Uint8Array {
  const { reading, lines, parts } = writing
  const [mapping] = parts.mappings
  const head = lines.slice(0, reading.headerLines)
  const copies = isOnlyOnce(mapping) ? 1 : Math.max(1, Math.ceil(records / writing.records.length))
  const body = Array.from({ length: copies }, () => copyOf(writing))
  const damaged = isOnlyOnce(mapping)
    ? []
    : [copyOf({ ...writing, records: writing.records.slice(0, 1) }, true)]
  const [first = '', ...rest] = body
  return encoded([...head, first, ...damaged, ...rest].join(''), writing)
}

function copyOf(writing: Writing, isDamaged = false): string {
  const { parts, renewal, records } = writing
  const renew = renewing(renewal, parts.serial)
  const named = parts.mappings.flatMap(keyColumns)
  const blocks = records.flatMap((record) =>
    record.map((line) => lineOf(writing, line, { renew, named, isDamaged })),
  )
  return blocks.join('')
}

interface Change {
  readonly renew: (text: string) => string
  readonly named: readonly (readonly string[])[]
  readonly isDamaged: boolean
}

function lineOf(writing: Writing, line: number, { renew, named, isDamaged }: Change): string {
  const { rows, lines, reading, parts } = writing
  const [{ translator }] = parts.mappings
  const row = rows.get(line)
  if (row === undefined) return ''
  const raw = lines.slice(row.line - 1, row.lastLine).join('')
  const columns = reading.layouts[row.layout]?.columns ?? []
  const cells: NewCell[] = positionsOf(columns, named).map((position) => ({
    position,
    text: renew(row.values[position] ?? ''),
  }))
  if (isDamaged) cells.push(...spoilt(parts.mappings[0], columns))
  const file = { read: translator.read, delimiter: reading.delimiter, layouts: reading.layouts }
  const text = cells.length === 0 ? undefined : rewritten(row, raw, cells, file)
  const [end = '\n'] = /[\r\n]+$/.exec(raw) ?? []
  return (text ?? raw.replace(/[\r\n]+$/, '')) + end
}

function spoilt(mapping: InboundMapping, columns: readonly string[]): NewCell[] {
  for (const leaf of leavesOfMapping(mapping)) {
    const text = mistakeIn(leaf)
    const [position] = text === undefined ? [] : positionsOf(columns, leaf.branches[0]?.columns ?? [])
    if (text !== undefined && position !== undefined) return [{ position, text }]
  }
  return []
}

function encoded(text: string, { reading: { encoding }, parts }: Writing): Uint8Array {
  const { encode, needsMark } = encoderFor(encoding)
  const [{ translator }] = parts.mappings
  const isMarked = text.startsWith('\uFEFF')
  return encode(needsMark && translator.read.encoding === undefined && !isMarked ? `\uFEFF${text}` : text)
}
