/** Reads a file of interchanges for the first time: which of its sets are unusable, and why, before any of them is read. */
import { DICTIONARIES, type FindGrammar, findGrammar } from '../../edi/documents.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import { ById, type Segment } from '../../edi/segment.ts'
import { type CutItem, cutSegments, isSegment } from './cut.ts'
import {
  type EnvelopeHandler,
  EnvelopeTracker,
  type FaultOwner,
  type Group,
  type Interchange,
  showText,
  type TransactionSet,
} from './envelopes.ts'
import type { KeptSegments, LoopPlacer } from './loops.ts'
import { OrdinalSet } from './set-selection.ts'
import { StructureCheck } from './structure-check.ts'
import { formatElement } from './spots.ts'

/** Faults that are kept with their texts; of others only which set they are of. */
const MAX_KEPT_FAULTS = 10_000

/** The faults of one set that are kept. */
const MAX_FAULTS_PER_SET = 100

/** What a whole file says of its parts. Ordinals count from 1. */
export interface Inspection {
  /** Why nothing of the file can be read. */
  readonly notFound: { readonly at: number; readonly text: string } | undefined
  readonly interchanges: number
  readonly sets: number
  /** Faults that concern no set: no interchange could be read there, or text stands between interchanges. */
  readonly ofFile: readonly Fault[]
  readonly notes: readonly Fault[]
  /** Why the set is refused; empty when it is sound. */
  findFaults(set: TransactionSet): readonly Fault[]
}

/** Collects faults by the ordinals of what they are of; more than a bounded number of them is only counted. */
export class FaultStore {
  readonly #faults = new Map<number, Fault[]>()
  /** Ordinals of those whose faults are not kept. */
  readonly #others = new OrdinalSet()
  #kept = 0
  #dropped = 0

  add(ordinal: number, fault: Fault): void {
    const known = this.#faults.get(ordinal)
    if (this.#kept >= MAX_KEPT_FAULTS || (known?.length ?? 0) >= MAX_FAULTS_PER_SET) {
      this.#dropped += 1
      if (known === undefined) this.#others.add(ordinal)
      return
    }
    this.#kept += 1
    if (known === undefined) this.#faults.set(ordinal, [fault])
    else known.push(fault)
  }

  /** How many are not kept. */
  get dropped(): number {
    return this.#dropped
  }

  findKept(ordinal: number): readonly Fault[] {
    return this.#faults.get(ordinal) ?? NO_FAULTS
  }

  /** Of an ordinal whose faults are not kept, one that says so. */
  find(ordinal: number, { number, at, id }: Segment): readonly Fault[] {
    const found = this.#faults.get(ordinal)
    if (found !== undefined) return found
    if (!this.#others.has(ordinal)) return NO_FAULTS
    const message = 'The file has so many faults that those of this set are not kept.'
    return [{ kind: 'segment-outside-set', segment: number, at, id, message }]
  }
}

const NO_FAULTS: readonly Fault[] = []

/** Takes what `cutSegments` yields, one after the other. */
export interface Inspector {
  take(item: CutItem): void
  finish(): Inspection
}

/** Sees the events of the file, and the sets while they are placed in their loops. */
export interface InspectionHandler extends Omit<EnvelopeHandler, 'onSet'> {
  /** The segments of a set that its placer keeps; asked for before `onSet`. */
  readonly findKept?: (set: TransactionSet) => KeptSegments | undefined
  /** The placer has placed a segment when `onSegment` sees it. Undefined where the document has no grammar. */
  readonly onSet?: (set: TransactionSet, placer: LoopPlacer | undefined) => void
}

/** Inspects a file. `also` sees the same events, such as to list them; `find`: the grammars, which partners may bring. */
export function createInspector(also: InspectionHandler = {}, find: FindGrammar = findGrammar): Inspector {
  const stores = { interchange: new FaultStore(), group: new FaultStore(), set: new FaultStore() }
  const ofFile: Fault[] = []
  const notes: Fault[] = []
  let notFound: Inspection['notFound']
  const counts = { interchanges: 0, sets: 0 }
  /** How many sets stand before the interchange that is open. */
  let setsBefore = 0
  const findOwn = (of: 'interchange' | 'group', { ordinal, segment }: Interchange | Group) =>
    segment === undefined ? [] : stores[of].find(ordinal, segment)
  const addOfFile = (fault: Fault) => {
    if (ofFile.length < MAX_KEPT_FAULTS) ofFile.push(fault)
  }
  const onFault = (fault: Fault, of: FaultOwner): void => {
    also.onFault?.(fault, of)
    const { reach } = FAULTS[fault.kind]
    // Text between interchanges may be a part of one, so it is a record of the file.
    const isText = fault.kind === 'text-between'
    if (reach === 'note' && !isText) {
      if (notes.length < MAX_KEPT_FAULTS) notes.push(fault)
    } else if (isText) addOfFile(fault)
    else if (of.set !== undefined) stores.set.add(of.set.ordinal, fault)
    else if (of.group !== undefined && reach !== 'interchange') stores.group.add(of.group.ordinal, fault)
    else if (of.interchange !== undefined) stores.interchange.add(of.interchange.ordinal, fault)
    else addOfFile(fault)
  }
  const structure = new StructureCheck(onFault, find)
  const tracker = new EnvelopeTracker({
    ...also,
    onFault,
    onInterchange(interchange) {
      counts.interchanges += 1
      setsBefore = counts.sets
      also.onInterchange?.(interchange)
    },
    onSet(set) {
      counts.sets += 1
      const placer = structure.begin(set, also.findKept?.(set))
      also.onSet?.(set, placer)
    },
    onSegment(segment, set) {
      structure.take(segment)
      const point = findWrittenPoint(segment)
      if (point !== undefined) {
        const { number, at, id } = segment
        const { group } = set
        onFault(
          { kind: 'point-written', segment: number, at, id, ...point },
          { interchange: group.interchange, group, set },
        )
      }
      also.onSegment?.(segment, set)
    },
    onGroupEnd(group, trailer, sets) {
      // Nothing is refused where no set is left, so the fault itself is a record.
      if (sets === 0) for (const fault of findOwn('group', group)) addOfFile(fault)
      also.onGroupEnd?.(group, trailer, sets)
    },
    onInterchangeEnd(interchange, trailer, groups) {
      if (counts.sets === setsBefore)
        for (const fault of findOwn('interchange', interchange)) addOfFile(fault)
      also.onInterchangeEnd?.(interchange, trailer, groups)
    },
    onSetEnd(set, trailer, segments) {
      structure.end()
      also.onSetEnd?.(set, trailer, segments)
    },
  })
  return {
    take(item) {
      if (!isSegment(item) && item.kind === 'not-found')
        notFound ??= { at: item.at, text: showText(item.text) }
      else tracker.take(item)
    },
    finish() {
      tracker.end()
      return {
        notFound,
        ...counts,
        ofFile,
        notes,
        findFaults: ({ ordinal, group, segment }) => [
          ...stores.interchange.find(group.interchange.ordinal, segment),
          ...stores.group.find(group.ordinal, segment),
          ...stores.set.find(ordinal, segment),
        ],
      }
    },
  }
}

/** Reads the whole input once. */
export async function inspectInterchanges(
  input: AsyncIterable<Uint8Array>,
  find?: FindGrammar,
): Promise<Inspection> {
  const inspector = createInspector({}, find)
  for await (const items of cutSegments(input)) for (const item of items) inspector.take(item)
  return inspector.finish()
}

// Finds amounts with implied decimals that are written with their point, such as `TDS*1849.97`.

/** The elements with implied decimals, by the id of their segment. */
let impliedElements: ById<readonly number[]> | undefined

function listImpliedElements(): ById<readonly number[]> {
  const dictionary = DICTIONARIES.x12
  const found = dictionary.ids.map((id) => {
    const { elements = [] } = dictionary.find(id) ?? {}
    return [id, elements.flatMap(({ type }, index) => (/^N[1-9]$/.test(type) ? [index + 1] : []))] as const
  })
  return new ById(found.filter(([, elements]) => elements.length > 0))
}

/** The first such element, and what to say of it. */
export function findWrittenPoint(segment: Segment): { element: number; message: string } | undefined {
  if (segment.delimiters.syntax !== 'x12') return undefined
  impliedElements ??= listImpliedElements()
  const elements = impliedElements.find(segment)
  if (elements === undefined) return undefined
  for (const element of elements) {
    const text = segment.value(element).trim()
    if (!/^[-+]?\d*\.\d*$/.test(text)) continue
    const name = formatElement(segment.id, element)
    return {
      element,
      message: `${name} has implied decimals, but is written with a point: ${text.slice(0, 20)}.`,
    }
  }
  return undefined
}
