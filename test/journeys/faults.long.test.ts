/** Thousands of records through a bad day of the API: every one exactly once, without a person. */
import { expect, test } from 'vitest'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import type { Summary } from '../../src/pipeline/inbound/summary.ts'
import { invoicesFile, sampleInvoices, sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const RECORDS = Number(process.env['ROWS'] ?? 4000)

/** How often a scheduler that runs every half hour comes in a working day. */
const PASSES_MAX = 16

const BAD_DAY = {
  loseAnswer: 0.05,
  resetBefore: 0.05,
  error500After: 0.05,
  tooMany429: 0.05,
  html502Before: 0.01,
  html502: 0.01,
  tokenLastsRequests: 200,
} as const

/** Runs the route as a scheduler would, until it has nothing left to do. */
async function runUntilDone(world: World, route: string): Promise<void> {
  for (let passes = 1; passes <= PASSES_MAX; passes++) {
    const { exit } = await world.run(route)
    if (exit === 0 || exit === 2) return
    world.clock.skip(30 * 60_000)
  }
  throw new Error(`${route} did not come to its end in ${PASSES_MAX} passes`)
}

/** How many records of each state the summary and the results report. */
async function readReported(world: World, name: string): Promise<unknown> {
  const { records, codes } = JSON.parse(await world.read(`results/${name}.summary.json`)) as Summary
  const states = parseCsv(await world.read(`results/${name}.results.csv`)).map((row) => row['_status'])
  return { records, codes, states: [...new Set(states)], rows: states.length }
}

const allAccepted = (total: number) => ({
  records: { total, accepted: total },
  codes: {},
  states: ['accepted'],
  rows: total,
})

test('orders, shipments and invoices all end accepted exactly once through lost answers, refusals to serve and revoked tokens', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments', 'invoices'], connections: 16 })
  const orders = sampleOrders({ seed: 3, orders: RECORDS, damageEvery: 0 })
  const shipments = sampleShipments(orders, { seed: 4, damageEvery: 0 })
  const invoices = sampleInvoices(orders, { firstNumber: 1, damageEvery: 0 })
  Object.assign(world.service.switches, BAD_DAY)

  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await runUntilDone(world, 'orders')
  await world.drop('inbox/shipments', 'shipments.csv', shipmentsFile(shipments))
  await runUntilDone(world, 'shipments')
  await world.drop('inbox/invoices', 'invoices.csv', invoicesFile(invoices))
  await runUntilDone(world, 'invoices')

  expect(await readReported(world, 'orders.csv')).toEqual(allAccepted(orders.length))
  expect(await readReported(world, 'shipments.csv')).toEqual(allAccepted(shipments.length))
  expect(await readReported(world, 'invoices.csv')).toEqual(allAccepted(invoices.length))
  expect(world.service.counts()).toMatchObject({
    orders: orders.length,
    shipments: shipments.length,
    invoices: invoices.length,
  })
  Object.assign(world.service.switches, { loseAnswer: 0, resetBefore: 0, error500After: 0 })
  const there = await world.orders()
  expect(there.map((order) => order.purchase_order_number).toSorted()).toEqual(
    orders.map((order) => order.po).toSorted(),
  )
  const tracked = there.flatMap((order) => order.shipments.map((each) => each.tracking_number))
  expect(tracked.toSorted()).toEqual(shipments.map(({ rows }) => rows[0]?.['Tracking Number']).toSorted())
}, 900_000)
