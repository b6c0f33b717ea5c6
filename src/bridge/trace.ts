/** All that is known of an order, a record or a file, put together. */
import { ENDPOINTS, type Endpoint, type EndpointName } from '../contract/endpoints.ts'
import type { InboundOperation } from '../contract/inbound-operations.ts'
import { OPERATIONS, type OperationName, type OutboundOperationName } from '../contract/operations.ts'
import type { OutboundOperation } from '../contract/outbound-operations.ts'
import type { DeliveryEntry, FileEntry, Journal } from '../domain/journal.ts'
import type { StateCounts } from '../domain/record.ts'
import type { ShippingDocument } from '../domain/shipping-document.ts'
import type { TracedDetail, TracedRecord } from '../domain/trace.ts'
import { recordName } from '../pipelines/outbound/record-name.ts'
import { deliveriesNamed, filesNamed } from './traced-names.ts'

export interface Trace {
  readonly key: string
  /** What was asked for, when it differs from the key in no more than case, dashes, blanks and leading zeros. */
  readonly asked?: string
  readonly files: readonly TracedFile[]
  readonly deliveries: readonly TracedDelivery[]
  /** In the order of time. */
  readonly records: readonly TracedStory[]
  /** How many earlier ones are not told. */
  readonly earlier: number
  /** Only when nothing was found: what is spelt much alike. */
  readonly near: readonly string[]
  /** Only when nothing was found: contents of what was done until then were forgotten. */
  readonly forgottenUntil?: number
}

/** A file that goes by the key. */
export interface TracedFile {
  readonly file: FileEntry
  readonly counts: StateCounts
  /** The first of them, those with problems before the others. */
  readonly records: readonly TracedRecord[]
}

export interface TracedDelivery {
  readonly delivery: DeliveryEntry
  readonly counts: StateCounts
  readonly records: readonly DeliveredRecord[]
}

export interface DeliveredRecord extends TracedRecord {
  /** By the number it has on paper; left out of what has none, or when it was forgotten. */
  readonly called?: string
  readonly purchaseOrder?: string
}

type Document = Pick<ShippingDocument, 'kind' | 'folder' | 'state' | 'name' | 'problem'>

/** A record with all that happened to it. */
export interface TracedStory extends Omit<TracedDetail, 'record' | 'body' | 'first'> {
  readonly record: TracedRecord
  readonly from?: FileEntry
  readonly into?: DeliveryEntry
  /** Method and path of its call. */
  readonly call?: string
  readonly body?: unknown
  readonly documents: readonly Document[]
  /** Of what repeats another record: that one, and its file. */
  readonly first?: { readonly record: TracedRecord; readonly from?: FileEntry }
}

export interface TraceRequest {
  readonly key: string
  readonly route?: string
}

/** More of them make no screen; what is left out is told. */
const RECORDS_MAX = 20
const FILES_MAX = 5
const FILE_RECORDS_MAX = 20

/** What differs in case, dashes, blanks or leading zeros only is meant, when nothing goes by the key itself. */
export async function traceKey(journal: Journal, request: TraceRequest): Promise<Trace> {
  const { key } = request
  const trace = await traceExactly(journal, request)
  if (!isNothing(trace)) return trace
  const { same, ...forgotten } = await journal.whatMayBeMeant(key, NEAR_MAX)
  const [only] = same
  if (only !== undefined && same.length === 1) {
    const meant = await traceExactly(journal, { ...request, key: only })
    if (!isNothing(meant)) return { ...meant, asked: key }
  }
  const near = new Set([...same, ...(await journal.namesNear(key, NEAR_MAX))])
  return { ...trace, near: [...near].slice(0, NEAR_MAX), ...forgotten }
}

export function isNothing({ files, deliveries, records }: Trace): boolean {
  return files.length + deliveries.length + records.length === 0
}

/** By the indexes first; all records are looked through only when these find nothing. */
async function traceExactly(journal: Journal, { key, route }: TraceRequest): Promise<Trace> {
  const ofRoute = (each: { readonly route: string }) => route === undefined || each.route === route
  const files = (await filesNamed(journal, key, FILES_MAX)).filter(ofRoute)
  const deliveries = (await deliveriesNamed(journal, key, FILES_MAX)).filter(ofRoute)
  const rows = await rowsMeant(journal, key, ofRoute)
  const query = { limit: RECORDS_MAX, ...(route === undefined ? {} : { route }) }
  let found = rows.length > 0 ? { records: rows, earlier: 0 } : await journal.traceKey(key, query)
  if (files.length + deliveries.length + found.records.length === 0) {
    found = await journal.traceKey(key, { ...query, everywhere: true })
  }
  return {
    key,
    files: await Promise.all(files.map((file) => fileStory(journal, file))),
    deliveries: await Promise.all(deliveries.map((delivery) => deliveryStory(journal, delivery))),
    records: await stories(journal, found.records),
    earlier: found.earlier,
    near: [],
  }
}

const NEAR_MAX = 5

/** `orders.csv:17`: what stands on that line, in the latest files of that name. */
async function rowsMeant(
  journal: Journal,
  key: string,
  ofRoute: (file: FileEntry) => boolean,
): Promise<TracedRecord[]> {
  const [, name, line] = /^(.+):(\d{1,9})$/.exec(key) ?? []
  if (name === undefined || line === undefined) return []
  const files = (await filesNamed(journal, name, FILES_MAX)).filter(ofRoute)
  const found: TracedRecord[] = []
  for (const file of files.toReversed()) {
    found.push(...(await journal.traceLine(file.id, Number(line), RECORDS_MAX)))
  }
  return found.slice(-RECORDS_MAX)
}

async function fileStory(journal: Journal, file: FileEntry): Promise<TracedFile> {
  const work = { file: file.id }
  const counts = await journal.countRecords(work)
  return { file, counts, records: await journal.traceWork(work, FILE_RECORDS_MAX) }
}

async function deliveryStory(journal: Journal, delivery: DeliveryEntry): Promise<TracedDelivery> {
  const work = { delivery: delivery.id }
  const counts = await journal.countRecords(work)
  const records = await journal.traceWork(work, FILE_RECORDS_MAX)
  const details = await journal.traceDetails(records.map(({ id }) => id))
  const bodies = new Map(details.map(({ record, body }) => [record, body]))
  return { delivery, counts, records: records.map((record) => deliveredOf(record, bodies.get(record.id))) }
}

function deliveredOf(record: TracedRecord, text: string | undefined): DeliveredRecord {
  if (text === undefined) return record
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>
  const called = recordName(record.operation as OutboundOperationName, body)
  const order = (body['order'] ?? {}) as Readonly<Record<string, unknown>>
  const purchaseOrder = body['purchase_order_number'] ?? order['purchase_order_number']
  return {
    ...record,
    ...(called === '' ? {} : { called }),
    ...(typeof purchaseOrder === 'string' ? { purchaseOrder } : {}),
  }
}

async function stories(journal: Journal, records: readonly TracedRecord[]): Promise<TracedStory[]> {
  const ids = records.map(({ id }) => id)
  const details = new Map((await journal.traceDetails(ids)).map((detail) => [detail.record, detail]))
  const documents = await journal.documentsOf(ids)
  return Promise.all(
    records.map(async (record): Promise<TracedStory> => {
      const {
        body: text,
        first,
        forgottenAt,
        attempts = [],
        lookUps = [],
        decisions = [],
      } = details.get(record.id) ?? {}
      const body = text === undefined ? undefined : (JSON.parse(text) as unknown)
      const call = callOf(record, body)
      return {
        record,
        attempts,
        lookUps,
        decisions,
        documents: documents.filter(({ recordId }) => recordId === record.id),
        ...(call === undefined ? {} : { call }),
        ...(body === undefined ? {} : { body }),
        ...(forgottenAt === undefined ? {} : { forgottenAt }),
        ...(await placesOf(journal, record)),
        ...(first === undefined ? {} : { first: { record: first, ...(await fileOf(journal, first)) } }),
      }
    }),
  )
}

async function placesOf(journal: Journal, record: TracedRecord): Promise<Pick<TracedStory, 'from' | 'into'>> {
  const into = record.delivery === undefined ? undefined : await journal.delivery(record.delivery)
  return { ...(await fileOf(journal, record)), ...(into === undefined ? {} : { into }) }
}

async function fileOf(journal: Journal, { file }: TracedRecord): Promise<{ readonly from?: FileEntry }> {
  const from = file === undefined ? undefined : await journal.file(file)
  return from === undefined ? {} : { from }
}

/** `POST /v1/retailers/1000/orders/`; undefined where nothing is called for the record. */
function callOf(record: TracedRecord, body: unknown): string | undefined {
  const [kind = '', party = ''] = record.account.split('/')
  const operation: InboundOperation | OutboundOperation | undefined =
    OPERATIONS[record.operation as OperationName]
  if (operation === undefined) return undefined
  const isInbound = operation.direction === 'inbound'
  const name = isInbound ? operation.endpoints[kind as 'retailer' | 'brand'] : operation.acknowledge
  if (name === undefined) return undefined
  const target = isInbound ? operation.target : undefined
  const id = isInbound ? idIn(body, target) : record.apiId
  const { method, path }: Endpoint = ENDPOINTS[name as EndpointName]
  return `${method} ${path.replace(`{${kind}_id}`, party).replace('{id}', id ?? '{id}')}`
}

function idIn(body: unknown, target: string | undefined): string | undefined {
  if (target === undefined || typeof body !== 'object' || body === null) return undefined
  const id = (body as Readonly<Record<string, unknown>>)[target]
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined
}
