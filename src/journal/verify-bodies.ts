/** What the API showed of outgoing records, as the chain holds it, against their bodies. */
import { sql } from 'kysely'
import { batchOf } from './batch.ts'
import { FORGOTTEN_BODY } from './forgotten-words.ts'
import { idSet } from './id-set.ts'
import { eachOf } from './ids.ts'
import { sumOf } from './sums.ts'
import { type Check, inParts, type Told } from './verify-check.ts'

export function bodyCheck({ tables, found, met }: Check) {
  const compared = idSet()
  return async ({ event, detail }: Told): Promise<void> => {
    if (detail.bodies === undefined) return
    const { ids, sums } = detail.bodies
    const all = [...eachOf(ids)]
    const sumsOf = new Map(all.map((id, place) => [id, sums[place]]))
    const asked = all.filter((id) => !compared.has(id))
    for (const id of asked) compared.add(id)
    for (const some of inParts(asked)) {
      const { rows } = await sql<{ id: number; route: string; body: string | null }>`
        select records.id, records.route, bodies.body from ${batchOf(some, { id: (id) => id })}
        cross join records left join bodies on bodies.record_id = records.id
        where records.id = batch.id order by records.id`.execute(tables)
      for (const { id, route, body } of rows) {
        const was = event.route
        if (route !== was) {
          found.add('record', id, `record ${id}: its route is ${route}, and was ${String(was)}`, event)
        }
        if (met.forgotten.has(id) && body === FORGOTTEN_BODY) continue
        if (body === null) found.add('record', id, `record ${id}: its body is missing`, event)
        else if (sumOf(id, body) !== sumsOf.get(id)) {
          found.add('record', id, `record ${id}: its body is not what the API showed`, event)
        }
      }
    }
  }
}
