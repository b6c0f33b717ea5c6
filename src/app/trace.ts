/** Collects everything that the journal knows of an order, a record or a file. */
import { type Endpoint, type EndpointName, ENDPOINTS } from '../contract/endpoints.ts'
import {
  type InboundOperation,
  type OperationName,
  OPERATIONS,
  type OutboundOperation,
  type OutboundOperationName,
} from '../contract/operations.ts'
import type { DecisionEntry } from '../domain/decision.ts'
import type { DeliveryEntry, RedeliveryEntry } from '../domain/delivery.ts'
import type { FileEntry } from '../domain/file.ts'
import type { AnswerEntry } from '../domain/interchange-journal.ts'
import type { Journal } from '../domain/journal.ts'
import type { StateCounts } from '../domain/record.ts'
import type { ShippingDocument } from '../domain/shipping-document.ts'
import type { TracedDetail, TracedRecord } from '../domain/trace.ts'
import type { NotedVersion } from '../domain/lease.ts'
import { formatRecordName } from '../pipeline/outbound/file-rows.ts'
import { omitUndefined } from '../support/object-paths.ts'
import {
  traceAnsweredFile,
  traceEarlierSendings,
  traceInterchange,
  traceInterchanges,
  traceRecordSending,
  traceSending,
  type TracedEarlierSending,
  type TracedSending,
  type TracedInterchange,
  type TracedInterchanges,
} from './trace-interchanges.ts'

export interface Trace {
  readonly key: string
  /** The key as the person gave it, when it differs only in case, dashes, blanks and leading zeros. */
  readonly requestedKey?: string
  readonly files: readonly TracedFile[]
  readonly deliveries: readonly TracedDelivery[]
  /** Oldest first. */
  readonly records: readonly RecordHistory[]
  /** The configurations and mappings that made and sent them, the oldest first; left out where none is known. */
  readonly versions?: readonly NotedVersion[]
  /** How many earlier records are left out. */
  readonly earlier: number
  /** Only when nothing was found: similar names and keys. */
  readonly near: readonly string[]
  /** Only when nothing was found on the line of a known file: the last line on which it has a record. */
  readonly lastLine?: { readonly file: string; readonly line: number }
  /** Only when nothing was found: contents of work finished until then were pruned. */
  readonly prunedUntil?: number
}

export interface TracedFile {
  readonly file: FileEntry
  readonly counts: StateCounts
  /** What people decided about it, newest first. */
  readonly decisions: readonly DecisionEntry[]
  /** The first of its records, those with problems before the others. */
  readonly records: readonly TracedRecord[]
  /** Only of a file of interchanges. */
  readonly brought?: TracedInterchanges
}

export interface TracedDelivery extends Pick<TracedFile, 'counts'> {
  readonly delivery: DeliveryEntry
  /** Its bytes once more, as persons asked; left out where there are none. */
  readonly redeliveries?: readonly RedeliveryEntry[]
  /** Only of an answer to interchanges: what it answers. */
  readonly answered?: { readonly answer: AnswerEntry; readonly file: FileEntry }
  /** Only of an interchange to a partner. */
  readonly sent?: TracedSending
  readonly records: readonly DeliveredRecord[]
}

export interface DeliveredRecord extends TracedRecord {
  /** The number that the record has on paper; left out when it has none, or when its contents were pruned. */
  readonly called?: string
  readonly purchaseOrder?: string
}

export interface RecordHistory extends Omit<TracedDetail, 'record' | 'body' | 'answer' | 'first'> {
  readonly record: TracedRecord
  readonly from?: FileEntry
  /** Only where its file is a part of a file of interchanges. */
  readonly interchange?: TracedInterchange
  readonly into?: DeliveryEntry
  /** Only where its delivery is an interchange to a partner. */
  readonly sent?: TracedSending
  /** Interchanges in which it went out before a person had it sent anew; left out where there are none. */
  readonly sentBefore?: readonly TracedEarlierSending[]
  /** Method and path of its call. */
  readonly call?: string
  readonly body?: unknown
  /** What the journal keeps of the last answer, where packing slips or labels need it. */
  readonly answer?: unknown
  readonly documents: readonly Pick<ShippingDocument, 'kind' | 'folder' | 'state' | 'name' | 'problem'>[]
  /** For a duplicate: the record that it repeats, and that record's file. */
  readonly first?: { readonly record: TracedRecord; readonly from?: FileEntry }
}

interface TraceRequest {
  readonly key: string
  readonly route?: string
}

/** More do not fit on a screen; the trace counts the rest. */
const RECORDS_MAX = 20

const FILES_MAX = 5

const FILE_RECORDS_MAX = 20

/** When nothing has the exact key, searches for keys that differ only in case, dashes, blanks or leading zeros. */
export async function traceKey(journal: Journal, request: TraceRequest): Promise<Trace> {
  const { key } = request
  const trace = await traceExactly(journal, request)
  if (!isEmptyTrace(trace)) return trace
  const { same, ...pruned } = await journal.suggestKeys(key, SIMILAR_MAX)
  const [only] = same
  if (only !== undefined && same.length === 1) {
    const exact = await traceExactly(journal, { ...request, key: only })
    if (!isEmptyTrace(exact)) return { ...exact, requestedKey: key }
  }
  const near = new Set([...same, ...(await journal.findSimilarNames(key, SIMILAR_MAX))])
  const lastLine = await findLastLine(journal, key)
  return { ...trace, near: [...near].slice(0, SIMILAR_MAX), ...pruned, ...omitUndefined({ lastLine }) }
}

/** `orders.csv:99`, where the file has no such line. */
async function findLastLine(journal: Journal, key: string): Promise<Trace['lastLine']> {
  const [, name] = ROW_KEY.exec(key) ?? []
  const [file] = name === undefined ? [] : await findFilesByName(journal, name, 1)
  const last = file && (await journal.findLastPlanned(file.id))
  const line = Math.max(...(last?.lines.map(([, each]) => each) ?? []))
  return file === undefined || !Number.isFinite(line) ? undefined : { file: file.name, line }
}

const ROW_KEY = /^(.+):(\d{1,9})$/

/** The routes whose files the trace shows. */
export function listTracedRoutes({ files, records }: Trace): ReadonlySet<string> {
  return new Set([...files.map(({ file }) => file.route), ...records.map(({ record }) => record.route)])
}

export function isEmptyTrace({ files, deliveries, records }: Trace): boolean {
  return files.length + deliveries.length + records.length === 0
}

/** Searches the indexes first, and all records only when these find nothing. */
async function traceExactly(journal: Journal, { key, route }: TraceRequest): Promise<Trace> {
  const ofRoute = (each: { readonly route: string }) => route === undefined || each.route === route
  const files = (await findFilesByName(journal, key, FILES_MAX)).filter(ofRoute)
  const deliveries = (await findDeliveriesByName(journal, key, FILES_MAX)).filter(ofRoute)
  const rows = await findRows(journal, key, ofRoute)
  const query = { limit: RECORDS_MAX, ...(route === undefined ? {} : { route }) }
  let found = rows.length > 0 ? { records: rows, earlier: 0 } : await journal.traceKey(key, query)
  if (files.length + deliveries.length + found.records.length === 0) {
    found = await journal.traceKey(key, { ...query, everywhere: true })
  }
  const records = await traceRecords(journal, found.records)
  const versions = await listVersions(journal, [
    ...[...files, ...deliveries].map(({ version }) => version),
    ...records.flatMap(({ from, into, attempts }) => [from, into, ...attempts].map((each) => each?.version)),
  ])
  return {
    key,
    files: await Promise.all(files.map((file) => traceFile(journal, file))),
    deliveries: await Promise.all(deliveries.map((delivery) => traceDelivery(journal, delivery))),
    records,
    ...(versions.length === 0 ? {} : { versions }),
    earlier: found.earlier,
    near: [],
  }
}

function listVersions(journal: Journal, ids: readonly (string | undefined)[]) {
  const known = new Set(ids.filter((id) => id !== undefined))
  return known.size === 0 ? [] : journal.listVersions([...known])
}

const SIMILAR_MAX = 5

/** `orders.csv:17`: the records on that line, in the latest files of that name. */
async function findRows(journal: Journal, key: string, ofRoute: (file: FileEntry) => boolean) {
  const [, name, line] = ROW_KEY.exec(key) ?? []
  if (name === undefined || line === undefined) return []
  const files = (await findFilesByName(journal, name, FILES_MAX)).filter(ofRoute)
  const found: TracedRecord[] = []
  for (const file of files.toReversed()) {
    found.push(...(await journal.traceLine(file.id, Number(line), RECORDS_MAX)))
  }
  return found.slice(-RECORDS_MAX)
}

const FILE_DECISIONS_MAX = 10

async function traceFile(journal: Journal, file: FileEntry): Promise<TracedFile> {
  const work = { file: file.id }
  const counts = await journal.countRecords(work)
  const decisions = await journal.listDecisions(file.id, FILE_DECISIONS_MAX)
  const records = await journal.traceWork(work, FILE_RECORDS_MAX)
  const brought = await traceInterchanges(journal, file)
  return omitUndefined({ file, counts, decisions, records, brought })
}

async function traceDelivery(journal: Journal, delivery: DeliveryEntry): Promise<TracedDelivery> {
  const work = { delivery: delivery.id }
  const counts = await journal.countRecords(work)
  const records = await journal.traceWork(work, FILE_RECORDS_MAX)
  const details = await journal.traceDetails(records.map(({ id }) => id))
  const bodies = new Map(details.map(({ record, body }) => [record, body]))
  const delivered = records.map((record) => nameRecord(record, bodies.get(record.id)))
  const redeliveries = await journal.listRedeliveries(delivery.id)
  const answered = await traceAnsweredFile(journal, delivery)
  const sent = await traceSending(journal, delivery.id)
  const repeated = redeliveries.length === 0 ? undefined : redeliveries
  return omitUndefined({ delivery, redeliveries: repeated, answered, sent, counts, records: delivered })
}

/** Adds what a delivered record is called on paper, and the order it is of; `text` is its body. */
export function nameRecord(record: TracedRecord, text: string | undefined): DeliveredRecord {
  if (text === undefined) return record
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>
  const called = formatRecordName(record.operation as OutboundOperationName, body)
  const order = (body['order'] ?? {}) as Readonly<Record<string, unknown>>
  const number = body['purchase_order_number'] ?? order['purchase_order_number']
  const purchaseOrder = typeof number === 'string' ? number : undefined
  return { ...record, ...omitUndefined({ called: called || undefined, purchaseOrder }) }
}

/** The whole life of each record: what it came from, its sendings and lookups, and where it went. */
export async function traceRecords(
  journal: Journal,
  records: readonly TracedRecord[],
): Promise<RecordHistory[]> {
  const ids = records.map(({ id }) => id)
  const details = new Map((await journal.traceDetails(ids)).map((detail) => [detail.record, detail]))
  const documents = await journal.listDocuments(ids)
  return Promise.all(
    records.map(async (record): Promise<RecordHistory> => {
      const detail = details.get(record.id)
      const { body: text, answer, prunedAt, attempts = [], lookUps = [], decisions = [] } = detail ?? {}
      const body = text === undefined ? undefined : (JSON.parse(text) as unknown)
      const own = documents.filter(({ recordId }) => recordId === record.id)
      const history = { record, attempts, lookUps, decisions, documents: own }
      const from = await findSourceFile(journal, record)
      const before = await traceEarlierSendings(journal, record, decisions)
      return omitUndefined({
        ...history,
        call: formatCall(record, body),
        body,
        answer: answer === undefined ? undefined : (JSON.parse(answer) as unknown),
        prunedAt,
        from,
        interchange: await traceInterchange(journal, record, from),
        into: record.delivery === undefined ? undefined : await journal.getDelivery(record.delivery),
        sent: await traceRecordSending(journal, record),
        sentBefore: before.length === 0 ? undefined : before,
        first:
          detail?.first &&
          omitUndefined({ record: detail.first, from: await findSourceFile(journal, detail.first) }),
      })
    }),
  )
}

async function findSourceFile(journal: Journal, { file }: TracedRecord): Promise<FileEntry | undefined> {
  return file === undefined ? undefined : journal.getFile(file)
}

/** `POST /v1/retailers/1000/orders/`; undefined where the record needs no call. */
function formatCall(record: TracedRecord, body: unknown): string | undefined {
  const [kind = '', party = ''] = record.account.split('/')
  const operation: InboundOperation | OutboundOperation | undefined =
    OPERATIONS[record.operation as OperationName]
  if (operation === undefined) return undefined
  const isInbound = operation.direction === 'inbound'
  const name = isInbound ? operation.endpoints[kind as 'retailer' | 'brand'] : operation.acknowledge
  if (name === undefined) return undefined
  const target = isInbound ? operation.target : undefined
  const id = isInbound ? readTargetId(body, target) : record.apiId
  const { method, path }: Endpoint = ENDPOINTS[name as EndpointName]
  return `${method} ${path.replace(`{${kind}_id}`, party).replace('{id}', id ?? '{id}')}`
}

function readTargetId(body: unknown, target: string | undefined): string | undefined {
  if (target === undefined || typeof body !== 'object' || body === null) return undefined
  const id = (body as Readonly<Record<string, unknown>>)[target]
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined
}

/** By name or id, or by the path, the archived name or the report's name that the bridge printed. */
export async function findFilesByName(journal: Journal, name: string, limit: number): Promise<FileEntry[]> {
  const files = await journal.findFilesByName(name, limit)
  if (files.length > 0) return files
  const { folder, last } = splitPath(name)
  const called = last === name ? [] : await journal.findFilesByName(last, limit)
  if (called.length > 0) return preferFolder(folder, called)
  const archived = await findArchivedFile(journal, last)
  return archived.length > 0 ? archived : findReportedFile(journal, last, limit)
}

export async function findDeliveriesByName(
  journal: Journal,
  name: string,
  limit: number,
): Promise<DeliveryEntry[]> {
  const deliveries = await journal.findDeliveriesByName(name, limit)
  const { folder, last } = splitPath(name)
  if (deliveries.length > 0 || last === name) return deliveries
  return preferFolder(folder, await journal.findDeliveriesByName(last, limit))
}

function splitPath(path: string): { readonly folder: string; readonly last: string } {
  const segments = path.split(/[/\\]/)
  return { folder: segments.slice(0, -1).join('/'), last: segments.at(-1) ?? '' }
}

/** Prefers entries of this folder. A copy may be anywhere, so a folder without entries excludes none. */
function preferFolder<Entry extends { readonly folder: string }>(folder: string, entries: Entry[]): Entry[] {
  const inFolder = entries.filter((entry) => `/${folder}`.endsWith(`/${entry.folder}`))
  return inFolder.length > 0 ? inFolder : entries
}

/** `orders~6f3kf9827vf0.csv`. */
async function findArchivedFile(journal: Journal, name: string): Promise<FileEntry[]> {
  const [, id] = /.~([0-9a-z]+)[^~]*$/.exec(name) ?? []
  if (id === undefined) return []
  const files = await journal.findFilesByName(id, 1)
  return files.filter((file) => file.id === id && splitPath(file.archivedAs ?? '').last === name)
}

/** `orders.csv.results.csv`; `orders.csv~2.results.csv` when reported again; with the file's id where a name is too long. */
async function findReportedFile(journal: Journal, name: string, limit: number): Promise<FileEntry[]> {
  const [, report] =
    /^(.+)\.(?:results\.csv|(?:rejects|exceptions)\.[A-Za-z0-9]{1,8}|summary\.json)$/.exec(name) ?? []
  if (report === undefined) return []
  const [, base, end] = /^(.+)~([0-9a-z]+)$/.exec(report) ?? []
  const names = [report, ...(base === undefined ? [] : [base]), ...(end === undefined ? [] : [end])]
  const found = new Map<string, FileEntry>()
  for (const each of names)
    for (const file of await journal.findFilesByName(each, limit)) found.set(file.id, file)
  const files = [...found.values()]
  const reported = files.filter(({ reportName }) => reportName === report)
  return reported.length > 0 ? reported : files.filter(({ name: own }) => own === report || own === base)
}
