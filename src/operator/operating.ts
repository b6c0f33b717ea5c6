/** What a bridge tells while it works and afterwards: the log, health and metrics, the status page and notices. */
import type { Configuration } from '../config/configuration.ts'
import type { NoticeConfiguration } from '../config/notices.ts'
import type { Api } from '../domain/api.ts'
import type { Tried } from '../domain/attention.ts'
import type { BridgeEvent, Observer } from '../domain/event.ts'
import type { Journal } from '../domain/journal.ts'
import type { Notifier } from '../domain/notice.ts'
import type { StateCounts } from '../domain/record.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Clock } from '../support/clock.ts'
import { type FailingRoutes, watchFailingRoutes } from './failing-routes.ts'
import { type HealthServer, serveHealth } from './health-server.ts'
import { keepFresh, type Keeper } from './keeper.ts'
import type { Metrics } from './metrics.ts'
import { announce, type Announcing, joinNotices } from './notices.ts'
import { oldestUnfinished } from './oldest.ts'
import { replaceFile } from './page-file.ts'
import { createPulse, type Pulse } from './pulse.ts'
import { statusPage } from './status-page.ts'
import { timedApi } from './timed-api.ts'

export interface OperatingOptions {
  readonly configuration: Configuration
  /** Those that are worked on. */
  readonly routes: readonly string[]
  /** A watch is kept an eye on all the time; a run leaves its page and notices when it ends. */
  readonly isWatch: boolean
  readonly clock: Clock
  readonly newId: () => string
  /** Fires when the program is asked to stop: it must not wait for whoever takes notices. */
  readonly signal: AbortSignal
  readonly version: string
  /** Hears of everything, what happens here too. */
  readonly log: Observer
  readonly notifierOf: (notice: NoticeConfiguration) => Notifier
}

/** As much of a bridge as is needed to tell of it. */
export interface Watched {
  readonly journal: Journal
  /** Where everything stands; what is new of what a person must hear of is told as events. */
  readonly attend: (tried: Tried) => Promise<Snapshot>
  /** Only that. */
  readonly heed: (tried: Tried) => Promise<void>
}

export interface Operating {
  /** To be told of every event of the bridge. */
  readonly notify: Observer
  /** Left out where nobody wants to know how long calls take. */
  readonly wrapApi?: (api: Api) => Api
  /** Once the bridge is open, before its first work. Never throws. */
  begin(bridge: Watched): Promise<void>
  /** The work is done, and the bridge is still open. Never throws. */
  end(): Promise<void>
}

interface Inside {
  readonly options: OperatingOptions
  readonly tell: Observer
  readonly pulse: Pulse
  readonly metrics: Metrics | undefined
  readonly failing: FailingRoutes
  /** What was told already to be wrong beside the work. */
  readonly asides: Map<string, string>
}

export async function openOperating(options: OperatingOptions): Promise<Operating> {
  const inside = openInside(options, await openMetrics(options))
  const { metrics, tell } = inside
  let bridge: Watched | undefined
  let keeper: Keeper | undefined
  let health: HealthServer | undefined
  let beating: NodeJS.Timeout | undefined
  return {
    notify: (event) => {
      tell(event)
      if (CHANGES.has(event.kind)) keeper?.touch()
    },
    ...(metrics === undefined ? {} : { wrapApi: (api: Api) => timedApi(api, metrics.called) }),
    async begin(opened) {
      bridge = opened
      await aside(inside, 'notices', () => joinNotices(announcingOf(inside, opened)))
      if (!options.isWatch) return
      health = await beginHealth(inside)
      beating = setInterval(inside.pulse.beat, BEAT_MS).unref()
      const freshen = async () => {
        // Whoever has the address may be a watch whose place this one takes.
        health ??= await beginHealth(inside)
        await refresh(inside, opened)
      }
      keeper = keepFresh({ clock: options.clock, refresh: freshen })
    },
    async end() {
      clearInterval(beating)
      await keeper?.close()
      if (keeper === undefined && bridge !== undefined) await lookAtTheEnd(inside, bridge)
      await health?.close()
      metrics?.close()
    },
  }
}

const BEAT_MS = 5000

/** Events after which a page is not what it should be any more. */
const CHANGES: ReadonlySet<BridgeEvent['kind']> = new Set([
  'file-received',
  'file-reported',
  'file-closed',
  'delivered',
  'delivery-acknowledged',
  'route-failed',
  'route-recovered',
])

/** Counting everything takes long in a large journal, and of a run only a page shows it. */
async function lookAtTheEnd(inside: Inside, bridge: Watched): Promise<void> {
  const { options } = inside
  if (options.signal.aborted) return
  if (options.configuration.statusPage !== undefined) return refresh(inside, bridge)
  await aside(inside, 'attention', () => bridge.heed(inside.failing.tried()))
  await announce(announcingOf(inside, bridge))
}

/** Loaded when they are wanted: a run has none, and should begin at once. */
async function openMetrics({ configuration, routes, clock, version, isWatch }: OperatingOptions) {
  if (!isWatch || configuration.health === undefined) return undefined
  const notices = (configuration.notices ?? []).map(({ name }) => name)
  const { createMetrics } = await import('./metrics.ts')
  return createMetrics({ routes, notices, version, clock })
}

function openInside(options: OperatingOptions, metrics: Metrics | undefined): Inside {
  const { configuration, routes, clock, log } = options
  const pulse = createPulse({ clock, journalPath: configuration.journal.path, routes })
  const failing = watchFailingRoutes()
  const tell = (event: BridgeEvent) => {
    log(event)
    metrics?.observe(event)
    pulse.observe(event)
    failing.observe(event)
  }
  return { options, tell, pulse, metrics, failing, asides: new Map() }
}

/** Work beside the work: what goes wrong with it is told once for each reason, and is no failure. */
async function aside<Result>(
  { tell, asides }: Inside,
  what: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const result = await work()
    asides.delete(what)
    return result
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (asides.get(what) !== why) tell({ kind: 'aside-failed', what, why })
    asides.set(what, why)
    return undefined
  }
}

async function beginHealth(inside: Inside): Promise<HealthServer | undefined> {
  const { options, pulse, metrics, tell } = inside
  const { health } = options.configuration
  if (health === undefined || metrics === undefined) return undefined
  const { live, ready } = pulse
  const server = await aside(inside, `health at ${health.host}:${health.port}`, () =>
    serveHealth({ ...health, live, ready, metrics }),
  )
  if (server !== undefined) tell({ kind: 'health-served', url: server.url })
  return server
}

async function refresh(inside: Inside, bridge: Watched): Promise<void> {
  const { options, metrics } = inside
  const { statusPage: path } = options.configuration
  const snapshot = await aside(inside, 'status', () => bridge.attend(inside.failing.tried()))
  if (snapshot !== undefined && metrics !== undefined) {
    const oldest = await aside(inside, 'metrics', () => oldestUnfinished(bridge.journal))
    metrics.show(snapshot, oldest ?? new Map())
  }
  await announce(announcingOf(inside, bridge), options.isWatch)
  if (path !== undefined && snapshot !== undefined) {
    await aside(inside, 'status page', () => writePage(inside, bridge, { snapshot, path }))
  }
}

function announcingOf({ options, tell }: Inside, { journal }: Watched): Announcing {
  const { configuration, clock, newId, notifierOf, signal } = options
  const notices = configuration.notices ?? []
  return { journal, configuration, notices, notifierOf, clock, newId, signal, notify: tell }
}

async function writePage(
  { options }: Inside,
  { journal }: Watched,
  { snapshot, path }: { readonly snapshot: Snapshot; readonly path: string },
): Promise<void> {
  const { configuration, isWatch } = options
  const counts = new Map<string, StateCounts>()
  for (const { id } of snapshot.files) counts.set(id, await journal.countRecords({ file: id }))
  const notices = await journal.latestNotices((configuration.notices ?? []).map(({ name }) => name))
  const page = statusPage({ snapshot, counts, notices, configuration, path, isKept: isWatch })
  await replaceFile(path, page)
}
