/** Rules about dates that make no sense. They are warnings unless the route says otherwise. */
import type { Body } from '../operations/operation.ts'
import type { Broken } from './rule.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Clocks differ, and a warehouse may write down the time of the pickup. */
const AHEAD_MS = DAY_MS

export function inTheFuture(body: Body, field: string, now: number): Broken[] {
  const at = timeIn(body, field)
  if (at === undefined || at <= now + AHEAD_MS) return []
  return [implausible(field, `${field} is ${text(body, field)}, which is in the future`)]
}

export function longAgo(body: Body, field: string, now: number): Broken[] {
  const at = timeIn(body, field)
  if (at === undefined || at >= now - 366 * DAY_MS) return []
  return [implausible(field, `${field} is ${text(body, field)}, which is more than a year ago`)]
}

/** A date without a time counts until its end, wherever on earth. */
export function passed(body: Body, field: string, now: number): Broken[] {
  const at = timeIn(body, field)
  if (at === undefined || at + 1.5 * DAY_MS >= now) return []
  return [implausible(field, `${field} is ${text(body, field)}, which has passed`)]
}

export function before(
  body: Body,
  field: string,
  { order, earlier }: { order: Body | undefined; earlier: string },
): Broken[] {
  const at = timeIn(body, field)
  const since = order === undefined ? undefined : timeIn(order, earlier)
  if (at === undefined || since === undefined || at + AHEAD_MS >= since) return []
  return [
    implausible(
      field,
      `${field} is ${text(body, field)}, before the order's ${earlier}, ${text(order ?? {}, earlier)}`,
    ),
  ]
}

function implausible(field: string, message: string): Broken {
  return { code: 'date-implausible', field, message, policy: 'dates' }
}

function timeIn(body: Body, field: string): number | undefined {
  const value = body[field]
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

function text(body: Body, field: string): string {
  return String(body[field])
}
