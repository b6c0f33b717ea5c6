/** The contents of an event about a change: ids, states, digests and checksums. The verifier reads them back. */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import type { RecordState } from '../domain/record.ts'
import { groupBy } from '../support/collections.ts'
import { iterateIds, toIdRuns } from './rows.ts'
import type { Row } from './schema.ts'

const IdSchema = z
  .int()
  .min(1)
  .max(2 ** 32)

const IdListSchema = z.array(z.union([IdSchema, z.tuple([IdSchema, IdSchema])]))

/** Records in one state. Values that are left out did not change. */
const Mention = z.strictObject({
  state: z.string(),
  ids: IdListSchema,
  http: z.int().nullable().exactOptional(),
  /** The ids that the API gave them, in the order of `ids`. */
  api: z.array(z.string()).exactOptional(),
})

/** Records that belong to the event's subject from now on. */
const PlannedSchema = z.strictObject({
  ids: IdListSchema,
  /** SHA-256 over the identities of the records. */
  digest: z.string(),
  /** A checksum for each, to find the one that changed. */
  sums: z.array(z.int()),
})

/** Texts of records: a checksum for each, in the order of the ids. */
const Summed = z.strictObject({ ids: IdListSchema, sums: z.array(z.string()) })

const CountedSchema = z.strictObject({ count: z.int(), last: z.int() })

export const EventDetailSchema = z.strictObject({
  records: z.array(Mention).exactOptional(),
  planned: PlannedSchema.exactOptional(),
  /** The snapshots that reconcile lost answers; a planned record that is not listed has none. */
  notes: Summed.exactOptional(),
  /** The changes of repeatable records. */
  changes: Summed.exactOptional(),
  /** The bodies that the API showed. */
  bodies: Summed.exactOptional(),
  removed: IdListSchema.exactOptional(),
  /** Records that belong to the delivery from now on. */
  attached: IdListSchema.exactOptional(),
  file: z
    .strictObject({ number: IdSchema, state: z.string(), outcome: z.string().nullable(), digest: z.string() })
    .exactOptional(),
  delivery: z.strictObject({ sequence: IdSchema, state: z.string(), digest: z.string() }).exactOptional(),
  documents: z.array(z.tuple([IdSchema, z.string(), z.string()])).exactOptional(),
  /** Runs of the route: name, state, when it is due, and its delivery. */
  runs: z.array(z.tuple([z.string(), z.string(), z.int(), z.string()])).exactOptional(),
  /** Interchanges of the file from the first to the last ordinal. */
  interchanges: z.strictObject({ first: IdSchema, last: IdSchema, digest: z.string() }).exactOptional(),
  /** The sets that the part has. */
  part: z.strictObject({ digest: z.string() }).exactOptional(),
  /** How many parts the file has, and which sets no route takes. */
  unbundling: z.strictObject({ parts: z.int(), digest: z.string() }).exactOptional(),
  /** Answers to interchanges, as they are from now on. */
  answers: z
    .array(
      z.strictObject({
        number: IdSchema,
        id: z.string(),
        digest: z.string(),
        /** The first of its interchange and group numbers. */
        numbers: z.tuple([z.int(), z.int()]).exactOptional(),
        byStructure: z.boolean().exactOptional(),
        delivery: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  /** The last control numbers of scopes: syntax, sender, receiver, usage, interchange, group. */
  counters: z
    .array(z.tuple([z.string(), z.string(), z.string(), z.string(), z.int(), z.int()]))
    .exactOptional(),
  /** Control numbers of outgoing files, as they are from now on; with an empty digest they are removed. */
  reservations: z
    .array(
      z.strictObject({
        id: IdSchema,
        digest: z.string(),
        numbers: z.tuple([z.int(), z.int()]).exactOptional(),
        delivery: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  /** What partners answered, as it is from now on. */
  received: z.array(z.strictObject({ number: IdSchema, digest: z.string() })).exactOptional(),
  /** Records that belong to the delivery no more. */
  detached: IdListSchema.exactOptional(),
  decision: z.strictObject({ id: IdSchema, action: z.string(), digest: z.string() }).exactOptional(),
  /** The name under which the corrected file is left, or `given-up`. The digest is over what never changes. */
  correction: z
    .strictObject({
      id: IdSchema,
      name: z.string(),
      state: z.enum(['begun', 'left', 'given-up']),
      digest: z.string(),
    })
    .exactOptional(),
  /** Pauses of the route as they are from now on. */
  pauses: z.array(z.strictObject({ id: IdSchema, digest: z.string() })).exactOptional(),
  /** Records whose contents were pruned, and counts of other pruned rows. */
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

interface MentionedRecord {
  readonly id: number
  readonly state: RecordState
  /** Undefined where it stays as it was. */
  readonly http?: number | null
  readonly apiId?: string | null | undefined
}

export function mentionRecords(records: readonly MentionedRecord[]): Mention[] {
  const sorted = records.toSorted((one, other) => one.id - other.id)
  const keyOf = ({ state, http, apiId }: MentionedRecord) =>
    `${state} ${http} ${typeof apiId === 'string' ? 'api' : ''}`
  return [...groupBy(sorted, keyOf).values()].map(mentionGroup)
}

function mentionGroup(group: readonly [MentionedRecord, ...MentionedRecord[]]): Mention {
  const [{ state, http }] = group
  const api = group.flatMap(({ apiId }) => apiId ?? [])
  const mention = { state, ids: toIdRuns(group.map(({ id }) => id)), ...(http === undefined ? {} : { http }) }
  return api.length === 0 ? mention : { ...mention, api }
}

// Digests of rows, made when a row changes and again when the chain is verified.

/** Leaves out the problems, whose texts are pruned later, and columns that only help to read the file. */
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
    ...(file.retake_of === null ? [] : ['retake', file.retake_of]),
    ...(file.part_of === null ? [] : ['part', file.part_of]),
    // A journal that is only read may lack the column.
    ...((file.record_total ?? null) === null ? [] : ['records', file.record_total]),
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
    // Older events were hashed without these columns.
    ...(delivery.place === null ? [] : [delivery.place]),
    ...(delivery.confirmed_at === null ? [] : [delivery.confirmed_at, delivery.confirmed_by]),
    ...(delivery.held === null ? [] : ['held', delivery.held]),
  ])
}

export function digestDecision(decision: Row<'decisions'>): string {
  const { id, file_id, delivery_id, action, decided_by, why, decided_at, records, via } = decision
  const common = [id, file_id, action, decided_by, why, decided_at, records]
  return digestValues([
    ...common,
    ...(delivery_id === null ? [] : [delivery_id]),
    // Older events were hashed without this column.
    ...(via === null ? [] : ['via', via]),
  ])
}

/** Its name and progress change; the bytes that were noted before it was left do not. */
export function digestCorrection(correction: Row<'corrections'>): string {
  const { decision_id, file_id, route, sha256, source_sha256 } = correction
  return digestValues([decision_id, file_id, route, sha256, source_sha256])
}

export function digestPause({ decision_id, route, until, ended_at, ended_by }: Row<'pauses'>): string {
  return digestValues([decision_id, route, until, ended_at, ended_by])
}

export function digestValues(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values))
}

/** The identity of a record, and the hash of its body. None of it ever changes. */
interface RecordIdentity {
  readonly number: number
  readonly operation: string
  readonly account: string
  readonly naturalKey?: string | null
  readonly bodyHash?: string | null
}

/** For the records of a file that were added together, in their order. */
export function digestPlannedRecords(fileId: string, records: readonly RecordIdentity[]) {
  const lines = records.map(formatIdentity)
  return { digest: hash('sha256', `${fileId}\n${lines.join('\n')}`), sums: lines.map((line) => crc32(line)) }
}

/** The checksum of one record, as `digestPlannedRecords` gives it. */
export function sumPlannedRecord(record: RecordIdentity): number {
  return crc32(formatIdentity(record))
}

/** Keys come from cells and may contain anything, so they go last, with their length. */
function formatIdentity({ number, operation, account, bodyHash, naturalKey }: RecordIdentity): string {
  const key = dropSurrogates(naturalKey ?? '')
  return `${number}\t${operation}\t${account}\t${bodyHash ?? ''}\t${key.length}:${key}`
}

// Checksums of texts that belong to records and are pruned later.

/** Half the letters of a SHA-256: one event may hold many. */
const SUM_LENGTH = 32

export function sumTexts(texts: readonly { readonly id: number; readonly text: string }[]): Summed {
  const sorted = texts.toSorted((one, other) => one.id - other.id)
  return { ids: toIdRuns(sorted.map(({ id }) => id)), sums: sorted.map(({ id, text }) => sumText(id, text)) }
}

export function mapSums(texts: Summed | undefined): ReadonlyMap<number, string | undefined> {
  return new Map([...iterateIds(texts?.ids ?? [])].map((id, place) => [id, texts?.sums[place]]))
}

/** Hashed with the id, so that equal texts of several records do not show. */
export function sumText(id: number, text: string): string {
  return hash('sha256', `${id}\n${dropSurrogates(text)}`).slice(0, SUM_LENGTH)
}

/** The database does not preserve lone surrogates, which some cells contain. */
function dropSurrogates(text: string): string {
  return text.replace(/[\p{Cs}\uFFFD]/gu, '')
}

export function formatChange(target: string, values: readonly string[]): string {
  return JSON.stringify([target, values])
}
