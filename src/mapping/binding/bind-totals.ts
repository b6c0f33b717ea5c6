/** Compares the totals of a record with what its rows give. */
import { problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import { compareDecimals, type Decimal, formatShortDecimal, parseDecimal } from '../../support/decimal.ts'
import type { TotalCheck } from '../fields/plan.ts'
import { createNumberReader, stripCurrency } from '../values/numbers.ts'
import { quoteText } from '../values/text.ts'
import { bindLeaf, runAndRestore } from './bind-leaf.ts'
import type { BindContext } from './record-builder.ts'

/** Adds a warning for each total that differs. What is blank, or cannot be calculated, is not compared. */
export function bindTotalChecks(checks: readonly TotalCheck[], context: BindContext): () => void {
  const { builder } = context
  const bound = checks.map((check) => ({
    ...check,
    total: bindLeaf(check.total, context),
    is: check.is.map((each) => bindLeaf(each, context)),
    read: createNumberReader({ decimal: check.decimal }),
  }))
  return () => {
    for (const { total, is, read, written, say } of bound) {
      const run = (leaf: typeof total) => runAndRestore(builder, () => leaf.build()).result
      const text = run(total)
      if (typeof text !== 'string') continue
      const warn = (found: string) => {
        const { field: _, ...place }: Place = total.place()
        const message = say === undefined ? found : `${say} ${found}`
        builder.warnings.push({ ...problem('totals-disagree', place, message), severity: 'warning' })
      }
      const stated = read(stripCurrency(text))
      if ('why' in stated) {
        warn(`${written.total} says ${quoteText(text)}, which cannot be read as a number.`)
        continue
      }
      const results = is.map((leaf) => toNumber(run(leaf)))
      const given = results.flatMap((number, index) =>
        number === undefined ? [] : [{ number, calc: written.is[index] ?? '' }],
      )
      if (given.length === 0 || given.some(({ number }) => compareDecimals(number, stated) === 0)) continue
      const shown = given.map(({ number, calc }) => `${calc} gives ${formatShortDecimal(number)}`)
      warn(`${written.total} says ${quoteText(text)}, and ${shown.join(', ')}.`)
    }
  }
}

function toNumber(result: unknown): Decimal | undefined {
  return typeof result === 'string' ? parseDecimal(result) : undefined
}
