/** Conversions a leaf puts around that of its field: lists of texts, and lookups in a table. */
import type { FieldRule } from '../../contract/fields.ts'
import { missMessage, type Table, tableKey } from '../tables.ts'
import { type Convert, FAILED } from '../values/value.ts'
import { linesOf, wrapped } from '../values/text.ts'

/** Splits a text into a list. An empty item is kept only between others, and only where the API gives it a meaning. */
export function listConverter(
  convert: Convert,
  rule: FieldRule,
  options: { readonly split?: string | undefined; readonly wrap?: number | undefined },
): Convert {
  const { split, wrap } = options
  const keepsBlanks = rule.kind === 'text' && rule.blankAllowed === true
  return (text, refuse) => {
    const parts = split === undefined ? linesOf(text) : text.split(split).map((part) => part.trim())
    const items = wrap === undefined ? parts : parts.flatMap((part) => wrapped(part, wrap))
    const kept = keepsBlanks ? items : items.filter((item) => item !== '')
    const values = kept.map((item) => (item === '' ? '' : convert(item, refuse)))
    return values.includes(FAILED) ? FAILED : values
  }
}

/** Values that do not fit their field are shown up to this many. */
const MAX_SHOWN = 5

/**
 * Looks the text up. The table's values are converted here, once, so that a wrong one is a mistake of the mapping and
 * not of every file.
 */
export function lookupConverter(
  {
    table,
    column,
    miss = 'refuse',
  }: {
    readonly table: Table
    readonly column: string
    readonly miss?: 'refuse' | 'keep' | 'blank' | undefined
  },
  convert: Convert,
  note: (message: string) => void,
): Convert {
  const values = new Map<string, unknown>()
  let wrong = 0
  for (const [key, row] of table.rows) {
    const text = row[column] ?? ''
    const result = text === '' ? { value: undefined } : convertNow(convert, text)
    values.set(key, result.value)
    if (result.refused === undefined) continue
    wrong += 1
    if (wrong <= MAX_SHOWN) note(`the table "${table.name}" says for "${key}": ${result.refused}`)
  }
  // Most texts are spelled as in the table.
  const spelled = new Map(table.keys.map((key) => [key, values.get(tableKey(key))]))
  return (text, refuse) => {
    const found = spelled.get(text)
    if (found !== undefined) return found
    const key = tableKey(text)
    if (values.has(key)) return values.get(key)
    if (miss === 'blank') return undefined
    return miss === 'keep' ? convert(text, refuse) : refuse('lookup-missed', missMessage(table, text))
  }
}

/** Converts a text of the mapping itself. */
export function convertNow(
  convert: Convert,
  text: string,
): { readonly value?: unknown; readonly refused?: string } {
  const refusals: string[] = []
  const value = convert(text, (_code, message) => {
    refusals.push(message)
    return FAILED
  })
  return refusals.length === 0 ? { value } : { refused: refusals.join(' ') }
}
