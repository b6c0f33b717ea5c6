/** Which turns are due, from a schedule, the time and what is known. */
import { describe, expect, test } from 'vitest'
import { dueTurns, nextAfter, nextTurnAt } from '../../../src/bridge/schedule/schedule.ts'
import type { Route } from '../../../src/config/routes.ts'
import type { DailySchedule, Schedule } from '../../../src/config/schedule.ts'
import type { KnownTurns, TurnEntry } from '../../../src/domain/turns.ts'

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

const NOTHING: KnownTurns = { begun: [] }

function begun(turn: string, dueAt: string): TurnEntry {
  return { route: 'r', turn, dueAt: Date.parse(dueAt), state: 'begun', changedAt: 0 }
}

function due(schedule: Schedule, now: string, known: KnownTurns = NOTHING, oneByOne = true) {
  const { turns, covered, missed, before } = dueTurns(schedule, known, { now: Date.parse(now), oneByOne })
  const named = (list: readonly { turn: string }[]) => list.map(({ turn }) => turn)
  return {
    turns: named(turns),
    ...(covered.length > 0 ? { covered: named(covered) } : {}),
    ...(missed.length > 0 ? { missed: named(missed) } : {}),
    ...(before === undefined ? {} : { before: before.turn }),
  }
}

describe('daily', () => {
  test('a business date is due from its time on and not before', () => {
    const known = { ...NOTHING, latestDate: '2026-03-07' }

    expect(due(DAILY, '2026-03-08T10:29:59.999Z', known)).toEqual({ turns: [] })
    expect(due(DAILY, '2026-03-08T10:30:00.000Z', known)).toEqual({ turns: ['2026-03-08'] })
    expect(due(DAILY, '2026-03-09T03:59:00.000Z', known)).toEqual({ turns: ['2026-03-08'] })
  })

  test('a date that had its turn is not due again', () => {
    const known = { ...NOTHING, latestDate: '2026-03-08' }

    expect(due(DAILY, '2026-03-08T23:00Z', known)).toEqual({ turns: [] })
    expect(nextAfter(DAILY, known, Date.parse('2026-03-08T23:00Z'))).toBe(Date.parse('2026-03-09T10:30Z'))
  })

  test('a first start after the time of the day has its turn, one before it waits for it', () => {
    expect(due(DAILY, '2026-03-08T15:00Z')).toEqual({ turns: ['2026-03-08'] })
    expect(due(DAILY, '2026-03-08T09:00Z')).toEqual({ turns: [], before: '2026-03-07' })
  })

  test('a first start on a day without a turn makes up for none', () => {
    expect(due(WEEKDAYS, '2026-03-08T15:00Z')).toEqual({ turns: [], before: '2026-03-06' })
  })

  test('missed dates are due one by one, the oldest first', () => {
    const known = { ...NOTHING, latestDate: '2026-03-06' }

    expect(due(DAILY, '2026-03-10T12:00Z', known)).toEqual({
      turns: ['2026-03-07', '2026-03-08', '2026-03-09', '2026-03-10'],
    })
    expect(due(WEEKDAYS, '2026-03-10T12:00Z', known)).toEqual({ turns: ['2026-03-09', '2026-03-10'] })
  })

  test('where one pass does for all, the last date covers the others', () => {
    const known = { ...NOTHING, latestDate: '2026-03-07' }

    expect(due(DAILY, '2026-03-10T12:00Z', known, false)).toEqual({
      turns: ['2026-03-10'],
      covered: ['2026-03-08', '2026-03-09'],
    })
  })

  test('what lies too far back is missed, but the last date never is', () => {
    const known = { ...NOTHING, latestDate: '2026-03-01' }
    const twoDays = { ...DAILY, catchUpDays: 2 }
    const mondays = { ...DAILY, days: [1], catchUpDays: 0 }

    expect(due(twoDays, '2026-03-06T12:00Z', known)).toEqual({
      turns: ['2026-03-04', '2026-03-05', '2026-03-06'],
      missed: ['2026-03-02', '2026-03-03'],
    })
    expect(due(mondays, '2026-03-18T12:00Z', known)).toEqual({
      turns: ['2026-03-16'],
      missed: ['2026-03-02', '2026-03-09'],
    })
  })

  test('a turn that was begun goes on before the later ones, whatever the time is', () => {
    const known = { latestDate: '2026-03-08', begun: [begun('2026-03-08', '2026-03-08T10:30Z')] }

    expect(due(DAILY, '2026-03-08T12:00Z', known)).toEqual({ turns: ['2026-03-08'] })
    expect(due(DAILY, '2026-03-09T12:00Z', known)).toEqual({ turns: ['2026-03-08', '2026-03-09'] })
    expect(due(DAILY, '2026-03-09T12:00Z', known, false)).toEqual({
      turns: ['2026-03-09'],
      covered: ['2026-03-08'],
    })
  })

  test('a clock that is set back gives no date a second turn', () => {
    const known = { ...NOTHING, latestDate: '2026-03-09' }

    expect(due(DAILY, '2026-03-08T12:00Z', known)).toEqual({ turns: [] })
    expect(nextAfter(DAILY, known, Date.parse('2026-03-08T12:00Z'))).toBe(Date.parse('2026-03-10T10:30Z'))
  })
})

describe('cron', () => {
  const known = { ...NOTHING, latestInstant: '2026-11-19T05:00:00.000Z' }

  test('an instant is due when it has come', () => {
    expect(due(CRON, '2026-11-20T04:59:59Z', known)).toEqual({ turns: [] })
    expect(due(CRON, '2026-11-20T05:00:00Z', known)).toEqual({ turns: ['2026-11-20T05:00:00.000Z'] })
  })

  test('one turn does for all the instants that have passed', () => {
    expect(due(CRON, '2026-11-30T09:00:00Z', known)).toEqual({ turns: ['2026-11-30T05:00:00.000Z'] })
  })

  test('instants before the first start are not made up for', () => {
    expect(due(CRON, '2026-11-21T12:00:00Z')).toEqual({ turns: [], before: '2026-11-20T05:00:00.000Z' })
  })

  test('a turn that was begun goes on', () => {
    const left = begun('2026-11-19T05:00:00.000Z', '2026-11-19T05:00:00.000Z')

    expect(due(CRON, '2026-11-19T06:00Z', { ...known, begun: [left] })).toEqual({ turns: [left.turn] })
  })
})

describe('every', () => {
  test('intervals begin at the same times everywhere', () => {
    expect(due(EVERY, '2026-11-21T12:07:30Z')).toEqual({ turns: ['2026-11-21T12:00:00.000Z'] })
  })

  test('the next turn comes with the next interval, however late the last one was', () => {
    const known = { ...NOTHING, intervalAt: Date.parse('2026-11-21T12:00Z') }

    expect(due(EVERY, '2026-11-21T12:14:59Z', known)).toEqual({ turns: [] })
    expect(due(EVERY, '2026-11-21T12:15:00Z', known)).toEqual({ turns: ['2026-11-21T12:15:00.000Z'] })
  })

  test('a clock that was wrong by a month does not keep the route from its turns', () => {
    const known = { ...NOTHING, intervalAt: Date.parse('2026-12-21T12:00Z') }

    expect(due(EVERY, '2026-11-21T12:00:00Z', known)).toEqual({ turns: ['2026-11-21T12:00:00.000Z'] })
  })
})

describe('routes that say nothing of times', () => {
  const now = Date.parse('2026-11-21T12:07:30Z')
  const later = { ...NOTHING, intervalAt: Date.parse('2026-11-21T12:00Z') }

  test('one that takes files is always due', () => {
    expect(nextTurnAt({ direction: 'inbound' } as Route, NOTHING, now)).toBe(now)
  })

  test('an export is due every quarter of an hour', () => {
    expect(nextTurnAt({ direction: 'outbound' } as Route, later, now)).toBe(Date.parse('2026-11-21T12:15Z'))
  })

  test('a report is never due by itself: each pass would write another file', () => {
    const report = { direction: 'outbound', report: { select: {}, empty: 'skip' } } as unknown as Route

    expect(nextTurnAt(report, NOTHING, now)).toBe(Infinity)
  })
})
