/** Compiles one column of an export: the value it shows and how it is written. */
import { addDecimals } from '../../support/decimal.ts'
import { isFormula } from '../../support/text.ts'
import { compileCondition } from '../rows/conditions.ts'
import type { Shape } from '../shape.ts'
import {
  getEntry,
  getEntryText,
  locateKey,
  type MappingErrors,
  nodeAt,
  type NoteOption,
  type SourceNode,
  toPlain,
  type MapNode,
} from '../source/source.ts'
import type { Tables } from '../tables.ts'
import {
  type CellFinish,
  compileFinish,
  createPrinter,
  formatNumber,
  hasNumberForm,
  mayBeNumber,
  noteRefused,
  parseApiNumber,
  type RefuseCell,
  type OutputLimits,
  toPlainText,
  checkNumberForm,
} from './cell-format.ts'
import {
  compileCellLookup,
  compilePart,
  compileParts,
  createPartReader,
  createTotalReader,
  createTotalText,
  followInScope,
  type LookUpText,
  type ReadText,
  type ReadTotal,
  type RowScope,
  type ValuePart,
} from './cell-source.ts'
import { ColumnLeaf, NUMBER_OPTIONS } from './column-options.ts'
import { createValuesReader } from './paths.ts'
import { checkOptionTexts } from './write-options.ts'
import { compileDates } from '../fields/leaf-conversion.ts'
import { formatOptionList } from '../fields/leaf-options.ts'
import { checkPart } from '../source/schema.ts'
import { checkEscape } from '../values/text.ts'

export interface CellPlan extends Pick<CellReading, 'field' | 'perItem' | 'values' | 'steps'> {
  readonly name: string
  readonly title: string
  readonly text: ReadText
  /** Whether the written cell is a formula that is neither guarded nor kept on purpose. */
  readonly isOpenFormula: (cell: string) => boolean
  readonly holds: CellCondition | undefined
  /** A record in which it is blank is held. */
  readonly isRequired: boolean
  readonly hasDefault: boolean
  readonly written: unknown
}

export function compileCell(name: string, node: SourceNode, context: CellContext): CellPlan | undefined {
  const { errors } = context
  const before = errors.count()
  const options = parseColumnOptions(node, context)
  if (options === undefined) return undefined
  const reading = compileReading(node, options, context)
  const holds = compileCellCondition(node, context, errors)
  const { text, title, steps, blank, isOpenFormula } = compileCellText(
    { node, name, reading },
    options,
    context,
  )
  if (errors.count() > before) return undefined
  const { field, perItem, values } = reading
  const column = {
    name,
    title,
    field,
    perItem,
    values,
    steps,
    isOpenFormula,
    holds,
    isRequired: options.required === true,
    hasDefault: options.default !== undefined,
    written: toPlain(node),
  }
  if (holds === undefined) return { ...column, text }
  const chosen: ReadText = (record, item, refuse) =>
    holds(record, item) ? text(record, item, refuse) : blank
  return { ...column, text: chosen }
}

export const REQUIRED_FIX = 'Fill the value in at the API, or give the column a `default` in the mapping.'

/** Compiles all steps of the column's text. Finishes a constant or default once, here. */
function compileCellText(
  { node, name, reading }: { node: SourceNode; name: string; reading: CellReading },
  options: ColumnLeaf,
  { limits, errors }: CellContext,
): Pick<CellPlan, 'text' | 'title' | 'steps' | 'isOpenFormula'> & { readonly blank: string } {
  const { value, isNumber } = reading
  if (limits.isFixed && options.width === undefined) {
    errors.add(node, 'a column of a fixed-width file needs a `width`')
  }
  if (!limits.isFixed && options.align !== undefined) {
    errors.add(nodeAt(node, 'align'), '`align` is for fixed-width files')
  }
  checkOptionTexts(node, options, limits, errors)
  const { shape, layout, named } = compileFinish({ ...options, isNumber }, limits)
  const option = options.const === undefined ? 'default' : 'const'
  const noted = (at: string) => noteRefused(nodeAt(node, at), errors)
  const fitted = (text: string, at: string) => limits.fit?.(text, noted(at)) ?? text
  const laid = (text: string, at: string) => layout?.(fitted(text, at), noted(at)) ?? fitted(text, at)
  const title = limits.hasHeader ? (limits.isFixed ? laid : fitted)(name, '') : name
  const writtenText = getEntryText(node, option)
  const blank = laid('', '')
  const fallback = writtenText === undefined ? blank : laid(writtenText, option)
  // A constant is the choice of the mapping's author.
  if (value === undefined)
    return { title, blank, steps: [], text: () => fallback, isOpenFormula: () => false }
  const isDecided = limits.isFixed || (options.formulas ?? limits.formulas) !== undefined
  const isOpenFormula = (cell: string) => !isDecided && cell !== fallback && isFormula(cell)
  const text: ReadText = (record, item, refuse) => {
    const written = value(record, item, refuse)
    if (options.required && written.trim() === '') {
      return refuse('value-missing', `column "${name}" is blank`, REQUIRED_FIX)
    }
    if (written === '') return fallback
    const shaped = shape === undefined ? written : shape(written, refuse)
    return layout === undefined ? shaped : layout(shaped, refuse)
  }
  return { title, blank, text, isOpenFormula, steps: buildSteps(reading.steps, named) }
}

function buildSteps(before: readonly CellStep[], named: CellFinish['named']): CellStep[] {
  const steps = [...before]
  for (const { does, step } of named) {
    const last = steps.at(-1)
    if (last === undefined) continue
    const read: ReadText = (record, item, refuse) => {
      const text = last.read(record, item, refuse)
      return text === '' ? '' : step(text, refuse)
    }
    steps.push({ does, read })
  }
  return steps
}

// The text of a column before its finish: values printed, joined and looked up, a total or a flag.

export interface ExportContext {
  readonly errors: MappingErrors
  readonly tables: Tables
  readonly record: Shape
  readonly limits: OutputLimits
}

type CellContext = ExportContext & RowScope

interface CellStep {
  readonly does: string
  readonly read: ReadText
}

interface CellReading {
  /** The path of the API field; empty for a constant. */
  readonly field: string
  readonly perItem: boolean
  /** Undefined for a constant, and after its errors were noted. */
  readonly value: ReadText | undefined
  readonly isNumber: boolean
  readonly values: readonly Pick<ValuePart, 'path' | 'read'>[]
  readonly steps: readonly CellStep[]
}

/** Compiles how a column reads its value. Notes errors in its paths and tables. */
function compileReading(node: SourceNode, options: ColumnLeaf, context: CellContext): CellReading {
  const { sum, count, filled } = options
  const note = (option: string, message: string) => context.errors.add(nodeAt(node, option), message)
  if (filled !== undefined) {
    const flag = compileFlag(filled, options, context)
    if (typeof flag !== 'string') return { ...flag, ...toSingleStep(flag.text, 'filled'), isNumber: false }
    note('filled', flag)
    return { field: filled, perItem: false, ...toSingleStep(undefined, 'filled'), isNumber: false }
  }
  if (sum !== undefined || count !== undefined) {
    const total = createTotalReader(options, context.record, note)
    const isFlag = (options.yes ?? options.no) !== undefined
    const value = total && (isFlag ? createCountFlag(total, options) : createTotalText(total, options))
    const singleStep = toSingleStep(value, sum === undefined ? 'count' : 'sum')
    return { field: sum ?? count ?? '', perItem: false, ...singleStep, isNumber: !isFlag }
  }
  const parts = options.const === undefined ? compileParts(node, options, context, context.errors) : []
  const [first] = parts
  if (first !== undefined && options.minus !== undefined) {
    const text = compileDifference(node, first, options, context)
    const { path: field, perItem } = first
    return { field, perItem, isNumber: true, ...toSingleStep(text, 'minus'), values: parts }
  }
  const isTableNumber = options.table !== undefined && hasNumberForm(options)
  const isNumber =
    isTableNumber || (first?.kind !== 'text' && first?.kind !== undefined && mayBeNumber(first.kind))
  const read = compileValue(node, options, parts, context)
  return { field: first?.path ?? '', perItem: first?.perItem ?? false, isNumber, values: parts, ...read }
}

/** Compiles `minus`. Undefined after noting errors. A missing number counts as 0. */
function compileDifference(
  node: SourceNode,
  first: ValuePart,
  options: ColumnLeaf,
  { errors, ...scope }: CellContext,
): ReadText | undefined {
  const taken = compilePart(options.minus ?? '', scope, false)
  if (typeof taken === 'string') return errors.add(nodeAt(node, 'minus'), taken)
  for (const { kind, list, path } of [first, taken]) {
    if (list !== 'none' || !mayBeNumber(kind))
      return errors.add(nodeAt(node, 'minus'), `\`minus\` is for numbers; ${path} is not a number`)
  }
  const isPlain = !hasNumberForm(options)
  return (record, item, refuse) => {
    const value = first.read(record, item)
    if (value === undefined || value === null || value === '') return ''
    const minus = taken.read(record, item) ?? 0
    if (isPlain && Number.isSafeInteger(value) && Number.isSafeInteger(minus))
      return String((value as number) - (minus as number))
    const number = parseApiNumber(value, refuse)
    const less = parseApiNumber(minus, refuse)
    if (number === undefined || less === undefined) return ''
    return formatNumber(addDecimals(number, { ...less, units: -less.units }), options, refuse)
  }
}

function toSingleStep(value: ReadText | undefined, does: string) {
  return { value, values: [], steps: value === undefined ? [] : [{ does, read: value }] }
}

function compileValue(
  node: SourceNode,
  options: ColumnLeaf,
  parts: readonly ValuePart[],
  context: CellContext,
): Pick<CellReading, 'value' | 'steps'> {
  const { errors } = context
  if (parts.length > 0) checkKinds(node, options, parts, errors)
  const dates = compileDates(node, options, errors, 'write')
  const lookup =
    options.table === undefined || node.kind !== 'map' ? undefined : compileCellLookup(node, options, context)
  const { isFixed, isUnquoted } = context.limits
  const separator = options.join ?? (isFixed || isUnquoted ? ' ' : '\n')
  const { with: between = lookup === undefined ? ' ' : ' | ' } = options
  const readWith = (asked: typeof lookup): ReadText | undefined => {
    // With `all`, the table looks up the joined text and not its parts.
    const perPart = options.all === undefined ? asked : undefined
    const texts = parts.map((part) => {
      const steps = { print: createPrinter(part.kind, options, dates), lookup: perPart }
      return createPartReader(part, steps, { separator, escape: options.escape })
    })
    if (options.all !== undefined) return readJoined(texts, between, asked)
    return texts.length > 1 ? readFirstFilled(texts) : texts[0]
  }
  const value = readWith(lookup)
  const printed = lookup === undefined ? value : readWith(undefined)
  if (value === undefined || printed === undefined) return { value, steps: [] }
  const lookupSteps = lookup === undefined ? [] : [{ does: `table ${options.table ?? ''}`, read: value }]
  return { value, steps: [{ does: 'written', read: printed }, ...lookupSteps] }
}

function readJoined(texts: readonly ReadText[], between: string, lookup: LookUpText | undefined): ReadText {
  return (record, item, refuse) => {
    const filled = texts.map((read) => read(record, item, refuse)).filter((text) => text !== '')
    const text = filled.join(between)
    return lookup === undefined || text === '' ? text : lookup(text, refuse)
  }
}

function readFirstFilled(texts: readonly ReadText[]): ReadText {
  return (record, item, refuse) => {
    for (const read of texts) {
      const text = read(record, item, refuse)
      if (text !== '') return text
    }
    return ''
  }
}

// `when`: conditions on the fields of the record, or of the item that makes the row.

/** Whether the column is filled in this row. */
export type CellCondition = (record: unknown, item: unknown) => boolean

export function compileCellCondition(
  node: SourceNode,
  scope: RowScope,
  errors: MappingErrors,
): CellCondition | undefined {
  const written = getEntry(node, 'when')
  const condition = written && compileCondition(written, { errors })
  if (condition === undefined || written?.kind !== 'map') return undefined
  const named = condition.tests.flatMap(({ column, others }) =>
    [column, ...others].map((path) => ({ path, place: locateKey(written, column) })),
  )
  const readers = new Map(
    named.flatMap(({ path, place }) => {
      const part = compilePart(path, scope, false)
      if (typeof part === 'string') return errors.add(place, part) ?? []
      const reader = createPartReader(part, { print: toPlainText, lookup: undefined }, { separator: '\n' })
      return [[path, reader] as const]
    }),
  )
  const { tests } = condition
  const readPath = (path: string, record: unknown, item: unknown) =>
    readers.get(path)?.(record, item, NEVER_REFUSED).trim() ?? ''
  return (record, item) => {
    for (const { column, others, holds } of tests) {
      const readOther = others.length === 0 ? NO_OTHER : (path: string) => readPath(path, record, item)
      if (!holds(readPath(column, record, item), readOther)) return false
    }
    return true
  }
}

/** The tested values are plain texts. */
const NEVER_REFUSED: RefuseCell = () => ''
const NO_OTHER = () => ''

/** Compiles the flag of `filled`, or returns the error of its path. The path may lead to any kind of value. */
function compileFlag(written: string, { yes = 'true', no = 'false' }: ColumnLeaf, scope: RowScope) {
  const { perItem, path, followed } = followInScope(written, scope, true)
  if ('error' in followed) return followed.error
  const read = createValuesReader(path)
  const text: ReadText = (record, item) => (isFilled(read(perItem ? item : record)) ? yes : no)
  return { field: written, perItem, text }
}

/** Whether the value is filled. Blank texts, empty lists and objects without a filled field are not; false and zero are. */
function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== ''
  if (Array.isArray(value)) return value.some(isFilled)
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isFilled)
  return value !== null && value !== undefined
}

/** Formats a count above zero as `yes`, else as `no`. */
function createCountFlag(count: ReadTotal, { yes = 'true', no = 'false' }: ColumnLeaf): ReadText {
  return (record, _item, refuse) => ((count(record, refuse)?.units ?? 0n) > 0n ? yes : no)
}

// The options of a column: where its value comes from, and which options go together.

const SOURCE_OPTIONS = ['from', 'firstOf', 'all', 'sum', 'count', 'filled', 'const', 'kept'] as const

/** `limits`: those of the cell, which may have a width without an option. */
export function parseColumnOptions(
  node: SourceNode,
  { errors, limits }: { readonly errors: MappingErrors; readonly limits?: OutputLimits },
): ColumnLeaf | undefined {
  if (node.kind === 'text' && typeof node.value === 'string' && node.value !== '') return { from: node.value }
  if (node.kind !== 'map') {
    return errors.add(node, 'write the path of an API field, or options such as { from: … }')
  }
  const options = checkPart(ColumnLeaf, node, errors)
  if (options === undefined) return undefined
  const before = errors.count()
  const note = (option: string, message: string) => errors.add(nodeAt(node, option), message)
  if (SOURCE_OPTIONS.filter((source) => options[source] !== undefined).length !== 1) {
    errors.add(node, `say where the value comes from with exactly one of ${formatOptionList(SOURCE_OPTIONS)}`)
  } else {
    checkSource(node, options, note)
  }
  const { table, pick, reverse, miss, minus } = options
  if (minus !== undefined && options.from === undefined) note('minus', '`minus` needs `from`')
  if (minus !== undefined && table !== undefined) note('minus', '`minus` and `table` exclude each other')
  for (const [option, given] of Object.entries({ pick, reverse, miss })) {
    if (given !== undefined && table === undefined) note(option, `\`${option}\` needs a \`table\``)
  }
  if (pick !== undefined && reverse !== undefined) note('reverse', '`pick` and `reverse` exclude each other')
  checkNumberForm(options, note)
  const { join, escape } = options
  const wrong = escape !== undefined && join !== undefined ? checkEscape(escape, join) : undefined
  if (escape !== undefined && !join) note('escape', '`escape` needs `join`')
  if (wrong !== undefined) note('escape', wrong)
  if (options.long !== undefined && (options.width ?? limits?.width) === undefined)
    note('long', '`long: cut` needs a `width`')
  return errors.count() === before ? options : undefined
}

/** A constant and a total take fewer options than a value. */
function checkSource(node: MapNode, options: ColumnLeaf, note: NoteOption) {
  const otherKeys = [...node.entries.keys()]
  if (options.const !== undefined) {
    const fit: readonly string[] = ['const', 'when', 'width', 'align']
    if (otherKeys.some((key) => !fit.includes(key))) note('', 'a constant takes no other options')
  } else if (options.sum !== undefined || options.count !== undefined) {
    const flag = options.count === undefined ? [] : ['yes', 'no']
    const isFlag = (options.yes ?? options.no) !== undefined
    const form = options.count !== undefined && isFlag ? ['long'] : ['pad', ...NUMBER_OPTIONS]
    const fit: readonly string[] = ['sum', 'count', 'when', 'width', 'align', ...flag, ...form]
    const unfit = otherKeys.find((key) => !fit.includes(key))
    if (unfit !== undefined) note(unfit, `a sum or a count takes no \`${unfit}\``)
  } else if (options.filled !== undefined) {
    const fit: readonly string[] = ['filled', 'yes', 'no', 'when', 'width', 'align', 'long']
    const unfit = otherKeys.find((key) => !fit.includes(key))
    if (unfit !== undefined) note(unfit, `\`filled\` says yes or no, and takes no \`${unfit}\``)
  }
  if (options.required && options.default !== undefined) {
    note('required', 'a column with a `default` is never blank')
  }
  if (options.with !== undefined && options.all === undefined) note('with', '`with` is for `all`')
}

/** Notes options for dates, booleans, numbers or lists where the column has no such value. */
export function checkKinds(
  node: SourceNode,
  options: ColumnLeaf,
  parts: readonly ValuePart[],
  errors: MappingErrors,
): void {
  const note = (option: string, message: string) => errors.add(nodeAt(node, option), message)
  const some = (...kinds: readonly ValuePart['kind'][]) => parts.some(({ kind }) => kinds.includes(kind))
  if (options.format !== undefined && !some('dateTime', 'date')) note('format', '`format` is for dates')
  if (options.zone !== undefined && (!some('dateTime') || options.format === undefined)) {
    note('zone', '`zone` is for dates with times, together with `format`')
  }
  if (options.join !== undefined && parts.every(({ list }) => list === 'none')) {
    note('join', '`join` is for lists of texts')
  }
  for (const option of ['yes', 'no'] as const) {
    if (options[option] === undefined || some('boolean')) continue
    const path = parts[0]?.path ?? ''
    note(
      option,
      `\`${option}\` is for true and false, and ${path} is neither; to say whether it is there write \`filled: ${path}\``,
    )
  }
  if (options.table !== undefined) return
  for (const option of NUMBER_OPTIONS) {
    if (options[option] !== undefined && !parts.some(({ kind }) => mayBeNumber(kind))) {
      note(option, `\`${option}\` is for numbers`)
    }
  }
}
