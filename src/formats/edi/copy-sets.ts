/** Copies sets of a file as they came, wrong ends included, into envelopes whose trailers count the copied sets. */
import type { CopyOptions } from '../../domain/format.ts'
import { SelectionCursor, type SetSelection } from '../../domain/place.ts'
import { copyText, type Delimiters, type Segment } from '../../edi/segment.ts'
import { cutPieces, isSegment, MAX_SEGMENT_BYTES } from './cut.ts'
import { EnvelopeTracker, type Group, type Interchange, type TransactionSet } from './envelopes.ts'
import { LoopPlacer } from './loops.ts'
import { fits } from './path-reader.ts'
import type { ReadingPlan } from './reading-plan.ts'
import { isTooLarge } from './structure-check.ts'

type Ranges = CopyOptions['ranges']

/**
 * Takes the sets whose segments are in the ranges, with the envelopes around them; others are left out. Where records are
 * smaller than a set, such as the items of an inventory, a set keeps what is around them and only the records in the ranges.
 */
export async function* copySets(
  input: AsyncIterable<Uint8Array>,
  plan: ReadingPlan,
  ranges: Ranges,
): AsyncGenerator<Uint8Array> {
  yield* copy(input, new SetCopier(new RangeChoice(ranges), plan))
}

/** Takes the sets of a selection whole, with the envelopes around them. */
export async function* copySelectedSets(
  input: AsyncIterable<Uint8Array>,
  sets: SetSelection,
): AsyncGenerator<Uint8Array> {
  yield* copy(input, new SetCopier(new SetChoice(sets)))
}

async function* copy(input: AsyncIterable<Uint8Array>, copier: SetCopier): AsyncGenerator<Uint8Array> {
  for await (const { text, at, items, until } of cutPieces(input)) {
    copier.addText(text, at)
    for (const item of items) {
      if (isSegment(item)) copier.take(item)
      else if (item.kind === 'too-large') copier.leaveOut(item.at)
      else if (item.kind === 'cut-off') copier.endWithin(item.at)
    }
    const written = copier.takeWritten(until)
    if (written !== '') yield Buffer.from(written, 'latin1')
  }
  copier.end()
  const rest = copier.takeWritten(Infinity)
  if (rest !== '') yield Buffer.from(rest, 'latin1')
}

/** How far behind a segment the next one is looked for, to copy the line breaks between them. */
const MAX_GAP = 4 * MAX_SEGMENT_BYTES

const BLANK_LINES = /(\r\n|\r(?!\n)|\n)(?:[ \t\0]*(?:\r\n|\r|\n))+/g
const FIRST_BREAK = /^(?:\r\n|\r|\n)/

/** A part of an interchange that is copied once something in it is. */
interface Part {
  /** Its first segment, and for a set what precedes its records. */
  head: string
  isWritten: boolean
  /** How many groups, sets or segments were copied in it. */
  count: number
}

/** Which segments are copied; asked in the order of the file. */
interface Choice {
  beginSet(set: TransactionSet): void
  takes(segment: Segment): boolean
}

class RangeChoice implements Choice {
  readonly #ranges: Ranges
  #range = 0

  constructor(ranges: Ranges) {
    this.#ranges = ranges
  }

  beginSet(): void {}

  takes({ number }: Segment): boolean {
    const ranges = this.#ranges
    while ((ranges[this.#range]?.[1] ?? Infinity) < number) this.#range += 1
    return (ranges[this.#range]?.[0] ?? Infinity) <= number
  }
}

class SetChoice implements Choice {
  readonly #sets: SelectionCursor
  #isTaken = false

  constructor(sets: SetSelection) {
    this.#sets = new SelectionCursor(sets)
  }

  beginSet({ ordinal }: TransactionSet): void {
    this.#isTaken = this.#sets.has(ordinal)
  }

  takes(): boolean {
    return this.#isTaken
  }
}

class SetCopier {
  readonly #plan: ReadingPlan | undefined
  readonly #tracker: EnvelopeTracker
  readonly #choice: Choice
  #written = ''
  /** The text of the file from the segment that is taken next. */
  #text = ''
  #textAt = 0
  /** Segments are copied with the line breaks behind them, so each waits for the next one. */
  #waiting: Segment | undefined
  #gap = ''
  #interchange: Part = createPart()
  #group: Part = createPart()
  #set: Part = createPart()
  #placer: LoopPlacer | undefined
  #headSize = { segments: 0, bytes: 0 }
  /** Of a set with records smaller than itself: how many there are, and how many were copied. */
  #records = { all: 0, copied: 0 }

  /** `plan`: to copy records that are smaller than a set. */
  constructor(choice: Choice, plan?: ReadingPlan) {
    this.#plan = plan
    this.#choice = choice
    this.#tracker = new EnvelopeTracker({
      onInterchange: (interchange) => this.#beginInterchange(interchange),
      onGroup: (group) => this.#beginGroup(group),
      onSet: (set) => this.#beginSet(set),
      onSegment: (segment) => this.#copySegment(segment),
      onSetEnd: (set, trailer, segments) => this.#endSet(set, trailer, segments),
      onGroupEnd: (group) => this.#endGroup(group),
      onInterchangeEnd: (interchange) => this.#endInterchange(interchange),
    })
  }

  addText(text: string, at: number): void {
    if (this.#text === '') this.#textAt = at
    this.#text += text
  }

  take(segment: Segment): void {
    this.#flush(segment.at)
    this.#waiting = segment
  }

  /** The trailer counts the segment that is left out, so the set is refused until a person has corrected it. */
  leaveOut(at: number): void {
    this.#flush(at)
    this.#set.count += 1
  }

  /** The file ends within a segment, which is left out. Its set has no trailer, which shows that something is missing. */
  endWithin(at: number): void {
    this.#flush(at)
  }

  end(): void {
    this.#flush(this.#textAt + this.#text.length)
    this.#tracker.end()
  }

  /** Returns what can be written; `until`: the offset behind which segments may begin. */
  takeWritten(until: number): string {
    // Text behind a segment that is no segment may be as long as the file.
    if (this.#waiting !== undefined && until - this.#waiting.end > MAX_GAP) this.#flush(until)
    const keep = this.#waiting?.at ?? until
    this.#text = this.#text.slice(keep - this.#textAt)
    this.#textAt = keep
    const written = this.#written
    this.#written = ''
    return written
  }

  /** Handles the segment that waited; its line breaks end where the next segment begins. */
  #flush(until: number): void {
    const segment = this.#waiting
    if (segment === undefined) return
    this.#waiting = undefined
    const behind = this.#text.slice(segment.end - this.#textAt, until - this.#textAt)
    this.#gap = /^[\s\0]*/.exec(behind)?.[0] ?? ''
    this.#tracker.take(segment)
  }

  #raw({ at, end }: Segment): string {
    return this.#text.slice(at - this.#textAt, end - this.#textAt) + this.#gap
  }

  #beginInterchange({ segment }: Interchange): void {
    const service = segment.id === 'UNB' ? formatServiceString(segment.delimiters) : ''
    const gap = service === '' ? '' : this.#gap
    this.#interchange = createPart(service + gap + this.#raw(segment))
  }

  #beginGroup({ segment }: Group): void {
    this.#group = createPart(segment === undefined ? '' : this.#raw(segment))
  }

  #beginSet(set: TransactionSet): void {
    const { segment } = set
    this.#set = createPart(this.#raw(segment))
    this.#set.count = 1
    this.#records = { all: 0, copied: 0 }
    this.#headSize = { segments: 0, bytes: 0 }
    const onOpened = (loop: { readonly first: Segment }) => {
      if (!this.#isRecord(loop.first)) return
      this.#records.all += 1
      if (this.#choice.takes(loop.first)) this.#records.copied += 1
    }
    const plan = this.#plan
    this.#placer = plan?.isFlat === true ? new LoopPlacer(plan.rule, segment, { onOpened }) : undefined
    this.#choice.beginSet(set)
    if (this.#choice.takes(segment)) this.#write('')
  }

  #isRecord(first: Segment): boolean {
    return this.#plan?.records.some((test) => fits(first, test)) === true
  }

  #copySegment(segment: Segment): void {
    this.#placer?.place(segment)
    if (this.#choice.takes(segment)) return this.#writeSegment(this.#raw(segment))
    const isAround = this.#placer?.isInside(({ first }) => this.#isRecord(first)) === false
    if (!isAround) return
    const text = this.#isCount(segment) ? this.#recount(segment) : this.#raw(segment)
    if (this.#set.isWritten) return this.#writeSegment(text)
    // No record of a set is read whose header is so large. Its trailer counts what is left out, as in `leaveOut`.
    this.#headSize.segments += 1
    this.#headSize.bytes += text.length
    if (!isTooLarge(this.#headSize)) this.#set.head += copyText(text)
    this.#set.count += 1
  }

  /** Whether the segment counts the records of its set, and counted them right. */
  #isCount(segment: Segment): boolean {
    const isCount = segment.id === 'CTT' || (segment.id === 'CNT' && segment.value(1) === '2')
    return isCount && Number(segment.value(1, segment.id === 'CNT' ? 2 : 1)) === this.#records.all
  }

  #recount(segment: Segment): string {
    const { element, component, segment: terminator } = segment.delimiters
    const [id = '', first = '', ...rest] = segment.parts
    const count = String(this.#records.copied)
    const counted = id === 'CNT' ? first.split(component).with(1, count).join(component) : count
    return [id, counted, ...rest].join(element) + terminator + this.#gap
  }

  /**
   * A set whose end is missing or wrong may lack lines. Its copy ends as it came, so it is refused again until a person
   * corrects it. A set of which only some records are copied gets a right end.
   */
  #endSet({ segment }: TransactionSet, trailer: Segment | undefined, segments: number): void {
    if (!this.#set.isWritten || trailer === undefined) {
      this.#set = createPart()
      return
    }
    this.#set.count += 1
    const { count } = this.#set
    const [id, number] = segment.id === 'ST' ? ['SE', segment.raw(2)] : ['UNT', segment.raw(1)]
    const wasRight = Number(trailer.value(1)) === segments && trailer.raw(2) === number
    const isRight = Number(trailer.value(1)) === count && trailer.raw(2) === number
    this.#written +=
      isRight || !wasRight ? this.#raw(trailer) : this.#formatTrailer([id, count, number], segment)
    this.#set = createPart()
  }

  #endGroup({ segment }: Group): void {
    // EDIFACT without groups counts messages.
    if (segment === undefined) this.#interchange.count += this.#group.isWritten ? this.#group.count - 1 : 0
    else if (this.#group.isWritten) {
      const [id, number] = segment.id === 'GS' ? ['GE', segment.raw(6)] : ['UNE', segment.raw(5)]
      this.#written += this.#formatTrailer([id, this.#group.count, number], segment)
    }
    this.#group = createPart()
  }

  #endInterchange({ segment }: Interchange): void {
    if (!this.#interchange.isWritten) return
    const [id, number] = segment.id === 'ISA' ? ['IEA', segment.raw(13)] : ['UNZ', segment.raw(5)]
    this.#written += this.#formatTrailer([id, this.#interchange.count, number], segment)
    this.#interchange = createPart()
  }

  /** Ends its line where the header of the interchange does, without the blank lines that may stand there. */
  #formatTrailer(values: readonly (string | number)[], { delimiters }: Segment): string {
    const { head } = this.#interchange
    // Where both end a segment, the first one counts as a part of its text.
    const end = delimiters.segment === '\n' && head.endsWith('\r\n') ? '\r\n' : delimiters.segment
    const isLineEnd = end.endsWith('\n') || (end === '\r' && !head.endsWith('\r\n'))
    const gap = this.#gap === '' && /[\r\n]$/.test(head) ? '\n' : this.#gap
    const single = gap.replace(BLANK_LINES, '$1')
    return values.join(delimiters.element) + end + (isLineEnd ? single.replace(FIRST_BREAK, '') : single)
  }

  #writeSegment(text: string): void {
    this.#set.count += 1
    this.#write(text)
  }

  /** Writes the text, and before it what is around it and was not written so far. */
  #write(text: string): void {
    const parts = [this.#interchange, this.#group, this.#set]
    for (const [index, part] of parts.entries()) {
      if (part.isWritten) continue
      part.isWritten = true
      this.#written += part.head
      const around = parts[index - 1]
      if (around !== undefined) around.count += 1
    }
    this.#written += text
  }
}

function createPart(head = ''): Part {
  return { head, isWritten: false, count: 0 }
}

/** The service string UNA of the delimiters; empty for the usual ones, which need none. */
export function formatServiceString(delimiters: Delimiters): string {
  const { component, element, decimal = '.', release = ' ', repetition = ' ', segment } = delimiters
  const isUsual =
    component === ':' && element === '+' && decimal === '.' && release === '?' && segment === "'"
  return isUsual && repetition === ' '
    ? ''
    : `UNA${component}${element}${decimal}${release}${repetition}${segment}`
}
