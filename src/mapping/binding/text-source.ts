/** Finds the text of a leaf in the record being built: in cells whose rows must agree, or in several joined. */
import type { Row } from '../../domain/format.ts'
import { problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import { type Column, resolveColumnName } from '../rows/columns.ts'
import { cleanText, FAILED, quoteText } from '../values/text.ts'
import type { ExplainedCell } from './explained.ts'
import { locate, type RecordBuilder } from './record-builder.ts'

export interface TextSource {
  readonly columns: readonly Column[]
  /** The text of the current record, empty when blank; notes rows that disagree. */
  readonly take: () => string | typeof FAILED
  /** The text for messages; adds no problems. */
  readonly text: () => string
  readonly place: () => Place
  /** Whether the text comes from a cell and not from a known value; absent where only cells can give it. */
  readonly isFed?: () => boolean
  readonly blank?: () => string | undefined
  readonly cells: () => readonly ExplainedCell[]
}

/** Takes the first filled cell, from the rows of the whole record or from the row being built. */
export function createCellSource(cells: {
  readonly columns: readonly Column[]
  readonly blanks: ReadonlySet<string>
  readonly ofHeader: boolean
  readonly builder: RecordBuilder
  readonly field: () => string
  /** Whether two texts are one value, such as one instant in two formats. */
  readonly isSameValue: (one: string, other: string) => boolean
}): TextSource {
  const { columns, blanks, ofHeader, builder, field, isSameValue } = cells
  const read = createTextReader(columns, blanks)
  const placeIn = (row: Row | undefined): Place => ({
    ...(row === undefined ? {} : { line: row.line }),
    column: resolveColumnName(row, findFilledColumn(columns, blanks, row)),
    field: field(),
  })
  const only = columns.length === 1 ? columns[0]?.position : undefined
  const speakingRow = () => (ofHeader ? findFirstFilled(builder.headerRows, read) : builder.row)
  const rest = {
    columns,
    text: () => read(speakingRow()?.values ?? []),
    place: () => placeIn(speakingRow()),
    cells() {
      const row = speakingRow()
      const textOf = ({ position }: Column) => row?.values[position] ?? ''
      return columns.map((column) => ({ column: resolveColumnName(row, column), text: textOf(column) }))
    },
  }
  if (!ofHeader) return { ...rest, take: () => (builder.row === undefined ? '' : read(builder.row.values)) }
  return {
    ...rest,
    take() {
      const rows = builder.headerRows
      const [first] = rows
      if (first === undefined) return ''
      // Most files repeat the cells of the record unchanged on each row.
      if (rows.length === 1 || (only !== undefined && haveSameCell(rows, only, first.values[only])))
        return read(first.values)
      return read(findAgreeingRow(first, read, { builder, placeIn, isSameValue }).values)
    },
  }
}

/** Takes the text of the rows for which the condition holds, which must agree. */
export function createRowSource(
  source: TextSource,
  {
    condition,
    builder,
    field,
    isSameValue,
  }: {
    readonly condition: { holds(): boolean }
    readonly builder: RecordBuilder
    readonly field: () => string
    readonly isSameValue: (one: string, other: string) => boolean
  },
): TextSource {
  /** Runs with each such row as the current one, until one gives a result. */
  const findInRows = <Result>(run: () => Result | undefined): Result | undefined => {
    const { row, index } = builder
    try {
      for (const [at, each] of builder.itemRows.entries()) {
        builder.row = each
        builder.index = at
        const result = each.problems === undefined && condition.holds() ? run() : undefined
        if (result !== undefined) return result
      }
      return undefined
    } finally {
      Object.assign(builder, { row, index })
    }
  }
  const text = () => findInRows(() => source.text() || undefined) ?? ''
  return {
    ...source,
    text,
    take() {
      let chosen: { readonly text: string; readonly line: number | undefined } | undefined
      findInRows(() => {
        const other = source.take()
        if (typeof other !== 'string' || other === '') return undefined
        chosen ??= { text: other, line: builder.row?.line }
        if (chosen.text === other || builder.firstCounts || isSameValue(chosen.text, other)) return undefined
        const message = `${quoteText(other)} stands here, but ${quoteText(chosen.text)} in line ${chosen.line ?? '?'} of the same record.`
        return builder.problems.push(problem('rows-disagree', source.place(), message))
      })
      return chosen?.text ?? ''
    },
    place: () => {
      const found = findInRows(() => (source.text() === '' ? undefined : source.place()))
      const { line: _, ...rest } = source.place()
      return found ?? locate(builder, false, { ...rest, field: field() })
    },
    cells: () => findInRows(() => (source.text() === '' ? undefined : source.cells())) ?? [],
  }
}

/** Takes a value that is known without a column. */
export function createKnownSource(name: string, text: () => string, place: () => Place): TextSource {
  return { columns: [], take: text, text, place, cells: () => [{ column: name, text: text() }] }
}

/** Takes the text of the cells, or the known value where they are blank. */
export function createFallbackSource(cells: TextSource, known: TextSource): TextSource {
  const chosen = () => (cells.text() === '' ? known : cells)
  return {
    columns: cells.columns,
    take() {
      const text = cells.take()
      return text === '' ? known.take() : text
    },
    text: () => chosen().text(),
    place: () => chosen().place(),
    isFed: () => cells.text() !== '',
    cells: () => [...cells.cells(), ...known.cells()],
  }
}

/** The texts of all sources that are not blank. */
export function createJoinedSource(sources: readonly TextSource[], separator: string): TextSource {
  return {
    columns: sources.flatMap(({ columns }) => columns),
    take() {
      const texts: string[] = []
      for (const source of sources) {
        const text = source.take()
        if (typeof text !== 'string') return FAILED
        if (text !== '') texts.push(text)
      }
      return texts.join(separator)
    },
    text: () => sources.map((source) => source.text()).find((text) => text !== '') ?? '',
    place: () => findSourcePlace(sources),
    blank: () => sources.find((source) => source.text() === '')?.place().column,
    cells: () => sources.flatMap((source) => source.cells()),
  }
}

/** The place of the first source that has a text. */
export function findSourcePlace(sources: readonly TextSource[]): Place {
  return (sources.find((source) => source.text() !== '') ?? sources[0])?.place() ?? {}
}

/** Finds the row that holds the record's value; rows with different values are a problem. */
function findAgreeingRow(
  first: Row,
  read: ReadText,
  {
    builder,
    placeIn,
    isSameValue,
  }: {
    readonly builder: RecordBuilder
    readonly placeIn: (row: Row) => Place
    readonly isSameValue: (one: string, other: string) => boolean
  },
) {
  let chosen = first
  let text = read(first.values)
  for (const row of builder.headerRows) {
    const other = read(row.values)
    if (other === '' || other === text) continue
    if (text !== '' && builder.firstCounts) return chosen
    if (text !== '' && isSameValue(text, other)) continue
    if (text !== '') {
      const message = `${quoteText(other)} stands here, but ${quoteText(text)} in line ${chosen.line} of the same record.`
      builder.problems.push(problem('rows-disagree', placeIn(row), message))
      return chosen
    }
    chosen = row
    text = other
  }
  return chosen
}

function haveSameCell(rows: readonly Row[], position: number, cell: string | undefined): boolean {
  for (let index = 1; index < rows.length; index += 1) {
    if (rows[index]?.values[position] !== cell) return false
  }
  return true
}

function findFirstFilled(rows: readonly Row[], read: ReadText): Row | undefined {
  return rows.find((row) => read(row.values) !== '') ?? rows[0]
}

/** Reads the cells of a row and gives the first text that is not blank. */
export type ReadText = (values: readonly string[]) => string

/** The text of a cell under the first of the columns where it is not blank. */
export function createTextReader(columns: readonly Column[], blanks: ReadonlySet<string>): ReadText {
  const positions = columns.map((column) => column.position)
  const [only = 0] = positions
  if (positions.length === 1 && blanks.size === 0) return (values) => cleanText(values[only] ?? '')
  return (values) => {
    for (const position of positions) {
      const text = cleanText(values[position] ?? '')
      if (text !== '' && (blanks.size === 0 || !blanks.has(text.toLowerCase()))) return text
    }
    return ''
  }
}

/** The column in which the row has a text; the first when it has none. */
export function findFilledColumn(
  columns: readonly Column[],
  blanks: ReadonlySet<string>,
  row: Row | undefined,
): Column {
  const filled = columns.find((column) => createTextReader([column], blanks)(row?.values ?? []) !== '')
  return filled ?? columns[0] ?? { position: 0, name: '' }
}
