/** The lookup of a column in a table, from key to value or back, and the numbers that stand in a table. */
import { parseDecimal } from '../../support/decimal.ts'
import type { ColumnLeaf } from './column-options.ts'
import { hasNumberForm, numberText } from './cell-number.ts'
import type { MapNode, Mistakes } from '../source/source.ts'
import { findTable, missMessage, type Table, tableKey, type Tables } from '../tables.ts'
import { quoted } from '../values/text.ts'
import type { RefuseCell } from './paper.ts'

export type Lookup = (text: string, refuse: RefuseCell) => string

/** Undefined after noting what is wrong. With options for numbers, what is found must be one, and is written so. */
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
  const texts = reverse === undefined ? valuesByKey(table, column) : keysByValue(table, column)
  if (hasNumberForm(options)) writeNumbers(texts, options, { node, table, mistakes })
  return (text, refuse) => {
    const value = texts.get(tableKey(text))
    if (value !== undefined) return value
    if (miss !== 'refuse') return miss === 'keep' ? text : ''
    const message =
      reverse === undefined
        ? missMessage(table, text)
        : `${quoted(text)} is not in the column "${column}" of the table "${table.name}".`
    return refuse('lookup-missed', message)
  }
}

function valuesByKey({ rows }: Table, column: string): Map<string, string> {
  return new Map([...rows].map(([key, row]) => [key, row[column] ?? '']))
}

/** The keys of a table by what stands in a column; of several with the same value the first. */
function keysByValue({ keys, rows }: Table, column: string): Map<string, string> {
  const byValue = new Map<string, string>()
  for (const key of keys) {
    const value = tableKey(rows.get(tableKey(key))?.[column] ?? '')
    if (value !== '' && !byValue.has(value)) byValue.set(value, key)
  }
  return byValue
}

/** The numbers of a table have a point before their decimals, as in the mapping itself; here they get the form of the column. */
function writeNumbers(
  texts: Map<string, string>,
  options: ColumnLeaf,
  { node, table, mistakes }: { readonly node: MapNode; readonly table: Table; readonly mistakes: Mistakes },
): void {
  const note = (option: string, message: string) =>
    mistakes.add(node.entries.get(option)?.node ?? node, message)
  const told = (['implied', 'decimal', 'grouping', 'zeros'] as const).find(
    (key) => options[key] !== undefined,
  )
  if (options.miss === 'keep') note('miss', 'a text that is kept is no number: leave out `miss: keep`')
  for (const [key, text] of texts) {
    const number = parseDecimal(text)
    if (text === '') continue
    if (number === undefined) {
      const why = `the table "${table.name}" has ${quoted(text)}, which is no number such as 9.50`
      return note(told ?? '', `${why}: a table's text is written as it is`)
    }
    let wrong: string | undefined
    const written = numberText(number, options, (_code, message) => {
      wrong = message
      return ''
    })
    if (wrong !== undefined) return note(told ?? '', `the table "${table.name}": ${wrong}`)
    texts.set(key, written)
  }
}
