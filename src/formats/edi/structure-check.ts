/** Checks the segments of each set against the grammar of its document. Sets without a grammar are not checked. */
import {
  DICTIONARIES,
  type FindGrammar,
  findGrammar,
  findWrongSeparator,
  listDocuments,
} from '../../edi/documents.ts'
import type { Fault, FaultName } from '../../edi/faults.ts'
import type { Grammar, LoopPlace } from '../../edi/grammar.ts'
import type { Segment } from '../../edi/segment.ts'
import { type FaultOwner, showText, type TransactionSet } from './envelopes.ts'
import {
  countPlace,
  type KeptSegments,
  type Loop,
  LoopPlacer,
  MAX_DEPTH,
  type PlacerOptions,
} from './loops.ts'
import { type CheckFinding, PartnerChecks } from './partner-checks.ts'
import { compareDecimals, parseDecimal } from '../../support/decimal.ts'
import { fits } from './path-reader.ts'
import { formatElement } from './spots.ts'

/** The largest record: a set, or a part of one where the document's records are smaller. */
export const MAX_RECORD_SEGMENTS = 100_000
const MAX_RECORD_BYTES = 16 * 1024 * 1024

/** How much of a record was read. */
interface RecordSize {
  readonly segments: number
  readonly bytes: number
}

export function isTooLarge({ segments, bytes }: RecordSize): boolean {
  return segments > MAX_RECORD_SEGMENTS || bytes > MAX_RECORD_BYTES
}

/** Says which limit is passed: `100000 segments`. */
export function describeLimit({ segments }: RecordSize): string {
  return segments > MAX_RECORD_SEGMENTS ? `${MAX_RECORD_SEGMENTS} segments` : '16 MiB'
}

/** The most elements of a segment, and components and repetitions of an element. */
const MAX_ELEMENTS = 1000

function hasMore(element: string, separator: string): boolean {
  if (element.length < MAX_ELEMENTS) return false
  let count = 1
  for (let at = element.indexOf(separator); at !== -1; at = element.indexOf(separator, at + 1)) count += 1
  return count > MAX_ELEMENTS
}

/** Takes the segments of one set after the other. */
export class StructureCheck {
  readonly #report: (fault: Fault, of: FaultOwner) => void
  readonly #find: FindGrammar
  readonly #options: PlacerOptions
  #set: TransactionSet | undefined
  #placer: LoopPlacer | undefined
  #rules: CheckedDocument | undefined
  #partner: PartnerChecks | undefined
  #lineTotal: LineTotal | undefined
  /** Without the last segment. */
  #size = { segments: 0, bytes: 0 }
  #isTooLarge = false
  /** The first segments whose ids are not known. */
  #unknown: { readonly id: string; readonly number: number }[] = []
  /** The id behind that of the set. */
  #firstId = ''

  constructor(report: (fault: Fault, of: FaultOwner) => void, find: FindGrammar) {
    this.#report = report
    this.#find = find
    this.#options = {
      onOpened: (loop) => this.#checkOpened(loop),
      onJoined: (segment, loop, place) => this.#checkJoined(segment, loop, place),
      onClosed: (loop) => this.#checkClosed(loop),
      onUnplaced: (segment, loop) => this.#reportUnplaced(segment, loop),
      onGuessedParent: (level, parent) =>
        this.#reportAt(
          'parent-guessed',
          level.first,
          `The level ${showText(level.first.value(1))} does not name a level before it; it was taken as part of ${showText(parent.first.value(1))}.`,
        ),
    }
  }

  /** Returns the placer of the set, which keeps these segments; undefined where the document has no grammar. */
  begin(set: TransactionSet, keeps?: KeptSegments): LoopPlacer | undefined {
    const grammar = this.#find(set.segment.delimiters.syntax, set.document, set.ordinal)
    this.#placer = undefined
    if (grammar === undefined) return undefined
    const { checks, total } = grammar
    this.#set = set
    this.#rules = findRules(grammar)
    this.#size = { segments: 1, bytes: 0 }
    this.#isTooLarge = false
    this.#unknown = []
    const placer = new LoopPlacer(grammar.root, set.segment, this.#options, keeps)
    this.#placer = placer
    this.#partner =
      checks && new PartnerChecks(checks, placer.root, (finding) => this.#reportFinding(finding))
    this.#lineTotal = total && new LineTotal(total)
    const { versions = [] } = checks ?? {}
    if (versions.length === 0 || versions.some((version) => set.version.startsWith(version))) return placer
    const is = set.version === '' ? 'names no version' : `is of version ${showText(set.version)}`
    const message = `The document ${is}; the grammar is for ${versions.join(', ')}.`
    this.#reportAt('version-unexpected', set.segment, message)
    return placer
  }

  take(segment: Segment): void {
    if (this.#placer === undefined) return
    this.#size.segments += 1
    if (this.#size.segments === 2) this.#firstId = segment.id
    this.#size.bytes += segment.end - segment.at
    if (segment.length > MAX_ELEMENTS) this.#checkElements(segment)
    if (this.#rules?.isWhole !== true || !isTooLarge(this.#size)) return this.#placer.place(segment)
    if (this.#isTooLarge) return
    this.#isTooLarge = true
    this.#reportAt('set-too-large', segment, `The set has more than ${describeLimit(this.#size)}.`)
  }

  #checkElements(segment: Segment): void {
    const { component, repetition } = segment.delimiters
    const report = (what: string) =>
      this.#reportAt('elements-too-many', segment, `${segment.id} has ${what}.`)
    if (segment.size > MAX_ELEMENTS) report(`more than ${MAX_ELEMENTS} elements`)
    else if (segment.parts.some((part) => hasMore(part, component)))
      report(`an element of more than ${MAX_ELEMENTS} components`)
    else if (repetition !== undefined && segment.parts.some((part) => hasMore(part, repetition)))
      report(`an element with more than ${MAX_ELEMENTS} repetitions`)
  }

  end(): void {
    if (this.#placer !== undefined && !this.#isTooLarge) {
      this.#placer.end()
      const differing = this.#lineTotal?.compare()
      if (differing !== undefined) this.#reportFinding(differing)
    }
    this.#placer = undefined
  }

  #checkOpened(loop: Loop): void {
    const { parent, rule, depth } = loop
    if (depth > MAX_DEPTH) {
      const message = `More than ${MAX_DEPTH} levels are below each other.`
      this.#reportAt('hierarchy-unclear', loop.first, message)
    }
    const around = rule.tree === undefined ? parent : this.#placer?.root
    const place = around?.rule.places.get(rule.id)
    if (around !== undefined && place !== undefined && countPlace(around, place) === rule.max + 1) {
      const kind = this.#rules?.isClosed === true ? 'loop-over-limit' : 'segment-too-often'
      this.#reportAt(kind, loop.first, `${rule.id} stands there more than ${rule.max} times.`)
    }
    this.#partner?.onOpened(loop)
    this.#lineTotal?.onOpened(loop)
  }

  #checkJoined(segment: Segment, loop: Loop, place: LoopPlace): void {
    this.#partner?.onJoined(segment, loop)
    this.#lineTotal?.onJoined(segment, loop)
    const { min = 0, max = Infinity } = place.segment ?? {}
    if ((min === 0 && max === Infinity) || countPlace(loop, place) !== max + 1) return
    const kind = this.#rules?.isClosed === true ? 'segment-over-limit' : 'segment-too-often'
    this.#reportAt(kind, segment, `${segment.id} stands there more than ${max} times.`)
  }

  #checkClosed(loop: Loop): void {
    for (const { id, index, segment, loop: inner } of loop.rule.required) {
      const count = loop.counts[index] ?? 0
      for (const bounds of [segment, inner]) {
        if ((bounds?.min ?? 0) <= count) continue
        const meant = this.#unknown.find((each) => isTypingError(each.id, id))
        const instead =
          meant === undefined
            ? this.#describeBeginning(loop, id)
            : `: segment ${meant.number} is ${meant.id}; ${id} was expected`
        const message = `No ${id} stands in ${describe(loop)}${instead}.`
        this.#reportFinding({ kind: 'segment-missing', segment: loop.first, message, missing: id })
      }
    }
    this.#partner?.onClosed(loop)
  }

  /** Names the document that begins as this set does, where it does not begin as its own document. */
  #describeBeginning({ rule, parent, first }: Loop, missing: string): string {
    if (parent !== undefined || this.#set === undefined || rule.order[0] !== missing) return ''
    const { document } = this.#set
    const { syntax } = first.delimiters
    const begun = listDocuments()
      .map((each) => each.document.slice(syntax.length + 1))
      .find((each) => findGrammar(syntax, each)?.root.order[0] === this.#firstId)
    return begun === undefined || begun === document
      ? ''
      : `: it begins with ${this.#firstId} as an ${begun} does, and ${rule.id}01 says ${document}`
  }

  #reportUnplaced(segment: Segment, loop: Loop): void {
    if (
      this.#unknown.length < UNKNOWN_MAX &&
      DICTIONARIES[segment.delimiters.syntax].find(segment.id) === undefined
    )
      this.#unknown.push({ id: showText(segment.id), number: segment.number })
    const separator = findWrongSeparator(segment.id, segment.delimiters.syntax)
    if (separator !== undefined) {
      const { element } = segment.delimiters
      const message = `${separator.id} has "${separator.found}" behind it, where "${element}" separates elements: none of its elements can be read.`
      return this.#reportFinding({ kind: 'segment-misspelled', segment, id: separator.id, message })
    }
    const meant = this.#rules?.lineIds.get(foldId(segment.id))
    // A line of the document in the wrong place would be a lost line too.
    if (meant === segment.id)
      return this.#reportAt(
        'segment-misplaced',
        segment,
        `${showText(segment.id)} has no place in ${describe(loop)}.`,
      )
    if (meant === undefined) {
      const isKnown = this.#rules?.grammar.ids.has(segment.id) === true
      const known = isKnown ? 'segment-misplaced' : 'segment-not-in-document'
      const kind = this.#rules?.isClosed === true ? known : 'segment-unplaced'
      const message = `${showText(segment.id)} has no place in ${describe(loop)}.`
      return this.#reportAt(kind, segment, message)
    }
    this.#reportAt(
      'segment-misspelled',
      segment,
      `The document has no ${showText(segment.id)}; ${meant} is nearly the same.`,
    )
  }

  #reportAt(kind: FaultName, segment: Segment, message: string): void {
    this.#reportFinding({ kind, segment, message })
  }

  #reportFinding({ kind, segment, id, message, missing, element, component }: CheckFinding): void {
    const set = this.#set
    if (set === undefined) return
    // Written out, because copying objects takes most of the time where there are many faults.
    const fault: { -readonly [Key in keyof Fault]: Fault[Key] } = {
      kind,
      segment: segment.number,
      at: segment.at,
      id: id ?? segment.id,
      message,
    }
    if (missing !== undefined) fault.missing = missing
    if (element !== undefined) fault.element = element
    if (component !== undefined) fault.component = component
    const { group } = set
    this.#report(fault, { interchange: group.interchange, group, set })
  }
}

/** What the check needs to know of a document besides its grammar. */
interface CheckedDocument {
  readonly grammar: Grammar
  /** Whether the partner's documents hold nothing else than the grammar. */
  readonly isClosed: boolean
  /** Whether a set is a record, or holds a few; records that are many in a set are bounded by the reader. */
  readonly isWhole: boolean
  /** The ids of the loops that make records and lines, by how they look: a misspelled one would be a line that is lost. */
  readonly lineIds: ReadonlyMap<string, string>
}

/** Grammars do not change, so the rules of each are made once. */
const known = new WeakMap<Grammar, CheckedDocument>()

function findRules(grammar: Grammar): CheckedDocument {
  const found = known.get(grammar)
  if (found !== undefined) return found
  const { lines, records = [] } = grammar.definition
  const ids = [lines, ...records].map((loop) => /^[A-Z0-9]+/.exec(loop)?.[0] ?? '')
  const rules = {
    grammar,
    isClosed: grammar.checks?.isClosed === true,
    isWhole:
      records.length === 0 || ids.slice(1).some((id) => grammar.root.loops.get(id)?.tree !== undefined),
    lineIds: new Map(ids.map((id) => [foldId(id), id])),
  }
  known.set(grammar, rules)
  return rules
}

/** Ids of one document that are written wrong are few. */
const UNKNOWN_MAX = 100

/** Whether one character is another one, or the same characters stand in another order: `BGE` for `BEG`. */
function isTypingError(id: string, meant: string): boolean {
  if (id.length !== meant.length || id === meant) return false
  const other = id.split('').filter((character, at) => character !== meant[at]).length
  return other === 1 || id.split('').toSorted().join('') === meant.split('').toSorted().join('')
}

/** Ids that people and scanners take for each other are the same: `PO1`, `P01`, `po1`. */
function foldId(id: string): string {
  return id.trim().toUpperCase().replaceAll('0', 'O').replaceAll('1', 'I')
}

function describe({ rule, first }: Loop): string {
  return rule.id === 'ST' || rule.id === 'UNH' ? 'the set' : `the loop of ${first.id}`
}

// Compares the number of lines that a document states with those that it has.

/** Takes the loops and segments of one set. */
export class LineTotal {
  readonly #total: NonNullable<Grammar['total']>
  readonly #counts: number[]
  #stated: Segment | undefined

  constructor(total: NonNullable<Grammar['total']>) {
    this.#total = total
    this.#counts = total.loops.map(() => 0)
  }

  onOpened({ first, parent }: Loop): void {
    if (parent !== undefined) this.onJoined(first, parent)
    for (const [index, test] of this.#total.loops.entries())
      if (fits(first, test)) this.#counts[index] = (this.#counts[index] ?? 0) + 1
  }

  onJoined(segment: Segment, loop: Loop): void {
    const { segment: test } = this.#total.place
    if (segment.id === test.id && loop.parent === undefined && fits(segment, test)) this.#stated ??= segment
  }

  /** Undefined where no total is stated, or it is one of those that may be meant. */
  compare(): CheckFinding | undefined {
    const { place, loops } = this.#total
    const segment = this.#stated
    const { element = 1, component } = place.value ?? {}
    const text = segment?.value(element, component).trim() ?? ''
    if (segment === undefined || text === '') return undefined
    const stated = parseDecimal(text)
    const isRight = (count: number) =>
      stated !== undefined && compareDecimals(stated, { units: BigInt(count), scale: 0 }) === 0
    if (this.#counts.some(isRight)) return undefined
    const mark = segment.delimiters.syntax === 'x12' ? '*' : '+'
    const found = loops.map(
      ({ id, qualifiers }, index) => `${this.#counts[index]} ${[id, ...qualifiers].join(mark)}`,
    )
    const name = formatElement(segment.id, element, component)
    const message = `${name} says ${showText(text)}, and the document has ${found.join(' and ')}.`
    const at = { element, ...(component === undefined ? {} : { component }) }
    return { kind: 'line-count-differs', segment, message, ...at }
  }
}
