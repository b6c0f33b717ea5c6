/** Lengths of time as people write them: `500ms`, `30s`, `15m`, `1h`. */
import { z } from 'zod'
import { assert } from '../support/errors.ts'

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** For editors, which see a variable and not its value. */
export const DURATION_PATTERN = '^\\d{1,8}(ms|s|m|h)$|\\$\\{'

/** Timers of the platform count to 24 days; nothing here has reason to wait for one. */
const DURATION_MS_MAX = 24 * UNIT_MS.h

/** Milliseconds, or undefined when the text is not a duration of at most a day. */
export function durationMs(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,8})(ms|s|m|h)$/.exec(text) ?? []
  if (digits === undefined || unit === undefined) return undefined
  const ms = Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]
  return ms <= DURATION_MS_MAX ? ms : undefined
}

/** The same of a text that passed the checks. */
export function checkedMs(text: string): number {
  const ms = durationMs(text)
  assert(ms !== undefined, 'a text that is no duration passed the checks')
  return ms
}

const DAY_MS = 24 * UNIT_MS.h

/** For editors. */
export const KEEP_PATTERN = '^\\d{1,5}[dw]$|\\$\\{'

/** Milliseconds, or undefined when the text is not a number of days or weeks. */
export function keepMs(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,5})([dw])$/.exec(text) ?? []
  const days = Number(digits) * (unit === 'w' ? 7 : 1)
  return days > 0 ? days * DAY_MS : undefined
}

const WAIT_PATTERN = '^\\d{1,5}(m|h|d)$|\\$\\{'

const WAIT_MS_MAX = 30 * DAY_MS

/** Milliseconds, or undefined when the text is not a time of at most 30 days. No timer counts these. */
export function waitMs(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,5})(m|h|d)$/.exec(text) ?? []
  if (digits === undefined || unit === undefined) return undefined
  const ms = Number(digits) * (unit === 'd' ? DAY_MS : UNIT_MS[unit as 'm' | 'h'])
  return ms > 0 && ms <= WAIT_MS_MAX ? ms : undefined
}

/** A time to wait for somebody, as it is written: too long for any timer, and never a matter of seconds. */
export const Wait = z
  .string()
  .refine(
    (text) => waitMs(text) !== undefined,
    'must be a time in minutes, hours or days, such as 30m, 4h or 2d: longer than nothing, and at most 30 days',
  )
  .meta({ pattern: WAIT_PATTERN })
