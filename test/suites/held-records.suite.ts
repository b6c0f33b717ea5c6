/** The promises of the journal about held records and decisions, for any database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { createDecisionDigest } from '../../src/journal/decisions.ts'
import { problem } from '../../src/domain/problem.ts'
import type { RecordResult } from '../../src/domain/record.ts'
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

const STOPPED = problem('circuit-breaker-open', {}, 'The first 2 were refused.')
const refusedByApi = (id: number): RecordResult => ({
  id,
  state: 'rejected',
  http: 400,
  problems: [problem('api-refused', { field: 'ship_to' }, 'no')],
})

export function heldRecordsSuite(name: string, open: (clock: Clock) => Promise<Journal>): void {
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

    const states = async (file: string) =>
      (await journal.listReportedRecords(file, 0, 100)).map(({ state }) => state)
    const release = (file: string, record?: number) =>
      journal.applyDecision(lease, file, {
        action: 'release',
        by: 'Ada',
        why: 'mended',
        ...(record === undefined ? {} : { record }),
      })
    const discard = (file: string) =>
      journal.applyDecision(lease, file, { action: 'discard', by: 'Ada', why: 'the season is over' })

    /** PO-1 was refused, PO-2 and PO-3 are held; reported and closed. */
    async function stoppedFile(id = 'a'): Promise<void> {
      await planFile(
        journal,
        lease,
        id,
        [1, 2, 3].map((number) => planned(number, `PO-${number}`)),
      )
      const [sending] = await journal.startAttempts(lease, { file: id }, 1)
      await journal.finishAttempts(lease, [refusedByApi(sending!.id)])
      await journal.holdRemainingRecords(lease, id, STOPPED)
      await close(id)
    }

    async function close(id: string): Promise<void> {
      await journal.markFileSubmitted(lease, id)
      await journal.saveReportName(lease, id, `${id}.csv`, [])
      await journal.markFileReported(lease, id)
      await journal.markFileClosed(lease, id, `done/${id}.csv`)
    }

    describe('keeps corrections of refused records', () => {
      const correct = async (sha256: string, by = 'Nadia') => {
        const [refused] = await journal.listCorrectableRecords('a', 9)
        const left = { folder: 'inbox', name: 'a.rejects.csv', sha256, sourceSha256: 'a' }
        return journal.startCorrection(lease, 'a', {
          ...left,
          by,
          why: 'by phone',
          records: [refused?.id ?? 0],
        })
      }
      /** The id of a correction that was started. */
      const start = async (sha256: string) => {
        const started = await correct(sha256)
        if (started.kind !== 'started') throw new Error(`the correction is ${started.kind}`)
        return started.correction.id
      }

      it('each once, with its decision and under the name that its file gets', async () => {
        await stoppedFile()
        const id = await start('one')
        expect(await correct('one', 'Erik')).toMatchObject({ kind: 'known', correction: { id, by: 'Nadia' } })
        await journal.renameCorrection(lease, id, 'a.rejects~2.csv')
        await journal.markCorrectionLeft(lease, id)
        expect(await journal.listCorrections('a', 9)).toMatchObject([
          { id, by: 'Nadia', why: 'by phone', records: 1, name: 'a.rejects~2.csv', leftAt: START },
        ])
        expect(await journal.listDecisions('a', 9)).toMatchObject([{ action: 'correct', by: 'Nadia' }])
        await receiveFile(journal, lease, 'a.rejects~2', 'one')
        expect(await journal.listCorrections('a', 9)).toMatchObject([{ takenAs: { id: 'a.rejects~2' } }])
      })

      it('and keeps the records of one that was left from every other one', async () => {
        await stoppedFile()
        const [refused] = await journal.listCorrectableRecords('a', 9)
        const id = await start('one')
        await journal.markCorrectionLeft(lease, id)
        const other = {
          folder: 'inbox',
          name: 'a.csv',
          sha256: 'two',
          sourceSha256: 'a',
          by: 'Erik',
          why: 'NJ',
        }
        expect(
          await journal.startCorrection(lease, 'a', { ...other, records: [refused?.id ?? 0] }),
        ).toMatchObject({ kind: 'overlapping', correction: { id } })
      })

      it('but not those of one that was only begun, whose process may be dead', async () => {
        await stoppedFile()
        await start('one')
        expect(await correct('two', 'Erik')).toMatchObject({ kind: 'started', correction: { by: 'Erik' } })
      })

      it('and frees the records of one that was given up', async () => {
        await stoppedFile()
        await journal.giveUpCorrection(lease, await start('one'))
        expect(await correct('two', 'Erik')).toMatchObject({ kind: 'started', correction: { by: 'Erik' } })
      })

      it('but none of a file that another bridge has taken over', async () => {
        await stoppedFile()
        await journal.acquireLease('orders-in', 'bridge-2', 60_000, () => false)
        await expect(correct('one')).rejects.toMatchObject({ code: 'lease-lost' })
        expect(await journal.listCorrections('a', 9)).toEqual([])
      })
    })

    describe('shows what a decision would do', () => {
      const look = async (action: 'release' | 'discard' = 'release', record?: number) => {
        const scope = { action, ...(record === undefined ? {} : { record }) }
        const records = await journal.listDecidableRecords('a', scope, 0, 9)
        const digest = createDecisionDigest()
        digest.add(records)
        return { records, expected: digest.finish() }
      }

      it('record by record, page by page, with keys that others have taken', async () => {
        await stoppedFile()
        await planFile(journal, lease, 'b', [planned(1, 'PO-2')])
        const { records } = await look()
        expect(records).toMatchObject([
          { naturalKey: 'PO-2', becomes: 'duplicate', verdict: [{ code: 'record-repeated' }] },
          { naturalKey: 'PO-3', becomes: 'planned', problems: [STOPPED], verdict: [] },
        ])
        expect(await journal.listDecidableRecords('a', { action: 'release' }, 2, 9)).toEqual(records.slice(1))
        expect((await look('discard')).records.map(({ becomes }) => becomes)).toEqual([
          'rejected',
          'rejected',
        ])
        expect((await look('release', records[1]?.id)).records).toEqual(records.slice(1))
      })

      it('and makes only the decision that was seen', async () => {
        await stoppedFile()
        const seen = await look()
        const decision = { action: 'release', by: 'Ada', why: 'mended', via: 'console' } as const
        await planFile(journal, lease, 'b', [planned(1, 'PO-2')])
        const early = await journal.applyDecision(lease, 'a', { ...decision, expected: seen.expected })
        expect(early).toBeUndefined()
        expect(await journal.listDecisions('a', 9)).toEqual([])
        const { expected } = await look()
        const entry = await journal.applyDecision(lease, 'a', { ...decision, expected })
        expect(entry).toMatchObject({ by: 'Ada', via: 'console', records: 2 })
        expect(await states('a')).toEqual(['rejected', 'duplicate', 'planned'])
        expect(await journal.listDecisions('a', 9)).toEqual([entry])
        expect(await journal.listAllDecisions(undefined, 9, entry?.id)).toMatchObject([{ via: 'console' }])
        const decided = await journal.listDecidedRecords(entry?.id ?? 0, 0, 9)
        expect(decided.map(({ state }) => state)).toEqual(['duplicate', 'planned'])
        expect((await journal.verifyChain({})).findings).toEqual([])
      })
    })

    describe('lists what waits for a correction', () => {
      const dismissal = { by: 'Ada', why: 'withdrawn' }

      it('until a later file has the record accepted', async () => {
        await stoppedFile()
        expect(await journal.listRejectedFiles(9)).toMatchObject([{ file: 'a', records: 1 }])
        await planFile(journal, lease, 'b', [planned(1, 'PO-1')])
        const [sending] = await journal.startAttempts(lease, { file: 'b' }, 1)
        await journal.finishAttempts(lease, [accepted(sending!.id, '9')])
        await close('b')
        expect(await journal.listRejectedFiles(9)).toEqual([])
      })

      it('until a person dismisses it, once', async () => {
        await stoppedFile()
        const [record] = await journal.findRejectedRecords(9, { route: 'orders-in', key: 'PO-1' })
        expect(record).toMatchObject({ file: 'a', name: 'a.csv' })
        const decision = await journal.dismissRejected('a', { ...dismissal, record: record?.id ?? 0 })
        expect(decision).toMatchObject({ action: 'dismiss', by: 'Ada', why: 'withdrawn', records: 1 })
        expect(await journal.listRejectedFiles(9)).toEqual([])
        expect(await journal.dismissRejected('a', dismissal)).toBeUndefined()
        expect(await journal.listDecisions('a', 9)).toHaveLength(1)
      })

      it('except records that a person discarded', async () => {
        await stoppedFile()
        await discard('a')
        expect(await journal.listRejectedFiles(9)).toEqual([])
        await close('a')
        expect(await journal.listRejectedFiles(9)).toMatchObject([{ file: 'a', records: 1 }])
      })
    })

    describe('holds the rest of a file', () => {
      it('with one reason, except records with an answer', async () => {
        await stoppedFile()
        expect(await journal.listReportedRecords('a', 0, 10)).toMatchObject([
          { state: 'rejected', http: 400 },
          { state: 'held', attempts: 0, problems: [STOPPED] },
          { state: 'held', attempts: 0, problems: [STOPPED] },
        ])
        expect(await journal.getFile('a')).toMatchObject({ state: 'closed', outcome: 'processed' })
      })

      it('with deferred records, and without uncertain ones', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-2'), planned(3, 'PO-3')])
        const [first, second] = await journal.startAttempts(lease, { file: 'a' }, 2)
        await journal.finishAttempts(lease, [
          { id: first!.id, state: 'deferred', http: 503, problems: [problem('not-sent', {}, 'busy')] },
          { id: second!.id, state: 'uncertain', problems: [problem('answer-lost', {}, 'lost')] },
        ])
        expect(await journal.holdRemainingRecords(lease, 'a', STOPPED)).toBe(2)
        expect(await states('a')).toEqual(['held', 'uncertain', 'held'])
        expect((await journal.listReportedRecords('a', 0, 1))[0]).not.toHaveProperty('http')
      })

      it('and releases the keys, so that a corrected file can be sent', async () => {
        await stoppedFile()
        await planFile(journal, lease, 'b', [planned(1, 'PO-2', { body: '{"corrected":1}' })])
        expect(await states('b')).toEqual(['planned'])
      })

      it('only of a file that is planned, for the owner of its route', async () => {
        await receiveFile(journal, lease, 'a')
        await expect(journal.holdRemainingRecords(lease, 'a', STOPPED)).rejects.toMatchObject({ code: 'bug' })
        await journal.acquireLease('orders-in', 'bridge-2', 60_000, () => false)
        await expect(journal.holdRemainingRecords(lease, 'a', STOPPED)).rejects.toMatchObject({
          code: 'lease-lost',
        })
      })
    })

    describe('takes in records that the mapping holds', () => {
      const held = [problem('held-by-mapping', { line: 2 }, 'Tell the retailer.')]

      it('as held and without a key', async () => {
        await planFile(journal, lease, 'a', [
          planned(1, 'PO-1', { problems: held, held: true }),
          planned(2, 'PO-1'),
        ])
        expect(await states('a')).toEqual(['held', 'planned'])
      })

      it('and accepts the same bytes again when nothing else is in the file', async () => {
        const { naturalKey: _, ...without } = planned(1, 'PO-1')
        await planFile(journal, lease, 'a', [{ ...without, problems: held, held: true }])
        await journal.markFileSubmitted(lease, 'a')
        await receiveFile(journal, lease, 'b', 'a')
        expect(await journal.getFile('b')).toMatchObject({ state: 'received' })
      })

      it('and cannot release it, but discard it', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1', { problems: held, held: true })])
        await close('a')
        expect(await release('a')).toBeUndefined()
        expect(await journal.getFile('a')).toMatchObject({ state: 'closed' })
        expect(await discard('a')).toMatchObject({ records: 1 })
        expect(await states('a')).toEqual(['rejected'])
      })
    })

    describe('reports what the API answered so far', () => {
      it('without records that were never sent, or refused by the mapping', async () => {
        await planFile(journal, lease, 'a', [
          planned(1, 'PO-1', { problems: [problem('value-missing', {}, 'x')] }),
          planned(2, 'PO-2'),
          planned(3, 'PO-3'),
          planned(4, 'PO-4'),
        ])
        const [first, second] = await journal.startAttempts(lease, { file: 'a' }, 2)
        await journal.finishAttempts(lease, [refusedByApi(first!.id), accepted(second!.id, '9')])
        expect(await journal.summarizeAnswers('a', 10)).toEqual({
          accepted: 1,
          refused: 1,
          refusals: [{ http: 400, problems: refusedByApi(1).problems }],
        })
        expect(await journal.summarizeAnswers('a', 0)).toMatchObject({ refused: 1, refusals: [] })
      })

      it('since the last release only', async () => {
        await stoppedFile()
        expect(await journal.summarizeAnswers('a', 10)).toMatchObject({ accepted: 0, refused: 1 })
        await release('a')
        expect(await journal.summarizeAnswers('a', 10)).toMatchObject({ accepted: 0, refused: 0 })
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
        await journal.finishAttempts(lease, [accepted(sending!.id, '9')])
        expect(await journal.summarizeAnswers('a', 10)).toMatchObject({ accepted: 1, refused: 0 })
      })
    })

    describe('notes the decisions of a person', () => {
      it('and takes the file up again with the released records', async () => {
        await stoppedFile()
        clock.advance(60_000)
        expect(await release('a')).toEqual({
          id: 1,
          file: 'a',
          action: 'release',
          by: 'Ada',
          why: 'mended',
          at: START + 60_000,
          records: 2,
        })
        expect(await states('a')).toEqual(['rejected', 'planned', 'planned'])
        const file = await journal.getFile('a')
        expect(file).toMatchObject({
          state: 'planned',
          archivedAs: 'done/a.csv',
          reports: 1,
          takenUpAt: START + 60_000,
        })
        expect(file).not.toHaveProperty('outcome')
        expect(file).not.toHaveProperty('reportName')
        const sending = await journal.startAttempts(lease, { file: 'a' }, 10)
        expect(sending.map(({ naturalKey, body }) => [naturalKey, body])).toEqual([
          ['PO-2', '{"purchase_order_number":"PO-2"}'],
          ['PO-3', '{"purchase_order_number":"PO-3"}'],
        ])
      })

      it('and nothing when nothing is held, or no more', async () => {
        await stoppedFile()
        await release('a')
        expect(await release('a')).toBeUndefined()
        expect(await discard('a')).toBeUndefined()
        expect(await journal.listDecisions('a', 10)).toHaveLength(1)
      })

      it('about one record alone', async () => {
        await stoppedFile()
        const [second] = await journal.listHeldRecords(10, { route: 'orders-in', key: 'PO-3' })
        expect(await release('a', second!.id)).toMatchObject({ records: 1 })
        expect(await states('a')).toEqual(['rejected', 'held', 'planned'])
      })

      it('and holds the keys of released records again', async () => {
        await stoppedFile()
        await release('a')
        await planFile(journal, lease, 'b', [planned(1, 'PO-2')])
        expect(await states('b')).toEqual(['duplicate'])
      })

      it('but sends none whose key another record has taken meanwhile', async () => {
        await stoppedFile()
        await planFile(journal, lease, 'b', [
          planned(1, 'PO-2'),
          planned(2, 'PO-3', { body: '{"corrected":1}' }),
        ])
        const [sending] = await journal.startAttempts(lease, { file: 'b' }, 1)
        await journal.finishAttempts(lease, [accepted(sending!.id, '77')])
        await release('a')
        expect(await journal.listReportedRecords('a', 1, 10)).toMatchObject([
          { state: 'duplicate', apiId: '77', problems: [{ code: 'record-repeated' }] },
          {
            state: 'rejected',
            problems: [
              {
                code: 'key-conflict',
                message: 'PO-3 is already known from b.csv, line 3, with other contents.',
              },
            ],
          },
        ])
      })

      it('with who and why in the record that was discarded, whose key stays free', async () => {
        await stoppedFile()
        await discard('a')
        expect(await journal.listReportedRecords('a', 1, 1)).toMatchObject([
          {
            state: 'rejected',
            problems: [
              {
                code: 'discarded',
                message: 'It was held, and Ada discarded it on 2026-11-21T02:15:00.000Z: the season is over',
              },
            ],
          },
        ])
        expect(await journal.markFileSubmitted(lease, 'a')).toBe(true)
        await planFile(journal, lease, 'b', [planned(1, 'PO-2')])
        expect(await states('b')).toEqual(['planned'])
      })

      it('and has sent records without an answer looked up again, which cannot be discarded', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
        const lost = problem('outcome-unprovable', {}, 'lost')
        await journal.finishAttempts(lease, [{ id: sending!.id, state: 'held', problems: [lost] }])
        await close('a')
        await planFile(journal, lease, 'b', [planned(1, 'PO-1')])
        const [repeated] = await journal.listReportedRecords('b', 0, 1)
        expect(repeated?.problems[0]?.message).toMatch(/with the same contents, and is held\.$/)
        expect(await discard('a')).toBeUndefined()
        expect(await release('a')).toMatchObject({ records: 1 })
        expect(await states('a')).toEqual(['uncertain'])
        expect(await journal.startAttempts(lease, { file: 'a' }, 9)).toEqual([])
        expect(await journal.listUncertainRecords({ file: 'a' }, 0, 9)).toMatchObject([
          { naturalKey: 'PO-1' },
        ])
      })

      it('and discards what waits for its order, whose key is free then', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-2')])
        const sending = await journal.startAttempts(lease, { file: 'a' }, 2)
        const codes = ['waiting-for-order', 'not-sent'] as const
        const waits = sending.map(({ id }, index) => ({
          id,
          state: 'deferred' as const,
          problems: [problem(codes[index] ?? 'not-sent', {}, 'not yet')],
        }))
        await journal.finishAttempts(lease, waits)
        expect(await release('a')).toBeUndefined()
        const found = await journal.listHeldRecords(9, { route: 'orders-in', key: 'PO-1' })
        expect(found.map(({ number }) => number)).toEqual([1])
        expect(await discard('a')).toMatchObject({ records: 1 })
        expect(await states('a')).toEqual(['rejected', 'deferred'])
        const [discarded] = await journal.listReportedRecords('a', 0, 1)
        expect(discarded?.problems[0]?.message).toMatch(/^It waited for its order, and Ada discarded it on /)
        await planFile(journal, lease, 'b', [planned(1, 'PO-1')])
        expect(await states('b')).toEqual(['planned'])
      })

      it('and the outcome of each', async () => {
        await stoppedFile()
        const decision = await release('a')
        const [sending] = await journal.startAttempts(lease, { file: 'a' }, 1)
        await journal.finishAttempts(lease, [accepted(sending!.id, '9')])
        expect(await journal.countDecidedRecords(decision!.id)).toEqual({ accepted: 1, planned: 1 })
      })

      it('only under the lease of the route, and only of a file whose reports are whole', async () => {
        await planFile(journal, lease, 'a', [planned(1, 'PO-1')])
        await journal.holdRemainingRecords(lease, 'a', STOPPED)
        await journal.markFileSubmitted(lease, 'a')
        await expect(release('a')).rejects.toMatchObject({ code: 'bug' })
        await journal.acquireLease('orders-in', 'bridge-2', 60_000, () => false)
        await expect(release('a')).rejects.toMatchObject({ code: 'lease-lost' })
      })
    })

    describe('shows held records', () => {
      it('by file and reason, since when', async () => {
        await stoppedFile()
        clock.advance(1000)
        const reason = [problem('held-by-mapping', {}, 'Tell them.')]
        await planFile(journal, lease, 'b', [planned(1, 'PO-9', { problems: reason, held: true })])
        expect(await journal.listHeldFiles(10)).toEqual([
          {
            file: 'a',
            name: 'a.csv',
            route: 'orders-in',
            receivedAt: START,
            code: 'circuit-breaker-open',
            records: 2,
            since: START,
          },
          {
            file: 'b',
            name: 'b.csv',
            route: 'orders-in',
            receivedAt: START + 1000,
            code: 'held-by-mapping',
            records: 1,
            since: START + 1000,
          },
        ])
        expect(await journal.listHeldFiles(10, 'b')).toMatchObject([{ file: 'b' }])
        expect(await journal.listHeldFiles(1)).toHaveLength(1)
      })

      it('record by record, and by the names that people use', async () => {
        await planFile(journal, lease, 'a', [
          planned(1, 'order 5: SKU', { keyValues: ['PO-5', '', 'SKU'] }),
          planned(2, 'PO-6'),
        ])
        await journal.holdRemainingRecords(lease, 'a', STOPPED)
        const all = await journal.listHeldRecords(10)
        const found = async (key: string, route = 'orders-in') =>
          (await journal.listHeldRecords(10, { route, key })).map(({ number }) => number)
        expect(all).toMatchObject([
          { number: 1, lines: [[2, 2]], name: 'a.csv', problems: [STOPPED] },
          { number: 2, keyValues: ['PO-6'] },
        ])
        expect(await found('PO-5, SKU')).toEqual([1])
        expect(await found('order 5: SKU')).toEqual([1])
        expect(await found(`#${all[1]!.id}`)).toEqual([2])
        expect(await found('PO-5')).toEqual([])
        expect(await found('PO-6', 'others')).toEqual([])
      })

      it('of files by their name or id', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.startClaims(lease, [{ id: 'b', folder: 'in', name: 'a.csv', size: 1, modifiedAt: 1 }])
        const called = async (text: string) => (await journal.findFilesByName(text, 10)).map(({ id }) => id)
        expect([await called('a.csv'), await called('a'), await called('x')]).toEqual([['b', 'a'], ['a'], []])
      })

      it('of files that were taken, by exactly their route, name, size and time', async () => {
        const file = { name: 'a.csv', size: 5, modifiedAt: 1000.25 }
        await journal.startClaims(lease, [{ id: 'gone', folder: 'in', ...file, size: 6 }])
        await journal.markFileVanished(lease, 'gone')
        await journal.startClaims(lease, [{ id: 'b', folder: 'in', ...file }])
        const route = lease.route
        expect(await journal.isFileTaken(route, file)).toBe(true)
        expect(await journal.isFileTaken('others', file)).toBe(false)
        expect(await journal.isFileTaken(route, { ...file, name: 'b.csv' })).toBe(false)
        expect(await journal.isFileTaken(route, { ...file, size: 6 })).toBe(false)
        expect(await journal.isFileTaken(route, { ...file, modifiedAt: 1000 })).toBe(false)
        await journal.markFileReceived(lease, 'b', { sha256: 'b', bytes: 5 })
        expect(await journal.isFileTaken(route, file)).toBe(true)
      })
    })
  })
}
