/** A service that loses answers: each record exists once and the results say that it was accepted. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OrderCreate } from '../../src/contract/order.ts'
import type { FaultName, Switches } from '../../src/service/switches.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { invoicesFile, sampleInvoices, sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 41, orders: 60, damageEvery: 0 })
const SHIPMENTS = sampleShipments(ORDERS, { seed: 6, damageEvery: 0 })
const INVOICES = sampleInvoices(ORDERS, { firstNumber: 700, damageEvery: 0 })
const DAY_MS = 86_400_000
const REPOSITORY = join(import.meta.dirname, '../..')
const ROUTES = ['orders', 'orders-out', 'shipments', 'invoices']

/** The most starts that a person would make by hand. */
const STARTS_MAX = 8

/** Its clock jumps over the pauses between retries, which are no whole milliseconds; the journal keeps whole ones. */
async function aStormyWorld(connections = 8): Promise<World> {
  const world = await aWorld({ routes: ROUTES, connections })
  const { sleep } = world.clock
  world.clock.sleep = (ms, signal) => sleep(Math.ceil(ms), signal)
  return world
}

/** Starts the bridge until it has nothing left to do, as a scheduler would. */
async function runUntilDone(world: World, route: string): Promise<void> {
  for (let start = 0; start < STARTS_MAX; start++) {
    const { exit, routes } = await world.run(route)
    if (exit === 0) return
    expect([69, 75], JSON.stringify(routes)).toContain(exit)
  }
  throw new Error('the bridge did not come to rest')
}

function turnOff(world: World): void {
  for (const name of Object.keys(world.service.faults) as FaultName[]) world.service.switches[name] = 0
}

async function statuses(world: World, file: string): Promise<string[]> {
  return parseCsv(await world.read(`results/${file}.results.csv`)).map((row) => row['_status'] ?? '')
}

const allAccepted = (count: number) => Array.from({ length: count }, () => 'accepted')

/** Each fault alone, and all of them together. */
const WEATHER: readonly (readonly [string, Partial<Record<FaultName, number>>])[] = [
  ['loses answers after it has acted', { loseAnswer: 0.3 }],
  ['breaks connections before it acts', { resetBefore: 0.3 }],
  ['answers 500 before it acts', { error500Before: 0.3 }],
  ['answers 500 after it has acted', { error500After: 0.3 }],
  ['answers with the HTML of a gateway', { html502: 0.3 }],
  ['leads to a login page after it has acted', { redirectAfter: 0.3 }],
  ['says through a gateway when to come back after it has acted', { wait503After: 0.3 }],
  ['cuts its answers off', { truncatedJson: 0.3 }],
  ['is throttled', { tooMany429: 0.3 }],
  [
    'does all of this',
    {
      loseAnswer: 0.06,
      resetBefore: 0.06,
      error500Before: 0.06,
      error500After: 0.06,
      html502: 0.06,
      redirectAfter: 0.06,
      wait503After: 0.06,
      truncatedJson: 0.06,
      tooMany429: 0.06,
    },
  ],
]

test.each(WEATHER)(
  'when the service %s, every order, shipment and invoice exists once and is reported as accepted',
  async (_, faults) => {
    const world = await aStormyWorld()
    Object.assign(world.service.switches, faults)

    await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
    await runUntilDone(world, 'orders')
    await world.drop('inbox/shipments', 'shipments.csv', shipmentsFile(SHIPMENTS))
    await runUntilDone(world, 'shipments')
    await world.drop('inbox/invoices', 'invoices.csv', invoicesFile(INVOICES))
    await runUntilDone(world, 'invoices')
    turnOff(world)

    for (const name of Object.keys(faults) as FaultName[]) {
      expect(world.service.faults[name], name).toBeGreaterThan(0)
    }
    const orders = await world.orders()
    expect(orders.map((order) => order.purchase_order_number).toSorted()).toEqual(
      ORDERS.map((order) => order.po).toSorted(),
    )
    const parcels = orders.flatMap((order) => order.shipments.map((each) => each.tracking_number))
    expect(parcels.toSorted()).toEqual(SHIPMENTS.map((each) => each.rows[0]?.['Tracking Number']).toSorted())
    const invoiced = orders.flatMap((order) => order.invoices.map((each) => each.invoice_number))
    expect(invoiced.toSorted()).toEqual(INVOICES.map((each) => each.rows[0]?.['Invoice Number']).toSorted())
    expect(await statuses(world, 'orders.csv')).toEqual(allAccepted(60))
    expect(await statuses(world, 'shipments.csv')).toEqual(allAccepted(SHIPMENTS.length))
    expect(await statuses(world, 'invoices.csv')).toEqual(allAccepted(60))
  },
)

/** Other forms in which real services may show the same. */
const FORMS: readonly Partial<Switches>[] = [
  { ids: 'text', envelope: 'array' },
  { upc: 'number', envelope: 'data', paging: 'page' },
  { enumCase: 'upper', envelope: 'link' },
  { ids: 'text', upc: 'number', enumCase: 'lower', createAnswer: 200, clockSkewMs: -3 * DAY_MS },
]

test.each(FORMS)(
  'a record that is shown in another form is recognised, and nothing is held: %o',
  async (forms) => {
    const world = await aStormyWorld()
    Object.assign(world.service.switches, forms, { loseAnswer: 0.5 })
    const some = ORDERS.slice(0, 16)

    await world.drop('inbox/orders', 'orders.csv', ordersFile(some).text)
    await runUntilDone(world, 'orders')
    Object.assign(world.service.switches, { loseAnswer: 0, upc: 'text' })
    const shipments = sampleShipments(some, { seed: 6, damageEvery: 0 })
    await world.drop('inbox/shipments', 'shipments.csv', shipmentsFile(shipments))
    await runUntilDone(world, 'shipments')
    Object.assign(world.service.switches, forms, { loseAnswer: 0.5 })
    const invoices = sampleInvoices(some, { firstNumber: 700, damageEvery: 0 })
    await world.drop('inbox/invoices', 'invoices.csv', invoicesFile(invoices))
    await runUntilDone(world, 'invoices')

    expect(world.service.faults.loseAnswer).toBeGreaterThan(8)
    expect(await statuses(world, 'orders.csv')).toEqual(allAccepted(16))
    expect(await statuses(world, 'invoices.csv')).toEqual(allAccepted(16))
  },
)

test('an order is not reported as accepted because another client posted its number with other contents', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 1)).text)
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: async (call, permit) => {
        const body = JSON.parse(call.body ?? '') as OrderCreate
        const [line, ...lines] = body.order_lines
        const other = { ...body, order_lines: [{ ...line, quantity: 999 }, ...lines] }
        expect(await api.send({ ...call, body: JSON.stringify(other) }, permit)).toMatchObject({
          status: 201,
        })
        return { certainty: 'unknown', detail: 'the connection broke' }
      },
    }),
  })
  await bridge.run(['orders'], new AbortController().signal)
  await bridge.close()

  const [row] = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect(row?.['_status']).toBe('held')
  expect(row?.['_message']).toMatch(
    /order \d+ has its number at the API, but has 999 of .*, and the record \d+/,
  )
})

test.each([3, -3])(
  'new items whose answers were lost each exist once when the clock of the API is %i days off, even after a restart',
  async (days) => {
    const world = await aWorld({ routes: ['shipments'] })
    world.service.switches.clockSkewMs = days * DAY_MS
    const mappingPath = join(REPOSITORY, 'mappings/supplier-items.yaml')
    Object.assign(world.configuration.routes[0] ?? {}, { operation: 'create-variant', mappingPath })
    const items = await readFile(join(REPOSITORY, 'samples/items/supplier-items.csv'), 'utf8')
    await world.drop('inbox/shipments', 'items.csv', items)
    const sent: string[] = []
    const runOnce = async (diesAfterSending: boolean) => {
      const bridge = await world.open({
        api: (api) => ({
          ...api,
          send: async (call, permit) => {
            sent.push(call.body ?? '')
            const result = await api.send(call, permit)
            if (diesAfterSending) throw new Error('it died')
            return result
          },
        }),
      })
      await bridge.run(['shipments'], new AbortController().signal)
      await bridge.close()
    }
    await runOnce(true)
    await runOnce(false)
    await runOnce(false)

    expect(new Set(await statuses(world, 'items.csv'))).toEqual(new Set(['accepted']))
    expect(sent.filter((body, index) => sent.indexOf(body) !== index)).toEqual([])
  },
)

test('when acknowledging loses answers, every order is in one file and acknowledged, mostly in the same run', async () => {
  const world = await aStormyWorld()
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  Object.assign(world.service.switches, {
    loseAnswer: 0.1,
    resetBefore: 0.1,
    error500Before: 0.1,
    html502: 0.1,
  })

  const first = await world.run('orders-out')
  const acknowledgedAtOnce = world.service.counts().acknowledgedOrders
  await runUntilDone(world, 'orders-out')

  expect(first.routes[0]?.kind).toBe('outbound')
  expect(acknowledgedAtOnce).toBeGreaterThan(50)
  expect(world.service.counts().acknowledgedOrders).toBe(60)
  expect(await world.list('outbox')).toEqual(['orders-1.csv'])
  const rows = parseCsv(await world.read('outbox/orders-1.csv'))
  expect([...new Set(rows.map((row) => row['PO Number']))].toSorted()).toEqual(
    ORDERS.map((order) => order.po).toSorted(),
  )
})

test('a request that takes effect after its answer was given up is waited for, and not sent again', async () => {
  const world = await aStormyWorld()
  const [order] = ORDERS
  await world.drop('inbox/orders', 'orders.csv', ordersFile(order ? [order] : []).text)
  let sends = 0
  let onItsWay: (() => Promise<unknown>) | undefined
  const { sleep } = world.clock
  world.clock.sleep = async (ms, signal) => {
    await onItsWay?.()
    onItsWay = undefined
    await sleep(ms, signal)
  }
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: async (call) => {
        sends++
        onItsWay = () => api.send(call)
        return { certainty: 'unknown', detail: 'no answer in time' }
      },
    }),
  })

  const { exit } = await bridge.run(['orders'], new AbortController().signal)
  await bridge.close()

  expect(exit).toBe(0)
  expect(sends).toBe(1)
  expect(world.service.counts().orders).toBe(1)
  expect(await statuses(world, 'orders.csv')).toEqual(['accepted'])
})

test('two parcels of one order are both shipped once although answers are lost between them', async () => {
  const world = await aStormyWorld(4)
  const orders = ORDERS.slice(0, 12)
  const trebled = orders.map((order) => ({
    ...order,
    rows: order.rows.map((row) => ({ ...row, Qty: String(Number(row.Qty) * 3) })),
  }))
  await world.drop('inbox/orders', 'orders.csv', ordersFile(trebled).text)
  await world.run('orders')
  // Each order's first line goes out in two parcels, of one and of two thirds.
  const parcels = sampleShipments(orders, { seed: 6, damageEvery: 0 }).filter(
    (each, index, all) => all.findIndex((other) => other.po === each.po) === index,
  )
  const both = parcels.flatMap(({ po, rows: [row] }) =>
    row === undefined
      ? []
      : [1, 2].map((times) => ({
          po,
          damage: [],
          rows: [{ ...row, 'Tracking Number': `${po}-${times}`, Qty: String(Number(row.Qty) * times) }],
        })),
  )
  await world.drop('inbox/shipments', 'shipments.csv', shipmentsFile(both))
  Object.assign(world.service.switches, { loseAnswer: 0.3, resetBefore: 0.2 })

  await runUntilDone(world, 'shipments')
  turnOff(world)

  const shipped = (await world.orders()).map((order) => [
    order.purchase_order_number,
    order.shipments.map((each) => each.tracking_number).toSorted(),
  ])
  expect(Object.fromEntries(shipped)).toEqual(
    Object.fromEntries(orders.map(({ po }) => [po, [`${po}-1`, `${po}-2`]])),
  )
  expect(await statuses(world, 'shipments.csv')).toEqual(allAccepted(24))
})
