/** Takes a snapshot of the bridge for the commands, pages, metrics and notifications, and publishes alerts. */
import { type AlertEvaluation, evaluateAlerts } from '../alerts/alerts.ts'
import type { AlertContext } from '../alerts/context.ts'
import { buildJournalAlert, findDiskAlerts } from '../alerts/bridge.ts'
import { type Configuration, listWorkNames } from '../config/configuration.ts'
import { isInboxKey } from '../config/edi.ts'
import { type Alert, compareUrgency, type RouteResults } from '../domain/alert.ts'
import { DELIVERY_STATES } from '../domain/delivery.ts'
import type { Observer } from '../domain/event.ts'
import { FILE_STATES, type FileEntry } from '../domain/file.ts'
import type { Journal, RouteOverview, WorkRef } from '../domain/journal.ts'
import { formatLeaseOwner } from '../domain/lease.ts'
import type { Pause } from '../domain/scheduled-run.ts'
import { OPEN_RECORD_STATES, type Snapshot, type SnapshotRoute, type Unfinished } from '../domain/snapshot.ts'
import { classifyWatches, isOwnerAlive } from '../journal/heartbeat.ts'
import { isAwaitingConfirmation } from '../pipeline/outbound/confirmation-rules.ts'
import { listScheduledRoutes } from '../schedule/schedule.ts'
import { BridgeError, EXIT } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { describeWaiting } from './diagnose/taken-files.ts'

/** How many held files and records are shown; release and discard take them all. */
const HELD_SHOWN_MAX = 20

/** How many of all routes are searched for those of one. */
const HELD_OF_ROUTE_MAX = 1000

const LATEST_MAX = 10

/** Reports new and ended alerts, each once, and takes a snapshot. */
export async function takeSnapshotAndPublishAlerts(
  context: AlertContext,
  tried: RouteResults,
  notify: Observer,
): Promise<Snapshot & Publication> {
  const published = await publishAlerts(context, tried, notify)
  return { ...(await buildSnapshot(context, published)), ...omitUndefined({ unsaved: published.unsaved }) }
}

/** `unsaved`: why the journal could not store the alerts, so that they were not reported. */
export interface Publication {
  readonly alerts: readonly Alert[]
  readonly unsaved?: BridgeError
}

/** Reports the alerts without a snapshot, whose counts take long in a large journal. */
export async function publishAlerts(
  context: AlertContext,
  tried: RouteResults,
  notify: Observer,
): Promise<AlertEvaluation & Publication> {
  const alerts = await evaluateAlerts(context, tried)
  const changes = await context.journal.updateAlerts(alerts.found, alerts.isUnverified).catch(returnUnwritten)
  if (changes instanceof BridgeError) return { ...alerts, unsaved: changes }
  for (const { change, alert } of changes) {
    const { code, subject, message, fix, route } = alert
    const what = { code, subject, ...(route === undefined ? {} : { route }) }
    if (change === 'raised') notify({ kind: 'alert-raised', ...what, message, fix })
    else notify({ kind: 'alert-ended', ...what })
  }
  return alerts
}

function returnUnwritten(error: unknown): BridgeError {
  if (error instanceof BridgeError && error.exit === EXIT.cannotWrite) return error
  throw error
}

/** What is known where the journal cannot be opened: nothing but why, and which disks are full. */
export async function takeSnapshotWithoutJournal(
  { configuration, clock }: Pick<AlertContext, 'configuration' | 'clock'>,
  failure: BridgeError,
): Promise<Snapshot> {
  const at = clock.now()
  const { disks, alerts } = await findDiskAlerts(configuration, at)
  return {
    at,
    alerts: [...alerts, buildJournalAlert(failure, at)].toSorted(compareUrgency),
    disks,
    routes: [],
    scheduledRuns: [],
    files: [],
    deliveries: [],
    held: [],
    heldRecords: [],
    waiting: [],
    unfinished: [],
    unmatchedFiles: [],
    watches: [],
  }
}

export const NO_ROUTES_TRIED: RouteResults = { routes: [], failures: [] }

/** Reads only. A mailbox that cannot be read is an alert of the snapshot and no failure. */
export async function takeSnapshot(context: AlertContext, route?: string): Promise<Snapshot> {
  const snapshot = await buildSnapshot(context, await evaluateAlerts(context, NO_ROUTES_TRIED), route)
  return route === undefined ? snapshot : selectRoute(snapshot, route)
}

/** What is of no route, such as a disk that is full, concerns each of them. */
function selectRoute(snapshot: Snapshot, route: string): Snapshot {
  const isOfRoute = (each: { readonly route?: string }) => each.route === undefined || each.route === route
  return {
    ...snapshot,
    alerts: snapshot.alerts.filter(isOfRoute),
    routes: snapshot.routes.filter(isOfRoute),
    scheduledRuns: snapshot.scheduledRuns.filter(isOfRoute),
    held: snapshot.held.filter(isOfRoute),
    heldRecords: snapshot.heldRecords.filter(isOfRoute),
    waiting: snapshot.waiting.filter(isOfRoute),
    unfinished: snapshot.unfinished.filter(isOfRoute),
    watches: snapshot.watches.filter(({ routes }) => routes.includes(route)),
  }
}

type SnapshotContext = Pick<AlertContext, 'journal' | 'configuration' | 'clock'>

type Evaluated = Pick<Snapshot, 'alerts' | 'disks' | 'unmatchedFiles'>

/** What the journal alone shows, with alerts that were evaluated before. */
async function buildSnapshot(
  context: SnapshotContext,
  evaluated: Evaluated,
  route?: string,
): Promise<Snapshot> {
  const { journal, configuration } = context
  return {
    ...(await buildSnapshotOfWork(context, evaluated, route)),
    routes: addPauses(
      addRoutesThatNeverRan(configuration, (await journal.summarizeRoutes()).map(removeDeadOwner)),
      await journal.listPauses(),
    ),
  }
}

/** A snapshot without the counts of the routes, which read every record of the journal. */
export type SnapshotOfWork = Omit<Snapshot, 'routes'>

export async function buildSnapshotOfWork(
  { journal, configuration, clock }: SnapshotContext,
  { alerts, disks, unmatchedFiles }: Evaluated,
  route?: string,
): Promise<SnapshotOfWork> {
  const files = await journal.listRecentFiles(LATEST_MAX, route)
  // Of one route, what others hold must not use up the places.
  const heldMax = route === undefined ? HELD_SHOWN_MAX : HELD_OF_ROUTE_MAX
  const inboxes = new Set((configuration.edi?.inboxes ?? []).map(({ key }) => key))
  const addCounts = async (file: FileEntry) => ({
    ...file,
    records: await journal.countRecords({ file: file.id }),
    warnings: await journal.countWarnings(file.id),
    ...(inboxes.has(file.route) && {
      givenTo: (await journal.listParts(file.id)).map(({ route: taker }) => taker),
      hasAnswers: (await journal.listReceivedAnswers({ file: file.id }, 1)).length > 0,
    }),
  })
  return {
    at: clock.now(),
    alerts,
    disks,
    scheduledRuns: await listScheduledRoutes(journal, configuration, clock.now()),
    files: await Promise.all(files.map(addCounts)),
    deliveries: await journal.listRecentDeliveries(LATEST_MAX, route),
    held: await journal.listHeldFiles(heldMax),
    heldRecords: await journal.listHeldRecords(heldMax),
    waiting: await journal.listWaitingFiles(heldMax),
    unfinished: await listUnfinishedWork(journal, configuration, heldMax),
    unmatchedFiles,
    watches: classifyWatches(await journal.listWatchers(), clock.now()).alive,
  }
}

function addRoutesThatNeverRan(
  configuration: Configuration,
  known: readonly RouteOverview[],
): SnapshotRoute[] {
  const work = listWorkNames(configuration)
  const names = new Set(known.map(({ route }) => route))
  const none = { files: {}, incoming: {}, outgoing: {}, deliveries: {}, neverRan: true } as const
  const never = work.flatMap((name) => (names.has(name) ? [] : [{ route: name, ...none }]))
  const configured = new Set(work)
  const marked = known.map((each) => (configured.has(each.route) ? each : { ...each, isGone: true as const }))
  return [...marked, ...never].toSorted((one, other) => (one.route < other.route ? -1 : 1))
}

function addPauses(routes: readonly SnapshotRoute[], pauses: readonly Pause[]): SnapshotRoute[] {
  const byRoute = new Map(pauses.map((pause) => [pause.route, pause]))
  return routes.map((each) => omitUndefined({ ...each, pause: byRoute.get(each.route) }))
}

/** The lease of a dead process does not count: another process takes it over at once. */
function removeDeadOwner({ owner, ...route }: RouteOverview): RouteOverview {
  return owner !== undefined && isOwnerAlive(owner) ? { ...route, owner } : route
}

// Lists unfinished files and deliveries: how many records still need something, and why.

/** How many records with problems are searched for a reason. */
const TROUBLED_MAX = 1000

/** Oldest first, route by route. Leaves out work that only waits for its orders or for a confirmation. */
async function listUnfinishedWork(journal: Journal, configuration: Configuration, limit: number) {
  const names = listWorkNames(configuration)
  const found: Unfinished[] = []
  for (const name of await journal.listUnfinishedRoutes()) {
    const worker = await findWorker(journal, name)
    const route = configuration.routes.find((each) => each.name === name)
    const of = { route: name, ...(worker && { worker }), isRouteKnown: names.includes(name) }
    for (const file of await journal.listUnfinishedFiles(of.route)) {
      const { id, name, state } = file
      if (found.length >= limit) return found
      if (await journal.isOnlyWaitingForOrders(id)) continue
      const records = state === 'planned' ? await countOpenRecords(journal, { file: id }) : []
      const next = isInboxKey(of.route) ? await describeWaiting(journal, file) : FILE_STATES[state]
      found.push({ ...of, file: id, name, state, next, records })
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
