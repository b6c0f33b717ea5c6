/** What a file says before anybody knows what it means: rows of text that know their place. */
import type { Problem } from './problem.ts'

/** One kind of row and the names of its cells. A plain table has one layout; a typed-record file one per record type. */
export interface Layout {
  /** The record type, such as `PH`; empty for a plain table. */
  readonly recordType: string
  /** The names of the cells in order, as the file or the mapping spells them. */
  readonly columns: readonly string[]
}

/** One row. `values` are the cells in the order of the layout's columns, exactly as they stand, untrimmed. */
export interface Row {
  /** Which of the reading's layouts the row has. */
  readonly layout: number
  /** The first and last physical line of the row in the file, from 1. */
  readonly line: number
  readonly lastLine: number
  readonly values: readonly string[]
  /** Why the row cannot be used. The cells before the damage are kept, so its key is often known. */
  readonly problems?: readonly Problem[]
}

/** A file being read. `batches` may be walked once; it holds a bounded part of the file in memory, and ends by itself. */
export interface Reading {
  readonly layouts: readonly Layout[]
  /** How many physical lines at the top are not data; a rejects file repeats them. */
  readonly headerLines: number
  /** What was found out or told, for messages: `utf-8`, `,`. */
  readonly encoding: string
  readonly delimiter: string
  readonly batches: AsyncIterable<readonly Row[]>
  /** How many lines were left out so far because the mapping says so. */
  ignored(): number
  /** Lets go of the file, for who wants no more than its top; may be repeated. */
  close(): Promise<void>
}

/** A file that cannot be read as a whole, and why. */
export interface Unreadable {
  readonly problems: readonly Problem[]
}

export function isUnreadable(reading: Reading | Unreadable): reading is Unreadable {
  return 'problems' in reading
}
