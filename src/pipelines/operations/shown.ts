/** Whether the API shows what a person says it made of a record. */
import type { EndpointName } from '../../contract/endpoints.ts'
import type { InboundOperationName } from '../../contract/operations.ts'
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { type Body, idOf, partyParams } from './operation.ts'
import { itemsOf, linesOf, unitsIn } from './order-lines.ts'

/** `believed`: the API has no way to show it. */
export type Shown = 'seen' | 'believed' | { readonly refused: string }

interface Shows {
  readonly get: EndpointName
  /** What must be the same in the body and in what is shown, by its name there. */
  readonly same: Readonly<Record<string, (body: Body) => unknown>>
}

const own = (field: string) => ({ [field]: (body: Body) => body[field] })

/** Those that make something which can be looked at by its id. */
const MADE: Readonly<Partial<Record<InboundOperationName, Shows>>> = {
  'create-order': { get: 'getRetailerOrder', same: own('purchase_order_number') },
  'create-cancel': { get: 'getCancel', same: own('order_id') },
  'create-invoice': {
    get: 'getBrandInvoice',
    same: { ...own('purchase_order_number'), ...own('invoice_number') },
  },
  'create-variant': {
    get: 'getBrandVariant',
    same: { identifier: (body) => (body['attributes'] as Body | undefined)?.['identifier'] },
  },
}

export interface Claimed {
  readonly operation: InboundOperationName
  /** Of a call that changes something: the field of the body that names it. */
  readonly target?: string
  readonly body: Body
  /** The id that the record is said to have. */
  readonly id: string
}

/** Reads what is said to be there, where it can be read. Throws when the API cannot be asked. */
export async function isShown(api: Api, party: Party, claimed: Claimed): Promise<Shown> {
  const { operation, target, body, id } = claimed
  if (target !== undefined) return namesTarget(target, body, id)
  const listed = LISTED[operation]
  const among = listed === undefined ? 'believed' : await isAmongItsOwn(api, party, { listed, claimed })
  const made = MADE[operation]
  if (typeof among === 'object' || made === undefined) return among
  const shown = await api.get({ endpoint: made.get, params: { ...partyParams(party), id } })
  return shown === undefined ? { refused: `the API does not show ${id}` } : agrees(made, shown, claimed)
}

/** What is changed has its id from the file. Whether the change was made is for the person to say. */
function namesTarget(target: string, body: Body, id: string): Shown {
  const meant = String(body[target])
  return meant === id ? 'believed' : { refused: `the record is about ${target} ${meant}, and not ${id}` }
}

/** Spec: what is left out of an answer, nobody can compare. */
function agrees({ same }: Shows, shown: Resource, { body, id }: Claimed): Shown {
  for (const [field, valueIn] of Object.entries(same)) {
    const [theirs, ours] = [textOf(shown[field]), textOf(valueIn(body))]
    if (theirs === undefined || theirs === ours) continue
    return { refused: `${id} has ${field} ${theirs} at the API, and the record ${ours ?? 'none'}` }
  }
  return 'seen'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

interface Listed {
  readonly get: EndpointName
  readonly list: string
  readonly word: string
  /** Where an order says in units how much of it was done so: the field of its lines, and the list of items of each. */
  readonly units?: { readonly counter: string; readonly items: string }
}

/** What an order shows of what was made for it. A supplier sees its shipments nowhere else. */
const LISTED: Readonly<Partial<Record<InboundOperationName, Listed>>> = {
  'create-shipment': {
    get: 'getBrandOrder',
    list: 'shipments',
    word: 'shipment',
    units: { counter: 'quantity_shipped', items: 'shipment_lines' },
  },
  'create-cancel': {
    get: 'getRetailerOrder',
    list: 'cancels',
    word: 'cancel',
    units: { counter: 'quantity_canceled', items: 'cancel_lines' },
  },
}

/** Whether the order has it among its own. An order that does not list them, or not all, disproves nothing. */
async function isAmongItsOwn(
  api: Api,
  party: Party,
  { listed, claimed }: { readonly listed: Listed; readonly claimed: Claimed },
): Promise<Shown> {
  const { body, id } = claimed
  const params = { ...partyParams(party), id: String(body['order_id']) }
  const order = await api.get({ endpoint: listed.get, params })
  const shown = order?.[listed.list]
  if (order === undefined || !Array.isArray(shown)) return 'believed'
  const all: readonly unknown[] = shown
  const ids = all.flatMap((each) => idOf(each) ?? [])
  const found = all.find((each) => idOf(each) === id)
  if (found !== undefined) return hasItsTracking(found as Resource, claimed)
  if (ids.length < all.length || isCut(order, all, listed)) return 'believed'
  const name = textOf(order['purchase_order_number']) ?? textOf(body['order_id']) ?? ''
  return { refused: `order ${name} shows ${inWords(ids, listed.word)}, and ${id} is not one of them` }
}

/** More of the order is done so than what it lists accounts for: the list is late, or has an end. */
function isCut(order: Resource, all: readonly unknown[], { units }: Listed): boolean {
  if (units === undefined) return false
  const done = sumOf(linesOf(order), units.counter)
  const told = all.map((each) => {
    const items = (each as Body)[units.items]
    return Array.isArray(items) ? sumOf(itemsOf(each as Body, units.items), 'quantity') : undefined
  })
  return done !== undefined && done > told.reduce<number>((sum, each) => sum + (each ?? done), 0)
}

/** Undefined where one of them does not say. */
function sumOf(items: readonly Body[], field: string): number | undefined {
  const quantities = items.map((item) => unitsIn(item, field))
  if (!quantities.every((each) => each !== undefined)) return undefined
  return quantities.reduce<number>((sum, each) => sum + each, 0)
}

function inWords(ids: readonly string[], word: string): string {
  const last = ids.at(-1)
  if (last === undefined) return `no ${word}s`
  return ids.length === 1 ? `${word} ${last}` : `${word}s ${ids.slice(0, -1).join(', ')} and ${last}`
}

function hasItsTracking(found: Resource, { body, id }: Claimed): Shown {
  const [theirs, ours] = [found['tracking_number'], body['tracking_number']]
  if (typeof theirs !== 'string' || typeof ours !== 'string' || theirs === ours) return 'seen'
  return { refused: `shipment ${id} has the tracking number ${theirs} at the API, and the record ${ours}` }
}
