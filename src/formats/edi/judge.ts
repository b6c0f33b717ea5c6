/** Reads a file a second time, and judges its parts by what was found in it and, with a mapping, by its records. */
import { SelectionCursor } from '../../domain/place.ts'
import type { JudgedRecord, JudgeOptions } from '../../domain/interchange.ts'
import type { Problem, ProblemCode } from '../../domain/problem.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import { type CutItem, cutSegments } from './cut.ts'
import { EnvelopeTracker, type Interchange, showText, type TransactionSet } from './envelopes.ts'
import type { Findings } from './findings.ts'
import {
  type JudgedPart,
  type JudgedSet,
  judgeGroup,
  judgeSet,
  listSetCodes,
  findMessageCode,
  MAX_CODES,
} from './judgment.ts'
import { SetErrors } from './set-errors.ts'

/** Yields the parts of a file in its order. Memory is bounded by the largest set with errors. */
export async function* judgeFile(
  input: AsyncIterable<Uint8Array>,
  findings: Findings,
  options: Partial<JudgeOptions> = {},
): AsyncGenerator<readonly JudgedPart[]> {
  const judge = new Judge(findings, options)
  const records = options.records === undefined ? undefined : new RecordQueue(options.records)
  /** The records of a set come before its segments, so that their texts are found when these are read. */
  const readLength = findings.setLengths.read()
  const beginSet = async ({ segment }: TransactionSet) => {
    const last = segment.number + readLength() - 1
    await records?.takeUntil(last, (record) => judge.takeRecord(record))
    judge.beginSet()
  }
  const takeAll = async (items: readonly CutItem[]) => {
    for (const item of items) {
      const opened = judge.take(item)
      if (opened !== undefined) await beginSet(opened)
    }
    return judge.takeParts()
  }
  try {
    for await (const items of cutSegments(input)) {
      const parts = await takeAll(items)
      if (parts.length > 0) yield parts
    }
  } finally {
    await records?.close()
  }
  judge.end()
  yield judge.takeParts()
}

class RecordQueue {
  readonly #batches: AsyncIterator<readonly JudgedRecord[]>
  #waiting: readonly JudgedRecord[] = []
  #next = 0

  constructor(batches: AsyncIterable<readonly JudgedRecord[]>) {
    this.#batches = batches[Symbol.asyncIterator]()
  }

  /** Takes the records that begin at or before the segment. */
  async takeUntil(segment: number, take: (record: JudgedRecord) => void): Promise<void> {
    for (;;) {
      const record = this.#waiting[this.#next]
      if (record === undefined) {
        const { done, value } = await this.#batches.next()
        if (done === true) return
        this.#waiting = value
        this.#next = 0
        continue
      }
      if (record.line > segment) return
      this.#next += 1
      take(record)
    }
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}

interface OpenSet {
  readonly set: TransactionSet
  /** Why it is refused by its structure, or because no route takes it. */
  readonly faults: readonly Fault[]
  readonly errors: SetErrors
  readonly records: { all: number; refused: number }
  readonly warnings: Problem[]
}

/** The records of one set whose warnings are kept. */
const MAX_WARNINGS = 100

class Judge {
  readonly #findings: Findings
  readonly #hasRecords: boolean
  readonly #tracker: EnvelopeTracker
  #parts: JudgedPart[] = []
  #isInterchangeRefused = false
  #isGroupRefused = false
  #counts = { all: 0, refused: 0, noted: 0 }
  #set: OpenSet | undefined
  #opened: TransactionSet | undefined

  constructor(findings: Findings, { records, reused, unrouted = [] }: Partial<JudgeOptions>) {
    const { faults, notes } = findings
    const refused = new SelectionCursor(unrouted)
    this.#findings = findings
    this.#hasRecords = records !== undefined
    this.#tracker = new EnvelopeTracker({
      onInterchange: (interchange) => {
        const found = faults.interchange.find(interchange.ordinal, interchange.segment)
        const isReused = reused?.has(interchange.ordinal) === true
        const own = isReused ? [createReusedFault(interchange), ...found] : found
        this.#isInterchangeRefused = own.length > 0
        this.#parts.push({
          kind: 'interchange',
          interchange,
          verdict: own.length > 0 ? 'R' : 'A',
          faults: own,
          notes: notes.interchange.findKept(interchange.ordinal),
          isAnswer: findings.isAnswer(interchange.ordinal),
        })
      },
      onGroup: (group) => {
        const own = faults.group.find(group.ordinal, group.segment ?? group.interchange.segment)
        this.#isGroupRefused = own.length > 0
        this.#counts = { all: 0, refused: 0, noted: 0 }
        this.#parts.push({ kind: 'group', group, verdict: own.length > 0 ? 'R' : 'A', faults: own })
      },
      onSet: (set) => {
        const { document, segment } = set
        const found = faults.set.find(set.ordinal, segment)
        const own = refused.has(set.ordinal) ? [createUnroutedFault(set), ...found] : found
        const grammar = findings.findGrammar(segment.delimiters.syntax, document, set.ordinal)
        const errors = new SetErrors(set, grammar, own)
        this.#set = { set, faults: own, errors, records: { all: 0, refused: 0 }, warnings: [] }
        this.#opened = set
      },
      onSegment: (segment) => this.#set?.errors.take(segment),
      onSetEnd: (_, __, segments) => this.#endSet(segments),
      onGroupEnd: (group, trailer, sets) => {
        const own = faults.group.find(group.ordinal, group.segment ?? group.interchange.segment)
        const codes = [...new Set(own.map(({ kind }) => FAULTS[kind].x12))].slice(0, MAX_CODES)
        const text = trailer?.value(1).trim() ?? ''
        const { all, refused } = this.#counts
        this.#parts.push({
          kind: 'group-end',
          group,
          verdict: judgeGroup(this.#isGroupRefused || this.#isInterchangeRefused, this.#counts),
          codes,
          written: /^\d{1,6}$/.test(text) ? Number(text) : sets,
          sets,
          accepted: all - refused,
        })
      },
      onInterchangeEnd: (interchange, _, groups) =>
        this.#parts.push({ kind: 'interchange-end', interchange, groups }),
    })
  }

  /** Returns the set that the segment begins. */
  take(item: Parameters<EnvelopeTracker['take']>[0]): TransactionSet | undefined {
    this.#opened = undefined
    this.#tracker.take(item)
    return this.#opened
  }

  beginSet(): void {
    this.#set?.errors.begin()
  }

  takeRecord({ line, problems, warnings = [] }: JudgedRecord): void {
    const open = this.#set
    if (open === undefined || line < open.set.segment.number) return
    open.records.all += 1
    if (open.warnings.length < MAX_WARNINGS) open.warnings.push(...warnings)
    const ofData = problems.filter(({ code }) => isProblemOfData(code))
    if (ofData.length === 0) return
    open.records.refused += 1
    // A set that is refused by its structure, or with its group or interchange, is refused for that alone.
    if (!this.#isAroundRefused()) open.errors.add(ofData)
  }

  end(): void {
    this.#tracker.end()
  }

  takeParts(): readonly JudgedPart[] {
    return this.#parts.splice(0)
  }

  #isAroundRefused(): boolean {
    return this.#isInterchangeRefused || this.#isGroupRefused
  }

  #endSet(segments: number): void {
    const open = this.#set
    if (open === undefined) return
    this.#set = undefined
    const { set, records, faults } = open
    const { notes } = this.#findings
    const isRepeated = this.#findings.isRepeated(set.group.ordinal, set.number)
    const isAroundRefused = this.#isAroundRefused()
    const verdict = judgeSet({ isAroundRefused, faults, isRepeated, records })
    const errors = open.errors.finish()
    const problems = isAroundRefused || faults.length > 0 ? [] : open.errors.problems
    const judged: JudgedSet = {
      kind: 'set',
      set,
      verdict,
      faults,
      notes: notes.set.findKept(set.ordinal),
      problems,
      warnings: open.warnings,
      ...(this.#hasRecords ? { records } : {}),
      segments,
      errors,
      codes: listSetCodes(faults, isRepeated, errors.length > 0 || problems.length > 0),
      edifact: findMessageCode(faults, isRepeated) || open.errors.findMessageCode(),
    }
    this.#parts.push(judged)
    this.#counts.all += 1
    if (verdict === 'R') this.#counts.refused += 1
    if (verdict === 'E') this.#counts.noted += 1
  }
}

function createReusedFault({ segment: { number, at, id }, number: control }: Interchange): Fault {
  const message = `Another interchange of this sender had the number ${showText(control)} before.`
  return { kind: 'interchange-number-reused', segment: number, at, id, message }
}

function createUnroutedFault({ segment: { number, at, id }, document }: TransactionSet): Fault {
  return {
    kind: 'set-unrouted',
    segment: number,
    at,
    id,
    message: `No route takes the ${showText(document)}.`,
  }
}

// Which problems of records make the verdict on their set: those of the data, which its sender can correct.

/**
 * All others never make a set bad: the API or its rules refuse the record, it names what the API does not know, it came
 * before, or it is held or left out.
 */
const PROBLEMS_OF_DATA = [
  // the structure
  'edi-cut-off',
  'edi-delimiters',
  'edi-envelope',
  'edi-count',
  'edi-release-missing',
  'edi-number-mismatch',
  'segment-unknown',
  'segment-misplaced',
  'segment-misspelled',
  'segment-missing',
  'segment-repeated',
  'segment-too-large',
  'element-too-many',
  'record-too-large',
  'hierarchy-unclear',
  // values
  'value-missing',
  'value-too-long',
  'value-too-wide',
  'value-not-allowed',
  'integer-expected',
  'decimal-expected',
  'number-out-of-range',
  'number-in-exponent-form',
  'date-expected',
  'boolean-expected',
  'spreadsheet-error',
  'check-digit-wrong',
  'text-unmatched',
  'text-undecodable',
  'text-damaged',
  'character-unwritable',
  'country-unknown',
  'province-unknown',
  'lookup-missed',
  'field-invalid',
  // the record as a whole
  'rows-disagree',
  'item-missing',
  'item-repeated',
  'shipment-mode-unclear',
  'totals-disagree',
  'lines-uneven',
  'check-failed',
] as const satisfies readonly ProblemCode[]

const known: ReadonlySet<ProblemCode> = new Set(PROBLEMS_OF_DATA)

export function isProblemOfData(code: ProblemCode): boolean {
  return known.has(code)
}
