/** The promises of the journal about files that wait to be taken, and about findings, for whatever database keeps it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Concern } from '../../src/domain/attention.ts'
import type { Journal, Lease } from '../../src/domain/journal.ts'
import { receiveFile, START, type TestClock, testClock } from './journal.suite.ts'

const HOUR_MS = 3_600_000

const never = () => false

function concern(code: Concern['code'], subject: string, more: Partial<Concern> = {}): Concern {
  return { code, subject, since: START, message: `${subject} is odd`, cure: 'look at it', ...more }
}

export function attentionSuite(name: string, open: (clock: TestClock) => Promise<Journal>): void {
  describe(`files that wait in a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let lease: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await journal.takeLease('out', 'bridge-1', 60_000, () => true)
    })
    afterEach(() => journal.close())

    /** One delivery of the records that have come since, at its place. */
    async function deliver(id: string, bodies: readonly object[]): Promise<void> {
      await journal.collect(
        lease,
        bodies.map((body, index) => ({
          operation: 'export-orders',
          account: 'brand/1',
          apiId: `${id}${index}`,
          body: JSON.stringify(body),
        })),
      )
      const waiting = await journal.waitingRecords('out', 0, 100)
      await journal.deliveryComposed(lease, {
        id,
        nameFor: (sequence) => `orders-${sequence}.csv`,
        folder: 'outbox',
        sha256: id,
        rows: bodies.length,
        upToRecord: waiting.at(-1)?.id ?? 0,
        held: [],
      })
      await journal.deliveryDelivered(lease, id)
    }

    const awaited = async () => (await journal.awaitedDeliveries(100)).map(({ id }) => id)

    it('wait until they are taken, once', async () => {
      await deliver('a', [{ id: 1 }])
      clock.advance(1000)
      await deliver('b', [{ id: 2 }])
      expect(await awaited()).toEqual(['a', 'b'])

      clock.advance(1000)
      await journal.deliveryPickedUp(lease, 'a')
      clock.advance(1000)
      await journal.deliveryPickedUp(lease, 'a')

      expect(await awaited()).toEqual(['b'])
      expect(await journal.delivery('a')).toMatchObject({
        state: 'delivered',
        takenAt: START + 2000,
        takenBy: 'picked-up',
      })
    })

    it('tell the earliest time by which one of their records should be acknowledged', async () => {
      await deliver('a', [
        { acknowledge_by: '2026-11-22T08:00:00.250000Z' },
        { acknowledge_by: '2026-11-22T08:30:00+02:00' },
        {},
      ])
      await deliver('b', [{ acknowledge_by: null }])

      const [first, second] = await journal.awaitedDeliveries(100, 'out')

      expect(first?.acknowledgeBy).toBe(Date.UTC(2026, 10, 22, 6, 30))
      expect(second).not.toHaveProperty('acknowledgeBy')
    })

    it('come up behind those that somebody goes on with', async () => {
      await deliver('a', [{ id: 1 }])
      await deliver('b', [{ id: 2 }])
      await journal.deliveryPickedUp(lease, 'b')
      await journal.reportComposed(lease, {
        id: 'c',
        nameFor: () => 'c.csv',
        folder: 'outbox',
        sha256: 'c',
        rows: 0,
        records: 0,
      })

      expect((await journal.unfinishedDeliveries('out')).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
    })

    it('are confirmed by a receipt that is accepted, and wait on when it is refused or goes away', async () => {
      await deliver('a', [{ id: 1 }])
      const receipt = { delivery: 'a', folder: 'receipts', name: 'orders-1.csv.ok' }

      await journal.beginReceipt(lease, { ...receipt, id: 'r1' })
      expect(await journal.openReceipts('out', 10)).toEqual([{ ...receipt, id: 'r1', state: 'claiming' }])
      await journal.endReceipt(lease, 'r1', 'gone')
      expect(await journal.openReceipts('out', 10)).toEqual([])

      await journal.beginReceipt(lease, { ...receipt, id: 'r2' })
      clock.advance(HOUR_MS)
      await journal.endReceipt(lease, 'r2', 'refused')
      expect(await journal.openReceipts('out', 10)).toMatchObject([{ id: 'r2', state: 'refused' }])
      expect(await journal.openReceipts('another', 10)).toEqual([])
      await journal.receiptArchived(lease, 'r2', 'archive/r2')
      expect(await journal.openReceipts('out', 10)).toEqual([])
      expect(await journal.awaitedDeliveries(10)).toMatchObject([
        { id: 'a', refusedReceipt: { name: 'orders-1.csv.ok', at: START + HOUR_MS } },
      ])

      await journal.beginReceipt(lease, { ...receipt, id: 'r3' })
      await journal.endReceipt(lease, 'r3', 'accepted')
      expect(await awaited()).toEqual([])
      expect(await journal.delivery('a')).toMatchObject({ takenBy: 'orders-1.csv.ok' })
      expect(await journal.openReceipts('out', 10)).toMatchObject([{ id: 'r3', state: 'accepted' }])
    })

    it('know a place again that got its mark', async () => {
      expect(await journal.isPlaceKnown('/share/out/.dropbridge')).toBe(false)
      await journal.notePlace(lease, '/share/out/.dropbridge')
      await journal.notePlace(lease, '/share/out/.dropbridge')
      expect(await journal.isPlaceKnown('/share/out/.dropbridge')).toBe(true)
      expect(await journal.isPlaceKnown('/share/other/.dropbridge')).toBe(false)
    })

    it('know the places in which a route has left files, acknowledged or not', async () => {
      expect(await journal.wasLeftIn('out', '/share/out')).toBe(false)
      await deliver('a', [{ id: 1 }])
      await journal.deliveryDone(lease, 'a', '/share/out')
      expect(await journal.wasLeftIn('out', '/share/out')).toBe(true)
      expect(await journal.wasLeftIn('other', '/share/out')).toBe(false)
    })

    it('know the folders in which a route has found files', async () => {
      expect(await journal.wasTakenFrom('out', 'inbox')).toBe(false)
      await receiveFile(journal, lease, 'f')
      expect(await journal.wasTakenFrom('out', 'inbox')).toBe(true)
      expect(await journal.wasTakenFrom('out', 'inbox/new')).toBe(false)
      expect(await journal.wasTakenFrom('other', 'inbox')).toBe(false)
    })

    it('are noted by nobody whose lease is lost', async () => {
      await deliver('a', [{ id: 1 }])
      await journal.beginReceipt(lease, { id: 'r', delivery: 'a', folder: 'receipts', name: 'x.ok' })
      clock.advance(60_000)
      await journal.takeLease('out', 'bridge-2', 60_000, () => true)

      const calls = [
        () => journal.deliveryPickedUp(lease, 'a'),
        () => journal.beginReceipt(lease, { id: 's', delivery: 'a', folder: 'receipts', name: 'x.ok' }),
        () => journal.endReceipt(lease, 'r', 'accepted'),
        () => journal.receiptArchived(lease, 'r', 'archive/x'),
        () => journal.notePlace(lease, 'x'),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'lease-lost' })
      expect(await awaited()).toEqual(['a'])
    })
  })

  describe(`findings in a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
    })
    afterEach(() => journal.close())

    const late = concern('file-not-come', '2026-11-21', { route: 'orders' })
    const stray = concern('file-of-no-route', 'erp:inbox/a.txt')

    it('are raised once, stand, and end once', async () => {
      const first = await journal.noteConcerns([stray, late], never)
      const again = await journal.noteConcerns([late, { ...stray, message: 'other words', since: 7 }], never)
      const standing = await journal.standingConcerns(10)
      clock.advance(1000)
      const ended = await journal.noteConcerns([late], never)
      const nothing = await journal.noteConcerns([late], never)

      expect(first).toEqual([
        { turn: 1, change: 'raised', raisedTurn: 1, at: START, concern: stray },
        { turn: 2, change: 'raised', raisedTurn: 2, at: START, concern: late },
      ])
      expect(again).toEqual([])
      expect(standing).toEqual([late, stray])
      expect(ended).toEqual([{ turn: 3, change: 'ended', raisedTurn: 1, at: START + 1000, concern: stray }])
      expect(nothing).toEqual([])
      expect(await journal.standingConcerns(10)).toEqual([late])
    })

    it('that come back are said again, and all of it is told in its order', async () => {
      await journal.noteConcerns([late], never)
      await journal.noteConcerns([], never)
      await journal.noteConcerns([late, stray], never)

      const changes = await journal.concernChanges(0, 10)

      expect(changes.map(({ turn, change, concern: { code } }) => [turn, change, code])).toEqual([
        [1, 'raised', 'file-not-come'],
        [2, 'ended', 'file-not-come'],
        [3, 'raised', 'file-not-come'],
        [4, 'raised', 'file-of-no-route'],
      ])
      expect((await journal.concernChanges(2, 1)).map(({ turn }) => turn)).toEqual([3])
      expect(await journal.concernChanges(4, 10)).toEqual([])
    })

    it('that nobody could look at are neither over nor new', async () => {
      await journal.noteConcerns([stray, late], never)

      const changed = await journal.noteConcerns([], ({ subject }) => subject.startsWith('erp:inbox'))

      expect(changed).toMatchObject([{ change: 'ended', concern: { code: 'file-not-come' } }])
      expect(await journal.standingConcerns(10)).toEqual([stray])
    })

    it('with the same subject on two routes are two', async () => {
      const other = { ...late, route: 'stock' }

      expect(await journal.noteConcerns([late, other, late], never)).toHaveLength(2)
      expect(await journal.standingConcerns(10)).toHaveLength(2)
    })
  })

  describe(`watches in a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
    })
    afterEach(() => journal.close())

    it('are there from their beginning on, with the time when each was seen last', async () => {
      const beganAt = clock.now()
      await journal.noteWatch('here/1/a', ['orders'])
      clock.advance(60_000)
      await journal.noteWatch('here/2/b', ['stock', 'invoices'])
      await journal.noteWatch('here/1/a', ['orders'])

      const seenAt = beganAt + 60_000
      expect(await journal.watches()).toEqual([
        { holder: 'here/1/a', routes: ['orders'], beganAt, seenAt },
        { holder: 'here/2/b', routes: ['stock', 'invoices'], beganAt: seenAt, seenAt },
      ])
    })

    it('are gone when they are forgotten, and no others', async () => {
      await journal.noteWatch('here/1/a', ['orders'])
      await journal.noteWatch('here/2/b', ['orders'])
      await journal.forgetWatches(['here/1/a', 'here/3/c'])
      await journal.forgetWatches([])

      expect((await journal.watches()).map(({ holder }) => holder)).toEqual(['here/2/b'])
    })
  })
}
