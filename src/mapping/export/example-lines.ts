/** Holds an export that is no plain table to its example: the whole file, line by line. */
import iconv from 'iconv-lite'
import type { RowWriter } from '../../domain/format.ts'
import type { Composer } from '../../domain/translator.ts'

/** The differences of one example are shown up to this many. */
const MAX_SHOWN = 20

/** Whether rows differ in kind, or no reader of CSV would find their cells, so that only whole lines can be compared. */
export function comparesByLine({ write, columns, trailer }: Composer): boolean {
  const { format, quote, above } = write
  const isPlain = format === 'csv' && quote !== null && above === undefined
  return !isPlain || columns.length === 0 || trailer !== undefined
}

/** What differs between the file these records make and the expected one, in words; line ends do not count. */
export function checkOutboundLines(
  composer: Composer,
  writer: RowWriter,
  { records, expected }: { records: readonly Readonly<Record<string, unknown>>[]; expected: Uint8Array },
): string[] {
  const trailer = composer.trailer?.()
  const differences: string[] = []
  const chunks = [writer.head()]
  for (const [index, record] of records.entries()) {
    const composed = composer.rows(record)
    if ('problems' in composed) {
      differences.push(...composed.problems.map(({ message }) => `Record ${index + 1}: ${message}`))
      continue
    }
    trailer?.add(record, composed.rows.length)
    chunks.push(writer.rows(composed.rows))
  }
  if (trailer !== undefined) chunks.push(writer.rows([trailer.row()]))
  const lines = textLines(Buffer.concat(chunks), composer)
  const wanted = textLines(expected, composer)
  for (const [index, line] of lines.slice(0, wanted.length).entries()) {
    const other = wanted[index] ?? ''
    if (line !== other) {
      differences.push(`Line ${index + 1} is ${JSON.stringify(line)}; expected was ${JSON.stringify(other)}.`)
    }
  }
  if (lines.length !== wanted.length) {
    differences.push(countsDiffer('line', wanted.length, lines.length))
  }
  return differences.slice(0, MAX_SHOWN)
}

/** Without the last line break, which editors like to add or take away. Blanks at the end of a line are kept. */
function textLines(bytes: Uint8Array, { write }: Composer): string[] {
  const text = iconv.decode(bytes, write.encoding ?? 'utf-8')
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}

/** `1 line was expected, 2 came out.` */
export function countsDiffer(what: string, wanted: number, made: number): string {
  return `${wanted} ${what}${wanted === 1 ? ' was' : 's were'} expected, ${made} came out.`
}
