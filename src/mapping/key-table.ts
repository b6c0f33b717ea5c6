/** Tables of keys: how each is checked, what it means and an example. One for the compiler, the schema and the documentation. */
import type { z } from 'zod'

/** A row of a table; where the example is tried on something, it says on what, and what comes of it. */
export interface KeyRow {
  readonly schema: z.ZodType
  readonly summary: string
  /** As it is written in a mapping. */
  readonly example: string
  /** The columns of a file, or the fields of a record, that the example is tried on; a list stands for several lines. */
  readonly of?: readonly (readonly [name: string, value: unknown])[]
  /** What stands in the body, or in the cell. */
  readonly gives?: unknown
}

type KeyTable = Readonly<Record<string, KeyRow>>

type OptionalKeys<Table extends KeyTable> = {
  readonly [Key in keyof Table]: z.ZodOptional<Table[Key]['schema']>
}

/** The keys of a frame: none has to be there, and each says what it means. */
export function optionalKeys<Table extends KeyTable>(table: Table): OptionalKeys<Table> {
  const keys = Object.entries(table).map(([name, { schema, summary }]) => [
    name,
    schema.optional().describe(summary),
  ])
  return Object.fromEntries(keys) as OptionalKeys<Table>
}
