/** The last row of a sample, where it speaks of the whole file: what it counts or adds up. */
import { parseDecimal, addDecimals, compareDecimals, type Decimal } from '../../../support/decimal.ts'

export interface ClosingRow {
  /** The column of the cell that names the row, and its text. */
  readonly column: string
  readonly word: string
  /** Whether the line begins with it. */
  readonly isFirst: boolean
  /** What its numbers are, by their columns; empty when nothing agrees. */
  readonly says: readonly { readonly column: string; readonly what: 'rows' | 'sum' }[]
}

const WORDS =
  /^(?:grand ?total|sub ?total|totals?|sum|summe|gesamt|gesamtsumme|total general|somme|suma|trailer|trl|end|eof|end of (?:file|report)|ende|fin)\b/i

/** Undefined where the last row is one like the others. */
export function closingRow(
  rows: readonly (readonly string[])[],
  columns: readonly string[],
): ClosingRow | undefined {
  const last = rows.at(-1)
  const above = rows.slice(0, -1)
  if (last === undefined || above.length === 0) return undefined
  const filled = last.flatMap((cell, at) => (cell === '' ? [] : [{ cell, at }]))
  const [named] = filled
  const usual = above.reduce((sum, row) => sum + row.filter((cell) => cell !== '').length, 0) / above.length
  if (named === undefined || !WORDS.test(named.cell) || filled.length > usual * 0.7) return undefined
  const isAlone = above.every((row) => row[named.at]?.toLowerCase() !== named.cell.toLowerCase())
  if (!isAlone) return undefined
  const says = filled.slice(1).flatMap(({ cell, at }): ClosingRow['says'] => {
    const number = numberIn(cell)
    const column = columns[at] ?? ''
    const sum = sumOf(above.map((row) => row[at] ?? ''))
    if (number === undefined) return []
    if (sum !== undefined && compareDecimals(sum, number) === 0) return [{ column, what: 'sum' }]
    const isCount = compareDecimals(number, { units: BigInt(above.length), scale: 0 }) === 0
    return isCount ? [{ column, what: 'rows' }] : []
  })
  return { column: columns[named.at] ?? '', word: named.cell, isFirst: named.at === 0, says }
}

function sumOf(cells: readonly string[]): Decimal | undefined {
  let sum: Decimal = { units: 0n, scale: 0 }
  for (const cell of cells) {
    if (cell === '') continue
    const number = numberIn(cell)
    if (number === undefined) return undefined
    sum = addDecimals(sum, number)
  }
  return sum
}

/** `1.216,73` and `1,216.73`; what stands last is before the decimals. */
function numberIn(cell: string): Decimal | undefined {
  const plain = cell.replace(/^[$€£]\s?/, '').replaceAll(' ', '')
  const isComma = /,\d{1,2}$/.test(plain)
  return parseDecimal(isComma ? plain.replaceAll('.', '').replace(',', '.') : plain.replaceAll(',', ''))
}
