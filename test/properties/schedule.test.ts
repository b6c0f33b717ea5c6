/** Whenever a bridge is started and stopped: each scheduled run once, in order, none early. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCronTimes, findDueRuns, findNextRunAfter } from '../../src/schedule/schedule.ts'
import { addDays, getLocalDate, toInstant, getWeekday } from '../../src/schedule/zone-time.ts'
import type { DailySchedule, Schedule } from '../../src/config/schedule.ts'
import type { KnownRuns, NewScheduledRun } from '../../src/domain/scheduled-run.ts'

const HOUR_MS = 3_600_000

/** With clocks that are set at midnight, by half an hour, and not at all. */
const zone = fc.constantFrom(
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Kolkata',
  'UTC',
)
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
const day = fc.integer({ min: 1, max: 7 })
const daily: fc.Arbitrary<DailySchedule> = fc.record({
  kind: fc.constant('daily' as const),
  after: time,
  zone,
  days: fc.uniqueArray(day, { minLength: 1 }),
  catchUpDays: fc.constant(366),
})
/** Clocks are set in the hours after some midnight: New York, Berlin, Beirut, Lord Howe, Santiago, and back again. */
const settings = fc
  .tuple(
    fc.constantFrom('2026-03-08', '2026-03-29', '2026-10-04', '2026-09-06', '2026-10-25', '2026-11-01'),
    fc.integer({ min: -12 * 60, max: 24 * 60 }),
  )
  .map(([date, minutes]) => Date.parse(date) + minutes * 60_000)
const anyTime = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) })
const start = fc.oneof(anyTime, settings)
/** The times at which a bridge checks: every few minutes, or after weeks. */
const pauses = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 2 * HOUR_MS }), fc.integer({ min: 1, max: 500 * HOUR_MS })),
  {
    minLength: 1,
    maxLength: 40,
  },
)

/** A bridge that carries out all due runs whenever it checks. */
function live(schedule: Schedule, from: number, waits: readonly number[], oneByOne: boolean) {
  let known: KnownRuns = { begun: [] }
  let now = from
  const had: { readonly run: NewScheduledRun; readonly at: number; readonly covered: readonly string[] }[] =
    []
  for (const wait of [0, ...waits]) {
    now += wait
    const { runs, covered, missed, before } = findDueRuns(schedule, known, { now, oneByOne })
    expect(missed).toEqual([])
    let latest = before?.occurrence
    for (const [at, run] of runs.entries()) {
      had.push({ run, at: now, covered: at === 0 ? covered.map((each) => each.occurrence) : [] })
      latest = run.occurrence
    }
    if (latest === undefined) continue
    known =
      schedule.kind === 'every'
        ? { ...known, intervalAt: runs[0]?.dueAt ?? 0 }
        : { ...known, [schedule.kind === 'daily' ? 'latestDate' : 'latestInstant']: latest }
  }
  return { had, now, known }
}

test('each business date has its run exactly once, in order, and none before its time', () => {
  fc.assert(
    fc.property(daily, start, pauses, fc.boolean(), (schedule, from, waits, oneByOne) => {
      const { had, now } = live(schedule, from, waits, oneByOne)

      const all = had.flatMap(({ run, covered }) => [...covered, run.occurrence])
      const first = all[0]
      for (const { run, at } of had) {
        expect(run.dueAt).toBeLessThanOrEqual(at)
        expect(run.dueAt).toBe(toInstant(run.occurrence, schedule.after, schedule.zone))
      }
      const expected: string[] = []
      const today = getLocalDate(schedule.zone, now)
      for (let date = first ?? today; date <= today; date = addDays(date, 1)) {
        const isDue = toInstant(date, schedule.after, schedule.zone) <= now
        if (schedule.days.includes(getWeekday(date)) && isDue) expected.push(date)
      }
      expect(all).toEqual(first === undefined ? [] : expected)
    }),
  )
})

test('a bridge that sleeps until the next run finds it due then, and not a moment earlier', () => {
  const schedules = fc.oneof(
    daily,
    fc.record({
      kind: fc.constant('cron' as const),
      expression: fc.constantFrom('0 6 * * 1-5', '*/20 * * * *', '30 2 * * *', '0 0 1 * *', '15 1 * * 0'),
      zone,
    }),
    fc.record({ kind: fc.constant('every' as const), everyMs: fc.integer({ min: 1000, max: 24 * HOUR_MS }) }),
  )
  fc.assert(
    fc.property(schedules, start, pauses, (schedule, from, waits) => {
      const { known, now } = live(schedule, from, waits, true)
      const next = findNextRunAfter(schedule, known, now)

      expect(next).toBeGreaterThan(now)
      expect(findDueRuns(schedule, known, { now: next - 1, oneByOne: true }).runs).toEqual([])
      expect(findDueRuns(schedule, known, { now: next, oneByOne: true }).runs).toMatchObject([
        { dueAt: next },
      ])
    }),
    { numRuns: 60 },
  )
})

test('the last instant of a cron expression is the last one of the way forward', () => {
  const expressions = fc.constantFrom(
    '0 6 * * 1-5',
    '*/20 * * * *',
    '30 2 * * *',
    '* 3 * * *',
    '45 23 28-31 * *',
  )
  fc.assert(
    fc.property(expressions, zone, start, (expression, where, now) => {
      const { nextAfter: next, lastUpTo } = createCronTimes(expression, where)
      const last = lastUpTo(now)

      expect(last).toBeLessThanOrEqual(now)
      expect(next(last ?? 0)).toBeGreaterThan(now)
      expect(next((last ?? 0) - 1)).toBe(last)
    }),
    { numRuns: 60 },
  )
})

test('the moments of a date lie within it or right after a gap, and never go back', () => {
  fc.assert(
    fc.property(time, zone, start, (at, where, ms) => {
      const date = getLocalDate(where, ms)
      const moment = toInstant(date, at, where)

      expect(getLocalDate(where, moment)).toBe(date)
      expect(toInstant(addDays(date, 1), at, where)).toBeGreaterThan(moment)
    }),
  )
})
