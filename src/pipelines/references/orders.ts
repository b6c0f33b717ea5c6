/** Orders as they are now: read anew before something is refused because of what is known of them. */
import type { KnownResource } from '../../domain/journal.ts'
import { accountOf } from '../../domain/route.ts'
import type { Clock } from '../../support/clock.ts'
import { hasCode } from '../../support/errors.ts'
import { orderListOf, partyParams } from '../operations/operation.ts'
import { accountCheck } from '../reads.ts'
import { type FinderParts, readWhole } from './finder.ts'
import { sightingOf } from './kinds.ts'

/** How many orders of one file are read one by one; more are swept. */
const READS_MAX = 200

const READS_IN_FLIGHT = 8

export interface OrderReader {
  /** The orders with these ids as the journal has them; those it does not know are not there. */
  known(ids: Iterable<string>): Promise<ReadonlyMap<string, KnownResource>>
  /**
   * The same orders as they were at the earliest when this reader was made; those that are gone, or that the API does not
   * show to this account, are not there.
   */
  anew(ids: Iterable<string>): Promise<ReadonlyMap<string, KnownResource>>
}

export function orderReader(parts: FinderParts & { readonly clock: Clock }): OrderReader {
  const { api, journal, route, clock } = parts
  const account = accountOf(route.party)
  const since = clock.now()
  const endpoint = route.party.kind === 'brand' ? 'getBrandOrder' : 'getRetailerOrder'
  let readsLeft = READS_MAX
  let isSwept = false

  const known = async (ids: Iterable<string>) => {
    const orders = await journal.resourcesById(account, 'order', [...new Set(ids)])
    return new Map(orders.map((order) => [order.id, order]))
  }
  const isFresh = (order: KnownResource | undefined) => order?.facts !== undefined && order.seenAt >= since
  const checkAccount = accountCheck(api, route.party)
  const readOne = async (id: string) => {
    try {
      const order = await api.get({ endpoint, params: { ...partyParams(route.party), id } })
      return sightingOf('order', order).map((seen): KnownResource => ({ ...seen, seenAt: clock.now() }))
    } catch (error) {
      // An API that is away is asked again by a later pass; one order that it does not show is not to hold up the others.
      if (!hasCode(error, 'api-answer-unusable')) throw error
      await checkAccount()
      return []
    }
  }
  return {
    known,
    async anew(ids) {
      const orders = new Map([...(await known(ids))].filter(([, order]) => isFresh(order)))
      const stale = [...new Set(ids)].filter((id) => !orders.has(id))
      if (stale.length === 0 || isSwept) return orders
      if (stale.length > readsLeft) {
        isSwept = true
        await readWhole(parts, orderListOf(route.party))
        return new Map([...(await known(ids))].filter(([, order]) => isFresh(order)))
      }
      readsLeft -= stale.length
      for (let start = 0; start < stale.length; start += READS_IN_FLIGHT) {
        const read = await Promise.all(stale.slice(start, start + READS_IN_FLIGHT).map(readOne))
        for (const order of read.flat()) orders.set(order.id, order)
      }
      return orders
    },
  }
}
