/** The numbers behind /metrics: counted from events while they happen, and set from a snapshot. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { CONCERNS } from '../domain/attention.ts'
import type { BridgeEvent, Observer } from '../domain/event.ts'
import type { StateCounts } from '../domain/record.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Clock } from '../support/clock.ts'
import { type MetricName, METRICS } from './metric-table.ts'

export interface Metrics {
  readonly observe: Observer
  /** Notes how long a call took, and how it ended. */
  readonly called: (endpoint: string, outcome: string, seconds: number) => void
  /** `oldest`: when the oldest unfinished work of a route began. */
  readonly show: (snapshot: Snapshot, oldest: ReadonlyMap<string, number>) => void
  /** In the text format of Prometheus. */
  readonly text: () => Promise<string>
  readonly contentType: string
  readonly close: () => void
}

export interface MetricsOptions {
  readonly routes: readonly string[]
  readonly notices: readonly string[]
  readonly version: string
  readonly clock: Clock
}

/** Calls are quick; what takes longer than a minute is its deadline. */
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function createMetrics(options: MetricsOptions): Metrics {
  const { clock, version } = options
  const registry = new Registry()
  const instruments = makeInstruments(registry)
  const set = instruments.set
  set('dropbridge_build_info', { version }, 1)
  set('dropbridge_start_time_seconds', {}, clock.now() / 1000)
  beginAtZero(instruments, options)
  collectDefaultMetrics({ register: registry })
  let latest: { readonly oldest: ReadonlyMap<string, number> } | undefined

  return {
    observe: (event) => countEvent(instruments, event, clock.now() / 1000),
    called: instruments.observe,
    show: (snapshot, oldest) => {
      latest = { oldest }
      showSnapshot(instruments, snapshot, options.routes)
    },
    text: () => {
      for (const route of options.routes) {
        const since = latest?.oldest.get(route)
        const age = since === undefined ? 0 : Math.max(0, clock.now() - since) / 1000
        if (latest !== undefined) set('dropbridge_oldest_unfinished_age_seconds', { route }, age)
      }
      return registry.metrics()
    },
    contentType: registry.contentType,
    close: () => registry.clear(),
  }
}

type Labels = Readonly<Record<string, string>>

interface Instruments {
  readonly add: (name: MetricName, labels: Labels, count?: number) => void
  readonly set: (name: MetricName, labels: Labels, value: number) => void
  readonly observe: (endpoint: string, outcome: string, seconds: number) => void
}

function makeInstruments(registry: Registry): Instruments {
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
    add: (name, given, count = 1) => counters.get(name)?.inc({ ...given }, count),
    set: (name, given, value) => gauges.get(name)?.set({ ...given }, value),
    observe: (endpoint, outcome, seconds) => calls.observe({ endpoint, outcome }, seconds),
  }
}

/** What is there from the start can be told from what is missing. */
function beginAtZero({ add, set }: Instruments, { routes, notices, clock }: MetricsOptions): void {
  for (const route of routes) {
    // A route that never works must be missed as much as one that no longer does.
    set('dropbridge_last_success_timestamp_seconds', { route }, clock.now() / 1000)
    for (const outcome of ['done', 'failed']) add('dropbridge_passes_total', { route, outcome }, 0)
    add('dropbridge_files_received_total', { route }, 0)
    add('dropbridge_deliveries_total', { route }, 0)
  }
  for (const notice of notices) {
    for (const outcome of ['sent', 'failed']) add('dropbridge_notices_total', { notice, outcome }, 0)
  }
}

type Counting = Pick<Instruments, 'add' | 'set'> & { readonly now: number }

/** What each kind of event counts; the others count nothing. */
const COUNTED: {
  readonly [Kind in BridgeEvent['kind']]?: (
    counting: Counting,
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
  'notice-sent': ({ add }, { notice }) => add('dropbridge_notices_total', { notice, outcome: 'sent' }),
  'notice-failed': ({ add }, { notice }) => add('dropbridge_notices_total', { notice, outcome: 'failed' }),
}

function countEvent(instruments: Instruments, event: BridgeEvent, now: number): void {
  const count = COUNTED[event.kind] as ((counting: Counting, event: BridgeEvent) => void) | undefined
  count?.({ ...instruments, now }, event)
}

function countOutcomes(
  { add }: Counting,
  name: MetricName,
  { route, records }: { readonly route: string; readonly records: StateCounts },
): void {
  for (const [outcome, count] of Object.entries(records)) add(name, { route, outcome }, count)
}

function countPass(
  { add, set, now }: Counting,
  { route, failure }: { readonly route: string; readonly failure?: string },
): void {
  set('dropbridge_last_pass_timestamp_seconds', { route }, now)
  add('dropbridge_passes_total', { route, outcome: failure === undefined ? 'done' : 'failed' })
  if (failure === undefined) set('dropbridge_last_success_timestamp_seconds', { route }, now)
  else add('dropbridge_route_failures_total', { route, code: failure })
}

/** States in which a record waits for something or somebody. */
const OPEN_RECORDS = ['planned', 'collected', 'sending', 'deferred', 'uncertain', 'held'] as const

const FINISHED: readonly string[] = ['closed', 'acknowledged', 'done']

function showSnapshot({ set }: Instruments, snapshot: Snapshot, routes: readonly string[]): void {
  set('dropbridge_snapshot_timestamp_seconds', {}, snapshot.at / 1000)
  for (const route of routes) {
    const found = snapshot.routes.find((each) => each.route === route)
    set('dropbridge_unfinished_files', { route }, unfinished(found?.files ?? {}))
    set('dropbridge_unfinished_deliveries', { route }, unfinished(found?.deliveries ?? {}))
    set('dropbridge_lease_held', { route }, found?.heldBy === undefined ? 0 : 1)
    for (const state of OPEN_RECORDS) {
      const count = (found?.incoming[state] ?? 0) + (found?.outgoing[state] ?? 0)
      set('dropbridge_open_records', { route, state }, count)
    }
  }
  for (const code of Object.keys(CONCERNS)) {
    const count = snapshot.attention.filter((each) => each.code === code).length
    set('dropbridge_attention_findings', { code }, count)
  }
}

function unfinished(counts: Readonly<Record<string, number>>): number {
  return Object.entries(counts).reduce(
    (sum, [state, count]) => (FINISHED.includes(state) ? sum : sum + count),
    0,
  )
}
