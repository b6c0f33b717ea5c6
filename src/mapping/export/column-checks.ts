/** Checks what a column of an export says: where its value comes from, and which options go together. */
import { checkNumberForm, NUMBER_OPTIONS } from './cell-number.ts'
import type { Part } from './cell-source.ts'
import { mayBeNumber } from './cell-value.ts'
import { ColumnLeaf } from './column-options.ts'
import { checkPart } from '../source/check.ts'
import type { MapNode, Mistakes, SourceNode } from '../source/source.ts'
import { escapeMistake } from '../values/separated.ts'

/** Those that say where the value comes from. */
const SOURCES = ['from', 'firstOf', 'all', 'sum', 'count', 'filled', 'const', 'kept'] as const

/** What the column says, or undefined after its mistakes were noted. */
export function optionsOf(node: SourceNode, mistakes: Mistakes): ColumnLeaf | undefined {
  if (node.kind === 'text' && typeof node.value === 'string' && node.value !== '') return { from: node.value }
  if (node.kind !== 'map') {
    mistakes.add(node, 'write the path of an API field, or options such as { from: … }')
    return undefined
  }
  const options = checkPart(ColumnLeaf, node, mistakes)
  if (options === undefined) return undefined
  const before = mistakes.count()
  const note = (option: string, message: string) => mistakes.add(placeOf(node, option), message)
  if (SOURCES.filter((source) => options[source] !== undefined).length !== 1) {
    mistakes.add(node, `say where the value comes from with exactly one of ${inWords(SOURCES)}`)
  } else {
    checkSource(node, options, note)
  }
  const { table, pick, reverse, miss } = options
  for (const [option, given] of Object.entries({ pick, reverse, miss })) {
    if (given !== undefined && table === undefined) note(option, `\`${option}\` needs a \`table\``)
  }
  if (pick !== undefined && reverse !== undefined) note('reverse', '`pick` and `reverse` exclude each other')
  checkNumberForm(options, note)
  const { join, escape } = options
  const wrong = escape !== undefined && join !== undefined ? escapeMistake(escape, join) : undefined
  if (escape !== undefined && !join) note('escape', '`escape` needs `join`')
  if (wrong !== undefined) note('escape', wrong)
  if (options.long !== undefined && options.width === undefined) note('long', '`long: cut` needs a `width`')
  return mistakes.count() === before ? options : undefined
}

/** A constant and a total take fewer options than a value. */
function checkSource(
  node: MapNode,
  options: ColumnLeaf,
  note: (option: string, message: string) => void,
): void {
  const others = [...node.entries.keys()]
  if (options.const !== undefined) {
    const fit: readonly string[] = ['const', 'when', 'width', 'align']
    if (others.some((key) => !fit.includes(key))) {
      note('', 'a constant takes no other options')
    }
  } else if (options.sum !== undefined || options.count !== undefined) {
    const flag = options.count === undefined ? [] : ['yes', 'no']
    const isFlag = (options.yes ?? options.no) !== undefined
    const form = options.count !== undefined && isFlag ? ['long'] : ['pad', ...NUMBER_OPTIONS]
    const fit: readonly string[] = ['sum', 'count', 'when', 'width', 'align', ...flag, ...form]
    const unfit = others.find((key) => !fit.includes(key))
    if (unfit !== undefined) note(unfit, `a sum or a count takes no \`${unfit}\``)
  } else if (options.filled !== undefined) {
    const fit: readonly string[] = ['filled', 'yes', 'no', 'when', 'width', 'align', 'long']
    const unfit = others.find((key) => !fit.includes(key))
    if (unfit !== undefined) note(unfit, `\`filled\` says yes or no, and takes no \`${unfit}\``)
  }
  if (options.required && options.default !== undefined) {
    note('required', 'a column with a `default` is never blank')
  }
  if (options.with !== undefined && options.all === undefined) note('with', '`with` is for `all`')
}

/** Options for dates, booleans, numbers and lists, where the column has none. */
export function checkKinds(
  node: SourceNode,
  options: ColumnLeaf,
  parts: readonly Part[],
  mistakes: Mistakes,
): void {
  const note = (option: string, message: string) => mistakes.add(placeOf(node, option), message)
  const some = (...kinds: readonly Part['kind'][]) => parts.some(({ kind }) => kinds.includes(kind))
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

export function placeOf(node: SourceNode, option: string): SourceNode {
  return node.kind === 'map' ? (node.entries.get(option)?.node ?? node) : node
}

function inWords(options: readonly string[]): string {
  const quoted = options.map((option) => `\`${option}\``)
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1) ?? ''}`
}
