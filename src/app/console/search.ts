/** Finds an order, a parcel, a file or a delivery by what people know of it. Reads only indexes. */
import type { DeliveryEntry } from '../../domain/delivery.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { KnownName } from '../../domain/journal.ts'
import type { RecordState } from '../../domain/record.ts'
import type { TracedRecord } from '../../domain/trace.ts'
import { groupBy } from '../../support/collections.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { findDeliveriesByName, findFilesByName } from '../trace.ts'
import type { ConsoleContext } from './context.ts'
import { formatKey } from './lists.ts'

/** `order`: several records with the key, or none yet. `ref` is the id of a file, a delivery or a record, or the key of an order. */
export interface SearchHit {
  readonly kind: 'file' | 'delivery' | 'record' | 'order'
  readonly ref: string
  readonly name: string
  readonly operation?: string
  readonly route?: string
  readonly state?: string
  readonly at?: number
}

export interface SearchResult {
  readonly query: string
  /** `exact`: it is their name; `prefix`: their names begin with it. */
  readonly how: 'exact' | 'prefix' | 'nothing'
  readonly hits: readonly SearchHit[]
  /** There are more than are shown. */
  readonly isMore: boolean
  /** Only where nothing was found: names that are spelt like it. */
  readonly near: readonly string[]
}

const HITS_MAX = 20

const NEAR_MAX = 5

/** A longer text is the name of nothing. */
const QUERY_MAX = 300

export async function searchJournal(context: ConsoleContext, text: string): Promise<SearchResult> {
  const query = text.trim().slice(0, QUERY_MAX)
  if (query === '') return { query, how: 'nothing', hits: [], isMore: false, near: [] }
  const exact = await findExactly(context, query)
  if (exact.length > 0) return toResult(query, 'exact', exact)
  const known = await context.journal.findNamesByPrefix(query, HITS_MAX + 1)
  const begun = joinLives(await describeNames(context, known))
  // Spelt in another case, it is still the name, and leads to the same page.
  const same = begun.filter(({ name }) => name.toLowerCase() === query.toLowerCase())
  if (same.length > 0) {
    const hits: SearchHit[] = []
    for (const name of new Set(same.map((each) => each.name)))
      hits.push(...(await findExactly(context, name)))
    return toResult(query, 'exact', hits.length > 0 ? hits : same)
  }
  if (begun.length > 0) return toResult(query, 'prefix', begun, known.length)
  return { ...toResult(query, 'nothing', []), near: await context.journal.findSimilarNames(query, NEAR_MAX) }
}

function toResult(
  query: string,
  how: SearchResult['how'],
  hits: readonly SearchHit[],
  found = hits.length,
): SearchResult {
  return { query, how, hits: hits.slice(0, HITS_MAX), isMore: found > HITS_MAX, near: [] }
}

async function findExactly({ journal }: ConsoleContext, query: string): Promise<SearchHit[]> {
  const files = await findFilesByName(journal, query, HITS_MAX)
  const deliveries = await findDeliveriesByName(journal, query, HITS_MAX)
  const onLine = await findOnLine({ journal }, query)
  const traced =
    onLine.length > 0 ? [] : (await journal.traceKey(query, { limit: HITS_MAX, isQuick: true })).records
  const meant = traced.filter(({ isMeant }) => isMeant)
  return [
    ...toRecordHits(query, meant.length > 0 ? meant : traced),
    ...onLine.map(toRecordHit),
    ...files.map(toFileHit),
    ...deliveries.map(toDeliveryHit),
  ]
}

/** Several records are shown as one life; but an order, a parcel and an invoice may have one id at the API. */
function toRecordHits(key: string, records: readonly TracedRecord[]): SearchHit[] {
  if (records.length <= 1) return records.map(toRecordHit)
  const isById = records.every((record) => record.apiId === key && formatKey(record) !== key)
  const kinds = groupBy(records, ({ operation }) => operation.replace(/^\w+?-/, '').replace(/s$/, ''))
  if (isById && kinds.size > 1) return [...kinds.values()].flatMap((own) => own.slice(0, 1).map(toRecordHit))
  return [toLifeHit(key, records.map(toRecordHit))]
}

/** With the state of the record that changed last. */
function toLifeHit(key: string, hits: readonly SearchHit[]): SearchHit {
  const last = hits.toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0)).at(-1)
  const { operation, route, state, at } = last ?? {}
  return omitUndefined({ kind: 'order' as const, ref: key, name: key, operation, route, state, at })
}

function toRecordHit(record: TracedRecord): SearchHit {
  const { id, operation, route, changedAt: at } = record
  const state: RecordState = record.state
  return { kind: 'record', ref: String(id), name: formatKey(record), operation, route, state, at }
}

function toFileHit({ id, name, route, state, outcome, receivedAt, claimedAt }: FileEntry): SearchHit {
  return { kind: 'file', ref: id, name, route, state: outcome ?? state, at: receivedAt ?? claimedAt }
}

function toDeliveryHit({ id, name, route, state, composedAt: at }: DeliveryEntry): SearchHit {
  return { kind: 'delivery', ref: id, name, route, state, at }
}

/** `orders.csv:17`: the records on that line, of the latest file of that name that has one. */
async function findOnLine(
  { journal }: Pick<ConsoleContext, 'journal'>,
  query: string,
): Promise<TracedRecord[]> {
  const [, name, line] = /^(.+):(\d{1,9})$/.exec(query) ?? []
  if (name === undefined || line === undefined) return []
  for (const { id } of await findFilesByName(journal, name, NEAR_MAX)) {
    const found = await journal.traceLine(id, Number(line), HITS_MAX)
    if (found.length > 0) return found
  }
  return []
}

/** Names as hits, with where each stands. */
async function describeNames(context: ConsoleContext, known: readonly KnownName[]): Promise<SearchHit[]> {
  const { journal } = context
  const ids = known.flatMap(({ kind, id }) => (kind === 'record' && id !== undefined ? [Number(id)] : []))
  const records = new Map((await journal.listTracedRecords(ids)).map((record) => [String(record.id), record]))
  const hits: SearchHit[] = []
  for (const { kind, name, id = '' } of known) {
    const record = records.get(id)
    if (kind === 'record' && record !== undefined) hits.push(toRecordHit(record))
    if (kind === 'resource') hits.push(await describeResource(context, name))
    const file = kind === 'file' ? await journal.getFile(id) : undefined
    if (file !== undefined) hits.push(toFileHit(file))
    const [delivery] = kind === 'delivery' ? await journal.listDeliveries({ id }, undefined, 1) : []
    if (delivery !== undefined) hits.push(toDeliveryHit(delivery))
  }
  return hits
}

/** A resource has a page by its name, as an order has. One that no record is about stands as the API showed it. */
async function describeResource({ journal }: ConsoleContext, name: string): Promise<SearchHit> {
  const { records, resources } = await journal.traceKey(name, { limit: HITS_MAX, isQuick: true })
  const [resource] = resources
  if (records.length > 0) return toLifeHit(name, records.map(toRecordHit))
  const own = omitUndefined({ operation: resource?.kind, at: resource?.seenAt })
  return { kind: 'order', ref: name, name, state: 'seen at the API', ...own }
}

/** Records and resources of one name are one life, and one hit. */
function joinLives(hits: readonly SearchHit[]): SearchHit[] {
  const isLife = ({ kind }: SearchHit) => kind === 'record' || kind === 'order'
  const lives = groupBy(hits.filter(isLife), ({ name }) => name)
  const joined = [...lives].map(([name, own]) => {
    const [first] = own
    const isOne = first?.kind === 'record' && own.every(({ ref }) => ref === first.ref)
    return isOne ? first : toLifeHit(name, own)
  })
  return [...joined, ...hits.filter((hit) => !isLife(hit))]
}
