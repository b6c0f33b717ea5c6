/** Resources of the API, such as orders, as the journal remembers them: their keys in files, and the facts last seen. */

/** The fields of an API resource that the bridge needs, under the API's own names. */
export type ResourceFacts = Readonly<Record<string, unknown>>

/** A resource that the API has just shown. */
export interface SeenResource {
  readonly id: string
  /** Its keys in files: a purchase order number, an SKU. */
  readonly keys: readonly string[]
  /** Not all of its keys were shown: earlier ones are kept as well. */
  readonly some?: true
  /** Absent where the API showed too little of it. */
  readonly facts?: ResourceFacts
  /** When the API showed it, milliseconds; left out where it is saved at once. */
  readonly seenAt?: number
}

/** A resource as it was when the bridge last saw it. */
export interface KnownResource extends Omit<SeenResource, 'some' | 'seenAt'> {
  /** When its facts were seen, milliseconds. */
  readonly seenAt: number
}

/** A known resource, and the key by which it was found. */
export interface FoundResource extends KnownResource {
  readonly key: string
}

/** Values of an order that the API does not keep, by its purchase order number. */
export interface OrderAttributes {
  readonly key: string
  readonly values: Readonly<Record<string, string>>
}

/** The part of the journal for an account's resources of one kind, such as `order`. */
export interface ResourceJournal {
  saveResources(account: string, kind: string, resources: readonly SeenResource[]): Promise<void>
  /** Finds resources by key; a key may fit several resources, and several keys one resource. */
  findResourcesByKey(account: string, kind: string, keys: readonly string[]): Promise<FoundResource[]>
  findResourcesById(account: string, kind: string, ids: readonly string[]): Promise<KnownResource[]>
  /** Finds a few accounts with a resource of the kind and this key. */
  findAccountsWithKey(kind: string, key: string): Promise<string[]>
  /** Lists the account's orders that were open or partial when they were last seen, by id. */
  listOpenOrders(account: string, afterId: string, limit: number): Promise<KnownResource[]>
  /** Notes that the whole list was read, beginning at this time. */
  saveListReadAt(account: string, kind: string, readAt: number): Promise<void>
  /** Returns when the latest full reading of the list began; undefined without one. */
  getListReadAt(account: string, kind: string): Promise<number | undefined>
  /** Saves values for the orders; they replace earlier ones. */
  saveOrderAttributes(account: string, kept: readonly OrderAttributes[]): Promise<void>
  /** Finds kept values by purchase order number and name. */
  findOrderAttributes(
    account: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>>
}
