/** What the file of an export asks of its cells and of its writer. */
import type { ProblemCode } from '../../domain/problem.ts'

/** Notes a problem of the record, and gives the empty text. The hint is what to do about it, where the code's does not fit. */
export type RefuseCell = (code: ProblemCode, message: string, hint?: string) => string

export type Fit = (text: string, refuse: RefuseCell) => string

/** What the file asks of every cell. */
export interface Paper {
  /** Cells have the width of their column, and nothing stands between them. */
  readonly isFixed: boolean
  /** The names of the columns stand in the file. */
  readonly hasHeader: boolean
  /** Cells that a spreadsheet would take for a formula get an apostrophe in front. */
  readonly guardsFormulas: boolean
  /** Nothing but the delimiter keeps the cells apart. */
  readonly isUnquoted: boolean
  /** The text in characters that the file can hold; left out where it can hold all. */
  readonly fit?: Fit
}
