/** The top of a file: the header line and the names in it, or the layouts the mapping gives to a file without one. */
import type { ReadOptions, RecordType } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { isDamaged } from '../text/decoders.ts'
import type { Encoding } from '../text/encoding.ts'
import { type Feed, skipRestOfLine } from '../text/feed.ts'
import { finder, kindsOf, type NamedType } from '../text/records.ts'
import { expectedNames, hasHeader, typeIndex } from './dialect.ts'
import { type Grid, isBlank } from './grid.ts'
import {
  brokenHeader,
  duplicates,
  headingMissing,
  typeColumnMissing,
  undecodableHeader,
  unexpected,
} from './header-problems.ts'
import { endOfIgnored, type Scan, scanRow } from './scan.ts'
import { recordsShape, type Shape, tableShape, withoutHeadings } from './shape.ts'
import { wrongDelimiter } from './wrong-delimiter.ts'

export type TopRead =
  | {
      readonly shape: Shape
      /** How many physical lines are not data. */
      readonly headerLines: number
      /** How many lines were left out so far. */
      readonly ignored: number
    }
  | { readonly problems: readonly Problem[] }

interface Top {
  /** The cells of the lines that name columns. */
  readonly headings: (readonly string[])[]
  readonly feed: Feed
  readonly grid: Grid
  readonly options: ReadOptions
  readonly encoding: Encoding
  ignored: number
}

/** Leaves the feed before the first row of data, blank lines aside. */
export async function readTop(
  feed: Feed,
  grid: Grid,
  options: ReadOptions,
  encoding: Encoding,
): Promise<TopRead> {
  const top: Top = { feed, grid, options, encoding, ignored: 0, headings: [] }
  const read = await readLayouts(top)
  const { ignore = [] } = options
  if ('problems' in read || !ignore.some((rule) => 'header' in rule)) return read
  return { ...read, shape: withoutHeadings(read.shape, top.headings) }
}

async function readLayouts(top: Top): Promise<TopRead> {
  const { feed, grid, options } = top
  const { columns, records, rows = {} } = options
  const linesAbove = feed.line - 1
  const first = await firstRow(top)
  if (first === undefined)
    return { problems: [problem('file-empty', {}, 'The file holds nothing but blank lines.')] }
  const undivided = hasHeader(options) ? undefined : undividedRow(top, first)
  if (undivided !== undefined) return { problems: [undivided] }
  const typeCell = { at: typeIndex(options), isValue: options.typeIn !== undefined }
  if (columns !== undefined) {
    return { shape: tableShape(columns, grid, rows), headerLines: linesAbove, ignored: top.ignored }
  }
  if (records !== undefined && !hasHeader(options)) {
    const named = await readHeadings(top, records)
    if ('problems' in named) return named
    const headerLines = named.hasHeadings ? feed.line - 1 : linesAbove
    const shape = recordsShape(kindsOf(named.types), typeCell, grid, rows)
    return { shape, headerLines, ignored: top.ignored }
  }
  const header = await readHeader(top)
  if ('problems' in header) return header
  const { names } = header
  const found = { headerLines: feed.line - 1, ignored: top.ignored }
  if (records === undefined) return { shape: tableShape(names, grid, rows), ...found }
  const typeColumn = typeof options.typeIn === 'string' ? options.typeIn : ''
  const at = names.findIndex((name) => expectedNames([name], [typeColumn]).length > 0)
  if (at === -1) return { problems: [typeColumnMissing(typeColumn, names, found.headerLines)] }
  const types = records.map((record) => ({ ...record, columns: names }))
  return { shape: recordsShape(kindsOf(types), { at, isValue: true }, grid, rows), ...found }
}

type Names = { readonly names: readonly string[] } | { readonly problems: readonly Problem[] }

/** The names in the header; the feed is left behind all of its lines. */
async function readHeader(top: Top): Promise<Names> {
  const { lines, names } = top.options.header ?? { lines: 1, names: 1 }
  let found: Names = { problems: [problem('header-missing', {}, 'The file ends before its header does.')] }
  for (let at = 1; at <= lines; at += 1) {
    const row = await firstRow(top)
    if (row === undefined) break
    if (at === names) found = takeNames(top, row, top.options.expectColumns ?? [])
    else if (row.kind === 'row') pass(top, row)
    else await skipRestOfLine(top.feed, top.grid.newline)
    if (at === names && 'problems' in found) break
  }
  return found
}

function takeNames(top: Top, row: Found, expected: readonly string[], from = 0): Names {
  const { line } = top.feed
  const { delimiter: told } = top.options
  if (row.kind === 'fault') return { problems: [brokenHeader(row.code, line)] }
  pass(top, row)
  if (row.values.some(isDamaged)) return { problems: [undecodableHeader(row.values, line, top.encoding)] }
  top.headings.push(row.values)
  const names = row.values.slice(from).map((name) => name.trim())
  const repeated = top.options.repeated === 'allowed' ? [] : duplicates(names, line)
  const none = unexpected(names, line, expected)
  const undivided = none.length === 0 ? undefined : wrongDelimiter(row.values.join(''), line, told)
  const problems = undivided === undefined ? [...repeated, ...none] : [undivided]
  return problems.length > 0 ? { problems } : { names }
}

/** A first row of one cell where the mapping names several columns, and divides them by what is not in it. */
function undividedRow({ feed, options }: Top, row: Found): Problem | undefined {
  const { columns, records = [], delimiter } = options
  const widest = Math.max(columns?.length ?? 0, ...records.map((record) => record.columns?.length ?? 0))
  const isOne = row.kind === 'row' && row.values.length === 1 && widest > 1
  return isOne ? wrongDelimiter(row.values.join(''), feed.line, delimiter) : undefined
}

function pass({ feed }: Top, row: Extract<Scan, { kind: 'row' }>): void {
  feed.advance(row.end, feed.line + row.newlines + 1)
}

type Typed =
  | { readonly types: readonly NamedType[]; readonly hasHeadings: boolean }
  | { readonly problems: readonly Problem[] }

/** Types whose columns the mapping does not name have them in a row of their own, above all data. */
async function readHeadings(top: Top, records: readonly RecordType[]): Promise<Typed> {
  const at = typeIndex(top.options)
  const from = top.options.typeIn === undefined ? 1 : 0
  const found = new Map<RecordType, readonly string[]>()
  const find = finder(records)
  const isOpen = (record: RecordType) => record.columns === undefined && !record.ignored && !found.has(record)
  while (records.some(isOpen)) {
    const row = await firstRow(top)
    const record = row?.kind === 'row' ? find(row.values[at] ?? '') : undefined
    if (row === undefined || record === undefined || !isOpen(record)) {
      const missing = records.filter(isOpen)
      return { problems: missing.map(({ type }) => headingMissing(type, top.feed.line)) }
    }
    const heading = takeNames(top, row, [], from)
    if ('problems' in heading) return heading
    found.set(record, heading.names)
  }
  const types = records.map((record) => ({ ...record, columns: record.columns ?? found.get(record) ?? [] }))
  return { types, hasHeadings: found.size > 0 }
}

type Found = Exclude<Scan, { kind: 'more' }>

/** The first row that is not blank, or undefined when there is none. The feed is left before it. */
async function firstRow(top: Top): Promise<Found | undefined> {
  const { feed, grid } = top
  for (;;) {
    const ignoredEnd = endOfIgnored(feed.text, 0, grid)
    if (ignoredEnd !== undefined) {
      feed.advance(ignoredEnd, feed.line + 1)
      top.ignored += 1
      continue
    }
    const scan = scanRow(feed.text, 0, grid, feed.ended)
    if (scan.kind === 'more') {
      if (feed.ended) return undefined
      await feed.more()
    } else if (scan.kind === 'row' && isBlank(scan.values)) {
      feed.advance(scan.end, feed.line + scan.newlines + 1)
    } else {
      return scan
    }
  }
}
