/** The rules of an inbound operation beyond its endpoint: identity, lane and certainty. */
import type { Api, Call, Resource } from '../domain/api.ts'
import type { RecordChange, UncertainRecord } from '../domain/record.ts'
import type { Party } from '../domain/route.ts'

export type RequestBody = Readonly<Record<string, unknown>>

/** The result of looking up an uncertain record. `unclear` says why neither can be proven. */
export type LookupResult =
  | { readonly found: 'accepted'; readonly apiId?: string }
  | { readonly found: 'absent' }
  | { readonly found: 'unclear'; readonly why: string }

/** The parts of a sent record that a lookup needs. */
export type SentRecord = Pick<UncertainRecord, 'naturalKey' | 'body' | 'sentAt' | 'note'>

export type SentRecords = readonly SentRecord[]

/** See docs/concepts/exactly-once.md. All functions are pure, except for those that get an `Api` and read from it. */
interface InboundBasics {
  /** What makes two bodies the same record within one account; `keyValues` are the values of the file's key columns. */
  readonly naturalKey: (body: RequestBody, keyValues: readonly string[]) => string
  /** The field that is the natural key, where that is one field, and where nothing of a record depends on the others of its file. */
  readonly keyField?: string
  /** Given for repeatable operations, and only for these. */
  readonly change?: (body: RequestBody) => RecordChange
  /** Records with the same lane are sent one at a time and in file order. */
  readonly lane: (body: RequestBody) => string
  /** The path and body of the request, where the record's body is not sent as it is. Without a `body` none is sent. */
  readonly request?: (body: RequestBody, party: Party) => Pick<Call, 'params' | 'body'>
  /** Reads, *before* the record is sent, the state that reconciles a lost answer; JSON text. */
  readonly takeSnapshot?: (api: Api, party: Party, body: RequestBody) => Promise<string>
  /** The same snapshot from an order of a list. `isOld`: other programs may have changed the order since. */
  readonly snapshotFromList?: (order: Resource, isOld?: boolean) => string
  /** The same snapshot from the cached order, if that is enough; then nothing is read before the record is sent. */
  readonly snapshotFromKnownOrder?: (order: Resource, body: RequestBody) => string | undefined
}

/** Looks sent records up. Called only after the time in which a late answer may take effect. */
type Lookup =
  | {
      readonly lookUp: (api: Api, party: Party, record: SentRecord) => Promise<LookupResult>
      readonly lookUpAll?: never
    }
  /** For operations where one reading of a list answers for many records; returns a lookup for each, in their order. */
  | {
      readonly lookUpAll: (api: Api, party: Party, records: SentRecords) => Promise<readonly LookupResult[]>
      readonly lookUp?: never
    }

export type InboundRules = InboundBasics & Lookup

/** The path parameters of the party's own context. */
export function createPartyParams(party: Party): Record<string, number> {
  return { [`${party.kind}_id`]: party.id }
}

/** The list of the party's own orders. */
export function createOrderListCall(party: Party): Pick<Call, 'endpoint' | 'params'> {
  const endpoint = party.kind === 'brand' ? 'listBrandOrders' : 'listRetailerOrders'
  return { endpoint, params: createPartyParams(party) }
}

/** The `id` of a resource as text, when it has a usable one. */
export function readId(resource: unknown): string | undefined {
  if (typeof resource !== 'object' || resource === null || !('id' in resource)) return undefined
  const { id } = resource
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : undefined
}
