/** Shows a record beside its body: for each field the column, the text of the cell, what is done to it, and the value. */
import type { Layout, Row } from '../../domain/document.ts'
import type { Problem } from '../../domain/problem.ts'
import { exampleBody } from '../../mapping/examples.ts'
import { type MappingLeaf } from './leaves.ts'
import { cellOf, type RecordRead } from './records.ts'

export interface TriedField {
  /** `order_lines[0].quantity`. */
  readonly field: string
  /** The column as the file spells it, with its text; several where the value comes from several. */
  readonly cells: readonly { readonly column: string; readonly text: string }[]
  /** What is done to the text, in order, in the words of the mapping. */
  readonly steps: readonly string[]
  /** Absent when the field is left out, or the record is refused. */
  readonly value?: unknown
  readonly problems: readonly Problem[]
}

export interface TriedRecord {
  readonly number: number
  readonly key: string
  readonly lines: readonly number[]
  /** `skipped`: the mapping leaves it out on purpose. */
  readonly outcome: 'translated' | 'refused' | 'skipped'
  readonly fields: readonly TriedField[]
  /** Problems of the record that are of no field in particular. */
  readonly problems: readonly Problem[]
}

export function triedRecord(
  { draft, rows }: RecordRead,
  leaves: readonly MappingLeaf[],
  layouts: readonly Layout[],
): TriedRecord {
  const body = draft.body === undefined ? undefined : exampleBody(draft)
  const ofRecord = leaves.filter(({ perRow }) => !perRow).flatMap((leaf) => fieldsOfLeaf(leaf, rows, layouts))
  const ofRows = leaves.filter(({ perRow }) => perRow).map((leaf) => fieldsOfLeaf(leaf, rows, layouts))
  const lines = (ofRows[0] ?? []).flatMap((_, index) => ofRows.flatMap((fields) => fields[index] ?? []))
  const shown = [...ofRecord, ...lines]
  const fields = shown.map(({ field, cells, steps }): TriedField => {
    const value = body === undefined ? undefined : valueAt(body, field)
    const problems = draft.problems.filter(({ place }) => place.field === field)
    return { field, cells, steps, ...(value === undefined ? {} : { value }), problems }
  })
  const placed = new Set(fields.flatMap(({ problems }) => problems))
  return {
    number: draft.number,
    key: draft.keyValues.join(' '),
    lines: draft.lines.map(([line]) => line),
    outcome: draft.skipped ? 'skipped' : draft.problems.length > 0 ? 'refused' : 'translated',
    fields,
    problems: draft.problems.filter((each) => !placed.has(each)),
  }
}

type Shown = Pick<TriedField, 'field' | 'cells' | 'steps'>

function fieldsOfLeaf(leaf: MappingLeaf, rows: readonly Row[], layouts: readonly Layout[]): Shown[] {
  const steps = stepsOf(leaf.options)
  const cellsIn = (row: Row | undefined) => leaf.columns.flatMap((names) => cellOf(row, layouts, names) ?? [])
  if (!leaf.perRow) {
    // The first row that says something speaks for the record.
    const all = rows.map(cellsIn).filter((cells) => cells.length > 0)
    const cells = all.find((some) => some.some(({ text }) => text !== '')) ?? all[0] ?? []
    return [{ field: leaf.field, cells, steps }]
  }
  const items = rows.filter((row) => layouts.length === 1 || row.layout !== rows[0]?.layout)
  return items.map((row, index) => ({
    field: leaf.field.replace('[]', `[${index}]`),
    cells: cellsIn(row).length > 0 ? cellsIn(row) : cellsIn(rows[0]),
    steps,
  }))
}

/** The options that do something to the text, as the mapping writes them, in the order in which they work. */
const STEPS =
  'calc with blanks match split wrap at case pad digits by table pick miss format zone decimal implied yes no round long find default const when'.split(
    ' ',
  )

function stepsOf(options: Readonly<Record<string, unknown>>): string[] {
  return STEPS.filter((name) => options[name] !== undefined).map((name) => {
    const option = options[name]
    return `${name}: ${typeof option === 'string' ? option : JSON.stringify(option)}`
  })
}

function valueAt(body: unknown, field: string): unknown {
  let value = body
  for (const step of field.split(/[.[\]]+/).filter((name) => name !== '')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  return value
}
