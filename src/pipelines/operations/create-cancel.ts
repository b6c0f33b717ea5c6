/** Creating cancels: the order's canceled quantities, noted before, tell whether one whose answer was lost took effect. */
import { CANCEL_REASONS } from '../../contract/cancel.ts'
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { isSameText } from './likeness.ts'
import { madeBefore } from './made-at.ts'
import { type Body, type InboundRules, partyParams } from './operation.ts'
import { compareQuantities, noteOf } from './quantities.ts'

const CANCELED = {
  counter: 'quantity_canceled',
  list: 'cancels',
  items: 'cancel_lines',
  word: 'canceled',
  thing: 'cancel',
  call: 'this cancel',
} as const

export const createCancel: InboundRules = {
  naturalKey: (body) => `${String(body['order_id'])} ${JSON.stringify(body['cancel_lines'])}`,
  lane: (body) => String(body['order_id']),

  async note(api, party, body) {
    const order = await readOrder(api, party, body)
    return JSON.stringify(order === undefined ? {} : noteOf(order, CANCELED))
  },

  noteOf: (order, isOld) => JSON.stringify({ ...noteOf(order, CANCELED), ...(isOld ? { isOld } : {}) }),

  async lookUp(api, party, record) {
    const body = JSON.parse(record.body) as Body
    const order = await readOrder(api, party, body)
    if (order === undefined)
      return { found: 'unclear', why: `order ${String(body['order_id'])} is not there any more` }
    return compareQuantities(order, {
      watched: CANCELED,
      noteText: record.note,
      body,
      contrary: (cancel) =>
        madeBefore(api, record, cancel, ['canceled_at', 'created_at']) ?? otherReason(cancel, body),
    })
  },
}

/** The supplier may cancel as much at the same time, for a reason of its own. An API may put reasons into other words. */
function otherReason({ reason: shown }: Resource, { reason_id: id }: Body): string | undefined {
  const known = Object.entries(CANCEL_REASONS)
  const theirs = known.find(([, text]) => typeof shown === 'string' && isSameText(shown, text))
  const ours = known.find(([key]) => key === String(id))
  if (theirs === undefined || ours === undefined || theirs === ours) return undefined
  return `has the reason "${theirs[1]}", and the record "${ours[1]}"`
}

function readOrder(api: Api, party: Party, body: Body): Promise<Resource | undefined> {
  const params = { ...partyParams(party), id: String(body['order_id']) }
  return api.get({ endpoint: 'getRetailerOrder', params })
}
