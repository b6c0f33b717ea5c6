/** What a pipeline must know of an inbound operation beyond its endpoint: identity, order and certainty. */
import type { Api, Call, Resource } from '../../domain/api.ts'
import type { Change, UncertainRecord } from '../../domain/record.ts'
import type { Party } from '../../domain/route.ts'

export type Body = Readonly<Record<string, unknown>>

/** What a look-up of an uncertain record came to. `unclear` says why neither can be proven. */
export type Finding =
  | { readonly found: 'accepted'; readonly apiId?: string }
  | { readonly found: 'absent' }
  | { readonly found: 'unclear'; readonly why: string }

/** A record that was sent, as far as a look-up needs it. */
export type SentRecord = Pick<UncertainRecord, 'naturalKey' | 'body' | 'sentAt' | 'note'>

/** See "Identity" and "Certainty" in docs/architecture.md. Pure but for the two calls that read from the API. */
interface InboundBasics {
  /** What makes two bodies the same record within one account; `keyValues` is what the file calls it. */
  readonly naturalKey: (body: Body, keyValues: readonly string[]) => string
  /** Of operations that may be repeated, and only of these. */
  readonly change?: (body: Body) => Change
  /** Records with the same lane are sent one at a time and in file order. */
  readonly lane: (body: Body) => string
  /**
   * What goes into the path and the body of the request, where the record's body is not sent just as it is. Without a
   * `body` none is sent.
   */
  readonly request?: (body: Body, party: Party) => Pick<Call, 'params' | 'body'>
  /**
   * What must be known *before* the record is sent, so that a lost answer can be settled later; JSON text. Left out
   * when looking it up afterwards is enough.
   */
  readonly note?: (api: Api, party: Party, body: Body) => Promise<string>
  /** The same note from an order that was seen in a list; an old one if others may have changed the order since. */
  readonly noteOf?: (order: Resource, isOld?: boolean) => string
  /** The same from an order as it is known, where that is enough; then nothing is read before the record is sent. */
  readonly oldNoteOf?: (order: Resource, body: Body) => string | undefined
}

/** Looks sent records up. Called only when a late answer is out of the question. */
type LookUp =
  | {
      readonly lookUp: (api: Api, party: Party, record: SentRecord) => Promise<Finding>
      readonly lookUpAll?: never
    }
  /** Where one reading of a list tells of many: a finding for each record, in their order. */
  | {
      readonly lookUpAll: (
        api: Api,
        party: Party,
        records: readonly SentRecord[],
      ) => Promise<readonly Finding[]>
      readonly lookUp?: never
    }

export type InboundRules = InboundBasics & LookUp

/** The path parameters of the party's own context. */
export function partyParams(party: Party): Record<string, number> {
  return { [`${party.kind}_id`]: party.id }
}

/** The list of the party's own orders. */
export function orderListOf(party: Party): Pick<Call, 'endpoint' | 'params'> {
  const endpoint = party.kind === 'brand' ? 'listBrandOrders' : 'listRetailerOrders'
  return { endpoint, params: partyParams(party) }
}

/** The `id` of a resource as text, when it has a usable one. */
export function idOf(resource: unknown): string | undefined {
  if (typeof resource !== 'object' || resource === null || !('id' in resource)) return undefined
  const { id } = resource
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : undefined
}
