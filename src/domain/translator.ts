/** Rows to request bodies, and API records to rows: what a compiled mapping does. */
import type { Envelope, Layout, ReadOptions, Row, WriteOptions } from './format.ts'
import type { Place } from './place.ts'
import type { Problem } from './problem.ts'

/** An id that only the API knows, such as the one behind a purchase order number. */
export interface Reference {
  /** The kind of resource in the contract: `order`, `carrier`. */
  readonly kind: string
  /** The text of the file, such as a purchase order number. */
  readonly key: string
  /** Where the id goes in the body: a top-level field. */
  readonly field: string
  readonly line: number
  readonly column: string
  /** The part of the mapping that gives the text, where no cell does. */
  readonly origin?: string
}

/** A value that is not in the file but in the record's order, or kept beside that order. */
export interface DeferredValue {
  readonly from: 'order' | 'kept'
  /** The path within the order, or the name of the kept value. */
  readonly name: string
  /** Where it goes in the body, such as `carrier_id` or `invoice_lines[0].net_price`. */
  readonly field: string
  readonly line: number
  /** Converts the found text to the value, or a problem; without a value the field is left out. */
  readonly resolve: (found: unknown, body: Readonly<Record<string, unknown>>) => DeferredResult
}

export interface DeferredResult {
  readonly value?: unknown
  readonly problems: readonly Problem[]
}

/** The facts of a file besides its rows. */
export interface FileSource {
  /** Its name, without its folder. */
  readonly file: string
  /** The name of its folder, without the folders above it. */
  readonly folder: string
  /** It holds a part of the rows of another file, although its name does not say so. */
  readonly isPart?: true
  /** The drafts say which of their dates are dates too with day and month swapped. */
  readonly findsDateOrders?: true
}

/** A date of a file that is one too, or only, with day and month swapped. */
export interface DateOrder {
  readonly text: string
  readonly place: Place
  /** It is a date in the other order alone, so the mapping refused it. */
  readonly isOther: boolean
  /** The format of the mapping, and the other one. */
  readonly own: string
  readonly other: string
}

/** The physical lines of one row, first and last. */
export type LineRange = readonly [first: number, last: number]

/** One record of the file: its body when it is valid, or all its problems. */
export interface Draft {
  /** Ordinal of the record in the file, from 1. */
  readonly number: number
  readonly lines: readonly LineRange[]
  readonly keyValues: readonly string[]
  /** A request body that only lacks its references; absent when there are problems. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly references: readonly Reference[]
  /** For a record without a body: the field that names its order, where it is readable. */
  readonly about?: Readonly<Record<string, unknown>>
  readonly deferred?: readonly DeferredValue[]
  readonly keep?: Readonly<Record<string, string>>
  /** When not empty, the record is refused already, skipped or held. */
  readonly problems: readonly Problem[]
  /** What is odd and does not stop the record. */
  readonly warnings?: readonly Problem[]
  /** Only where the source asks for them. */
  readonly dateOrders?: readonly DateOrder[]
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
   * every missing column is returned as a problem. Without a `source`, the values from the file's name are blank.
   */
  bind(layouts: readonly Layout[], source?: FileSource): BoundTranslator | readonly Problem[]
}

/** A translator for one file. Holds at most the rows of the record being gathered. */
export interface BoundTranslator {
  readonly keyColumns: readonly string[]
  /** Rows belong to one record when their key cells are the same. */
  readonly groupsByKeys: boolean
  /** Columns of optional fields that the file lacks, or spells differently. */
  readonly absentColumns: readonly string[]
  readonly unusedColumns: readonly string[]
  /** The columns with totals that the mapping itself compares with the rows. */
  readonly checkedTotals: readonly string[]
  /** The column that feeds an API field, such as `order_lines[3].variant.upc`; for an object, of its first fed field. */
  findColumn(field: string): string | undefined
  /** The part of the mapping that gives the field its values: a constant or a table, with its line. */
  findOrigin(field: string): string | undefined
  translateRows(rows: readonly Row[]): Draft[]
  finish(): Draft[]
  /**
   * Reads what names the records of a file, and nothing else of them, in place of translating it; `field` is the field of
   * the body with the name. Undefined where the mapping takes the field from more than the rows of the record.
   */
  scan(field: string): RecordScan | undefined
  /** Lists control totals that differ from the whole file; then no record of it may be sent. */
  listMismatches(): readonly Problem[]
}

/** What names the records of a file, read without the rest of them. */
export interface RecordScan {
  take(rows: readonly Row[]): ScannedRecord[]
  finish(): ScannedRecord[]
  /** As `listMismatches` of the translator. */
  listMismatches(): readonly Problem[]
}

/** There is one for each draft that translating gives, in the same order. */
export interface ScannedRecord {
  readonly keyValues: readonly string[]
  /** The value of the field; undefined where it is blank or has a problem. */
  readonly name: string | undefined
}

/** A compiled outbound mapping. Pure. */
export interface Composer {
  readonly operation: string
  readonly write: WriteOptions
  readonly columns: readonly string[]
  readonly recordsPerFile?: number
  /**
   * Composes the rows of one API record, or its problems; a record without rows is a problem. A document of X12 or EDIFACT
   * needs the envelope of the file: values must not hold its delimiters.
   */
  composeRows(record: Readonly<Record<string, unknown>>, envelope?: Envelope): ComposedRows
  /** A file holds one set with all records: the rows before the first and after the last of them. */
  readonly frame?: (envelope: Envelope) => SetFrame
  /** Its columns use values kept beside the order; the record must hold them by name as `kept`. */
  readonly takesKept?: true
  readonly keep?: (record: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>>
  readonly trailer?: () => Trailer
}

/** The segments of a set around those of its records. */
export interface SetFrame {
  readonly begin: readonly (readonly string[])[]
  /** Takes the rows of each record, in their order. */
  addRecord(rows: readonly (readonly string[])[]): void
  /** Called after the last record. */
  createEnd(): readonly (readonly string[])[]
}

/** The last row of a file, with counts and sums of its records. */
export interface Trailer {
  addRecord(record: Readonly<Record<string, unknown>>, rows: number): void
  createRow(): readonly string[]
}

export type ComposedRows =
  | { readonly rows: readonly (readonly string[])[]; readonly warnings?: readonly Problem[] }
  | { readonly problems: readonly Problem[] }
