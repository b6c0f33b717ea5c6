/** Whether the API shows what a person says it made of a record. */
import type { EndpointName } from '../../contract/endpoints.ts'
import type { InboundOperationName } from '../../contract/operations.ts'
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { type Body, idOf, partyParams } from './operation.ts'

/** `believed`: the API has no call that would show it. */
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
  if (operation === 'create-shipment') return isAmongShipments(api, party, claimed)
  const made = MADE[operation]
  if (made === undefined) return 'believed'
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

/** A supplier sees its shipments only with their order, and there they may come late. */
async function isAmongShipments(api: Api, party: Party, { body, id }: Claimed): Promise<Shown> {
  const order = await api.get({
    endpoint: 'getBrandOrder',
    params: { ...partyParams(party), id: String(body['order_id']) },
  })
  const shipments = order?.['shipments']
  const found = Array.isArray(shipments)
    ? (shipments as unknown[]).find((each) => idOf(each) === id)
    : undefined
  if (found === undefined) return 'believed'
  const [theirs, ours] = [(found as Resource)['tracking_number'], body['tracking_number']]
  if (typeof theirs !== 'string' || typeof ours !== 'string' || theirs === ours) return 'seen'
  return { refused: `shipment ${id} has the tracking number ${theirs} at the API, and the record ${ours}` }
}
