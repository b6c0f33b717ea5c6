/** Runs statements, passes many rows or ids to a statement as one parameter, and turns rows into values. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './schema.ts'

export async function selectFirst<T>(db: Db, query: RawBuilder<T>): Promise<T | undefined> {
  return (await query.execute(db)).rows[0]
}

/** Whether there is such a row; `rows` is the text after `from`. */
export async function exists(db: Db, rows: RawBuilder<unknown>): Promise<boolean> {
  return (await selectFirst(db, sql`select 1 from ${rows} limit 1`)) !== undefined
}

/** Returns how many rows the statement changed. */
export async function changeRows(db: Db, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(db)).numAffectedRows ?? 0n)
}

// Many rows as one parameter, so that a batch costs one statement and one text to compile.

type JsonCell = string | number | null | undefined | readonly unknown[]

/** The cell of a column: a property of the row, or the result of a function. */
type JsonColumns<Row> = Readonly<Record<string, ((row: Row) => JsonCell) | CellKey<Row>>>

type CellKey<Row> = Row extends readonly unknown[]
  ? never
  : Row extends object
    ? { [Key in keyof Row]-?: Row[Key] extends JsonCell ? Key : never }[keyof Row]
    : never

/**
 * A row source named `batch` for a `from`: one JSON text that the database expands. A cell that is a list arrives as JSON
 * text, and a cell that is left out as null. A column with one value in all rows is a parameter of its own: to take a cell
 * out of JSON costs the database more than to write it. Columns with long texts go into one separate parameter, and the JSON
 * holds the position of each text, because they would be escaped and unescaped in JSON.
 */
export function jsonRows<Row>(
  rows: readonly Row[],
  columns: JsonColumns<Row>,
  longColumns: Readonly<Record<string, (row: Row) => string | undefined>> = {},
): RawBuilder<unknown> {
  const varying: (readonly JsonCell[])[] = []
  const addVarying = (values: readonly JsonCell[]) => varying.push(values) - 1
  const names = Object.entries(columns).map(([name, cell]) => {
    const read = typeof cell === 'function' ? cell : (row: Row) => row[cell as keyof Row] as JsonCell
    const values = rows.map(read)
    const common = toCommonValue(values)
    return { name, source: common === undefined ? [addVarying(values)] : common }
  })
  const texts = joinTexts()
  for (const [name, read] of Object.entries(longColumns)) {
    const places = rows.map((row) => texts.add(read(row)))
    const source = [addVarying(places.map(([first]) => first)), addVarying(places.map(([, size]) => size))]
    names.push({ name, source })
  }
  const isOne = varying.length === 1
  const cellAt = (place = 0) => sql.raw(isOne ? 'value' : `value ->> ${place}`)
  const selected = names.map(({ name, source }) => {
    if (!Array.isArray(source)) return sql`${source} as ${sql.ref(name)}`
    const [first, size] = source
    if (size === undefined) return sql`${cellAt(first)} as ${sql.ref(name)}`
    const text = sql`substr(${texts.bytes()}, ${cellAt(first)}, ${cellAt(size)})`
    return sql`cast(${text} as text) as ${sql.ref(name)}`
  })
  const json = JSON.stringify(
    isOne ? varying[0] : rows.map((_, index) => varying.map((values) => values[index])),
  )
  return sql`(select ${sql.join(selected)} from json_each(${json})) as batch`
}

/** The value that all cells have, as a parameter. Only of values that arrive alike as a parameter and in JSON. */
function toCommonValue(cells: readonly JsonCell[]): RawBuilder<unknown> | undefined {
  const [first] = cells
  const isEmptyList = (cell: JsonCell) => Array.isArray(cell) && cell.length === 0
  if (isEmptyList(first)) return cells.every(isEmptyList) ? sql`${'[]'}` : undefined
  if (typeof first === 'object' ? first !== null : cells.length === 0) return undefined
  if (!cells.every((cell) => cell === first)) return undefined
  if (first === undefined || first === null) return sql`${null}`
  // A number that is a parameter would be a floating-point one.
  if (typeof first === 'number')
    return Number.isSafeInteger(first) ? sql`cast(${first} as integer)` : undefined
  return /^[\x20-\x7e]*$/.test(first as string) ? sql`${first}` : undefined
}

/** Joins texts; returns for each its first byte, counted from 1, and its number of bytes. */
function joinTexts() {
  // One byte before all texts: SQLite turns an empty parameter into null.
  const parts: Buffer[] = [Buffer.from(' ')]
  let next = 2
  return {
    add(text: string | undefined): [number, number] | [null, null] {
      if (text === undefined) return [null, null]
      const bytes = Buffer.from(text)
      const first = next
      parts.push(bytes)
      next += bytes.length
      return [first, bytes.length]
    },
    bytes: () => Buffer.concat(parts),
  }
}

type WithoutNull<T> = { [K in keyof T]?: Exclude<T[K], null> }

export function omitNull<T extends object>(values: T): WithoutNull<T> {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(values) as Extract<keyof T, string>[]) {
    if (values[key] !== null) copy[key] = values[key]
  }
  return copy as WithoutNull<T>
}

// Many ids in little space: ascending, each run of neighbours as its first and last id.

export type IdRuns = readonly (number | readonly [first: number, last: number])[]

export function toIdRuns(numbers: readonly number[]): IdRuns {
  const runs: [number, number][] = []
  for (const id of numbers.toSorted((one, other) => one - other)) {
    const last = runs.at(-1)
    if (last !== undefined && id <= last[1] + 1) last[1] = id
    else runs.push([id, id])
  }
  return runs.map(([first, last]) => (first === last ? first : [first, last]))
}

export function* iterateIds(ids: IdRuns): Generator<number> {
  for (const run of ids) {
    const [first, last] = typeof run === 'number' ? [run, run] : run
    for (let id = first; id <= last; id++) yield id
  }
}

/** The ids of all records that meet a condition: as runs, so that a million of them take little space. */
export async function selectIdRuns(db: Db, condition: RawBuilder<unknown>): Promise<IdRuns> {
  const { rows } = await sql<{ first: number; last: number }>`
    select min(id) as first, max(id) as last from (
      select records.id, records.id - row_number() over (order by records.id) as run from records where ${condition})
    group by run order by first`.execute(db)
  return rows.map(({ first, last }) => (first === last ? first : [first, last]))
}

/** Replaces a body that was pruned. */
export const PRUNED_BODY = '{}'
