/** Running one route: its lease, its heartbeat, and whatever goes wrong. */
import type { Configuration } from '../config/configuration.ts'
import type { Route } from '../config/routes.ts'
import type { Journal, Lease } from '../domain/journal.ts'
import { accountOf, type Party } from '../domain/route.ts'
import { joinPasses } from '../pipelines/outbound/join-passes.ts'
import { rememberingApi } from '../pipelines/references/memory.ts'
import { BridgeError, hasCode } from '../support/errors.ts'
import { isHolderAlive, thisHolder } from './holder.ts'
import type { Done, RouteResult } from './outcome.ts'
import { type InboundWork, type OutboundWork, passRoute } from './pass-route.ts'
import { type PassPlan, passTurns, type TurnMode } from './schedule/pass-turns.ts'
import type { Workshop } from './workshop.ts'

/** A lease that is not renewed for this long is free for others. It is renewed three times as often. */
const LEASE_MS = 15_000

export type { Workshop } from './workshop.ts'

/** What is done with a route while it is held. */
export interface RouteWork {
  /** In place of a whole pass over an inbound route. */
  readonly inbound?: InboundWork
  /** In place of a whole pass over an outbound route. */
  readonly outbound?: OutboundWork
  /** What the schedule is to it; nothing when left out. */
  readonly turns?: TurnMode
}

/**
 * One pass over one route under its lease, or other work on an inbound one. Whatever goes wrong is the route's result, so
 * that the others have their turn.
 */
export async function runRoute(
  shop: Workshop,
  route: Route,
  signal: AbortSignal,
  work: RouteWork = {},
): Promise<RouteResult> {
  const { options } = shop
  const began = options.clock.now()
  const result = await heldRoute(shop, route, signal, work)
  const failure = result.kind === 'failed' ? { failure: result.failure.code } : {}
  const idle = result.kind === 'idle' ? { idle: true as const } : {}
  options.notify({
    kind: 'pass-ended',
    route: route.name,
    ms: options.clock.now() - began,
    ...failure,
    ...idle,
  })
  return result
}

async function heldRoute(
  shop: Workshop,
  route: Route,
  signal: AbortSignal,
  work: RouteWork,
): Promise<RouteResult> {
  const { journal, options } = shop
  const holder = thisHolder(options.newId())
  const done: Done[] = []
  try {
    const { leaseMs = LEASE_MS } = options
    const lease = await journal.takeLease(route.name, holder, leaseMs, isHolderAlive)
    // A heartbeat that fails says nothing: the next write finds out whether the lease is lost.
    const heartbeat = setInterval(() => {
      void journal.renewLease(lease).catch(() => undefined)
      void shop.age.mark()
    }, leaseMs / 3)
    try {
      if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
      await shop.age.beforePass(route)
      const seeing = { api: shop.apis.of(route), journal, party: route.party, clock: options.clock }
      const unasked = asksForOrders(shop.configuration, route.party) ? [] : (['createOrder'] as const)
      const api = rememberingApi({ ...seeing, unasked })
      const held = { route, lease, signal, api, done, ...work }
      const { clock, notify } = options
      const pass = (plan: PassPlan) => passRoute(shop, held, plan)
      const result = await (work.turns === undefined
        ? pass({})
        : passTurns({ journal, lease, route, clock, notify, signal }, work.turns, pass))
      await api.settled()
      return result
    } catch (error) {
      throw await unlessLost(journal, lease, error)
    } finally {
      clearInterval(heartbeat)
      await journal.releaseLease(lease).catch(() => undefined)
      await shop.age.mark('now')
    }
  } catch (error) {
    return { kind: 'failed', route: route.name, failure: asFailure(error), ...doneBefore(route, done) }
  }
}

/** Only a report has several passes, one for each turn. */
function doneBefore({ name }: Route, done: readonly Done[]): { readonly done?: Done } {
  const [first] = done
  if (first === undefined) return {}
  if (done.length === 1) return { done: first }
  const passes = done.flatMap((each) => (each.kind === 'outbound' ? [each.pass] : []))
  return { done: { kind: 'outbound', pass: joinPasses(name, passes) } }
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
