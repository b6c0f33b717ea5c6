/** Compiles one leaf of a body: where its text comes from and how it becomes the value of its field. */
import { type FieldRule, isReference, type ReferenceKind, REFERENCES } from '../../contract/fields.ts'
import { type CalcPlan, parseCalc } from '../calc/calculation.ts'
import { compileCondition, type ConditionContext } from '../rows/conditions.ts'
import { describeRule } from '../shape.ts'
import {
  getEntry,
  getEntryText,
  type MappingErrors,
  nodeAt,
  type NoteOption,
  type SourceNode,
} from '../source/source.ts'
import {
  describeMiss,
  findTable,
  KEY_SEPARATOR,
  normalizeKey,
  noteWrongRow,
  suggestKeys,
  type Table,
  type TableColumn,
  type Tables,
} from '../tables.ts'
import { createConverter } from '../values/convert.ts'
import { type DateOptions, findDateOrder } from '../values/dates.ts'
import { type Convert, normalizeBlanks } from '../values/text.ts'
import {
  compileDates,
  compileTextSteps,
  convertText,
  createListConverter,
  type LineOverflow,
  prependSteps,
  resolveNumberOptions,
  type TextStep,
} from './leaf-conversion.ts'
import { parseLeafOptions } from './leaf-options.ts'
import {
  checkColumnNames,
  type ColumnContext,
  compileSources,
  findSourceNode,
  type LeafSources,
} from './leaf-sources.ts'
import type { BodyLeaf } from './options.ts'
import type { DeferredPlan, LeafPlan, LeafSteps, LeafTarget } from './plan.ts'

export interface LeafContext extends ColumnContext {
  readonly tables: Tables
  /** The decimal mark of the file, unless a leaf says otherwise. */
  readonly decimal: '.' | ',' | undefined
  /** Whether the mapping says that points stand between thousands. */
  readonly isPointGrouping: boolean
  /** Whether texts may show signs of a wrong encoding. */
  readonly allowsDamage: boolean
  /** Texts that mean blank in the file, unless a leaf says otherwise. */
  readonly blanks: ReadonlySet<string>
  /** Why the record has no order to take values from; undefined where it is about one. */
  readonly noOrder: string | undefined
  /** Leaves that share the lines of one text, by the options they have in common. */
  readonly overflows: Map<string, LineOverflow>
}

type NumberContext = Pick<LeafContext, 'decimal' | 'isPointGrouping'>

export function createConditionContext(
  { errors, columnsFor, decimal, paths }: LeafContext,
  perRow: boolean,
): ConditionContext {
  const checkPath = paths && ((path: string) => paths.check(path, perRow))
  return { errors, columns: columnsFor(perRow), of: perRow ? 'row' : 'record', decimal, checkPath }
}

type Leaf = LeafPlan | undefined

export function compileLeaf(node: SourceNode, target: LeafTarget, context: LeafContext): Leaf {
  const { errors } = context
  const before = errors.count()
  const { field, perRow, required, rule } = target
  const options = parseLeafOptions(node, target, errors)
  if (options === undefined) return undefined
  const calc = compileCalc(node, options, rule, context)
  const note = (message: string) => errors.add(findSourceNode(node), message)
  const sources = compileSources(options, calc, { perRow, note, paths: context.paths })
  const row = compileRowCondition(node, perRow, context)
  checkColumnNames(node, calc, { sources, perRow: perRow || row !== undefined }, context)
  const deferred = compileDeferred(node, options, target, context)
  const fallback = compileFallback(node, target, errors)
  const source = { node, options, sources, hasDefault: fallback !== undefined }
  const converting = compileConversion(source, target, context)
  if (errors.count() > before || converting === undefined) return undefined
  const { lookup, ...converted } = converting
  const written = getWrittenValue(node)
  return {
    kind: 'leaf',
    field,
    perRow,
    ...sources,
    joinedWith: options.all === undefined ? undefined : resolveSeparator(options),
    row,
    calc,
    blanks: options.blanks === undefined ? context.blanks : normalizeBlanks(options.blanks),
    fallback,
    ...converted,
    origin:
      options.const === undefined ? lookup?.origin : `the constant (${errors.formatLine(written ?? node)})`,
    held: () => [
      ...(fallback === undefined ? [] : [{ value: fallback, place: written ?? node }]),
      ...(lookup?.held() ?? []),
    ],
    required,
    columnRequired: target.needed && fallback === undefined,
    reference: options.find,
    deferred,
    warnsOfGrouping:
      NUMBER_KINDS.includes(target.rule.kind) &&
      options.calc === undefined &&
      converted.steps.texts.length === 0 &&
      warnsOfGrouping(options, context),
    warnsOfRounding:
      options.calc === undefined && converted.steps.texts.length === 0
        ? findDoubtfulRounding(options, target.rule, context)
        : undefined,
    warnsOfDamage: target.rule.kind === 'text' && !context.allowsDamage,
    written: { options, target },
  }
}

const NUMBER_KINDS: readonly FieldRule['kind'][] = ['integer', 'money', 'decimal']

/** Where the mapping does not say itself that points stand between thousands. */
function warnsOfGrouping(options: BodyLeaf, { decimal, isPointGrouping }: NumberContext): boolean {
  return !isPointGrouping && resolveNumberOptions(options, decimal).decimal === ','
}

/** To how many decimals a number is rounded whose decimal mark the mapping does not state. Documents have points alone. */
function findDoubtfulRounding(
  options: BodyLeaf,
  rule: FieldRule,
  { decimal, paths }: Pick<LeafContext, 'decimal' | 'paths'>,
): number | undefined {
  const numbers = resolveNumberOptions(options, decimal)
  const isStated = numbers.decimal !== undefined || numbers.implied !== undefined || paths !== undefined
  return isStated || numbers.round === undefined || rule.kind === 'integer' ? undefined : countDecimals(rule)
}

function compileRowCondition(node: SourceNode, perRow: boolean, context: LeafContext) {
  const written = getEntry(node, 'row')
  if (written === undefined) return undefined
  if (perRow) return context.errors.add(written, 'a line takes its values from its own row: leave `row` out')
  return compileCondition(written, createConditionContext(context, true))
}

function compileDeferred(
  node: SourceNode,
  { order, kept }: BodyLeaf,
  { perRow }: LeafTarget,
  { errors, noOrder }: LeafContext,
): DeferredPlan | undefined {
  const from = order === undefined ? 'kept' : 'order'
  const name = order ?? kept
  if (name === undefined) return undefined
  const why = noOrder ?? (perRow ? 'a line takes no value of the order: columns fill it' : undefined)
  if (why !== undefined) errors.add(nodeAt(node, from), why)
  return { from, name }
}

function resolveSeparator({ with: separator, table }: BodyLeaf): string {
  return separator ?? (table === undefined ? ' ' : KEY_SEPARATOR)
}

function compileConversion(
  {
    node,
    options,
    sources,
    hasDefault,
  }: { node: SourceNode; options: BodyLeaf; sources: LeafSources; hasDefault: boolean },
  target: LeafTarget,
  context: LeafContext,
) {
  const { rule, list } = target
  const dates = compileValueDates(node, options, context)
  const value = createValueConverter(options, dates, target, context)
  const converted = list ? createListConverter(value, rule, options) : value
  const note = (option: keyof BodyLeaf, message: string) => context.errors.add(nodeAt(node, option), message)
  const lookup =
    options.table === undefined ? undefined : compileLookup(options, context, { field: target.field, note })
  const key = JSON.stringify([target.field.replace(/[^.]*$/, ''), sources.sources, options.wrap])
  const overflow = context.overflows.get(key) ?? { last: 0 }
  context.overflows.set(key, overflow)
  const texts = compileTextSteps(options, { rule, list, hasDefault, overflow, note })
  if (options.table !== undefined && lookup === undefined) return undefined
  const lookedUp = lookup?.convert(converted)
  const asked = formatValueOptions(options, list)
  const steps: LeafSteps = {
    gathering: formatGathering(options),
    texts: lookup === undefined ? texts : [...texts, lookup.step],
    value: { does: asked || `as ${describeRule(rule)}`, isAsked: asked !== '', convert: converted },
    fallback: options.const === undefined ? `default ${formatOption(options.default)}` : 'const',
  }
  const findOrder: Convert = (text) => findDateOrder(text, dates)
  const isDate = (rule.kind === 'date' || rule.kind === 'dateTime') && !list && lookup === undefined
  return {
    convert: prependSteps(lookedUp?.convert ?? converted, texts),
    ...(isDate && dates.otherOrders !== undefined ? { findDateOrder: prependSteps(findOrder, texts) } : {}),
    steps,
    lookup: lookedUp,
  }
}

/** Returns the rule for the name that replaces the id until the bridge finds the id. */
function toReferenceRule(kind: ReferenceKind): FieldRule {
  const { max } = REFERENCES[kind]
  return kind === 'order' ? { kind: 'text', max, code: 'number' } : { kind: 'text', max }
}

/** A calculation reads its columns by their format, and gives plain text. */
function compileValueDates(
  node: SourceNode,
  options: BodyLeaf,
  { errors, paths }: Pick<LeafContext, 'errors' | 'paths'>,
): DateOptions {
  const { zone, calc } = options
  const written = compileDates(node, calc === undefined ? options : { zone }, errors, 'read')
  return paths === undefined ? written : { ...written, isCompact: true }
}

/** Converts a calculation's result as plain text, whatever the format of its columns. */
function createValueConverter(
  options: BodyLeaf,
  dates: DateOptions,
  { rule }: LeafTarget,
  { decimal, allowsDamage }: Pick<LeafContext, 'decimal' | 'allowsDamage'>,
): Convert {
  const { calc, long } = options
  const isCell = options.table === undefined && options.order === undefined && options.kept === undefined
  const { round, ...numbers } = resolveNumberOptions(options, decimal)
  const plain = calc === undefined ? numbers : { decimal: '.' as const }
  const sent = options.find === undefined ? rule : toReferenceRule(options.find)
  return createConverter(sent, dates, { ...plain, round, cut: long !== undefined, allowsDamage, isCell })
}

function getWrittenValue(node: SourceNode): SourceNode | undefined {
  return getEntry(node, 'const') ?? getEntry(node, 'default')
}

function compileFallback(node: SourceNode, target: LeafTarget, errors: MappingErrors): unknown {
  const written = getWrittenValue(node)
  if (written?.kind !== 'text') return undefined
  const text = written.text.trim()
  if (text === '') return errors.add(written, 'an empty text is never sent: leave the option out')
  const find = getEntryText(node, 'find')
  const rule = find !== undefined && isReference(find) ? toReferenceRule(find) : target.rule
  const value = createConverter(rule, compileDates(node, {}, errors, 'read'))
  const result = convertText(target.list ? createListConverter(value, target.rule, {}) : value, text)
  return result.refused === undefined ? result.value : errors.add(written, result.refused)
}

// Compiles `calc`: how its columns are read, and how its result is rounded.

function compileCalc(
  node: SourceNode,
  options: BodyLeaf,
  rule: FieldRule,
  context: NumberContext & Pick<LeafContext, 'errors' | 'paths'>,
): CalcPlan | undefined {
  if (options.calc === undefined) return undefined
  const { errors, decimal, paths } = context
  const calc = parseCalc(options.calc, rule.kind === 'date' || rule.kind === 'dateTime' ? 'date' : 'number')
  if (typeof calc === 'string') return errors.add(nodeAt(node, 'calc'), calc)
  const { round: rounding, ...numbers } = resolveNumberOptions(options, decimal)
  const decimals = countDecimals(rule)
  const round = rounding === undefined || decimals === undefined ? undefined : { decimals, rounding }
  const dates = compileDates(node, options, errors, 'read')
  return {
    calc,
    numbers,
    warnsOfGrouping: warnsOfGrouping(options, context),
    dates: paths === undefined ? dates : { ...dates, isCompact: true },
    round,
  }
}

/** Returns how many decimals a field keeps; undefined for a field that is not a number. */
function countDecimals(rule: FieldRule): number | undefined {
  if (rule.kind === 'money') return 2
  if (rule.kind === 'integer') return 0
  return rule.kind === 'decimal' ? rule.decimals : undefined
}

// Formats the options of a leaf as the mapping writes them, for explanations.

function formatGathering(options: BodyLeaf): string {
  const { all, calc, with: separator } = options
  if (calc !== undefined) return [`calc ${calc}`, ...formatOptions(options, CALC_OPTION_NAMES)].join(', ')
  if (all === undefined) return ''
  return separator === undefined ? 'all' : `all with ${JSON.stringify(separator)}`
}

/** In a calculation, these options apply to its columns. */
const CALC_OPTION_NAMES = ['format', 'decimal', 'implied'] as const

const VALUE_OPTION_NAMES = ['format', 'zone', 'decimal', 'implied', 'round', 'long', 'find'] as const

function formatValueOptions(options: BodyLeaf, isList: boolean): string {
  if (options.calc !== undefined) return formatOptions(options, ['zone', 'round']).join(', ')
  const ofList = isList ? (['split', 'wrap'] as const) : []
  return formatOptions(options, [...ofList, ...VALUE_OPTION_NAMES]).join(', ')
}

function formatOptions(options: BodyLeaf, names: readonly (keyof BodyLeaf)[]): string[] {
  return names
    .filter((name) => options[name] !== undefined)
    .map((name) => `${name} ${formatOption(options[name])}`)
}

function formatOption(option: unknown): string {
  if (Array.isArray(option)) return option.map(String).join(' or ')
  return typeof option === 'string' && /^[\w:/.-]+(?: [\w:/.-]+)*$/.test(option)
    ? option
    : JSON.stringify(option)
}

// Compiles the lookup of a leaf: as one of its steps, and as a conversion of values that are converted beforehand.

/** Returns the lookup as a step, and its conversion; undefined after noting errors. */
export function compileLookup(
  options: BodyLeaf,
  { tables, errors }: { readonly tables: Tables; readonly errors: MappingErrors },
  { field, note }: { readonly field: string; readonly note: NoteOption<'table' | 'pick'> },
) {
  const { table: name = '', pick } = options
  const found = findTable(tables, { table: name, pick }, note)
  if (found === undefined) return undefined
  const { table } = found
  const wrong = checkKeys(table, options)
  if (wrong !== undefined) note('table', wrong)
  const step = createLookupStep(found, options)
  const noteRow = (key: string, refused: string) => noteWrongRow(errors, table, { key, field, refused })
  const origin = options.miss === 'keep' ? undefined : table.origin
  const convert = (to: Convert) => ({ ...createLookupConverter(table, step, to, noteRow), origin })
  return { step, convert }
}

function checkKeys({ name, keys, keyColumns }: Table, { all, with: separator }: BodyLeaf) {
  if (keyColumns === 1) return undefined
  if (all?.length !== keyColumns) {
    return `the table "${name}" has ${keyColumns} key columns: name as many with \`all\``
  }
  if (separator === undefined || keys.length === 0) return undefined
  return `the table "${name}" has several key columns: leave \`with\` out`
}

/** Messages show this many values that do not fit their field. */
const MAX_SHOWN = 5

function createLookupStep({ table, column }: TableColumn, options: BodyLeaf): TextStep {
  const { pick, miss = 'refuse' } = options
  return {
    option: 'table',
    does: `table ${table.name}${pick === undefined ? '' : ` pick ${pick}`}`,
    apply(text, refuse) {
      const row = table.rows.get(normalizeKey(text))
      if (row !== undefined) return row[column] ?? ''
      if (miss === 'refuse') return refuse('lookup-missed', describeMiss(table, text), suggestKeys(table))
      return miss === 'keep' ? text : ''
    },
  }
}

/** Looks texts up. Converts the table's texts once, here, so that a wrong one is an error of the mapping. */
function createLookupConverter(
  table: Table,
  { apply }: TextStep,
  convert: Convert,
  noteRow: (key: string, refused: string) => void,
) {
  const lookedUp = prependSteps(convert, [{ apply }])
  const values = new Map<string, unknown>()
  // Fast path: most texts are spelled as in the table.
  const spelled = new Map<string, unknown>()
  let wrong = 0
  for (const key of table.keys) {
    const { value, refused } = convertText(lookedUp, key)
    values.set(normalizeKey(key), value)
    spelled.set(key, value)
    if (refused === undefined) continue
    wrong += 1
    if (wrong <= MAX_SHOWN) noteRow(key, refused)
  }
  const look: Convert = (text, refuse) => {
    const found = spelled.get(text)
    if (found !== undefined) return found
    const key = normalizeKey(text)
    return values.has(key) ? values.get(key) : lookedUp(text, refuse)
  }
  const held = () => [...spelled].map(([key, value]) => ({ value, place: table.locate(key) }))
  return { convert: look, held }
}
