/** The record that is being built from its rows, and what its bound fields offer. */
import type { Row } from '../domain/document.ts'
import type { Place, Problem } from '../domain/problem.ts'
import type { Reference } from '../domain/translator.ts'
import type { Column, Columns, MissingColumn } from './columns.ts'

/** The record being built. One per bound file, filled anew for every record. */
export interface Building {
  /** The usable rows that speak for the record as a whole. */
  headerRows: readonly Row[]
  /** The rows of its array; those with problems of their own are passed over. */
  itemRows: readonly Row[]
  /** The row being built, and its index among `itemRows`. */
  row: Row | undefined
  index: number
  /** How many cells had something in them. */
  filled: number
  readonly problems: Problem[]
  references: Reference[]
}

/** Where columns are looked for. */
export interface BindContext {
  readonly building: Building
  /** The columns of rows that speak for the record. */
  readonly header: Columns
  /** The columns of rows that fill the array; the same as `header` in a plain table. */
  readonly items: Columns
  /** Whether array rows are rows of a record type of their own. */
  readonly typed: boolean
  /** Columns that must be in the file and are not. */
  readonly missing: MissingColumn[]
}

export interface BoundLeaf {
  readonly kind: 'leaf'
  /** The columns of the file that feed the leaf. */
  readonly columns: readonly Column[]
  readonly build: () => unknown
  /** Where the value of the current record comes from. */
  place(): Place
  /** The text of the current record; empty when blank. */
  text(): string
}

export interface BoundObject {
  readonly kind: 'object'
  readonly fields: ReadonlyMap<string, BoundNode>
  readonly build: () => Record<string, unknown> | undefined
  place(): Place
}

export interface BoundRows {
  readonly kind: 'rows'
  readonly item: BoundObject
  readonly build: () => unknown
  place(): Place
  /** Makes the row with this index the one that places are asked of. */
  select(index: number): void
}

export type BoundNode = BoundLeaf | BoundObject | BoundRows
