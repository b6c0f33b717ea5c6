/** Reads the top of a file: the header line and its names, or the layouts that the mapping gives instead. */
import type { ReadOptions, RecordType, UnreadableFile } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { skipRestOfLine, type TextBuffer } from '../text/buffer.ts'
import { shortenCell } from '../text/batches.ts'
import { hasInvalidBytes, replaceInvalidBytes } from '../text/decoders.ts'
import { type Encoding, suggestEncodingFix } from '../text/encoding.ts'
import { compileRecordKinds, createTypeMatcher } from '../text/record-types.ts'
import {
  checkDelimiter,
  countExpectedNames,
  findTypeCell,
  hasHeader,
  matchExpectedNames,
} from './dialect-detection.ts'
import { quoteNames } from '../../support/text.ts'
import { type Dialect, isBlankRow } from './dialect.ts'
import {
  createAlternatingLayout,
  createRecordLayout,
  createTableLayout,
  findHeadings,
  isNumberOrDate,
  type RowLayout,
} from './row-layout.ts'
import { findIgnoredLineEnd, type RowFaultCode, type ScanResult, scanRow } from './scan.ts'

interface FileHeader {
  readonly rowLayout: RowLayout
  readonly headerLines: number
}

interface HeaderContext {
  readonly headings: (readonly string[])[]
  readonly buffer: TextBuffer
  readonly dialect: Dialect
  readonly options: ReadOptions
  readonly encoding: Encoding
  ignored: number
}

/** Reads the header and moves the buffer to the first row of data, blank lines aside. */
export async function readFileHeader(
  buffer: TextBuffer,
  dialect: Dialect,
  options: ReadOptions,
  encoding: Encoding,
): Promise<(FileHeader & { readonly ignored: number }) | UnreadableFile> {
  const context: HeaderContext = { buffer, dialect, options, encoding, ignored: 0, headings: [] }
  const read = await resolveLayout(context)
  if ('problems' in read) return read
  const { headings, ignored } = context
  const areIgnored = options.ignore?.some((rule) => 'header' in rule) === true
  const rowLayout =
    headings.length === 0 ? read.rowLayout : findHeadings(read.rowLayout, headings, areIgnored)
  return { ...read, rowLayout, ignored }
}

async function resolveLayout(context: HeaderContext): Promise<FileHeader | UnreadableFile> {
  const { buffer, dialect, options } = context
  const { columns, records, rows = {} } = options
  const linesAbove = buffer.line - 1
  const first = await peekFirstRow(context)
  if (first === undefined) return refuse(problem('file-empty', {}, 'The file holds nothing but blank lines.'))
  const undivided = hasHeader(options) ? undefined : checkRowDelimiter(context, first)
  if (undivided !== undefined) return refuse(undivided)
  const typeCell = { at: findTypeCell(options), isValue: options.typeIn !== undefined }
  if (columns !== undefined) {
    return { rowLayout: createTableLayout(columns, dialect, rows), headerLines: linesAbove }
  }
  if (records !== undefined && !hasHeader(options)) {
    const named = await readTypeHeadings(context, records)
    if ('problems' in named) return named
    const headerLines = named.hasHeadings ? buffer.line - 1 : linesAbove
    const kinds = compileRecordKinds(named.types)
    if (options.alternating === true)
      return { rowLayout: createAlternatingLayout(kinds, dialect, rows), headerLines }
    return { rowLayout: createRecordLayout(kinds, typeCell, dialect, rows), headerLines }
  }
  const header = await readHeaderNames(context)
  if ('problems' in header) return header
  const { names } = header
  const headerLines = buffer.line - 1
  if (records === undefined) return { rowLayout: createTableLayout(names, dialect, rows), headerLines }
  const typeColumn = typeof options.typeIn === 'string' ? options.typeIn : ''
  const at = names.findIndex((name) => matchExpectedNames([name], [typeColumn]).length > 0)
  if (at === -1) return refuse(typeColumnMissingProblem(typeColumn, names, headerLines))
  const kinds = compileRecordKinds(records.map((record) => ({ ...record, columns: names })))
  return { rowLayout: createRecordLayout(kinds, { at, isValue: true }, dialect, rows), headerLines }
}

function refuse(why: Problem): UnreadableFile {
  return { problems: [why] }
}

type NamesResult = { readonly names: readonly string[] } | UnreadableFile

async function readHeaderNames(context: HeaderContext): Promise<NamesResult> {
  const { lines, names } = context.options.header ?? { lines: 1, names: 1 }
  let found: NamesResult = refuse(problem('header-missing', {}, 'The file ends before its header does.'))
  for (let at = 1; at <= lines; at += 1) {
    const row = await peekFirstRow(context)
    if (row === undefined) break
    if (at === names) found = takeNames(context, row, context.options.expectColumns ?? [])
    else if (row.kind === 'row') skipRow(context, row)
    else await skipRestOfLine(context.buffer, context.dialect.newline)
    if (at === names && 'problems' in found) break
  }
  return found
}

function takeNames(context: HeaderContext, row: FoundRow, expected: readonly string[], from = 0) {
  const { line } = context.buffer
  const { delimiter: stated } = context.options
  if (row.kind === 'fault') return refuse(brokenHeaderProblem(row.code, line))
  skipRow(context, row)
  if (row.values.some(hasInvalidBytes))
    return refuse(invalidHeaderBytesProblem(row.values, line, context.encoding))
  context.headings.push(row.values)
  const names = row.values.slice(from).map((name) => name.trim())
  const repeated = context.options.repeated === 'allowed' ? [] : findDuplicateColumns(names, line)
  const none = checkExpectedColumns(names, line, expected).map(
    (each) => explainHeaderBelow(each, context) ?? explainDataLine(names, line, expected) ?? each,
  )
  const undivided = none.length === 0 ? undefined : checkDelimiter(row.values.join(''), line, stated)
  const problems = undivided === undefined ? [...repeated, ...none] : [undivided]
  return problems.length > 0 ? { problems } : { names }
}

/** Checks a first row of one cell, without the delimiter of the mapping, where the mapping names several columns. */
function checkRowDelimiter({ buffer, options }: HeaderContext, row: FoundRow): Problem | undefined {
  const { columns, records = [], delimiter } = options
  const widest = Math.max(columns?.length ?? 0, ...records.map((record) => record.columns?.length ?? 0))
  const isOne = row.kind === 'row' && row.values.length === 1 && widest > 1
  return isOne ? checkDelimiter(row.values.join(''), buffer.line, delimiter) : undefined
}

function skipRow({ buffer }: HeaderContext, row: Extract<ScanResult, { kind: 'row' }>): void {
  buffer.advance(row.end, buffer.line + row.newlines + 1)
}

/** Reads the heading rows, above all data, of types whose columns the mapping does not name. */
async function readTypeHeadings(context: HeaderContext, records: readonly RecordType[]) {
  const at = findTypeCell(context.options)
  const from = context.options.typeIn === undefined ? 1 : 0
  const found = new Map<RecordType, readonly string[]>()
  const find = createTypeMatcher(records)
  const isOpen = (record: RecordType) => record.columns === undefined && !record.ignored && !found.has(record)
  while (records.some(isOpen)) {
    const row = await peekFirstRow(context)
    const record = row?.kind === 'row' ? find(row.values[at] ?? '') : undefined
    if (row === undefined || record === undefined || !isOpen(record)) {
      const missing = records.filter(isOpen)
      return { problems: missing.map(({ type }) => headingMissingProblem(type, context.buffer.line)) }
    }
    const heading = takeNames(context, row, [], from)
    if ('problems' in heading) return heading
    found.set(record, heading.names)
  }
  const types = records.map((record) => ({ ...record, columns: record.columns ?? found.get(record) ?? [] }))
  return { types, hasHeadings: found.size > 0 }
}

type FoundRow = Exclude<ScanResult, { kind: 'more' }>

/** Returns the first filled row, or undefined when there is none. Moves the buffer to it, not behind it. */
async function peekFirstRow(context: HeaderContext): Promise<FoundRow | undefined> {
  const { buffer, dialect } = context
  for (;;) {
    const ignoredEnd = findIgnoredLineEnd(buffer.text, 0, dialect)
    if (ignoredEnd !== undefined) {
      buffer.advance(ignoredEnd, buffer.line + 1)
      context.ignored += 1
      continue
    }
    const scan = scanRow(buffer.text, 0, dialect, buffer.ended)
    if (scan.kind === 'more') {
      if (buffer.ended) return undefined
      await buffer.more()
    } else if (scan.kind === 'row' && isBlankRow(scan.values)) skipRow(context, scan)
    else return scan
  }
}

function typeColumnMissingProblem(name: string, names: readonly string[], line: number): Problem {
  const message = `The header has no column "${name}", which separates the record types: found ${quoteNames(names.map(shortenCell))}.`
  return problem('column-missing', { line, column: name }, message)
}

function headingMissingProblem(type: string, line: number): Problem {
  const message = `There is no heading row for the record type ${type} above the data.`
  const fix = 'Send the heading row of every record type first, or name the columns in the mapping.'
  return problem('header-missing', { line }, message, fix)
}

function brokenHeaderProblem(code: RowFaultCode, line: number): Problem {
  const message =
    code === 'row-too-large'
      ? 'The header line is longer than a row may be.'
      : code === 'quote-misplaced'
        ? 'A name in the header line has a quote inside, and a later one ends with a quote.'
        : 'A quote that opens in the header line is not closed where the name ends.'
  return problem(code, { line }, message)
}

function invalidHeaderBytesProblem(names: readonly string[], line: number, encoding: Encoding): Problem {
  const column = replaceInvalidBytes(names.find(hasInvalidBytes) ?? '').trim()
  const message = `The column name "${shortenCell(column)}" holds bytes that are not ${encoding.name}.`
  return problem('file-undecodable', { line, column }, message, suggestEncodingFix(encoding))
}

function findDuplicateColumns(columns: readonly string[], line: number): Problem[] {
  const seen = new Map<string, number>()
  const problems: Problem[] = []
  for (const [index, column] of columns.entries()) {
    const name = column.toLowerCase()
    const before = seen.get(name)
    if (before === undefined) {
      if (name !== '') seen.set(name, index)
      continue
    }
    const message = `Columns ${before + 1} and ${index + 1} are both named "${shortenCell(column)}".`
    problems.push(problem('header-duplicate', { line, column }, message))
  }
  return problems
}

function checkExpectedColumns(columns: readonly string[], line: number, expected: readonly string[]) {
  if (expected.length === 0 || matchExpectedNames(columns, expected).length > 0) return []
  const found = columns.filter((name) => name !== '')
  const message = `None of the expected columns is in the header: found ${quoteNames(found.map(shortenCell))}; expected ${quoteNames(expected.map(shortenCell))}.`
  return [problem('header-missing', { line }, message)]
}

/** How many rows below a wrong header are searched for the right one. */
const ROWS_SEARCHED = 20

/** The problem of a first line that is a row of data; undefined where its cells may be names. */
function explainDataLine(cells: readonly string[], line: number, expected: readonly string[]) {
  const filled = cells.filter((cell) => cell !== '')
  if (!filled.some(isNumberOrDate)) return undefined
  const start = quoteNames(filled.slice(0, DATA_CELLS_SHOWN).map(shortenCell))
  const message = `Line ${line} looks like data (it begins with ${start}): the header line is missing. Expected ${quoteNames(expected.map(shortenCell))}.`
  return problem('header-missing', { line }, message, 'Put the header line back above the first row of data.')
}

const DATA_CELLS_SHOWN = 3

/** The problem with the line of the header, if it is among the next rows. */
function explainHeaderBelow(
  missing: Problem,
  { buffer, dialect, options }: HeaderContext,
): Problem | undefined {
  const { text, ended } = buffer
  // Where the mapping does not say it, the delimiter may have been guessed from a title.
  const named = options.delimiter === undefined ? { ...dialect, delimiter: '' } : dialect
  let { line } = buffer
  let at = 0
  for (let row = 0; row < ROWS_SEARCHED; row++) {
    const scan = scanRow(text, at, dialect, ended)
    if (scan.kind !== 'row') return undefined
    if (countExpectedNames({ text, at, ended }, named, options.expectColumns ?? []) > 1) {
      const fix = `Remove the lines above line ${line}, or write \`skip: header\` under \`read\` in the mapping.`
      return { ...missing, message: `${missing.message} Line ${line} looks like the header.`, fix }
    }
    at = scan.end
    line += scan.newlines + 1
  }
  return undefined
}
