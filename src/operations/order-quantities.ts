/** Proves a call by quantities: compares the lines of an order before the call with the lines now. */
import type { EndpointName } from '../contract/endpoints.ts'
import type { Api, Resource } from '../domain/api.ts'
import type { Party } from '../domain/route.ts'
import { omitUndefined } from '../support/object-paths.ts'
import {
  createPartyParams,
  type LookupResult,
  readId,
  type RequestBody,
  type SentRecord,
} from './operation.ts'
import { readItems, findLineOfItem, readLines, type OrderLine, readUnits } from './order-lines.ts'

/** The state of an order before the call. JSON-safe. */
export interface OrderSnapshot {
  /** Units over all lines; left out when the order does not show them for every line. */
  readonly units?: number
  /** The same units line by line, by the ids of the lines. */
  readonly lines?: Readonly<Record<string, number>>
  /** The ids of the resources attached to the order. */
  readonly attached: readonly string[]
  /** How many resources are attached, with or without an id. */
  readonly listed?: number
  /** The order was read long before the call, so that other programs may have changed it in between. */
  readonly isOld?: true
}

export interface WatchedQuantity {
  readonly get: EndpointName
  /** The field of an order line that the call adds to: `quantity_shipped`. */
  readonly counter: string
  /** The list of the order that it adds to: `shipments`. */
  readonly list: string
  /** The list of the body with the added quantities: `shipment_lines`. */
  readonly items: string
  /** The participle for the quantities in messages: `shipped`. */
  readonly word: string
  /** The noun for an item of the list in messages: `shipment`. */
  readonly thing: string
  /** The phrase for the call in messages: `this shipment`. */
  readonly call: string
}

/** The rules that calls share which add to an order. `lookUp` receives the order as it is now. */
export function defineOrderRules(
  watched: WatchedQuantity,
  lookUp: (order: Resource, sent: { api: Api; record: SentRecord; body: RequestBody }) => LookupResult,
) {
  const readOrder = (api: Api, party: Party, body: RequestBody) =>
    api.get({ endpoint: watched.get, params: { ...createPartyParams(party), id: String(body['order_id']) } })
  return {
    lane: (body: RequestBody) => String(body['order_id']),

    async takeSnapshot(api: Api, party: Party, body: RequestBody) {
      const order = await readOrder(api, party, body)
      return JSON.stringify(order === undefined ? {} : takeOrderSnapshot(order, watched))
    },

    snapshotFromList: (order: Resource, isOld?: boolean) =>
      JSON.stringify({ ...takeOrderSnapshot(order, watched), ...(isOld ? { isOld } : {}) }),

    async lookUp(api: Api, party: Party, record: SentRecord): Promise<LookupResult> {
      const body = JSON.parse(record.body) as RequestBody
      const order = await readOrder(api, party, body)
      if (order !== undefined) return lookUp(order, { api, record, body })
      return { found: 'unclear', why: `order ${String(body['order_id'])} is not there any more` }
    },
  }
}

function takeOrderSnapshot(order: Resource, { counter, list }: WatchedQuantity): OrderSnapshot {
  const listed = readAttached(order, list)
  const attached = listed.flatMap((each) => readId(each) ?? [])
  const units = sumLineUnits(order['order_lines'], counter)
  return {
    attached,
    listed: listed.length,
    ...omitUndefined({ units, lines: readUnitsByLine(order, counter) }),
  }
}

/** A stored snapshot; empty if the order could not be read. */
export type StoredSnapshot = Partial<OrderSnapshot>

export function parseSnapshot(text: string | undefined): StoredSnapshot {
  return text === undefined ? {} : (JSON.parse(text) as StoredSnapshot)
}

/** Units and attachments never become fewer: an order that shows fewer is from a replica that lags behind. */
export function findStaleOrder(order: Resource, watched: WatchedQuantity, before: StoredSnapshot) {
  const missing = describeMissing(before, takeOrderSnapshot(order, watched), watched)
  if (missing === undefined) return undefined
  const why = `the API shows an older state of the order than before it was sent: ${missing}`
  return { found: 'unclear', why } as const
}

function describeMissing(before: StoredSnapshot, after: OrderSnapshot, { word, thing }: WatchedQuantity) {
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

interface QuantityComparison {
  readonly watched: WatchedQuantity
  readonly snapshotText: string | undefined
  readonly body: RequestBody
  /** Says why an attached resource is not the one that the body created; undefined if it may be. */
  readonly describeMismatch?: (attached: Resource) => string | undefined
}

/** Whether a call with this body took effect between the snapshot and now. */
export function compareQuantities(
  order: Resource,
  { watched, snapshotText, body, describeMismatch }: QuantityComparison,
): LookupResult {
  const { word, call, thing } = watched
  const unclear = (why: string) => ({ found: 'unclear', why }) as const
  const before = parseSnapshot(snapshotText)
  if (before.units === undefined) return unclear(`the quantities ${word} before it was sent are not known`)
  const after = takeOrderSnapshot(order, watched)
  if (after.units === undefined) return unclear(`the order does not show the quantities ${word}`)
  const older = findStaleOrder(order, watched, before)
  if (older !== undefined) return older
  const added = readAttached(order, watched.list).filter((each) => !isInSnapshot(before, each))
  const named = added.flatMap((each) => readId(each) ?? [])
  if (named.length === 0 && isUnchanged(before, after)) return { found: 'absent' }
  const [apiId] = named
  // Another program may have added as much to an order whose snapshot is old.
  const isRecent = before.isOld !== true && named.length <= 1
  if (isRecent && isExplainedByBody(order, { watched, body, before, after })) {
    const made = added.find((each) => readId(each) === apiId)
    const difference = made === undefined ? undefined : describeMismatch?.(made as Resource)
    if (difference === undefined) return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
    return unclear(`${[thing, apiId].join(' ').trim()} fits, but ${difference}`)
  }
  const change = `the order had ${before.units} units ${word} before and has ${after.units} now`
  return unclear(`${change}, which ${call} alone does not explain`)
}

/** Whether the resource was attached to the order before the call. */
export function isInSnapshot({ attached = [] }: StoredSnapshot, resource: unknown): boolean {
  const id = readId(resource)
  return id !== undefined && attached.includes(id)
}

/** Additions to the order since the snapshot; undefined where that is unknown, or a line has fewer units than before. */
export function findAdded(order: Resource, watched: WatchedQuantity, snapshotText: string | undefined) {
  const before = parseSnapshot(snapshotText)
  const after = takeOrderSnapshot(order, watched)
  const { attached: known, lines = {} } = before
  if (before.units === undefined || after.units === undefined || known === undefined) return undefined
  if (Object.entries(lines).some(([id, units]) => (after.lines?.[id] ?? 0) < units)) return undefined
  const attached = readAttached(order, watched.list).filter((each) => !known.includes(readId(each) ?? ''))
  return { units: after.units - before.units, attached }
}

/** Compares line by line where both show lines: units that moved between lines leave the sum unchanged. */
function isUnchanged(before: StoredSnapshot, after: StoredSnapshot): boolean {
  if (before.lines === undefined || after.lines === undefined) return before.units === after.units
  const ids = new Set([...Object.keys(before.lines), ...Object.keys(after.lines)])
  return [...ids].every((id) => before.lines?.[id] === after.lines?.[id])
}

type ExplainedComparison = Pick<QuantityComparison, 'watched' | 'body'> &
  Readonly<Record<'before' | 'after', StoredSnapshot>>

/** Compares line by line where both show lines and each item means one of them; else compares the sums. */
function isExplainedByBody(order: Resource, { watched, body, before, after }: ExplainedComparison): boolean {
  const items = readItems(body, watched.items)
  const wanted = new Map<string, number>()
  const lines = readLines(order)
  for (const item of items) {
    const line = findLineOfItem(lines, item)
    const id = typeof line === 'string' ? undefined : readId(line)
    if (id !== undefined) wanted.set(id, (wanted.get(id) ?? 0) + (readUnits(item, 'quantity') ?? 0))
  }
  const { lines: then } = before
  const { lines: now } = after
  const sum = items.reduce((units, item) => units + (readUnits(item, 'quantity') ?? 0), 0)
  const isClear = [...wanted.values()].reduce((units, each) => units + each, 0) === sum
  if (then === undefined || now === undefined || !isClear) return after.units === (before.units ?? 0) + sum
  return Object.entries(now).every(([id, units]) => units === (then[id] ?? 0) + (wanted.get(id) ?? 0))
}

/** Spec: the item shapes inside an order's lists are not shown, so nothing is assumed. */
export function readAttached(order: Resource, list: string): unknown[] {
  const attached = order[list]
  return Array.isArray(attached) ? attached : []
}

/** A quantity that is not shown must not count as zero: that would prove a call absent. */
function sumLineUnits(lines: unknown, counter: string): number | undefined {
  if (!Array.isArray(lines) || lines.length === 0) return undefined
  const quantities = (lines as (RequestBody | null)[]).map((line) => line?.[counter])
  if (!quantities.every((quantity) => typeof quantity === 'number')) return undefined
  return quantities.reduce((sum, quantity) => sum + quantity, 0)
}

/** Undefined where a line shows no id or no quantity. */
function readUnitsByLine(order: Resource, counter: string): Record<string, number> | undefined {
  const entries = readLines(order).map((line: OrderLine) => [readId(line), readUnits(line, counter)] as const)
  const whole = entries.filter((entry): entry is [string, number] =>
    entry.every((each) => each !== undefined),
  )
  return entries.length === 0 || whole.length < entries.length ? undefined : Object.fromEntries(whole)
}
