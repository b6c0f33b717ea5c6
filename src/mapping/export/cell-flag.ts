/** Columns that say whether there is something under a path: anything at all, or any item of a list. */
import type { Decimal } from '../../support/decimal.ts'
import type { ColumnLeaf } from './column-options.ts'
import type { ReadText, RowScope } from './cell-source.ts'
import { followPath, valuesReader } from './paths.ts'
import type { RefuseCell } from './paper.ts'

export interface FlagPlan {
  readonly field: string
  /** Whether the path is the item's, not the record's. */
  readonly perItem: boolean
  readonly text: ReadText
}

type Words = Pick<ColumnLeaf, 'yes' | 'no'>

/** The flag of `filled`, or what is wrong with its path, which may lead to anything. */
export function compileFlag(
  written: string,
  words: Words,
  { record, each, item }: RowScope,
): FlagPlan | string {
  const perItem = each !== undefined && item !== undefined && written.startsWith(`${each}.`)
  const path = perItem ? written.slice(each.length + 1) : written
  const followed = followPath(perItem ? item : record, path, true)
  if ('mistake' in followed) return followed.mistake
  const read = valuesReader(path)
  const { yes = 'true', no = 'false' } = words
  return {
    field: written,
    perItem,
    text: (value, itemValue) => (isFilled(read(perItem ? itemValue : value)) ? yes : no),
  }
}

/** Blank texts, empty lists and objects without a filled field are nothing; false and zero are something. */
function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== ''
  if (Array.isArray(value)) return value.some(isFilled)
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isFilled)
  return value !== null && value !== undefined
}

/** A count in words. */
export function countFlag(
  count: (record: unknown, refuse: RefuseCell) => Decimal | undefined,
  { yes = 'true', no = 'false' }: Words,
): ReadText {
  return (record, _item, refuse) => ((count(record, refuse)?.units ?? 0n) > 0n ? yes : no)
}
