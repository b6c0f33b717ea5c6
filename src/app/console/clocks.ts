/** The clocks of the orders: what must be acknowledged and shipped by when, as the bridge last saw the orders. */
import { DateTime } from 'luxon'
import type { Deadline } from '../../pipeline/references/deadlines.ts'
import { HOUR_MS } from '../../support/clock.ts'
import type { ConsoleContext } from './context.ts'

/** How near a deadline is; each counts in the first that it belongs to. `today` and `tomorrow` are days of the zone. */
export const NEARNESS = ['late', '1 h', '4 h', 'today', 'tomorrow'] as const

export type Nearness = (typeof NEARNESS)[number]

/** What a clock is about: `acknowledge_by` and `fulfill_by` of the API. */
export const CLOCK_KINDS = ['acknowledge', 'ship'] as const

export type ClockKind = Deadline['what']

export interface ClockBoard {
  readonly counts: Readonly<Record<ClockKind, Readonly<Record<Nearness, number>>>>
  /** The next one that is not late yet. */
  readonly next?: Deadline
  /** Since when the API showed all of these orders: the oldest of the times at which it showed each last. */
  readonly seenAt?: number
}

/** Undefined for what is due after tomorrow. */
export function classifyDeadline(by: number, now: number, zone: string): Nearness | undefined {
  if (by < now) return 'late'
  if (by < now + HOUR_MS) return '1 h'
  if (by < now + 4 * HOUR_MS) return '4 h'
  const today = DateTime.fromMillis(now, { zone }).startOf('day')
  if (by < today.plus({ days: 1 }).toMillis()) return 'today'
  return by < today.plus({ days: 2 }).toMillis() ? 'tomorrow' : undefined
}

/** Undefined until the orders were read, and where no order has a deadline. */
export function countClocks(
  deadlines: readonly Deadline[] | undefined,
  now: number,
  zone: string,
): ClockBoard | undefined {
  if (deadlines === undefined || deadlines.length === 0) return undefined
  const counts = { acknowledge: createCounts(), ship: createCounts() }
  for (const { what, by } of deadlines) {
    const nearness = classifyDeadline(by, now, zone)
    if (nearness !== undefined) counts[what][nearness]++
  }
  const next = deadlines.find(({ by }) => by >= now)
  const seenAt = deadlines.reduce((oldest, each) => Math.min(oldest, each.seenAt), Infinity)
  return { counts, seenAt, ...(next && { next }) }
}

function createCounts(): Record<Nearness, number> {
  return { late: 0, '1 h': 0, '4 h': 0, today: 0, tomorrow: 0 }
}

export interface ClocksPage {
  /** At most a page of them, the next ones first. */
  readonly deadlines: readonly (Deadline & { readonly nearness: Nearness })[]
  readonly total: number
  /** Undefined: the orders were not read yet. */
  readonly board?: ClockBoard
  /** How many come before the next page; undefined on the last one. */
  readonly next?: number
}

export interface ClockFilter {
  readonly what?: string
  readonly when?: string
  /** How many to leave out. */
  readonly after?: number
}

const PAGE = 200

/** The deadlines that match, from what was found in the background. */
export async function readClocks(
  { lookout, clock, configuration: { zone = 'UTC' } }: ConsoleContext,
  { what, when, after = 0 }: ClockFilter,
): Promise<ClocksPage> {
  const { deadlines } = (await lookout?.read()) ?? {}
  const now = clock.now()
  const matching = (deadlines ?? []).flatMap((deadline) => {
    const nearness = classifyDeadline(deadline.by, now, zone)
    const isWanted = (what ?? deadline.what) === deadline.what && (when ?? nearness) === nearness
    return nearness !== undefined && isWanted ? [{ ...deadline, nearness }] : []
  })
  const board = countClocks(deadlines, now, zone)
  const end = after + PAGE
  return {
    deadlines: matching.slice(after, end),
    total: matching.length,
    ...(board && { board }),
    ...(end < matching.length && { next: end }),
  }
}
