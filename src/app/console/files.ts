/** The list of incoming files, and one of them with its records. */
import { posix } from 'node:path'
import { DateTime } from 'luxon'
import type { RefusedCounts, RefusedFate } from '../../domain/decision.ts'
import { type FileEntry, type FileOutcome, type FileState, partSuffix } from '../../domain/file.ts'
import type { ProblemCount } from '../../domain/journal.ts'
import { type ProblemCode, PROBLEMS } from '../../domain/problem.ts'
import { listScannedInboxes } from '../../config/routes.ts'
import { OUTCOMES, type RecordState, type StateCounts } from '../../domain/record.ts'
import type { TracedRecord } from '../../domain/trace.ts'
import type { LineRange } from '../../domain/translator.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { ConsoleContext } from './context.ts'
import { type Contents, type FileDownload, readFromMailbox, toDownload, toMissing } from './contents.ts'
import { listWaiting, type ShownWaiting } from './correct.ts'
import { findCorrectable } from './correct-source.ts'
import { countDecidable, type DecidableCounts } from './deciding.ts'
import { type ShownDecision, showDecision } from './decisions.ts'
import {
  COUNTED_MAX,
  formatKey,
  formatPlace,
  parsePlace,
  readRefused,
  type Total,
  toTotal,
  TROUBLED,
} from './lists.ts'
import { type Audience, MASK, type ShownProblem, showProblem, toConsoleFix } from './masks.ts'
import { readSourceRows, type SourceRow } from './source-rows.ts'

export interface ListedFile {
  readonly id: string
  readonly name: string
  readonly route: string
  readonly receivedAt: number
  readonly state: FileState
  readonly outcome?: FileOutcome
  readonly records: StateCounts
  /** What became of its refused records; left out where none was refused. */
  readonly refused?: RefusedCounts
  readonly problems: readonly ShownProblem[]
}

export interface FilesPage {
  /** Newest first. */
  readonly files: readonly ListedFile[]
  readonly total: Total
  /** The id after which the next page begins; left out on the last one. */
  readonly next?: string
  /** All routes and inboxes of interchanges that take files, for the choice. */
  readonly routes: readonly string[]
  /** Names like the one that was asked for, where nothing was found. */
  readonly near: readonly string[]
}

export interface FilesRequest {
  readonly route?: string
  readonly name?: string
  readonly isTroubled?: true
  /** Such as `2026-11-21`, in the zone. */
  readonly day?: string
  readonly zone: string
  /** The id of the last file of the page before. */
  readonly after?: string
}

const FILES_ON_A_PAGE = 50

const NEAR_MAX = 5

export async function listFiles(
  { journal, configuration }: ConsoleContext,
  { route, name, isTroubled, day, zone, after }: FilesRequest,
  audience: Audience,
): Promise<FilesPage> {
  const query = omitUndefined({ route, name, isTroubled, ...findDay(day, zone) })
  const found = await journal.listFiles(query, after, FILES_ON_A_PAGE + 1)
  const files = found.slice(0, FILES_ON_A_PAGE)
  const counts = await journal.countRecordsOfFiles(files.map(({ id }) => id))
  const listed: ListedFile[] = []
  for (const file of files) {
    const shown = showFile(file, counts.get(file.id) ?? {}, audience)
    listed.push(omitUndefined({ ...shown, refused: await readRefused(journal, shown) }))
  }
  const isNothing = found.length === 0 && name !== undefined
  return omitUndefined({
    files: listed,
    total: toTotal(await journal.countFiles(query, COUNTED_MAX + 1)),
    next: found.length > FILES_ON_A_PAGE ? files.at(-1)?.id : undefined,
    routes: [
      ...configuration.routes.filter(({ direction }) => direction === 'inbound').map((each) => each.name),
      ...(configuration.edi?.inboxes ?? []).map(({ key }) => key),
    ],
    near: isNothing ? await journal.findSimilarNames(name, NEAR_MAX) : [],
  })
}

/** The times between which a day lies; nothing for a text that is no day. */
function findDay(day: string | undefined, zone: string): { readonly from?: number; readonly to?: number } {
  const begin = DateTime.fromISO(day ?? '', { zone })
  if (!begin.isValid) return {}
  return { from: begin.startOf('day').toMillis(), to: begin.startOf('day').plus({ days: 1 }).toMillis() }
}

function showFile(file: FileEntry, records: StateCounts, audience: Audience): ListedFile {
  const { id, name, route, claimedAt, receivedAt = claimedAt, state, outcome, problems } = file
  const shown = problems.map((each) => showProblem(each, audience))
  return omitUndefined({ id, name, route, receivedAt, state, outcome, records, problems: shown })
}

// One file.

/** What happened to a file, in the order of time. */
export interface FileStep {
  readonly at: number
  readonly what: 'claimed' | 'received' | 'planned' | 'submitted' | 'closed' | 'reopened'
}

/** Records of a file that have the same problem in the same column. */
export interface ProblemGroup {
  readonly code: string
  readonly title: string
  readonly fix: string
  readonly column?: string
  readonly records: number
  /** How many of them are refused, and corrected or given up since. */
  readonly corrected: number
  readonly isWarning: boolean
}

export interface ListedRecord {
  /** The journal's number of it. */
  readonly id: number
  /** Its place in the file. */
  readonly number: number
  readonly lines: readonly LineRange[]
  readonly key: string
  readonly operation: string
  readonly state: RecordState
  readonly apiId?: string
  readonly http?: number
  readonly problems: readonly ShownProblem[]
  /** Of a refused record: what became of it; left out while it waits for a correction. */
  readonly fate?: Exclude<RefusedFate, 'open'>
  /** Its rows in the source, where that can be read. */
  readonly rows: readonly SourceRow[]
}

export interface FilePage extends ListedFile {
  readonly folder: string
  readonly size: number
  readonly encoding?: string
  readonly duplicateOf?: FileEntry['duplicateOf']
  readonly partOf?: string
  readonly retakeOf?: string
  readonly correctionOf?: FileEntry['correctionOf']
  /** How many of its refused records wait for a correction that can be made here; left out where there are none. */
  readonly correctable?: number
  /** Why nothing of it can be corrected here, where something waits for a correction. */
  readonly correctingMissing?: string
  /** What became of its refused records. */
  readonly refused: RefusedCounts
  /** Its corrected files that lie in the inbox. */
  readonly waiting: readonly ShownWaiting[]
  /** Something of it waits for a correction, which a person may dismiss. */
  readonly isDismissible: boolean
  readonly timeline: readonly FileStep[]
  readonly reasons: readonly ProblemGroup[]
  /** The reasons are those of so many records with problems; left out where they are those of all. */
  readonly reasonsOf?: number
  /** Those that wait for a person first. */
  readonly page: readonly ListedRecord[]
  /** Only records of this state are shown. */
  readonly only?: RecordState
  /** Where the next page of records begins; left out on the last one. */
  readonly next?: string
  /** Why the rows of the source are not shown; left out where they are. */
  readonly sourceMissing?: string
  readonly decisions: readonly ShownDecision[]
  /** How many of its records a person can decide about. */
  readonly decidable: DecidableCounts
  /** Names of files, as far as there are such. */
  readonly names: {
    readonly source?: string
    readonly results?: string
    readonly rejects?: string
    readonly exceptions?: string
    readonly summary?: string
  }
}

export interface FileRequest {
  readonly id: string
  readonly only?: string
  /** As in `next`. */
  readonly after?: string
}

const RECORDS_ON_A_PAGE = 200

const REASONS_OF_MAX = 10_000

const DECISIONS_MAX = 20

/** A file has one row for each code of its held records. */
const HELD_CODES_MAX = 20

/** Undefined where the journal has no such file. */
export async function readFilePage(
  context: ConsoleContext,
  request: FileRequest,
  audience: Audience,
): Promise<FilePage | undefined> {
  const { journal } = context
  const file = await journal.getFile(request.id)
  if (file === undefined) return undefined
  const work = { file: file.id }
  const counts = await journal.countRecords(work)
  const only = isRecordState(request.only) ? request.only : undefined
  const query = omitUndefined({ state: only, after: parsePlace(request.after) })
  const found = await journal.listRecords(work, query, RECORDS_ON_A_PAGE + 1)
  const records = found.slice(0, RECORDS_ON_A_PAGE)
  const lines = records.flatMap((record) => record.lines)
  const source = await readSourceRows(context, file, lines, audience)
  const rows = 'rows' in source ? source.rows : []
  const fates = await journal.listRefusedFates(
    file.id,
    records.flatMap(({ id, state }) => (state === 'rejected' ? [id] : [])),
  )
  const shown = records.map((record) => {
    const fate = fates.get(record.id)
    const listed = showRecord(record, rows, audience)
    return fate === undefined || fate === 'open' ? listed : { ...listed, fate }
  })
  const troubled = TROUBLED.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  const decisions = await journal.listDecisions(file.id, DECISIONS_MAX)
  const refused = await journal.countRefused(file.id)
  const correctable = await findCorrectable(context, file)
  const { folder, size, encoding, duplicateOf, partOf, retakeOf, correctionOf } = file
  return omitUndefined({
    ...showFile(file, counts, audience),
    folder,
    size,
    encoding,
    duplicateOf,
    partOf,
    retakeOf,
    correctionOf,
    correctable: 'open' in correctable && correctable.open.length > 0 ? correctable.open.length : undefined,
    refused,
    correctingMissing: 'missing' in correctable && refused.open > 0 ? correctable.missing : undefined,
    waiting: await listWaiting(context, file.id),
    isDismissible: (await journal.listRejectedFiles(1, file.id)).length > 0,
    timeline: listSteps(file),
    reasons: (await journal.countProblems(file.id, REASONS_OF_MAX)).map(showGroup),
    reasonsOf: troubled > REASONS_OF_MAX ? REASONS_OF_MAX : undefined,
    page: shown,
    only,
    next: found.length > RECORDS_ON_A_PAGE ? formatPlace(records.at(-1)) : undefined,
    sourceMissing: 'missing' in source ? source.missing : undefined,
    decisions: decisions.map(showDecision),
    decidable: countDecidable(
      await journal.listHeldFiles(HELD_CODES_MAX, file.id),
      await journal.listWaitingFiles(1, file.id),
    ),
    names: listNames(file, counts),
  })
}

function isRecordState(text: string | undefined): text is RecordState {
  return (
    text !== undefined &&
    (Object.hasOwn(OUTCOMES, text) || ['planned', 'sending', 'collected'].includes(text))
  )
}

function listSteps(file: FileEntry): FileStep[] {
  const times: readonly (readonly [FileStep['what'], number | undefined])[] = [
    ['claimed', file.claimedAt],
    ['received', file.receivedAt],
    ['planned', file.plannedAt],
    ['reopened', file.takenUpAt],
    ['submitted', file.submittedAt],
    ['closed', file.closedAt],
  ]
  const steps = times.flatMap(([what, at]) => (at === undefined ? [] : [{ what, at }]))
  return steps.toSorted((one, other) => one.at - other.at)
}

function showGroup({ code, column, records, corrected, severity }: ProblemCount): ProblemGroup {
  const known = PROBLEMS[code] as (typeof PROBLEMS)[ProblemCode] | undefined
  const isWarning = severity === 'warning'
  return omitUndefined({
    code,
    title: known?.title ?? code,
    fix: toConsoleFix(code, known?.fix ?? ''),
    column,
    records,
    corrected,
    isWarning,
  })
}

function showRecord(record: TracedRecord, rows: readonly SourceRow[], audience: Audience): ListedRecord {
  const { id, number, lines, operation, state, apiId, http, problems, warnings } = record
  const own = rows.filter(({ line, lastLine }) =>
    lines.some(([first, last]) => line <= last && lastLine >= first),
  )
  const shown = [...problems, ...warnings].map((each) => showProblem(each, audience))
  const key = formatKey(record)
  // A cell that a problem is about may hold anything: a shifted row has a name in the column of the state.
  const named = new Set([...problems, ...warnings].map(({ place }) => place.column))
  const seen = audience.isMasked ? own.map((row) => hideCells(row, named)) : own
  return omitUndefined({ id, number, lines, key, operation, state, apiId, http, problems: shown, rows: seen })
}

function hideCells(row: SourceRow, named: ReadonlySet<string | undefined>): SourceRow {
  const isHidden = (cell: string, at: number) => cell !== '' && named.has(row.columns[at])
  return { ...row, cells: row.cells.map((cell, at) => (isHidden(cell, at) ? MASK : cell)) }
}

function listNames(file: FileEntry, counts: StateCounts): FilePage['names'] {
  const { archivedAs, reportName, name, state, outcome } = file
  const isReported = reportName !== undefined && (state === 'reported' || state === 'closed')
  const add = (suffix: string) => `${reportName ?? ''}${suffix}`
  return omitUndefined({
    source: archivedAs,
    results: isReported ? add('.results.csv') : undefined,
    rejects:
      isReported && ((counts.rejected ?? 0) > 0 || outcome === 'unusable')
        ? add(partSuffix('rejects', name))
        : undefined,
    exceptions: isReported && (counts.held ?? 0) > 0 ? add(partSuffix('exceptions', name)) : undefined,
    summary: isReported ? add('.summary.json') : undefined,
  })
}

// Its bytes.

export const DOWNLOADS = ['source', 'rejects'] as const

/** The file as it came, or what of it goes back to its sender. Undefined where the journal has no such file. */
export async function readFileDownload(
  context: ConsoleContext,
  id: string,
  what: (typeof DOWNLOADS)[number],
): Promise<FileDownload | undefined> {
  const { journal } = context
  const file = await journal.getFile(id)
  if (file === undefined) return undefined
  const names = listNames(file, await journal.countRecords({ file: id }))
  if (what === 'source') return toDownload(file, file.name, await readSource(context, file))
  return toDownload(
    file,
    names.rejects ?? `${file.name}.rejects`,
    await readRejects(context, file, names.rejects),
  )
}

async function readSource(context: ConsoleContext, file: FileEntry): Promise<Contents> {
  const { archivedAs, sha256, outcome, partOf } = file
  if (partOf !== undefined)
    return toMissing('It is a part of a file of interchanges.', 'Download the file that it is a part of.')
  if (outcome === 'vanished')
    return toMissing('It was gone before it could be taken.', 'Ask its sender for it.')
  if (archivedAs === undefined)
    return toMissing('It is not in the archive yet.', 'Wait until it is finished.')
  const place = findPlace(context, file)
  if (place === undefined) return NO_ROUTE
  return readFromMailbox(context, place.from.mailbox, omitUndefined({ archivedAs, sha256 }))
}

async function readRejects(
  context: ConsoleContext,
  file: FileEntry,
  name: string | undefined,
): Promise<Contents> {
  if (name === undefined)
    return toMissing(
      'It has no rejects file.',
      'It has one when it is finished and records of it were refused.',
    )
  const place = findPlace(context, file)
  if (place === undefined) return NO_ROUTE
  const { mailbox, folder } = place.results
  const found = await readFromMailbox(context, mailbox, { archivedAs: posix.join(folder, name) })
  if (!('missing' in found)) return found
  const { message } = found.missing
  return toMissing(message, 'Its reader may have taken it. The refused rows are in the source, too.')
}

function findPlace({ configuration }: ConsoleContext, { route }: FileEntry) {
  const parts = configuration.routes.flatMap((each) =>
    each.direction === 'inbound' ? [{ key: each.name, from: each.from, results: each.results }] : [],
  )
  return [...listScannedInboxes(configuration), ...parts].find(({ key }) => key === route)
}

const NO_ROUTE = toMissing('Its route is not in the configuration any more.', 'Put the route back.')
