/** Binds a plan to the columns of one file: names become positions, and every field a function that builds its value. */
import { type Place, problem } from '../domain/problem.ts'
import { bindLeaf } from './bind-leaf.ts'
import { bindObject } from './bind-object.ts'
import type { BindContext, BoundNode, BoundObject, BoundRows } from './building.ts'
import type { ObjectPlan, Plan, RowsPlan } from './plan.ts'
import { FAILED } from './values/value.ts'

export function bindPlan(plan: ObjectPlan, context: BindContext): BoundObject {
  return bindObject(plan, context, (field) => bindNode(field, context))
}

function bindNode(plan: Plan, context: BindContext): BoundNode {
  if (plan.kind === 'leaf') return bindLeaf(plan, context)
  return plan.kind === 'rows' ? bindRows(plan, context) : bindPlan(plan, context)
}

function bindRows(plan: RowsPlan, context: BindContext): BoundRows {
  const { building } = context
  const item = bindPlan(plan.item, context)
  const place = (): Place => {
    const line = building.headerRows[0]?.line
    return { ...(line === undefined ? {} : { line }), field: plan.field }
  }
  return {
    kind: 'rows',
    item,
    place,
    select(index) {
      building.index = index
      building.row = building.itemRows[index]
    },
    build() {
      const rows = building.itemRows
      if (rows.length === 0) {
        const message = `The record has no rows for ${plan.field}; the API requires at least one.`
        building.problems.push(
          problem('value-missing', place(), message, 'Add the detail rows of the record.'),
        )
        return FAILED
      }
      const items: unknown[] = []
      for (let index = 0; index < rows.length; index += 1) {
        const row = rows[index]
        building.index = index
        building.row = row
        items.push(row?.problems === undefined ? item.build() : FAILED)
      }
      return items
    },
  }
}
