/** Many rows as one parameter, so that a batch costs one statement and one text to compile. */
import { type RawBuilder, sql } from 'kysely'

type Cell = string | number | null | undefined | readonly unknown[]

type Columns<Row, Value> = Readonly<Record<string, (row: Row) => Value>>

/**
 * A row source named `batch` for a `from`: one JSON text that the database unfolds. A cell that is a list arrives as
 * JSON text; a cell left out as null. Columns of long texts go beside it, in one piece, of which the JSON says where each
 * begins: escaping them and taking the escapes out again costs more than writing them.
 */
export function batchOf<Row>(
  rows: readonly Row[],
  columns: Columns<Row, Cell>,
  longColumns: Columns<Row, string | undefined> = {},
): RawBuilder<unknown> {
  const cells = Object.values(columns)
  const texts = joinedTexts()
  const json = JSON.stringify(
    rows.map((row) => {
      const line: Cell[] = cells.map((cell) => cell(row))
      for (const text of Object.values(longColumns)) line.push(...texts.add(text(row)))
      return line
    }),
  )
  const names = Object.keys(columns).map((name, position) => sql.raw(`value ->> ${position} as ${name}`))
  const long = Object.keys(longColumns).map((name, index) => {
    const position = cells.length + 2 * index
    const place = sql.raw(`value ->> ${position}, value ->> ${position + 1}`)
    return sql`cast(substr(${texts.bytes()}, ${place}) as text) as ${sql.ref(name)}`
  })
  return sql`(select ${sql.join([...names, ...long])} from json_each(${json})) as batch`
}

/** Texts one after the other, each with its first byte, counted from 1, and how many they are. */
function joinedTexts() {
  // One byte before them all: of nothing at all, SQLite makes null.
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
