/** Compares the totals of a record with what its rows give. */
import { type Problem, problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import { compareDecimals, type Decimal, formatShortDecimal, parseDecimal } from '../../support/decimal.ts'
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
  const compareAll = () => bound.flatMap((check) => compareTotal(check) ?? [])
  return () => {
    if (bound.length > 0) builder.warnings.push(...runAndRestore(builder, compareAll).result)
  }
}

interface BoundTotal extends Pick<TotalCheck, 'written' | 'say' | 'decimal'> {
  readonly total: BoundLeaf
  readonly is: readonly BoundLeaf[]
  readonly read: ReturnType<typeof createNumberReader>
}

function compareTotal({ total, is, read, written, say, decimal }: BoundTotal): Problem | undefined {
  const text = total.build()
  if (typeof text !== 'string') return undefined
  const warn = (found: string): Problem => {
    const { field: _, ...place }: Place = total.place()
    const message = say === undefined ? found : `${say} ${found}`
    return { ...problem('totals-disagree', place, message), severity: 'warning' }
  }
  // Most totals are right, and written as the bridge would write them.
  const short = decimal === ',' ? undefined : shorten(text)
  const given: { readonly number: Decimal; readonly calc: string }[] = []
  for (const [index, leaf] of is.entries()) {
    const result = leaf.build()
    if (typeof result !== 'string') continue
    if (result === short) return undefined
    const number = parseDecimal(result)
    if (number !== undefined) given.push({ number, calc: written.is[index] ?? '' })
  }
  const stated = read(stripCurrency(text))
  if ('why' in stated) {
    return warn(`${written.total} says ${quoteText(text)}, which cannot be read as a number.`)
  }
  if (given.length === 0 || given.some(({ number }) => compareDecimals(number, stated) === 0))
    return undefined
  const shown = given.map(({ number, calc }) => `${calc} gives ${formatShortDecimal(number)}`)
  return warn(`${written.total} says ${quoteText(text)}, and ${shown.join(', ')}.`)
}

const WITH_ZEROS = /^\d+\.\d?0$/

/** `12.50` as calculations write it: `12.5`. */
function shorten(text: string): string {
  return WITH_ZEROS.test(text) ? text.replace(/\.?0+$/, '') : text
}
