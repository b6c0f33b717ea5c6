/** The promises of the journal's interface, for any database. */
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { problem } from '../../src/domain/problem.ts'
import type { PlannedRecord, RecordResult } from '../../src/domain/record.ts'
import type { Clock } from '../../src/support/clock.ts'

export const START = Date.UTC(2026, 10, 21, 2, 15)

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  advance(ms: number): void
}

export function testClock(): TestClock {
  let now = START
  return {
    now: () => now,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    advance: (ms) => {
      now += ms
    },
  }
}

/** A record that can be sent; it is on line `number + 1`, below a header. */
export function planned(number: number, key: string, changes: Partial<PlannedRecord> = {}): PlannedRecord {
  const body = changes.body ?? JSON.stringify({ purchase_order_number: key })
  return {
    number,
    lines: [[number + 1, number + 1]],
    keyValues: [key],
    operation: 'create-order',
    account: 'retailer/1000',
    naturalKey: key,
    lane: key,
    body,
    bodyHash: createHash('sha256').update(body).digest('hex'),
    problems: [],
    ...changes,
  }
}

/** A record that was refused before it had a natural key. */
function refused(number: number, key: string, changes: Partial<PlannedRecord> = {}): PlannedRecord {
  const { operation, account, lines, keyValues } = planned(number, key, changes)
  const problems = [problem('value-missing', { line: number + 1 }, 'Qty is blank.')]
  return { number, operation, account, lines, keyValues, problems }
}

export const accepted = (id: number, apiId: string): RecordResult => ({
  id,
  state: 'accepted',
  http: 201,
  apiId,
  problems: [],
})

export async function receiveFile(journal: Journal, lease: Lease, id: string, contents = id): Promise<void> {
  await journal.startClaims(lease, [{ id, folder: 'inbox', name: `${id}.csv`, size: 10, modifiedAt: 1.5 }])
  await journal.markFileReceived(lease, id, { sha256: contents, bytes: 10 })
}

export async function planFile(
  journal: Journal,
  lease: Lease,
  id: string,
  records: readonly PlannedRecord[],
): Promise<void> {
  await receiveFile(journal, lease, id)
  await journal.startPlanning(lease, id)
  await journal.addRecords(lease, id, records)
  await journal.markFilePlanned(lease, id, {
    keyColumns: ['PO Number'],
    headerLines: 1,
    encoding: 'utf-8',
    keyed: ['create-order'],
  })
}

const alive = () => true
const dead = () => false
const seen = (apiId: string, body = `{"id":${apiId}}`) => ({
  operation: 'export-orders',
  account: 'brand/7',
  apiId,
  body,
})

export function journalSuite(name: string, open: (clock: Clock) => Promise<Journal>): void {
  describe(`a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let lease: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, alive)
    })

    afterEach(() => journal.close())

    const report = async (file: string) =>
      (await journal.listReportedRecords(file, 0, 100)).map(({ number, state, apiId, problems }) => ({
        number,
        state,
        apiId,
        messages: problems.map(({ message }) => message),
      }))

    describe('gives out leases', () => {
      it('refuses a route that a living bridge works on, and names the bridge', async () => {
        await expect(journal.acquireLease('orders-in', 'bridge-2', 60_000, alive)).rejects.toMatchObject({
          code: 'lease-held',
          message: 'Route orders-in is being worked on by bridge-1.',
        })
      })

      it('refuses the owner itself as long as it lives', async () => {
        await expect(journal.acquireLease('orders-in', 'bridge-1', 60_000, alive)).rejects.toMatchObject({
          code: 'lease-held',
        })
      })

      it('gives each route to an owner of its own', async () => {
        expect(await journal.acquireLease('orders-out', 'bridge-2', 60_000, alive)).toEqual({
          route: 'orders-out',
          token: 1,
          ttlMs: 60_000,
        })
      })

      it('hands a route over when its owner is gone, its time is up, or it was given back', async () => {
        const second = await journal.acquireLease('orders-in', 'bridge-2', 60_000, dead)
        clock.advance(60_000)
        const third = await journal.acquireLease('orders-in', 'bridge-3', 60_000, alive)
        await journal.releaseLease(third)
        const fourth = await journal.acquireLease('orders-in', 'bridge-4', 60_000, alive)
        expect([lease, second, third, fourth].map(({ token }) => token)).toEqual([1, 2, 3, 4])
      })

      it('lets a clock that was set back block a route for no longer than a lease lasts', async () => {
        clock.advance(-5 * 3_600_000)
        await expect(journal.acquireLease('orders-in', 'bridge-2', 60_000, alive)).rejects.toMatchObject({
          code: 'lease-held',
        })
        clock.advance(59_999)
        await expect(journal.acquireLease('orders-in', 'bridge-2', 60_000, alive)).rejects.toMatchObject({
          code: 'lease-held',
        })
        clock.advance(1)
        expect(await journal.acquireLease('orders-in', 'bridge-2', 60_000, alive)).toMatchObject({ token: 2 })
      })

      it('keeps a lease in force while its owner writes', async () => {
        for (const id of ['a', 'b', 'c']) {
          clock.advance(50_000)
          await receiveFile(journal, lease, id)
        }
        await expect(journal.acquireLease('orders-in', 'bridge-2', 60_000, alive)).rejects.toMatchObject({
          code: 'lease-held',
        })
      })

      it('lets a late owner continue when no other has taken the route over', async () => {
        clock.advance(1_000_000)
        await journal.renewLease(lease)
        expect((await journal.summarizeRoutes())[0]?.owner).toBe('bridge-1')
      })

      it('refuses every writing call of an owner that was taken over, and changes nothing', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
        const successor = await journal.acquireLease('orders-in', 'bridge-2', 60_000, dead)
        const before = [await journal.listRecentFiles(10), await journal.listReportedRecords('a', 0, 10)]
        const results = [accepted(sending!.id, '9')]
        const late = [
          () => journal.renewLease(lease),
          () => journal.startClaims(lease, [{ id: 'b', folder: 'f', name: 'b.csv', size: 1, modifiedAt: 1 }]),
          () => journal.markFileSubmitted(lease, 'a'),
          () => journal.startAttempts(lease, { file: 'a' }, 1),
          () => journal.saveAttemptNotes(lease, [{ id: sending!.id, note: '{}' }]),
          () => journal.finishAttempts(lease, results),
          () => journal.recoverAttempts(lease, { file: 'a' }),
          () => journal.retryDeferredRecords(lease, { file: 'a' }),
          () => journal.saveReconciledResults(lease, results),
          () => journal.collectRecords(lease, [seen('1')]),
          () => journal.holdRecords(lease, results),
        ]
        for (const call of late) await expect(call()).rejects.toMatchObject({ code: 'lease-lost' })
        expect([await journal.listRecentFiles(10), await journal.listReportedRecords('a', 0, 10)]).toEqual(
          before,
        )
        expect(await journal.listUndeliveredRecords('orders-in', 0, 10)).toEqual([])
        await journal.finishAttempts(successor, results)
        expect(await journal.countRecords({ file: 'a' })).toEqual({ accepted: 1 })
      })

      it('leaves the route with its new owner when the old one releases it late', async () => {
        await journal.acquireLease('orders-in', 'bridge-2', 60_000, dead)
        await journal.releaseLease(lease)
        expect((await journal.summarizeRoutes())[0]?.owner).toBe('bridge-2')
      })

      it('accepts no write under a lease that was released', async () => {
        await journal.releaseLease(lease)
        await expect(journal.renewLease(lease)).rejects.toMatchObject({ code: 'lease-lost' })
      })
    })

    describe('follows a file', () => {
      it('from its claim to its archive', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 10)
        await journal.finishAttempts(lease, [accepted(sending!.id, '9')])
        clock.advance(5)
        expect(await journal.markFileSubmitted(lease, 'a')).toBe(true)
        await journal.saveReportName(lease, 'a', 'a.csv', [])
        await journal.saveReportName(lease, 'a', 'a.csv.2', [])
        await journal.markFileReported(lease, 'a')
        await journal.markFileClosed(lease, 'a', 'done/a.csv')
        expect(await journal.getFile('a')).toEqual({
          id: 'a',
          route: 'orders-in',
          folder: 'inbox',
          name: 'a.csv',
          size: 10,
          modifiedAt: 1.5,
          state: 'closed',
          outcome: 'processed',
          sha256: 'a',
          problems: [],
          keyColumns: ['PO Number'],
          headerLines: 1,
          encoding: 'utf-8',
          reportName: 'a.csv.2',
          archivedAs: 'done/a.csv',
          claimedAt: START,
          receivedAt: START,
          plannedAt: START,
          submittedAt: START + 5,
          closedAt: START + 5,
        })
        expect(await journal.listUnfinishedFiles('orders-in')).toEqual([])
      })

      it('that was gone before it could be claimed', async () => {
        await journal.startClaims(lease, [
          { id: 'a', folder: 'inbox', name: 'a.csv', size: 1, modifiedAt: 1 },
        ])
        await journal.markFileVanished(lease, 'a')
        expect(await journal.getFile('a')).toMatchObject({ state: 'closed', outcome: 'vanished' })
      })

      it('that is unusable, without the records planned so far', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.addRecords(lease, 'a', [planned(1, 'PO-1')])
        await journal.markFileUnusable(lease, 'a', [problem('file-empty', {}, 'a.csv holds no rows.')])
        expect(await journal.getFile('a')).toMatchObject({
          state: 'submitted',
          outcome: 'unusable',
          problems: [{ code: 'file-empty', message: 'a.csv holds no rows.' }],
        })
        expect(await journal.countRecords({ file: 'a' })).toEqual({})
      })

      it('and reports what it does not know', async () => {
        expect(await journal.getFile('a')).toBeUndefined()
      })

      it('and stops the program when a step is left out', async () => {
        await receiveFile(journal, lease, 'a')
        const finding = { keyColumns: [], headerLines: 1, encoding: 'utf-8', keyed: [] }
        const wrong = [
          () => journal.markFileReceived(lease, 'a', { sha256: 'x', bytes: 1 }),
          () => journal.markFileVanished(lease, 'a'),
          () => journal.markFileSubmitted(lease, 'a'),
          () => journal.saveReportName(lease, 'a', 'a', []),
          () => journal.markFileReported(lease, 'a'),
          () => journal.markFileClosed(lease, 'a', 'x'),
          () => journal.markFilePlanned(lease, 'unknown', finding),
          () => journal.startAttempts(lease, { file: 'a' }, 1),
          () => journal.addRecords(lease, 'unknown', [planned(1, 'PO-1')]),
        ]
        for (const call of wrong) await expect(call()).rejects.toMatchObject({ code: 'bug' })
        expect(await journal.getFile('a')).toMatchObject({ state: 'received' })
      })

      it('only for the route that holds the lease', async () => {
        await receiveFile(journal, lease, 'a')
        const other = await journal.acquireLease('other', 'bridge-1', 60_000, alive)
        await expect(journal.startPlanning(other, 'a')).rejects.toMatchObject({ code: 'bug' })
      })

      it('and lists unfinished ones oldest first, recent ones newest first', async () => {
        for (const id of ['a', 'b', 'c']) await receiveFile(journal, lease, id)
        await journal.markFileUnusable(lease, 'b', [])
        await journal.markFileReported(lease, 'b')
        await journal.markFileClosed(lease, 'b', 'x')
        const other = await journal.acquireLease('other', 'bridge-1', 60_000, alive)
        await receiveFile(journal, other, 'd')
        const ids = (files: { id: string }[]) => files.map(({ id }) => id)
        expect(ids(await journal.listUnfinishedFiles('orders-in'))).toEqual(['a', 'c'])
        expect(ids(await journal.listRecentFiles(3))).toEqual(['d', 'c', 'b'])
        expect(ids(await journal.listRecentFiles(2, 'orders-in'))).toEqual(['c', 'b'])
      })
    })

    describe('knows a file by its bytes', () => {
      const again = async (id: string, under = lease, more = {}) => {
        await journal.startClaims(under, [
          { id, folder: 'inbox', name: `${id}.csv`, size: 10, modifiedAt: 2 },
        ])
        return journal.markFileReceived(under, id, { sha256: 'a', bytes: 10, ...more })
      }

      it('and reports the same bytes as a duplicate of the first', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        expect(await again('b')).toMatchObject({
          state: 'submitted',
          outcome: 'duplicate',
          duplicateOf: { id: 'a', name: 'a.csv', receivedAt: START },
          problems: [
            {
              code: 'file-repeated',
              message:
                'The same bytes came before as a.csv on 2026-11-21T02:15:00.000Z. Nothing of this file was sent.',
            },
          ],
        })
        expect(await again('c')).toMatchObject({ duplicateOf: { id: 'a' } })
      })

      it('while the first is still to be planned', async () => {
        await receiveFile(journal, lease, 'a')
        expect(await again('b')).toMatchObject({ outcome: 'duplicate' })
      })

      it('but takes it again when its records may be done again', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        expect(await again('b', lease, { mayRepeat: true })).toMatchObject({ state: 'received' })
      })

      it('but takes it again when all of the first was refused', async () => {
        await planFile(journal, lease, 'a', [
          planned(1, 'PO-1', { problems: [problem('value-missing', { line: 2 }, 'Qty is blank.')] }),
        ])
        await journal.markFileSubmitted(lease, 'a')
        expect(await again('b')).toMatchObject({ state: 'received' })
      })

      it('but takes it again when the first was unusable', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.markFileUnusable(lease, 'a', [])
        expect(await again('b')).toMatchObject({ state: 'received' })
      })

      it('on each route for itself', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const other = await journal.acquireLease('other', 'bridge-1', 60_000, alive)
        expect(await again('b', other)).toMatchObject({ state: 'received' })
      })
    })

    describe('knows a record by its key', () => {
      it('and lets only the first of a key be sent', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-1')])
        expect(await report('a')).toEqual([
          { number: 1, state: 'planned', apiId: undefined, messages: [] },
          {
            number: 2,
            state: 'duplicate',
            apiId: undefined,
            messages: [
              'PO-1 is already known from this file, line 2, with the same contents; it is not sent twice.',
            ],
          },
        ])
      })

      it('across the batches of one file', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.addRecords(lease, 'a', [planned(1, 'PO-1')])
        await journal.addRecords(lease, 'a', [planned(2, 'PO-1', { body: '{"other":1}' })])
        expect((await report('a'))[1]).toEqual({
          number: 2,
          state: 'rejected',
          apiId: undefined,
          messages: ['PO-1 begins twice in this file (lines 2 and 3), with other contents; neither is sent.'],
        })
      })

      it('across files, with the id the API gave the first', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
        await journal.finishAttempts(lease, [accepted(sending!.id, '4711')])
        await planFile(journal, lease, 'b', [planned(1, 'PO-1'), planned(2, 'PO-1', { body: '{"other":1}' })])
        expect(await report('b')).toEqual([
          {
            number: 1,
            state: 'duplicate',
            apiId: '4711',
            messages: [
              'PO-1 is already known from a.csv, line 2 (received 2026-11-21T02:15:00.000Z), with the same contents, ' +
                'and the API has it as 4711.',
            ],
          },
          {
            number: 2,
            state: 'rejected',
            apiId: undefined,
            messages: ['PO-1 is already known from a.csv, line 2, with other contents.'],
          },
        ])
        expect(await journal.listProblemRecords({ file: 'b' }, 10)).toMatchObject([
          { problems: [{ code: 'record-repeated', place: { line: 2 } }] },
          { problems: [{ code: 'key-conflict', place: { line: 3 } }] },
        ])
      })

      it('and names it by its key when the key columns are blank', async () => {
        await planFile(journal, lease, 'a', [
          planned(1, 'order 5: SKU', { keyValues: ['PO-5', 'SKU'] }),
          planned(2, 'order 5: SKU', { keyValues: ['', ''], body: '{}' }),
          planned(3, 'order 5: SKU', { keyValues: ['PO-5', 'SKU'], body: '{}' }),
        ])
        const messages = (await report('a')).flatMap((record) => record.messages)
        expect(messages).toEqual([
          'PO-5, SKU begins twice in this file (lines 2 and 3), with other contents; neither is sent.',
          'order 5: SKU begins twice in this file (lines 2 and 3), with other contents; neither is sent.',
          'PO-5, SKU begins twice in this file (lines 2 and 4), with other contents; neither is sent.',
        ])
      })

      it('and says for a second invoice of an order which one is known', async () => {
        const invoice = (number: number, name: string, body: string) =>
          planned(number, 'HV-30004', { operation: 'create-invoice', keyValues: [name], body })
        await planFile(journal, lease, 'a', [invoice(1, 'A4', '{}')])
        await planFile(journal, lease, 'b', [invoice(1, 'A5', '{"other":1}')])
        expect((await report('b'))[0]?.messages).toEqual([
          'An invoice for PO HV-30004 is known already (A4 in a.csv, line 2); the API takes one per order.',
        ])
        const [second] = await journal.listProblemRecords({ file: 'b' }, 1)
        expect(second?.problems[0]?.fix).toMatch(/^Remove the row: the order has its invoice/)
        await planFile(journal, lease, 'c', [invoice(1, 'A4', '{"other":2}')])
        expect((await report('c'))[0]?.messages).toEqual([
          'A4 is already known from a.csv, line 2, with other contents.',
        ])
        const [changed] = await journal.listProblemRecords({ file: 'c' }, 1)
        expect(changed?.problems[0]?.fix).toBe(second?.problems[0]?.fix)
      })

      it('refusing every version when a file contradicts itself, and holding nothing', async () => {
        const other = { body: '{"other":1}' }
        await planFile(journal, lease, 'a', [
          planned(1, 'PO-1'),
          planned(2, 'PO-2'),
          planned(3, 'PO-1'),
          planned(4, 'PO-1', other),
        ])
        expect(await journal.countRecords({ file: 'a' })).toEqual({ planned: 1, rejected: 3 })
        expect(await journal.listProblemRecords({ file: 'a' }, 10)).toMatchObject([
          { number: 1, problems: [{ code: 'key-conflict', place: { line: 2 } }] },
          { number: 3, problems: [{ code: 'key-conflict' }] },
          { number: 4, problems: [{ code: 'key-conflict', place: { line: 5 } }] },
        ])
        await planFile(journal, lease, 'b', [planned(1, 'PO-1', other)])
        expect(await journal.countRecords({ file: 'b' })).toEqual({ planned: 1 })
      })

      it.each([
        ['first', 2, 1],
        ['second', 1, 2],
      ])('with a part that was refused without a key: the %s', async (_, good, broken) => {
        const part = (number: number) => (number === good ? planned(good, 'PO-1') : refused(broken, 'PO-1'))
        await planFile(journal, lease, 'a', [part(1), part(2), planned(3, 'PO-2'), refused(4, 'PO-3')])
        expect(await journal.countRecords({ file: 'a' })).toEqual({ planned: 1, rejected: 3 })
        const conflict = (await report('a')).find(({ number }) => number === good)
        const lines = `(lines 2 and 3), and line ${broken + 1} is refused`
        expect(conflict?.messages).toEqual([`PO-1 begins twice in this file ${lines}; neither is sent.`])
        await planFile(journal, lease, 'b', [planned(1, 'PO-1')])
        expect(await journal.countRecords({ file: 'b' })).toEqual({ planned: 1 })
      })

      it('where rows are grouped by the key cells, and only there', async () => {
        const shipment = { operation: 'create-shipment' }
        await planFile(journal, lease, 'a', [
          refused(1, 'PO-1', shipment),
          planned(2, '7 1Z9', { ...shipment, keyValues: ['PO-1'] }),
        ])
        expect(await journal.countRecords({ file: 'a' })).toEqual({ planned: 1, rejected: 1 })
      })

      it('for each operation and account by itself', async () => {
        await planFile(journal, lease, 'a', [
          planned(1, 'PO-1'),
          planned(2, 'PO-1', { operation: 'create-invoice' }),
          planned(3, 'PO-1', { account: 'retailer/2000' }),
        ])
        expect(await journal.countRecords({ file: 'a' })).toEqual({ planned: 3 })
      })

      it.each(['rejected', 'skipped'] as const)(
        'which is free again once its record is %s',
        async (state) => {
          await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
          const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
          await journal.finishAttempts(lease, [{ id: sending!.id, state, http: 422, problems: [] }])
          await planFile(journal, lease, 'b', [planned(1, 'PO-1')])
          expect(await journal.countRecords({ file: 'b' })).toEqual({ planned: 1 })
        },
      )

      it.each(['deferred', 'uncertain', 'held', 'planned'] as const)(
        'which is kept while its record is %s',
        async (state) => {
          await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
          const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
          await journal.finishAttempts(lease, [{ id: sending!.id, state, problems: [] }])
          await planFile(journal, lease, 'b', [planned(1, 'PO-1')])
          expect(await journal.countRecords({ file: 'b' })).toEqual({ duplicate: 1 })
        },
      )

      it('which a refused record does not take', async () => {
        const refused = problem('value-missing', { line: 2 }, 'Qty is blank.')
        await planFile(journal, lease, 'a', [
          planned(1, 'PO-1', { problems: [refused] }),
          { number: 2, lines: [[3, 4]], keyValues: [], operation: 'o', account: 'a', problems: [refused] },
          planned(3, 'PO-1'),
        ])
        expect((await report('a')).map(({ state }) => state)).toEqual(['rejected', 'rejected', 'planned'])
      })

      it('which a record that the mapping leaves out does not take, and which reports no trouble', async () => {
        const reason = problem('left-out', { line: 2 }, '"Status" is "Void".')
        const leftOut = { lines: [[2, 2]] as const, keyValues: ['PO-1'], operation: 'o', account: 'a' }
        await planFile(journal, lease, 'a', [
          { number: 1, ...leftOut, problems: [reason], skipped: true },
          planned(2, 'PO-1'),
        ])
        expect(await journal.listReportedRecords('a', 0, 10)).toMatchObject([
          { state: 'skipped', problems: [reason], attempts: 0 },
          { state: 'planned' },
        ])
        expect(await journal.listProblemRecords({ file: 'a' }, 10)).toEqual([])
        expect(await journal.startAttempts(lease, { file: 'a' }, 10)).toMatchObject([{ number: 2 }])
      })

      it('which an interrupted planning gives up', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.addRecords(lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-2')])
        await journal.startPlanning(lease, 'a')
        expect(await journal.countRecords({ file: 'a' })).toEqual({})
        await journal.addRecords(lease, 'a', [planned(1, 'PO-1')])
        expect(await journal.countRecords({ file: 'a' })).toEqual({ planned: 1 })
      })

      it('and takes no record that has neither a body nor a problem', async () => {
        await receiveFile(journal, lease, 'a')
        const { body: _, ...bodiless } = planned(1, 'PO-1')
        await expect(journal.addRecords(lease, 'a', [bodiless])).rejects.toMatchObject({ code: 'bug' })
      })

      it('and adds all of a batch or nothing', async () => {
        await receiveFile(journal, lease, 'a')
        const batch = [planned(1, 'PO-1'), planned(1, 'PO-2')]
        await expect(journal.addRecords(lease, 'a', batch)).rejects.toMatchObject({ code: 'bug' })
        expect(await journal.countRecords({ file: 'a' })).toEqual({})
      })
    })

    describe('sends records', () => {
      it('in the order of the file, as many as asked for, each once', async () => {
        await planFile(
          journal,
          lease,
          'a',
          [1, 2, 3].map((number) => planned(number, `PO-${number}`)),
        )
        const first = await journal.startAttempts(lease, { file: 'a' }, 2)
        const second = await journal.startAttempts(lease, { file: 'a' }, 2)
        expect(first).toEqual([
          {
            id: expect.any(Number),
            number: 1,
            operation: 'create-order',
            lane: 'PO-1',
            naturalKey: 'PO-1',
            body: '{"purchase_order_number":"PO-1"}',
            attempt: 1,
            inDoubt: false,
          },
          expect.objectContaining({ number: 2 }),
        ])
        expect(second.map(({ number }) => number)).toEqual([3])
        expect(await journal.startAttempts(lease, { file: 'a' }, 2)).toEqual([])
      })

      it('of a file only when it is planned whole', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.addRecords(lease, 'a', [planned(1, 'PO-1')])
        await expect(journal.startAttempts(lease, { file: 'a' }, 1)).rejects.toMatchObject({ code: 'bug' })
        expect(await journal.countRecords({ file: 'a' })).toEqual({ planned: 1 })
      })

      it('and notes their results', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-2')])
        const [one, two] = await journal.startAttempts(lease, { file: 'a' }, 2)
        clock.advance(7)
        const refused = problem('api-refused', { field: 'ship_to.city' }, 'This field is required.')
        await journal.finishAttempts(lease, [
          accepted(one!.id, '9'),
          { id: two!.id, state: 'rejected', http: 400, problems: [refused] },
        ])
        expect(await journal.listReportedRecords('a', 0, 10)).toEqual([
          {
            id: one!.id,
            number: 1,
            operation: 'create-order',
            lines: [[2, 2]],
            keyValues: ['PO-1'],
            state: 'accepted',
            http: 201,
            apiId: '9',
            problems: [],
            warnings: [],
            attempts: 1,
            changedAt: START + 7,
          },
          {
            id: two!.id,
            number: 2,
            operation: 'create-order',
            lines: [[3, 3]],
            keyValues: ['PO-2'],
            state: 'rejected',
            http: 400,
            problems: [refused],
            warnings: [],
            attempts: 1,
            changedAt: START + 7,
          },
        ])
      })

      it('and notes results in the same step as the next starts, before it decides which may start', async () => {
        const sameLane = (number: number) => ({ ...planned(number, `PO-${number}`), lane: 'one order' })
        await planFile(journal, lease, 'a', [
          sameLane(1),
          planned(2, 'PO-2'),
          sameLane(3),
          planned(4, 'PO-4'),
        ])
        const [one, two] = await journal.startAttempts(lease, { file: 'a' }, 2)
        const lost = {
          id: one!.id,
          state: 'uncertain',
          problems: [problem('answer-lost', {}, 'reset')],
        } as const
        const begun = await journal.startAttempts(lease, { file: 'a' }, 9, {
          ended: [lost, accepted(two!.id, '9')],
        })
        expect(begun.map(({ number }) => number)).toEqual([4])
        expect(await journal.countRecords({ file: 'a' })).toEqual({
          uncertain: 1,
          accepted: 1,
          planned: 1,
          sending: 1,
        })
      })

      describe('that it adds in the same step', () => {
        const inLane = (number: number) => planned(number, `PO-${number}`, { lane: 'one order' })
        const conflicting = planned(3, 'PO-1', { body: '{"other":1}' })
        const noted = planned(4, 'PO-4', { note: 'a snapshot' })
        const block = [planned(2, 'PO-2'), conflicting, noted, refused(5, 'PO-5'), inLane(6)]

        /** The first records of file `a` are planned, and the one of the lane is lost if `isLost`. */
        async function begin(id: string, { isLost = false, total = 6 } = {}): Promise<void> {
          await receiveFile(journal, lease, id)
          await journal.startPlanning(lease, id)
          await journal.addRecords(lease, id, [isLost ? inLane(1) : planned(1, 'PO-1')])
          const found = { keyColumns: ['PO Number'], headerLines: 1, encoding: 'utf-8' as const }
          await journal.markFilePlanned(lease, id, { ...found, keyed: ['create-order'], total })
        }

        it('starts those that may be sent, as if they had been added before', async () => {
          await begin('a')
          const [first] = await journal.startAttempts(lease, { file: 'a' }, 9)
          const ended = [accepted(first!.id, '9')]
          const begun = await journal.startAttempts(lease, { file: 'a' }, 9, { ended, added: block })
          expect(begun).toMatchObject([
            { number: 2, lane: 'PO-2', attempt: 1, inDoubt: false, body: block[0]?.body },
            { number: 4, lane: 'PO-4', note: 'a snapshot' },
            { number: 6, lane: 'one order' },
          ])
          expect((await report('a')).map(({ state }) => state)).toEqual([
            'accepted',
            'sending',
            'rejected',
            'sending',
            'rejected',
            'sending',
          ])
          expect(await journal.startAttempts(lease, { file: 'a' }, 9)).toEqual([])
        })

        it('starts earlier ones first, and no more than asked for', async () => {
          await begin('a')
          const added = { added: block }
          const begun = await journal.startAttempts(lease, { file: 'a' }, 2, added)
          expect(begun.map(({ number }) => number)).toEqual([1, 2])
          const rest = await journal.startAttempts(lease, { file: 'a' }, 9)
          expect(rest.map(({ number, note }) => [number, note])).toEqual([
            [4, 'a snapshot'],
            [6, undefined],
          ])
        })

        it('starts none behind a record of its lane without an outcome', async () => {
          await begin('a', { isLost: true })
          const [first] = await journal.startAttempts(lease, { file: 'a' }, 9)
          const lost = problem('answer-lost', {}, 'reset')
          const ended = [{ id: first!.id, state: 'uncertain', problems: [lost] } as const]
          const begun = await journal.startAttempts(lease, { file: 'a' }, 9, { ended, added: block })
          expect(begun.map(({ number }) => number)).toEqual([2, 4])
        })

        it('adds none when one of them cannot be added', async () => {
          await begin('a')
          const { body: _body, ...bodiless } = planned(3, 'PO-3')
          const added = [planned(2, 'PO-2'), bodiless]
          await expect(journal.startAttempts(lease, { file: 'a' }, 9, { added })).rejects.toMatchObject({
            code: 'bug',
          })
          expect(await journal.countRecords({ file: 'a' })).toEqual({ planned: 1 })
        })
      })

      it('and leaves records that are no longer being sent as they are', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
        await journal.finishAttempts(lease, [accepted(sending!.id, '9')])
        await journal.finishAttempts(lease, [{ id: sending!.id, state: 'rejected', problems: [] }])
        expect(await journal.countRecords({ file: 'a' })).toEqual({ accepted: 1 })
      })

      it('and leaves the records of another route as they are', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
        const other = await journal.acquireLease('other', 'bridge-1', 60_000, alive)
        await journal.finishAttempts(other, [accepted(sending!.id, '9')])
        expect(await journal.countRecords({ file: 'a' })).toEqual({ sending: 1 })
      })

      it('again after they were deferred', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
        const notSent = problem('not-sent', {}, 'The API is closed.')
        await journal.finishAttempts(lease, [
          { id: sending!.id, state: 'deferred', http: 503, problems: [notSent] },
        ])
        expect(await journal.startAttempts(lease, { file: 'a' }, 1)).toEqual([])
        expect(await journal.markFileSubmitted(lease, 'a')).toBe(false)
        await journal.retryDeferredRecords(lease, { file: 'a' })
        expect(await journal.startAttempts(lease, { file: 'a' }, 1)).toMatchObject([{ attempt: 2 }])
      })

      it('and calls a file submitted when all of them are final', async () => {
        await planFile(
          journal,
          lease,
          'a',
          [1, 2, 3, 4, 5].map((number) => planned(number, `PO-${number}`)),
        )
        expect(await journal.markFileSubmitted(lease, 'a')).toBe(false)
        const sending = await journal.startAttempts(lease, { file: 'a' }, 5)
        expect(await journal.markFileSubmitted(lease, 'a')).toBe(false)
        const states = ['accepted', 'duplicate', 'rejected', 'held', 'uncertain'] as const
        await journal.finishAttempts(
          lease,
          sending.map(({ id }, position) => ({ id, state: states[position]!, problems: [] })),
        )
        expect(await journal.markFileSubmitted(lease, 'a')).toBe(false)
        await journal.saveReconciledResults(lease, [{ id: sending[4]!.id, state: 'skipped', problems: [] }])
        expect(await journal.markFileSubmitted(lease, 'a')).toBe(true)
        expect(await journal.getFile('a')).toMatchObject({ state: 'submitted', outcome: 'processed' })
      })
    })

    describe('remembers uncertain records', () => {
      it('after a crash, with their pre-send snapshots', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-2')])
        clock.advance(3)
        const [one] = await journal.startAttempts(lease, { file: 'a' }, 1)
        await journal.saveAttemptNotes(lease, [{ id: one!.id, note: '{"shipped":1}' }])
        clock.advance(100)
        await journal.recoverAttempts(lease, { file: 'a' })
        expect(await journal.listUncertainRecords({ file: 'a' }, 0, 10)).toEqual([
          {
            ...one,
            inDoubt: true,
            sentAt: START + 3,
            uncertainSince: START + 103,
            timesLost: 0,
            note: '{"shipped":1}',
          },
        ])
        expect(await journal.countRecords({ file: 'a' })).toEqual({ uncertain: 1, planned: 1 })
        expect(await journal.listProblemRecords({ file: 'a' }, 10)).toMatchObject([
          { number: 1, problems: [{ code: 'answer-lost' }] },
        ])
      })

      it('from the earliest attempt on that may have taken effect', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const attempt = async (state: 'planned' | 'uncertain', laterMs: number) => {
          clock.advance(laterMs)
          const [one] = await journal.startAttempts(lease, { file: 'a' }, 1)
          await journal.finishAttempts(lease, [{ id: one!.id, state, problems: [] }])
          return one!.id
        }
        await attempt('planned', 10)
        const id = await attempt('uncertain', 10)
        await journal.saveReconciledResults(lease, [{ id, state: 'planned', problems: [] }])
        await attempt('uncertain', 1000)
        expect(await journal.listUncertainRecords({ file: 'a' }, 0, 1)).toMatchObject([
          { sentAt: START + 20, timesLost: 2 },
        ])
      })

      it('with the snapshot before the earliest attempt that may have taken effect, and its time', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const attempt = async (note?: string) => {
          clock.advance(10)
          const [one] = await journal.startAttempts(lease, { file: 'a' }, 1)
          if (note !== undefined) await journal.saveAttemptNotes(lease, [{ id: one!.id, note }])
          await journal.finishAttempts(lease, [{ id: one!.id, state: 'uncertain', problems: [] }])
          const [lost] = await journal.listUncertainRecords({ file: 'a' }, 0, 1)
          await journal.saveReconciledResults(lease, [{ id: one!.id, state: 'planned', problems: [] }])
          return lost
        }
        expect((await attempt())?.note).toBeUndefined()
        expect((await attempt('{"shipped":1}'))?.note).toBe('{"shipped":1}')
        expect((await attempt('{"shipped":2}'))?.note).toBe('{"shipped":1}')
        expect(await journal.startAttempts(lease, { file: 'a' }, 1)).toMatchObject([
          { inDoubt: true, doubtNote: '{"shipped":1}', doubtSince: START + 10 },
        ])
      })

      it('and lets no other record of its lane pass', async () => {
        const [first, second] = [planned(1, 'PO-1'), { ...planned(2, 'PO-2'), lane: 'PO-1' }]
        await planFile(journal, lease, 'a', [first, second, planned(3, 'PO-3')])
        const [one] = await journal.startAttempts(lease, { file: 'a' }, 1)
        for (const state of ['uncertain', 'deferred'] as const) {
          if (state === 'uncertain')
            await journal.finishAttempts(lease, [{ id: one!.id, state, problems: [] }])
          else {
            await journal.saveReconciledResults(lease, [{ id: one!.id, state: 'planned', problems: [] }])
            const [again] = await journal.startAttempts(lease, { file: 'a' }, 1)
            await journal.finishAttempts(lease, [{ id: again!.id, state, problems: [] }])
          }
          const begun = await journal.startAttempts(lease, { file: 'a' }, 10)
          expect(begun.map(({ number }) => number)).toEqual(state === 'uncertain' ? [3] : [])
        }
      })

      it('counting only the attempts that were lost, not those released unsent', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        for (let round = 0; round < 3; round++) {
          const [one] = await journal.startAttempts(lease, { file: 'a' }, 1)
          await journal.finishAttempts(lease, [{ id: one!.id, state: 'planned', problems: [] }])
        }
        const [sent] = await journal.startAttempts(lease, { file: 'a' }, 1)
        await journal.finishAttempts(lease, [{ id: sent!.id, state: 'uncertain', problems: [] }])
        expect(await journal.listUncertainRecords({ file: 'a' }, 0, 1)).toMatchObject([
          { attempt: 4, timesLost: 1 },
        ])
      })

      it('but not that a record was in doubt which was never claimed', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [one] = await journal.startAttempts(lease, { file: 'a' }, 1)
        await journal.finishAttempts(lease, [{ id: one!.id, state: 'deferred', problems: [] }])
        await journal.retryDeferredRecords(lease, { file: 'a' })
        expect(await journal.startAttempts(lease, { file: 'a' }, 1)).toEqual([
          { ...one, attempt: 2, inDoubt: false },
        ])
      })

      it('and pages through it', async () => {
        await planFile(
          journal,
          lease,
          'a',
          [1, 2, 3].map((number) => planned(number, `PO-${number}`)),
        )
        const sending = await journal.startAttempts(lease, { file: 'a' }, 3)
        await journal.finishAttempts(
          lease,
          sending.map(({ id }) => ({ id, state: 'uncertain', problems: [] })),
        )
        const first = await journal.listUncertainRecords({ file: 'a' }, 0, 2)
        const rest = await journal.listUncertainRecords({ file: 'a' }, first[1]!.id, 2)
        expect([...first, ...rest].map(({ number }) => number)).toEqual([1, 2, 3])
        expect(rest).toHaveLength(1)
      })

      it('until it is reconciled, and sends again what is proven absent', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-2')])
        const [one, two] = await journal.startAttempts(lease, { file: 'a' }, 2)
        await journal.recoverAttempts(lease, { file: 'a' })
        await journal.saveReconciledResults(lease, [
          accepted(one!.id, '9'),
          { id: two!.id, state: 'planned', problems: [] },
        ])
        await journal.saveReconciledResults(lease, [{ id: one!.id, state: 'rejected', problems: [] }])
        expect(await journal.countRecords({ file: 'a' })).toEqual({ accepted: 1, planned: 1 })
        expect(await journal.startAttempts(lease, { file: 'a' }, 2)).toEqual([
          { ...two, attempt: 2, inDoubt: true, doubtSince: START },
        ])
      })
    })

    it('names the routes that have something unfinished', async () => {
      expect(await journal.listUnfinishedRoutes()).toEqual([])
      await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
      expect(await journal.listUnfinishedRoutes()).toEqual([lease.route])
    })

    describe('reports', () => {
      it('records page by page in the order of their numbers', async () => {
        await planFile(
          journal,
          lease,
          'a',
          [1, 2, 3, 4, 5].map((number) => planned(number, `PO-${number}`)),
        )
        const numbers = async (after: number) =>
          (await journal.listReportedRecords('a', after, 2)).map(({ number }) => number)
        expect([await numbers(0), await numbers(2), await numbers(4), await numbers(5)]).toEqual([
          [1, 2],
          [3, 4],
          [5],
          [],
        ])
      })

      it('no more troubled records than asked for', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-1'), planned(3, 'PO-1')])
        expect((await journal.listProblemRecords({ file: 'a' }, 1)).map(({ number }) => number)).toEqual([2])
      })

      it('where the records of every route are', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-1')])
        await receiveFile(journal, lease, 'b')
        const out = await journal.acquireLease('orders-out', 'bridge-2', 30_000, alive)
        await journal.collectRecords(out, [seen('1'), seen('2')])
        clock.advance(30_000)
        expect(await journal.summarizeRoutes()).toEqual([
          {
            route: 'orders-in',
            files: { planned: 1, received: 1 },
            incoming: { planned: 1, duplicate: 1 },
            outgoing: {},
            deliveries: {},
            owner: 'bridge-1',
          },
          { route: 'orders-out', files: {}, incoming: {}, outgoing: { collected: 2 }, deliveries: {} },
        ])
      })
    })

    describe('takes records out', () => {
      let out: Lease
      const sequenced = {
        nameFor: (sequence: number) => `orders-${sequence}.csv`,
        folder: 'outbox',
        sha256: 'h',
        rows: 3,
      }

      beforeEach(async () => {
        out = await journal.acquireLease('orders-out', 'bridge-1', 60_000, alive)
      })

      const waiting = async () =>
        (await journal.listUndeliveredRecords('orders-out', 0, 100)).map(({ apiId, body }) => ({
          apiId,
          body,
        }))
      const lastWaiting = async () => (await journal.listUndeliveredRecords('orders-out', 0, 100)).at(-1)!.id
      const compose = async (id: string, held: readonly RecordResult[] = []) =>
        journal.createDelivery(out, { ...sequenced, id, upToRecord: await lastWaiting(), held })

      it('collecting each once and refreshing those that wait', async () => {
        expect(
          await journal.collectRecords(out, [seen('1'), seen('2'), seen('1', '{"id":1,"page":2}')]),
        ).toBe(2)
        expect(await journal.collectRecords(out, [seen('2', '{"id":2,"now":"cancelled"}'), seen('3')])).toBe(
          1,
        )
        expect(await waiting()).toEqual([
          { apiId: '1', body: '{"id":1,"page":2}' },
          { apiId: '2', body: '{"id":2,"now":"cancelled"}' },
          { apiId: '3', body: '{"id":3}' },
        ])
      })

      it('reporting another account while a record of it waits or is not final', async () => {
        const other = (account: string) => journal.findOtherAccount({ delivery: 'd1' }, account)
        await journal.collectRecords(out, [seen('1')])
        expect(await journal.findOtherAccount({ waitingIn: 'orders-out' }, 'brand/7')).toBeUndefined()
        expect(await journal.findOtherAccount({ waitingIn: 'orders-out' }, 'brand/8')).toBe('brand/7')
        await compose('d1')
        expect(await journal.findOtherAccount({ waitingIn: 'orders-out' }, 'brand/8')).toBeUndefined()
        expect([await other('brand/7'), await other('brand/8')]).toEqual([undefined, 'brand/7'])
        await journal.markDeliveryDelivered(out, 'd1')
        const [sending] = await journal.startAttempts(out, { delivery: 'd1' }, 1)
        expect(await other('brand/8')).toBe('brand/7')
        await journal.finishAttempts(out, [accepted(sending!.id, '1')])
        expect(await other('brand/8')).toBeUndefined()
      })

      it('listing those that wait page by page', async () => {
        await journal.collectRecords(out, [seen('1'), seen('2'), seen('3')])
        const first = await journal.listUndeliveredRecords('orders-out', 0, 2)
        const rest = await journal.listUndeliveredRecords('orders-out', first[1]!.id, 2)
        expect([first, rest].map((page) => page.map(({ apiId }) => apiId))).toEqual([['1', '2'], ['3']])
      })

      it('listing those of a delivery page by page, and no others', async () => {
        await journal.collectRecords(out, [seen('1'), seen('2'), seen('3')])
        await compose('d1')
        await journal.collectRecords(out, [seen('4')])
        const first = await journal.listDeliveryRecords('d1', 0, 2)
        const rest = await journal.listDeliveryRecords('d1', first[1]!.id, 2)
        expect([first, rest].map((page) => page.map(({ apiId, body }) => [apiId, body]))).toEqual([
          [
            ['1', '{"id":1}'],
            ['2', '{"id":2}'],
          ],
          [['3', '{"id":3}']],
        ])
      })

      it('in deliveries numbered without gaps', async () => {
        await journal.collectRecords(out, [seen('1'), seen('2')])
        const first = await compose('d1')
        await expect(
          journal.createDelivery(out, { ...sequenced, id: 'gap', upToRecord: 1_000_000, held: [] }),
        ).rejects.toMatchObject({ code: 'bug' })
        await journal.collectRecords(out, [seen('3')])
        const second = await compose('d2')
        expect(first).toEqual({
          id: 'd1',
          route: 'orders-out',
          sequence: 1,
          folder: 'outbox',
          name: 'orders-1.csv',
          sha256: 'h',
          rows: 3,
          records: 2,
          state: 'composed',
          composedAt: START,
        })
        expect(second).toMatchObject({ sequence: 2, name: 'orders-2.csv', records: 1 })
        expect((await journal.listRecentDeliveries(10)).map(({ id }) => id)).toEqual(['d2', 'd1'])
        expect(await journal.listRecentDeliveries(10, 'orders-in')).toEqual([])
        expect(await journal.getDelivery('d1')).toEqual(first)
        expect(await journal.getDelivery('gap')).toBeUndefined()
      })

      it('never twice, whatever the list shows', async () => {
        await journal.collectRecords(out, [seen('1')])
        await compose('d1')
        expect(await journal.collectRecords(out, [seen('1', '{"id":1,"changed":true}')])).toBe(0)
        expect(await waiting()).toEqual([])
        await journal.markDeliveryDelivered(out, 'd1')
        expect(await journal.listDeliveryRecords('d1', 0, 9)).toMatchObject([{ body: '{"id":1}' }])
        expect(await journal.startAttempts(out, { delivery: 'd1' }, 1)).toMatchObject([{ naturalKey: '1' }])
      })

      it('only those up to the last that was composed', async () => {
        await journal.collectRecords(out, [seen('1')])
        const upToRecord = await lastWaiting()
        await journal.collectRecords(out, [seen('2')])
        expect(
          await journal.createDelivery(out, { ...sequenced, id: 'd1', upToRecord, held: [] }),
        ).toMatchObject({
          records: 1,
        })
        expect(await waiting()).toEqual([{ apiId: '2', body: '{"id":2}' }])
      })

      it('holding back those without rows until they can be composed', async () => {
        await journal.collectRecords(out, [seen('1'), seen('2')])
        const [one] = await journal.listUndeliveredRecords('orders-out', 0, 1)
        const problems = [problem('lookup-missed', {}, 'No carrier is called "X".')]
        const held: RecordResult[] = [{ id: one!.id, state: 'held', problems }]
        expect(await compose('d1', held)).toMatchObject({ records: 1 })
        expect(await waiting()).toEqual([{ apiId: '1', body: '{"id":1}' }])
        expect((await journal.summarizeRoutes())[1]?.outgoing).toEqual({ held: 1, collected: 1 })
        await journal.holdRecords(out, held)
        expect(await compose('d2')).toMatchObject({ records: 1, sequence: 2 })
        expect(await journal.listProblemRecords({ delivery: 'd2' }, 10)).toEqual([])
      })

      it('acknowledging only records whose file has its final name', async () => {
        await journal.collectRecords(out, [seen('1')])
        await compose('d1')
        await expect(journal.startAttempts(out, { delivery: 'd1' }, 1)).rejects.toMatchObject({ code: 'bug' })
        await expect(journal.markDeliveryAcknowledged(out, 'd1')).rejects.toMatchObject({ code: 'bug' })
        expect(await journal.countRecords({ delivery: 'd1' })).toEqual({ collected: 1 })
      })

      it('under a name that no other delivery of the route has', async () => {
        await journal.collectRecords(out, [seen('1')])
        const nameFor = (_: number, suffix: number) => (suffix === 1 ? 'orders.csv' : `orders.csv~${suffix}`)
        const always = async (id: string) =>
          journal.createDelivery(out, {
            ...sequenced,
            nameFor,
            id,
            upToRecord: await lastWaiting(),
            held: [],
          })
        const first = await always('d1')
        await journal.collectRecords(out, [seen('2')])
        const second = await always('d2')
        expect([first.name, second.name]).toEqual(['orders.csv', 'orders.csv~2'])
      })

      it('from the composing to the last acknowledge', async () => {
        await journal.collectRecords(out, [seen('1'), seen('2')])
        await compose('d1')
        await journal.renameDelivery(out, 'd1', 'orders-1-a.csv')
        clock.advance(1)
        await journal.markDeliveryDelivered(out, 'd1')
        const [one, two] = await journal.startAttempts(out, { delivery: 'd1' }, 10)
        expect([one, two]).toMatchObject([
          { number: 1, naturalKey: '1', attempt: 1 },
          { number: 2, naturalKey: '2', attempt: 1 },
        ])
        await journal.finishAttempts(out, [{ id: one!.id, state: 'accepted', http: 200, problems: [] }])
        expect(await journal.markDeliveryAcknowledged(out, 'd1')).toBe(false)
        await journal.recoverAttempts(out, { delivery: 'd1' })
        expect(await journal.countRecords({ delivery: 'd1' })).toEqual({ accepted: 1, collected: 1 })
        expect(await journal.startAttempts(out, { delivery: 'd1' }, 10)).toEqual([
          { ...two, attempt: 2, inDoubt: true, doubtSince: START + 1 },
        ])
        const refused = problem('acknowledge-refused', {}, 'The order is cancelled.')
        await journal.finishAttempts(out, [
          { id: two!.id, state: 'rejected', http: 409, problems: [refused] },
        ])
        clock.advance(1)
        expect(await journal.markDeliveryAcknowledged(out, 'd1')).toBe(true)
        expect(await journal.listRecentDeliveries(1)).toMatchObject([
          {
            name: 'orders-1-a.csv',
            state: 'acknowledged',
            deliveredAt: START + 1,
            acknowledgedAt: START + 2,
          },
        ])
        expect(await journal.listProblemRecords({ delivery: 'd1' }, 10)).toMatchObject([
          { number: 2, keyValues: ['2'], apiId: '2', problems: [refused] },
        ])
        expect(await journal.collectRecords(out, [seen('2')])).toBe(0)
        expect(await journal.listUnfinishedDeliveries('orders-out')).toEqual([])
      })

      it('listing those that cannot be acknowledged until a person dismisses them, once', async () => {
        await journal.collectRecords(out, [seen('1')])
        await compose('d1')
        await journal.markDeliveryDelivered(out, 'd1')
        const [one] = await journal.startAttempts(out, { delivery: 'd1' }, 1)
        const problems = [problem('acknowledge-refused', {}, 'The order is canceled.')]
        await journal.finishAttempts(out, [{ id: one!.id, state: 'rejected', http: 409, problems }])

        expect(await journal.listUnacknowledgedRecords(9)).toMatchObject([{ apiId: '1', problems }])
        const dismissal = { by: 'Ada', why: 'the reader knows' }
        const decision = await journal.dismissUnacknowledged('d1', dismissal)
        expect(decision).toMatchObject({ action: 'dismiss', by: 'Ada', records: 1 })
        expect(await journal.listUnacknowledgedRecords(9)).toEqual([])
        expect(await journal.dismissUnacknowledged('d1', dismissal)).toBeUndefined()
      })

      it('keeping deferred ones for another try', async () => {
        await journal.collectRecords(out, [seen('1')])
        await compose('d1')
        await journal.markDeliveryDelivered(out, 'd1')
        const [one] = await journal.startAttempts(out, { delivery: 'd1' }, 1)
        await journal.finishAttempts(out, [{ id: one!.id, state: 'deferred', problems: [] }])
        await journal.retryDeferredRecords(out, { delivery: 'd1' })
        expect(await journal.startAttempts(out, { delivery: 'd1' }, 1)).toMatchObject([{ attempt: 2 }])
        expect(await journal.listUnfinishedDeliveries('orders-out')).toMatchObject([
          { id: 'd1', state: 'delivered' },
        ])
      })

      const report = (id: string, records: number) =>
        journal.createReportDelivery(out, {
          id,
          nameFor: (sequence) => `report-${sequence}.csv`,
          folder: 'outbox',
          sha256: 'r',
          rows: records * 2,
          records,
        })

      it('in reports, whose records it does not know, in the same sequence', async () => {
        await journal.collectRecords(out, [seen('1')])
        const first = await report('r1', 5)
        await compose('d1')
        const third = await report('r2', 0)
        expect(first).toEqual({
          id: 'r1',
          route: 'orders-out',
          sequence: 1,
          folder: 'outbox',
          name: 'report-1.csv',
          sha256: 'r',
          rows: 10,
          records: 5,
          state: 'composed',
          composedAt: START,
        })
        expect(await journal.getDelivery('r1')).toEqual(first)
        expect(await journal.getDelivery('d1')).toMatchObject({ sequence: 2, records: 1 })
        expect(third).toMatchObject({ sequence: 3, name: 'report-3.csv', records: 0 })
        expect(await journal.countRecords({ delivery: 'r1' })).toEqual({})
      })

      it('as done with records that are not acknowledged from here, once the file is in place', async () => {
        await journal.collectRecords(out, [seen('1'), seen('2')])
        await compose('d1')
        await report('r1', 5)
        clock.advance(1)
        await journal.markDeliveryDone(out, 'd1')
        await journal.markDeliveryDone(out, 'r1')
        expect(await journal.getDelivery('d1')).toMatchObject({ state: 'done', deliveredAt: START + 1 })
        expect(await journal.getDelivery('r1')).toMatchObject({ state: 'done', records: 5 })
        expect(await journal.countRecords({ delivery: 'd1' })).toEqual({ exported: 2 })
        expect(await journal.listUnfinishedDeliveries('orders-out')).toEqual([])
        expect(await journal.listUnfinishedRoutes()).toEqual([])
        expect(await journal.collectRecords(out, [seen('1'), seen('2')])).toBe(0)
        await expect(journal.markDeliveryDone(out, 'd1')).rejects.toMatchObject({ code: 'bug' })
      })

      it('as done where the acknowledging was begun, and keeps acknowledged records', async () => {
        await journal.collectRecords(out, [seen('1'), seen('2')])
        await compose('d1')
        await journal.markDeliveryDelivered(out, 'd1')
        const [one] = await journal.startAttempts(out, { delivery: 'd1' }, 1)
        await journal.finishAttempts(out, [{ id: one!.id, state: 'accepted', problems: [] }])
        clock.advance(1)
        await journal.markDeliveryDone(out, 'd1')
        expect(await journal.getDelivery('d1')).toMatchObject({ state: 'done', deliveredAt: START })
        expect(await journal.countRecords({ delivery: 'd1' })).toEqual({ accepted: 1, exported: 1 })
      })
    })

    describe('knows resources', () => {
      const order = (id: string, ...keys: string[]) => ({
        id,
        keys,
        facts: { id: Number(id), status: 'open' },
      })
      const named = async (...keys: string[]) =>
        (await journal.findResourcesByKey('brand/7', 'order', keys)).map(({ key, id }) => `${key} is ${id}`)

      it('by every name they have, each account its own, and reports when it saw them', async () => {
        await journal.saveResources('brand/7', 'order', [order('11', 'PO-1'), order('20', 'PO-2')])
        await journal.saveResources('brand/8', 'order', [order('99', 'PO-1')])
        expect(await journal.findResourcesByKey('brand/7', 'order', ['PO-1', 'PO-1', 'PO-3'])).toEqual([
          { key: 'PO-1', id: '11', keys: ['PO-1'], facts: { id: 11, status: 'open' }, seenAt: START },
        ])
        expect(await journal.findResourcesByKey('brand/7', 'variant', ['PO-1'])).toEqual([])
        expect(await journal.findResourcesById('brand/7', 'order', ['20', '21'])).toMatchObject([
          { id: '20' },
        ])
        expect(await journal.findAccountsWithKey('order', 'PO-1')).toEqual(['brand/7', 'brand/8'])
      })

      it('and gives both where a name fits two', async () => {
        await journal.saveResources('brand/7', 'order', [order('11', 'PO-1'), order('10', 'PO-1')])
        expect(await named('PO-1')).toEqual(['PO-1 is 10', 'PO-1 is 11'])
      })

      it('as they were read last: new facts and names replace old ones', async () => {
        await journal.saveResources('brand/7', 'order', [order('11', 'A', 'B')])
        clock.advance(5)
        const closed = { id: '11', keys: ['B', 'C'], facts: { status: 'closed' } }
        await journal.saveResources('brand/7', 'order', [closed])
        expect(await named('A', 'B', 'C')).toEqual(['B is 11', 'C is 11'])
        expect(await journal.findResourcesById('brand/7', 'order', ['11'])).toEqual([
          { ...closed, seenAt: START + 5 },
        ])
      })

      it('and keeps names and facts that an incomplete read does not show, with the time they were seen', async () => {
        await journal.saveResources('brand/7', 'order', [order('11', 'PO-1')])
        clock.advance(5)
        await journal.saveResources('brand/7', 'order', [{ id: '11', keys: ['PO-A'], some: true }])
        expect(await journal.findResourcesByKey('brand/7', 'order', ['PO-1', 'PO-A'])).toMatchObject([
          { key: 'PO-1', id: '11', facts: { status: 'open' }, seenAt: START },
          { key: 'PO-A', keys: ['PO-1', 'PO-A'] },
        ])
      })

      it('and when their whole list was read', async () => {
        expect(await journal.getListReadAt('brand/7', 'variant')).toBeUndefined()
        await journal.saveListReadAt('brand/7', 'variant', 500)
        await journal.saveListReadAt('brand/7', 'variant', 400)
        expect(await journal.getListReadAt('brand/7', 'variant')).toBe(500)
      })
    })

    describe('keeps order attributes', () => {
      it('and returns them by order and name; a later one replaces an earlier one', async () => {
        await journal.saveOrderAttributes('brand/7', [{ key: 'PO-1', values: { erp_id: 'a', bay: '4' } }])
        await journal.saveOrderAttributes('brand/7', [{ key: 'PO-1', values: { erp_id: 'b' } }])
        await journal.saveOrderAttributes('brand/8', [{ key: 'PO-1', values: { erp_id: 'other' } }])
        expect(await journal.findOrderAttributes('brand/7', ['PO-1', 'PO-2'])).toEqual(
          new Map([['PO-1', { erp_id: 'b', bay: '4' }]]),
        )
      })

      it('of records that are planned, and not of those that contradict them', async () => {
        const keep = (erp: string) => ({ keep: { key: 'PO-1', values: { erp_id: erp } } })
        await planFile(journal, lease, 'a', [planned(1, 'PO-1', keep('first'))])
        await planFile(journal, lease, 'b', [planned(1, 'PO-1', { body: '{"other":1}', ...keep('second') })])
        const kept = await journal.findOrderAttributes('retailer/1000', ['PO-1'])
        expect(kept.get('PO-1')).toEqual({ erp_id: 'first' })
      })
    })

    describe('knows what a file holds so far', () => {
      it('of the lanes asked for, and of no other file', async () => {
        const of = (number: number, lane: string, parcel: string) =>
          planned(number, `${lane} ${parcel}`, { lane, body: JSON.stringify({ parcel }) })
        await planFile(journal, lease, 'a', [of(1, '5', 'other')])
        await receiveFile(journal, lease, 'b')
        await journal.addRecords(lease, 'b', [
          of(1, '5', 'T1'),
          of(2, '55', 'T2'),
          of(3, '5', 'T3'),
          of(4, '6', 'T4'),
        ])
        const named = { operation: 'create-order', account: 'retailer/1000', lanes: ['5', '7'] }
        expect(await journal.listPlannedBodies('b', named)).toEqual([
          { lane: '5', body: '{"parcel":"T1"}' },
          { lane: '5', body: '{"parcel":"T3"}' },
        ])
      })

      it('with warnings that do not stop a record, and a note that its attempt begins with', async () => {
        const warning = problem('totals-disagree', {}, 'The total is odd.')
        await planFile(journal, lease, 'a', [
          planned(1, 'PO-1', { warnings: [warning], note: '{"units":1}' }),
        ])
        expect(await journal.startAttempts(lease, { file: 'a' }, 1)).toMatchObject([{ note: '{"units":1}' }])
        await journal.recoverAttempts(lease, { file: 'a' })
        expect(await journal.listUncertainRecords({ file: 'a' }, 0, 1)).toMatchObject([
          { note: '{"units":1}' },
        ])
        expect(await journal.listReportedRecords('a', 0, 1)).toMatchObject([{ warnings: [warning] }])
        expect([await journal.countWarnings('a'), await journal.countWarnings('b')]).toEqual([1, 0])
      })
    })

    it('takes empty batches', async () => {
      await planFile(journal, lease, 'a', [])
      await journal.finishAttempts(lease, [])
      await journal.saveAttemptNotes(lease, [])
      await journal.saveResources('brand/7', 'order', [])
      await journal.saveOrderAttributes('brand/7', [])
      expect(await journal.collectRecords(lease, [])).toBe(0)
      expect(await journal.markFileSubmitted(lease, 'a')).toBe(true)
    })

    it('answers fifty calls made at once as if one came after the other', async () => {
      await planFile(
        journal,
        lease,
        'a',
        Array.from({ length: 100 }, (_, position) => planned(position + 1, `PO-${position}`)),
      )
      const claims = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const sending = await journal.startAttempts(lease, { file: 'a' }, 2)
          await journal.finishAttempts(
            lease,
            sending.map(({ id }) => accepted(id, String(id))),
          )
          return sending
        }),
      )
      const numbers = claims.flat().map(({ number }) => number)
      expect(new Set(numbers).size).toBe(100)
      expect(await journal.countRecords({ file: 'a' })).toEqual({ accepted: 100 })
    })

    it('undoes a failed call whole while others continue', async () => {
      await receiveFile(journal, lease, 'a')
      const calls = await Promise.allSettled([
        journal.addRecords(lease, 'a', [planned(1, 'PO-1')]),
        journal.addRecords(lease, 'a', [planned(2, 'PO-2'), planned(2, 'PO-3')]),
        journal.addRecords(lease, 'a', [planned(3, 'PO-3')]),
      ])
      expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect((await report('a')).map(({ number, state }) => [number, state])).toEqual([
        [1, 'planned'],
        [3, 'planned'],
      ])
    })
  })
}
