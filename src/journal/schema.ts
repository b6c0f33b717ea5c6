/** Types of the journal tables for the query builder; plain SQL reads the others. `first-schema.ts` makes them all. */
import type { Generated, Kysely, Selectable } from 'kysely'
import type { AlertCode } from '../domain/alert.ts'
import type { JournalEventKind } from '../domain/audit.ts'
import type { DecisionAction, DecisionVia, ResolutionAction } from '../domain/decision.ts'
import type { DeliveryResolution, DeliveryState, ReceiptEntry, RedeliveryEntry } from '../domain/delivery.ts'
import type { FileOutcome, FileState } from '../domain/file.ts'
import type { RecordState } from '../domain/record.ts'
import type { ScheduledRunState } from '../domain/scheduled-run.ts'
import type { DocumentKind, DocumentState } from '../domain/shipping-document.ts'
import type { InterchangeTables } from './interchanges/tables.ts'

export interface Tables extends InterchangeTables {
  migration: { id: number; name: string; applied_at: number }
  leases: { route: string; token: number; owner: string | null; ttl_ms: number; until: number }
  versions: { id: string; files: string; first_used_at: number }
  files: {
    number: Generated<number>
    id: string
    route: string
    folder: string
    name: string
    size: number
    modified_at: number
    state: FileState
    outcome: FileOutcome | null
    sha256: string | null
    duplicate_of: string | null
    problems: Generated<string>
    key_columns: Generated<string>
    header_lines: Generated<number>
    encoding: string | null
    report_name: string | null
    archived_as: string | null
    source_removed: Generated<number>
    claimed_at: number
    received_at: number | null
    planned_at: number | null
    submitted_at: number | null
    reported_at: number | null
    closed_at: number | null
    reports: Generated<number>
    taken_up_at: number | null
    pruned_at: number | null
    retake_of: string | null
    version: string | null
    part_of: string | null
    record_total: number | null
  }
  records: {
    id: Generated<number>
    direction: Direction
    route: string
    file_id: string | null
    delivery_id: string | null
    number: number
    operation: string
    account: string
    natural_key: string | null
    owns_key: number
    body_hash: string | null
    lane: string | null
    lines: string
    key_values: string
    state: RecordState
    http: number | null
    api_id: string | null
    problems: string
    warnings: Generated<string>
    attempts: number
    step: number | null
    waived: Generated<number>
    corrected: Generated<number>
    confirmed: Generated<number>
    changed_at: number
  }
  attempts: {
    record_id: number
    attempt: number
    began_at: number
    note: string | null
    ended_at: number | null
    http: number | null
    result: string | null
    version: string | null
  }
  deliveries: {
    id: string
    route: string
    sequence: number
    folder: string
    name: string
    sha256: string
    rows: number
    records: number
    state: DeliveryState
    composed_at: number
    delivered_at: number | null
    acknowledged_at: number | null
    pruned_at: number | null
    place: string | null
    acknowledge_by: number | null
    confirmed_at: number | null
    confirmed_by: string | null
    held: string | null
    version: string | null
  }
  redeliveries: {
    id: string
    delivery_id: string
    route: string
    folder: string
    name: string
    state: RedeliveryEntry['state']
    began_at: number
    ended_at: number | null
  }
  decisions: {
    id: Generated<number>
    file_id: string | null
    delivery_id: string | null
    action:
      | DecisionAction
      | ResolutionAction
      | DeliveryResolution
      | 'restored'
      | 'doubt-ended'
      | 'dismiss'
      | 'correct'
      | 'set-numbers'
      | 'redeliver'
      | 'pause'
      | 'resume'
    decided_by: string
    why: string
    decided_at: number
    records: number
    via: DecisionVia | null
  }
  decided_records: { record_id: number; decision_id: number }
  corrections: {
    decision_id: number
    file_id: string
    route: string
    folder: string
    name: string
    sha256: string
    source_sha256: string
    left_at: number | null
    given_up_at: number | null
    taken_as: string | null
  }
  pauses: {
    decision_id: number
    route: string
    until: number
    ended_at: number | null
    ended_by: number | null
  }
  resources: {
    account: string
    kind: string
    id: string
    keys: string
    facts: string | null
    seen_at: number
  }
  documents: {
    record_id: number
    kind: DocumentKind
    mailbox: string
    folder: string
    name: string | null
    state: DocumentState
    problem: string | null
    changed_at: number
  }
  events: {
    id: number
    at: number
    kind: JournalEventKind
    route: string | null
    subject: string | null
    detail: string
    hash: string
  }
  notification_channels: {
    name: string
    joined_at: number
    sent_event: number
    sent_cursor: number
    joined_cursor: number
  }
  notifications: {
    id: string
    channel: string
    after_event: number
    up_to_event: number
    after_cursor: number
    up_to_cursor: number
    state: 'begun' | 'sent' | 'failed'
    tries: number
    began_at: number
    tried_at: number
    locked_until: number
    problem: string | null
  }
  receipts: {
    id: string
    delivery_id: string
    folder: string
    name: string
    state: ReceiptEntry['state']
    began_at: number
    ended_at: number | null
    archived_as: string | null
  }
  known_places: { place: string; marked_at: number }
  alerts: {
    raised_cursor: number
    code: AlertCode
    route: string
    subject: string
    since: number
    message: string
    fix: string
    raised_at: number
    ended_cursor: number | null
    ended_at: number | null
  }
  watchers: {
    owner: string
    routes: string
    began_at: number
    seen_at: number
    version: string | null
    reload_requested_at: number | null
    reloads: Generated<number>
    reload_failure: string | null
  }
  scheduled_runs: {
    route: string
    occurrence: string
    state: ScheduledRunState
    due_at: number
    changed_at: number
    delivery_id: string | null
  }
  namings: { subject: string; name: string; working: string; evidence: string }
  identity: { id: string; tag: string; is_marked: number }
  restored_routes: {
    route: string
    as_of: number
    declared_at: number
    verifies: number
    minimum_sequence: number
    up_to_record: number | null
  }
}

export type Db = Kysely<Tables>

export type Direction = 'incoming' | 'outgoing'

/** A row as it is read. */
export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>

export type EventRow = Row<'events'>
