/** Opens a bridge: builds every part from the configuration, here and nowhere else. */
import { createPrecedence } from '../support/async.ts'
import { type Client, createClient } from '../client/client.ts'
import { createHostHealth } from '../client/retry.ts'
import type { Configuration } from '../config/configuration.ts'
import type { AcceptedMappings } from '../config/kept.ts'
import type { Route } from '../config/routes.ts'
import type { RouteResults } from '../domain/alert.ts'
import type { Api } from '../domain/api.ts'
import type { NewRestoration, RestorationResult } from '../domain/audit.ts'
import type { Journal } from '../domain/journal.ts'
import type { BridgeVersion } from '../domain/lease.ts'
import type { WorkingFiles } from '../domain/mailbox.ts'
import type { Mapping } from '../mapping/load.ts'
import { createFormats, createInterchangeFormat } from '../formats/formats.ts'
import { BridgeError, hasCode } from '../support/errors.ts'
import { newId as createId } from '../support/text.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { VERSION } from '../support/process.ts'
import { isOwnerAlive } from '../journal/heartbeat.ts'
import { openJournal } from '../journal/open.ts'
import {
  allowMissingLineEnds,
  type BridgeContext,
  type BridgeOptions,
  listRoutesWithoutLineEnds,
  loadMappings as compileMappings,
  openMailboxes,
} from './context.ts'
import type { CorrectionHooks, CorrectionRequest } from './console/correct-send.ts'
import type { DecisionRequest } from './decide.ts'
import type { DismissRequest } from './dismiss.ts'
import { createJournalGuard, findHighestSequence } from './journal-access.ts'
import type { LabelsHooks, LabelsRequest } from './labels.ts'
import type { RedeliveryRequest } from '../pipeline/outbound/redeliver.ts'
import type { ResolveDeliveryRequest, ResolveRequest } from './resolve.ts'
import type { PauseRequest } from './route-lease.ts'
import type { RunOptions } from './run.ts'
import { NO_ROUTES_TRIED, publishAlerts, takeSnapshot, takeSnapshotAndPublishAlerts } from './snapshot.ts'
import { buildVersion, createDiskReader, findAcceptedVersion } from './version.ts'
import type { WatchHooks } from './watch/watch.ts'

export type Bridge = Awaited<ReturnType<typeof openBridge>>

/** Builds a bridge. Throws when the configuration, a mapping or the journal is wrong. */
export async function openBridge(
  written: Configuration,
  { newId = createId, ...own }: Partial<BridgeOptions> & Pick<BridgeOptions, 'clock'>,
) {
  const given = { random: Math.random, notify: () => undefined, version: VERSION, ...own }
  const { mappings, loadMappings, accepted, version } = await openMappings(written, given)
  const configuration = allowMissingLineEnds(written, accepted?.withoutLineEnds ?? [])
  const { path } = configuration.journal
  const opened: Journal = await openJournal({ path, clock: given.clock, version })
  const journal = given.wrap?.journal?.(opened) ?? opened
  let tag = await opened.getIdTag()
  const options: BridgeOptions = { ...given, newId: () => newId(tag) }
  const apis = createApiPool(configuration, options)
  const noted: WorkingFiles['noted'] = (names) => opened.findKnownWorkingNames(names)
  const working = { owner: await opened.getIdentity(), noted }
  const mailboxes = await openMailboxes(configuration, { ...options, working })
  const journalGuard = createJournalGuard({ configuration, journal, mailboxes, clock: options.clock })
  /** Runs work that sends, delivers or claims: checks the journal first, and shuts the API clients down on the signal. */
  const withShutdown = async <Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> => {
    await journalGuard.checkJournal()
    signal.addEventListener('abort', apis.shutdown)
    try {
      return await work()
    } finally {
      signal.removeEventListener('abort', apis.shutdown)
    }
  }
  const context: BridgeContext = {
    configuration,
    options,
    journal,
    apis,
    mailboxes,
    mappings,
    loadMappings,
    format: createFormats(),
    interchanges: createInterchangeFormat(),
    journalGuard,
    precedence: createPrecedence(PRECEDENCE),
  }
  const readDisk = createDiskReader(configuration, version)
  const shared = { journal, configuration, mailboxes, clock: options.clock }
  const alertContext = {
    ...shared,
    folderCache: new Map(),
    readDisk,
    findReaders: async (path: string, mailbox: string) => {
      const { createReaderFinder } = await import('./run-route.ts')
      return createReaderFinder(context)(path, mailbox)
    },
    findJournalFailure: journalGuard.findFailure,
  }
  // The use cases are loaded when they are called: a command has one of them, and loading all takes a part of its time.
  return {
    /** For reading: what `status` shows. */
    journal,
    /** What the next start needs not compile again to know that it is right. */
    accepted,
    /** One pass over the routes named, or over all, in the order of the configuration. Failures of a route are results. */
    run: async (names: readonly string[], signal: AbortSignal, bounds: RunOptions = {}) => {
      const { runRoutes, runWithDeadline } = await import('./run.ts')
      return runWithDeadline(bounds, options.clock, signal, (either) =>
        withShutdown(either, () => runRoutes(context, names, either, bounds)),
      )
    },
    /** Passes over the routes until the signal, or a reload. Failures are reported and tried again; throws when no route can continue. */
    watch: async (names: readonly string[], hooks: WatchHooks) => {
      const { watchRoutes } = await import('./watch/watch.ts')
      return withShutdown(hooks.signal, () => watchRoutes(context, names, hooks))
    },
    decide: async (request: DecisionRequest, signal: AbortSignal) => {
      const { decideHeldRecords } = await import('./decide.ts')
      return withShutdown(signal, () => decideHeldRecords(context, request, signal))
    },
    correct: async (request: CorrectionRequest, hooks: CorrectionHooks) => {
      const { sendCorrection } = await import('./console/correct-send.ts')
      return withShutdown(hooks.signal, () => sendCorrection(context, request, hooks))
    },
    concludeWaitingCorrections: async (route: string, signal: AbortSignal) => {
      const { concludeWaitingCorrections } = await import('./console/correct-send.ts')
      return withShutdown(signal, () => concludeWaitingCorrections(context, route, signal))
    },
    dismiss: async (request: DismissRequest) => {
      const { dismissRejected } = await import('./dismiss.ts')
      return dismissRejected(context, request)
    },
    pause: async (request: PauseRequest) => {
      const { pauseRoute } = await import('./route-lease.ts')
      return pauseRoute(context, request)
    },
    resume: async (request: Omit<PauseRequest, 'until'>) => {
      const { resumeRoute } = await import('./route-lease.ts')
      return resumeRoute(context, request)
    },
    resolve: async (request: ResolveRequest, signal: AbortSignal) => {
      const { resolveRecord } = await import('./resolve.ts')
      return withShutdown(signal, () => resolveRecord(context, request, signal))
    },
    resolveDelivery: async (request: ResolveDeliveryRequest, signal: AbortSignal) => {
      const { resolveHeldDelivery } = await import('./resolve.ts')
      return withShutdown(signal, () => resolveHeldDelivery(context, request, signal))
    },
    fetchLabels: async (request: LabelsRequest, work: LabelsHooks) => {
      const { fetchLabels } = await import('./labels.ts')
      return withShutdown(work.signal, () => fetchLabels(context, request, work))
    },
    redeliver: async (what: string, signal: AbortSignal, asked: RedeliveryRequest = {}) => {
      const { redeliver } = await import('./redeliver.ts')
      return withShutdown(signal, () => redeliver(context, what, signal, asked))
    },
    retake: async (what: string, signal: AbortSignal) => {
      const { retakeFile } = await import('./retake.ts')
      return withShutdown(signal, () => retakeFile(context, what, signal))
    },
    /** Of all routes, or of one. */
    snapshot: (route?: string) => takeSnapshot(alertContext, route),
    /** Also reports each alert once when it is raised and once when it ends. */
    takeSnapshotAndPublishAlerts: (tried: RouteResults = NO_ROUTES_TRIED) =>
      takeSnapshotAndPublishAlerts(alertContext, tried, options.notify),
    publishAlerts: (tried: RouteResults = NO_ROUTES_TRIED) =>
      publishAlerts(alertContext, tried, options.notify),
    findJournalFailure: journalGuard.findFailure,
    declareRestored: async (request: RestoreRequest) => {
      const restored = await declareRestored(context, request)
      tag = await opened.getIdTag()
      return restored
    },
    close: async () => {
      await apis.close()
      await Promise.all([...mailboxes.values()].map((mailbox) => mailbox.close()))
      await journal.close()
    },
  }
}

/** Compiles the mappings, now or, where an earlier start accepted the same files, when one is needed. */
async function openMappings(
  configuration: Configuration,
  { mappings: given, isReading = false }: Pick<BridgeOptions, 'mappings' | 'isReading'>,
): Promise<OpenMappings> {
  const known = given === undefined ? await findAcceptedVersion(configuration) : undefined
  if (known !== undefined) return openMappingsOnDemand(configuration, known)
  const loadMappings = () => Promise.resolve()
  try {
    const mappings = given ?? (await compileMappings(configuration))
    const version = buildVersion(configuration, mappings)
    const withoutLineEnds = listRoutesWithoutLineEnds(configuration, mappings)
    return { mappings, loadMappings, version, accepted: { files: version?.files ?? {}, withoutLineEnds } }
  } catch (error) {
    // Of no matter for reading: `status` reports it as an alert.
    if (isReading && hasCode(error, 'mapping-invalid')) return { mappings: new Map(), loadMappings }
    throw error
  }
}

interface OpenMappings extends Pick<BridgeContext, 'mappings' | 'loadMappings'> {
  /** Undefined where the files of the configuration are not known, or wrong. */
  readonly version?: BridgeVersion | undefined
  readonly accepted?: AcceptedMappings
}

function openMappingsOnDemand(
  configuration: Configuration,
  { version, ...accepted }: NonNullable<Awaited<ReturnType<typeof findAcceptedVersion>>>,
): OpenMappings {
  const mappings = new Map<string, Mapping>()
  const compile = async () => {
    const compiled = await compileMappings(configuration)
    // The journal notes the version with all work, so the mappings must be those of the version.
    if (buildVersion(configuration, compiled)?.id !== version.id) throw mappingsChangedError()
    for (const [key, mapping] of compiled) mappings.set(key, mapping)
  }
  let compiling: Promise<void> | undefined
  const loadMappings = () => (compiling ??= compile())
  return { mappings, loadMappings, version, accepted }
}

function mappingsChangedError(): BridgeError {
  const fix = 'Run again: the next start reads the new files.'
  return new BridgeError('mapping-invalid', 'The mappings changed while the bridge was at work.', { fix })
}

/** After a stop signal, requests in flight may take this long; then the bridge drops them, and the next run looks them up. */
const SHUTDOWN_DEADLINE_MS = 10_000

/** A short file is reported within a second, unless it waits for the API or for a disk. */
const PRECEDENCE = { waitMs: 100, shortMs: 1000 }

/** One client for each set of credentials: they share the token. */
function createApiPool({ api }: Configuration, { clock, random, version, wrap, thread }: BridgeOptions) {
  const clients = new Map<string, Api>()
  const made: Client[] = []
  let isShuttingDown = false
  // All credentials are for one host.
  const host = createHostHealth(clock)
  return {
    get({ credentials }: Route): Api {
      const known = clients.get(credentials.clientId)
      if (known) return known
      const { baseUrl, timeoutMs, connections, trusts503 } = api
      const shared = { clock, random, version, host, trusts503, ...(thread && { thread }) }
      const client = createClient({ baseUrl, timeoutMs, connections, ...shared, ...credentials })
      made.push(client)
      if (isShuttingDown) client.shutdown(SHUTDOWN_DEADLINE_MS)
      const wrapped = wrap?.api?.(client) ?? client
      clients.set(credentials.clientId, wrapped)
      return wrapped
    },
    /** From now on the clients only finish requests in flight, within the deadline. */
    shutdown: () => {
      isShuttingDown = true
      for (const client of made) client.shutdown(SHUTDOWN_DEADLINE_MS)
    },
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}

type RestoreRequest = Pick<NewRestoration, 'by' | 'why' | 'skip' | 'dryRun'>

/** Throws `lease-held` while a bridge is at work. */
async function declareRestored(context: BridgeContext, request: RestoreRequest): Promise<RestorationResult> {
  const { journal, configuration } = context
  const routes: NewRestoration['routes'][number][] = []
  for (const route of configuration.routes) {
    const { name, direction } = route
    const highest = route.direction === 'outbound' ? await findHighestSequence(context, route) : undefined
    routes.push(omitUndefined({ name, direction, highest }))
  }
  for (const { key: name } of configuration.edi?.inboxes ?? []) routes.push({ name, direction: 'inbox' })
  const failure = await context.journalGuard.findFailure()
  const isLost =
    failure === undefined ? (await journal.getHead()).event === 1 : failure.code === 'journal-missing'
  const restored = await journal.declareRestored({ ...request, routes, isLost, isAlive: isOwnerAlive })
  if (!request.dryRun) await context.journalGuard.replaceMark()
  return restored
}
