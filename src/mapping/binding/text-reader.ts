/** Reads the texts of a row by position. */
import type { Row } from '../../domain/document.ts'
import type { Column } from '../rows/columns.ts'
import { cleaned } from '../values/text.ts'

/** Reads the cells of a row and gives the first text that is not blank. */
export type ReadText = (values: readonly string[]) => string

/** The text of a cell under the first of the columns where it is not blank. */
export function textReader(columns: readonly Column[], blanks: ReadonlySet<string>): ReadText {
  const positions = columns.map((column) => column.position)
  const [only = 0] = positions
  if (positions.length === 1 && blanks.size === 0) return (values) => cleaned(values[only] ?? '')
  return (values) => {
    for (const position of positions) {
      const text = cleaned(values[position] ?? '')
      if (text !== '' && !blanks.has(text.toLowerCase())) return text
    }
    return ''
  }
}

/** The column in which the row has a text; the first when it has none. */
export function filledColumn(
  columns: readonly Column[],
  blanks: ReadonlySet<string>,
  row: Row | undefined,
): Column {
  const filled = columns.find((column) => textReader([column], blanks)(row?.values ?? []) !== '')
  return filled ?? columns[0] ?? { position: 0, name: '' }
}
