/** Creates cancels. The canceled quantities of the order before and after show whether an unanswered cancel took effect. */
import { CANCEL_REASONS } from '../contract/cancel.ts'
import type { Resource } from '../domain/api.ts'
import { describeIfOlder, isSameText } from './match-existing.ts'
import type { InboundRules, RequestBody } from './operation.ts'
import { compareQuantities, defineOrderRules } from './order-quantities.ts'

export const CANCELED = {
  get: 'getRetailerOrder',
  counter: 'quantity_canceled',
  list: 'cancels',
  items: 'cancel_lines',
  word: 'canceled',
  thing: 'cancel',
  call: 'this cancel',
} as const

export const createCancel: InboundRules = {
  naturalKey: (body) => `${String(body['order_id'])} ${JSON.stringify(body['cancel_lines'])}`,

  ...defineOrderRules(CANCELED, (order, { api, record, body }) =>
    compareQuantities(order, {
      watched: CANCELED,
      snapshotText: record.note,
      body,
      describeMismatch: (cancel) =>
        describeIfOlder(api, record, cancel, ['canceled_at', 'created_at']) ??
        describeReasonMismatch(cancel, body),
    }),
  ),
}

/** The brand may cancel as many units at the same time for another reason. The API may word a reason differently. */
function describeReasonMismatch({ reason: shown }: Resource, { reason_id: id }: RequestBody) {
  const known = Object.entries(CANCEL_REASONS)
  const found = known.find(([, text]) => typeof shown === 'string' && isSameText(shown, text))
  const sent = known.find(([key]) => key === String(id))
  if (found === undefined || sent === undefined || found === sent) return undefined
  return `has the reason "${found[1]}", and the record "${sent[1]}"`
}
