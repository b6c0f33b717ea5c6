/** The routes as the program uses them, made from the file. */
import { resolve } from 'node:path'
import type { z } from 'zod'
import { type InboundOperationName, isReceived, type OutboundOperationName } from '../contract/operations.ts'
import type { Party } from '../domain/route.ts'
import { assert, usageError } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { unknownNameError } from '../support/text.ts'
import { type AcknowledgeRules, toAcknowledgeRules } from './acknowledge.ts'
import { type LateRules, toLateRules, toOverdueRules } from './alerts.ts'
import {
  type EdiConfiguration,
  type InterchangeChoice,
  type InterchangeInbox,
  type Partner,
  toInterchangeChoice,
} from './edi.ts'
import {
  normalizeFolder,
  type OutputFolder,
  type ResultsFolder,
  toOutputFolder,
  toResultsFolder,
} from './folders.ts'
import { type FileSource, toFileSource } from './inbox.ts'
import { type Schedule, toSchedule } from './schedule.ts'
import type { ConfigurationFile, DocumentSettings } from './schema.ts'
import { type SelectRule, toSelect } from './select.ts'
import {
  type CircuitBreaker,
  type Rules,
  type StepConfiguration,
  toCircuitBreaker,
  toStep,
  toWaitRules,
  type WaitRules,
} from './sending.ts'

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

interface RouteBase {
  readonly name: string
  readonly party: Party
  /** The route's own, or those of the API. */
  readonly credentials: Credentials
  readonly mappingPath: string
  /** When orders of the party raise an alert before their deadlines; absent for never. */
  readonly alertIfLate?: LateRules
  /** When the route runs; absent without a schedule. */
  readonly schedule?: Schedule
}

export interface InboundRoute extends RouteBase, WaitRules {
  readonly direction: 'inbound'
  readonly operation: InboundOperationName
  /** Of a route that takes sets of an inbox, the folder is that of the inbox, for messages: the inbox is what is scanned. */
  readonly from: FileSource & { readonly interchanges?: InterchangeChoice }
  readonly results: ResultsFolder
  /** Packing slips and labels, where they are wanted; `name` is a template for `formatDocumentName`. */
  readonly documents?: Readonly<z.output<typeof DocumentSettings>>
  /** The policies for doubtful records. */
  readonly rules: Rules
  /** When the rest of a file is held instead of sent. */
  readonly circuitBreaker: CircuitBreaker
  readonly next?: readonly StepConfiguration[]
}

/** `acknowledge` is `never` for reports too. */
export interface OutboundRoute extends RouteBase, AcknowledgeRules {
  readonly direction: 'outbound'
  readonly operation: OutboundOperationName
  /** `name` is a template for `formatFileName`. */
  readonly to: OutputFolder & { readonly name: string }
  readonly verifyBeforeAck: boolean
  /** For whom the interchanges are that it writes. */
  readonly partner?: string
  readonly usage?: 'production' | 'test'
  /** Absent where each record is exported once. */
  readonly report?: { readonly select: SelectRule; readonly empty: 'skip' | 'write' }
}

export type Route = InboundRoute | OutboundRoute

/** A folder that is scanned for files: that of a route, or an inbox of interchanges. */
export interface ScannedInbox {
  /** Its name in the journal: that of the route, or `inbox:NAME`. */
  readonly key: string
  readonly from: FileSource
  readonly results: ResultsFolder
}

/** Every folder that is scanned. A route that takes sets of an inbox has none of its own. */
export function listScannedInboxes({
  routes,
  edi,
}: {
  readonly routes: readonly Route[]
  readonly edi?: EdiConfiguration
}): ScannedInbox[] {
  return [
    ...routes.flatMap((route) => (route.direction === 'inbound' ? (toScannedInbox(route) ?? []) : [])),
    ...(edi?.inboxes ?? []),
  ]
}

/** Undefined for a route that takes sets of an inbox. */
export function toScannedInbox({ name, from, results }: InboundRoute): ScannedInbox | undefined {
  return from.interchanges === undefined ? { key: name, from, results } : undefined
}

/** The parts of the file that a route depends on. Relative paths are relative to `folder`. */
interface RouteContext {
  readonly folder: string
  readonly zone: string | undefined
  readonly credentials: Credentials
  readonly inboxes: readonly InterchangeInbox[]
  readonly partners: readonly Partner[]
}

type RouteSettings = ConfigurationFile['routes'][string]

export function toRoute(name: string, route: RouteSettings, around: RouteContext): Route {
  const { folder, zone, credentials } = around
  const base: RouteBase = {
    name,
    party: toParty(route),
    credentials: route.api ?? credentials,
    mappingPath: resolve(folder, route.mapping),
    ...(route.alertIfLate && { alertIfLate: toLateRules(route.alertIfLate) }),
    ...omitUndefined({ schedule: toSchedule(route, zone) }),
  }
  return 'from' in route ? toInbound(base, route, around) : toOutbound(base, route, around)
}

function toInbound(
  base: RouteBase,
  route: Extract<RouteSettings, { from: unknown }>,
  { folder, zone, inboxes }: RouteContext,
): InboundRoute {
  const { operation, from, results, documents, rules, circuitBreaker, steps } = route
  return {
    ...base,
    direction: 'inbound',
    operation,
    from: 'inbox' in from ? toInterchangeChoice(from, inboxes) : toFileSource(from, base.name, zone),
    results: toResultsFolder(results),
    ...(documents && { documents: { ...documents, folder: normalizeFolder(documents.folder) } }),
    rules,
    circuitBreaker: toCircuitBreaker(circuitBreaker),
    ...toWaitRules(route),
    ...(steps && { next: steps.map((step) => toStep(step, folder)) }),
  }
}

function toOutbound(
  base: RouteBase,
  route: Exclude<RouteSettings, { from: unknown }>,
  { folder, partners }: RouteContext,
): OutboundRoute {
  const { operation, partner, usage, select, empty = 'skip', verifyBeforeAck } = route
  const { to: ofPartner, confirms = false } = partners.find(({ name }) => name === partner) ?? {}
  const to = route.to === undefined ? ofPartner : { ...toOutputFolder(route.to), name: route.to.name }
  assert(to !== undefined, 'a route without a place for its files passed the checks')
  const where = { route: base.name, mailbox: to.mailbox, plain: normalizeFolder }
  const acknowledging = toAcknowledgeRules(route, where)
  const { acknowledge } = acknowledging
  const outbound = {
    ...base,
    direction: 'outbound' as const,
    operation,
    to,
    ...acknowledging,
    ...(confirms && { overdue: toOverdueRules(route.overdue) }),
    ...omitUndefined({ partner, usage }),
  }
  if (select !== undefined || !isReceived(operation)) {
    const { schedule } = base
    // the dates of a report for business dates are those of its scheduled runs
    const zone = schedule?.kind === 'daily' ? { zone: schedule.zone } : {}
    const report = { select: toSelect(operation, { ...zone, ...select }, folder), empty }
    return { ...outbound, acknowledge: 'never', verifyBeforeAck: false, report }
  }
  // acknowledging an order ends the retailer's right to cancel it, so the bridge must first see a late cancel
  const verify = acknowledge !== 'never' && (verifyBeforeAck ?? operation === 'export-orders')
  return { ...outbound, verifyBeforeAck: verify }
}

function toParty({ retailer, brand }: RouteSettings): Party {
  if (retailer !== undefined) return { kind: 'retailer', id: retailer }
  assert(brand !== undefined, 'a route without a party passed the checks')
  return { kind: 'brand', id: brand }
}

// Routes by the names that a person gives.

/** All of them when no name is given. Throws for a name that no route has. */
export function selectRoutes(
  { routes }: { readonly routes: readonly Route[] },
  names: readonly string[],
): readonly Route[] {
  assertRoutesExist(routes, names)
  return names.length === 0 ? routes : routes.filter((route) => names.includes(route.name))
}

export function assertRoutesExist(routes: readonly Route[], names: readonly string[]): void {
  const known = new Set(routes.map(({ name }) => name))
  const unknown = names.find((name) => !known.has(name))
  if (unknown?.startsWith('inbox:') === true)
    throw usageError(
      `${unknown} is an inbox and no route; the routes are ${[...known].join(', ')}`,
      'Name the routes that its documents go to: a run of them takes the inbox too.',
    )
  if (unknown !== undefined) throw unknownNameError(`there is no route "${unknown}"`, unknown, [...known])
}
