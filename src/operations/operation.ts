/** What a pipeline must know of an inbound operation beyond its endpoint: identity, lane and certainty. */
import type { Api, Call, Resource } from '../domain/api.ts'
import type { RecordChange, UncertainRecord } from '../domain/record.ts'
import type { Party } from '../domain/route.ts'

export type RequestBody = Readonly<Record<string, unknown>>

/** What a look-up of an uncertain record came to. `unclear` says why neither can be proven. */
export type LookupResult =
  | { readonly found: 'accepted'; readonly apiId?: string }
  | { readonly found: 'absent' }
  | { readonly found: 'unclear'; readonly why: string }

/** A record that was sent, as far as a look-up needs it. */
export type SentRecord = Pick<UncertainRecord, 'naturalKey' | 'body' | 'sentAt' | 'note'>

export type SentRecords = readonly SentRecord[]

/** See docs/concepts/exactly-once.md. Pure but for the two calls that read from the API. */
interface InboundBasics {
  /** What makes two bodies the same record within one account; `keyValues` is what the file calls it. */
  readonly naturalKey: (body: RequestBody, keyValues: readonly string[]) => string
  /** Of operations that may be repeated, and only of these. */
  readonly change?: (body: RequestBody) => RecordChange
  /** Records with the same lane are sent one at a time and in file order. */
  readonly lane: (body: RequestBody) => string
  /** The path and body of the request, where the record's body is not sent as it is. Without a `body` none is sent. */
  readonly request?: (body: RequestBody, party: Party) => Pick<Call, 'params' | 'body'>
  /** Reads what must be known *before* the record is sent to reconcile a lost answer; JSON text. */
  readonly takeSnapshot?: (api: Api, party: Party, body: RequestBody) => Promise<string>
  /** The same note from an order that was seen in a list; an old one if others may have changed the order since. */
  readonly snapshotFromList?: (order: Resource, isOld?: boolean) => string
  /** The same from an order as it is known, where that is enough; then nothing is read before the record is sent. */
  readonly snapshotFromKnownOrder?: (order: Resource, body: RequestBody) => string | undefined
}

/** Looks sent records up. Called only when a late answer is out of the question. */
type Lookup =
  | {
      readonly lookUp: (api: Api, party: Party, record: SentRecord) => Promise<LookupResult>
      readonly lookUpAll?: never
    }
  /** Where one reading of a list tells of many: a finding for each record, in their order. */
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
