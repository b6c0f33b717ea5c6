/** Carrying out the turns of a route, under its lease: each is begun before it is worked on, and done after. */
import type { Route } from '../../config/routes.ts'
import type { DailySchedule } from '../../config/schedule.ts'
import type { Observer } from '../../domain/event.ts'
import type { Journal, Lease } from '../../domain/journal.ts'
import type { KnownTurns, NewTurn } from '../../domain/turns.ts'
import type { Clock } from '../../support/clock.ts'
import { assert, BridgeError } from '../../support/errors.ts'
import { joinPasses } from '../../pipelines/outbound/join-passes.ts'
import type { RouteResult, TurnsOfPass } from '../outcome.ts'
import type { RouteTurn } from '../outbound-route.ts'
import {
  dateBefore,
  type DueTurns,
  dueTurns,
  isDate,
  isOneByOne,
  lastDate,
  nextAfter,
  scheduleOf,
} from './schedule.ts'

/**
 * What the schedule is to a pass. `due`: only turns that are due are carried out, and else only what is unfinished. `now`: the
 * route is run whatever the schedule says, and that counts for the turns that are due; a report for business dates is made
 * only for those. `again`: such a report is made once more for its last date.
 */
export type TurnMode = 'due' | 'now' | 'again'

/** For what a pass is. */
export interface PassPlan {
  /** Nothing new is begun. */
  readonly onlyUnfinished?: true
  /** The turn to which a report is bound, so that there is one report for it. */
  readonly turn?: { readonly name: string; readonly isComposed: boolean }
  /** The business date that the pass is for. */
  readonly dated?: RouteTurn
}

export type Pass = (plan: PassPlan) => Promise<RouteResult>

export interface TurnParts {
  readonly journal: Journal
  readonly lease: Lease
  readonly route: Route
  readonly clock: Clock
  readonly notify: Observer
  readonly signal: AbortSignal
}

export async function passTurns(parts: TurnParts, mode: TurnMode, pass: Pass): Promise<RouteResult> {
  const { journal, lease, route, clock } = parts
  const schedule = scheduleOf(route)
  // Of a route without a schedule only the interval is known, which counts where the bridge decides by itself.
  if (schedule === 'always' || (route.schedule === undefined && mode !== 'due')) return pass({})
  if (schedule === 'never') return passUnfinished(parts, {}, pass)
  const now = clock.now()
  const known = await journal.knownTurns(route.name)
  const due = dueTurns(schedule, known, { now, oneByOne: isOneByOne(route) })
  if (due.before !== undefined) await journal.scheduleBegan(lease, due.before)
  const [first] = due.turns
  // What is due is made by its own turn, or it would be made twice.
  if (mode === 'again' && isOneByOne(route) && first === undefined) return passAgain(parts, pass)
  if (first === undefined) {
    if (mode !== 'due' && !isOneByOne(route)) return pass({})
    return passUnfinished(parts, { nextAt: nextAfter(schedule, known, now), ...lastOf(known, due) }, pass)
  }
  if (schedule.kind !== 'every') return carryOut(parts, due, pass)
  const result = await pass({})
  await journal.noteInterval(lease, first.dueAt)
  return result
}

function lastOf({ latestDate }: KnownTurns, { before }: DueTurns): Pick<TurnsOfPass, 'last'> {
  const last = latestDate ?? before?.turn
  return last === undefined || !isDate(last) ? {} : { last }
}

/** What an earlier pass began is brought to its end between the turns too. */
async function passUnfinished(
  { journal, route }: TurnParts,
  turns: TurnsOfPass,
  pass: Pass,
): Promise<RouteResult> {
  const unfinished = await journal.unfinishedRoutes()
  if (!unfinished.includes(route.name)) return { kind: 'idle', route: route.name, turns }
  return { ...(await pass({ onlyUnfinished: true })), turns }
}

/** The report of the last business date once more, whatever was made for it before. */
async function passAgain(parts: TurnParts, pass: Pass): Promise<RouteResult> {
  const schedule = dailyOf(parts.route)
  const last = lastDate(schedule, parts.clock.now())
  const dated = await datedTurn(parts, schedule, last)
  return { ...(await pass({ dated })), turns: { again: last.turn } }
}

async function carryOut(parts: TurnParts, due: DueTurns, pass: Pass): Promise<RouteResult> {
  const { journal, lease, route, notify, signal } = parts
  const results: RouteResult[] = []
  const done: string[] = []
  let [covered, missed] = [due.covered, due.missed]
  for (const turn of due.turns) {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    const entry = await journal.beginTurn(lease, { ...turn, covered, missed })
    if (missed.length > 0) notify({ kind: 'turns-missed', route: route.name, turns: missed.map(nameOf) })
    covered = missed = []
    // Another bridge had it before this one took the lease.
    if (entry.state !== 'begun') continue
    notify({ kind: 'turn-begun', route: route.name, turn: turn.turn })
    const result = await pass(await planOf(parts, turn, entry.delivery !== undefined))
    results.push(result)
    await journal.turnDone(lease, turn.turn)
    done.push(turn.turn)
  }
  const turns = { done, covered: due.covered.map(nameOf), missed: due.missed.map(nameOf) }
  return { ...joined(route.name, results), turns }
}

async function planOf(parts: TurnParts, turn: NewTurn, isComposed: boolean): Promise<PassPlan> {
  const { route } = parts
  const isReport = route.direction === 'outbound' && route.report !== undefined
  const bound = isReport ? { turn: { name: turn.turn, isComposed } } : {}
  if (!isDate(turn.turn) || route.schedule?.kind !== 'daily') return bound
  return { ...bound, dated: await datedTurn(parts, route.schedule, turn) }
}

/** By what the journal knows: since a turn was had, its schedule may have become another one. */
async function datedTurn(
  { journal, route }: TurnParts,
  schedule: DailySchedule,
  { turn, dueAt }: NewTurn,
): Promise<RouteTurn> {
  const known = (await journal.recentTurns(KNOWN_MAX, route.name)).filter((each) => isDate(each.turn))
  const previous = known.find((each) => each.turn < turn) ?? dateBefore(schedule, turn)
  const had = known.find((each) => each.turn === turn)
  return { date: turn, dueAt: had?.dueAt ?? dueAt, previousAt: previous.dueAt }
}

/** More than are made up for at once. */
const KNOWN_MAX = 500

function joined(route: string, results: readonly RouteResult[]): RouteResult {
  const [only] = results
  if (only === undefined) return { kind: 'idle', route }
  if (results.length === 1) return only
  const passes = results.flatMap((result) => (result.kind === 'outbound' ? [result.pass] : []))
  assert(passes.length === results.length, `${route} takes files, and had several turns at once`)
  return { kind: 'outbound', route, pass: joinPasses(route, passes) }
}

function dailyOf({ name, schedule }: Route): DailySchedule {
  assert(schedule?.kind === 'daily', `route ${name} has no turns of business dates`)
  return schedule
}

function nameOf({ turn }: NewTurn): string {
  return turn
}
