/** The promises of the journal about deliveries that wait for a person, for any database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import type { Clock } from '../../src/support/clock.ts'
import { START, type TestClock, testClock } from './journal.suite.ts'

const REASON = 'nobody can prove that it was not delivered before.'
const WHO = { by: 'Ada', why: 'asked the warehouse' }

export function heldDeliveriesSuite(name: string, open: (clock: Clock) => Promise<Journal>): void {
  describe(`a held delivery in a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let out: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      out = await journal.acquireLease('orders-out', 'bridge-1', 60_000, () => true)
      await compose('d1')
    })

    afterEach(() => journal.close())

    const compose = async (id: string) => {
      const order = { operation: 'export-orders', account: 'brand/7', apiId: `of ${id}`, body: '{}' }
      await journal.collectRecords(out, [order])
      const [waiting] = await journal.listUndeliveredRecords('orders-out', 0, 1)
      return journal.createDelivery(out, {
        id,
        nameFor: (sequence) => `orders-${sequence}.csv`,
        folder: 'outbox',
        sha256: 'h',
        rows: 1,
        upToRecord: waiting!.id,
        held: [],
      })
    }

    it('stays composed with its reason, and no pass receives it', async () => {
      await journal.holdDelivery(out, 'd1', REASON)

      expect(await journal.getDelivery('d1')).toMatchObject({ state: 'composed', held: REASON })
      expect(await journal.listHeldDeliveries(10)).toMatchObject([{ id: 'd1' }])
      expect(await journal.listHeldDeliveries(10, 'orders-in')).toEqual([])
      expect(await journal.listUnfinishedDeliveries('orders-out')).toEqual([])
      expect(await journal.listUnfinishedRoutes()).toEqual([])
    })

    it('delays no other, and keeps its sequence number', async () => {
      await journal.holdDelivery(out, 'd1', REASON)

      expect(await compose('d2')).toMatchObject({ sequence: 2 })
      expect(await journal.listUnfinishedDeliveries('orders-out')).toMatchObject([{ id: 'd2' }])
    })

    it('keeps the first reason', async () => {
      await journal.holdDelivery(out, 'd1', REASON)
      await journal.holdDelivery(out, 'd1', 'another')

      expect(await journal.getDelivery('d1')).toMatchObject({ held: REASON })
    })

    it('is not delivered, renamed or done by any other call', async () => {
      await journal.holdDelivery(out, 'd1', REASON)

      for (const call of [
        journal.markDeliveryDelivered(out, 'd1'),
        journal.markDeliveryDone(out, 'd1'),
        journal.renameDelivery(out, 'd1', 'other.csv'),
      ]) {
        await expect(call).rejects.toMatchObject({ code: 'bug' })
      }
    })

    it('was composed, and is of the route that is held', async () => {
      await journal.markDeliveryDelivered(out, 'd1')
      await expect(journal.holdDelivery(out, 'd1', REASON)).rejects.toMatchObject({ code: 'bug' })
      await compose('d2')
      const other = await journal.acquireLease('other', 'bridge-1', 60_000, () => true)
      await expect(journal.holdDelivery(other, 'd2', REASON)).rejects.toMatchObject({ code: 'bug' })
    })

    it('is delivered when a person resolves it so, in that place', async () => {
      await journal.saveNamings(out, 'd1', [{ name: 'orders-1.csv', working: '.w', evidence: {} }])
      await journal.holdDelivery(out, 'd1', REASON)
      clock.advance(5)

      const place = 'outbox/.dropbridge'
      const answer = { action: 'resolve-delivered', place, ...WHO } as const
      expect(await journal.resolveHeldDelivery(out, 'd1', answer)).toMatchObject({
        state: 'delivered',
        deliveredAt: START + 5,
        place: place,
      })
      expect(await journal.getDelivery('d1')).not.toHaveProperty('held')
      expect(await journal.listHeldDeliveries(10)).toEqual([])
      expect(await journal.listNamings('d1')).toEqual([])
      expect(await journal.startAttempts(out, { delivery: 'd1' }, 1)).toHaveLength(1)
    })

    it('is delivered now when a person asks for it, and the note of its name is dropped', async () => {
      await journal.saveNamings(out, 'd1', [{ name: 'orders-1.csv', working: '.w', evidence: {} }])
      await journal.holdDelivery(out, 'd1', REASON)

      await journal.resolveHeldDelivery(out, 'd1', { action: 'resolve-again', ...WHO })

      expect(await journal.listNamings('d1')).toEqual([])
      expect(await journal.listUnfinishedDeliveries('orders-out')).toMatchObject([
        { id: 'd1', state: 'composed' },
      ])
      await journal.markDeliveryDelivered(out, 'd1')
      expect(await journal.getDelivery('d1')).toMatchObject({ state: 'delivered' })
    })

    it('is answered once', async () => {
      await journal.holdDelivery(out, 'd1', REASON)
      await journal.resolveHeldDelivery(out, 'd1', { action: 'resolve-delivered', ...WHO })

      expect(
        await journal.resolveHeldDelivery(out, 'd1', { action: 'resolve-again', ...WHO }),
      ).toBeUndefined()
      expect(await journal.getDelivery('d1')).toMatchObject({ state: 'delivered' })
    })
  })
}
