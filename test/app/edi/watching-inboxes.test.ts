/** A watch over an inbox of interchanges: it and its routes wake each other when there is something to do, and only then. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { anAnsweredWorld, write997 } from '../../fixtures/answering-partner.ts'
import { makeOrder } from '../../fixtures/edi-chaos.ts'
import { order, passOver } from '../../fixtures/edi-exports.ts'
import { anEdiInbox, aPartner, ORDER_ROUTES } from '../../fixtures/edi-inbox.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { HAVEN, makeInterchange, type MadeDocument, NORTHLIGHT } from '../../fixtures/edi-maker/envelope.ts'
import { make810 } from '../../fixtures/edi-maker/x12-fulfilment.ts'
import { watchWorld } from '../../fixtures/watching.ts'

const makeFile = (number: number, set: MadeDocument) =>
  dress(
    makeInterchange({
      syntax: 'x12',
      number,
      sender: set.document === '810' ? NORTHLIGHT : HAVEN,
      groups: [{ sets: [set] }],
    }),
  )

test('while a record waits for its order, the inbox and the route do not wake each other again and again', async () => {
  const world = await anEdiInbox({
    inboxRoutes: [
      ...ORDER_ROUTES,
      { name: 'invoices', document: '810', operation: 'create-invoice', mapping: 'x12/810-invoices' },
    ],
  })
  Object.assign(world.configuration.routes[2] ?? {}, { waitMs: 3_600_000 })
  await world.drop('inbox/van', 'one.x12', makeFile(1, makeOrder('D-1')))
  await world.run()
  const line = { quantity: 1, price: '11.24', pairs: [['UP', '086000100025']] } as const
  await world.drop('inbox/van', 'two.x12', makeFile(2, make810({ number: 'I-1', po: 'D-1', lines: [line] })))

  const watching = await watchWorld(world)
  const countPasses = (route: string) =>
    watching.events.filter((each) => each.kind === 'pass-ended' && each.route === route).length
  await watching.until(() => countPasses('invoices') >= 2)
  await wait(2000)

  // They would come to some thirty in each second.
  expect(countPasses('invoices') + countPasses('inbox:van')).toBeLessThan(12)
})

test('a watch finishes a file of several routes, and answers when the last one has read its sets', async () => {
  const world = await anEdiInbox()
  await world.drop('inbox/van', 'one.x12', makeFile(1, makeOrder('D-1')))

  const watching = await watchWorld(world)

  await watching.until(async () => (await world.list('results')).includes('one.x12.summary.json'))
  expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
})

test('an answer that is due goes out although the route is busy elsewhere, while the watch pauses', async () => {
  const answer = { when: 'understood', withinMs: 3000, kind: '997', ta1: 'asked', echoes: true } as const
  const world = await anEdiInbox({ partners: [aPartner('haven', 'ZZ:HAVENRETAIL', { answer })] })
  await world.drop('inbox/van', 'one.x12', makeFile(1, makeOrder('D-1')))
  const other = await world.open()
  const busy = await other.journal.acquireLease('edi-orders', 'other/1/1', 1e9, () => true)

  const watching = await watchWorld(world)

  await watching.until(async () => (await world.list('outbox/haven')).length > 0)
  expect(await world.orders()).toEqual([])
  await other.journal.releaseLease(busy)
  await other.close()
  await watching.until(async () => (await world.list('results')).includes('one.x12.summary.json'))
  expect(await world.list('outbox/haven')).toEqual(['997-000000001.x12'])
})

test('a route acknowledges as soon as its partner has answered, and does not wait for its next run', async () => {
  const own = await anAnsweredWorld()
  await order(own, 10_001, 3)
  await passOver(own)
  const { world } = own
  const route = world.configuration.routes.find(({ name }) => name === 'orders-out')
  const mappingPath = new URL('../../../mappings/x12/850-export.yaml', import.meta.url).pathname
  Object.assign(route ?? {}, { mappingPath })

  const watching = await watchWorld(world)
  await watching.until(() =>
    watching.events.some((each) => each.kind === 'pass-ended' && each.route === 'orders-out'),
  )
  expect(world.service.counts().acknowledgedOrders).toBe(0)
  await world.drop('inbox/van', 'fa.x12', write997({}, 'AK9*A*3*3*3'))

  await watching.until(() => world.service.counts().acknowledgedOrders === 3)
})
