/** Reading a result file back, for showing the refused records. */
import { isUnreadable } from '../../domain/document.ts'
import { csvFormat } from '../../formats/csv/format.ts'
import { fileBytes } from '../../support/file-bytes.ts'

/** Line, record, code and message of every refused record of a result file. */
export async function refusedRows(path: string): Promise<string[][]> {
  const reading = await csvFormat().read(fileBytes(path), { format: 'csv' })
  if (isUnreadable(reading)) return []
  const columns = reading.layouts[0]?.columns ?? []
  const at = (name: string) => columns.indexOf(name)
  const [line, status, code, message] = [at('_line'), at('_status'), at('_code'), at('_message')]
  const rows: string[][] = []
  for await (const batch of reading.batches) {
    for (const { values } of batch) {
      const cell = (index: number) => values[index] ?? ''
      if (cell(status) === 'rejected') rows.push([cell(line), cell(0), cell(code), cell(message)])
    }
  }
  return rows
}
