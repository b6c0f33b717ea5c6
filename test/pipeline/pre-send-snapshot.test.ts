/** The pre-send snapshot of an order proves only what happened since it was taken. */
import { expect, test } from 'vitest'
import type { Api } from '../../src/domain/api.ts'
import { addRoute, resultsOf } from '../fixtures/own-route.ts'
import { aWorld } from '../fixtures/world.ts'
import { LABEL_FIELDS } from '../fixtures/shipping.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const never = new AbortController().signal

const TO_LABEL = `
group: PO
body:
  order_id: { from: PO, find: order }
${LABEL_FIELDS}
  shipment_lines:
    - variant: { brand_identifier: SKU }
      quantity: Qty
`

test('a lost answer is left to a person where its order was read long before, because another program may have shipped as much', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await addRoute(world, { name: 'labels', operation: 'create-shipment', mapping: TO_LABEL })
  const orders = sampleOrders({ seed: 12, orders: 60, damageEvery: 0 })
  for (const order of orders) {
    order.rows.length = 1
    Object.assign(order.rows[0] ?? {}, { SKU: 'NL-0001', UPC: '', Qty: '2', 'Gift Message': '' })
  }
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  await world.run('orders-out')
  const rows = orders.map(({ po }) => `${po},NL-0001,1`)
  await world.drop('inbox/labels', 'many.csv', `PO,SKU,Qty\n${rows.join('\n')}\n`)

  const lastOrder = (await world.orders()).find(
    (each) => each.purchase_order_number === orders.at(-1)?.po,
  )?.id
  let sent = 0
  const late = (api: Api): Api => ({
    ...api,
    async send(call) {
      if (++sent === 1) world.clock.skip(10_000)
      const answer = await api.send(call)
      const { order_id } = JSON.parse(call.body ?? '{}') as { order_id?: number }
      return order_id === lastOrder ? { certainty: 'unknown', detail: 'connection reset' } : answer
    },
  })
  const bridge = await world.open({ api: late })
  await bridge.run(['labels'], never)
  await bridge.close()

  const results = await resultsOf(world, 'many.csv')
  expect(results.filter((row) => row['_status'] === 'accepted')).toHaveLength(59)
  expect(results.at(-1)).toMatchObject({
    _status: 'held',
    _message: expect.stringContaining('whether it took effect is not known'),
  })
})
