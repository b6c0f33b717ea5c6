/** The options of a leaf as they are written: its short forms, and which of them fit the field and each other. */
import { checkPart } from '../source/schema.ts'
import { BodyLeaf } from './options.ts'
import type { LeafTarget } from './plan.ts'
import { describeRule, showConstant } from '../shape.ts'
import { type MapNode, type MappingErrors, nodeAt, type SourceNode, toPlain } from '../source/source.ts'
import { GS1_WIDTHS } from '../values/convert.ts'
import { checkEscape } from '../values/text.ts'

/** The parts of the field that decide which options fit. */
type OptionTarget = Pick<LeafTarget, 'rule' | 'list'>

/** The leaf in its long form; a name or a list of names is `from`. Undefined after its errors were noted. */
export function parseLeafOptions(node: SourceNode, target: OptionTarget, errors: MappingErrors) {
  if (node.kind === 'map') {
    const options = checkPart(BodyLeaf, node, errors)
    return options !== undefined && checkOptions(node, options, target, errors) ? options : undefined
  }
  const names = toPlain(node)
  if (typeof names === 'string' && names.trim() !== '') return { from: names }
  const isName = (name: unknown) => typeof name === 'string' && name !== ''
  if (Array.isArray(names) && names.length > 0 && names.every(isName)) return { from: names as string[] }
  if (node.kind === 'list' && node.items.some(({ kind }) => kind !== 'text'))
    return errors.add(node, ONE_VALUE)
  const written = node.kind === 'text' && node.text !== '' ? `"${node.text}"` : 'this'
  return errors.add(
    node,
    typeof names === 'number' || typeof names === 'boolean'
      ? `${written} is not a column name: put a name in quotes, or write { const: ${names} }`
      : `${written} names no column: write a column name, a list of names, or a constant such as ${showConstant(target.rule)}`,
  )
}

const ONE_VALUE =
  'one value belongs here, and this is a list of more than names: take the brackets or the dash away, as in { from: Qty }'

type ReportOptionError = (option: keyof BodyLeaf, message: string) => void

const SOURCE_OPTIONS = ['from', 'firstOf', 'all', 'every', 'sum', 'calc', 'const', 'order', 'kept'] as const

function checkOptions(node: MapNode, options: BodyLeaf, target: OptionTarget, errors: MappingErrors) {
  const before = errors.count()
  const note: ReportOptionError = (name, message) => errors.add(nodeAt(node, name), message)
  const sources = SOURCE_OPTIONS.filter((name) => options[name] !== undefined)
  if (sources.length !== 1) {
    errors.add(node, `say where the value comes from with exactly one of ${formatOptionList(SOURCE_OPTIONS)}`)
  }
  if (options.const !== undefined && sources.length === 1) {
    checkConstant(options, target, note)
  } else {
    checkRequiredOptions(options, target, note)
    checkFieldKind(options, target, note)
    checkExclusions(options, note)
  }
  return errors.count() === before
}

/** Checks a constant, which may name something whose id the bridge looks up. */
function checkConstant(options: BodyLeaf, target: OptionTarget, note: ReportOptionError): void {
  const [other] = Object.keys(options).filter((name) => name !== 'const' && name !== 'find')
  if (other !== undefined) note(other as keyof BodyLeaf, 'a constant takes no other options')
  else checkFieldKind(options, target, note)
}

/** Options that mean something only together with others. */
function checkRequiredOptions(options: BodyLeaf, { list }: OptionTarget, note: ReportOptionError): void {
  const hasColumns = (options.from ?? options.firstOf ?? options.all) !== undefined
  const needs: readonly [keyof BodyLeaf, boolean, string][] = [
    ['pick', options.table !== undefined, '`pick` needs a `table`'],
    ['miss', options.table !== undefined, '`miss` needs a `table`'],
    ['with', options.all !== undefined || options.every !== undefined, '`with` needs `all` or `every`'],
    ['nth', options.from !== undefined, '`nth` needs `from`'],
    ['row', hasColumns, '`row` needs `from`, `firstOf` or `all`'],
    ['at', options.split !== undefined || options.wrap !== undefined, '`at` needs `split` or `wrap`'],
    ['escape', options.split !== undefined, '`escape` needs `split`'],
    ['split', list || options.at !== undefined, '`split` needs `at`, unless the field is a list of texts'],
    ['wrap', list || options.at !== undefined, '`wrap` needs `at`, unless the field is a list of texts'],
  ]
  for (const [name, isThere, message] of needs)
    if (options[name] !== undefined && !isThere) note(name, message)
}

function checkFieldKind(options: BodyLeaf, target: OptionTarget, note: ReportOptionError): void {
  const { rule, list } = target
  const { kind } = rule
  const reference = kind === 'integer' ? rule.reference : undefined
  const isText = kind === 'text' || options.find !== undefined
  const max = kind === 'text' ? rule.max : undefined
  const isDate = kind === 'dateTime' || kind === 'date'
  const isNumber = ['integer', 'money', 'decimal'].includes(kind) && options.find === undefined
  const unfit: readonly [keyof BodyLeaf, boolean, string][] = [
    ['format', isDate, 'dates'],
    ['zone', kind === 'dateTime', 'dates with times'],
    ['find', reference !== undefined, 'ids of what a file names by something else'],
    ['wrap', isText, 'texts'],
    ['at', !list, 'single values'],
    ['case', isText, 'texts'],
    ['pad', isText && !list, 'texts'],
    ['digits', isText && !list, 'texts'],
    ['long', max !== undefined && options.find === undefined, 'texts that the API limits'],
    ['decimal', isNumber || options.calc !== undefined, 'numbers'],
    ['implied', isNumber || options.calc !== undefined, 'numbers'],
    ['round', isNumber, 'numbers'],
    ['calc', (isNumber || isDate || kind === 'text') && !list, 'numbers, dates and texts'],
  ]
  const what = list ? 'a list of texts' : describeRule(rule)
  for (const [name, fits, use] of unfit) {
    if (options[name] !== undefined && !fits) note(name, `\`${name}\` is for ${use}; this field is ${what}`)
  }
  if (options.wrap !== undefined && max !== undefined && options.wrap > max) {
    note('wrap', `the API takes at most ${max} characters here`)
  }
  const isUpc = kind === 'text' && rule.code === 'upc'
  if (options.digits !== undefined && isUpc && !GS1_WIDTHS.includes(options.digits)) {
    note('digits', `a UPC or EAN has ${GS1_WIDTHS.join(', ')} digits`)
  }
}

/** The result of a calculation takes no further steps. */
const NOT_WITH_CALC = ['find', 'table', 'match', 'split', 'wrap', 'case', 'pad', 'digits', 'long'] as const

function checkExclusions(options: BodyLeaf, note: ReportOptionError): void {
  const excluded: readonly [keyof BodyLeaf, keyof BodyLeaf][] = [
    ['find', 'default'],
    ['implied', 'decimal'],
    ['order', 'find'],
    ['kept', 'find'],
    ...NOT_WITH_CALC.map((name): [keyof BodyLeaf, keyof BodyLeaf] => ['calc', name]),
  ]
  for (const [name, other] of excluded) {
    const isGiven = options[name] !== undefined && options[other] !== undefined
    if (isGiven) note(other, `\`${name}\` takes no \`${other}\``)
  }
  const { split, escape } = options
  const error = split === undefined || escape === undefined ? undefined : checkEscape(escape, split)
  if (error !== undefined) note('escape', error)
  if (options.split !== undefined && options.wrap !== undefined && options.at !== undefined) {
    note('wrap', 'say with `at` which part of `split` is taken, or which line of `wrap`: one of both')
  }
}

export function formatOptionList(options: readonly string[]): string {
  const quoted = options.map((option) => `\`${option}\``)
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1) ?? ''}`
}
