/** Rows to request bodies, and API records to rows: what a compiled mapping does. */
import type { Layout, ReadOptions, Row, WriteOptions } from './format.ts'
import type { Problem } from './problem.ts'

/** Something the body needs and only the API knows: the id behind a purchase order number. */
export interface Reference {
  /** What is named, as the contract calls it: `order`, `carrier`. */
  readonly kind: string
  /** What the file says, such as a purchase order number. */
  readonly key: string
  /** Where the id goes in the body: a top-level field. */
  readonly field: string
  readonly line: number
  readonly column: string
}

/** A value of the body that is not in the file: of the order the record is about, or kept beside that order. */
export interface DeferredValue {
  readonly from: 'order' | 'kept'
  /** The path within the order, or the name under which it is kept. */
  readonly name: string
  /** Where it goes in the body, such as `carrier_id` or `invoice_lines[0].net_price`. */
  readonly field: string
  readonly line: number
  /** What is found there becomes the value, or a problem; without a value the field is left out. */
  readonly resolve: (found: unknown, body: Readonly<Record<string, unknown>>) => DeferredResult
}

export interface DeferredResult {
  readonly value?: unknown
  readonly problems: readonly Problem[]
}

/** What is known of a file besides its rows. */
export interface FileSource {
  /** Its name, without its folder. */
  readonly file: string
  /** The name of the folder it came from, without those above it. */
  readonly folder: string
}

/** The physical lines of one row, first and last. */
export type LineRange = readonly [first: number, last: number]

/** One record of the file: its body when it is valid, or all its problems. */
export interface Draft {
  /** Ordinal of the record in the file, from 1. */
  readonly number: number
  readonly lines: readonly LineRange[]
  /** What the file says in the key columns, for people. */
  readonly keyValues: readonly string[]
  /** A valid request body but for the references that are still to be filled in; absent when there are problems. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly references: readonly Reference[]
  /** Of a record without a body: the field that says which order it is about, where it can be read. */
  readonly about?: Readonly<Record<string, unknown>>
  /** Values that are filled in once the order is known. */
  readonly deferred?: readonly DeferredValue[]
  /** What is to be remembered beside the order that the record creates, by name. */
  readonly keep?: Readonly<Record<string, string>>
  readonly problems: readonly Problem[]
  /** The mapping leaves the record out on purpose; its one problem says why. */
  readonly skipped?: true
  /** The mapping holds the record for a person, and nothing is sent of it; its problems say why. */
  readonly held?: true
}

/** A compiled inbound mapping. Pure: the same rows give the same drafts. */
export interface Translator {
  readonly operation: string
  readonly read: ReadOptions
  /**
   * Binds column names to positions, once per file. The file's layouts must have what the mapping requires; if not,
   * every missing column is returned as a problem. Without a `source`, what a mapping takes from the file's name is blank.
   */
  bind(layouts: readonly Layout[], source?: FileSource): BoundTranslator | readonly Problem[]
}

/** A translator for one file. Holds at most the rows of the record being gathered. */
export interface BoundTranslator {
  /** The names of the columns that tell people which record is meant. */
  readonly keyColumns: readonly string[]
  /** Columns the mapping names for optional fields and the file does not have: perhaps they are spelled otherwise. */
  readonly absentColumns: readonly string[]
  /** Columns of the file that the mapping does not use. */
  readonly unusedColumns: readonly string[]
  /** The column that feeds an API field, such as `order_lines[3].variant.upc`; for an object, of its first fed field. */
  findColumn(field: string): string | undefined
  /** The records completed by these rows. */
  translateRows(rows: readonly Row[]): Draft[]
  /** The last record, when the file has ended. */
  finish(): Draft[]
  /** What the file, which has ended, says of itself and does not hold; then nothing of it may be sent. */
  listMismatches(): readonly Problem[]
}

/** A compiled outbound mapping. Pure. */
export interface Composer {
  readonly operation: string
  readonly write: WriteOptions
  readonly columns: readonly string[]
  /** How many records one file holds at most; as many as there are when left out. */
  readonly recordsPerFile?: number
  /** The rows of one API record, or what is wrong with it; a record that would leave no row is a problem. */
  composeRows(record: Readonly<Record<string, unknown>>): ComposedRows
  /** Its columns take values kept beside the order of a record, which the record then holds by name as `kept`. */
  readonly takesKept?: true
  /** What is to be remembered beside the order of a record, by name. */
  readonly keep?: (record: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>>
  /** Starts the count of one file whose last row says what is in it. */
  readonly trailer?: () => Trailer
}

/** What the last row of a file says of the records in it. */
export interface Trailer {
  /** Counts a record that is in the file, with its number of rows. */
  addRecord(record: Readonly<Record<string, unknown>>, rows: number): void
  /** The last row, when all records were added. */
  createRow(): readonly string[]
}

export type ComposedRows =
  { readonly rows: readonly (readonly string[])[] } | { readonly problems: readonly Problem[] }
