/** One leaf of a learned mapping: its column with the options its cells ask for. */
import type { Placed } from './place.ts'
import { shareOf } from './profile.ts'
import { yamlText } from './yaml-text.ts'

/** The leaf as YAML, and what a person should know about its options. */
export function leafText(
  { field, column }: Placed,
  blankContinues: boolean,
): {
  readonly text: string
  readonly note: string | undefined
} {
  const { filled, dates, decimalComma } = column
  const options: string[] = []
  const notes: string[] = []
  const { rule } = field
  if (rule.kind === 'integer' && rule.reference !== undefined) options.push(`find: ${rule.reference}`)
  if ((rule.kind === 'dateTime' || rule.kind === 'date') && dates !== undefined) {
    if (dates.formats.length > 0) options.push(`format: ${formatsText(dates.formats)}`)
    if (dates.others.length > 0) notes.push(`every cell fits ${dates.others.join(' and ')} as well`)
    if (dates.needsZone && rule.kind === 'dateTime')
      notes.push('times are UTC unless you name their zone: zone: America/New_York')
  }
  if ((rule.kind === 'money' || rule.kind === 'decimal') && decimalComma) options.push('decimal: ","')
  const width = zerosLost(field.path, filled)
  if (width !== undefined) {
    options.push(`digits: ${width}`)
    notes.push('a spreadsheet took zeros from the front')
  }
  if (
    field.list &&
    rule.kind === 'text' &&
    filled.some((cell) => longestLine(cell) > (rule.max ?? Infinity))
  ) {
    options.push(`wrap: ${rule.max}`)
  }
  const blank = column.cells.length - filled.length
  // Where blank cells go on with the record above, only those of its lines are missing.
  if (field.required && blank > 0 && filled.length > 0 && (field.perRow || !blankContinues)) {
    notes.push(`blank in ${blank} of ${column.cells.length} rows, which a default would fill`)
  }
  const from = yamlText(column.name)
  const text = options.length === 0 ? from : `{ from: ${from}, ${options.join(', ')} }`
  return { text, note: notes.length === 0 ? undefined : notes.join('; ') }
}

function formatsText(formats: readonly string[]): string {
  const [first = ''] = formats
  const quoted = (format: string) => (/^[\w /:.-]+$/.test(format) ? format : JSON.stringify(format))
  return formats.length === 1 ? quoted(first) : `[${formats.map(quoted).join(', ')}]`
}

/** The number of digits a postal code or UPC should have, where some cells have one less and none has more. */
function zerosLost(path: string, filled: readonly string[]): number | undefined {
  const full = path.endsWith('.postal_code') ? 5 : path.endsWith('.upc') ? 12 : undefined
  if (full === undefined) return undefined
  const short = shareOf(
    filled,
    (cell) => /^\d+$/.test(cell) && (cell.length === full - 1 || cell.length === full - 2),
  )
  const long = filled.some((cell) => /^\d+$/.test(cell) && cell.length > full)
  return short > 0 && !long ? full : undefined
}

function longestLine(cell: string): number {
  return Math.max(...cell.split(/\r\n|\r|\n/).map((line) => line.length))
}
