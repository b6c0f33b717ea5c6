/** The tables of the journal as the queries see them; `migrations/` makes them, `test/journal/schema.sql` shows them. */
import type { Generated } from 'kysely'
import type { EventKind } from '../domain/audit.ts'
import type { DeliveryAnswer } from '../domain/delivery.ts'
import type { DecisionAction, SettlementAction } from '../domain/held.ts'
import type { DeliveryState, FileOutcome, FileState } from '../domain/journal.ts'
import type { ConcernTable, WatchTable } from './attention-tables.ts'
import type { NoticeChannelTable, NoticeTable } from './notice-tables.ts'
import type { RecordState } from '../domain/record.ts'
import type { TurnState } from '../domain/turns.ts'
import type { DocumentKind, DocumentState } from '../domain/shipping-document.ts'
import type { ReceiptEntry } from '../domain/taking.ts'
import type { IdentityTable, RestoredRouteTable } from './restored-tables.ts'
import type {
  KeptValueTable,
  ResourceKeyTable,
  ResourceListTable,
  ResourceTable,
  TieTable,
} from './schema-references.ts'

export interface Tables {
  migration: MigrationTable
  leases: LeaseTable
  files: FileTable
  records: RecordTable
  bodies: BodyTable
  attempts: AttemptTable
  deliveries: DeliveryTable
  decisions: DecisionTable
  decided_records: DecidedTable
  resources: ResourceTable
  resource_keys: ResourceKeyTable
  resource_lists: ResourceListTable
  kept_values: KeptValueTable
  answers: AnswerTable
  documents: DocumentTable
  events: EventTable
  notice_channels: NoticeChannelTable
  notices: NoticeTable
  ties: TieTable
  receipts: ReceiptTable
  known_places: KnownPlaceTable
  concerns: ConcernTable
  watches: WatchTable
  turns: TurnTable
  namings: NamingTable
  identity: IdentityTable
  restored_routes: RestoredRouteTable
}

interface MigrationTable {
  id: number
  name: string
  applied_at: number
}

interface LeaseTable {
  route: string
  token: number
  holder: string | null
  ttl_ms: number
  until: number
}

export interface FileTable {
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
  claimed_at: number
  received_at: number | null
  planned_at: number | null
  submitted_at: number | null
  reported_at: number | null
  closed_at: number | null
  reports: Generated<number>
  taken_up_at: number | null
  forgotten_at: number | null
}

export type Direction = 'incoming' | 'outgoing'

export interface RecordTable {
  id: Generated<number>
  direction: Direction
  route: string
  file_id: string | null
  delivery_id: string | null
  number: number
  operation: string
  account: string
  natural_key: string | null
  holds_key: number
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
  forgiven: Generated<number>
  changed_at: number
}

export interface DecisionTable {
  id: Generated<number>
  file_id: string | null
  delivery_id: string | null
  action: DecisionAction | SettlementAction | DeliveryAnswer | 'restored' | 'doubt-ended'
  decided_by: string
  why: string
  decided_at: number
  records: number
}

interface DecidedTable {
  record_id: number
  decision_id: number
}

interface BodyTable {
  record_id: number
  body: string
  note: string | null
  target: string | null
  changes: string | null
  file_number: number | null
}

interface AttemptTable {
  record_id: number
  attempt: number
  began_at: number
  note: string | null
  ended_at: number | null
  http: number | null
  result: string | null
}

export interface DeliveryTable {
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
  forgotten_at: number | null
  left_in: string | null
  acknowledge_by: number | null
  taken_at: number | null
  taken_by: string | null
  held: string | null
}

interface ReceiptTable {
  id: string
  delivery_id: string
  folder: string
  name: string
  state: ReceiptEntry['state']
  began_at: number
  ended_at: number | null
  archived_as: string | null
}

interface KnownPlaceTable {
  place: string
  marked_at: number
}

export interface TurnTable {
  route: string
  turn: string
  state: TurnState
  due_at: number
  changed_at: number
  delivery_id: string | null
}

interface NamingTable {
  subject: string
  name: string
  working: string
  evidence: string
}

interface AnswerTable {
  record_id: number
  answer: string
}

export interface DocumentTable {
  record_id: number
  kind: DocumentKind
  mailbox: string
  folder: string
  name: string | null
  state: DocumentState
  problem: string | null
  changed_at: number
}

export interface EventTable {
  id: number
  at: number
  kind: EventKind
  route: string | null
  subject: string | null
  detail: string
  hash: string
}
