/** More records in every list than one page may hold. */
import { item, orderBody, shipmentBody } from '../service/market.ts'
import { attributesBody, cancelBody, done, ordered, RETURN, type World } from './world.ts'

const CROWD = 251

/** This many calls are in flight at once. */
const AT_ONCE = 25

const LINE = { net_price: '7.87', price: '16.73' }

export async function crowd(world: World): Promise<void> {
  const { brand, retailer, admin } = world
  await times(() => trade(world))
  const order_lines = [{ ...LINE, variant: { id: 9001 }, quantity: 3 * CROWD }]
  const { id } = await ordered(world, { order_lines })
  await times(() => done(retailer.post('cancels/', cancelBody(id))))
  await done(brand.post('shipments/', shipmentBody(id, { shipment_lines: shippedLine(2 * CROWD) })))
  const rma_lines = [{ variant: { id: 9001 }, quantity: CROWD }]
  const whole = await done(admin.post(`orders/${id}/rmas/`, { ...RETURN, rma_lines }))
  await done(admin.put(`rmas/${whole.id}/accept/`))
  await times(() => done(admin.post(`orders/${id}/rmas/`, RETURN)))
  const credit_lines = [{ variant: { id: 9001 }, quantity: 1 }]
  await times((count) =>
    done(admin.post(`rmas/${whole.id}/credits/`, { credit_number: `CM-${count}`, credit_lines })),
  )
  // the sample market has 200 already
  await times((count) => done(brand.post('variants/', attributesBody({ identifier: `SKU-${count}` }))), 60)
}

/** An order of one item, shipped and invoiced. */
async function trade({ brand, retailer, nextNumber }: World): Promise<void> {
  const number = nextNumber()
  const order_lines = [{ ...LINE, variant: { id: 9001 }, quantity: 1 }]
  const { id } = await done(retailer.post('orders/', orderBody(number, { order_lines })))
  await done(brand.post('shipments/', shipmentBody(id, { shipment_lines: shippedLine(1) })))
  await done(
    brand.post('invoices/', {
      purchase_order_number: number,
      invoice_number: number,
      terms_net_days_due: 30,
      terms_date_due: '2026-12-21',
      due_amount: '7.87',
      invoice_lines: [{ variant: { id: 9001 }, quantity: 1, net_price: '7.87' }],
    }),
  )
}

function shippedLine(quantity: number) {
  return [{ variant: { upc: item('NL-0001').upc }, quantity }]
}

async function times(make: (count: number) => Promise<unknown>, most = CROWD): Promise<void> {
  for (let first = 0; first < most; first += AT_ONCE) {
    const counts = Array.from({ length: Math.min(AT_ONCE, most - first) }, (_, index) => first + index)
    await Promise.all(counts.map(make))
  }
}
