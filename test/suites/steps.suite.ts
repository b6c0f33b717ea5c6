/** The promises of the journal about steps and waiting, for whatever database keeps it. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Journal, Lease } from '../../src/domain/journal.ts'
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
      lease = await journal.takeLease('fulfil', 'bridge-1', 60_000, () => true)
    })

    const states = async (file = 'a') =>
      (await journal.reportedRecords(file, 0, 100)).map((each) => each.state)

    /** Sends the first record that may be sent, with this result. */
    async function send(
      state: 'accepted' | 'rejected' | 'deferred',
      code: ProblemCode = 'not-sent',
    ): Promise<number> {
      const [record] = await journal.beginAttempts(lease, { file: 'a' }, 1)
      if (record === undefined) throw new Error('nothing may be sent')
      const problems =
        state === 'accepted' ? [] : [problem(state === 'rejected' ? 'api-refused' : code, {}, 'no')]
      await journal.endAttempts(lease, [{ id: record.id, state, problems }])
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

      expect(await journal.ordersOfStep('a', 1, 0, 1)).toEqual([
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
      expect((await journal.ordersOfStep('a', 1, 1, 9)).map(({ lane }) => lane)).toEqual(['9', '8'])
      expect(await journal.ordersOfStep('a', 2, 0, 9)).toEqual([])
    })

    it('does not begin what follows on a refusal, and holds it with the name of what was refused', async () => {
      await planFile(journal, lease, 'a', [
        ofStep(1, 1, '7'),
        ofStep(2, 1, '9'),
        ofStep(3, 2, '7'),
        ofStep(4, 2, '9'),
        ofStep(5, 3, '7'),
      ])
      expect(await send('rejected')).toBe(1)

      expect((await journal.beginAttempts(lease, { file: 'a' }, 9)).map(({ number }) => number)).toEqual([
        2, 4,
      ])
      expect(await journal.holdFollowers(lease, 'a')).toBe(2)
      expect(await states()).toEqual([
        'rejected',
        'sending',
        'held',
        'sending',
        'held',
      ] satisfies RecordState[])
      const [, , third] = await journal.reportedRecords('a', 0, 9)
      expect(third?.problems[0]).toMatchObject({
        code: 'earlier-step-failed',
        message: 'create-order of 7, P1 (line 1) was refused: no',
      })
      expect(await journal.holdFollowers(lease, 'a')).toBe(0)
    })

    it('begins what a person released, unless the earlier step fails again', async () => {
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 2, '7')])
      await send('rejected')
      await journal.holdFollowers(lease, 'a')
      clock.advance(1000)

      await journal.decide(lease, 'a', { action: 'release', by: 'Ada', why: 'it is settled' })

      expect(await journal.holdFollowers(lease, 'a')).toBe(0)
      expect(await send('accepted')).toBe(2)
    })

    it('puts refused records into the lane of the order they stand with', async () => {
      const lost = planned(1, '', { step: 1, problems: [problem('order-unknown', {}, 'no')] })
      const { lane: _, naturalKey: _key, ...refused } = lost
      await planFile(journal, lease, 'a', [refused, ofStep(2, 2, '7')])
      expect(await journal.holdFollowers(lease, 'a')).toBe(0)

      await journal.joinLanes(lease, 'a', [{ number: 1, lane: '7' }])

      expect(await journal.holdFollowers(lease, 'a')).toBe(1)
    })

    it('tells what only waits for its order, and tries it again when it is told to', async () => {
      await planFile(journal, lease, 'a', [ofStep(1, 1, '7'), ofStep(2, 2, '7'), ofStep(3, 1, '9')])
      await send('deferred', 'waits-for-close')
      expect(await journal.onlyWaits('a')).toBe(false)
      await send('accepted')

      expect(await journal.onlyWaits('a')).toBe(true)
      expect(await journal.waitingFiles(9)).toMatchObject([{ file: 'a', records: 1, message: 'no' }])
      await journal.retryDeferred(lease, { file: 'a' })
      const [waiting] = await journal.recordsInWait('a', 0, 9)
      expect(waiting).toMatchObject({ lane: '7', operation: 'create-order' })
      await journal.retryWaiting(lease, 'a', [waiting?.id ?? 0])
      expect(await journal.recordsInWait('a', 0, 9)).toEqual([])
      expect(await send('accepted')).toBe(1)
    })
  })
}
