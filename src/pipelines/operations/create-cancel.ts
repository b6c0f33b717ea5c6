/** Creating cancels: the order's canceled quantities, noted before, tell whether one whose answer was lost took effect. */
import type { Api, Resource } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { type Body, type InboundRules, partyParams } from './operation.ts'
import { compareQuantities, noteOf } from './quantities.ts'

const CANCELED = {
  counter: 'quantity_canceled',
  list: 'cancels',
  items: 'cancel_lines',
  word: 'canceled',
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
    })
  },
}

function readOrder(api: Api, party: Party, body: Body): Promise<Resource | undefined> {
  const params = { ...partyParams(party), id: String(body['order_id']) }
  return api.get({ endpoint: 'getRetailerOrder', params })
}
