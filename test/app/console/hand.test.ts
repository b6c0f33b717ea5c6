/** Jobs of the console are carried out as the command line does it: once, and only what was seen. */
import { expect, test } from 'vitest'
import { createHand } from '../../../src/app/console/hand.ts'
import { readRunPage, type RunPage } from '../../../src/app/console/run-now.ts'
import { createDecisionDigest } from '../../../src/journal/decisions.ts'
import { lookAt } from '../../fixtures/console.ts'
import { handHere } from '../../fixtures/hand.ts'
import { whileTimePasses } from '../../fixtures/skipping-clock.ts'
import { aStoppedFile } from '../../fixtures/stopped-route.ts'
import { smallOrders } from '../../fixtures/small-orders.ts'
import { aWorld, type World } from '../../fixtures/world.ts'

const NADIA = { by: 'nadia', why: 'the item is offered now' }

async function lookAtHeld(world: World) {
  const { journal } = await lookAt(world)
  const [held] = await journal.listHeldFiles(1)
  const digest = createDecisionDigest()
  digest.add(await journal.listDecidableRecords(held?.file ?? '', { action: 'release' }, 0, 100))
  return { journal, what: held?.file ?? '', expected: digest.finish() }
}

test('a release sends what is held, and is noted with the name and the place', async () => {
  const world = await aStoppedFile(5)
  const { journal, ...seen } = await lookAtHeld(world)
  const hand = createHand(handHere(world))
  const outcome = await hand.carryOut('release', { ...seen, ...NADIA })
  expect(outcome).toMatchObject({ kind: 'done', result: { kind: 'decided' } })
  expect(await world.orders()).toHaveLength(3)
  const [decision] = await journal.listDecisions(seen.what, 9)
  expect(decision).toMatchObject({ ...NADIA, via: 'console', action: 'release', records: 3 })
  expect(hand.findWork(decision?.id ?? 0)).toEqual({ isGoingOn: false })

  // The same once more is about records that are not held any more.
  expect(await hand.carryOut('release', { ...seen, ...NADIA })).toMatchObject({
    kind: 'done',
    result: { kind: 'changed' },
  })
  expect(await world.orders()).toHaveLength(3)
})

test('a busy route is waited for, and then the owner is named', async () => {
  const world = await aStoppedFile(4)
  const { journal, ...seen } = await lookAtHeld(world)
  const bridge = await world.open()
  const lease = await bridge.journal.acquireLease('orders', `edi1/${process.pid}/x`, 3_600_000, () => true)
  const hand = createHand(handHere(world))
  const began = world.clock.now()
  const outcome = await whileTimePasses(world.clock, () => hand.carryOut('release', { ...seen, ...NADIA }))
  expect(outcome).toMatchObject({
    kind: 'failed',
    failure: {
      code: 'lease-held',
      message: `Route orders is being worked on by process ${process.pid} on edi1.`,
    },
  })
  expect(world.clock.now() - began).toBeGreaterThanOrEqual(30_000)
  expect(await journal.listDecisions(seen.what, 9)).toEqual([])

  await bridge.journal.releaseLease(lease)
  await bridge.close()
  expect(await hand.carryOut('release', { ...seen, ...NADIA })).toMatchObject({ kind: 'done' })
  expect(await world.orders()).toHaveLength(2)
})

test('a run waits for the process that has the route, says for whom, and then begins', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', smallOrders(40_001, 2))
  const bridge = await world.open()
  const lease = await bridge.journal.acquireLease('orders', `edi1/${process.pid}/x`, 3_600_000, () => true)
  const pages: RunPage[] = []
  let isAsked = false
  const context = await lookAt(world)
  const hand = createHand((job, report) =>
    handHere(world)(job, (each) => {
      report(each)
      if (each.kind !== 'busy' || isAsked) return
      isAsked = true
      const work = { route: 'orders', by: 'nadia', at: 0, busy: each.why }
      void readRunPage(context, 'orders', work).then(async (page) => {
        if (page !== undefined) pages.push(page)
        await bridge.journal.releaseLease(lease)
      })
    }),
  )
  const id = await hand.startRun({ route: 'orders', by: 'nadia', at: world.clock.now() })
  await bridge.close()
  expect(pages[0]).toMatchObject({ state: 'waiting', waitsFor: `process ${process.pid} on edi1` })
  expect(hand.findRun(id)).toMatchObject({ report: { exit: 0, files: [{ records: { accepted: 2 } }] } })
  expect(await world.orders()).toHaveLength(2)
})

test('what is asked of a hand that closes is not begun', async () => {
  const world = await aStoppedFile(3)
  const { journal: _, ...seen } = await lookAtHeld(world)
  const hand = createHand(handHere(world))
  await hand.close()
  const outcome = await hand.carryOut('discard', { ...seen, ...NADIA })
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'interrupted' } })
})

test('a decision does not wait for runs, however long they take', async () => {
  const world = await aStoppedFile(4)
  const { journal: _, ...seen } = await lookAtHeld(world)
  const begun: string[] = []
  const hand = createHand((job, report) => {
    begun.push(job.command)
    return job.command === 'run'
      ? { stop: () => report({ kind: 'done', result: {} }) }
      : handHere(world)(job, report)
  })
  const own = { route: 'orders', by: 'nadia', at: 0 }
  const runs = [1, 2, 3].map(() => hand.startRun(own))
  expect(await hand.carryOut('release', { ...seen, ...NADIA })).toMatchObject({ kind: 'done' })
  expect(begun).toEqual(['run', 'run', 'release'])
  await hand.close()
  await Promise.all(runs)
})
