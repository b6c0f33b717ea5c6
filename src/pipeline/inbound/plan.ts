/**
 * Plans a file: the journal gets every record, with its body or its problems, before the first one is sent. Of a long file
 * whose scan found nothing that concerns several records, the records are planned block by block while it is sent.
 */
import type { FileEntry } from '../../domain/file.ts'
import type { PlannedRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import { assert } from '../../support/errors.ts'
import { readPages } from '../../support/async.ts'
import { identifyRecord, isNamedByKeys } from '../../operations/operations.ts'
import type { InboundContext } from '../context.ts'
import { scanForBlocks } from './blocks.ts'
import { getSpoolName, unpackFile } from './intake.ts'
import { checkManifest } from './manifest.ts'
import { createRefusedRows, joinLanesByOrderNumber } from './order-lanes.ts'
import { createPlanner, type Planning, RECORDS_PER_TRANSACTION } from './planner.ts'
import { type OpenFile, openRows, openSteps } from './steps.ts'

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
  const { route, notify } = context
  const { columns } = opened
  if (columns !== undefined)
    notify({ kind: 'columns-differ', route: route.name, file: file.name, ...columns })
  try {
    const total = await scanForBlocks(context, file, opened)
    if (total === undefined) return await planSteps(context, file, opened)
    await journal.markFilePlanned(lease, file.id, { ...describePlan(opened), total })
    notify({ kind: 'file-planned', route: route.name, file: file.name, records: total })
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

async function planSteps(context: InboundContext, file: FileEntry, opened: OpenFile): Promise<void> {
  const { journal, lease } = context
  const { steps, keyColumns } = opened
  const numbering = { last: 0 }
  const refused = createRefusedRows()
  const { route, notify } = context
  const onProgress = (done: number) =>
    notify({ kind: 'progress', route: route.name, file: file.name, phase: 'translating', done })
  for (const step of steps) {
    const planning = { context: step.context, file, step, keyColumns, numbering, refused }
    if (step.source === undefined) {
      await planOrders(planning)
      continue
    }
    const { reading, bound } = step.source
    const plan = createPlanner({ ...planning, bound, reading, onProgress })
    for await (const rows of reading.batches) await plan.add(bound.translateRows(rows))
    await plan.add(bound.finish())
    const mismatches = bound.listMismatches()
    if (mismatches.length > 0) return journal.markFileUnusable(lease, file.id, mismatches)
    await plan.flush()
    numbering.last += plan.count()
  }
  await journal.markFilePlanned(lease, file.id, describePlan(opened))
  notify({ kind: 'file-planned', route: route.name, file: file.name, records: numbering.last })
}

function describePlan({ steps, keyColumns, first }: OpenFile) {
  const { headerLines, encoding } = first.reading
  const keyed = steps.flatMap(({ source, context: { route } }) =>
    source && isNamedByKeys(route.operation, source.bound) ? [route.operation] : [],
  )
  return { keyColumns, headerLines, encoding, keyed }
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
