/** Files that show a partner what to send: an empty one to start from, a good one, and a bad one with what is wrong. */
import { dirname, resolve } from 'node:path'
import type { Row } from '../../domain/document.ts'
import type { Format } from '../../domain/format.ts'
import type { Problem } from '../../domain/problem.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { translateRows } from '../../mapping/translator.ts'
import { leavesOfMapping, type MappingLeaf } from './leaves.ts'
import { cellOf, readRecords } from './records.ts'

export interface PartnerSamples {
  /** The text of the first cell that the examples have under one of these names. */
  exampleOf(names: readonly string[]): string
  /** Absent where the mapping has no example, or reads files that are no plain table. */
  readonly files?: {
    readonly good: string
    readonly bad: string
    readonly problems: readonly Problem[]
  }
}

/** A sample is for reading: it needs no more records. */
const MAX_RECORDS = 10

/** Made from the first example of the mapping. */
export async function partnerSamples(
  mapping: InboundMapping,
  path: string,
  format: Format,
): Promise<PartnerSamples> {
  const [example] = mapping.examples
  const read = example && (await readRecords(resolve(dirname(path), example.input), format, mapping))
  if (read === undefined || 'problems' in read) return { exampleOf: () => '' }
  const { layouts } = read
  const records: (readonly Row[])[] = []
  for await (const record of read.records) {
    records.push(record.rows)
    if (records.length >= MAX_RECORDS) break
  }
  const rows = records.flat()
  const exampleOf = (names: readonly string[]) =>
    rows.map((row) => cellOf(row, layouts, names)?.text ?? '').find((text) => text !== '') ?? ''
  const [layout] = layouts
  if (layout === undefined || layouts.length > 1) return { exampleOf }
  const written = (cells: readonly (readonly string[])[]) => csvText(layout.columns, cells, format)
  const spoilt = spoiltRows(mapping, layout.columns, records)
  const { drafts } = translateRows(mapping.translator, layouts, spoilt)
  const problems = drafts
    .flatMap((draft) => draft.problems)
    .toSorted((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0))
  const cells = (some: readonly Row[]) => some.map(({ values }) => values)
  return { exampleOf, files: { good: written(cells(rows)), bad: written(cells(spoilt)), problems } }
}

/** A file with these columns and rows, as a spreadsheet opens it. */
export function csvText(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  format: Format,
): string {
  const writer = format.writer(columns, { format: 'csv' })
  return Buffer.concat([writer.head(), writer.rows(rows)]).toString()
}

/** The rows on lines as they are written, with what people get wrong in them: once for a whole record, once in a row. */
function spoiltRows(
  mapping: InboundMapping,
  columns: readonly string[],
  records: readonly (readonly Row[])[],
): Row[] {
  const spoils = leavesOfMapping(mapping).flatMap((leaf) => spoilOf(leaf, columns) ?? [])
  const ofRecords = spoils.filter(({ perRow }) => !perRow)
  const ofRows = spoils.filter(({ perRow }) => perRow)
  const rows = records.flatMap((record, number) =>
    record.map((row) => ({ row, ofRecord: ofRecords.slice(number, number + 1) })),
  )
  let line = 1
  return rows.map(({ row, ofRecord }, index) => {
    const all = [...ofRecord, ...ofRows.slice(rows.length - 1 - index, rows.length - index)]
    const values = row.values.map((value, at) => all.find(({ position }) => position === at)?.text ?? value)
    const first = line + 1
    line = first + values.reduce((breaks, value) => breaks + (value.match(/\r\n|\r|\n/g)?.length ?? 0), 0)
    return { layout: row.layout, line: first, lastLine: line, values }
  })
}

interface Spoil {
  readonly perRow: boolean
  readonly position: number
  readonly text: string
}

/** What people send by mistake, by the kind of field. */
function spoilOf(
  { rule, required, branches, perRow }: MappingLeaf,
  names: readonly string[],
): Spoil | undefined {
  const { options = {}, columns = [] } = branches.length === 1 ? (branches[0] ?? {}) : {}
  const [column] = columns
  const position = column === undefined ? -1 : names.findIndex((name) => column.includes(name))
  if (position === -1) return undefined
  if (options['table'] !== undefined) return { perRow, position, text: 'by owl' }
  if (rule.kind === 'dateTime' || rule.kind === 'date') return { perRow, position, text: 'yesterday' }
  if (rule.kind === 'integer') return { perRow, position, text: 'two' }
  if (rule.kind === 'money' || rule.kind === 'decimal') return { perRow, position, text: '12.345' }
  return required && perRow ? { perRow, position, text: '' } : undefined
}
