/** Digests of rows about interchanges for the chain of events, and selections of sets as the journal stores them. */
import { digestValues } from '../event-detail.ts'
import type { Db, Row } from '../schema.ts'
import { type RawBuilder, sql } from 'kysely'
import type { SetSelection } from '../../domain/place.ts'
import type { IdRuns } from '../rows.ts'

export function digestInterchanges(rows: readonly Row<'interchanges'>[]): string {
  return digestValues(
    rows.map((row) => [
      row.ordinal,
      row.segment,
      row.syntax,
      row.sender,
      row.receiver,
      row.usage,
      row.number,
      row.sha256,
      row.sets,
      row.verdict,
      row.partner,
      row.earlier_file,
    ]),
  )
}

export function digestPart({ file_id, sets }: Row<'parts'>): string {
  return digestValues([file_id, sets])
}

export function digestUnbundling({ file_id, unrouted, ambiguous }: Row<'unbundlings'>): string {
  return digestValues([file_id, unrouted, ambiguous])
}

export function digestAnswer(row: Row<'interchange_answers'>): string {
  return digestValues([
    row.number,
    row.id,
    row.file_id,
    row.syntax,
    row.sender,
    row.receiver,
    row.usage,
    row.partner,
    row.interchanges,
    row.groups,
    row.due_at,
    row.decided_at,
    row.by_structure,
    row.interchange_number,
    row.group_number,
    row.delivery_id,
  ])
}

export function digestReservation(row: Row<'number_reservations'>): string {
  return digestValues([
    row.id,
    row.route,
    row.syntax,
    row.sender,
    row.receiver,
    row.usage,
    row.interchange_number,
    row.group_number,
    row.reserved_at,
    row.delivery_id,
    row.sets,
    row.code,
    row.answered_at,
  ])
}

// Selections of sets as the journal stores them: `[[1,800],802]`.

export function formatSelection(sets: SetSelection): string {
  return JSON.stringify(sets.map(([first, last]) => (first === last ? first : [first, last])))
}

export function parseSelection(text: string): SetSelection {
  return (JSON.parse(text) as IdRuns).map((run) => (typeof run === 'number' ? [run, run] : run))
}

// Pruning empties large selections: nothing reads the sets of a file again that is done.

/** Smaller ones cost nothing, and help to see where a set went. */
const KEPT_LENGTH = 1000

export async function emptySelections(db: Db, batch: RawBuilder<unknown>): Promise<void> {
  const isPruned = sql`file_id in (select batch.id from ${batch})`
  await sql`
    update parts set sets = ${NO_SETS} where ${isPruned} and length(sets) > ${KEPT_LENGTH}`.execute(db)
  await sql`
    update unbundlings set unrouted = ${NO_SETS}, ambiguous = ${NO_SETS}
    where ${isPruned} and length(unrouted) + length(ambiguous) > ${KEPT_LENGTH}`.execute(db)
}

export function isEmptied(selections: readonly string[]): boolean {
  return selections.every((sets) => sets === NO_SETS)
}

const NO_SETS = '[]'

/** Leaves out the reasons, which are pruned, and whether it was carried out. Undefined where there is no such answer. */
export async function digestReceived(db: Db, number: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('received_answers')
    .selectAll()
    .where('number', '=', number)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { rows: sets } = await sql<Row<'answered_sets'>>`
    select * from answered_sets where answer = ${number} order by first_set`.execute(db)
  return digestValues([
    row.number,
    row.file_id,
    row.interchange,
    row.segment,
    row.kind,
    row.control_number,
    row.verdict,
    row.outcome,
    row.delivery_id,
    row.received_at,
    sets.map((set) => [set.delivery_id, set.first_set, set.last_set, set.verdict]),
  ])
}
