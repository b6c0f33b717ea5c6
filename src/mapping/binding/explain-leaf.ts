/** What becomes of the cells of one leaf, one step after the other, with the steps that build its value. */
import type { ProblemCode } from '../../domain/problem.ts'
import type { LeafPlan } from '../fields/plan.ts'
import { cleaned } from '../values/text.ts'
import { FAILED, type Refuse } from '../values/value.ts'
import type { Building } from './building.ts'
import type { ExplainedCell, ExplainedField, ExplainedStep } from './explained.ts'
import type { TextSource } from './text-source.ts'

/** The steps of the leaf in the record being built; without a source, nothing in the file feeds it. */
export function explainLeaf(
  plan: LeafPlan,
  source: TextSource | undefined,
  { building, field }: { readonly building: Building; readonly field: string },
): ExplainedField {
  if (plan.awaits !== undefined) {
    const { from, name } = plan.awaits
    return { field, cells: [], steps: [], value: { [from]: name } }
  }
  if (source === undefined) {
    const [names] = plan.alternatives
    const absent = names === undefined ? {} : { note: `the file has no column "${names[0] ?? ''}"` }
    return { field, cells: [], ...absent, ...fallback(plan, []) }
  }
  const cells = source.cells()
  const taken = tracked(building, () => source.take())
  if (typeof taken.result !== 'string') {
    const step = { option: 'calc', does: plan.steps.gathering, ...refusedBy(taken.refused[0]) }
    return { field, cells, steps: [step] }
  }
  const steps = gatheredSteps(plan, cells, taken.result)
  return { field, cells, ...finished(plan, taken.result, steps) }
}

/** From the cells to the one text that the leaf takes: which of them, put together how, what is cut off. */
function gatheredSteps(plan: LeafPlan, cells: readonly ExplainedCell[], text: string): ExplainedStep[] {
  const { gathering } = plan.steps
  if (gathering !== '') {
    const option = plan.calc === undefined ? 'all' : 'calc'
    return [{ option, does: gathering, text }]
  }
  const chosen = cells.find((cell) => cleaned(cell.text) === text) ?? cells[0]
  const steps: ExplainedStep[] = []
  if (chosen === undefined) return steps
  if (cells.length > 1 && text !== '') {
    steps.push({ option: 'firstOf', does: `firstOf ${chosen.column}`, text: chosen.text })
  }
  const bare = cleaned(chosen.text)
  if (bare !== chosen.text) steps.push({ option: 'trim', does: 'trimmed', text: bare })
  if (bare !== text) steps.push({ option: 'blanks', does: 'blanks', text })
  return steps
}

type Explained = Pick<ExplainedField, 'steps' | 'value'>

function finished(plan: LeafPlan, text: string, before: readonly ExplainedStep[]): Explained {
  const { texts, value } = plan.steps
  const steps = [...before]
  let current = text
  for (const { option, does, apply } of texts) {
    if (current === '') break
    const refusal = openRefusal()
    const next = apply(current, refusal.refuse)
    if (typeof next !== 'string') {
      return { steps: [...steps, { option, does, ...refusedBy(refusal.code()) }] }
    }
    steps.push({ option, does, text: next })
    current = next
  }
  if (current === '') return fallback(plan, steps)
  const refusal = openRefusal()
  const built = value.convert(current, refusal.refuse)
  const step = { option: 'value', does: value.does }
  if (refusal.code() !== undefined) return { steps: [...steps, { ...step, ...refusedBy(refusal.code()) }] }
  if (built === undefined) return fallback(plan, steps)
  const shown = valueText(built)
  if (shown !== current || value.isAsked) steps.push({ ...step, text: shown })
  return { steps, value: plan.reference === undefined ? built : { find: plan.reference, key: built } }
}

function fallback(
  { fallback: value, steps: { fallback: does } }: LeafPlan,
  steps: ExplainedStep[],
): Explained {
  if (value === undefined) return { steps }
  return { steps: [...steps, { option: does.split(' ')[0] ?? '', does, text: valueText(value) }], value }
}

/** A value as the text it is in a step. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

function openRefusal(): { readonly refuse: Refuse; code(): ProblemCode | undefined } {
  let first: ProblemCode | undefined
  return {
    refuse(code) {
      first ??= code
      return FAILED
    },
    code: () => first,
  }
}

function refusedBy(code: ProblemCode | undefined): { readonly refused?: ProblemCode } {
  return code === undefined ? {} : { refused: code }
}

/** Runs something that builds, and leaves the record as it was. */
export function tracked<Result>(
  building: Building,
  run: () => Result,
): { readonly result: Result; readonly refused: readonly ProblemCode[] } {
  const { filled, references, awaits, row, index, bodyRows } = building
  const before = building.problems.length
  building.references = []
  building.awaits = []
  const result = run()
  const refused = building.problems.slice(before).map(({ code }) => code)
  building.problems.length = before
  Object.assign(building, { filled, references, awaits, row, index, bodyRows })
  return { result, refused }
}
