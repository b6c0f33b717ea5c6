/** The whole life of orders: retailer to supplier and back, every file and every acknowledgement checked. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { invoicesFile, sampleInvoices, sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 31, orders: 25, damageEvery: 0 })
const SHIPMENTS = sampleShipments(ORDERS, { seed: 4, damageEvery: 0 })
const INVOICES = sampleInvoices(ORDERS, { firstNumber: 500, damageEvery: 0 })

async function rowsOf(world: World, name: string): Promise<Record<string, string>[]> {
  return parseCsv(await world.read(join('outbox', name)))
}

/** Everything the retailer and the supplier do, in the order of a real week. */
async function live(world: World): Promise<void> {
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  await world.drop('inbox/shipments', 'shipments.csv', shipmentsFile(SHIPMENTS))
  await world.run('shipments', 'shipments-out')
  await world.drop('inbox/invoices', 'invoices.csv', invoicesFile(INVOICES))
  await world.run('invoices', 'invoices-out')
}

test('orders go to the supplier, shipments and invoices come back, and everything is acknowledged', async () => {
  const world = await aWorld()

  await live(world)

  expect(world.service.counts()).toMatchObject({
    orders: ORDERS.length,
    acknowledgedOrders: ORDERS.length,
    shipments: SHIPMENTS.length,
    acknowledgedShipments: SHIPMENTS.length,
    invoices: INVOICES.length,
    acknowledgedInvoices: INVOICES.length,
  })
  const lines = ORDERS.flatMap((order) => order.rows)
  const exported = await rowsOf(world, 'orders-1.csv')
  const cells = (row: Record<string, string>) =>
    ['PO Number', 'Ship To Name', 'City', 'UPC', 'Qty'].map((name) => row[name])
  expect(exported.map(cells).toSorted()).toEqual(lines.map(cells).toSorted())
  const shipped = await rowsOf(world, 'shipments-1.csv')
  expect(
    shipped.map((row) => [row['PO Number'], row['Tracking Number'], row['UPC'], row['Qty']]).toSorted(),
  ).toEqual(
    SHIPMENTS.flatMap((each) =>
      each.rows.map((row) => [row['PO Number'], row['Tracking Number'], row.UPC, row.Qty]),
    ).toSorted(),
  )
  const invoiced = await rowsOf(world, 'invoices-1.csv')
  expect(
    [...new Set(invoiced.map((row) => `${row['Invoice Number']} ${row['PO Number']}`))].toSorted(),
  ).toEqual(INVOICES.map((each) => `${each.rows[0]?.['Invoice Number']} ${each.po}`).toSorted())
  expect((await world.orders()).map((order) => order.status)).toEqual(ORDERS.map(() => 'closed'))
})

test('a second run of every route on the same folder posts nothing and writes no file', async () => {
  const world = await aWorld()
  await live(world)
  const counts = world.service.counts()
  const files = [await world.list('outbox'), await world.list('results')]
  let calls = 0
  world.service.app.server.on('request', (request: { method?: string; url?: string }) => {
    if (request.method !== 'GET' && request.url !== '/auth/token/') calls++
  })

  const { exit } = await world.run()

  expect(exit).toBe(0)
  expect(calls).toBe(0)
  expect(world.service.counts()).toEqual(counts)
  expect([await world.list('outbox'), await world.list('results')]).toEqual(files)
})

test('at the moment of each acknowledge call the delivered file is at its final name and holds the record', async () => {
  const world = await aWorld()
  const outbox = join(world.folder, 'exchange', 'outbox')
  const seen: { resource: string; id: string; inFile: boolean }[] = []
  const column = { orders: 'Order Id', shipments: 'Shipment Id', invoices: 'Invoice Number' } as const
  const numberOf = new Map<string, string>()
  // Hooks into the service: reads the file system when the call arrives, before the service acts.
  world.service.app.server.prependListener('request', (request: { method?: string; url?: string }) => {
    const match = /\/(orders|shipments|invoices)\/(\d+)\/acknowledge\/$/.exec(request.url ?? '')
    if (request.method !== 'PUT' || match === null) return
    const [, resource = '', id = ''] = match
    const wanted = resource === 'invoices' ? numberOf.get(id) : id
    const files = readdirSync(outbox).filter((name) => name.startsWith(resource) && name.endsWith('.csv'))
    const rows = files.flatMap((name) => parseCsv(readFileSync(join(outbox, name), 'utf8')))
    const inFile = rows.some((row) => row[column[resource as keyof typeof column]] === wanted)
    seen.push({ resource, id, inFile })
  })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  await world.drop('inbox/shipments', 'shipments.csv', shipmentsFile(SHIPMENTS))
  await world.run('shipments', 'shipments-out')
  await world.drop('inbox/invoices', 'invoices.csv', invoicesFile(INVOICES))
  await world.run('invoices')
  for (const order of await world.orders()) {
    for (const invoice of order.invoices) numberOf.set(String(invoice.id), invoice.invoice_number)
  }

  await world.run('invoices-out')

  expect(seen.filter((each) => !each.inFile)).toEqual([])
  expect(seen).toHaveLength(ORDERS.length + SHIPMENTS.length + INVOICES.length)
})
