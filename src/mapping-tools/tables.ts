/** Reads the lookup tables of a mapping and tracks which keys are looked up. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Mapping } from '../mapping/load.ts'
import { getEntry, openSourceReader } from '../mapping/source/source.ts'
import { compileTables, normalizeKey } from '../mapping/tables.ts'
import type { Options } from './mapped-fields.ts'
import type { TableKeys } from './trials.ts'

export type TableTexts = Awaited<ReturnType<typeof readTableTexts>>

/** Reads the tables without errors, because the mapping has compiled. */
export async function readTableTexts({ source }: Mapping, path: string) {
  const { errors } = openSourceReader()
  const readTable = (table: string) => readFile(resolve(dirname(path), table), 'utf8')
  const tables = await compileTables(getEntry(source, 'tables'), { readTable, errors })
  return {
    keys: new Map([...tables].map(([name, table]) => [name, table?.keys ?? []])),
    find: (name: string, text: string) => tables.get(name)?.rows.get(normalizeKey(text)),
    /** Lists the texts that a lookup in an export can write: texts of a column, or with `reverse` keys. */
    written(name: string, { reverse, pick }: Options) {
      const table = tables.get(name)
      if (table === undefined) return []
      if (reverse !== undefined) return table.keys
      const column = typeof pick === 'string' ? pick : (table.columns[0] ?? '')
      const texts = [...table.rows.values()].map((row) => row[column] ?? '')
      return [...new Set(texts)].filter((text) => text !== '')
    },
  }
}

/** The keys of a table that no example looks up, as it spells them, and how many keys it has. */
export interface UntakenKeys {
  readonly table: string
  readonly keys: readonly string[]
  readonly of: number
}

/** Tracks the tables of lookups only; tables such as prices of order lines have another use. */
export function trackTableKeys(all: TableKeys, asked: readonly unknown[]) {
  const askedTables = [...all].filter(([table]) => asked.includes(table))
  const open = new Map(askedTables.map(([table, keys]) => [table, new Set(keys.map(normalizeKey))]))
  return {
    take(table: unknown, text: string | undefined) {
      if (typeof table === 'string' && text !== undefined) open.get(table)?.delete(normalizeKey(text))
    },
    untaken: (): UntakenKeys[] =>
      askedTables.flatMap(([table, keys]) => {
        const left = keys.filter((key) => open.get(table)?.has(normalizeKey(key)))
        return left.length === 0 ? [] : [{ table, keys: left, of: keys.length }]
      }),
  }
}
