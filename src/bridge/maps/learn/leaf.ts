/** One leaf of a learned mapping: its column with the options its cells ask for. */
import type { Confidence, Placed } from './place.ts'
import { shareOf } from './profile.ts'
import { yamlText } from './yaml-text.ts'

/** The leaf as YAML, and what a person should know about its options. */
export function leafText(
  { field, column, joined, confidence }: Placed,
  blankContinues: boolean,
): {
  readonly text: string
  readonly note: string | undefined
  /** With what the options rest on. */
  readonly confidence: Confidence
} {
  const { filled, dates, decimalComma } = column
  const options: string[] = []
  const notes: string[] = []
  let isGuess = false
  const { rule } = field
  if (rule.kind === 'integer' && rule.reference !== undefined) options.push(`find: ${rule.reference}`)
  if ((rule.kind === 'dateTime' || rule.kind === 'date') && dates !== undefined) {
    if (dates.formats.length > 0) options.push(`format: ${formatsText(dates.formats)}`)
    if (dates.seen.length > 0) notes.push(`${dates.seen.join(' and ')} of its cells`)
    if (dates.unread !== undefined) notes.push(`${JSON.stringify(dates.unread)} is none of these`)
    if (dates.others.length > 0) notes.push(`every cell fits ${dates.others.join(' and ')} as well`)
    const isLocal = dates.needsZone && rule.kind === 'dateTime'
    if (isLocal) notes.push('times are UTC unless you name their zone: zone: America/New_York')
    isGuess = isLocal || dates.others.length > 0
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
  if (field.path.endsWith('email')) notes.push('personal data: leave it out where nobody needs it')
  const blank = column.cells.length - filled.length
  // Where blank cells go on with the record above, only those of its lines are missing.
  if (field.required && blank > 0 && filled.length > 0 && (field.perRow || !blankContinues)) {
    notes.push(`blank in ${blank} of ${column.cells.length} rows, which a default would fill`)
  }
  const name = yamlText(column.name)
  const source = joined === undefined ? `from: ${name}` : `all: [${name}, ${yamlText(joined.name)}]`
  const isShort = options.length === 0 && joined === undefined
  const doubt: Confidence = isGuess ? 'guess' : notes.length > 0 ? 'likely' : 'sure'
  return {
    text: isShort ? name : `{ ${[source, ...options].join(', ')} }`,
    note: notes.length === 0 ? undefined : notes.join('; '),
    confidence: lessOf(confidence, doubt),
  }
}

const DEGREES: readonly Confidence[] = ['guess', 'likely', 'sure']

export function lessOf(a: Confidence, b: Confidence): Confidence {
  return DEGREES[Math.min(DEGREES.indexOf(a), DEGREES.indexOf(b))] ?? 'guess'
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
