/** Many rows as one parameter, so that a batch costs one statement and one text to compile. */
import { type RawBuilder, sql } from 'kysely'

type Cell = string | number | null | undefined | readonly unknown[]

/**
 * A row source named `batch` for a `from`: one JSON text that the database unfolds. A cell that is a list arrives as
 * JSON text; a cell left out as null.
 */
export function batchOf<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
): RawBuilder<unknown> {
  const cells = Object.values(columns)
  const json = JSON.stringify(rows.map((row) => cells.map((cell) => cell(row))))
  const names = Object.keys(columns).map((name, position) => `value ->> ${position} as ${name}`)
  return sql`(select ${sql.raw(names.join(', '))} from json_each(${json})) as batch`
}
