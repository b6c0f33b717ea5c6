/** `dropbridge map try`: shows a record beside its body, or an exported record beside its rows. */
import { createExampleEnvelope } from '../../../domain/format.ts'
import type { Problem } from '../../../domain/problem.ts'
import { formatSegment } from '../../../formats/edi/writer.ts'
import { composeExample } from '../../../mapping/examples.ts'
import { toEnvelopeValues } from '../../../mapping/export/segment-rows.ts'
import { explainSegments } from '../../../mapping/export/document-composer.ts'
import { previewFile } from '../../../app/outcome-preview.ts'
import { createFormats } from '../../../formats/formats.ts'
import { type ApiRecord, readApiRecords } from '../../../mapping-tools/exported-rows.ts'
import {
  explainRecord,
  readRecords,
  type TriedField,
  type TriedRecord,
} from '../../../mapping-tools/translate-file.ts'
import { formatValue } from '../../../mapping/binding/explained.ts'
import type { ExplainedExportCell, ExplainedRow } from '../../../mapping/export/composer.ts'
import { type InboundMapping, loadMapping, type OutboundMapping } from '../../../mapping/load.ts'
import { formatRecordName } from '../../../pipeline/outbound/file-rows.ts'
import { type BridgeError, EXIT, type ExitCode, usageError } from '../../../support/errors.ts'
import { defineCommand, FILE_ARGUMENT, translationFlags, type TranslationOptions } from '../../command.ts'
import { resolvePath } from '../../context.ts'
import {
  alignCells,
  columnWidths,
  formatCodedProblem,
  reportFileVerdict,
  sayProblems,
} from '../../format/text.ts'
import type { Terminal } from '../../terminal.ts'

/** How many records are shown when none is named. */
const RECORDS_SHOWN = 3

type TryOptions = TranslationOptions & { readonly record: number | undefined }

export const tryCommand = defineCommand({
  ...FILE_ARGUMENT,
  options: translationFlags({
    record: { type: 'number', describe: 'The number of the record; the first three without it' },
  }),
  async run(terminal, options) {
    const mapping = await loadMapping(resolvePath(terminal, options.mapping))
    return mapping.direction === 'outbound'
      ? tryExport(terminal, mapping, options)
      : tryImport(terminal, mapping, options)
  },
})

async function tryImport(terminal: Terminal, mapping: InboundMapping, { file, record, json }: TryOptions) {
  const isShown = (number: number) => (record === undefined ? number <= RECORDS_SHOWN : number === record)
  const read = await readRecords(resolvePath(terminal, file), createFormats(), mapping, isShown)
  if ('problems' in read) {
    sayProblems(terminal, file, read.problems)
    return EXIT.unusableFile
  }
  const { absentColumns, unusedColumns } = read.bound
  const unit = mapping.translator.read.edi === undefined ? 'line' : 'segment'
  const whole = previewFile({ operation: mapping.operation, bound: read.bound, reading: read })
  let last = 0
  let refused = 0
  for await (const each of read.records) {
    last = each.draft.number
    await whole.add([each.draft])
    if (!isShown(last)) continue
    const tried = explainRecord(each)
    if (tried.outcome === 'refused') refused += 1
    if (json) terminal.out(JSON.stringify(tried))
    else for (const line of formatTriedRecord(tried, unit)) terminal.out(line)
    if (record !== undefined) break
  }
  if (record !== undefined && last !== record) throw missingRecordError(file, last, record)
  if (unusedColumns.length > 0) terminal.say(`columns that are not used: ${unusedColumns.join(', ')}`)
  if (absentColumns.length > 0)
    terminal.say(`columns that the file does not have: ${absentColumns.join(', ')}`)
  if (record === undefined) sayHowManyAreShown(terminal, last)
  const exit = record === undefined ? reportFileVerdict(terminal, file, whole.end()) : EXIT.ok
  return exit === EXIT.ok && refused > 0 ? EXIT.rejects : exit
}

function missingRecordError(file: string, records: number, wanted: number): BridgeError {
  return usageError(
    `${file} has ${records} records; there is no record ${wanted}`,
    `Write a number from 1 to ${records}: \`--record 1\`.`,
  )
}

function sayHowManyAreShown(terminal: Terminal, records: number): void {
  if (records <= RECORDS_SHOWN) return
  terminal.say(`The first ${RECORDS_SHOWN} of ${records} records are shown; --record N shows another one.`)
}

function formatTriedRecord(tried: TriedRecord, unit: 'line' | 'segment'): string[] {
  const { number, key, lines, outcome, fields, problems, warnings } = tried
  const where = lines.length === 1 ? `${unit} ${lines[0]}` : `${unit}s ${lines.join(', ')}`
  // The cells of a repeated header are names, and wrong in every field.
  const isHeader = problems.some(({ code }) => code === 'header-repeated')
  const wrong = { translated: 'wrong', refused: 'wrong', skipped: 'left out', held: 'held' }[outcome]
  return [
    `record ${number} (${key}), ${where}${outcome === 'translated' ? '' : `: ${outcome}`}`,
    ...(isHeader ? [] : formatFields(tried, unit)),
    ...(isHeader ? [] : fields)
      .flatMap((field) => field.problems)
      .map((each) => `  wrong: ${formatCodedProblem(each)}`),
    ...problems.map((each) => `  ${wrong}: ${formatCodedProblem(each)}`),
    ...warnings.map((each) => `  warning: ${formatCodedProblem(each)}`),
    '',
  ]
}

/** A line per field: its name, its columns, and `"  ab-1 " → trimmed "ab-1" → case upper "AB-1"`. */
function formatFields({ fields, outcome }: TriedRecord, unit: 'line' | 'segment'): string[] {
  const rows = fields.map((field) => [
    field.field,
    shortenText(field.cells.map(({ column }) => column).join(' + ')) || '-',
    formatFieldSteps(field, outcome),
  ])
  const head = unit === 'line' ? ['column', 'cell'] : ['path', 'element']
  return alignLines([['field', head[0] ?? '', `${head[1]} → steps → value`], ...rows])
}

function alignLines(lines: readonly (readonly string[])[]): string[] {
  const widths = columnWidths(lines)
  return lines.map((line) => alignCells(line, widths))
}

function formatFieldSteps(field: TriedField, outcome: TriedRecord['outcome']): string {
  const { cells, steps, note, value } = field
  const start = cells.map(({ text }) => quoteText(text)).join(' + ')
  const last = Array.isArray(value) ? steps.length - 1 : -1
  const done = steps.map(({ does, text, refused }, index) => {
    if (text === undefined) return `${does} WRONG: ${refused ?? 'refused'}`
    // A list is formatted already.
    return `${does} ${index === last ? shortenText(text) : quoteText(text)}`
  })
  const line = [start, ...done, formatFieldEnd(field, outcome)].filter((part) => part !== '').join(' → ')
  return [line, ...(note === undefined ? [] : [`(${note})`])].join(' ').trimStart()
}

/** The end of a line: facts that the steps do not show. */
function formatFieldEnd({ cells, steps, value, problems, note }: TriedField, outcome: string): string {
  const last = steps.at(-1)
  if (last?.refused !== undefined) return ''
  if (problems.length > 0) return `WRONG: ${problems.map(({ code }) => code).join(', ')}`
  if (value === undefined) {
    if (outcome !== 'translated') return 'not sent'
    return note?.includes('left out') === true ? '' : 'left out'
  }
  const text = last === undefined ? cells[0]?.text : last.text
  const isShown = cells.length < 2 || last !== undefined
  return isShown && formatValue(value) === text ? '' : JSON.stringify(value)
}

/** Longer texts are cut. */
const TEXT_MAX = 80

function quoteText(text: string): string {
  return JSON.stringify(shortenText(text))
}

function shortenText(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text
}

// Exports: columns beside their values, with the text after each step

async function tryExport(
  terminal: Terminal,
  mapping: OutboundMapping,
  { file, record: wanted, json }: TryOptions,
): Promise<ExitCode> {
  const { operation, composer, explain } = mapping
  const records = await readApiRecords(resolvePath(terminal, file))
  if (wanted !== undefined && records[wanted - 1] === undefined)
    throw missingRecordError(file, records.length, wanted)
  const frame = json ? { begin: [], end: [] } : explainFrame(mapping, records)
  const format = createRowFormat(mapping)
  let held = 0
  for (const line of formatFrame('Before the records', frame.begin, format)) terminal.out(line)
  for (const [index, record] of records.entries()) {
    const number = index + 1
    if (wanted === undefined ? number > RECORDS_SHOWN : number !== wanted) continue
    const rows = explain(record)
    const composed = composeExample(composer, record)
    const problems = 'problems' in composed ? composed.problems : []
    if (problems.length > 0) held += 1
    const outcome = problems.length > 0 ? 'held' : 'written'
    const name = formatRecordName(operation, record)
    const warnings = 'problems' in composed ? [] : (composed.warnings ?? [])
    if (json) {
      terminal.out(
        JSON.stringify({ number, name, outcome, rows: rows.map(format.toPlain), problems, warnings }),
      )
      continue
    }
    const shown = `${name === '' ? '' : ` (${name})`}${outcome === 'held' ? ': held' : ''}`
    for (const line of [`record ${number}${shown}`, ...format.formatRows(rows)]) terminal.out(line)
    for (const line of listUnshownProblems(rows, problems)) terminal.out(line)
    for (const each of warnings) terminal.out(`warning: ${formatCodedProblem(each)}`)
    terminal.out('')
  }
  for (const line of formatFrame('Behind the records', frame.end, format)) terminal.out(line)
  if (wanted === undefined) sayHowManyAreShown(terminal, records.length)
  return held > 0 ? EXIT.rejects : EXIT.ok
}

/** Problems of the whole record, such as a segment that must be there; the others stand at their elements. */
function listUnshownProblems(rows: readonly ExplainedRow[], problems: readonly Problem[]): string[] {
  const shown = new Set(rows.flatMap(({ cells }) => cells.flatMap(({ refused }) => refused)))
  return problems.flatMap((each) => (shown.has(each.message) ? [] : [`wrong: ${formatCodedProblem(each)}`]))
}

/** The segments around the records, where all of them share one set. */
function explainFrame({ composer, document }: OutboundMapping, records: readonly ApiRecord[]) {
  const envelope = createExampleEnvelope(composer.write.format)
  if (document?.plan.frame === undefined || envelope === undefined) return { begin: [], end: [] }
  const { begin, end } = document.trace(records, envelope)
  const record = toEnvelopeValues(envelope)
  return {
    begin: explainSegments({ record, segments: begin }),
    end: explainSegments({ record, segments: end }),
  }
}

function formatFrame(title: string, rows: readonly ExplainedRow[], { formatRows }: RowFormat): string[] {
  return rows.length === 0 ? [] : [title, ...formatRows(rows), '']
}

type RowFormat = ReturnType<typeof createRowFormat>

/** How rows are shown: those of a table by their numbers, segments as they stand in the file. */
function createRowFormat({ composer, document }: OutboundMapping) {
  const envelope = createExampleEnvelope(composer.write.format)
  if (document === undefined || envelope === undefined)
    return {
      toPlain: (row: ExplainedRow): unknown => row,
      formatRows: (rows: readonly ExplainedRow[]) => rows.flatMap(formatExplainedRow),
    }
  const { syntax } = document.plan.grammar
  const toText = ({ segment }: ExplainedRow) => segment && formatSegment(segment, syntax, envelope)
  return {
    toPlain: (row: ExplainedRow): unknown => ({ ...row, segment: toText(row) }),
    formatRows: (rows: readonly ExplainedRow[]) => [
      ...rows.flatMap((row) =>
        row.absent === undefined ? formatCells(row, toText(row) ?? '', 'element') : [],
      ),
      ...formatLeftOut('Left out, because the record fills nothing of them', rows, 'blank'),
      ...formatLeftOut('Left out, because their condition does not hold', rows, 'condition'),
    ],
  }
}

function formatLeftOut(title: string, rows: readonly ExplainedRow[], why: ExplainedRow['absent']): string[] {
  const names = [...new Set(rows.flatMap(({ type = '', absent }) => (absent === why ? [type] : [])))]
  const count = (name: string) => {
    const own = rows.filter(({ type }) => type === name)
    const absent = own.filter((row) => row.absent === why).length
    return absent === own.length ? name : `${name} (${absent} of ${own.length})`
  }
  return names.length === 0 ? [] : [`${title}: ${names.map(count).join(', ')}`]
}

function formatExplainedRow(row: ExplainedRow, index: number): string[] {
  return formatCells(row, `row ${index + 1}${row.type === undefined ? '' : ` (${row.type})`}`, 'column')
}

function formatCells({ cells }: ExplainedRow, title: string, unit: 'column' | 'element'): string[] {
  const lines = cells.map((cell) => [
    cell.column,
    cell.values.map(({ path }) => path).join(' + ') || '-',
    formatCellSteps(cell),
  ])
  const head = [unit, 'field', `value → steps → ${unit === 'column' ? 'cell' : 'text'}`]
  return [title, ...(lines.length === 0 ? [] : alignLines([head, ...lines]).map((line) => `  ${line}`))]
}

/** `"FEDEX_GROUND" → table ship-via "Ground"`: the value, and what each step makes of it. */
function formatCellSteps({ values, steps, text, refused }: ExplainedExportCell): string {
  const start = values.map(({ value }) => JSON.stringify(value)).join(' + ')
  const done = steps
    .map(({ does, text: now }) => ({ does, shown: JSON.stringify(now) }))
    .filter(({ does, shown }, index) => does !== 'written' || index > 0 || shown !== start)
    .map(({ does, shown }) => `${does} ${shown}`)
  const last = steps.at(-1)?.text ?? ''
  const end =
    refused.length > 0
      ? [`WRONG: ${refused.join(' ')}`]
      : text === last
        ? []
        : [`cell ${JSON.stringify(text)}`]
  return [start, ...done, ...end].filter((part) => part !== '').join(' → ')
}
