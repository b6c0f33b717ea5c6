/** Bytes to rows and rows to bytes: CSV and fixed width today; X12 and EDIFACT become rows of typed records. */
import type { Reading, Unreadable } from './document.ts'

/** Where a cell stands in a line of fixed width. */
export interface CellPlace {
  /** The first character, from 1. */
  readonly start: number
  readonly length: number
}

/** One kind of row in a file whose rows say of which kind they are. */
export interface RecordType {
  /** The text that tells it, such as `PH`; with `*` at its end, what the text begins with. */
  readonly type: string
  /**
   * The names of its cells: of those after the first one, which tells the type and is not among the values, or of all
   * of them with `typeIn`. Left out, the first row of the type in the file holds them.
   */
  readonly columns?: readonly string[]
  /** In a file of fixed width: where those cells stand. */
  readonly places?: readonly CellPlace[]
  /** The type whose layout its rows share, each column under its name. */
  readonly like?: string
  /** The type to whose row, right before it, its cells are added. */
  readonly of?: string
  /** Its rows are left out. */
  readonly ignored?: boolean
}

/**
 * A line that is no row wherever it stands: by its text, of which blanks and a quote before it do not count, nor
 * delimiters behind it; or because it is the line that names the columns, come again.
 */
export type IgnoreRule =
  { readonly startsWith: string } | { readonly matches: string } | { readonly header: 'repeated' }

/** What a mapping says about the file it reads. What is left out is found out. */
export interface ReadOptions {
  readonly format: 'csv' | 'fixed'
  /** `utf-8`, `utf-16le`, `utf-16be`, `windows-1252`; found out from a byte order mark, else UTF-8. */
  readonly encoding?: string | undefined
  /** Found out among comma, semicolon, tab and pipe. */
  readonly delimiter?: string | undefined
  /** `"` unless told; null means that quotes are data. */
  readonly quote?: string | null | undefined
  /** What stands before a quote, a delimiter or itself that is data, such as a backslash. */
  readonly escape?: string | undefined
  /** Physical lines before the header or the data; `header`: those before the line with most of the expected names. */
  readonly skip?: number | 'header' | undefined
  /** How many lines the header has, and which of them names the columns, from 1; blank ones do not count. */
  readonly header?: { readonly lines: number; readonly names: number } | undefined
  /** Whether two columns may have the same name. */
  readonly repeated?: 'allowed' | undefined
  /** What is done with rows of another length, where they are not refused; only blank cells are ever cut. */
  readonly rows?: { readonly short?: 'pad' | undefined; readonly long?: 'cut' | undefined } | undefined
  readonly ignore?: readonly IgnoreRule[] | undefined
  /** Column names of a file without a header line. */
  readonly columns?: readonly string[] | undefined
  /** In a file of fixed width: where those columns stand. */
  readonly places?: readonly CellPlace[] | undefined
  /** The types of a file whose rows are told apart by what stands in them. */
  readonly records?: readonly RecordType[] | undefined
  /**
   * Which cell tells the type: its number from 1, or its column's name, which stands in a header line that all types
   * share; in a file of fixed width its place. The first one, unless told.
   */
  readonly typeIn?: number | string | CellPlace | undefined
  /** The names of which at least one must be in the header; guards against reading data as a header. */
  readonly expectColumns?: readonly string[] | undefined
}

export interface WriteOptions {
  /** `fixed`: the cells of a row already have their full width, and the writer puts nothing between them. */
  readonly format: 'csv' | 'fixed'
  /** The cells hold only characters that the encoding has. */
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
  /** Quote every cell, or only where needed (the default). */
  readonly quoteAll?: boolean | undefined
  readonly newline?: '\n' | '\r\n' | undefined
  readonly byteOrderMark?: boolean | undefined
  readonly header?: boolean | undefined
  /** Null: there are no quotes, and no cell holds a delimiter or a line break. */
  readonly quote?: null | undefined
  /** Lines before all others: as they stand, or as cells. */
  readonly above?: readonly (string | readonly string[])[] | undefined
}

export interface Format {
  /**
   * Starts reading. Never rejects for what is in the bytes, however broken: a file that is unusable as a whole is
   * returned as such, a bad row comes with its problems. Rejects when the input itself fails, and with
   * `configuration-invalid` for options that no file could fit.
   */
  read(input: AsyncIterable<Uint8Array>, options: ReadOptions): Promise<Reading | Unreadable>

  /** Bytes of the header line, when there is one, and of rows. Every call gives whole lines. Rows may differ in length. */
  writer(columns: readonly string[], options: WriteOptions): RowWriter
}

export interface RowWriter {
  /** The bytes before the first row: byte order mark and header line; may be empty. */
  head(): Uint8Array
  rows(rows: readonly (readonly string[])[]): Uint8Array
}
