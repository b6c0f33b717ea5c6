/** Binds a leaf: takes its text from the record being built and converts it. */
import type { Row } from '../../domain/document.ts'
import { type Place, problem } from '../../domain/problem.ts'
import { bindCalc } from '../calc/bind-calc.ts'
import type { CalcColumns } from '../calc/evaluate.ts'
import type { BindContext, BoundLeaf } from './building.ts'
import { type Column, nameIn } from '../rows/columns.ts'
import { isKnown, type KnownName, knownText } from '../rows/known.ts'
import type { LeafPlan, Origin } from '../fields/plan.ts'
import { awaitingLeaf } from './bind-awaiting.ts'
import { constantLeaf } from './bind-constant.ts'
import { explainLeaf } from './explain-leaf.ts'
import { fieldOf, refer } from './naming.ts'
import { filledColumn, textReader } from './text-reader.ts'
import { cellSource, filledSource, joinedSource, knownSource, type TextSource } from './text-source.ts'
import { FAILED, type Refuse } from '../values/value.ts'
import { cleaned, quoted } from '../values/text.ts'

export function bindLeaf(plan: LeafPlan, context: BindContext): BoundLeaf {
  const { building } = context
  if (plan.awaits !== undefined) return awaitingLeaf(plan, plan.awaits, building)
  const source = bindSource(plan, context)
  if (source === undefined) return constantLeaf(plan, context)
  const fieldName = () => fieldOf(plan, building)
  const isFed = source.columns.length > 0 || plan.calc !== undefined
  const { take, place, isFed: isFedNow } = source
  const refuse: Refuse = (code, message, hint) => {
    const blank = code === 'date-expected' ? source.blank?.() : undefined
    const what = blank === undefined ? message : `${message} The cell under "${blank}" is blank.`
    building.problems.push(problem(code, place(), what, hint))
    return FAILED
  }
  const { convert, fallback, required, reference } = plan
  return {
    kind: 'leaf',
    columns: source.columns,
    place,
    text: source.text,
    explain: () => [explainLeaf(plan, source, { building, field: fieldName() })],
    build() {
      const text = take()
      if (typeof text !== 'string') return text
      let built: unknown
      if (text !== '') {
        if (isFed && (isFedNow === undefined || isFedNow())) building.filled += 1
        built = convert(text, refuse)
        if (reference !== undefined && typeof built === 'string')
          return refer(building, { kind: reference, key: built, field: plan.field, place: place() })
      }
      built ??= fallback
      if (built !== undefined || !required) return built
      const why = text === '' ? whyBlank(source) : `The mapping makes nothing of ${quoted(text)}`
      return refuse('value-missing', `${why}, and the API requires ${fieldName()}.`)
    },
  }
}

/** A text that the mapping takes for blank is one that people see. */
function whyBlank(source: TextSource): string {
  const told = source.cells().find(({ text }) => cleaned(text) !== '')
  return told === undefined
    ? 'The cell is blank'
    : `The cell is blank (${quoted(cleaned(told.text))} means blank)`
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
  const { columns, ofHeader, known } = findColumns(origins, plan.perRow, context)
  const cells =
    columns.length === 0 ? undefined : cellSource({ columns, ofHeader, blanks: plan.blanks, building, field })
  if (known !== undefined) {
    const source = knownOf(known, plan, context)
    return cells === undefined ? source : filledSource(cells, source)
  }
  const isMissing = cells === undefined && plan.columnRequired && origins.length > 0
  if (isMissing && use === undefined) noteMissing(plan, context)
  return cells
}

function knownOf(name: KnownName, plan: LeafPlan, context: BindContext): TextSource {
  const { building } = context
  const place = (): Place => {
    const line = (plan.perRow ? building.row : building.headerRows[0])?.line
    return { ...(line === undefined ? {} : { line }), field: fieldOf(plan, building) }
  }
  return knownSource(name, knownText(name, plan.perRow, context), place)
}

function calcColumns(plan: LeafPlan, context: BindContext): CalcColumns {
  const { building } = context
  const originOf = (name: string): Origin =>
    isKnown(name) ? { kind: 'known', name } : { kind: 'column', names: [name] }
  return {
    building,
    field: () => fieldOf(plan, building),
    source(name, isNeeded) {
      const columnRequired = plan.columnRequired && isNeeded
      return oneSource({ ...plan, columnRequired, alternatives: [[name]] }, [originOf(name)], context)
    },
    rowSource(name, isNeeded) {
      const { columns, ofHeader } = findColumns([originOf(name)], true, context)
      if (columns.length === 0) {
        if (plan.columnRequired && isNeeded)
          noteMissing({ ...plan, alternatives: [[name]], perRow: true }, context)
        return undefined
      }
      const read = textReader(columns, plan.blanks)
      const rowOf = (row: Row) => (ofHeader ? (building.headerRows[0] ?? row) : row)
      return {
        text: (row) => read(rowOf(row).values),
        place: (row) => ({
          line: rowOf(row).line,
          column: nameIn(rowOf(row), filledColumn(columns, plan.blanks, rowOf(row))),
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

interface FoundColumns {
  readonly columns: readonly Column[]
  readonly ofHeader: boolean
  /** What stands behind the columns, where all of them are blank. */
  readonly known: KnownName | undefined
}

/** Inside the array a name is looked up in the row first; in files of typed records then in the header row. */
function findColumns(
  origins: readonly Origin[],
  perRow: boolean,
  { header, items, typed }: BindContext,
): FoundColumns {
  const inItems = perRow ? findIn(items, origins) : undefined
  if (inItems !== undefined && (inItems.columns.length > 0 || !typed)) return { ...inItems, ofHeader: false }
  return { ...findIn(header, origins), ofHeader: true }
}

/** The columns up to the first that is not there and has something known in its place. */
function findIn(where: BindContext['header'], origins: readonly Origin[]): Omit<FoundColumns, 'ofHeader'> {
  const columns: Column[] = []
  for (const origin of origins) {
    if (origin.kind === 'known') return { columns, known: origin.name }
    const column = where.find(origin.names, origin.nth)
    if (column !== undefined) columns.push(column)
    else if (origin.otherwise !== undefined) return { columns, known: origin.otherwise }
  }
  return { columns, known: undefined }
}
