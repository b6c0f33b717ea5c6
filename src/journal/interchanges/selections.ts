/** Selections of sets as the journal stores them: `[[1,800],802]`. */
import { type RawBuilder, sql } from 'kysely'
import type { SetSelection } from '../../domain/place.ts'
import type { IdRuns } from '../rows.ts'
import type { Db } from '../schema.ts'

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
