/** Opening a dialog writes nothing, whoever opens it, and people who come and go stand where the documentation says. */
import { expect, onTestFinished, test } from 'vitest'
import { openJournalToRead } from '../../../src/journal/open.ts'
import { toText } from '../../fixtures/console.ts'
import {
  holdDelivery,
  openWithCanceledOrder,
  partnerOf,
  PICKED_UP,
  worldThatWaits,
} from '../../fixtures/partner.ts'
import type { World } from '../../fixtures/world.ts'
import { sampleOrders } from '../../samples/orders.ts'
import { aDesk } from '../desk.ts'
import { aConsole, PASSWORD } from '../harness.ts'

const ORDERS = sampleOrders({ seed: 81, orders: 3, damageEvery: 0 })

/** One record of the delivery was canceled before it was acknowledged. */
async function aRefusedDelivery(): Promise<World> {
  const world = await worldThatWaits(PICKED_UP, ORDERS)
  await world.run('orders-out')
  const bridge = await openWithCanceledOrder(world)
  await partnerOf(world).takes('orders-1.csv')
  await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()
  return world
}

/** Nothing proves whether the delivery was delivered. */
async function aHeldDelivery(): Promise<World> {
  const world = await worldThatWaits({ acknowledge: 'delivered' }, ORDERS)
  await holdDelivery(world)
  return world
}

test.each([
  [
    'the dismissal of a delivery',
    'dismiss',
    aRefusedDelivery,
    '1 record: changed before it was acknowledged',
  ],
  ['the answer about a held delivery', 'resolve', aHeldDelivery, 'held: it cannot be proved'],
])(
  'opening %s writes nothing: no event, no decision, no commit, and no call of the API',
  async (_, page, make, text) => {
    const world = await make()
    const { console, journal, look } = await aDesk(world)
    const [delivery] = await journal.listDeliveries({}, undefined, 1)
    const path = `/deliveries/${delivery?.id}/${page}`
    let calls = 0
    world.service.app.server.prependListener('request', () => calls++)
    const { configuration, clock } = world
    const watching = await openJournalToRead({ path: configuration.journal.path, clock })
    onTestFinished(() => watching.journal.close())
    const [version, head] = [watching.readDataVersion(), await journal.getHead()]
    const outbox = await world.list('outbox')
    for (const role of ['viewer', 'operator', 'admin'] as const)
      for (const accept of ['text/html', 'application/json']) {
        const { statusCode } = await console.get(path, role, { accept })
        expect([role, statusCode]).toEqual([role, role === 'viewer' ? 403 : 200])
      }
    expect((await look(path)).text).toContain(text)
    // Seen, left and opened again: still the same.
    await look(`/deliveries/${delivery?.id}`)
    await look(path)
    expect(watching.readDataVersion()).toBe(version)
    expect(await journal.getHead()).toEqual(head)
    expect(await journal.countAllDecisions()).toBe(0)
    expect([calls, await world.list('outbox')]).toEqual([0, outbox])
  },
)

test('people who are added or disabled stand among those who may sign in, with since when, and only admins see them', async () => {
  const console = await aConsole()
  const read = async () => toText((await console.get('/people', 'admin')).body)
  expect(await read()).not.toContain('nadia')
  console.clock.advance?.(60_000)
  console.people.add('nadia', 'operator', console.people.findPassword('viewer') ?? '')
  expect(await read()).toMatch(/nadia operator 02:16:00 0 signed in/)
  expect((await console.post('/sign-in', { name: 'nadia', password: PASSWORD })).statusCode).toBe(303)
  expect(await read()).toMatch(/nadia operator 02:16:00 1 signed in/)
  console.clock.advance?.(60_000)
  console.people.disable('nadia')
  expect(await read()).toMatch(/nadia operator 02:16:00 disabled 02:17:00/)
  expect((await console.post('/sign-in', { name: 'nadia', password: PASSWORD })).statusCode).toBe(401)
  console.people.add('nadia', 'viewer', console.people.findPassword('viewer') ?? '')
  expect(await read()).toMatch(/nadia viewer 02:16:00 0 signed in/)
  const log = toText((await console.get('/access', 'admin')).body)
  expect(log).toMatch(/nadia signed in 127\.0\.0\.1/)
  for (const role of ['viewer', 'operator'] as const)
    for (const path of ['/people', '/access']) {
      const { statusCode, body } = await console.get(path, role)
      expect([statusCode, body.includes('nadia')]).toEqual([403, false])
    }
})
