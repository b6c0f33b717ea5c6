/** Binds a calculation to the columns of a file and works it out for the record being built; no float ever holds a number. */
import type { Row } from '../../domain/document.ts'
import { type Place, problem, type ProblemCode } from '../../domain/problem.ts'
import {
  addDecimals,
  type Decimal,
  formatDecimal,
  multiplyDecimals,
  rescaleExactly,
} from '../../support/decimal.ts'
import type { Building } from '../binding/building.ts'
import { placeOf, type TextSource } from '../binding/text-source.ts'
import { notADate, readTime } from '../values/dates.ts'
import { numberReader } from '../values/number-text.ts'
import { rounded } from '../values/rounding.ts'
import { FAILED } from '../values/value.ts'
import { quoted } from '../values/text.ts'
import { type Calc, type CalcPlan, columnsIn, type DateCalc } from './calc.ts'

/** How the columns of a calculation are read in the file. */
export interface CalcColumns {
  readonly building: Building
  /** The name of the field, in the record being built. */
  readonly field: () => string
  /** A column outside of sums; undefined when the file does not have it. */
  source(name: string): TextSource | undefined
  /** A column inside of a sum, for each of the rows of the record. */
  rowSource(name: string): RowSource | undefined
}

export interface RowSource {
  text(row: Row): string
  place(row: Row): Place
}

/** A blank makes what it stands in blank; only a sum passes over it. */
type Value = Decimal | 'blank' | 'failed'

type Evaluate = (row: Row | undefined) => Value

/** A date may be moved by about a hundred years. */
const MOST_DAYS = 36_500
const DAY_MS = 24 * 60 * 60_000

/** The result as text: plain decimals, or a date as ISO 8601. */
export function bindCalc(plan: CalcPlan, columns: CalcColumns): TextSource {
  const { calc } = plan
  const outside = new Map(
    columnsIn(calc)
      .filter(({ inSum }) => !inSum)
      .map(({ name }): [string, TextSource | undefined] => [name, columns.source(name)]),
  )
  const inside = new Map(
    columnsIn(calc)
      .filter(({ inSum }) => inSum)
      .map(({ name }): [string, RowSource | undefined] => [name, columns.rowSource(name)]),
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

interface Scope {
  readonly plan: CalcPlan
  readonly columns: CalcColumns
  readonly outside: ReadonlyMap<string, TextSource | undefined>
  readonly inside: ReadonlyMap<string, RowSource | undefined>
}

function numberOf(calc: Calc, scope: Scope): TextSource['take'] {
  const evaluate = evaluator(calc, scope)
  return () => {
    const value = evaluate(undefined)
    if (value === 'failed') return FAILED
    return value === 'blank' ? '' : withoutTrailingZeros(formatDecimal(value))
  }
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
    const whole = rescaleExactly(added, 0)
    if (whole === undefined || whole.units > MOST_DAYS || whole.units < -MOST_DAYS) {
      return refuse('integer-expected', `${formatDecimal(added)} days cannot be added to a date.`)
    }
    const moved = new Date(written.localMs + Number(whole.units) * DAY_MS)
    return `${moved.toISOString().slice(0, 19)}${offsetText(written.offsetMs)}`
  }
}

function evaluator(calc: Calc, scope: Scope): Evaluate {
  switch (calc.kind) {
    case 'number':
      return () => calc.value
    case 'column':
      return calc.inSum ? rowColumn(calc.name, scope) : column(calc.name, scope)
    case 'count': {
      const { building } = scope.columns
      return () => ({ units: BigInt(building.lineRows.length), scale: 0 })
    }
    case 'sum':
      return sumOf(evaluator(calc.of, scope), scope.columns.building)
    case 'round': {
      const of = evaluator(calc.of, scope)
      return (row) => applied(of(row), ZERO, (value) => rounded(value, calc.decimals, 'half-up'))
    }
    case 'negative': {
      const of = evaluator(calc.of, scope)
      return (row) => applied(of(row), ZERO, ({ units, scale }) => ({ units: -units, scale }))
    }
    case '+':
    case '-':
    case '*': {
      const left = evaluator(calc.left, scope)
      const right = evaluator(calc.right, scope)
      const operation = OPERATIONS[calc.kind]
      return (row) => applied(left(row), right(row), operation)
    }
  }
}

const ZERO: Decimal = { units: 0n, scale: 0 }

const OPERATIONS = {
  '+': addDecimals,
  '-': (a: Decimal, b: Decimal) => addDecimals(a, { units: -b.units, scale: b.scale }),
  '*': multiplyDecimals,
}

function applied(a: Value, b: Value, operation: (a: Decimal, b: Decimal) => Decimal): Value {
  if (a === 'failed' || b === 'failed') return 'failed'
  return a === 'blank' || b === 'blank' ? 'blank' : operation(a, b)
}

/** Rows that cannot be used have said so already. */
function sumOf(of: Evaluate, building: Building): Evaluate {
  return () => {
    let total = ZERO
    let isFailed = false
    for (const row of building.lineRows) {
      if (row.problems !== undefined) continue
      const value = of(row)
      if (value === 'failed') isFailed = true
      else if (value !== 'blank') total = addDecimals(total, value)
    }
    return isFailed ? 'failed' : total
  }
}

function column(name: string, { plan, columns, outside }: Scope): Evaluate {
  const source = outside.get(name)
  if (source === undefined) return () => 'blank'
  const toValue = valueReader(plan, columns.building)
  return () => {
    const text = source.take()
    if (typeof text !== 'string') return 'failed'
    if (text === '') return 'blank'
    return toValue(text, source.place)
  }
}

function rowColumn(name: string, { plan, columns, inside }: Scope): Evaluate {
  const source = inside.get(name)
  if (source === undefined) return () => 'blank'
  const toValue = valueReader(plan, columns.building)
  return (row) => {
    const text = row === undefined ? '' : source.text(row)
    return row === undefined || text === '' ? 'blank' : toValue(text, () => source.place(row))
  }
}

function valueReader({ numbers }: CalcPlan, building: Building): (text: string, place: () => Place) => Value {
  const read = numberReader(numbers)
  return (text, place) => {
    const number = read(text)
    if (!('why' in number)) return number
    const message = number.why ?? `${quoted(text)} is not a number to calculate with.`
    building.problems.push(problem('decimal-expected', place(), message, number.hint))
    return 'failed'
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

function placeOfRecord({ building, field }: CalcColumns): Place {
  const line = building.headerRows[0]?.line
  return { ...(line === undefined ? {} : { line }), field: field() }
}
