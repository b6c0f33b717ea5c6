/** Compiles checks of totals: a number of the file, and what it should be by the rows of the record. */
import { getEntry, getEntryText, type MapNode, type SourceNode } from '../source/source.ts'
import { compileLeaf, type LeafContext } from './leaf.ts'
import type { LeafPlan, LeafTarget, TotalCheck } from './plan.ts'

/** The totals of a list of checks; those with errors are left out. */
export function compileTotalChecks(
  node: SourceNode | undefined,
  perRow: boolean,
  context: LeafContext,
): TotalCheck[] {
  if (node?.kind !== 'list') return []
  return node.items.flatMap((item) => {
    const written = getEntry(item, 'total')
    const is = getEntry(item, 'is')
    if (item.kind !== 'map' || written?.kind !== 'text' || is === undefined) return []
    const calcs = is.kind === 'list' ? is.items : [is]
    const total = compileNumber('from', written, perRow, context)
    const plans = calcs.flatMap((calc) => compileNumber('calc', calc, perRow, context) ?? [])
    if (total === undefined || plans.length < calcs.length) return []
    const texts = calcs.map((calc) => (calc.kind === 'text' ? calc.text : ''))
    return [
      {
        total,
        is: plans,
        written: { total: written.text, is: texts },
        say: getEntryText(item, 'say'),
        decimal: context.decimal,
      },
    ]
  })
}

/** Compiles the column or the calculation like the value of a field. */
function compileNumber(
  option: 'from' | 'calc',
  node: SourceNode,
  perRow: boolean,
  context: LeafContext,
): LeafPlan | undefined {
  const target: LeafTarget = {
    field: 'check',
    perRow,
    rule: { kind: 'text' },
    list: false,
    required: false,
    needed: true,
  }
  const { offset, path } = node
  const entries: MapNode['entries'] = new Map([[option, { keyOffset: offset, node }]])
  return compileLeaf({ kind: 'map', entries, path, offset }, target, context)
}
