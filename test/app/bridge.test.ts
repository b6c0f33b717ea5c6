/** The bridge as a whole: leases, the choice of routes, and failures that stop one route only. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 71, orders: 40, damageEvery: 0 })
const never = () => new AbortController().signal

async function numbersOf(world: World): Promise<string[]> {
  return (await world.orders()).map((order) => order.purchase_order_number).toSorted()
}

test('two bridges started at once on one folder post each order once; one of them must try later', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  const bridges = await Promise.all([world.open(), world.open(), world.open()])

  const results = await Promise.all(bridges.map((bridge) => bridge.run([], never())))
  await Promise.all(bridges.map((bridge) => bridge.close()))

  expect(results.map(({ exit }) => exit).toSorted()).toEqual([0, 75, 75])
  const failures = results.flatMap(({ routes }) =>
    routes.flatMap((each) => (each.kind === 'failed' ? [each.failure] : [])),
  )
  expect(failures.map(({ code }) => code)).toEqual(['lease-held', 'lease-held'])
  expect(failures[0]?.message).toContain(`process ${process.pid} on `)
  expect(await numbersOf(world)).toEqual(ORDERS.map((order) => order.po))
  expect(await world.list('results')).toEqual(['orders.csv.results.csv', 'orders.csv.summary.json'])
})

test('a bridge that had to try later finds everything done', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 3)).text)
  const bridges = await Promise.all([world.open(), world.open()])
  await Promise.all(bridges.map((bridge) => bridge.run([], never())))

  const again = await Promise.all(bridges.map((bridge) => bridge.run([], never())))
  await Promise.all(bridges.map((bridge) => bridge.close()))

  expect(again.map(({ exit }) => exit)).toContain(0)
  expect(world.service.counts().orders).toBe(3)
})

test('only the routes that are named run, in the order of the configuration', async () => {
  const world = await aWorld({ routes: ['orders', 'shopify', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 2)).text)

  const { routes } = await world.run('orders-out', 'shopify')

  expect(routes.map(({ route }) => route)).toEqual(['shopify', 'orders-out'])
  expect(await world.list('inbox/orders')).toEqual(['orders.csv'])
})

test('an unknown route is refused with the names of the routes, before any route runs', async () => {
  const world = await aWorld({ routes: ['orders', 'shopify'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 2)).text)

  await expect(world.run('orders', 'yesterday')).rejects.toMatchObject({
    code: 'usage-wrong',
    message: expect.stringMatching(/"yesterday".*orders, shopify/) as unknown,
  })
  expect(world.service.counts().orders).toBe(0)
})

test('a route whose mailbox is gone fails alone; the other routes run', async () => {
  const world = await aWorld({ routes: ['orders', 'shopify'] })
  const lost = join(world.folder, 'not-mounted')
  Object.assign(world.configuration.mailboxes, { lost: { type: 'directory', path: lost } })
  const [first, second] = world.configuration.routes
  if (first?.direction !== 'inbound' || second?.direction !== 'inbound') throw new Error('not inbound')
  Object.assign(second.from, { folder: first.from.folder })
  Object.assign(second, { mappingPath: first.mappingPath })
  Object.assign(first.from, { mailbox: 'lost' })
  await writeFile(lost, 'a file where the folder should be')
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 2)).text)

  const { exit, routes } = await world.run()

  expect(exit).toBe(69)
  expect(routes).toMatchObject([
    { route: 'orders', kind: 'failed', failure: { code: 'mailbox-unreachable' } },
    { route: 'shopify', kind: 'inbound' },
  ])
  expect(world.service.counts().orders).toBe(2)
})

test('the errors of all mappings are reported together, before anything is sent', async () => {
  const world = await aWorld({ routes: ['orders', 'shopify'] })
  for (const [index, route] of world.configuration.routes.entries()) {
    const path = join(world.folder, `wrong-${index}.yaml`)
    await writeFile(path, 'operation: create-order\ngroup: PO\nbody:\n  purchase_order_numbr: PO\n')
    Object.assign(route, { mappingPath: path })
  }
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 2)).text)

  const details = await world.run().then(
    () => [],
    (error: { details: string[] }) => error.details,
  )

  for (const index of [0, 1]) {
    const own = details.filter((detail) => detail.includes(`wrong-${index}.yaml:4:`))
    expect(own.join('\n')).toContain('purchase_order_number')
  }
  expect(world.service.counts().orders).toBe(0)
})

test('a mapping file that is not there is named with the line that names it', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const path = join(world.folder, 'gone.yaml')
  Object.assign(world.configuration.routes[0] ?? {}, { mappingPath: path })
  Object.assign(world.configuration, { mappingPlaces: new Map([[path, 'dropbridge.yaml:12:14']]) })

  await expect(world.run()).rejects.toMatchObject({
    code: 'mapping-invalid',
    details: [`dropbridge.yaml:12:14 the mapping file ${path} is not there.`],
  })
})

test('unmatched files are named with the pattern that nearly fits them; other files are not', async () => {
  const world = await aWorld({ routes: ['orders', 'shopify'] })
  const [first, second] = world.configuration.routes
  if (first?.direction !== 'inbound' || second?.direction !== 'inbound') throw new Error('not inbound')
  Object.assign(first.from, { match: 'orders-*.csv' })
  Object.assign(second.from, { folder: first.from.folder, match: 'shop-*.csv' })
  for (const name of [
    'orders-1.csv',
    'shop-1.csv',
    'order-1.csv',
    'notes.docx',
    'orders-2.csv.tmp',
    '~$orders.xlsx',
  ])
    await world.drop('inbox/orders', name, 'x')

  const bridge = await world.open()
  const { unmatchedFiles } = await bridge.snapshot()
  await bridge.close()

  const inbox = join(world.folder, 'exchange/inbox/orders')
  expect(unmatchedFiles.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: join(inbox, 'notes.docx') },
    { path: join(inbox, 'order-1.csv'), nearest: 'orders-*.csv' },
  ])
})

test('a signal that came before the start changes nothing', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS.slice(0, 2)).text)
  const bridge = await world.open()

  const { exit } = await bridge.run([], AbortSignal.abort())
  await bridge.close()

  expect(exit).toBe(130)
  expect(await world.list('inbox/orders')).toEqual(['orders.csv'])
})
