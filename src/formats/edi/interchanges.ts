/** Files of interchanges as a whole: outlines, verdicts, answers and copies of their sets, in X12 and EDIFACT. */
import { SelectionCursor } from '../../domain/place.ts'
import type {
  AnswerRequest,
  InterchangeFormat,
  JudgeOptions,
  SetJudgment,
  WrittenCheck,
} from '../../domain/interchange.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { type FindGrammar, findGrammar } from '../../edi/documents.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import { createAnswers } from './answers/answer.ts'
import { copySelectedSets } from './copy-sets.ts'
import { PIECE_BYTES, SegmentCutter } from './cut.ts'
import { type FaultOwner, showText, type TransactionSet } from './envelopes.ts'
import { inspectFile } from './findings.ts'
import { createInspector } from './inspection.ts'
import { judgeFile } from './judge.ts'
import type { JudgedPart, JudgedSet } from './judgment.ts'
import { compileReading } from './reading-plan.ts'
import { findPathError } from './set-values.ts'
import { createFaultProblem, createSpot } from './spots.ts'
import { outlineInterchanges } from './outline.ts'

export function createInterchangeFormat(): InterchangeFormat {
  return {
    outline: outlineInterchanges,
    judge: judgeSets,
    answer: composeAnswers,
    copySets: copySelectedSets,
    createWrittenCheck,
    findPathError,
  }
}

/** Each set is judged by the grammar that its route reads it with. */
function createGrammarFinder({ readings = [] }: JudgeOptions): FindGrammar {
  const own = readings
    .filter(({ read }) => read.grammar !== undefined)
    .map(({ sets, syntax, read }) => ({
      selected: new SelectionCursor(sets),
      find: compileReading(syntax, read).findGrammar,
    }))
  return (syntax, document, ordinal = 0) => {
    const { find = findGrammar } = own.find(({ selected }) => selected.has(ordinal)) ?? {}
    return find(syntax, document)
  }
}

/** The problems of one set that are reported. */
const MAX_PROBLEMS = 100

async function* judgeSets(
  input: AsyncIterable<Uint8Array>,
  options: JudgeOptions,
): AsyncGenerator<readonly SetJudgment[]> {
  const cursors = options.readings?.map(({ sets }) => new SelectionCursor(sets))
  // A document that no route reads has no reader who could use notes about its structure.
  const isShown = (set: number) => cursors?.some((cursor) => cursor.has(set)) ?? true
  const findings = await inspectFile(input, createGrammarFinder(options), isShown)
  options.onNotes?.(findings.firstNotes)
  /** Those of the interchange and the group that are open. */
  const around: { interchange: readonly Fault[]; group: readonly Fault[] } = { interchange: [], group: [] }
  const toJudgments = (part: JudgedPart): readonly SetJudgment[] => {
    if (part.kind === 'interchange') around.interchange = part.faults
    else if (part.kind === 'group') around.group = part.faults
    else if (part.kind === 'set') return [toJudgment(part, [...around.interchange, ...around.group])]
    return []
  }
  for await (const parts of judgeFile(input, findings, options)) {
    const judgments = parts.flatMap(toJudgments)
    if (judgments.length > 0) yield judgments
  }
}

function toJudgment(judged: JudgedSet, around: readonly Fault[]): SetJudgment {
  const { set, verdict, faults, problems, records, segments } = judged
  const { ordinal, group, segment, document, version } = set
  const all = [...around, ...faults].map((fault) => createFaultProblem(fault, set)).concat(problems)
  // A number that stands there twice is only noted, at the second of the sets; but it makes the verdict of all of them.
  if (all.length === 0 && verdict === 'E') all.push(createRepeatedProblem(set))
  return {
    ordinal,
    interchange: group.interchange.ordinal,
    set: createSpot(segment, set).set,
    document,
    version,
    segments: [segment.number, segment.number + segments - 1],
    verdict,
    records: records ?? { all: 0, refused: 0 },
    problems: all.slice(0, MAX_PROBLEMS),
  }
}

function createRepeatedProblem(set: TransactionSet): Problem {
  const { segment, number } = set
  const place = { line: segment.number, spot: createSpot(segment, set) }
  return problem(
    'edi-number-mismatch',
    place,
    `Several sets of the group have the number ${showText(number)}.`,
  )
}

async function* composeAnswers(
  input: AsyncIterable<Uint8Array>,
  request: AnswerRequest,
): AsyncGenerator<Uint8Array> {
  const findings = await inspectFile(input, createGrammarFinder(request))
  const { at, interchanges, ...rest } = request
  const compose = createAnswers({ ...rest, at: new Date(at), interchanges: new Set(interchanges) })
  for await (const parts of judgeFile(input, findings, request)) {
    const text = parts.map(compose).join('')
    if (text !== '') yield Buffer.from(text, 'latin1')
  }
}

/** One inspection finds all that makes a verdict; a number of a set that comes twice is only noted, and makes one too. */
function createWrittenCheck(): WrittenCheck {
  const cutter = new SegmentCutter()
  let first: Problem | undefined
  const onFault = (fault: Fault, { set }: FaultOwner): void => {
    const isRefused = FAULTS[fault.kind].reach !== 'note' || fault.kind === 'set-number-repeated'
    if (isRefused) first ??= createFaultProblem(fault, set)
  }
  const inspector = createInspector({ onFault })
  const take = (text: string, isLast: boolean) => {
    for (const item of cutter.push(text, isLast)) inspector.take(item)
  }
  return {
    take(bytes) {
      const { buffer, byteOffset, length } = bytes
      // Each character is a byte. In small pieces, so that what is made of them is gone before V8 takes it for long-lived.
      for (let from = 0; from < length; from += PIECE_BYTES) {
        const size = Math.min(PIECE_BYTES, length - from)
        take(Buffer.from(buffer, byteOffset + from, size).toString('latin1'), false)
      }
    },
    finish() {
      take('', true)
      const { interchanges, sets, ofFile, notFound } = inspector.finish()
      const [fault] = ofFile
      if (fault !== undefined) first ??= createFaultProblem(fault, undefined)
      return { interchanges: notFound === undefined ? interchanges : 0, sets, fault: first }
    },
  }
}
