/** Calls that change the state of what is there. They may be repeated: the state tells whether they are needed. */
import type { EndpointName } from '../../contract/endpoints.ts'
import type { Resource } from '../../domain/api.ts'
import { type InboundRules, idOf, partyParams } from './operation.ts'

interface Act {
  /** The field of the body that names the resource. */
  readonly target: string
  /** What of it is changed. */
  readonly value: 'is_acknowledged' | 'status'
  readonly get: EndpointName
  /** Whether the resource is as the call would have it. */
  readonly isDone: (resource: Resource) => boolean
}

/** The rules of one such call. */
function act({ target, value, get, isDone }: Act): InboundRules {
  const id = (body: Resource) => String(body[target])
  return {
    naturalKey: id,
    lane: id,
    change: (body) => ({ target: `${target} ${id(body)}`, values: [value] }),
    request: (body) => ({ params: { id: id(body) } }),

    async lookUp(api, party, record) {
      const params = { ...partyParams(party), id: id(JSON.parse(record.body) as Resource) }
      const resource = await api.get({ endpoint: get, params })
      if (resource === undefined || !isDone(resource)) return { found: 'absent' }
      const apiId = idOf(resource)
      return { found: 'accepted', ...(apiId === undefined ? {} : { apiId }) }
    },
  }
}

const isAcknowledged = (resource: Resource) => resource['is_acknowledged'] === true
const statusOf = (resource: Resource) => String(resource['status']).toLowerCase()

/** What a party has received, by the endpoint that shows it. */
export function acknowledging(target: string, get: EndpointName): InboundRules {
  return act({ target, value: 'is_acknowledged', get, isDone: isAcknowledged })
}

export const closeOrder = act({
  target: 'order_id',
  value: 'status',
  get: 'getBrandOrder',
  isDone: (order) => statusOf(order) === 'closed',
})

export const reopenOrder = act({
  target: 'order_id',
  value: 'status',
  get: 'getBrandOrder',
  isDone: (order) => statusOf(order) === 'open' || statusOf(order) === 'partial',
})
