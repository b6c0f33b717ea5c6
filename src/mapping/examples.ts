/** Holds a mapping to its own examples: what differs between what comes out and what was expected, in words. */
import { isDeepStrictEqual } from 'node:util'
import type { Reading } from '../domain/document.ts'
import type { Composer, Draft, FileSource, Translator } from '../domain/translator.ts'
import { recordDifferences } from './example-records.ts'
import { countsDiffer } from './export/example-lines.ts'

/** Examples are small; the differences of one are shown up to this many. */
const MAX_SHOWN = 20

/**
 * `expected` is the array of bodies in the order of the file. An order still to be found stands there by its name, and of
 * a refused record the codes of its problems: `{ "refused": ["value-missing"] }`.
 */
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
  const differences = recordDifferences(taken, expected)
  if (taken.length < expected.length) {
    differences.push(countsDiffer('record', expected.length, taken.length))
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
    differences.push(countsDiffer('row', expectedRows.length, rows.length))
  }
  return differences.slice(0, MAX_SHOWN)
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
