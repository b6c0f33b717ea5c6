/** Every metric of /metrics: one row each, from which the registry is made and docs/monitoring.md is printed. */

interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
}

export const METRICS = {
  dropbridge_build_info: {
    type: 'gauge',
    help: 'Always 1; the version of the program.',
    labels: ['version'],
  },
  dropbridge_start_time_seconds: {
    type: 'gauge',
    help: 'When the watch began, seconds since 1970.',
    labels: [],
  },
  dropbridge_passes_total: {
    type: 'counter',
    help: 'Passes over a route, by how they ended: done or failed. A look that fails is one, and so is, once a minute, one that finds nothing to do.',
    labels: ['route', 'outcome'],
  },
  dropbridge_route_failures_total: {
    type: 'counter',
    help: 'Passes that failed, by the code of the failure.',
    labels: ['route', 'code'],
  },
  dropbridge_last_pass_timestamp_seconds: {
    type: 'gauge',
    help: 'When a pass over the route last ended, seconds since 1970.',
    labels: ['route'],
  },
  dropbridge_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When a pass over the route last ended without a failure, seconds since 1970; the start of the watch as long as none did.',
    labels: ['route'],
  },
  dropbridge_files_received_total: {
    type: 'counter',
    help: 'Files that were taken from inboxes.',
    labels: ['route'],
  },
  dropbridge_received_bytes_total: {
    type: 'counter',
    help: 'Bytes of the files that were taken.',
    labels: ['route'],
  },
  dropbridge_files_total: {
    type: 'counter',
    help: 'Files that are done, by what became of them: processed, duplicate, unusable or vanished.',
    labels: ['route', 'outcome'],
  },
  dropbridge_records_total: {
    type: 'counter',
    help: 'Records of reported files, by their outcome when the file was first reported.',
    labels: ['route', 'outcome'],
  },
  dropbridge_deliveries_total: {
    type: 'counter',
    help: 'Outgoing files that were put in their place.',
    labels: ['route'],
  },
  dropbridge_delivered_records_total: {
    type: 'counter',
    help: 'Records in these files.',
    labels: ['route'],
  },
  dropbridge_acknowledged_records_total: {
    type: 'counter',
    help: 'Records of deliveries that came to their end, by outcome; accepted means acknowledged.',
    labels: ['route', 'outcome'],
  },
  dropbridge_api_call_duration_seconds: {
    type: 'histogram',
    help: 'How long calls of the API took with their retries, by endpoint and how they ended: ok, refused, not-applied, unknown or failed.',
    labels: ['endpoint', 'outcome'],
  },
  dropbridge_unfinished_files: {
    type: 'gauge',
    help: 'Files that were taken and are not done.',
    labels: ['route'],
  },
  dropbridge_unfinished_deliveries: {
    type: 'gauge',
    help: 'Deliveries that are not done.',
    labels: ['route'],
  },
  dropbridge_oldest_unfinished_age_seconds: {
    type: 'gauge',
    help: 'How long ago the oldest unfinished file or delivery was begun; 0 when there is none.',
    labels: ['route'],
  },
  dropbridge_open_records: {
    type: 'gauge',
    help: 'Records that are not brought to an end, by their state: held ones wait for a person, uncertain ones for a look-up.',
    labels: ['route', 'state'],
  },
  dropbridge_lease_held: {
    type: 'gauge',
    help: '1 while a bridge works on the route.',
    labels: ['route'],
  },
  dropbridge_attention_findings: {
    type: 'gauge',
    help: 'What needs a person right now, by code.',
    labels: ['code'],
  },
  dropbridge_snapshot_timestamp_seconds: {
    type: 'gauge',
    help: 'Of when the gauges above are, seconds since 1970; they are taken anew at least every few minutes.',
    labels: [],
  },
  dropbridge_notices_total: {
    type: 'counter',
    help: 'Notices that were sent, and tries that failed.',
    labels: ['notice', 'outcome'],
  },
} as const satisfies Record<string, MetricRow>

export type MetricName = keyof typeof METRICS
