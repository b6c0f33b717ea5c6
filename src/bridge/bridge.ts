/** The composition root: everything is built here, from the configuration, and nowhere else. */
import { type Client, createClient } from '../client/client.ts'
import { createHost } from '../client/host.ts'
import type { Configuration, Route } from '../config/configuration.ts'
import type { Api } from '../domain/api.ts'
import type { Journal } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { createFormats } from '../formats/formats.ts'
import { openJournal } from '../journal/open.ts'
import { directoryMailbox } from '../mailboxes/directory.ts'
import { BridgeError } from '../support/errors.ts'
import { decideHeld, type DecisionRequest, type DecisionResult } from './decide.ts'
import { fetchLabels, type LabelsRequest, type LabelsWork } from './labels.ts'
import { loadMappings } from './mappings.ts'
import type { BridgeOptions } from './options.ts'
import { exitOf, type RouteResult, type RunResult } from './outcome.ts'
import { runRoute, type Workshop } from './run-route.ts'
import { settleRecord, type SettleRequest, type SettleResult } from './settle.ts'
import { applyRetention } from './retention.ts'
import { findStrangers, type Stranger } from './strangers.ts'

export interface Bridge {
  /** One pass over the routes named, or over all, in the order of the configuration. Failures of a route are results. */
  run(names: readonly string[], signal: AbortSignal): Promise<RunResult>
  /** Carries out what a person decided about held records. Throws what keeps it from that. */
  decide(request: DecisionRequest, signal: AbortSignal): Promise<DecisionResult>
  /** Carries out what a person found out about a record whose answer was lost. Throws what keeps it from that. */
  settle(request: SettleRequest, signal: AbortSignal): Promise<SettleResult>
  /** Fetches packing slips and labels again. Throws what keeps it from going on. */
  labels(request: LabelsRequest, work: LabelsWork): Promise<void>
  /** For reading: what `status` shows. */
  readonly journal: Journal
  /** Files in inbox folders that belong to no route. */
  readonly strangers: () => Promise<Stranger[]>
  close(): Promise<void>
}

/** Builds a bridge. Throws what is wrong with the configuration, the mappings or the journal. */
export async function openBridge(configuration: Configuration, options: BridgeOptions): Promise<Bridge> {
  const mappings = await loadMappings(configuration)
  const opened = await openJournal({ path: configuration.journal.path, clock: options.clock })
  const journal = options.wrap?.journal?.(opened) ?? opened
  const apis = apiPool(configuration, options)
  const mailboxes = openMailboxes(configuration, options)
  const hurrying = async <Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> => {
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
  }
  return {
    journal,
    run: (names, signal) =>
      hurrying(signal, async () => {
        const results: RouteResult[] = []
        for (const route of chosenRoutes(configuration, names))
          results.push(await runRoute(shop, route, signal))
        const stranded = await strandedRoutes(journal, configuration)
        const retention = await applyRetention(shop, signal)
        const result = { routes: results, stranded, exit: exitOf(results, stranded, retention) }
        return retention === undefined ? result : { ...result, retention }
      }),
    decide: (request, signal) => hurrying(signal, () => decideHeld(shop, request, signal)),
    settle: (request, signal) => hurrying(signal, () => settleRecord(shop, request, signal)),
    labels: (request, work) => hurrying(work.signal, () => fetchLabels(shop, request, work)),
    strangers: () => findStrangers(configuration, mailboxes),
    close: async () => {
      await apis.close()
      await journal.close()
    },
  }
}

/** Routes that were renamed or removed while work of theirs was unfinished. */
async function strandedRoutes(journal: Journal, { routes }: Configuration): Promise<string[]> {
  const configured = new Set(routes.map((route) => route.name))
  return (await journal.unfinishedRoutes()).filter((route) => !configured.has(route))
}

function chosenRoutes({ routes }: Configuration, names: readonly string[]): readonly Route[] {
  const unknown = names.filter((name) => !routes.some((route) => route.name === name))
  if (unknown.length > 0) {
    const known = routes.map((route) => route.name).join(', ')
    throw new BridgeError(
      'usage-wrong',
      `there is no route "${unknown.join('", "')}"; the routes are ${known}`,
    )
  }
  return names.length === 0 ? routes : routes.filter((route) => names.includes(route.name))
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
      const { baseUrl, timeoutMs, connections } = api
      const shared = { clock, random, version, host }
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

function openMailboxes({ mailboxes }: Configuration, { clock, wrap }: BridgeOptions): Map<string, Mailbox> {
  return new Map(
    Object.entries(mailboxes).map(([name, { path }]) => {
      const mailbox = directoryMailbox({ root: path, clock })
      return [name, wrap?.mailbox?.(mailbox) ?? mailbox]
    }),
  )
}
