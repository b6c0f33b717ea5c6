/** What an event says of a change: ids, states, digests and checksums. The verifier reads it back. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import type { RecordResult, RecordState } from '../domain/record.ts'
import { iterateIds, toIdRuns } from './rows.ts'
import type { Row } from './schema.ts'

const IdSchema = z
  .int()
  .min(1)
  .max(2 ** 32)

const IdListSchema = z.array(z.union([IdSchema, z.tuple([IdSchema, IdSchema])]))

/** Records that are in one state. What is not said of them was not changed. */
const Mention = z.strictObject({
  state: z.string(),
  ids: IdListSchema,
  http: z.int().nullable().exactOptional(),
  /** The ids that the API gave them, in the order of theirs. */
  api: z.array(z.string()).exactOptional(),
})

/** Records that belong to the event's subject from now on. */
const PlannedSchema = z.strictObject({
  ids: IdListSchema,
  /** SHA-256 over what makes each of them the record it is. */
  digest: z.string(),
  /** A short sum for each, to tell which one is not the same any more. */
  sums: z.array(z.int()),
})

/** Of texts that go with records: a sum for each, in the order of the ids. */
const Summed = z.strictObject({ ids: IdListSchema, sums: z.array(z.string()) })

const CountedSchema = z.strictObject({ count: z.int(), last: z.int() })

export const EventDetailSchema = z.strictObject({
  records: z.array(Mention).exactOptional(),
  planned: PlannedSchema.exactOptional(),
  /** What must be known to reconcile them when their answers are lost; of planned records, those that are not here have none. */
  notes: Summed.exactOptional(),
  /** What those of them change that may be repeated. */
  changes: Summed.exactOptional(),
  /** What the API showed of them. */
  bodies: Summed.exactOptional(),
  /** Records that are not there any more. */
  removed: IdListSchema.exactOptional(),
  /** Records that belong to the delivery from now on. */
  attached: IdListSchema.exactOptional(),
  file: z
    .strictObject({ number: IdSchema, state: z.string(), outcome: z.string().nullable(), digest: z.string() })
    .exactOptional(),
  delivery: z.strictObject({ sequence: IdSchema, state: z.string(), digest: z.string() }).exactOptional(),
  documents: z.array(z.tuple([IdSchema, z.string(), z.string()])).exactOptional(),
  /** Runs of the route: name, state, when it is due, and the delivery made for it. */
  runs: z.array(z.tuple([z.string(), z.string(), z.int(), z.string()])).exactOptional(),
  decision: z.strictObject({ id: IdSchema, action: z.string(), digest: z.string() }).exactOptional(),
  /** Records whose contents are gone, and how much else. */
  pruned: z
    .strictObject({
      ids: IdListSchema,
      files: z.int(),
      deliveries: z.int(),
      resources: z.int(),
      orderAttributes: z.int(),
    })
    .exactOptional(),
  lease: z.strictObject({ token: z.int() }).exactOptional(),
  before: z
    .strictObject({ files: CountedSchema, records: CountedSchema, deliveries: CountedSchema })
    .exactOptional(),
})

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

export type EventDetail = DeepReadonly<z.output<typeof EventDetailSchema>>

export type Mention = DeepReadonly<z.output<typeof Mention>>

export type Summed = DeepReadonly<z.output<typeof Summed>>

/** Records that all came to one state. */
export function mentionState(state: RecordState, ids: readonly number[]): Mention {
  return { state, ids: toIdRuns(ids) }
}

/** Records with what came of them; those without an answer have none any more. */
export function mentionResults(results: readonly RecordResult[]): Mention[] {
  return mentionRecords(results.map(({ id, state, http = null, apiId }) => ({ id, state, http, apiId })))
}

interface MentionedRecord {
  readonly id: number
  readonly state: RecordState
  /** Undefined where it stays as it was. */
  readonly http?: number | null
  readonly apiId?: string | null | undefined
}

export function mentionRecords(records: readonly MentionedRecord[]): Mention[] {
  const groups = new Map<string, MentionedRecord[]>()
  for (const record of records.toSorted((one, other) => one.id - other.id)) {
    const key = `${record.state} ${record.http} ${typeof record.apiId === 'string' ? 'api' : ''}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return [...groups.values()].flatMap(mentionGroup)
}

function mentionGroup(group: readonly MentionedRecord[]): Mention[] {
  const [first] = group
  if (first === undefined) return []
  const { state, http } = first
  const api = group.flatMap(({ apiId }) => apiId ?? [])
  const mention = { state, ids: toIdRuns(group.map(({ id }) => id)), ...(http === undefined ? {} : { http }) }
  return [api.length === 0 ? mention : { ...mention, api }]
}

// Digests of rows, made when a row changes and again when the chain is verified.

/** All but its problems, of which the texts are pruned one day, and what only helps to read it. */
export function digestFile(file: Row<'files'>): string {
  return digestValues([
    file.number,
    file.route,
    file.folder,
    file.name,
    file.size,
    file.modified_at,
    file.state,
    file.outcome,
    file.sha256,
    file.duplicate_of,
    file.report_name,
    file.archived_as,
    file.claimed_at,
    file.received_at,
    file.planned_at,
    file.submitted_at,
    file.reported_at,
    file.closed_at,
    file.reports,
    file.taken_up_at,
  ])
}

export function digestDelivery(delivery: Row<'deliveries'>): string {
  return digestValues([
    delivery.id,
    delivery.route,
    delivery.sequence,
    delivery.folder,
    delivery.name,
    delivery.sha256,
    delivery.rows,
    delivery.records,
    delivery.state,
    delivery.composed_at,
    delivery.delivered_at,
    delivery.acknowledged_at,
    // Events of the time before knew nothing of it.
    ...(delivery.place === null ? [] : [delivery.place]),
    ...(delivery.confirmed_at === null ? [] : [delivery.confirmed_at, delivery.confirmed_by]),
    ...(delivery.held === null ? [] : ['held', delivery.held]),
  ])
}

export function digestDecision(decision: Row<'decisions'>): string {
  const { id, file_id, delivery_id, action, decided_by, why, decided_at, records } = decision
  const common = [id, file_id, action, decided_by, why, decided_at, records]
  return digestValues(delivery_id === null ? common : [...common, delivery_id])
}

function digestValues(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values))
}

/** What makes a record the record it is, and what was to be sent. None of it ever changes. */
interface RecordIdentity {
  readonly number: number
  readonly operation: string
  readonly account: string
  readonly naturalKey?: string | null
  readonly bodyHash?: string | null
}

/** Of the records of a file that came in together, in their order. */
export function digestPlannedRecords(fileId: string, records: readonly RecordIdentity[]) {
  const lines = records.map(formatIdentity)
  return { digest: hash('sha256', `${fileId}\n${lines.join('\n')}`), sums: lines.map((line) => crc32(line)) }
}

/** The sum of one of them, as it stands among those of `digestPlannedRecords`. */
export function sumPlannedRecord(record: RecordIdentity): number {
  return crc32(formatIdentity(record))
}

/**
 * Keys come from cells, may hold anything, and so go last and say how long they are. Half a character, which some cells
 * hold, does not come back from the database as it went in.
 */
function formatIdentity({ number, operation, account, bodyHash, naturalKey }: RecordIdentity): string {
  const key = (naturalKey ?? '').replace(/[\p{Cs}\uFFFD]/gu, '')
  return `${number}\t${operation}\t${account}\t${bodyHash ?? ''}\t${key.length}:${key}`
}

// Checksums of texts that belong to records and are pruned one day.

/** Half the letters of a SHA-256: many stand in one event. */
const SUM_LENGTH = 32

export function sumTexts(texts: readonly { readonly id: number; readonly text: string }[]): Summed {
  const sorted = texts.toSorted((one, other) => one.id - other.id)
  return { ids: toIdRuns(sorted.map(({ id }) => id)), sums: sorted.map(({ id, text }) => sumText(id, text)) }
}

/** The sums by id. */
export function mapSums(texts: Summed | undefined): ReadonlyMap<number, string | undefined> {
  return new Map([...iterateIds(texts?.ids ?? [])].map((id, place) => [id, texts?.sums[place]]))
}

/** Together with the id, so that equal texts of several records do not show. */
export function sumText(id: number, text: string): string {
  // Half a character, which some cells hold, does not come back from the database as it went in.
  const whole = text.replace(/[\p{Cs}\uFFFD]/gu, '')
  return hash('sha256', `${id}\n${whole}`).slice(0, SUM_LENGTH)
}

export function formatChange(target: string, values: readonly string[]): string {
  return JSON.stringify([target, values])
}
