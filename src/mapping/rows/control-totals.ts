/** Control totals: one row of a file holds the count and the sums of all its other rows. */
import { z } from 'zod'
import type { Row } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import { addDecimals, compareDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import { checkPart, Text } from '../source/schema.ts'
import { getEntry, locateKey, type MapNode, type MappingErrors } from '../source/source.ts'
import { cleanText, quoteText } from '../values/text.ts'
import type { Column, Columns, MissingColumn } from './columns.ts'
import {
  checkColumn,
  compileCondition,
  type Condition,
  type ConditionContext,
  ConditionFrame,
  createRowCondition,
  formatCondition,
  parseNumber,
} from './conditions.ts'

export const TotalsFrame = z
  .strictObject({
    when: ConditionFrame.optional(),
    rows: Text.optional(),
    records: Text.optional(),
    sum: z
      .record(Text, Text)
      .refine((sums) => Object.keys(sums).length > 0, 'name a column and the column of its total')
      .optional(),
  })
  .refine(
    ({ rows, records, sum }) => rows !== undefined || records !== undefined || sum !== undefined,
    'name the column that holds the number of `rows` or of `records`, or the `sum` of a column',
  )

export interface TotalsPlan {
  /** The condition for the totals row; absent where it has its own record type. */
  readonly when: Condition | undefined
  readonly rows: string | undefined
  readonly records: string | undefined
  /** Columns to add up, each with the column of the totals row that holds its sum. */
  readonly sums: readonly (readonly [column: string, total: string])[]
  readonly decimal: '.' | ',' | undefined
}

export interface TotalsContext {
  readonly errors: MappingErrors
  readonly typed: boolean
  readonly type: string | undefined
  /** The columns of the totals row and of other rows, where the mapping defines them. */
  readonly columns: readonly string[] | undefined
  readonly added: readonly string[] | undefined
  readonly decimal: '.' | ',' | undefined
}

export function compileTotals(root: MapNode, context: TotalsContext): TotalsPlan | undefined {
  const { errors, typed, type, decimal } = context
  const node = getEntry(root, 'totals')
  if (node === undefined) {
    if (type !== undefined) {
      errors.add(root, `say under \`totals\` what the rows of type ${type} count and add up`)
    }
    return undefined
  }
  const frame = checkPart(TotalsFrame, node, errors)
  if (frame === undefined || node.kind !== 'map') return undefined
  const written = getEntry(node, 'when')
  const when = typed || written === undefined ? undefined : compileCondition(written, context)
  if (typed && written !== undefined) {
    errors.add(locateKey(node, 'when'), 'the record type says which row it is: leave `when` out')
  } else if (typed && type === undefined) {
    errors.add(node, 'give the row of totals a record type `as: totals` under `read`')
  } else if (!typed && written === undefined) {
    errors.add(node, 'when is missing: it says which row is that of the totals')
  }
  checkColumns(node, context)
  const { rows, records, sum = {} } = frame
  return { when, rows, records, sums: Object.entries(sum), decimal }
}

function checkColumns(node: MapNode, { errors, columns, added }: TotalsContext): void {
  const context: ConditionContext = { errors, columns }
  for (const name of ['rows', 'records']) {
    const column = getEntry(node, name)
    if (column?.kind === 'text') checkColumn(column.text, column, context)
  }
  const sums = getEntry(node, 'sum')
  if (sums?.kind !== 'map') return
  for (const [column, { node: total }] of sums.entries) {
    checkColumn(column, locateKey(sums, column), { errors, columns: added })
    if (total.kind === 'text') checkColumn(total.text, total, context)
  }
}

// Counts and adds up the rows of one file and compares the result with its totals row.

export type BoundTotals = ReturnType<typeof bindTotals>

export interface TotalsColumns {
  /** The layout of the totals row, when it has its own, and its columns. */
  readonly layout: number | undefined
  readonly totals: Columns
  /** The layouts of the other rows with their columns. A column is added up in the first layout that has it. */
  readonly added: readonly (readonly [layout: number, columns: Columns])[]
  readonly missing: MissingColumn[]
  /**
   * Whether the file holds a part of another, such as rejected rows: it needs no totals row. A part that has one was
   * refused as a whole, so its totals are checked.
   */
  readonly isPart: boolean
  readonly blanks: ReadonlySet<string>
}

type ToNumber = (text: string) => Decimal | undefined

export function bindTotals(plan: TotalsPlan, columns: TotalsColumns) {
  const toNumber: ToNumber = (text) => parseNumber(text, plan.decimal)
  const { isTotals, rowsColumn, recordsColumn, sums } = bindColumns(plan, columns, toNumber)
  let count = 0
  let totals: Row | undefined
  let behind: Row | undefined
  return {
    /** Returns whether the row is the totals row, which belongs to no record; counts any other row. */
    take(row: Row) {
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
    listMismatches(records: number) {
      if (totals === undefined) return columns.isPart ? [] : [missingTotalsProblem(plan)]
      const row = totals
      return [
        ...(behind === undefined ? [] : [rowAfterTotalsProblem(behind, row)]),
        ...checkCount(row, rowsColumn, [count, 'row', 'rows'], toNumber),
        ...checkCount(row, recordsColumn, [records, 'record', 'records'], toNumber),
        ...sums.flatMap((sum) => sum.mismatch(row)),
      ]
    },
  }
}

function bindColumns(plan: TotalsPlan, columns: TotalsColumns, toNumber: ToNumber) {
  const { layout, totals, added, missing, blanks } = columns
  const columnOf = (name: string, found = totals): Column => {
    const column = found.find([name])
    if (column === undefined) missing.push({ names: [name], field: 'totals', columns: found })
    return column ?? { position: -1, name }
  }
  const holds = plan.when && createRowCondition(plan.when, (name) => columnOf(name).position, blanks)
  const sums = plan.sums.map(([column, total]) => {
    const [at, found] = added.find(([, each]) => each.has(column)) ?? added[0] ?? [0, totals]
    return createSum([at, blanks], columnOf(column, found), columnOf(total), toNumber)
  })
  return {
    isTotals: (row: Row) =>
      (layout === undefined || row.layout === layout) && isUsableRow(row) && (holds?.(row.values) ?? true),
    rowsColumn: plan.rows === undefined ? undefined : columnOf(plan.rows),
    recordsColumn: plan.records === undefined ? undefined : columnOf(plan.records),
    sums,
  }
}

function missingTotalsProblem({ when }: TotalsPlan): Problem {
  const which = when === undefined ? '' : `, of which ${formatCondition(when)}`
  return problem('control-total-wrong', {}, `The file has no row of totals${which}: its end may be missing.`)
}

/** Ignores a wrong number of cells: totals rows often have fewer. */
function isUsableRow({ problems = [] }: Row): boolean {
  return problems.every(({ code }) => code === 'row-short')
}

function rowAfterTotalsProblem(row: Row, totals: Row): Problem {
  const message = `The row stands behind the totals of the file in line ${totals.line}.`
  return problem('control-total-wrong', { line: row.line }, message)
}

function checkCount(
  row: Row,
  column: Column | undefined,
  [count, one, many]: readonly [count: number, one: string, many: string],
  toNumber: ToNumber,
): Problem[] {
  if (column === undefined) return []
  const { place, text } = readCell(row, column)
  const declared = toNumber(text)
  if (declared !== undefined && compareDecimals(declared, { units: BigInt(count), scale: 0 }) === 0) return []
  const message = `The totals say ${quoteText(text)}, but the file holds ${count} ${count === 1 ? one : many}.`
  return [problem('control-total-wrong', place, message)]
}

function createSum(
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
      const cell = readCell(row, column)
      if (cell.text === '' || blanks.has(cell.text.toLowerCase())) return
      const number = toNumber(cell.text)
      if (number === undefined) unreadable ??= cell
      else sum = addDecimals(sum, number)
    },
    mismatch(row: Row): Problem[] {
      if (unreadable !== undefined) {
        const message = `${quoteText(unreadable.text)} is no number, so the total cannot be checked.`
        return [problem('control-total-wrong', unreadable.place, message)]
      }
      const { place, text } = readCell(row, total)
      const declared = toNumber(text)
      if (declared !== undefined && compareDecimals(declared, sum) === 0) return []
      const message = `The totals say ${quoteText(text)}, but "${column.name}" adds up to ${formatDecimal(sum)}.`
      return [problem('control-total-wrong', place, message)]
    },
  }
}

function readCell(row: Row, { position, name }: Column): { place: Place; text: string } {
  return { place: { line: row.line, column: name }, text: cleanText(row.values[position] ?? '') }
}
