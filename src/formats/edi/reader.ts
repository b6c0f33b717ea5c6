/** Reads the documents of interchanges as rows: one for each record, and one for each of its lines. */
import type { FileReading, Layout, Row } from '../../domain/format.ts'
import { SelectionCursor, type SetSelection } from '../../domain/place.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import { cutSegments } from './cut.ts'
import { EnvelopeTracker } from './envelopes.ts'
import type { Inspection } from './inspection.ts'
import type { ReadingPlan } from './reading-plan.ts'
import { RECORD_LAYOUT, SetReader } from './set-reader.ts'
import { createFaultProblem } from './spots.ts'

/** Starts the second reading of a file, which gives its rows: of all sets and of what stands in none, or of `sets` alone. */
export function readDocuments(
  input: AsyncIterable<Uint8Array>,
  plan: ReadingPlan,
  inspection: Inspection,
  sets?: SetSelection,
): FileReading {
  const layouts: readonly Layout[] = [
    { recordType: 'record', columns: plan.recordColumns.map(({ name }) => name) },
    { recordType: 'line', columns: plan.lineColumns.map(({ name }) => name) },
  ]
  const pieces = cutSegments(input)
  async function* readBatches(): AsyncGenerator<readonly Row[]> {
    const rows: Row[] = sets === undefined ? inspection.ofFile.map((fault) => toFileRow(fault, plan)) : []
    const reader = new SetReader(plan, inspection, (row) => rows.push(row))
    const selection = sets === undefined ? undefined : new SelectionCursor(sets)
    let isTaken = true
    let isFinished = false
    const tracker = new EnvelopeTracker({
      onSet(set) {
        isTaken = selection?.has(set.ordinal) ?? true
        isFinished = selection?.isBehind(set.ordinal) ?? false
        if (isTaken) reader.begin(set)
      },
      onSegment(segment) {
        if (isTaken) reader.take(segment)
      },
      onSetEnd(_, trailer) {
        if (isTaken) reader.end(trailer)
      },
    })
    for await (const items of pieces) {
      for (const item of items) tracker.take(item)
      if (rows.length > 0) yield rows.splice(0)
      // All selected sets are read.
      if (isFinished) break
    }
    tracker.end()
    if (rows.length > 0) yield rows.splice(0)
  }
  return {
    layouts,
    headerLines: 0,
    encoding: 'utf-8',
    delimiter: '',
    batches: readBatches(),
    countIgnoredLines: () => 0,
    getOpenLine: () => undefined,
    close: async () => {
      await pieces.return(undefined)
    },
  }
}

/** A fault that stands in no set, such as an interchange whose delimiters are unclear: a record of its own, skipped when it refuses nothing. */
function toFileRow(fault: Fault, { recordColumns }: ReadingPlan): Row {
  return {
    layout: RECORD_LAYOUT,
    line: fault.segment,
    lastLine: fault.segment,
    values: recordColumns.map(() => ''),
    problems: [createFaultProblem(fault, undefined)],
    ...(FAULTS[fault.kind].reach === 'note' ? { verdict: 'skipped' as const } : {}),
  }
}
