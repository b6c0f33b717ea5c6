/** Finds a last row that describes the whole file with counts or sums. */
import { addDecimals, compareDecimals, type Decimal, parseDecimal } from '../../support/decimal.ts'

export interface ClosingRow {
  /** The column of the cell that names the row, and its text. */
  readonly column: string
  readonly word: string
  /** Whether the line begins with it. */
  readonly isFirst: boolean
  /** The counts and sums by their columns; empty when no number matches. */
  readonly totals: readonly { readonly column: string; readonly what: 'rows' | 'sum' }[]
}

const CLOSING_WORDS =
  /^(?:grand ?total|sub ?total|totals?|sum|summe|gesamt|gesamtsumme|total general|somme|suma|trailer|trl|end|eof|end of (?:file|report)|ende|fin)\b/i

/** Undefined where the last row is an ordinary row. */
export function findClosingRow(rows: readonly (readonly string[])[], columns: readonly string[]) {
  const last = rows.at(-1)
  const above = rows.slice(0, -1)
  if (last === undefined || above.length === 0) return undefined
  const filled = last.flatMap((cell, at) => (cell === '' ? [] : [{ cell, at }]))
  const [named] = filled
  const usual = above.reduce((sum, row) => sum + row.filter((cell) => cell !== '').length, 0) / above.length
  if (named === undefined || !CLOSING_WORDS.test(named.cell) || filled.length > usual * 0.7) return undefined
  const isAlone = above.every((row) => row[named.at]?.toLowerCase() !== named.cell.toLowerCase())
  if (!isAlone) return undefined
  const totals = filled.slice(1).flatMap(({ cell, at }): ClosingRow['totals'] => {
    const number = parseNumber(cell)
    const column = columns[at] ?? ''
    const sum = sumCells(above.map((row) => row[at] ?? ''))
    if (number === undefined) return []
    if (sum !== undefined && compareDecimals(sum, number) === 0) return [{ column, what: 'sum' }]
    const isCount = compareDecimals(number, { units: BigInt(above.length), scale: 0 }) === 0
    return isCount ? [{ column, what: 'rows' }] : []
  })
  return { column: columns[named.at] ?? '', word: named.cell, isFirst: named.at === 0, totals }
}

function sumCells(cells: readonly string[]): Decimal | undefined {
  let sum: Decimal = { units: 0n, scale: 0 }
  for (const cell of cells) {
    if (cell === '') continue
    const number = parseNumber(cell)
    if (number === undefined) return undefined
    sum = addDecimals(sum, number)
  }
  return sum
}

/** Parses `1.216,73` and `1,216.73`; the last mark is the decimal mark. */
function parseNumber(cell: string): Decimal | undefined {
  const plain = cell.replace(/^[$€£]\s?/, '').replaceAll(' ', '')
  const isComma = /,\d{1,2}$/.test(plain)
  return parseDecimal(isComma ? plain.replaceAll('.', '').replace(',', '.') : plain.replaceAll(',', ''))
}
