/** Telling the sender: a result file, rejects, exceptions and a summary, each byte of them made from the journal. */
import type { FileEntry } from '../../domain/journal.ts'
import type { ReportedRecord } from '../../domain/record.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundParts } from '../parts.ts'
import { withDocuments } from './documents.ts'
import { type DifferingColumns, openSteps } from './open-steps.ts'
import { copyLines, joinRanges } from './physical-lines.ts'
import { beginReports, discardReports, nameReports, pathsOf } from './report-files.ts'
import { returnedRows } from './returned-rows.ts'
import { operationsOf, partsFor } from './steps.ts'
import { spoolName } from './pick-up.ts'
import {
  documentCells,
  DOCUMENTS_COLUMN,
  fileRow,
  OPERATION_COLUMN,
  RESULT_COLUMNS,
  resultRow,
} from './results.ts'
import { summarize, type Summary } from './summary.ts'

/** How many records are read from the journal at once. */
const PAGE = 1000

/** How many names are tried when others have taken them; a folder that full has another trouble. */
const NAMES_MAX = 1000

/** submitted → reported. After a crash in between, what got its name is not left again. */
export async function reportFile(parts: InboundParts, file: FileEntry): Promise<ReportedFile> {
  const { journal, lease } = parts
  const summary = await writeReports(parts, file)
  const reports = await beginReports(parts, file, summary)
  let name = file.reportName
  // A file that is reported again has a name for each time, so that nobody takes one report for the other.
  const firstTurn = 1 + (file.reports ?? 0)
  for (let turn = firstTurn; turn < firstTurn + NAMES_MAX; turn++) {
    name ??= turn === 1 ? reportName(file) : `${reportName(file)}~${turn}`
    if (await nameReports(parts, reports, name)) {
      await journal.fileReported(lease, file.id)
      await discardReports(parts, reports)
      return { summary, paths: pathsOf(parts, reports) }
    }
    name = undefined
  }
  const first = parts.results.describe(parts.route.resultsFolder, `${file.name}.results.csv`)
  throw new BridgeError('cannot-write', `${first} and ${NAMES_MAX} names like it are taken`)
}

/** File systems take names of 255 bytes; the suffixes and a number must fit behind it. */
const NAME_BYTES_MAX = 230

/** The source's full name; of a name too long the beginning, with the file's id to tell it from its like. */
function reportName({ name, id }: FileEntry): string {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name
  const letters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment)
  const room = NAME_BYTES_MAX - id.length - 1
  while (Buffer.byteLength(letters.join('')) > room) letters.pop()
  return `${letters.join('')}~${id}`
}

/** A file whose sender was told. */
export interface ReportedFile {
  readonly summary: Summary
  /** Where the reports are, for people: the results first. */
  readonly paths: readonly string[]
}

async function writeReports(parts: InboundParts, file: FileEntry): Promise<Summary> {
  const { spool, format } = parts
  const returned = returnedRows()
  const summary = summarize(parts.route, file, operationsOf(parts))
  const more = parts.documents === undefined ? [] : [DOCUMENTS_COLUMN]
  const operations = parts.next === undefined ? [] : [OPERATION_COLUMN]
  const columns = [...file.keyColumns, ...operations, ...RESULT_COLUMNS, ...more]
  const writer = format.writer(columns, { format: 'csv' })

  async function* resultLines() {
    yield writer.head()
    if (file.outcome !== 'processed')
      yield writer.rows([
        [...[...file.keyColumns, ...operations].map(() => ''), ...fileRow(file), ...more.map(() => '')],
      ])
    for await (const records of recordsOf(parts, file)) {
      const page = await withDocuments(parts, records)
      for (const record of page) summary.add(record)
      returned.add(page)
      yield writer.rows(
        page.map((record) => [
          ...resultRow(record, file.keyColumns.length, hasDetailRows(parts, record), operations.length > 0),
          ...documentCells(record),
        ]),
      )
    }
  }

  await spool.putUnflushed(`${file.id}.results`, resultLines())
  const ranges = returned.ranges()
  if (file.outcome === 'unusable')
    await spool.putUnflushed(`${file.id}.rejects`, spool.read(spoolName(file.id)))
  else if (ranges.refused.length > 0)
    await spool.putUnflushed(`${file.id}.rejects`, copiedRows(parts, file, ranges.refused))
  if (ranges.held.length > 0)
    await spool.putUnflushed(`${file.id}.exceptions`, copiedRows(parts, file, ranges.held))
  // Not the last event of all: made again after a crash, the summary must say the same.
  const journal = await parts.journal.submissionOf(file.id)
  const finished = summary.finish({ ...ranges, columns: await columnsOf(parts, file), journal })
  await spool.putUnflushed(`${file.id}.summary`, [Buffer.from(`${JSON.stringify(finished, null, 2)}\n`)])
  return finished
}

/** Found out again from the top of the file: the report may be made long after the file was planned. */
async function columnsOf(parts: InboundParts, file: FileEntry): Promise<DifferingColumns | undefined> {
  if (file.outcome !== 'processed') return undefined
  const opened = await openSteps({ ...parts, notify: () => undefined }, file)
  if ('problems' in opened) return undefined
  await opened.close()
  return opened.columns
}

/** The first row of a record of its step is its header. */
function hasDetailRows(parts: InboundParts, { operation }: ReportedRecord): boolean {
  return partsFor(parts, operation).translator.read.records !== undefined
}

/** The header as it came, then the rows as they came. */
function copiedRows(
  { spool, translator }: InboundParts,
  file: FileEntry,
  ranges: readonly [number, number][],
) {
  const header: [number, number][] = file.headerLines > 0 ? [[1, file.headerLines]] : []
  const stretches = joinRanges([...header, ...ranges])
  const { format, quote = '"' } = translator.read
  const rules = { encoding: file.encoding ?? 'utf-8', quote: format === 'fixed' ? null : quote }
  return copyLines(spool.read(spoolName(file.id)), rules, stretches)
}

async function* recordsOf(
  { journal, signal }: InboundParts,
  file: FileEntry,
): AsyncGenerator<ReportedRecord[]> {
  let after = 0
  for (;;) {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    const page = await journal.reportedRecords(file.id, after, PAGE)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.number
  }
}
