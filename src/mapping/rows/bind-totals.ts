/** Counts and adds up the rows of one file, and holds what comes out against its row of totals. */
import type { Row } from '../../domain/document.ts'
import { type Place, type Problem, problem } from '../../domain/problem.ts'
import { addDecimals, compareDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import type { Column, Columns, MissingColumn } from './columns.ts'
import { conditionInWords, rowCondition } from './conditions.ts'
import type { TotalsPlan } from './control-totals.ts'
import { numberOf } from './number-tests.ts'
import { cleaned, quoted } from '../values/text.ts'

export interface BoundTotals {
  /** Tells whether the row is that of the totals, and belongs to no record; any other is counted. */
  take(row: Row): boolean
  /** What does not agree, when the file has ended. */
  disagreements(records: number): Problem[]
}

/** Where the columns are. */
export interface TotalsColumns {
  /** The layout of the row of totals, when it has one of its own, and its columns. */
  readonly layout: number | undefined
  readonly totals: Columns
  /** The layouts of the other rows, each with its columns: a column is added up in the first that has it. */
  readonly added: readonly (readonly [layout: number, columns: Columns])[]
  readonly missing: MissingColumn[]
  /**
   * Whether the file holds a part of another: it needs no row of totals. One that has it is a file that was refused as a
   * whole, and is held to it.
   */
  readonly isPart: boolean
  /** Texts that mean blank. */
  readonly blanks: ReadonlySet<string>
}

/** Reads a number as the file writes it. */
type ToNumber = (text: string) => Decimal | undefined

export function bindTotals(plan: TotalsPlan, columns: TotalsColumns): BoundTotals {
  const { isTotals, rowsColumn, recordsColumn, sums } = bindColumns(plan, columns)
  const toNumber = readerOf(plan)
  let count = 0
  let totals: Row | undefined
  let behind: Row | undefined
  return {
    take(row) {
      if (isTotals(row)) {
        if (totals !== undefined) behind ??= row
        totals ??= row
        return true
      }
      if (totals !== undefined) behind ??= row
      count += 1
      for (const sum of sums) sum.add(row)
      return false
    },
    disagreements(records) {
      if (totals === undefined) return columns.isPart ? [] : [noTotals(plan)]
      const row = totals
      return [
        ...(behind === undefined ? [] : [rowBehind(behind, row)]),
        ...(rowsColumn === undefined ? [] : counted(row, rowsColumn, [count, 'row', 'rows'], toNumber)),
        ...(recordsColumn === undefined
          ? []
          : counted(row, recordsColumn, [records, 'record', 'records'], toNumber)),
        ...sums.flatMap((sum) => sum.disagreement(row)),
      ]
    },
  }
}

function bindColumns(plan: TotalsPlan, { layout, totals, added, missing, blanks }: TotalsColumns) {
  const columnOf = (name: string, found = totals): Column => {
    const column = found.find([name])
    if (column === undefined) missing.push({ names: [name], field: 'totals', columns: found })
    return column ?? { position: -1, name }
  }
  const holds = plan.when && rowCondition(plan.when, (name) => columnOf(name).position, blanks)
  const sums = plan.sums.map(([column, total]) => {
    const [at, found] = added.find(([, columns]) => columns.has(column)) ?? added[0] ?? [0, totals]
    return addingUp([at, blanks], columnOf(column, found), columnOf(total), readerOf(plan))
  })
  return {
    isTotals: (row: Row) =>
      (layout === undefined || row.layout === layout) && isWhole(row) && (holds?.(row.values) ?? true),
    rowsColumn: plan.rows === undefined ? undefined : columnOf(plan.rows),
    recordsColumn: plan.records === undefined ? undefined : columnOf(plan.records),
    sums,
  }
}

function readerOf({ decimal }: TotalsPlan): ToNumber {
  return (text) => numberOf(text, decimal)
}

function noTotals({ when }: TotalsPlan): Problem {
  const which = when === undefined ? '' : `, of which ${conditionInWords(when)}`
  const message = `The file has no row of totals${which}: its end may be missing.`
  return problem('control-total-wrong', {}, message)
}

/** A row of totals often has fewer cells than the others. */
function isWhole({ problems = [] }: Row): boolean {
  return problems.every(({ code }) => code === 'row-short')
}

function rowBehind(row: Row, totals: Row): Problem {
  const message = `The row stands behind the totals of the file in line ${totals.line}.`
  return problem('control-total-wrong', { line: row.line }, message)
}

function counted(
  row: Row,
  column: Column,
  [count, one, many]: readonly [count: number, one: string, many: string],
  toNumber: ToNumber,
): Problem[] {
  const { place, text } = cellOf(row, column)
  const said = toNumber(text)
  if (said !== undefined && compareDecimals(said, { units: BigInt(count), scale: 0 }) === 0) return []
  const message = `The totals say ${quoted(text)}, but the file holds ${count} ${count === 1 ? one : many}.`
  return [problem('control-total-wrong', place, message)]
}

function addingUp(
  [layout, blanks]: readonly [layout: number, blanks: ReadonlySet<string>],
  column: Column,
  total: Column,
  toNumber: ToNumber,
) {
  let sum: Decimal = { units: 0n, scale: 0 }
  let unreadable: { place: Place; text: string } | undefined
  return {
    add(row: Row): void {
      if (row.layout !== layout) return
      const cell = cellOf(row, column)
      if (cell.text === '' || blanks.has(cell.text.toLowerCase())) return
      const number = toNumber(cell.text)
      if (number === undefined) unreadable ??= cell
      else sum = addDecimals(sum, number)
    },
    disagreement(row: Row): Problem[] {
      if (unreadable !== undefined) {
        const message = `${quoted(unreadable.text)} is no number, so the total cannot be checked.`
        return [problem('control-total-wrong', unreadable.place, message)]
      }
      const { place, text } = cellOf(row, total)
      const said = toNumber(text)
      if (said !== undefined && compareDecimals(said, sum) === 0) return []
      const message = `The totals say ${quoted(text)}, but "${column.name}" adds up to ${formatDecimal(sum)}.`
      return [problem('control-total-wrong', place, message)]
    },
  }
}

function cellOf(row: Row, { position, name }: Column): { place: Place; text: string } {
  return { place: { line: row.line, column: name }, text: cleaned(row.values[position] ?? '') }
}
