/** Binds a leaf: reads its cell, sees to it that the rows of a record agree, and converts the text. */
import type { Row } from '../domain/document.ts'
import { type Place, problem } from '../domain/problem.ts'
import type { BindContext, BoundLeaf, Building } from './building.ts'
import type { Column } from './columns.ts'
import type { LeafPlan } from './plan.ts'
import { FAILED, type Refuse } from './values/value.ts'
import { cleaned, quoted } from './values/text.ts'

/** Reads the cells of a row and gives the first text that is not blank. */
export type ReadText = (values: readonly string[]) => string

export function bindLeaf(plan: LeafPlan, context: BindContext): BoundLeaf {
  const { building } = context
  const { columns, ofHeader } = findColumns(plan, context)
  const [first] = columns
  if (first === undefined) return constantLeaf(plan, building)
  const read = textReader(columns, plan.blanks)
  const fieldName = () => plan.field.replace('[]', `[${building.index}]`)
  const placeIn = (row: Row | undefined): Place => ({
    ...(row === undefined ? {} : { line: row.line }),
    column: columnOf(columns, plan.blanks, row).name,
    field: fieldName(),
  })
  let from: Row | undefined
  const refuse: Refuse = (code, message, hint) => {
    building.problems.push(problem(code, placeIn(from), message, hint))
    return FAILED
  }
  const only = columns.length === 1 ? first.position : undefined
  const agreeing = agreeingRow({ read, only, building, placeIn })
  const speakingRow = () => (ofHeader ? firstFilled(building.headerRows, read) : building.row)
  const refer = (key: string) => {
    const { line = 0, column = first.name } = placeIn(from)
    building.references.push({ kind: 'order', key, field: plan.field, line, column })
  }
  const { convert, fallback, required, reference } = plan
  return {
    kind: 'leaf',
    columns,
    place: () => placeIn(speakingRow()),
    text: () => read(speakingRow()?.values ?? []),
    build() {
      from = ofHeader ? agreeing() : building.row
      const text = from === undefined ? '' : read(from.values)
      let built: unknown
      if (text !== '') {
        building.filled += 1
        built = convert(text, refuse)
        if (reference !== undefined && typeof built === 'string') return refer(built)
      }
      built ??= fallback
      if (built !== undefined || !required) return built
      const why = text === '' ? 'The cell is blank' : `The table says nothing for ${quoted(text)}`
      return refuse('value-missing', `${why}, and the API requires ${fieldName()}.`)
    },
  }
}

/** The text of a cell under the first of the columns where it is not blank. */
export function textReader(columns: readonly Column[], blanks: ReadonlySet<string>): ReadText {
  const positions = columns.map((column) => column.position)
  const [only = 0] = positions
  if (positions.length === 1 && blanks.size === 0) return (values) => cleaned(values[only] ?? '')
  return (values) => {
    for (const position of positions) {
      const text = cleaned(values[position] ?? '')
      if (text !== '' && !blanks.has(text.toLowerCase())) return text
    }
    return ''
  }
}

function findColumns(
  plan: LeafPlan,
  context: BindContext,
): { readonly columns: readonly Column[]; readonly ofHeader: boolean } {
  const { header, items, typed, missing } = context
  const found = (where: BindContext['header']) =>
    plan.alternatives.flatMap((names) => where.find(names) ?? [])
  const inItems = plan.perRow ? found(items) : []
  if (inItems.length > 0) return { columns: inItems, ofHeader: false }
  const inHeader = plan.perRow && !typed ? [] : found(header)
  if (inHeader.length === 0 && plan.columnRequired && plan.alternatives.length > 0) {
    missing.push({
      names: plan.alternatives.flat(),
      field: plan.field,
      columns: plan.perRow ? items : header,
    })
  }
  return { columns: inHeader, ofHeader: true }
}

/** A leaf that no column of the file feeds: a constant, a default, or nothing. */
function constantLeaf(plan: LeafPlan, building: Building): BoundLeaf {
  const [names] = plan.alternatives
  const place = (): Place => {
    const line = (plan.perRow ? building.row : building.headerRows[0])?.line
    return {
      ...(line === undefined ? {} : { line }),
      ...(names?.[0] === undefined ? {} : { column: names[0] }),
      field: plan.field.replace('[]', `[${building.index}]`),
    }
  }
  return {
    kind: 'leaf',
    columns: [],
    place,
    text: () => '',
    build() {
      if (plan.fallback !== undefined || !plan.required) return plan.fallback
      const message = `The file has no column for it, and the API requires ${place().field ?? plan.field}.`
      building.problems.push(problem('value-missing', place(), message, 'Add the column.'))
      return FAILED
    },
  }
}

/** Finds the row that says the value for the record; rows that say different things are a problem. */
function agreeingRow(leaf: {
  readonly read: ReadText
  /** The position of the cell, when there is only one to read. */
  readonly only: number | undefined
  readonly building: Building
  readonly placeIn: (row: Row) => Place
}): () => Row | undefined {
  const { read, only, building, placeIn } = leaf
  return () => {
    const rows = building.headerRows
    const first = rows[0]
    if (first === undefined || rows.length === 1) return first
    // Most files repeat the cells of the record as they are.
    if (only !== undefined && areSame(rows, only, first.values[only])) return first
    let chosen = first
    let text = read(first.values)
    for (const row of rows) {
      const other = read(row.values)
      if (other === '' || other === text) continue
      if (text !== '') {
        const message = `${quoted(other)} stands here, but ${quoted(text)} in line ${chosen.line} of the same record.`
        building.problems.push(problem('rows-disagree', placeIn(row), message))
        return chosen
      }
      chosen = row
      text = other
    }
    return chosen
  }
}

function areSame(rows: readonly Row[], position: number, cell: string | undefined): boolean {
  for (let index = 1; index < rows.length; index += 1) {
    if (rows[index]?.values[position] !== cell) return false
  }
  return true
}

function firstFilled(rows: readonly Row[], read: ReadText): Row | undefined {
  return rows.find((row) => read(row.values) !== '') ?? rows[0]
}

function columnOf(columns: readonly Column[], blanks: ReadonlySet<string>, row: Row | undefined): Column {
  const filled = columns.find((column) => textReader([column], blanks)(row?.values ?? []) !== '')
  return filled ?? columns[0] ?? { position: 0, name: '' }
}
