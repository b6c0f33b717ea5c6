/** Plans a file: the journal gets every record, with its body or its problems, before the first one is sent. */
import { type InboundOperationName, OPERATIONS } from '../../contract/operations.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { PlannedRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import type { FileReading } from '../../domain/format.ts'
import type { BoundTranslator, Draft } from '../../domain/translator.ts'
import { assert, throwIfStopped } from '../../support/errors.ts'
import type { InboundRules } from '../../operations/operation.ts'
import { identifyRecord, INBOUND_RULES, isNamedByKeys } from '../../operations/operations.ts'
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
import { getSpoolName, unpackFile } from './intake.ts'
import { holdCutRecords } from './cut-record.ts'
import { readPages } from '../../support/async.ts'

const RECORDS_PER_TRANSACTION = 500

/** received → planned, or submitted when the file is unusable. After a crash the file is planned again from the spool. */
export async function planFile(context: InboundContext, file: FileEntry): Promise<void> {
  const { journal, lease } = context
  await journal.startPlanning(lease, file.id)
  if (file.partOf !== undefined) await adoptSource(context, file, file.partOf)
  const damage = file.partOf === undefined ? await unpackFile(context, file) : []
  // The bytes of a retake, and of a part, are those that were checked against their manifest the first time.
  const isChecked = damage.length > 0 || file.retakeOf !== undefined || file.partOf !== undefined
  const differs = isChecked ? damage : await checkManifest(context, file, () => openRows(context, file))
  if (differs.length > 0) return journal.markFileUnusable(lease, file.id, differs)
  const opened = await openSteps(context, file)
  if (!('steps' in opened)) return journal.markFileUnusable(lease, file.id, opened.problems)
  try {
    await planSteps(context, file, opened)
  } finally {
    await opened.close()
  }
}

/** The bytes of a part are those of its whole file, which its inbox keeps until all parts are closed. */
async function adoptSource(
  { journal, spool, locateSpooled }: InboundContext,
  file: FileEntry,
  whole: string,
) {
  const source = await journal.getFile(whole)
  assert(source, `File ${whole}, of which ${file.id} is a part, is not in the journal.`)
  await spool.adopt(getSpoolName(file.id), locateSpooled(source.route, getSpoolName(whole)))
}

function openRows({ format, spool, translator }: InboundContext, file: FileEntry) {
  return format.read(spool.read(getSpoolName(file.id)), translator.read)
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
    const plan = createPlanner({ ...planning, bound, reading })
    for await (const rows of reading.batches) await plan.add(bound.translateRows(rows))
    await plan.add(bound.finish())
    const mismatches = bound.listMismatches()
    if (mismatches.length > 0) return journal.markFileUnusable(lease, file.id, mismatches)
    await plan.flush()
    numbering.last += plan.count()
  }
  const { headerLines, encoding } = first.reading
  const keyed = steps.flatMap(({ source, context: { route } }) =>
    source && isNamedByKeys(route.operation, source.bound) ? [route.operation] : [],
  )
  await journal.markFilePlanned(lease, file.id, { keyColumns, headerLines, encoding, keyed })
  const { route, notify } = context
  notify({ kind: 'file-planned', route: route.name, file: file.name, records: numbering.last })
}

interface Planning {
  readonly context: InboundContext
  readonly file: FileEntry
  readonly step: RouteStep
  readonly keyColumns: readonly string[]
  /** The number of the last record of the steps before. */
  readonly numbering: { last: number }
  readonly refused: RefusedRows
}

/** Turns the orders of the step before into records of this one. */
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

function createPlanner(
  planning: Planning & { readonly bound: BoundTranslator; readonly reading: FileReading },
) {
  const { context, file, bound, reading, step } = planning
  const { journal, lease, route, signal, notify } = context
  const orders = createOrderReader(context)
  const findOrders = createResourceFinder(context, 'order')
  const resolverContext = { ...context, orders, findOrders }
  const resolveReferences = createReferenceResolver(resolverContext)
  const fillInOrderValues = createOrderValueFiller(resolverContext)
  const checkRules = createBusinessRuleCheck({ context, file, orders, bound })
  const needsLanes = step.number !== undefined || isCheckedWhenSent(context)
  const assignLanes = needsLanes ? createOrderLanes(context, findOrders) : undefined
  const place = createRecordPlacer(planning)
  const waiting: Draft[] = []
  let done = 0
  const addDrafts = async (drafts: readonly Draft[]) => {
    throwIfStopped(signal)
    const resolved = await checkRules(await fillInOrderValues(await resolveReferences(drafts)))
    const lanes = await assignLanes?.(drafts, resolved)
    const planned = resolved.map((draft) => toRecord(context, draft, file))
    const records = holdCutRecords(planned, reading, route).map((record, index) =>
      place(record, lanes?.[index]),
    )
    await journal.addRecords(lease, file.id, records)
    if (step.number !== undefined) await joinLanesByRows(planning, records, drafts)
    done += records.length
    notify({ kind: 'progress', route: route.name, file: file.name, phase: 'translating', done })
  }
  /** Keeps two records back, so that the last two of the file are planned together. */
  const add = async (drafts: readonly Draft[]) => {
    for (const draft of drafts) {
      waiting.push(draft)
      if (waiting.length >= RECORDS_PER_TRANSACTION + 2)
        await addDrafts(waiting.splice(0, RECORDS_PER_TRANSACTION))
    }
  }
  const flush = async () => {
    if (waiting.length > 0) await addDrafts(waiting.splice(0))
  }
  return { add, flush, count: () => done }
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
    // A repeatable record is unique only within its file: tomorrow's stock may equal yesterday's.
    naturalKey: repeatable ? `${naturalKey} ${file.id}` : naturalKey,
    ...createSnapshot(operation, draft),
    ...(draft.keep === undefined ? {} : { keep: { key: lane, values: draft.keep } }),
  }
}

/** The pre-send snapshot, if the cached facts of the order are enough to reconcile a lost answer. */
function createSnapshot(operation: InboundOperationName, { body = {}, order }: CheckedDraft) {
  const { snapshotFromKnownOrder }: InboundRules = INBOUND_RULES[operation]
  const note = order?.facts && snapshotFromKnownOrder?.(order.facts, body)
  return note === undefined ? {} : { note }
}
