/** Makes the records of a file from its drafts, block by block. */
import { OPERATIONS } from '../../contract/operations.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { FileReading } from '../../domain/format.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { PlannedRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import type { BoundTranslator, Draft } from '../../domain/translator.ts'
import type { InboundRules } from '../../operations/operation.ts'
import { identifyRecord, INBOUND_RULES } from '../../operations/operations.ts'
import { throwIfStopped } from '../../support/errors.ts'
import type { Mutable } from '../../support/object-paths.ts'
import type { InboundContext } from '../context.ts'
import { createOrderReader, createResourceFinder } from '../references/finder.ts'
import { createOrderValueFiller } from '../references/order-values.ts'
import { createReferenceResolver } from '../references/resolver.ts'
import { createBusinessRuleCheck, type CheckedDraft } from '../rules/check.ts'
import { createOrderLanes, joinLanesByRows, type RefusedRows } from './order-lanes.ts'
import { isCheckedWhenSent, type RouteStep } from './steps.ts'

/** How many records one transaction adds. */
export const RECORDS_PER_TRANSACTION = 500

export interface Planning {
  readonly context: InboundContext
  readonly file: FileEntry
  readonly step: RouteStep
  readonly keyColumns: readonly string[]
  /** The number of the last record of the steps before. */
  readonly numbering: { last: number }
  readonly refused: RefusedRows
}

export function createPlanner(
  planning: Planning & {
    readonly bound: BoundTranslator
    readonly reading: FileReading
    /** How many records a block has. */
    readonly blockSize?: number
    readonly onProgress?: (done: number) => void
  },
) {
  const { context, file, bound, reading, step } = planning
  const { journal, lease, route, signal } = context
  const orders = createOrderReader(context)
  const findOrders = createResourceFinder(context, 'order')
  const resolverContext = { ...context, orders, findOrders }
  const resolveReferences = createReferenceResolver(resolverContext)
  const fillInOrderValues = createOrderValueFiller(resolverContext)
  const checkRules = createBusinessRuleCheck({ context, file, orders, bound })
  const needsLanes = step.number !== undefined || isCheckedWhenSent(context)
  const assignLanes = needsLanes ? createOrderLanes(context, findOrders) : undefined
  const makeRecord = createRecordMaker(context, file)
  const place = createRecordPlacer(planning)
  const { blockSize = RECORDS_PER_TRANSACTION } = planning
  const waiting: Draft[] = []
  let done = 0
  const makeRecords = async (drafts: readonly Draft[]): Promise<readonly PlannedRecord[]> => {
    throwIfStopped(signal)
    if (drafts.length === 0) return []
    const resolved = await checkRules(await fillInOrderValues(await resolveReferences(drafts)))
    const lanes = await assignLanes?.(drafts, resolved)
    const planned = resolved.map(makeRecord)
    done += planned.length
    return holdCutRecords(planned, reading, route).map((record, index) => place(record, lanes?.[index]))
  }
  const wait = (drafts: readonly Draft[]) => void waiting.push(...drafts)
  /** The drafts of one block, if a whole one waits. Keeps two records back, so that the last two of the file are planned together. */
  const takeDrafts = () => (waiting.length < blockSize + 2 ? [] : waiting.splice(0, blockSize))
  const addDrafts = async (drafts: readonly Draft[]) => {
    const records = await makeRecords(drafts)
    await journal.addRecords(lease, file.id, records)
    if (step.number !== undefined) await joinLanesByRows(planning, records, drafts)
    planning.onProgress?.(done)
  }
  return {
    wait,
    /** The records of one block of what waits; none where no whole block does. The caller adds them to the journal. */
    takeBlock: () => makeRecords(takeDrafts()),
    /** The records of all that waits. The caller adds them to the journal. */
    takeRest: () => makeRecords(waiting.splice(0)),
    async add(drafts: readonly Draft[]): Promise<void> {
      wait(drafts)
      for (let block = takeDrafts(); block.length > 0; block = takeDrafts()) await addDrafts(block)
    },
    async flush(): Promise<void> {
      if (waiting.length > 0) await addDrafts(waiting.splice(0))
    },
    count: () => done,
  }
}

/** Numbers a record among the records of all steps, and orders its keys by the key columns of all steps. */
function createRecordPlacer({ step, keyColumns, numbering, bound }: Planning & { bound: BoundTranslator }) {
  const before = numbering.last
  const { number: stepNumber } = step
  const own = keyColumns.map((name) => bound.keyColumns.indexOf(name))
  return (record: PlannedRecord, lane: string | undefined): PlannedRecord => {
    const placed = lane === undefined ? record : { ...record, lane }
    if (stepNumber === undefined) return placed
    const keyValues = own.map((index) => record.keyValues[index] ?? '')
    return { ...placed, step: stepNumber, number: before + record.number, keyValues }
  }
}

/** Makes the function that makes the records of a file from its drafts. */
function createRecordMaker({ route }: InboundContext, file: FileEntry) {
  const { operation, party } = route
  const account = formatAccount(party)
  const { repeatable } = OPERATIONS[operation]
  const { snapshotFromKnownOrder }: InboundRules = INBOUND_RULES[operation]
  return (draft: CheckedDraft): PlannedRecord => {
    const { number, lines, keyValues, problems, body, keep, order } = draft
    const record: Mutable<PlannedRecord> = { number, lines, keyValues, problems, operation, account }
    if (draft.warnings !== undefined) record.warnings = draft.warnings
    if (draft.skipped) record.skipped = draft.skipped
    if (draft.held) record.held = draft.held
    if (body === undefined || problems.length > 0) return record
    const { lane } = Object.assign(record, identifyRecord(operation, body, keyValues))
    // A repeatable record is unique only within its file: tomorrow's stock may equal yesterday's.
    if (repeatable) record.naturalKey = `${record.naturalKey} ${file.id}`
    // The pre-send snapshot, if the cached facts of the order are enough to reconcile a lost answer.
    const note = order?.facts && snapshotFromKnownOrder?.(order.facts, body)
    if (note !== undefined) record.note = note
    if (keep !== undefined) record.keep = { key: lane, values: keep }
    return record
  }
}

// The record of a last line without a line end is held: its last cell may be cut, and still be a valid value.

type Holdable = Pick<Draft, 'lines' | 'keyValues' | 'problems' | 'skipped' | 'held'> & {
  readonly warnings?: readonly Problem[]
}

/**
 * Holds records with their bodies, so that a person can release them: that of the last line, and the one before it where
 * the line may belong to that one by a key that is cut too. Takes records in the order of the file; the last two of a file
 * must come together. A record that the mapping skips only gets a warning, because nothing of it can be sent.
 */
export function holdCutRecords<Record extends Holdable>(
  records: readonly Record[],
  reading: Pick<FileReading, 'getOpenLine'>,
  { lastLineEnd }: Pick<InboundContext['route'], 'lastLineEnd'>,
): readonly Record[] {
  const openLine = lastLineEnd === 'optional' ? undefined : reading.getOpenLine()
  if (openLine === undefined) return records
  const hasOpenLine = ({ lines }: Record) =>
    lines.some(([first, last]) => first <= openLine && openLine <= last)
  const last = records.findLastIndex(hasOpenLine)
  const cut = records[last]
  const before = records[last - 1]
  if (cut === undefined) return records
  const held = [...records]
  held[last] = hold(cut, openLine)
  if (before !== undefined && mayContinue(cut, before)) held[last - 1] = hold(before, openLine)
  return held
}

function hold<Record extends Holdable>(record: Record, openLine: number): Record {
  const message = `Line ${openLine}, the last one, has no line end, and the other lines have one.`
  const found = problem('file-perhaps-cut', { line: openLine }, message)
  if (record.problems.length === 0) return { ...record, held: true, problems: [found] }
  if (record.skipped !== true) return record
  return { ...record, warnings: [...(record.warnings ?? []), { ...found, severity: 'warning' }] }
}

/** Whether the keys of the cut record could be those of the other one, one of them without its end. */
function mayContinue(cut: Holdable, before: Holdable): boolean {
  const pairs = cut.keyValues.map((value, index) => [value, before.keyValues[index] ?? ''] as const)
  return (
    pairs.every(([start, whole]) => whole.startsWith(start)) &&
    pairs.some(([start, whole]) => start !== whole)
  )
}
