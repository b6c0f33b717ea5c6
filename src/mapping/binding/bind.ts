/** Binds a plan to the columns of one file: names become positions, and every field a function that builds its value. */
import { bindChoice } from './bind-choice.ts'
import { bindRows } from './bind-rows.ts'
import { bindLeaf } from './bind-leaf.ts'
import { bindObject } from './bind-object.ts'
import type { BindContext, BoundNode, BoundObject } from './building.ts'
import type { ObjectPlan, Plan } from '../fields/plan.ts'

export function bindPlan(plan: ObjectPlan, context: BindContext): BoundObject {
  return bindObject(plan, context, (field) => bindNode(field, context))
}

function bindNode(plan: Plan, context: BindContext): BoundNode {
  switch (plan.kind) {
    case 'leaf':
      return bindLeaf(plan, context)
    case 'choice':
      return bindChoice(plan, context)
    case 'rows':
      return bindRows(plan, context, bindPlan(plan.item, context))
    case 'object':
      return bindPlan(plan, context)
  }
}
