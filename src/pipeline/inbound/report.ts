/** Writes the reports of a file from the journal: results, rejects, exceptions and summary. */
import { isAbsolute } from 'node:path'
import {
  type FileEntry,
  findCorrectedName,
  formatCorrectionName,
  isPartFile,
  partSuffix,
} from '../../domain/file.ts'
import type { Notes } from '../../domain/format.ts'
import { type Problem, type ProblemCode } from '../../domain/problem.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import { formatPlace } from '../../domain/place.ts'
import type { ReportedRecord } from '../../domain/record.ts'
import { isoTime } from '../../support/clock.ts'
import { throwIfStopped } from '../../support/errors.ts'
import { guardFormula, nameFileInFix, quoteForShell } from '../../support/text.ts'
import type { InboundContext, IntakeContext } from '../context.ts'
import { addDocuments, type RecordWithDocuments } from '../documents/delivery.ts'
import { giveWay } from './file-pass.ts'
import { getSpoolName } from './intake.ts'
import { openRecordSets } from './record-sets.ts'
import { collectReturnedRows } from './returned-rows.ts'
import { getStepContext, listOperations, openSteps } from './steps.ts'
import { deliverReports, type ReportFile } from './report-files.ts'
import { collectDateDoubts, createSummary, type Summary } from './summary.ts'
import { readPages } from '../../support/async.ts'
import { omitUndefined } from '../../support/object-paths.ts'

const RECORDS_PAGE = 1000

/** submitted → reported. After a crash in between, reports that already have their names are not delivered again. */
export async function reportFile(context: InboundContext, file: FileEntry): Promise<ReportedFile> {
  // Several routes may report a part of the same file, to the same folder.
  const baseName = file.partOf === undefined ? file.name : `${file.name}.${context.route.name}`
  const { summary, ...firsts } = await writeReports(context, file, baseName)
  const reports = listReports(file, summary)
  const paths = await deliverReports(context, file, { baseName, reports })
  return { summary, paths, isPart: file.partOf !== undefined, ...omitUndefined(firsts) }
}

export interface ReportedFile {
  readonly summary: Summary
  readonly paths: readonly string[]
  /** The file is the part of one route of a file of interchanges, which has a report of its own. */
  readonly isPart: boolean
  /** Why the first rejected record was rejected. It may hold cells, so it is for people at the machine alone. */
  readonly firstReason?: Problem
  /** The first warning about a record that was sent; likewise. */
  readonly firstWarning?: Problem
  /** Why the first skipped record was skipped; likewise. */
  readonly firstSkip?: Problem
}

const CORRECTED: ReadonlySet<string> = new Set(['accepted', 'duplicate'])

/** So many sets of one correction are compared with refused ones. */
const SETS_MAX = 10_000

/**
 * The names in the commands that mend a rejects file of interchanges: its own, and that under which the copy corrects it. With
 * their folders where these are on this machine.
 */
export function nameParts(
  { source, results, route }: IntakeContext,
  file: FileEntry,
  { baseName, kind }: { readonly baseName: string; readonly kind: 'rejects' | 'exceptions' },
): NonNullable<ShownParts['parts']> {
  const locate = (mailbox: Mailbox, folder: string, name: string) => {
    const path = mailbox.describe(folder, name)
    return isAbsolute(path) ? path : name
  }
  const { name, reportName, reports = 0 } = file
  const base = reportName ?? (reports === 0 ? baseName : `${baseName}~${reports + 1}`)
  return {
    returned: locate(results, route.resultsFolder, base + partSuffix(kind, name)),
    fixed: locate(source, route.folder, isPartFile(name) ? name : formatCorrectionName(name)),
  }
}

async function writeReports(context: InboundContext, file: FileEntry, baseName: string) {
  const { spool, format } = context
  const returned = collectReturnedRows()
  const summary = createSummary(context.route, file, listOperations(context))
  const more = context.documents === undefined ? [] : [DOCUMENTS_COLUMN]
  const operations = context.next === undefined ? [] : [OPERATION_COLUMN]
  const isEdi = context.translator.read.edi !== undefined
  const own = isEdi ? insertSetCells(RESULT_COLUMNS, SET_COLUMNS) : RESULT_COLUMNS
  const columns = [...file.keyColumns, ...operations, ...own, ...more]
  const writer = format.createWriter(columns.map(guardFormula), {
    format: 'csv',
    ...context.route.resultsWriting,
  })
  const formatRows = (rows: readonly string[][]) =>
    writer.formatRows(rows.map((row) => row.map(guardFormula)))

  const sets = isEdi && file.outcome === 'processed' ? await openRecordSets(context, file) : undefined
  let firstReason: Problem | undefined
  let firstWarning: Problem | undefined
  let firstSkip: Problem | undefined
  let mayHaveOtherOrder = false
  const fileWarnings: Problem[] = []
  /** The sets of which a record was accepted. */
  const corrected = new Set<string>()
  const keys = file.keyColumns.length
  const shown = {
    operations: operations.length > 0,
    file: file.name,
    parts: nameParts(context, file, { baseName, kind: 'rejects' }),
  }

  async function* resultLines() {
    yield writer.formatHeader()
    const blank = (columns: readonly string[]) => columns.map(() => '')
    for await (const records of readRecords(context, file)) {
      await giveWay(context, file)
      const page = await addDocuments(context, records)
      const names = await sets?.findNames(page)
      const rows = page.map((record: RecordWithDocuments) => {
        const detailRows = hasDetailRows(context, record)
        const set = names && (names.get(record.number) ?? '')
        if (set !== undefined && set !== '' && CORRECTED.has(record.state) && corrected.size < SETS_MAX)
          corrected.add(set)
        summary.add(record)
        mayHaveOtherOrder ||= record.problems.some(({ code }) => code === 'date-expected')
        const [reason] = record.state === 'rejected' ? record.problems : []
        if (reason !== undefined && firstReason === undefined) {
          const first = addLine(reason, record, { detailRows, set })
          firstReason ??= { ...first, fix: fillFix(first, shown) }
        }
        const [odd] = record.state === 'rejected' ? [] : record.warnings
        if (record.state === 'skipped') firstSkip ??= record.problems[0]
        if (odd !== undefined) firstWarning ??= addLine(odd, record, { detailRows, set })
        return [
          ...formatResultRow(record, keys, { ...shown, detailRows, set }),
          ...(record.documents === undefined ? [] : [record.documents.paths.join(SEPARATOR)]),
        ]
      })
      returned.add(page)
      yield formatRows(rows)
    }
    if (mayHaveOtherOrder && summary.hasAccepted())
      fileWarnings.push(...(await findDateDoubts(context, file)))
    const problems = summary.listFileProblems()
    const fileCells = formatFileRow({ ...file, problems })
    const cells = isEdi ? insertSetCells(fileCells, blank(SET_COLUMNS)) : fileCells
    const fileRow = [...blank(file.keyColumns), ...blank(operations), ...cells, ...blank(more)]
    if (file.outcome !== 'processed' || problems.length > 0) yield formatRows([fileRow])
  }

  let notes: Notes | undefined
  try {
    await spool.putUnflushed(`${file.id}.results`, resultLines())
    notes = await sets?.finish()
  } finally {
    await sets?.close()
  }
  const stem = findCorrectedName(file.name)
  if (stem !== undefined && corrected.size > 0)
    await context.journal.markSetsCorrected(context.lease, file.id, { stem, sets: [...corrected] })
  const ranges = returned.ranges()
  if (file.outcome === 'unusable')
    await spool.putUnflushed(`${file.id}.rejects`, spool.read(getSpoolName(file.id)))
  else if (ranges.refused.length > 0)
    await spool.putUnflushed(`${file.id}.rejects`, copyRows(context, file, ranges.refused))
  if (ranges.held.length > 0)
    await spool.putUnflushed(`${file.id}.exceptions`, copyRows(context, file, ranges.held))
  // Not the last event of the journal: made again after a crash, the summary must contain the same event.
  const journal = await context.journal.findSubmission(file.id)
  const columnDifferences = await findColumnDifferences(context, file)
  const finished = summary.finish({
    ...ranges,
    columns: columnDifferences,
    journal,
    notes,
    warnings: fileWarnings,
  })
  await spool.putUnflushed(`${file.id}.summary`, [Buffer.from(`${JSON.stringify(finished, null, 2)}\n`)])
  return { summary: finished, firstReason, firstWarning, firstSkip }
}

/** Compares the columns again: the report may be made long after the file was planned. */
async function findColumnDifferences(context: InboundContext, file: FileEntry) {
  if (file.outcome !== 'processed' || context.translator.read.edi !== undefined) return undefined
  const opened = await openSteps(context, file)
  if ('problems' in opened) return undefined
  await opened.close()
  return opened.columns
}

/**
 * Reads the dates of the file again: where one of a column is a date with day and month swapped alone, the dates that read
 * both ways may be swapped too. Which they are is not known before the last row, when earlier ones may be sent already.
 */
async function findDateDoubts(context: InboundContext, file: FileEntry): Promise<readonly Problem[]> {
  const opened = await openSteps(context, file, { findsDateOrders: true })
  if ('problems' in opened) return []
  const doubts = collectDateDoubts()
  try {
    for (const { source } of opened.steps) {
      if (source === undefined) continue
      for await (const rows of source.reading.batches) {
        doubts.add(source.bound.translateRows(rows))
        await giveWay(context, file)
      }
      doubts.add(source.bound.finish())
    }
  } finally {
    await opened.close()
  }
  return doubts.list()
}

/** True where a record of this step starts with a header row. */
function hasDetailRows(context: InboundContext, { operation }: ReportedRecord): boolean {
  const { records, edi } = getStepContext(context, operation).translator.read
  return records !== undefined || edi !== undefined
}

/** Copies the header and the rows as they arrived. */
function copyRows(
  { spool, format, translator }: InboundContext,
  file: FileEntry,
  ranges: [number, number][],
) {
  const { encoding = 'utf-8', headerLines } = file
  const options = { read: translator.read, encoding, headerLines, ranges }
  return format.copyRecords(spool.read(getSpoolName(file.id)), options)
}

function readRecords({ journal, signal }: InboundContext, file: FileEntry) {
  const read = (after: number) => {
    throwIfStopped(signal)
    return journal.listReportedRecords(file.id, after, RECORDS_PAGE)
  }
  return readPages(read, 0, ({ number }) => number)
}

// The rows of a result file: one line for each record.

/** The bridge's columns follow the user's key columns, and are ignored when such a file is read again. */
export const RESULT_COLUMNS = [
  '_line',
  '_record',
  '_status',
  '_http',
  '_id',
  '_code',
  '_field',
  '_message',
  '_fix',
  '_attempts',
  '_at',
] as const

/** The column for the step of a record, right after the key columns; only routes with several steps have it. */
const OPERATION_COLUMN = '_operation'

/** The column for the paths of packing slips and labels; only routes that want documents have it. */
const DOCUMENTS_COLUMN = '_documents'

/**
 * Behind `_line`, for documents of interchanges: the numbers of interchange, group and set, and the number of the first
 * segment; of a record with problems, that of the segment of the first one.
 */
const SET_COLUMNS = ['_set', '_segment'] as const

function insertSetCells(cells: readonly string[], ofSet: readonly string[]): string[] {
  return [...cells.slice(0, 1), ...ofSet, ...cells.slice(1)]
}

/** Several problems of one record share one cell, in the same order in each column. */
const SEPARATOR = ' | '

interface ShownParts {
  /** The first row of the record is a header. */
  readonly detailRows: boolean
  /** The file has the operation column. */
  readonly operations?: boolean
  /** The set of the record, empty where it stands in none; only of files of interchanges, which have columns for it. */
  readonly set?: string | undefined
  /** The name of the file, for the commands in fixes. */
  readonly file?: string
  /** The names or paths of the rejects file, or the exceptions file, and of its mended copy, for these too. */
  readonly parts?: { readonly returned: string; readonly fixed: string }
}

/** One record's line. */
export function formatResultRow(record: ReportedRecord, keyColumns: number, shown: ShownParts): string[] {
  const { operations = false, set } = shown
  const first = record.lines[0]?.[0]
  const problems = record.problems.map((each) => addLine(each, record, shown))
  const warnings = record.warnings.map((each) => addLine(toUnsent(each, record), record, shown))
  const cells = [
    String(first ?? ''),
    String(record.number),
    record.state,
    record.http === undefined ? '' : String(record.http),
    record.apiId ?? '',
    ...formatProblemCells([...problems, ...warnings], shown),
    String(record.attempts - (record.unsent ?? 0)),
    isoTime(record.changedAt),
  ]
  const { spot, line } = problems[0]?.place ?? {}
  const keyCells = record.keyValues.slice(0, keyColumns)
  while (keyCells.length < keyColumns) keyCells.push('')
  return [
    ...keyCells,
    ...(operations ? [record.operation] : []),
    ...(set === undefined
      ? cells
      : insertSetCells(cells, [set, String(spot?.segment ?? line ?? first ?? '')])),
  ]
}

/** A warning says what can be done about a record that was sent. */
function toUnsent(warning: Problem, { state }: Pick<ReportedRecord, 'state'>): Problem {
  const isOfSent = state === 'rejected' && /^(?:Sent as it is|It is sent as it is)/.test(warning.fix)
  return isOfSent
    ? { ...warning, fix: 'It was not sent. If this is wrong too, correct it with the rest.' }
    : warning
}

/** The one line for a file that is a duplicate, unusable as a whole or without records. */
export function formatFileRow(file: FileEntry): string[] {
  const at = isoTime(file.submittedAt ?? file.claimedAt)
  const whole = file.outcome === 'duplicate' ? 'duplicate' : 'rejected'
  const state = file.outcome === 'processed' ? 'skipped' : whole
  return ['', '', state, '', '', ...formatProblemCells(file.problems, { file: file.name }), '0', at]
}

const NO_PROBLEM_CELLS: readonly string[] = ['', '', '', '']

/** Four cells: codes, fields or columns, messages with their places, and fixes, whose commands name the file. */
export function formatProblemCells(
  problems: readonly Problem[],
  names: Pick<ShownParts, 'file' | 'parts'>,
): readonly string[] {
  if (problems.length === 0) return NO_PROBLEM_CELLS
  const cell = (text: (each: Problem) => string) => problems.map(text).join(SEPARATOR)
  return [
    cell((each) => each.code),
    cell((each) => each.place.field ?? each.place.column ?? ''),
    cell((each) => [formatPlace(each.place), each.message].filter((part) => part !== '').join(': ')),
    [...new Set(problems.map((each) => fillFix(each, names)).filter((fix) => fix !== ''))].join(SEPARATOR),
  ]
}

/** The fix, whose commands name the files. */
export function fillFix({ fix }: Problem, { file, parts }: Pick<ShownParts, 'file' | 'parts'>): string {
  const named = file === undefined ? fix : nameFileInFix(fix, file)
  if (parts === undefined) return named
  const [returned, fixed] = [parts.returned, parts.fixed].map(quoteForShell)
  return named.replace('edi fix REJECTS --out FIXED', () => `edi fix ${returned} --out ${fixed}`)
}

/** The API knows no lines of the file: a problem of `order_lines[2]` gets the line of that part of the record. */
export function addLine(
  each: Problem,
  record: Pick<ReportedRecord, 'lines'>,
  { detailRows, set }: ShownParts,
): Problem {
  const place = { ...each.place, ...omitUndefined({ set }) }
  if (place.line !== undefined || record.lines.length === 0) return { ...each, place }
  const index = /\[(\d+)\]/.exec(place.field ?? '')?.[1]
  const row = index === undefined ? 0 : Number(index) + (detailRows ? 1 : 0)
  const line = (record.lines[row] ?? record.lines[0])?.[0]
  return { ...each, place: { ...place, ...omitUndefined({ line }) } }
}

/** The reports of a file, with the summary last: a reader that waits for the summary then finds all of them. */
function listReports(file: FileEntry, summary: Summary): readonly ReportFile[] {
  const results = { suffix: '.results.csv', spooled: `${file.id}.results` }
  const rejects = { suffix: partSuffix('rejects', file.name), spooled: `${file.id}.rejects` }
  const exceptions = { suffix: partSuffix('exceptions', file.name), spooled: `${file.id}.exceptions` }
  const total = { suffix: '.summary.json', spooled: `${file.id}.summary` }
  const hasRejects = summary.refusedLines > 0 || isWhollyRefused(summary)
  return [results, ...(hasRejects ? [rejects] : []), ...(summary.heldLines > 0 ? [exceptions] : []), total]
}

/** Files that hold no rows of the route to correct, and get no rejects file. The archive has them. */
const WITHOUT_TEXT: readonly ProblemCode[] = ['file-empty', 'file-not-text', 'file-damaged', 'file-foreign']

function isWhollyRefused({ outcome, problems }: Summary): boolean {
  return outcome === 'unusable' && !problems.some(({ code }) => WITHOUT_TEXT.includes(code))
}
