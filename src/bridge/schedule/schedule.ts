/** Which turns of a route are due, and when the next one is: from its schedule, the time, and what the journal knows. */
import type { Route } from '../../config/routes.ts'
import type { DailySchedule, Schedule } from '../../config/schedule.ts'
import type { KnownTurns, NewTurn } from '../../domain/turns.ts'
import { isoTime } from '../../support/clock.ts'
import { type CronTimes, cronTimes } from './cron-times.ts'
import { addDays, dateIn, momentOf, weekdayOf } from './zone-time.ts'

/** An export that says nothing of times. */
const EXPORT_EVERY_MS = 15 * 60_000

/** Of a longer time than this the missed dates are not noted one by one. */
const NOTED_DAYS_MAX = 400

export interface DueTurns {
  /** To be carried out, the oldest first. */
  readonly turns: readonly NewTurn[]
  /** The first of them does the work of these with its own. */
  readonly covered: readonly NewTurn[]
  /** Nobody will carry these out. */
  readonly missed: readonly NewTurn[]
  /** The schedule is seen for the first time: this turn and those before it were never due. */
  readonly before?: NewTurn
}

/**
 * The schedule by which the bridge itself gives a route its turns: its own; every 15 minutes for an export without one.
 * `always` for a route that takes files and says nothing of times: whoever looks into its folder decides when.
 * `never` for a report without one: each turn would write another file.
 */
export function scheduleOf(route: Route): Schedule | 'always' | 'never' {
  if (route.schedule !== undefined) return route.schedule
  if (route.direction === 'inbound') return 'always'
  return route.report === undefined ? { kind: 'every', everyMs: EXPORT_EVERY_MS } : 'never'
}

/** Each pass of a report for a business date writes a file of its own, so none does the work of another. */
export function isOneByOne(route: Route): boolean {
  return route.direction === 'outbound' && route.report !== undefined && route.schedule?.kind === 'daily'
}

/** When the route is due: at `now` or before when it is already, and `Infinity` when it never will be by itself. */
export function nextTurnAt(route: Route, known: KnownTurns, now: number): number {
  const schedule = scheduleOf(route)
  if (schedule === 'always') return now
  if (schedule === 'never') return Infinity
  const { turns, before } = dueTurns(schedule, known, { now, oneByOne: isOneByOne(route) })
  const [first] = turns
  if (first !== undefined) return first.dueAt
  return before === undefined ? nextAfter(schedule, known, now) : now
}

/** The first turn that is not due yet. */
export function nextAfter(schedule: Schedule, known: KnownTurns, now: number): number {
  switch (schedule.kind) {
    case 'every':
      return (Math.floor(Math.max(now, known.intervalAt ?? 0) / schedule.everyMs) + 1) * schedule.everyMs
    case 'cron':
      return cronTimes(schedule.expression, schedule.zone).nextAfter(now) ?? Infinity
    case 'daily':
      return nextDate(schedule, known.latestDate, now).dueAt
  }
}

export interface Asked {
  readonly now: number
  /** Each turn is carried out by itself, and none does the work of another. */
  readonly oneByOne: boolean
}

export function dueTurns(schedule: Schedule, known: KnownTurns, { now, oneByOne }: Asked): DueTurns {
  switch (schedule.kind) {
    case 'every':
      return dueInterval(schedule.everyMs, known, now)
    case 'cron':
      return dueInstant(cronTimes(schedule.expression, schedule.zone), known, now)
    case 'daily':
      return dueDates(schedule, known, { now, oneByOne })
  }
}

const NONE: DueTurns = { turns: [], covered: [], missed: [] }

/** Intervals begin at the same times on every machine, so that two bridges mean the same turn. */
function dueInterval(everyMs: number, { intervalAt }: KnownTurns, now: number): DueTurns {
  const dueAt = Math.floor(now / everyMs) * everyMs
  // A clock that was set back must not keep the route from its turns until it is there again.
  const isHad = intervalAt !== undefined && intervalAt >= dueAt && intervalAt <= now + everyMs
  return isHad ? NONE : { ...NONE, turns: [{ turn: isoTime(dueAt), dueAt }] }
}

/** One turn does the work of all instants that have passed. */
function dueInstant(
  { nextAfter: next, lastUpTo }: CronTimes,
  { latestInstant, begun }: KnownTurns,
  now: number,
): DueTurns {
  // The way back costs more, and most of the time nothing has come since.
  const since = latestInstant === undefined ? -Infinity : Date.parse(latestInstant)
  if (since > -Infinity && (next(since) ?? Infinity) > now) return oneForAll(begun)
  const dueAt = lastUpTo(now)
  if (dueAt === undefined) return oneForAll(begun)
  const last = { turn: isoTime(dueAt), dueAt }
  if (since === -Infinity) return { ...NONE, before: last }
  return oneForAll(dueAt > since ? [...begun, last] : begun)
}

function dueDates(schedule: DailySchedule, known: KnownTurns, { now, oneByOne }: Asked): DueTurns {
  const { latestDate } = known
  const today = dateIn(schedule.zone, now)
  const last = lastDate(schedule, now)
  if (latestDate === undefined && last.turn !== today) return { ...NONE, before: last }
  const since = latestDate ?? addDays(today, -1)
  const open = datesBetween(schedule, since, last)
  if (!oneByOne) return oneForAll([...known.begun, ...open])
  const left = known.begun.filter(({ turn }) => isDate(turn))
  // The last one is always made, however long ago it was.
  const oldest = addDays(today, -schedule.catchUpDays)
  const isMissed = ({ turn }: NewTurn) => turn < oldest && turn !== last.turn
  return {
    turns: [...left, ...open.filter((date) => !isMissed(date))].map(plain),
    covered: [],
    missed: open.filter(isMissed),
  }
}

/** The last one does the work of all. */
function oneForAll(turns: readonly NewTurn[]): DueTurns {
  const last = turns.at(-1)
  if (last === undefined) return NONE
  return { turns: [plain(last)], covered: turns.slice(0, -1).map(plain), missed: [] }
}

function plain({ turn, dueAt }: NewTurn): NewTurn {
  return { turn, dueAt }
}

/** The business date whose time has come last. */
export function lastDate(schedule: DailySchedule, now: number): NewTurn {
  let date = dateIn(schedule.zone, now)
  while (!isOn(schedule, date) || dueAtOf(schedule, date) > now) date = addDays(date, -1)
  return { turn: date, dueAt: dueAtOf(schedule, date) }
}

/** The business date before this one. */
export function dateBefore(schedule: DailySchedule, turn: string): NewTurn {
  let date = addDays(turn, -1)
  while (!isOn(schedule, date)) date = addDays(date, -1)
  return { turn: date, dueAt: dueAtOf(schedule, date) }
}

function nextDate(schedule: DailySchedule, latest: string | undefined, now: number): NewTurn {
  const today = dateIn(schedule.zone, now)
  let date = latest !== undefined && latest >= today ? addDays(latest, 1) : today
  while (!isOn(schedule, date) || dueAtOf(schedule, date) <= now) date = addDays(date, 1)
  return { turn: date, dueAt: dueAtOf(schedule, date) }
}

/** After one date and up to another, the oldest first. */
function datesBetween(schedule: DailySchedule, since: string, last: NewTurn): NewTurn[] {
  const dates: NewTurn[] = []
  const oldest = addDays(last.turn, -NOTED_DAYS_MAX)
  for (let date = last.turn; date > since && date > oldest; date = addDays(date, -1)) {
    if (isOn(schedule, date)) dates.push({ turn: date, dueAt: dueAtOf(schedule, date) })
  }
  return dates.toReversed()
}

function isOn({ days }: DailySchedule, date: string): boolean {
  return days.includes(weekdayOf(date))
}

function dueAtOf({ after, zone }: DailySchedule, date: string): number {
  return momentOf(date, after, zone)
}

/** A turn is called by its date or by its instant. */
export function isDate(turn: string): boolean {
  return turn.length === 'yyyy-mm-dd'.length
}
