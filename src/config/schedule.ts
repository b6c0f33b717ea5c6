/** When a route runs, and how often `dropbridge watch` scans. */
import { Cron } from 'croner'
import { z } from 'zod'
import { findZoneCity } from '../support/clock.ts'
import { assert, getErrorMessage } from '../support/errors.ts'
import { durationText, isTimeZone, toMs } from './time-values.ts'

// Scheduled runs: `every`, `cron` or `daily`.

/** In the order of ISO: Monday is 1. */
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const CATCH_UP = /^(\d{1,3})d$/

const CATCH_UP_DAYS_MAX = 366
const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/

export const TimeZone = z
  .string()
  .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin or America/New_York')
  .refine(
    (name) => findZoneCity(name) === undefined,
    'has no daylight saving time: write the zone of a city, such as America/New_York',
  )

/** A time of day, with its zone and days of the week. */
export function timeOfDay(example: string) {
  const rule = `must be a time of day such as "${example}"`
  return z.string(rule).regex(TIME_OF_DAY, rule)
}
export const zoneOf = (what: string) =>
  TimeZone.optional().describe(
    `The zone of the ${what}; the \`zone\` at the top of this configuration when left out.`,
  )
export const DaysOfWeek = z
  .array(z.enum(DAYS))
  .min(1)
  .optional()
  .describe('Days of the week; every day when left out.')

const Expression = z.string().superRefine((text, context) => {
  const message = findCronError(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

const CronSettings = z.union(
  [
    Expression,
    z.strictObject({
      expression: Expression.describe('Minute, hour, day, month and weekday.'),
      zone: zoneOf('times'),
    }),
  ],
  {
    error: ({ input }) =>
      (typeof input === 'string' ? findCronError(input) : undefined) ??
      'must be five fields in quotes, such as "0 6 * * 1-5", or { expression: …, zone: … }',
  },
)

const DailyKeys = {
  after: timeOfDay('06:30').describe('From this time of day on, once for the business date.'),
  zone: zoneOf('time and of the date'),
  days: DaysOfWeek,
  catchUp: z
    .string()
    .refine(
      (text) => Number(CATCH_UP.exec(text)?.[1] ?? Infinity) <= CATCH_UP_DAYS_MAX,
      `must be a number of days from 0d to ${CATCH_UP_DAYS_MAX}d, such as 7d`,
    )
    .meta({ pattern: '^\\d{1,3}d$|\\$\\{' })
    .default('7d')
    .describe(
      'How far back a report makes up for business dates that were missed, besides the last one, which it always makes.',
    ),
}

const DailySettings = z.strictObject(DailyKeys, {
  error: ({ code }) =>
    code === 'invalid_type'
      ? 'must hold keys and values, such as { after: "06:30", zone: America/New_York }'
      : undefined,
})

/** Keys of a route. */
export const scheduleShape = {
  every: durationText('must be a time from 1s to a day, such as 30s, 15m or 1h', 1000)
    .optional()
    .describe(
      'Run so often, at times that this length of time divides: 15m is at 00:00, 00:15 and so on, UTC.',
    ),
  cron: CronSettings.optional().describe(
    'Run at the times of a cron expression of five fields, such as "0 6 * * 1-5", in a zone.',
  ),
  daily: DailySettings.optional().describe(
    'Run once for each business date, after a time of day. A run that was missed is made up for.',
  ),
}

export type Schedule =
  | { readonly kind: 'every'; readonly everyMs: number }
  | { readonly kind: 'cron'; readonly expression: string; readonly zone: string }
  | DailySchedule

export interface DailySchedule {
  readonly kind: 'daily'
  /** `06:30`. */
  readonly after: string
  readonly zone: string
  /** Days of the week by ISO: 1 is Monday. */
  readonly days: readonly number[]
  readonly catchUpDays: number
}

const ScheduleSettings = z.object(scheduleShape)

/** Converts the checked settings to the program's schedule; undefined without one. */
export function toSchedule(
  { every, cron, daily }: z.output<typeof ScheduleSettings>,
  zone?: string,
): Schedule | undefined {
  if (every !== undefined) return { kind: 'every', everyMs: toMs(every) }
  if (cron !== undefined) {
    const { expression, zone: own } = typeof cron === 'string' ? { expression: cron, zone: undefined } : cron
    return { kind: 'cron', expression: expression.trim(), zone: resolveZone(own, zone) }
  }
  if (daily === undefined) return undefined
  return {
    kind: 'daily',
    after: daily.after,
    zone: resolveZone(daily.zone, zone),
    days: toIsoDays(daily.days),
    catchUpDays: Number(CATCH_UP.exec(daily.catchUp)?.[1]),
  }
}

export function toIsoDays(days: readonly (typeof DAYS)[number][] = DAYS): number[] {
  return [...new Set(days.map((day) => DAYS.indexOf(day) + 1))].toSorted((one, other) => one - other)
}

export function resolveZone(own: string | undefined, ofFile: string | undefined): string {
  const zone = own ?? ofFile
  assert(zone !== undefined, 'a time of day without a zone passed the checks')
  return zone
}

/** Describes the error; undefined for an expression that occurs. */
function findCronError(text: string): string | undefined {
  if (text.trim().split(/\s+/).length !== 5) {
    return `must have five fields (minute, hour, day, month, day of the week), such as "0 6 * * 1-5"`
  }
  // The library replaces it with the start time, so every start would mean other times.
  if (text.includes('?')) return 'cannot hold "?": write * for any value'
  try {
    const comes = new Cron(text.trim(), { mode: '5-part', timezone: 'UTC' }).nextRun(REFERENCE_TIME)
    return comes === null ? 'names a time that never comes' : undefined
  } catch (error) {
    return `is no cron expression: ${getErrorMessage(error).replace(/^CronPattern: /, '')}`
  }
}

/** The fixed time from which every expression is checked. */
const REFERENCE_TIME = new Date(Date.UTC(2024, 0, 1))

export const WatchSettings = z
  .strictObject({
    scan: durationText('must be a time from 1s to a day, such as 10s, 30s or 5m', 1000)
      .default('30s')
      .describe(
        'How often each inbox is scanned. Where the system reports new files, the scan is immediate.',
      ),
    // The routes share the connections to the API.
    atOnce: z.int().min(1).max(32).default(4).describe('How many routes are worked on at once.'),
  })
  .transform(({ scan, atOnce }) => ({ scanMs: toMs(scan), atOnce }))

export const WATCH_DEFAULTS = WatchSettings.parse({})
