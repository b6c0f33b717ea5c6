/** Files that should have come by a time of day, and did not. */
import type { Expect } from '../../config/expect.ts'
import type { Concern } from '../../domain/attention.ts'
import { isoTime } from '../../support/clock.ts'
import { lastDate } from '../schedule/schedule.ts'
import { momentOf } from '../schedule/zone-time.ts'
import type { Looking } from './looking.ts'

/** So many of the latest files of a route are asked for one that really came. */
const LATEST_FILES = 100

/** For the last time that has passed: a file that came since that day began, however late, is a file that came. */
export async function expectedConcerns({ journal, configuration, now }: Looking): Promise<Concern[]> {
  const concerns: Concern[] = []
  for (const route of configuration.routes) {
    const expect = route.direction === 'inbound' ? route.from.expect : undefined
    if (expect === undefined) continue
    const { day, from, dueAt } = lastDue(expect, now)
    const latest = await journal.recentFiles(LATEST_FILES, route.name)
    const last = latest.find(({ outcome }) => outcome !== 'vanished')
    const cameAt = last === undefined ? undefined : (last.receivedAt ?? last.claimedAt)
    if (cameAt !== undefined && cameAt >= from) continue
    const before = cameAt === undefined ? 'none ever came' : `the last one came at ${isoTime(cameAt)}`
    concerns.push({
      code: 'file-not-come',
      route: route.name,
      subject: day,
      since: dueAt,
      message: `no file came for ${route.name} on ${day} by ${expect.by} (${expect.zone}); ${before}`,
      cure: 'ask whoever sends it; it is taken whenever it comes',
    })
  }
  return concerns
}

function lastDue({ by, zone, days }: Expect, now: number): { day: string; from: number; dueAt: number } {
  const { turn, dueAt } = lastDate({ kind: 'daily', after: by, zone, days, catchUpDays: 0 }, now)
  return { day: turn, from: momentOf(turn, '00:00', zone), dueAt }
}
