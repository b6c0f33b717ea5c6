/** Result files as a sender reads them. */
import { existsSync } from 'node:fs'
import { isUnreadable } from '../../domain/document.ts'
import { csvFormat } from '../../formats/csv/format.ts'
import { fileBytes } from '../../support/file-bytes.ts'

export interface ResultLine {
  readonly record: number
  readonly status: string
  readonly id: string
  readonly code: string
  /** What the file calls the record: its key columns, and its step where there are several. */
  readonly key: string
  /** The cells of these columns. */
  readonly keys: readonly string[]
}

/** Undefined when the file is not there, or is none that can be read. */
export async function readResults(path: string): Promise<ResultLine[] | undefined> {
  if (!existsSync(path)) return undefined
  const reading = await csvFormat().read(fileBytes(path), { format: 'csv' })
  if (isUnreadable(reading)) return undefined
  const columns = reading.layouts[0]?.columns ?? []
  const at = (name: string) => columns.indexOf(name)
  const keys = at('_line')
  const lines: ResultLine[] = []
  for await (const rows of reading.batches) {
    for (const { values } of rows) {
      const cell = (name: string) => values[at(name)] ?? ''
      lines.push({
        record: Number(cell('_record')),
        status: cell('_status'),
        id: cell('_id'),
        code: cell('_code'),
        key: values.slice(0, keys).join(' '),
        keys: values.slice(0, keys),
      })
    }
  }
  return lines
}
