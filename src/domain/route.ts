/** The terms of a route: its party, when a file is ready, and which records a report holds. */
import type { Call } from './api.ts'

export interface Party {
  readonly kind: 'retailer' | 'brand'
  readonly id: number
}

/** `retailer/1000`: the account a record belongs to. */
export function formatAccount(party: Party): string {
  return `${party.kind}/${party.id}`
}

// When a dropped file is complete, and which of several is taken first.

/**
 * `stable`: it did not change for the time of `stableFor`. `renamed`: at once, because its writer gives it its name at the
 * end. `marker`: a marker file exists. `manifest`: a manifest exists and describes the contents.
 */
export type Readiness =
  | { readonly when: 'stable' }
  | { readonly when: 'renamed' }
  | {
      readonly when: 'marker' | 'manifest'
      readonly sidecarNameOf: (name: string) => string
      /** Whether a file of this name is the marker or manifest of a file that the route takes. */
      readonly isSidecar: (name: string) => boolean
    }

/** By its own time, by its name, or by its name with every number in it counted as one. */
export type IntakeOrder = 'oldest' | 'name' | 'number'

/** A strict sequence: no file is taken before the one with the number before it is done. */
export interface FileSequence {
  /** The number in a name; undefined when it has none. */
  readonly numberIn: (name: string) => number | undefined
  /** The first number; the bridge does not wait for lower ones. */
  readonly start: number
}

export interface Selection {
  /** The query of the list. */
  readonly query: NonNullable<Call['query']>
  /** Only the records that are named here, each of which should be there. */
  readonly named?: { readonly by: 'id' | 'purchase_order_number'; readonly values: readonly string[] }
}
