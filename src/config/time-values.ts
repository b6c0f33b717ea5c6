/** Durations and moments as people write them. */
import { DateTime, IANAZone } from 'luxon'
import { z } from 'zod'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../support/clock.ts'
import { assert } from '../support/errors.ts'

// Lengths of time, such as `500ms`, `30s`, `4h`, `2d` or `52w`. A pattern for editors allows a variable too.

const UNIT_MS = { ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS } as const

const ANY_LENGTH = /^(\d{1,8})(ms|s|m|h|d|w)$/

function parseLength(text: string, pattern: RegExp): number | undefined {
  const [, digits, unit] = pattern.exec(text) ?? []
  return unit === undefined ? undefined : Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

/** Milliseconds of a text that passed the checks. */
export function toMs(text: string): number {
  const ms = parseLength(text, ANY_LENGTH)
  assert(ms !== undefined, 'a text that is no length of time passed the checks')
  return ms
}

/** Milliseconds, or undefined when the text is not a duration of at most a day, the longest wait of a timer. */
export function parseDuration(text: string): number | undefined {
  const ms = parseLength(text, /^(\d{1,8})(ms|s|m|h)$/)
  return ms !== undefined && ms <= UNIT_MS.d ? ms : undefined
}

export const Text = z.string().min(1)

/** The schema of a duration of at least `minMs`; `rule` is the message. */
export function durationText(rule: string, minMs = 0) {
  return z
    .string(rule)
    .refine((text) => (parseDuration(text) ?? -1) >= minMs, rule)
    .meta({ pattern: '^\\d{1,8}(ms|s|m|h)$|\\$\\{' })
}

export const Duration = durationText('must be a duration of at most a day, such as 500ms, 30s, 15m or 1h')

export const NonZeroDuration = Duration.refine(
  (text) => parseDuration(text) !== 0,
  'must be longer than nothing',
)

export const RETENTION_PATTERN = '^\\d{1,5}[dw]$|\\$\\{'

/** Milliseconds, or undefined when the text is not a number of days or weeks. */
export function parseRetention(text: string): number | undefined {
  return parseLength(text, /^(\d{1,5})([dw])$/) || undefined
}

const RETENTION_RULE = 'must be a number of days or weeks, such as 90d or 52w'
export const Retention = z
  .string(RETENTION_RULE)
  .refine((text) => parseRetention(text) !== undefined, RETENTION_RULE)
  .meta({ pattern: RETENTION_PATTERN })

const WAIT_MS_MAX = 30 * UNIT_MS.d

const WAIT_RULE =
  'must be a time in minutes, hours or days, such as 30m, 4h or 2d: longer than nothing, and at most 30 days'

/** A time to wait for a person, as written: minutes to weeks, longer than any timer. */
export const WaitTime = z
  .string(WAIT_RULE)
  .refine((text) => {
    const ms = parseLength(text, /^(\d{1,5})(m|h|d)$/) ?? 0
    return ms > 0 && ms <= WAIT_MS_MAX
  }, WAIT_RULE)
  .meta({ pattern: '^\\d{1,5}(m|h|d)$|\\$\\{' })

// Moments in a window of time: `now`, `24h` back from now, `today`, `yesterday`, `2026-11-01`,
// `2026-11-01T08:00Z`. In a report for business dates also `previous`, the time of the run before.

const ABSOLUTE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?$/

export const MOMENT_RULE =
  'must be now, today, yesterday, a time back from now such as 24h or 7d (m, h, d or w), a date such as 2026-11-01, or a time such as 2026-11-01T08:00'

interface MomentContext {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The zone of dates and of times that name none. */
  readonly zone: string
  /** The scheduled run of a report for business dates, to which `today` and the like refer. */
  readonly run?: DatedRun
}

export interface DatedRun {
  /** The business date, `2026-03-08`. */
  readonly date: string
  /** When the run before this one was due, milliseconds. */
  readonly previousAt: number
}

/** The word that only has a meaning in scheduled runs. */
export const PREVIOUS = 'previous'

/** Milliseconds since 1970; a date alone is the start of its day. Undefined when the text is not a moment. */
export function parseMoment(text: string, { now, zone, run }: MomentContext): number | undefined {
  if (text === 'now') return now
  if (text === PREVIOUS) return run?.previousAt
  if (text === 'today' || text === 'yesterday') {
    const day = run === undefined ? DateTime.fromMillis(now, { zone }) : DateTime.fromISO(run.date, { zone })
    const back = text === 'today' ? 0 : 1
    return day.minus({ days: back }).startOf('day').toMillis()
  }
  const ago = parseLength(text, /^(\d{1,5})([mhdw])$/)
  if (ago !== undefined) return now - ago
  if (!ABSOLUTE.test(text)) return undefined
  const time = DateTime.fromISO(text.replace(' ', 'T'), { zone })
  return time.isValid ? time.toMillis() : undefined
}

/** Whether the moment is fixed, and not relative to now. */
export function isAbsoluteMoment(text: string): boolean {
  return ABSOLUTE.test(text)
}

export function isTimeZone(name: string): boolean {
  return IANAZone.isValidZone(name)
}
