/** What an event says of what changed, in few letters; read back when the chain is checked. */
import { z } from 'zod'
import type { RecordResult, RecordState } from '../domain/record.ts'
import { idsOf } from './ids.ts'

const Id = z
  .int()
  .min(1)
  .max(2 ** 32)
const IdList = z.array(z.union([Id, z.tuple([Id, Id])]))

/** Records that are in one state. What is not said of them was not changed. */
const Mention = z.strictObject({
  state: z.string(),
  ids: IdList,
  http: z.int().nullable().exactOptional(),
  /** The ids that the API gave them, in the order of theirs. */
  api: z.array(z.string()).exactOptional(),
})

/** Records that belong to the event's subject from now on. */
const Planned = z.strictObject({
  ids: IdList,
  /** SHA-256 over what makes each of them the record it is. */
  digest: z.string(),
  /** A short sum for each, to tell which one is not the same any more. */
  sums: z.array(z.int()),
})

/** Of texts that go with records: a sum for each, in the order of the ids. */
const Summed = z.strictObject({ ids: IdList, sums: z.array(z.string()) })

const Counted = z.strictObject({ count: z.int(), last: z.int() })

export const EventDetailSchema = z.strictObject({
  records: z.array(Mention).exactOptional(),
  planned: Planned.exactOptional(),
  /** What must be known to settle their lost answers; of planned records, those that are not here have none. */
  notes: Summed.exactOptional(),
  /** What those of them change that may be repeated. */
  changes: Summed.exactOptional(),
  /** What the API showed of them. */
  bodies: Summed.exactOptional(),
  /** Records that are not there any more. */
  removed: IdList.exactOptional(),
  /** Records that belong to the delivery from now on. */
  attached: IdList.exactOptional(),
  file: z
    .strictObject({ number: Id, state: z.string(), outcome: z.string().nullable(), digest: z.string() })
    .exactOptional(),
  delivery: z.strictObject({ sequence: Id, state: z.string(), digest: z.string() }).exactOptional(),
  documents: z.array(z.tuple([Id, z.string(), z.string()])).exactOptional(),
  /** Turns of the route: name, state, when it is due, and the delivery made for it. */
  turns: z.array(z.tuple([z.string(), z.string(), z.int(), z.string()])).exactOptional(),
  decision: z.strictObject({ id: Id, action: z.string(), digest: z.string() }).exactOptional(),
  /** Records whose contents are gone, and how much else. */
  forgotten: z
    .strictObject({
      ids: IdList,
      files: z.int(),
      deliveries: z.int(),
      resources: z.int(),
      keptValues: z.int(),
    })
    .exactOptional(),
  lease: z.strictObject({ token: z.int() }).exactOptional(),
  before: z.strictObject({ files: Counted, records: Counted, deliveries: Counted }).exactOptional(),
})

type Plain<T> = T extends object ? { readonly [K in keyof T]: Plain<T[K]> } : T

export type EventDetail = Plain<z.output<typeof EventDetailSchema>>
export type Mention = Plain<z.output<typeof Mention>>
export type Summed = Plain<z.output<typeof Summed>>

/** Records that all came to one state. */
export function inState(state: RecordState, ids: readonly number[]): Mention {
  return { state, ids: idsOf(ids) }
}

/** Records with what came of them; those without an answer have none any more. */
export function cameTo(results: readonly RecordResult[]): Mention[] {
  return mentionsOf(results.map(({ id, state, http = null, apiId }) => ({ id, state, http, apiId })))
}

interface Mentioned {
  readonly id: number
  readonly state: RecordState
  /** Undefined where it stays as it was. */
  readonly http?: number | null
  readonly apiId?: string | null | undefined
}

export function mentionsOf(records: readonly Mentioned[]): Mention[] {
  const groups = new Map<string, Mentioned[]>()
  for (const record of records.toSorted((one, other) => one.id - other.id)) {
    const key = `${record.state} ${record.http} ${typeof record.apiId === 'string' ? 'api' : ''}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return [...groups.values()].flatMap(mentionOf)
}

function mentionOf(group: readonly Mentioned[]): Mention[] {
  const [first] = group
  if (first === undefined) return []
  const { state, http } = first
  const api = group.flatMap(({ apiId }) => apiId ?? [])
  const mention = { state, ids: idsOf(group.map(({ id }) => id)), ...(http === undefined ? {} : { http }) }
  return [api.length === 0 ? mention : { ...mention, api }]
}
