/** All routes with where each of them stands. */
import type { Configuration } from '../../config/configuration.ts'
import type { Route } from '../../config/routes.ts'
import { type Alert, ALERTS } from '../../domain/alert.ts'
import { formatLeaseOwner, type Watcher } from '../../domain/lease.ts'
import { formatAccount } from '../../domain/route.ts'
import type { Pause, ScheduledRunState } from '../../domain/scheduled-run.ts'
import type { ScheduledRoute } from '../../domain/snapshot.ts'
import { isAwaitingConfirmation } from '../../pipeline/outbound/confirmation-rules.ts'
import { classifyWatches, isOwnerAlive } from '../../journal/heartbeat.ts'
import { findLastDate, isOneRunPerDate, listScheduledRoutes } from '../../schedule/schedule.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { ConsoleContext } from './context.ts'
import { type Audience, toConsoleFix } from './masks.ts'
import type { NamedWork } from './records.ts'

export interface ShownAlert {
  readonly code: string
  readonly title: string
  /** What it is about; the title where the message may quote a cell. */
  readonly message: string
  readonly fix: string
  readonly since: number
}

export type ShownPause = Pick<Pause, 'decision' | 'by' | 'why' | 'at' | 'until'>

/** What an unfinished route waits for: a reader, orders of other files, or the next pass. */
export interface ShownWait {
  readonly for: 'reader' | 'orders' | 'pass'
  /** The first file or delivery that waits; left out where none is known. */
  readonly work?: NamedWork
}

/** `working`: a bridge works on it now; `unfinished`: no bridge does, and some of its work waits. */
export interface ShownRoute {
  readonly name: string
  readonly direction: 'inbound' | 'outbound'
  readonly operation: string
  readonly party: string
  readonly mailbox: string
  readonly folder: string
  readonly state: 'working' | 'paused' | 'unfinished' | 'idle'
  /** Of an unfinished one: why it is. */
  readonly wait?: ShownWait
  /** A person keeps its passes from beginning; one that is at work goes on to its end. */
  readonly pause?: ShownPause
  /** Who works on it. */
  readonly owner?: string
  /** Since when a watch looks after it. */
  readonly watchedSince?: number
  /** Its last incoming file, or its last delivery. */
  readonly last?: NamedWork & { readonly at: number }
  /** When its schedule ran last and runs next; left out without a schedule. */
  readonly schedule?: Omit<ScheduledRoute, 'route'>
  readonly alerts: readonly ShownAlert[]
  /** The last business date of a daily report, and what came of it; no state where it is not known. */
  readonly lastDate?: { readonly date: string; readonly dueAt: number; readonly state?: ScheduledRunState }
}

export interface RoutesPage {
  /** In the order of the configuration. */
  readonly routes: readonly ShownRoute[]
  /** Alerts that are about no route. */
  readonly alerts: readonly ShownAlert[]
}

const ALERTS_MAX = 1000

interface Around {
  readonly alerts: readonly Alert[]
  readonly unfinished: ReadonlySet<string>
  readonly watches: readonly Watcher[]
  readonly schedules: ReadonlyMap<string, Omit<ScheduledRoute, 'route'>>
  readonly pauses: ReadonlyMap<string, Pause>
}

async function readAround({ journal, configuration, clock, lookout }: ConsoleContext): Promise<Around> {
  const { snapshot } = (await lookout?.read()) ?? {}
  const scheduled = await listScheduledRoutes(journal, configuration, clock.now())
  return {
    // Those of Today. The journal has what a run or a watch published, as it was then.
    alerts: snapshot?.alerts ?? (await journal.listActiveAlerts(ALERTS_MAX)),
    unfinished: new Set(await journal.listUnfinishedRoutes()),
    watches: classifyWatches(await journal.listWatchers(), clock.now()).alive,
    schedules: new Map(scheduled.map(({ route, ...schedule }) => [route, schedule])),
    pauses: new Map((await journal.listPauses()).map((pause) => [pause.route, pause])),
  }
}

export async function listRoutes(context: ConsoleContext, audience: Audience): Promise<RoutesPage> {
  const { configuration } = context
  const around = await readAround(context)
  const routes: ShownRoute[] = []
  for (const route of configuration.routes) routes.push(await showRoute(context, route, { around, audience }))
  const isElsewhere = ({ route }: Alert) => route === undefined || !isConfigured(configuration, route)
  return {
    routes,
    alerts: around.alerts.filter(isElsewhere).map((alert) => showAlert(alert, audience)),
  }
}

/** Undefined where the configuration has no such route. */
export async function readRoute(
  context: ConsoleContext,
  name: string,
  audience: Audience,
): Promise<ShownRoute | undefined> {
  const route = context.configuration.routes.find((each) => each.name === name)
  return route && showRoute(context, route, { around: await readAround(context), audience })
}

async function showRoute(
  context: ConsoleContext,
  route: Route,
  { around, audience }: { readonly around: Around; readonly audience: Audience },
): Promise<ShownRoute> {
  const { name, direction, operation } = route
  const owner = await findOwner(context, name)
  const pause = around.pauses.get(name)
  const { mailbox, folder } = route.direction === 'inbound' ? route.from : route.to
  const resting: ShownRoute['state'] = around.unfinished.has(name) ? 'unfinished' : 'idle'
  const state: ShownRoute['state'] =
    owner !== undefined ? 'working' : pause !== undefined ? 'paused' : resting
  return omitUndefined({
    name,
    direction,
    operation,
    mailbox,
    folder,
    owner,
    party: formatAccount(route.party),
    state,
    pause: pause && showPause(pause),
    wait: state === 'unfinished' ? await findWait(context, route) : undefined,
    watchedSince: around.watches.find((watch) => watch.routes.includes(name))?.beganAt,
    last: await findLast(context, route),
    lastDate: await findReportDate(context, route),
    schedule: around.schedules.get(name),
    alerts: around.alerts.filter((alert) => alert.route === name).map((alert) => showAlert(alert, audience)),
  })
}

/** What a pass can go on with comes before what waits for others. */
async function findWait({ journal }: ConsoleContext, route: Route): Promise<ShownWait> {
  const waits: ShownWait[] = []
  if (route.direction === 'inbound')
    for (const { id, name } of (await journal.listUnfinishedFiles(route.name)).slice(0, WAITS_MAX))
      waits.push({ for: (await journal.isOnlyWaitingForOrders(id)) ? 'orders' : 'pass', work: { id, name } })
  else
    for (const delivery of await journal.listUnfinishedDeliveries(route.name)) {
      const { id, name } = delivery
      waits.push({ for: isAwaitingConfirmation({ route }, delivery) ? 'reader' : 'pass', work: { id, name } })
    }
  return waits.find((each) => each.for === 'pass') ?? waits[0] ?? { for: 'pass' }
}

/** So many unfinished files are asked for what they wait for. */
const WAITS_MAX = 20

/** How many of the latest runs are searched for a date. */
const RUNS_MAX = 100

/** Undefined where the route makes no report of each date. */
async function findReportDate(
  { journal, clock }: ConsoleContext,
  route: Route,
): Promise<ShownRoute['lastDate']> {
  if (!isOneRunPerDate(route) || route.schedule?.kind !== 'daily') return undefined
  const { occurrence, dueAt } = findLastDate(route.schedule, clock.now())
  const runs = await journal.listRecentRuns(RUNS_MAX, route.name)
  const state = runs.find((each) => each.occurrence === occurrence)?.state
  return omitUndefined({ date: occurrence, dueAt, state })
}

function showPause({ decision, by, why, at, until }: Pause): ShownPause {
  return { decision, by, why, at, until }
}

function isConfigured({ routes }: Configuration, name: string): boolean {
  return routes.some((route) => route.name === name)
}

/** The lease of a dead process does not count: another process takes it over at once. */
export async function findOwner({ journal }: ConsoleContext, route: string): Promise<string | undefined> {
  const lease = await journal.getLeaseOwner(route)
  return lease !== undefined && isOwnerAlive(lease.owner) ? formatLeaseOwner(lease.owner) : undefined
}

async function findLast({ journal }: ConsoleContext, { name: route, direction }: Route) {
  if (direction === 'inbound') {
    const [file] = await journal.listFiles({ route }, undefined, 1)
    return file && { id: file.id, name: file.name, at: file.receivedAt ?? file.claimedAt }
  }
  const [delivery] = await journal.listDeliveries({ route }, undefined, 1)
  return delivery && { id: delivery.id, name: delivery.name, at: delivery.deliveredAt ?? delivery.composedAt }
}

function showAlert({ code, message, fix, since }: Alert, { isMasked }: Audience): ShownAlert {
  const { title, fix: general } = ALERTS[code]
  return {
    code,
    title,
    message: isMasked ? title : message,
    fix: toConsoleFix(code, isMasked ? general : fix),
    since,
  }
}
