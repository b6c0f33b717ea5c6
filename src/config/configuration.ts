/** The configuration as the program uses it: plain data, paths absolute, times in milliseconds, secrets filled in. */
import { resolve } from 'node:path'
import { type InboundOperationName, isReceived, type OutboundOperationName } from '../contract/operations.ts'
import type { Party } from '../domain/route.ts'
import { assert } from '../support/errors.ts'
import { durationMs, keepMs } from './duration.ts'
import { type ConfigurationFile, plainFolder } from './schema.ts'
import { type Select, toSelect } from './select.ts'
import type { Rules } from './rules.ts'
import { type StepConfiguration, toStep, toWaiting, type Waiting } from './steps.ts'
import { type Stop, toStop } from './stop.ts'

export interface Configuration {
  readonly api: ApiConfiguration
  readonly journal: { readonly type: 'sqlite'; readonly path: string }
  /** How long the contents of finished work are kept; for ever when left out. */
  readonly keepContentsMs?: number
  /** Where files being worked on lie. */
  readonly stateFolder: string
  readonly mailboxes: Readonly<Record<string, MailboxConfiguration>>
  /** In the order of the file. */
  readonly routes: readonly Route[]
}

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

export interface ApiConfiguration {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly credentials: Credentials
  readonly timeoutMs: number
  readonly connections: number
  readonly lateAnswerMs: number
}

export interface MailboxConfiguration {
  readonly type: 'directory'
  readonly path: string
}

interface RouteBase {
  readonly name: string
  readonly party: Party
  /** The route's own, or those of the API. */
  readonly credentials: Credentials
  readonly mappingPath: string
}

export interface InboundRoute extends RouteBase, Waiting {
  readonly direction: 'inbound'
  readonly operation: InboundOperationName
  readonly from: {
    readonly mailbox: string
    readonly folder: string
    /** `*` and `?` stand for any letters; compared without case. */
    readonly match: string
    readonly archive: string
    readonly settleMs: number
  }
  readonly results: { readonly mailbox: string; readonly folder: string }
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

export interface OutboundRoute extends RouteBase {
  readonly direction: 'outbound'
  readonly operation: OutboundOperationName
  /** `name` is a template for `fileNameOf`. */
  readonly to: { readonly mailbox: string; readonly folder: string; readonly name: string }
  /** `never` for reports too. */
  readonly acknowledge: 'delivered' | 'never'
  readonly reread: boolean
  /** Left out where each record goes out once. */
  readonly report?: { readonly select: Select; readonly empty: 'skip' | 'write' }
}

export type Route = InboundRoute | OutboundRoute

/** From what the file says, checked, to what the program uses. Relative paths are relative to `folder`. */
export function toConfiguration(file: ConfigurationFile, folder: string): Configuration {
  const { baseUrl, clientId, clientSecret, timeout, connections, lateAnswer } = file.api
  const api: ApiConfiguration = {
    baseUrl: new URL(baseUrl).href.replace(/\/+$/, ''),
    credentials: { clientId, clientSecret },
    timeoutMs: toMs(timeout),
    connections,
    lateAnswerMs: toMs(lateAnswer),
  }
  return {
    api,
    journal: { type: 'sqlite', path: resolve(folder, file.journal.slice('sqlite:'.length)) },
    ...keepOf(file),
    stateFolder: resolve(folder, file.state),
    mailboxes: Object.fromEntries(
      Object.entries(file.mailboxes).map(([name, { type, path }]) => [
        name,
        { type, path: resolve(folder, path) },
      ]),
    ),
    routes: Object.entries(file.routes).map(([name, route]) => {
      const base: RouteBase = {
        name,
        party: toParty(route),
        credentials: route.api ?? api.credentials,
        mappingPath: resolve(folder, route.mapping),
      }
      return 'from' in route ? toInbound(base, route, folder) : toOutbound(base, route, folder)
    }),
  }
}

function keepOf({ keep }: ConfigurationFile): Pick<Configuration, 'keepContentsMs'> {
  const ms = keep.contents === undefined ? undefined : keepMs(keep.contents)
  return ms === undefined ? {} : { keepContentsMs: ms }
}

type RouteFile = ConfigurationFile['routes'][string]
type InboundRouteFile = Extract<RouteFile, { from: unknown }>
type OutboundRouteFile = Extract<RouteFile, { to: unknown }>

function toInbound(base: RouteBase, route: InboundRouteFile, folder: string): InboundRoute {
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
      settleMs: toMs(from.settle),
    },
    results: { mailbox: results.mailbox, folder: plainFolder(results.folder) },
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
  const { operation, to, acknowledge = 'delivered', select, empty = 'skip', reread } = route
  const outbound = { ...base, direction: 'outbound' as const, operation }
  const place = { ...to, folder: plainFolder(to.folder) }
  if (select !== undefined || !isReceived(operation)) {
    const report = { select: toSelect(operation, select ?? {}, folder), empty }
    return { ...outbound, to: place, acknowledge: 'never', reread: false, report }
  }
  return {
    ...outbound,
    to: place,
    acknowledge,
    // acknowledging an order ends the retailer's right to cancel it, so one that was cancelled meanwhile must show
    reread: acknowledge === 'delivered' && (reread ?? operation === 'export-orders'),
  }
}

function toParty({ retailer, brand }: RouteFile): Party {
  if (retailer !== undefined) return { kind: 'retailer', id: retailer }
  assert(brand !== undefined, 'a route without a party passed the checks')
  return { kind: 'brand', id: brand }
}

function toMs(text: string): number {
  const ms = durationMs(text)
  assert(ms !== undefined, 'a text that is no duration passed the checks')
  return ms
}
