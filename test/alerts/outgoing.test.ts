/** Alerts about what does not reach its reader: orders that are in no file, packing slips and labels that are missing. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import { aShippingWorld } from '../fixtures/shipping.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

async function writeExport(world: World, write: string): Promise<void> {
  const mapping = join(world.folder, 'orders-export.yaml')
  await writeFile(
    mapping,
    `operation: export-orders\nwrite: { format: csv, encoding: ${write} }\ncolumns: { PO Number: purchase_order_number, Name: ship_to.name1 }\n`,
  )
  const route = world.configuration.routes.find(({ name }) => name === 'orders-out')
  Object.assign(route ?? {}, { mappingPath: mapping })
}

test('orders that cannot be written into a file are an alert with the first one, until they are in a file', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  const orders = sampleOrders({ seed: 4, orders: 3, damageEvery: 0 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  const [first] = await world.orders()
  const foreign = (await world.orders()).filter(({ ship_to }) => /[^ -~]/u.test(ship_to.name1))
  await writeExport(world, 'us-ascii')
  const dropbridge = await commandsOf(world)
  const held = await dropbridge('run', 'orders-out')
  const status = await dropbridge('status', '--json')

  expect(first).toBeDefined()
  expect(foreign.length).toBeGreaterThan(0)
  expect(held.exit).toBe(2)
  expect(status.exit).toBe(2)
  const number = foreign[0]!.purchase_order_number
  const { alerts } = JSON.parse(status.out) as { alerts: object[] }
  expect(alerts).toMatchObject([
    {
      code: 'records-unwritten',
      route: 'orders-out',
      subject: 'orders-out',
      message: expect.stringMatching(
        new RegExp(
          `^${foreign.length === 1 ? '1 record is' : `${foreign.length} records are`} in no file and held; the first, order ${number}: column "Name": the encoding of the file lacks a character`,
        ),
      ),
      fix: 'Write the file as utf-8, or set `fold: ascii` or `replace` under `write`. The next run writes what was held.',
    },
  ])

  await writeExport(world, 'utf-8')
  expect((await dropbridge('run', 'orders-out')).exit).toBe(0)
  const after = await dropbridge('status')
  expect(after).toMatchObject({ exit: 0, out: expect.not.stringContaining('records-unwritten') })
})

test('missing packing slips and labels are an alert until they are delivered', async () => {
  const { world, purchaseOrders, fileOf } = await aShippingWorld({ orders: 2, documents: {} })
  await rm(join(world.folder, 'labels'), { recursive: true })
  await world.drop('inbox/shipments', 'today.csv', fileOf(purchaseOrders.map((po) => ({ po }))))
  await world.run('shipments')
  const listAlerts = async () => {
    const bridge = await world.open()
    try {
      return (await bridge.snapshot()).alerts.filter(({ code }) => code === 'documents-missing')
    } finally {
      await bridge.close()
    }
  }

  expect(await listAlerts()).toMatchObject([
    {
      route: 'shipments',
      message: expect.stringMatching(/^today\.csv: 4 packing slips or labels are missing: the /),
      fix: 'Mend the cause, then run `dropbridge labels`. Do not send the file again.',
    },
  ])

  await mkdir(join(world.folder, 'labels'))
  const bridge = await world.open()
  await bridge.fetchLabels({}, { signal: new AbortController().signal, onDocument: () => undefined })
  await bridge.close()
  expect(await listAlerts()).toEqual([])
})
