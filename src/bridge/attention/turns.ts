/** Turns of schedules that nobody carries out, and those that nobody will. */
import type { Route } from '../../config/routes.ts'
import type { Concern } from '../../domain/attention.ts'
import type { KnownTurns, NewTurn } from '../../domain/turns.ts'
import { isoTime } from '../../support/clock.ts'
import { cronTimes } from '../schedule/cron-times.ts'
import { dueTurns, isOneByOne } from '../schedule/schedule.ts'
import type { Looking } from './looking.ts'

const HOUR_MS = 3_600_000

/** A scheduler that comes once an hour, or an API that is away for a while, is no reason to wake anybody. */
const OVERDUE_MS = HOUR_MS

/** How long it is shown that turns were missed for good: nothing ends it. */
const SHOWN_MS = 7 * 24 * HOUR_MS

/** So many of the latest turns of a route are looked through for missed ones; a stretch of them is noted at once. */
const LATEST = 500

export async function turnConcerns({ journal, configuration, now }: Looking): Promise<Concern[]> {
  const concerns: Concern[] = []
  for (const route of configuration.routes) {
    if (route.schedule === undefined || route.schedule.kind === 'every') continue
    const overdue = oldestDue(route, await journal.knownTurns(route.name), now)
    if (overdue !== undefined && overdue.dueAt <= now - OVERDUE_MS)
      concerns.push(overdueConcern(route, overdue))
    const latest = await journal.recentTurns(LATEST, route.name)
    const missed = latest.filter(({ state, changedAt }) => state === 'missed' && changedAt > now - SHOWN_MS)
    if (missed.length > 0) concerns.push(missedConcern(route, missed))
  }
  return concerns
}

/** Undefined for a route that never had a turn: its first one begins with the first bridge. */
function oldestDue(route: Route, known: KnownTurns, now: number): NewTurn | undefined {
  const { schedule } = route
  if (schedule === undefined || (known.latestDate ?? known.latestInstant) === undefined) return undefined
  if (schedule.kind === 'cron' && known.latestInstant !== undefined && known.begun.length === 0) {
    const { nextAfter } = cronTimes(schedule.expression, schedule.zone)
    const dueAt = nextAfter(Date.parse(known.latestInstant))
    return dueAt === undefined || dueAt > now ? undefined : { turn: isoTime(dueAt), dueAt }
  }
  const { covered, turns } = dueTurns(schedule, known, { now, oneByOne: isOneByOne(route) })
  return [...covered, ...turns][0]
}

function overdueConcern({ name }: Route, { turn, dueAt }: NewTurn): Concern {
  return {
    code: 'turn-overdue',
    route: name,
    // However many turns are overdue, and whichever is the oldest that is made up for, it is the same.
    subject: name,
    since: dueAt,
    message: `${name} should have had its turn of ${turn} at ${isoTime(dueAt)}, and nobody has carried it out`,
    cure: 'see whether dropbridge watch, or the scheduler that calls dropbridge run --due, is running; a later turn makes up for it',
  }
}

function missedConcern(
  { name }: Route,
  missed: readonly (NewTurn & { readonly changedAt: number })[],
): Concern {
  const dates = missed.map(({ turn }) => turn).toSorted()
  const [first = ''] = dates
  const last = dates.at(-1) ?? first
  const which = first === last ? first : `${first} to ${last}, ${dates.length} turns`
  return {
    code: 'turns-missed',
    route: name,
    subject: last,
    since: Math.min(...missed.map(({ changedAt }) => changedAt)),
    message: `${name} was not made for ${which}: it was too long ago when a bridge ran again`,
    cure: `ask for what is missing with dropbridge export ${name} --since … --until …; catchUp of the route says how far back it makes up by itself`,
  }
}
