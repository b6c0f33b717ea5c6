/** Rows of the record table as a trace shows them. */
import type { Kysely } from 'kysely'
import type { TracedRecord } from '../domain/trace.ts'
import { present } from './present.ts'
import type { Direction, Tables } from './schema.ts'

export function selectTraced(tables: Kysely<Tables>) {
  return tables
    .selectFrom('records')
    .select(['id', 'direction', 'route', 'file_id', 'delivery_id', 'number', 'operation', 'account', 'step'])
    .select(['natural_key', 'lane', 'lines', 'key_values', 'state', 'http', 'api_id', 'problems', 'warnings'])
    .select(['attempts', 'changed_at'])
}

export interface TracedRow {
  readonly id: number
  readonly direction: Direction
  readonly route: string
  readonly file_id: string | null
  readonly delivery_id: string | null
  readonly number: number
  readonly operation: string
  readonly account: string
  readonly step: number | null
  readonly natural_key: string | null
  readonly lines: string
  readonly key_values: string
  readonly state: TracedRecord['state']
  readonly http: number | null
  readonly api_id: string | null
  readonly problems: string
  readonly warnings: string
  readonly attempts: number
  readonly changed_at: number
}

export function tracedOf(row: TracedRow, isMeant: (row: TracedRow) => boolean): TracedRecord {
  return {
    id: row.id,
    direction: row.direction,
    route: row.route,
    account: row.account,
    number: row.number,
    operation: row.operation,
    lines: JSON.parse(row.lines),
    keyValues: JSON.parse(row.key_values),
    state: row.state,
    problems: JSON.parse(row.problems),
    warnings: JSON.parse(row.warnings),
    attempts: row.attempts,
    changedAt: row.changed_at,
    isMeant: isMeant(row),
    ...present({
      http: row.http,
      apiId: row.api_id,
      step: row.step,
      naturalKey: row.natural_key,
      file: row.file_id,
      delivery: row.delivery_id,
    }),
  }
}
