/** The options of a leaf as they are written: its short forms, and which of them fit the field and each other. */
import type { FieldRule } from '../../contract/fields.ts'
import { checkPart } from '../source/check.ts'
import { BodyLeaf } from '../options.ts'
import { describeRule } from '../shape.ts'
import { type MapNode, type Mistakes, type SourceNode, toPlain } from '../source/source.ts'
import { GS1_WIDTHS } from '../values/digits.ts'
import { escapeMistake } from '../values/separated.ts'

/** What of the field decides which options fit. */
export interface OptionTarget {
  readonly rule: FieldRule
  readonly list: boolean
}

/** The leaf in its long form; a name or a list of names is `from`. Undefined after its mistakes were noted. */
export function optionsOf(node: SourceNode, target: OptionTarget, mistakes: Mistakes): BodyLeaf | undefined {
  if (node.kind === 'map') {
    const options = checkPart(BodyLeaf, node, mistakes)
    return options !== undefined && checkOptions(node, options, target, mistakes) ? options : undefined
  }
  const names = toPlain(node)
  if (typeof names === 'string' && names.trim() !== '') return { from: names }
  if (
    Array.isArray(names) &&
    names.length > 0 &&
    names.every((name) => typeof name === 'string' && name !== '')
  ) {
    return { from: names }
  }
  const written = node.kind === 'text' && node.text !== '' ? `"${node.text}"` : 'this'
  mistakes.add(
    node,
    typeof names === 'number' || typeof names === 'boolean'
      ? `${written} is no column name: put a name in quotes, or write { const: ${names} }`
      : `${written} names no column: write a column name, a list of names, or options such as { from: … }`,
  )
  return undefined
}

type Note = (option: keyof BodyLeaf, message: string) => void

const SOURCES = ['from', 'firstOf', 'all', 'calc', 'const', 'order', 'kept'] as const

function checkOptions(node: MapNode, options: BodyLeaf, target: OptionTarget, mistakes: Mistakes): boolean {
  const before = mistakes.count()
  const note: Note = (name, message) => mistakes.add(node.entries.get(name)?.node ?? node, message)
  const sources = SOURCES.filter((name) => options[name] !== undefined)
  if (sources.length !== 1) {
    mistakes.add(
      node,
      'say where the value comes from with exactly one of `from`, `firstOf`, `all`, `calc`, `const`, `order` and `kept`',
    )
  }
  if (options.const !== undefined && sources.length === 1) {
    checkConstant(options, target, note)
  } else {
    checkNeeds(options, target, note)
    checkFits(options, target, note)
    checkExcluded(options, note)
  }
  return mistakes.count() === before
}

/** A constant may name something whose id is found. */
function checkConstant(options: BodyLeaf, target: OptionTarget, note: Note): void {
  const [other] = Object.keys(options).filter((name) => name !== 'const' && name !== 'find')
  if (other !== undefined) note(other as keyof BodyLeaf, 'a constant takes no other options')
  else checkFits(options, target, note)
}

/** Options that mean something only together with others. */
function checkNeeds(options: BodyLeaf, { list }: OptionTarget, note: Note): void {
  const needs: readonly [keyof BodyLeaf, boolean, string][] = [
    ['pick', options.table !== undefined, '`pick` needs a `table`'],
    ['miss', options.table !== undefined, '`miss` needs a `table`'],
    ['with', options.all !== undefined, '`with` needs `all`'],
    ['nth', options.from !== undefined, '`nth` needs `from`'],
    ['at', options.split !== undefined || options.wrap !== undefined, '`at` needs `split` or `wrap`'],
    ['escape', options.split !== undefined, '`escape` needs `split`'],
    ['split', list || options.at !== undefined, '`split` needs `at`, unless the field is a list of texts'],
    ['wrap', list || options.at !== undefined, '`wrap` needs `at`, unless the field is a list of texts'],
  ]
  for (const [name, isThere, message] of needs)
    if (options[name] !== undefined && !isThere) note(name, message)
}

function checkFits(options: BodyLeaf, target: OptionTarget, note: Note): void {
  const { rule, list } = target
  const { kind } = rule
  const reference = kind === 'integer' ? rule.reference : undefined
  const isText = kind === 'text' || options.find !== undefined
  const max = kind === 'text' ? rule.max : undefined
  const isDate = kind === 'dateTime' || kind === 'date'
  const isNumber =
    (kind === 'integer' || kind === 'money' || kind === 'decimal') && options.find === undefined
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
  if (
    options.digits !== undefined &&
    kind === 'text' &&
    rule.code === 'upc' &&
    !GS1_WIDTHS.includes(options.digits)
  ) {
    note('digits', `a UPC or EAN has ${GS1_WIDTHS.join(', ')} digits`)
  }
}

/** What a calculation gives needs no further steps. */
const NOT_WITH_CALC = ['find', 'table', 'match', 'split', 'wrap', 'case', 'pad', 'digits', 'long'] as const

function checkExcluded(options: BodyLeaf, note: Note): void {
  const excluded: readonly [keyof BodyLeaf, keyof BodyLeaf][] = [
    ['find', 'default'],
    ['implied', 'decimal'],
    ['order', 'find'],
    ['kept', 'find'],
    ...NOT_WITH_CALC.map((name): [keyof BodyLeaf, keyof BodyLeaf] => ['calc', name]),
  ]
  for (const [name, other] of excluded) {
    if (options[name] !== undefined && options[other] !== undefined)
      note(other, `\`${name}\` takes no \`${other}\``)
  }
  const { split, escape } = options
  const mistake = split === undefined || escape === undefined ? undefined : escapeMistake(escape, split)
  if (mistake !== undefined) note('escape', mistake)
  if (options.split !== undefined && options.wrap !== undefined && options.at !== undefined) {
    note('wrap', 'say with `at` which part of `split` is taken, or which line of `wrap`: one of both')
  }
}
