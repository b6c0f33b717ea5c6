/** Reads a file of interchanges for the first time: which of its sets are unusable, and why, before any of them is read. */
import { findGrammar } from '../../edi/documents.ts'
import type { Grammar, LoopPlace } from '../../edi/grammar.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import type { Segment } from '../../edi/segment.ts'
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

  find(ordinal: number, { number, at, id }: Segment): readonly Fault[] {
    const found = this.#faults.get(ordinal)
    if (found !== undefined) return found
    if (!this.#others.has(ordinal)) return []
    const message = 'The file has so many faults that those of this set are not kept.'
    return [{ kind: 'segment-outside-set', segment: number, at, id, message }]
  }
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
  const structure = createStructureCheck(onFault)
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
      structure.begin(set)
      also.onSet?.(set)
    },
    onSegment(segment, set) {
      structure.take(segment)
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
export async function inspectInterchanges(input: AsyncIterable<Uint8Array>): Promise<Inspection> {
  const inspector = createInspector()
  for await (const items of cutSegments(input)) for (const item of items) inspector.take(item)
  return inspector.finish()
}

/** Checks the segments of each set against the grammar of its document. Sets without a grammar are not checked. */
function createStructureCheck(report: (fault: Fault, of: FaultOwner) => void) {
  let open: { readonly set: TransactionSet; readonly placer: LoopPlacer; segments: number } | undefined
  /** Records smaller than a set are bounded by the reader. */
  let isWhole = true
  const reportAt = (kind: Fault['kind'], { number, at, id }: Segment, message: string, missing?: string) => {
    if (open === undefined) return
    const { set } = open
    const owner: FaultOwner = { interchange: set.group.interchange, group: set.group, set }
    const fault = { kind, segment: number, at, id, message }
    report(missing === undefined ? fault : { ...fault, missing }, owner)
  }
  return {
    begin(set: TransactionSet): void {
      const grammar = findGrammar(set.segment.delimiters.syntax, set.document)
      open = undefined
      if (grammar === undefined) return
      isWhole = (grammar.definition.records ?? []).every((record) => /[*+]/.test(record))
      const lines = listLineIds(grammar)
      const placer = new LoopPlacer(grammar.root, set.segment, {
        keeps: false,
        onOpened(loop) {
          const { parent, rule, depth } = loop
          if (depth > MAX_DEPTH)
            reportAt('hierarchy-unclear', loop.first, `More than ${MAX_DEPTH} levels are below each other.`)
          if (parent === undefined) return
          const around = rule.tree === undefined ? parent : placer.root
          const total = countPlace(around, around.rule.places.get(rule.id))
          if (total === rule.max + 1)
            reportAt('segment-too-often', loop.first, `${rule.id} stands there more than ${rule.max} times.`)
        },
        onJoined(segment, loop, place) {
          const { min = 0, max = Infinity } = place.segment ?? {}
          if (min === 0 && max === Infinity) return
          if (countPlace(loop, place) !== max + 1) return
          reportAt('segment-too-often', segment, `${segment.id} stands there more than ${max} times.`)
        },
        onClosed(loop) {
          for (const { id, index, segment, loop: inner } of loop.rule.required) {
            const count = loop.counts[index] ?? 0
            for (const bounds of [segment, inner])
              if ((bounds?.min ?? 0) > count)
                reportAt('segment-missing', loop.first, `No ${id} stands in ${describe(loop)}.`, id)
          }
        },
        onUnplaced(segment, loop) {
          const meant = lines.get(foldId(segment.id))
          if (meant === undefined)
            return reportAt('segment-unplaced', segment, `${segment.id} has no place in ${describe(loop)}.`)
          reportAt(
            'segment-misspelled',
            segment,
            `The document has no ${showText(segment.id)}; ${meant} is nearly the same.`,
          )
        },
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

/** The ids of the loops that make records and lines, by how they look: a misspelled one would be a line that is lost. */
function listLineIds({ definition: { lines, records = [] } }: Grammar): ReadonlyMap<string, string> {
  const ids = [lines, ...records].map((loop) => /^[A-Z0-9]+/.exec(loop)?.[0] ?? '')
  return new Map(ids.map((id) => [foldId(id), id]))
}

/** Ids that people and scanners take for each other are the same: `PO1`, `P01`, `po1`. */
function foldId(id: string): string {
  return id.trim().toUpperCase().replaceAll('0', 'O').replaceAll('1', 'I')
}

/** Counts what stands at a place of the loop. Returns how many there are so far. */
function countPlace({ counts }: Loop, place: LoopPlace | undefined): number {
  if (place === undefined) return 0
  const count = (counts[place.index] ?? 0) + 1
  counts[place.index] = count
  return count
}

function describe({ rule, first }: Loop): string {
  return rule.id === 'ST' || rule.id === 'UNH' ? 'the set' : `the loop of ${first.id}`
}
