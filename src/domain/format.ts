/** Bytes to rows and rows to bytes: CSV and fixed width; documents of X12 and EDIFACT become rows of typed records. */
import type { SetSelection, Spot } from './place.ts'
import type { Problem } from './problem.ts'

/** The place of a cell in a line of fixed width. */
export interface CellPlace {
  /** The first character, from 1. */
  readonly start: number
  readonly length: number
}

/** One kind of row in a file of typed rows. */
export interface RecordType {
  /** The text that identifies it, such as `PH`; with `*` at its end, a prefix. */
  readonly type: string
  /**
   * The names of its cells: without the first one, which holds the type and is not among the values; with `typeIn`, of all
   * cells. When absent, the first row of the type in the file holds them.
   */
  readonly columns?: readonly string[]
  /** In a file of fixed width: the places of those cells. */
  readonly places?: readonly CellPlace[]
  /** The type whose layout its rows share, each column under its name. */
  readonly like?: string
  /** The type of the row right before it, which gets its cells. */
  readonly of?: string
  /** The names of its cells where it comes a second time, a third time and so on for the same row. */
  readonly again?: readonly (readonly string[])[]
  /** Its rows are left out. */
  readonly ignored?: boolean
}

/**
 * A rule for lines that are not rows: by their text, without blanks and a quote before it and delimiters behind it; or
 * because the line repeats the header.
 */
export type IgnoreRule =
  { readonly startsWith: string } | { readonly matches: string } | { readonly header: 'repeated' }

/** A mapping's description of the file. The reader detects absent options. */
export interface ReadOptions {
  readonly format: 'csv' | 'fixed' | 'x12' | 'edifact'
  /** How documents of X12 and EDIFACT become rows; the other options but `encoding` are not for them. */
  readonly edi?: EdiReadOptions | undefined
  /** `utf-8`, `utf-16le`, `utf-16be`, `windows-1252`; by default that of a byte order mark, else UTF-8. */
  readonly encoding?: string | undefined
  /** Detected among comma, semicolon, tab and pipe. */
  readonly delimiter?: string | undefined
  /** `"` by default; null means that quotes are data. */
  readonly quote?: string | null | undefined
  /** The escape before a quote, a delimiter or itself as data, such as a backslash. */
  readonly escape?: string | undefined
  /** Physical lines before the header or the data; `header`: those before the line with most of the expected names. */
  readonly skip?: number | 'header' | undefined
  /** How many lines the header has, and which of them names the columns, from 1; blank ones do not count. */
  readonly header?: { readonly lines: number; readonly names: number } | undefined
  /** Whether two columns may have the same name. */
  readonly repeated?: 'allowed' | undefined
  /** How to fit rows of another length, instead of refusing them; only blank cells are ever cut. */
  readonly rows?: { readonly short?: 'pad' | undefined; readonly long?: 'cut' | undefined } | undefined
  readonly ignore?: readonly IgnoreRule[] | undefined
  /** Column names of a file without a header line. */
  readonly columns?: readonly string[] | undefined
  /** In a file of fixed width: the places of those columns. */
  readonly places?: readonly CellPlace[] | undefined
  /** Places count characters, or bytes of the encoding. */
  readonly widths?: 'bytes' | undefined
  /** The types of a file whose cells identify the type of a row. */
  readonly records?: readonly RecordType[] | undefined
  /** The cell with the type: its number from 1, its column's name, or its place. By default the first one. */
  readonly typeIn?: number | string | CellPlace | undefined
  /** No cell holds a type: rows of the first and of the second type alternate. */
  readonly alternating?: true | undefined
  /** The names of which at least one must be in the header; guards against reading data as a header. */
  readonly expectColumns?: readonly string[] | undefined
}

/** A record of a document is one row of the layout `record`, and each of its lines one of the layout `line`. */
export interface EdiReadOptions {
  /** `850`, `ORDERS`. Sets of other documents are held. */
  readonly document: string
  /** What a partner's documents have otherwise than the grammar that it extends. */
  readonly grammar?: EdiGrammarChanges | undefined
  /** The loops that make a record, such as `HL*P`; by default those of the grammar. */
  readonly records?: readonly string[] | undefined
  /** Records next to each other in which each of these has the same value are one record; of a list the first filled path. */
  readonly same?: readonly (readonly string[])[] | undefined
  /** The loop that makes a line; by default that of the grammar. */
  readonly lines?: string | undefined
  /** Which interchanges count: those marked as production (the default), as a test, or both. */
  readonly usage?: 'production' | 'test' | 'any' | undefined
  /** Only these sets, by their ordinals in the file; faults that stand in no set are then left out too. */
  readonly sets?: SetSelection | undefined
  readonly recordColumns: readonly EdiColumn[]
  readonly lineColumns: readonly EdiColumn[]
  /** For messages about a set of another document: the route and the inbox that take it, by document. */
  readonly elsewhere?: ReadonlyMap<string, { readonly route: string; readonly inbox: string }> | undefined
  /** The name of the mapping's file, for fixes that change it. */
  readonly mappingName?: string
}

/** The grammar of one partner, as its file says it. */
export interface EdiGrammarChanges {
  /** The built-in grammar: `x12/856`. */
  readonly extends: string
  readonly versions?: readonly string[] | undefined
  /** The element with the qualifier, by segment. */
  readonly qualifiers?: Readonly<Record<string, number>> | undefined
  /** The kinds of levels of a tree from the outermost to the innermost. */
  readonly ranks?: readonly string[] | undefined
  /** Segments that a loop has besides or otherwise, by the loop: `ST` is the document itself. */
  readonly segments?: Readonly<Record<string, readonly EdiGrammarEntry[]>> | undefined
  /** Segments and elements that must be there: `N1*ST/N3`. */
  readonly required?: readonly string[] | undefined
  /** The codes that an element may have: `BEG.02`. */
  readonly codes?: Readonly<Record<string, readonly string[]>> | undefined
  /** Documents hold no other segments. */
  readonly closed?: boolean | undefined
}

/** A segment and how often it may stand there, `REF 0..n`; or a loop that begins with it, and what it holds. */
export type EdiGrammarEntry = string | { readonly [loop: string]: readonly EdiGrammarEntry[] }

/** A column of the rows of a document: a path, and how several values of it become one. */
export interface EdiColumn {
  /** As the mapping names it. */
  readonly name: string
  readonly path: string
  /** All values instead of the first: joined by a text, added up, or counted. */
  readonly every?: { readonly with: string } | 'sum' | 'count' | undefined
}

export interface WriteOptions {
  /** `fixed`: the cells of a row already have their full width, and the writer puts nothing between them. */
  readonly format: 'csv' | 'fixed' | 'x12' | 'edifact'
  /** The documents that are written; the other options are not for them. */
  readonly edi?: EdiWriteOptions | undefined
  /** The cells hold only characters that the encoding has. */
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
  /** Quote every cell, or only where needed (the default). */
  readonly quoteAll?: boolean | undefined
  readonly newline?: '\n' | '\r\n' | undefined
  readonly byteOrderMark?: boolean | undefined
  readonly header?: boolean | undefined
  /** Null: there are no quotes, so no cell may hold a delimiter or a line break. */
  readonly quote?: null | undefined
  /** Lines before all others: as text, or as cells. */
  readonly above?: readonly (string | readonly string[])[] | undefined
}

/** The documents that a mapping writes. */
export interface EdiWriteOptions {
  readonly syntax: 'x12' | 'edifact'
  /** `810`, `INVOIC`. */
  readonly document: string
  /** `004010`, `D.96A`; a partner may want another one. */
  readonly version: string
}

/**
 * The envelope of one interchange that is written, with one group of sets. The same envelope and rows give the same bytes, so
 * its numbers and its time are kept with the delivery.
 */
export interface Envelope {
  readonly sender: EnvelopeAddress
  readonly receiver: EnvelopeAddress
  readonly usage: 'production' | 'test'
  /** The date and time in it, milliseconds. */
  readonly at: number
  /** The zone in which they are written, such as `America/Chicago`. */
  readonly zone: string
  /** The control numbers of the interchange and of its group. */
  readonly numbers: { readonly interchange: number; readonly group: number }
  /** Sets have the numbers 0001, 0002 …; `grouped`: behind the number of the group, so that each comes once. */
  readonly setNumbers: 'counted' | 'grouped'
  /** The version that the partner wants instead of that of the mapping. */
  readonly version?: string
  readonly delimiters: EnvelopeDelimiters
  /** Whether the partner is asked to answer the envelope itself: ISA14, UNB 0031. */
  readonly asksForAnswer: boolean
}

/** Qualifier and id of ISA and UNB; `group` is the id in GS. */
export interface EnvelopeAddress {
  readonly qualifier?: string
  readonly id: string
  readonly group: string
}

/** The characters between the parts of an interchange. EDIFACT has a release character too. */
export interface EnvelopeDelimiters {
  readonly element: string
  readonly component: string
  readonly repetition: string
  readonly segment: string
  /** What stands behind each segment, such as a line break; may be empty. */
  readonly newline: string
}

/** An envelope that is only for examples and previews: always the same numbers and the same time. */
export function createExampleEnvelope(format: WriteOptions['format']): Envelope | undefined {
  const [element, component, segment] = format === 'x12' ? ['*', '>', '~'] : ['+', ':', "'"]
  if (format !== 'x12' && format !== 'edifact') return undefined
  const repetition = format === 'x12' ? '^' : '*'
  return {
    sender: { qualifier: format === 'x12' ? 'ZZ' : '14', id: 'SENDER', group: 'SENDER' },
    receiver: { qualifier: format === 'x12' ? 'ZZ' : '14', id: 'RECEIVER', group: 'RECEIVER' },
    usage: 'test',
    at: Date.UTC(2026, 0, 5, 12),
    zone: 'UTC',
    numbers: { interchange: 1, group: 1 },
    setNumbers: 'counted',
    delimiters: { element, component, repetition, segment, newline: '\n' },
    asksForAnswer: false,
  }
}

/** The row that begins a set; the rows behind it, until the next one, are its segments. */
export const SET_BEGINNING = { x12: 'ST', edifact: 'UNH' } as const

/** Stands between the components of an element in the rows of a document. Composers let it into no value. */
export const COMPONENT_MARK = '\u001f'

export interface Format {
  /**
   * Starts reading. Each iteration of the input must begin at the start of the file: interchanges are read twice, first
   * for what their trailers say. Never rejects because of the contents: it returns an `UnreadableFile` for an unusable file, and a bad
   * row comes with its problems. Rejects when the input itself fails, and with `configuration-invalid` for options that fit
   * no file.
   */
  read(input: AsyncIterable<Uint8Array>, options: ReadOptions): Promise<FileReading | UnreadableFile>

  /**
   * Creates a writer of the header line, if any, and of rows. Every call returns whole lines. Rows may differ in length. A
   * document needs the envelope. Its rows are segments: the id and the elements; the row `ST` or `UNH` begins a set.
   */
  createWriter(columns: readonly string[], options: WriteOptions, envelope?: Envelope): RowWriter

  /**
   * Copies the header and the records of these lines as they arrived, so that a person can correct them and drop them
   * in again. The ranges are sorted and do not overlap.
   */
  copyRecords(input: AsyncIterable<Uint8Array>, options: CopyOptions): AsyncIterable<Uint8Array>

  /** Lists the sets of a file of interchanges that the mapping reads, and what is noted of them. Undefined for other files. */
  listSets(input: AsyncIterable<Uint8Array>, options: ReadOptions): SetListing | undefined
}

/** The sets of a file. Memory is bounded, whatever the size of the file. */
export interface SetListing {
  /** In the order of the file; can be read once. */
  readonly sets: AsyncIterable<readonly ListedSet[]>
  /** What was noted of the sets read so far. */
  getNotes(): Notes
}

export interface ListedSet {
  /** The numbers of interchange, group and set: `000000101/101/0001`. */
  readonly name: string
  /** The numbers of its first and last segment. */
  readonly segments: readonly [first: number, last: number]
}

/** What is odd in a file of interchanges and refuses nothing, such as joined lines. */
export interface Notes {
  readonly total: number
  /** The first ones, at most 100. */
  readonly first: readonly Problem[]
}

export interface CopyOptions {
  readonly read: ReadOptions
  /** The encoding and the header lines that the reading found. */
  readonly encoding: string
  readonly headerLines: number
  readonly ranges: readonly (readonly [first: number, last: number])[]
}

export interface RowWriter {
  /** The bytes before the first row: byte order mark and header line; may be empty. */
  formatHeader(): Uint8Array
  formatRows(rows: readonly (readonly string[])[]): Uint8Array
  /** The bytes behind the last row: the trailers of an interchange. */
  formatEnd?(): Uint8Array
}

// The rows of a file: text with its place, not yet mapped.

/** One kind of row and the names of its cells. A plain table has one layout; a typed-record file one per record type. */
export interface Layout {
  /** The record type, such as `PH`; empty for a plain table. */
  readonly recordType: string
  /** The names of the cells in order, as the file or the mapping spells them. */
  readonly columns: readonly string[]
}

/** One row. `values` are the cells in the order of the layout's columns, exactly as in the file, untrimmed. */
export interface Row {
  /** Which of the reading's layouts the row has. */
  readonly layout: number
  /** The first and last physical line of the row in the file, from 1. */
  readonly line: number
  readonly lastLine: number
  readonly values: readonly string[]
  /** Why the row cannot be used. The cells before the damage are kept, so its key is often known. */
  readonly problems?: readonly Problem[]
  /** The row is a whole record that is skipped or held, whatever the mapping says; its problems say why. */
  readonly verdict?: 'skipped' | 'held'
  /** The row repeats the header line: it is refused, unless the mapping skips it. */
  readonly isHeader?: true
  /** The row belongs to the record that is open, although it has the layout that opens one. */
  readonly continues?: true
  /** In an EDI file: where the value of a column stands, or should stand. */
  findSpot?(column: string): Spot | undefined
}

/** A file being read. `batches` can be read once; it keeps a bounded part of the file in memory. */
export interface FileReading {
  readonly layouts: readonly Layout[]
  /** How many physical lines at the top are not data; a rejects file repeats them. */
  readonly headerLines: number
  /** The detected or stated encoding and delimiter, for messages: `utf-8`, `,`. */
  readonly encoding: string
  readonly delimiter: string
  readonly batches: AsyncIterable<readonly Row[]>
  /** How many lines the mapping's ignore rules have left out so far. */
  countIgnoredLines(): number
  /**
   * The last line of a row without a line end, where lines before it have one: its last cell may be cut. Known with the
   * last batch.
   */
  getOpenLine(): number | undefined
  /** Closes the file early, when only its top is needed; may be repeated. */
  close(): Promise<void>
}

/** A file that cannot be read as a whole, and why. */
export interface UnreadableFile {
  readonly problems: readonly Problem[]
}

export function isUnreadable<Reading extends object>(
  reading: Reading | UnreadableFile,
): reading is UnreadableFile {
  return 'problems' in reading
}
