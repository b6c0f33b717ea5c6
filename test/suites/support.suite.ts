/** The promises of the journal to a person who traces an order or resolves a record. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { problem } from '../../src/domain/problem.ts'
import type { RecordResult } from '../../src/domain/record.ts'
import type { Clock } from '../../src/support/clock.ts'
import { accepted, planFile, planned, START, type TestClock, testClock } from './journal.suite.ts'

const UNPROVABLE = problem('outcome-unprovable', {}, 'the answer was lost')
const SAID = { by: 'Ada', why: 'asked' }

export function supportSuite(name: string, open: (clock: Clock) => Promise<Journal>): void {
  describe(`a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let lease: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    })

    afterEach(() => journal.close())

    async function close(id: string): Promise<void> {
      await journal.markFileSubmitted(lease, id)
      await journal.saveReportName(lease, id, `${id}.csv`, [])
      await journal.markFileReported(lease, id)
      await journal.markFileClosed(lease, id, `done/${id}.csv`)
    }

    /** PO-1 was sent, and its outcome cannot be proven. Returns its id. */
    async function heldInDoubt(): Promise<number> {
      await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
      const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
      const id = sending!.id
      await journal.finishAttempts(lease, [{ id, state: 'uncertain', problems: [] }])
      await journal.saveReconciledResults(lease, [{ id, state: 'held', problems: [UNPROVABLE] }])
      await close('a')
      return id
    }

    const one = async () => (await journal.listReportedRecords('a', 0, 1))[0]

    describe('lets a person resolve', () => {
      it('a record that the API has: accepted with its id, kept with who stated it, and the file is taken up again', async () => {
        const record = await heldInDoubt()
        const resolution = {
          action: 'resolve-accepted',
          record,
          apiId: '77',
          wasSeen: true,
          ...SAID,
        } as const
        expect(await journal.resolveRecord(lease, 'a', resolution)).toMatchObject({
          action: 'resolve-accepted',
          by: 'Ada',
          records: 1,
        })
        expect(await one()).toMatchObject({
          state: 'accepted',
          apiId: '77',
          problems: [],
          warnings: [{ code: 'resolved-by-hand', severity: 'warning' }],
        })
        expect(await journal.getFile('a')).toMatchObject({ state: 'planned', reports: 1 })
        expect(await journal.listDecisions('a', 5)).toMatchObject([
          { action: 'resolve-accepted', why: 'asked' },
        ])
      })

      it('a record that the API lacks: planned again under the same key, and marked as in doubt when it is sent', async () => {
        const record = await heldInDoubt()
        await journal.resolveRecord(lease, 'a', { action: 'resolve-absent', record, ...SAID })
        expect(await journal.startAttempts(lease, { file: 'a' }, 5)).toMatchObject([
          { id: record, attempt: 2, inDoubt: true, saidAbsent: true },
        ])
        await planFile(journal, lease, 'b', [planned(1, 'PO-1')])
        expect(await journal.countRecords({ file: 'b' })).toEqual({ duplicate: 1 })
      })

      it('a record that the API lacks, until it is sent again and its answer is lost once more', async () => {
        const record = await heldInDoubt()
        await journal.resolveRecord(lease, 'a', { action: 'resolve-absent', record, ...SAID })
        clock.advance(10)
        await journal.startAttempts(lease, { file: 'a' }, 5)
        clock.advance(10)
        await journal.recoverAttempts(lease, { file: 'a' })
        await journal.saveReconciledResults(lease, [{ id: record, state: 'planned', problems: [] }])
        const [again] = await journal.startAttempts(lease, { file: 'a' }, 5)
        expect(again).toMatchObject({ id: record, inDoubt: true })
        expect(again).not.toHaveProperty('saidAbsent')
      })

      it('a discarded record: refused, and its key is free', async () => {
        const record = await heldInDoubt()
        await journal.resolveRecord(lease, 'a', { action: 'resolve-discard', record, ...SAID })
        expect(await one()).toMatchObject({ state: 'rejected', problems: [{ code: 'discarded' }] })
        await planFile(journal, lease, 'b', [planned(1, 'PO-1', { body: '{"corrected":1}' })])
        expect(await journal.countRecords({ file: 'b' })).toEqual({ planned: 1 })
      })

      it('nothing twice, and nothing that is known or held for another reason', async () => {
        const record = await heldInDoubt()
        const resolution = { action: 'resolve-discard', record, ...SAID } as const
        await journal.resolveRecord(lease, 'a', resolution)
        expect(await journal.resolveRecord(lease, 'a', resolution)).toBeUndefined()
        expect(await journal.listDecisions('a', 5)).toHaveLength(1)
      })

      it('only as the owner of the route', async () => {
        const record = await heldInDoubt()
        await journal.acquireLease('orders-in', 'bridge-2', 60_000, () => false)
        const resolution = { action: 'resolve-absent', record, ...SAID } as const
        await expect(journal.resolveRecord(lease, 'a', resolution)).rejects.toMatchObject({
          code: 'lease-lost',
        })
        expect(await one()).toMatchObject({ state: 'held' })
      })

      it('one record, found by its cells, its key or its number, on any route or on one', async () => {
        const id = await heldInDoubt()
        const found = { id, name: 'a.csv', state: 'held', naturalKey: 'PO-1', since: START }
        expect(await journal.listUnresolvedRecords(5, { key: 'PO-1' })).toMatchObject([found])
        expect(await journal.listUnresolvedRecords(5, { key: `#${id}`, route: 'orders-in' })).toHaveLength(1)
        expect(await journal.listUnresolvedRecords(5, { key: 'PO-1', route: 'other' })).toEqual([])
        expect(await journal.listUnresolvedRecords(5, { key: 'PO-2' })).toEqual([])
      })
    })

    describe('follows a key', () => {
      const shipment = (number: number, key: string) =>
        planned(number, key, {
          operation: 'create-shipment',
          account: 'brand/7',
          lane: '12',
          body: `{"order_id":12,"number":${number}}`,
        })

      it('to the order, its shipments and its exports, in the order they came', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-2')])
        const [first] = await journal.startAttempts(lease, { file: 'a' }, 1)
        await journal.finishAttempts(lease, [accepted(first!.id, '12')])
        const facts = { id: 12, status: 'open', shipments: [{ id: 31 }] }
        await journal.saveResources('brand/7', 'order', [{ id: '12', keys: ['PO-1'], facts }])
        await planFile(journal, lease, 'b', [shipment(1, '12 1Z999'), shipment(2, '121 1Z888')])
        const out = await journal.acquireLease('ships-out', 'bridge-1', 60_000, () => true)
        const seen = { operation: 'export-shipments', account: 'retailer/1000', body: '{}' }
        await journal.collectRecords(out, [
          { ...seen, apiId: '31' },
          { ...seen, apiId: '32' },
        ])

        const { records, earlier } = await journal.traceKey('PO-1', { limit: 10 })

        expect(records.map((record) => [record.operation, record.naturalKey ?? record.apiId])).toEqual([
          ['create-order', 'PO-1'],
          ['create-shipment', '12 1Z999'],
          ['export-shipments', '31'],
        ])
        expect(records.map(({ isMeant }) => isMeant)).toEqual([true, false, false])
        expect(earlier).toBe(0)
      })

      it('by the id that the API gave the order, when nothing else is known of the order', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [first] = await journal.startAttempts(lease, { file: 'a' }, 1)
        await journal.finishAttempts(lease, [accepted(first!.id, '12')])
        await planFile(journal, lease, 'b', [shipment(1, '12 1Z999')])
        const { records } = await journal.traceKey('PO-1', { limit: 10 })
        expect(records.map(({ operation }) => operation)).toEqual(['create-order', 'create-shipment'])
      })

      it('from what the retailer only sees by the number of the order', async () => {
        const facts = { id: 31, order_id: 12, purchase_order_number: 'PO-1' }
        await journal.saveResources('retailer/1000', 'shipment', [{ id: '31', keys: ['1Z999'], facts }])
        const out = await journal.acquireLease('ships-out', 'bridge-1', 60_000, () => true)
        await journal.collectRecords(out, [
          { operation: 'export-shipments', account: 'retailer/1000', apiId: '31', body: '{}' },
        ])

        const byOrder = await journal.traceKey('PO-1', { limit: 10 })
        const byTracking = await journal.traceKey('1Z999', { limit: 10 })

        expect(byOrder.records.map(({ apiId }) => apiId)).toEqual(['31'])
        expect(byTracking.records.map(({ isMeant }) => isMeant)).toEqual([true])
      })

      it('to a record that was refused before it had a key, by the cell of its file', async () => {
        const refused = [problem('value-missing', {}, 'x')]
        await planFile(journal, lease, 'a', [planned(1, 'PO-"1"', { problems: refused }), planned(2, 'PO-2')])
        const { records } = await journal.traceKey('PO-"1"', { limit: 10 })
        expect(records).toMatchObject([{ number: 1, state: 'rejected', isMeant: true }])
      })

      it('through all records on request, and reports how many more there are', async () => {
        const ids = [1, 2, 3]
        const cells = { keyValues: ['BOX', ''] }
        await planFile(
          journal,
          lease,
          'a',
          ids.map((number) => planned(number, `PO-${number}`, cells)),
        )
        expect((await journal.traceKey('BOX', { limit: 2 })).records).toEqual([])
        const found = await journal.traceKey('BOX', { limit: 2, everywhere: true })
        expect(found.records.map(({ number }) => number)).toEqual([2, 3])
        expect(found.earlier).toBe(1)
      })

      it('to its attempts, its body, and the record that it repeats', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
        clock.advance(1_000)
        await journal.finishAttempts(lease, [accepted(sending!.id, '12')])
        await planFile(journal, lease, 'b', [planned(1, 'PO-1')])
        const [second] = await journal.traceWork({ file: 'b' }, 5)

        const [first, repeated] = await journal.traceDetails([sending!.id, second!.id])

        expect(first).toMatchObject({
          body: '{"purchase_order_number":"PO-1"}',
          attempts: [{ attempt: 1, beganAt: START, endedAt: START + 1_000, http: 201, result: 'accepted' }],
        })
        expect(first).not.toHaveProperty('first')
        expect(repeated).toMatchObject({ attempts: [], first: { file: 'a', state: 'accepted', apiId: '12' } })
        expect(repeated).not.toHaveProperty('body')
      })

      it('to the record of a line, and to names that are spelt alike', async () => {
        await planFile(journal, lease, 'a', [
          planned(1, 'PO-1', { lines: [[2, 4]] }),
          planned(2, 'PO-2', { lines: [[5, 5]] }),
        ])
        expect((await journal.traceLine('a', 3, 5)).map(({ number }) => number)).toEqual([1])
        expect((await journal.traceLine('a', 5, 5)).map(({ number }) => number)).toEqual([2])
        expect(await journal.findSimilarNames('aa.csv', 5)).toEqual(['a.csv'])
      })
    })

    describe('reports what still waits for a person', () => {
      const STOPPED = problem('circuit-breaker-open', {}, 'stopped')

      async function stopped(...keys: string[]): Promise<void> {
        await planFile(
          journal,
          lease,
          'a',
          keys.map((key, index) => planned(index + 1, key)),
        )
        await journal.holdRemainingRecords(lease, 'a', STOPPED)
        await close('a')
      }

      async function acceptAll(id: string, keys: readonly string[]): Promise<void> {
        await planFile(
          journal,
          lease,
          id,
          keys.map((key, index) => planned(index + 1, key)),
        )
        const sending = await journal.startAttempts(lease, { file: id }, 10)
        const results: RecordResult[] = sending.map((record) => accepted(record.id, String(record.id)))
        await journal.finishAttempts(lease, results)
      }

      it('and not records that another file completed meanwhile', async () => {
        await stopped('PO-1', 'PO-2')
        await acceptAll('b', ['PO-1'])
        expect(await journal.listHeldFiles(5)).toMatchObject([{ file: 'a', records: 1 }])
        expect((await journal.listHeldRecords(5)).map(({ keyValues }) => keyValues)).toEqual([['PO-2']])
        expect(await journal.listHeldFiles(5, 'a')).toMatchObject([{ file: 'a', records: 2 }])
      })

      it('also of repeatable changes, whose key ends with its file', async () => {
        await stopped('12 a', '13 a')
        await acceptAll('b', ['12 b'])
        expect((await journal.listHeldRecords(5)).map(({ keyValues }) => keyValues)).toEqual([['13 a']])
      })
    })
  })
}
