/** Compiles the lookup of a leaf: as one of its steps, and as a conversion of values that are converted beforehand. */
import type { NoteOption } from '../source/source.ts'
import type { BodyLeaf } from './options.ts'
import {
  describeMiss,
  findTable,
  normalizeKey,
  suggestKeys,
  type Table,
  type TableColumn,
  type Tables,
} from '../tables.ts'
import type { Convert } from '../values/text.ts'
import { convertText, prependSteps, type TextStep } from './leaf-conversion.ts'

/** Returns the lookup as a step, and its conversion; undefined after noting errors. */
export function compileLookup(options: BodyLeaf, tables: Tables, note: NoteOption<'table' | 'pick'>) {
  const { table: name = '', pick } = options
  const found = findTable(tables, { table: name, pick }, note)
  if (found === undefined) return undefined
  const noteTable = (message: string) => note('table', message)
  const wrong = checkKeys(found.table, options)
  if (wrong !== undefined) noteTable(wrong)
  const step = createLookupStep(found, options)
  const converter = (convert: Convert) => createLookupConverter(found.table, step, convert, noteTable)
  return { step, converter }
}

function checkKeys({ name, keys, keyColumns }: Table, { all, with: separator }: BodyLeaf) {
  if (keyColumns === 1) return undefined
  if (all?.length !== keyColumns) {
    return `the table "${name}" has ${keyColumns} key columns: name as many with \`all\``
  }
  if (separator === undefined || keys.length === 0) return undefined
  return `the table "${name}" has several key columns: leave \`with\` out`
}

/** Messages show this many values that do not fit their field. */
const MAX_SHOWN = 5

function createLookupStep({ table, column }: TableColumn, options: BodyLeaf): TextStep {
  const { pick, miss = 'refuse' } = options
  return {
    option: 'table',
    does: `table ${table.name}${pick === undefined ? '' : ` pick ${pick}`}`,
    apply(text, refuse) {
      const row = table.rows.get(normalizeKey(text))
      if (row !== undefined) return row[column] ?? ''
      if (miss === 'refuse') return refuse('lookup-missed', describeMiss(table, text), suggestKeys(table))
      return miss === 'keep' ? text : ''
    },
  }
}

/** Looks texts up. Converts the table's texts once, here, so that a wrong one is an error of the mapping. */
function createLookupConverter(
  table: Table,
  { apply }: TextStep,
  convert: Convert,
  note: (message: string) => void,
): Convert {
  const lookedUp = prependSteps(convert, [{ apply }])
  const values = new Map<string, unknown>()
  let wrong = 0
  for (const key of table.rows.keys()) {
    const result = convertText(lookedUp, key)
    values.set(key, result.value)
    if (result.refused === undefined) continue
    wrong += 1
    if (wrong <= MAX_SHOWN) note(`the table "${table.name}" says for "${key}": ${result.refused}`)
  }
  // Fast path: most texts are spelled as in the table.
  const spelled = new Map(table.keys.map((key) => [key, values.get(normalizeKey(key))]))
  return (text, refuse) => {
    const found = spelled.get(text)
    if (found !== undefined) return found
    const key = normalizeKey(text)
    return values.has(key) ? values.get(key) : lookedUp(text, refuse)
  }
}
