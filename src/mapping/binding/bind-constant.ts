/** Binds a leaf that no column of the file feeds: a constant, a default, or nothing. */
import { type Place, problem } from '../../domain/problem.ts'
import type { LeafPlan } from '../fields/plan.ts'
import { nearestHint } from '../rows/columns.ts'
import { FAILED } from '../values/value.ts'
import type { BindContext, BoundLeaf } from './building.ts'
import { explainLeaf } from './explain-leaf.ts'
import { fieldOf, refer } from './naming.ts'

export function constantLeaf(plan: LeafPlan, { building, header, items }: BindContext): BoundLeaf {
  const [names] = plan.alternatives
  const place = (): Place => {
    const line = (plan.perRow ? building.row : building.headerRows[0])?.line
    return {
      ...(line === undefined ? {} : { line }),
      ...(names?.[0] === undefined ? {} : { column: names[0] }),
      field: fieldOf(plan, building),
    }
  }
  return {
    kind: 'leaf',
    columns: [],
    place,
    text: () => '',
    explain: () => [explainLeaf(plan, undefined, { building, field: fieldOf(plan, building) })],
    build() {
      const { reference, fallback } = plan
      if (reference !== undefined && typeof fallback === 'string')
        return refer(building, { kind: reference, key: fallback, field: plan.field, place: place() })
      if (fallback !== undefined || !plan.required) return fallback
      const message = `The file has no column for it, and the API requires ${place().field ?? plan.field}.`
      const hint =
        nearestHint(plan.alternatives.flat(), (plan.perRow ? items : header).unused()) ?? 'Add the column.'
      building.problems.push(problem('value-missing', place(), message, hint))
      return FAILED
    },
  }
}
