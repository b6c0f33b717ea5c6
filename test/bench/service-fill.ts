/** Fills a data folder of the service with any number of orders, without the HTTP server, in the way of placing an order. */
import { addressToJson } from '../../src/service/values.ts'
import { sampleCatalogue, sampleSeed, type SampleItem } from '../../src/service/sample-seed.ts'
import { type Seed, seedIfEmpty } from '../../src/service/seed.ts'
import { openStore, type Store } from '../../src/service/store/store.ts'
import { systemClock } from '../../src/support/clock.ts'
import { BRAND, BRAND_LOGIN, RETAILER, RETAILER_LOGIN } from './setting.ts'

/** The sample market with clients that the bench knows. */
export function benchSeed(): Seed {
  const credentials = [
    { kind: 'retailer', id: RETAILER, ...RETAILER_LOGIN },
    { kind: 'brand', id: BRAND, ...BRAND_LOGIN },
  ] as const
  return { ...sampleSeed(), credentials }
}

export interface Filled {
  /** Epoch seconds. All orders were received since then, whatever their number. */
  readonly lastMinute: number
  /** Epoch seconds. Almost all orders were received since then. */
  readonly lastYear: number
}

/** Orders of the last year; this many of them came in the last minute. */
const LAST_MINUTE_ORDERS = 100

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const ORDERS_A_COMMIT = 20_000

export function fillService(folder: string, orders: number): Filled {
  const store = openStore(folder)
  try {
    seedIfEmpty(store, benchSeed(), systemClock)
    const now = systemClock.now()
    const insert = createFilling(store, { orders, now })
    for (let first = 1; first <= orders; first += ORDERS_A_COMMIT) {
      store.runInTransaction(() => {
        for (let number = first; number < Math.min(first + ORDERS_A_COMMIT, orders + 1); number++)
          insert(number)
      })
    }
    return {
      lastMinute: Math.floor((now - MINUTE_MS) / 1000),
      lastYear: Math.floor((now - 364 * DAY_MS) / 1000),
    }
  } finally {
    store.close()
  }
}

export function numberOf(order: number): string {
  return `FILL-${String(order).padStart(8, '0')}`
}

const STATUSES = [
  'open',
  'open',
  'open',
  'open',
  'partial',
  'partial',
  'closed',
  'closed',
  'closed',
  'canceled',
] as const

type Status = (typeof STATUSES)[number]

interface Filling {
  readonly orders: number
  readonly now: number
}

/**
 * Inserts the order with a number from 1: half of them acknowledged, in all statuses, a tenth for the other brand, one
 * line or two, every address different.
 */
function createFilling(store: Store, { orders, now }: Filling): (number: number) => void {
  const itemsOf = createChoice()
  return (number) => {
    const scattered = scatter(number)
    const received = receivedAt(number, { orders, now })
    const status = STATUSES[scattered % STATUSES.length] ?? 'open'
    const brandId = (scattered >> 5) % 10 === 0 ? BRAND + 1 : BRAND
    const chosen = itemsOf(brandId, scattered)
    const orderId = store.insert('orders', {
      retailer_id: RETAILER,
      brand_id: brandId,
      purchase_order_number: numberOf(number),
      customer_order_number: `W${number}`,
      retailer_order_number: null,
      ship_to_id: store.insert('addresses', { body: addressText(number) }),
      sold_to_id: null,
      shipping_method_id: 3,
      requested_shipping_method_id: null,
      gift_message: '[]',
      subtotal_charged: chosen[0]?.price ?? '0.00',
      status,
      acknowledge_by: received + DAY_MS,
      fulfill_by: received + 3 * DAY_MS,
      received_at: received,
      ordered_at: received - 5 * MINUTE_MS,
      acknowledged_at: (scattered >> 9) % 2 === 0 ? null : received + 10 * MINUTE_MS,
      pickup_on: null,
      closed_at: status === 'closed' ? received + 2 * DAY_MS : null,
      canceled_at: status === 'canceled' ? received + DAY_MS : null,
      updated_at: received,
    })
    for (const [index, { id, netPrice, price }] of chosen.entries()) {
      store.insert('order_lines', {
        order_id: orderId,
        number: index + 1,
        variant_id: id,
        ...progressOf(status, index),
        quantity_returned: 0,
        net_price: netPrice,
        price,
        subtotal: price,
        fulfill_by: received + 3 * DAY_MS,
      })
    }
  }
}

/** Spreads neighbouring numbers far apart, the same way at every call. */
function scatter(number: number): number {
  const mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b)
  return (mixed ^ (mixed >>> 16)) >>> 8
}

/** Spreads the orders evenly over the year before, except the last ones. */
function receivedAt(number: number, { orders, now }: Filling): number {
  const fromLast = orders - number
  if (fromLast < LAST_MINUTE_ORDERS) return now - fromLast * 500
  return now - 2 * MINUTE_MS - Math.floor((fromLast / orders) * 365 * DAY_MS)
}

function createChoice(): (brandId: number, scattered: number) => SampleItem[] {
  const catalogue = sampleCatalogue()
  const items = new Map([BRAND, BRAND + 1].map((id) => [id, catalogue.filter((item) => item.brandId === id)]))
  return (brandId, scattered) => {
    const offered = items.get(brandId) ?? []
    const first = offered[scattered % offered.length]
    const second = offered[(scattered + 7) % offered.length]
    return [first, ...(scattered % 2 === 0 ? [second] : [])].filter((item) => item !== undefined)
  }
}

/** The first line of a partial order is done. */
function progressOf(status: Status, index: number) {
  const isShipped = status === 'closed' || (status === 'partial' && index === 0)
  const isCanceled = status === 'canceled'
  return {
    quantity: 1,
    quantity_shipped: Number(isShipped),
    quantity_canceled: Number(isCanceled),
    status: isShipped || isCanceled ? 'closed' : 'open',
    canceled_at: null,
  } as const
}

function addressText(number: number): string {
  return addressToJson({
    name1: `Ann Lee ${number}`,
    street1: `${1 + (number % 4000)} Main Street`,
    city: 'Albany',
    province: 'NY',
    postal_code: '12207',
    country: 'US',
    phone1: '518-555-0143',
  })
}
