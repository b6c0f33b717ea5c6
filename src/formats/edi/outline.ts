/** Outlines a file of interchanges in one reading: what each of them is, and what decides who takes its sets. */
import { createHash } from 'node:crypto'
import type { UnreadableFile } from '../../domain/format.ts'
import type {
  InterchangeHead,
  Outline,
  OutlinedPart,
  OutlineQuestion,
  ReceivedAnswer,
} from '../../domain/interchange.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import { type Delimiters, readRun, type Segment, type SegmentRun } from '../../edi/segment.ts'
import { formatServiceString } from './copy-sets.ts'
import { type CutItem, cutSegments, isSegment } from './cut.ts'
import type { FaultOwner, Group, Interchange, TransactionSet } from './envelopes.ts'
import { createInspector, type Inspection } from './inspection.ts'
import { createContentCheck, findForeignProblem, findMissingProblem, HEAD_BYTES } from './findings.ts'
import { AnswerReader, readInterchangeAcknowledgment } from './received-answers.ts'
import { SetValues } from './set-values.ts'
import { createFaultProblem, createSpot } from './spots.ts'

/** The problems that are listed. */
const MAX_PROBLEMS = 100

/** Reads up to the first interchange, because before it is not known whether there is any; the rest is read with the parts. */
export async function outlineInterchanges(
  input: AsyncIterable<Uint8Array>,
  questions: readonly OutlineQuestion[],
): Promise<Outline | UnreadableFile> {
  const outlineor = new Outlineor(questions)
  const head = { bytes: Buffer.alloc(0) }
  const pieces = cutSegments(tapHead(input, head))
  while (outlineor.isUndecided) {
    const { done, value } = await pieces.next()
    if (done === true) break
    outlineor.take(value)
  }
  const unreadable = findForeignProblem(head.bytes) ?? outlineor.findUnreadable()
  if (unreadable !== undefined) {
    await pieces.return(undefined)
    return { problems: [unreadable] }
  }
  async function* readParts(): AsyncGenerator<readonly OutlinedPart[]> {
    try {
      yield outlineor.takeParts()
      for await (const items of pieces) {
        outlineor.take(items)
        const parts = outlineor.takeParts()
        if (parts.length > 0) yield parts
      }
      outlineor.finish()
      yield outlineor.takeParts()
    } finally {
      await pieces.return(undefined)
    }
  }
  return {
    parts: readParts(),
    listProblems: () =>
      outlineor
        .finish()
        .ofFile.slice(0, MAX_PROBLEMS)
        .map((fault) => createFaultProblem(fault, undefined)),
  }
}

async function* tapHead(
  input: AsyncIterable<Uint8Array>,
  head: { bytes: Buffer },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) {
    if (head.bytes.length < HEAD_BYTES)
      head.bytes = Buffer.concat([head.bytes, chunk.subarray(0, HEAD_BYTES - head.bytes.length)])
    yield chunk
  }
}

class Outlineor {
  readonly #inspector: ReturnType<typeof createInspector>
  readonly #values: SetValues
  readonly #content = createContentCheck()
  #parts: OutlinedPart[] = []
  #hash: SegmentHash | undefined
  #isFound = false
  #isForeign = false
  #inspection: Inspection | undefined
  /** Of the interchange that is open. */
  #isRefused = false
  #sets = 0
  #groups = 0
  #open: Interchange | undefined
  /** Reads the set that is open, where it is an answer. */
  #answer: AnswerReader | undefined
  #isSetFaulty = false
  /** The sender and the receiver of the group that is open. */
  #parties = { groupSender: '', groupReceiver: '' }

  constructor(questions: readonly OutlineQuestion[]) {
    this.#values = new SetValues(questions)
    this.#inspector = createInspector({
      onFault: (fault, of) => this.#noteFault(fault, of),
      onInterchange: (interchange) => this.#beginInterchange(interchange),
      onGroup: (group) => this.#countGroup(group),
      findKept: (set) => this.#values.findKept(set),
      onSet: (set, placer) => {
        this.#content.addSet(set)
        this.#sets += 1
        this.#values.begin(set, placer)
        this.#answer = isAnswerKind(set.document) ? new AnswerReader(set.document) : undefined
        this.#isSetFaulty = false
      },
      onSegment: (segment) => {
        this.#values.take(segment)
        this.#answer?.take(segment)
      },
      onSetEnd: (set, trailer) => this.#endSet(set, trailer !== undefined),
      onInterchangeEnd: (interchange) => this.#endInterchange(interchange),
    })
  }

  /** Whether it is open if the file holds an interchange. */
  get isUndecided(): boolean {
    return !this.#isFound && !this.#isForeign
  }

  take(items: readonly CutItem[]): void {
    for (const item of items) {
      if (!isSegment(item)) {
        if (item.kind === 'not-found') this.#isForeign = true
        // Of a segment that is not there as a whole, what is known of it.
        if (item.kind === 'too-large' || item.kind === 'cut-off')
          this.#hash?.addText(item.sha256 ?? item.text)
        this.#inspector.take(item)
        continue
      }
      this.#content.addSegment(item)
      if (item.id === 'TA1' && this.#open !== undefined)
        this.#addAnswer(this.#open, readInterchangeAcknowledgment(item))
      const opens = item.id === 'ISA' || item.id === 'UNB'
      if (opens) this.#inspector.take(item)
      this.#hash?.addSegment(item)
      if (!opens) this.#inspector.take(item)
    }
  }

  findUnreadable() {
    return this.#isFound && !this.#isForeign ? undefined : findMissingProblem(this.finish())
  }

  finish(): Inspection {
    this.#inspection ??= this.#inspector.finish()
    return this.#inspection
  }

  takeParts(): readonly OutlinedPart[] {
    return this.#parts.splice(0)
  }

  #addAnswer({ ordinal }: Interchange, answer: ReceivedAnswer): void {
    this.#parts.push({ kind: 'answer', interchange: ordinal, answer })
  }

  #beginInterchange(interchange: Interchange): void {
    this.#isFound = true
    this.#open = interchange
    this.#isRefused = false
    this.#sets = 0
    this.#groups = 0
    this.#content.begin()
    const { delimiters } = interchange.segment
    this.#hash = new SegmentHash(delimiters)
    if (delimiters.syntax === 'edifact') this.#hash.addText(formatServiceString(delimiters))
    this.#parts.push({ kind: 'interchange', head: createHead(interchange) })
  }

  #countGroup(group: Group): void {
    const { segment } = group
    this.#content.addGroup(group)
    this.#parties = {
      groupSender: segment?.value(2).trim() ?? '',
      groupReceiver: segment?.value(3).trim() ?? '',
    }
    if (segment?.id === 'GS' && group.code !== 'FA') this.#groups += 1
  }

  #noteFault({ kind }: Fault, { interchange, group, set }: FaultOwner): void {
    if (set !== undefined && FAULTS[kind].reach !== 'note') this.#isSetFaulty = true
    const isOfInterchange = interchange !== undefined && group === undefined && set === undefined
    if (isOfInterchange && FAULTS[kind].reach !== 'note') this.#isRefused = true
  }

  #endSet(set: TransactionSet, isEnded: boolean): void {
    const answers = this.#answer?.end(isEnded && !this.#isSetFaulty) ?? []
    this.#answer = undefined
    for (const answer of answers) this.#addAnswer(set.group.interchange, answer)
    this.#parts.push({
      kind: 'set',
      ordinal: set.ordinal,
      interchange: set.group.interchange.ordinal,
      document: set.document,
      ...this.#parties,
      values: this.#values.end(),
      spot: createSpot(set.segment, set),
    })
  }

  #endInterchange({ ordinal, segment }: Interchange): void {
    this.#open = undefined
    const isX12 = segment.id === 'ISA'
    const isAnswer = this.#content.isAnswer()
    const x12Groups = this.#isRefused ? 0 : this.#groups
    this.#parts.push({
      kind: 'interchange-end',
      ordinal,
      sha256: this.#hash?.finish() ?? '',
      sets: this.#sets,
      groups: isX12 ? x12Groups : isAnswer ? 0 : 1,
      asksForAnswer: segment.value(isX12 ? 14 : 9).trim() === '1',
      isRefused: this.#isRefused,
      isAnswer,
    })
  }
}

function isAnswerKind(document: string): document is '997' | '999' | 'CONTRL' {
  return document === '997' || document === '999' || document === 'CONTRL'
}

function createHead(interchange: Interchange): InterchangeHead {
  const { ordinal, segment, sender, receiver, number, isTest } = interchange
  return {
    ordinal,
    syntax: segment.delimiters.syntax,
    sender,
    receiver,
    number,
    usage: isTest ? 'test' : 'production',
    spot: createSpot(segment, undefined),
  }
}

/** The hash of segments, each with a terminator. Each character of a text is one byte. */
class SegmentHash {
  readonly #hash = createHash('sha256')
  readonly #terminator: string
  /** Hashed at once, because a call for each segment takes longer than the hash itself. */
  #run: SegmentRun | undefined

  constructor({ segment }: Delimiters) {
    this.#terminator = segment
  }

  addSegment(segment: Segment): void {
    if (this.#run !== undefined && segment.extend(this.#run)) return
    this.#endRun()
    this.#run = segment.startRun()
  }

  addText(text: string): void {
    this.#endRun()
    this.#hash.update(text + this.#terminator, 'latin1')
  }

  finish(): string {
    this.#endRun()
    return this.#hash.digest('hex')
  }

  #endRun(): void {
    if (this.#run === undefined) return
    this.#hash.update(readRun(this.#run) + this.#terminator, 'latin1')
    this.#run = undefined
  }
}
