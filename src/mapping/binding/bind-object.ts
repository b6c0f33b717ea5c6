/** Binds an object: builds its fields in the contract's order and runs the rules that span several of them. */
import type { Violation } from '../../contract/model.ts'
import { type Place, problem } from '../../domain/problem.ts'
import { bindWhen } from '../rows/bind-condition.ts'
import { conditionInWords } from '../rows/conditions.ts'
import type { BindContext, BoundNode, BoundObject } from './building.ts'
import { tracked } from './explain-leaf.ts'
import { leftOut, withProvince } from './explain-object.ts'
import type { ObjectPlan, Plan } from '../fields/plan.ts'
import { toProvince } from '../values/places.ts'
import { AWAITED, FAILED } from '../values/value.ts'

export function bindObject(
  plan: ObjectPlan,
  context: BindContext,
  bindField: (field: Plan) => BoundNode,
): BoundObject {
  const { building } = context
  const when = plan.when && bindWhen(plan.when, { perRow: plan.perRow }, context)
  const fields = new Map(plan.fields.map(([name, field]) => [name, bindField(field)]))
  const names = [...fields.keys()]
  const nodes = [...fields.values()]
  const builds = nodes.map((node) => node.build)
  const mayBeLeftOut = !plan.required && plan.hasColumns
  const fieldName = () => plan.field.replace('[]', `[${building.index}]`)
  const absent = (place: Place) => {
    const message = `Its condition does not hold, and the API requires ${fieldName()}.`
    building.problems.push(problem('value-missing', { ...place, field: fieldName() }, message))
    return FAILED
  }
  const node: BoundObject = {
    kind: 'object',
    fields,
    ...(when === undefined ? {} : { applies: () => when.holds() }),
    place: () => ({ ...placeOfObject(nodes), field: fieldName() }),
    explain() {
      const below = nodes.flatMap((field) => field.explain())
      if (plan.when !== undefined && !tracked(building, () => when?.holds()).result) {
        return leftOut(below, 'condition', `left out: it takes that ${conditionInWords(plan.when)}`)
      }
      if (mayBeLeftOut && tracked(building, () => node.build()).result === undefined) {
        return leftOut(below, 'unfilled', `left out: no cell of ${fieldName()} is filled`)
      }
      return plan.province === undefined ? below : withProvince(below, fieldName(), plan.province)
    },
    build() {
      if (when?.holds() === false) return plan.required ? absent(when.place()) : undefined
      const filledBefore = building.filled
      const problemsBefore = building.problems.length
      const value: Record<string, unknown> = {}
      for (let index = 0; index < builds.length; index += 1) {
        const built = builds[index]?.()
        if (built !== undefined) value[names[index] ?? ''] = built
      }
      if (mayBeLeftOut && building.filled === filledBefore) {
        const { problems } = building
        // What its conditions could not decide is no matter of its fields.
        problems.push(...problems.splice(problemsBefore).filter(({ place }) => place.field === undefined))
        return undefined
      }
      if (plan.province !== undefined) normaliseProvince(value, plan.province)
      for (const rule of plan.rules) {
        for (const violation of rule(value)) building.problems.push(toProblem(violation, node))
      }
      return building.references.length + building.awaits.length > 0 ? withoutAwaited(value) : value
    },
  }
  return node
}

function withoutAwaited(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== AWAITED))
}

function normaliseProvince(
  value: Record<string, unknown>,
  { field, countryField }: NonNullable<ObjectPlan['province']>,
): void {
  const province = value[field]
  const country = value[countryField]
  if (typeof province === 'string' && typeof country === 'string')
    value[field] = toProvince(province, country)
}

function toProblem({ code, path, message }: Violation, node: BoundObject) {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
  return problem(code, locate(node, path), sentence)
}

/** Follows the path of a violation down to the cell that fed the field, as far as there is one. */
function locate(start: BoundNode, path: readonly (string | number)[]): Place {
  let node = start
  for (const step of path) {
    if (node.kind === 'rows' && typeof step === 'number') {
      node.select(step)
      node = node.item
    } else if (node.kind === 'object') {
      const field = node.fields.get(String(step))
      if (field === undefined) {
        const { line, field: above } = node.place()
        return { ...(line === undefined ? {} : { line }), field: above ? `${above}.${step}` : String(step) }
      }
      node = field
    }
  }
  return node.place()
}

/** The place of the first cell below that has something in it, else of the first one that could have. */
function placeOfObject(nodes: readonly BoundNode[]): Place {
  let firstPlace: Place | undefined
  for (const node of nodes) {
    if (node.kind === 'rows') continue
    const place = node.place()
    if (node.kind === 'leaf' && node.text() !== '') return place
    if (firstPlace?.column === undefined) firstPlace = place
  }
  return firstPlace ?? {}
}
