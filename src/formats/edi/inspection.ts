/** The first look at a file of interchanges: which of its sets are unusable, and why, before any of them is read. */
import { findGrammar } from '../../edi/documents.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import type { Segment } from '../../edi/segment.ts'
import { type CutItem, cutSegments, isSegment } from './cut.ts'
import {
  type EnvelopeHandler,
  EnvelopeTracker,
  type FaultOwner,
  showText,
  type TransactionSet,
} from './envelopes.ts'
import { type Loop, LoopPlacer, MAX_DEPTH } from './loops.ts'

/** The largest record: a set, or a part of one where the document's records are smaller. */
export const MAX_RECORD_SEGMENTS = 100_000

export const MAX_ELEMENTS = 1000

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
  /** Faults that concern no set, because no interchange could be read there. */
  readonly ofFile: readonly Fault[]
  readonly notes: readonly Fault[]
  /** Why the set is refused; empty when it is sound. */
  findFaults(set: TransactionSet): readonly Fault[]
}

/** Collects faults by the ordinals of what they are of; more than a bounded number of them is only counted. */
export class FaultStore {
  readonly #faults = new Map<number, Fault[]>()
  /** Ordinals of those whose faults are not kept. */
  readonly #others = new Set<number>()
  #kept = 0

  add(ordinal: number, fault: Fault): void {
    const known = this.#faults.get(ordinal)
    if (this.#kept >= MAX_KEPT_FAULTS || (known?.length ?? 0) >= MAX_FAULTS_PER_SET) {
      if (known === undefined) this.#others.add(ordinal)
      return
    }
    this.#kept += 1
    if (known === undefined) this.#faults.set(ordinal, [fault])
    else known.push(fault)
  }

  find(ordinal: number): readonly Fault[] {
    const found = this.#faults.get(ordinal)
    if (found !== undefined) return found
    return this.#others.has(ordinal) ? [TOO_MANY] : []
  }
}

const TOO_MANY: Fault = {
  kind: 'segment-outside-set',
  segment: 0,
  at: 0,
  id: '',
  message: 'The file has so many faults that those of this set are not kept.',
}

/** Takes what `cutSegments` yields, one after the other. */
export interface Inspector {
  take(item: CutItem): void
  finish(): Inspection
}

/** Inspects a file. `also` sees the same events, such as to list them. */
export function createInspector(also: EnvelopeHandler = {}): Inspector {
  const stores = { interchange: new FaultStore(), group: new FaultStore(), set: new FaultStore() }
  const ofFile: Fault[] = []
  const notes: Fault[] = []
  let notFound: Inspection['notFound']
  const counts = { interchanges: 0, sets: 0 }
  const onFault = (fault: Fault, of: FaultOwner): void => {
    also.onFault?.(fault, of)
    const { reach } = FAULTS[fault.kind]
    if (reach === 'note') {
      if (notes.length < MAX_KEPT_FAULTS) notes.push(fault)
    } else if (of.set !== undefined) stores.set.add(of.set.ordinal, fault)
    else if (of.group !== undefined && reach !== 'interchange') stores.group.add(of.group.ordinal, fault)
    else if (of.interchange !== undefined) stores.interchange.add(of.interchange.ordinal, fault)
    else if (ofFile.length < MAX_KEPT_FAULTS) ofFile.push(fault)
  }
  const structure = createStructureCheck(onFault)
  const tracker = new EnvelopeTracker({
    ...also,
    onFault,
    onInterchange(interchange) {
      counts.interchanges += 1
      also.onInterchange?.(interchange)
    },
    onSet(set) {
      counts.sets += 1
      structure.begin(set)
      also.onSet?.(set)
    },
    onSegment(segment, set) {
      structure.take(segment)
      also.onSegment?.(segment, set)
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
        findFaults: ({ ordinal, group }) => [
          ...stores.interchange.find(group.interchange.ordinal),
          ...stores.group.find(group.ordinal),
          ...stores.set.find(ordinal),
        ],
      }
    },
  }
}

/** Reads the whole input once. */
export async function inspectInterchanges(input: AsyncIterable<Uint8Array>): Promise<Inspection> {
  const inspector = createInspector()
  for await (const items of cutSegments(input)) for (const item of items) inspector.take(item)
  return inspector.finish()
}

/** Checks the segments of each set against the grammar of its document. Sets without a grammar are not checked. */
function createStructureCheck(report: (fault: Fault, of: FaultOwner) => void) {
  let open: { readonly set: TransactionSet; readonly placer: LoopPlacer; segments: number } | undefined
  let counts = new Map<Loop, Map<string, number>>()
  /** Records smaller than a set are bounded by the reader. */
  let isWhole = true
  const reportAt = (kind: Fault['kind'], { number, at, id }: Segment, message: string, missing?: string) => {
    if (open === undefined) return
    const { set } = open
    const owner: FaultOwner = { interchange: set.group.interchange, group: set.group, set }
    const fault = { kind, segment: number, at, id, message }
    report(missing === undefined ? fault : { ...fault, missing }, owner)
  }
  const count = (loop: Loop, id: string) => {
    const own = counts.get(loop) ?? new Map<string, number>()
    counts.set(loop, own)
    const total = (own.get(id) ?? 0) + 1
    own.set(id, total)
    return total
  }
  return {
    begin(set: TransactionSet): void {
      const grammar = findGrammar(set.segment.delimiters.syntax, set.document)
      open = undefined
      if (grammar === undefined) return
      counts = new Map()
      isWhole = (grammar.definition.records ?? []).every((record) => /[*+]/.test(record))
      const placer = new LoopPlacer(grammar.root, set.segment, {
        keeps: false,
        onOpened(loop) {
          const { parent, rule, depth } = loop
          if (depth > MAX_DEPTH)
            reportAt('hierarchy-unclear', loop.first, `More than ${MAX_DEPTH} levels are below each other.`)
          if (parent === undefined) return
          const around = rule.tree === undefined ? parent : placer.root
          const total = count(around, rule.id)
          if (total === rule.max + 1)
            reportAt('segment-too-often', loop.first, `${rule.id} stands there more than ${rule.max} times.`)
        },
        onJoined(segment, loop) {
          const { min = 0, max = Infinity } = loop.rule.segments.get(segment.id) ?? {}
          if (min === 0 && max === Infinity) return
          if (count(loop, segment.id) !== max + 1) return
          reportAt('segment-too-often', segment, `${segment.id} stands there more than ${max} times.`)
        },
        onClosed(loop) {
          const own = counts.get(loop)
          counts.delete(loop)
          const { rule } = loop
          for (const [id, { min }] of rule.segments) {
            if (min > (own?.get(id) ?? 0))
              reportAt('segment-missing', loop.first, `${describe(loop)} has no ${id}.`, id)
          }
          for (const [id, { min }] of rule.loops) {
            if (min > (own?.get(id) ?? 0))
              reportAt('segment-missing', loop.first, `${describe(loop)} has no ${id}.`, id)
          }
        },
        onUnplaced: (segment, loop) =>
          reportAt('segment-unplaced', segment, `${segment.id} has no place in ${describe(loop)}.`),
        onGuessedParent: (level, parent) =>
          reportAt(
            'parent-guessed',
            level.first,
            `The level ${showText(level.first.value(1))} does not name a level before it; it was taken as part of ${showText(parent.first.value(1))}.`,
          ),
      })
      open = { set, placer, segments: 1 }
    },
    take(segment: Segment): void {
      if (open === undefined) return
      open.segments += 1
      if (segment.text.length > MAX_ELEMENTS && segment.size > MAX_ELEMENTS) {
        reportAt('elements-too-many', segment, `${segment.id} has more than ${MAX_ELEMENTS} elements.`)
      }
      if (isWhole && open.segments > MAX_RECORD_SEGMENTS) {
        if (open.segments === MAX_RECORD_SEGMENTS + 1) {
          reportAt('set-too-large', segment, `The set has more than ${MAX_RECORD_SEGMENTS} segments.`)
          counts = new Map()
        }
        return
      }
      open.placer.place(segment)
    },
    end(): void {
      if (open !== undefined && !(isWhole && open.segments > MAX_RECORD_SEGMENTS)) open.placer.end()
      open = undefined
    },
  }
}

function describe({ rule, first }: Loop): string {
  return rule.id === 'ST' || rule.id === 'UNH' ? 'The set' : `The loop of ${first.id}`
}
