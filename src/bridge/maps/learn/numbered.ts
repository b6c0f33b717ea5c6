/** Several lines in one row, in numbered columns such as SKU1, Qty1, SKU2, Qty2: found, and read as lines of their own. */
import type { Field } from './fields.ts'
import type { Sample } from './sample.ts'
import { spellingOf } from './spellings.ts'

/** The sample with a row for each line; as it is where no columns are numbered so. */
export function unpackedSample(sample: Sample, fields: readonly Field[]): Sample {
  const names = sample.hasHeader ? numberedNames(sample.columns, fields) : []
  if (names.length === 0) return sample
  const { columns, rows } = sample
  const count = numbersOf(names[0] ?? '', columns).length
  const others = columns.flatMap((name, at) => (nameOf(name, names) === undefined ? [at] : []))
  const lines = Array.from({ length: count }, (_, index) =>
    names.map((name) => columns.indexOf(name.replace('{n}', String(index + 1)))),
  )
  const unpacked = rows.flatMap((row) => {
    const own = others.map((at) => row[at] ?? '')
    const made = lines.map((places) => places.map((at) => row[at] ?? ''))
    const filled = made.filter((cells) => cells.some((cell) => cell !== ''))
    return (filled.length === 0 ? made.slice(0, 1) : filled).map((cells) => [...own, ...cells])
  })
  return {
    ...sample,
    columns: [...others.map((at) => columns[at] ?? ''), ...names],
    rows: unpacked,
    numbered: { names, count },
  }
}

/** `SKU{n}` and its like: those numbered from 1 as far as the column of the quantity, none of them known as a column of the record. */
function numberedNames(columns: readonly string[], fields: readonly Field[]): string[] {
  const names = [...new Set(columns.flatMap((column) => withoutNumber(column) ?? []))]
  const isOfLine = (name: string) => fields.some(({ path, perRow }) => perRow && isNamed(path, name))
  const isOfRecord = (name: string) => fields.some(({ path, perRow }) => !perRow && isNamed(path, name))
  const quantity = names.find((name) =>
    fields.some(({ path }) => path.endsWith('[].quantity') && isNamed(path, name)),
  )
  const numbers = quantity === undefined ? [] : numbersOf(quantity, columns)
  if (numbers.length < 2 || numbers.some((number, index) => number !== index + 1)) return []
  const alike = names.filter(
    (name) => numbersOf(name, columns).join() === numbers.join() && (isOfLine(name) || !isOfRecord(name)),
  )
  return alike.filter(isOfLine).length < 2 ? [] : alike
}

function isNamed(path: string, name: string): boolean {
  return spellingOf(path, name) !== undefined
}

/** `Item 1 SKU` is `Item {n} SKU`; the last number counts. */
function withoutNumber(column: string): string | undefined {
  return /\d/.test(column) ? column.replace(/\d{1,2}(?=\D*$)/, '{n}') : undefined
}

function nameOf(column: string, names: readonly string[]): string | undefined {
  return names.find((name) => name === withoutNumber(column))
}

function numbersOf(name: string, columns: readonly string[]): number[] {
  const [before = '', behind = ''] = name.split('{n}')
  return columns
    .filter((column) => withoutNumber(column) === name)
    .map((column) => Number(column.slice(before.length, column.length - behind.length)))
    .toSorted((a, b) => a - b)
}
