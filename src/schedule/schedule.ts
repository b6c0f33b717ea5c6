/** Decides which scheduled runs of a route are due, and when the next one is. */
import type { Configuration } from '../config/configuration.ts'
import type { Route } from '../config/routes.ts'
import type { DailySchedule, Schedule } from '../config/schedule.ts'
import type { Journal } from '../domain/journal.ts'
import type { KnownRuns, NewScheduledRun } from '../domain/scheduled-run.ts'
import type { ScheduledRoute } from '../domain/snapshot.ts'
import { isoTime, MINUTE_MS } from '../support/clock.ts'
import { addDays, getLocalDate, getOffsetMs, getWeekday, toInstant } from './zone-time.ts'
import { Cron } from 'croner'
/** The interval of an export without a schedule. */
const EXPORT_INTERVAL_MS = 15 * 60_000

/** Missed dates farther back than this are not noted one by one. */
const NOTED_DAYS_MAX = 400

export interface DueRuns {
  /** The runs to carry out, the oldest first. */
  readonly runs: readonly NewScheduledRun[]
  /** The first run does the work of these with its own. */
  readonly covered: readonly NewScheduledRun[]
  /** Missed for good. */
  readonly missed: readonly NewScheduledRun[]
  /** The route has its schedule for the first time: this run and those before it were never due. */
  readonly before?: NewScheduledRun
}

/**
 * The schedule that the bridge itself applies: the route's own, or every 15 minutes for an export without one.
 * `always` for a route that takes files and has none: the program that scans its folder decides when.
 * `never` for a report without one: each run would write another file.
 */
export function getEffectiveSchedule(route: Route): Schedule | 'always' | 'never' {
  if (route.schedule !== undefined) return route.schedule
  if (route.direction === 'inbound') return 'always'
  return route.report === undefined ? { kind: 'every', everyMs: EXPORT_INTERVAL_MS } : 'never'
}

/** Each run of a report for business dates writes a file of its own, so none does the work of another. */
export function isOneRunPerDate(route: Route): boolean {
  return route.direction === 'outbound' && route.report !== undefined && route.schedule?.kind === 'daily'
}

/** When the route is due: `now` or earlier when it is due already, `Infinity` when it never will be by itself. */
export function findNextRunAt(route: Route, known: KnownRuns, now: number): number {
  const schedule = getEffectiveSchedule(route)
  if (schedule === 'always') return now
  if (schedule === 'never') return Infinity
  const { runs, before } = findDueRuns(schedule, known, { now, oneByOne: isOneRunPerDate(route) })
  const [first] = runs
  if (first !== undefined) return first.dueAt
  return before === undefined ? findNextRunAfter(schedule, known, now) : now
}

/** The first run that is not due yet. */
export function findNextRunAfter(schedule: Schedule, known: KnownRuns, now: number): number {
  switch (schedule.kind) {
    case 'every':
      return (Math.floor(Math.max(now, known.intervalAt ?? 0) / schedule.everyMs) + 1) * schedule.everyMs
    case 'cron':
      return createCronTimes(schedule.expression, schedule.zone).nextAfter(now) ?? Infinity
    case 'daily':
      return findNextDate(schedule, known.latestDate, now).dueAt
  }
}

interface DueQuery {
  readonly now: number
  /** Each run is carried out by itself, and none does the work of another. */
  readonly oneByOne: boolean
}

export function findDueRuns(schedule: Schedule, known: KnownRuns, { now, oneByOne }: DueQuery): DueRuns {
  switch (schedule.kind) {
    case 'every':
      return findDueInterval(schedule.everyMs, known, now)
    case 'cron':
      return findDueInstant(createCronTimes(schedule.expression, schedule.zone), known, now)
    case 'daily':
      return findDueDates(schedule, known, { now, oneByOne })
  }
}

const NO_RUNS: DueRuns = { runs: [], covered: [], missed: [] }

/** Intervals begin at the same times on every machine, so that two bridges mean the same run. */
function findDueInterval(everyMs: number, { intervalAt }: KnownRuns, now: number): DueRuns {
  const dueAt = Math.floor(now / everyMs) * everyMs
  // After a clock was set back, the route must not wait until the old time comes again.
  const isDone = intervalAt !== undefined && intervalAt >= dueAt && intervalAt <= now + everyMs
  return isDone ? NO_RUNS : { ...NO_RUNS, runs: [{ occurrence: isoTime(dueAt), dueAt }] }
}

/** One run does the work of all instants that have passed. */
function findDueInstant(
  { nextAfter: next, lastUpTo }: CronTimes,
  { latestInstant, begun }: KnownRuns,
  now: number,
): DueRuns {
  // The search backwards costs more, and most of the time no instant has passed since.
  const since = latestInstant === undefined ? -Infinity : Date.parse(latestInstant)
  if (since > -Infinity && (next(since) ?? Infinity) > now) return coverWithLast(begun)
  const dueAt = lastUpTo(now)
  if (dueAt === undefined) return coverWithLast(begun)
  const last = { occurrence: isoTime(dueAt), dueAt }
  if (since === -Infinity) return { ...NO_RUNS, before: last }
  return coverWithLast(dueAt > since ? [...begun, last] : begun)
}

function findDueDates(schedule: DailySchedule, known: KnownRuns, { now, oneByOne }: DueQuery): DueRuns {
  const { latestDate } = known
  const today = getLocalDate(schedule.zone, now)
  const last = findLastDate(schedule, now)
  if (latestDate === undefined && last.occurrence !== today) return { ...NO_RUNS, before: last }
  const open = listDatesBetween(schedule, latestDate ?? addDays(today, -1), last)
  if (!oneByOne) return coverWithLast([...known.begun, ...open])
  const left = known.begun.filter(({ occurrence }) => isBusinessDate(occurrence))
  // The last one is always made, however long ago it was.
  const oldest = addDays(today, -schedule.catchUpDays)
  const isMissed = ({ occurrence }: NewScheduledRun) => occurrence < oldest && occurrence !== last.occurrence
  return {
    runs: [...left, ...open.filter((date) => !isMissed(date))].map(toNewRun),
    covered: [],
    missed: open.filter(isMissed),
  }
}

/** The last one does the work of all. */
function coverWithLast(runs: readonly NewScheduledRun[]): DueRuns {
  const last = runs.at(-1)
  if (last === undefined) return NO_RUNS
  return { runs: [toNewRun(last)], covered: runs.slice(0, -1).map(toNewRun), missed: [] }
}

function toNewRun({ occurrence, dueAt }: NewScheduledRun): NewScheduledRun {
  return { occurrence, dueAt }
}

/** The latest business date that is due. */
export function findLastDate(schedule: DailySchedule, now: number): NewScheduledRun {
  let date = getLocalDate(schedule.zone, now)
  while (!isScheduledOn(schedule, date) || computeDueAt(schedule, date) > now) date = addDays(date, -1)
  return { occurrence: date, dueAt: computeDueAt(schedule, date) }
}

/** The business date before this one. */
export function findDateBefore(schedule: DailySchedule, run: string): NewScheduledRun {
  let date = addDays(run, -1)
  while (!isScheduledOn(schedule, date)) date = addDays(date, -1)
  return { occurrence: date, dueAt: computeDueAt(schedule, date) }
}

function findNextDate(schedule: DailySchedule, latest: string | undefined, now: number): NewScheduledRun {
  const today = getLocalDate(schedule.zone, now)
  let date = latest !== undefined && latest >= today ? addDays(latest, 1) : today
  while (!isScheduledOn(schedule, date) || computeDueAt(schedule, date) <= now) date = addDays(date, 1)
  return { occurrence: date, dueAt: computeDueAt(schedule, date) }
}

/** The dates after `since` and up to `last`, the oldest first. */
function listDatesBetween(schedule: DailySchedule, since: string, last: NewScheduledRun): NewScheduledRun[] {
  const dates: NewScheduledRun[] = []
  const oldest = addDays(last.occurrence, -NOTED_DAYS_MAX)
  for (let date = last.occurrence; date > since && date > oldest; date = addDays(date, -1)) {
    if (isScheduledOn(schedule, date)) dates.push({ occurrence: date, dueAt: computeDueAt(schedule, date) })
  }
  return dates.toReversed()
}

function isScheduledOn({ days }: DailySchedule, date: string): boolean {
  return days.includes(getWeekday(date))
}

function computeDueAt({ after, zone }: DailySchedule, date: string): number {
  return toInstant(date, after, zone)
}

/** The name of a run is its date or its instant. */
export function isBusinessDate(run: string): boolean {
  return run.length === 'yyyy-mm-dd'.length
}

// Due routes, as far as the journal shows without taking their leases.

/** The routes with something to do, and when each of the other routes is due. */
export async function findDueRoutes(journal: Journal, routes: readonly Route[], now: number) {
  const unfinished = new Set(await journal.listUnfinishedRoutes())
  const due: Route[] = []
  const nextAt = new Map<string, number>()
  for (const route of routes) {
    // A route that is always due, or never, needs nothing from the journal.
    const isSimple = typeof getEffectiveSchedule(route) === 'string'
    const known = isSimple ? { begun: [] } : await journal.getKnownRuns(route.name)
    const at = findNextRunAt(route, known, now)
    if (at <= now || unfinished.has(route.name)) due.push(route)
    else nextAt.set(route.name, at)
  }
  return { due, nextAt }
}

export async function listScheduledRoutes(journal: Journal, { routes }: Configuration, now: number) {
  const scheduled = routes.filter(({ schedule }) => schedule !== undefined)
  return Promise.all(
    scheduled.map(async (route): Promise<ScheduledRoute> => {
      const known = await journal.getKnownRuns(route.name)
      const nextAt = findNextRunAt(route, known, now)
      const [latest] = await journal.listRecentRuns(1, route.name)
      const last =
        route.schedule?.kind === 'every' && known.intervalAt !== undefined
          ? { occurrence: isoTime(known.intervalAt), state: 'done' as const }
          : latest && { occurrence: latest.occurrence, state: latest.state }
      return {
        route: route.name,
        ...(last && { last }),
        ...(nextAt !== Infinity && { nextAt: Math.max(nextAt, now) }),
      }
    }),
  )
}

// Computes the instants of a cron expression, correct across clock changes.

/** This long after the clocks were set, it no longer matters. */
const CLOCK_CHANGE_MS = 3 * 60 * MINUTE_MS

/** The search goes no further back: 29 February comes every fourth year, except in most years that end a century. */
const SEARCH_BACK_MAX_MS = 9 * 366 * 24 * 60 * MINUTE_MS

export interface CronTimes {
  /** The first instant later than this moment; undefined when none comes any more. */
  readonly nextAfter: (ms: number) => number | undefined
  /** The last instant at or before this moment; undefined when there is none. */
  readonly lastUpTo: (ms: number) => number | undefined
}

/**
 * Where the clocks go forward, a time of day in the gap is shifted by the length of the gap. Where they go back, the first of
 * two equal times counts.
 */
export function createCronTimes(expression: string, zone: string): CronTimes {
  const cron = new Cron(expression, { mode: '5-part', timezone: zone })
  const onTheWall = new Cron(expression, { mode: '5-part', timezone: 'UTC' })
  const nextAfter = (ms: number) => {
    const next = findNextAfter(cron, zone, ms)
    const late = shiftOutOfGap(onTheWall, zone, ms)
    return late === undefined ? next : Math.min(late, next ?? Infinity)
  }
  return { nextAfter, lastUpTo: (ms) => findLastUpTo(nextAfter, ms) }
}

/** In hours that come twice, the library returns times of the first or of the second one, and some that are past. */
function findNextAfter(cron: Cron, zone: string, ms: number): number | undefined {
  for (let from = ms; ;) {
    const next = cron.nextRun(new Date(from))?.getTime()
    if (next === undefined) return undefined
    const first = findFirstOccurrence(zone, next)
    if (first > ms) return first
    from = Math.max(next, from + MINUTE_MS)
  }
}

/** The same time of day before the clocks went back, if there was one. */
function findFirstOccurrence(zone: string, ms: number): number {
  const [before, after] = [getOffsetMs(zone, ms - CLOCK_CHANGE_MS), getOffsetMs(zone, ms)]
  const earlier = ms - (before - after)
  return before > after && getOffsetMs(zone, earlier) === before ? earlier : ms
}

/** The library returns the first time in a gap only until the clocks are set, and no other one. */
function shiftOutOfGap(onTheWall: Cron, zone: string, ms: number): number | undefined {
  const [before, after] = [getOffsetMs(zone, ms - CLOCK_CHANGE_MS), getOffsetMs(zone, ms)]
  if (after <= before) return undefined
  const wall = onTheWall.nextRun(new Date(ms + before))?.getTime()
  const isInGap = wall !== undefined && getOffsetMs(zone, wall - after) === before
  return isInGap ? wall - before : undefined
}

/** The library's own search backwards fails in hours that come twice, so this uses only its search forwards, which counts. */
function findLastUpTo(nextAfter: CronTimes['nextAfter'], ms: number): number | undefined {
  const isBefore = (from: number) => (nextAfter(from) ?? Infinity) <= ms
  let back = MINUTE_MS
  while (!isBefore(ms - back)) {
    if (back >= SEARCH_BACK_MAX_MS) return undefined
    back *= 4
  }
  // An instant comes after `low`, and none after `high`.
  let [low, high] = [ms - back, ms]
  while (high - low > MINUTE_MS / 2) {
    const middle = (low + high) / 2
    if (isBefore(middle)) low = middle
    else high = middle
  }
  return nextAfter(low)
}
