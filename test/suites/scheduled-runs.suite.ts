/** The promises of the journal about scheduled runs, for any database. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import type { NewScheduledRun } from '../../src/domain/scheduled-run.ts'
import { type TestClock, testClock } from './journal.suite.ts'

const date = (occurrence: string): NewScheduledRun => ({
  occurrence,
  dueAt: Date.parse(`${occurrence}T06:00Z`),
})
const instant = (occurrence: string): NewScheduledRun => ({ occurrence, dueAt: Date.parse(occurrence) })

export function scheduledRunsSuite(name: string, open: (clock: TestClock) => Promise<Journal>): void {
  describe(`scheduled runs in a journal ${name}`, () => {
    let journal: Journal
    let clock: TestClock
    let lease: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await journal.acquireLease('report', 'bridge-1', 1000, () => true)
      return () => journal.close()
    })

    const begin = (
      run: NewScheduledRun,
      more: { covered?: NewScheduledRun[]; missed?: NewScheduledRun[] } = {},
    ) => journal.startRun(lease, { covered: [], missed: [], ...run, ...more })
    const states = async () =>
      (await journal.listRecentRuns(10, 'report')).map(({ occurrence, state }) => `${occurrence} ${state}`)

    const compose = (id: string, run?: string) =>
      journal.createReportDelivery(lease, {
        id,
        nameFor: (sequence) => `report-${sequence}.csv`,
        folder: 'outbox',
        sha256: 'r',
        rows: 2,
        records: 1,
        ...(run === undefined ? {} : { scheduledRun: run }),
      })

    it('are unknown at first', async () => {
      expect(await journal.getKnownRuns('report')).toEqual({ begun: [] })
    })

    it('begins one once, and returns it unchanged when it is begun again', async () => {
      const first = await begin(date('2026-03-08'))
      clock.advance(500)
      const again = await begin(date('2026-03-08'))

      expect(first).toMatchObject({ route: 'report', occurrence: '2026-03-08', state: 'begun' })
      expect(again).toEqual(first)
      expect(await journal.getKnownRuns('report')).toEqual({ latestDate: '2026-03-08', begun: [first] })
    })

    it('never begins one that is done', async () => {
      await begin(date('2026-03-08'))
      await journal.finishRun(lease, '2026-03-08')

      expect(await begin(date('2026-03-08'))).toMatchObject({ state: 'done' })
      expect(await journal.getKnownRuns('report')).toEqual({ latestDate: '2026-03-08', begun: [] })
      await expect(journal.finishRun(lease, '2026-03-08')).rejects.toMatchObject({ code: 'bug' })
    })

    it('notes with it which runs it covers and which will never be carried out', async () => {
      await begin(date('2026-03-05'))
      await begin(date('2026-03-08'), {
        covered: [date('2026-03-05'), date('2026-03-07')],
        missed: [date('2026-03-04')],
      })

      expect(await states()).toEqual([
        '2026-03-08 begun',
        '2026-03-07 covered',
        '2026-03-05 covered',
        '2026-03-04 missed',
      ])
    })

    it('changes nothing of a run that has ended', async () => {
      await begin(date('2026-03-07'))
      await journal.finishRun(lease, '2026-03-07')
      await begin(date('2026-03-08'), { covered: [date('2026-03-07')], missed: [date('2026-03-07')] })

      expect(await states()).toEqual(['2026-03-08 begun', '2026-03-07 done'])
    })

    it('binds a report to its scheduled run, and only one', async () => {
      await begin(date('2026-03-08'))
      await compose('d1', '2026-03-08')

      const { begun } = await journal.getKnownRuns('report')
      expect(begun).toMatchObject([{ occurrence: '2026-03-08', delivery: 'd1' }])
      await expect(compose('d2', '2026-03-08')).rejects.toMatchObject({ code: 'bug' })
      expect(await journal.getDelivery('d2')).toBeUndefined()
    })

    it('binds no report to a run that was not begun', async () => {
      await expect(compose('d1', '2026-03-08')).rejects.toMatchObject({ code: 'bug' })
      await begin(date('2026-03-08'))
      await journal.finishRun(lease, '2026-03-08')
      await expect(compose('d1', '2026-03-08')).rejects.toMatchObject({ code: 'bug' })
    })

    it('distinguishes dates, instants and intervals of a route', async () => {
      await begin(date('2026-03-08'))
      await begin(instant('2026-03-08T06:00:00.000Z'))
      await journal.saveIntervalRun(lease, 900_000)
      await journal.saveIntervalRun(lease, 1_800_000)

      expect(await journal.getKnownRuns('report')).toMatchObject({
        latestDate: '2026-03-08',
        latestInstant: '2026-03-08T06:00:00.000Z',
        intervalAt: 1_800_000,
      })
      expect(await states()).toEqual(['2026-03-08 begun', '2026-03-08T06:00:00.000Z begun'])
    })

    it('knows from which one on a schedule counts', async () => {
      await journal.startSchedule(lease, date('2026-03-07'))

      expect(await journal.getKnownRuns('report')).toEqual({ latestDate: '2026-03-07', begun: [] })
      expect(await begin(date('2026-03-07'))).toMatchObject({ state: 'before' })
    })

    it('counts only what has come, so that a clock which was years ahead does no harm once it is right', async () => {
      clock.advance(Date.parse('2030-01-01T12:00Z') - clock.now())
      lease = await journal.acquireLease('report', 'bridge-1', 1000, () => false)
      await begin(date('2030-01-01'))
      await journal.finishRun(lease, '2030-01-01')
      await begin(instant('2030-01-01T06:00:00.000Z'))
      await journal.finishRun(lease, '2030-01-01T06:00:00.000Z')
      clock.advance(Date.parse('2026-03-08T12:00Z') - clock.now())
      lease = await journal.acquireLease('report', 'bridge-2', 1000, () => false)
      await begin(date('2026-03-08'))

      const known = await journal.getKnownRuns('report')
      expect(known).toMatchObject({ latestDate: '2026-03-08' })
      expect(known).not.toHaveProperty('latestInstant')
      expect(await begin(date('2030-01-01'))).toMatchObject({ state: 'begun' })
    })

    it('has a date again that was over before it had come, by whatever clock', async () => {
      const set = async (to: string) => {
        clock.advance(Date.parse(to) - clock.now())
        lease = await journal.acquireLease('report', `bridge-${to}`, 1000, () => false)
      }
      await set('2026-03-12T07:00Z')
      await begin(date('2026-03-12'), { covered: [date('2026-03-10')], missed: [date('2026-03-09')] })
      await compose('d1', '2026-03-12')
      await journal.finishRun(lease, '2026-03-12')
      await set('2026-03-09T07:00Z')
      expect(await journal.getKnownRuns('report')).toEqual({ begun: [] })
      await begin(date('2026-03-09'))
      await journal.finishRun(lease, '2026-03-09')
      await set('2026-03-12T08:00Z')
      expect(await journal.getKnownRuns('report')).toEqual({ latestDate: '2026-03-09', begun: [] })
      await begin(date('2026-03-12'), { covered: [date('2026-03-10')] })
      await compose('d2', '2026-03-12')

      expect(await states()).toEqual(['2026-03-12 begun', '2026-03-10 covered', '2026-03-09 done'])
      expect((await journal.getKnownRuns('report')).begun).toMatchObject([
        { occurrence: '2026-03-12', delivery: 'd2' },
      ])
    })

    it('has no date twice because the clock was set back by minutes', async () => {
      clock.advance(Date.parse('2026-03-08T06:01Z') - clock.now())
      lease = await journal.acquireLease('report', 'bridge-1', 1000, () => false)
      await begin(date('2026-03-08'))
      await journal.finishRun(lease, '2026-03-08')
      clock.advance(-20 * 60_000)
      lease = await journal.acquireLease('report', 'bridge-2', 1000, () => false)

      expect(await journal.getKnownRuns('report')).toMatchObject({ latestDate: '2026-03-08' })
      expect(await begin(date('2026-03-08'))).toMatchObject({ state: 'done' })
    })

    it('of one route only', async () => {
      await begin(date('2026-03-08'))

      expect(await journal.getKnownRuns('other')).toEqual({ begun: [] })
      expect(await journal.listRecentRuns(10, 'other')).toEqual([])
      expect(await journal.listRecentRuns(10)).toHaveLength(1)
    })

    it('lets no bridge that lost the route begin or end one', async () => {
      await begin(date('2026-03-08'))
      clock.advance(1001)
      const successor = await journal.acquireLease('report', 'bridge-2', 1000, () => true)

      await expect(begin(date('2026-03-09'))).rejects.toMatchObject({ code: 'lease-lost' })
      await expect(journal.finishRun(lease, '2026-03-08')).rejects.toMatchObject({ code: 'lease-lost' })
      await expect(compose('d1', '2026-03-08')).rejects.toMatchObject({ code: 'lease-lost' })
      await expect(journal.saveIntervalRun(lease, 1)).rejects.toMatchObject({ code: 'lease-lost' })
      await journal.finishRun(successor, '2026-03-08')
      expect(await states()).toEqual(['2026-03-08 done'])
    })
  })
}
