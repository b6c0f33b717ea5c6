/** Connects the log, health, metrics, the status page and notifications to a bridge at work. */
import type { Configuration } from '../config/configuration.ts'
import type { NotificationConfiguration } from '../config/notifications.ts'
import type { RouteResults } from '../domain/alert.ts'
import type { Api } from '../domain/api.ts'
import type { BridgeEvent, Observer } from '../domain/event.ts'
import type { Journal } from '../domain/journal.ts'
import type { Notifier } from '../domain/notification.ts'
import type { StateCounts } from '../domain/record.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { type Refresher, startRefresher } from '../support/async.ts'
import type { Clock } from '../support/clock.ts'
import { createLiveness, type HealthServer, startHealthServer, trackFailures } from './health.ts'
import type { Metrics } from './metrics.ts'
import { registerChannels, sendNotifications } from './notifications/sending.ts'
import { renderStatusPage, replaceFile } from './status-page.ts'
import { measureApi } from './timed-api.ts'

interface ObservabilityOptions {
  readonly configuration: Configuration
  /** Those that are worked on. */
  readonly routes: readonly string[]
  /** A watch is kept an eye on all the time; a run leaves its page and notifications when it ends. */
  readonly isWatch: boolean
  readonly clock: Clock
  readonly newId: () => string
  /** Fires when the program is asked to stop: it must not wait for whoever takes notifications. */
  readonly signal: AbortSignal
  readonly version: string
  /** Hears of everything, what happens here too. */
  readonly onEvent: Observer
  readonly notifierOf: (notification: NotificationConfiguration) => Notifier
}

/** As much of a bridge as is needed to tell of it. */
interface ObservedBridge {
  readonly journal: Journal
  /** Where everything stands; what is new of what a person must hear of is reported as events. */
  readonly takeSnapshotAndPublishAlerts: (tried: RouteResults) => Promise<Snapshot>
  /** Only that. */
  readonly publishAlerts: (tried: RouteResults) => Promise<void>
}

export async function openObservability(options: ObservabilityOptions) {
  const inside = createState(options, await openMetrics(options))
  const { metrics, notify } = inside
  let bridge: ObservedBridge | undefined
  let keeper: Refresher | undefined
  let health: HealthServer | undefined
  let beating: NodeJS.Timeout | undefined
  return {
    /** To be told of every event of the bridge. */
    notify: (event: BridgeEvent) => {
      notify(event)
      if (PAGE_EVENTS.has(event.kind)) keeper?.markChanged()
    },
    /** Undefined where nobody wants to know how long calls take. */
    wrapApi: metrics && ((api: Api) => measureApi(api, metrics.recordCall)),
    /** Once the bridge is open, before its first work. Never throws. */
    async start(opened: ObservedBridge): Promise<void> {
      bridge = opened
      await tryInBackground(inside, 'notifications', () =>
        registerChannels(createNotificationContext(inside, opened)),
      )
      if (!options.isWatch) return
      health = await startHealth(inside)
      beating = setInterval(inside.liveness.recordBeat, BEAT_MS).unref()
      const freshen = async () => {
        // Whoever has the address may be a watch whose place this one takes.
        health ??= await startHealth(inside)
        await refreshAll(inside, opened)
      }
      keeper = startRefresher({ clock: options.clock, refresh: freshen })
    },
    /** The work is done, and the bridge is still open. Never throws. */
    async stop(): Promise<void> {
      clearInterval(beating)
      await keeper?.close()
      if (keeper === undefined && bridge !== undefined) await publishAtEnd(inside, bridge)
      await health?.close()
      metrics?.close()
    },
  }
}

const BEAT_MS = 5000

/** Events after which a page is not what it should be any more. */
const PAGE_EVENTS: ReadonlySet<BridgeEvent['kind']> = new Set([
  'file-received',
  'file-reported',
  'file-closed',
  'delivered',
  'delivery-acknowledged',
  'route-failed',
  'route-recovered',
])

/** Counting everything takes long in a large journal, and of a run only a page shows it. */
async function publishAtEnd(inside: ObservabilityState, bridge: ObservedBridge): Promise<void> {
  const { options } = inside
  if (options.signal.aborted) return
  if (options.configuration.statusPage !== undefined) return refreshAll(inside, bridge)
  await tryInBackground(inside, 'alerts', () => bridge.publishAlerts(inside.failures.tried()))
  await sendNotifications(createNotificationContext(inside, bridge))
}

/** Loaded when they are wanted: a run has none, and should begin at once. */
async function openMetrics({ configuration, routes, clock, version, isWatch }: ObservabilityOptions) {
  if (!isWatch || configuration.health === undefined) return undefined
  const notifications = (configuration.notifications ?? []).map(({ name }) => name)
  const { createMetrics } = await import('./metrics.ts')
  return createMetrics({ routes, notifications, version, clock })
}

type ObservabilityState = ReturnType<typeof createState>

function createState(options: ObservabilityOptions, metrics: Metrics | undefined) {
  const { configuration, routes, clock, onEvent } = options
  const liveness = createLiveness(clock, configuration.journal.path, routes)
  const failures = trackFailures()
  /** What was reported already to be wrong beside the work. */
  const backgroundFailures = new Map<string, string>()
  const notify = (event: BridgeEvent) => {
    onEvent(event)
    metrics?.observe(event)
    liveness.observe(event)
    failures.observe(event)
  }
  return { options, notify, liveness, metrics, failures, backgroundFailures }
}

/** Work beside the work: what goes wrong with it is reported once for each reason, and is no failure. */
async function tryInBackground<Result>(
  { notify, backgroundFailures }: ObservabilityState,
  what: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const result = await work()
    backgroundFailures.delete(what)
    return result
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (backgroundFailures.get(what) !== why) notify({ kind: 'background-task-failed', what, why })
    backgroundFailures.set(what, why)
    return undefined
  }
}

async function startHealth(inside: ObservabilityState): Promise<HealthServer | undefined> {
  const { options, liveness, metrics, notify } = inside
  const { health } = options.configuration
  if (health === undefined || metrics === undefined) return undefined
  const { live, ready } = liveness
  const server = await tryInBackground(inside, `health at ${health.host}:${health.port}`, () =>
    startHealthServer({ ...health, live, ready, metrics }),
  )
  if (server !== undefined) notify({ kind: 'health-served', url: server.url })
  return server
}

async function refreshAll(inside: ObservabilityState, bridge: ObservedBridge): Promise<void> {
  const { options, metrics } = inside
  const { statusPage: path } = options.configuration
  const snapshot = await tryInBackground(inside, 'status', () =>
    bridge.takeSnapshotAndPublishAlerts(inside.failures.tried()),
  )
  if (snapshot !== undefined && metrics !== undefined) {
    const oldest = await tryInBackground(inside, 'metrics', () => findOldestUnfinished(bridge.journal))
    metrics.update(snapshot, oldest ?? new Map())
  }
  await sendNotifications(createNotificationContext(inside, bridge), options.isWatch)
  if (path !== undefined && snapshot !== undefined) {
    await tryInBackground(inside, 'status page', () =>
      writeStatusPage(options, bridge.journal, snapshot, path),
    )
  }
}

function createNotificationContext({ options, notify }: ObservabilityState, { journal }: ObservedBridge) {
  const { configuration, clock, newId, notifierOf, signal } = options
  const notifications = configuration.notifications ?? []
  return { journal, configuration, notifications, notifierOf, clock, newId, signal, notify }
}

async function writeStatusPage(
  { configuration, isWatch }: ObservabilityOptions,
  journal: Journal,
  snapshot: Snapshot,
  path: string,
): Promise<void> {
  const counts = new Map<string, StateCounts>()
  for (const { id } of snapshot.files) counts.set(id, await journal.countRecords({ file: id }))
  const notifications = await journal.listLatestNotifications(
    (configuration.notifications ?? []).map(({ name }) => name),
  )
  const page = renderStatusPage({ snapshot, counts, notifications, configuration, path, isLive: isWatch })
  await replaceFile(path, page)
}

/** By route, milliseconds since 1970; routes without such work are not in it. */
async function findOldestUnfinished(journal: Journal): Promise<Map<string, number>> {
  const oldest = new Map<string, number>()
  for (const route of await journal.listUnfinishedRoutes()) {
    const [file] = await journal.listUnfinishedFiles(route)
    const [delivery] = await journal.listUnfinishedDeliveries(route)
    const since = Math.min(file?.claimedAt ?? Infinity, delivery?.composedAt ?? Infinity)
    if (since !== Infinity) oldest.set(route, since)
  }
  return oldest
}
