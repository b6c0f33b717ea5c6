/** Compiles the lookup of a leaf: as one of its steps, and as a conversion that has looked everything up before. */
import type { BodyLeaf } from '../options.ts'
import { findTable, missHint, missMessage, type Table, tableKey, type Tables } from '../tables.ts'
import type { Convert } from '../values/value.ts'
import { type TextStep, withSteps } from './leaf-steps.ts'
import { convertNow } from './leaf-values.ts'

export interface CompiledLookup {
  readonly step: TextStep
  /** The conversion of what is looked up. */
  converter(convert: Convert): Convert
}

type Note = (option: 'table' | 'pick', message: string) => void

/** Undefined after its mistakes were noted. */
export function compileLookup(options: BodyLeaf, tables: Tables, note: Note): CompiledLookup | undefined {
  const { table: name = '', pick } = options
  const found = findTable(tables, { table: name, pick }, note)
  if (found === undefined) return undefined
  const noteTable = (message: string) => note('table', message)
  const wrong = keysMistake(found.table, options)
  if (wrong !== undefined) noteTable(wrong)
  const step = lookupStep(found, options)
  return { step, converter: (convert) => lookupConverter(found.table, step, convert, noteTable) }
}

function keysMistake(
  { name, keys, keyColumns }: Table,
  { all, with: separator }: BodyLeaf,
): string | undefined {
  if (keyColumns === 1) return undefined
  if (all?.length !== keyColumns) {
    return `the table "${name}" has ${keyColumns} key columns: name as many with \`all\``
  }
  return separator === undefined || keys.length === 0
    ? undefined
    : `the table "${name}" has several key columns: leave \`with\` out`
}

/** Values that do not fit their field are shown up to this many. */
const MAX_SHOWN = 5

/** Gives the text that stands in the table for a text. */
function lookupStep(
  { table, column }: { readonly table: Table; readonly column: string },
  { pick, miss = 'refuse' }: Pick<BodyLeaf, 'pick' | 'miss'>,
): TextStep {
  return {
    option: 'table',
    does: `table ${table.name}${pick === undefined ? '' : ` pick ${pick}`}`,
    apply(text, refuse) {
      const row = table.rows.get(tableKey(text))
      if (row !== undefined) return row[column] ?? ''
      if (miss === 'refuse') return refuse('lookup-missed', missMessage(table, text), missHint(table))
      return miss === 'keep' ? text : ''
    },
  }
}

/**
 * Looks the text up with the step. What the table's texts stand for is converted here, once, so that a wrong one is a
 * mistake of the mapping and not of every file.
 */
function lookupConverter(
  table: Table,
  { apply }: TextStep,
  convert: Convert,
  note: (message: string) => void,
): Convert {
  const lookedUp = withSteps(convert, [{ apply }])
  const values = new Map<string, unknown>()
  let wrong = 0
  for (const key of table.rows.keys()) {
    const result = convertNow(lookedUp, key)
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
    return values.has(key) ? values.get(key) : lookedUp(text, refuse)
  }
}
