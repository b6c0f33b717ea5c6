/** Binds a calculation to the columns of a file: what it comes to becomes a text, as if it stood in a cell. */
import { problem, type ProblemCode } from '../../domain/problem.ts'
import { formatDecimal, rescaleExactly } from '../../support/decimal.ts'
import type { Building } from '../binding/building.ts'
import { placeOf, type TextSource } from '../binding/text-source.ts'
import { notADate, readTime } from '../values/dates.ts'
import { FAILED } from '../values/value.ts'
import { type Calc, type CalcPlan, columnsIn, type DateCalc } from './calc.ts'
import { type CalcColumns, evaluator, placeOfRecord, type RowSource, type Scope } from './evaluate.ts'
import { round, toDecimal } from './ratio.ts'

/** A date may be moved by about a hundred years. */
const MOST_DAYS = 36_500
const DAY_MS = 24 * 60 * 60_000

/** The result as text: plain decimals, or a date as ISO 8601. */
export function bindCalc(plan: CalcPlan, columns: CalcColumns): TextSource {
  const { calc } = plan
  const named = columnsIn(calc)
  const isNeeded = (name: string) =>
    named.some((column) => column.name === name && column.otherwise === undefined)
  const outside = new Map(
    named
      .filter(({ inSum }) => !inSum)
      .map(({ name }): [string, TextSource | undefined] => [name, columns.source(name, isNeeded(name))]),
  )
  const inside = new Map(
    named
      .filter(({ inSum }) => inSum)
      .map(({ name }): [string, RowSource | undefined] => [name, columns.rowSource(name, isNeeded(name))]),
  )
  const sources = [...outside.values()].filter((source) => source !== undefined)
  const scope: Scope = { plan, columns, outside, inside }
  const take = calc.kind === 'date' ? dateOf(calc, scope) : numberOf(calc, scope)
  return {
    columns: sources.flatMap((source) => source.columns),
    take,
    text: () => sources.map((source) => source.text()).find((text) => text !== '') ?? '',
    place: () => (sources.length > 0 ? placeOf(sources) : placeOfRecord(columns)),
    cells: () => [...sources.flatMap((source) => source.cells()), ...summedCells(inside, columns.building)],
  }
}

/** The texts of so many rows are shown of a sum. */
const ROWS_SHOWN = 5

function summedCells(
  inside: Scope['inside'],
  { lineRows }: Building,
): { readonly column: string; readonly text: string }[] {
  const more = lineRows.length > ROWS_SHOWN ? ', …' : ''
  return [...inside].flatMap(([column, source]) => {
    const texts = source === undefined ? [] : lineRows.slice(0, ROWS_SHOWN).map((row) => source.text(row))
    return texts.length === 0 ? [] : [{ column, text: texts.join(', ') + more }]
  })
}

function numberOf(calc: Calc, scope: Scope): TextSource['take'] {
  const evaluate = evaluator(calc, scope)
  const { round: told } = scope.plan
  return () => {
    const value = evaluate(undefined)
    if (value === 'failed') return FAILED
    if (value === 'blank') return ''
    const exact = toDecimal(value)
    if (exact !== undefined) return withoutTrailingZeros(formatDecimal(exact))
    if (told !== undefined) return formatDecimal(round(value, told.decimals, told.rounding))
    const shown = formatDecimal(round(value, DECIMALS_SHOWN, 'down'))
    return refused(scope, `The calculation comes to ${shown}…, a number without an end.`, ROUND_IT)
  }
}

const DECIMALS_SHOWN = 6

const ROUND_IT = 'Say in the mapping how it is rounded, as in `round([Total] / [Qty], 2)`.'

/** Nobody's cell is wrong by itself: the place is that of the calculation. */
function refused({ columns, outside }: Scope, message: string, hint?: string): typeof FAILED {
  const sources = [...outside.values()].filter((source) => source !== undefined)
  const place = sources.length > 0 ? placeOf(sources) : placeOfRecord(columns)
  columns.building.problems.push(problem('decimal-expected', place, message, hint))
  return FAILED
}

function dateOf({ column, days }: DateCalc, scope: Scope): TextSource['take'] {
  const { plan, columns, outside } = scope
  const source = outside.get(column)
  const evaluate = evaluator(days, scope)
  if (source === undefined) return () => ''
  const refuse = (code: ProblemCode, message: string) => {
    columns.building.problems.push(problem(code, source.place(), message))
    return FAILED
  }
  return () => {
    const text = source.take()
    const added = evaluate(undefined)
    if (typeof text !== 'string' || added === 'failed') return FAILED
    if (text === '' || added === 'blank') return ''
    const written = readTime(text, plan.dates)
    if (written === undefined) return refuse('date-expected', notADate(text, plan.dates))
    const exact = toDecimal(added)
    const whole = exact && rescaleExactly(exact, 0)
    if (whole === undefined || whole.units > MOST_DAYS || whole.units < -MOST_DAYS) {
      return refuse(
        'integer-expected',
        `${formatDecimal(exact ?? round(added, DECIMALS_SHOWN, 'down'))} days cannot be added to a date.`,
      )
    }
    const moved = new Date(written.localMs + Number(whole.units) * DAY_MS)
    return `${moved.toISOString().slice(0, 19)}${offsetText(written.offsetMs)}`
  }
}

function withoutTrailingZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** `-05:00`, as ISO 8601 writes it; empty when the text named none. */
function offsetText(offsetMs: number | undefined): string {
  if (offsetMs === undefined) return ''
  const minutes = Math.abs(offsetMs) / 60_000
  const two = (value: number) => String(value).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
