/** Values that a file leaves to the order: taken from it, or from what is kept beside it, once it is known which it is. */
import { ORDER_LINES } from '../../contract/order-values.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { KnownResource } from '../../domain/journal.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { accountOf } from '../../domain/route.ts'
import type { AwaitedValue } from '../../domain/translator.ts'
import { valueAt, withValueAt } from '../../support/paths.ts'
import { isJudgedLater } from '../inbound/steps.ts'
import type { ResolvedDraft, ResolverParts } from './resolver.ts'

/** Makes the function that fills in what drafts await. Those that await nothing cost nothing. */
export function orderValues(
  parts: ResolverParts,
): (drafts: readonly ResolvedDraft[]) => Promise<readonly ResolvedDraft[]> {
  const { journal, route, orders } = parts
  return async (drafts) => {
    const waiting = drafts.filter((draft) => draft.body !== undefined && draft.awaits !== undefined)
    if (waiting.length === 0) return drafts
    const numbers = waiting.filter(takesKept).flatMap((draft) => purchaseOrderOf(draft) ?? [])
    const kept = numbers.length === 0 ? new Map() : await journal.keptValues(accountOf(route.party), numbers)
    // Quantities change with every parcel, and lines are made of them: only what is true now will do.
    const current = await orders.anew(waiting.filter(takesLines).flatMap(({ order }) => order?.id ?? []))
    return drafts.map((draft) => {
      if (draft.body === undefined || draft.awaits === undefined) return draft
      const order = takesLines(draft) ? current.get(draft.order?.id ?? '') : draft.order
      return fillIn(
        parts,
        { ...draft, ...(order === undefined ? {} : { order }) },
        {
          kept: kept.get(purchaseOrderOf(draft) ?? '') ?? {},
          isCurrent: order !== undefined,
        },
      )
    })
  }
}

function takesLines({ awaits = [] }: ResolvedDraft): boolean {
  return awaits.some(({ name, from }) => from === 'order' && name === ORDER_LINES)
}

function takesKept({ awaits = [] }: ResolvedDraft): boolean {
  return awaits.some(({ from }) => from === 'kept')
}

function purchaseOrderOf({ order, body }: ResolvedDraft): string | undefined {
  const number = order?.facts?.['purchase_order_number'] ?? order?.keys[0] ?? body?.['purchase_order_number']
  return typeof number === 'string' ? number : undefined
}

interface Known {
  readonly kept: Readonly<Record<string, string>>
  /** Whether the order is as it is now, where that matters. */
  readonly isCurrent: boolean
}

function fillIn({ route }: ResolverParts, draft: ResolvedDraft, { kept, isCurrent }: Known): ResolvedDraft {
  const { awaits = [], body = {}, order, ...rest } = draft
  const about = order === undefined ? {} : { order }
  const { body: _, ...withoutBody } = draft
  if (isJudgedLater({ route }) && takesLines(draft)) {
    const place = awaits[0] === undefined ? {} : placeOf(awaits[0])
    return {
      ...withoutBody,
      problems: [...draft.problems, problem('order-value-missing', place, LINES_NOT_FINAL, OWN_ROUTE)],
    }
  }
  const unknown = awaits.find(({ from }) => from === 'order')
  if (unknown !== undefined && (order?.facts === undefined || !isCurrent)) {
    return { ...withoutBody, problems: [...draft.problems, orderUnknown(draft, unknown)] }
  }
  let filled: Readonly<Record<string, unknown>> = body
  const problems: Problem[] = []
  for (const { from, name, field, line, take } of awaits) {
    const found = from === 'kept' ? kept[name] : factAt(order, name)
    const taken = take(found, filled)
    problems.push(...taken.problems.map((each) => placed(each, line)))
    if (taken.value !== undefined) filled = withValueAt(filled, field, taken.value)
  }
  if (problems.length === 0) problems.push(...wrongIn(filled, route.operation, awaits))
  if (problems.length > 0) return { ...withoutBody, problems: [...draft.problems, ...problems] }
  return { ...rest, ...about, body: filled }
}

const LINES_NOT_FINAL = 'the lines of the order are not what they will be once this record has its turn'
const OWN_ROUTE = 'Give this mapping a route of its own, or take the lines from the file.'

function placeOf({ line, field }: AwaitedValue) {
  return { ...(line === 0 ? {} : { line }), field }
}

function factAt(order: KnownResource | undefined, name: string): unknown {
  return name === ORDER_LINES ? order?.facts?.[ORDER_LINES] : valueAt(order?.facts, name)
}

function orderUnknown({ body }: ResolvedDraft, awaited: AwaitedValue): Problem {
  const { field, name } = awaited
  const number = body?.['purchase_order_number'] ?? body?.['order_id']
  const message = `${field} is ${name} of the order, and no order "${String(number)}" is known to this account`
  return problem('order-unknown', placeOf(awaited), message)
}

function placed(each: Problem, line: number): Problem {
  return line === 0 || each.place.line !== undefined ? each : { ...each, place: { ...each.place, line } }
}

/** The rules that span several fields could not look at what was not there yet. */
function wrongIn(
  body: Readonly<Record<string, unknown>>,
  operation: ResolverParts['route']['operation'],
  awaits: readonly AwaitedValue[],
): Problem[] {
  const checked = OPERATIONS[operation].body.safeParse(body)
  if (checked.success) return []
  const line = awaits[0]?.line ?? 0
  return checked.error.issues.map(({ path, message }) =>
    placed(problem('field-invalid', { field: fieldName(path) }, message), line),
  )
}

function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, step) =>
      typeof step === 'number' ? `${name}[${step}]` : name === '' ? String(step) : `${name}.${String(step)}`,
    '',
  )
}
