/** The promises of the journal about steps and waiting, for any database. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { problem, type ProblemCode } from '../../src/domain/problem.ts'
import type { PlannedRecord, RecordState } from '../../src/domain/record.ts'
import { planFile, planned, type TestClock, testClock } from './journal.suite.ts'

/** A record of a step; its lane is the order. */
function ofStep(
  number: number,
  step: number,
  order: string,
  more: Partial<PlannedRecord> = {},
): PlannedRecord {
  const lines = [[number, number]] as const
  return planned(number, `${step}-${number}`, {
    step,
    lane: order,
    keyValues: [order, `P${number}`],
    lines,
    ...more,
  })
}

export function stepsSuite(name: string, open: (clock: TestClock) => Promise<Journal>): void {
  describe(`steps in a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let lease: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await journal.acquireLease('fulfil', 'bridge-1', 60_000, () => true)
    })

    const states = async (file = 'a') =>
      (await journal.listReportedRecords(file, 0, 100)).map((each) => each.state)

    /** Sends the first record that may be sent, with this result. */
    async function send(
      state: 'accepted' | 'rejected' | 'deferred',
      code: ProblemCode = 'not-sent',
    ): Promise<number> {
      const [record] = await journal.startAttempts(lease, { file: 'a' }, 1)
      if (record === undefined) throw new Error('nothing may be sent')
      const problems =
        state === 'accepted' ? [] : [problem(state === 'rejected' ? 'api-refused' : code, {}, 'no')]
      await journal.finishAttempts(lease, [{ id: record.id, state, problems }])
      return record.number
    }

    it('knows the orders of a step, each once, with what its records have in common', async () => {
      const refused = { problems: [problem('value-missing', {}, 'no')] }
      await planFile(journal, lease, 'a', [
        ofStep(1, 1, '7'),
        ofStep(2, 1, '9'),
        ofStep(3, 1, '7'),
        ofStep(4, 1, '8', refused),
      ])

      expect(await journal.listStepOrders('a', 1, 0, 1)).toEqual([
        {
          lane: '7',
          number: 1,
          lines: [
            [1, 1],
            [3, 3],
          ],
          keyValues: ['7', ''],
        },
      ])
      expect((await journal.listStepOrders('a', 1, 1, 9)).map(({ lane }) => lane)).toEqual(['9', '8'])
      expect(await journal.listStepOrders('a', 2, 0, 9)).toEqual([])
    })

    it('gives an order the rows of its refused records too, but knows no order by them alone', async () => {
      const { naturalKey: _key, ...refused } = ofStep(2, 1, '7', {
        problems: [problem('value-missing', {}, 'no')],
      })
      const { naturalKey: _other, ...alone } = ofStep(4, 1, '9', { problems: refused.problems })
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), refused, ofStep(3, 1, '7'), alone])

      expect(await journal.listStepOrders('a', 1, 0, 9)).toMatchObject([
        {
          lane: '7',
          lines: [
            [1, 1],
            [2, 2],
            [3, 3],
          ],
        },
      ])
    })

    it('does not begin the steps after a refusal, and holds them with the name of the refused record', async () => {
      await planFile(journal, lease, 'a', [
        ofStep(1, 1, '7'),
        ofStep(2, 1, '9'),
        ofStep(3, 2, '7'),
        ofStep(4, 2, '9'),
        ofStep(5, 3, '7'),
      ])
      expect(await send('rejected')).toBe(1)

      expect((await journal.startAttempts(lease, { file: 'a' }, 9)).map(({ number }) => number)).toEqual([
        2, 4,
      ])
      expect(await journal.holdDependents(lease, 'a')).toBe(2)
      expect(await states()).toEqual([
        'rejected',
        'sending',
        'held',
        'sending',
        'held',
      ] satisfies RecordState[])
      const [, , third] = await journal.listReportedRecords('a', 0, 9)
      expect(third?.problems[0]).toMatchObject({
        code: 'earlier-step-failed',
        message: 'create-order of 7, P1 (line 1) was refused: no',
      })
      expect(await journal.holdDependents(lease, 'a')).toBe(0)
    })

    it('begins records that a person released, unless the earlier step fails again', async () => {
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 2, '7')])
      await send('rejected')
      await journal.holdDependents(lease, 'a')
      clock.advance(1000)

      await journal.applyDecision(lease, 'a', { action: 'release', by: 'Ada', why: 'it is done' })

      expect(await journal.holdDependents(lease, 'a')).toBe(0)
      expect(await send('accepted')).toBe(2)
    })

    it('lets a release count although the clock was set back since the refusal', async () => {
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 2, '7')])
      await send('rejected')
      await journal.holdDependents(lease, 'a')
      clock.advance(-1000)

      await journal.applyDecision(lease, 'a', { action: 'release', by: 'Ada', why: 'it is done' })

      expect(await journal.holdDependents(lease, 'a')).toBe(0)
      expect(await send('accepted')).toBe(2)
    })

    const stopped = problem('circuit-breaker-open', {}, 'stopped')

    it('holds the steps after a record that is released and refused again, with whatever clock', async () => {
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 2, '7')])
      await journal.holdRemainingRecords(lease, 'a', stopped)
      await journal.applyDecision(lease, 'a', { action: 'release', by: 'Ada', why: 'mended' })
      clock.advance(-50)
      expect(await send('rejected')).toBe(1)

      expect(await journal.startAttempts(lease, { file: 'a' }, 9)).toEqual([])
      expect(await journal.holdDependents(lease, 'a')).toBe(1)
    })

    it('holds the steps after a refusal that stopped the file, also when the rest is released', async () => {
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 1, '7'), ofStep(3, 2, '7')])
      await send('rejected')
      await journal.holdRemainingRecords(lease, 'a', stopped)
      clock.advance(1000)

      await journal.applyDecision(lease, 'a', { action: 'release', by: 'Ada', why: 'mended' })

      expect(await send('accepted')).toBe(2)
      expect(await journal.startAttempts(lease, { file: 'a' }, 9)).toEqual([])
      expect(await journal.holdDependents(lease, 'a')).toBe(1)
      expect(await states()).toEqual(['rejected', 'accepted', 'held'] satisfies RecordState[])
    })

    it('holds the steps after a released record whose key another file has taken with other contents', async () => {
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 2, '7')])
      await journal.holdRemainingRecords(lease, 'a', stopped)
      await planFile(journal, lease, 'b', [ofStep(1, 1, '7', { bodyHash: 'other', body: '{"other":1}' })])
      clock.advance(1000)

      await journal.applyDecision(lease, 'a', { action: 'release', by: 'Ada', why: 'mended' })

      expect(await journal.startAttempts(lease, { file: 'a' }, 9)).toEqual([])
      expect(await journal.holdDependents(lease, 'a')).toBe(1)
      expect(await states()).toEqual(['rejected', 'held'] satisfies RecordState[])
    })

    it('counts a failure again whose release came to nothing, for records that were not sent since', async () => {
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 2, '7'), ofStep(3, 3, '7')])
      await send('rejected')
      await journal.holdDependents(lease, 'a')
      const [, second, third] = await journal.listReportedRecords('a', 0, 9)
      const release = { action: 'release', by: 'Ada', why: 'it is done' } as const
      await journal.applyDecision(lease, 'a', { ...release, record: third?.id ?? 0 })
      await journal.applyDecision(lease, 'a', { ...release, action: 'discard', record: second?.id ?? 0 })

      expect(await journal.startAttempts(lease, { file: 'a' }, 9)).toEqual([])
      expect(await journal.holdDependents(lease, 'a')).toBe(1)
    })

    /** Two files with the same first record, which is being sent from the first file. */
    async function repeatedInFlight() {
      await planFile(journal, lease, 'first', [ofStep(1, 1, '7')])
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 1, '7'), ofStep(3, 2, '7')])
      const [begun] = await journal.startAttempts(lease, { file: 'first' }, 1)
      expect(await send('accepted')).toBe(2)
      return { id: begun?.id ?? 0 }
    }

    it('defers the steps after a duplicate until the record it repeats, in another file, is accepted', async () => {
      const first = await repeatedInFlight()

      expect(await journal.startAttempts(lease, { file: 'a' }, 9)).toEqual([])
      expect(await journal.holdDependents(lease, 'a')).toBe(0)
      expect(await states()).toEqual(['duplicate', 'accepted', 'deferred'] satisfies RecordState[])
      expect((await journal.listReportedRecords('a', 2, 1))[0]?.problems).toMatchObject([
        { code: 'not-sent', message: 'create-order of 7, P1 (line 1) is still on its way from first.csv' },
      ])
      await journal.finishAttempts(lease, [{ ...first, state: 'accepted', problems: [] }])
      await journal.retryDeferredRecords(lease, { file: 'a' })

      expect(await send('accepted')).toBe(3)
    })

    it('holds the steps after a duplicate whose first record was refused, until a person releases it', async () => {
      const first = await repeatedInFlight()
      const refused = [problem('api-refused', {}, 'no')]
      await journal.finishAttempts(lease, [{ ...first, state: 'rejected', problems: refused }])

      expect(await journal.startAttempts(lease, { file: 'a' }, 9)).toEqual([])
      expect(await journal.holdDependents(lease, 'a')).toBe(1)
      expect((await journal.listReportedRecords('a', 2, 1))[0]?.problems[0]).toMatchObject({
        code: 'earlier-step-failed',
        message: expect.stringMatching(
          /^create-order of 7, P1 \(line 1\) repeats a record that was refused or is held: .*first\.csv/,
        ),
      })
      await journal.applyDecision(lease, 'a', { action: 'release', by: 'Ada', why: 'it is done' })
      expect(await send('accepted')).toBe(3)
    })

    it('puts refused records into the lane of their order', async () => {
      const lost = planned(1, '', { step: 1, problems: [problem('order-unknown', {}, 'no')] })
      const { lane: _, naturalKey: _key, ...refused } = lost
      await planFile(journal, lease, 'a', [refused, ofStep(2, 2, '7')])
      expect(await journal.holdDependents(lease, 'a')).toBe(0)

      await journal.assignLanes(lease, 'a', [{ number: 1, lane: '7' }])

      expect(await journal.holdDependents(lease, 'a')).toBe(1)
    })

    it('reports records that only wait for their order, and tries them again on request', async () => {
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 2, '7'), ofStep(3, 1, '9')])
      await send('deferred', 'waiting-for-order')
      expect(await journal.isOnlyWaitingForOrders('a')).toBe(false)
      await send('accepted')

      expect(await journal.isOnlyWaitingForOrders('a')).toBe(true)
      expect(await journal.listWaitingFiles(9)).toMatchObject([{ file: 'a', records: 1, message: 'no' }])
      await journal.retryDeferredRecords(lease, { file: 'a' })
      const [waiting] = await journal.listWaitingRecords('a', 0, 9)
      expect(waiting).toMatchObject({ lane: '7', operation: 'create-order' })
      await journal.retryWaitingRecords(lease, 'a', [waiting?.id ?? 0])
      expect(await journal.listWaitingRecords('a', 0, 9)).toEqual([])
      expect(await send('accepted')).toBe(1)
    })
  })
}
