/** Plans a file: every record is in the journal, with its body or its problems, before the first one is sent. */
import { type InboundOperationName, OPERATIONS } from '../../contract/operations.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { PlannedRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import type { BoundTranslator, Draft } from '../../domain/translator.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundRules } from '../../operations/operation.ts'
import { identifyRecord, INBOUND_RULES } from '../../operations/operations.ts'
import type { InboundContext } from '../context.ts'
import { checkManifest } from './manifest.ts'
import { isCheckedWhenSent, type OpenFile, openSteps, type RouteStep } from './steps.ts'
import {
  createOrderLanes,
  createRefusedRows,
  joinLanesByOrderNumber,
  joinLanesByRows,
  type RefusedRows,
} from './order-lanes.ts'
import { createOrderReader, createResourceFinder } from '../references/finder.ts'
import { createOrderValueFiller } from '../references/order-values.ts'
import { createReferenceResolver } from '../references/resolver.ts'
import { createBusinessRuleCheck, type CheckedDraft } from '../rules/check.ts'
import { unpackFile } from './intake.ts'
import { readPages } from '../../support/async.ts'

/** How many records enter the journal in one transaction. */
const RECORDS_PER_TRANSACTION = 500

/** received → planned, or submitted when the file is unusable. After a crash the file is planned again from the spool. */
export async function planFile(context: InboundContext, file: FileEntry): Promise<void> {
  const { journal, lease } = context
  await journal.startPlanning(lease, file.id)
  const damage = await unpackFile(context, file)
  const differs = damage.length > 0 ? damage : await checkManifest(context, file)
  if (differs.length > 0) return journal.markFileUnusable(lease, file.id, differs)
  const opened = await openSteps(context, file)
  if (!('steps' in opened)) return journal.markFileUnusable(lease, file.id, opened.problems)
  try {
    await planSteps(context, file, opened)
  } finally {
    await opened.close()
  }
}

async function planSteps(context: InboundContext, file: FileEntry, opened: OpenFile): Promise<void> {
  const { journal, lease } = context
  const { steps, keyColumns, first } = opened
  const numbering = { last: 0 }
  const refused = createRefusedRows()
  for (const step of steps) {
    const planning = { context: step.context, file, step, keyColumns, numbering, refused }
    if (step.source === undefined) {
      await planOrders(planning)
      continue
    }
    const { reading, bound } = step.source
    const plan = createPlanner({ ...planning, bound })
    for await (const rows of reading.batches) await plan.add(bound.translateRows(rows))
    await plan.add(bound.finish())
    const mismatches = bound.listMismatches()
    if (mismatches.length > 0) return journal.markFileUnusable(lease, file.id, mismatches)
    await plan.flush()
    numbering.last += plan.count()
  }
  const { headerLines, encoding } = first.reading
  await journal.markFilePlanned(lease, file.id, { keyColumns, headerLines, encoding })
  const { route, notify } = context
  notify({ kind: 'file-planned', route: route.name, file: file.name, records: numbering.last })
}

interface Planning {
  /** As the step sees them. */
  readonly context: InboundContext
  readonly file: FileEntry
  readonly step: RouteStep
  /** Of the whole file. */
  readonly keyColumns: readonly string[]
  /** The number of the last record of the steps before. */
  readonly numbering: { last: number }
  readonly refused: RefusedRows
}

/** The orders of the step before become records of this one. */
async function planOrders({ context, file, step, numbering, refused }: Planning): Promise<void> {
  const { journal, lease, route } = context
  await joinLanesByOrderNumber({ context, file, refused })
  const { number: stepNumber = 1 } = step
  const read = (after: number) =>
    journal.listStepOrders(file.id, stepNumber - 1, after, RECORDS_PER_TRANSACTION)
  for await (const orders of readPages(read, 0, ({ number }) => number)) {
    const known = orders.filter(({ lane }) => /^\d+$/.test(lane))
    const { operation, party } = route
    const common = { operation, account: formatAccount(party), step: stepNumber, problems: [] }
    const records = known.map(({ lane, lines, keyValues }, index): PlannedRecord => {
      const identity = identifyRecord(operation, { order_id: Number(lane) }, keyValues)
      const naturalKey = `${identity.naturalKey} ${file.id}`
      return { ...common, ...identity, naturalKey, number: numbering.last + index + 1, lines, keyValues }
    })
    await journal.addRecords(lease, file.id, records)
    numbering.last += records.length
  }
}

/** Gathers drafts into transactions of hundreds. */
function createPlanner(planning: Planning & { readonly bound: BoundTranslator }) {
  const { context, file, bound, step } = planning
  const { journal, lease, route, signal, notify } = context
  const orders = createOrderReader(context)
  const findOrders = createResourceFinder(context, 'order')
  const resolving = { ...context, orders, findOrders }
  const resolveReferences = createReferenceResolver(resolving)
  const fillInOrderValues = createOrderValueFiller(resolving)
  const columnOf = (field: string) => bound.findColumn(field)
  const holdToRules = createBusinessRuleCheck({ context, file, orders, columnOf })
  const needsLanes = step.number !== undefined || isCheckedWhenSent(context)
  const lanesOf = needsLanes ? createOrderLanes(context, findOrders) : undefined
  const place = createRecordPlacer(planning)
  let waiting: Draft[] = []
  let done = 0
  const flush = async () => {
    if (waiting.length === 0) return
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    const drafts = waiting
    waiting = []
    const resolved = await holdToRules(await fillInOrderValues(await resolveReferences(drafts)))
    const lanes = await lanesOf?.(drafts, resolved)
    const records = resolved.map((draft, index) => place(toRecord(context, draft, file), lanes?.[index]))
    await journal.addRecords(lease, file.id, records)
    if (step.number !== undefined) await joinLanesByRows(planning, records, drafts)
    done += records.length
    notify({ kind: 'progress', route: route.name, file: file.name, phase: 'translating', done })
  }
  const add = async (drafts: readonly Draft[]) => {
    for (const draft of drafts) {
      waiting.push(draft)
      if (waiting.length >= RECORDS_PER_TRANSACTION) await flush()
    }
  }
  return { add, flush, count: () => done }
}

/** Puts a record into its place among those of all steps. */
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

/** A draft with its identity. */
function toRecord({ route }: InboundContext, draft: CheckedDraft, file: FileEntry): PlannedRecord {
  const { number, lines, keyValues, problems, warnings, skipped, held } = draft
  const { operation, party } = route
  const plain = { number, lines, keyValues, problems, operation, account: formatAccount(party) }
  const common = {
    ...plain,
    ...(warnings === undefined ? {} : { warnings }),
    ...(skipped ? { skipped } : {}),
    ...(held ? { held } : {}),
  }
  if (draft.body === undefined || problems.length > 0) return common
  const { repeatable } = OPERATIONS[operation]
  const identity = identifyRecord(operation, draft.body, draft.keyValues)
  const { naturalKey, lane } = identity
  return {
    ...common,
    ...identity,
    // What may be repeated is the same record only within its file: tomorrow's stock may be that of yesterday.
    naturalKey: repeatable ? `${naturalKey} ${file.id}` : naturalKey,
    ...createSnapshot(operation, draft),
    ...(draft.keep === undefined ? {} : { keep: { key: lane, values: draft.keep } }),
  }
}

/** What reconciles a lost answer, where what is known of the order is enough to tell. */
function createSnapshot(operation: InboundOperationName, { body = {}, order }: CheckedDraft) {
  const { snapshotFromKnownOrder }: InboundRules = INBOUND_RULES[operation]
  const note = order?.facts && snapshotFromKnownOrder?.(order.facts, body)
  return note === undefined ? {} : { note }
}
