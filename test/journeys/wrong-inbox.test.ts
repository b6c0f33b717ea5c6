/** A file that was dropped into the inbox of another route: one message says which route it is for. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { InboundRoute, Route } from '../../src/config/routes.ts'
import { resultsOf } from '../fixtures/own-route.ts'
import { aWorld, type World } from '../fixtures/world.ts'

const repository = new URL('../..', import.meta.url).pathname
const sample = (path: string) => readFile(join(repository, 'samples', path), 'utf8')

const MISREAD = { _status: 'rejected', _code: 'file-foreign' }

async function runDropped(world: World, route: string, text: string): Promise<Record<string, string>[]> {
  await world.drop(`inbox/${route}`, 'file.csv', text)
  await world.run(route)
  return resultsOf(world)
}

/** A route like another one of the world, with its own inbox and mapping. */
function addAlike(world: World, like: string, route: Partial<Route> & { name: string }): void {
  const routes = world.configuration.routes as Route[]
  const base = routes.find(({ name }) => name === like) as InboundRoute
  const folder = `inbox/${route.name}`
  const from = { ...base.from, folder, match: '*', archive: `archive/${route.name}` }
  routes.push({ ...base, from, ...route } as Route)
}

const mapping = (name: string) => join(repository, 'mappings', `${name}.yaml`)

test('a file of shipments in the inbox of orders is said to be for the route of shipments', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments', 'invoices'] })

  const rows = await runDropped(world, 'orders', await sample('shipments/supplier-shipments.csv'))

  expect(rows).toMatchObject([
    {
      ...MISREAD,
      _message:
        '7 of the 8 columns of the file are those of route shipments: "PO Number", "Ship Date", "Service", "Tracking Number", "SKU", "UPC", "Qty".',
      _fix: 'Drop it into inbox/shipments, the inbox of route shipments.',
    },
  ])
  expect(await world.list('results')).toEqual(['file.csv.results.csv', 'file.csv.summary.json'])
})

test('a file of which nearly all columns are those of another route is said to be for that route', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments', 'invoices'] })
  const invoices = await sample('invoices/supplier-invoices.csv')

  const rows = await runDropped(
    world,
    'orders',
    invoices.replaceAll(/\r?\n/g, ',\r\n').replace(',\r\n', ',Note\r\n'),
  )

  expect(rows).toMatchObject([
    {
      ...MISREAD,
      _message: expect.stringContaining(
        '9 of the 10 columns of the file are those of route invoices: ',
      ) as string,
    },
  ])
})

test('a file without a column that its own route knows is said to be for the other route too', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  addAlike(world, 'shipments', { name: 'dsco', mappingPath: mapping('dsco-shipments') })

  const rows = await runDropped(world, 'orders', await sample('shipments/dsco-shipments.csv'))

  expect(rows).toMatchObject([{ ...MISREAD, _fix: 'Drop it into inbox/dsco, the inbox of route dsco.' }])
})

test('a file that no other route can read either is not said to be for another one', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  addAlike(world, 'shipments', { name: 'dsco', mappingPath: mapping('dsco-shipments') })

  const rows = await runDropped(world, 'orders', 'po_number,dsco_order_id,package_tracking_number\n1,2,3\n')

  expect(rows).toMatchObject([
    { _status: 'rejected', _code: expect.stringContaining('column-missing') as string },
  ])
})

test('a file that two routes would take is said to be for one of them', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  addAlike(world, 'shipments', { name: 'more-shipments' })

  const rows = await runDropped(world, 'orders', await sample('shipments/supplier-shipments.csv'))

  expect(rows).toMatchObject([
    {
      _message: expect.stringContaining('are those of routes shipments, more-shipments: ') as string,
      _fix: 'Drop it into the inbox of one of these routes: inbox/shipments, inbox/more-shipments.',
    },
  ])
})

test.each([
  ['has a name spelled in a wrong way', (text: string) => text.replace('Ship To Name', 'Consignee')],
  ['lacks many columns', (text: string) => text.replaceAll(/^([^,]*,){10}/gm, '')],
])('a file of the route itself that %s is not said to be for another one', async (_, damage) => {
  const world = await aWorld({ routes: ['orders', 'shipments', 'invoices', 'shopify'] })

  const rows = await runDropped(world, 'orders', damage(await sample('orders/retailer-orders.csv')))

  expect(rows[0]).toMatchObject({
    _status: 'rejected',
    _code: expect.stringContaining('column-missing') as string,
  })
})

test('an interchange in the inbox of a table, and a table in that of interchanges, are said to be for the other', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  addAlike(world, 'orders', { name: 'edi', mappingPath: mapping('x12/850-orders') })

  const [interchange] = await runDropped(world, 'orders', await sample('edi/850-two-orders.x12'))
  expect(interchange).toMatchObject({
    ...MISREAD,
    _message: 'The file has documents that route edi reads (850).',
    _fix: 'Drop it into inbox/edi, the inbox of route edi.',
  })
  await world.drop('inbox/edi', 'table.csv', await sample('orders/retailer-orders.csv'))
  await world.run('edi')
  expect(await resultsOf(world, 'table.csv')).toMatchObject([
    { ...MISREAD, _fix: 'Drop it into inbox/orders, the inbox of route orders.' },
  ])
})

test('a document that another route reads is held with the inbox of that route', async () => {
  const world = await aWorld({ routes: ['orders'] })
  addAlike(world, 'orders', { name: 'edi', mappingPath: mapping('x12/850-orders') })
  const cancels = { mappingPath: mapping('x12/860-cancel-lines'), operation: 'create-cancel' } as const
  addAlike(world, 'orders', { name: 'edi-cancels', ...cancels })

  await world.drop('inbox/edi', 'changes.x12', await sample('edi/860-cancel-lines.x12'))
  await world.run('edi')

  expect((await resultsOf(world, 'changes.x12'))[0]).toMatchObject({
    _status: 'held',
    _code: 'edi-document-unrouted',
    _message: expect.stringContaining(
      'The set is a 860, and the mapping reads 850. Route edi-cancels reads it.',
    ) as string,
    _fix: 'Drop the exceptions file into inbox/edi-cancels, then: dropbridge discard changes.x12 --by NAME --why TEXT.',
  })
})
