/** Bytes to rows and rows to bytes: CSV and fixed width today; X12 and EDIFACT become rows of typed records. */
import type { Problem } from './problem.ts'

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
  /** `"` by default; null means that quotes are data. */
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
  /** The types of a file whose rows are distinguished by what stands in them. */
  readonly records?: readonly RecordType[] | undefined
  /** Which cell tells the type: its number from 1, its column's name, or its place. The first one, by default. */
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
  read(input: AsyncIterable<Uint8Array>, options: ReadOptions): Promise<FileReading | UnreadableFile>

  /** Bytes of the header line, when there is one, and of rows. Every call gives whole lines. Rows may differ in length. */
  createWriter(columns: readonly string[], options: WriteOptions): RowWriter
}

export interface RowWriter {
  /** The bytes before the first row: byte order mark and header line; may be empty. */
  formatHeader(): Uint8Array
  formatRows(rows: readonly (readonly string[])[]): Uint8Array
}

// The rows of a file before their meaning is known: text that knows its place.

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
export interface FileReading {
  readonly layouts: readonly Layout[]
  /** How many physical lines at the top are not data; a rejects file repeats them. */
  readonly headerLines: number
  /** What was found out or told, for messages: `utf-8`, `,`. */
  readonly encoding: string
  readonly delimiter: string
  readonly batches: AsyncIterable<readonly Row[]>
  /** How many lines were left out so far because the mapping says so. */
  countIgnoredLines(): number
  /** Lets go of the file, for who wants no more than its top; may be repeated. */
  close(): Promise<void>
}

/** A file that cannot be read as a whole, and why. */
export interface UnreadableFile {
  readonly problems: readonly Problem[]
}

export function isUnreadable(reading: FileReading | UnreadableFile): reading is UnreadableFile {
  return 'problems' in reading
}
