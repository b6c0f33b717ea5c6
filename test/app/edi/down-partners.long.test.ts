/** A partner whose mailbox is down does not hold up a watch. */
import { mkdir, rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ANSWER, AT_ONCE, block, makeFrom, PARTNERS, places } from '../../fixtures/down-partners.ts'
import { HARBOR } from '../../fixtures/edi-chaos.ts'
import { anEdiInbox, aPartner, ORDER_ROUTES } from '../../fixtures/edi-inbox.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { HAVEN } from '../../fixtures/edi-maker/envelope.ts'
import { watchWorld } from '../../fixtures/watching.ts'
import type { World } from '../../fixtures/world.ts'

/** How long a place that is down rests. */
const PLACE_REST_MS = 10_000

/** An answer of haven was delivered, and a stop left it half delivered once more, when its folder was blocked. */
async function anInterruptedRedelivery(): Promise<World> {
  const world = await anEdiInbox({ partners: PARTNERS })
  await world.drop('inbox/van', 'one.x12', dress(makeFrom(HAVEN, 1, 'H-1')))
  await world.run()
  const bridge = await world.open()
  const lease = await bridge.journal.acquireLease('inbox:van', 'test', 60_000, () => false)
  const [delivery] = await bridge.journal.findDeliveriesByName('997-haven-000000001.x12', 1)
  const nameFor = (attempt: number) => `again-${attempt}.x12`
  const redelivery = { id: 'r1', delivery: delivery?.id ?? '', folder: 'outbox/haven', nameFor }
  await bridge.journal.startRedelivery(lease, redelivery)
  await bridge.journal.releaseLease(lease)
  await bridge.close()
  await block(places(world).haven)
  return world
}

test('a redelivery to a partner that is down does not pause the inbox of a watch', async () => {
  const world = await anInterruptedRedelivery()
  const watching = await watchWorld(world)
  const countFailures = () =>
    watching.events.filter((each) => each.kind === 'pass-ended' && each.failure !== undefined).length
  // The pauses after a pass that fails as a whole grow from 5 seconds.
  await watching.until(() => countFailures() >= 2)

  const before = countFailures()
  await world.drop('inbox/van', 'two.x12', dress(makeFrom(HARBOR, 2, 'H-2')))
  await watching.until(async () => (await world.list('results')).includes('two.x12.summary.json'))

  // It waits for no pause: one pass may have begun before the file was seen, and the pass that takes it may fail too.
  expect(countFailures() - before).toBeLessThanOrEqual(2)
  expect(await world.list('outbox/harbor')).toEqual(['997-harbor-000000001.x12'])
  await rm(places(world).haven)
  await mkdir(places(world).haven)
  await watching.until(async () => (await world.list('outbox/haven')).includes('again-1.x12'))
})

test('an answer that is due goes out in time although another answer of the same file fails', async () => {
  const within = { answer: { ...ANSWER, when: 'understood', withinMs: 3000 } } as const
  const partners = [
    aPartner('haven', 'ZZ:HAVENRETAIL', within),
    aPartner('harbor', '01:HARBORSHOPS', AT_ONCE),
  ]
  const world = await anEdiInbox({ partners, inboxRoutes: ORDER_ROUTES })
  await block(places(world).harbor)
  const both = [makeFrom(HARBOR, 1, 'H-1'), makeFrom(HAVEN, 2, 'H-2')]
  const other = await world.open()
  const busy = await other.journal.acquireLease('edi-orders', 'other/1/1', 1e9, () => true)
  await world.drop('inbox/van', 'both.x12', dress(both))
  const droppedAt = performance.now()

  const watching = await watchWorld(world)
  await watching.until(async () => (await world.list('outbox/haven')).length > 0)

  // Without a wake-up of its own it would wait until the place of the other answer is tried again.
  expect(performance.now() - droppedAt).toBeLessThan(PLACE_REST_MS)
  await other.journal.releaseLease(busy)
  await other.close()
})
