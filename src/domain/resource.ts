/** Resources of the API, such as orders, as far as the journal remembers them: what files may call them, and what was seen. */

/** What a resource of the API said of itself, as far as the bridge needs it; in the API's own names. */
export type ResourceFacts = Readonly<Record<string, unknown>>

/** A resource that the API has just shown. */
export interface SeenResource {
  readonly id: string
  /** What files may call it: a purchase order number, an SKU. */
  readonly keys: readonly string[]
  /** Not all of its names were shown: those known before are kept as well. */
  readonly some?: true
  /** Left out where too little of it was shown. */
  readonly facts?: ResourceFacts
}

/** A resource as it was when the bridge last saw it. */
export interface KnownResource extends Omit<SeenResource, 'some'> {
  /** When its facts were seen, milliseconds. */
  readonly seenAt: number
}

/** A known resource, and by which of its names it was asked for. */
export interface FoundResource extends KnownResource {
  readonly key: string
}

/** Values of an order that the API does not keep, by its purchase order number. */
export interface OrderAttributes {
  readonly key: string
  readonly values: Readonly<Record<string, string>>
}

/** What is known of an account's resources of one kind, such as `order`. */
export interface ResourceJournal {
  saveResources(account: string, kind: string, resources: readonly SeenResource[]): Promise<void>
  /** All that are known by one of the keys; a key may fit several, and one may be found by several keys. */
  findResourcesByKey(account: string, kind: string, keys: readonly string[]): Promise<FoundResource[]>
  findResourcesById(account: string, kind: string, ids: readonly string[]): Promise<KnownResource[]>
  /** The accounts that know something of the kind by this key; a few of them. */
  findAccountsWithKey(kind: string, key: string): Promise<string[]>
  /** Notes that the whole list was read to its end, beginning at this time. */
  saveListReadAt(account: string, kind: string, readAt: number): Promise<void>
  /** When the latest reading of the whole list began; undefined when there was none. */
  getListReadAt(account: string, kind: string): Promise<number | undefined>
  /** Remembers values for the orders; later ones stand for earlier ones. */
  saveOrderAttributes(account: string, kept: readonly OrderAttributes[]): Promise<void>
  /** What is kept, by purchase order number and name. */
  findOrderAttributes(
    account: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>
}
