/** Finds an order, a parcel, a file or a delivery by what people know of it. Reads only indexes. */
import type { FileEntry } from '../../domain/file.ts'
import type { KnownName } from '../../domain/journal.ts'
import type { RecordState } from '../../domain/record.ts'
import type { TracedRecord } from '../../domain/trace.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { findDeliveriesByName, findFilesByName } from '../trace.ts'
import type { ConsoleContext } from './context.ts'
import { formatKey } from './lists.ts'

/** `order`: several records with the key. `ref` is the id of a file, a delivery or a record, or the key of an order. */
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
  const hits = known.map(toNameHit)
  if (hits.length > 0) return toResult(query, 'prefix', removeRepeated(hits))
  return { ...toResult(query, 'nothing', []), near: await context.journal.findSimilarNames(query, NEAR_MAX) }
}

function toResult(query: string, how: SearchResult['how'], hits: readonly SearchHit[]): SearchResult {
  return { query, how, hits: hits.slice(0, HITS_MAX), isMore: hits.length > HITS_MAX, near: [] }
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
    ...deliveries.map(({ id, name, route, state, composedAt }): SearchHit => {
      return { kind: 'delivery', ref: id, name, route, state, at: composedAt }
    }),
  ]
}

/** Several records are shown as one life. */
function toRecordHits(key: string, records: readonly TracedRecord[]): SearchHit[] {
  if (records.length <= 1) return records.map(toRecordHit)
  const last = records.at(-1)
  return [omitUndefined({ kind: 'order' as const, ref: key, name: key, at: last?.changedAt })]
}

function toRecordHit(record: TracedRecord): SearchHit {
  const { id, operation, route, changedAt: at } = record
  const state: RecordState = record.state
  return { kind: 'record', ref: String(id), name: formatKey(record), operation, route, state, at }
}

function toFileHit({ id, name, route, state, outcome, receivedAt, claimedAt }: FileEntry): SearchHit {
  return { kind: 'file', ref: id, name, route, state: outcome ?? state, at: receivedAt ?? claimedAt }
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

/** A resource has a page by its name, as an order has. */
function toNameHit({ kind, name, id }: KnownName): SearchHit {
  return kind === 'resource' ? { kind: 'order', ref: name, name } : { kind, ref: id ?? name, name }
}

/** An order that is a record and a resource is one hit. */
function removeRepeated(hits: readonly SearchHit[]): SearchHit[] {
  const records = new Set(hits.flatMap(({ kind, name }) => (kind === 'record' ? [name] : [])))
  return hits.filter(({ kind, name }) => kind !== 'order' || !records.has(name))
}
