/** When a route has its turns: `every`, `cron` or `daily` of the configuration. */
import { Cron } from 'croner'
import { z } from 'zod'
import { assert } from '../support/errors.ts'
import { checkedMs, DURATION_PATTERN, durationMs } from './duration.ts'
import { isZone } from './moment.ts'

/** In the order of ISO: Monday is 1. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const CATCH_UP = /^(\d{1,3})d$/
const CATCH_UP_DAYS_MAX = 366

export const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/

export const Zone = z
  .string()
  .refine(isZone, 'must be the name of a time zone, such as Europe/Berlin or America/New_York')

const Every = z
  .string()
  .refine(
    (text) => (durationMs(text) ?? 0) >= 1000,
    'must be a time from 1s to a day, such as 30s, 15m or 1h',
  )
  .meta({ pattern: DURATION_PATTERN })

const Expression = z.string().superRefine((text, context) => {
  const message = cronMistake(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

const CronFile = z.union(
  [
    Expression,
    z.strictObject({
      expression: Expression.describe('Minute, hour, day, month and weekday.'),
      zone: Zone.optional().describe('The zone of the times; the `zone` of the file when left out.'),
    }),
  ],
  {
    error: ({ input }) =>
      (typeof input === 'string' ? cronMistake(input) : undefined) ??
      'must be five fields in quotes, such as "0 6 * * 1-5", or { expression: …, zone: … }',
  },
)

const DailyFile = z.strictObject({
  after: z
    .string()
    .regex(TIME, 'must be a time of day such as "06:30"')
    .describe('From this time of day on, once for the business date.'),
  zone: Zone.optional().describe(
    'The zone of the time and of the date; the `zone` of the file when left out.',
  ),
  days: z.array(z.enum(DAYS)).min(1).optional().describe('Days of the week; every day when left out.'),
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
})

/** Keys of a route. */
export const scheduleShape = {
  every: Every.optional().describe(
    'Have a turn so often, at times that this length of time divides: 15m is at 00:00, 00:15 and so on, UTC.',
  ),
  cron: CronFile.optional().describe(
    'Have turns at the times of a cron expression of five fields, such as "0 6 * * 1-5", in a zone.',
  ),
  daily: DailyFile.optional().describe(
    'Have one turn for each business date, after a time of day. A turn that was missed is made up for.',
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

export interface ScheduleFile {
  readonly every?: string | undefined
  readonly cron?: z.output<typeof CronFile> | undefined
  readonly daily?: z.output<typeof DailyFile> | undefined
}

/** From what the file says, checked, to what the program uses; undefined when it says nothing of times. */
export function toSchedule({ every, cron, daily }: ScheduleFile, zone?: string): Schedule | undefined {
  if (every !== undefined) {
    return { kind: 'every', everyMs: checkedMs(every) }
  }
  if (cron !== undefined) {
    const { expression, zone: own } = typeof cron === 'string' ? { expression: cron, zone: undefined } : cron
    return { kind: 'cron', expression: expression.trim(), zone: zoneOf(own, zone) }
  }
  if (daily === undefined) return undefined
  const { after, days = DAYS, catchUp } = daily
  return {
    kind: 'daily',
    after,
    zone: zoneOf(daily.zone, zone),
    days: [...new Set(days.map((day) => DAYS.indexOf(day) + 1))].toSorted((one, other) => one - other),
    catchUpDays: Number(CATCH_UP.exec(catchUp)?.[1]),
  }
}

function zoneOf(own: string | undefined, ofFile: string | undefined): string {
  const zone = own ?? ofFile
  assert(zone !== undefined, 'a time of day without a zone passed the checks')
  return zone
}

/** In words; undefined when the expression is one that comes. */
function cronMistake(text: string): string | undefined {
  const fields = text.trim().split(/\s+/)
  if (fields.length !== 5) {
    return `must have five fields (minute, hour, day, month, day of the week), such as "0 6 * * 1-5"`
  }
  // The library puts the time of the start in its place, so every start would mean other times.
  if (text.includes('?')) return 'cannot hold "?": write * for any value'
  try {
    const comes = new Cron(text.trim(), { mode: '5-part', timezone: 'UTC' }).nextRun(ANY_TIME)
    return comes === null ? 'names a time that never comes' : undefined
  } catch (error) {
    return `is no cron expression: ${error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''}`
  }
}

/** From which every expression is looked at alike. */
const ANY_TIME = new Date(Date.UTC(2024, 0, 1))
