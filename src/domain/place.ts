/** Where in a file a problem is, and how messages say it. */

/** Where a problem is. Lines are physical, from 1; in an EDI file they are the numbers of segments. */
export interface Place {
  readonly line?: number
  /** The column's name as the file spells it, or its number from 1 in files without a header; in an EDI file the path. */
  readonly column?: string
  /** The API field, such as `order_lines[0].quantity`. */
  readonly field?: string
  readonly spot?: Spot
  /** In an EDI file, where no spot is known: the set that the segment is of, empty where it is of none. */
  readonly set?: string
}

/** Where in an EDI file. */
export interface Spot {
  /** Its number in the file, from 1; the first segment of the file is 1. */
  readonly segment: number
  /** In its set, from 1: ST or UNH is 1. 0 outside of a set. */
  readonly inSet: number
  /** Its id, with the loop where there is one: `N4`, `N1*ST/N4`. */
  readonly id: string
  readonly element?: number
  readonly component?: number
  /** The id of the segment that is not there, where that is the problem. */
  readonly missing?: string
  /** No segment has the value: this is the beginning of the loop that lacks one. Not kept. */
  readonly isAbsent?: true
  /** The offset of its first byte in the file. */
  readonly at: number
  /** The numbers of interchange, group and set, as far as there are such: `000000101/101/0001`. */
  readonly set: string
}

/** Formats the place: `line 12, column "Qty"`; empty when nothing is known. */
export function formatPlace({ line, column, field, spot, set }: Place): string {
  if (spot !== undefined) return formatSpot(spot)
  const parts: string[] = []
  if (line !== undefined) parts.push(`${set === undefined ? 'line' : 'segment'} ${line}`)
  if (set !== undefined && set !== '') parts.push(`set ${set}`)
  if (column !== undefined) parts.push(set === undefined ? `column "${column}"` : column)
  if (field !== undefined && column === undefined) parts.push(field)
  return parts.join(', ')
}

/** `segment 14 (N1*ST/N4), element 02, byte 733, set 000000101/101/0001` */
function formatSpot({ segment, id, element, component, at, set }: Spot): string {
  const number = element === undefined ? '' : `, element ${String(element).padStart(2, '0')}`
  const part = component === undefined ? '' : `-${component}`
  return `segment ${segment} (${id})${number}${part}, byte ${at}${set === '' ? '' : `, set ${set}`}`
}

/** Ordinals of transaction sets as runs, ascending: `[[1, 800], [802, 802]]`. */
export type SetSelection = readonly (readonly [first: number, last: number])[]

/** Asks a selection for one set after the other, in the order of the file. */
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

// Ordinals of sets as runs: adds ascending ordinals, and counts them.

export type SetRuns = ReturnType<typeof createSetRuns>

export function createSetRuns() {
  const runs: [first: number, last: number][] = []
  const addRun = (first: number, last: number) => {
    const open = runs.at(-1)
    if (open !== undefined && open[1] === first - 1) open[1] = last
    else runs.push([first, last])
  }
  return {
    /** Greater than all that were added before. */
    add: (ordinal: number) => addRun(ordinal, ordinal),
    addAll: (selection: SetSelection) => selection.forEach(([first, last]) => addRun(first, last)),
    count: () => countSets(runs),
    list: (): SetSelection => runs,
  }
}

export function countSets(selection: SetSelection): number {
  return selection.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}
