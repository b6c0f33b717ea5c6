/** Checks the segments of one set against what the grammar of a partner asks besides its segments. */
import type { FaultName } from '../../edi/faults.ts'
import type { GrammarChecks, SegmentPlace } from '../../edi/grammar.ts'
import type { Segment, SegmentTest } from '../../edi/segment.ts'
import { showText } from './envelopes.ts'
import type { Loop } from './loops.ts'
import { fits } from './path-reader.ts'
import { formatElement, nameLoop, nameSegment } from './spots.ts'

/** What a check finds at a segment. */
export interface CheckFinding {
  readonly kind: FaultName
  readonly segment: Segment
  readonly message: string
  /** The name of the segment with its loop; by default its id. */
  readonly id?: string
  readonly missing?: string
  readonly element?: number
  readonly component?: number
}

type Report = (finding: CheckFinding) => void

type CodeRule = GrammarChecks['codes'][number]

/** Takes the segments of one set while they are placed. */
export class PartnerChecks {
  readonly #required: readonly RequiredPlace[]
  readonly #codes = new Map<string, CodeRule[]>()
  readonly #report: Report

  constructor({ required, codes }: GrammarChecks, root: Loop, report: Report) {
    this.#report = report
    this.#required = required.map((place) => new RequiredPlace(place, root, report))
    for (const rule of codes) {
      const { id } = rule.place.segment
      const known = this.#codes.get(id)
      if (known === undefined) this.#codes.set(id, [rule])
      else known.push(rule)
    }
    this.#checkCodes(root.first, root)
  }

  onOpened(loop: Loop): void {
    if (loop.parent === undefined) return
    for (const place of this.#required) place.take(loop.first, loop.parent, loop)
    this.#checkCodes(loop.first, loop)
  }

  onJoined(segment: Segment, loop: Loop): void {
    for (const place of this.#required) place.take(segment, loop, undefined)
    this.#checkCodes(segment, loop)
  }

  onClosed(loop: Loop): void {
    for (const place of this.#required) place.close(loop)
  }

  #checkCodes(segment: Segment, loop: Loop): void {
    for (const { place, allowed } of this.#codes.get(segment.id) ?? []) {
      const { element = 0, component } = place.value ?? {}
      const text = segment.value(element, component).trim()
      if (text === '' || allowed.has(text)) continue
      if (!fits(segment, place.segment) || !isInLoops(loop, place.loops)) continue
      const name = formatElement(segment.id, element, component)
      const message = `${name} is "${showText(text)}"; the grammar allows ${[...allowed].join(', ')}.`
      const at = {
        id: nameSegment(segment, loop),
        element,
        ...(component === undefined ? {} : { component }),
      }
      this.#report({ kind: 'code-not-allowed', segment, message, ...at })
    }
  }
}

/** Whether the loop stands in these, from the outermost. */
function isInLoops(loop: Loop, loops: readonly SegmentTest[]): boolean {
  let wanted = loops.length - 1
  for (let around: Loop | undefined = loop; around !== undefined && wanted >= 0; around = around.parent) {
    const test = loops[wanted]
    if (test !== undefined && fits(around.first, test)) wanted -= 1
  }
  return wanted < 0
}

/** A loop that must hold what the step of the place says. */
interface OpenStep {
  readonly loop: Loop
  readonly step: number
  isMet: boolean
}

/** One place that must be there: each loop that a step leads through needs the next step. */
class RequiredPlace {
  readonly #place: SegmentPlace
  readonly #steps: readonly SegmentTest[]
  readonly #report: Report
  /** Loops inside of each other, the innermost last. */
  readonly #open: OpenStep[]

  constructor(place: SegmentPlace, root: Loop, report: Report) {
    this.#place = place
    this.#steps = [...place.loops, place.segment]
    this.#report = report
    this.#open = [{ loop: root, step: 0, isMet: false }]
    this.take(root.first, root, undefined)
  }

  /** `begun`: the loop that the segment begins. */
  take(segment: Segment, around: Loop, begun: Loop | undefined): void {
    const open = this.#open.at(-1)
    const test = this.#steps[open?.step ?? 0]
    if (open === undefined || test === undefined || !fits(segment, test)) return
    // As in paths, the first step is right in the document, or a level of its tree.
    const isNear = around.parent === undefined || begun?.rule.tree !== undefined
    if (open.step === 0 && !isNear) return
    open.isMet = true
    if (open.step < this.#steps.length - 1) {
      if (begun !== undefined) this.#open.push({ loop: begun, step: open.step + 1, isMet: false })
    } else this.#checkElement(segment, begun ?? around)
  }

  close(loop: Loop): void {
    const open = this.#open.at(-1)
    if (open?.loop !== loop) return
    this.#open.pop()
    if (open.isMet) return
    const missing = this.#steps[open.step]?.id ?? ''
    const name = this.#place.text.replace(/\.[^./]+$/, '').split('/')[open.step] ?? missing
    const where = loop.parent === undefined ? 'the set' : `the loop of ${nameLoop(loop)}`
    const message = `No ${name} stands in ${where}; the grammar requires it.`
    this.#report({ kind: 'segment-missing', segment: loop.first, message, missing })
  }

  #checkElement(segment: Segment, loop: Loop): void {
    const { value } = this.#place
    if (value === undefined || segment.value(value.element, value.component).trim() !== '') return
    const name = formatElement(segment.id, value.element, value.component)
    const message = `${name} is blank; the grammar requires it.`
    this.#report({ kind: 'element-missing', segment, message, id: nameSegment(segment, loop), ...value })
  }
}
