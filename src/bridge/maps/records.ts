/** A file read record by record, each with the rows it was made of: what the tools that explain a mapping show. */
import { isUnreadable, type Layout, type Row } from '../../domain/document.ts'
import type { Format } from '../../domain/format.ts'
import type { Problem } from '../../domain/problem.ts'
import type { BoundTranslator, Draft } from '../../domain/translator.ts'
import { foldedName } from '../../mapping/rows/columns.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { cleaned } from '../../mapping/values/text.ts'
import { bytesOf, sourceAt } from '../translate.ts'

export interface RecordRead {
  readonly draft: Draft
  readonly rows: readonly Row[]
}

export interface FileRead {
  readonly layouts: readonly Layout[]
  readonly bound: BoundTranslator
  readonly records: AsyncGenerator<RecordRead>
}

/** The problems of a file that cannot be used as a whole; throws only when it cannot be opened. */
export async function readRecords(
  path: string,
  format: Format,
  { translator }: InboundMapping,
): Promise<FileRead | { readonly problems: readonly Problem[] }> {
  const reading = await format.read(bytesOf(path), translator.read)
  if (isUnreadable(reading)) return reading
  const bound = translator.bind(reading.layouts, sourceAt(path))
  if (!('keyColumns' in bound)) return { problems: bound }
  return { layouts: reading.layouts, bound, records: recordsOf(reading.batches, bound) }
}

async function* recordsOf(
  batches: AsyncIterable<readonly Row[]>,
  bound: BoundTranslator,
): AsyncGenerator<RecordRead> {
  // Rows wait here until the record they belong to is complete.
  const waiting = new Map<number, Row>()
  const taken = (draft: Draft): RecordRead => {
    const rows = draft.lines.flatMap(([line]) => waiting.get(line) ?? [])
    for (const { line } of rows) waiting.delete(line)
    // Rows before it that no record has taken are ones the mapping leaves out.
    const first = rows[0]?.line ?? 0
    for (const line of waiting.keys()) {
      if (line >= first) break
      waiting.delete(line)
    }
    return { draft, rows }
  }
  for await (const rows of batches) {
    for (const row of rows) waiting.set(row.line, row)
    for (const draft of bound.push(rows)) yield taken(draft)
  }
  for (const draft of bound.end()) yield taken(draft)
}

/** The text of the first of the columns that a row has, and the name it has there. */
export function cellOf(
  row: Row | undefined,
  layouts: readonly Layout[],
  names: readonly string[],
): { readonly column: string; readonly text: string } | undefined {
  const columns = (row === undefined ? undefined : layouts[row.layout]?.columns) ?? []
  for (const name of names) {
    const exact = columns.findIndex((column) => column.trim() === name.trim())
    const at = exact === -1 ? columns.findIndex((column) => foldedName(column) === foldedName(name)) : exact
    if (at !== -1) return { column: columns[at] ?? name, text: cleaned(row?.values[at] ?? '') }
  }
  return undefined
}
