/** Many ids in few words: ascending, each run of neighbours as its first and its last. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from './schema.ts'

export type Ids = readonly (number | readonly [first: number, last: number])[]

export function idsOf(numbers: readonly number[]): Ids {
  const runs: [number, number][] = []
  for (const id of numbers.toSorted((one, other) => one - other)) {
    const last = runs.at(-1)
    if (last !== undefined && id <= last[1] + 1) last[1] = id
    else runs.push([id, id])
  }
  return runs.map(([first, last]) => (first === last ? first : [first, last]))
}

export function* eachOf(ids: Ids): Generator<number> {
  for (const run of ids) {
    const [first, last] = typeof run === 'number' ? [run, run] : run
    for (let id = first; id <= last; id++) yield id
  }
}

/** The ids of all records that a condition holds for: as runs, so that a million of them need no room. */
export async function idsWhere(tables: Kysely<Tables>, condition: RawBuilder<unknown>): Promise<Ids> {
  const { rows } = await sql<{ first: number; last: number }>`
    select min(id) as first, max(id) as last from (
      select records.id, records.id - row_number() over (order by records.id) as run from records where ${condition})
    group by run order by first`.execute(tables)
  return rows.map(({ first, last }) => (first === last ? first : [first, last]))
}
