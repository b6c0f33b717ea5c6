/** The routes as the program uses them, from what the file says of each. */
import { resolve } from 'node:path'
import { type InboundOperationName, isReceived, type OutboundOperationName } from '../contract/operations.ts'
import type { Party } from '../domain/route.ts'
import { assert } from '../support/errors.ts'
import { type Acknowledging, toAcknowledging } from './acknowledge.ts'
import { checkedMs } from './duration.ts'
import { emptiedMs, type Expect, toExpect } from './expect.ts'
import { type InboxRules, toInboxRules } from './inbox.ts'
import { type ConfigurationFile, plainFolder } from './schema.ts'
import { type Select, toSelect } from './select.ts'
import type { Rules } from './rules.ts'
import { type Schedule, toSchedule } from './schedule.ts'
import { type StepConfiguration, toStep, toWaiting, type Waiting } from './steps.ts'
import { type Stop, toStop } from './stop.ts'

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

interface Emptied {
  /** Files that lie there for longer are told; left out for never. */
  readonly emptiedMs?: number
}

interface RouteBase {
  readonly name: string
  readonly party: Party
  /** The route's own, or those of the API. */
  readonly credentials: Credentials
  readonly mappingPath: string
  /** When the route has its turns; left out where the configuration says nothing of times. */
  readonly schedule?: Schedule
}

export interface InboundRoute extends RouteBase, Waiting {
  readonly direction: 'inbound'
  readonly operation: InboundOperationName
  readonly from: InboxRules & {
    readonly mailbox: string
    readonly folder: string
    /** `*` and `?` stand for any letters; compared without case. */
    readonly match: string
    readonly archive: string
    readonly settleMs: number
    /** By when a file should come. */
    readonly expect?: Expect
  }
  readonly results: Emptied & { readonly mailbox: string; readonly folder: string }
  /** Packing slips and labels, where they are wanted; `name` is a template for `documentNameOf`. */
  readonly documents?: {
    readonly mailbox: string
    readonly folder: string
    readonly labels: boolean
    readonly packingSlips: boolean
    readonly name: string
  }
  /** What is done about records that are only odd. */
  readonly rules: Rules
  /** When the rest of a file is held instead of sent. */
  readonly stop: Stop
  /** Further steps on the same file. */
  readonly next?: readonly StepConfiguration[]
}

/** `acknowledge` is `never` for reports too. */
export interface OutboundRoute extends RouteBase, Acknowledging {
  readonly direction: 'outbound'
  readonly operation: OutboundOperationName
  /** `name` is a template for `fileNameOf`. */
  readonly to: Emptied & { readonly mailbox: string; readonly folder: string; readonly name: string }
  readonly reread: boolean
  /** Left out where each record goes out once. */
  readonly report?: { readonly select: Select; readonly empty: 'skip' | 'write' }
}

export type Route = InboundRoute | OutboundRoute

/** What a route takes from the rest of the file. Relative paths are relative to `folder`. */
interface Around {
  readonly folder: string
  readonly zone: string | undefined
  readonly credentials: Credentials
}

export function toRoute(name: string, route: RouteFile, around: Around): Route {
  const { folder, zone, credentials } = around
  const base: RouteBase = {
    name,
    party: toParty(route),
    credentials: route.api ?? credentials,
    mappingPath: resolve(folder, route.mapping),
    ...scheduleOf(route, zone),
  }
  return 'from' in route ? toInbound(base, route, around) : toOutbound(base, route, folder)
}

function scheduleOf(route: RouteFile, zone: string | undefined): Pick<RouteBase, 'schedule'> {
  const schedule = toSchedule(route, zone)
  return schedule === undefined ? {} : { schedule }
}

type RouteFile = ConfigurationFile['routes'][string]
type InboundRouteFile = Extract<RouteFile, { from: unknown }>
type OutboundRouteFile = Extract<RouteFile, { to: unknown }>

function toInbound(base: RouteBase, route: InboundRouteFile, { folder, zone }: Around): InboundRoute {
  const { operation, from, results, documents, rules, stop, then } = route
  return {
    ...base,
    direction: 'inbound',
    operation,
    from: {
      mailbox: from.mailbox,
      folder: plainFolder(from.folder),
      match: from.match,
      archive: plainFolder(from.archive ?? `archive/${base.name}`),
      settleMs: checkedMs(from.settle),
      ...toInboxRules(from),
      ...(from.expect === undefined ? {} : { expect: toExpect(from.expect, zone) }),
    },
    results: {
      mailbox: results.mailbox,
      folder: plainFolder(results.folder),
      ...emptiedOf(results.emptied),
    },
    ...(documents === undefined
      ? {}
      : { documents: { ...documents, folder: plainFolder(documents.folder) } }),
    rules,
    stop: toStop(stop),
    ...toWaiting(route),
    ...(then === undefined ? {} : { next: then.map((step) => toStep(step, folder)) }),
  }
}

function toOutbound(base: RouteBase, route: OutboundRouteFile, folder: string): OutboundRoute {
  const { operation, to, select, empty = 'skip', reread } = route
  const outbound = { ...base, direction: 'outbound' as const, operation }
  const { emptied, ...target } = to
  const place = { ...target, folder: plainFolder(to.folder), ...emptiedOf(emptied) }
  const where = { route: base.name, mailbox: to.mailbox, plain: plainFolder }
  const acknowledging = toAcknowledging(route, where)
  if (select !== undefined || !isReceived(operation)) {
    const { schedule } = base
    // the dates of a report for business dates are those of its turns
    const zone = schedule?.kind === 'daily' ? { zone: schedule.zone } : {}
    const report = { select: toSelect(operation, { ...zone, ...select }, folder), empty }
    return { ...outbound, to: place, ...acknowledging, acknowledge: 'never', reread: false, report }
  }
  return {
    ...outbound,
    to: place,
    ...acknowledging,
    // acknowledging an order ends the retailer's right to cancel it, so one that was cancelled meanwhile must show
    reread: acknowledging.acknowledge !== 'never' && (reread ?? operation === 'export-orders'),
  }
}

function emptiedOf(emptied: string): Emptied {
  const ms = emptiedMs(emptied)
  return ms === undefined ? {} : { emptiedMs: ms }
}

function toParty({ retailer, brand }: RouteFile): Party {
  if (retailer !== undefined) return { kind: 'retailer', id: retailer }
  assert(brand !== undefined, 'a route without a party passed the checks')
  return { kind: 'brand', id: brand }
}
