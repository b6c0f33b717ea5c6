/** Writes the rows of an outgoing file record by record while they are read, so that it may have any length. */
import type { OutboundOperationName } from '../../contract/operations.ts'
import type { Resource } from '../../domain/api.ts'
import type { Envelope, Format } from '../../domain/format.ts'
import type { Problem } from '../../domain/problem.ts'
import type { Composer } from '../../domain/translator.ts'
import { readId } from '../../operations/operation.ts'

/** How many records that could not be written are named. */
const UNWRITTEN_MAX = 100

/** A record that could not be turned into rows. */
export interface UnwrittenRecord {
  readonly apiId: string
  /** The name that people use, such as `order HV-30015`; empty where the record has no such number. */
  readonly name: string
  readonly state: 'held'
  readonly problems: readonly Problem[]
}

/** A table has cells that a spreadsheet runs, a document of X12 values with its delimiters. */
const CELL_WARNINGS = ['cell-is-formula', 'character-replaced'] as const

export interface FileContents {
  records: number
  rows: number
  /** How many cells have a warning, and the first of them with the id of its record. */
  warned?: {
    cells: number
    readonly code: (typeof CELL_WARNINGS)[number]
    readonly first: Problem
    readonly apiId: string
  }
  /** The first record of the file, which may give it its name. */
  first?: Resource
}

export interface ReportTally extends FileContents {
  /** How many records could not be turned into rows; `firstUnwritten` has the first of them. */
  unwritten: number
  readonly firstUnwritten: UnwrittenRecord[]
}

export function createTally(): ReportTally {
  return { records: 0, rows: 0, unwritten: 0, firstUnwritten: [] }
}

interface RowsContext {
  readonly composer: Composer
  readonly format: Format
  readonly operation: OutboundOperationName
  /** Of a file with a document of X12 or EDIFACT. */
  readonly envelope?: Envelope | undefined
}

export function writeReportLines(
  context: RowsContext,
  pages: AsyncIterable<readonly Resource[]>,
  tally: ReportTally,
): AsyncGenerator<Uint8Array, void, undefined> {
  return writeRows(context, pages, tally, (unwritten, record) => {
    tally.unwritten++
    if (tally.firstUnwritten.length >= UNWRITTEN_MAX) return
    tally.firstUnwritten.push({ apiId: readId(record) ?? '', ...unwritten })
  })
}

/** The bytes of a file, record after record; counts its contents and reports records that give no rows. */
export async function* writeRows(
  { composer, format, operation, envelope }: RowsContext,
  pages: AsyncIterable<readonly Resource[]>,
  found: FileContents,
  onUnwritten: (unwritten: Omit<UnwrittenRecord, 'apiId'>, record: Resource, index: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const writer = format.createWriter(composer.columns, composer.write, envelope)
  const trailer = composer.trailer?.()
  const frame = envelope && composer.frame?.(envelope)
  // An interchange begins with its first set: without one there is no file.
  if (envelope === undefined) yield writer.formatHeader()
  for await (const page of pages) {
    const rows: (readonly string[])[] = []
    for (const [index, record] of page.entries()) {
      const composed = composer.composeRows(record, envelope)
      if ('problems' in composed) {
        const name = formatRecordName(operation, record)
        onUnwritten({ name, state: 'held', problems: composed.problems }, record, index)
        continue
      }
      if (found.records === 0) rows.push(...(frame?.begin ?? []))
      found.first ??= record
      found.records++
      noteWarned(found, composed.warnings ?? [], record)
      rows.push(...composed.rows)
      trailer?.addRecord(record, composed.rows.length)
      frame?.addRecord(composed.rows)
    }
    if (envelope !== undefined && rows.length > 0 && found.rows === 0) yield writer.formatHeader()
    found.rows += rows.length
    if (rows.length > 0) yield writer.formatRows(rows)
  }
  if (found.records === 0) return
  if (trailer !== undefined) yield writer.formatRows([trailer.createRow()])
  if (frame !== undefined) yield writer.formatRows(frame.createEnd())
  if (writer.formatEnd !== undefined) yield writer.formatEnd()
}

function noteWarned(found: FileContents, warnings: readonly Problem[], record: Resource): void {
  for (const first of warnings) {
    const code = CELL_WARNINGS.find((each) => each === first.code)
    if (code === undefined) continue
    found.warned ??= { cells: 0, code, first, apiId: readId(record) ?? '' }
    found.warned.cells++
  }
}

// How people call an API record: `order HV-30015`, by the number it has on paper.

/** The fields that name the records of a list for people, the best first. */
const NAME_FIELDS: Readonly<Record<string, readonly string[]>> = {
  shipment: ['tracking_number', 'purchase_order_number'],
  variant: ['identifier', 'sku', 'upc'],
  return: ['rma_number', 'purchase_order_number'],
}

/** Empty where the record has none of these fields. */
export function formatRecordName(operation: OutboundOperationName, record: Resource): string {
  const noun = getNoun(operation)
  const fields = NAME_FIELDS[noun] ?? [`${noun}_number`, 'purchase_order_number', 'code', 'name']
  const number = fields.map((field) => record[field]).find((value) => isText(value))
  return isText(number) ? `${noun} ${number}` : ''
}

/** `export-brand-invoices` lists invoices. */
function getNoun(operation: OutboundOperationName): string {
  return (operation.split('-').at(-1) ?? '').replace(/s$/, '')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
