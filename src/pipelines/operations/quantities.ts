/** Proof by quantities: what an order's lines said before a call, beside what they say now. */
import type { Resource } from '../../domain/api.ts'
import { type Body, type Finding, idOf } from './operation.ts'

/** What an order said before the call. JSON-safe. */
export interface OrderNote {
  /** Units over all lines; left out when the order does not show them for every line. */
  readonly units?: number
  /** The ids of what is attached to the order. */
  readonly attached: readonly string[]
}

export interface Watched {
  /** The field of an order line that the call adds to: `quantity_shipped`. */
  readonly counter: string
  /** The list of the order that it adds to: `shipments`. */
  readonly list: string
  /** The quantities in words: `shipped`. */
  readonly word: string
  /** The call in words: `this shipment`. */
  readonly call: string
}

export function noteOf(order: Resource, { counter, list }: Watched): OrderNote {
  const units = countedUnits(order['order_lines'], counter)
  const attached = attachedTo(order, list).flatMap((each) => idOf(each) ?? [])
  return { attached, ...(units === undefined ? {} : { units }) }
}

/** Whether a call that adds these lines took effect between the note and now. */
export function compareQuantities(
  order: Resource,
  { watched, noteText, lines }: { watched: Watched; noteText: string | undefined; lines: unknown },
): Finding {
  const { word, call } = watched
  const before = noteText === undefined ? undefined : (JSON.parse(noteText) as Partial<OrderNote>)
  if (before?.units === undefined) {
    return { found: 'unclear', why: `the quantities ${word} before it was sent are not known` }
  }
  const after = noteOf(order, watched)
  if (after.units === undefined) {
    return { found: 'unclear', why: `the order does not show the quantities ${word}` }
  }
  const added = after.attached.filter((id) => before.attached?.includes(id) === false)
  if (after.units === before.units && added.length === 0) return { found: 'absent' }
  const [apiId] = added
  if (after.units === before.units + unitsOf(lines) && added.length <= 1) {
    return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
  }
  return {
    found: 'unclear',
    why: `the order had ${before.units} units ${word} before and has ${after.units} now, which ${call} alone does not explain`,
  }
}

/** Spec: the item shapes inside an order's lists are not shown, so nothing is taken for granted. */
export function attachedTo(order: Resource, list: string): unknown[] {
  const attached = order[list]
  return Array.isArray(attached) ? attached : []
}

/** A quantity that is not shown must not be taken for none: that would prove a call absent. */
function countedUnits(lines: unknown, counter: string): number | undefined {
  if (!Array.isArray(lines) || lines.length === 0) return undefined
  const quantities = (lines as (Body | null)[]).map((line) => line?.[counter])
  if (!quantities.every((quantity) => typeof quantity === 'number')) return undefined
  return quantities.reduce((sum, quantity) => sum + quantity, 0)
}

function unitsOf(lines: unknown): number {
  if (!Array.isArray(lines)) return 0
  return (lines as Body[]).reduce((sum, line) => sum + Number(line['quantity'] ?? 0), 0)
}
