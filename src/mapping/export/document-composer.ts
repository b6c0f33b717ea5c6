/** Composes documents that go out, with a set for each record or one for all, and traces them for tools. */
import { type Envelope, SET_BEGINNING } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { Composer, SetFrame } from '../../domain/translator.ts'
import { assert, BridgeError } from '../../support/errors.ts'
import {
  type ApiRecord,
  createComposerFrame,
  explainCell,
  type ExplainedRow,
  type OutboundPlan,
} from './composer.ts'
import type { ElementPlan } from './segment-elements.ts'
import {
  composeSegments,
  createSegmentOptions,
  type SegmentOptions,
  type TracedSegment,
  type ValueRules,
} from './segment-rows.ts'
import type { DocumentPlan, EntryPlan } from './segments.ts'

/** Creates the composer of a document: each record has a set of its own, or all share one. */
export function createDocumentComposer(
  document: DocumentPlan,
  { clash, ...common }: Omit<OutboundPlan, 'columns' | 'trailer'> & Pick<ValueRules, 'clash'>,
): Composer {
  const { grammar, record: plans, frame } = document
  const beginning = SET_BEGINNING[grammar.syntax]
  const rules = { clash, version: common.write.edi?.version ?? '' }
  const own = frame === undefined ? beginning : undefined
  const whole = { rule: own && grammar.root }
  // All records of a file have the same envelope.
  let last: { readonly envelope: Envelope; readonly options: SegmentOptions } | undefined
  return {
    ...createComposerFrame(common),
    columns: [],
    composeRows(record, envelope) {
      assert(envelope, 'A document was to be composed without an envelope.')
      if (last?.envelope !== envelope) {
        const options = { ...createSegmentOptions(document, envelope, rules), beginning: own }
        last = { envelope, options }
      }
      const composed = composeSegments(plans, record, last.options, whole)
      return 'rows' in composed && composed.rows.length === 0 ? refuseEmpty() : composed
    },
    ...(frame && {
      frame: (envelope: Envelope) =>
        createSetFrame(frame, beginning, createSegmentOptions(document, envelope, rules)),
    }),
  }
}

/** The bridge would acknowledge a record without a segment, and its reader would never see it. */
function refuseEmpty(): { readonly problems: readonly Problem[] } {
  const message = 'The record has nothing that the document shows, so there is no segment to write.'
  return { problems: [problem('value-missing', {}, message, 'Check the record at the API.')] }
}

// A set with all records.

/** Throws where the mapping's segments around the records cannot be written: they rest on no record. */
function createSetFrame(
  frame: NonNullable<DocumentPlan['frame']>,
  beginning: string,
  options: SegmentOptions,
): SetFrame {
  const counts = new Map<string, number>()
  const add = (rows: readonly (readonly string[])[]) => {
    for (const [id = ''] of rows) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const compose = (plans: readonly EntryPlan[], first: string | undefined) => {
    const own = { ...options, beginning: first }
    const composed = composeSegments(plans, {}, own, { countBefore: (id) => counts.get(id) ?? 0 })
    if ('rows' in composed) return composed.rows
    const why = composed.problems.map(({ message }) => message).join(' ')
    throw new BridgeError('mapping-invalid', `the segments around the records cannot be written: ${why}`)
  }
  const begin = compose(frame.begin, beginning)
  add(begin)
  return { begin, addRecord: add, createEnd: () => compose(frame.end, undefined) }
}

// Traces, for tools that explain a mapping.

/** The segments of a file of these records, each as it was written or left out. */
export interface TracedFile {
  /** Before and behind those of the records, where all records share one set. */
  readonly begin: readonly TracedSegment[]
  readonly end: readonly TracedSegment[]
  readonly records: readonly TracedRecord[]
}

export interface TracedRecord {
  /** With the values of the envelope that the mapping names, such as `$date`. */
  readonly record: ApiRecord
  readonly segments: readonly TracedSegment[]
  /** Why it is held; empty where it is written. */
  readonly problems: readonly Problem[]
}

export type TraceDocument = (records: readonly ApiRecord[], envelope: Envelope) => TracedFile

/** Composes as the composer of the document does, and notes what becomes of each segment. */
export function createDocumentTracer(document: DocumentPlan, rules: ValueRules): TraceDocument {
  const { frame, record: plans, grammar } = document
  const beginning = SET_BEGINNING[grammar.syntax]
  return (records, envelope) => {
    const options = createSegmentOptions(document, envelope, rules)
    const [begin, end]: [TracedSegment[], TracedSegment[]] = [[], []]
    const set = frame && createSetFrame(frame, beginning, { ...options, trace: begin })
    const traced = records.map((own): TracedRecord => {
      const record = { ...own, ...options.values }
      const segments: TracedSegment[] = []
      const rule = frame === undefined ? { rule: grammar.root } : {}
      const composed = composeSegments(plans, record, { ...options, trace: segments }, rule)
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
