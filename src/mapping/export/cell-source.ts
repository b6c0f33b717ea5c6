/** Where the value of a column comes from: one path, the first filled of several, several put together, a sum or a count. */
import { addDecimals, type Decimal } from '../../support/decimal.ts'
import { valueAt } from '../../support/paths.ts'
import type { ColumnLeaf } from './column-options.ts'
import { numberText, type NumberForm, readNumber } from './cell-number.ts'
import type { Lookup } from './cell-lookup.ts'
import { type Kind, kindOf, mayBeNumber, plainText, type Print } from './cell-value.ts'
import { followPath, pathReader, valuesReader } from './paths.ts'
import type { ObjectShape, Shape } from '../shape.ts'
import { type Mistakes, nodeAt, type SourceNode } from '../source/source.ts'
import { escaped } from '../values/separated.ts'
import { quoted } from '../values/text.ts'
import type { RefuseCell } from './paper.ts'

/** Where a record has what is kept beside its order. */
export const KEPT = 'kept'

/** What the columns of one kind of row may name. */
export interface RowScope {
  readonly record: Shape
  /** The list that makes a row per item, and the shape of an item. */
  readonly each: string | undefined
  readonly item: ObjectShape | undefined
}

/** A path of the API as a column names it. */
export interface Part {
  readonly path: string
  /** Whether the value is the item's, not the record's. */
  readonly perItem: boolean
  readonly kind: Kind
  /** `texts`: a list of texts. `packed`: a value from each item of a list. */
  readonly list: 'none' | 'texts' | 'packed'
  readonly read: (record: unknown, item: unknown) => unknown
}

/** The text of a column in one row; blank when there is nothing. */
export type ReadText = (record: unknown, item: unknown, refuse: RefuseCell) => string

/** The paths of a column; those with mistakes, which are noted, are left out. */
export function partsOf(
  node: SourceNode,
  options: ColumnLeaf,
  scope: RowScope,
  mistakes: Mistakes,
): readonly Part[] {
  const place = (...keys: readonly PropertyKey[]) => nodeAt(node, keys)
  if (options.kept !== undefined) return [keptPart(options.kept)]
  const many = options.firstOf === undefined ? 'all' : 'firstOf'
  if (options.from !== undefined) {
    const part = partOf(options.from, scope, options.join !== undefined)
    if (typeof part !== 'string') return [part]
    mistakes.add(place('from'), part)
    return []
  }
  return (options[many] ?? []).flatMap((path, index) => {
    const part = partOf(path, scope, false)
    if (typeof part !== 'string') return [part]
    mistakes.add(place(many, index), part)
    return []
  })
}

/** A value kept beside the order, which is with the record when its row is written. */
function keptPart(name: string): Part {
  const path = `${KEPT}.${name}`
  return { path, perItem: false, kind: 'text', list: 'none', read: (record) => valueAt(record, path) }
}

/** The part, or what is wrong with its path. */
export function partOf(written: string, { record, each, item }: RowScope, packs: boolean): Part | string {
  const perItem = each !== undefined && item !== undefined && written.startsWith(`${each}.`)
  const path = perItem ? written.slice(each.length + 1) : written
  const followed = followPath(perItem ? item : record, path, packs)
  if ('mistake' in followed) return followed.mistake
  const { found, crossed } = followed
  if (found.kind === 'object') {
    return `this is an object; name one of its fields: ${[...found.fields.keys()].join(', ')}`
  }
  if (found.kind === 'list' && found.item.kind !== 'field') {
    return 'this is a list: name it under `each` to have a row for each of its items'
  }
  const list = crossed ? 'packed' : found.kind === 'list' ? 'texts' : 'none'
  const read = list === 'packed' ? valuesReader(path) : pathReader(path)
  return {
    path: written,
    perItem,
    kind: kindOf(found),
    list,
    read: perItem ? (_record, value) => read(value) : read,
  }
}

/** The text of one part: printed, and looked up where the column says so. */
export function partText(
  { list, read }: Part,
  steps: { readonly print: Print; readonly lookup: Lookup | undefined },
  { separator, escape }: { readonly separator: string; readonly escape?: string | undefined },
): ReadText {
  const { print, lookup } = steps
  const one: Print =
    lookup === undefined
      ? print
      : (value, refuse) => {
          const text = print(value, refuse)
          return text === '' ? '' : lookup(text, refuse)
        }
  if (list === 'none') {
    return (record, item, refuse) => {
      const value = read(record, item)
      return value === undefined || value === null || value === '' ? '' : one(value, refuse)
    }
  }
  return (record, item, refuse) => {
    const values = read(record, item)
    if (!Array.isArray(values)) return values === undefined || values === null ? '' : plainText(values)
    const texts = values.map((value: unknown) => (value === null || value === '' ? '' : one(value, refuse)))
    if (escape !== undefined)
      return joined(
        texts.map((text) => escaped(text, separator, escape)),
        separator,
      )
    const mixed = list === 'packed' ? texts.find((text) => text.includes(separator)) : undefined
    if (mixed !== undefined) {
      const message = `${quoted(mixed)} holds ${quoted(separator)}, which stands between the values of the cell.`
      return refuse('character-unwritable', message)
    }
    return joined(texts, separator)
  }
}

function joined(texts: readonly string[], separator: string): string {
  return texts.every((text) => text === '') ? '' : texts.join(separator)
}

/** Sums and counts over the record: numbers that are there, further parcels left out; what is wrong is noted. */
export function totalOf(
  leaf: Pick<ColumnLeaf, 'sum' | 'count'>,
  record: Shape,
  note: (option: 'sum' | 'count', message: string) => void,
): ((record: unknown, refuse: RefuseCell) => Decimal | undefined) | undefined {
  const option = leaf.sum === undefined ? 'count' : 'sum'
  const path = leaf[option] ?? ''
  const followed = followPath(record, path, true)
  if ('mistake' in followed) {
    note(option, followed.mistake)
    return undefined
  }
  const { found } = followed
  const read = valuesReader(path)
  if (option === 'count') {
    if (found.kind !== 'list') note('count', `${path} is no list, so there is nothing to count`)
    return (value) => ({ units: BigInt(read(value).filter((it) => it !== null).length), scale: 0 })
  }
  const kind = kindOf(found)
  if (found.kind === 'object' || found.kind === 'list' || !mayBeNumber(kind)) {
    note('sum', `\`sum\` is for numbers; ${path} is none`)
  }
  const nothing: Decimal = { units: 0n, scale: kind === 'money' ? 2 : 0 }
  return (value, refuse) => {
    let sum: Decimal | undefined = nothing
    for (const each of read(value)) {
      const number = each === null || each === '' ? nothing : readNumber(each, refuse)
      sum = number && sum && addDecimals(sum, number)
    }
    return sum
  }
}

/** The total as text. */
export function totalText(total: NonNullable<ReturnType<typeof totalOf>>, form: NumberForm): ReadText {
  return (record, _item, refuse) => {
    const number = total(record, refuse)
    return number === undefined ? '' : numberText(number, form, refuse)
  }
}
