/** Compiles the rules for each line of a record, and for lines of the same item. */
import type { Shape } from '../shape.ts'
import { type Check, compileChecks } from '../rows/conditions.ts'
import { getEntry, getEntryText, type MapNode, nodeAt } from '../source/source.ts'
import { createConditionContext, type LeafContext } from './leaf.ts'
import type { ObjectPlan, Plan, TotalCheck } from './plan.ts'
import { compileTotalChecks } from './total-checks.ts'

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
