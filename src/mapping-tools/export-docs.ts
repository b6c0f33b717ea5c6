/** Writes the page that shows a partner what an export delivers, and a sample file. */
import { dirname, resolve } from 'node:path'
import type { FieldRule } from '../contract/fields.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { createExampleEnvelope, type Format } from '../domain/format.ts'
import { composeFile } from '../mapping/examples.ts'
import type { OutboundMapping } from '../mapping/load.ts'
import { describeRule } from '../mapping/shape.ts'
import {
  type ExportColumn,
  type ExportedRow,
  exportRecords,
  type ExportKind,
  listExportKinds,
  readApiRecords,
} from './exported-rows.ts'
import { formatCondition } from './mapped-fields.ts'
import { describeWords, nameDelimiter, formatMarkdownTable } from './partner-docs.ts'
import type { TableTexts } from './tables.ts'

export interface ReceivedColumn {
  /** The type of its rows; absent in a plain table. */
  readonly row?: string
  readonly name: string
  readonly holds: readonly string[]
  readonly example: string
}

type ExportSample = Awaited<ReturnType<typeof createExportSample>>

/** A sample is for reading: it needs no more records. */
const MAX_RECORDS = 10

/** Makes a file with the first records of the first example, if any; `examples` has the first filled cell of each column. */
export async function createExportSample(
  mapping: OutboundMapping,
  path: string,
  format: Format,
  envelope = createExampleEnvelope(mapping.composer.write.format),
) {
  const examples = new Map<string, string>()
  const [example] = mapping.examples
  if (example === undefined) return { examples, records: [] }
  const { composer } = mapping
  const kinds = listExportKinds(mapping)
  const writer = format.createWriter(composer.columns, composer.write, envelope)
  const made: { record: Readonly<Record<string, unknown>>; rows: readonly (readonly string[])[] }[] = []
  const records = await readApiRecords(resolve(dirname(path), example.input))
  for (const record of records.slice(0, MAX_RECORDS)) {
    const composed = composer.composeRows(record, envelope)
    if ('problems' in composed) continue
    made.push({ record, rows: composed.rows })
  }
  const rows = exportRecords(
    mapping,
    kinds,
    made.map(({ record }) => record),
  )
  for (const row of [...rows.frame, ...rows.records.flat()]) collectExamples(row, examples)
  const file = Buffer.concat(composeFile(composer, writer, made, envelope))
  return { file, examples, records: made.map(({ record }) => record) }
}

function collectExamples({ kind, cells }: ExportedRow, examples: Map<string, string>): void {
  for (const [at, { name }] of kind.columns.entries()) {
    const text = (cells[at] ?? '').trim()
    const key = formatExampleKey(kind, name)
    if (text !== '' && !examples.has(key)) examples.set(key, text)
  }
}

function formatExampleKey({ type }: ExportKind, column: string): string {
  return JSON.stringify([type ?? '', column])
}

/** The columns in the order of the file. */
export function listReceivedColumns(
  mapping: OutboundMapping,
  { examples }: ExportSample,
  tables: TableTexts,
): ReceivedColumn[] {
  return listExportKinds(mapping).flatMap((kind) =>
    kind.columns.map((column) => ({
      ...(kind.type === undefined ? {} : { row: kind.type }),
      name: column.name,
      holds: describeContents(column, tables),
      example: examples.get(formatExampleKey(kind, column.name)) ?? '',
    })),
  )
}

/**
 * What stands in a column or element. `meaningOf` a code is said behind it; `describeRule` says what the API allows where no
 * option says more, and may be blank.
 */
export function describeContents(
  { options, sources, rule, when }: ExportColumn,
  tables: TableTexts,
  says: Partial<{
    readonly meaningOf: (code: string) => string
    readonly describeRule: (rule: FieldRule) => string
  }> = {},
): string[] {
  const { meaningOf = () => '', describeRule: describeOwn = describeRule } = says
  const { format, zone, table, reverse, pick, yes, no, width, join, decimal } = options
  const explain = (code: string) => {
    const meaning = meaningOf(code)
    return meaning === '' ? code : `${code} (${meaning})`
  }
  const quote = (code: unknown) => {
    const meaning = meaningOf(String(code))
    return JSON.stringify(code) + (meaning === '' ? '' : ` (${meaning})`)
  }
  const only = when === undefined ? [] : [`only when ${formatCondition(when)}`]
  if (options['const'] !== undefined) return [`always ${quote(options['const'])}`, ...only]
  const holds: string[] = []
  if (options['sum'] !== undefined) holds.push(`the sum of ${sources.join()}`)
  else if (options['filled'] !== undefined) holds.push(`whether ${sources.join()} is there`)
  else if (options['count'] !== undefined) holds.push(`how many ${sources.join()} there are`)
  else if (typeof table === 'string')
    holds.push(describeWords(tables.written(table, { reverse, pick }).map(explain)))
  else if (typeof format === 'string') holds.push(`a date written as ${format}`)
  else if (yes !== undefined || no !== undefined)
    holds.push(`${quote(yes ?? 'true')} or ${quote(no ?? 'false')}`)
  else if (rule !== undefined) holds.push(describeOwn(rule))
  else if (says.describeRule === undefined) holds.push('text')
  if (typeof zone === 'string') holds.push(`in the time of ${zone}`)
  if (decimal === ',') holds.push('with a comma before the decimals')
  if (options['implied'] !== undefined)
    holds.push(`its last ${Number(options['implied'])} digits are decimals`)
  if (join !== undefined) holds.push(`several, with ${JSON.stringify(join)} between them`)
  if (width !== undefined) holds.push(`at most ${Number(width)} characters`)
  if (options['firstOf'] !== undefined) holds.push('the first of the fields that is filled')
  if (options['all'] !== undefined) holds.push('all of the fields together')
  if (typeof options['minus'] === 'string') holds.push(`less ${options['minus']}`)
  if (options['long'] !== undefined) holds.push('longer texts are cut')
  if (options['default'] !== undefined) holds.push(`${quote(options['default'])} where there is nothing`)
  return [...holds, ...only].filter((each) => each !== '')
}

export function writeExportPage(mapping: OutboundMapping, columns: readonly ReceivedColumn[], title: string) {
  const kinds = listExportKinds(mapping)
  const isTyped = kinds.some(({ type }) => type !== undefined)
  const head = [...(isTyped ? ['Row'] : []), 'Column', 'What stands in it', 'Example']
  const rows = columns.map(({ row, name, holds, example }) => [
    ...(isTyped ? [row ?? ''] : []),
    name,
    holds.join('; '),
    example,
  ])
  const trailer = 'The last row counts and adds up what is in the file: hold it against what you have read.'
  return `${[
    `# ${title}: what you receive`,
    '',
    `${OPERATIONS[mapping.operation].summary} ${describeFile(mapping, isTyped)}`,
    '',
    describeRows(kinds),
    ...(mapping.composer.trailer === undefined ? [] : ['', trailer]),
    '',
    ...formatMarkdownTable([head, ...rows]),
  ].join('\n')}\n`
}

function describeFile({ composer: { write } }: OutboundMapping, isTyped: boolean): string {
  const { format, delimiter = ',', quoteAll, newline = '\r\n', encoding = 'utf-8', byteOrderMark } = write
  const mark = byteOrderMark === true ? ' with a byte order mark' : ''
  const ends = newline === '\n' ? 'LF' : 'CRLF'
  const start = `A text file, ${encoding.toUpperCase()}${mark}, lines ended by ${ends},`
  if (format === 'fixed') return `${start} every cell of fixed width.`
  const quoted = quoteAll === true ? 'quotes around every cell' : 'quotes where needed'
  const quotes = write.quote === null ? 'no quotes' : quoted
  const isNamed = !isTyped && write.header !== false
  const top = isNamed ? 'the names of the columns in a line above the rows' : 'no names of columns'
  return `${start} with ${nameDelimiter(delimiter)} between the cells, ${quotes}, and ${top}.`
}

function describeRows(kinds: readonly ExportKind[]): string {
  const [only] = kinds
  if (kinds.length === 1 && only?.type === undefined) {
    return `A record is one row${only?.each === undefined ? '' : ` for each of its ${only.each}`}.`
  }
  const rows = kinds.map(({ type = '', each }) =>
    each === undefined ? `one row ${type}` : `a row ${type} for each of its ${each}`,
  )
  return `A record is ${rows.join(', then ')}. The type of a row stands in its first cell.`
}
