/** Finds the value of a column: one path, the first filled of several, several joined, a sum or a count. */
import { addDecimals, type Decimal, parseDecimal } from '../../support/decimal.ts'
import { getAtPath } from '../../support/object-paths.ts'
import type { Shape } from '../shape.ts'
import { type MapNode, type MappingErrors, nodeAt, type SourceNode } from '../source/source.ts'
import { describeMiss, findTable, normalizeKey, type Table, type Tables } from '../tables.ts'
import { escapeSeparator, quoteText } from '../values/text.ts'
import {
  formatNumber,
  getValueKind,
  hasNumberForm,
  mayBeNumber,
  parseApiNumber,
  type PrintValue,
  type RefuseCell,
  toPlainText,
  type ValueKind,
} from './cell-format.ts'
import { type ColumnLeaf, NUMBER_OPTIONS, type NumberForm } from './column-options.ts'
import { createPathReader, createValuesReader, followPath } from './paths.ts'

/** The field of a record that holds the values kept beside its order. */
export const KEPT_FIELD = 'kept'

export interface RowScope {
  readonly record: Shape
  /** The list that makes a row per item, and the shape of an item: an object, or in documents also a text. */
  readonly each: string | undefined
  readonly item: Shape | undefined
}

/** An API path as a column names it. */
export interface ValuePart {
  readonly path: string
  readonly perItem: boolean
  readonly kind: ValueKind
  /** `texts`: a list of texts. `packed`: a value from each item of a list. */
  readonly list: 'none' | 'texts' | 'packed'
  readonly read: (record: unknown, item: unknown) => unknown
}

/** Reads the text of a column in one row; blank when the value is missing. */
export type ReadText = (record: unknown, item: unknown, refuse: RefuseCell) => string

/** Compiles the paths of a column. Notes errors and leaves out the paths that have them. */
export function compileParts(
  node: SourceNode,
  options: ColumnLeaf,
  scope: RowScope,
  errors: MappingErrors,
): readonly ValuePart[] {
  if (options.kept !== undefined) {
    // The pipeline adds kept values to the record before it writes the row.
    const path = `${KEPT_FIELD}.${options.kept}`
    return [{ path, perItem: false, kind: 'text', list: 'none', read: (record) => getAtPath(record, path) }]
  }
  const many = options.firstOf === undefined ? 'all' : 'firstOf'
  const written =
    options.from === undefined
      ? (options[many] ?? []).map((path, index) => ({ path, node: nodeAt(node, many, index) }))
      : [{ path: options.from, node: nodeAt(node, 'from') }]
  return written.flatMap(({ path, node: place }) => {
    const part = compilePart(path, scope, options.from !== undefined && options.join !== undefined)
    return typeof part === 'string' ? (errors.add(place, part) ?? []) : [part]
  })
}

/** Follows a path in the record, or in the item that makes the row. */
export function followInScope(written: string, { record, each, item }: RowScope, inLists: boolean) {
  const perItem = each !== undefined && item !== undefined && written.startsWith(`${each}.`)
  const path = perItem ? written.slice(each.length + 1) : written
  return { perItem, path, followed: followPath(perItem ? item : record, path, inLists) }
}

/** Values of the envelope of a document. The composer adds them to the record. */
const ENVELOPE_VALUES: Readonly<Record<string, ValueKind>> = {
  $interchange: 'text',
  $group: 'text',
  $date: 'dateTime',
}

/** Returns the part, or the error of its path. */
export function compilePart(written: string, scope: RowScope, packs: boolean): ValuePart | string {
  const ofEnvelope = ENVELOPE_VALUES[written]
  if (ofEnvelope !== undefined)
    return {
      path: written,
      perItem: false,
      kind: ofEnvelope,
      list: 'none',
      read: (record) => getAtPath(record, written),
    }
  const { each, item } = scope
  // An item that is a text is named like its list.
  if (written === each && item?.kind === 'field') {
    const ofText: ValuePart['read'] = (_record, text) => text
    return { path: written, perItem: true, kind: getValueKind(item), list: 'none', read: ofText }
  }
  const { perItem, path, followed } = followInScope(written, scope, packs)
  if ('error' in followed) return followed.error
  const { found, crossed } = followed
  if (found.kind === 'object') {
    return `this is an object; name one of its fields: ${[...found.fields.keys()].join(', ')}`
  }
  if (found.kind === 'list' && found.item.kind !== 'field') {
    return 'this is a list: name it under `each` to have a row for each of its items'
  }
  const list = crossed ? 'packed' : found.kind === 'list' ? 'texts' : 'none'
  const read = list === 'packed' ? createValuesReader(path) : createPathReader(path)
  const ofItem: ValuePart['read'] = (_record, item) => read(item)
  return { path: written, perItem, kind: getValueKind(found), list, read: perItem ? ofItem : read }
}

/** Reads the text of one part: printed, and looked up in a table where the column says so. */
export function createPartReader(
  { list, read }: ValuePart,
  steps: { readonly print: PrintValue; readonly lookup: LookUpText | undefined },
  { separator, escape }: { readonly separator: string; readonly escape?: string | undefined },
): ReadText {
  const { print, lookup } = steps
  const found: PrintValue = (value, refuse) => {
    const text = print(value, refuse)
    return text === '' || lookup === undefined ? text : lookup(text, refuse)
  }
  const one = lookup === undefined ? print : found
  if (list === 'none') {
    return (record, item, refuse) => {
      const value = read(record, item)
      return value === undefined || value === null || value === '' ? '' : one(value, refuse)
    }
  }
  return (record, item, refuse) => {
    const values = read(record, item)
    if (!Array.isArray(values)) return values === undefined || values === null ? '' : toPlainText(values)
    const texts = values.map((value: unknown) => (value === null || value === '' ? '' : one(value, refuse)))
    if (escape !== undefined) {
      const escaped = texts.map((text) => escapeSeparator(text, separator, escape))
      return joinValues(escaped, separator)
    }
    const mixed = list === 'packed' ? texts.find((text) => text.includes(separator)) : undefined
    if (mixed !== undefined) {
      const message = `${quoteText(mixed)} holds ${quoteText(separator)}, which stands between the values of the cell.`
      return refuse('character-unwritable', message)
    }
    return joinValues(texts, separator)
  }
}

function joinValues(texts: readonly string[], separator: string): string {
  return texts.every((text) => text === '') ? '' : texts.join(separator)
}

export type ReadTotal = (record: unknown, refuse: RefuseCell) => Decimal | undefined

/** Sums or counts over the record, without missing values and further parcels. Notes errors. */
export function createTotalReader(
  leaf: Pick<ColumnLeaf, 'sum' | 'count'>,
  record: Shape,
  note: (option: 'sum' | 'count', message: string) => undefined,
): ReadTotal | undefined {
  const option = leaf.sum === undefined ? 'count' : 'sum'
  const path = leaf[option] ?? ''
  const followed = followPath(record, path, true)
  if ('error' in followed) return note(option, followed.error)
  const { found } = followed
  const read = createValuesReader(path)
  if (option === 'count') {
    if (found.kind !== 'list') note('count', `${path} is no list, so there is nothing to count`)
    return (value) => ({ units: BigInt(read(value).filter((it) => it !== null).length), scale: 0 })
  }
  const kind = getValueKind(found)
  if (found.kind === 'object' || found.kind === 'list' || !mayBeNumber(kind)) {
    note('sum', `\`sum\` is for numbers; ${path} is not a number`)
  }
  const nothing: Decimal = { units: 0n, scale: kind === 'money' ? 2 : 0 }
  return (value, refuse) => {
    let sum: Decimal | undefined = nothing
    for (const each of read(value)) {
      const number = each === null || each === '' ? nothing : parseApiNumber(each, refuse)
      sum = number && sum && addDecimals(sum, number)
    }
    return sum
  }
}

export function createTotalText(total: ReadTotal, form: NumberForm): ReadText {
  return (record, _item, refuse) => {
    const number = total(record, refuse)
    return number === undefined ? '' : formatNumber(number, form, refuse)
  }
}

// Looks up the text of a column in a table, from key to value or back.

export type LookUpText = (text: string, refuse: RefuseCell) => string

/** Undefined after noting errors. With number options, the text that is found must be a number and gets that form. */
export function compileCellLookup(
  node: MapNode,
  options: ColumnLeaf,
  { errors, tables }: { readonly errors: MappingErrors; readonly tables: Tables },
): LookUpText | undefined {
  const { table: name = '', reverse, miss = 'refuse' } = options
  const pick = reverse === true ? undefined : (reverse ?? options.pick)
  const found = findTable(tables, { table: name, pick }, (option, message) => {
    errors.add(nodeAt(node, option === 'pick' && reverse !== undefined ? 'reverse' : option), message)
  })
  if (found === undefined) return undefined
  const { table, column } = found
  const byKey = () => new Map([...table.rows].map(([key, row]) => [key, row[column] ?? '']))
  const texts = reverse === undefined ? byKey() : indexByValue(table, column)
  if (hasNumberForm(options)) formatTableNumbers(texts, options, { node, table, errors })
  return (text, refuse) => {
    const value = texts.get(normalizeKey(text))
    if (value !== undefined) return value
    if (miss !== 'refuse') return miss === 'keep' ? text : ''
    const missed = `${quoteText(text)} is not in the column "${column}" of the table "${table.name}".`
    return refuse('lookup-missed', reverse === undefined ? describeMiss(table, text) : missed)
  }
}

/** Indexes the keys of a table by a column's text; of several keys with the same text the first one counts. */
function indexByValue({ keys, rows }: Table, column: string): Map<string, string> {
  const byValue = new Map<string, string>()
  for (const key of keys) {
    const value = normalizeKey(rows.get(normalizeKey(key))?.[column] ?? '')
    if (value !== '' && !byValue.has(value)) byValue.set(value, key)
  }
  return byValue
}

/** Gives a table's numbers, which the mapping writes with a decimal point, the form of the column. */
function formatTableNumbers(
  texts: Map<string, string>,
  options: ColumnLeaf,
  { node, table, errors }: { readonly node: MapNode; readonly table: Table; readonly errors: MappingErrors },
): void {
  const note = (option: string, message: string) => errors.add(nodeAt(node, option), message)
  const writtenOption = ['implied' as const, ...NUMBER_OPTIONS].find((key) => options[key] !== undefined)
  if (options.miss === 'keep') note('miss', 'a text that is kept is no number: leave out `miss: keep`')
  for (const [key, text] of texts) {
    const number = parseDecimal(text)
    if (text === '') continue
    if (number === undefined) {
      const why = `the table "${table.name}" has ${quoteText(text)}, which is no number such as 9.50`
      return note(writtenOption ?? '', `${why}: a table's text is written as it is`)
    }
    let wrong: string | undefined
    const written = formatNumber(number, options, (_code, message) => {
      wrong = message
      return ''
    })
    if (wrong !== undefined) return note(writtenOption ?? '', `the table "${table.name}": ${wrong}`)
    texts.set(key, written)
  }
}
