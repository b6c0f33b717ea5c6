/** Reads the documents of interchanges as rows: one for each record, and one for each of its lines. */
import type { FileReading, Layout, Row } from '../../domain/format.ts'
import type { Spot } from '../../domain/place.ts'
import { problem } from '../../domain/problem.ts'
import { type Fault, FAULTS } from '../../edi/faults.ts'
import { cutSegments } from './cut.ts'
import { EnvelopeTracker } from './envelopes.ts'
import type { Inspection } from './inspection.ts'
import type { ReadingPlan } from './reading-plan.ts'
import { RECORD_LAYOUT, SetReader } from './set-reader.ts'

/** Starts the second reading of a file, which gives its rows. */
export function readDocuments(
  input: AsyncIterable<Uint8Array>,
  plan: ReadingPlan,
  inspection: Inspection,
): FileReading {
  const layouts: readonly Layout[] = [
    { recordType: 'record', columns: plan.recordColumns.map(({ name }) => name) },
    { recordType: 'line', columns: plan.lineColumns.map(({ name }) => name) },
  ]
  const pieces = cutSegments(input)
  async function* readBatches(): AsyncGenerator<readonly Row[]> {
    const rows: Row[] = inspection.ofFile.map((fault) => toFileRow(fault, plan))
    const reader = new SetReader(plan, inspection, (row) => rows.push(row))
    const tracker = new EnvelopeTracker({
      onSet: (set) => reader.begin(set),
      onSegment: (segment) => reader.take(segment),
      onSetEnd: (_, trailer) => reader.end(trailer),
    })
    for await (const items of pieces) {
      for (const item of items) tracker.take(item)
      if (rows.length > 0) yield rows.splice(0)
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

/** A fault that stands in no set, such as an interchange whose delimiters are unclear: a record of its own, skipped when it is only told. */
function toFileRow({ kind, segment, at, id, message }: Fault, { recordColumns }: ReadingPlan): Row {
  const spot: Spot = { segment, inSet: 0, id: id === '' ? '?' : id, at, set: '' }
  const problems = [problem(FAULTS[kind].problem, { line: segment, spot }, message)]
  return {
    layout: RECORD_LAYOUT,
    line: segment,
    lastLine: segment,
    values: recordColumns.map(() => ''),
    problems,
    ...(FAULTS[kind].reach === 'note' ? { verdict: 'skipped' as const } : {}),
  }
}
