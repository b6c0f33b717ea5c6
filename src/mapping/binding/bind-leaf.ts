/** Binds a leaf: takes its text from the record being built and converts it. */
import type { Row } from '../../domain/document.ts'
import { type Place, problem } from '../../domain/problem.ts'
import { bindCalc, type CalcColumns } from '../calc/bind-calc.ts'
import type { BindContext, BoundLeaf, Building } from './building.ts'
import type { Column } from '../rows/columns.ts'
import { isKnown, knownText } from '../rows/known.ts'
import type { LeafPlan, Origin } from '../fields/plan.ts'
import { filledColumn, textReader } from './text-reader.ts'
import { cellSource, joinedSource, knownSource, type TextSource } from './text-source.ts'
import { FAILED, type Refuse } from '../values/value.ts'
import { quoted } from '../values/text.ts'

export function bindLeaf(plan: LeafPlan, context: BindContext): BoundLeaf {
  const { building } = context
  const source = bindSource(plan, context)
  if (source === undefined) return constantLeaf(plan, building)
  const fieldName = () => fieldOf(plan, building)
  const isFed = source.columns.length > 0 || plan.calc !== undefined
  const { take, place } = source
  const refuse: Refuse = (code, message, hint) => {
    building.problems.push(problem(code, place(), message, hint))
    return FAILED
  }
  const refer = (key: string) => {
    const { line = 0, column = '' } = place()
    building.references.push({ kind: 'order', key, field: plan.field, line, column })
  }
  const { convert, fallback, required, reference } = plan
  return {
    kind: 'leaf',
    columns: source.columns,
    place,
    text: source.text,
    build() {
      const text = take()
      if (typeof text !== 'string') return text
      let built: unknown
      if (text !== '') {
        if (isFed) building.filled += 1
        built = convert(text, refuse)
        if (reference !== undefined && typeof built === 'string') return refer(built)
      }
      built ??= fallback
      if (built !== undefined || !required) return built
      const why = text === '' ? 'The cell is blank' : `The mapping makes nothing of ${quoted(text)}`
      return refuse('value-missing', `${why}, and the API requires ${fieldName()}.`)
    },
  }
}

/** Where the text comes from; undefined when nothing in the file feeds the leaf. */
function bindSource(plan: LeafPlan, context: BindContext): TextSource | undefined {
  if (plan.calc !== undefined) return bindCalc(plan.calc, calcColumns(plan, context))
  if (plan.joinedWith === undefined) return oneSource(plan, plan.origins, context)
  const sources = plan.origins.flatMap((origin) => oneSource(plan, [origin], context, 'joined') ?? [])
  const isFed = plan.alternatives.length === 0 || sources.some(({ columns }) => columns.length > 0)
  if (isFed) return joinedSource(sources, plan.joinedWith)
  if (plan.columnRequired) noteMissing(plan, context)
  return undefined
}

function oneSource(
  plan: LeafPlan,
  origins: readonly Origin[],
  context: BindContext,
  use?: 'joined',
): TextSource | undefined {
  const { building } = context
  const field = () => fieldOf(plan, building)
  const [first] = origins
  if (first?.kind === 'known') {
    const line = () => (plan.perRow ? building.row : building.headerRows[0])?.line
    const place = (): Place => {
      const at = line()
      return { ...(at === undefined ? {} : { line: at }), field: field() }
    }
    return knownSource(knownText(first.name, plan.perRow, context), place)
  }
  const { columns, ofHeader } = findColumns(origins, plan.perRow, context)
  if (columns.length > 0) return cellSource({ columns, ofHeader, blanks: plan.blanks, building, field })
  if (use === undefined && plan.columnRequired && origins.length > 0) noteMissing(plan, context)
  return undefined
}

function calcColumns(plan: LeafPlan, context: BindContext): CalcColumns {
  const { building } = context
  const originOf = (name: string): Origin =>
    isKnown(name) ? { kind: 'known', name } : { kind: 'column', names: [name] }
  return {
    building,
    field: () => fieldOf(plan, building),
    source(name) {
      return oneSource({ ...plan, alternatives: [[name]] }, [originOf(name)], context)
    },
    rowSource(name) {
      const { columns, ofHeader } = findColumns([originOf(name)], true, context)
      if (columns.length === 0) {
        if (plan.columnRequired) noteMissing({ ...plan, alternatives: [[name]], perRow: true }, context)
        return undefined
      }
      const read = textReader(columns, plan.blanks)
      const rowOf = (row: Row) => (ofHeader ? (building.headerRows[0] ?? row) : row)
      return {
        text: (row) => read(rowOf(row).values),
        place: (row) => ({
          line: rowOf(row).line,
          column: filledColumn(columns, plan.blanks, rowOf(row)).name,
          field: fieldOf(plan, building),
        }),
      }
    },
  }
}

function noteMissing(
  { alternatives, field, perRow }: LeafPlan,
  { header, items, missing }: BindContext,
): void {
  missing.push({ names: alternatives.flat(), field, columns: perRow ? items : header })
}

/** Inside the array a name is looked up in the row first; in files of typed records then in the header row. */
function findColumns(
  origins: readonly Origin[],
  perRow: boolean,
  { header, items, typed }: BindContext,
): { readonly columns: readonly Column[]; readonly ofHeader: boolean } {
  const found = (where: BindContext['header']) =>
    origins.flatMap((origin) =>
      origin.kind === 'column' ? (where.find(origin.names, origin.nth) ?? []) : [],
    )
  const inItems = perRow ? found(items) : []
  if (inItems.length > 0) return { columns: inItems, ofHeader: false }
  return { columns: perRow && !typed ? [] : found(header), ofHeader: true }
}

function fieldOf({ field }: LeafPlan, { index }: Building): string {
  return field.replace('[]', `[${index}]`)
}

/** A leaf that no column of the file feeds: a constant, a default, or nothing. */
function constantLeaf(plan: LeafPlan, building: Building): BoundLeaf {
  const [names] = plan.alternatives
  const place = (): Place => {
    const line = (plan.perRow ? building.row : building.headerRows[0])?.line
    return {
      ...(line === undefined ? {} : { line }),
      ...(names?.[0] === undefined ? {} : { column: names[0] }),
      field: fieldOf(plan, building),
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
