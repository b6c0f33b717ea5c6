/** How each kind of resource is found at the API when the journal does not know it: which lists show it, in which order. */
import type { EndpointName } from '../../contract/endpoints.ts'
import type { Call } from '../../domain/api.ts'
import type { Party } from '../../domain/route.ts'
import { partyParams } from '../operations/operation.ts'
import type { SeenKind } from './kinds.ts'

export interface Sweep {
  /** Lists to be read, each only while something is still missing; the last shows all there are. */
  readonly lists: readonly Call[]
  /** The list that shows just what has this key, where there is a filter for it. */
  readonly single?: (key: string) => Call
}

/** What most files name is read first. */
const UNDER_WAY = { status: ['open', 'partial'] } as const
const UNACKNOWLEDGED = { is_acknowledged: 0 } as const

export function sweepOf(kind: SeenKind, party: Party): Sweep {
  const params = partyParams(party)
  const lists = (endpoint: EndpointName, ...queries: NonNullable<Call['query']>[]): Sweep => ({
    lists: [...queries.map((query) => ({ endpoint, params, query })), { endpoint, params }],
  })
  const isBrand = party.kind === 'brand'
  switch (kind) {
    case 'order':
      if (isBrand) return lists('listBrandOrders', UNDER_WAY)
      return {
        ...lists('listRetailerOrders', UNDER_WAY),
        single: (key) => ({ endpoint: 'listRetailerOrders', params, query: { purchase_order_number: key } }),
      }
    case 'variant':
      // The short list is small, and does not show the numbers that retailers give to items.
      return isBrand ? lists('listBrandVariants', { short: 1 }) : lists('listRetailerVariants')
    case 'shipment':
      return lists('listShipments', UNACKNOWLEDGED)
    case 'invoice':
      return isBrand ? lists('listBrandInvoices') : lists('listRetailerInvoices', UNACKNOWLEDGED)
    case 'credit':
      return lists('listCredits', UNACKNOWLEDGED)
    case 'return':
      return lists('listRmas', UNACKNOWLEDGED)
  }
}
