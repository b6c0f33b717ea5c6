/** Proof by quantities: what an order's lines said before a call, beside what they say now. */
import type { Resource } from '../../domain/api.ts'
import { type Body, type Finding, idOf } from './operation.ts'
import { itemsOf, lineMeant, linesOf, type OrderLine, unitsIn } from './order-lines.ts'

/** What an order said before the call. JSON-safe. */
export interface OrderNote {
  /** Units over all lines; left out when the order does not show them for every line. */
  readonly units?: number
  /** The same line by line, by their ids. */
  readonly lines?: Readonly<Record<string, number>>
  /** The ids of what is attached to the order. */
  readonly attached: readonly string[]
  /** How many are attached, with an id or without. */
  readonly listed?: number
  /** The order was seen long before the call, so that others may have changed it in between. */
  readonly isOld?: true
}

export interface Watched {
  /** The field of an order line that the call adds to: `quantity_shipped`. */
  readonly counter: string
  /** The list of the order that it adds to: `shipments`. */
  readonly list: string
  /** The list of the body that says what is added: `shipment_lines`. */
  readonly items: string
  /** The quantities in words: `shipped`. */
  readonly word: string
  /** What is in the list, in words: `shipment`. */
  readonly thing: string
  /** The call in words: `this shipment`. */
  readonly call: string
}

export function noteOf(order: Resource, { counter, list }: Watched): OrderNote {
  const units = countedUnits(order['order_lines'], counter)
  const lines = unitsByLine(order, counter)
  const listed = attachedTo(order, list)
  const attached = listed.flatMap((each) => idOf(each) ?? [])
  return {
    attached,
    listed: listed.length,
    ...(units === undefined ? {} : { units }),
    ...(lines === undefined ? {} : { lines }),
  }
}

/** A note as it was kept; one that was made of no order says nothing. */
export type Noted = Partial<OrderNote>

export function readNote(text: string | undefined): Noted {
  return text === undefined ? {} : (JSON.parse(text) as Noted)
}

/**
 * Neither units nor what is attached ever become fewer. So an order that shows fewer than were noted was read from a replica
 * that lags behind, and what it does not show proves nothing.
 */
export function olderThanNote(
  order: Resource,
  watched: Watched,
  before: Noted,
): Extract<Finding, { found: 'unclear' }> | undefined {
  const missing = missingSince(before, noteOf(order, watched), watched)
  if (missing === undefined) return undefined
  const why = `the API shows an older state of the order than before it was sent: ${missing}`
  return { found: 'unclear', why }
}

function missingSince(before: Noted, after: OrderNote, { word, thing }: Watched): string | undefined {
  const { units = 0, lines = {}, attached = [], listed = 0 } = before
  if (after.units !== undefined && after.units < units) return `fewer units ${word}`
  for (const [id, then] of Object.entries(lines)) {
    const now = after.lines?.[id]
    if (after.lines !== undefined && now === undefined) return `order line ${id} is missing`
    if (now !== undefined && now < then) return `fewer units ${word}`
  }
  const id = attached.find((each) => !after.attached.includes(each))
  if (id !== undefined) return `${thing} ${id} is missing`
  return (after.listed ?? 0) < listed ? `fewer ${thing}s` : undefined
}

export interface Comparing {
  readonly watched: Watched
  readonly noteText: string | undefined
  readonly body: Body
  /** What tells, in words, that something attached since then is not what the body made. */
  readonly contrary?: (attached: Resource) => string | undefined
}

/** Whether a call with this body took effect between the note and now. */
export function compareQuantities(
  order: Resource,
  { watched, noteText, body, contrary }: Comparing,
): Finding {
  const { word, call, thing } = watched
  const before = readNote(noteText)
  if (before.units === undefined) {
    return { found: 'unclear', why: `the quantities ${word} before it was sent are not known` }
  }
  const after = noteOf(order, watched)
  if (after.units === undefined) {
    return { found: 'unclear', why: `the order does not show the quantities ${word}` }
  }
  const older = olderThanNote(order, watched, before)
  if (older !== undefined) return older
  const added = attachedTo(order, watched.list).filter((each) => !isNoted(before, each))
  const named = added.flatMap((each) => idOf(each) ?? [])
  if (named.length === 0 && isAsBefore(before, after)) return { found: 'absent' }
  const [apiId] = named
  // Somebody else may have added just as much to an order that was seen long before.
  if (before.isOld !== true && named.length <= 1 && isExplained(order, { watched, body, before, after })) {
    const made = added.find((each) => idOf(each) === apiId)
    const difference = made === undefined ? undefined : contrary?.(made as Resource)
    if (difference === undefined) return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
    return { found: 'unclear', why: `${[thing, apiId].join(' ').trim()} fits, but ${difference}` }
  }
  return {
    found: 'unclear',
    why: `the order had ${before.units} units ${word} before and has ${after.units} now, which ${call} alone does not explain`,
  }
}

/** Whether it was attached to the order before the call. */
export function isNoted({ attached = [] }: Noted, resource: unknown): boolean {
  const id = idOf(resource)
  return id !== undefined && attached.includes(id)
}

/** What came to the order since the note; undefined where that is not known, or where a line has less than before. */
export function addedSince(
  order: Resource,
  watched: Watched,
  noteText: string | undefined,
): { readonly units: number; readonly attached: readonly unknown[] } | undefined {
  const before = readNote(noteText)
  const after = noteOf(order, watched)
  const { attached: known, lines = {} } = before
  if (before.units === undefined || after.units === undefined || known === undefined) return undefined
  if (Object.entries(lines).some(([id, units]) => (after.lines?.[id] ?? 0) < units)) return undefined
  const attached = attachedTo(order, watched.list).filter((each) => !known.includes(idOf(each) ?? ''))
  return { units: after.units - before.units, attached }
}

/** Units may have moved from one line to another only in sum, which is not as before. */
function isAsBefore(before: Noted, after: Noted): boolean {
  if (before.lines === undefined || after.lines === undefined) return before.units === after.units
  const ids = new Set([...Object.keys(before.lines), ...Object.keys(after.lines)])
  return [...ids].every((id) => before.lines?.[id] === after.lines?.[id])
}

interface Comparison {
  readonly watched: Watched
  readonly body: Body
  readonly before: Noted
  readonly after: Noted
}

/** Line by line where both show lines that the items of the body mean; else in sum. */
function isExplained(order: Resource, { watched, body, before, after }: Comparison): boolean {
  const items = itemsOf(body, watched.items)
  const wanted = new Map<string, number>()
  const lines = linesOf(order)
  for (const item of items) {
    const line = lineMeant(lines, item)
    const id = typeof line === 'string' ? undefined : idOf(line)
    if (id !== undefined) wanted.set(id, (wanted.get(id) ?? 0) + (unitsIn(item, 'quantity') ?? 0))
  }
  const { lines: then } = before
  const { lines: now } = after
  const sum = items.reduce((units, item) => units + (unitsIn(item, 'quantity') ?? 0), 0)
  const isClear = [...wanted.values()].reduce((units, each) => units + each, 0) === sum
  if (then === undefined || now === undefined || !isClear) return after.units === (before.units ?? 0) + sum
  return Object.entries(now).every(([id, units]) => units === (then[id] ?? 0) + (wanted.get(id) ?? 0))
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

/** Undefined where a line shows no id or no quantity. */
function unitsByLine(order: Resource, counter: string): Record<string, number> | undefined {
  const entries = linesOf(order).map((line: OrderLine) => [idOf(line), unitsIn(line, counter)] as const)
  const whole = entries.filter((entry): entry is [string, number] =>
    entry.every((each) => each !== undefined),
  )
  return entries.length === 0 || whole.length < entries.length ? undefined : Object.fromEntries(whole)
}
