/** What passed through on a day, compared with what the service has. */
import { expect, test } from 'vitest'
import { type ActivityRow, toDays } from '../../src/app/activity.ts'
import type { OutboundRoute, Route } from '../../src/config/routes.ts'
import { caller } from '../fixtures/day.ts'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld } from '../fixtures/world.ts'
import { invoicesFile, sampleInvoices, sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'
import { addDecimals, formatDecimal, multiplyDecimals, parseDecimal } from '../../src/support/decimal.ts'

const ORDERS = sampleOrders({ seed: 33, orders: 12, damageEvery: 4 })
const DAY_MS = 86_400_000

/** Orders, of which some are refused, come, are exported, and some of them are shipped. */
async function aDay() {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments', 'shipments-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  const good = ORDERS.filter(({ damage }) => damage.length === 0)
  const parcels = sampleShipments(good, { seed: 1, damageEvery: 5 })
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(parcels))
  await world.run('shipments', 'shipments-out')
  await world.drop('inbox/orders', 'again.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  return { world, run: await commandsOf(world), good }
}

const decimal = (text: string) => parseDecimal(text)!

test('the sums of a day are those of what the service has', async () => {
  const { world, run, good } = await aDay()
  const { rows } = JSON.parse((await run('activity', '--json')).out) as { rows: ActivityRow[] }
  const of = (route: string) => rows.filter((row) => row.route === route)
  const orders = await world.orders()
  const lines = orders.flatMap((order) => order.order_lines)
  const sum = (price: 'net_price' | 'price') =>
    formatDecimal(
      lines
        .map((line) => multiplyDecimals(decimal(line[price]), decimal(String(line.quantity))))
        .reduce((one, other) => addDecimals(one, other)),
    )
  const units = lines.reduce((all, { quantity }) => all + quantity, 0)
  const shipped = lines.reduce((all, line) => all + line.quantity_shipped, 0)

  expect(of('orders')).toEqual([
    {
      route: 'orders',
      direction: 'incoming',
      party: 'retailer/1000',
      operation: 'create-order',
      files: 2,
      records: ORDERS.length,
      accepted: good.length,
      refused: ORDERS.length - good.length,
      other: 0,
      units,
      amount: sum('net_price'),
      unknown: 0,
    },
  ])
  expect(of('orders-out')).toMatchObject([
    { party: 'brand/2000', files: 1, accepted: good.length, refused: 0, units, amount: sum('price') },
  ])
  expect(shipped).toBeGreaterThan(0)
  expect(of('shipments')).toMatchObject([{ files: 1, units: shipped }])
  expect(of('shipments')[0]).not.toHaveProperty('amount')
  expect(of('shipments-out')).toMatchObject([{ party: 'retailer/1000', units: shipped }])
})

test('invoices count what is due', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments', 'invoices', 'invoices-out'] })
  const orders = sampleOrders({ seed: 34, orders: 3, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders', 'orders-out')
  await world.drop(
    'inbox/shipments',
    'parcels.csv',
    shipmentsFile(sampleShipments(orders, { seed: 1, damageEvery: 0 })),
  )
  await world.run('shipments')
  await world.drop(
    'inbox/invoices',
    'invoices.csv',
    invoicesFile(sampleInvoices(orders, { firstNumber: 1, damageEvery: 0 })),
  )
  await world.run('invoices', 'invoices-out')
  const run = await commandsOf(world)
  const { rows } = JSON.parse((await run('activity', '--format', 'json')).out) as { rows: ActivityRow[] }
  const due = (await world.orders()).flatMap(({ invoices }) =>
    invoices.map((each) => decimal(each.due_amount)),
  )
  expect(due).toHaveLength(3)
  const amount = formatDecimal(due.reduce((one, other) => addDecimals(one, other)))

  expect(rows.filter(({ route }) => route.startsWith('invoices'))).toMatchObject([
    { route: 'invoices', accepted: due.length, amount },
    { route: 'invoices-out', accepted: due.length, amount },
  ])
})

test('cancels, returns and credits count their lines and what the service says that they are worth', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments', 'shipments-out'] })
  const more = (['cancels', 'returns', 'credits'] as const).map((name): Route => {
    const route = world.configuration.routes.find((each) => each.name === 'shipments-out') as OutboundRoute
    const to = { ...route.to, name: `${name}-{seq}.csv` }
    const mappingPath = route.mappingPath.replace('shipments', name)
    return { ...route, name: `${name}-out`, operation: `export-${name}`, mappingPath, to }
  })
  ;(world.configuration.routes as Route[]).push(...more)
  const orders = sampleOrders({ seed: 35, orders: 3, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  const ask = caller(world)
  const [first, , last] = await world.orders()
  const canceled = (last?.order_lines ?? []).map(({ variant, quantity }) => ({
    variant: { id: variant.id },
    quantity,
  }))
  await ask('retailer', 'POST', '/v1/retailers/1000/cancels/', {
    order_id: last?.id ?? 0,
    reason_id: 1,
    cancel_lines: canceled,
  })
  await world.run('orders-out')
  const parcels = sampleShipments(orders.slice(0, 2), { seed: 1, damageEvery: 0 })
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(parcels))
  await world.run('shipments')
  await ask('operator', 'POST', `/admin/orders/${first?.id ?? 0}/rmas/`, {
    created_by: 'brand',
    reason: 'Item was damaged or defective',
    rma_lines: [{ variant: { id: first?.order_lines[0]?.variant.id }, quantity: 1 }],
  })
  await ask('operator', 'PUT', '/admin/rmas/1/accept/')
  await ask('operator', 'POST', '/admin/rmas/1/credits/', { credit_number: 'CM-1' })
  await world.run('cancels-out', 'returns-out', 'credits-out')
  const run = await commandsOf(world)

  const { rows } = JSON.parse((await run('activity', '--json')).out) as { rows: ActivityRow[] }
  const { total_amount: returned } = await ask('retailer', 'GET', '/v1/retailers/1000/rmas/1/')
  const { credit_amount: credited } = await ask('retailer', 'GET', '/v1/retailers/1000/credits/1/')
  const units = canceled.reduce((sum, { quantity }) => sum + quantity, 0)

  expect(rows.filter(({ route }) => /^(cancels|returns|credits)/.test(route))).toMatchObject([
    { route: 'cancels-out', accepted: 1, units, unknown: 0 },
    { route: 'credits-out', accepted: 1, units: 1, amount: credited, unknown: 0 },
    { route: 'returns-out', accepted: 1, units: 1, amount: returned, unknown: 0 },
  ])
})

test('a table, CSV, one route and one party show the same rows', async () => {
  const { run } = await aDay()

  const table = (await run('activity')).out
  const csv = (await run('activity', '--format', 'csv', '--route', 'orders')).out.split('\n')
  const brand = (await run('activity', '--party', '2000', '--format', 'csv')).out

  expect(table).toMatch(
    /^route +party +operation +direction +files +records +accepted +refused +other +units +amount\n/,
  )
  expect(csv[0]).toBe(
    'route,party,operation,direction,files,records,accepted,refused,other,units,amount,unknown',
  )
  expect(csv[1]).toMatch(/^orders,retailer\/1000,create-order,sent,2,12,9,3,0,\d+,\d+\.\d\d,0$/)
  expect(csv).toHaveLength(2)
  expect(brand).not.toContain('retailer/1000')
  expect(brand).toContain('orders-out,brand/2000,export-orders,received,')
})

test('days are those of the zone of the configuration, and other days are empty', async () => {
  const { world, run } = await aDay()
  const today = new Date(world.clock.now()).toISOString().slice(0, 10)
  world.clock.skip(DAY_MS)

  const next = await run('activity')
  const before = await run('activity', '--on', 'yesterday', '--format', 'csv')
  const both = await run('activity', '--from', today, '--format', 'csv')

  expect(next.out).toMatch(/^Nothing was received or delivered on \d{4}-\d\d-\d\d\.$/)
  expect(before.out).toBe(both.out)
  expect(before.out.split('\n').length).toBeGreaterThan(3)
  expect((await run('activity', '--on', '1.11.2026')).exit).toBe(64)
  expect((await run('activity', '--from', '2026-11-02', '--to', '2026-11-01')).exit).toBe(64)
  expect((await run('activity', '--route', 'odrers')).exit).toBe(64)
})

test('pruned contents are missing in the sums, and the table says so', async () => {
  const { world, run } = await aDay()
  const bridge = await world.open()
  await bridge.journal.prune({ before: world.clock.now() + 1, signal: new AbortController().signal })
  await bridge.close()

  const { out, exit } = await run('activity', '--route', 'orders')

  expect(exit).toBe(0)
  expect(out).toContain(
    'Units and amounts lack 9 records whose contents the journal has no more, or never had.',
  )
})

test('a day ends at midnight of its zone, also when the clocks change on it', () => {
  const day = toDays('2026-03-29', '2026-03-29', 'Europe/Berlin')

  expect(day).toEqual({ from: Date.parse('2026-03-28T23:00Z'), to: Date.parse('2026-03-29T22:00Z') })
  expect(toDays('2026-02-30', '2026-03-01', 'UTC')).toBeUndefined()
})
