/** The parts of one pass over a route, put together from its configuration. */
import { join } from 'node:path'
import type { InboundRoute, OutboundRoute, Route } from '../config/routes.ts'
import { whereIs } from '../config/whereabouts.ts'
import type { Api } from '../domain/api.ts'
import type { Lease } from '../domain/journal.ts'
import { type Party } from '../domain/route.ts'
import { passInbound } from '../pipelines/inbound/inbound.ts'
import {
  beginInbound,
  type InboundPass,
  type InboundProgress,
  inboundSoFar,
} from '../pipelines/inbound/progress.ts'
import type { DeliveryResult } from '../pipelines/outbound/finish-delivery.ts'
import { type OutboundPass, outboundSoFar, passOutbound } from '../pipelines/outbound/outbound.ts'
import type { InboundParts, OutboundParts } from '../pipelines/parts.ts'
import { carrierBook } from '../pipelines/references/carriers.ts'
import { methodBook } from '../pipelines/rules/methods.ts'
import { assert } from '../support/errors.ts'
import { openSpool } from '../support/spool.ts'
import { documentPlace } from './document-place.ts'
import { inboundRoute } from './inbound-route.ts'
import type { Done, RouteResult } from './outcome.ts'
import { stepKey } from './mappings.ts'
import { outboundRoute } from './outbound-route.ts'
import { mailboxOf, type Workshop } from './workshop.ts'
import type { PassPlan } from './schedule/pass-turns.ts'

/** What is done with an inbound route, while it is held. */
export type InboundWork = (parts: InboundParts, progress: InboundProgress) => Promise<InboundPass>

/** What is done with an outbound route, while it is held. */
export type OutboundWork = (parts: OutboundParts) => Promise<OutboundPass>

export interface Held {
  readonly route: Route
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly api: Api
  readonly inbound?: InboundWork
  readonly outbound?: OutboundWork
  /** Takes what passes came to, so that it is known when one fails. */
  readonly done: Done[]
}

export async function passRoute(shop: Workshop, held: Held, plan: PassPlan): Promise<RouteResult> {
  const { route, lease, signal, api } = held
  const { configuration, options, journal } = shop
  const folder = join(configuration.stateFolder, 'spool', route.name)
  const opened = await openSpool(folder, () => journal.renewLease(lease))
  const spool = options.wrap?.spool?.(opened) ?? opened
  const { clock, newId, notify } = options
  const concurrency = configuration.api.connections
  const { onlyUnfinished, ...turn } = plan
  const shared: Shared = {
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
    ...(onlyUnfinished === undefined ? {} : { onlyUnfinished }),
  }
  const done: Done =
    route.direction === 'inbound'
      ? { kind: 'inbound', pass: await passIn(shop, { ...held, route }, shared) }
      : { kind: 'outbound', pass: await passOut(shop, { ...held, route }, { ...shared, ...turn }) }
  // A later pass over the route may fail.
  held.done.push(done)
  return { route: route.name, ...done }
}

type Shared = Omit<
  InboundParts,
  'route' | 'source' | 'results' | 'carriers' | 'methods' | 'documents' | 'translator' | 'next'
>

async function passIn(
  shop: Workshop,
  { route, api, done, inbound = passInbound }: Held & { readonly route: InboundRoute },
  shared: Shared,
): Promise<InboundPass> {
  const { name, party, from, results } = route
  const mapping = shop.mappings.get(name)
  assert(mapping?.direction === 'inbound', `route ${name} has no mapping`)
  const documents = documentPlace(route, (mailbox) => mailboxOf(shop, mailbox))
  const parts: InboundParts = {
    ...shared,
    route: inboundRoute(shop.configuration, route),
    source: mailboxOf(shop, from.mailbox),
    results: mailboxOf(shop, results.mailbox),
    ...booksOf(api, party),
    ...(documents === undefined ? {} : { documents }),
    translator: mapping.translator,
    ...nextSteps(shop, route),
  }
  const progress = beginInbound()
  return inbound(parts, progress).catch((error: unknown) => {
    done.push({ kind: 'inbound', pass: inboundSoFar(name, progress) })
    throw error
  })
}

async function passOut(
  shop: Workshop,
  { route, done, outbound }: Held & { readonly route: OutboundRoute },
  { turn, dated, ...shared }: Shared & Omit<PassPlan, 'onlyUnfinished'>,
): Promise<OutboundPass> {
  const { name } = route
  const mapping = shop.mappings.get(name)
  assert(mapping?.direction === 'outbound', `route ${name} has no mapping`)
  const deliveries: DeliveryResult[] = []
  const parts: OutboundParts = {
    ...shared,
    route: outboundRoute(route, dated),
    ...(turn === undefined ? {} : { turn }),
    target: mailboxOf(shop, route.to.mailbox),
    ...receiptPlace(shop, route),
    composer: mapping.composer,
  }
  const pass = outbound === undefined ? passOutbound(parts, deliveries) : outbound(parts)
  return pass.catch((error: unknown) => {
    done.push({ kind: 'outbound', pass: outboundSoFar(name, deliveries) })
    throw error
  })
}

/** Where receipts come, and who else takes files from there. */
function receiptPlace(
  shop: Workshop,
  { receipt }: OutboundRoute,
): Pick<OutboundParts, 'receipts' | 'receiptInboxes'> {
  if (receipt === undefined) return {}
  const { routes, mailboxes } = shop.configuration
  const place = whereIs(mailboxes, receipt)
  return {
    receipts: mailboxOf(shop, receipt.mailbox),
    receiptInboxes: routes.flatMap((each) =>
      each.direction === 'inbound' && whereIs(mailboxes, each.from) === place
        ? [{ name: each.name, folder: each.from.folder }]
        : [],
    ),
  }
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
