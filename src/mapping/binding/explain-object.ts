/** What an object does to its explained fields: it may be left out, and a province is understood with its country. */
import { toProvince } from '../values/places.ts'
import type { ExplainedField } from './explained.ts'

/** The fields of an object that is not in the body, with the reason. */
export function leftOut(
  fields: readonly ExplainedField[],
  absent: 'condition' | 'unfilled',
  note: string,
): ExplainedField[] {
  return fields.map(({ field, cells }) => ({ field, cells, steps: [], absent, note }))
}

/** A row that makes no line of the array. */
export function rowLeftOut(field: string, line: number, words: string): ExplainedField {
  const note = `line ${line} is left out: it takes that ${words}`
  return { field, cells: [], steps: [], absent: 'condition', note }
}

/** The fields of the object at `path`, its province as the country's code for it. */
export function withProvince(
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
export function withSum(fields: readonly ExplainedField[], line: unknown): readonly ExplainedField[] {
  const sum = typeof line === 'object' && line !== null && 'quantity' in line ? line.quantity : undefined
  if (typeof sum !== 'number') return fields
  return fields.map((each) => {
    if (!each.field.endsWith('.quantity') || each.value === sum) return each
    const step = { option: 'same', does: 'lines same add', text: String(sum) }
    return { ...each, steps: [...each.steps, step], value: sum }
  })
}
