/** Files that are divided by another delimiter than the mapping says: told once, and not as the want of columns. */
import { problem, type Problem } from '../../domain/problem.ts'
import { DELIMITERS } from './dialect.ts'
import { countOf } from './grid.ts'

/** The problem with a line that should be divided and is not; undefined where no other delimiter divides it either. */
export function wrongDelimiter(text: string, line: number, told: string | undefined): Problem | undefined {
  if (told === undefined || text.includes(told)) return undefined
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: countOf(text, delimiter) }))
  const [most] = counts.toSorted((a, b) => b.count - a.count)
  if (most === undefined || most.count === 0) return undefined
  const [one, many] = namesOf(told)
  const [oneFound, manyFound] = namesOf(most.delimiter)
  const found = most.count === 1 ? `one ${oneFound}` : `${most.count} ${manyFound}`
  const message = `Line ${line} has ${found} and no ${one}, and the mapping says \`delimiter: ${JSON.stringify(told)}\`.`
  const hint = `Save it with ${many}, or take \`delimiter\` out of the mapping: it is found out.`
  return problem('delimiter-wrong', { line }, message, hint)
}

const NAMES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  ',': ['comma', 'commas'],
  ';': ['semicolon', 'semicolons'],
  '\t': ['tab', 'tabs'],
  '|': ['bar', 'bars'],
}

function namesOf(delimiter: string): readonly [one: string, many: string] {
  return NAMES[delimiter] ?? [JSON.stringify(delimiter), JSON.stringify(delimiter)]
}
