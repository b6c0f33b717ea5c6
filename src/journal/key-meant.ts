/** Finding records by what people call them. */
import { type RawBuilder, sql } from 'kysely'
import type { KeyMeant } from '../domain/held.ts'

/** As a condition on `records`: its key is what its cells say, what the journal knows it by, or `#` and its own id. */
export function isCalled({ key, isLoose = false }: KeyMeant): RawBuilder<boolean> {
  const names = [
    sql<string>`records.natural_key`,
    sql<string>`'#' || records.id`,
    sql<string>`(select group_concat(value, ', ') from json_each(records.key_values) where value <> '')`,
  ]
  const compared = isLoose ? names.map(bare) : names
  const wanted = sql<string>`${key}`
  return sql`${isLoose ? bare(wanted) : wanted} in (${sql.join(compared)})`
}

function bare(text: RawBuilder<string>): RawBuilder<string> {
  return sql`replace(lower(${text}), ' ', '')`
}
