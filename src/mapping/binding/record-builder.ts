/** Defines the record being built from its rows, and what its bound fields offer. */
import type { Row } from '../../domain/format.ts'
import { problem, type Problem } from '../../domain/problem.ts'
import type { Place } from '../../domain/place.ts'
import type { DateOrder, DeferredValue, FileSource, Reference } from '../../domain/translator.ts'
import type { ExplainedField } from './explained.ts'
import type { Column, Columns, MissingColumn } from '../rows/columns.ts'
import { quoteText } from '../values/text.ts'
import { describeGroupingPoint, hasOnlyGroupingPoint } from '../values/numbers.ts'

/** The record being built. One per bound file, filled anew for every record. */
export interface RecordBuilder {
  number: number
  /** The usable rows that hold the fields of the whole record. */
  headerRows: readonly Row[]
  /** The rows of its array, without rows that have problems. */
  itemRows: readonly Row[]
  /** The row being built, and its index among `itemRows`. */
  row: Row | undefined
  index: number
  filled: number
  readonly problems: Problem[]
  /** What is odd and does not stop the record. */
  readonly warnings: Problem[]
  dateOrders: DateOrder[]
  references: Reference[]
  deferred: DeferredValue[]
  /** The `itemRows` that the mapping does not leave out. */
  lineRows: readonly Row[]
  /** The row of each line of the array, by its index in the body: lines of the same item may have become one. */
  bodyRows: readonly Row[]
  readonly firstCounts: boolean
}

/** The place of the row being built, or of the record; without a line where it has no row. */
export function locate({ row, headerRows }: RecordBuilder, perRow: boolean, rest: Place): Place {
  const line = (perRow ? row : headerRows[0])?.line
  return line === undefined ? rest : { line, ...rest }
}

/** How people call what a value of the record stands in: documents of X12 and EDIFACT have elements. */
export function nameValue({ headerRows }: RecordBuilder): 'cell' | 'element' {
  return headerRows[0]?.findSpot === undefined ? 'cell' : 'element'
}

/** Warns where a number may have been meant as a thousandth of what it was read as. */
export function warnOfGroupingPoint(text: string, place: () => Place, builder: RecordBuilder): void {
  if (!hasOnlyGroupingPoint(text)) return
  const message = describeGroupingPoint(text)
  builder.warnings.push({ ...problem('point-as-grouping', place(), message), severity: 'warning' })
}

/** Warns where a number lost digits that may be hundreds, tens and ones behind a separator of thousands. */
export function warnOfRounding(
  text: string,
  { decimals, place }: { readonly decimals: number; readonly place: () => Place },
  builder: RecordBuilder,
): void {
  const lost = /\.(\d*)/.exec(text)?.[1]?.slice(decimals) ?? ''
  if (!hasOnlyGroupingPoint(text) || !/[1-9]/.test(lost)) return
  const message = `${quoteText(text)} was rounded to ${decimals} decimals; or does it mean ${text.replace(/\D/g, '')}?`
  builder.warnings.push({ ...problem('point-as-decimal', place(), message), severity: 'warning' })
}

/** The path of a field in the row being built. */
export function resolveField({ field }: { readonly field: string }, { index }: RecordBuilder): string {
  return field.replace('[]', `[${index}]`)
}

export interface BindContext {
  readonly builder: RecordBuilder
  readonly source?: FileSource | undefined
  readonly header: Columns
  /** The columns of rows that fill the array; the same as `header` in a plain table. */
  readonly items: Columns
  /** Whether array rows are rows of a record type of their own. */
  readonly typed: boolean
  /** Texts that mean blank in conditions, and in the columns that group rows. */
  readonly blanks: ReadonlySet<string>
  readonly missing: MissingColumn[]
}

export interface BoundLeaf {
  readonly kind: 'leaf'
  readonly columns: readonly Column[]
  /** The part of the mapping that gives the value, where no cell does. */
  readonly origin?: string | undefined
  readonly build: () => unknown
  place(): Place
  text(): string
  /** Explains the field from its cells to its value. Does not change the record. */
  explain(): readonly ExplainedField[]
}

export interface BoundObject {
  readonly kind: 'object'
  readonly fields: ReadonlyMap<string, BoundNode>
  readonly build: () => Record<string, unknown> | undefined
  /** Whether the object is in the mapping for the current row; left out where it always is. */
  readonly applies?: () => boolean
  place(): Place
  explain(): readonly ExplainedField[]
}

export interface BoundRows {
  readonly kind: 'rows'
  readonly item: BoundObject
  readonly build: () => unknown
  place(): Place
  /** Finds out which rows are not left out, before anything is built. */
  choose(): void
  /** Makes the row with this index the current one, for places in messages. */
  select(index: number): void
  explain(): readonly ExplainedField[]
}

export type BoundNode = BoundLeaf | BoundObject | BoundRows
