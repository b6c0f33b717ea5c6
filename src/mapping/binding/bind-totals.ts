/** Compares the totals of a record with what its rows give. */
import { type Problem, problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import { compareDecimals, formatShortDecimal, parseDecimal } from '../../support/decimal.ts'
import type { TotalCheck } from '../fields/plan.ts'
import { createNumberReader, stripCurrency } from '../values/numbers.ts'
import { quoteText } from '../values/text.ts'
import { bindLeaf, runAndRestore } from './bind-leaf.ts'
import type { BindContext, BoundLeaf } from './record-builder.ts'

/** Adds a warning for each total that differs. What is blank, or cannot be calculated, is not compared. */
export function bindTotalChecks(checks: readonly TotalCheck[], context: BindContext): () => void {
  const { builder } = context
  const bound = checks.map((check) => ({
    ...check,
    total: bindLeaf(check.total, context),
    is: check.is.map((each) => bindLeaf(each, context)),
    read: createNumberReader({ decimal: check.decimal }),
  }))
  const compareAll = (): readonly Problem[] => {
    let warnings: Problem[] | undefined
    for (const check of bound) {
      const warning = compareTotal(check)
      if (warning !== undefined) (warnings ??= []).push(warning)
    }
    return warnings ?? NO_PROBLEMS
  }
  return () => {
    if (bound.length > 0) builder.warnings.push(...runAndRestore(builder, compareAll).result)
  }
}

const NO_PROBLEMS: readonly Problem[] = []

interface BoundTotal extends Pick<TotalCheck, 'written' | 'say' | 'decimal'> {
  readonly total: BoundLeaf
  readonly is: readonly BoundLeaf[]
  readonly read: ReturnType<typeof createNumberReader>
}

function compareTotal(check: BoundTotal): Problem | undefined {
  const text = check.total.build()
  if (typeof text !== 'string') return undefined
  // Most totals are right, and written as the bridge would write them.
  const short = check.decimal === ',' ? undefined : shorten(text)
  const results: unknown[] = []
  for (const leaf of check.is) {
    const result = leaf.build()
    if (result === short && short !== undefined) return undefined
    results.push(result)
  }
  return compareNumbers(check, text, results)
}

function compareNumbers(check: BoundTotal, text: string, results: readonly unknown[]): Problem | undefined {
  const { written, read } = check
  const given = results.flatMap((result, index) => {
    const number = typeof result === 'string' ? parseDecimal(result) : undefined
    return number === undefined ? [] : [{ number, calc: written.is[index] ?? '' }]
  })
  const stated = read(stripCurrency(text))
  if ('why' in stated) {
    return warn(check, `${written.total} says ${quoteText(text)}, which cannot be read as a number.`)
  }
  if (given.length === 0 || given.some(({ number }) => compareDecimals(number, stated) === 0))
    return undefined
  const shown = given.map(({ number, calc }) => `${calc} gives ${formatShortDecimal(number)}`)
  return warn(check, `${written.total} says ${quoteText(text)}, and ${shown.join(', ')}.`)
}

function warn({ total, say }: BoundTotal, found: string): Problem {
  const { field: _, ...place }: Place = total.place()
  const message = say === undefined ? found : `${say} ${found}`
  return { ...problem('totals-disagree', place, message), severity: 'warning' }
}

const WITH_ZEROS = /^\d+\.\d?0$/

/** `12.50` as calculations write it: `12.5`. */
function shorten(text: string): string {
  return WITH_ZEROS.test(text) ? text.replace(/\.?0+$/, '') : text
}
