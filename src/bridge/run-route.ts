/** Running one route: its lease, its heartbeat, and its parts put together. */
import { join } from 'node:path'
import type { Configuration, Route } from '../config/configuration.ts'
import { fileNameOf, namesRecord } from '../config/file-name.ts'
import type { Api } from '../domain/api.ts'
import type { Format } from '../domain/format.ts'
import type { Journal, Lease } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import type { Mapping } from '../mapping/load.ts'
import { passInbound } from '../pipelines/inbound/inbound.ts'
import { passOutbound } from '../pipelines/outbound/outbound.ts'
import { assert, BridgeError } from '../support/errors.ts'
import { openSpool } from '../support/spool.ts'
import type { BridgeOptions } from './options.ts'
import { filePattern } from './file-pattern.ts'
import { isHolderAlive, thisHolder } from './holder.ts'
import type { RouteResult } from './outcome.ts'

/** A lease that is not renewed for this long is free for others. It is renewed three times as often. */
const LEASE_MS = 15_000

/** What every route of a bridge works with. */
export interface Workshop {
  readonly configuration: Configuration
  readonly options: BridgeOptions
  readonly journal: Journal
  readonly apis: { readonly of: (route: Route) => Api }
  readonly mailboxes: ReadonlyMap<string, Mailbox>
  readonly mappings: ReadonlyMap<string, Mapping>
  readonly format: Format
}

/** One pass over one route under its lease. Whatever goes wrong is the route's result, so that the others have their turn. */
export async function runRoute(shop: Workshop, route: Route, signal: AbortSignal): Promise<RouteResult> {
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
    return { kind: 'failed', route: route.name, failure: asFailure(error) }
  }
}

/** What nobody foresaw is a bug of ours; the next pass goes on from where the journal stands. */
function asFailure(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error
  const details = error instanceof Error && error.stack !== undefined ? [error.stack] : []
  return new BridgeError('bug', `something unexpected happened: ${String(error)}`, { cause: error, details })
}

async function passRoute(
  shop: Workshop,
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
  const nameFor = (sequence: number, at: number, record: Readonly<Record<string, unknown>>) =>
    fileNameOf(to.name, { route: name, sequence, at, record })
  const pass = await passOutbound({
    ...shared,
    route: { name, party, operation, folder: to.folder, nameFor, namesRecord: namesRecord(to.name), reread },
    target: mailboxOf(shop, to.mailbox),
    composer: mapping.composer,
  })
  return { kind: 'outbound', route: name, pass }
}

function mailboxOf({ mailboxes }: Workshop, name: string): Mailbox {
  const mailbox = mailboxes.get(name)
  assert(mailbox, `no mailbox ${name}`)
  return mailbox
}
