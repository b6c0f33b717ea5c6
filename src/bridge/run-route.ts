/** Running one route: its lease, its heartbeat, and its parts put together. */
import { join } from 'node:path'
import type { Configuration, InboundRoute, Route } from '../config/configuration.ts'
import type { Api } from '../domain/api.ts'
import type { Format } from '../domain/format.ts'
import type { Journal, Lease } from '../domain/journal.ts'
import type { Mailbox } from '../domain/mailbox.ts'
import { accountOf, type Party } from '../domain/route.ts'
import type { Mapping } from '../mapping/load.ts'
import { type InboundPass, passInbound } from '../pipelines/inbound/inbound.ts'
import { passOutbound } from '../pipelines/outbound/outbound.ts'
import type { InboundParts } from '../pipelines/parts.ts'
import { carrierBook } from '../pipelines/references/carriers.ts'
import { rememberingApi } from '../pipelines/references/memory.ts'
import { methodBook } from '../pipelines/rules/methods.ts'
import { assert, BridgeError, hasCode } from '../support/errors.ts'
import { openSpool } from '../support/spool.ts'
import type { BridgeOptions } from './options.ts'
import { documentPlace } from './document-place.ts'
import { filePattern } from './file-pattern.ts'
import { isHolderAlive, thisHolder } from './holder.ts'
import type { RouteResult } from './outcome.ts'
import { stepKey } from './mappings.ts'
import { outboundRoute } from './outbound-route.ts'

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

/** What is done with an inbound route, while it is held. */
export type InboundWork = (parts: InboundParts) => Promise<InboundPass>

/**
 * One pass over one route under its lease, or other work on an inbound one. Whatever goes wrong is the route's result, so
 * that the others have their turn.
 */
export async function runRoute(
  shop: Workshop,
  route: Route,
  signal: AbortSignal,
  inbound: InboundWork = passInbound,
): Promise<RouteResult> {
  const { journal, options } = shop
  const holder = thisHolder(options.newId())
  try {
    const { leaseMs = LEASE_MS } = options
    const lease = await journal.takeLease(route.name, holder, leaseMs, isHolderAlive)
    // A heartbeat that fails says nothing: the next write finds out whether the lease is lost.
    const heartbeat = setInterval(() => void journal.renewLease(lease).catch(() => undefined), leaseMs / 3)
    try {
      if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
      const seeing = { api: shop.apis.of(route), journal, party: route.party, clock: options.clock }
      const unasked = asksForOrders(shop.configuration, route.party) ? [] : (['createOrder'] as const)
      const api = rememberingApi({ ...seeing, unasked })
      const result = await passRoute(shop, { route, lease, signal, api, inbound })
      await api.settled()
      return result
    } catch (error) {
      throw await unlessLost(journal, lease, error)
    } finally {
      clearInterval(heartbeat)
      await journal.releaseLease(lease).catch(() => undefined)
    }
  } catch (error) {
    return { kind: 'failed', route: route.name, failure: asFailure(error) }
  }
}

/** A process that was stopped and wakes up finds much changed; where its lease is lost, that is the reason for it all. */
async function unlessLost(journal: Journal, lease: Lease, error: unknown): Promise<unknown> {
  // The journal that failed cannot be asked either.
  const says = ['lease-lost', 'interrupted', 'journal-busy', 'journal-damaged', 'journal-unusable'] as const
  if (hasCode(error, ...says)) return error
  try {
    await journal.renewLease(lease)
    return error
  } catch (lost) {
    return hasCode(lost, 'lease-lost') ? new BridgeError('lease-lost', lost.message, { cause: error }) : error
  }
}

/**
 * Whether files of the party name orders that are there already. A retailer that only sends orders asks for none, and
 * remembering each of them would be a tenth of the work; should it do more one day, its list is read once.
 */
function asksForOrders({ routes }: Configuration, party: Party): boolean {
  const account = accountOf(party)
  return routes.some(
    (route) =>
      route.direction === 'inbound' &&
      accountOf(route.party) === account &&
      route.operation !== 'create-order',
  )
}

/** What nobody foresaw is a bug of ours; the next pass goes on from where the journal stands. */
function asFailure(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error
  const details = error instanceof Error && error.stack !== undefined ? [error.stack] : []
  return new BridgeError('bug', `something unexpected happened: ${String(error)}`, { cause: error, details })
}

interface Held {
  readonly route: Route
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly api: Api
  readonly inbound: InboundWork
}

async function passRoute(shop: Workshop, { route, lease, signal, api, inbound }: Held): Promise<RouteResult> {
  const { configuration, options, journal } = shop
  const mapping = shop.mappings.get(route.name)
  const folder = join(configuration.stateFolder, 'spool', route.name)
  const opened = await openSpool(folder, () => journal.renewLease(lease))
  const spool = options.wrap?.spool?.(opened) ?? opened
  const { clock, newId, notify } = options
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
    const { name, party, operation, from, results, rules, stop } = route
    const documents = documentPlace(route, (mailbox) => mailboxOf(shop, mailbox))
    const pass = await inbound({
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
        rules,
        stop,
        ...waitingOf(route),
      },
      source: mailboxOf(shop, from.mailbox),
      results: mailboxOf(shop, results.mailbox),
      ...booksOf(api, party),
      ...(documents === undefined ? {} : { documents }),
      translator: mapping.translator,
      ...nextSteps(shop, route),
    })
    return { kind: 'inbound', route: name, pass }
  }
  assert(
    route.direction === 'outbound' && mapping?.direction === 'outbound',
    `route ${route.name} has no mapping`,
  )
  const pass = await passOutbound({
    ...shared,
    route: outboundRoute(route),
    target: mailboxOf(shop, route.to.mailbox),
    composer: mapping.composer,
  })
  return { kind: 'outbound', route: route.name, pass }
}

function waitingOf({ when, waitMs }: InboundRoute): Pick<InboundParts['route'], 'when' | 'waitMs'> {
  return { ...(when === undefined ? {} : { when }), ...(waitMs === undefined ? {} : { waitMs }) }
}

/** What the route does with its files after the first step. */
function nextSteps({ mappings }: Workshop, { name, next }: InboundRoute): Pick<InboundParts, 'next'> {
  if (next === undefined) return {}
  return {
    next: next.map(({ mappingPath, ...step }) => {
      if (mappingPath === undefined) return step
      const mapping = mappings.get(stepKey(name, step.operation))
      assert(mapping?.direction === 'inbound', `${step.operation} of route ${name} has no mapping`)
      return { ...step, translator: mapping.translator }
    }),
  }
}

/** What is read once a pass, and only when something asks for it. */
function booksOf(api: Api, party: Party) {
  return { carriers: carrierBook(api), methods: methodBook(api, party) }
}

function mailboxOf({ mailboxes }: Workshop, name: string): Mailbox {
  const mailbox = mailboxes.get(name)
  assert(mailbox, `no mailbox ${name}`)
  return mailbox
}
