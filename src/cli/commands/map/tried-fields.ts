/** The fields of a tried record for people: the cells, then the text after every step, up to the value. */
import type { TriedField, TriedRecord } from '../../../bridge/maps/try.ts'
import { valueText } from '../../../mapping/binding/explain-leaf.ts'

/** A line per field: its name, its columns, and `"  ab-1 " → trimmed "ab-1" → case upper "AB-1"`. */
export function fieldLines({ fields, outcome }: TriedRecord): string[] {
  const rows = fields.map((field): readonly [string, string, string] => [
    field.field,
    shortened(field.cells.map(({ column }) => column).join(' + ')) || '-',
    stepsInWords(field, outcome),
  ])
  const head: readonly [string, string, string] = ['field', 'column', 'cell → steps → value']
  const width = (index: 0 | 1) => Math.max(...[head, ...rows].map((row) => row[index].length))
  const widths = [width(0), width(1)] as const
  return [head, ...rows].map(([field, column, steps]) =>
    [field.padEnd(widths[0]), column.padEnd(widths[1]), steps].join('  ').trimEnd(),
  )
}

function stepsInWords(field: TriedField, outcome: TriedRecord['outcome']): string {
  const { cells, steps, note, value } = field
  const start = cells.map(({ text }) => shown(text)).join(' + ')
  const last = Array.isArray(value) ? steps.length - 1 : -1
  const done = steps.map(({ does, text, refused }, index) => {
    if (text === undefined) return `${does} WRONG: ${refused ?? 'refused'}`
    // A list is written as one already.
    return `${does} ${index === last ? shortened(text) : shown(text)}`
  })
  const words = [start, ...done, endInWords(field, outcome)].filter((part) => part !== '').join(' → ')
  return [words, ...(note === undefined ? [] : [`(${note})`])].join(' ').trimStart()
}

/** What the steps do not show by themselves. */
function endInWords({ cells, steps, value, problems, note }: TriedField, outcome: string): string {
  const last = steps.at(-1)
  if (last?.refused !== undefined) return ''
  if (problems.length > 0) return `WRONG: ${problems.map(({ code }) => code).join(', ')}`
  if (value === undefined) {
    if (outcome !== 'translated') return 'not sent'
    return note?.includes('left out') === true ? '' : 'left out'
  }
  const text = last === undefined ? cells[0]?.text : last.text
  const isShown = cells.length < 2 || last !== undefined
  return isShown && valueText(value) === text ? '' : JSON.stringify(value)
}

/** Texts are shown up to so many characters. */
const LONGEST = 80

function shown(text: string): string {
  return JSON.stringify(shortened(text))
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}
