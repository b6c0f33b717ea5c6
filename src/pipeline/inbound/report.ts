/** Writes the reports of a file from the journal: results, rejects, exceptions and summary. */
import { type FileEntry, partSuffix } from '../../domain/file.ts'
import { NAMES_MAX, namesTakenError } from '../../domain/name-suffix.ts'
import { type Problem, type ProblemCode } from '../../domain/problem.ts'
import { formatPlace } from '../../domain/place.ts'
import type { ReportedRecord } from '../../domain/record.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError, throwIfStopped } from '../../support/errors.ts'
import { guardFormula } from '../../support/text.ts'
import type { InboundContext } from '../context.ts'
import { addDocuments, type RecordWithDocuments } from '../documents/delivery.ts'
import { getSpoolName } from './intake.ts'
import { collectReturnedRows } from './returned-rows.ts'
import { getStepContext, listOperations, openSteps } from './steps.ts'
import { createSummary, type Summary } from './summary.ts'
import { type Naming, type StagedFile, type StageOptions, toNaming } from '../../domain/mailbox.ts'
import { createLeaseGuard } from '../lease-guard.ts'
import { assertInboxExists, assertResultsUnused, getResultsPlace } from './inbox.ts'
import { readPages } from '../../support/async.ts'
import { omitUndefined } from '../../support/object-paths.ts'

const RECORDS_PAGE = 1000

/** submitted → reported. After a crash in between, reports that already have their names are not delivered again. */
export async function reportFile(context: InboundContext, file: FileEntry): Promise<ReportedFile> {
  const { journal, lease } = context
  const { summary, firstReason } = await writeReports(context, file)
  const reports = await beginReports(context, file, summary)
  let name = file.reportName
  // Each report of the same file gets a name of its own, so that readers do not confuse them.
  const firstSuffix = 1 + (file.reports ?? 0)
  for (let suffix = firstSuffix; suffix < firstSuffix + NAMES_MAX; suffix++) {
    name ??= suffix === 1 ? chooseReportName(file) : `${chooseReportName(file)}~${suffix}`
    if (await nameReports(context, reports, name)) {
      await notePlace(context)
      await journal.markFileReported(lease, file.id)
      await discardWorkingFiles(context, reports)
      return { summary, paths: listReportPaths(context, reports), ...omitUndefined({ firstReason }) }
    }
    name = undefined
  }
  throw namesTakenError(context.results.describe(context.route.resultsFolder, `${file.name}.results.csv`))
}

/** From now on the folder is not created again. */
async function notePlace({ journal, lease, results, route }: InboundContext): Promise<void> {
  const place = getResultsPlace(results, route.resultsFolder)
  if (!(await journal.isPlaceKnown(place))) await journal.savePlace(lease, place)
}

/** File systems take names of 255 bytes; the suffixes and a number must fit behind it. */
const NAME_BYTES_MAX = 230

/** The full name of the source. A name that is too long is cut, and gets the file's id to stay unique. */
function chooseReportName({ name, id }: FileEntry): string {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name
  const letters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment)
  const room = NAME_BYTES_MAX - id.length - 1
  while (Buffer.byteLength(letters.join('')) > room) letters.pop()
  return `${letters.join('')}~${id}`
}

export interface ReportedFile {
  readonly summary: Summary
  readonly paths: readonly string[]
  /** Why the first rejected record was rejected. It may hold cells, so it is for people at the machine alone. */
  readonly firstReason?: Problem
}

async function writeReports(context: InboundContext, file: FileEntry) {
  const { spool, format } = context
  const returned = collectReturnedRows()
  const summary = createSummary(context.route, file, listOperations(context))
  const more = context.documents === undefined ? [] : [DOCUMENTS_COLUMN]
  const operations = context.next === undefined ? [] : [OPERATION_COLUMN]
  const columns = [...file.keyColumns, ...operations, ...RESULT_COLUMNS, ...more]
  const writer = format.createWriter(columns.map(guardFormula), { format: 'csv' })
  const formatRows = (rows: readonly string[][]) =>
    writer.formatRows(rows.map((row) => row.map(guardFormula)))

  let firstReason: Problem | undefined
  const keys = file.keyColumns.length
  const toRow = (record: RecordWithDocuments) => [
    ...formatResultRow(record, keys, hasDetailRows(context, record), operations.length > 0),
    ...(record.documents === undefined ? [] : [record.documents.paths.join(SEPARATOR)]),
  ]

  async function* resultLines() {
    yield writer.formatHeader()
    const blank = (columns: readonly string[]) => columns.map(() => '')
    for await (const records of readRecords(context, file)) {
      const page = await addDocuments(context, records)
      for (const record of page) {
        summary.add(record)
        const [reason] = record.state === 'rejected' ? record.problems : []
        if (reason !== undefined) firstReason ??= addLine(reason, record, hasDetailRows(context, record))
      }
      returned.add(page)
      yield formatRows(page.map(toRow))
    }
    const problems = summary.listFileProblems()
    const cells = formatFileRow({ ...file, problems })
    const fileRow = [...blank(file.keyColumns), ...blank(operations), ...cells, ...blank(more)]
    if (file.outcome !== 'processed' || problems.length > 0) yield formatRows([fileRow])
  }

  await spool.putUnflushed(`${file.id}.results`, resultLines())
  const ranges = returned.ranges()
  if (file.outcome === 'unusable')
    await spool.putUnflushed(`${file.id}.rejects`, spool.read(getSpoolName(file.id)))
  else if (ranges.refused.length > 0)
    await spool.putUnflushed(`${file.id}.rejects`, copyRows(context, file, ranges.refused))
  if (ranges.held.length > 0)
    await spool.putUnflushed(`${file.id}.exceptions`, copyRows(context, file, ranges.held))
  // Not the last event of the journal: made again after a crash, the summary must contain the same event.
  const journal = await context.journal.findSubmission(file.id)
  const finished = summary.finish({ ...ranges, columns: await findColumnDifferences(context, file), journal })
  await spool.putUnflushed(`${file.id}.summary`, [Buffer.from(`${JSON.stringify(finished, null, 2)}\n`)])
  return { summary: finished, firstReason }
}

/** Compares the columns again: the report may be made long after the file was planned. */
async function findColumnDifferences(context: InboundContext, file: FileEntry) {
  if (file.outcome !== 'processed' || context.translator.read.edi !== undefined) return undefined
  const opened = await openSteps({ ...context, notify: () => undefined }, file)
  if ('problems' in opened) return undefined
  await opened.close()
  return opened.columns
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

/** Several problems of one record share one cell, in the same order in each column. */
const SEPARATOR = ' | '

/** One record's line. `detailRows`: its first row is a header. `operations`: the file has the operation column. */
export function formatResultRow(
  record: ReportedRecord,
  keyColumns: number,
  detailRows: boolean,
  operations = false,
): string[] {
  const problems = [...record.problems, ...record.warnings].map((each) => addLine(each, record, detailRows))
  return [
    ...Array.from({ length: keyColumns }, (_, index) => record.keyValues[index] ?? ''),
    ...(operations ? [record.operation] : []),
    String(record.lines[0]?.[0] ?? ''),
    String(record.number),
    record.state,
    record.http === undefined ? '' : String(record.http),
    record.apiId ?? '',
    ...formatProblemCells(problems),
    String(record.attempts),
    isoTime(record.changedAt),
  ]
}

/** The one line for a file that is a duplicate, unusable as a whole or without records. */
export function formatFileRow(file: FileEntry): string[] {
  const at = isoTime(file.submittedAt ?? file.claimedAt)
  const whole = file.outcome === 'duplicate' ? 'duplicate' : 'rejected'
  const state = file.outcome === 'processed' ? 'skipped' : whole
  return ['', '', state, '', '', ...formatProblemCells(file.problems), '0', at]
}

function formatProblemCells(problems: readonly Problem[]): string[] {
  const cell = (text: (each: Problem) => string) => problems.map(text).join(SEPARATOR)
  return [
    cell((each) => each.code),
    cell((each) => each.place.field ?? each.place.column ?? ''),
    cell((each) => [formatPlace(each.place), each.message].filter((part) => part !== '').join(': ')),
    [...new Set(problems.map((each) => each.fix).filter((fix) => fix !== ''))].join(SEPARATOR),
  ]
}

/** The API knows no lines of the file: a problem of `order_lines[2]` gets the line of that part of the record. */
function addLine(each: Problem, record: ReportedRecord, detailRows: boolean): Problem {
  if (each.place.line !== undefined || record.lines.length === 0) return each
  const index = /\[(\d+)\]/.exec(each.place.field ?? '')?.[1]
  const row = index === undefined ? 0 : Number(index) + (detailRows ? 1 : 0)
  const line = (record.lines[row] ?? record.lines[0])?.[0]
  return line === undefined ? each : { ...each, place: { ...each.place, line } }
}

// Delivers the reports to the results folder. After a crash no report is delivered twice.

interface ReportFile {
  readonly suffix: string
  readonly spooled: string
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

interface ReportsInProgress {
  readonly file: FileEntry
  readonly reports: readonly ReportFile[]
  readonly staged: Map<string, StagedFile>
  readonly named: Map<string, Naming>
  /** Reports that an earlier pass did not name, by the name that they were to have. */
  readonly unnamed: ReadonlyMap<string, Naming>
}

/** A report that an earlier pass named is not delivered again, even if its reader has removed it since. */
async function beginReports({ journal, results, route }: InboundContext, file: FileEntry, summary: Summary) {
  const reports = listReports(file, summary)
  const [named, unnamed] = [new Map<string, Naming>(), new Map<string, Naming>()]
  const earlier = file.reportName === undefined ? [] : await journal.listNamings(file.id)
  for (const naming of earlier) {
    const state = await results.inspectNaming(route.resultsFolder, naming)
    const report = reports.find(({ suffix }) => naming.name.endsWith(suffix))
    if (state === 'named' && report !== undefined) named.set(report.suffix, naming)
    // A report in an unknown state is delivered again: two reports are better than none.
    if (state === 'not-named') unnamed.set(naming.name, naming)
  }
  return { file, reports, staged: new Map(), named, unnamed }
}

function listReportPaths({ results, route }: InboundContext, { reports, named }: ReportsInProgress) {
  const names = reports.flatMap(({ suffix }) => named.get(suffix)?.name ?? [])
  return names.map((name) => results.describe(route.resultsFolder, name))
}

/** Names the rest; stages all first, so that one note covers them. False when a name is taken: try another base name. */
async function nameReports(context: InboundContext, progress: ReportsInProgress, base: string) {
  const { journal, lease } = context
  const { file, reports, staged, named } = progress
  if (await isNameTaken(context, progress, base)) return false
  await stageMissing(context, progress, base)
  const pending = new Map([...staged].map(([suffix, each]) => [suffix, toNaming(each, base + suffix)]))
  const all = () => [...named.values(), ...pending.values()]
  await journal.saveReportName(lease, file.id, base, all())
  const { assertHeld } = createLeaseGuard(context)
  for (const { suffix } of reports) {
    const each = staged.get(suffix)
    if (each === undefined) continue
    await assertHeld()
    const outcome = await context.results.giveName(each, base + suffix, {
      moreFollow: staged.size > 1,
      note: (evidence) => {
        pending.set(suffix, toNaming({ ...each, evidence }, base + suffix))
        return journal.saveNamings(lease, file.id, all())
      },
    })
    if (outcome === 'occupied') return false
    const naming = pending.get(suffix)
    // A bridge that paused may have named a staged file of an earlier pass: the next pass finds out by its note.
    if (outcome === 'delivered' || each.isEarlier !== true) pending.delete(suffix)
    staged.delete(suffix)
    if (outcome === 'delivered' && naming !== undefined) named.set(suffix, naming)
    else await failLostReport(context, file.id, base + suffix, all())
  }
  return true
}

/** Whether another file has one of the names. Once some reports are named, the rest takes any name that is free. */
async function isNameTaken(context: InboundContext, { reports, named }: ReportsInProgress, base: string) {
  const { results, route } = context
  if (named.size > 0) return false
  for (const { suffix } of reports.slice(1)) {
    if (await results.hasEntry(route.resultsFolder, base + suffix)) return true
  }
  return false
}

/** Corrects the note first: it must not say that the report got its name. */
async function failLostReport(
  { journal, lease, results, route }: InboundContext,
  id: string,
  name: string,
  all: readonly Naming[],
): Promise<never> {
  await journal.saveNamings(lease, id, all)
  const final = results.describe(route.resultsFolder, name)
  throw new BridgeError('cannot-write', `another program removed ${final} before it was complete`)
}

async function stageMissing(context: InboundContext, progress: ReportsInProgress, base: string) {
  const { reports, staged, named, unnamed } = progress
  const missing = reports.filter(({ suffix }) => !named.has(suffix) && !staged.has(suffix))
  const known = (suffix: string) => unnamed.get(base + suffix)
  const toCopy = missing.filter(({ suffix }) => known(suffix) === undefined)
  for (const { suffix, spooled } of missing) {
    const earlier = known(suffix)
    const name = base + suffix
    const moreFollow = suffix !== toCopy.at(-1)?.suffix
    const how = earlier === undefined ? { name, moreFollow } : { name, earlier }
    staged.set(suffix, await stageReport(context, spooled, how))
  }
}

/** Creates a missing folder only if the inbox exists: both may be on one share that is not mounted. */
async function stageReport(context: InboundContext, spooled: string, how: StageOptions): Promise<StagedFile> {
  const { results, spool, route } = context
  const stage = (may: Pick<StageOptions, 'beforeCreate'>) =>
    results.stage(spool.path(spooled), route.resultsFolder, { ...how, ...may })
  let isMissing = false
  const beforeCreate = () => {
    isMissing = true
    return Promise.reject(new Error('asked first whether the inbox is there'))
  }
  try {
    return await stage({ beforeCreate })
  } catch (error) {
    if (!isMissing) throw error
    // Only now, outside of staging: a mailbox may have a single connection, which staging uses.
    await assertInboxExists(context)
    await assertResultsUnused(context)
    return stage({})
  }
}

/** Removes the working files once the journal knows that all reports have their names. */
async function discardWorkingFiles({ results, route }: InboundContext, { named }: ReportsInProgress) {
  for (const { working } of named.values())
    await results.removeStaged({ folder: route.resultsFolder, working })
}
