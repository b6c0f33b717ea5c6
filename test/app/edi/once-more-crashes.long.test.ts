/** A bridge that dies while it takes an interchange file again, or delivers an answer once more: the next run finishes it, once. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { BridgeError } from '../../../src/support/errors.ts'
import { openJournal } from '../../../src/journal/open.ts'
import { atEachEffect, crashAt } from '../../fixtures/crash-after.ts'
import { anEdiInbox } from '../../fixtures/edi-inbox.ts'
import type { World } from '../../fixtures/world.ts'

const ONE_DAY = await readFile(new URL('../../../samples/edi/850-one-day.x12', import.meta.url))
const ANSWER = '997-000000001.x12'

async function aWorldThatTookADay(): Promise<World> {
  const world = await anEdiInbox()
  await world.drop('inbox/van', 'day.x12', ONE_DAY)
  await world.run()
  return world
}

const posted = async (world: World) =>
  (await world.orders())
    .map(({ purchase_order_number: number }) => number)
    .filter((number) => number?.startsWith('HV-41'))
    .toSorted()

async function listUnfinished(world: World): Promise<string[]> {
  const journal = await openJournal({ path: world.configuration.journal.path, clock: world.clock })
  const names = await journal.listUnfinishedRoutes()
  await journal.close()
  return names
}

test.each(['before', 'after'] as const)(
  'a retake that dies right %s any effect takes the file at most once more, posts nothing twice and answers once',
  async (moment) => {
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await aWorldThatTookADay()
      const plan = crashAt(effect, moment)
      const dying = await world.open(plan.wrap)
      await dying.retake('day.x12', new AbortController().signal).catch((error: unknown) => {
        if (plan.diedAt() === undefined) throw error
      })
      await dying.close()
      const context = `${plan.diedAt()} (effect ${effect})`
      world.clock.skip(60_000)

      await world.run()
      const results = (await world.list('results')).filter((name) => name.endsWith('.sets.csv'))

      expect(await listUnfinished(world), context).toEqual([])
      expect(results.length, context).toBeLessThanOrEqual(2)
      expect(await posted(world), context).toEqual(['HV-41001', 'HV-41003'])
      expect(await world.list('outbox/haven'), context).toEqual([ANSWER])
      return plan.diedAt()
    })
    expect(effects).toBeGreaterThan(15)
  },
  240_000,
)

test.each(['before', 'after'] as const)(
  'a redelivery of an answer that dies right %s any effect is delivered at most once more, and the next run finishes it',
  async (moment) => {
    const effects = await atEachEffect(moment, async (effect) => {
      const world = await aWorldThatTookADay()
      const plan = crashAt(effect, moment)
      const dying = await world.open(plan.wrap)
      await dying.redeliver(ANSWER, new AbortController().signal).catch((error: unknown) => {
        if (plan.diedAt() === undefined) throw error
      })
      await dying.close()
      const context = `${plan.diedAt()} (effect ${effect})`
      world.clock.skip(60_000)

      const isNoted = (await listUnfinished(world)).includes('inbox:van')
      await world.run()
      const copies = (await world.list('outbox/haven')).filter((name) => name !== ANSWER)

      expect(await listUnfinished(world), context).toEqual([])
      expect(copies.length, context).toBeLessThanOrEqual(1)
      expect(copies.length, context).toBeGreaterThanOrEqual(isNoted ? 1 : 0)
      for (const name of copies)
        expect(await world.read(`outbox/haven/${name}`), context).toBe(
          await world.read(`outbox/haven/${ANSWER}`),
        )
      return plan.diedAt()
    })
    expect(effects).toBeGreaterThan(5)
  },
  120_000,
)

/** The bridge could not deliver the answer, and then it was held. */
async function aWorldWithAHeldAnswer(): Promise<World> {
  const world = await anEdiInbox()
  await world.drop('inbox/van', 'day.x12', ONE_DAY)
  const bridge = await world.open({
    mailbox: (mailbox) => ({
      ...mailbox,
      stage: (path, folder, how) =>
        folder.startsWith('outbox')
          ? Promise.reject(new BridgeError('cannot-write', 'the disk is full'))
          : mailbox.stage(path, folder, how),
    }),
  })
  await bridge.run([], new AbortController().signal)
  const { journal } = bridge
  const lease = await journal.acquireLease('inbox:van', 'test', 60_000, () => false)
  const [delivery] = await journal.findDeliveriesByName(ANSWER, 1)
  await journal.holdDelivery(lease, delivery!.id, 'it may have been delivered')
  await journal.releaseLease(lease)
  await bridge.close()
  return world
}

test.each(['resolve-delivered', 'resolve-again'] as const)(
  'the decision %s about a held answer that dies right before any effect is carried out by the next run, or is open still',
  async (action) => {
    const effects = await atEachEffect('before', async (effect) => {
      const world = await aWorldWithAHeldAnswer()
      const plan = crashAt(effect, 'before')
      const dying = await world.open(plan.wrap)
      const decision = { what: ANSWER, action, by: 'Ada', why: 'asked the partner' }
      await dying.resolveDelivery(decision, new AbortController().signal).catch((error: unknown) => {
        if (plan.diedAt() === undefined) throw error
      })
      await dying.close()
      const context = `${plan.diedAt()} (effect ${effect})`
      world.clock.skip(60_000)

      await world.run()
      const journal = await openJournal({ path: world.configuration.journal.path, clock: world.clock })
      const [delivery] = await journal.findDeliveriesByName(ANSWER, 1)
      await journal.close()
      const delivered = await world.list('outbox/haven')

      const decided = { state: 'done', delivered: action === 'resolve-again' ? [ANSWER] : [], unfinished: [] }
      const open = { state: 'composed', delivered: [], unfinished: ['inbox:van'] }
      expect({ state: delivery?.state, delivered, unfinished: await listUnfinished(world) }, context).toEqual(
        delivery?.held === undefined ? decided : open,
      )
      return plan.diedAt()
    })
    expect(effects).toBeGreaterThan(5)
  },
  240_000,
)
