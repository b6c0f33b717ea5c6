/** What the chain holds of rows whose words it does not repeat: made from them when they change, and again for the check. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Selectable } from 'kysely'
import type { DecisionTable, DeliveryTable, FileTable } from './schema.ts'

/** All but its problems, of which the texts are forgotten one day, and what only helps to read it. */
export function fileDigest(file: Selectable<FileTable>): string {
  return digestOf([
    file.number,
    file.route,
    file.folder,
    file.name,
    file.size,
    file.modified_at,
    file.state,
    file.outcome,
    file.sha256,
    file.duplicate_of,
    file.report_name,
    file.archived_as,
    file.claimed_at,
    file.received_at,
    file.planned_at,
    file.submitted_at,
    file.reported_at,
    file.closed_at,
    file.reports,
    file.taken_up_at,
  ])
}

export function deliveryDigest(delivery: Selectable<DeliveryTable>): string {
  return digestOf([
    delivery.id,
    delivery.route,
    delivery.sequence,
    delivery.folder,
    delivery.name,
    delivery.sha256,
    delivery.rows,
    delivery.records,
    delivery.state,
    delivery.composed_at,
    delivery.delivered_at,
    delivery.acknowledged_at,
    // Events of the time before knew nothing of it.
    ...(delivery.left_in === null ? [] : [delivery.left_in]),
    ...(delivery.taken_at === null ? [] : [delivery.taken_at, delivery.taken_by]),
    ...(delivery.held === null ? [] : ['held', delivery.held]),
  ])
}

export function decisionDigest(decision: Selectable<DecisionTable>): string {
  const { id, file_id, delivery_id, action, decided_by, why, decided_at, records } = decision
  const common = [id, file_id, action, decided_by, why, decided_at, records]
  return digestOf(delivery_id === null ? common : [...common, delivery_id])
}

function digestOf(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values))
}

/** What makes a record the record it is, and what was to be sent. None of it ever changes. */
export interface PlannedIdentity {
  readonly number: number
  readonly operation: string
  readonly account: string
  readonly naturalKey?: string | null
  readonly bodyHash?: string | null
}

/** Of the records of a file that came in together, in their order. */
export function plannedDigest(fileId: string, records: readonly PlannedIdentity[]) {
  const lines = records.map(lineOf)
  return {
    digest: hash('sha256', `${fileId}\n${lines.join('\n')}`),
    sums: lines.map((line) => crc32(line)),
  }
}

/** The sum of one of them, as it stands among those of `plannedDigest`. */
export function plannedSum(record: PlannedIdentity): number {
  return crc32(lineOf(record))
}

/**
 * Keys come from cells, may hold anything, and so go last and say how long they are. Half a character, which some cells
 * hold, does not come back from the database as it went in.
 */
function lineOf({ number, operation, account, bodyHash, naturalKey }: PlannedIdentity): string {
  const key = (naturalKey ?? '').replace(/[\p{Cs}\uFFFD]/gu, '')
  return `${number}\t${operation}\t${account}\t${bodyHash ?? ''}\t${key.length}:${key}`
}
