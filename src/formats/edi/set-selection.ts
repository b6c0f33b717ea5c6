/** Asks a selection of sets in the order of the file. */
import type { SetSelection } from '../../domain/place.ts'

export class SelectionCursor {
  readonly #sets: SetSelection
  #run = 0
  #last = 0

  constructor(sets: SetSelection) {
    this.#sets = sets
  }

  /** Whether the set is selected. Ordinals are asked ascending; a smaller one begins anew. */
  has(ordinal: number): boolean {
    const sets = this.#sets
    if (ordinal < this.#last) this.#run = 0
    this.#last = ordinal
    while ((sets[this.#run]?.[1] ?? Infinity) < ordinal) this.#run += 1
    return (sets[this.#run]?.[0] ?? Infinity) <= ordinal
  }

  /** Whether no set from this one on is selected. */
  isBehind(ordinal: number): boolean {
    return ordinal > (this.#sets.at(-1)?.[1] ?? 0)
  }
}
