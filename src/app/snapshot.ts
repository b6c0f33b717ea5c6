/** Takes a snapshot of the bridge for the commands, pages, metrics and notifications, and publishes alerts. */
import { type AlertEvaluation, evaluateAlerts } from '../alerts/alerts.ts'
import type { AlertContext } from '../alerts/context.ts'
import type { Configuration } from '../config/configuration.ts'
import type { RouteResults } from '../domain/alert.ts'
import { DELIVERY_STATES } from '../domain/delivery.ts'
import type { Observer } from '../domain/event.ts'
import { FILE_STATES, type FileEntry } from '../domain/file.ts'
import type { Journal, RouteOverview, WorkRef } from '../domain/journal.ts'
import { formatLeaseOwner } from '../domain/lease.ts'
import { OPEN_RECORD_STATES, type Snapshot, type SnapshotRoute, type Unfinished } from '../domain/snapshot.ts'
import { classifyWatches, isOwnerAlive } from '../journal/heartbeat.ts'
import { isAwaitingConfirmation } from '../pipeline/outbound/confirmation-rules.ts'
import { listScheduledRoutes } from '../schedule/schedule.ts'

/** How many held files and records are shown; release and discard take them all. */
const HELD_SHOWN_MAX = 20

const LATEST_MAX = 10

/** Reports new and ended alerts, each once, and takes a snapshot. */
export async function takeSnapshotAndPublishAlerts(
  context: AlertContext,
  tried: RouteResults,
  notify: Observer,
): Promise<Snapshot> {
  return buildSnapshot(context, await publishAlerts(context, tried, notify))
}

/** Reports the alerts without a snapshot, whose counts take long in a large journal. */
export async function publishAlerts(context: AlertContext, tried: RouteResults, notify: Observer) {
  const alerts = await evaluateAlerts(context, tried)
  const changes = await context.journal.updateAlerts(alerts.found, alerts.isUnverified)
  for (const { change, alert } of changes) {
    const { code, subject, message, fix, route } = alert
    const what = { code, subject, ...(route === undefined ? {} : { route }) }
    if (change === 'raised') notify({ kind: 'alert-raised', ...what, message, fix })
    else notify({ kind: 'alert-ended', ...what })
  }
  return alerts
}

export const NO_ROUTES_TRIED: RouteResults = { routes: [], failures: [] }

/** Reads only. A mailbox that cannot be read is an alert of the snapshot and no failure. */
export async function takeSnapshot(context: AlertContext): Promise<Snapshot> {
  return buildSnapshot(context, await evaluateAlerts(context, NO_ROUTES_TRIED))
}

async function buildSnapshot(
  { journal, configuration, clock }: AlertContext,
  { alerts, unmatchedFiles }: AlertEvaluation,
): Promise<Snapshot> {
  const files = await journal.listRecentFiles(LATEST_MAX)
  const addCounts = async (file: FileEntry) => ({
    ...file,
    records: await journal.countRecords({ file: file.id }),
    warnings: await journal.countWarnings(file.id),
  })
  return {
    at: clock.now(),
    alerts,
    routes: addRoutesThatNeverRan(configuration, (await journal.summarizeRoutes()).map(removeDeadOwner)),
    scheduledRuns: await listScheduledRoutes(journal, configuration, clock.now()),
    files: await Promise.all(files.map(addCounts)),
    deliveries: await journal.listRecentDeliveries(LATEST_MAX),
    held: await journal.listHeldFiles(HELD_SHOWN_MAX),
    heldRecords: await journal.listHeldRecords(HELD_SHOWN_MAX),
    waiting: await journal.listWaitingFiles(HELD_SHOWN_MAX),
    unfinished: await listUnfinishedWork(journal, configuration, HELD_SHOWN_MAX),
    unmatchedFiles,
    watches: classifyWatches(await journal.listWatchers(), clock.now()).alive,
  }
}

function addRoutesThatNeverRan({ routes }: Configuration, known: readonly RouteOverview[]): SnapshotRoute[] {
  const names = new Set(known.map(({ route }) => route))
  const none = { files: {}, incoming: {}, outgoing: {}, deliveries: {}, neverRan: true } as const
  const never = routes.flatMap(({ name }) => (names.has(name) ? [] : [{ route: name, ...none }]))
  const configured = new Set(routes.map(({ name }) => name))
  const marked = known.map((each) => (configured.has(each.route) ? each : { ...each, isGone: true as const }))
  return [...marked, ...never].toSorted((one, other) => (one.route < other.route ? -1 : 1))
}

/** The lease of a dead process does not count: another process takes it over at once. */
function removeDeadOwner({ owner, ...route }: RouteOverview): RouteOverview {
  return owner !== undefined && isOwnerAlive(owner) ? { ...route, owner } : route
}

// Lists unfinished files and deliveries: how many records still need something, and why.

/** How many records with problems are searched for a reason. */
const TROUBLED_MAX = 1000

/** Oldest first, route by route. Leaves out work that only waits for its orders or for a confirmation. */
async function listUnfinishedWork(journal: Journal, { routes }: Configuration, limit: number) {
  const found: Unfinished[] = []
  for (const name of await journal.listUnfinishedRoutes()) {
    const worker = await findWorker(journal, name)
    const route = routes.find((each) => each.name === name)
    const of = { route: name, ...(worker && { worker }), isRouteKnown: route !== undefined }
    for (const { id, name, state } of await journal.listUnfinishedFiles(of.route)) {
      if (found.length >= limit) return found
      if (await journal.isOnlyWaitingForOrders(id)) continue
      const records = state === 'planned' ? await countOpenRecords(journal, { file: id }) : []
      found.push({ ...of, file: id, name, state, next: FILE_STATES[state], records })
    }
    for (const delivery of await journal.listUnfinishedDeliveries(of.route)) {
      if (found.length >= limit) return found
      if (route?.direction === 'outbound' && isAwaitingConfirmation({ route }, delivery)) continue
      const { id, name, state } = delivery
      const records = state === 'delivered' ? await countOpenRecords(journal, { delivery: id }) : []
      found.push({ ...of, delivery: id, name, state, next: DELIVERY_STATES[state], records })
    }
  }
  return found
}

/** The lease owner as text; undefined when there is none, or its process is dead. */
async function findWorker(journal: Journal, route: string): Promise<string | undefined> {
  const held = await journal.getLeaseOwner(route)
  return held !== undefined && isOwnerAlive(held.owner) ? formatLeaseOwner(held.owner) : undefined
}

async function countOpenRecords(journal: Journal, work: WorkRef): Promise<Unfinished['records']> {
  const counts = await journal.countRecords(work)
  const states = OPEN_RECORD_STATES.filter((state) => (counts[state] ?? 0) > 0)
  const troubled = await journal.listProblemRecords(work, TROUBLED_MAX)
  return states.map((state) => {
    const why = troubled.find((record) => record.state === state)?.problems[0]?.message
    return { state, count: counts[state] ?? 0, ...(why === undefined ? {} : { why }) }
  })
}
