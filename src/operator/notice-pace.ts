/** When a notice may go out: no more often than its receiver wants, and not while another bridge sends it. */
import type { NoticeConfiguration } from '../config/notices.ts'
import type { DueNotice } from '../domain/notice.ts'

/** A notice that failed is tried again after so many minutes for each time it failed, at most a quarter of an hour. */
const AGAIN_MS = 60_000
const AGAIN_TIMES_MAX = 15

/** Whether a channel had its notice, or its try, so short a time ago that it is left in peace. */
export function isTooSoon(
  { open, lastTriedAt }: DueNotice,
  { everyMs }: NoticeConfiguration,
  now: number,
): boolean {
  if (lastTriedAt === undefined) return false
  const pause = open === undefined ? everyMs : AGAIN_MS * Math.min(open.tries, AGAIN_TIMES_MAX)
  // A clock that was set back must not silence anybody.
  return now >= lastTriedAt && now - lastTriedAt < pause
}

/** Another bridge may be at it; it was begun lately then, unless the clock was set back since. */
export function isHeld({ open, lastTriedAt = 0 }: DueNotice, now: number): boolean {
  if (open === undefined) return false
  return now < open.heldUntil && now > 2 * lastTriedAt - open.heldUntil
}
