/** Compiles one leaf of a body: where its text comes from and how it becomes the value of its field. */
import type { FieldRule } from '../../contract/fields.ts'
import { isReference, REFERENCES, type ReferenceKind } from '../../contract/references.ts'
import type { ConditionContext } from '../rows/conditions.ts'
import { checkNames, type NameContext, placeOf, sourcePlace } from './leaf-names.ts'
import { optionsOf } from './leaf-options.ts'
import { type Origins, originsOf } from './leaf-origins.ts'
import { type Spill, textSteps, withSteps } from './leaf-steps.ts'
import type { BodyLeaf } from '../options.ts'
import type { AwaitsPlan, LeafPlan, LeafSteps } from './plan.ts'
import { describeRule } from '../shape.ts'
import type { MapNode, Mistakes, SourceNode } from '../source/source.ts'
import { KEY_SEPARATOR, type Tables } from '../tables.ts'
import { compileCalc } from './leaf-calc.ts'
import { compileDates } from './leaf-dates.ts'
import { compileLookup } from './leaf-lookup.ts'
import { convertNow, listConverter } from './leaf-values.ts'
import { numberOptions } from './leaf-numbers.ts'
import { fallbackWords, gatheringWords, valueWords } from './leaf-words.ts'
import { converterFor } from '../values/convert.ts'
import { blanksOf } from '../values/text.ts'
import type { Convert } from '../values/value.ts'

export interface LeafContext extends NameContext {
  readonly tables: Tables
  /** What stands before the decimals of the numbers in the file, unless a leaf says otherwise. */
  readonly decimal: '.' | ',' | undefined
  /** Texts that mean blank in the file, unless a leaf says otherwise. */
  readonly blanks: ReadonlySet<string>
  /** Why a value cannot be taken from an order; undefined where the record is about one. */
  readonly noOrder: string | undefined
  /** Leaves that share out the lines of one text, by what they have in common. */
  readonly spills: Map<string, Spill>
}

export interface LeafTarget {
  readonly field: string
  readonly perRow: boolean
  readonly rule: FieldRule
  /** Whether the field is a list of such values. */
  readonly list: boolean
  readonly required: boolean
  /** Whether no body can be without the field. */
  readonly needed: boolean
}

/** What the conditions on a row, or on a record, may look at. */
export function conditionsOf(
  { mistakes, columnsFor, decimal }: LeafContext,
  perRow: boolean,
): ConditionContext {
  return { mistakes, columns: columnsFor(perRow), of: perRow ? 'row' : 'record', decimal }
}

/** The plan of the leaf, or undefined after its mistakes were noted. */
export function compileLeaf(
  node: SourceNode,
  target: LeafTarget,
  context: LeafContext,
): LeafPlan | undefined {
  const { mistakes } = context
  const before = mistakes.count()
  const options = optionsOf(node, target, mistakes)
  if (options === undefined) return undefined
  const calc = compileCalc(node, options, target.rule, context)
  const note = (message: string) => mistakes.add(sourcePlace(node), message)
  const origins = originsOf(options, calc, { perRow: target.perRow, note })
  checkNames(node, calc, { origins, perRow: target.perRow }, context)
  const awaits = awaitsOf(node, options, target, context)
  const fallback = node.kind === 'map' ? compileFallback(node, target, mistakes) : undefined
  const converting = compileConvert(
    { node, options, origins, hasDefault: fallback !== undefined },
    target,
    context,
  )
  if (mistakes.count() > before || converting === undefined) return undefined
  return {
    kind: 'leaf',
    field: target.field,
    perRow: target.perRow,
    ...origins,
    ...(options.all === undefined ? {} : { joinedWith: separatorOf(options) }),
    ...(calc === undefined ? {} : { calc }),
    blanks: options.blanks === undefined ? context.blanks : blanksOf(options.blanks),
    ...(fallback === undefined ? {} : { fallback }),
    ...converting,
    required: target.required,
    columnRequired: target.needed && fallback === undefined,
    ...(options.find === undefined ? {} : { reference: options.find }),
    ...(awaits === undefined ? {} : { awaits }),
  }
}

function awaitsOf(
  node: SourceNode,
  { order, kept }: BodyLeaf,
  { perRow }: LeafTarget,
  { mistakes, noOrder }: LeafContext,
): AwaitsPlan | undefined {
  const from = order === undefined ? 'kept' : 'order'
  const name = order ?? kept
  if (name === undefined) return undefined
  if (noOrder !== undefined) mistakes.add(placeOf(node, from), noOrder)
  else if (perRow) mistakes.add(placeOf(node, from), 'a line takes no value of the order: columns fill it')
  return { from, name }
}

/** The keys of a table stand between bars, so those of a leaf do too. */
function separatorOf({ with: separator, table }: BodyLeaf): string {
  return separator ?? (table === undefined ? ' ' : KEY_SEPARATOR)
}

interface WrittenLeaf {
  readonly node: SourceNode
  readonly options: BodyLeaf
  readonly origins: Origins
  readonly hasDefault: boolean
}

/** The whole conversion, and the steps it is made of. */
function compileConvert(
  written: WrittenLeaf,
  target: LeafTarget,
  context: LeafContext,
): Pick<LeafPlan, 'convert' | 'steps'> | undefined {
  const { node, options, origins, hasDefault } = written
  const { rule, list } = target
  const value = valueConverter(node, options, target, context)
  const converted = list ? listConverter(value, rule, options) : value
  const note = (option: keyof BodyLeaf, message: string) =>
    context.mistakes.add(placeOf(node, option), message)
  const lookup = options.table === undefined ? undefined : compileLookup(options, context.tables, note)
  const key = JSON.stringify([target.field.replace(/[^.]*$/, ''), origins.origins, options.wrap])
  const spill = context.spills.get(key) ?? { last: 0 }
  context.spills.set(key, spill)
  const texts = textSteps(options, { rule, list, hasDefault, spill, note })
  if (options.table !== undefined && lookup === undefined) return undefined
  const lookedUp = lookup?.converter(converted) ?? converted
  const asked = valueWords(options, list)
  const steps: LeafSteps = {
    gathering: gatheringWords(options),
    texts: lookup === undefined ? texts : [...texts, lookup.step],
    value: { does: asked || `as ${describeRule(rule)}`, isAsked: asked !== '', convert: converted },
    fallback: fallbackWords(options),
  }
  return { convert: withSteps(lookedUp, texts), steps }
}

/** What stands for the id until it is found. */
function nameRule(kind: ReferenceKind): FieldRule {
  return { kind: 'text', max: REFERENCES[kind].max }
}

/** What a calculation gives is written plainly, however its columns are. */
function valueConverter(
  node: SourceNode,
  options: BodyLeaf,
  { rule }: LeafTarget,
  { mistakes, decimal }: LeafContext,
): Convert {
  const { zone, calc, long } = options
  const dates = compileDates(
    node,
    calc === undefined ? options : zone === undefined ? {} : { zone },
    mistakes,
    'read',
  )
  const { round, ...numbers } = numberOptions(options, decimal)
  const plain = calc === undefined ? numbers : { decimal: '.' as const }
  return converterFor(options.find === undefined ? rule : nameRule(options.find), dates, {
    ...plain,
    ...(round === undefined ? {} : { round }),
    ...(long === undefined ? {} : { cut: true }),
  })
}

/** The constant or the default, as the value it stands for. */
function compileFallback(node: MapNode, target: LeafTarget, mistakes: Mistakes): unknown {
  const written = node.entries.get('const')?.node ?? node.entries.get('default')?.node
  if (written?.kind !== 'text') return undefined
  if (written.text.trim() === '') {
    mistakes.add(written, 'an empty text is never sent: leave the option out')
    return undefined
  }
  const find = node.entries.get('find')?.node
  const rule = find?.kind === 'text' && isReference(find.text) ? nameRule(find.text) : target.rule
  const value = converterFor(rule, compileDates(node, {}, mistakes, 'read'))
  const result = convertNow(target.list ? listConverter(value, target.rule, {}) : value, written.text.trim())
  if (result.refused === undefined) return result.value
  mistakes.add(written, result.refused)
  return undefined
}
