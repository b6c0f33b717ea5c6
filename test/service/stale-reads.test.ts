/** A replica that lags behind: reads show the data of an earlier time. */
import { expect, test } from 'vitest'
import { tempFolder } from '../fixtures/temp-folder.ts'
import {
  BRAND_ORDERS,
  CANCELS,
  invoiceBody,
  INVOICES,
  item,
  type Market,
  NOW,
  openMarket,
  ORDERS,
  placeOrder,
  shipmentBody,
  SHIPMENTS,
} from './market.ts'

const VARIANTS = '/v1/brands/2000/variants/'

type Listed = { readonly purchase_order_number: string }

/** A market whose time the test moves. */
async function aLaggingMarket(switches = {}, data = ':memory:') {
  let now = NOW
  const clock = { now: () => now, sleep: () => Promise.resolve() }
  const market = await openMarket({ switches: { staleRead: 1, readLagMs: 5000, ...switches }, clock, data })
  return { market, pass: (ms: number) => (now += ms) }
}

const numbers = async ({ retailer }: Market) =>
  (await retailer.get(ORDERS)).body.results.map((order: Listed) => order.purchase_order_number)

test('a list and a single read do not show an order before the lag is over', async () => {
  const { market, pass } = await aLaggingMarket()
  pass(6000)
  const id = await placeOrder(market, 'PO-1')

  expect(await numbers(market)).toEqual([])
  expect((await market.retailer.get(`${ORDERS}${id}/`)).status).toBe(404)
  pass(4999)
  expect(await numbers(market)).toEqual([])
  pass(1)
  expect(await numbers(market)).toEqual(['PO-1'])
  expect((await market.brand.get(`${BRAND_ORDERS}${id}/`)).status).toBe(200)
})

test('a service whose data are in a folder lags behind as well', async () => {
  const { market, pass } = await aLaggingMarket({}, await tempFolder())
  pass(6000)
  await placeOrder(market, 'PO-1')

  expect(await numbers(market)).toEqual([])
  pass(5000)
  expect(await numbers(market)).toEqual(['PO-1'])
  await market.service.close()
})

test('of two changes each is shown when its own time has come', async () => {
  const { market, pass } = await aLaggingMarket()
  pass(6000)
  await placeOrder(market, 'PO-1')
  pass(3000)
  await placeOrder(market, 'PO-2')

  expect(await numbers(market)).toEqual([])
  pass(2000)
  expect(await numbers(market)).toEqual(['PO-1'])
  pass(3000)
  expect(await numbers(market)).toEqual(['PO-1', 'PO-2'])
})

test('a change of an order is shown late as well, and its answer is not', async () => {
  const { market, pass } = await aLaggingMarket()
  const id = await placeOrder(market, 'PO-1')
  pass(6000)
  const acknowledged = await market.brand.put(`${BRAND_ORDERS}${id}/acknowledge/`)

  expect(acknowledged.body.is_acknowledged).toBe(true)
  expect((await market.brand.get(`${BRAND_ORDERS}${id}/`)).body.is_acknowledged).toBe(false)
  pass(5000)
  expect((await market.brand.get(`${BRAND_ORDERS}${id}/`)).body.is_acknowledged).toBe(true)
})

test('reads are struck up to the limit, writes and reads without an older state never', async () => {
  const { market, pass } = await aLaggingMarket({ faultLimit: 2 })
  pass(6000)
  await numbers(market)
  expect(market.service.faults.staleRead).toBe(0)
  await placeOrder(market, 'PO-1')

  expect([await numbers(market), await numbers(market), await numbers(market)]).toEqual([[], [], ['PO-1']])
  expect(market.service.faults.staleRead).toBe(2)
})

test('shipments, cancels, invoices and items are shown late, in lists and singly', async () => {
  const { market, pass } = await aLaggingMarket()
  const ids = await Promise.all(['PO-1', 'PO-2'].map((number) => placeOrder(market, number)))
  pass(6000)
  const { retailer, brand } = market
  const made = {
    shipment: await brand.post(SHIPMENTS, shipmentBody(ids[0] ?? 0)),
    cancel: await retailer.post(CANCELS, {
      order_id: ids[1],
      reason_id: 1,
      cancel_lines: [{ variant: item('NL-0001'), quantity: 1 }],
    }),
    invoice: await brand.post(INVOICES, invoiceBody('PO-1')),
    item: await brand.post(VARIANTS, {
      attributes: [{ attribute: { code: 'identifier' }, value: 'NEW-1' }],
    }),
  }
  expect(Object.values(made).map(({ status }) => status)).toEqual([201, 201, 201, 201])
  const looks = async () => [
    (await retailer.get(`/v1/retailers/1000/shipments/${made.shipment.body.id}/`)).status,
    (await brand.get(`${BRAND_ORDERS}${ids[0]}/`)).body.shipments.length,
    (await retailer.get(CANCELS)).body.count,
    (await retailer.get(`${CANCELS}${made.cancel.body.id}/`)).status,
    (await brand.get(INVOICES)).body.count,
    (await brand.get(`${INVOICES}${made.invoice.body.id}/`)).status,
    (await brand.get(`${VARIANTS}${made.item.body.id}/`)).status,
  ]

  expect(await looks()).toEqual([404, 0, 0, 404, 0, 404, 404])
  pass(5000)
  expect(await looks()).toEqual([200, 1, 1, 200, 1, 200, 200])
})

test('nothing older is shown once the switch is turned off', async () => {
  const { market, pass } = await aLaggingMarket()
  pass(6000)
  await placeOrder(market, 'PO-1')
  market.service.switches.staleRead = 0
  expect(await numbers(market)).toEqual(['PO-1'])
})
