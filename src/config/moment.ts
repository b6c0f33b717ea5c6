/**
 * Moments as people write them in a window of time: `now`, `24h` back from now, `today`, `yesterday`, `2026-11-01`,
 * `2026-11-01T08:00Z`; in a report for business dates `previous`, the time of the turn before.
 */
import { DateTime, IANAZone } from 'luxon'

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

const BACK = /^(\d{1,5})([mhdw])$/
const ABSOLUTE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?$/

export const MOMENT_RULE =
  'must be now, today, yesterday, a time back from now such as 24h or 7d (m, h, d or w), a date such as 2026-11-01, or a time such as 2026-11-01T08:00'

export interface MomentContext {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The zone of dates and of times that name none. */
  readonly zone: string
  /** The turn of a report for business dates, which its words go by. */
  readonly turn?: DatedTurn
}

export interface DatedTurn {
  /** The business date, `2026-03-08`. */
  readonly date: string
  /** When the turn before this one was due, milliseconds. */
  readonly previousAt: number
}

/** The word that only turns give a meaning. */
export const PREVIOUS = 'previous'

/** Milliseconds since 1970; a date alone is the start of its day. Undefined when the text is no moment. */
export function momentMs(text: string, { now, zone, turn }: MomentContext): number | undefined {
  if (text === 'now') return now
  if (text === PREVIOUS) return turn?.previousAt
  if (text === 'today' || text === 'yesterday') {
    const day =
      turn === undefined ? DateTime.fromMillis(now, { zone }) : DateTime.fromISO(turn.date, { zone })
    return day
      .minus({ days: text === 'today' ? 0 : 1 })
      .startOf('day')
      .toMillis()
  }
  const [, digits, unit] = BACK.exec(text) ?? []
  if (digits !== undefined && unit !== undefined) {
    return now - Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]
  }
  if (!ABSOLUTE.test(text)) return undefined
  const time = DateTime.fromISO(text.replace(' ', 'T'), { zone })
  return time.isValid ? time.toMillis() : undefined
}

/** Whether the moment stays where it is while time passes. */
export function isAbsolute(text: string): boolean {
  return ABSOLUTE.test(text)
}

export function isZone(name: string): boolean {
  return IANAZone.isValidZone(name)
}
