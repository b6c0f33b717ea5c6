/** What people call the records that a check found something about. */
import { type Kysely, sql } from 'kysely'
import type { Finding } from '../domain/audit.ts'
import { batchOf } from './batch.ts'
import type { Tables } from './schema.ts'

interface NamedRow {
  readonly id: number
  readonly route: string
  readonly file: string | null
  readonly lines: string
  readonly key_values: string
  readonly natural_key: string | null
  readonly operation: string
}

/** Says of each record where it came from. One that is missing has its number only. */
export async function withNames(tables: Kysely<Tables>, findings: readonly Finding[]): Promise<Finding[]> {
  const ids = findings.flatMap((finding) => recordIn(finding) ?? [])
  const { rows } = await sql<NamedRow>`
    select records.id, records.route, files.name as file, records.lines, key_values, natural_key, operation
    from ${batchOf(ids, { id: (id) => id })} cross join records left join files on files.id = records.file_id
    where records.id = batch.id`.execute(tables)
  const names = new Map(rows.map((row) => [row.id, nameOf(row)]))
  return findings.map((finding) => {
    const id = recordIn(finding)
    const name = id === undefined ? undefined : names.get(id)
    if (name === undefined) return finding
    return { ...finding, message: finding.message.replace(`record ${id}`, () => `record ${id} (${name})`) }
  })
}

/** A document goes by its record and its kind. */
function recordIn({ about, id }: Finding): number | undefined {
  return about === 'record' || about === 'document' ? Number.parseInt(id, 10) || undefined : undefined
}

/** `orders-in, badday.csv line 3, BD-0004`; of what was exported its operation and id. */
function nameOf({ route, file, lines, key_values, natural_key, operation }: NamedRow): string {
  const [range] = JSON.parse(lines) as [number, number][]
  const line = range === undefined ? '' : ` line ${range[0]}`
  const cells = (JSON.parse(key_values) as string[]).filter((cell) => cell !== '').join(', ')
  const key = cells || (natural_key ?? '')
  return [route, file === null ? operation : `${file}${line}`, ...(key === '' ? [] : [key])].join(', ')
}
