/** Finds the segments and elements of one set that an acknowledgment names, by the places of its problems. */
import type { Problem } from '../../domain/problem.ts'
import {
  findAnswerCodes,
  findSegmentCodes,
  SEGMENT_CODES,
  type SegmentCodes,
  UCS_CODES,
} from '../../edi/answer-codes.ts'
import { DICTIONARIES } from '../../edi/documents.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import type { Grammar, LoopRule } from '../../edi/grammar.ts'
import type { SegmentInfo } from '../../edi/dictionary.ts'
import { type Segment, splitReleased } from '../../edi/segment.ts'
import type { Spot } from '../../domain/place.ts'
import type { TransactionSet } from './envelopes.ts'
import { type ElementError, isOfSegment, type SegmentError } from './judgment.ts'
import { type Loop, LoopPlacer } from './loops.ts'
import { createFaultProblem } from './spots.ts'

/** The most segments that one answer names. */
const MAX_ERRORS = 100

/** A segment that is not there: it would stand in the loop that begins at a segment. */
interface Missing {
  readonly id: string
  /** The segment or loop in that loop that is missing, or leads to it. */
  readonly step: string
  readonly begin: number
  readonly loop: string
  /** Where it would stand, once a segment behind it was read. */
  number: number | undefined
}

interface FoundElements {
  readonly id: string
  readonly loop: string
  readonly inSet: number
  readonly elements: ElementError[]
}

/** Takes the problems of a set first, then its segments. */
export class SetErrors {
  /** Why records are refused; the first ones. */
  readonly problems: Problem[] = []
  readonly #set: TransactionSet
  readonly #grammar: Grammar | undefined
  readonly #byStructure: boolean
  readonly #wanted = new Map<number, Problem[]>()
  readonly #found = new Map<number, FoundElements>()
  readonly #missing: Missing[] = []
  /** Segments that may not stand where they stand. */
  readonly #misplaced: SegmentError[] = []
  #placer: LoopPlacer | undefined
  #isPlain = true

  constructor(set: TransactionSet, grammar: Grammar | undefined, faults: readonly Fault[]) {
    this.#set = set
    this.#grammar = grammar
    this.#byStructure = faults.length > 0
    for (const fault of faults.filter(({ kind }) => isOfSegment(kind)).slice(0, MAX_ERRORS)) {
      const { kind, segment, id, missing, element } = fault
      if (missing !== undefined) this.#addMissing(missing, segment, id)
      else if (element !== undefined) this.#want(createFaultProblem(fault, set))
      else {
        this.#addMisplaced(id, segment, FAULTS[kind])
      }
    }
  }

  add(problems: readonly Problem[]): void {
    if (this.#byStructure) return
    for (const each of problems) {
      if (this.problems.length >= MAX_ERRORS) return
      this.problems.push(each)
      this.#want(each)
    }
  }

  #addMissing(id: string, begin: number, around: string): void {
    const loop = around === this.#set.segment.id ? '' : around
    this.#missing.push({ id, step: id, begin, loop, number: undefined })
  }

  #addMisplaced(id: string, number: number, { x12: code, edifact }: SegmentCodes): void {
    const inSet = number - this.#set.segment.number + 1
    this.#misplaced.push({ id, inSet, loop: '', code, edifact, elements: [] })
  }

  #want(found: Problem): void {
    const { spot } = found.place
    if (spot === undefined) return
    if (spot.missing !== undefined) return this.#addMissing(spot.missing, spot.segment, spot.id)
    const codes = this.#findSegmentCodes(found)
    if (codes !== undefined) return this.#addMisplaced(nameOf(spot), spot.segment, codes)
    if (spot.element === undefined) return
    if (findAnswerCodes(found.code, undefined).element === undefined) return
    const known = this.#wanted.get(spot.segment)
    if (known === undefined) this.#wanted.set(spot.segment, [found])
    else known.push(found)
  }

  #findSegmentCodes({ code, place: { spot } }: Problem): SegmentCodes | undefined {
    const beginsLoop = this.#grammar !== undefined && hasLoop(this.#grammar.root, nameOf(spot))
    return spot === undefined ? undefined : findSegmentCodes(code, beginsLoop)
  }

  /** All problems are known. */
  begin(): void {
    this.#isPlain = this.#missing.length === 0 && this.#wanted.size === 0
    if (this.#isPlain) return
    const { segment } = this.#set
    if (this.#grammar !== undefined) {
      this.#placer = new LoopPlacer(this.#grammar.root, segment, {
        onJoined: (each, loop) => this.#pass(each.id, each.number, loop),
        onOpened: (loop) => {
          if (loop.parent !== undefined) this.#pass(loop.rule.id, loop.first.number, loop.parent)
        },
        onClosed: (loop) => this.#closeLoop(loop),
      })
    }
    this.#match(segment)
  }

  take(segment: Segment): void {
    if (this.#isPlain) return
    this.#placer?.place(segment)
    this.#match(segment)
  }

  finish(): readonly SegmentError[] {
    this.#placer?.end()
    const start = this.#set.segment.number
    const missing = this.#missing.map(({ id, loop, begin, number }): SegmentError => {
      const inSet = (number ?? begin) - start + 1
      return { id, inSet, loop, code: SEGMENT_CODES.missing, edifact: UCS_CODES.missing, elements: [] }
    })
    const found = [...this.#found.values()].map((each): SegmentError => {
      return { ...each, code: SEGMENT_CODES.elements, edifact: UCS_CODES.elements }
    })
    return [...missing, ...this.#misplaced, ...found]
      .toSorted((a, b) => a.inSet - b.inSet)
      .slice(0, MAX_ERRORS)
  }

  /** 0085 of UCM where a problem is of the set as such; empty where there is none. */
  findMessageCode(): string {
    for (const each of this.problems) {
      const { element, edifact } = findAnswerCodes(each.code, undefined)
      const isOfSegment = each.place.spot?.missing !== undefined || this.#findSegmentCodes(each)
      if (element === undefined && !isOfSegment) return edifact
    }
    return ''
  }

  /** Problems stand at their segment, or where it is missing at the begin of the loop that misses it. */
  #match(segment: Segment): void {
    const problems = this.#wanted.get(segment.number)
    if (problems === undefined) return
    for (const each of problems) {
      const steps = (each.place.spot?.id ?? '').split('/').map(removeQualifier)
      const id = steps.at(-1) ?? ''
      const loop = this.#findLoop(steps, each.place.spot?.id ?? '')
      if (id === segment.id) this.#addElement(segment, loop, each)
      else if (!this.#missing.some((known) => known.id === id && known.begin === segment.number)) {
        const step = steps[0] === segment.id ? (steps[1] ?? id) : (steps[0] ?? id)
        this.#missing.push({ id, step, begin: segment.number, loop, number: undefined })
      }
    }
  }

  #addElement(segment: Segment, loop: string, { code, place }: Problem): void {
    const { element = 1 } = place.spot ?? {}
    const { syntax } = segment.delimiters
    const known = DICTIONARIES[syntax].find(segment.id)
    const info = known?.elements[element - 1]
    const component = findComponent(segment, known, place.spot)
    const part = component === undefined ? info : info?.components[component - 1]
    const codes = findAnswerCodes(code, part?.type)
    const error: ElementError = {
      element,
      ...(component === undefined ? {} : { component }),
      number: /^\d+$/.test(part?.number ?? '') ? (part?.number ?? '') : '',
      code: codes.element ?? '',
      edifact: codes.edifact,
      text: segment.value(element, component),
    }
    const found = this.#found.get(segment.number)
    if (found === undefined) {
      const inSet = segment.number - this.#set.segment.number + 1
      this.#found.set(segment.number, { id: segment.id, loop, inSet, elements: [error] })
    } else if (!found.elements.some((each) => isSamePlace(each, error))) found.elements.push(error)
  }

  /** The loop of `N1*ST/N4` and of `N1*ST`; of `PO1`, where that begins a loop. */
  #findLoop(steps: readonly string[], id: string): string {
    const before = steps.at(-2)
    if (before !== undefined) return before
    const own = steps[0] ?? ''
    const root = this.#placer?.root.rule
    return /[*+]/.test(id) || (root !== undefined && hasLoop(root, own)) ? own : ''
  }

  /** A segment or loop stands in the loop: what is missing there and comes before it would stand here. */
  #pass(id: string, number: number, loop: Loop): void {
    for (const each of this.#missing) {
      if (each.number !== undefined || each.begin !== loop.first.number) continue
      const { order } = loop.rule
      if (order.indexOf(id) > order.indexOf(each.step)) each.number = number
    }
  }

  /** Nothing that would stand behind it is there, so it would stand at the end. */
  #closeLoop(loop: Loop): void {
    for (const each of this.#missing) {
      if (each.begin === loop.first.number) each.number ??= loop.last + 1
    }
  }
}

/** An element that is written without components has none; of a date in EDIFACT the second one is the date itself. */
function findComponent(segment: Segment, known: SegmentInfo | undefined, spot: Spot | undefined) {
  const { element = 1, component } = spot ?? {}
  const { delimiters } = segment
  if (component === 1) {
    const parts = splitReleased(segment.raw(element), delimiters.component, delimiters.release)
    return parts.length === 1 ? undefined : component
  }
  const isDate = delimiters.syntax === 'edifact' && known?.date?.date === element
  return component ?? (isDate ? 2 : undefined)
}

/** The id of the segment, without its loop. */
function nameOf(spot: Spot | undefined): string {
  return removeQualifier(spot?.id.split('/').at(-1) ?? '')
}

function removeQualifier(step: string): string {
  return /^[A-Za-z0-9]*/.exec(step)?.[0] ?? ''
}

function isSamePlace(a: ElementError, b: ElementError): boolean {
  return a.element === b.element && a.component === b.component
}

function hasLoop(rule: LoopRule, id: string): boolean {
  return [...rule.loops.values()].some((loop) => loop.id === id || hasLoop(loop, id))
}
