/** Files where no run takes them: within an inbox, beside one, among results. An alert says so, and where they belong. */
import { rename, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { InboundRoute } from '../../src/config/routes.ts'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { sampleOrders } from '../samples/orders.ts'

const HOUR_MS = 3_600_000

function routeOf(world: World, name = 'orders'): InboundRoute {
  const route = world.configuration.routes.find((each) => each.name === name)
  if (route?.direction !== 'inbound') throw new Error('no such route')
  return route
}

/** Drops files that stopped changing an hour ago. */
async function dropOld(
  world: World,
  ...files: readonly (string | readonly [path: string, text: string])[]
): Promise<void> {
  for (const file of files) {
    const [path, text] = typeof file === 'string' ? [file, 'x'] : file
    await world.drop(join(path, '..'), path.split('/').at(-1) ?? '', text)
    const time = new Date(world.clock.now() - HOUR_MS)
    await utimes(join(world.folder, 'exchange', path), time, time)
  }
}

async function findMisplaced(world: World) {
  const before = world.events.length
  const bridge = await world.open()
  const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
  await bridge.close()
  const reported = world.events.slice(before).flatMap((event) => {
    if (event.kind === 'alert-raised') return [`raised ${event.code} ${event.subject}`]
    return event.kind === 'alert-ended' ? [`ended ${event.code} ${event.subject}`] : []
  })
  return { alerts: alerts.filter(({ code }) => code === 'file-misplaced'), reported }
}

test('a file in a folder within an inbox is reported until it is moved up', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await dropOld(world, 'inbox/orders/november/file.csv', 'inbox/orders/2026/11/deep.csv')
  await dropOld(world, 'inbox/orders/november/notes.txt')

  const found = await findMisplaced(world)
  const exchange = join(world.folder, 'exchange')
  await rename(join(exchange, 'inbox/orders/november/file.csv'), join(exchange, 'inbox/orders/file.csv'))
  const moved = await findMisplaced(world)

  const deep = join(exchange, 'inbox/orders/2026/11/deep.csv')
  expect(found.alerts).toMatchObject([
    { subject: 'exchange:inbox/orders/november/file.csv' },
    {
      subject: 'exchange:inbox/orders/2026/11/deep.csv',
      message: `${deep} is in a folder within inbox/orders, the inbox of route orders; a run does not read folders in an inbox`,
      fix: 'Move it up into inbox/orders, or out of the inbox if no route is to take it.',
    },
  ])
  expect(moved.reported).toEqual(['ended file-misplaced exchange:inbox/orders/november/file.csv'])
})

test('a file in a folder within an inbox that is still written is not reported', async () => {
  const world = await aWorld({ routes: ['orders'] })
  Object.assign(routeOf(world).from, { stableForMs: 60_000 })
  await world.drop('inbox/orders/november', 'file.csv', 'x')
  const now = new Date(world.clock.now())
  await utimes(join(world.folder, 'exchange/inbox/orders/november/file.csv'), now, now)

  expect((await findMisplaced(world)).alerts).toEqual([])
})

test('folders within an inbox that a route or the bridge uses, hidden ones and links are left alone', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments', 'shipments-out'] })
  const orders = routeOf(world)
  Object.assign(orders.from, { folder: 'inbox', archive: 'inbox/done/orders' })
  Object.assign(orders.results, { folder: 'inbox/results' })
  const outbound = world.configuration.routes.find(({ direction }) => direction === 'outbound')
  if (outbound?.direction === 'outbound') Object.assign(outbound.to, { folder: 'inbox/outbox/deep' })
  await dropOld(
    world,
    'inbox/done/orders/2026/11/24/a.csv',
    'inbox/results/b.csv',
    'inbox/outbox/c.csv',
    'inbox/outbox/deep/shipments-1.csv',
    'inbox/shipments/e.csv',
    'inbox/.claimed/f.csv',
    'inbox/.Trash/g.csv',
    'elsewhere/h.csv',
    'inbox/old/i.csv',
  )
  await symlink(join(world.folder, 'exchange/elsewhere'), join(world.folder, 'exchange/inbox/linked'))

  const { alerts } = await findMisplaced(world)

  expect(alerts.map(({ subject }) => subject)).toEqual(['exchange:inbox/old/i.csv'])
})

test('what is in folders within an inbox is neither over nor new while the mailbox is away', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await dropOld(world, 'inbox/orders/november/file.csv')
  await findMisplaced(world)
  const exchange = join(world.folder, 'exchange')
  await rename(exchange, `${exchange}-away`)

  const away = await findMisplaced(world)
  await rename(`${exchange}-away`, exchange)
  const back = await findMisplaced(world)

  expect(away.reported).toEqual(['raised mailbox-away exchange'])
  expect(back.reported).toEqual(['ended mailbox-away exchange'])
})

const SHIPMENTS = shipmentsFile(
  sampleShipments(sampleOrders({ seed: 3, orders: 2, damageEvery: 0 }), { seed: 1, damageEvery: 0 }),
)

test('a file beside the inboxes or among results is to go into the inbox whose route reads its columns', async () => {
  const world = await aWorld({ routes: ['orders', 'shopify', 'shipments'] })
  const paths = ['inbox/ship.csv', 'results/late.csv', 'results/late.csv.results.csv', 'results/notes.csv']
  await dropOld(world, 'results/notes.csv')
  for (const path of paths.slice(0, 3)) await dropOld(world, [path, SHIPMENTS])

  const { alerts } = await findMisplaced(world)
  const exchange = join(world.folder, 'exchange')
  const run = await commandsOf(world)
  const whyNot = await run('why-not', 'exchange/results/late.csv')

  const fix = 'Move it into inbox/shipments, the inbox of route shipments.'
  const columns = expect.stringMatching(
    / is in no inbox; 7 of the 8 columns of the file are those of route shipments$/,
  )
  expect(alerts).toMatchObject([
    { subject: 'exchange:inbox/ship.csv', message: columns, fix },
    { subject: 'exchange:results/late.csv', message: columns, fix },
  ])
  expect(whyNot.out).toContain(`${exchange}/results/late.csv is in no inbox; 7 of `)
  expect(whyNot.out).toContain(
    `Move it into ${join(world.folder, 'exchange/inbox/shipments')}, the inbox of route shipments, whole at once.`,
  )
})

test('of a file beside the inboxes that no route reads, all routes are named that take such names', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  await dropOld(world, 'inbox/what.csv')

  expect((await findMisplaced(world)).alerts).toMatchObject([
    {
      message: expect.stringMatching(
        /what\.csv is in no inbox; such names are taken by route orders, route shipments$/,
      ),
    },
  ])
})

test('files in a folder with nearly the name of an inbox, and the columns of another route, are to go to that one', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments'] })
  await dropOld(world, ['inbox/order/ship.csv', SHIPMENTS])
  const bridge = await world.open()
  const { alerts } = await bridge.takeSnapshotAndPublishAlerts()
  await bridge.close()

  expect(alerts).toMatchObject([
    {
      code: 'inbox-mistyped',
      route: 'orders',
      fix: 'Move its files into inbox/shipments: their columns are those of route shipments.',
    },
  ])
})
