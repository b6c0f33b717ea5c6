/** Connects the log, health, metrics, the status page and notifications to a bridge at work. */
import type { Configuration } from '../config/configuration.ts'
import type { NotificationConfiguration } from '../config/notifications.ts'
import type { Alert, RouteResults } from '../domain/alert.ts'
import type { Api } from '../domain/api.ts'
import type { BridgeEvent, Observer } from '../domain/event.ts'
import type { Journal } from '../domain/journal.ts'
import type { NotificationEntry, Notifier } from '../domain/notification.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { type Refresher, startRefresher } from '../support/async.ts'
import type { Clock } from '../support/clock.ts'
import { type BridgeError, getErrorMessage } from '../support/errors.ts'
import { createLiveness, type HealthServer, startHealthServer, trackFailures } from './health.ts'
import type { Metrics } from './metrics.ts'
import { registerChannels, sendNotifications, sendWithoutJournal } from './notifications/sending.ts'
import { renderStatusPage, replaceFile } from './status-page.ts'

interface ObservabilityOptions {
  readonly configuration: Configuration
  /** The routes that are worked on. */
  readonly routes: readonly string[]
  /** A watch keeps everything up to date all the time; a run writes its page and notifications when it ends. */
  readonly isWatch: boolean
  readonly clock: Clock
  readonly newId: () => string
  /** Fires when the program is asked to stop: it must not wait for receivers of notifications. */
  readonly signal: AbortSignal
  readonly version: string
  /** Receives every event, those of this module too. */
  readonly onEvent: Observer
  readonly notifierOf: (notification: NotificationConfiguration) => Notifier
}

/** The part of a bridge that this module uses. */
interface ObservedBridge {
  readonly journal: Journal
  readonly takeSnapshotAndPublishAlerts: (tried: RouteResults) => Promise<Snapshot & Published>
  readonly publishAlerts: (tried: RouteResults) => Promise<Published>
}

interface Published {
  readonly alerts: readonly Alert[]
  /** Why the journal could not store them. */
  readonly unsaved?: BridgeError
}

export async function openObservability(options: ObservabilityOptions) {
  const state = createState(options, await openMetrics(options))
  const { metrics, notify } = state
  let bridge: ObservedBridge | undefined
  let refresher: Refresher | undefined
  let health: HealthServer | undefined
  let beating: NodeJS.Timeout | undefined
  return {
    notify: (event: BridgeEvent) => {
      notify(event)
      if (PAGE_EVENTS.has(event.kind)) refresher?.markChanged()
    },
    /** Undefined where no metrics are configured. */
    wrapApi: metrics && ((api: Api) => measureApi(api, metrics.recordCall)),
    /** Called once the bridge is open, before its first work. Never throws. */
    async start(opened: ObservedBridge): Promise<void> {
      bridge = opened
      await tryInBackground(state, 'notifications', () =>
        registerChannels({ ...createNotificationContext(state), journal: opened.journal }),
      )
      if (!options.isWatch) return
      health = await startHealth(state)
      beating = setInterval(state.liveness.recordBeat, BEAT_MS).unref()
      const freshen = async () => {
        // The port may belong to a watch that this one replaces, and become free.
        health ??= await startHealth(state)
        await refreshAll(state, opened)
      }
      refresher = startRefresher({ clock: options.clock, refresh: freshen })
    },
    /** Called instead of `start` where the journal cannot be opened. Never throws. */
    async reportWithoutJournal(snapshot: Snapshot): Promise<void> {
      await sendWithoutJournal(createNotificationContext(state), snapshot.alerts)
      await tryInBackground(state, 'status page', () => writeStatusPage(options, snapshot, []))
    },
    /** Called when the work is done, while the bridge is still open. Never throws. */
    async stop(): Promise<void> {
      clearInterval(beating)
      await refresher?.close()
      if (refresher === undefined && bridge !== undefined) await publishAtEnd(state, bridge)
      await health?.close()
      metrics?.close()
    },
  }
}

const BEAT_MS = 5000

/** Events after which the page is out of date. */
const PAGE_EVENTS: ReadonlySet<BridgeEvent['kind']> = new Set([
  'file-received',
  'file-reported',
  'file-closed',
  'delivered',
  'delivery-acknowledged',
  'route-failed',
  'route-recovered',
])

/** Counting everything takes long in a large journal, and only a page shows the counts of a run. */
async function publishAtEnd(state: ObservabilityState, bridge: ObservedBridge): Promise<void> {
  const { options } = state
  if (options.signal.aborted) return
  if (options.configuration.statusPage !== undefined) return refreshAll(state, bridge)
  await notifyAll(
    state,
    bridge,
    await tryInBackground(state, 'alerts', () => bridge.publishAlerts(state.failures.tried())),
  )
}

/** Where the journal can store neither alerts nor notifications, these are sent without it. */
async function notifyAll(state: ObservabilityState, bridge: ObservedBridge, published?: Published) {
  const { alerts = [], unsaved } = published ?? {}
  const context = { ...createNotificationContext(state), journal: bridge.journal, alerts }
  if (unsaved === undefined) return sendNotifications(context, state.options.isWatch)
  await tryInBackground(state, 'alerts', () => Promise.reject(unsaved))
  await sendWithoutJournal(context, alerts)
}

/** Loaded on demand: a run has no metrics, and should begin at once. */
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
  /** Failures of background tasks that were reported already. */
  const backgroundFailures = new Map<string, string>()
  const notify = (event: BridgeEvent) => {
    onEvent(event)
    metrics?.observe(event)
    liveness.observe(event)
    failures.observe(event)
  }
  const sentWithoutJournal = new Map<string, number>()
  return { options, notify, liveness, metrics, failures, backgroundFailures, sentWithoutJournal }
}

/** Runs a task beside the work. Its failure is reported once for each reason, and does not fail the work. */
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
    const why = getErrorMessage(error)
    if (backgroundFailures.get(what) !== why) notify({ kind: 'background-task-failed', what, why })
    backgroundFailures.set(what, why)
    return undefined
  }
}

async function startHealth(state: ObservabilityState): Promise<HealthServer | undefined> {
  const { options, liveness, metrics, notify } = state
  const { health } = options.configuration
  if (health === undefined || metrics === undefined) return undefined
  const { live, ready } = liveness
  const server = await tryInBackground(state, `health at ${health.host}:${health.port}`, () =>
    startHealthServer({ ...health, live, ready, metrics }),
  )
  if (server !== undefined) notify({ kind: 'health-served', url: server.url })
  return server
}

async function refreshAll(state: ObservabilityState, bridge: ObservedBridge): Promise<void> {
  const { options, metrics } = state
  const { configuration } = options
  const snapshot = await tryInBackground(state, 'status', () =>
    bridge.takeSnapshotAndPublishAlerts(state.failures.tried()),
  )
  if (snapshot !== undefined && metrics !== undefined) {
    const oldest = await tryInBackground(state, 'metrics', () => findOldestUnfinished(bridge.journal))
    metrics.update(snapshot, oldest ?? new Map())
  }
  await notifyAll(state, bridge, snapshot)
  if (snapshot === undefined || configuration.statusPage === undefined) return
  await tryInBackground(state, 'status page', async () => {
    const channels = (configuration.notifications ?? []).map(({ name }) => name)
    await writeStatusPage(options, snapshot, await bridge.journal.listLatestNotifications(channels))
  })
}

function createNotificationContext({ options, notify, sentWithoutJournal }: ObservabilityState) {
  const { configuration, clock, newId, notifierOf, signal } = options
  const notifications = configuration.notifications ?? []
  return { configuration, notifications, notifierOf, clock, newId, signal, notify, sentWithoutJournal }
}

async function writeStatusPage(
  { configuration, isWatch }: ObservabilityOptions,
  snapshot: Snapshot,
  notifications: readonly NotificationEntry[],
): Promise<void> {
  const { statusPage: path } = configuration
  if (path === undefined) return
  const page = renderStatusPage({ snapshot, notifications, configuration, path, isLive: isWatch })
  await replaceFile(path, page)
}

/** By route, milliseconds since 1970; a route without unfinished work is left out. */
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

// Measures how long each API call takes and how it ends, by endpoint.

export function measureApi(api: Api, called: Metrics['recordCall']): Api {
  const timed = async <Result>(
    endpoint: string,
    work: () => Promise<Result>,
    outcomeOf: (result: Result) => string = () => 'ok',
  ): Promise<Result> => {
    const began = performance.now()
    let outcome = 'failed'
    try {
      const result = await work()
      outcome = outcomeOf(result)
      return result
    } finally {
      called(endpoint, outcome, (performance.now() - began) / 1000)
    }
  }
  return {
    ...api,
    send: (call, permit) => {
      const outcomeOf = (answer: Awaited<ReturnType<Api['send']>>) => {
        if (answer.certainty !== 'answered') return answer.certainty
        return answer.status < 400 ? 'ok' : 'refused'
      }
      return timed(call.endpoint, () => api.send(call, permit), outcomeOf)
    },
    get: (call) => timed(call.endpoint, () => api.get(call)),
    document: (call) => {
      const outcomeOf = ({ made }: { readonly made: boolean }) => (made ? 'ok' : 'refused')
      return timed(call.endpoint, () => api.document(call), outcomeOf)
    },
    // A page of a list comes when the caller asks for it: the time between is not the API's.
    async *list(call) {
      const iterator = api.list(call)[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await timed(call.endpoint, () => iterator.next())
          if (next.done === true) return
          yield next.value
        }
      } finally {
        await iterator.return?.()
      }
    },
  }
}
