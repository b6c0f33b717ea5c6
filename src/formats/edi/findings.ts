/** Inspects a file once, and keeps what is wrong with each interchange, group and set of it. */
import type { Notes } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { type FindGrammar, findGrammar } from '../../edi/documents.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import type { Segment } from '../../edi/segment.ts'
import { emptyFileProblem } from '../text/encoding.ts'
import { findForeignBytes, type ForeignBytes } from './charset.ts'
import { cutSegments, isSegment } from './cut.ts'
import type { EnvelopeHandler, FaultOwner, Group, TransactionSet } from './envelopes.ts'
import { createInspector, FaultStore, type Inspection } from './inspection.ts'
import { NoteList } from './set-list.ts'
import { OrdinalSet, SetLengths, shortenNumber } from './set-selection.ts'

/** What a file says of its parts, by their ordinals. Bounded, whatever the size of the file. */
export interface Findings {
  readonly inspection: Inspection
  /** The grammars that it was inspected with. */
  readonly findGrammar: FindGrammar
  /** Why the bytes can hold no interchange at all. */
  readonly foreign: ForeignBytes | undefined
  readonly faults: Readonly<Record<'interchange' | 'group' | 'set', Pick<FaultStore, 'find'>>>
  /** What is only noted, of sets and of what is around them. */
  readonly firstNotes: Notes
  readonly notes: Readonly<Record<'interchange' | 'set', Pick<FaultStore, 'findKept'>>>
  /** How many notes are not kept. */
  readonly droppedNotes: number
  readonly setLengths: Pick<SetLengths, 'read'>
  /** Whether several sets of the group have the number. */
  isRepeated(group: number, number: string): boolean
  /** Whether the interchange holds only answers, which are not answered themselves. */
  isAnswer(interchange: number): boolean
}

const MAX_REPEATED = 10_000

/** Reads the whole input once. `isShown`: whether the notes of a set, by its ordinal, are listed; asked in their order. */
export async function inspectFile(
  input: AsyncIterable<Uint8Array>,
  find: FindGrammar = findGrammar,
  isShown: (set: number) => boolean = () => true,
): Promise<Findings> {
  const faults = { interchange: new FaultStore(), group: new FaultStore(), set: new FaultStore() }
  const notes = { interchange: new FaultStore(), set: new FaultStore() }
  const noteList = new NoteList()
  const setLengths = new SetLengths()
  const repeated = new Set<string>()
  const answers = new OrdinalSet()
  const content = createContentCheck()
  const onFault = (fault: Fault, of: FaultOwner): void => {
    const { reach } = FAULTS[fault.kind]
    if (of.set === undefined || isShown(of.set.ordinal)) noteList.add(fault, of.set)
    if (reach === 'note') {
      if (of.set !== undefined) notes.set.add(of.set.ordinal, fault)
      else if (of.interchange !== undefined) notes.interchange.add(of.interchange.ordinal, fault)
      if (fault.kind === 'set-number-repeated' && of.set !== undefined && repeated.size < MAX_REPEATED)
        repeated.add(`${of.set.group.ordinal}/${shortenNumber(of.set.number)}`)
    } else if (of.set !== undefined) faults.set.add(of.set.ordinal, fault)
    else if (of.group !== undefined) faults.group.add(of.group.ordinal, fault)
    else if (of.interchange !== undefined) faults.interchange.add(of.interchange.ordinal, fault)
  }
  const handler: EnvelopeHandler = {
    onFault,
    onInterchange: () => content.begin(),
    onGroup: (group) => content.addGroup(group),
    onSet: (set) => content.addSet(set),
    onSetEnd: (_, __, segments) => setLengths.add(segments),
    onInterchangeEnd({ ordinal }) {
      if (content.isAnswer()) answers.add(ordinal)
    },
  }
  const inspector = createInspector(handler, find)
  let foreign: ForeignBytes | undefined
  const noteHead = (head: Uint8Array) => (foreign = findForeignBytes(head))
  for await (const items of cutSegments(tapHead(input, noteHead))) {
    for (const item of items) {
      if (isSegment(item)) content.addSegment(item)
      inspector.take(item)
    }
  }
  return {
    inspection: inspector.finish(),
    findGrammar: find,
    foreign,
    faults,
    notes,
    firstNotes: noteList.get(),
    droppedNotes: notes.interchange.dropped + notes.set.dropped,
    setLengths,
    isRepeated: (group, number) => repeated.size > 0 && repeated.has(`${group}/${shortenNumber(number)}`),
    isAnswer: (interchange) => answers.has(interchange),
  }
}

/** Finds out whether an interchange holds nothing but answers: 997, 999, TA1, CONTRL. */
export function createContentCheck() {
  let hasAnswers = false
  let hasOthers = false
  return {
    begin(): void {
      hasAnswers = false
      hasOthers = false
    },
    addGroup({ segment, code }: Group): void {
      if (segment?.id !== 'GS') return
      if (code === 'FA') hasAnswers = true
      else hasOthers = true
    },
    addSet({ segment, document }: TransactionSet): void {
      if (segment.id !== 'UNH') return
      if (document === 'CONTRL') hasAnswers = true
      else hasOthers = true
    },
    addSegment({ id }: Segment): void {
      if (id === 'TA1') hasAnswers = true
    },
    isAnswer: (): boolean => hasAnswers && !hasOthers,
  }
}

async function* tapHead(
  input: AsyncIterable<Uint8Array>,
  take: (head: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const chunk of input) {
    if (isFirst && chunk.length > 0) {
      take(chunk)
      isFirst = false
    }
    yield chunk
  }
}

// What is wrong with a file besides its sets: why it holds no interchange, and the faults that stand in no set.

/** How many bytes at the beginning of a file show whether it may hold an interchange. */
export const HEAD_BYTES = 3

/** Says why the bytes can hold no interchange that is readable. `head`: the first three bytes, or all where there are fewer. */
export function findForeignProblem(head: Uint8Array): Problem | undefined {
  if (head.length === 0) return emptyFileProblem()
  const kind = findForeignBytes(head)
  if (kind === undefined) return undefined
  const message =
    kind === 'ebcdic'
      ? 'The file is in EBCDIC, the code of mainframes. Have it converted to ASCII or UTF-8.'
      : 'The file is packed with gzip.'
  return problem('edi-not-found', {}, message)
}

/** Why no interchange of the file can be read. */
export function findMissingProblem({ notFound, interchanges, ofFile }: Inspection): Problem | undefined {
  if (notFound !== undefined) {
    const message = `The file begins with "${notFound.text}" and not with ISA, UNA or UNB.`
    return problem('edi-not-found', {}, message)
  }
  if (interchanges > 0) return undefined
  const [fault] = ofFile
  if (fault === undefined) return problem('edi-not-found', {}, 'The file holds nothing but blank lines.')
  return problem(FAULTS[fault.kind].problem, {}, fault.message)
}
