/** Reads a file a second time, and judges its parts by what was found in it and, with a mapping, by its records. */
import type { Problem } from '../../domain/problem.ts'
import type { Draft } from '../../domain/translator.ts'
import { FAULTS } from '../../edi/faults.ts'
import { type CutItem, cutSegments } from './cut.ts'
import { EnvelopeTracker, type TransactionSet } from './envelopes.ts'
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

/** The drafts of a mapping, in the order of the file. */
export type DraftBatches = AsyncIterable<readonly Draft[]>

/** Yields the parts of a file in its order. Memory is bounded by the largest set with errors. */
export async function* judgeFile(
  input: AsyncIterable<Uint8Array>,
  findings: Findings,
  batches?: DraftBatches,
): AsyncGenerator<readonly JudgedPart[]> {
  const judge = new Judge(findings, batches !== undefined)
  const drafts = batches === undefined ? undefined : new DraftQueue(batches)
  /** The drafts of a set come before its segments, so that their texts are found when these are read. */
  const beginSet = async ({ ordinal, segment }: TransactionSet) => {
    const last = findings.lastSegments[ordinal - 1] ?? segment.number
    await drafts?.takeUntil(last, (draft) => judge.takeDraft(draft))
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
    await drafts?.close()
  }
  judge.end()
  yield judge.takeParts()
}

class DraftQueue {
  readonly #batches: AsyncIterator<readonly Draft[]>
  #waiting: readonly Draft[] = []
  #next = 0

  constructor(batches: DraftBatches) {
    this.#batches = batches[Symbol.asyncIterator]()
  }

  /** Takes the drafts that begin at or before the segment. */
  async takeUntil(segment: number, take: (draft: Draft) => void): Promise<void> {
    for (;;) {
      const draft = this.#waiting[this.#next]
      if (draft === undefined) {
        const { done, value } = await this.#batches.next()
        if (done === true) return
        this.#waiting = value
        this.#next = 0
        continue
      }
      // What stands in no set comes before all others.
      const isOutside = draft.problems[0]?.place.spot?.set === ''
      if (!isOutside && (draft.lines[0]?.[0] ?? 0) > segment) return
      this.#next += 1
      if (!isOutside) take(draft)
    }
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}

interface OpenSet {
  readonly set: TransactionSet
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

  constructor(findings: Findings, hasRecords: boolean) {
    const { faults, notes } = findings
    this.#findings = findings
    this.#hasRecords = hasRecords
    this.#tracker = new EnvelopeTracker({
      onInterchange: (interchange) => {
        const own = faults.interchange.find(interchange.ordinal, interchange.segment)
        this.#isInterchangeRefused = own.length > 0
        this.#parts.push({
          kind: 'interchange',
          interchange,
          verdict: own.length > 0 ? 'R' : 'A',
          faults: own,
          notes: notes.interchange.find(interchange.ordinal, interchange.segment),
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
        const grammar = findings.findGrammar(segment.delimiters.syntax, document)
        const errors = new SetErrors(set, grammar, faults.set.find(set.ordinal, segment))
        this.#set = { set, errors, records: { all: 0, refused: 0 }, warnings: [] }
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

  takeDraft({ problems, warnings = [], skipped, held }: Draft): void {
    const open = this.#set
    if (open === undefined) return
    open.records.all += 1
    if (open.warnings.length < MAX_WARNINGS) open.warnings.push(...warnings)
    // A set that is refused by its structure is refused for that alone.
    if (problems.length === 0 || skipped === true || held === true) return
    open.records.refused += 1
    open.errors.add(problems)
  }

  end(): void {
    this.#tracker.end()
  }

  takeParts(): readonly JudgedPart[] {
    return this.#parts.splice(0)
  }

  #endSet(segments: number): void {
    const open = this.#set
    if (open === undefined) return
    this.#set = undefined
    const { set, records } = open
    const { faults: stores, notes } = this.#findings
    const faults = stores.set.find(set.ordinal, set.segment)
    const isRepeated = this.#findings.isRepeated(set.group.ordinal, set.number)
    const isAroundRefused = this.#isInterchangeRefused || this.#isGroupRefused
    const verdict = judgeSet({ isAroundRefused, faults, isRepeated, records })
    const errors = open.errors.finish()
    const problems = isAroundRefused || faults.length > 0 ? [] : open.errors.problems
    const judged: JudgedSet = {
      kind: 'set',
      set,
      verdict,
      faults,
      notes: notes.set.find(set.ordinal, set.segment),
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
