/** Checks at the API the id that a person claims for a record. */
import type { EndpointName } from '../contract/endpoints.ts'
import {
  type CreateOperationName,
  findTargetField,
  type InboundOperationName,
} from '../contract/operations.ts'
import type { Api, Resource } from '../domain/api.ts'
import type { Party } from '../domain/route.ts'
import { CANCELED } from './create-cancel.ts'
import { SHIPPED } from './create-shipment.ts'
import { type RequestBody, readId, createPartyParams } from './operation.ts'
import { readItems, readLines, readUnits } from './order-lines.ts'
import type { WatchedQuantity } from './order-quantities.ts'

/** `believed`: the API cannot show the resource. */
export type ClaimVerdict = 'seen' | 'believed' | { readonly refused: string }

interface ClaimCheck {
  /** The list of its order that shows what was created. */
  readonly watched?: WatchedQuantity
  /** Reads it by its id. A brand sees its shipments in their orders alone. */
  readonly get?: EndpointName
  /** The fields that must be the same in the body and in the shown resource, by their names in the resource. */
  readonly same?: Readonly<Record<string, (body: RequestBody) => unknown>>
}

const sameFields = (...fields: string[]) =>
  Object.fromEntries(fields.map((field) => [field, (body: RequestBody) => body[field]]))

const CLAIM_CHECKS: Readonly<Record<CreateOperationName, ClaimCheck>> = {
  'create-order': { get: 'getRetailerOrder', same: sameFields('purchase_order_number') },
  'create-cancel': { watched: CANCELED, get: 'getCancel', same: sameFields('order_id') },
  'create-shipment': { watched: SHIPPED },
  'create-invoice': { get: 'getBrandInvoice', same: sameFields('purchase_order_number', 'invoice_number') },
  'create-variant': {
    get: 'getBrandVariant',
    same: { identifier: (body) => (body['attributes'] as RequestBody | undefined)?.['identifier'] },
  },
}

export interface ClaimedRecord {
  readonly operation: InboundOperationName
  readonly body: RequestBody
  /** The id that a person claims for the record. */
  readonly id: string
}

/** Reads the claimed resource, if the API can show it. Throws when the API cannot be asked. */
export async function verifyClaimedId(api: Api, party: Party, claimed: ClaimedRecord): Promise<ClaimVerdict> {
  const { operation, body, id } = claimed
  const target = findTargetField(operation)
  if (target !== undefined) return verifyTarget(target, body, id)
  const { watched, get, same } = CLAIM_CHECKS[operation as CreateOperationName]
  const verdict =
    watched === undefined ? 'believed' : await verifyInOrderList(api, party, { watched, claimed })
  if (typeof verdict === 'object' || get === undefined) return verdict
  const shown = await api.get({ endpoint: get, params: { ...createPartyParams(party), id } })
  return shown === undefined
    ? { refused: `the API does not show ${id}` }
    : compareFields(same, shown, claimed)
}

/** The file gives the id of a changed resource. Whether the change was made, only the person can say. */
function verifyTarget(target: string, body: RequestBody, id: string): ClaimVerdict {
  const meant = String(body[target])
  return meant === id ? 'believed' : { refused: `the record is about ${target} ${meant}, and not ${id}` }
}

/** Spec: answers may leave fields out; such a field is not compared. */
function compareFields(same: ClaimCheck['same'], shown: Resource, { body, id }: ClaimedRecord): ClaimVerdict {
  for (const [field, valueIn] of Object.entries(same ?? {})) {
    const [found, expected] = [toText(shown[field]), toText(valueIn(body))]
    if (found === undefined || found === expected) continue
    return { refused: `${id} has ${field} ${found} at the API, and the record ${expected ?? 'none'}` }
  }
  return 'seen'
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Checks whether the order lists the id. An order that does not list them, or not all, disproves nothing. */
async function verifyInOrderList(
  api: Api,
  party: Party,
  { watched, claimed }: { readonly watched: WatchedQuantity; readonly claimed: ClaimedRecord },
): Promise<ClaimVerdict> {
  const { body, id } = claimed
  const params = { ...createPartyParams(party), id: String(body['order_id']) }
  const order = await api.get({ endpoint: watched.get, params })
  const shown = order?.[watched.list]
  if (order === undefined || !Array.isArray(shown)) return 'believed'
  const all: readonly unknown[] = shown
  const ids = all.flatMap((each) => readId(each) ?? [])
  const found = all.find((each) => readId(each) === id)
  if (found !== undefined) return verifyTracking(found as Resource, claimed)
  if (ids.length < all.length || isListIncomplete(order, all, watched)) return 'believed'
  const name = toText(order['purchase_order_number']) ?? toText(body['order_id']) ?? ''
  return { refused: `order ${name} shows ${formatIds(ids, watched.thing)}, and ${id} is not one of them` }
}

/** Whether the counter of the order is higher than the sum of its list: the list lags behind, or is cut. */
function isListIncomplete(order: Resource, all: readonly unknown[], { counter, items }: WatchedQuantity) {
  const total = sumField(readLines(order), counter)
  const listed = all.map((each) =>
    Array.isArray((each as RequestBody)[items])
      ? sumField(readItems(each as RequestBody, items), 'quantity')
      : undefined,
  )
  return total !== undefined && total > listed.reduce<number>((sum, each) => sum + (each ?? total), 0)
}

/** Undefined where an item does not show the field. */
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
  const [shown, sent] = [found['tracking_number'], body['tracking_number']]
  if (typeof shown !== 'string' || typeof sent !== 'string' || shown === sent) return 'seen'
  return { refused: `shipment ${id} has the tracking number ${shown} at the API, and the record ${sent}` }
}
