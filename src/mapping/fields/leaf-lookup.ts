/** Compiles the lookup of a leaf: as one of its steps, and as a conversion of values that are converted beforehand. */
import type { MappingErrors, NoteOption } from '../source/source.ts'
import type { BodyLeaf } from './options.ts'
import {
  describeMiss,
  findTable,
  normalizeKey,
  noteWrongRow,
  suggestKeys,
  type Table,
  type TableColumn,
  type Tables,
} from '../tables.ts'
import type { Convert } from '../values/text.ts'
import { convertText, prependSteps, type TextStep } from './leaf-conversion.ts'

/** Returns the lookup as a step, and its conversion; undefined after noting errors. */
export function compileLookup(
  options: BodyLeaf,
  { tables, errors }: { readonly tables: Tables; readonly errors: MappingErrors },
  { field, note }: { readonly field: string; readonly note: NoteOption<'table' | 'pick'> },
) {
  const { table: name = '', pick } = options
  const found = findTable(tables, { table: name, pick }, note)
  if (found === undefined) return undefined
  const { table } = found
  const wrong = checkKeys(table, options)
  if (wrong !== undefined) note('table', wrong)
  const step = createLookupStep(found, options)
  const noteRow = (key: string, refused: string) => noteWrongRow(errors, table, { key, field, refused })
  const origin = options.miss === 'keep' ? undefined : table.origin
  const convert = (to: Convert) => ({ ...createLookupConverter(table, step, to, noteRow), origin })
  return { step, convert }
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
  noteRow: (key: string, refused: string) => void,
) {
  const lookedUp = prependSteps(convert, [{ apply }])
  const values = new Map<string, unknown>()
  // Fast path: most texts are spelled as in the table.
  const spelled = new Map<string, unknown>()
  let wrong = 0
  for (const key of table.keys) {
    const { value, refused } = convertText(lookedUp, key)
    values.set(normalizeKey(key), value)
    spelled.set(key, value)
    if (refused === undefined) continue
    wrong += 1
    if (wrong <= MAX_SHOWN) noteRow(key, refused)
  }
  const look: Convert = (text, refuse) => {
    const found = spelled.get(text)
    if (found !== undefined) return found
    const key = normalizeKey(text)
    return values.has(key) ? values.get(key) : lookedUp(text, refuse)
  }
  const held = () => [...spelled].map(([key, value]) => ({ value, place: table.locate(key) }))
  return { convert: look, held }
}
