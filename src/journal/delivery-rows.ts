/** Deliveries as the bridge sees them. */
import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { DeliveryEntry } from '../domain/journal.ts'
import { present } from './present.ts'
import type { DeliveryTable, Tables } from './schema.ts'

/** How many unfinished deliveries one question is answered with; those behind them come up as these are done. */
const UNFINISHED_LIMIT = 10_000

/** As a condition on `deliveries`: something is still to be done by itself. The index of these has the first words. */
export const UNFINISHED = sql<boolean>`state not in ('acknowledged', 'done') and held is null`

export async function deliveryEntry(tables: Kysely<Tables>, id: string): Promise<DeliveryEntry | undefined> {
  const row = await tables.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst()
  return row && entryOf(row)
}

export async function unfinishedDeliveries(tables: Kysely<Tables>, route: string): Promise<DeliveryEntry[]> {
  const rows = await tables
    .selectFrom('deliveries')
    .selectAll()
    .where('route', '=', route)
    .where(UNFINISHED)
    .orderBy(sql`state = 'delivered', taken_at is null`)
    .orderBy('sequence')
    .limit(UNFINISHED_LIMIT)
    .execute()
  return rows.map(entryOf)
}

export async function recentDeliveries(
  tables: Kysely<Tables>,
  limit: number,
  route?: string,
): Promise<DeliveryEntry[]> {
  const all = tables
    .selectFrom('deliveries')
    .selectAll()
    .orderBy('composed_at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(limit)
  return entriesOf(all, route)
}

/** Oldest first. */
export async function heldDeliveries(
  tables: Kysely<Tables>,
  limit: number,
  route?: string,
): Promise<DeliveryEntry[]> {
  const all = tables
    .selectFrom('deliveries')
    .selectAll()
    .where('held', 'is not', null)
    .orderBy('composed_at')
    .orderBy('id')
    .limit(limit)
  return entriesOf(all, route)
}

/** Of all routes when it is left out. */
async function entriesOf(
  all: SelectQueryBuilder<Tables, 'deliveries', Selectable<DeliveryTable>>,
  route: string | undefined,
): Promise<DeliveryEntry[]> {
  const rows = await (route === undefined ? all : all.where('route', '=', route)).execute()
  return rows.map(entryOf)
}

/** By name or id, newest first. */
export async function deliveriesCalled(
  tables: Kysely<Tables>,
  nameOrId: string,
  limit: number,
): Promise<DeliveryEntry[]> {
  const rows = await tables
    .selectFrom('deliveries')
    .selectAll()
    .where((is) => is.or([is('id', '=', nameOrId), is('name', '=', nameOrId)]))
    .orderBy('composed_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(entryOf)
}

export function entryOf(row: Selectable<DeliveryTable>): DeliveryEntry {
  return {
    id: row.id,
    route: row.route,
    sequence: row.sequence,
    folder: row.folder,
    name: row.name,
    sha256: row.sha256,
    rows: row.rows,
    records: row.records,
    state: row.state,
    composedAt: row.composed_at,
    ...present({
      deliveredAt: row.delivered_at,
      leftIn: row.left_in,
      takenAt: row.taken_at,
      takenBy: row.taken_by,
      acknowledgedAt: row.acknowledged_at,
      held: row.held,
    }),
  }
}
