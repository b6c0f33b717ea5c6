/** A file read record by record, each with the rows it was made of: what the tools that explain a mapping show. */
import { isUnreadable, type Layout, type Row, type Unreadable } from '../../domain/document.ts'
import type { Format } from '../../domain/format.ts'
import type { BoundTranslator, Draft, FileSource } from '../../domain/translator.ts'
import type { ExplainedField } from '../../mapping/binding/explained.ts'
import { foldedName } from '../../mapping/rows/columns.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { cleaned } from '../../mapping/values/text.ts'
import { bytesOf, sourceAt } from '../translate.ts'

export interface RecordRead {
  readonly draft: Draft
  /** One for each line where several are packed into one. */
  readonly rows: readonly Row[]
  /** How its fields came to their values; empty for records that nobody wants to know it of. */
  readonly fields: readonly ExplainedField[]
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
  mapping: Pick<InboundMapping, 'translator'>,
  isWanted?: (number: number) => boolean,
): Promise<FileRead | Unreadable> {
  return recordsFrom({ bytes: bytesOf(path), source: sourceAt(path) }, format, mapping, isWanted)
}

/** The same for bytes that are in no file. */
export async function recordsFrom(
  { bytes, source }: { readonly bytes: AsyncIterable<Uint8Array>; readonly source: FileSource },
  format: Format,
  { translator }: Pick<InboundMapping, 'translator'>,
  isWanted: (number: number) => boolean = () => false,
): Promise<FileRead | Unreadable> {
  const reading = await format.read(bytes, translator.read)
  if (isUnreadable(reading)) return reading
  const made: RecordRead[] = []
  const bound = translator.bind(reading.layouts, source, ({ draft, rows, fields }) => {
    made.push({ draft, rows, fields: isWanted(draft.number) ? fields() : [] })
  })
  if (!('keyColumns' in bound)) {
    await reading.close()
    return { problems: bound }
  }
  return { layouts: reading.layouts, bound, records: recordsOf(reading.batches, bound, made) }
}

/** The records as they are made; `made` is emptied after each batch. */
async function* recordsOf(
  batches: AsyncIterable<readonly Row[]>,
  bound: BoundTranslator,
  made: RecordRead[],
): AsyncGenerator<RecordRead> {
  for await (const rows of batches) {
    bound.push(rows)
    yield* made.splice(0)
  }
  bound.end()
  yield* made.splice(0)
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

/** What stands in a body under a path such as `order_lines[0].quantity`; nothing under `order_lines[]`, which is no line. */
export function valueAt(body: unknown, field: string): unknown {
  if (field.endsWith('[]')) return undefined
  let value = body
  for (const step of field.split(/[.[\]]+/).filter((name) => name !== '')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  return value
}
