/** Describes how a field of a body got its value: its cells and the steps that changed them. */
import type { Layout, Row } from '../../domain/format.ts'
import type { Problem, ProblemCode } from '../../domain/problem.ts'
import type { BoundTranslator, Draft, FileSource, Translator } from '../../domain/translator.ts'
import { toProvince } from '../values/places.ts'

/** A cell with the text and the column name of the file. */
export interface ExplainedCell {
  readonly column: string
  readonly text: string
}

export interface ExplainedStep {
  /** The option that asks for it; `trim` and `value` need none. */
  readonly option: string
  /** The option as the mapping writes it: `case upper`. */
  readonly does: string
  /** The text after it, empty when blank; absent when it was refused. */
  readonly text?: string
  readonly refused?: ProblemCode
}

export interface ExplainedField {
  /** `order_lines[0].quantity`. */
  readonly field: string
  readonly cells: readonly ExplainedCell[]
  readonly steps: readonly ExplainedStep[]
  /** The result of the steps; absent when it is blank or refused. */
  readonly value?: unknown
  /** Which condition chose this value, or why the field is left out. */
  readonly note?: string
  /** Why the object around it is left out: its condition does not hold, or none of its cells is filled. */
  readonly absent?: 'condition' | 'unfilled'
  /** Which of several values with conditions was taken, from 0; -1 when none was. */
  readonly branch?: number
}

/** A record just translated, with its explanation. */
export interface TranslatedRecord {
  readonly draft: Draft
  readonly rows: readonly Row[]
  /** Explains each field from its cells to its value. Call it before the next record is translated. */
  readonly fields: () => readonly ExplainedField[]
}

/** Formats a value as the text of a step. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

export type TranslationTrace = (record: TranslatedRecord) => void

/** A translator that can report each record as it translates it. */
export interface TraceableTranslator extends Translator {
  bind(
    layouts: readonly Layout[],
    source?: FileSource,
    trace?: TranslationTrace,
  ): BoundTranslator | readonly Problem[]
}

// Objects: they may be left out, and a province is read together with its country.

/** The fields of an object that is not in the body, with the reason. */
export function explainLeftOut(
  fields: readonly ExplainedField[],
  absent: 'condition' | 'unfilled',
  note: string,
): ExplainedField[] {
  return fields.map(({ field, cells }) => ({ field, cells, steps: [], absent, note }))
}

/** A row that makes no line of the array. */
export function explainLeftOutRow(field: string, line: number, conditionText: string): ExplainedField {
  const note = `line ${line} is left out: it takes that ${conditionText}`
  return { field, cells: [], steps: [], absent: 'condition', note }
}

/** The fields of the object at `path`, its province as the country's code for it. */
export function explainProvince(
  fields: readonly ExplainedField[],
  path: string,
  names: { readonly field: string; readonly countryField: string },
): readonly ExplainedField[] {
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`)
  const country = fields.find(({ field }) => field === pathOf(names.countryField))?.value
  if (typeof country !== 'string') return fields
  return fields.map((each) => {
    const { field, value, steps } = each
    if (field !== pathOf(names.field) || typeof value !== 'string') return each
    const province = toProvince(value, country)
    if (province === value) return each
    const step = { option: 'value', does: `as a state or province of ${country}`, text: province }
    return { ...each, steps: [...steps, step], value: province }
  })
}

/** The fields of a line whose quantity is that of several rows. */
export function explainSum(fields: readonly ExplainedField[], line: unknown): readonly ExplainedField[] {
  const sum = typeof line === 'object' && line !== null && 'quantity' in line ? line.quantity : undefined
  if (typeof sum !== 'number') return fields
  return fields.map((each) => {
    if (!each.field.endsWith('.quantity') || each.value === sum) return each
    const step = { option: 'same', does: 'lines same add', text: String(sum) }
    return { ...each, steps: [...each.steps, step], value: sum }
  })
}
