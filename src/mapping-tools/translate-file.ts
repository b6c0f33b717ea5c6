/** Translates a file without sending anything: in batches, or record by record with an explanation of every field. */
import { repeatable } from '../support/async.ts'
import { basename, dirname, resolve } from 'node:path'
import {
  type FileReading,
  type Format,
  isUnreadable,
  type Layout,
  type Row,
  type UnreadableFile,
} from '../domain/format.ts'
import type { Problem } from '../domain/problem.ts'
import type { BoundTranslator, Draft, FileSource, Translator } from '../domain/translator.ts'
import type { ExplainedField } from '../mapping/binding/explained.ts'
import { toExampleBody } from '../mapping/examples.ts'
import type { InboundMapping } from '../mapping/load.ts'
import { foldColumnName } from '../mapping/rows/columns.ts'
import { cleanText } from '../mapping/values/text.ts'
import { BridgeError, hasSystemCode } from '../support/errors.ts'
import { readFileBytes } from '../support/files.ts'
import { DamagedGzip, gunzipIfNeeded } from '../support/gunzip.ts'

/**
 * Reads and maps a file in bounded memory, batch by batch; `unusable` when the whole file cannot be read. Throws only when
 * the file cannot be opened.
 */
export async function translateFile(path: string, format: Pick<Format, 'read'>, translator: Translator) {
  const reading = await format.read(readUnpackedBytes(path), translator.read)
  if (isUnreadable(reading)) return { unusable: reading.problems }
  const bound = translator.bind(reading.layouts, buildFileSource(path))
  if (!('keyColumns' in bound)) {
    await reading.close()
    return { unusable: bound }
  }
  return {
    drafts: readDrafts(reading, bound),
    bound,
    /** Columns that are only in the mapping, or only in the file. */
    columns: { absent: bound.absentColumns, unused: bound.unusedColumns },
    /** How many lines the mapping's ignore rules have left out so far. */
    ignored: () => reading.countIgnoredLines(),
    /** Lists mismatches of control totals, after all drafts were read. */
    groupsByKeys: bound.groupsByKeys,
    listMismatches: () => bound.listMismatches(),
    getOpenLine: () => reading.getOpenLine(),
  }
}

/** Builds the facts that a mapping may use besides the rows. */
export function buildFileSource(path: string): FileSource {
  return { file: basename(path), folder: basename(dirname(resolve(path))) }
}

async function* readDrafts(reading: FileReading, bound: BoundTranslator): AsyncGenerator<readonly Draft[]> {
  for await (const rows of reading.batches) yield bound.translateRows(rows)
  yield bound.finish()
}

/** The bytes of a file, unpacked. Each iteration begins at its start. */
export function readUnpackedBytes(path: string): AsyncIterable<Uint8Array> {
  return repeatable(() => unpackOnce(path))
}

async function* unpackOnce(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* gunzipIfNeeded(readFileBytes(path))
  } catch (error) {
    const isDamaged = error instanceof DamagedGzip
    if (!isDamaged && !hasSystemCode(error, 'ENOENT', 'EISDIR', 'EACCES')) throw error
    const isFolder = hasSystemCode(error, 'EISDIR')
    const missing = isFolder
      ? `${path} is a folder, and not a file`
      : `there is no file ${path} that can be read`
    const message = isDamaged ? `${path} is packed with gzip, and ${error.message}` : missing
    const fix = isDamaged
      ? 'Have the file sent again.'
      : isFolder
        ? 'Name a file in it.'
        : 'Correct the path of the file.'
    throw new BridgeError('usage-wrong', message, { cause: error, fix })
  }
}

/** Reads the beginning of a file, up to about `size` bytes. */
export async function readHead(path: string, size: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let read = 0
  for await (const piece of readUnpackedBytes(path)) {
    pieces.push(piece)
    read += piece.length
    if (read >= size) break
  }
  return Buffer.concat(pieces)
}

/** Whether the last line of the file has no line end, where other lines have one. Zeros are halves of UTF-16. */
export async function hasOpenLastLine(path: string): Promise<boolean> {
  let hasLineEnd = false
  let last: number | undefined
  for await (const bytes of readUnpackedBytes(path)) {
    hasLineEnd ||= bytes.includes(LINE_FEED) || bytes.includes(CARRIAGE_RETURN)
    last = bytes.findLast((byte) => byte !== 0 && byte !== CTRL_Z) ?? last
  }
  return hasLineEnd && last !== LINE_FEED && last !== CARRIAGE_RETURN
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const CTRL_Z = 0x1a

export interface ExplainedRecord {
  readonly draft: Draft
  /** One for each line where several are packed into one. */
  readonly rows: readonly Row[]
  /** The explanations of its fields; empty for records without a request for them. */
  readonly fields: readonly ExplainedField[]
}

export interface TranslatedFile extends Pick<FileReading, 'getOpenLine'> {
  readonly layouts: readonly Layout[]
  readonly bound: BoundTranslator
  readonly records: AsyncGenerator<ExplainedRecord>
}

/** Returns problems for a file that is unusable as a whole; throws only when it cannot be opened. */
export async function readRecords(
  path: string,
  format: Format,
  mapping: Pick<InboundMapping, 'translator'>,
  isWanted?: (number: number) => boolean,
): Promise<TranslatedFile | UnreadableFile> {
  const from = { bytes: readUnpackedBytes(path), source: buildFileSource(path) }
  return readRecordsFrom(from, format, mapping, isWanted)
}

/** Like `readRecords`, for bytes in memory. */
export async function readRecordsFrom(
  { bytes, source }: { readonly bytes: AsyncIterable<Uint8Array>; readonly source: FileSource },
  format: Format,
  { translator }: Pick<InboundMapping, 'translator'>,
  isWanted: (number: number) => boolean = () => false,
): Promise<TranslatedFile | UnreadableFile> {
  const reading = await format.read(bytes, translator.read)
  if (isUnreadable(reading)) return reading
  const made: ExplainedRecord[] = []
  const bound = translator.bind(reading.layouts, source, ({ draft, rows, fields }) => {
    made.push({ draft, rows, fields: isWanted(draft.number) ? fields() : [] })
  })
  if (!('keyColumns' in bound)) {
    await reading.close()
    return { problems: bound }
  }
  const records = streamRecords(reading.batches, bound, made)
  return { layouts: reading.layouts, bound, records, getOpenLine: () => reading.getOpenLine() }
}

/** Yields the records batch by batch; empties `made` after each. */
async function* streamRecords(
  batches: AsyncIterable<readonly Row[]>,
  bound: BoundTranslator,
  made: ExplainedRecord[],
): AsyncGenerator<ExplainedRecord> {
  for await (const rows of batches) {
    bound.translateRows(rows)
    yield* made.splice(0)
  }
  bound.finish()
  yield* made.splice(0)
}

/** Finds the first of the columns that the row has, with its text and its name there. */
export function findCell(row: Row | undefined, layouts: readonly Layout[], names: readonly string[]) {
  const columns = (row === undefined ? undefined : layouts[row.layout]?.columns) ?? []
  for (const name of names) {
    const exact = columns.findIndex((column) => column.trim() === name.trim())
    const isAlike = (column: string) => foldColumnName(column) === foldColumnName(name)
    const at = exact === -1 ? columns.findIndex(isAlike) : exact
    if (at !== -1) return { column: columns[at] ?? name, text: cleanText(row?.values[at] ?? '') }
  }
  return undefined
}

/** Returns the value at a path such as `order_lines[0].quantity`; undefined for `order_lines[]`, which names no line. */
export function getValueAt(body: unknown, field: string): unknown {
  if (field.endsWith('[]')) return undefined
  let value = body
  for (const step of field.split(/[.[\]]+/).filter((name) => name !== '')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  return value
}

// A record beside its body: for each field its cells, the text after every step, and the value.

export interface TriedField extends Omit<ExplainedField, 'value' | 'branch' | 'absent'> {
  /** The value in the body; absent when the field is left out, or the record is refused. */
  readonly value?: unknown
  readonly problems: readonly Problem[]
}

export interface TriedRecord {
  readonly number: number
  readonly key: string
  /** The lines of its rows, each once. */
  readonly lines: readonly number[]
  /** `skipped`: the mapping leaves it out on purpose; `held`: it holds it for a person. */
  readonly outcome: 'translated' | 'refused' | 'skipped' | 'held'
  readonly fields: readonly TriedField[]
  /** Problems of the record without a field. */
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

export function explainRecord({ draft, fields: explained }: ExplainedRecord): TriedRecord {
  const body = draft.body === undefined ? undefined : toExampleBody(draft)
  const fields = explained.map(({ field, cells, steps, note }): TriedField => {
    const value = body === undefined ? undefined : getValueAt(body, field)
    const problems = draft.problems.filter(({ place }) => place.field === field)
    const result = { ...(value === undefined ? {} : { value }), ...(note === undefined ? {} : { note }) }
    return { field, cells, steps, ...result, problems }
  })
  const placed = new Set(fields.flatMap(({ problems }) => problems))
  return {
    number: draft.number,
    key: draft.keyValues.join(' '),
    lines: [...new Set(draft.lines.map(([line]) => line))],
    outcome: getOutcome(draft),
    fields,
    problems: draft.problems.filter((each) => !placed.has(each)),
    warnings: draft.warnings ?? [],
  }
}

function getOutcome({ skipped, held, problems }: Draft): TriedRecord['outcome'] {
  if (skipped) return 'skipped'
  if (held) return 'held'
  return problems.length > 0 ? 'refused' : 'translated'
}

// The bytes of an EDI file, unpacked; a damaged archive ends early instead of failing, because its beginning may be sound.

export interface EdiSource {
  /** Each iteration begins at the start of the file. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Why the last iteration ended early. */
  getDamage(): string | undefined
}

export function openEdiSource(path: string): EdiSource {
  let damage: string | undefined
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* readUnpackedBytes(path)
    } catch (error) {
      if (!(error instanceof BridgeError && error.cause instanceof DamagedGzip)) throw error
      damage = error.message
    }
  }
  return { bytes: repeatable(read), getDamage: () => damage }
}
