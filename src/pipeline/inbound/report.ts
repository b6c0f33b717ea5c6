/** Writes the reports of a file from the journal: results, rejects, exceptions and summary. */
import { type FileEntry, partSuffix } from '../../domain/file.ts'
import { formatPlace, type Problem } from '../../domain/problem.ts'
import type { ReportedRecord } from '../../domain/record.ts'
import { isoTime } from '../../support/clock.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundContext } from '../context.ts'
import { addDocuments, type RecordWithDocuments } from '../documents/delivery.ts'
import { getSpoolName } from './intake.ts'
import { collectReturnedRows, copyLines, mergeRanges } from './returned-rows.ts'
import { getStepContext, listOperations, openSteps } from './steps.ts'
import { createSummary, type Summary } from './summary.ts'
import { type Naming, type StagedFile, type StageOptions, toNaming } from '../../domain/mailbox.ts'
import { createLeaseGuard } from '../lease-guard.ts'
import { assertInboxExists } from './inbox.ts'
import { NAMES_MAX } from '../outbound/outbox.ts'
import { readPages } from '../../support/async.ts'

/** How many records are read from the journal at once. */
const RECORDS_PAGE = 1000

/** submitted → reported. After a crash in between, what got its name is not left again. */
export async function reportFile(context: InboundContext, file: FileEntry): Promise<ReportedFile> {
  const { journal, lease } = context
  const summary = await writeReports(context, file)
  const reports = await beginReports(context, file, summary)
  let name = file.reportName
  // A file that is reported again has a name for each time, so that nobody takes one report for the other.
  const firstSuffix = 1 + (file.reports ?? 0)
  for (let suffix = firstSuffix; suffix < firstSuffix + NAMES_MAX; suffix++) {
    name ??= suffix === 1 ? chooseReportName(file) : `${chooseReportName(file)}~${suffix}`
    if (await nameReports(context, reports, name)) {
      await journal.markFileReported(lease, file.id)
      await discardWorkingFiles(context, reports)
      return { summary, paths: listReportPaths(context, reports) }
    }
    name = undefined
  }
  const first = context.results.describe(context.route.resultsFolder, `${file.name}.results.csv`)
  throw new BridgeError('cannot-write', `${first} and ${NAMES_MAX} names like it are taken`)
}

/** File systems take names of 255 bytes; the suffixes and a number must fit behind it. */
const NAME_BYTES_MAX = 230

/** The source's full name; of a name too long the beginning, with the file's id to tell it from its like. */
function chooseReportName({ name, id }: FileEntry): string {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name
  const letters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment)
  const room = NAME_BYTES_MAX - id.length - 1
  while (Buffer.byteLength(letters.join('')) > room) letters.pop()
  return `${letters.join('')}~${id}`
}

/** A file whose sender was reported. */
export interface ReportedFile {
  readonly summary: Summary
  /** Where the reports are, for people: the results first. */
  readonly paths: readonly string[]
}

async function writeReports(context: InboundContext, file: FileEntry): Promise<Summary> {
  const { spool, format } = context
  const returned = collectReturnedRows()
  const summary = createSummary(context.route, file, listOperations(context))
  const more = context.documents === undefined ? [] : [DOCUMENTS_COLUMN]
  const operations = context.next === undefined ? [] : [OPERATION_COLUMN]
  const columns = [...file.keyColumns, ...operations, ...RESULT_COLUMNS, ...more]
  const writer = format.createWriter(columns, { format: 'csv' })

  const keys = file.keyColumns.length
  const toRow = (record: RecordWithDocuments) => [
    ...formatResultRow(record, keys, hasDetailRows(context, record), operations.length > 0),
    ...(record.documents === undefined ? [] : [record.documents.paths.join(SEPARATOR)]),
  ]

  async function* resultLines() {
    yield writer.formatHeader()
    const blank = (columns: readonly string[]) => columns.map(() => '')
    const fileRow = [...blank(file.keyColumns), ...blank(operations), ...formatFileRow(file), ...blank(more)]
    if (file.outcome !== 'processed') yield writer.formatRows([fileRow])
    for await (const records of readRecords(context, file)) {
      const page = await addDocuments(context, records)
      for (const record of page) summary.add(record)
      returned.add(page)
      yield writer.formatRows(page.map(toRow))
    }
  }

  await spool.putUnflushed(`${file.id}.results`, resultLines())
  const ranges = returned.ranges()
  if (file.outcome === 'unusable')
    await spool.putUnflushed(`${file.id}.rejects`, spool.read(getSpoolName(file.id)))
  else if (ranges.refused.length > 0)
    await spool.putUnflushed(`${file.id}.rejects`, copyRows(context, file, ranges.refused))
  if (ranges.held.length > 0)
    await spool.putUnflushed(`${file.id}.exceptions`, copyRows(context, file, ranges.held))
  // Not the last event of all: made again after a crash, the summary must say the same.
  const journal = await context.journal.findSubmission(file.id)
  const finished = summary.finish({ ...ranges, columns: await findColumnDifferences(context, file), journal })
  await spool.putUnflushed(`${file.id}.summary`, [Buffer.from(`${JSON.stringify(finished, null, 2)}\n`)])
  return finished
}

/** Found out again from the top of the file: the report may be made long after the file was planned. */
async function findColumnDifferences(context: InboundContext, file: FileEntry) {
  if (file.outcome !== 'processed') return undefined
  const opened = await openSteps({ ...context, notify: () => undefined }, file)
  if ('problems' in opened) return undefined
  await opened.close()
  return opened.columns
}

/** The first row of a record of its step is its header. */
function hasDetailRows(context: InboundContext, { operation }: ReportedRecord): boolean {
  return getStepContext(context, operation).translator.read.records !== undefined
}

/** The header as it came, then the rows as they came. */
function copyRows({ spool, translator }: InboundContext, file: FileEntry, ranges: [number, number][]) {
  const header: [number, number][] = file.headerLines > 0 ? [[1, file.headerLines]] : []
  const stretches = mergeRanges([...header, ...ranges])
  const { format, quote = '"' } = translator.read
  const rules = { encoding: file.encoding ?? 'utf-8', quote: format === 'fixed' ? null : quote }
  return copyLines(spool.read(getSpoolName(file.id)), rules, stretches)
}

function readRecords({ journal, signal }: InboundContext, file: FileEntry) {
  const read = (after: number) => {
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    return journal.listReportedRecords(file.id, after, RECORDS_PAGE)
  }
  return readPages(read, 0, ({ number }) => number)
}

// The rows of a result file: one line for each record.

/** Our columns come after the user's key columns, and are ignored when such a file is read again. */
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

/** Which step a record is from; a column of the routes that have several, right after the key columns. */
const OPERATION_COLUMN = '_operation'

/** Where the packing slips and labels of a record are; a column of the routes that want them. */
const DOCUMENTS_COLUMN = '_documents'

/** Several problems of one record stand in one cell, in the same order in each column. */
const SEPARATOR = ' | '

/** One record's line. `detailRows`: its first row is a header; `operations`: there is a column for the operation. */
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

/** The one line for a file that is a duplicate or unusable as a whole. */
export function formatFileRow(file: FileEntry): string[] {
  const at = isoTime(file.submittedAt ?? file.claimedAt)
  const state = file.outcome === 'duplicate' ? 'duplicate' : 'rejected'
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

/** The API knows no lines: a problem of `order_lines[2]` is put where that line of the record stands. */
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

/** The reports of a file; results first, because a reader that waits for the summary then finds everything. */
function listReports(file: FileEntry, summary: Summary): readonly ReportFile[] {
  const results = { suffix: '.results.csv', spooled: `${file.id}.results` }
  const rejects = { suffix: partSuffix('rejects', file.name), spooled: `${file.id}.rejects` }
  const exceptions = { suffix: partSuffix('exceptions', file.name), spooled: `${file.id}.exceptions` }
  const total = { suffix: '.summary.json', spooled: `${file.id}.summary` }
  const hasRejects = summary.refusedLines > 0 || isWhollyRefused(summary)
  return [results, ...(hasRejects ? [rejects] : []), ...(summary.heldLines > 0 ? [exceptions] : []), total]
}

/** Of a file that holds nothing there is nothing to correct. */
function isWhollyRefused({ outcome, problems }: Summary): boolean {
  return outcome === 'unusable' && problems.every(({ code }) => code !== 'file-empty')
}

/** Reports on their way to their names. */
interface ReportsInProgress {
  readonly file: FileEntry
  readonly reports: readonly ReportFile[]
  /** Ready in the folder of the results, by what follows the base name. */
  readonly staged: Map<string, StagedFile>
  /** Those that were given their names, by what follows the base name. */
  readonly named: Map<string, Naming>
  /** Those of an earlier pass that were not, by the name that they were to have. */
  readonly unnamed: ReadonlyMap<string, Naming>
}

/** What an earlier pass gave a name is not left again, even where its reader has taken it since. */
async function beginReports({ journal, results, route }: InboundContext, file: FileEntry, summary: Summary) {
  const reports = listReports(file, summary)
  const [named, unnamed] = [new Map<string, Naming>(), new Map<string, Naming>()]
  const earlier = file.reportName === undefined ? [] : await journal.listNamings(file.id)
  for (const naming of earlier) {
    const preview = await results.inspectNaming(route.resultsFolder, naming)
    const report = reports.find(({ suffix }) => naming.name.endsWith(suffix))
    if (preview === 'named' && report !== undefined) named.set(report.suffix, naming)
    // One of which it cannot be told is left again: its reader is better told twice than never.
    if (preview === 'not-named') unnamed.set(naming.name, naming)
  }
  return { file, reports, staged: new Map(), named, unnamed }
}

/** Where the reports are, for people: the results first. */
function listReportPaths({ results, route }: InboundContext, { reports, named }: ReportsInProgress) {
  const names = reports.flatMap(({ suffix }) => named.get(suffix)?.name ?? [])
  return names.map((name) => results.describe(route.resultsFolder, name))
}

/** Names the rest; all are copied first, so that one note speaks of all. False when a name is taken: try another base. */
async function nameReports(context: InboundContext, underWay: ReportsInProgress, base: string) {
  const { journal, lease } = context
  const { file, reports, staged, named } = underWay
  if (await isNameTaken(context, underWay, base)) return false
  await stageMissing(context, underWay, base)
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
    // A file of an earlier pass may have been named by a bridge that stood still: the next pass finds out by its note.
    if (outcome === 'delivered' || each.isEarlier !== true) pending.delete(suffix)
    staged.delete(suffix)
    if (outcome === 'delivered' && naming !== undefined) named.set(suffix, naming)
    else await failLostReport(context, file.id, base + suffix, all())
  }
  return true
}

/** Whether another report stands at one of the names. Once some have theirs, the rest takes what is free. */
async function isNameTaken(context: InboundContext, { reports, named }: ReportsInProgress, base: string) {
  const { results, route } = context
  if (named.size > 0) return false
  for (const { suffix } of reports.slice(1)) {
    if (await results.hasEntry(route.resultsFolder, base + suffix)) return true
  }
  return false
}

/** Nothing was given the name, and the note must not say that it was. */
async function failLostReport(
  { journal, lease, results, route }: InboundContext,
  id: string,
  name: string,
  all: readonly Naming[],
): Promise<never> {
  await journal.saveNamings(lease, id, all)
  const final = results.describe(route.resultsFolder, name)
  throw new BridgeError('cannot-write', `${final} was taken away by somebody else before it was whole`)
}

/** Those that have neither their name nor a copy in the folder. */
async function stageMissing(context: InboundContext, underWay: ReportsInProgress, base: string) {
  const { reports, staged, named, unnamed } = underWay
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

/** A folder that is missing is made only while the file's inbox is there: both may be on one share, which is away. */
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
    // Asked only now: a mailbox may have a single connection, which was in use.
    await assertInboxExists(context)
    return stage({})
  }
}

/** The working files go once the journal knows that all have their names. */
async function discardWorkingFiles({ results, route }: InboundContext, { named }: ReportsInProgress) {
  for (const { working } of named.values())
    await results.removeStaged({ folder: route.resultsFolder, working })
}
