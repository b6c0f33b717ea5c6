/** Rules of lines, and totals of a file that are compared with its rows. */
import type { Shape } from '../shape.ts'
import { type Check, compileChecks } from '../rows/conditions.ts'
import { getEntry, getEntryText, type MapNode, nodeAt, type SourceNode } from '../source/source.ts'
import { compileLeaf, createConditionContext, type LeafContext } from './leaf.ts'
import type { LeafPlan, LeafTarget, ObjectPlan, Plan, TotalCheck } from './plan.ts'

export interface LineRules {
  readonly checks: readonly Check[]
  readonly totals: readonly TotalCheck[]
  /** One row that matches holds the whole record, because an order must not lack a line. */
  readonly holds: readonly Check[]
  readonly adds: boolean
}

export function compileLineRules(root: MapNode, leaves: LeafContext): LineRules {
  const node = nodeAt(root, 'lines')
  if (node === root) return { checks: [], totals: [], holds: [], adds: false }
  const context = createConditionContext(leaves, true)
  return {
    checks: compileChecks(getEntry(node, 'check'), context),
    totals: compileTotalChecks(getEntry(node, 'check'), true, leaves),
    holds: compileChecks(getEntry(node, 'hold'), context),
    adds: getEntryText(node, 'same') === 'add',
  }
}

export function addLineRules(body: ObjectPlan, shape: Shape, rules: LineRules): ObjectPlan {
  const { checks, totals, adds } = rules
  if (checks.length + totals.length === 0 && !adds) return body
  const fields = body.fields.map(([name, plan]): readonly [string, Plan] => {
    if (plan.kind !== 'rows') return [name, plan]
    const added = {
      ...(checks.length === 0 ? {} : { checks }),
      ...(totals.length === 0 ? {} : { totals }),
      ...(adds ? { addUpTo: findMaxQuantity(shape, name) } : {}),
    }
    return [name, { ...plan, ...added }]
  })
  return { ...body, fields }
}

function findMaxQuantity(shape: Shape, array: string): number {
  const list = shape.kind === 'object' ? shape.fields.get(array) : undefined
  const item = list?.kind === 'list' ? list.item : undefined
  const quantity = item?.kind === 'object' ? item.fields.get('quantity') : undefined
  const rule = quantity?.kind === 'field' ? quantity.rule : undefined
  return rule?.kind === 'integer' ? rule.max : Number.MAX_SAFE_INTEGER
}

// Compiles checks of totals: a number of the file, and what it should be by the rows of the record.

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
