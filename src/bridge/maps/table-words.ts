/** The words that the lookup tables of a mapping know. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Mapping } from '../../mapping/load.ts'
import { openSourceReader } from '../../mapping/source/source.ts'
import { compileTables } from '../../mapping/tables.ts'

export interface TableTexts {
  /** The keys of each table, by its name. */
  readonly keys: ReadonlyMap<string, readonly string[]>
  /** What an export writes that looks things up in a table: the texts of a column, or with `reverse` keys. */
  written(table: string, options: { readonly reverse?: unknown; readonly pick?: unknown }): readonly string[]
}

/** The mapping has compiled, so its tables do. */
export async function tableTexts({ source }: Mapping, path: string): Promise<TableTexts> {
  const { mistakes } = openSourceReader()
  const readTable = (table: string) => readFile(resolve(dirname(path), table), 'utf8')
  const tables = await compileTables(source.entries.get('tables')?.node, { readTable, mistakes })
  return {
    keys: new Map([...tables].map(([name, table]) => [name, table?.keys ?? []])),
    written(name, { reverse, pick }) {
      const table = tables.get(name)
      if (table === undefined) return []
      if (reverse !== undefined) return table.keys
      const column = typeof pick === 'string' ? pick : (table.columns[0] ?? '')
      const texts = [...table.rows.values()].map((row) => row[column] ?? '')
      return [...new Set(texts)].filter((text) => text !== '')
    },
  }
}

/** The keys of each table, by its name. */
export async function tableWords(
  mapping: Mapping,
  path: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  return (await tableTexts(mapping, path)).keys
}
