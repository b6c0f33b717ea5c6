/** Lookup tables of a mapping: rows in the mapping itself, or a CSV file beside it. */
import Papa from 'papaparse'
import { didYouMean } from '../support/nearest.ts'
import { checkPart } from './source/check.ts'
import { TableFrame } from './file.ts'
import { keyPlace, type MapNode, type Mistakes, type SourceNode, toPlain } from './source/source.ts'
import { cleaned, quoted } from './values/text.ts'

export interface Table {
  readonly name: string
  /** The columns that can be picked. */
  readonly columns: readonly string[]
  /** Values by column, under the key without outer blanks and case. */
  readonly rows: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** The keys as written, for suggestions. */
  readonly keys: readonly string[]
  /** How many columns make the key; their texts stand between bars. */
  readonly keyColumns: number
}

/** What stands between the texts of a key that several columns make. */
export const KEY_SEPARATOR = ' | '

export type ReadTable = (relativePath: string) => Promise<string>

/** The one column of a table whose rows are plain values. */
const VALUE = 'value'

/** A lookup table is held in memory. */
const MAX_ROWS = 100_000

/** Suggestions are sought among so many keys. */
const MAX_SUGGESTED = 2000

/** The key under which a text is looked up. */
export function tableKey(text: string): string {
  return text.trim().toLowerCase()
}

/** The tables by name; undefined for those whose mistakes were noted. */
export type Tables = ReadonlyMap<string, Table | undefined>

export async function compileTables(
  node: SourceNode | undefined,
  options: { readonly readTable: ReadTable; readonly mistakes: Mistakes },
): Promise<Tables> {
  const tables = new Map<string, Table | undefined>()
  if (node?.kind !== 'map') return tables
  for (const [name, { node: tableNode }] of node.entries) {
    const frame = checkPart(TableFrame, tableNode, options.mistakes)
    if (frame === undefined || tableNode.kind !== 'map') tables.set(name, undefined)
    else if ('rows' in frame) tables.set(name, tableFromRows(name, tableNode, options.mistakes))
    else {
      const { file: path, keys: keyColumns = 1 } = frame
      tables.set(name, await tableFromFile({ name, path, keyColumns, node: tableNode, ...options }))
    }
  }
  return tables
}

/** The table and column a leaf looks things up in; undefined after noting what is wrong. */
export function findTable(
  tables: Tables,
  { table: name, pick }: { readonly table: string; readonly pick?: string | undefined },
  note: (option: 'table' | 'pick', message: string) => void,
): { readonly table: Table; readonly column: string } | undefined {
  const table = tables.get(name)
  if (table === undefined) {
    if (!tables.has(name)) {
      note('table', `there is no table "${name}" under \`tables\`.${didYouMean(name, [...tables.keys()])}`)
    }
    return undefined
  }
  const column = pickedColumn(table, pick, (message) => note('pick', message))
  return column === undefined ? undefined : { table, column }
}

function pickedColumn(
  table: Table,
  pick: string | undefined,
  note: (message: string) => void,
): string | undefined {
  const [only] = table.columns
  if (pick === undefined) {
    if (table.columns.length === 1 && only !== undefined) return only
    note(`the table "${table.name}" has the columns ${table.columns.join(', ')}: name one with \`pick\``)
    return undefined
  }
  if (table.columns.includes(pick)) return pick
  note(`the table "${table.name}" has no column "${pick}".${didYouMean(pick, table.columns)}`)
  return undefined
}

/** What to say when a text is not in a table. */
export function missMessage(table: Table, text: string): string {
  return `${quoted(text)} is not in the table "${table.name}".${didYouMean(text, table.keys.slice(0, MAX_SUGGESTED))}`
}

/** So many keys show what a table is about. */
const KEYS_SHOWN = 5

export function missHint({ keys }: Table): string {
  const shown = keys.slice(0, KEYS_SHOWN).join(', ')
  const more = keys.length > KEYS_SHOWN ? `, … (${keys.length} in all)` : ''
  return `Use one of ${shown}${more}; or add a row to the table.`
}

async function tableFromFile(from: {
  readonly name: string
  readonly path: string
  readonly keyColumns: number
  readonly node: MapNode
  readonly readTable: ReadTable
  readonly mistakes: Mistakes
}): Promise<Table | undefined> {
  const { name, path, keyColumns, node, readTable, mistakes } = from
  const place = node.entries.get('file')?.node ?? node
  let text: string
  try {
    text = await readTable(path)
  } catch (error) {
    mistakes.add(
      place,
      `the table file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
    return undefined
  }
  const parsed = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
    skipEmptyLines: 'greedy',
    preview: MAX_ROWS + 2,
  })
  const [header = [], ...rows] = parsed.data
  const columns = header.slice(keyColumns).map((column) => column.trim())
  const note = (message: string) => mistakes.add(place, `${path}: ${message}`)
  if (columns.length === 0) {
    const keys = keyColumns === 1 ? 'a key column' : `${keyColumns} key columns`
    note(`a table needs a header line with ${keys} and at least one more`)
  }
  if (new Set(columns).size < columns.length) note('two columns have the same name')
  if (rows.length > MAX_ROWS) note(`the table has more than ${MAX_ROWS} rows`)
  const gathered = gatherRows({ name, columns, keyColumns }, note)
  for (const row of rows) {
    const keys = row.slice(0, keyColumns).map(cleaned)
    const cells = row.slice(keyColumns)
    gathered.add(
      keys.filter((key) => key !== '').join(KEY_SEPARATOR),
      Object.fromEntries(columns.map((column, at) => [column, cleaned(cells[at] ?? '')])),
    )
  }
  return gathered.table
}

function tableFromRows(name: string, node: MapNode, mistakes: Mistakes): Table | undefined {
  const rows = node.entries.get('rows')?.node
  if (rows?.kind !== 'map') return undefined
  const rowsOf = [...rows.entries].map(([key, { node: row }]) => ({ key, cells: cellsOf(row) }))
  const columns = [...new Set(rowsOf.flatMap(({ cells }) => Object.keys(cells)))]
  let place = rows as { offset: number; path: string }
  const gathered = gatherRows({ name, columns, keyColumns: 1 }, (message) => mistakes.add(place, message))
  for (const { key, cells } of rowsOf) {
    place = keyPlace(rows, key)
    gathered.add(key, cells)
  }
  return gathered.table
}

function cellsOf(row: SourceNode): Record<string, string> {
  if (row.kind === 'text') return { [VALUE]: row.text }
  if (row.kind === 'list') return { [VALUE]: String(toPlain(row)) }
  return Object.fromEntries(
    [...row.entries].map(([column, { node }]) => [column, node.kind === 'text' ? node.text : '']),
  )
}

function gatherRows(frame: Pick<Table, 'name' | 'columns' | 'keyColumns'>, note: (message: string) => void) {
  const rows = new Map<string, Readonly<Record<string, string>>>()
  const keys: string[] = []
  const table: Table = { ...frame, rows, keys }
  return {
    table,
    add(key: string, cells: Record<string, string>) {
      if (key === '') return note('a row of the table has no key')
      if (rows.has(tableKey(key))) return note(`the table has two rows for "${key}"`)
      rows.set(tableKey(key), cells)
      keys.push(key)
    },
  }
}
