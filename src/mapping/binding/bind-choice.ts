/** Binds a value that depends on conditions: the first leaf whose condition holds is the one that is built. */
import { problem } from '../../domain/problem.ts'
import { bindWhen } from '../rows/bind-condition.ts'
import { conditionInWords } from '../rows/conditions.ts'
import { bindLeaf } from './bind-leaf.ts'
import { tracked } from './explain-leaf.ts'
import type { BindContext, BoundLeaf } from './building.ts'
import type { ChoicePlan } from '../fields/plan.ts'
import { FAILED } from '../values/value.ts'

export function bindChoice(plan: ChoicePlan, context: BindContext): BoundLeaf {
  const { building } = context
  const options = plan.options.map(({ when, leaf }) => ({
    condition: when && bindWhen(when, { perRow: plan.perRow }, context),
    leaf: bindLeaf(leaf, context),
  }))
  const chosen = () => options.find(({ condition }) => condition?.holds() ?? true)?.leaf
  const fieldName = () => plan.field.replace('[]', `[${building.index}]`)
  const place = () => chosen()?.place() ?? { ...options[0]?.condition?.place(), field: fieldName() }
  return {
    kind: 'leaf',
    columns: options.flatMap(({ leaf }) => leaf.columns),
    place,
    text: () => chosen()?.text() ?? '',
    explain() {
      const isTaken = ({ condition }: (typeof options)[number]) => condition?.holds() ?? true
      const branch = tracked(building, () => options.findIndex(isTaken)).result
      const when = plan.options[branch]?.when
      const note = when === undefined ? 'no other condition holds' : `when ${conditionInWords(when)}`
      const fields = options[branch]?.leaf.explain()
      return fields === undefined
        ? [{ field: fieldName(), cells: [], steps: [], branch, note: 'left out: no condition holds' }]
        : fields.map((field) => ({ ...field, branch, note }))
    },
    build() {
      const leaf = chosen()
      if (leaf !== undefined) return leaf.build()
      if (!plan.required) return undefined
      const message = `No condition for it holds, and the API requires ${fieldName()}.`
      building.problems.push(problem('value-missing', place(), message))
      return FAILED
    },
  }
}
