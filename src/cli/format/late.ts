/** Formats orders by the hours that are left. */
import type { Deadline } from '../../pipeline/references/deadlines.ts'
import { HOUR_MS, isoTime } from '../../support/clock.ts'
import { formatTable } from './text.ts'

const HEAD = ['left', 'to do', 'purchase order', 'id', 'party', 'units', 'by', 'as seen on'] as const

export function formatLate(late: readonly Deadline[], within: string, now: number): string[] {
  if (late.length === 0) return [`Nothing is to be acknowledged or shipped within ${within}.`]
  const rows = late.map(({ account, id, purchaseOrder, what, by, units, seenAt }) => {
    return [
      formatHours(by - now),
      what,
      purchaseOrder,
      id,
      account,
      String(units ?? ''),
      isoTime(by),
      isoTime(seenAt),
    ]
  })
  return formatTable(HEAD, rows)
}

/** `3.5 h`; `-2.0 h` after the deadline. */
function formatHours(ms: number): string {
  return `${(ms / HOUR_MS).toFixed(1)} h`
}

export function lateToJson(late: readonly Deadline[], now: number): unknown {
  return late.map(({ by, seenAt, ...deadline }) => ({
    ...deadline,
    by: isoTime(by),
    hoursLeft: Math.round(((by - now) / HOUR_MS) * 100) / 100,
    seenAt: isoTime(seenAt),
  }))
}
