/** Accounts for every segment of a file: what the mapping uses of it, what it does not, and what the grammar does not know. */
import { DICTIONARIES } from '../../edi/documents.ts'
import type { Segment } from '../../edi/segment.ts'
import { decodeText } from '../../formats/edi/charset.ts'
import { cutSegments, isSegment } from '../../formats/edi/cut.ts'
import { EnvelopeTracker, type TransactionSet } from '../../formats/edi/envelopes.ts'
import { type Inspection, inspectInterchanges } from '../../formats/edi/inspection.ts'
import { MAX_RECORD_SEGMENTS } from '../../formats/edi/structure-check.ts'
import { ALL_SEGMENTS, type Loop, LoopPlacer } from '../../formats/edi/loops.ts'
import { fits } from '../../formats/edi/path-reader.ts'
import { compileReading, type ReadingPlan } from '../../formats/edi/reading-plan.ts'
import type { InboundMapping } from '../../mapping/load.ts'
import { BridgeError } from '../../support/errors.ts'
import { readUnpackedBytes } from '../translate-file.ts'
import { type ColumnRoles, findSetUses, listColumnRoles, listPlaced, type SegmentUse } from './set-uses.ts'

export type SegmentStatus = 'used' | 'unused' | 'unknown'

export interface CoveredElement {
  /** `BEG.03`. */
  readonly element: string
  readonly filled: number
  readonly example: string
  /** The fields that take it; empty for an element that says what the segment is about, and for an unused one. */
  readonly fields: readonly string[]
  readonly isUsed: boolean
}

/** The segments of one kind at one place: `N1*ST/N4`. */
export interface CoveredPlace {
  readonly place: string
  readonly status: SegmentStatus
  readonly count: number
  /** The first of them. */
  readonly segment: number
  readonly example: string
  readonly why: string
  readonly elements: readonly CoveredElement[]
}

export interface DocumentCoverage {
  readonly segments: number
  readonly used: number
  readonly unused: number
  readonly unknown: number
  readonly places: readonly CoveredPlace[]
  /** Why the segment that was asked for is used or not. */
  readonly asked?: {
    readonly segment: number
    readonly text: string
    readonly place: string
    readonly status: SegmentStatus
    readonly why: string
  }
}

interface Tally {
  place: string
  status: SegmentStatus
  why: string
  count: number
  readonly segment: number
  readonly example: string
  readonly elements: Map<number, { filled: number; example: string; fields: Set<string>; isUsed: boolean }>
}

/** What the reader itself uses. */
const ENVELOPE = 'the envelope'

/** A segment with what is known of it. */
interface Seen {
  readonly place: string
  readonly status: SegmentStatus
  readonly why: string
  readonly use?: SegmentUse | undefined
}

const ENVELOPE_IDS: readonly string[] = [
  'ISA',
  'GS',
  'ST',
  'SE',
  'GE',
  'IEA',
  'TA1',
  'UNB',
  'UNG',
  'UNH',
  'UNT',
  'UNE',
  'UNZ',
]

/** More places of a file are counted without their qualifiers. */
const MAX_PLACES = 2000

/** Reads the file twice, first for its faults. `asked`: the number of a segment that is explained. */
export async function coverDocuments(
  path: string,
  mapping: InboundMapping,
  asked?: number,
): Promise<DocumentCoverage> {
  const { read } = mapping.translator
  if (read.edi === undefined || (read.format !== 'x12' && read.format !== 'edifact'))
    throw new BridgeError('usage-wrong', 'The mapping does not read interchanges.')
  const plan = compileReading(read.format, read.edi)
  const inspection = await inspectInterchanges(readUnpackedBytes(path), plan.findGrammar)
  const cover = new Cover(plan, listColumnRoles(mapping), inspection, asked)
  for await (const items of cutSegments(readUnpackedBytes(path))) {
    for (const item of items) {
      if (isSegment(item)) cover.see(item)
      cover.tracker.take(item)
    }
  }
  cover.tracker.end()
  return cover.finish()
}

class Cover {
  readonly #plan: ReadingPlan
  readonly #roles: ColumnRoles
  readonly #inspection: Inspection
  readonly #asked: number | undefined
  readonly #tallies = new Map<string, Tally>()
  #answer: DocumentCoverage['asked']
  #open:
    | {
        readonly set: TransactionSet
        readonly placer: LoopPlacer | undefined
        readonly unplaced: Set<Segment>
        size: number
      }
    | undefined
  /** The segment that was seen last, until a set takes it. */
  #seen: Segment | undefined
  readonly tracker: EnvelopeTracker

  constructor(plan: ReadingPlan, roles: ColumnRoles, inspection: Inspection, asked: number | undefined) {
    this.#plan = plan
    this.#roles = roles
    this.#inspection = inspection
    this.#asked = asked
    this.tracker = new EnvelopeTracker({
      onSet: (set) => this.#begin(set),
      onSegment: (segment) => this.#take(segment),
      onSetEnd: () => this.#end(),
    })
  }

  see(segment: Segment): void {
    this.#tallySeen()
    this.#seen = segment
  }

  finish(): DocumentCoverage {
    this.#tallySeen()
    const places = [...this.#tallies.values()].map(({ elements, ...place }) => ({
      ...place,
      elements: [...elements]
        .toSorted(([a], [b]) => a - b)
        .map(([element, { fields, ...rest }]) => ({
          element: `${place.place}.${String(element).padStart(2, '0')}`,
          ...rest,
          fields: [...fields],
        })),
    }))
    const count = (status: SegmentStatus) =>
      places.reduce((sum, each) => sum + (each.status === status ? each.count : 0), 0)
    const counts = { used: count('used'), unused: count('unused'), unknown: count('unknown') }
    const segments = places.reduce((sum, each) => sum + each.count, 0)
    return { segments, ...counts, places, ...(this.#answer === undefined ? {} : { asked: this.#answer }) }
  }

  /** A segment that no set took is one of the envelope, or stands where none may. */
  #tallySeen(): void {
    const segment = this.#seen
    this.#seen = undefined
    if (segment === undefined) return
    const isEnvelope = ENVELOPE_IDS.includes(segment.id)
    const why = isEnvelope ? ENVELOPE : 'it stands outside of a set'
    this.#tally(segment, { place: segment.id, status: isEnvelope ? 'used' : 'unknown', why })
  }

  #begin(set: TransactionSet): void {
    this.#seen = undefined
    const { syntax } = set.segment.delimiters
    const grammar = this.#plan.findGrammar(syntax, set.document)
    const unplaced = new Set<Segment>()
    const placer =
      grammar &&
      new LoopPlacer(
        grammar.root,
        set.segment,
        { onUnplaced: (segment) => void unplaced.add(segment) },
        ALL_SEGMENTS,
      )
    if (placer === undefined)
      this.#tally(set.segment, { place: set.segment.id, status: 'used', why: ENVELOPE })
    this.#open = { set, placer, unplaced, size: 0 }
  }

  #take(segment: Segment): void {
    this.#seen = undefined
    const open = this.#open
    if (open?.placer !== undefined) {
      open.size += 1
      if (open.size <= MAX_RECORD_SEGMENTS) return open.placer.place(segment)
      const why = `only the first ${MAX_RECORD_SEGMENTS} segments of a set are compared`
      return this.#tally(segment, { place: segment.id, status: 'unused', why })
    }
    const why = `there is no grammar for ${open?.set.document ?? 'it'}`
    this.#tally(segment, { place: segment.id, status: 'unknown', why })
  }

  #end(): void {
    const open = this.#open
    this.#open = undefined
    const root = open?.placer?.end()
    if (open === undefined || root === undefined) return
    const { set, unplaced } = open
    const { group } = set
    const unread = this.#explainUnread(set)
    const envelope = [group.interchange.segment, ...(group.segment === undefined ? [] : [group.segment])]
    const uses =
      unread === undefined
        ? findSetUses(root, this.#plan, envelope, this.#roles)
        : new Map<Segment, SegmentUse>()
    for (const { segment, loop } of listPlaced(root)) {
      const use = uses.get(segment)
      const place = this.#name(segment, loop)
      if (segment === root.first)
        this.#tally(segment, { place: segment.id, status: 'used', why: ENVELOPE, use })
      else if (unplaced.has(segment))
        this.#tally(segment, { place, status: 'unknown', why: `${set.document} has no ${segment.id} there` })
      else if (isTaken(use)) this.#tally(segment, { place, status: 'used', why: explainUse(use), use })
      else {
        const why = unread ?? this.#explainUnused(segment, loop, use)
        this.#tally(segment, { place, status: 'unused', why, use })
      }
    }
  }

  #explainUnread(set: TransactionSet): string | undefined {
    const [fault] = this.#inspection.findFaults(set)
    if (fault !== undefined) return `the set is refused: ${fault.message}`
    const { usage, document, syntax } = this.#plan
    const { isTest } = set.group.interchange
    if (set.document !== document || set.segment.delimiters.syntax !== syntax)
      return `the set is a ${set.document}, and the mapping reads ${document}`
    return usage === 'any' || isTest === (usage === 'test')
      ? undefined
      : `the interchange is ${isTest ? 'a test' : 'production'}, and the mapping takes only ${usage}`
  }

  /** Why a segment was read by no path: none names it, another came first, or it stands in another loop. */
  #explainUnused(segment: Segment, loop: Loop, use: SegmentUse | undefined): string {
    const [winner] = use?.outranked ?? []
    if (winner !== undefined)
      return `another path of the list came first (${winner.replace(': ', ' after ')})`
    const columns = [...this.#plan.recordColumns, ...this.#plan.lineColumns].map(({ path }) => path)
    const named = columns.filter((path) => path.segment.id === segment.id)
    const meant = named.filter((path) => fits(segment, path.segment))
    const name = this.#name(segment, loop)
    if (named.length === 0) {
      const isLoopOf = columns.some((path) => path.loops.some((test) => fits(segment, test)))
      return isLoopOf ? `the paths through ${name} found no value in it` : `no path names ${segment.id}`
    }
    const texts = [...new Set(named.map(({ text }) => text))]
    if (meant.length === 0)
      return `no path asks for ${name.split('/').at(-1)}; there is ${texts.slice(0, 3).join(', ')}`
    const around = loop.parent === undefined ? 'no loop' : `the loop of ${this.#nameOwn(loop.first)}`
    const inLoop = meant.filter(
      ({ loops }) => loops.length === 0 || loops.some((test) => fits(loop.first, test)),
    )
    const shown = [...new Set((inLoop.length > 0 ? inLoop : meant).map(({ text }) => text))]
      .slice(0, 3)
      .join(', ')
    if (inLoop.length === 0) return `it stands in ${around}, and ${shown} does not lead there`
    return `${shown} took another segment before it, or finds no value in it`
  }

  #name(segment: Segment, loop: Loop): string {
    const isKnown = this.#tallies.size < MAX_PLACES
    const name = (each: Segment) => (isKnown ? this.#nameOwn(each) : each.id)
    const names: string[] = []
    for (let around: Loop | undefined = loop; around?.parent !== undefined; around = around.parent) {
      if (around.first !== segment) names.unshift(name(around.first))
      // Levels of a tree stand in each other; the innermost says enough.
      if (around.rule.tree !== undefined) break
    }
    return [...names, name(segment)].join('/')
  }

  /** `N1*ST`, `NAD+DP`. */
  #nameOwn(segment: Segment): string {
    const { syntax } = segment.delimiters
    const { dictionary } = this.#plan.findGrammar(syntax, this.#plan.document) ?? {}
    const { qualifier } = (dictionary ?? DICTIONARIES[syntax]).find(segment.id) ?? {}
    const code = qualifier === undefined ? '' : segment.value(qualifier).trim()
    return code === '' ? segment.id : `${segment.id}${syntax === 'x12' ? '*' : '+'}${code}`
  }

  #tally(segment: Segment, { place, status, why, use }: Seen): void {
    const key = `${place} ${status} ${status === 'used' ? '' : why}`
    const text = decodeText(segment.text, segment.delimiters.charset)
    const tally = this.#tallies.get(key) ?? {
      place,
      status,
      why,
      count: 0,
      segment: segment.number,
      example: text,
      elements: new Map(),
    }
    this.#tallies.set(key, tally)
    tally.count += 1
    if (segment.number === this.#asked) this.#answer = { segment: segment.number, text, place, status, why }
    for (let element = 1; element <= segment.size; element += 1) {
      const example = decodeText(segment.raw(element), segment.delimiters.charset).trim()
      if (example === '') continue
      const known = tally.elements.get(element) ?? {
        filled: 0,
        example,
        fields: new Set<string>(),
        isUsed: false,
      }
      tally.elements.set(element, known)
      known.filled += 1
      const fields = use?.elements.get(element)
      if (fields === undefined && !(status === 'used' && why === ENVELOPE)) continue
      known.isUsed = true
      for (const field of fields ?? []) known.fields.add(field)
    }
  }
}

/** Whether the mapping takes a value of it, or it begins a loop that a value stands in. */
function isTaken(use: SegmentUse | undefined): use is SegmentUse {
  return use !== undefined && (use.elements.size > 0 || use.outranked.size === 0)
}

function explainUse({ elements }: SegmentUse): string {
  const fields = [...new Set([...elements.values()].flatMap((each) => [...each]))]
  return fields.length === 0 ? 'it begins a loop that is read' : fields.join(', ')
}
