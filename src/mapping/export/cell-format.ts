/** Formats a value of an export as the text of its cell, within the limits of the output file. */
import type { ProblemCode } from '../../domain/problem.ts'
import { guardFormula } from '../../support/text.ts'
import {
  type Decimal,
  formatDecimal,
  formatShortDecimal,
  parseDecimal,
  rescaleExactly,
} from '../../support/decimal.ts'
import type { Shape } from '../shape.ts'
import type { MappingErrors, NoteOption, SourceNode } from '../source/source.ts'
import { type DateOptions, parseTime, resolveInstant, UTC } from '../values/dates.ts'
import { quoteText } from '../values/text.ts'
import { type ColumnLeaf, NUMBER_OPTIONS, type NumberForm } from './column-options.ts'

// Dates, booleans, numbers and lists.

export type PrintValue = (value: unknown, refuse: RefuseCell) => string

/** The kind of value at the end of a path; undefined where the contract does not say. */
export type ValueKind = ReturnType<typeof getValueKind>

export function getValueKind(shape: Shape) {
  const field = shape.kind === 'list' ? shape.item : shape
  return field.kind === 'field' ? field.rule?.kind : undefined
}

/** Whether a value of this kind may be a number: the API shows measures as text. */
export function mayBeNumber(kind: ValueKind): boolean {
  return kind === undefined || kind === 'text' || kind === 'integer' || kind === 'money' || kind === 'decimal'
}

/** Prints values of the kind; ignores options for other kinds. */
export function createPrinter(kind: ValueKind, options: ColumnLeaf, dates: DateOptions): PrintValue {
  const [format] = dates.formats
  if ((kind === 'dateTime' || kind === 'date') && format !== undefined) return createDatePrinter(dates)
  const { yes = 'true', no = 'false' } = options
  if (kind === 'boolean' && (options.yes !== undefined || options.no !== undefined)) {
    return (value) => (value === true ? yes : value === false ? no : toPlainText(value))
  }
  // With a table, the number options apply to the texts of the table.
  if (mayBeNumber(kind) && options.table === undefined && hasNumberForm(options)) {
    return (value, refuse) => {
      const number = parseApiNumber(value, refuse)
      return number === undefined ? '' : formatNumber(number, options, refuse)
    }
  }
  return toPlainText
}

function createDatePrinter({ formats, zone }: DateOptions): PrintValue {
  const [format] = formats
  return (value, refuse) => {
    const text = toPlainText(value)
    const written = parseTime(text, { formats: [], names: [], zone: UTC })
    const instant = written && resolveInstant(written, UTC)
    if (instant === undefined || format === undefined) {
      return refuse('date-expected', `${quoteText(text)} is not a date as the API writes it.`)
    }
    const localMs = zone.toLocal(instant)
    return format.write(localMs, localMs - instant)
  }
}

export function toPlainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

// Numbers: decimal and grouping marks, implied decimals, and trailing zeros.

export function hasNumberForm(form: NumberForm): boolean {
  return NUMBER_OPTIONS.some((option) => form[option] !== undefined)
}

/** Parses a number of the API; undefined after refusing it. */
export function parseApiNumber(value: unknown, refuse: RefuseCell): Decimal | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
  const number = parseDecimal(text)
  if (number === undefined)
    refuse('decimal-expected', `${quoteText(text)} is not a number as the API writes it.`)
  return number
}

export function formatNumber(number: Decimal, form: NumberForm, refuse: RefuseCell): string {
  const { decimal = '.', implied, grouping, zeros } = form
  if (implied === undefined) {
    const short = zeros === 'cut' ? formatShortDecimal(number) : formatDecimal(number)
    if (decimal === '.' && grouping === undefined) return short
    const [whole = '', decimals] = short.split('.')
    const thousands = grouping === undefined ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, grouping)
    return decimals === undefined ? thousands : `${thousands}${decimal}${decimals}`
  }
  const exact = rescaleExactly(number, implied)
  if (exact !== undefined) return formatDecimal({ units: exact.units, scale: 0 })
  const message = `${formatDecimal(number)} has more than the ${implied} decimals that the column implies.`
  return refuse('decimal-expected', message)
}

/** Notes number options that exclude each other. */
export function checkNumberForm({ decimal, implied, grouping, zeros }: NumberForm, note: NoteOption): void {
  if (implied !== undefined && (decimal ?? zeros) !== undefined) {
    const none = 'there is no `decimal` and there are no `zeros` to cut'
    note('implied', `with \`implied\` no point is written, so ${none}`)
  }
  if (grouping === undefined) return
  if (implied !== undefined) return note('grouping', 'with `implied` nothing but digits is written')
  if (grouping === (decimal ?? '.')) {
    const already = `${quoteText(grouping)} stands before the decimals already`
    note('grouping', `${already}; say with \`decimal\` what does`)
  }
}

// The finish: case, characters, leading zeros, formulas, width.

type FinishStep = (text: string, refuse: RefuseCell) => string

export interface CellFinish {
  /** For values of the API: case, characters, pad, formulas. */
  readonly shape: FinishStep | undefined
  /** For every cell, blank ones included: the width of the column. */
  readonly layout: FinishStep | undefined
  readonly named: readonly { readonly does: string; readonly step: FinishStep }[]
}

type TextForm = ColumnLeaf & { readonly isNumber: boolean }

/** Compiles the steps in their fixed order; steps without an option are left out. */
export function compileFinish(form: TextForm, limits: OutputLimits): CellFinish {
  const { pad, formulas = limits.formulas } = form
  const named: { does: string; step: FinishStep }[] = []
  const add = (does: string, step: FinishStep) => named.push({ does, step })
  if (form.case === 'upper') add('case upper', (text) => text.toUpperCase())
  if (form.case === 'lower') add('case lower', (text) => text.toLowerCase())
  if (limits.fit !== undefined) add('characters', limits.fit)
  if (pad !== undefined) add('pad', (text) => text.padStart(pad.to, pad.with))
  if (formulas === 'guard') add('formulas', guardFormula)
  const steps = named.map(({ step }) => step)
  const layout = createLayoutStep(form, limits)
  if (layout !== undefined) add('width', layout)
  return { shape: steps.length === 0 ? undefined : chainSteps(steps), layout, named }
}

function chainSteps(steps: readonly FinishStep[]): FinishStep {
  const [only] = steps
  if (steps.length === 1 && only !== undefined) return only
  return (text, refuse) => steps.reduce((now, step) => step(now, refuse), text)
}

function createLayoutStep(
  { align, long, isNumber, ...form }: TextForm,
  { isFixed, ...limits }: OutputLimits,
) {
  const width = Math.min(form.width ?? Infinity, limits.width ?? Infinity)
  if (width === Infinity) return undefined
  const atRight = (align ?? (isNumber ? 'right' : 'left')) === 'right'
  return (text: string, refuse: RefuseCell) => {
    // A text has at most as many characters as code units.
    if (!isFixed && text.length <= width) return text
    const length = countCharacters(text)
    if (length > width) {
      if (long === 'cut') {
        const cut = Array.from(text).slice(0, width).join('')
        return limits.width === undefined ? cut : cut.trimEnd()
      }
      const message = `${quoteText(text)} has ${length} characters; the column takes ${width}.`
      return refuse('value-too-wide', message, limits.width === undefined ? undefined : ELEMENT_FIX)
    }
    if (!isFixed) return text
    const blanks = ' '.repeat(width - length)
    return atRight ? blanks + text : text + blanks
  }
}

const ELEMENT_FIX = 'Cut it with `long: cut` in the mapping, or map another value.'

/** Counts characters: one outside of the basic plane is two code units long. */
function countCharacters(text: string): number {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text).length : text.length
}

// The limits of the output file for its cells.

/** Notes a problem of the record and returns the empty text. `fix` replaces the fix of the code. */
export type RefuseCell = (code: ProblemCode, message: string, fix?: string) => string

/** Notes each refusal as an error of the mapping. */
export function noteRefused(place: SourceNode, errors: MappingErrors): RefuseCell {
  return (_code, message) => errors.add(place, message) ?? ''
}

export type FitText = (text: string, refuse: RefuseCell) => string

export interface OutputLimits {
  /** Cells have the width of their column, without a delimiter. */
  readonly isFixed: boolean
  readonly hasHeader: boolean
  /** Cells that look like a formula get an apostrophe in front, or are kept on purpose; by default they are reported. */
  readonly formulas: 'guard' | 'keep' | undefined
  /** Only the delimiter separates the cells; there are no quotes. */
  readonly isUnquoted: boolean
  /** How many characters a cell takes that says no `width` itself. */
  readonly width?: number
  /** Rewrites the text in characters that the file can hold; absent where it can hold all. */
  readonly fit?: FitText
}
