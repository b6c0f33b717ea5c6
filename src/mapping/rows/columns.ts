/** Finds the columns a mapping names among those a file has. */
import type { Layout, Row } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { findSimilarName } from '../../support/text.ts'

export interface Column {
  /** Its index among the values of a row. */
  readonly position: number
  /** As the file spells it, or its number from 1. */
  readonly name: string
}

export type Columns = ReturnType<typeof indexColumns>

/** A column that must be there and is not. */
export interface MissingColumn {
  readonly names: readonly string[]
  readonly field: string
  readonly columns: Columns
}

/** Columns whose names start so are results this bridge added to a rejects file. */
const RESULT_PREFIX = '_'

/** The name without case, blanks and punctuation: `delivery-Instructions` is `Delivery Instructions`. */
export function foldColumnName(name: string): string {
  const folded = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  return folded === '' ? name.trim() : folded
}

/** The columns of a layout. A name that fits two of them is a problem, noted when it is asked for. */
export function indexColumns(layout: Layout, problems: Problem[]) {
  const byName = new Map<string, Column[]>()
  const byFolded = new Map<string, Column[]>()
  const used = new Set<string>()
  const absent = new Set<string>()
  for (const [position, spelled] of layout.columns.entries()) {
    const name = spelled.trim()
    if (name === '' || name.startsWith(RESULT_PREFIX)) continue
    const column = { position, name }
    byName.set(name, [...(byName.get(name) ?? []), column])
    const folded = foldColumnName(name)
    byFolded.set(folded, [...(byFolded.get(folded) ?? []), column])
  }
  const findOne = (name: string, nth: number | undefined) => {
    const fitting = byName.get(name.trim()) ?? byFolded.get(foldColumnName(name)) ?? []
    if (nth !== undefined) return fitting[nth - 1]
    const [first, second] = fitting
    if (first && second) problems.push(ambiguousColumnProblem(name, first, second))
    return first
  }
  return {
    /** The names nobody has asked for so far, for suggestions. */
    unused: () => [...byName.keys()].filter((name) => !used.has(name)),
    /**
     * The first of the names that the file has, without regard to case, blanks and punctuation; `nth` tells which one
     * is meant of several columns with one name.
     */
    find(names: readonly string[], nth?: number) {
      for (const name of names) {
        const column = findOne(name, nth)
        if (column === undefined) continue
        used.add(column.name)
        return column
      }
      absent.add(names[0] ?? '')
      return undefined
    },
    /** Whether there is a column of the name, without asking for it. */
    has: (name: string) => byName.has(name.trim()) || byFolded.has(foldColumnName(name)),
    /** The first names of what was asked for and is not there. */
    absent: () => [...absent],
  }
}

/** Tells of a missing column, once it is known which columns are used by others. */
export function missingColumnProblem({ names, field, columns }: MissingColumn): Problem {
  const [first = '', ...others] = names
  const also = others.length === 0 ? '' : `, nor ${others.map((name) => `"${name}"`).join(' or ')}`
  const fix = suggestColumn(names, columns.unused())
  return problem('column-missing', { column: first, field }, `The file has no column "${first}"${also}.`, fix)
}

/** Which column may be meant by one of the names; undefined when none is near. */
export function suggestColumn(names: readonly string[], unused: readonly string[]): string | undefined {
  const nearest = names.map((name) => findSimilarName(name, unused)).find((name) => name !== undefined)
  return nearest === undefined
    ? undefined
    : `Did you mean "${nearest}"? Rename that column, or name this spelling in the mapping.`
}

/** A row whose cells stand under numbered columns of the file, each under the one that names all of its kind. */
export interface NumberedRow extends Row {
  readonly numbered: {
    /** The position of the first of them. */
    readonly from: number
    /** As the file spells them: `COST2`. */
    readonly names: readonly string[]
  }
}

/** The name of the column in which the row has the cell. */
export function resolveColumnName(row: Row | undefined, { position, name }: Column): string {
  if (row === undefined || !('numbered' in row)) return name
  const { from, names } = (row as NumberedRow).numbered
  return names[position - from] ?? name
}

function ambiguousColumnProblem(name: string, first: Column, second: Column): Problem {
  if (first.name !== second.name) {
    const message = `The columns "${first.name}" and "${second.name}" both fit the name "${name}".`
    return problem('header-duplicate', { column: first.name }, message)
  }
  const message = `The file has more than one column "${first.name}".`
  const fix = 'Say in the mapping with `nth` which one is meant, or rename one of them.'
  return problem('header-duplicate', { column: first.name }, message, fix)
}
