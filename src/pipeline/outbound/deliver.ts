/** Takes one delivery from state to state: gives its file its final name exactly once, then acknowledges its records. */
import type { DeliveryEntry, DeliveryState } from '../../domain/delivery.ts'
import { type NamingOutcome, type StagedFile, toNaming } from '../../domain/mailbox.ts'
import { addNameSuffix, NAMES_MAX, namesTakenError } from '../../domain/name-suffix.ts'
import type { ReportedRecord, StateCounts } from '../../domain/record.ts'
import { BridgeError, throwIfStopped } from '../../support/errors.ts'
import type { OutboundContext } from '../context.ts'
import { assertSameParty } from '../failures.ts'
import { acknowledgeDelivery } from './acknowledge.ts'
import { getDeliverySpoolName, writeDeliveryLines } from './compose.ts'
import { isAwaitingConfirmation } from './confirmation-rules.ts'
import { assertOutboxUnused, getFolderPlace } from './outbox.ts'
import { readPages } from '../../support/async.ts'

/** How many records with problems are named; the journal has them all. */
export const TROUBLED_MAX = 100

export interface DeliveryResult {
  readonly delivery: DeliveryEntry
  /** Whether this pass delivered the file, and not an earlier one. */
  readonly isNewlyDelivered: boolean
  /** Its records are acknowledged once its file is picked up or confirmed. */
  readonly isAwaited?: true
  /** The path of the file, for people. */
  readonly path: string
  readonly records: StateCounts
  /** Records that were not acknowledged, and why. */
  readonly troubled: readonly ReportedRecord[]
}

/** Does all steps that are possible now. Another bridge may have stopped midway through an earlier delivery. */
export async function finishDelivery(context: OutboundContext, delivery: DeliveryEntry, isNew: boolean) {
  await assertSameParty(context, { delivery: delivery.id }, `Records of file ${delivery.name}`)
  let current = delivery
  for (let step = NEXT_STEP[current.state]; step !== undefined; step = NEXT_STEP[current.state]) {
    throwIfStopped(context.signal)
    await step(context, current, isNew)
    const next = await context.journal.getDelivery(delivery.id)
    if (next === undefined) break
    const isSame = next.state === current.state
    current = next
    if (isSame) break
  }
  if (isDelivered(current)) await context.spool.remove(getDeliverySpoolName(delivery.id))
  const work = { delivery: delivery.id }
  const records = await context.journal.countRecords(work)
  if (current.state === 'acknowledged' && delivery.state !== 'acknowledged') {
    context.notify({ kind: 'delivery-acknowledged', route: context.route.name, file: current.name, records })
  }
  const result: DeliveryResult = {
    delivery: current,
    isNewlyDelivered: !isDelivered(delivery) && isDelivered(current),
    ...(isAwaitingConfirmation(context, current) ? { isAwaited: true } : {}),
    path: context.target.describe(current.folder, current.name),
    records,
    troubled: await context.journal.listProblemRecords(work, TROUBLED_MAX),
  }
  return result
}

// The file has its final name and is flushed before the journal calls it delivered.

const REASON_MAX = 200

// Composes a delivery again when its file in the spool was lost: only from its own records, and to the same bytes.

const PAGE = 250

const LOST_FILE_FIX = [
  'It cannot be made again as it was: it is a report, or the mapping or its order attributes have changed since. Nothing of it is acknowledged, and nothing of it is delivered in another file.',
  'Put the file back from a backup, or the mapping as it was, and run again. Other files of the route continue.',
]

/** The one next step of each state. */
const NEXT_STEP: Readonly<Record<DeliveryState, typeof deliverFile | undefined>> = {
  composed: deliverFile,
  delivered: continueDelivered,
  acknowledged: undefined,
  done: undefined,
}

/** A route that acknowledges nothing any more may find a delivery from the time when it did. */
async function continueDelivered(context: OutboundContext, delivery: DeliveryEntry): Promise<void> {
  if (context.route.acknowledge === 'never')
    await context.journal.markDeliveryDone(context.lease, delivery.id)
  else if (!isAwaitingConfirmation(context, delivery)) await acknowledgeDelivery(context, delivery)
}

/** Whether the file in the spool is not needed any more. */
export function isDelivered({ state }: DeliveryEntry): boolean {
  return state !== 'composed'
}

/** composed → delivered, or done where nothing is acknowledged. A file that got its name is never delivered again. */
async function deliverFile(context: OutboundContext, delivery: DeliveryEntry, isNew: boolean): Promise<void> {
  const { target, spool } = context
  const [earlier] = isNew ? [] : await context.journal.listNamings(delivery.id)
  if (earlier !== undefined) {
    const naming = await target.inspectNaming(delivery.folder, earlier)
    if (naming === 'named') return noteDelivered(context, delivery, earlier)
    if (naming !== 'not-named') return holdUnclear(context, delivery, naming.unclear)
  }
  if (!isNew) await ensureComposed(context, delivery)
  const staged = await target.stage(spool.path(getDeliverySpoolName(delivery.id)), delivery.folder, {
    name: delivery.name,
    beforeCreate: () => assertOutboxUnused(context, delivery.folder),
    ...(earlier === undefined ? {} : { earlier }),
  })
  await nameFile(context, delivery, staged)
}

async function nameFile(context: OutboundContext, delivery: DeliveryEntry, staged: StagedFile) {
  const { journal, lease, target } = context
  let { name } = delivery
  for (let suffix = 2; suffix <= NAMES_MAX; suffix++) {
    const outcome = await tryName(context, delivery, staged, name)
    if (outcome === 'delivered') return noteDelivered(context, delivery, { ...staged, name })
    if (outcome === 'lost') return failLostFile(context, delivery, staged, name)
    if (outcome !== 'occupied') return holdUnclear(context, delivery, outcome.unclear)
    name = addNameSuffix(delivery.name, suffix)
    await journal.renameDelivery(lease, delivery.id, name)
  }
  await journal.saveNamings(lease, delivery.id, [])
  await target.removeStaged(staged)
  throw namesTakenError(target.describe(delivery.folder, delivery.name))
}

/** The name and the evidence are durable before the file gets its name. */
async function tryName(
  { journal, lease, target }: OutboundContext,
  delivery: DeliveryEntry,
  staged: StagedFile,
  name: string,
): Promise<NamingOutcome> {
  const note = (evidence = staged.evidence) =>
    journal.saveNamings(lease, delivery.id, [toNaming({ ...staged, evidence }, name)])
  await note()
  return target.giveName(staged, name, { note })
}

/** The working file is removed last: until the journal knows that the file is in place, it is the evidence. */
async function noteDelivered(
  context: OutboundContext,
  { id, folder, records }: DeliveryEntry,
  file: Pick<StagedFile, 'working'> & { readonly name: string },
): Promise<void> {
  const { journal, lease, target, route } = context
  const place = getFolderPlace(target, folder)
  await (route.acknowledge === 'never'
    ? journal.markDeliveryDone(lease, id, place)
    : journal.markDeliveryDelivered(lease, id, place))
  await target.removeStaged({ folder, working: file.working })
  context.notify({ kind: 'delivered', route: route.name, file: target.describe(folder, file.name), records })
}

/** Clears the note of a file that got no name. A file staged by an earlier pass may have got it: then the note stays. */
async function failLostFile(
  { journal, lease, target }: OutboundContext,
  delivery: DeliveryEntry,
  staged: StagedFile,
  name: string,
): Promise<never> {
  if (staged.isEarlier !== true) await journal.saveNamings(lease, delivery.id, [])
  const why = `${target.describe(delivery.folder, name)} gets no name: another program removed its working file`
  throw new BridgeError('cannot-write', why)
}

/** A person states whether the reader has the file; until then it is not delivered again. */
function holdUnclear({ journal, lease }: OutboundContext, { id }: DeliveryEntry, why: string): Promise<void> {
  const reason = `the bridge stopped while it was delivered, and ${why}`
  return journal.holdDelivery(lease, id, reason.slice(0, REASON_MAX))
}

/** A file with other bytes would not be recognized at the target, and its records would be in two files. */
async function ensureComposed(context: OutboundContext, delivery: DeliveryEntry): Promise<void> {
  const { spool } = context
  const name = getDeliverySpoolName(delivery.id)
  if (await spool.has(name)) return
  const counts = { progress: { upToRecord: 0, held: [] }, found: { records: 0, rows: 0 } }
  const read = (after: number) => context.journal.listDeliveryRecords(delivery.id, after, PAGE)
  const pages = readPages(read, 0, ({ id }) => id)
  const lines = writeDeliveryLines(context, pages, counts)
  const { sha256 } = await spool.put(name, lines)
  if (sha256 === delivery.sha256) return
  await spool.remove(name)
  throw new BridgeError(
    'cannot-write',
    `The file ${delivery.name} of route ${delivery.route} was composed but not delivered, and its spool file ${spool.path(name)} is missing.`,
    { details: LOST_FILE_FIX },
  )
}
