/** Recognizes lines of fixed width, by the places at which all lines have blanks. */
import type { CellPlace } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'

export interface FixedLayout {
  readonly names: readonly string[]
  readonly places: readonly CellPlace[]
  /** Whether the first line names the columns. */
  readonly hasHeader: boolean
  /** Whether all lines are equally long; otherwise blanks are left out at their ends. */
  readonly isEven: boolean
}

/** Fewer lines have blanks at the same places by chance. */
const MIN_LINES = 3
const MIN_LENGTH = 20

/** Undefined for other files; a problem where the lines have a fixed width, and nothing shows where a column begins. */
export function findFixedLayout(
  lines: readonly string[],
): FixedLayout | { readonly problem: Problem } | undefined {
  const lengths = lines.map(({ length }) => length)
  const length = Math.max(0, ...lengths)
  const isEven = lengths.every((each) => each === length)
  if (lines.length < MIN_LINES || length < MIN_LENGTH) return undefined
  const types = findLineTypes(lines)
  if (types.length > 0) return { problem: createTypesProblem(types) }
  const padded = lines.map((line) => line.padEnd(length))
  const isBlank = (at: number) => padded.every((line) => line[at] === ' ')
  const starts = Array.from({ length }, (_, at) => at).filter(
    (at) => !isBlank(at) && (at === 0 || isBlank(at - 1)),
  )
  if (starts.length < (isEven ? 3 : 4)) {
    return isEven && lines.every((line) => /\d/.test(line))
      ? { problem: createWidthsProblem(lines.length, length) }
      : undefined
  }
  const begins = starts.map((start, index) => widenNumbers(padded, starts, index) ?? start)
  const places = begins.map((start, index) => ({
    start: start + 1,
    length: (begins[index + 1] ?? length) - start,
  }))
  const slice = (line: string, { start, length: width }: CellPlace) =>
    line.slice(start - 1, start - 1 + width).trim()
  const [first = '', ...others] = padded
  const withDigits = places.filter((place) => others.every((line) => /\d/.test(slice(line, place))))
  const hasHeader =
    withDigits.length >= 2 && !/\d/.test(first) && places.every((place) => slice(first, place) !== '')
  const names = places.map((place, index) => (hasHeader ? slice(first, place) : `Column ${index + 1}`))
  return { names, places, hasHeader, isEven }
}

/** A number on the right side of its column owns the blanks before it: a longer one would use them. */
function widenNumbers(
  lines: readonly string[],
  starts: readonly number[],
  index: number,
): number | undefined {
  const start = starts[index] ?? 0
  const end = starts[index + 1] ?? Number.POSITIVE_INFINITY
  const cells = lines
    .slice(1)
    .map((line) => line.slice(start, end === Number.POSITIVE_INFINITY ? undefined : end).trimEnd())
  const isRight =
    new Set(cells.map(({ length }) => length)).size === 1 && cells.some((cell) => cell.startsWith(' '))
  if (index === 0 || !isRight || !cells.every((cell) => /^[\d.,]+$/.test(cell.trim()))) return undefined
  const before = Math.max(...lines.map((line) => line.slice(0, start).trimEnd().length))
  return before + 1
}

/** Finds types in the first letters of the lines: few, some repeated, each with lines of its own length. */
function findLineTypes(lines: readonly string[]): string[] {
  const types = [...new Set(lines.map((line) => line.charAt(0)))]
  const lengthsOf = (type: string) =>
    new Set(lines.filter((line) => line.startsWith(type)).map(({ length }) => length))
  const isTyped =
    types.length > 1 &&
    types.length <= 5 &&
    types.length < lines.length - 1 &&
    types.every((type) => /^[A-Z]$/.test(type) && lengthsOf(type).size === 1) &&
    new Set(types.flatMap((type) => [...lengthsOf(type)])).size > 1
  return isTyped ? types : []
}

function createTypesProblem(types: readonly string[]): Problem {
  const message = `Each line begins with its type (${types.join(', ')}), and no delimiter divides it: lines of fixed width.`
  const fix = 'Name types and places: `read: { format: fixed, typeIn: …, records: … }`, see docs/mapping.md.'
  return problem('header-missing', {}, message, fix)
}

function createWidthsProblem(count: number, length: number): Problem {
  const message = `All ${count} lines have ${length} characters and no delimiter: their width is fixed, and no blanks divide them.`
  const fix =
    'Name the columns with their places: `read: { format: fixed, columns: … }`, see docs/mapping.md.'
  return problem('header-missing', {}, message, fix)
}
