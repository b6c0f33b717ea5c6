/** The promises of a journal that is declared to be restored, for any database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { problem } from '../../src/domain/problem.ts'
import type { NewRestoration } from '../../src/domain/audit.ts'
import type { Clock } from '../../src/support/clock.ts'
import {
  accepted,
  planFile,
  planned,
  receiveFile,
  START,
  type TestClock,
  testClock,
} from './journal.suite.ts'

const WHO = { by: 'Ada', why: 'the disk failed' }
const STOPPED = problem('circuit-breaker-open', {}, 'The first 2 were refused.')

export function restoredSuite(name: string, open: (clock: Clock) => Promise<Journal>): void {
  describe(`a restored journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let lease: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await take('orders-in')
    })

    afterEach(() => journal.close())

    const take = (route: string) => journal.acquireLease(route, 'bridge-1', 60_000, () => false)
    const declare = async (more: Partial<NewRestoration> = {}) => {
      clock.advance(1000)
      const restored = await journal.declareRestored({
        ...WHO,
        skip: 10,
        routes: [
          { name: 'orders-in', direction: 'inbound' },
          { name: 'orders-out', direction: 'outbound' },
        ],
        dryRun: false,
        isAlive: () => false,
        ...more,
      })
      lease = await take('orders-in')
      return restored
    }
    const states = async (file: string) =>
      (await journal.listReportedRecords(file, 0, 100)).map(({ state }) => state)
    const NOTE = '{"units":1}'

    it('has every record without an outcome looked up, from the time of its last event on', async () => {
      await planFile(journal, lease, 'a', [
        planned(1, 'PO-1'),
        planned(2, 'PO-2'),
        planned(3, 'PO-3'),
        planned(4, 'PO-4 x', { operation: 'create-shipment', note: NOTE }),
      ])
      const [one, two] = await journal.startAttempts(lease, { file: 'a' }, 3)
      await journal.finishAttempts(lease, [
        accepted(one!.id, '91'),
        { id: two!.id, state: 'deferred', problems: [] },
      ])

      expect(await declare()).toMatchObject({ asOf: START, uncertain: 3, held: 0 })

      expect(await states('a')).toEqual(['accepted', 'uncertain', 'uncertain', 'uncertain'])
      const lost = await journal.listUncertainRecords({ file: 'a' }, 0, 10)
      expect(lost.map(({ number, sentAt, note }) => [number, sentAt, note])).toEqual([
        [2, START, '{}'],
        [3, START, '{}'],
        [4, START, NOTE],
      ])
      expect(lost[0]!.uncertainSince).toBe(START + 1000)
    })

    it('holds changes, which a later one may have superseded, until a person has them looked up', async () => {
      const change = { target: 'SKU-1', values: ['inventory'] }
      await planFile(journal, lease, 'a', [planned(1, 'SKU-1 a', { operation: 'update-variant', change })])

      expect(await declare()).toMatchObject({ uncertain: 0, held: 1 })

      expect((await journal.listReportedRecords('a', 0, 1))[0]).toMatchObject({
        state: 'held',
        problems: [{ code: 'outcome-unprovable' }],
      })
      await journal.applyDecision(lease, 'a', { action: 'release', ...WHO })
      expect(await journal.listUncertainRecords({ file: 'a' }, 0, 10)).toHaveLength(1)
    })

    it('has held records looked up when they are released, and lets the others wait as before', async () => {
      await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
      await journal.holdRemainingRecords(lease, 'a', STOPPED)

      await declare()

      expect(await states('a')).toEqual(['held'])
      await journal.applyDecision(lease, 'a', { action: 'release', ...WHO })
      expect(await states('a')).toEqual(['uncertain'])
      expect(await journal.listUncertainRecords({ file: 'a' }, 0, 10)).toMatchObject([{ sentAt: START }])
    })

    it('has the records of a block that is added to a new file looked up before any is sent', async () => {
      await declare()
      await receiveFile(journal, lease, 'a')
      await journal.startPlanning(lease, 'a')
      const found = { keyColumns: ['PO Number'], headerLines: 1, encoding: 'utf-8', keyed: [], total: 2 }
      await journal.markFilePlanned(lease, 'a', found)

      const added = [planned(1, 'PO-1'), planned(2, 'PO-2')]
      expect(await journal.startAttempts(lease, { file: 'a' }, 9, { added })).toEqual([])
      expect(await states('a')).toEqual(['uncertain', 'uncertain'])
    })

    it('has the records of new files looked up, with no note of theirs, until a person ends that', async () => {
      await declare()
      const parcel = { operation: 'create-shipment', note: NOTE }
      await planFile(journal, lease, 'a', [planned(1, 'PO-1 x', parcel)])
      expect(await journal.listUncertainRecords({ file: 'a' }, 0, 10)).toMatchObject([
        { sentAt: START, note: '{}', uncertainSince: START + 1000 },
      ])
      expect(await journal.listDoubtfulRoutes()).toEqual([{ route: 'orders-in', since: START + 1000 }])

      expect(await journal.endDoubt(WHO)).toBe(1)
      expect(await journal.endDoubt(WHO)).toBe(0)
      await planFile(journal, lease, 'b', [planned(1, 'PO-2 x', parcel)])
      expect(await states('b')).toEqual(['planned'])
    })

    it('changes nothing in a rehearsal, nor while a bridge is at work', async () => {
      await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
      const tag = await journal.getIdTag()

      expect(await declare({ dryRun: true })).toMatchObject({ uncertain: 1 })
      await expect(declare({ isAlive: () => true })).rejects.toMatchObject({ code: 'lease-held' })

      expect(await states('a')).toEqual(['planned'])
      expect(await journal.getIdTag()).toBe(tag)
      expect(await journal.listDoubtfulRoutes()).toEqual([])
    })

    it('gives the route of a sleeping bridge to no former owner', async () => {
      const sleeping = lease
      await planFile(journal, sleeping, 'a', [planned(1, 'PO-1')])
      await declare()
      await expect(journal.startAttempts(sleeping, { file: 'a' }, 1)).rejects.toMatchObject({
        code: 'lease-lost',
      })
    })

    it('has another tag', async () => {
      const tag = await journal.getIdTag()
      const identity = await journal.getIdentity()
      await declare()
      expect(await journal.getIdTag()).not.toBe(tag)
      expect(await journal.getIdentity()).toBe(identity)
    })

    const seen = (apiId: string) => ({ operation: 'export-orders', account: 'brand/7', apiId, body: '{}' })
    const compose = async (out: Lease, id: string) => {
      const upToRecord = (await journal.listUndeliveredRecords('orders-out', 0, 100)).at(-1)!.id
      const file = { folder: 'outbox', sha256: 'h', rows: 1, held: [] }
      const nameFor = (sequence: number) => `orders-${sequence}.csv`
      return journal.createDelivery(out, { id, nameFor, upToRecord, ...file })
    }

    it('holds composed deliveries, and skips sequence numbers', async () => {
      const before = await take('orders-out')
      await journal.collectRecords(before, [seen('1')])
      await compose(before, 'd1')

      expect(await declare()).toMatchObject({ deliveries: 1, sequences: [{ route: 'orders-out', next: 12 }] })

      expect(await journal.getDelivery('d1')).toMatchObject({
        state: 'composed',
        held: expect.stringContaining('restored from a backup') as string,
      })
      expect(await journal.getLastSequence('orders-out')).toBe(11)
    })

    it('skips to the number that is at the target where that is higher', async () => {
      const routes = [{ name: 'orders-out', direction: 'outbound', highest: 77 } as const]
      expect(await declare({ routes })).toMatchObject({ sequences: [{ route: 'orders-out', next: 78 }] })
    })

    it('knows no record that was in no delivery, so that the API decides which are still to be exported', async () => {
      const before = await take('orders-out')
      await journal.collectRecords(before, [seen('1'), seen('2')])

      expect(await declare()).toMatchObject({ removed: 2 })

      expect(await journal.listUndeliveredRecords('orders-out', 0, 10)).toEqual([])
      const out = await take('orders-out')
      expect(await journal.collectRecords(out, [seen('2')])).toBe(1)
    })

    it('holds the deliveries of records of the first listing, and no later ones', async () => {
      await declare()
      const out = await take('orders-out')
      await journal.collectRecords(out, [seen('1')])
      await journal.markListRead(out)
      await journal.collectRecords(out, [seen('2')])
      await journal.markListRead(out)

      const [first] = await journal.listUndeliveredRecords('orders-out', 0, 1)
      const file = { folder: 'outbox', sha256: 'h', rows: 1, held: [], nameFor: (it: number) => `${it}.csv` }
      const doubtful = await journal.createDelivery(out, { id: 'd1', upToRecord: first!.id, ...file })
      const later = await compose(out, 'd2')

      expect(doubtful).toMatchObject({ sequence: 11, state: 'composed' })
      expect(doubtful.held).toContain('restored from a backup')
      expect(later).toMatchObject({ sequence: 12 })
      expect(later).not.toHaveProperty('held')
    })

    it('holds the report of a run that was due before, and none of a later one', async () => {
      await declare()
      const out = await take('orders-out')
      const report = {
        folder: 'outbox',
        sha256: 'h',
        rows: 0,
        records: 0,
        nameFor: (it: number) => `${it}.csv`,
      }
      for (const [occurrence, dueAt] of [
        ['2026-03-05', START + 900],
        ['2026-03-06', START + 2000],
      ] as const) {
        await journal.startRun(out, { occurrence, dueAt, covered: [], missed: [] })
        await journal.createReportDelivery(out, { id: occurrence, scheduledRun: occurrence, ...report })
      }
      expect((await journal.listHeldDeliveries(10)).map(({ id }) => id)).toEqual(['2026-03-05'])
    })
  })
}
