/** Verifies at the API the id that a person claims for a record. */
import type { EndpointName } from '../contract/endpoints.ts'
import type { InboundOperationName } from '../contract/operations.ts'
import type { Api, Resource } from '../domain/api.ts'
import type { Party } from '../domain/route.ts'
import { CANCELED } from './create-cancel.ts'
import { SHIPPED } from './create-shipment.ts'
import { type RequestBody, readId, createPartyParams } from './operation.ts'
import { readItems, readLines, readUnits } from './order-lines.ts'
import type { WatchedQuantity } from './order-quantities.ts'

/** `believed`: the API has no way to show it. */
export type ClaimVerdict = 'seen' | 'believed' | { readonly refused: string }

interface ResourceCheck {
  readonly get: EndpointName
  /** What must be the same in the body and in what is shown, by its name there. */
  readonly same: Readonly<Record<string, (body: RequestBody) => unknown>>
}

const sameFields = (...fields: string[]) =>
  Object.fromEntries(fields.map((field) => [field, (body: RequestBody) => body[field]]))

/** Those that make something which can be looked at by its id. */
const RESOURCE_CHECKS: Readonly<Partial<Record<InboundOperationName, ResourceCheck>>> = {
  'create-order': { get: 'getRetailerOrder', same: sameFields('purchase_order_number') },
  'create-cancel': { get: 'getCancel', same: sameFields('order_id') },
  'create-invoice': { get: 'getBrandInvoice', same: sameFields('purchase_order_number', 'invoice_number') },
  'create-variant': {
    get: 'getBrandVariant',
    same: { identifier: (body) => (body['attributes'] as RequestBody | undefined)?.['identifier'] },
  },
}

export interface ClaimedRecord {
  readonly operation: InboundOperationName
  /** Of a call that changes something: the field of the body that names it. */
  readonly target?: string
  readonly body: RequestBody
  /** The id that the record is said to have. */
  readonly id: string
}

/** Reads what is said to be there, where it can be read. Throws when the API cannot be asked. */
export async function verifyClaimedId(api: Api, party: Party, claimed: ClaimedRecord): Promise<ClaimVerdict> {
  const { operation, target, body, id } = claimed
  if (target !== undefined) return verifyTarget(target, body, id)
  const listed = ORDER_LIST_CHECKS[operation]
  const among = listed === undefined ? 'believed' : await verifyInOrderList(api, party, { listed, claimed })
  const made = RESOURCE_CHECKS[operation]
  if (typeof among === 'object' || made === undefined) return among
  const shown = await api.get({ endpoint: made.get, params: { ...createPartyParams(party), id } })
  return shown === undefined
    ? { refused: `the API does not show ${id}` }
    : compareFields(made, shown, claimed)
}

/** What is changed has its id from the file. Whether the change was made is for the person to say. */
function verifyTarget(target: string, body: RequestBody, id: string): ClaimVerdict {
  const meant = String(body[target])
  return meant === id ? 'believed' : { refused: `the record is about ${target} ${meant}, and not ${id}` }
}

/** Spec: what is left out of an answer, nobody can compare. */
function compareFields({ same }: ResourceCheck, shown: Resource, { body, id }: ClaimedRecord): ClaimVerdict {
  for (const [field, valueIn] of Object.entries(same)) {
    const [theirs, ours] = [toText(shown[field]), toText(valueIn(body))]
    if (theirs === undefined || theirs === ours) continue
    return { refused: `${id} has ${field} ${theirs} at the API, and the record ${ours ?? 'none'}` }
  }
  return 'seen'
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** What an order shows of what was made for it. A supplier sees its shipments nowhere else. */
const ORDER_LIST_CHECKS: Readonly<Partial<Record<InboundOperationName, WatchedQuantity>>> = {
  'create-shipment': SHIPPED,
  'create-cancel': CANCELED,
}

/** Whether the order has it among its own. An order that does not list them, or not all, disproves nothing. */
async function verifyInOrderList(
  api: Api,
  party: Party,
  { listed, claimed }: { readonly listed: WatchedQuantity; readonly claimed: ClaimedRecord },
): Promise<ClaimVerdict> {
  const { body, id } = claimed
  const params = { ...createPartyParams(party), id: String(body['order_id']) }
  const order = await api.get({ endpoint: listed.get, params })
  const shown = order?.[listed.list]
  if (order === undefined || !Array.isArray(shown)) return 'believed'
  const all: readonly unknown[] = shown
  const ids = all.flatMap((each) => readId(each) ?? [])
  const found = all.find((each) => readId(each) === id)
  if (found !== undefined) return verifyTracking(found as Resource, claimed)
  if (ids.length < all.length || isListIncomplete(order, all, listed)) return 'believed'
  const name = toText(order['purchase_order_number']) ?? toText(body['order_id']) ?? ''
  return { refused: `order ${name} shows ${formatIds(ids, listed.thing)}, and ${id} is not one of them` }
}

/** More of the order is done so than what it lists accounts for: the list is late, or has an end. */
function isListIncomplete(order: Resource, all: readonly unknown[], { counter, items }: WatchedQuantity) {
  const done = sumField(readLines(order), counter)
  const told = all.map((each) =>
    Array.isArray((each as RequestBody)[items])
      ? sumField(readItems(each as RequestBody, items), 'quantity')
      : undefined,
  )
  return done !== undefined && done > told.reduce<number>((sum, each) => sum + (each ?? done), 0)
}

/** Undefined where one of them does not say. */
function sumField(items: readonly RequestBody[], field: string): number | undefined {
  const quantities = items.map((item) => readUnits(item, field))
  if (!quantities.every((each) => each !== undefined)) return undefined
  return quantities.reduce<number>((sum, each) => sum + each, 0)
}

function formatIds(ids: readonly string[], word: string): string {
  const last = ids.at(-1)
  if (last === undefined) return `no ${word}s`
  return ids.length === 1 ? `${word} ${last}` : `${word}s ${ids.slice(0, -1).join(', ')} and ${last}`
}

function verifyTracking(found: Resource, { body, id }: ClaimedRecord): ClaimVerdict {
  const [theirs, ours] = [found['tracking_number'], body['tracking_number']]
  if (typeof theirs !== 'string' || typeof ours !== 'string' || theirs === ours) return 'seen'
  return { refused: `shipment ${id} has the tracking number ${theirs} at the API, and the record ${ours}` }
}
