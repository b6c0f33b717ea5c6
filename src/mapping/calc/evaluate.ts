/** Evaluates a calculation for the record being built, without floating-point numbers. */
import type { Row } from '../../domain/format.ts'
import { problem, type ProblemCode } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import {
  addDecimals,
  type Decimal,
  formatDecimal,
  formatShortDecimal,
  multiplyDecimals,
  rescaleExactly,
} from '../../support/decimal.ts'
import { locate, type RecordBuilder, warnOfGroupingPoint } from '../binding/record-builder.ts'
import type { ExplainedCell } from '../binding/explained.ts'
import { findSourcePlace, type TextSource } from '../binding/text-source.ts'
import { parseTime, refuseDate } from '../values/dates.ts'
import {
  createNumberReader,
  divideRounded,
  type Rounding,
  stripCurrency,
  suggestCurrencyFix,
  suggestDecimalFix,
} from '../values/numbers.ts'
import { FAILED, quoteText } from '../values/text.ts'
import { type Calc, type CalcColumn, type CalcPlan, type DateCalc, listColumns } from './calculation.ts'
import { createPlainEvaluator, type PlainScope } from './plain-numbers.ts'
import { DAY_MS } from '../../support/clock.ts'

// Binds a calculation to the columns of a file. Its result is a text, like that of a cell.

/** A date may be moved by about a hundred years. */
const MAX_DAYS = 36_500
/** The result as text: plain decimals, or a date as ISO 8601. */
export function bindCalc(plan: CalcPlan, columns: CalcColumns): TextSource {
  const { calc } = plan
  const named = listColumns(calc)
  const isNeeded = (name: string) =>
    named.some((column) => column.name === name && column.otherwise === undefined)
  const outside = new Map<string, TextSource | undefined>()
  const inside = new Map<string, RowSource | undefined>()
  for (const { name, inSum } of named) {
    if (inSum) inside.set(name, columns.rowSource(name, isNeeded(name)))
    else outside.set(name, columns.source(name, isNeeded(name)))
  }
  const sources = [...outside.values()].filter((source) => source !== undefined)
  const scope: CalcScope = { plan, columns, outside, inside }
  const take = calc.kind === 'date' ? bindDate(calc, scope) : bindNumber(calc, scope)
  return {
    columns: sources.flatMap((source) => source.columns),
    take,
    text: () => sources.map((source) => source.text()).find((text) => text !== '') ?? '',
    place: () => findPlace(scope),
    cells: () => [...sources.flatMap((source) => source.cells()), ...explainSummedCells(scope)],
  }
}

/** An explanation of a sum shows the texts of this many rows. */
const MAX_SHOWN_ROWS = 5

function explainSummedCells({ inside, columns }: CalcScope): ExplainedCell[] {
  const { lineRows } = columns.builder
  const more = lineRows.length > MAX_SHOWN_ROWS ? ', …' : ''
  return [...inside].flatMap(([column, source]) => {
    const texts = source === undefined ? [] : lineRows.slice(0, MAX_SHOWN_ROWS).map((row) => source.text(row))
    return texts.length === 0 ? [] : [{ column, text: texts.join(', ') + more }]
  })
}

function bindNumber(calc: Calc, scope: CalcScope): TextSource['take'] {
  const evaluate = createEvaluator(calc, scope)
  const evaluatePlain = createPlainEvaluator(calc, createPlainScope(scope))
  const { round: roundTo } = scope.plan
  const { builder } = scope.columns
  return () => {
    const before = builder.problems.length
    const plain = evaluatePlain?.()
    if (plain !== undefined) return plain
    // What was noted so far is noted again.
    builder.problems.length = before
    const value = evaluate(undefined)
    if (value === 'failed') return FAILED
    if (value === 'blank') return ''
    const exact = toDecimal(value)
    if (exact !== undefined) return formatShortDecimal(exact)
    if (roundTo !== undefined) return formatDecimal(roundRatio(value, roundTo.decimals, roundTo.rounding))
    const shown = formatDecimal(roundRatio(value, DECIMALS_SHOWN, 'down'))
    return refuseCalc(scope, `The result ${shown}… has too many decimals.`, ROUNDING_FIX)
  }
}

function createPlainScope({ plan, columns, outside, inside }: CalcScope): PlainScope {
  return {
    numbers: plan.numbers,
    listRows: () => columns.builder.lineRows,
    createReader({ name, inSum }) {
      const ofRow = inSum ? inside.get(name) : undefined
      if (ofRow !== undefined) return (row) => (row === undefined ? '' : ofRow.text(row))
      const source = inSum ? undefined : outside.get(name)
      if (source === undefined) return () => ''
      return () => {
        const text = source.take()
        return typeof text === 'string' ? text : undefined
      }
    },
  }
}

const DECIMALS_SHOWN = 6
const ROUNDING_FIX = 'Say in the mapping how it is rounded, as in `round([Total] / [Qty], 2)`.'

/** Adds a problem at the place of the calculation, because no single cell is wrong. */
function refuseCalc(scope: CalcScope, message: string, fix: string): typeof FAILED {
  scope.columns.builder.problems.push(problem('decimal-expected', findPlace(scope), message, fix))
  return FAILED
}

function findPlace({ columns, outside }: CalcScope): Place {
  const sources = [...outside.values()].filter((source) => source !== undefined)
  return sources.length > 0 ? findSourcePlace(sources) : findRecordPlace(columns)
}

function bindDate({ column, days }: DateCalc, scope: CalcScope): TextSource['take'] {
  const { plan, columns, outside } = scope
  const source = outside.get(column)
  const evaluate = createEvaluator(days, scope)
  if (source === undefined) return () => ''
  const refuse = (code: ProblemCode, message: string) => {
    columns.builder.problems.push(problem(code, source.place(), message))
    return FAILED
  }
  return () => {
    const text = source.take()
    const added = evaluate(undefined)
    if (typeof text !== 'string' || added === 'failed') return FAILED
    if (text === '' || added === 'blank') return ''
    const written = parseTime(text, plan.dates)
    if (written === undefined) return refuseDate(text, plan.dates, refuse)
    const exact = toDecimal(added)
    const whole = exact && rescaleExactly(exact, 0)
    if (whole === undefined || whole.units > MAX_DAYS || whole.units < -MAX_DAYS) {
      const days = formatDecimal(exact ?? roundRatio(added, DECIMALS_SHOWN, 'down'))
      return refuse('integer-expected', `${days} days cannot be added to a date.`)
    }
    const moved = new Date(written.localMs + Number(whole.units) * DAY_MS)
    return `${moved.toISOString().slice(0, 19)}${formatOffset(written.offsetMs)}`
  }
}

/** `-05:00`, as ISO 8601 writes it; empty when the text named none. */
function formatOffset(offsetMs: number | undefined): string {
  if (offsetMs === undefined) return ''
  const minutes = Math.abs(offsetMs) / 60_000
  const two = (value: number) => String(value).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

export interface CalcColumns {
  readonly builder: RecordBuilder
  readonly field: () => string
  /** Returns a column outside of sums; undefined when the file lacks it, which is a problem where `isNeeded`. */
  source(name: string, isNeeded: boolean): TextSource | undefined
  /** A column inside of a sum, for each of the rows of the record. */
  rowSource(name: string, isNeeded: boolean): RowSource | undefined
}

interface RowSource {
  text(row: Row): string
  place(row: Row): Place
}

/** A blank makes the expression around it blank; only a sum skips it. */
type CalcValue = Ratio | 'blank' | 'failed'

type Evaluate = (row: Row | undefined) => CalcValue

interface CalcScope {
  readonly plan: CalcPlan
  readonly columns: CalcColumns
  readonly outside: ReadonlyMap<string, TextSource | undefined>
  readonly inside: ReadonlyMap<string, RowSource | undefined>
}

function createEvaluator(calc: Calc, scope: CalcScope): Evaluate {
  switch (calc.kind) {
    case 'number': {
      const constant = toRatio(calc.value)
      return () => constant
    }
    case 'column':
      return evaluateColumn(calc, scope)
    case 'count': {
      const { builder } = scope.columns
      return () => toRatio({ units: BigInt(builder.lineRows.length), scale: 0 })
    }
    case 'sum':
      return evaluateSum(createEvaluator(calc.of, scope), scope.columns.builder)
    case 'round': {
      const of = createEvaluator(calc.of, scope)
      return (row) => applyOperation(of(row), ZERO, (value) => roundRatio(value, calc.decimals, 'half-up'))
    }
    case 'negative': {
      const of = createEvaluator(calc.of, scope)
      return (row) => applyOperation(of(row), ZERO, negateRatio)
    }
    case '+':
    case '-':
    case '*': {
      const left = createEvaluator(calc.left, scope)
      const right = createEvaluator(calc.right, scope)
      const operation = OPERATIONS[calc.kind]
      return (row) => applyOperation(left(row), right(row), operation)
    }
    case '/':
      return evaluateQuotient(calc.left, calc.right, scope)
  }
}

const OPERATIONS = {
  '+': addRatios,
  '-': (a: Ratio, b: Ratio) => addRatios(a, negateRatio(b)),
  '*': (a: Ratio, b: Ratio): Ratio => ({ ...multiplyDecimals(a, b), over: a.over * b.over }),
}

function evaluateQuotient(dividend: Calc, divisor: Calc, scope: CalcScope): Evaluate {
  const left = createEvaluator(dividend, scope)
  const right = createEvaluator(divisor, scope)
  return (row) =>
    applyOperation(left(row), right(row), (a, b) => {
      const quotient = divideRatios(a, b)
      if (quotient !== undefined) return quotient
      const place = findCalcPlace(divisor, row, scope)
      const zero = problem('number-out-of-range', place, 'The calculation divides by it, and it is 0.')
      scope.columns.builder.problems.push(zero)
      return 'failed'
    })
}

function findCalcPlace(calc: Calc, row: Row | undefined, { columns, outside, inside }: CalcScope): Place {
  const [first] = listColumns(calc)
  const own = first === undefined ? undefined : outside.get(first.name)?.place()
  const inRow = first === undefined || row === undefined ? undefined : inside.get(first.name)?.place(row)
  return (first?.inSum === true ? inRow : own) ?? findRecordPlace(columns)
}

function applyOperation(a: CalcValue, b: CalcValue, operation: (a: Ratio, b: Ratio) => CalcValue): CalcValue {
  if (a === 'failed' || b === 'failed') return 'failed'
  return a === 'blank' || b === 'blank' ? 'blank' : operation(a, b)
}

/** Adds the rows up. Skips unusable rows, which carry their own problems. */
function evaluateSum(of: Evaluate, builder: RecordBuilder): Evaluate {
  return () => {
    let total = ZERO
    let isFailed = false
    for (const row of builder.lineRows) {
      if (row.problems !== undefined) continue
      const value = of(row)
      if (value === 'failed') isFailed = true
      else if (value !== 'blank') total = addRatios(total, value)
    }
    return isFailed ? 'failed' : total
  }
}

function evaluateColumn({ name, otherwise, inSum }: CalcColumn, scope: CalcScope): Evaluate {
  const blank = otherwise === undefined ? 'blank' : toRatio(otherwise)
  const toValue = createValueReader(scope.plan, scope.columns.builder)
  const source = scope.outside.get(name)
  const ofRow = scope.inside.get(name)
  if (inSum && ofRow !== undefined) {
    return (row) => {
      const text = row === undefined ? '' : ofRow.text(row)
      return row === undefined || text === '' ? blank : toValue(text, () => ofRow.place(row))
    }
  }
  if (inSum || source === undefined) return () => blank
  return () => {
    const text = source.take()
    if (typeof text !== 'string') return 'failed'
    return text === '' ? blank : toValue(text, source.place)
  }
}

function createValueReader({ numbers, warnsOfGrouping }: CalcPlan, builder: RecordBuilder) {
  const read = createNumberReader(numbers)
  return (text: string, place: () => Place): CalcValue => {
    const number = read(stripCurrency(text))
    if (!('why' in number)) {
      if (warnsOfGrouping) warnOfGroupingPoint(text, place, builder)
      return toRatio(number)
    }
    const message = number.why ?? `${quoteText(text)} is not a number to calculate with.`
    const fix = suggestCurrencyFix(text) ?? number.fix ?? suggestDecimalFix(numbers)
    builder.problems.push(problem('decimal-expected', place(), message, fix))
    return 'failed'
  }
}

function findRecordPlace({ builder, field }: CalcColumns): Place {
  return locate(builder, false, { field: field() })
}

// Exact numbers that may be quotients, so that no digit is lost before the mapping rounds.

/** A decimal number divided by a positive whole number, mostly by one. */
interface Ratio extends Decimal {
  readonly over: bigint
}

const ZERO: Ratio = { units: 0n, scale: 0, over: 1n }

/** More decimals than this count as non-terminating: no file has so many. */
const MAX_DECIMALS = 20

function toRatio({ units, scale }: Decimal): Ratio {
  return { units, scale, over: 1n }
}

function negateRatio({ units, scale, over }: Ratio): Ratio {
  return { units: -units, scale, over }
}

function addRatios(a: Ratio, b: Ratio): Ratio {
  if (a.over === b.over) return { ...addDecimals(a, b), over: a.over }
  return { ...addDecimals(multiplyUnits(a, b.over), multiplyUnits(b, a.over)), over: a.over * b.over }
}

function divideRatios(a: Ratio, b: Ratio): Ratio | undefined {
  if (b.units === 0n) return undefined
  const sign = b.units < 0n ? -1n : 1n
  const turned = { units: sign * b.over * 10n ** BigInt(b.scale), scale: 0 }
  return { ...multiplyDecimals(a, turned), over: a.over * sign * b.units }
}

/** Converts to a decimal; undefined for a non-terminating number. */
function toDecimal(ratio: Ratio): Decimal | undefined {
  const { units, scale, over } = ratio
  if (over === 1n) return { units, scale }
  const exact = units * 10n ** BigInt(MAX_DECIMALS)
  const divisor = over * 10n ** BigInt(scale)
  return exact % divisor === 0n ? { units: exact / divisor, scale: MAX_DECIMALS } : undefined
}

function roundRatio({ units, scale, over }: Ratio, decimals: number, rounding: Rounding): Ratio {
  const grown = units * 10n ** BigInt(decimals)
  return { units: divideRounded(grown, over * 10n ** BigInt(scale), rounding), scale: decimals, over: 1n }
}

function multiplyUnits({ units, scale }: Decimal, factor: bigint): Decimal {
  return { units: units * factor, scale }
}
