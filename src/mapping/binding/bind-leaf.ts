/** Binds a leaf: takes its text from the record being built and converts it. */
import type { Row } from '../../domain/format.ts'
import { isProvince } from '../../contract/places.ts'
import { problem, type Problem, type ProblemCode } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import type { DeferredResult } from '../../domain/translator.ts'
import { bindCalc, type CalcColumns } from '../calc/evaluate.ts'
import { convertText } from '../fields/leaf-conversion.ts'
import type { DeferredPlan, LeafPlan, ValueSource } from '../fields/plan.ts'
import { bindCondition } from '../rows/bind-condition.ts'
import { type Column, describeMissingColumn, resolveColumnName } from '../rows/columns.ts'
import { bindKnownText, isKnownName } from '../rows/columns.ts'
import { readMisreadUtf8 } from '../values/convert.ts'
import type { FoundDateOrder } from '../values/dates.ts'
import { cleanText, DEFERRED, FAILED, quoteText, type Refuse } from '../values/text.ts'
import {
  type BindContext,
  type BoundLeaf,
  locate,
  nameValue,
  type RecordBuilder,
  resolveField,
  warnOfGroupingPoint,
  warnOfRounding,
} from './record-builder.ts'
import {
  createCellSource,
  createRowSource,
  createFallbackSource,
  createJoinedSource,
  createKnownSource,
  createTextReader,
  findFilledColumn,
  type TextSource,
} from './text-source.ts'
import { type ExplainedCell, type ExplainedField, type ExplainedStep, formatValue } from './explained.ts'

export function bindLeaf(plan: LeafPlan, context: BindContext): BoundLeaf {
  const { builder } = context
  if (plan.deferred !== undefined) return bindDeferredLeaf(plan, plan.deferred, builder)
  const source = bindSource(plan, context)
  if (source === undefined) return bindConstantLeaf(plan, context)
  const fieldName = () => resolveField(plan, builder)
  const isFed = source.columns.length > 0 || plan.calc !== undefined
  const { take, place, isFed: isFedNow } = source
  const refuse: Refuse = (code, message, fix) => {
    const blank = code === 'date-expected' ? source.blank?.() : undefined
    const what =
      blank === undefined ? message : `${message} The ${nameValue(builder)} under "${blank}" is blank.`
    builder.problems.push(problem(code, place(), what, fix))
    return FAILED
  }
  const { convert, fallback, required, reference, origin } = plan
  const findsDateOrder = context.source?.findsDateOrders === true && plan.findDateOrder !== undefined
  return {
    kind: 'leaf',
    columns: source.columns,
    origin,
    place,
    text: source.text,
    explain: () => [explainLeaf(plan, source, { builder, field: fieldName() })],
    build() {
      const text = take()
      if (typeof text !== 'string') return text
      let built: unknown
      if (text !== '') {
        if (isFed && (isFedNow === undefined || isFedNow())) builder.filled += 1
        built = convert(text, refuse)
        if (findsDateOrder) noteDateOrder(plan, text, place, builder)
        if (plan.warnsOfGrouping === true && built !== FAILED) warnOfGroupingPoint(text, place, builder)
        if (plan.warnsOfRounding !== undefined && built !== FAILED)
          warnOfRounding(text, { decimals: plan.warnsOfRounding, place }, builder)
        if (plan.warnsOfDamage === true && built !== FAILED) warnOfMisreadText(text, place, builder)
        if (reference !== undefined && typeof built === 'string') {
          return addReference(plan, built, place(), builder)
        }
      }
      built ??= fallback
      if (built !== undefined || !required) return built
      const [why, fix] =
        text === ''
          ? [explainBlank(source, nameValue(builder))]
          : [`The mapping makes nothing of ${quoteText(text)}`, FIX_NOTHING_MADE]
      return refuse('value-missing', `${why}, and the API requires ${fieldName()}.`, fix)
    },
  }
}

const FIX_NOTHING_MADE =
  'Correct the mapping: fill in the row of its lookup table, or the step that removes the text.'

function noteDateOrder(plan: LeafPlan, text: string, place: () => Place, builder: RecordBuilder): void {
  const found = plan.findDateOrder?.(text, () => FAILED) as FoundDateOrder | undefined
  if (found !== undefined) builder.dateOrders.push({ ...found, text, place: place() })
}

function warnOfMisreadText(text: string, place: () => Place, builder: RecordBuilder): void {
  const meant = readMisreadUtf8(text)
  if (meant === undefined) return
  const message = `${quoteText(text)} is perhaps ${quoteText(meant)}: UTF-8 that was read in a wrong encoding.`
  builder.warnings.push({ ...problem('text-damaged', place(), message, FIX_MISREAD), severity: 'warning' })
}

const FIX_MISREAD = 'Sent as it is if nothing else is wrong. Have the file written in its right encoding.'

/** Shows the text that the mapping takes for blank, because people see a filled cell. */
function explainBlank(source: TextSource, what: 'cell' | 'element'): string {
  const cells = source.cells()
  const filledCell = cells.find(({ text }) => cleanText(text) !== '')
  if (what === 'element' && cells.length > 1 && filledCell === undefined)
    return `No value stands in ${cells.map(({ column }) => column).join(' or ')}`
  return `The ${what} is blank${filledCell === undefined ? '' : ` (${quoteText(cleanText(filledCell.text))} means blank)`}`
}

/** Returns the source of the text; undefined when no column of the file fills the leaf. */
function bindSource(plan: LeafPlan, context: BindContext): TextSource | undefined {
  if (plan.row === undefined) return bindOwnSource(plan, context)
  const source = bindOwnSource({ ...plan, perRow: true }, context)
  const condition = bindCondition(plan.row, { perRow: true }, context)
  const field = () => resolveField(plan, context.builder)
  const isSameValue = compareValues(plan.convert)
  return source && createRowSource(source, { condition, builder: context.builder, field, isSameValue })
}

function bindOwnSource(plan: LeafPlan, context: BindContext): TextSource | undefined {
  if (plan.calc !== undefined) return bindCalc(plan.calc, bindCalcColumns(plan, context))
  if (plan.joinedWith === undefined) return bindSingleSource(plan, plan.sources, context)
  const sources = plan.sources.flatMap((origin) => bindSingleSource(plan, [origin], context, 'joined') ?? [])
  const isFed = plan.alternatives.length === 0 || sources.some(({ columns }) => columns.length > 0)
  if (isFed) return createJoinedSource(sources, plan.joinedWith)
  if (plan.columnRequired) reportMissingColumns(plan, context)
  return undefined
}

function bindSingleSource(
  plan: LeafPlan,
  sources: readonly ValueSource[],
  context: BindContext,
  use?: 'joined',
): TextSource | undefined {
  const { builder } = context
  const field = () => resolveField(plan, builder)
  const { columns, ofHeader, known } = findColumns(sources, plan.perRow, context)
  const isSameValue = use === 'joined' || plan.calc !== undefined ? () => false : compareValues(plan.convert)
  const options = { columns, ofHeader, blanks: plan.blanks, builder, field, isSameValue }
  const cells = columns.length === 0 ? undefined : createCellSource(options)
  if (known !== undefined) {
    const place = () => locate(builder, plan.perRow, { field: field() })
    const source = createKnownSource(known, bindKnownText(known, plan.perRow, context), place)
    return cells === undefined ? source : createFallbackSource(cells, source)
  }
  const isMissing = cells === undefined && plan.columnRequired && sources.length > 0
  if (isMissing && use === undefined) reportMissingColumns(plan, context)
  return cells
}

/** Compares two texts by the values that they become; texts that are refused are not the same. */
function compareValues(convert: LeafPlan['convert']) {
  return (one: string, other: string): boolean => {
    const [first, second] = [convertText(convert, one), convertText(convert, other)]
    const isRefused = first.refused !== undefined || second.refused !== undefined
    return !isRefused && JSON.stringify(first.value) === JSON.stringify(second.value)
  }
}

function bindCalcColumns(plan: LeafPlan, context: BindContext): CalcColumns {
  const { builder } = context
  const originOf = (name: string): ValueSource =>
    isKnownName(name) ? { kind: 'known', name } : { kind: 'column', names: [name] }
  return {
    builder,
    field: () => resolveField(plan, builder),
    source(name, isNeeded) {
      const columnRequired = plan.columnRequired && isNeeded
      return bindSingleSource({ ...plan, columnRequired, alternatives: [[name]] }, [originOf(name)], context)
    },
    rowSource(name, isNeeded) {
      const { columns, ofHeader } = findColumns([originOf(name)], true, context)
      if (columns.length === 0) {
        if (plan.columnRequired && isNeeded)
          reportMissingColumns({ ...plan, alternatives: [[name]], perRow: true }, context)
        return undefined
      }
      const read = createTextReader(columns, plan.blanks)
      const rowOf = (row: Row) => (ofHeader ? (builder.headerRows[0] ?? row) : row)
      return {
        text: (row) => read(rowOf(row).values),
        place: (row) => ({
          line: rowOf(row).line,
          column: resolveColumnName(rowOf(row), findFilledColumn(columns, plan.blanks, rowOf(row))),
          field: resolveField(plan, builder),
        }),
      }
    },
  }
}

function reportMissingColumns(plan: LeafPlan, { header, items, missing }: BindContext): void {
  const { field, alternatives, perRow, reference, convert, written } = plan
  const names = alternatives.flat()
  const [name = ''] = names
  const kind = (reference === undefined && names.length === 1 && written?.target.rule.kind) || 'text'
  const isCode = kind !== 'province' || isProvince(name)
  // a text takes any name as its value, and so does the conversion of a province
  const isValue = kind !== 'text' && isCode && convertText(convert, name).refused === undefined
  const key = field === 'check' || field.startsWith('keep.') ? field : `body.${field}`
  const fix = `Add the column, or ${isValue ? `write ${key}: { const: ${name} }` : `correct ${key}`} in the mapping.`
  missing.push({ names, field, fix, columns: perRow ? items : header })
}

/** Inside the array a name is looked up in the row first; in files of typed records then in the header row. */
function findColumns(sources: readonly ValueSource[], perRow: boolean, context: BindContext) {
  const { header, items, typed } = context
  const inItems = perRow ? findColumnsIn(items, sources) : undefined
  if (inItems !== undefined && (inItems.columns.length > 0 || !typed)) return { ...inItems, ofHeader: false }
  return { ...findColumnsIn(header, sources), ofHeader: true }
}

/** Lists columns up to the first absent one that a known value replaces, and returns that known value. */
function findColumnsIn(where: BindContext['header'], sources: readonly ValueSource[]) {
  const columns: Column[] = []
  for (const origin of sources) {
    if (origin.kind === 'known') return { columns, known: origin.name }
    const column = where.find(origin.names, origin.nth)
    if (column !== undefined) columns.push(column)
    else if (origin.otherwise !== undefined) return { columns, known: origin.otherwise }
  }
  return { columns, known: undefined }
}

/** Adds a reference by name. The pipeline looks its id up at the API. */
function addReference(
  {
    reference = '',
    field,
    origin,
  }: { readonly reference?: string | undefined } & Pick<LeafPlan, 'field' | 'origin'>,
  key: string,
  { line = 0, column = '' }: Place,
  builder: RecordBuilder,
): typeof DEFERRED {
  builder.references.push({
    kind: reference,
    key,
    field,
    line,
    column,
    ...(origin === undefined ? {} : { origin }),
  })
  return DEFERRED
}

// Constant leaves: no column of the file fills them.

function bindConstantLeaf(plan: LeafPlan, { builder, header, items }: BindContext): BoundLeaf {
  const column = plan.alternatives[0]?.[0]
  const place = () => {
    const field = resolveField(plan, builder)
    return locate(builder, plan.perRow, column === undefined ? { field } : { column, field })
  }
  return createUnfedLeaf(plan, builder, place, () => {
    const { reference, fallback } = plan
    if (reference !== undefined && typeof fallback === 'string') {
      return addReference(plan, fallback, place(), builder)
    }
    if (fallback !== undefined || !plan.required) return fallback
    const columns = plan.perRow ? items : header
    const { message, fix = 'Add the column.' } = describeMissingColumn(plan.alternatives.flat(), columns)
    const needed = `The API requires ${place().field ?? plan.field}.`
    builder.problems.push(problem('value-missing', place(), `${needed} ${message}`, fix))
    return FAILED
  })
}

function createUnfedLeaf(
  plan: LeafPlan,
  builder: RecordBuilder,
  place: () => Place,
  build: () => unknown,
): BoundLeaf {
  const explain = () => [explainLeaf(plan, undefined, { builder, field: resolveField(plan, builder) })]
  return { kind: 'leaf', columns: [], origin: plan.origin, place, text: () => '', explain, build }
}

// Deferred leaves: the value is not in the file; it is filled in once the order of the record is known.

function bindDeferredLeaf(plan: LeafPlan, deferred: DeferredPlan, builder: RecordBuilder): BoundLeaf {
  const { field } = plan
  const { from, name, lines } = deferred
  const place = () => locate(builder, false, { field })
  return createUnfedLeaf(plan, builder, place, () => {
    builder.filled += 1
    const line = builder.headerRows[0]?.line ?? 0
    const resolve = lines ?? ((found: unknown) => convertDeferred(plan, found, line))
    builder.deferred.push({ from, name, field, line, resolve })
    return DEFERRED
  })
}

/** Converts the text that was found, as if a cell held it. */
function convertDeferred(
  { deferred, field, convert, fallback, required }: LeafPlan,
  found: unknown,
  line: number,
): DeferredResult {
  const problems: Problem[] = []
  const place = { ...(line === 0 ? {} : { line }), field }
  const refuse: Refuse = (code, message, fix) => {
    problems.push(problem(code, place, message, fix))
    return FAILED
  }
  const text = toText(found)
  const value = (text === '' ? undefined : convert(text, refuse)) ?? fallback
  if (problems.length > 0) return { problems }
  if (value !== undefined) return { value, problems }
  if (!required) return { problems }
  const { from, name } = deferred ?? {}
  const what = from === 'kept' ? `Nothing is kept as ${name} of the order` : `The order has no ${name}`
  return { problems: [problem('order-value-missing', place, `${what}, and the API requires ${field}.`)] }
}

function toText(found: unknown): string {
  if (typeof found === 'string') return found.trim()
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : ''
}

// Explains the cells of one leaf step by step, with the same steps that build its value.

/** Lists the steps of the leaf in the record being built. Without a source, no column fills the leaf. */
export function explainLeaf(
  plan: LeafPlan,
  source: TextSource | undefined,
  { builder, field }: { readonly builder: RecordBuilder; readonly field: string },
): ExplainedField {
  if (plan.deferred !== undefined) {
    const { from, name } = plan.deferred
    return { field, cells: [], steps: [], value: { [from]: name } }
  }
  if (source === undefined) {
    const [names] = plan.alternatives
    const absent = names === undefined ? {} : { note: `the file has no column "${names[0] ?? ''}"` }
    return { field, cells: [], ...absent, ...explainFallback(plan, []) }
  }
  const cells = source.cells()
  const taken = runAndRestore(builder, () => source.take())
  if (typeof taken.result !== 'string') {
    const step = { option: 'calc', does: plan.steps.gathering, ...toRefusedPart(taken.refused) }
    return { field, cells, steps: [step] }
  }
  const steps = explainGathering(plan, cells, taken.result)
  return { field, cells, ...explainConversion(plan, taken.result, steps) }
}

/** Explains how the cells become the text of the leaf: which cells, how they are joined, and the trimming. */
function explainGathering(plan: LeafPlan, cells: readonly ExplainedCell[], text: string): ExplainedStep[] {
  const { gathering } = plan.steps
  if (gathering !== '') return [{ option: plan.calc === undefined ? 'all' : 'calc', does: gathering, text }]
  const chosen = cells.find((cell) => cleanText(cell.text) === text) ?? cells[0]
  const steps: ExplainedStep[] = []
  if (chosen === undefined) return steps
  if (cells.length > 1 && text !== '') {
    steps.push({ option: 'firstOf', does: `firstOf ${chosen.column}`, text: chosen.text })
  }
  const bare = cleanText(chosen.text)
  if (bare !== chosen.text) steps.push({ option: 'trim', does: 'trimmed', text: bare })
  if (bare !== text) steps.push({ option: 'blanks', does: 'blanks', text })
  return steps
}

type ExplainedValue = Pick<ExplainedField, 'steps' | 'value'>

function explainConversion(plan: LeafPlan, text: string, before: readonly ExplainedStep[]): ExplainedValue {
  const { texts, value } = plan.steps
  const steps = [...before]
  let current = text
  for (const { option, does, apply } of texts) {
    if (current === '') break
    const { refuse, codes } = captureRefusal()
    const next = apply(current, refuse)
    if (typeof next !== 'string') return { steps: [...steps, { option, does, ...toRefusedPart(codes) }] }
    steps.push({ option, does, text: next })
    current = next
  }
  if (current === '') return explainFallback(plan, steps)
  const { refuse, codes } = captureRefusal()
  const built = value.convert(current, refuse)
  const step = { option: 'value', does: value.does }
  if (codes.length > 0) return { steps: [...steps, { ...step, ...toRefusedPart(codes) }] }
  if (built === undefined) return explainFallback(plan, steps)
  const shown = formatValue(built)
  if (shown !== current || value.isAsked) steps.push({ ...step, text: shown })
  return { steps, value: plan.reference === undefined ? built : { find: plan.reference, key: built } }
}

function explainFallback({ fallback: value, steps: { fallback: does } }: LeafPlan, steps: ExplainedStep[]) {
  if (value === undefined) return { steps }
  return { steps: [...steps, { option: does.split(' ')[0] ?? '', does, text: formatValue(value) }], value }
}

function captureRefusal() {
  const codes: ProblemCode[] = []
  const refuse: Refuse = (code) => {
    codes.push(code)
    return FAILED
  }
  return { refuse, codes }
}

function toRefusedPart([refused]: readonly ProblemCode[]): { readonly refused?: ProblemCode } {
  return refused === undefined ? {} : { refused }
}

const NO_CODES: readonly ProblemCode[] = []

/** Runs a build step and then restores the record builder. */
export function runAndRestore<Result>(builder: RecordBuilder, run: () => Result) {
  const { filled, references, deferred, row, index, bodyRows } = builder
  const before = builder.problems.length
  const warned = builder.warnings.length
  builder.references = []
  builder.deferred = []
  const result = run()
  const { problems, warnings } = builder
  const refused = problems.length === before ? NO_CODES : problems.slice(before).map(({ code }) => code)
  // To set the length of an array takes long.
  if (problems.length !== before) problems.length = before
  if (warnings.length !== warned) warnings.length = warned
  builder.filled = filled
  builder.references = references
  builder.deferred = deferred
  builder.row = row
  builder.index = index
  builder.bodyRows = bodyRows
  return { result, refused }
}
