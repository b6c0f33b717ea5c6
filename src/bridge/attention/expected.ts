/** Files that should have come by a time of day, and did not. */
import type { Expect } from '../../config/expect.ts'
import type { InboundRoute } from '../../config/routes.ts'
import { type Concern, concernKey } from '../../domain/attention.ts'
import { isoTime } from '../../support/clock.ts'
import { filePattern } from '../file-pattern.ts'
import { lastDate } from '../schedule/schedule.ts'
import { momentOf } from '../schedule/zone-time.ts'
import type { Looking } from './looking.ts'

/** So many of the latest files of a route are asked for one that really came. */
const LATEST_FILES = 100

/** For the last time that has passed: a file that came since that day began, however late, is a file that came. */
export async function expectedConcerns(looking: Looking): Promise<Concern[]> {
  const { journal, configuration, now } = looking
  const concerns: Concern[] = []
  for (const route of configuration.routes) {
    if (route.direction !== 'inbound' || route.from.expect === undefined) continue
    const { expect } = route.from
    const { day, from, dueAt } = lastDue(expect, now)
    const latest = await journal.recentFiles(LATEST_FILES, route.name)
    const last = latest.find(({ outcome }) => outcome !== 'vanished')
    const cameAt = last === undefined ? undefined : (last.receivedAt ?? last.claimedAt)
    if (cameAt !== undefined && cameAt >= from) continue
    const isThere = await liesThere(looking, route.from, from)
    if (isThere === true) continue
    const before = cameAt === undefined ? 'none ever came' : `the last one came at ${isoTime(cameAt)}`
    const concern: Concern = {
      code: 'file-not-come',
      route: route.name,
      subject: day,
      since: dueAt,
      message: `no file came for ${route.name} on ${day} by ${expect.by} (${expect.zone}); ${before}`,
      cure: 'ask whoever sends it; it is taken whenever it comes',
    }
    if (isThere === undefined) looking.unsure.add(concernKey(concern))
    else concerns.push(concern)
  }
  return concerns
}

function lastDue({ by, zone, days }: Expect, now: number): { day: string; from: number; dueAt: number } {
  const { turn, dueAt } = lastDate({ kind: 'daily', after: by, zone, days, catchUpDays: 0 }, now)
  return { day: turn, from: momentOf(turn, '00:00', zone), dueAt }
}

/**
 * It has come, and is not taken yet: an empty one is waited for, and one that lacks its marker is told by itself. Undefined
 * where nobody can look.
 */
async function liesThere(
  { listings }: Looking,
  inbox: InboundRoute['from'],
  since: number,
): Promise<boolean | undefined> {
  const files = await listings.of(inbox)
  const isOurs = filePattern(inbox.match)
  return files?.some(({ name, modifiedAt }) => modifiedAt >= since && isOurs(name))
}
