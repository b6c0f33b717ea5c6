/** Runs one route under its lease. Failures become the result of the route, so that other routes still run. */
import { basename } from 'node:path'
import { computeAlertTime } from '../alerts/orders.ts'
import type { Configuration } from '../config/configuration.ts'
import { resolvePlace } from '../config/mailboxes.ts'
import { type InboundRoute, listScannedInboxes, type OutboundRoute, type Route } from '../config/routes.ts'
import type { Api } from '../domain/api.ts'
import type { Journal } from '../domain/journal.ts'
import type { Lease } from '../domain/lease.ts'
import { formatAccount, type Party } from '../domain/route.ts'
import type { InboundContext, OtherRoute, OutboundContext } from '../pipeline/context.ts'
import {
  createInboundProgress,
  getInboundOutcome,
  type InboundOutcome,
  type InboundProgress,
  runInbound,
} from '../pipeline/inbound/inbound.ts'
import type { DeliveryResult } from '../pipeline/outbound/deliver.ts'
import {
  getOutboundOutcome,
  mergeOutboundOutcomes,
  type OutboundOutcome,
  runOutbound,
} from '../pipeline/outbound/outbound.ts'
import { type Deadline, readDueOrdersAgain } from '../pipeline/references/deadlines.ts'
import { createCachingApi } from '../pipeline/references/resource-cache.ts'
import { createCarrierLoader, createMethodLoader } from '../pipeline/references/shipping-methods.ts'
import {
  buildDocumentPlace,
  buildInboundRoute,
  buildOutboundRoute,
  buildOutgoingInterchanges,
} from '../pipeline/route-settings.ts'
import { refuseToCreateFolder } from '../pipeline/inbound/inbox.ts'
import { type FileReaders, findReaders } from '../pipeline/inbound/wrong-inbox.ts'
import { MINUTE_MS } from '../support/clock.ts'
import { assert, BridgeError, hasSystemCode } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { type BridgeContext, buildStepKey } from './context.ts'
import { getMailbox } from './journal-access.ts'
import { type RouteOutcome, type RouteResult, toBridgeError } from './outcome.ts'
import { isSpoolEmpty, locateSpooled, openRouteSpool, withRouteLease } from './route-lease.ts'
import { carryOutScheduledRuns, hasOwnRuns, type PassPlan, type ScheduleMode } from './scheduled-runs.ts'

export interface RouteWork {
  /** In place of a whole pass over an inbound route. */
  readonly inbound?: (context: InboundContext, progress: InboundProgress) => Promise<InboundOutcome>
  /** In place of a whole pass over an outbound route. */
  readonly outbound?: (context: OutboundContext) => Promise<OutboundOutcome>
  /** How the pass treats the schedule; it ignores the schedule when left out. */
  readonly scheduleMode?: ScheduleMode
}

/** Runs one pass over a route under its lease, or the other work that is given. */
export async function runRoute(
  context: BridgeContext,
  route: Route,
  signal: AbortSignal,
  work: RouteWork = {},
): Promise<RouteResult> {
  const { options } = context
  const began = options.clock.now()
  const result = await runUnderLease(context, route, signal, work)
  const failure = result.kind === 'failed' ? { failure: result.failure.code } : {}
  const idle = result.kind === 'idle' || result.kind === 'paused' ? { idle: true as const } : {}
  const ms = options.clock.now() - began
  options.notify({ kind: 'pass-ended', route: route.name, ms, ...failure, ...idle })
  return result
}

/**
 * Whether a pass over an inbound route would find nothing to do: it ran before, no bridge is working on it, the journal knows no
 * unfinished work, and its folders on this machine are empty. Then it needs no lease, which would cost two flushes of the disk.
 */
export async function hasNothingToDo(
  context: BridgeContext,
  route: Route,
  mode: ScheduleMode,
): Promise<boolean> {
  const { configuration, journal, journalGuard } = context
  if (route.direction === 'outbound' || route.alertIfLate !== undefined || hasOwnRuns(route, mode))
    return false
  const { mailbox: name, folder, interchanges } = route.from
  if (interchanges === undefined && configuration.mailboxes[name]?.type !== 'directory') return false
  try {
    await journalGuard.checkRoute(route)
    if (!(await journal.hasNoWork(route.name)) || !(await isSpoolEmpty(configuration, route.name)))
      return false
    // A route that gets parts takes no files itself.
    if (interchanges !== undefined) return true
    const mailbox = getMailbox(context, name)
    if (!(await mailbox.hasFolder(folder)) || (await mailbox.listClaims(folder)).length > 0) return false
    return (await mailbox.list(folder, undefined, () => refuseToCreateFolder(folder))).length === 0
  } catch (error) {
    // The pass reports it.
    if (error instanceof BridgeError) return false
    throw error
  }
}

/** The result of a pass that found nothing to do. */
export function reportIdlePass({ options }: BridgeContext, { name }: Route): RouteResult {
  options.notify({ kind: 'pass-ended', route: name, ms: 0 })
  return { kind: 'inbound', route: name, pass: getInboundOutcome(name, createInboundProgress()) }
}

async function runUnderLease(context: BridgeContext, route: Route, signal: AbortSignal, work: RouteWork) {
  const { journal, options } = context
  const done: RouteOutcome[] = []
  try {
    // Before the lease, which costs two flushes of the disk; and under it, as it may be paused meanwhile.
    const paused = await findPaused(context, route, work)
    if (paused !== undefined) return paused
    await context.loadMappings()
    return await withRouteLease(context, route.name, signal, async (lease) => {
      const paused = await findPaused(context, route, work)
      if (paused !== undefined) return paused
      await context.journalGuard.checkRoute(route)
      const { clock, notify } = options
      const unasked = needsOrderList(context.configuration, route.party) ? [] : (['createOrder'] as const)
      const uncached = context.apis.get(route)
      const api = createCachingApi({ api: uncached, journal, party: route.party, clock, unasked })
      const leased = { route, lease, signal, api, done, ...work }
      const pass = (plan: PassPlan) => runPass(context, leased, plan)
      const result = await (work.scheduleMode === undefined
        ? pass({})
        : carryOutScheduledRuns({ journal, lease, route, clock, notify, signal }, work.scheduleMode, pass))
      if (result.kind === 'inbound' || result.kind === 'outbound')
        await readLateOrders({ api, journal, route, now: clock.now() })
      await api.flush()
      return result
    })
  } catch (error) {
    const failed = { kind: 'failed', route: route.name, failure: toBridgeError(error) } as const
    const [first, second] = done
    if (first === undefined) return failed
    // Only a report has several passes, one for each scheduled run.
    const passes = done.flatMap((each) => (each.kind === 'outbound' ? [each.pass] : []))
    const merged = { kind: 'outbound', pass: mergeOutboundOutcomes(route.name, passes) } as const
    return { ...failed, done: second === undefined ? first : merged }
  }
}

/** A pause keeps passes from beginning. What a person decides of the route meanwhile is carried out. */
async function findPaused(
  { journal }: BridgeContext,
  { name: route }: Route,
  { scheduleMode }: RouteWork,
): Promise<RouteResult | undefined> {
  const pause = scheduleMode === undefined ? undefined : await journal.findPause(route)
  return pause && { kind: 'paused', route, pause }
}

/** A retailer that only sends orders needs no list of them, and storing each would be a tenth of the work. */
function needsOrderList({ routes }: Configuration, party: Party): boolean {
  const account = formatAccount(party)
  const own = routes.filter((route) => formatAccount(route.party) === account)
  return own.some(
    ({ direction, operation, alertIfLate }) =>
      (direction === 'inbound' && operation !== 'create-order') || alertIfLate !== undefined,
  )
}

/** Before the next pass an alert may be raised: what is due until then is checked. */
const LATE_AHEAD_MS = 30 * MINUTE_MS

/** Others acknowledge, ship and cancel too: an alert must not stand for what they did. */
async function readLateOrders({
  route: { party, alertIfLate },
  now,
  ...reading
}: {
  readonly route: Route
  readonly api: Api
  readonly journal: Journal
  readonly now: number
}): Promise<void> {
  if (alertIfLate === undefined) return
  const isDue = (deadline: Deadline) => computeAlertTime(alertIfLate, deadline) <= now + LATE_AHEAD_MS
  await readDueOrdersAgain({ ...reading, party, now }, isDue)
}

// Builds the context of one pass from the configuration.

interface LeasedRoute extends RouteWork {
  readonly route: Route
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly api: Api
  /** Collects the outcomes of passes, so that they are known when a later one fails. */
  readonly done: RouteOutcome[]
}

async function runPass(context: BridgeContext, leased: LeasedRoute, plan: PassPlan): Promise<RouteResult> {
  const { route, lease, signal, api } = leased
  const { configuration, options, journal } = context
  const spool = await openRouteSpool(context, lease)
  const { clock, newId, notify } = options
  const { onlyUnfinished, ...run } = plan
  const given = { journal, lease, api, spool, clock, newId, signal, notify, format: context.format }
  const concurrency = configuration.api.connections
  const shared: SharedPassContext = { ...given, concurrency, ...(onlyUnfinished && { onlyUnfinished }) }
  const done: RouteOutcome =
    route.direction === 'inbound'
      ? { kind: 'inbound', pass: await passInboundRoute(context, { ...leased, route }, shared) }
      : { kind: 'outbound', pass: await passOutboundRoute(context, { ...leased, route }, shared, run) }
  // Kept because a later pass over the route may fail.
  leased.done.push(done)
  return { route: route.name, ...done }
}

type SharedPassContext = Omit<
  InboundContext,
  | 'route'
  | 'source'
  | 'results'
  | 'carriers'
  | 'methods'
  | 'documents'
  | 'translator'
  | 'next'
  | 'locateSpooled'
>

async function passInboundRoute(
  context: BridgeContext,
  { route, api, done, inbound = runInbound }: LeasedRoute & { readonly route: InboundRoute },
  shared: SharedPassContext,
): Promise<InboundOutcome> {
  const { name, party, from, results } = route
  const mapping = context.mappings.get(name)
  assert(mapping?.direction === 'inbound', `route ${name} has no mapping`)
  const documents = buildDocumentPlace(route, (mailbox) => getMailbox(context, mailbox))
  const parts: InboundContext = {
    ...shared,
    route: buildInboundRoute(context.configuration, route),
    source: getMailbox(context, from.mailbox),
    results: getMailbox(context, results.mailbox),
    locateSpooled: (of, file) => locateSpooled(context.configuration, of, file),
    // A route that gets parts takes no files itself.
    ...(from.interchanges === undefined ? {} : { onlyUnfinished: true }),
    // Read once a pass, and only on demand.
    carriers: createCarrierLoader(api),
    methods: createMethodLoader(api, party),
    ...(documents && { documents }),
    translator: mapping.translator,
    listOtherRoutes: () => listOtherRoutes(context, route.from.mailbox, route),
    ...omitUndefined({ blocks: context.options.blocks }),
    precedence: context.precedence,
    ...buildNextSteps(context, route),
  }
  const progress = createInboundProgress()
  return inbound(parts, progress).catch((error: unknown) => {
    done.push({ kind: 'inbound', pass: getInboundOutcome(name, progress) })
    throw error
  })
}

/** The routes that a file may be for; those with a step on it are known by their first one. `at`: its own mailbox. */
function listOtherRoutes(
  { configuration, mappings }: Pick<BridgeContext, 'configuration' | 'mappings'>,
  at: string,
  own?: InboundRoute,
): OtherRoute[] {
  return configuration.routes.flatMap((route) => {
    const mapping = mappings.get(route.name)
    if (route.name === own?.name || route.direction !== 'inbound' || mapping?.direction !== 'inbound')
      return []
    const { mailbox, folder } = route.from
    const inbox = mailbox === at ? folder : `${folder} of mailbox ${mailbox}`
    return [{ name: route.name, inbox, translator: mapping.translator }]
  })
}

/** Finds the routes whose mappings read a file of this machine that is in no inbox. A file that cannot be read has none. */
export function createReaderFinder(
  context: Pick<BridgeContext, 'configuration' | 'mappings' | 'loadMappings' | 'format'>,
) {
  return async (path: string, mailbox: string): Promise<FileReaders | undefined> => {
    const { readUnpackedBytes } = await import('../mapping-tools/translate-file.ts')
    const file = { name: basename(path), read: () => readUnpackedBytes(path) }
    try {
      await context.loadMappings()
      const routes = listOtherRoutes(context, mailbox)
      return await findReaders(context.format, file, { routes })
    } catch (error) {
      if (error instanceof BridgeError || hasSystemCode(error, 'EIO', 'EPERM')) return undefined
      throw error
    }
  }
}

async function passOutboundRoute(
  context: BridgeContext,
  { route, done, outbound }: LeasedRoute & { readonly route: OutboundRoute },
  shared: SharedPassContext,
  { scheduledRun, dated }: PassPlan,
): Promise<OutboundOutcome> {
  const { name } = route
  const mapping = context.mappings.get(name)
  assert(mapping?.direction === 'outbound', `route ${name} has no mapping`)
  const deliveries: DeliveryResult[] = []
  const parts: OutboundContext = {
    ...shared,
    route: buildOutboundRoute(route, { run: dated, document: mapping.composer.write.edi?.document }),
    ...(scheduledRun && { scheduledRun }),
    target: getMailbox(context, route.to.mailbox),
    ...buildReceiptContext(context, route),
    composer: mapping.composer,
    ...omitUndefined({
      interchanges: buildOutgoingInterchanges(
        context.configuration,
        route,
        mapping.composer.write,
        context.interchanges,
      ),
    }),
  }
  const pass = outbound === undefined ? runOutbound(parts, deliveries) : outbound(parts)
  return pass.catch((error: unknown) => {
    done.push({ kind: 'outbound', pass: getOutboundOutcome(name, deliveries) })
    throw error
  })
}

/** Where receipts arrive, and which inboxes take files from the same place. */
function buildReceiptContext(context: BridgeContext, { receipt }: OutboundRoute) {
  if (receipt === undefined) return {}
  const { mailboxes } = context.configuration
  const place = resolvePlace(mailboxes, receipt)
  const inboxes = listScannedInboxes(context.configuration)
  return {
    receipts: getMailbox(context, receipt.mailbox),
    receiptInboxes: inboxes
      .filter(({ from }) => resolvePlace(mailboxes, from) === place)
      .map(({ key, from }) => ({ name: key, folder: from.folder })),
  }
}

function buildNextSteps({ mappings }: BridgeContext, { name, next }: InboundRoute) {
  if (next === undefined) return {}
  return {
    next: next.map(({ mappingPath, ...step }) => {
      if (mappingPath === undefined) return step
      const mapping = mappings.get(buildStepKey(name, step.operation))
      assert(mapping?.direction === 'inbound', `${step.operation} of route ${name} has no mapping`)
      return { ...step, translator: mapping.translator }
    }),
  }
}
