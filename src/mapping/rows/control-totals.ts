/** Control totals: one row of a file, or of a record, holds the count and the sums of all its other rows. */
import { z } from 'zod'
import type { Row } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import { addDecimals, compareDecimals, type Decimal, formatDecimal } from '../../support/decimal.ts'
import { checkPart, Text } from '../source/schema.ts'
import {
  getEntry,
  getEntryText,
  locateKey,
  type MapNode,
  type MappingErrors,
  nodeAt,
  type SourceNode,
} from '../source/source.ts'
import { compilePattern, type SearchPattern } from '../../support/search-pattern.ts'
import { cleanText, quoteText } from '../values/text.ts'
import type { Column, Columns, MissingColumn } from './columns.ts'
import type { RecordRows } from './grouping.ts'
import {
  checkColumn,
  compileCondition,
  type Condition,
  ConditionFrame,
  createRowCondition,
  formatCondition,
  parseNumber,
} from './conditions.ts'

const TotalCellFrame = z.union([Text, z.strictObject({ from: Text, match: Text })], {
  error: 'expected a column, or `from` and `match` where the total stands in a text',
})

export const TotalsFrame = z
  .strictObject({
    when: ConditionFrame.optional(),
    rows: TotalCellFrame.optional(),
    records: TotalCellFrame.optional(),
    sum: z
      .record(Text, TotalCellFrame)
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
  readonly rows: TotalPlace | undefined
  readonly records: TotalPlace | undefined
  /** Columns to add up, each with the place of its sum in the totals row. */
  readonly sums: readonly (readonly [column: string, total: TotalPlace])[]
  readonly decimal: '.' | ',' | undefined
  /** What the totals are of. */
  readonly about: 'file' | 'record'
}

/** The column of a total, and the expression that finds it in a text. */
interface TotalPlace {
  readonly column: string
  readonly match: SearchPattern | undefined
}

export interface TotalsContext {
  readonly errors: MappingErrors
  readonly typed: boolean
  readonly type: string | undefined
  /** The columns of the totals row and of other rows, where the mapping defines them. */
  readonly columns: readonly string[] | undefined
  readonly added: readonly string[] | undefined
  readonly decimal: '.' | ',' | undefined
  readonly about: TotalsPlan['about']
}

/** Compiles `totals` of the mapping, or of its `lines` for those of a record. */
export function compileTotals(root: MapNode, context: TotalsContext): TotalsPlan | undefined {
  const { errors, typed, type, decimal, about } = context
  const above = about === 'file' ? root : getEntry(root, 'lines')
  const node = above && getEntry(above, 'totals')
  if (node === undefined) {
    if (type !== undefined) {
      const key = about === 'file' ? 'totals' : 'lines.totals'
      errors.add(root, `say under \`${key}\` what the rows of type ${type} count and add up`)
    }
    return undefined
  }
  const frame = checkPart(TotalsFrame, node, errors)
  if (frame === undefined || node.kind !== 'map') return undefined
  const written = getEntry(node, 'when')
  const when =
    typed || written === undefined
      ? undefined
      : compileCondition(written, { errors, columns: context.columns, decimal })
  if (typed && written !== undefined) {
    errors.add(locateKey(node, 'when'), 'the record type says which row it is: leave `when` out')
  } else if (typed && type === undefined) {
    const kind = about === 'file' ? '`as: totals`' : '`as: totals` with `of`, the type of its header row,'
    errors.add(node, `give the row of totals a record type ${kind} under \`read\``)
  } else if (!typed && written === undefined) {
    errors.add(node, 'when is missing: it says which row is that of the totals')
  }
  if (about === 'record' && frame.records !== undefined)
    errors.add(locateKey(node, 'records'), 'this is for the totals of a file: a record is one')
  const toPlace = (key: string) => compilePlace(getEntry(node, key), context)
  return {
    when,
    rows: toPlace('rows'),
    records: toPlace('records'),
    sums: compileSums(getEntry(node, 'sum'), context),
    decimal,
    about,
  }
}

function compilePlace(node: SourceNode | undefined, { errors, columns }: TotalsContext) {
  if (node === undefined) return undefined
  const named = node.kind === 'map' ? getEntry(node, 'from') : node
  if (named?.kind !== 'text') return undefined
  checkColumn(named.text, named, { errors, columns })
  const pattern = getEntryText(node, 'match')
  const match = pattern === undefined ? undefined : compilePattern(pattern)
  if (typeof match === 'string') return errors.add(nodeAt(node, 'match'), match)
  return { column: named.text, match }
}

function compileSums(node: SourceNode | undefined, context: TotalsContext): TotalsPlan['sums'] {
  if (node?.kind !== 'map') return []
  return [...node.entries].flatMap(([column, { node: total }]) => {
    checkColumn(column, locateKey(node, column), { errors: context.errors, columns: context.added })
    const place = compilePlace(total, context)
    return place === undefined ? [] : [[column, place] as const]
  })
}

// Counts and adds up the rows of one file or record and compares the result with its totals row.

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
  /** The layout of the rows that are counted; absent where all are. */
  readonly counted?: number | undefined
}

type ToNumber = (text: string) => Decimal | undefined

/** Binds the totals to the columns of a file. `start` begins to count: once for a file, or for each record. */
export function bindTotals(plan: TotalsPlan, columns: TotalsColumns) {
  const toNumber: ToNumber = (text) => parseNumber(text, plan.decimal)
  const { isTotals, rowsCell, recordsCell, startSums } = bindColumns(plan, columns, toNumber)
  const start = () => {
    const sums = startSums()
    let count = 0
    let totals: Row | undefined
    let behind: Row | undefined
    return {
      /** Returns whether the row is the totals row; counts any other row. */
      take(row: Row) {
        if (isTotals(row)) {
          if (totals !== undefined) behind ??= row
          totals ??= row
          return true
        }
        if (totals !== undefined) behind ??= row
        if (columns.counted === undefined || row.layout === columns.counted) count += 1
        for (const sum of sums) sum.add(row)
        return false
      },
      listMismatches(records: number) {
        if (totals === undefined) return columns.isPart ? [] : [missingTotalsProblem(plan)]
        const row = totals
        return [
          ...(behind === undefined ? [] : [rowAfterTotalsProblem(behind, row, plan)]),
          ...checkCount(row, rowsCell, { count, one: 'row', about: plan.about }, toNumber),
          ...checkCount(row, recordsCell, { count: records, one: 'record', about: plan.about }, toNumber),
          ...sums.flatMap((sum) => sum.mismatch(row)),
        ]
      },
    }
  }
  return { start }
}

function bindColumns(plan: TotalsPlan, columns: TotalsColumns, toNumber: ToNumber) {
  const { layout, totals, added, missing, blanks } = columns
  const columnOf = (name: string, found = totals): Column => {
    const column = found.find([name])
    if (column === undefined) missing.push({ names: [name], field: 'totals', columns: found })
    return column ?? { position: -1, name }
  }
  const holds = plan.when && createRowCondition(plan.when, (name) => columnOf(name).position, blanks)
  const cellOf = ({ column, match }: TotalPlace): TotalCell => ({ ...columnOf(column), match })
  const sums = plan.sums.map(([column, total]) => {
    const [at, found] = added.find(([, each]) => each.has(column)) ?? added[0] ?? [0, totals]
    return { at, column: columnOf(column, found), total: cellOf(total) }
  })
  return {
    isTotals: (row: Row) =>
      (layout === undefined || row.layout === layout) && isUsableRow(row) && (holds?.(row.values) ?? true),
    rowsCell: plan.rows && cellOf(plan.rows),
    recordsCell: plan.records && cellOf(plan.records),
    startSums: () => sums.map(({ at, column, total }) => createSum([at, blanks], column, total, toNumber)),
  }
}

/** A cell of the totals row, or the part of its text that is the total. */
interface TotalCell extends Column {
  readonly match: SearchPattern | undefined
}

function missingTotalsProblem({ when, about }: TotalsPlan): Problem {
  const which = when === undefined ? '' : `, of which ${formatCondition(when)}`
  return problem(
    'control-total-wrong',
    {},
    `The ${about} has no row of totals${which}: its end may be missing.`,
  )
}

/** Ignores a wrong number of cells: totals rows often have fewer. */
function isUsableRow({ problems = [] }: Row): boolean {
  return problems.every(({ code }) => code === 'row-short' || code === 'delimiter-wrong')
}

function rowAfterTotalsProblem(row: Row, totals: Row, { about }: TotalsPlan): Problem {
  const message = `The row stands behind the totals of the ${about} in line ${totals.line}.`
  return problem('control-total-wrong', { line: row.line }, message)
}

function checkCount(
  row: Row,
  cell: TotalCell | undefined,
  {
    count,
    one,
    about,
  }: { readonly count: number; readonly one: string; readonly about: TotalsPlan['about'] },
  toNumber: ToNumber,
): Problem[] {
  if (cell === undefined) return []
  const { place, text } = readTotal(row, cell)
  const declared = toNumber(text)
  if (declared !== undefined && compareDecimals(declared, { units: BigInt(count), scale: 0 }) === 0) return []
  const message = `The totals say ${quoteText(text)}, but the ${about} holds ${count} ${count === 1 ? one : `${one}s`}.`
  return [problem('control-total-wrong', place, message)]
}

function createSum(
  [layout, blanks]: readonly [layout: number, blanks: ReadonlySet<string>],
  column: Column,
  total: TotalCell,
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
      const { place, text } = readTotal(row, total)
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

function readTotal(row: Row, cell: TotalCell): { place: Place; text: string } {
  const found = readCell(row, cell)
  if (cell.match === undefined) return found
  return { ...found, text: cleanText(cell.match.find(found.text) ?? '') }
}

/** Takes the totals out of the rows of a record, and adds a problem for each that does not agree. */
export function checkRecordTotals(record: RecordRows, bound: BoundTotals): RecordRows {
  const counting = bound.start()
  const rows: Row[] = []
  const totals: Row[] = []
  for (const row of record.rows) (counting.take(row) ? totals : rows).push(row)
  const [first] = record.rows
  const place = first === undefined ? {} : { line: first.line }
  const mismatches = counting
    .listMismatches(1)
    .map((each) => ({ ...each, place: { ...place, ...each.place } }))
  const lonely = problem('control-total-wrong', place, 'The record has no rows but its totals.')
  const problems = [...record.problems, ...mismatches, ...(rows.length === 0 ? [lonely] : [])]
  return { rows, problems, totals }
}
