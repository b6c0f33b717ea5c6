/** Holds a mapping to its own examples: what differs between what comes out and what was expected, in words. */
import { isDeepStrictEqual } from 'node:util'
import type { Reading } from '../domain/document.ts'
import { describePlace } from '../domain/problem.ts'
import type { Composer, Draft, FileSource, Translator } from '../domain/translator.ts'
import { withValueAt } from '../support/paths.ts'

/** Examples are small; the differences of one are shown up to this many. */
const MAX_SHOWN = 20

/** `expected` is the array of bodies in the order of the file; an order still to be found stands there by its name. */
export async function checkInboundExample(
  translator: Translator,
  { layouts, batches, source }: Pick<Reading, 'layouts' | 'batches'> & { readonly source?: FileSource },
  expected: unknown,
): Promise<string[]> {
  if (!Array.isArray(expected)) return ['The expected file must hold an array of bodies.']
  const bound = translator.bind(layouts, source)
  if (!('keyColumns' in bound)) return bound.map(({ message }) => message)
  const drafts: Draft[] = []
  for await (const rows of batches) drafts.push(...bound.push(rows))
  drafts.push(...bound.end())
  const taken = drafts.filter(({ skipped, held }) => skipped !== true && held !== true)
  const differences = taken.flatMap((draft, index) => differencesOf(draft, expected, index))
  if (taken.length < expected.length) {
    differences.push(`${expected.length} records were expected, ${taken.length} came out.`)
  }
  differences.push(...bound.disagreements().map(({ message }) => message))
  return differences.slice(0, MAX_SHOWN)
}

export function checkOutboundExample(
  composer: Composer,
  records: readonly Readonly<Record<string, unknown>>[],
  expected: readonly (readonly string[])[],
): string[] {
  const differences: string[] = []
  const rows = records.flatMap((record, index) => {
    const composed = composer.rows(record)
    if ('rows' in composed) return composed.rows
    differences.push(...composed.problems.map(({ message }) => `Record ${index + 1}: ${message}`))
    return []
  })
  const [header = [], ...expectedRows] = expected
  if (!isDeepStrictEqual(composer.columns, header)) {
    differences.push(`The columns are ${composer.columns.join(', ')}; expected were ${header.join(', ')}.`)
  }
  for (const [index, row] of rows.entries()) {
    const wanted = expectedRows[index]
    if (wanted === undefined) continue
    for (const [at, cell] of row.entries()) {
      if (cell === wanted[at]) continue
      const column = composer.columns[at] ?? String(at + 1)
      differences.push(
        `Row ${index + 1}, column "${column}" is ${show(cell)}; expected was ${show(wanted[at])}.`,
      )
    }
  }
  if (rows.length !== expectedRows.length) {
    differences.push(`${expectedRows.length} rows were expected, ${rows.length} came out.`)
  }
  return differences.slice(0, MAX_SHOWN)
}

/**
 * The body as examples show it: what is still to be found is `{ "find": "order", "key": "…" }`, and what is taken from
 * the order `{ "order": "customer_order_number" }`.
 */
export function exampleBody({ body = {}, references, awaits = [] }: Draft): Record<string, unknown> {
  const found = references.map(({ field, kind, key }) => [field, { find: kind, key }])
  const shown: Record<string, unknown> = { ...Object.fromEntries(found), ...body }
  return awaits.reduce((filled, { field, from, name }) => withValueAt(filled, field, { [from]: name }), shown)
}

function differencesOf(draft: Draft, expected: readonly unknown[], index: number): string[] {
  const record = `Record ${draft.number}`
  if (draft.body === undefined) {
    return draft.problems.map(
      (each) => `${record} was refused: ${describePlace(each.place)}: ${each.message}`,
    )
  }
  if (index >= expected.length) return [`${record} was not expected.`]
  return compare(exampleBody(draft), expected[index], '').map((difference) => `${record}: ${difference}`)
}

function compare(actual: unknown, expected: unknown, path: string): string[] {
  if (isDeepStrictEqual(actual, expected)) return []
  if (!isObject(actual) || !isObject(expected)) {
    return [`${path || 'the body'} is ${show(actual)}; expected was ${show(expected)}.`]
  }
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)])
  return [...keys].flatMap((key) => compare(actual[key], expected[key], path === '' ? key : `${path}.${key}`))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
