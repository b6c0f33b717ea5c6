/** Lookup tables of a mapping: rows in the mapping itself, or a CSV file beside it. */
import Papa from 'papaparse'
import { describeUnreadablePart } from '../support/errors.ts'
import { didYouMean, didYouMeanOneOf } from '../support/text.ts'
import { checkPart } from './source/schema.ts'
import { TableFrame } from './file.ts'
import {
  type ErrorPlace,
  getEntry,
  getEntryText,
  locateKey,
  type MapNode,
  type MappingErrors,
  nodeAt,
  type SourceNode,
  toPlain,
} from './source/source.ts'
import { cleanText, quoteText } from './values/text.ts'

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** Values by column, under the key without outer blanks and case. */
  readonly rows: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly keys: readonly string[]
  /** How many columns make the key; bars separate their texts. */
  readonly keyColumns: number
  /** Its name and its line in the mapping, for messages. */
  readonly origin: string
  /** Where a person adds a row, as in `add a row to …`. */
  readonly home: string
  /** The place of a row, or that of the table where the rows are in a file of their own. */
  readonly locate: (key: string) => ErrorPlace
}

/** The separator in a key of several columns. */
export const KEY_SEPARATOR = ' | '

export type ReadTable = (relativePath: string) => Promise<string>

const VALUE_COLUMN = 'value'

/** Lookup tables are in memory, so they have a limit. */
const MAX_ROWS = 100_000

const MAX_SUGGESTED = 2000

/** The key under which a text is looked up. */
export function normalizeKey(text: string): string {
  return text.trim().toLowerCase()
}

/** The tables by name; undefined for tables with errors. */
export type Tables = ReadonlyMap<string, Table | undefined>

export interface TableContext {
  readonly readTable: ReadTable
  readonly errors: MappingErrors
  /** The path of a file of the mapping, for people; left out where it has none but the one in the mapping. */
  readonly formatPath?: (relativePath: string) => string
}

export async function compileTables(node: SourceNode | undefined, options: TableContext): Promise<Tables> {
  const tables = new Map<string, Table | undefined>()
  const { formatPath = String } = options
  if (node?.kind !== 'map') return tables
  for (const [name, { node: tableNode }] of node.entries) {
    const frame = checkPart(TableFrame, tableNode, options.errors)
    if (await noteKeyColumn(tableNode, options)) {
      tables.set(name, undefined)
      continue
    }
    const file = frame !== undefined && 'file' in frame ? `, file ${formatPath(frame.file)}` : ''
    const line = options.errors.formatLine(locateKey(node, name))
    const head = { name, origin: `the table "${name}" (${line}${file})` }
    if (frame === undefined || tableNode.kind !== 'map') tables.set(name, undefined)
    else if ('rows' in frame) tables.set(name, compileTableRows(head, tableNode, options.errors))
    else tables.set(name, await readTableFile(head, frame, tableNode, options))
  }
  return tables
}

/** Notes the name of a column as the key, where the first columns are: with those of the file. Returns whether it did. */
async function noteKeyColumn(node: SourceNode, { readTable, errors }: TableContext): Promise<boolean> {
  const file = getEntryText(node, 'file')
  if (node.kind !== 'map' || file === undefined) return false
  const wrong = ['key', 'keys'].find((name) => {
    const entry = getEntry(node, name)
    return entry !== undefined && !(name === 'keys' && typeof toPlain(entry) === 'number')
  })
  if (wrong === undefined) return false
  const text = await readTable(file).catch(() => undefined)
  const [header] = text === undefined ? [] : readTableRows(text)
  const columns = header === undefined ? '' : ` ${file} has the columns ${header.cells.join(', ')}.`
  errors.replace(
    wrong === 'key' ? locateKey(node, wrong) : nodeAt(node, wrong),
    `a table names no key column: the first column of its file is the key, with \`keys: 2\` the first two.${columns}`,
  )
  return true
}

export interface TableColumn {
  readonly table: Table
  readonly column: string
}

/** Finds the table and column of a lookup; undefined after noting errors. */
export function findTable(
  tables: Tables,
  { table: name, pick }: { readonly table: string; readonly pick?: string | undefined },
  note: (option: 'table' | 'pick', message: string) => void,
): TableColumn | undefined {
  const table = tables.get(name)
  if (table === undefined) {
    if (!tables.has(name)) {
      note(
        'table',
        `there is no table "${name}" under \`tables\`.${didYouMeanOneOf(name, [...tables.keys()])}`,
      )
    }
    return undefined
  }
  const column = pickColumn(table, pick, (message) => note('pick', message))
  return column === undefined ? undefined : { table, column }
}

function pickColumn(table: Table, pick: string | undefined, note: (message: string) => void) {
  const [only] = table.columns
  if (pick === undefined) {
    if (table.columns.length === 1 && only !== undefined) return only
    note(`the table "${table.name}" has the columns ${table.columns.join(', ')}: name one with \`pick\``)
    return undefined
  }
  if (table.columns.includes(pick)) return pick
  note(`the table "${table.name}" has no column "${pick}".${didYouMeanOneOf(pick, table.columns)}`)
  return undefined
}

export function noteWrongRow(
  errors: MappingErrors,
  { name, locate }: Table,
  { key, field, refused }: { readonly key: string; readonly field: string; readonly refused: string },
): void {
  errors.add(locate(key), `the table "${name}" says for "${key}": ${refused} It fills ${field}.`)
}

export function describeMiss(table: Table, text: string): string {
  return `${quoteText(text)} is not in the table "${table.name}".${didYouMean(text, table.keys.slice(0, MAX_SUGGESTED))}`
}

const KEYS_SHOWN = 5

/** Lists a few keys, to show what a table is about. */
export function suggestKeys({ keys, home }: Table): string {
  const shown = keys.slice(0, KEYS_SHOWN).join(', ')
  const more = keys.length > KEYS_SHOWN ? `, … (${keys.length} in all)` : ''
  return `Use one of ${shown}${more}; or add a row to ${home}.`
}

type TableHead = Pick<Table, 'name' | 'origin'>

async function readTableFile(
  head: TableHead,
  { file: path, keys: keyColumns = 1 }: Extract<TableFrame, { file: string }>,
  node: MapNode,
  { readTable, errors, formatPath = String }: TableContext,
): Promise<Table | undefined> {
  const place = nodeAt(node, 'file')
  let text: string
  try {
    text = await readTable(path)
  } catch (error) {
    return errors.add(place, `the table file ${describeUnreadablePart(path, error)}`)
  }
  const [{ cells: header } = { cells: [] }, ...rows] = readTableRows(text)
  const columns = header.slice(keyColumns).map((column) => column.trim())
  const note = (message: string) => errors.add(place, `${path}: ${message}`)
  if (columns.length === 0) {
    const keys = keyColumns === 1 ? 'a key column' : `${keyColumns} key columns`
    note(`a table needs a header line with ${keys} and at least one more`)
  }
  if (new Set(columns).size < columns.length) note('two columns have the same name')
  if (rows.length > MAX_ROWS) note(`the table has more than ${MAX_ROWS} rows`)
  const gathered = createRowCollector(
    { ...head, columns, keyColumns, home: formatPath(path), locate: () => place },
    note,
  )
  for (const row of rows) {
    const key = row.cells.slice(0, keyColumns).map(cleanText).filter(Boolean).join(KEY_SEPARATOR)
    const cells = columns.map((column, at) => [column, cleanText(row.cells[keyColumns + at] ?? '')] as const)
    gathered.add({ key, cells: Object.fromEntries(cells), line: () => `line ${row.line}` })
  }
  return gathered.table
}

/** The rows that are not blank, each with the line on which it begins. */
function readTableRows(text: string): { readonly cells: string[]; readonly line: number }[] {
  const plain = text.replace(/^\uFEFF/, '')
  // Blank lines would spoil the guess of the delimiter, and are needed to count lines.
  const { delimiter } = Papa.parse(plain, { skipEmptyLines: 'greedy', preview: 1 }).meta
  const { data } = Papa.parse<string[]>(plain, { delimiter })
  const rows = []
  let line = 1
  for (const cells of data) {
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ cells, line })
    line += cells.reduce((breaks, cell) => breaks + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 1)
    if (rows.length > MAX_ROWS + 1) break
  }
  return rows
}

function compileTableRows(head: TableHead, node: MapNode, errors: MappingErrors): Table | undefined {
  const rows = getEntry(node, 'rows')
  if (rows?.kind !== 'map') return undefined
  const rowsOf = [...rows.entries].map(([key, { node: row }]) => ({ key, cells: readCells(row) }))
  const columns = [...new Set(rowsOf.flatMap(({ cells }) => Object.keys(cells)))]
  let place: ErrorPlace = rows
  const note = (message: string) => errors.add(place, message)
  const locate = (key: string) => locateKey(rows, key)
  const gathered = createRowCollector(
    { ...head, columns, keyColumns: 1, home: 'it in the mapping', locate },
    note,
  )
  for (const { key, cells } of rowsOf) {
    place = locate(key)
    gathered.add({ key, cells, line: () => errors.formatLine(locate(key)) })
  }
  return gathered.table
}

function readCells(row: SourceNode): Record<string, string> {
  if (row.kind === 'text') return { [VALUE_COLUMN]: row.text }
  if (row.kind === 'list') return { [VALUE_COLUMN]: String(toPlain(row)) }
  const cells = [...row.entries].map(([column, { node }]) => [column, node.kind === 'text' ? node.text : ''])
  return Object.fromEntries(cells) as Record<string, string>
}

interface TableRow {
  readonly key: string
  readonly cells: Readonly<Record<string, string>>
  /** Where it stands, for messages. */
  readonly line: () => string
}

function createRowCollector(frame: Omit<Table, 'rows' | 'keys'>, note: (message: string) => void) {
  const rows = new Map<string, Readonly<Record<string, string>>>()
  const lines = new Map<string, TableRow['line']>()
  const keys: string[] = []
  const table: Table = { ...frame, rows, keys }
  return {
    table,
    add({ key, cells, line }: TableRow) {
      const [known, first] = [normalizeKey(key), lines.get(normalizeKey(key))]
      if (key === '') return note(`a row of the table has no key: ${line()}`)
      if (first !== undefined) return note(`the table has two rows for "${key}": ${first()} and ${line()}`)
      rows.set(known, cells)
      lines.set(known, line)
      keys.push(key)
    },
  }
}
