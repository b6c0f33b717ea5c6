/** Where the text of a leaf comes from in the record being built: cells whose rows must agree, or several joined. */
import type { Row } from '../../domain/document.ts'
import { type Place, problem } from '../../domain/problem.ts'
import type { Building } from './building.ts'
import { type Column, nameIn } from '../rows/columns.ts'
import type { ExplainedCell } from './explained.ts'
import { filledColumn, type ReadText, textReader } from './text-reader.ts'
import { FAILED } from '../values/value.ts'
import { quoted } from '../values/text.ts'

export interface TextSource {
  /** The columns of the file that feed it. */
  readonly columns: readonly Column[]
  /** The text of the current record, empty when blank; notes rows that disagree. */
  readonly take: () => string | typeof FAILED
  /** The text without noting anything, for messages. */
  readonly text: () => string
  /** Where it stands. */
  readonly place: () => Place
  /** Whether a cell of the current record says it; left out where nothing else can. */
  readonly isFed?: () => boolean
  /** The first of several columns put together whose cell is blank. */
  readonly blank?: () => string | undefined
  /** The cells it is made of, as they stand in the file. */
  readonly cells: () => readonly ExplainedCell[]
}

export interface Cells {
  readonly columns: readonly Column[]
  readonly blanks: ReadonlySet<string>
  /** Whether the rows that speak for the record say it, and not the row being built. */
  readonly ofHeader: boolean
  readonly building: Building
  /** The name of the field it is for, in the record being built. */
  readonly field: () => string
}

/** The first of the cells that is not blank. */
export function cellSource(cells: Cells): TextSource {
  const { columns, blanks, ofHeader, building, field } = cells
  const read = textReader(columns, blanks)
  const placeIn = (row: Row | undefined): Place => ({
    ...(row === undefined ? {} : { line: row.line }),
    column: nameIn(row, filledColumn(columns, blanks, row)),
    field: field(),
  })
  const only = columns.length === 1 ? columns[0]?.position : undefined
  const speakingRow = () => (ofHeader ? firstFilled(building.headerRows, read) : building.row)
  const rest = {
    columns,
    text: () => read(speakingRow()?.values ?? []),
    place: () => placeIn(speakingRow()),
    cells() {
      const row = speakingRow()
      return columns.map((column) => ({
        column: nameIn(row, column),
        text: row?.values[column.position] ?? '',
      }))
    },
  }
  if (!ofHeader) return { ...rest, take: () => (building.row === undefined ? '' : read(building.row.values)) }
  return {
    ...rest,
    take() {
      const rows = building.headerRows
      const [first] = rows
      if (first === undefined) return ''
      // Most files repeat the cells of the record as they are.
      if (rows.length === 1 || (only !== undefined && areSame(rows, only, first.values[only])))
        return read(first.values)
      return read(agreeingRow(first, { read, building, placeIn }).values)
    },
  }
}

/** What is known without a column. */
export function knownSource(name: string, text: () => string, place: () => Place): TextSource {
  return { columns: [], take: text, text, place, cells: () => [{ column: name, text: text() }] }
}

/** The text of the first source, or where it is blank what is known without a column. */
export function filledSource(cells: TextSource, known: TextSource): TextSource {
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
export function joinedSource(sources: readonly TextSource[], separator: string): TextSource {
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
    place: () => placeOf(sources),
    blank: () => sources.find((source) => source.text() === '')?.place().column,
    cells: () => sources.flatMap((source) => source.cells()),
  }
}

/** The place of the first source that has a text. */
export function placeOf(sources: readonly TextSource[]): Place {
  return (sources.find((source) => source.text() !== '') ?? sources[0])?.place() ?? {}
}

/** Finds the row that says the value for the record; rows that say different things are a problem. */
function agreeingRow(
  first: Row,
  cells: {
    readonly read: ReadText
    readonly building: Building
    readonly placeIn: (row: Row) => Place
  },
): Row {
  const { read, building, placeIn } = cells
  let chosen = first
  let text = read(first.values)
  for (const row of building.headerRows) {
    const other = read(row.values)
    if (other === '' || other === text) continue
    if (text !== '' && building.firstCounts) return chosen
    if (text !== '') {
      const message = `${quoted(other)} stands here, but ${quoted(text)} in line ${chosen.line} of the same record.`
      building.problems.push(problem('rows-disagree', placeIn(row), message))
      return chosen
    }
    chosen = row
    text = other
  }
  return chosen
}

function areSame(rows: readonly Row[], position: number, cell: string | undefined): boolean {
  for (let index = 1; index < rows.length; index += 1) {
    if (rows[index]?.values[position] !== cell) return false
  }
  return true
}

function firstFilled(rows: readonly Row[], read: ReadText): Row | undefined {
  return rows.find((row) => read(row.values) !== '') ?? rows[0]
}
