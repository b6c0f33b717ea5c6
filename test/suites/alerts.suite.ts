/** The promises of the journal about unconfirmed deliveries, and about alerts, for any database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Alert } from '../../src/domain/alert.ts'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { START, type TestClock, testClock } from './journal.suite.ts'

const HOUR_MS = 3_600_000

const never = () => false

function alert(code: Alert['code'], subject: string, more: Partial<Alert> = {}): Alert {
  return { code, subject, since: START, message: `${subject} is odd`, fix: 'look at it', ...more }
}

export function alertsSuite(name: string, open: (clock: TestClock) => Promise<Journal>): void {
  describe(`unconfirmed deliveries in a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let lease: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await journal.acquireLease('out', 'bridge-1', 60_000, () => true)
    })
    afterEach(() => journal.close())

    /** One delivery of the records that came since, at its place. */
    async function deliver(id: string, bodies: readonly object[]): Promise<void> {
      await journal.collectRecords(
        lease,
        bodies.map((body, index) => ({
          operation: 'export-orders',
          account: 'brand/1',
          apiId: `${id}${index}`,
          body: JSON.stringify(body),
        })),
      )
      const waiting = await journal.listUndeliveredRecords('out', 0, 100)
      await journal.createDelivery(lease, {
        id,
        nameFor: (sequence) => `orders-${sequence}.csv`,
        folder: 'outbox',
        sha256: id,
        rows: bodies.length,
        upToRecord: waiting.at(-1)?.id ?? 0,
        held: [],
      })
      await journal.markDeliveryDelivered(lease, id)
    }

    const awaited = async () => (await journal.listUnconfirmedDeliveries(100)).map(({ id }) => id)

    it('wait until they are confirmed, once', async () => {
      await deliver('a', [{ id: 1 }])
      clock.advance(1000)
      await deliver('b', [{ id: 2 }])
      expect(await awaited()).toEqual(['a', 'b'])

      clock.advance(1000)
      await journal.markDeliveryPickedUp(lease, 'a')
      clock.advance(1000)
      await journal.markDeliveryPickedUp(lease, 'a')

      expect(await awaited()).toEqual(['b'])
      expect(await journal.getDelivery('a')).toMatchObject({
        state: 'delivered',
        confirmedAt: START + 2000,
        confirmedBy: 'picked-up',
      })
    })

    it('show the earliest time by which one of their records should be acknowledged', async () => {
      await deliver('a', [
        { acknowledge_by: '2026-11-22T08:00:00.250000Z' },
        { acknowledge_by: '2026-11-22T08:30:00+02:00' },
        {},
      ])
      await deliver('b', [{ acknowledge_by: null }])

      const [first, second] = await journal.listUnconfirmedDeliveries(100, 'out')

      expect(first?.acknowledgeBy).toBe(Date.UTC(2026, 10, 22, 6, 30))
      expect(second).not.toHaveProperty('acknowledgeBy')
    })

    it('come after those that the bridge continues', async () => {
      await deliver('a', [{ id: 1 }])
      await deliver('b', [{ id: 2 }])
      await journal.markDeliveryPickedUp(lease, 'b')
      await journal.createReportDelivery(lease, {
        id: 'c',
        nameFor: () => 'c.csv',
        folder: 'outbox',
        sha256: 'c',
        rows: 0,
        records: 0,
      })

      expect((await journal.listUnfinishedDeliveries('out')).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
    })

    it('are confirmed by a receipt that is accepted, and still wait when it is refused or goes away', async () => {
      await deliver('a', [{ id: 1 }])
      const receipt = { delivery: 'a', folder: 'receipts', name: 'orders-1.csv.ok' }

      await journal.startReceipt(lease, { ...receipt, id: 'r1' })
      expect(await journal.listOpenReceipts('out', 10)).toEqual([{ ...receipt, id: 'r1', state: 'claiming' }])
      await journal.finishReceipt(lease, 'r1', 'gone')
      expect(await journal.listOpenReceipts('out', 10)).toEqual([])

      await journal.startReceipt(lease, { ...receipt, id: 'r2' })
      clock.advance(HOUR_MS)
      await journal.finishReceipt(lease, 'r2', 'refused')
      expect(await journal.listOpenReceipts('out', 10)).toMatchObject([{ id: 'r2', state: 'refused' }])
      expect(await journal.listOpenReceipts('another', 10)).toEqual([])
      await journal.markReceiptArchived(lease, 'r2', 'archive/r2')
      expect(await journal.listOpenReceipts('out', 10)).toEqual([])
      expect(await journal.listUnconfirmedDeliveries(10)).toMatchObject([
        { id: 'a', refusedReceipt: { name: 'orders-1.csv.ok', at: START + HOUR_MS } },
      ])

      await journal.startReceipt(lease, { ...receipt, id: 'r3' })
      await journal.finishReceipt(lease, 'r3', 'accepted')
      expect(await awaited()).toEqual([])
      expect(await journal.getDelivery('a')).toMatchObject({ confirmedBy: 'orders-1.csv.ok' })
      expect(await journal.listOpenReceipts('out', 10)).toMatchObject([{ id: 'r3', state: 'accepted' }])
    })

    it('recognise a place that got its mark again', async () => {
      expect(await journal.isPlaceKnown('/share/out/.dropbridge')).toBe(false)
      await journal.savePlace(lease, '/share/out/.dropbridge')
      await journal.savePlace(lease, '/share/out/.dropbridge')
      expect(await journal.isPlaceKnown('/share/out/.dropbridge')).toBe(true)
      expect(await journal.isPlaceKnown('/share/other/.dropbridge')).toBe(false)
    })

    it('know the places to which a route has delivered files, acknowledged or not', async () => {
      expect(await journal.hasDeliveredTo('out', '/share/out')).toBe(false)
      await deliver('a', [{ id: 1 }])
      await journal.markDeliveryDone(lease, 'a', '/share/out')
      expect(await journal.hasDeliveredTo('out', '/share/out')).toBe(true)
      expect(await journal.hasDeliveredTo('other', '/share/out')).toBe(false)
    })

    it('know where a file that waits stands after its mailbox was moved, and no other one', async () => {
      await deliver('a', [{ id: 1 }])
      await journal.moveDelivery(lease, 'a', '/moved/out')
      expect(await journal.listUnconfirmedDeliveries(10)).toMatchObject([{ id: 'a', place: '/moved/out' }])
      await journal.markDeliveryPickedUp(lease, 'a')
      await journal.moveDelivery(lease, 'a', '/share/out')
      expect(await journal.getDelivery('a')).toMatchObject({ place: '/moved/out' })
      expect((await journal.verifyChain({})).findings).toEqual([])
    })

    it('are noted by no bridge whose lease is lost', async () => {
      await deliver('a', [{ id: 1 }])
      await journal.startReceipt(lease, { id: 'r', delivery: 'a', folder: 'receipts', name: 'x.ok' })
      clock.advance(60_000)
      await journal.acquireLease('out', 'bridge-2', 60_000, () => true)

      const calls = [
        () => journal.markDeliveryPickedUp(lease, 'a'),
        () => journal.startReceipt(lease, { id: 's', delivery: 'a', folder: 'receipts', name: 'x.ok' }),
        () => journal.finishReceipt(lease, 'r', 'accepted'),
        () => journal.markReceiptArchived(lease, 'r', 'archive/x'),
        () => journal.savePlace(lease, 'x'),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'lease-lost' })
      expect(await awaited()).toEqual(['a'])
    })
  })

  describe(`alerts in a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
    })
    afterEach(() => journal.close())

    const late = alert('expected-file-missing', '2026-11-21', { route: 'orders' })
    const stray = alert('file-unmatched', 'erp:inbox/a.txt')

    it('are raised once, last, and end once', async () => {
      const first = await journal.updateAlerts([stray, late], never)
      const again = await journal.updateAlerts([late, { ...stray, message: 'other words', since: 7 }], never)
      const standing = await journal.listActiveAlerts(10)
      clock.advance(1000)
      const ended = await journal.updateAlerts([late], never)
      const nothing = await journal.updateAlerts([late], never)

      expect(first).toEqual([
        { cursor: 1, change: 'raised', raisedCursor: 1, at: START, alert: stray },
        { cursor: 2, change: 'raised', raisedCursor: 2, at: START, alert: late },
      ])
      expect(again).toEqual([])
      expect(standing).toEqual([late, stray])
      expect(ended).toEqual([{ cursor: 3, change: 'ended', raisedCursor: 1, at: START + 1000, alert: stray }])
      expect(nothing).toEqual([])
      expect(await journal.listActiveAlerts(10)).toEqual([late])
    })

    it('that come back are reported again, and all of it in its order', async () => {
      await journal.updateAlerts([late], never)
      await journal.updateAlerts([], never)
      await journal.updateAlerts([late, stray], never)

      const changes = await journal.listAlertChanges(0, 10)

      expect(changes.map(({ cursor, change, alert: { code } }) => [cursor, change, code])).toEqual([
        [1, 'raised', 'expected-file-missing'],
        [2, 'ended', 'expected-file-missing'],
        [3, 'raised', 'expected-file-missing'],
        [4, 'raised', 'file-unmatched'],
      ])
      expect((await journal.listAlertChanges(2, 1)).map(({ cursor }) => cursor)).toEqual([3])
      expect(await journal.listAlertChanges(4, 10)).toEqual([])
    })

    it('that could not be checked are neither over nor new', async () => {
      await journal.updateAlerts([stray, late], never)

      const changed = await journal.updateAlerts([], ({ subject }) => subject.startsWith('erp:inbox'))

      expect(changed).toMatchObject([{ change: 'ended', alert: { code: 'expected-file-missing' } }])
      expect(await journal.listActiveAlerts(10)).toEqual([stray])
    })

    it('with the same subject on two routes are two', async () => {
      const other = { ...late, route: 'stock' }

      expect(await journal.updateAlerts([late, other, late], never)).toHaveLength(2)
      expect(await journal.listActiveAlerts(10)).toHaveLength(2)
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

    it('exist from their beginning on, with the time of their last heartbeat', async () => {
      const beganAt = clock.now()
      await journal.saveHeartbeat('here/1/a', ['orders'])
      clock.advance(60_000)
      await journal.saveHeartbeat('here/2/b', ['stock', 'invoices'])
      await journal.saveHeartbeat('here/1/a', ['orders'])

      const seenAt = beganAt + 60_000
      expect(await journal.listWatchers()).toEqual([
        { owner: 'here/1/a', routes: ['orders'], beganAt, seenAt },
        { owner: 'here/2/b', routes: ['stock', 'invoices'], beganAt: seenAt, seenAt },
      ])
    })

    it('keep a request to reload that came after the files of a reload were read', async () => {
      const owner = 'here/1/a'
      await journal.saveHeartbeat(owner, ['orders'])
      await journal.requestReload([owner])
      clock.advance(1000)
      const startedAt = clock.now()
      clock.advance(1000)
      const requestedAt = clock.now()
      await journal.requestReload([owner])

      await journal.finishReload(owner, startedAt, 'broken')
      expect(await journal.listWatchers()).toMatchObject([
        { reloads: 1, reloadFailure: 'broken', reloadRequestedAt: requestedAt },
      ])

      await journal.finishReload(owner, requestedAt)
      const [watch] = await journal.listWatchers()
      expect(watch?.reloads).toBe(2)
      expect(watch?.reloadRequestedAt).toBeUndefined()
    })

    it('are gone when they are pruned, and no others', async () => {
      await journal.saveHeartbeat('here/1/a', ['orders'])
      await journal.saveHeartbeat('here/2/b', ['orders'])
      await journal.removeWatchers(['here/1/a', 'here/3/c'])
      await journal.removeWatchers([])

      expect((await journal.listWatchers()).map(({ owner }) => owner)).toEqual(['here/2/b'])
    })
  })
}
