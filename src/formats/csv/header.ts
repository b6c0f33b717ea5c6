/** The top of a file: the header line and the names in it, or the layouts the mapping gives to a file without one. */
import type { ReadOptions } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { isDamaged, toReadable } from './decoders.ts'
import { expectedNames } from './dialect.ts'
import { type Encoding, undecodableHint } from './encoding.ts'
import type { Feed } from './feed.ts'
import { type Grid, isBlank } from './grid.ts'
import { type Scan, scanRow } from './scan.ts'
import { columnAt, excerpt, recordsShape, type Shape, tableShape } from './shape.ts'

export type TopRead = { readonly shape: Shape } | { readonly problems: readonly Problem[] }

/** Leaves the feed before the first row of data, blank lines aside. */
export async function readTop(
  feed: Feed,
  grid: Grid,
  options: ReadOptions,
  encoding: Encoding,
): Promise<TopRead> {
  const first = await firstRow(feed, grid)
  if (first === undefined)
    return { problems: [problem('file-empty', {}, 'The file holds nothing but blank lines.')] }
  if (options.records) return { shape: recordsShape(options.records, grid) }
  if (options.columns) return { shape: tableShape(options.columns, grid) }
  const { line } = feed
  if (first.kind === 'fault') return { problems: [brokenHeader(first.code, line)] }
  feed.advance(first.end, line + first.newlines + 1)
  if (first.values.some(isDamaged)) return { problems: [undecodableHeader(first.values, line, encoding)] }
  const columns = first.values.map((name) => name.trim())
  const problems = [...duplicates(columns, line), ...unexpected(columns, line, options.expectColumns ?? [])]
  return problems.length > 0 ? { problems } : { shape: tableShape(columns, grid) }
}

/** The first row that is not blank, or undefined when there is none. The feed is left before it. */
async function firstRow(feed: Feed, grid: Grid): Promise<Exclude<Scan, { kind: 'more' }> | undefined> {
  for (;;) {
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

function brokenHeader(code: 'quote-not-closed' | 'row-too-large', line: number): Problem {
  const message =
    code === 'row-too-large'
      ? 'The header line is longer than a row may be.'
      : 'A quote that opens in the header line is not closed where the name ends.'
  return problem(code, { line }, message)
}

function undecodableHeader(names: readonly string[], line: number, encoding: Encoding): Problem {
  const column = toReadable(names.find(isDamaged) ?? '').trim()
  const message = `The column name "${excerpt(column)}" holds bytes that are not ${encoding.name}.`
  return problem('file-undecodable', { line, column }, message, undecodableHint(encoding))
}

function duplicates(columns: readonly string[], line: number): Problem[] {
  const seen = new Map<string, number>()
  const problems: Problem[] = []
  for (const [index, column] of columns.entries()) {
    const name = column.toLowerCase()
    const before = seen.get(name)
    if (before === undefined) {
      if (name !== '') seen.set(name, index)
      continue
    }
    const message = `Columns ${before + 1} and ${index + 1} are both named "${excerpt(column)}".`
    problems.push(problem('header-duplicate', { line, column }, message))
  }
  return problems
}

function unexpected(columns: readonly string[], line: number, expected: readonly string[]): Problem[] {
  if (expected.length === 0 || expectedNames(columns, expected).length > 0) return []
  const found = columns.map((name, index) => (name === '' ? columnAt([], index) : name))
  const message = `None of the expected columns is in the header: found ${listed(found)}; expected ${listed(expected)}.`
  return [problem('header-missing', { line }, message)]
}

/** The first names, quoted. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => `"${excerpt(name)}"`)
  return shown.join(', ') + (names.length > shown.length ? ` and ${names.length - shown.length} more` : '')
}
