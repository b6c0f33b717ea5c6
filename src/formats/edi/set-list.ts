/** Lists the sets of a file with the numbers of their segments, and what is only noted of them. */
import type { ListedSet, Notes, SetListing } from '../../domain/format.ts'
import { SelectionCursor, type SetSelection } from '../../domain/place.ts'
import type { Problem } from '../../domain/problem.ts'
import type { FindGrammar } from '../../edi/documents.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import { cutSegments } from './cut.ts'
import type { TransactionSet } from './envelopes.ts'
import { createInspector } from './inspection.ts'
import { createFaultProblem, nameSet } from './spots.ts'

/** The notes of one file that are kept with their texts. */
const MAX_NOTES = 100

/** Counts notes and keeps the first ones. */
export class NoteList {
  readonly #first: Problem[] = []
  #total = 0

  /** Faults that refuse something are no notes, and left out. */
  add(fault: Fault, set: TransactionSet | undefined): void {
    if (FAULTS[fault.kind].reach !== 'note') return
    this.#total += 1
    if (this.#first.length < MAX_NOTES)
      this.#first.push({ ...createFaultProblem(fault, set), severity: 'warning' })
  }

  get(): Notes {
    return { total: this.#total, first: this.#first }
  }
}

/** Reads the file once. With `selected`, only these sets and their notes; what stands in no set is then left out too. */
export function listSets(
  input: AsyncIterable<Uint8Array>,
  find: FindGrammar,
  selected?: SetSelection,
): SetListing {
  const notes = new NoteList()
  const selection = selected && new SelectionCursor(selected)
  const isSelected = (set: TransactionSet | undefined) =>
    selection === undefined || (set !== undefined && selection.has(set.ordinal))
  let listed: ListedSet[] = []
  let isFinished = false
  const inspector = createInspector(
    {
      onFault(fault, { set }) {
        if (isSelected(set)) notes.add(fault, set)
      },
      onSet(set) {
        isFinished = selection?.isBehind(set.ordinal) ?? false
      },
      onSetEnd(set, _, segments) {
        const first = set.segment.number
        if (isSelected(set)) listed.push({ name: nameSet(set), segments: [first, first + segments - 1] })
      },
    },
    find,
  )
  async function* readSets(): AsyncGenerator<readonly ListedSet[]> {
    for await (const items of cutSegments(input)) {
      for (const item of items) inspector.take(item)
      if (listed.length > 0) yield listed
      listed = []
      // All selected sets are read.
      if (isFinished) return
    }
    inspector.finish()
    if (listed.length > 0) yield listed
  }
  return { sets: readSets(), getNotes: () => notes.get() }
}
