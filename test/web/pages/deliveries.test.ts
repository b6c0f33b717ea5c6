/** The pages of deliveries and routes, of a month that really ran. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { deliveriesPage, deliveryPage } from '../../../src/web/pages/deliveries.ts'
import { routesPage } from '../../../src/web/pages/routes.ts'
import { aFinishedMonth, lookAt, MONTH, visit } from '../../fixtures/console.ts'
import { anEdiInbox } from '../../fixtures/edi-inbox.ts'
import { partnerOf } from '../../fixtures/partner.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld, type World } from '../../fixtures/world.ts'

test('the list shows each delivery, newest first, filtered by route and state', async () => {
  const context = await lookAt(await aFinishedMonth())
  const page = await visit(context, deliveriesPage)
  expect(
    page?.data.deliveries.map(({ name, state, records, isAwaited }) => [name, state, records, isAwaited]),
  ).toEqual(
    expect.arrayContaining([
      ['invoices-1.csv', 'acknowledged', 3, false],
      ['shipments-1.csv', 'acknowledged', 3, false],
      ['orders-1.csv', 'acknowledged', 3, false],
    ]),
  )
  expect(page?.data.deliveries.at(-1)?.name).toBe('orders-1.csv')
  expect(page?.data.total).toEqual({ count: 3, isMore: false })
  expect(page?.text).toContain('3 deliveries, newest first')
  const names = async (query: Record<string, string>) =>
    (await visit(context, deliveriesPage, { query }))?.data.deliveries.map(({ name }) => name)
  expect(await names({ route: 'orders-out' })).toEqual(['orders-1.csv'])
  expect(await names({ state: 'waiting' })).toEqual([])
  expect(await names({ state: 'no such state' })).toHaveLength(3)
})

/** The route acknowledges what was picked up, and nobody has picked it up. */
async function aWaitingDelivery(): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  for (const route of world.configuration.routes)
    if (route.direction === 'outbound') Object.assign(route, { acknowledge: 'picked-up' })
  await world.drop('inbox/orders', 'a.csv', smallOrders(40_001, 2))
  await world.run('orders', 'orders-out')
  return world
}

test('a delivery that nobody took waits, and says by when its orders should be acknowledged', async () => {
  const context = await lookAt(await aWaitingDelivery())
  const page = await visit(context, deliveriesPage, { query: { state: 'waiting' } })
  expect(page?.text).toMatch(/State all waiting for its reader held for a person being delivered/)
  const [delivery] = page!.data.deliveries
  expect(delivery).toMatchObject({
    state: 'delivered',
    isAwaited: true,
    acknowledgeBy: expect.any(Number) as number,
  })
  expect(page?.text).toContain('not yet: its reader is waited for')
  const one = await visit(context, deliveryPage, { params: { id: delivery!.id } })
  expect(one?.data.acknowledgeBy).toBe(delivery?.acknowledgeBy)
  expect(one?.text).toContain('Acknowledge by')
})

test('an answer to an interchange says how many sets it answers, and of which file', async () => {
  const world = await anEdiInbox()
  const file = new URL('../../../samples/edi/850-one-day.x12', import.meta.url)
  await world.drop('inbox/van', 'day.x12', await readFile(file))
  await world.run()
  const context = await lookAt(world)
  const list = await visit(context, deliveriesPage)
  const [answer] = list!.data.deliveries
  expect(list?.text).toContain('answers 3 sets in 1 interchange')
  expect(list?.text).not.toContain('1 record')
  const page = await visit(context, deliveryPage, { params: { id: answer?.id ?? '' } })
  expect(page?.text).toContain('it answers 3 sets in 1 interchange of day.x12')
})

test('a delivery says whether and when its reader took it, and asks for no acknowledgement once it is acknowledged', async () => {
  const world = await aWaitingDelivery()
  await partnerOf(world).takes('orders-1.csv')
  world.clock.skip(60_000)
  await world.run('orders-out')
  const context = await lookAt(world)
  const list = await visit(context, deliveriesPage)
  const [taken] = list!.data.deliveries
  expect(taken).toMatchObject({ state: 'acknowledged', isWatched: true })
  expect(taken?.acknowledgeBy).toBeUndefined()
  expect(list?.text).toMatch(/ picked up [\d:]+/)
  const page = await visit(context, deliveryPage, { params: { id: taken?.id ?? '' } })
  expect(page?.text).toMatch(/Taken: picked up [\d:]+/)
  expect(page?.text).not.toContain('Acknowledge by')

  const month = await lookAt(await aFinishedMonth())
  const unwatched = await visit(month, deliveriesPage)
  expect(unwatched?.data.deliveries.every(({ acknowledgeBy }) => acknowledgeBy === undefined)).toBe(true)
  expect(unwatched?.text).toContain('not watched for this route')
  expect(unwatched?.html).toContain(`href="/deliveries/${unwatched?.data.deliveries[0]?.id}/redeliver"`)
  expect((await visit(month, deliveriesPage, { role: 'viewer' }))?.html).not.toContain('/redeliver')
  const [first] = unwatched!.data.deliveries
  const one = await visit(month, deliveryPage, { params: { id: first?.id ?? '' } })
  expect(one?.text).toContain('Taken: not watched for this route')
})

test('a delivery shows its records by the numbers they have on paper, each linked with its order', async () => {
  const context = await lookAt(await aFinishedMonth())
  const list = await visit(context, deliveriesPage, { query: { route: 'shipments-out' } })
  const page = await visit(context, deliveryPage, { params: { id: list?.data.deliveries[0]?.id ?? '' } })
  expect(page?.data.counts).toEqual({ accepted: 3 })
  expect(page?.data.page.map(({ purchaseOrder }) => purchaseOrder).toSorted()).toEqual(
    MONTH.orders.toSorted(),
  )
  expect(page?.data.page.map(({ key }) => key).join()).toContain(MONTH.tracking)
  expect(page?.html).toContain(`/orders/${MONTH.first}`)
  expect(page?.text).toContain('✓ acknowledged')
  expect(await visit(context, deliveryPage, { params: { id: 'shipments-1.csv' } })).toBeUndefined()
})

test('the routes show where each of them stands, with its last file and its alerts', async () => {
  const world = await aFinishedMonth()
  const page = await visit(await lookAt(world), routesPage)
  const routes = page!.data.routes
  expect(routes.map(({ name }) => name)).toEqual(world.configuration.routes.map(({ name }) => name))
  expect(routes[0]).toMatchObject({
    name: 'orders',
    direction: 'inbound',
    operation: 'create-order',
    party: 'retailer/1000',
    mailbox: 'exchange',
    folder: 'inbox/orders',
    state: 'idle',
    last: { name: 'orders.csv' },
  })
  expect(routes.find(({ name }) => name === 'orders-out')?.last?.name).toBe('orders-1.csv')
  expect(routes.find(({ name }) => name === 'shopify')?.last).toBeUndefined()
  expect(page?.text).toContain('create-order as retailer/1000, from exchange: inbox/orders')
})

test('a route with work that nobody does is unfinished, and shows its alerts', async () => {
  const world = await aWaitingDelivery()
  const { journal, clock } = await lookAt(world)
  const at = clock.now()
  const alert = {
    code: 'records-rejected' as const,
    route: 'orders',
    subject: 'x',
    since: at,
    message: 'm <b>',
    fix: 'f',
  }
  const alerts = [alert, { ...alert, route: 'gone' }]
  const shown = { ...journal, listActiveAlerts: () => Promise.resolve(alerts) } as typeof journal
  const context = { journal: shown, clock, configuration: world.configuration }
  const page = await visit(context, routesPage)
  expect(page?.data.routes.map(({ name, state }) => [name, state])).toEqual([
    ['orders', 'idle'],
    ['orders-out', 'unfinished'],
  ])
  expect(page?.data.routes[0]?.alerts).toHaveLength(1)
  expect(page?.data.alerts).toHaveLength(1)
  expect(page?.html).toContain('m &lt;b&gt;')
})
