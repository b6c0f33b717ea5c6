/** Which keys of a mapping's lookup tables are looked up. */
import { tableKey } from '../../mapping/tables.ts'
import type { TableWords } from './trials.ts'

/** The keys of a table that nothing looks up, as it spells them, and how many keys it has. */
export interface UntakenKeys {
  readonly table: string
  readonly keys: readonly string[]
  readonly of: number
}

/** Of the tables that values are looked up in; others, such as the prices of an order's lines, are asked elsewhere. */
export function tableKeys(all: TableWords, asked: readonly unknown[]) {
  const words = [...all].filter(([table]) => asked.includes(table))
  const open = new Map(words.map(([table, keys]) => [table, new Set(keys.map(tableKey))]))
  return {
    take(table: unknown, text: string | undefined) {
      if (typeof table === 'string' && text !== undefined) open.get(table)?.delete(tableKey(text))
    },
    untaken: (): UntakenKeys[] =>
      words.flatMap(([table, keys]) => {
        const left = keys.filter((key) => open.get(table)?.has(tableKey(key)))
        return left.length === 0 ? [] : [{ table, keys: left, of: keys.length }]
      }),
  }
}
