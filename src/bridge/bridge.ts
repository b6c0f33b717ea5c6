/** The composition root: everything is built here, from the configuration, and nowhere else. */
import { type Client, createClient } from '../client/client.ts'
import { createHost } from '../client/host.ts'
import type { Configuration } from '../config/configuration.ts'
import type { Route } from '../config/routes.ts'
import type { Api } from '../domain/api.ts'
import type { Tried } from '../domain/attention.ts'
import type { Journal } from '../domain/journal.ts'
import type { WorkingFiles } from '../domain/naming.ts'
import type { Restored } from '../domain/restoring.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { createFormats } from '../formats/formats.ts'
import { openJournal } from '../journal/open.ts'
import { guardAge } from './age-guard.ts'
import { decideHeld, type DecisionRequest, type DecisionResult } from './decide.ts'
import { fetchLabels, type LabelsRequest, type LabelsWork } from './labels.ts'
import { openMailboxes } from './mailboxes.ts'
import { loadMappings } from './mappings.ts'
import type { BridgeOptions } from './options.ts'
import type { RunResult } from './outcome.ts'
import { beforeTime, chosenRoutes, type RunOptions, runRoutes } from './run.ts'
import { type AnsweredDelivery, answerDelivery, type DeliveryAnswerRequest } from './settle-delivery.ts'
import { settleRecord, type SettleRequest, type SettleResult } from './settle.ts'
import { declareRestored, type RestoredRequest } from './restored.ts'
import { attend, heed, NOTHING_TRIED, takeSnapshot } from './snapshot.ts'
import { watchRoutes, type WatchHooks } from './watch/watch.ts'
import type { Workshop } from './workshop.ts'

export interface Bridge {
  /** One pass over the routes named, or over all, in the order of the configuration. Failures of a route are results. */
  run(names: readonly string[], signal: AbortSignal, options?: RunOptions): Promise<RunResult>
  /**
   * Passes over the routes named, or over all, whenever there is something to do, until the signal fires. Failures of a
   * route are told and tried again. Throws when nothing can go on.
   */
  watch(names: readonly string[], hooks: WatchHooks): Promise<void>
  /** Carries out what a person decided about held records. Throws what keeps it from that. */
  decide(request: DecisionRequest, signal: AbortSignal): Promise<DecisionResult>
  /** Carries out what a person found out about a record whose answer was lost. Throws what keeps it from that. */
  settle(request: SettleRequest, signal: AbortSignal): Promise<SettleResult>
  /** Carries out what a person says of a held delivery. Throws what keeps it from that. */
  settleDelivery(request: DeliveryAnswerRequest, signal: AbortSignal): Promise<AnsweredDelivery>
  /** Fetches packing slips and labels again. Throws what keeps it from going on. */
  labels(request: LabelsRequest, work: LabelsWork): Promise<void>
  /** A person declares that the journal was restored. */
  restored(request: RestoredRequest): Promise<Restored>
  /** For reading: what `status` shows. */
  readonly journal: Journal
  /** Where everything stands right now, with what a person must hear of. Reads only. */
  readonly snapshot: () => Promise<Snapshot>
  /** The same; and what is new of what a person must hear of is told once, as is what is over. */
  readonly attend: (tried?: Tried) => Promise<Snapshot>
  /** Only tells what is new of it and what is over. */
  readonly heed: (tried?: Tried) => Promise<void>
  close(): Promise<void>
}

/** Builds a bridge. Throws what is wrong with the configuration, the mappings or the journal. */
export async function openBridge(configuration: Configuration, given: BridgeOptions): Promise<Bridge> {
  const mappings = await loadMappings(configuration)
  const opened = await openJournal({ path: configuration.journal.path, clock: given.clock })
  const journal = given.wrap?.journal?.(opened) ?? opened
  let tag = await opened.tag()
  const options: BridgeOptions = { ...given, newId: () => given.newId(tag) }
  const apis = apiPool(configuration, options)
  const mailboxes = await openMailboxes(configuration, { ...options, working: await workingFiles(opened) })
  const age = guardAge({ configuration, journal, mailboxes, clock: options.clock })
  /** Whatever sends, delivers or claims. */
  const hurrying = async <Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> => {
    await age.beforeWork()
    signal.addEventListener('abort', apis.hurry)
    try {
      return await work()
    } finally {
      signal.removeEventListener('abort', apis.hurry)
    }
  }
  const shop: Workshop = {
    configuration,
    options,
    journal,
    apis,
    mailboxes,
    mappings,
    format: createFormats(),
    age,
  }
  const attending = { journal, configuration, mailboxes, clock: options.clock, folderLooks: new Map() }
  return {
    journal,
    run: (names, signal, bounds = {}) =>
      beforeTime(bounds, { clock: options.clock, signal }, (either) =>
        hurrying(either, () => runRoutes(shop, names, either, bounds)),
      ),
    watch: async (names, hooks) =>
      hurrying(hooks.signal, () => watchRoutes(shop, chosenRoutes(configuration, names), hooks)),
    decide: (request, signal) => hurrying(signal, () => decideHeld(shop, request, signal)),
    settle: (request, signal) => hurrying(signal, () => settleRecord(shop, request, signal)),
    settleDelivery: (request, signal) => hurrying(signal, () => answerDelivery(shop, request, signal)),
    labels: (request, work) => hurrying(work.signal, () => fetchLabels(shop, request, work)),
    snapshot: () => takeSnapshot(attending),
    attend: (tried = NOTHING_TRIED) => attend(attending, tried, options.notify),
    heed: async (tried = NOTHING_TRIED) => {
      await heed(attending, tried, options.notify)
    },
    restored: async (request) => {
      const restored = await declareRestored(shop, request)
      tag = await opened.tag()
      return restored
    },
    close: async () => {
      await apis.close()
      await Promise.all([...mailboxes.values()].map((mailbox) => mailbox.close()))
      await journal.close()
    },
  }
}

async function workingFiles(journal: Journal): Promise<WorkingFiles> {
  return { owner: await journal.identity(), noted: (names) => journal.notedWorkingNames(names) }
}

/** After a signal to stop, what is in flight may take so long; then its answers are given up, and looked up by the next run. */
const STOP_WITHIN_MS = 10_000

/** One client for each set of credentials: they share the token. */
function apiPool({ api }: Configuration, { clock, random, version, wrap }: BridgeOptions) {
  const clients = new Map<string, Api>()
  const made: Client[] = []
  let isHurrying = false
  // All credentials are for one host.
  const host = createHost(clock)
  return {
    of({ credentials }: Route): Api {
      const known = clients.get(credentials.clientId)
      if (known) return known
      const { baseUrl, timeoutMs, connections, trusts503 } = api
      const shared = { clock, random, version, host, trusts503 }
      const client = createClient({ baseUrl, timeoutMs, connections, ...shared, ...credentials })
      made.push(client)
      if (isHurrying) client.hurry(STOP_WITHIN_MS)
      const wrapped = wrap?.api?.(client) ?? client
      clients.set(credentials.clientId, wrapped)
      return wrapped
    },
    /** Waits for nothing any more but for what is in flight, and for that not long. */
    hurry: () => {
      isHurrying = true
      for (const client of made) client.hurry(STOP_WITHIN_MS)
    },
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}
