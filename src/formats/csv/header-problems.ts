/** What is wrong with a header, in words. */
import { type Problem, problem } from '../../domain/problem.ts'
import { isDamaged, toReadable } from '../text/decoders.ts'
import { type Encoding, undecodableHint } from '../text/encoding.ts'
import { columnAt, excerpt } from '../text/words.ts'
import { expectedNames } from './dialect.ts'

export function typeColumnMissing(name: string, names: readonly string[], line: number): Problem {
  const message = `The header has no column "${name}", which tells the record types apart: found ${listed(names)}.`
  return problem('column-missing', { line, column: name }, message)
}

export function headingMissing(type: string, line: number): Problem {
  const message = `There is no heading row for the record type ${type} above the data.`
  const hint = 'Send the heading row of every record type first, or name the columns in the mapping.'
  return problem('header-missing', { line }, message, hint)
}

export function brokenHeader(code: 'quote-not-closed' | 'row-too-large', line: number): Problem {
  const message =
    code === 'row-too-large'
      ? 'The header line is longer than a row may be.'
      : 'A quote that opens in the header line is not closed where the name ends.'
  return problem(code, { line }, message)
}

export function undecodableHeader(names: readonly string[], line: number, encoding: Encoding): Problem {
  const column = toReadable(names.find(isDamaged) ?? '').trim()
  const message = `The column name "${excerpt(column)}" holds bytes that are not ${encoding.name}.`
  return problem('file-undecodable', { line, column }, message, undecodableHint(encoding))
}

export function duplicates(columns: readonly string[], line: number): Problem[] {
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

export function unexpected(columns: readonly string[], line: number, expected: readonly string[]): Problem[] {
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
