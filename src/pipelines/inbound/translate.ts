/** Planning a file whole: every record of it is in the journal, with its body or its problems, before one is sent. */
import { OPERATIONS } from '../../contract/operations.ts'
import { isUnreadable } from '../../domain/document.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { PlannedRecord } from '../../domain/record.ts'
import { accountOf } from '../../domain/route.ts'
import type { BoundTranslator, Draft } from '../../domain/translator.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundParts } from '../parts.ts'
import { fileSource } from './file-source.ts'
import { identityOf } from './identity.ts'
import { spoolName } from './pick-up.ts'
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
  const { journal, lease, translator, format, spool } = parts
  await journal.beginPlan(lease, file.id)
  const damage = await unpackFile(parts, file)
  if (damage.length > 0) return journal.fileUnusable(lease, file.id, damage)
  const reading = await format.read(spool.read(spoolName(file.id)), translator.read)
  if (isUnreadable(reading)) return journal.fileUnusable(lease, file.id, reading.problems)
  const bound = translator.bind(reading.layouts, fileSource(parts, file))
  if (!('keyColumns' in bound)) return journal.fileUnusable(lease, file.id, bound)

  const { absentColumns: absent, unusedColumns: unused } = bound
  if (absent.length > 0) {
    parts.notify({ kind: 'columns-differ', route: parts.route.name, file: file.name, absent, unused })
  }
  const plan = planner(parts, file, bound.columnOf)
  for await (const rows of reading.batches) await plan.add(bound.push(rows))
  await plan.add(bound.end())
  const disagreements = bound.disagreements()
  if (disagreements.length > 0) return journal.fileUnusable(lease, file.id, disagreements)
  await plan.flush()

  const { headerLines, encoding } = reading
  await journal.filePlanned(lease, file.id, { keyColumns: bound.keyColumns, headerLines, encoding })
}

/** Gathers drafts into transactions of hundreds. */
function planner(parts: InboundParts, file: FileEntry, columnOf: BoundTranslator['columnOf']) {
  const orders = orderReader(parts)
  const resolveReferences = referenceResolver({ ...parts, orders })
  const fillInOrderValues = orderValues({ ...parts, orders })
  const holdToRules = businessRules({ parts, file, orders, columnOf })
  let waiting: Draft[] = []
  let done = 0
  const flush = async () => {
    if (waiting.length === 0) return
    if (parts.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    const drafts = waiting
    waiting = []
    const resolved = await holdToRules(await fillInOrderValues(await resolveReferences(drafts)))
    const records = resolved.map((draft) => toRecord(parts, draft, file))
    await parts.journal.addRecords(parts.lease, file.id, records)
    done += records.length
    parts.notify({ kind: 'progress', route: parts.route.name, file: file.name, phase: 'translating', done })
  }
  const add = async (drafts: readonly Draft[]) => {
    for (const draft of drafts) {
      waiting.push(draft)
      if (waiting.length >= RECORDS_PER_TRANSACTION) await flush()
    }
  }
  return { add, flush }
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
  const identity = identityOf(route.operation, draft.body)
  const { naturalKey, lane } = identity
  return {
    ...common,
    ...identity,
    // What may be repeated is the same record only within its file: tomorrow's stock may be that of yesterday.
    naturalKey: repeatable ? `${naturalKey} ${file.id}` : naturalKey,
    ...(draft.keep === undefined ? {} : { keep: { key: lane, values: draft.keep } }),
  }
}
