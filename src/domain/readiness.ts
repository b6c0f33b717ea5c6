/** When a dropped file is whole, and which of several is taken first: what a route says of its inbox. */

/**
 * `settled`: it did not change for the settle time. `renamed`: as soon as it is there, because whoever writes it gives it
 * its name at the end. `marker`: another file says so. `manifest`: another file says so, and what must be in it.
 */
export type Ready =
  | { readonly when: 'settled' }
  | { readonly when: 'renamed' }
  | {
      readonly when: 'marker' | 'manifest'
      /** The name of the file that speaks for the file of this name. */
      readonly companionOf: (name: string) => string
    }

/** By its own time, by its name, or by its name with every number in it counted as one. */
export type TakingOrder = 'oldest' | 'name' | 'number'

/** A strict sequence: no file is taken before the one with the number before it is done. */
export interface Sequence {
  /** The number in a name; undefined when it has none. */
  readonly numberIn: (name: string) => number | undefined
  /** The number that comes first; those below it are not waited for. */
  readonly start: number
}
