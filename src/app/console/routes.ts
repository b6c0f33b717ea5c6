/** All routes with where each of them stands. */
import type { Configuration } from '../../config/configuration.ts'
import type { Route } from '../../config/routes.ts'
import { type Alert, ALERTS } from '../../domain/alert.ts'
import { formatLeaseOwner } from '../../domain/lease.ts'
import { formatAccount } from '../../domain/route.ts'
import type { ScheduledRoute } from '../../domain/snapshot.ts'
import { classifyWatches, isOwnerAlive } from '../../journal/heartbeat.ts'
import { listScheduledRoutes } from '../../schedule/schedule.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { ConsoleContext } from './context.ts'
import type { Audience } from './masks.ts'
import type { NamedWork } from './records.ts'

export interface ShownAlert {
  readonly code: string
  readonly title: string
  /** What it is about; the title where the message may quote a cell. */
  readonly message: string
  readonly fix: string
  readonly since: number
}

/** `working`: a bridge works on it now; `unfinished`: no bridge does, and some of its work waits. */
export interface ShownRoute {
  readonly name: string
  readonly direction: 'inbound' | 'outbound'
  readonly operation: string
  readonly party: string
  readonly mailbox: string
  readonly folder: string
  readonly state: 'working' | 'unfinished' | 'idle'
  /** Who works on it. */
  readonly owner?: string
  /** Since when a watch looks after it. */
  readonly watchedSince?: number
  /** Its last incoming file, or its last delivery. */
  readonly last?: NamedWork & { readonly at: number }
  /** When its schedule ran last and runs next; left out without a schedule. */
  readonly schedule?: Omit<ScheduledRoute, 'route'>
  readonly alerts: readonly ShownAlert[]
}

export interface RoutesPage {
  /** In the order of the configuration. */
  readonly routes: readonly ShownRoute[]
  /** Alerts that are about no route. */
  readonly alerts: readonly ShownAlert[]
}

const ALERTS_MAX = 1000

export async function listRoutes(context: ConsoleContext, audience: Audience): Promise<RoutesPage> {
  const { journal, configuration, clock } = context
  const alerts = await journal.listActiveAlerts(ALERTS_MAX)
  const scheduled = await listScheduledRoutes(journal, configuration, clock.now())
  const around = {
    unfinished: new Set(await journal.listUnfinishedRoutes()),
    watches: classifyWatches(await journal.listWatchers(), clock.now()).alive,
    schedules: new Map(scheduled.map(({ route, ...schedule }) => [route, schedule])),
  }
  const routes: ShownRoute[] = []
  for (const route of configuration.routes) {
    const { name, direction, operation } = route
    const owner = await findOwner(context, name)
    const { mailbox, folder } = route.direction === 'inbound' ? route.from : route.to
    const state: ShownRoute['state'] =
      owner !== undefined ? 'working' : around.unfinished.has(name) ? 'unfinished' : 'idle'
    const shown: ShownRoute = omitUndefined({
      name,
      direction,
      operation,
      mailbox,
      folder,
      owner,
      party: formatAccount(route.party),
      state,
      watchedSince: around.watches.find((watch) => watch.routes.includes(name))?.beganAt,
      last: await findLast(context, route),
      schedule: around.schedules.get(name),
      alerts: alerts.filter((alert) => alert.route === name).map((alert) => showAlert(alert, audience)),
    })
    routes.push(shown)
  }
  const isElsewhere = ({ route }: Alert) => route === undefined || !isConfigured(configuration, route)
  return { routes, alerts: alerts.filter(isElsewhere).map((alert) => showAlert(alert, audience)) }
}

function isConfigured({ routes }: Configuration, name: string): boolean {
  return routes.some((route) => route.name === name)
}

/** The lease of a dead process does not count: another process takes it over at once. */
async function findOwner({ journal }: ConsoleContext, route: string): Promise<string | undefined> {
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
  return { code, title, message: isMasked ? title : message, fix: isMasked ? general : fix, since }
}
