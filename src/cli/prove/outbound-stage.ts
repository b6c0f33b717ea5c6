/** Sets the stage for an export: records at the service that its list shows. */
import type { OutboundRoute } from '../../config/routes.ts'
import type { OutboundOperationName } from '../../contract/operations.ts'
import { anyItem } from './market.ts'
import type { StagedOrder, Staging } from './staging.ts'
import type { World } from './world.ts'

/** What is done with an order until the list has one record more; left out where the market alone fills the list. */
const MAKING: Partial<
  Record<OutboundOperationName, (staging: Staging, order: StagedOrder) => Promise<unknown>>
> = {
  'export-orders': () => Promise.resolve(),
  'export-retailer-orders': () => Promise.resolve(),
  'export-shipments': shipped,
  'export-invoices': invoiced,
  'export-brand-invoices': invoiced,
  'export-cancels': (staging, order) => staging.cancel(order),
}

/** How many are made at once. */
const AT_ONCE = 8

export async function setOutboundStage(world: World, route: OutboundRoute, records: number): Promise<void> {
  const { staging, ground } = world
  const { market, serial } = ground
  const make = MAKING[route.operation]
  if (make === undefined) return offerItems(world, route, records)
  const { party } = route
  const brand = party.kind === 'brand' ? party.id : market.brands[0]
  const retailer = party.kind === 'retailer' ? party.id : market.retailers[0]
  const one = async (index: number) => {
    const items = [anyItem(market, brand, index), anyItem(market, brand, index + 1)].slice(0, 1 + (index % 2))
    const order = await staging.placeOrder({
      purchaseOrder: `PROOF-${serial()}`,
      retailer,
      brand,
      lines: items.flatMap((item, line) => (item === undefined ? [] : [{ item, quantity: 1 + line }])),
    })
    await make(staging, order)
  }
  for (let start = 0; start < records; start += AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, records - start) }, (_, index) => one(start + index)),
    )
  }
}

async function offerItems({ staging, ground }: World, route: OutboundRoute, records: number): Promise<void> {
  const offers = ['export-variants', 'export-brand-variants'].includes(route.operation)
  const brand = route.party.kind === 'brand' ? route.party.id : ground.market.brands[0]
  for (let made = 0; offers && made < records; made++) await staging.offer(brand, `PROOF-${ground.serial()}`)
}

function shipped(staging: Staging, order: StagedOrder): Promise<unknown> {
  return staging.ship(order, `T-${order.purchaseOrder}`)
}

async function invoiced(staging: Staging, order: StagedOrder): Promise<unknown> {
  await shipped(staging, order)
  return staging.invoice(order, `N-${order.purchaseOrder}`)
}
