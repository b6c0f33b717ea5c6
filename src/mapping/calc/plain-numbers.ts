/**
 * Evaluates calculations over numbers such as `12` and `12.50` without big integers, which take most of the time. The results
 * are exact: whatever safe integers cannot hold is left to the exact evaluation.
 */
import type { Row } from '../../domain/format.ts'
import type { Decimal } from '../../support/decimal.ts'
import type { NumberOptions } from '../values/numbers.ts'
import type { Calc, CalcColumn } from './calculation.ts'

export interface PlainScope {
  readonly numbers: NumberOptions
  readonly listRows: () => readonly Row[]
  /** The text of a column in a row, or of the record; undefined when it cannot be taken. */
  readonly createReader: (column: CalcColumn) => (row: Row | undefined) => string | undefined
}

/** Returns the result as text, empty when blank; undefined where the exact evaluation has to say it. */
export type EvaluatePlain = () => string | undefined

/** Undefined for calculations with quotients, and where the file writes other numbers. */
export function createPlainEvaluator(calc: Calc, scope: PlainScope): EvaluatePlain | undefined {
  const { decimal, implied } = scope.numbers
  if (decimal === ',' || implied !== undefined) return undefined
  const run: Run = { scale: 0 }
  const evaluate = compile(calc, scope, run)
  return (
    evaluate &&
    (() => {
      const units = evaluate(undefined)
      if (units === BLANK) return ''
      return Number.isNaN(units) ? undefined : format(units, run.scale)
    })
  )
}

/** How many decimals the number has that was evaluated last: a number is `units / 10^scale`. */
interface Run {
  scale: number
}

/** Returns the units, a safe integer; or one of the next two. */
type Evaluate = (row: Row | undefined) => number

const BLANK = Infinity
const UNSURE = Number.NaN

function compile(calc: Calc, scope: PlainScope, run: Run): Evaluate | undefined {
  switch (calc.kind) {
    case 'number':
      return compileConstant(calc.value, run)
    case 'column':
      return compileColumn(calc, scope, run)
    case 'count':
      return () => {
        run.scale = 0
        return scope.listRows().length
      }
    case 'sum':
      return compileSum(calc.of, scope, run)
    case 'round':
      return compileRounding(calc, scope, run)
    case 'negative': {
      const of = compile(calc.of, scope, run)
      return (
        of &&
        ((row) => {
          const units = of(row)
          return units === BLANK ? BLANK : -units
        })
      )
    }
    case '+':
    case '-':
    case '*':
      return compileOperation(calc, scope, run)
    case '/':
      return undefined
  }
}

function compileConstant({ units, scale }: Decimal, run: Run): Evaluate | undefined {
  const plain = Number(units)
  if (!Number.isSafeInteger(plain)) return undefined
  return () => {
    run.scale = scale
    return plain
  }
}

function compileColumn(column: CalcColumn, scope: PlainScope, run: Run): Evaluate | undefined {
  const read = scope.createReader(column)
  const blank = column.otherwise === undefined ? () => BLANK : compileConstant(column.otherwise, run)
  if (blank === undefined) return undefined
  return (row) => {
    const text = read(row)
    if (text === '') return blank(row)
    return text === undefined ? UNSURE : parse(text, run)
  }
}

/** Skips unusable rows and blank ones, as the exact evaluation does. */
function compileSum(calc: Calc, scope: PlainScope, run: Run): Evaluate | undefined {
  const of = compile(calc, scope, run)
  if (of === undefined) return undefined
  return () => {
    let total = 0
    let scale = 0
    for (const row of scope.listRows()) {
      if (row.problems !== undefined) continue
      const units = of(row)
      if (units === BLANK) continue
      total = add(total, scale, units, run.scale)
      if (Number.isNaN(total)) return UNSURE
      scale = Math.max(scale, run.scale)
    }
    run.scale = scale
    return total
  }
}

/** Half up, which is away from zero. */
function compileRounding(
  { of, decimals }: Extract<Calc, { kind: 'round' }>,
  scope: PlainScope,
  run: Run,
): Evaluate | undefined {
  const evaluate = compile(of, scope, run)
  return (
    evaluate &&
    ((row) => {
      const units = evaluate(row)
      if (units === BLANK || run.scale <= decimals) return units
      const divisor = POWERS[run.scale - decimals] ?? UNSURE
      const rest = Math.abs(units % divisor)
      const whole = (Math.abs(units) - rest) / divisor + (2 * rest >= divisor ? 1 : 0)
      run.scale = decimals
      return units < 0 ? -whole : whole
    })
  )
}

function compileOperation(
  { kind, left, right }: Extract<Calc, { readonly left: Calc }>,
  scope: PlainScope,
  run: Run,
): Evaluate | undefined {
  const first = compile(left, scope, run)
  const second = compile(right, scope, run)
  if (first === undefined || second === undefined) return undefined
  return (row) => {
    const a = first(row)
    const scale = run.scale
    const b = second(row)
    if (Number.isNaN(a) || Number.isNaN(b)) return UNSURE
    if (a === BLANK || b === BLANK) return BLANK
    if (kind === '*') {
      run.scale += scale
      return keepSafe(a * b)
    }
    const result = add(a, scale, kind === '-' ? -b : b, run.scale)
    run.scale = Math.max(scale, run.scale)
    return result
  }
}

const POWERS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]

/** The units of the sum, with as many decimals as the number that has more of them. */
function add(a: number, scaleA: number, b: number, scaleB: number): number {
  if (scaleA === scaleB) return keepSafe(a + b)
  return scaleA < scaleB
    ? keepSafe(keepSafe(a * (POWERS[scaleB - scaleA] ?? UNSURE)) + b)
    : keepSafe(a + keepSafe(b * (POWERS[scaleA - scaleB] ?? UNSURE)))
}

function keepSafe(units: number): number {
  return Number.isSafeInteger(units) ? units : UNSURE
}

const MAX_DIGITS = 15

/** Digits, with a point between them or none. `1.000` may be a thousand. */
function parse(text: string, run: Run): number {
  const { length } = text
  if (length > MAX_DIGITS) return UNSURE
  let units = 0
  let point = -1
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= DIGIT_0 && code <= DIGIT_9) units = units * 10 + code - DIGIT_0
    else if (code === POINT && point === -1 && at > 0 && at < length - 1) point = at
    else return UNSURE
  }
  run.scale = point === -1 ? 0 : length - point - 1
  return run.scale === 3 && text.endsWith('000') ? UNSURE : units
}

const [DIGIT_0, DIGIT_9, POINT] = [0x30, 0x39, 0x2e]

/** Without zeros at the end of the fraction. */
function format(units: number, scale: number): string {
  if (scale === 0) return String(units)
  const digits = String(Math.abs(units)).padStart(scale + 1, '0')
  const text = `${units < 0 ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return text.replace(/\.?0+$/, '')
}
