/** Fills in values that a file leaves to its order, once the order is known. */
import { describeIssue } from '../../support/schema-issue.ts'
import { ORDER_LINES } from '../../contract/order.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { KnownResource } from '../../domain/resource.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { formatAccount } from '../../domain/route.ts'
import type { DeferredValue } from '../../domain/translator.ts'
import { getAtPath, replaceAtPath } from '../../support/object-paths.ts'
import { isCheckedWhenSent } from '../inbound/steps.ts'
import type { ResolvedDraft, ResolverContext } from './resolver.ts'

/** Makes the function that fills in the deferred values of drafts. Drafts without deferred values cost no query. */
export function createOrderValueFiller(context: ResolverContext) {
  const { journal, route, orders } = context
  return async (drafts: readonly ResolvedDraft[]): Promise<readonly ResolvedDraft[]> => {
    const waiting = drafts.filter((draft) => draft.body !== undefined && draft.deferred !== undefined)
    if (waiting.length === 0) return drafts
    const numbers = waiting
      .filter(({ deferred = [] }) => deferred.some(({ from }) => from === 'kept'))
      .flatMap((draft) => readPurchaseOrder(draft) ?? [])
    const account = formatAccount(route.party)
    const saved = numbers.length === 0 ? new Map() : await journal.findOrderAttributes(account, numbers)
    // Quantities change with every parcel and lines are made from them, so the order is read again.
    const ofLines = waiting.filter(awaitsLines).flatMap(({ order }) => order?.id ?? [])
    const current = await orders.readAgain(ofLines)
    return drafts.map((draft) => {
      if (draft.body === undefined || draft.deferred === undefined) return draft
      const order = awaitsLines(draft) ? current.get(draft.order?.id ?? '') : draft.order
      const known = { kept: saved.get(readPurchaseOrder(draft) ?? '') ?? {}, isCurrent: order !== undefined }
      return fillInValues(context, { ...draft, ...(order && { order }) }, known)
    })
  }
}

function awaitsLines({ deferred = [] }: ResolvedDraft): boolean {
  return deferred.some(({ name, from }) => from === 'order' && name === ORDER_LINES)
}

function readPurchaseOrder({ order, body }: ResolvedDraft): string | undefined {
  const number = order?.facts?.['purchase_order_number'] ?? order?.keys[0] ?? body?.['purchase_order_number']
  return typeof number === 'string' ? number : undefined
}

interface KnownValues {
  readonly kept: Readonly<Record<string, string>>
  /** Whether the order was read again, where its lines matter. */
  readonly isCurrent: boolean
}

function fillInValues({ route }: ResolverContext, draft: ResolvedDraft, { kept, isCurrent }: KnownValues) {
  const { deferred = [], body = {}, order, ...rest } = draft
  const { body: _, ...withoutBody } = draft
  const refuse = (...problems: Problem[]) => ({ ...withoutBody, problems: [...draft.problems, ...problems] })
  if (isCheckedWhenSent({ route }) && awaitsLines(draft)) {
    const place = deferred[0] === undefined ? {} : toPlace(deferred[0])
    return refuse(problem('order-value-missing', place, LINES_NOT_FINAL, OWN_ROUTE))
  }
  const unknown = deferred.find(({ from }) => from === 'order')
  if (unknown !== undefined && (order?.facts === undefined || !isCurrent)) {
    return refuse(describeUnknownOrder(draft, unknown))
  }
  let filled: Readonly<Record<string, unknown>> = body
  const problems: Problem[] = []
  for (const { from, name, field, line, resolve } of deferred) {
    const value = from === 'kept' ? kept[name] : readFact(order, name)
    const resolved = resolve(value, filled)
    problems.push(...resolved.problems.map((each) => addLine(each, line)))
    if (resolved.value !== undefined) filled = replaceAtPath(filled, field, resolved.value)
  }
  if (problems.length === 0) problems.push(...validateBody(filled, route.operation, deferred))
  return problems.length > 0 ? refuse(...problems) : { ...rest, ...(order && { order }), body: filled }
}

const LINES_NOT_FINAL = 'the lines of the order may still change before this record is sent'
const OWN_ROUTE = 'Give this mapping a route of its own, or take the lines from the file.'

function toPlace({ line, field }: DeferredValue) {
  return { ...(line === 0 ? {} : { line }), field }
}

function readFact(order: KnownResource | undefined, name: string): unknown {
  return name === ORDER_LINES ? order?.facts?.[ORDER_LINES] : getAtPath(order?.facts, name)
}

function describeUnknownOrder({ body }: ResolvedDraft, awaited: DeferredValue): Problem {
  const { field, name } = awaited
  const number = body?.['purchase_order_number'] ?? body?.['order_id']
  const message = `${field} is ${name} of the order, and no order "${String(number)}" is known to this account`
  return problem('order-unknown', toPlace(awaited), message)
}

function addLine(each: Problem, line: number): Problem {
  return line === 0 || each.place.line !== undefined ? each : { ...each, place: { ...each.place, line } }
}

/** Checks the whole body again: rules over several fields could not check values that were still deferred. */
function validateBody(
  body: Readonly<Record<string, unknown>>,
  operation: ResolverContext['route']['operation'],
  deferred: readonly DeferredValue[],
): Problem[] {
  const checked = OPERATIONS[operation].body.safeParse(body)
  if (checked.success) return []
  const line = deferred[0]?.line ?? 0
  const toProblem = (field: string, message: string) =>
    addLine(problem('field-invalid', { field }, message), line)
  return checked.error.issues.map((issue) => {
    const text = describeIssue(issue)
    const message = /^(?:must|has) /.test(text) ? `The value ${text}.` : text
    return toProblem(formatFieldPath(issue.path), message)
  })
}

/** `order_lines[2].quantity` */
function formatFieldPath(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
  return steps.join('').replace(/^\./, '')
}
