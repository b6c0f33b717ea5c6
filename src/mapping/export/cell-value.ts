/** How one value of an export becomes text: dates, booleans, numbers and lists. */
import type { ColumnLeaf } from './column-options.ts'
import { hasNumberForm, numberText, readNumber } from './cell-number.ts'
import { compileDates } from '../fields/leaf-dates.ts'
import type { Shape } from '../shape.ts'
import type { Mistakes, SourceNode } from '../source/source.ts'
import { type DateOptions, instantOf, readTime } from '../values/dates.ts'
import { quoted } from '../values/text.ts'
import { UTC } from '../values/zone.ts'
import type { RefuseCell } from './paper.ts'

/** The text of a value that is there. */
export type Print = (value: unknown, refuse: RefuseCell) => string

/** What kind of value stands at the end of a path; undefined where nothing is known of it. */
export type Kind = ReturnType<typeof kindOf>

export function kindOf(shape: Shape) {
  const field = shape.kind === 'list' ? shape.item : shape
  return field.kind === 'field' ? field.rule?.kind : undefined
}

/** Whether a value of this kind may be a number: the API shows measures as text. */
export function mayBeNumber(kind: Kind): boolean {
  return kind === undefined || kind === 'text' || kind === 'integer' || kind === 'money' || kind === 'decimal'
}

/** How values of the kind are printed; options that are for other kinds are passed over. */
export function printerFor(kind: Kind, options: ColumnLeaf, dates: DateOptions): Print {
  const [format] = dates.formats
  if ((kind === 'dateTime' || kind === 'date') && format !== undefined) return datePrinter(dates)
  const { yes = 'true', no = 'false' } = options
  if (kind === 'boolean' && (options.yes !== undefined || options.no !== undefined)) {
    return (value) => (value === true ? yes : value === false ? no : plainText(value))
  }
  // Beside a table, the options for numbers are for what stands in it.
  if (mayBeNumber(kind) && options.table === undefined && hasNumberForm(options)) {
    return (value, refuse) => {
      const number = readNumber(value, refuse)
      return number === undefined ? '' : numberText(number, options, refuse)
    }
  }
  return plainText
}

/** The `format` and `zone` of a column. */
export function datesOf(node: SourceNode, options: ColumnLeaf, mistakes: Mistakes): DateOptions {
  return compileDates(node, { format: options.format, zone: options.zone }, mistakes, 'write')
}

function datePrinter({ formats, zone }: DateOptions): Print {
  const [format] = formats
  return (value, refuse) => {
    const text = plainText(value)
    const written = readTime(text, { formats: [], names: [], zone: UTC })
    const instant = written && instantOf(written, UTC)
    if (instant === undefined || format === undefined)
      return refuse('date-expected', `${quoted(text)} is not a date as the API writes it.`)
    const localMs = zone.toLocal(instant)
    return format.write(localMs, localMs - instant)
  }
}

export function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return value === null || value === undefined ? '' : JSON.stringify(value)
}
