/** Finds the columns a mapping names among those a file has, and the values that it may name in their place. */
import type { Layout, Row } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { groupBy } from '../../support/collections.ts'
import { didYouMean, findSimilarName, quoteNames } from '../../support/text.ts'
import { readMisreadUtf8 } from '../values/convert.ts'

export interface Column {
  /** Its index among the values of a row. */
  readonly position: number
  /** As the file spells it, or its number from 1. */
  readonly name: string
}

export type Columns = ReturnType<typeof indexColumns>

export interface MissingColumn {
  readonly names: readonly string[]
  readonly field: string
  readonly columns: Columns
  /** Absent for the default. */
  readonly fix?: string
}

/** Columns whose names start so are results this bridge added to a rejects file. */
const RESULT_PREFIX = '_'

/** Drops case, blanks and punctuation: `delivery-Instructions` equals `Delivery Instructions`. */
export function foldColumnName(name: string): string {
  const folded = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  return folded === '' ? name.trim() : folded
}

/** Indexes the columns of a layout. A name that fits two columns becomes a problem when it is looked up. */
export function indexColumns(layout: Layout, problems: Problem[]) {
  const columns = layout.columns
    .map((spelled, position): Column => ({ position, name: spelled.trim() }))
    .filter(({ name }) => name !== '' && !name.startsWith(RESULT_PREFIX))
  const byName = groupBy(columns, ({ name }) => name)
  const byFolded = groupBy(columns, ({ name }) => foldColumnName(name))
  const used = new Set<string>()
  const absent = new Set<string>()
  const findOne = (name: string, nth: number | undefined) => {
    const fitting = byName.get(name.trim()) ?? byFolded.get(foldColumnName(name)) ?? []
    if (nth !== undefined) return fitting[nth - 1]
    const [first, second] = fitting
    if (first && second) problems.push(ambiguousColumnProblem(name, first, second))
    return first
  }
  return {
    /** Lists the names that were looked up so far. */
    used: () => [...used],
    /** Lists the names that were not looked up so far, for suggestions. */
    unused: () => [...byName.keys()].filter((name) => !used.has(name)),
    /** Finds a column by the first name that the file has, in any spelling; `nth` picks one of several with that name. */
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
    /** Whether the column exists; does not count as a lookup. */
    has: (name: string) => byName.has(name.trim()) || byFolded.has(foldColumnName(name)),
    /** Lists the first name of each column that was looked up and is absent. */
    absent: () => [...absent],
  }
}

/** Creates the problem of a missing column, once all used columns are known. */
export function missingColumnProblem({ names, field, columns, fix }: MissingColumn): Problem {
  const { message, fix: similar = fix } = describeMissingColumn(names, columns)
  return problem('column-missing', { column: names[0] ?? '', field }, message, similar)
}

/** A file lacks so many columns at least before it counts as one of another kind. */
const FOREIGN_MISSING_MIN = 3

/**
 * One problem in place of those of the missing columns, where the whole file is a wrong one: a result file of the bridge, or
 * one of whose columns the mapping uses none. Undefined for any other file.
 */
export function describeWrongFile(
  missing: readonly MissingColumn[],
  unused: readonly string[],
  columns: readonly string[],
): readonly Problem[] | undefined {
  const names = columns.map((name) => name.trim()).filter((name) => name !== '')
  if (missing.length > 0 && ['_line', '_status', '_fix'].every((name) => names.includes(name))) {
    const message =
      'The columns _line, _status and _fix are those of a result file, which has no rows to send.'
    const fix = 'Correct the file with `.rejects` in its name, in the same folder, and drop that in.'
    return [problem('file-foreign', {}, message, fix)]
  }
  const isUnused = unused.length > 0 && unused.length === new Set(names).size
  if (!isUnused || missing.length < FOREIGN_MISSING_MIN) return undefined
  const wanted = quoteNames(missing.flatMap(({ names: [name = ''] }) => name))
  const message = `The mapping uses none of the columns of the file, ${quoteNames(names)}; it needs ${wanted}.`
  return [problem('file-foreign', {}, message)]
}

/** Names the missing column, and a similar one as the fix, or those that the mapping does not use. */
export function describeMissingColumn(names: readonly string[], columns: Columns) {
  const [first = '', ...otherNames] = names
  const also = otherNames.length === 0 ? '' : `, nor ${otherNames.map((name) => `"${name}"`).join(' or ')}`
  const unused = columns.unused()
  const similar = suggestColumn(names, unused)
  const hasOthers = similar === undefined && unused.length > 0
  const others = hasOthers ? ` The mapping does not use ${quoteNames(unused)}.` : ''
  return { message: `The file has no column "${first}"${also}.${others}`, fix: similar }
}

/** Suggests a column with a similar name, or the right encoding; undefined when none is near. */
export function suggestColumn(names: readonly string[], unused: readonly string[]): string | undefined {
  const wanted = new Set(names.map(foldColumnName))
  const isMisread = (name: string) => wanted.has(foldColumnName(readMisreadUtf8(name) ?? ''))
  if (unused.some(isMisread)) return FIX_MISREAD_HEADER
  const joined = names.map((name) => name.split(/\s[+&]\s/)).find((parts) => parts.length > 1)
  if (joined !== undefined)
    return `To join columns, write \`all: [${joined.join(', ')}]\` in the mapping; \`calc\` is for numbers.`
  const nearest = names.map((name) => findSimilarName(name, unused)).find((name) => name !== undefined)
  return nearest === undefined
    ? undefined
    : `Did you mean "${nearest}"? Write that in the mapping, then: dropbridge retake FILE. Or rename the column.`
}

const FIX_MISREAD_HEADER =
  'The header is UTF-8: correct `encoding` under `read` in the mapping, or have the file saved in that encoding.'

/** An unpacked row: each cell of a numbered column of the file is under the one name for its kind. */
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

// Values that a mapping may name instead of a column, such as `$file` and `$line`.

/** What is being read, and the record that is being built of it. */
interface KnownContext {
  readonly source?: { readonly file: string; readonly folder: string } | undefined
  readonly builder: {
    readonly number: number
    readonly index: number
    readonly row: Pick<Row, 'line'> | undefined
    readonly headerRows: readonly Pick<Row, 'line'>[]
  }
}

/** Reads each value for the row or record being built. `docs/mapping.md` lists them. */
const KNOWN_VALUES = {
  $file: ({ source }: KnownContext) => source?.file ?? '',
  $folder: ({ source }: KnownContext) => source?.folder ?? '',
  $record: ({ builder }: KnownContext) => String(builder.number),
  $row: ({ builder }: KnownContext) => String(builder.index + 1),
  $line: ({ builder }: KnownContext, perRow: boolean) =>
    String((perRow ? builder.row : builder.headerRows[0])?.line ?? ''),
} as const

export type KnownName = keyof typeof KNOWN_VALUES

/** Whether the name has the form of a known value: a dollar sign and small letters. `$ Amount` is a column. */
export function looksLikeKnownName(name: string): boolean {
  return /^\$[a-z]+$/.test(name)
}

export function isKnownName(name: string): name is KnownName {
  return Object.hasOwn(KNOWN_VALUES, name)
}

/** Returns why a leaf cannot use the value; undefined when it can. */
export function checkKnownName(name: string, perRow: boolean): string | undefined {
  const names = Object.keys(KNOWN_VALUES)
  if (!isKnownName(name))
    return `there is no ${name}.${didYouMean(name, names) || ` There are ${names.join(', ')}.`}`
  return name === '$row' && !perRow
    ? '$row is the number of a row, and stands in the array that is filled once per row'
    : undefined
}

export function bindKnownText(name: KnownName, perRow: boolean, context: KnownContext): () => string {
  const read = KNOWN_VALUES[name]
  return () => read(context, perRow)
}
