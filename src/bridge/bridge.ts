/** The composition root: everything is built here, from the configuration, and nowhere else. */
import { join } from 'node:path'
import { createClient } from '../client/client.ts'
import { fileNameOf } from '../config/file-name.ts'
import type { Configuration, Route } from '../config/configuration.ts'
import type { Api } from '../domain/api.ts'
import type { Observer } from '../domain/event.ts'
import type { Format } from '../domain/format.ts'
import type { Journal, Lease } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { csvFormat } from '../formats/csv/format.ts'
import { openJournal } from '../journal/open.ts'
import { directoryMailbox } from '../mailboxes/directory.ts'
import type { Mapping } from '../mapping/load.ts'
import { passInbound } from '../pipelines/inbound/inbound.ts'
import { passOutbound } from '../pipelines/outbound/outbound.ts'
import type { Clock } from '../support/clock.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { openSpool, type Spool } from '../support/spool.ts'
import { filePattern } from './file-pattern.ts'
import { isHolderAlive, thisHolder } from './holder.ts'
import { loadMappings } from './mappings.ts'
import { exitOf, type RouteResult, type RunResult } from './outcome.ts'
import { findStrangers, type Stranger } from './strangers.ts'

/** A lease that is not renewed for this long is free for others. It is renewed three times as often. */
const LEASE_MS = 15_000

export interface BridgeOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly newId: () => string
  readonly notify: Observer
  readonly version: string
  /** Wraps the parts as they are built; the crash tests use it to fail at every effect. */
  readonly wrap?: Partial<Wrappers>
}

interface Wrappers {
  readonly journal: (journal: Journal) => Journal
  readonly mailbox: (mailbox: Mailbox) => Mailbox
  readonly api: (api: Api) => Api
  readonly spool: (spool: Spool) => Spool
}

export interface Bridge {
  /** One pass over the routes named, or over all, in the order of the configuration. Failures of a route are results. */
  run(names: readonly string[], signal: AbortSignal): Promise<RunResult>
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
  const shop = { configuration, options, journal, apis, mailboxes, mappings, format: csvFormat() }
  return {
    journal,
    run: async (names, signal) => {
      const results: RouteResult[] = []
      for (const route of chosenRoutes(configuration, names))
        results.push(await runRoute(shop, route, signal))
      return { routes: results, exit: exitOf(results) }
    },
    strangers: () => findStrangers(configuration, mailboxes),
    close: async () => {
      await apis.close()
      await journal.close()
    },
  }
}

interface Shop {
  readonly configuration: Configuration
  readonly options: BridgeOptions
  readonly journal: Journal
  readonly apis: { readonly of: (route: Route) => Api }
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  readonly mappings: ReadonlyMap<string, Mapping>
  readonly format: Format
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

/** One client for each set of credentials: they share the token. */
function apiPool({ api }: Configuration, { clock, random, version, wrap }: BridgeOptions) {
  const clients = new Map<string, Api>()
  return {
    of({ credentials }: Route): Api {
      const known = clients.get(credentials.clientId)
      if (known) return known
      const { baseUrl, timeoutMs, connections } = api
      const client = createClient({ baseUrl, timeoutMs, connections, clock, random, version, ...credentials })
      const wrapped = wrap?.api?.(client) ?? client
      clients.set(credentials.clientId, wrapped)
      return wrapped
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

async function runRoute(shop: Shop, route: Route, signal: AbortSignal): Promise<RouteResult> {
  const { journal, options } = shop
  const holder = thisHolder(options.newId())
  try {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    const lease = await journal.takeLease(route.name, holder, LEASE_MS, isHolderAlive)
    // A heartbeat that fails says nothing: the next write finds out whether the lease is lost.
    const heartbeat = setInterval(() => void journal.renewLease(lease).catch(() => undefined), LEASE_MS / 3)
    try {
      return await passRoute(shop, { route, lease, signal })
    } finally {
      clearInterval(heartbeat)
      await journal.releaseLease(lease).catch(() => undefined)
    }
  } catch (error) {
    if (error instanceof BridgeError && error.code !== 'bug')
      return { kind: 'failed', route: route.name, failure: error }
    throw error
  }
}

async function passRoute(
  shop: Shop,
  { route, lease, signal }: { route: Route; lease: Lease; signal: AbortSignal },
): Promise<RouteResult> {
  const { configuration, options, journal } = shop
  const mapping = shop.mappings.get(route.name)
  const opened = await openSpool(join(configuration.stateFolder, 'spool', route.name))
  const spool = options.wrap?.spool?.(opened) ?? opened
  const { clock, newId, notify } = options
  const api = shop.apis.of(route)
  const concurrency = configuration.api.connections
  const shared = {
    journal,
    lease,
    api,
    spool,
    clock,
    newId,
    signal,
    notify,
    concurrency,
    format: shop.format,
  }
  if (route.direction === 'inbound' && mapping?.direction === 'inbound') {
    const { name, party, operation, from, results } = route
    const pass = await passInbound({
      ...shared,
      route: {
        name,
        party,
        operation,
        folder: from.folder,
        matches: filePattern(from.match),
        archiveFolder: from.archive,
        resultsFolder: results.folder,
        settleMs: from.settleMs,
        lateAnswerMs: configuration.api.lateAnswerMs,
      },
      source: mailboxOf(shop, from.mailbox),
      results: mailboxOf(shop, results.mailbox),
      translator: mapping.translator,
    })
    return { kind: 'inbound', route: name, pass }
  }
  assert(
    route.direction === 'outbound' && mapping?.direction === 'outbound',
    `route ${route.name} has no mapping`,
  )
  const { name, party, operation, to, reread } = route
  const nameFor = (sequence: number, at: number) => fileNameOf(to.name, { route: name, sequence, at })
  const pass = await passOutbound({
    ...shared,
    route: { name, party, operation, folder: to.folder, nameFor, reread },
    target: mailboxOf(shop, to.mailbox),
    composer: mapping.composer,
  })
  return { kind: 'outbound', route: name, pass }
}

function mailboxOf({ mailboxes }: Shop, name: string): Mailbox {
  const mailbox = mailboxes.get(name)
  assert(mailbox, `no mailbox ${name}`)
  return mailbox
}
