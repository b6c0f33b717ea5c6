/** The rules of every inbound operation. The compiler demands a row when the contract gets a new operation. */
import { hash } from 'node:crypto'
import type { EndpointName } from '../contract/endpoints.ts'
import type { InboundOperationName } from '../contract/operations.ts'
import type { Resource } from '../domain/api.ts'
import type { RecordChange } from '../domain/record.ts'
import type { BoundTranslator } from '../domain/translator.ts'
import { createCancel } from './create-cancel.ts'
import { createInvoice } from './create-invoice.ts'
import { createOrder } from './create-order.ts'
import { createShipment } from './create-shipment.ts'
import { createPartyParams, type InboundRules, readId } from './operation.ts'
import { computeCents } from './order-lines.ts'
import { createVariant, updateVariant } from './variants.ts'

// Operations that only change a state. They are repeatable: the state shows whether the call took effect.

/** The rules of a call that changes `value` of the resource that the field `target` names. */
function defineStateChange(
  target: string,
  value: 'is_acknowledged' | 'status',
  get: EndpointName,
  isDone: (resource: Resource) => boolean,
): InboundRules {
  const id = (body: Resource) => String(body[target])
  return {
    naturalKey: id,
    lane: id,
    change: (body) => ({ target: `${target} ${id(body)}`, values: [value] }),
    request: (body) => ({ params: { id: id(body) } }),

    async lookUp(api, party, record) {
      const params = { ...createPartyParams(party), id: id(JSON.parse(record.body) as Resource) }
      const resource = await api.get({ endpoint: get, params })
      if (resource === undefined || !isDone(resource)) return { found: 'absent' }
      const apiId = readId(resource)
      return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
    },
  }
}

/** Acknowledges the resource that the field `target` names; `get` shows whether it is acknowledged. */
function defineAcknowledgement(target: string, get: EndpointName): InboundRules {
  return defineStateChange(target, 'is_acknowledged', get, (resource) => resource['is_acknowledged'] === true)
}

/** Changes the status of an order to one of these. */
function defineOrderStatus(...done: string[]): InboundRules {
  const isDone = (order: Resource) => done.includes(String(order['status']).toLowerCase())
  return defineStateChange('order_id', 'status', 'getBrandOrder', isDone)
}

export const INBOUND_RULES: Readonly<Record<InboundOperationName, InboundRules>> = {
  'create-order': createOrder,
  'create-cancel': createCancel,
  'acknowledge-order': defineAcknowledgement('order_id', 'getBrandOrder'),
  'create-shipment': createShipment,
  'close-order': defineOrderStatus('closed'),
  'reopen-order': defineOrderStatus('open', 'partial'),
  'create-invoice': createInvoice,
  'create-variant': createVariant,
  'update-variant': updateVariant,
  'acknowledge-shipment': defineAcknowledgement('shipment_id', 'getShipment'),
  'acknowledge-invoice': defineAcknowledgement('invoice_id', 'getRetailerInvoice'),
  'acknowledge-cancel': defineAcknowledgement('cancel_id', 'getCancel'),
  'acknowledge-credit': defineAcknowledgement('credit_id', 'getCredit'),
  'acknowledge-return': defineAcknowledgement('return_id', 'getRma'),
  'acknowledge-variant': defineAcknowledgement('variant_id', 'getRetailerVariant'),
}

// The identity of a record: the same within one account, whatever file it is in.

export interface RecordIdentity {
  readonly naturalKey: string
  /** Records with the same lane are sent one after the other. */
  readonly lane: string
  readonly body: string
  readonly bodyHash: string
  /** Its amount, where the body has one. */
  readonly cents?: number
  /** Only of repeatable records. */
  readonly change?: RecordChange
}

/** The operations that create one resource per name; an order has several shipments and cancels. */
const UNIQUE_BY_NAME: ReadonlySet<InboundOperationName> = new Set([
  'create-order',
  'create-invoice',
  'create-variant',
])

/** Whether records with the same key cells are one record, so that a refused part of it refuses the others. */
export function isNamedByKeys(
  operation: InboundOperationName,
  { groupsByKeys }: Pick<BoundTranslator, 'groupsByKeys'>,
) {
  return groupsByKeys && UNIQUE_BY_NAME.has(operation)
}

export function identifyRecord(
  operation: InboundOperationName,
  body: Readonly<Record<string, unknown>>,
  keyValues: readonly string[],
): RecordIdentity {
  const rules: InboundRules = INBOUND_RULES[operation]
  const change = rules.change?.(body)
  const text = JSON.stringify(body)
  const cents = computeCents(operation, body)
  const common = {
    naturalKey: rules.naturalKey(body, keyValues),
    lane: rules.lane(body),
    body: text,
    bodyHash: hash('sha256', text),
  }
  if (change !== undefined) return { ...common, change, ...(cents !== undefined && { cents }) }
  return cents === undefined ? common : { ...common, cents }
}
