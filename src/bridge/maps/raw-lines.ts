/** The physical lines of a sample file, and lines in which one cell says something else. */
import type { Layout, Row } from '../../domain/document.ts'
import type { ReadOptions } from '../../domain/format.ts'
import { newlineOf } from '../../formats/text/newline.ts'

/** The lines of a text with their ends, as the readers count them. */
export function linesOfFile(text: string, { quote = '"' }: ReadOptions): string[] {
  const ends = newlineOf(text, true, quote) === '\r' ? /[^\r]*(?:\r|$)/g : /[^\n]*(?:\n|$)/g
  return (text.match(ends) ?? []).filter((line) => line !== '')
}

/** A text that takes the place of a cell. */
export interface NewCell {
  readonly position: number
  readonly text: string
}

export interface Written {
  readonly read: ReadOptions
  readonly delimiter: string
  readonly layouts: readonly Layout[]
}

/** The row with the new cells, as one line without its end; undefined where it cannot be written anew. */
export function rewritten(
  row: Row,
  raw: string,
  cells: readonly NewCell[],
  file: Written,
): string | undefined {
  const { read, layouts } = file
  const layout = layouts[row.layout]
  const type = read.records?.find((each) => each.type === layout?.recordType)
  const hasParts = read.records?.some(({ of }) => of === type?.type) ?? false
  const columns = type?.columns ?? layout?.columns ?? []
  if (row.problems !== undefined || hasParts || cells.some(({ position }) => position >= columns.length)) {
    return undefined
  }
  if (read.format === 'fixed') {
    const places = type?.places ?? read.places ?? []
    return cells.reduce(
      (line, { position, text }) => {
        const { start = 1, length = 0 } = places[position] ?? {}
        const before = line.slice(0, start - 1).padEnd(start - 1)
        return before + text.slice(0, length).padEnd(length) + line.slice(start - 1 + length)
      },
      raw.replace(/[\r\n]+$/, ''),
    )
  }
  const values = row.values
    .slice(0, type === undefined ? row.values.length : columns.length)
    .map((value, at) => cells.find(({ position }) => position === at)?.text ?? value)
  const isTypeApart = type !== undefined && read.typeIn === undefined
  // Types that are read alike share a layout, so that the row may be of another one.
  if (isTypeApart && !raw.replace(/^["\s]*/, '').startsWith(type.type)) return undefined
  const all = isTypeApart ? [type.type, ...values] : values
  return all.map((value) => cellText(value, file)).join(file.delimiter)
}

function cellText(value: string, { read, delimiter }: Written): string {
  const { quote = '"', escape = quote } = read
  if (quote === null || escape === null) return value
  const isPlain = ![delimiter, quote, '\r', '\n'].some((special) => value.includes(special))
  if (isPlain && value.trim() === value) return value
  const escaped = escape === quote ? value : value.replaceAll(escape, escape + escape)
  return quote + escaped.replaceAll(quote, escape + quote) + quote
}
