/** Shows an EDI file segment by segment, as it is read: in its loops, in words, with the faults where they were found. */
import { type Problem, problem } from '../../domain/problem.ts'
import { findGrammar } from '../../edi/documents.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import type { Grammar } from '../../edi/grammar.ts'
import { ById, type Segment, type Syntax } from '../../edi/segment.ts'
import { decodeForPeople } from '../../formats/edi/charset.ts'
import { formatServiceString } from '../../formats/edi/copy-sets.ts'
import { type CutItem, cutSegments, isSegment } from '../../formats/edi/cut.ts'
import { type DescribedSegment, describeSegment } from '../../formats/edi/describe.ts'
import type { EnvelopeHandler, TransactionSet } from '../../formats/edi/envelopes.ts'
import { createInspector } from '../../formats/edi/inspection.ts'
import { type Loop, LoopPlacer } from '../../formats/edi/loops.ts'
import { createFaultSpot } from '../../formats/edi/spots.ts'
import type { SentDocument } from './partners.ts'
import { openEdiSource } from '../../mapping-tools/translate-file.ts'

export interface ShownSegment extends DescribedSegment {
  readonly number: number
  readonly at: number
  readonly id: string
  /** How many envelopes and loops are around it. */
  readonly depth: number
  /** The ordinal of its set in the file, from 1; 0 outside of sets. */
  readonly set: number
  /** As it stands in the file, without its terminator. */
  readonly text: string
  readonly terminator: string
  /** The service string of EDIFACT before it; empty where there is none, or the usual one. */
  readonly service: string
  /** What was found wrong when it was read; of a loop or set at its end. */
  readonly faults: readonly Problem[]
}

/** What the file holds besides segments, such as text between interchanges. */
export interface ShownFault {
  readonly faults: readonly Problem[]
}

export type ShownItem = ShownSegment | ShownFault

export interface ShowOptions {
  /** Shows only this set of the file, from 1, with the headers around it. */
  readonly set?: number | undefined
  /** Leaves the elements out. */
  readonly isRaw?: boolean | undefined
  /** The grammars of partners; documents for which it finds none have the built-in ones. */
  readonly chooseGrammar?: ((sent: SentDocument) => Grammar | undefined) | undefined
}

/** Yields what each piece of the file holds. Memory is bounded, and reading ends with the set that is asked for. */
export async function* showEdiFile(
  path: string,
  options: ShowOptions = {},
): AsyncGenerator<readonly ShownItem[]> {
  const source = openEdiSource(path)
  const viewer = new Viewer(options)
  for await (const items of cutSegments(source.bytes)) {
    for (const item of items) {
      viewer.take(item)
      if (viewer.isDone) break
    }
    const shown = viewer.takeShown()
    if (shown.length > 0) yield shown
    if (viewer.isDone) return
  }
  viewer.end(source.getDamage())
  yield viewer.takeShown()
}

class Viewer {
  isDone = false
  readonly #options: ShowOptions
  readonly #inspector: ReturnType<typeof createInspector>
  #shown: ShownItem[] = []
  #faults: Problem[] = []
  #set: TransactionSet | undefined
  #placer: LoopPlacer | undefined
  #depth = 0
  #hasGroup = false
  #sender = { sender: '', groupSender: '' }
  /** The headers around the set that is asked for. */
  #headers: ShownSegment[] = []

  constructor(options: ShowOptions) {
    this.#options = options
    const handler: EnvelopeHandler = {
      onFault: (fault, { set }) => this.#faults.push(toProblem(fault, set)),
      onInterchange: ({ sender }) => {
        this.#hasGroup = false
        this.#sender = { sender, groupSender: '' }
      },
      onGroup: ({ segment }) => {
        this.#hasGroup = segment !== undefined
        this.#sender = { ...this.#sender, groupSender: segment?.value(2).trim() ?? '' }
      },
      onGroupEnd: () => (this.#hasGroup = false),
      onSet: (set) => this.#openSet(set),
      onSetEnd: () => (this.#placer = undefined),
    }
    this.#inspector = createInspector(handler, (syntax, document) => this.#findGrammar(syntax, document))
  }

  #findGrammar(syntax: Syntax, document: string): Grammar | undefined {
    const chosen = this.#options.chooseGrammar?.({ syntax, document, ...this.#sender })
    return chosen ?? findGrammar(syntax, document)
  }

  take(item: CutItem): void {
    const before = this.#set
    const setBefore = this.#placer === undefined ? undefined : before
    this.#inspector.take(item)
    if (!isSegment(item)) return this.#takeFaults()
    const isInSet = this.#placer !== undefined
    if (isInSet && this.#set?.segment !== item) this.#placer?.place(item)
    else this.#depth = this.#measureEnvelope(item.id)
    const set = isInSet || setBefore !== undefined ? (this.#set?.ordinal ?? 0) : 0
    this.#show(this.#describe(item, set), item)
  }

  end(damage: string | undefined): void {
    this.#inspector.finish()
    if (damage !== undefined) this.#faults.push(problem('file-damaged', {}, damage))
    if (this.#options.set === undefined) this.#takeFaults()
  }

  takeShown(): readonly ShownItem[] {
    return this.#shown.splice(0)
  }

  #openSet(set: TransactionSet): void {
    this.#set = set
    const base = this.#measureEnvelope(set.segment.id)
    const grammar = this.#findGrammar(set.segment.delimiters.syntax, set.document)
    const setDepth = (loop: Loop, own: number) => {
      this.#depth = base + own
      for (let around = loop.parent; around !== undefined; around = around.parent) this.#depth += 1
    }
    this.#placer = new LoopPlacer(grammar?.root ?? EMPTY_RULE, set.segment, {
      onOpened: (loop) => setDepth(loop, 0),
      onJoined: (_, loop) => setDepth(loop, 1),
      onUnplaced: (_, loop) => setDepth(loop, 1),
    })
  }

  #measureEnvelope(id: string): number {
    if (['ISA', 'IEA', 'UNB', 'UNZ'].includes(id)) return 0
    if (['GS', 'GE', 'UNG', 'UNE', 'TA1'].includes(id)) return 1
    return this.#hasGroup ? 2 : 1
  }

  #describe(segment: Segment, set: number): ShownSegment {
    const { number, at, id, text, delimiters } = segment
    const faults = this.#faults.length === 0 ? NO_FAULTS : this.#faults.splice(0)
    const { title, summary, elements } = this.#options.isRaw === true ? PLAIN : describeSegment(segment)
    // Written out, because spreading takes most of the time of a large file.
    return {
      number,
      at,
      id,
      depth: this.#depth,
      set,
      text: decodeForPeople(text),
      terminator: delimiters.segment,
      service: id === 'UNB' ? formatServiceString(delimiters) : '',
      title,
      summary,
      elements,
      faults,
    }
  }

  #show(shown: ShownSegment, { id }: Segment): void {
    const { set } = this.#options
    if (set === undefined) {
      this.#shown.push(shown)
      return
    }
    if (shown.set === set) this.#shown.push(...this.#headers.splice(0), shown)
    else if (id === 'ISA' || id === 'UNB') this.#headers = [shown]
    else if (id === 'GS' || id === 'UNG') this.#headers = [...this.#headers.slice(0, 1), shown]
    const isEnd = id === 'SE' || id === 'UNT'
    this.isDone = (shown.set === set && isEnd) || shown.set > set
  }

  #takeFaults(): void {
    const faults = this.#faults.splice(0)
    if (faults.length > 0 && this.#options.set === undefined) this.#shown.push({ faults })
  }
}

const NO_FAULTS: readonly Problem[] = []

const PLAIN: DescribedSegment = { title: '', summary: '', elements: [] }

/** Of documents without a grammar: all their segments stand side by side. */
const EMPTY_RULE = {
  id: '',
  min: 1,
  max: 1,
  segments: new Map(),
  loops: new Map(),
  places: new Map(),
  zeros: [],
  required: [],
  limits: [],
  order: [],
  steps: new ById<never>(),
}

function toProblem(fault: Fault, set: TransactionSet | undefined): Problem {
  const place = { line: fault.segment, spot: createFaultSpot(fault, set) }
  return problem(FAULTS[fault.kind].problem, place, fault.message)
}
