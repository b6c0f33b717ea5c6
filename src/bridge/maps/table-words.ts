/** The words that the lookup tables of a mapping know. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Mapping } from '../../mapping/load.ts'
import { openSourceReader } from '../../mapping/source/source.ts'
import { compileTables } from '../../mapping/tables.ts'

/** By the table's name. The mapping has compiled, so its tables do. */
export async function tableWords(
  { source }: Mapping,
  path: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { mistakes } = openSourceReader()
  const readTable = (table: string) => readFile(resolve(dirname(path), table), 'utf8')
  const tables = await compileTables(source.entries.get('tables')?.node, { readTable, mistakes })
  return new Map([...tables].map(([name, table]) => [name, table?.keys ?? []]))
}
