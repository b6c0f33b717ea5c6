/** How one value of an export becomes text: dates, booleans, numbers, lists, and lookups in a table. */
import type { ColumnLeaf } from './column-options.ts'
import { numberText, readNumber } from './cell-number.ts'
import { compileDates } from '../fields/leaf-dates.ts'
import type { Shape } from '../shape.ts'
import type { MapNode, Mistakes, SourceNode } from '../source/source.ts'
import { findTable, missMessage, type Table, tableKey, type Tables } from '../tables.ts'
import { type DateOptions, instantOf, readTime } from '../values/dates.ts'
import { quoted } from '../values/text.ts'
import { UTC } from '../values/zone.ts'
import type { RefuseCell } from './paper.ts'

/** The text of a value that is there. */
export type Print = (value: unknown, refuse: RefuseCell) => string

/** What kind of value stands at the end of a path; undefined where nothing is known of it. */
export type Kind = ReturnType<typeof kindOf>

export function kindOf(shape: Shape) {
  const field = shape.kind === 'list' ? shape.item : shape
  return field.kind === 'field' ? field.rule?.kind : undefined
}

/** Whether a value of this kind may be a number: the API shows measures as text. */
export function mayBeNumber(kind: Kind): boolean {
  return kind === undefined || kind === 'text' || kind === 'integer' || kind === 'money' || kind === 'decimal'
}

/** How values of the kind are printed; options that are for other kinds are passed over. */
export function printerFor(kind: Kind, options: ColumnLeaf, dates: DateOptions): Print {
  const [format] = dates.formats
  if ((kind === 'dateTime' || kind === 'date') && format !== undefined) return datePrinter(dates)
  const { yes = 'true', no = 'false', decimal, implied, zeros } = options
  if (kind === 'boolean' && (options.yes !== undefined || options.no !== undefined)) {
    return (value) => (value === true ? yes : value === false ? no : plainText(value))
  }
  if (mayBeNumber(kind) && (decimal ?? implied ?? zeros) !== undefined) {
    return (value, refuse) => {
      const number = readNumber(value, refuse)
      return number === undefined ? '' : numberText(number, options, refuse)
    }
  }
  return plainText
}

/** The `format` and `zone` of a column. */
export function datesOf(node: SourceNode, options: ColumnLeaf, mistakes: Mistakes): DateOptions {
  return compileDates(node, { format: options.format, zone: options.zone }, mistakes, 'write')
}

function datePrinter({ formats, zone }: DateOptions): Print {
  const [format] = formats
  return (value, refuse) => {
    const text = plainText(value)
    const written = readTime(text, { formats: [], names: [], zone: UTC })
    const instant = written && instantOf(written, UTC)
    if (instant === undefined || format === undefined)
      return refuse('date-expected', `${quoted(text)} is not a date as the API writes it.`)
    const localMs = zone.toLocal(instant)
    return format.write(localMs, localMs - instant)
  }
}

export function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

export type Lookup = (text: string, refuse: RefuseCell) => string

/** The lookup of a column, from key to value or back; undefined after noting what is wrong. */
export function lookupFor(
  node: MapNode,
  options: ColumnLeaf,
  { mistakes, tables }: { readonly mistakes: Mistakes; readonly tables: Tables },
): Lookup | undefined {
  const { table: name = '', reverse, miss = 'refuse' } = options
  const pick = reverse === true ? undefined : (reverse ?? options.pick)
  const found = findTable(tables, { table: name, pick }, (option, message) => {
    const written = option === 'pick' && reverse !== undefined ? 'reverse' : option
    mistakes.add(node.entries.get(written)?.node ?? node, message)
  })
  if (found === undefined) return undefined
  const { table, column } = found
  const values = reverse === undefined ? undefined : keysByValue(table, column)
  return (text, refuse) => {
    const key = tableKey(text)
    const value = values === undefined ? rowValue(table, key, column) : values.get(key)
    if (value !== undefined) return value
    if (miss !== 'refuse') return miss === 'keep' ? text : ''
    const message =
      values === undefined
        ? missMessage(table, text)
        : `${quoted(text)} is not in the column "${column}" of the table "${table.name}".`
    return refuse('lookup-missed', message)
  }
}

function rowValue({ rows }: Table, key: string, column: string): string | undefined {
  const row = rows.get(key)
  return row && (row[column] ?? '')
}

/** The keys of a table by what stands in a column; of several with the same value the first. */
function keysByValue({ keys, rows }: Table, column: string): ReadonlyMap<string, string> {
  const byValue = new Map<string, string>()
  for (const key of keys) {
    const value = tableKey(rows.get(tableKey(key))?.[column] ?? '')
    if (value !== '' && !byValue.has(value)) byValue.set(value, key)
  }
  return byValue
}
