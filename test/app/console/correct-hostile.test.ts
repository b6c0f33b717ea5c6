/** Corrections under attack: two people at once, a rejects file dropped by hand, and a death at every effect of the sending. */
import { rm } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { createHand } from '../../../src/app/console/hand.ts'
import { lookAt } from '../../fixtures/console.ts'
import {
  aRefusedFile,
  correctAll,
  countOrders,
  damagedOrders,
  FILE,
  openFile,
  send,
  toRequest,
} from '../../fixtures/corrections.ts'
import { crashAt } from '../../fixtures/crash-after.ts'
import { handHere } from '../../fixtures/hand.ts'
import type { World } from '../../fixtures/world.ts'

describe('a correction that is sent twice', () => {
  test('by two people at once with the same draft is one correction of the first', async () => {
    const { world, page } = await aRefusedFile(damagedOrders(40, 6))
    const request = toRequest(await correctAll(page))
    const hand = createHand(handHere(world))
    const sent = await Promise.all(
      ['nadia', 'erik'].map((by) => hand.carryOut('correct', { ...request, by })),
    )
    const left = sent.flatMap((outcome) =>
      outcome.kind === 'done' && outcome.result.kind === 'left' ? [outcome.result.correction.by] : [],
    )
    expect(new Set(left).size).toBeLessThan(2)
    // On a slow machine the work on the noted correction is still going on; or the second one finds the route busy, and its
    // waiting moves the clock on, at which a lease may run out.
    const isBusy = (code: string) => code === 'lease-held' || code === 'lease-lost'
    const others = sent.filter(
      (outcome) => outcome.kind === 'going-on' || (outcome.kind === 'failed' && isBusy(outcome.failure.code)),
    )
    expect([...left, ...others], JSON.stringify(sent)).toHaveLength(2)
    expect(await send(world, request)).toMatchObject({ kind: 'left' })
    expect(await world.list('inbox/orders')).toEqual(['orders-16.rejects.csv'])
    await world.run('orders')
    expect(await countOrders(world)).toEqual({ orders: 40, doubled: 0 })
    const { journal } = await lookAt(world)
    expect(await journal.countAllDecisions()).toBe(1)
    await hand.close()
  })

  test('again when its file was taken long ago is still the first one', async () => {
    const { world, page } = await aRefusedFile(damagedOrders(40, 6))
    const request = toRequest(await correctAll(page))
    await send(world, request)
    await world.run('orders')
    expect(await send(world, { ...request, by: 'erik' })).toMatchObject({
      kind: 'left',
      correction: { by: 'nadia', takenAs: { isFinished: true } },
    })
    expect(await world.list('inbox/orders')).toEqual([])
  })

  test('with other texts for the same records is refused, and says who was first', async () => {
    const { world, page } = await aRefusedFile(damagedOrders(40, 6))
    const first = toRequest(await correctAll(page))
    const other = await page({
      changes: first.changes.map((each) => ({ ...each, text: each.text === 'NY' ? 'NJ' : '2' })),
      isCheck: true,
    })
    await send(world, first)
    const second = await send(world, toRequest(other, 'erik'))
    expect(second).toMatchObject({ kind: 'overlapping', correction: { by: 'nadia' } })
    expect((await page()).units.every(({ isUnderWay }) => isUnderWay)).toBe(true)
    await world.run('orders')
    expect(await countOrders(world)).toEqual({ orders: 40, doubled: 0 })
  })
})

test('the rejects file, corrected by hand and dropped in at the same moment, doubles and loses nothing', async () => {
  const { world, page } = await aRefusedFile(damagedOrders(60, 10))
  const rejects = await world.read(`results/${FILE}.rejects.csv`)
  const byHand = rejects.replaceAll(',ZZ,', ',NY,')
  const request = toRequest(await correctAll(page))
  await Promise.all([send(world, request), world.drop('inbox/orders', `${FILE}.rejects.csv`, byHand)])
  await world.run('orders')
  expect(await countOrders(world)).toEqual({ orders: 60, doubled: 0 })
})

test('a file that another program removed from the inbox can be corrected and sent again', async () => {
  const { world, page } = await aRefusedFile(damagedOrders(20, 4))
  const request = toRequest(await correctAll(page))
  const removing = await send(world, request)
  expect(removing.kind).toBe('left')
  await rm(`${world.folder}/exchange/inbox/orders/orders-16.rejects.csv`)
  expect(await send(world, request)).toMatchObject({
    kind: 'left',
    correction: { name: 'orders-16.rejects.csv' },
  })
  await world.run('orders')
  expect(await countOrders(world)).toEqual({ orders: 20, doubled: 0 })
})

test('records of a correction whose process died before its file was in the inbox are on the page again, for other texts too', async () => {
  const first = await aRefusedFile(damagedOrders(8, 3))
  const request = toRequest(await correctAll(first.page))
  const play = async (effect: number): Promise<World> => {
    const world = await first.world.fork()
    const plan = crashAt(effect, 'before')
    await send(world, request, plan.wrap).catch(() => undefined)
    return plan.diedAt()?.includes('giveName') === true ? world : play(effect + 1)
  }
  const world = await play(1)
  world.clock.skip(60_000)
  const { page } = await openFile(world)
  const shown = await page()
  expect(shown.corrections).toMatchObject([{ by: 'nadia', records: 3 }])
  expect(shown.units.map(({ isUnderWay }) => isUnderWay)).toEqual([false, false, false])
  const changes = (await correctAll(page)).changes.map((each) =>
    each.text === 'NY' ? { ...each, text: 'NJ' } : each,
  )
  const other = toRequest(await page({ changes, isCheck: true }), 'erik')
  expect(await send(world, other)).toMatchObject({ kind: 'left', correction: { by: 'erik' } })
  await world.run('orders')
  expect(await countOrders(world)).toEqual({ orders: 8, doubled: 0 })
})

describe.each(['before', 'after'] as const)('a process that dies %s an effect of the sending', (moment) => {
  test('leaves nothing that a second try, and a run in between, would leave twice or lose', async () => {
    const first = await aRefusedFile(damagedOrders(8, 3))
    const request = toRequest(await correctAll(first.page))
    const died: string[] = []
    const play = async (effect: number) => {
      const world = await first.world.fork()
      const plan = crashAt(effect, moment)
      await send(world, request, plan.wrap).catch(() => undefined)
      const diedAt = plan.diedAt()
      if (diedAt === undefined) return undefined
      died.push(diedAt)
      // Every other time a bridge works on the inbox before the person tries again.
      world.clock.skip(60_000)
      if (effect % 2 === 0) await world.run('orders')
      expect((await send(world, request)).kind, diedAt).toBe('left')
      await world.run('orders')
      expect(await countOrders(world), diedAt).toEqual({ orders: 8, doubled: 0 })
      const { journal } = await lookAt(world)
      const files = await journal.listRecentFiles(10)
      expect(
        files.map(({ outcome }) => outcome),
        diedAt,
      ).toEqual(['processed', 'processed'])
      expect((await journal.verifyChain({})).findings, diedAt).toEqual([])
      expect((await (await openFile(world)).page()).records, diedAt).toBe(0)
      expect(await world.list('inbox/orders'), diedAt).toEqual([])
      return diedAt
    }
    for (let effect = 1; (await play(effect)) !== undefined; effect++);
    expect(died.length).toBeGreaterThanOrEqual(10)
    expect(died.some((name) => name.includes('giveName'))).toBe(true)
  }, 240_000)
})
