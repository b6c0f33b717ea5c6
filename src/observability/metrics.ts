/** Metrics: counted from events as they happen, and set from snapshots. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { ALERTS } from '../domain/alert.ts'
import type { BridgeEvent } from '../domain/event.ts'
import type { StateCounts } from '../domain/record.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Clock } from '../support/clock.ts'
import { listOpenStates } from './format.ts'

export type Metrics = ReturnType<typeof createMetrics>

interface MetricsOptions {
  readonly routes: readonly string[]
  readonly notifications: readonly string[]
  readonly version: string
  readonly clock: Clock
}

/** Calls are quick; one that takes longer than a minute has reached its deadline. */
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function createMetrics(options: MetricsOptions) {
  const { clock, version, routes } = options
  const registry = new Registry()
  const instruments = createInstruments(registry)
  const { set, recordCall } = instruments
  set('dropbridge_build_info', { version }, 1)
  set('dropbridge_start_time_seconds', {}, clock.now() / 1000)
  initializeSeries(instruments, options)
  collectDefaultMetrics({ register: registry })
  let oldestWork: ReadonlyMap<string, number> | undefined
  return {
    recordCall,
    observe: (event: BridgeEvent) => countEvent(instruments, event, clock.now() / 1000),
    /** `oldest`: when the oldest unfinished work of a route began. */
    update(snapshot: Snapshot, oldest: ReadonlyMap<string, number>) {
      oldestWork = oldest
      showSnapshot(instruments, snapshot, routes)
    },
    /** In the text format of Prometheus. */
    text() {
      for (const route of oldestWork === undefined ? [] : routes) {
        const age = Math.max(0, clock.now() - (oldestWork?.get(route) ?? Infinity)) / 1000
        set('dropbridge_oldest_unfinished_age_seconds', { route }, age)
      }
      return registry.metrics()
    },
    contentType: registry.contentType,
    close: () => registry.clear(),
  }
}

type Labels = Readonly<Record<string, string>>

type Instruments = ReturnType<typeof createInstruments>

function createInstruments(registry: Registry) {
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const registers = [registry]
  for (const [name, { type, help, labels }] of Object.entries(METRICS)) {
    const settings = { name, help, labelNames: [...labels], registers }
    if (type === 'counter') counters.set(name, new Counter(settings))
    if (type === 'gauge') gauges.set(name, new Gauge(settings))
  }
  const { help, labels } = METRICS.dropbridge_api_call_duration_seconds
  const calls = new Histogram({
    name: 'dropbridge_api_call_duration_seconds',
    help,
    labelNames: labels,
    buckets: CALL_BUCKETS,
    registers,
  })
  return {
    add: (name: MetricName, given: Labels, count = 1) => counters.get(name)?.inc({ ...given }, count),
    set: (name: MetricName, given: Labels, value: number) => gauges.get(name)?.set({ ...given }, value),
    recordCall: (endpoint: string, outcome: string, seconds: number) =>
      calls.observe({ endpoint, outcome }, seconds),
  }
}

/** A series that exists from the start differs from a missing one. */
function initializeSeries({ add, set }: Instruments, { routes, notifications, clock }: MetricsOptions): void {
  for (const route of routes) {
    // A route that never works must show up as much as one that no longer does.
    set('dropbridge_last_success_timestamp_seconds', { route }, clock.now() / 1000)
    for (const outcome of ['done', 'failed']) add('dropbridge_passes_total', { route, outcome }, 0)
    add('dropbridge_files_received_total', { route }, 0)
    add('dropbridge_deliveries_total', { route }, 0)
  }
  for (const notification of notifications) {
    for (const outcome of ['sent', 'failed'])
      add('dropbridge_notifications_total', { notification, outcome }, 0)
  }
}

type CountContext = Pick<Instruments, 'add' | 'set'> & { readonly now: number }

/** What each kind of event counts; other events count nothing. */
const EVENT_COUNTERS: {
  readonly [Kind in BridgeEvent['kind']]?: (
    counting: CountContext,
    event: Extract<BridgeEvent, { kind: Kind }>,
  ) => void
} = {
  'file-received': ({ add }, { route, bytes }) => {
    add('dropbridge_files_received_total', { route })
    add('dropbridge_received_bytes_total', { route }, bytes)
  },
  'file-reported': (counting, { route, records, again }) => {
    if (again !== true) countOutcomes(counting, 'dropbridge_records_total', { route, records })
  },
  'file-closed': ({ add }, { route, outcome }) => add('dropbridge_files_total', { route, outcome }),
  delivered: ({ add }, { route, records }) => {
    add('dropbridge_deliveries_total', { route })
    add('dropbridge_delivered_records_total', { route }, records)
  },
  'delivery-acknowledged': (counting, { route, records }) =>
    countOutcomes(counting, 'dropbridge_acknowledged_records_total', { route, records }),
  'pass-ended': countPass,
  'notification-sent': ({ add }, { notification }) =>
    add('dropbridge_notifications_total', { notification, outcome: 'sent' }),
  'notification-failed': ({ add }, { notification }) =>
    add('dropbridge_notifications_total', { notification, outcome: 'failed' }),
}

function countEvent(instruments: Instruments, event: BridgeEvent, now: number): void {
  const count = EVENT_COUNTERS[event.kind] as
    ((counting: CountContext, event: BridgeEvent) => void) | undefined
  count?.({ ...instruments, now }, event)
}

function countOutcomes(
  { add }: CountContext,
  name: MetricName,
  { route, records }: { readonly route: string; readonly records: StateCounts },
): void {
  for (const [outcome, count] of Object.entries(records)) add(name, { route, outcome }, count)
}

function countPass(
  { add, set, now }: CountContext,
  { route, failure }: { readonly route: string; readonly failure?: string },
): void {
  set('dropbridge_last_pass_timestamp_seconds', { route }, now)
  add('dropbridge_passes_total', { route, outcome: failure === undefined ? 'done' : 'failed' })
  if (failure === undefined) set('dropbridge_last_success_timestamp_seconds', { route }, now)
  else add('dropbridge_route_failures_total', { route, code: failure })
}

/** States of records that wait for a step or a person. */
const OPEN_RECORDS = ['planned', 'collected', 'sending', 'deferred', 'uncertain', 'held'] as const

function showSnapshot({ set }: Instruments, snapshot: Snapshot, routes: readonly string[]): void {
  set('dropbridge_snapshot_timestamp_seconds', {}, snapshot.at / 1000)
  for (const route of routes) {
    const found = snapshot.routes.find((each) => each.route === route)
    set('dropbridge_unfinished_files', { route }, countUnfinished(found?.files ?? {}))
    set('dropbridge_unfinished_deliveries', { route }, countUnfinished(found?.deliveries ?? {}))
    set('dropbridge_lease_held', { route }, found?.owner === undefined ? 0 : 1)
    for (const state of OPEN_RECORDS) {
      const count = (found?.incoming[state] ?? 0) + (found?.outgoing[state] ?? 0)
      set('dropbridge_open_records', { route, state }, count)
    }
  }
  for (const { places, freeBytes, sizeBytes } of snapshot.disks) {
    const folder = places[0] ?? ''
    set('dropbridge_disk_free_bytes', { folder }, freeBytes)
    set('dropbridge_disk_size_bytes', { folder }, sizeBytes)
  }
  for (const code of Object.keys(ALERTS)) {
    set('dropbridge_alerts', { code }, snapshot.alerts.filter((each) => each.code === code).length)
  }
}

function countUnfinished(counts: Readonly<Record<string, number>>): number {
  return listOpenStates(counts).reduce((sum, [, count]) => sum + count, 0)
}

// Every metric has one row, from which the registry is made and docs/monitoring.md is printed.

/** Rows of one type: the help text, and the labels. */
function metric<const Type extends string>(type: Type) {
  return <const Labels extends readonly string[]>(help: string, ...labels: Labels) => ({ type, help, labels })
}

const [counter, gauge, histogram] = [metric('counter'), metric('gauge'), metric('histogram')]

export const METRICS = {
  dropbridge_build_info: gauge('Always 1; the version of the program.', 'version'),
  dropbridge_start_time_seconds: gauge('When the watch began, seconds since 1970.'),
  dropbridge_passes_total: counter(
    'Passes over a route, by how they ended: done or failed. A scan that fails is one, and so is, once a minute, one that finds nothing to do.',
    'route',
    'outcome',
  ),
  dropbridge_route_failures_total: counter(
    'Passes that failed, by the code of the failure.',
    'route',
    'code',
  ),
  dropbridge_last_pass_timestamp_seconds: gauge(
    'When a pass over the route last ended, seconds since 1970.',
    'route',
  ),
  dropbridge_last_success_timestamp_seconds: gauge(
    'When a pass over the route last ended without a failure, seconds since 1970; the start of the watch as long as none did.',
    'route',
  ),
  dropbridge_files_received_total: counter('Files that were taken from inboxes.', 'route'),
  dropbridge_received_bytes_total: counter('Bytes of the files that were taken.', 'route'),
  dropbridge_files_total: counter(
    'Files that are done, by what became of them: processed, duplicate, unusable or vanished.',
    'route',
    'outcome',
  ),
  dropbridge_records_total: counter(
    'Records of reported files, by their outcome when the file was first reported.',
    'route',
    'outcome',
  ),
  dropbridge_deliveries_total: counter('Outgoing files that were put in their place.', 'route'),
  dropbridge_delivered_records_total: counter('Records in these files.', 'route'),
  dropbridge_acknowledged_records_total: counter(
    'Records of deliveries that are finished, by outcome; accepted means acknowledged.',
    'route',
    'outcome',
  ),
  dropbridge_api_call_duration_seconds: histogram(
    'How long calls of the API took with their retries, by endpoint and how they ended: ok, refused, not-applied, unknown or failed.',
    'endpoint',
    'outcome',
  ),
  dropbridge_unfinished_files: gauge('Files that were taken and are not done.', 'route'),
  dropbridge_unfinished_deliveries: gauge('Deliveries that are not done.', 'route'),
  dropbridge_oldest_unfinished_age_seconds: gauge(
    'How long ago the oldest unfinished file or delivery was begun; 0 when there is none.',
    'route',
  ),
  dropbridge_open_records: gauge(
    'Records that are not finished, by their state: held ones wait for a person, uncertain ones for a lookup.',
    'route',
    'state',
  ),
  dropbridge_lease_held: gauge('1 while a bridge works on the route.', 'route'),
  dropbridge_disk_free_bytes: gauge(
    'Free bytes on each disk of this machine that the bridge uses, by its first folder there.',
    'folder',
  ),
  dropbridge_disk_size_bytes: gauge('The size of these disks.', 'folder'),
  dropbridge_alerts: gauge('What needs a person right now, by code.', 'code'),
  dropbridge_snapshot_timestamp_seconds: gauge(
    'Of when the gauges above are, seconds since 1970; they are taken anew at least every few minutes.',
  ),
  dropbridge_notifications_total: counter(
    'Notifications that were sent, and tries that failed.',
    'notification',
    'outcome',
  ),
}

type MetricName = keyof typeof METRICS
