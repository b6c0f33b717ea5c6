/** Records of one file that contradict each other: with two versions of one key in a file, nobody knows the right one. */
import { type Kysely, sql } from 'kysely'
import { batchOf } from './batch.ts'
import { chain } from './chain.ts'
import { inState } from './event-detail.ts'
import { conflictOf } from './repeats.ts'
import type { Tables } from './schema.ts'

interface Contradiction {
  readonly id: number
  readonly operation: string
  readonly natural_key: string
  readonly key_values: string
  readonly lines: string
  readonly other_key_values: string
  readonly other_lines: string
}

/**
 * Refuses the first version of a key too, and what repeats it, when the file has another version of it further on. The
 * rows of one record that do not stand together look just like that, and must not go out in parts.
 */
export async function refuseContradictions(
  tables: Kysely<Tables>,
  fileId: string,
  now: number,
): Promise<void> {
  const { rows } = await sql<Contradiction>`
    select first.id, first.operation, first.natural_key, first.key_values, first.lines,
      other.key_values as other_key_values, other.lines as other_lines, min(other.number)
    from records as other join records as first
      on first.operation = other.operation and first.account = other.account
        and first.natural_key = other.natural_key and first.holds_key = 1
    where other.file_id = ${fileId} and other.state = 'rejected' and first.file_id = ${fileId}
      and first.state = 'planned' and other.body_hash <> first.body_hash
      and other.problems like '%"key-conflict"%'
    group by first.id`.execute(tables)
  if (rows.length === 0) return
  const refusals = rows.map((row) => ({ id: row.id, key: row.natural_key, problems: [contradictionOf(row)] }))
  const batch = batchOf(refusals, {
    id: (row) => row.id,
    natural_key: (row) => row.key,
    problems: (row) => row.problems,
  })
  const { rows: repeating } = await sql<{ id: number }>`
    update records set state = 'rejected', problems = batch.problems, changed_at = ${now}
    from ${batch}
    where records.file_id = ${fileId} and records.state = 'duplicate'
      and records.natural_key = batch.natural_key
    returning records.id`.execute(tables)
  await sql`
    update records set state = 'rejected', holds_key = 0, problems = batch.problems, changed_at = ${now}
    from ${batch}
    where records.id = batch.id and records.state = 'planned'`.execute(tables)
  const refused = inState(
    'rejected',
    [...rows, ...repeating].map(({ id }) => id),
  )
  await chain(tables, now, { kind: 'records-refused', subject: fileId, detail: { records: [refused] } })
}

function contradictionOf(row: Contradiction) {
  const { operation, natural_key: naturalKey } = row
  const texts = (json: string) => JSON.parse(json) as string[]
  return conflictOf(
    { operation, naturalKey, keyValues: texts(row.key_values), line: firstLine(row.lines) },
    { keyValues: texts(row.other_key_values), line: firstLine(row.other_lines), file: undefined },
  )
}

function firstLine(lines: string): number | undefined {
  return (JSON.parse(lines) as [number, number][])[0]?.[0]
}
