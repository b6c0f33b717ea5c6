/** Which runs are due, from a schedule, the time and what is known. */
import { describe, expect, test } from 'vitest'
import { findDueRuns, findNextRunAfter, findNextRunAt } from '../../src/schedule/schedule.ts'
import type { Route } from '../../src/config/routes.ts'
import type { DailySchedule, Schedule } from '../../src/config/schedule.ts'
import type { KnownRuns, ScheduledRun } from '../../src/domain/scheduled-run.ts'

const DAILY: DailySchedule = {
  kind: 'daily',
  after: '06:30',
  zone: 'America/New_York',
  days: [1, 2, 3, 4, 5, 6, 7],
  catchUpDays: 7,
}
const WEEKDAYS: DailySchedule = { ...DAILY, days: [1, 2, 3, 4, 5] }
const CRON: Schedule = { kind: 'cron', expression: '0 6 * * 1-5', zone: 'Europe/Berlin' }
const EVERY: Schedule = { kind: 'every', everyMs: 15 * 60_000 }

const NOTHING: KnownRuns = { begun: [] }

function begun(occurrence: string, dueAt: string): ScheduledRun {
  return { route: 'r', occurrence, dueAt: Date.parse(dueAt), state: 'begun', changedAt: 0 }
}

function due(schedule: Schedule, now: string, known: KnownRuns = NOTHING, oneByOne = true) {
  const { runs, covered, missed, before } = findDueRuns(schedule, known, { now: Date.parse(now), oneByOne })
  const named = (list: readonly { occurrence: string }[]) => list.map(({ occurrence }) => occurrence)
  return {
    runs: named(runs),
    ...(covered.length > 0 ? { covered: named(covered) } : {}),
    ...(missed.length > 0 ? { missed: named(missed) } : {}),
    ...(before === undefined ? {} : { before: before.occurrence }),
  }
}

describe('daily', () => {
  test('a business date is due from its time on and not before', () => {
    const known = { ...NOTHING, latestDate: '2026-03-07' }

    expect(due(DAILY, '2026-03-08T10:29:59.999Z', known)).toEqual({ runs: [] })
    expect(due(DAILY, '2026-03-08T10:30:00.000Z', known)).toEqual({ runs: ['2026-03-08'] })
    expect(due(DAILY, '2026-03-09T03:59:00.000Z', known)).toEqual({ runs: ['2026-03-08'] })
  })

  test('a date whose run is done is not due again', () => {
    const known = { ...NOTHING, latestDate: '2026-03-08' }

    expect(due(DAILY, '2026-03-08T23:00Z', known)).toEqual({ runs: [] })
    expect(findNextRunAfter(DAILY, known, Date.parse('2026-03-08T23:00Z'))).toBe(
      Date.parse('2026-03-09T10:30Z'),
    )
  })

  test('at a first start after the time of the day the date is due; at one before it the date waits', () => {
    expect(due(DAILY, '2026-03-08T15:00Z')).toEqual({ runs: ['2026-03-08'] })
    expect(due(DAILY, '2026-03-08T09:00Z')).toEqual({ runs: [], before: '2026-03-07' })
  })

  test('a first start on a day without a run makes up for none', () => {
    expect(due(WEEKDAYS, '2026-03-08T15:00Z')).toEqual({ runs: [], before: '2026-03-06' })
  })

  test('missed dates are due one by one, the oldest first', () => {
    const known = { ...NOTHING, latestDate: '2026-03-06' }

    expect(due(DAILY, '2026-03-10T12:00Z', known)).toEqual({
      runs: ['2026-03-07', '2026-03-08', '2026-03-09', '2026-03-10'],
    })
    expect(due(WEEKDAYS, '2026-03-10T12:00Z', known)).toEqual({ runs: ['2026-03-09', '2026-03-10'] })
  })

  test('where one pass does for all, the last date covers the others', () => {
    const known = { ...NOTHING, latestDate: '2026-03-07' }

    expect(due(DAILY, '2026-03-10T12:00Z', known, false)).toEqual({
      runs: ['2026-03-10'],
      covered: ['2026-03-08', '2026-03-09'],
    })
  })

  test('dates that are too old are missed, but the last date never is', () => {
    const known = { ...NOTHING, latestDate: '2026-03-01' }
    const twoDays = { ...DAILY, catchUpDays: 2 }
    const mondays = { ...DAILY, days: [1], catchUpDays: 0 }

    expect(due(twoDays, '2026-03-06T12:00Z', known)).toEqual({
      runs: ['2026-03-04', '2026-03-05', '2026-03-06'],
      missed: ['2026-03-02', '2026-03-03'],
    })
    expect(due(mondays, '2026-03-18T12:00Z', known)).toEqual({
      runs: ['2026-03-16'],
      missed: ['2026-03-02', '2026-03-09'],
    })
  })

  test('a run that was begun continues before the later ones, whatever the time is', () => {
    const known = { latestDate: '2026-03-08', begun: [begun('2026-03-08', '2026-03-08T10:30Z')] }

    expect(due(DAILY, '2026-03-08T12:00Z', known)).toEqual({ runs: ['2026-03-08'] })
    expect(due(DAILY, '2026-03-09T12:00Z', known)).toEqual({ runs: ['2026-03-08', '2026-03-09'] })
    expect(due(DAILY, '2026-03-09T12:00Z', known, false)).toEqual({
      runs: ['2026-03-09'],
      covered: ['2026-03-08'],
    })
  })

  test('a clock that is set back makes no date due a second time', () => {
    const known = { ...NOTHING, latestDate: '2026-03-09' }

    expect(due(DAILY, '2026-03-08T12:00Z', known)).toEqual({ runs: [] })
    expect(findNextRunAfter(DAILY, known, Date.parse('2026-03-08T12:00Z'))).toBe(
      Date.parse('2026-03-10T10:30Z'),
    )
  })
})

describe('cron', () => {
  const known = { ...NOTHING, latestInstant: '2026-11-19T05:00:00.000Z' }

  test('an instant is due when it has come', () => {
    expect(due(CRON, '2026-11-20T04:59:59Z', known)).toEqual({ runs: [] })
    expect(due(CRON, '2026-11-20T05:00:00Z', known)).toEqual({ runs: ['2026-11-20T05:00:00.000Z'] })
  })

  test('one run covers all the instants that have passed', () => {
    expect(due(CRON, '2026-11-30T09:00:00Z', known)).toEqual({ runs: ['2026-11-30T05:00:00.000Z'] })
  })

  test('instants before the first start are not made up for', () => {
    expect(due(CRON, '2026-11-21T12:00:00Z')).toEqual({ runs: [], before: '2026-11-20T05:00:00.000Z' })
  })

  test('a run that was begun continues', () => {
    const left = begun('2026-11-19T05:00:00.000Z', '2026-11-19T05:00:00.000Z')

    expect(due(CRON, '2026-11-19T06:00Z', { ...known, begun: [left] })).toEqual({ runs: [left.occurrence] })
  })
})

describe('every', () => {
  test('intervals begin at the same times everywhere', () => {
    expect(due(EVERY, '2026-11-21T12:07:30Z')).toEqual({ runs: ['2026-11-21T12:00:00.000Z'] })
  })

  test('the next run comes with the next interval, however late the last one was', () => {
    const known = { ...NOTHING, intervalAt: Date.parse('2026-11-21T12:00Z') }

    expect(due(EVERY, '2026-11-21T12:14:59Z', known)).toEqual({ runs: [] })
    expect(due(EVERY, '2026-11-21T12:15:00Z', known)).toEqual({ runs: ['2026-11-21T12:15:00.000Z'] })
  })

  test('a clock that was wrong by a month does not keep the route from its runs', () => {
    const known = { ...NOTHING, intervalAt: Date.parse('2026-12-21T12:00Z') }

    expect(due(EVERY, '2026-11-21T12:00:00Z', known)).toEqual({ runs: ['2026-11-21T12:00:00.000Z'] })
  })
})

describe('routes that say nothing of times', () => {
  const now = Date.parse('2026-11-21T12:07:30Z')
  const later = { ...NOTHING, intervalAt: Date.parse('2026-11-21T12:00Z') }

  test('one that takes files is always due', () => {
    expect(findNextRunAt({ direction: 'inbound' } as Route, NOTHING, now)).toBe(now)
  })

  test('an export is due every quarter of an hour', () => {
    expect(findNextRunAt({ direction: 'outbound' } as Route, later, now)).toBe(
      Date.parse('2026-11-21T12:15Z'),
    )
  })

  test('a report is never due by itself: each pass would write another file', () => {
    const report = { direction: 'outbound', report: { select: {}, empty: 'skip' } } as unknown as Route

    expect(findNextRunAt(report, NOTHING, now)).toBe(Infinity)
  })
})
