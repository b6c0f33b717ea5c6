/** The promises of the journal about changes that a later file has superseded, for any database. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { problem } from '../../src/domain/problem.ts'
import type { PlannedRecord, RecordResult } from '../../src/domain/record.ts'
import { accepted, planFile, planned, receiveFile, type TestClock, testClock } from './journal.suite.ts'

/** A change of these values of an item. */
function changing(file: string, number: number, values: string[], more: Partial<PlannedRecord> = {}) {
  const change = { target: `variant_id ${number}`, values }
  return planned(number, `${number} ${file}`, { operation: 'update-variant', change, ...more })
}

export function supersededSuite(name: string, open: (clock: TestClock) => Promise<Journal>): void {
  describe(`changes in a journal ${name}`, () => {
    let journal: Journal
    let lease: Lease

    beforeEach(async () => {
      const clock = testClock()
      journal = await open(clock)
      lease = await journal.acquireLease('stock', 'bridge-1', 60_000, () => true)
    })

    const states = async (file: string) =>
      (await journal.listReportedRecords(file, 0, 100)).map((each) => each.state)

    async function send(file: string, result: Omit<RecordResult, 'id'>): Promise<void> {
      const records = await journal.startAttempts(lease, { file }, 100)
      await journal.finishAttempts(
        lease,
        records.map(({ id }) => ({ id, ...result })),
      )
    }
    const busy = { state: 'deferred', http: 503, problems: [problem('not-sent', {}, 'busy')] } as const
    const done = { state: 'accepted', problems: [] } as const

    it('leaves out what a later file has changed, and sends the rest', async () => {
      await planFile(journal, lease, 'morning', [
        changing('morning', 1, ['inventory']),
        changing('morning', 2, ['inventory']),
      ])
      await send('morning', busy)
      await planFile(journal, lease, 'noon', [changing('noon', 1, ['inventory'])])
      await send('noon', done)

      await journal.retryDeferredRecords(lease, { file: 'morning' })
      const sent = await journal.startAttempts(lease, { file: 'morning' }, 1)

      expect(sent).toMatchObject([{ number: 2, attempt: 2 }])
      const [first] = await journal.listReportedRecords('morning', 0, 1)
      expect(first).toMatchObject({ state: 'skipped', attempts: 1 })
      expect(first?.http).toBeUndefined()
      expect(first?.problems).toMatchObject([
        {
          code: 'superseded',
          message: 'the file noon.csv, received later, has newer values for it',
        },
      ])
    })

    it('sends a change that no later file contains, or that was not accepted there', async () => {
      await planFile(journal, lease, 'morning', [
        changing('morning', 1, ['inventory']),
        changing('morning', 2, ['inventory']),
        changing('morning', 3, ['inventory']),
      ])
      await planFile(journal, lease, 'noon', [
        changing('noon', 1, ['cost']),
        changing('noon', 2, ['inventory'], { account: 'retailer/9' }),
        changing('noon', 4, ['inventory']),
      ])
      await send('noon', done)
      await planFile(journal, lease, 'evening', [changing('evening', 3, ['inventory'])])
      await send('evening', { state: 'rejected', http: 400, problems: [problem('api-refused', {}, 'no')] })

      const sent = await journal.startAttempts(lease, { file: 'morning' }, 9)
      expect(sent.map(({ number }) => number)).toEqual([1, 2, 3])
    })

    it('sends the newer of two files, whatever the outcome of the older', async () => {
      await planFile(journal, lease, 'morning', [changing('morning', 1, ['inventory'])])
      await send('morning', done)
      await planFile(journal, lease, 'noon', [changing('noon', 1, ['inventory'])])
      expect(await journal.startAttempts(lease, { file: 'noon' }, 9)).toHaveLength(1)
    })

    it('refuses a change of which only some is newer elsewhere, so that the rest is not lost unseen', async () => {
      await planFile(journal, lease, 'morning', [changing('morning', 1, ['cost', 'inventory'])])
      await planFile(journal, lease, 'noon', [changing('noon', 1, ['inventory', 'upc'])])
      await send('noon', done)
      expect(await journal.startAttempts(lease, { file: 'morning' }, 9)).toEqual([])
      expect(await journal.listReportedRecords('morning', 0, 1)).toMatchObject([
        {
          state: 'rejected',
          problems: [
            {
              code: 'superseded',
              message: expect.stringMatching(/newer values for inventory of it, but not for all/),
            },
          ],
        },
      ])
    })

    it('leaves out those of a block that is added when it starts, and starts the others once', async () => {
      await receiveFile(journal, lease, 'morning')
      await journal.startPlanning(lease, 'morning')
      const found = { keyColumns: ['SKU'], headerLines: 1, encoding: 'utf-8', keyed: [], total: 2 }
      await journal.markFilePlanned(lease, 'morning', found)
      await planFile(journal, lease, 'noon', [changing('noon', 1, ['inventory'])])
      await send('noon', done)

      const added = [changing('morning', 1, ['inventory']), changing('morning', 2, ['inventory'])]
      const started = await journal.startAttempts(lease, { file: 'morning' }, 9, { added })

      expect(started).toMatchObject([{ number: 2, attempt: 1 }])
      expect(await journal.listReportedRecords('morning', 0, 9)).toMatchObject([
        { state: 'skipped', attempts: 0 },
        { state: 'sending', attempts: 1 },
      ])
    })

    it('leaves out a close after a newer reopen, also when its answer was lost or a person released it', async () => {
      const change = { target: 'order_id 7', values: ['status'] }
      const close = (file: string, number: number) =>
        planned(number, `7 ${file}`, { operation: 'close-order', lane: '7', change })
      await planFile(journal, lease, 'lost', [close('lost', 1)])
      await planFile(journal, lease, 'held', [close('held', 1)])
      const [lost] = await journal.startAttempts(lease, { file: 'lost' }, 1)
      await journal.recoverAttempts(lease, { file: 'lost' })
      await journal.holdRemainingRecords(lease, 'held', problem('circuit-breaker-open', {}, 'stopped'))
      const reopen = planned(1, '7 newer', { operation: 'reopen-order', lane: '7', change })
      await planFile(journal, lease, 'newer', [reopen])
      const [newer] = await journal.startAttempts(lease, { file: 'newer' }, 1)
      await journal.finishAttempts(lease, [accepted(newer!.id, '7')])

      await journal.saveReconciledResults(lease, [{ id: lost!.id, state: 'planned', problems: [] }])
      await journal.applyDecision(lease, 'held', { action: 'release', by: 'Ada', why: 'mended' })
      expect(await journal.startAttempts(lease, { file: 'lost' }, 9)).toEqual([])
      expect(await journal.startAttempts(lease, { file: 'held' }, 9)).toEqual([])
      expect([await states('lost'), await states('held')]).toEqual([['skipped'], ['skipped']])
    })

    it('begins no step after a change that it has just refused', async () => {
      const more = { lane: '1' }
      await planFile(journal, lease, 'morning', [
        changing('morning', 1, ['cost', 'inventory'], { step: 1, ...more }),
        planned(2, 'after', { operation: 'create-invoice', step: 2, ...more }),
      ])
      await planFile(journal, lease, 'noon', [changing('noon', 1, ['inventory'])])
      await send('noon', done)
      expect(await journal.startAttempts(lease, { file: 'morning' }, 9)).toEqual([])
      expect(await states('morning')).toEqual(['rejected', 'planned'])
    })
  })
}
