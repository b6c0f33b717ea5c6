/** Bytes to rows and rows to bytes. CSV today; X12 and EDIFACT become rows of typed records. */
import type { Reading, Unreadable } from './document.ts'

/** How the rows of a typed-record file are told apart: by the text of their first cell. */
export interface RecordType {
  /** The first cell's text, such as `PH`. */
  readonly type: string
  /** The names of the cells after the first; the type is not among a row's values. */
  readonly columns: readonly string[]
}

/** What a mapping says about the file it reads. What is left out is found out. */
export interface ReadOptions {
  readonly format: 'csv'
  /** `utf-8`, `utf-16le`, `utf-16be`, `windows-1252`; found out from a byte order mark, else UTF-8. */
  readonly encoding?: string | undefined
  /** Found out among comma, semicolon, tab and pipe. */
  readonly delimiter?: string | undefined
  /** `"` unless told; null means that quotes are data. */
  readonly quote?: string | null | undefined
  /** Column names of a file without a header line. */
  readonly columns?: readonly string[] | undefined
  /** Record types of a file without a header line whose rows are told apart by their first cell. */
  readonly records?: readonly RecordType[] | undefined
  /** The names of which at least one must be in the header; guards against reading data as a header. */
  readonly expectColumns?: readonly string[] | undefined
}

export interface WriteOptions {
  readonly format: 'csv'
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
  /** Quote every cell, or only where needed (the default). */
  readonly quoteAll?: boolean | undefined
  readonly newline?: '\n' | '\r\n' | undefined
  readonly byteOrderMark?: boolean | undefined
  readonly header?: boolean | undefined
}

export interface Format {
  /**
   * Starts reading. Never rejects for what is in the bytes, however broken: a file that is unusable as a whole is
   * returned as such, a bad row comes with its problems. Rejects when the input itself fails, and with
   * `configuration-invalid` for options that no file could fit.
   */
  read(input: AsyncIterable<Uint8Array>, options: ReadOptions): Promise<Reading | Unreadable>

  /** Bytes of the header line, when there is one, and of rows. Every call gives whole lines. */
  writer(columns: readonly string[], options: WriteOptions): RowWriter
}

export interface RowWriter {
  /** The bytes before the first row: byte order mark and header line; may be empty. */
  head(): Uint8Array
  rows(rows: readonly (readonly string[])[]): Uint8Array
}
