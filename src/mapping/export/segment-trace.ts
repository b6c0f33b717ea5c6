/** Notes what becomes of each segment of a document that goes out, for tools that explain a mapping. */
import { type Envelope, SET_BEGINNING } from '../../domain/format.ts'
import type { Problem } from '../../domain/problem.ts'
import { type ApiRecord, explainCell, type ExplainedRow } from './composer.ts'
import type { ElementPlan } from './segment-elements.ts'
import {
  composeSegments,
  createSetFrame,
  refuseEmpty,
  type SegmentOptions,
  toEnvelopeValues,
  type TracedSegment,
} from './segment-rows.ts'
import type { DocumentPlan } from './segments.ts'

/** The segments of a file of these records, each as it was written or left out. */
export interface TracedFile {
  /** Before and behind those of the records, where all records share one set. */
  readonly begin: readonly TracedSegment[]
  readonly end: readonly TracedSegment[]
  readonly records: readonly TracedRecord[]
}

export interface TracedRecord {
  /** With what the envelope adds to it, such as `$date`. */
  readonly record: ApiRecord
  readonly segments: readonly TracedSegment[]
  /** Why it is held; empty where it is written. */
  readonly problems: readonly Problem[]
}

export type TraceDocument = (records: readonly ApiRecord[], envelope: Envelope) => TracedFile

/** Composes as the composer of the document does, and notes what becomes of each segment. */
export function createDocumentTracer(
  document: DocumentPlan,
  { clash, version }: Pick<SegmentOptions, 'clash' | 'version'>,
): TraceDocument {
  const { frame, record: plans, grammar } = document
  const beginning = SET_BEGINNING[grammar.syntax]
  return (records, envelope) => {
    const options = { syntax: grammar.syntax, envelope, clash, version }
    const [begin, end]: [TracedSegment[], TracedSegment[]] = [[], []]
    const set = frame && createSetFrame(frame, beginning, { ...options, trace: begin })
    const traced = records.map((own): TracedRecord => {
      const record = { ...own, ...toEnvelopeValues(envelope) }
      const segments: TracedSegment[] = []
      const rule = frame === undefined ? { rule: grammar.root } : {}
      const composed = composeSegments(
        plans,
        record,
        { ...options, beginning: undefined, trace: segments },
        rule,
      )
      if ('problems' in composed) return { record, segments, problems: composed.problems }
      if (segments.every(({ row }) => row === undefined)) return { record, segments, ...refuseEmpty() }
      set?.addRecord(composed.rows)
      return { record, segments, problems: [] }
    })
    const after = begin.length
    set?.createEnd()
    end.push(...begin.splice(after))
    return { begin, end, records: traced }
  }
}

/** Explains the segments of a record in the order of the document, those that are left out among them. */
export function explainSegments({
  record,
  segments,
}: Pick<TracedRecord, 'record' | 'segments'>): ExplainedRow[] {
  return segments.map(({ plan, item, texts, refused, row, absent }) => {
    const explain = ({ cell, counted }: ElementPlan, at: number) => {
      const explained = explainCell(cell, record, item)
      const text = texts[at] ?? ''
      const last = { does: counted === undefined ? 'element' : `count ${counted}`, text }
      const isLast = text === '' || (explained.steps.length === 0 && counted === undefined)
      const steps =
        isLast || explained.steps.at(-1)?.text === text ? explained.steps : [...explained.steps, last]
      return { ...explained, steps, text, refused: refused[at] ?? [] }
    }
    const cells = absent === undefined ? plan.elements.map(explain) : []
    return { type: plan.path, cells, ...(row && { segment: row }), ...(absent && { absent }) }
  })
}
