/** Binds a leaf whose value is not in the file: it is filled in once the order that the record is about is known. */
import { type Problem, problem } from '../../domain/problem.ts'
import type { TakenValue } from '../../domain/translator.ts'
import type { AwaitsPlan, LeafPlan } from '../fields/plan.ts'
import { AWAITED, FAILED, type Refuse } from '../values/value.ts'
import type { BoundLeaf, Building } from './building.ts'
import { explainLeaf } from './explain-leaf.ts'

export function awaitingLeaf(plan: LeafPlan, awaits: AwaitsPlan, building: Building): BoundLeaf {
  const { field } = plan
  const line = () => building.headerRows[0]?.line ?? 0
  return {
    kind: 'leaf',
    columns: [],
    place: () => ({ ...(line() === 0 ? {} : { line: line() }), field }),
    text: () => '',
    explain: () => [explainLeaf(plan, undefined, { building, field })],
    build() {
      building.filled += 1
      const at = line()
      const take = awaits.lines ?? ((found: unknown) => takenValue(plan, found, at))
      building.awaits.push({ from: awaits.from, name: awaits.name, field, line: at, take })
      return AWAITED
    },
  }
}

/** What the leaf makes of the text that was found, as if it had stood in a cell. */
function takenValue(
  { awaits, field, convert, fallback, required }: LeafPlan,
  found: unknown,
  line: number,
): TakenValue {
  const problems: Problem[] = []
  const place = { ...(line === 0 ? {} : { line }), field }
  const refuse: Refuse = (code, message, hint) => {
    problems.push(problem(code, place, message, hint))
    return FAILED
  }
  const text = textOf(found)
  const value = (text === '' ? undefined : convert(text, refuse)) ?? fallback
  if (problems.length > 0) return { problems }
  if (value !== undefined) return { value, problems }
  if (!required) return { problems }
  const what =
    awaits?.from === 'kept'
      ? `Nothing is kept as ${awaits.name} of the order`
      : `The order has no ${awaits?.name}`
  return { problems: [problem('order-value-missing', place, `${what}, and the API requires ${field}.`)] }
}

function textOf(found: unknown): string {
  if (typeof found === 'string') return found.trim()
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : ''
}
