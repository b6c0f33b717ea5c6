/** Planning a file whole: every record of it is in the journal, with its body or its problems, before one is sent. */
import { OPERATIONS } from '../../contract/operations.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { PlannedRecord } from '../../domain/record.ts'
import { accountOf } from '../../domain/route.ts'
import type { BoundTranslator, Draft } from '../../domain/translator.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundRules } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import type { InboundParts } from '../parts.ts'
import { identityOf } from './identity.ts'
import { manifestProblems } from './manifest.ts'
import { type OpenFile, openSteps } from './open-steps.ts'
import { joinByNumber, joinByRows } from './join-lanes.ts'
import { orderLanes } from './order-lanes.ts'
import { type RefusedRows, refusedRows } from './refused-rows.ts'
import { isJudgedLater, type Step } from './steps.ts'
import { resourceFinder } from '../references/finder.ts'
import { orderReader } from '../references/orders.ts'
import { orderValues } from '../references/order-values.ts'
import { referenceResolver } from '../references/resolver.ts'
import { businessRules, type CheckedDraft } from '../rules/check.ts'
import { unpackFile } from './unpack.ts'

/** How many records enter the journal in one transaction. */
const RECORDS_PER_TRANSACTION = 500

/**
 * received → planned, or submitted when the file is unusable as a whole. A crash in between throws the plan away: the
 * next start plans again from the spool.
 */
export async function planFile(parts: InboundParts, file: FileEntry): Promise<void> {
  const { journal, lease } = parts
  await journal.beginPlan(lease, file.id)
  const damage = await unpackFile(parts, file)
  const differs = damage.length > 0 ? damage : await manifestProblems(parts, file)
  if (differs.length > 0) return journal.fileUnusable(lease, file.id, differs)
  const opened = await openSteps(parts, file)
  if (!('steps' in opened)) return journal.fileUnusable(lease, file.id, opened.problems)
  try {
    await planSteps(parts, file, opened)
  } finally {
    await opened.close()
  }
}

async function planSteps(parts: InboundParts, file: FileEntry, opened: OpenFile): Promise<void> {
  const { journal, lease } = parts
  const { steps, keyColumns, first } = opened
  const numbering = { last: 0 }
  const refused = refusedRows()
  for (const step of steps) {
    const planning = { parts: step.parts, file, step, keyColumns, numbering, refused }
    if (step.source === undefined) {
      await planOrders(planning)
      continue
    }
    const { reading, bound } = step.source
    const plan = planner({ ...planning, bound })
    for await (const rows of reading.batches) await plan.add(bound.push(rows))
    await plan.add(bound.end())
    const disagreements = bound.disagreements()
    if (disagreements.length > 0) return journal.fileUnusable(lease, file.id, disagreements)
    await plan.flush()
    numbering.last += plan.count()
  }
  const { headerLines, encoding } = first.reading
  await journal.filePlanned(lease, file.id, { keyColumns, headerLines, encoding })
  const { route, notify } = parts
  notify({ kind: 'file-planned', route: route.name, file: file.name, records: numbering.last })
}

interface Planning {
  /** As the step sees them. */
  readonly parts: InboundParts
  readonly file: FileEntry
  readonly step: Step
  /** Of the whole file. */
  readonly keyColumns: readonly string[]
  /** The number of the last record of the steps before. */
  readonly numbering: { last: number }
  readonly refused: RefusedRows
}

/** The orders of the step before become records of this one. */
async function planOrders({ parts, file, step, numbering, refused }: Planning): Promise<void> {
  const { journal, lease, route } = parts
  await joinByNumber({ parts, file, refused })
  const { number: turn = 1 } = step
  let after = 0
  for (;;) {
    const orders = await journal.ordersOfStep(file.id, turn - 1, after, RECORDS_PER_TRANSACTION)
    const last = orders.at(-1)
    if (last === undefined) return
    after = last.number
    const known = orders.filter(({ lane }) => /^\d+$/.test(lane))
    const records = known.map(({ lane, lines, keyValues }, index): PlannedRecord => {
      const identity = identityOf(route.operation, { order_id: Number(lane) }, keyValues)
      const common = { operation: route.operation, account: accountOf(route.party), step: turn, problems: [] }
      const naturalKey = `${identity.naturalKey} ${file.id}`
      return { ...common, ...identity, naturalKey, number: numbering.last + index + 1, lines, keyValues }
    })
    await journal.addRecords(lease, file.id, records)
    numbering.last += records.length
  }
}

/** Gathers drafts into transactions of hundreds. */
function planner(planning: Planning & { readonly bound: BoundTranslator }) {
  const { parts, file, bound, step } = planning
  const orders = orderReader(parts)
  const findOrders = resourceFinder(parts, 'order')
  const resolving = { ...parts, orders, findOrders }
  const resolveReferences = referenceResolver(resolving)
  const fillInOrderValues = orderValues(resolving)
  const holdToRules = businessRules({ parts, file, orders, columnOf: (field) => bound.columnOf(field) })
  const lanesOf =
    step.number === undefined && !isJudgedLater(parts) ? undefined : orderLanes(parts, findOrders)
  const place = cellPlacer(planning)
  let waiting: Draft[] = []
  let done = 0
  const flush = async () => {
    if (waiting.length === 0) return
    if (parts.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    const drafts = waiting
    waiting = []
    const resolved = await holdToRules(await fillInOrderValues(await resolveReferences(drafts)))
    const lanes = await lanesOf?.(drafts, resolved)
    const records = resolved.map((draft, index) => place(toRecord(parts, draft, file), lanes?.[index]))
    await parts.journal.addRecords(parts.lease, file.id, records)
    if (step.number !== undefined) await joinByRows(planning, records, drafts)
    done += records.length
    parts.notify({ kind: 'progress', route: parts.route.name, file: file.name, phase: 'translating', done })
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
function cellPlacer({ step, keyColumns, numbering, bound }: Planning & { readonly bound: BoundTranslator }) {
  const before = numbering.last
  const { number: turn } = step
  const own = keyColumns.map((name) => bound.keyColumns.indexOf(name))
  return (record: PlannedRecord, lane: string | undefined): PlannedRecord => {
    const placed = lane === undefined ? record : { ...record, lane }
    if (turn === undefined) return placed
    const keyValues = own.map((index) => record.keyValues[index] ?? '')
    return { ...placed, step: turn, number: before + record.number, keyValues }
  }
}

/** A draft with its identity. */
function toRecord({ route }: InboundParts, draft: CheckedDraft, file: FileEntry): PlannedRecord {
  const { number, lines, keyValues, problems } = draft
  const common = {
    number,
    lines,
    keyValues,
    problems,
    operation: route.operation,
    account: accountOf(route.party),
    ...(draft.warnings === undefined ? {} : { warnings: draft.warnings }),
    ...(draft.skipped ? { skipped: draft.skipped } : {}),
    ...(draft.held ? { held: draft.held } : {}),
  }
  if (draft.body === undefined || problems.length > 0) return common
  const { repeatable } = OPERATIONS[route.operation]
  const identity = identityOf(route.operation, draft.body, draft.keyValues)
  const { naturalKey, lane } = identity
  return {
    ...common,
    ...identity,
    // What may be repeated is the same record only within its file: tomorrow's stock may be that of yesterday.
    naturalKey: repeatable ? `${naturalKey} ${file.id}` : naturalKey,
    ...noteFrom(route.operation, draft),
    ...(draft.keep === undefined ? {} : { keep: { key: lane, values: draft.keep } }),
  }
}

/** What settles a lost answer, where what is known of the order is enough to tell. */
function noteFrom(
  operation: InboundParts['route']['operation'],
  { body = {}, order }: CheckedDraft,
): Pick<PlannedRecord, 'note'> {
  const { oldNoteOf }: InboundRules = INBOUND_RULES[operation]
  const note = order?.facts && oldNoteOf?.(order.facts, body)
  return note === undefined ? {} : { note }
}
