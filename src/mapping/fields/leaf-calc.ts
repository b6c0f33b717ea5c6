/** Compiles the `calc` of a leaf: how its columns are read, and what becomes of the result. */
import type { FieldRule } from '../../contract/fields.ts'
import type { CalcPlan } from '../calc/calc.ts'
import { parseCalc } from '../calc/parse-calc.ts'
import type { BodyLeaf } from '../options.ts'
import { type Mistakes, nodeAt, type SourceNode } from '../source/source.ts'
import { compileDates } from './leaf-dates.ts'
import { numberOptions } from './leaf-numbers.ts'

/** Undefined where there is none, or after its mistakes were noted. */
export function compileCalc(
  node: SourceNode,
  options: BodyLeaf,
  rule: FieldRule,
  { mistakes, decimal }: { readonly mistakes: Mistakes; readonly decimal: '.' | ',' | undefined },
): CalcPlan | undefined {
  if (options.calc === undefined) return undefined
  const calc = parseCalc(options.calc, rule.kind === 'date' || rule.kind === 'dateTime' ? 'date' : 'number')
  if (typeof calc === 'string') {
    mistakes.add(nodeAt(node, ['calc']), calc)
    return undefined
  }
  const { round: rounding, ...numbers } = numberOptions(options, decimal)
  const decimals = decimalsOf(rule)
  return {
    calc,
    numbers,
    dates: compileDates(node, options, mistakes, 'read'),
    ...(rounding === undefined || decimals === undefined ? {} : { round: { decimals, rounding } }),
  }
}

/** How many decimals a field keeps; undefined where it is no number. */
function decimalsOf(rule: FieldRule): number | undefined {
  if (rule.kind === 'money') return 2
  if (rule.kind === 'integer') return 0
  return rule.kind === 'decimal' ? rule.decimals : undefined
}
