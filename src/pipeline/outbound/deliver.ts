/** Takes one delivery from state to state: gives its file its final name exactly once, then acknowledges its records. */
import type { DeliveryEntry, DeliveryState } from '../../domain/delivery.ts'
import type { Syntax } from '../../domain/interchange.ts'
import type { NumberScope } from '../../domain/interchange-journal.ts'
import type { WorkRef } from '../../domain/journal.ts'
import { addNameSuffix } from '../../domain/mailbox.ts'
import type { RecordResult, ReportedRecord, SendingRecord, StateCounts } from '../../domain/record.ts'
import { assert, BridgeError, throwIfStopped } from '../../support/errors.ts'
import type { OutboundContext } from '../context.ts'
import { assertSameParty, createAccountCheck, tryRead } from '../failures.ts'
import {
  type ComposeContext,
  getDeliverySpoolName,
  isDeliverySpoolName,
  writeDeliveryLines,
} from './compose.ts'
import { isAwaitingConfirmation } from './confirmation-rules.ts'
import { deliverOnce } from './naming.ts'
import { getFolderPlace } from './outbox.ts'
import { readPages } from '../../support/async.ts'
import { readApiErrors } from '../../contract/api-errors.ts'
import { OPERATIONS, type OutboundOperation } from '../../contract/operations.ts'
import type { CallResult, Resource } from '../../domain/api.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import { dispatchRecords, type DispatchOptions } from '../send/dispatch.ts'
import { createRecordCall } from './listing.ts'

/** How many records with problems are named; the journal has them all. */
export const TROUBLED_MAX = 100

export interface DeliveryResult {
  readonly delivery: DeliveryEntry
  /** Whether this pass delivered the file, and not an earlier one. */
  readonly isNewlyDelivered: boolean
  /** Its records are acknowledged once its file is picked up or confirmed. */
  readonly isAwaited?: true
  /** Only where it waits for the answer of a partner: in which syntax. */
  readonly answerSyntax?: Syntax
  /** The path of the file, for people. */
  readonly path: string
  readonly records: StateCounts
  /** Records that were not acknowledged, and why. */
  readonly troubled: readonly ReportedRecord[]
}

/** Does all steps that are possible now. Another bridge may have stopped midway through an earlier delivery. */
export async function finishDelivery(context: OutboundContext, delivery: DeliveryEntry, isNew: boolean) {
  await assertSameParty(context, { delivery: delivery.id }, `Records of file ${delivery.name}`)
  if (!isNew && !isDelivered(delivery)) await assertSamePartner(context, delivery)
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
    ...(isAwaitingConfirmation(context, current) ? { isAwaited: true, ...describeAwaited(context) } : {}),
    path: context.target.describe(current.folder, current.name),
    records,
    troubled: await context.journal.listProblemRecords(work, TROUBLED_MAX),
  }
  return result
}

function describeAwaited({ route, interchanges }: OutboundContext): Pick<DeliveryResult, 'answerSyntax'> {
  if (route.acknowledge !== 'answered' || interchanges === undefined) return {}
  return { answerSyntax: interchanges.scope.syntax }
}

/** An interchange composed for one partner must not go to the place of another one. */
async function assertSamePartner(
  context: OutboundContext,
  { id, name, route }: DeliveryEntry,
): Promise<void> {
  const scope = (await context.journal.findReservation(id))?.scope
  if (isSameScope(scope, context.interchanges?.scope)) return
  const was = scope === undefined ? 'no partner' : `partner ${scope.receiver}`
  const fix = `Put the partner of route ${route} back until the file is delivered.`
  throw new BridgeError(
    'party-changed',
    `File ${name} was composed for ${was}, and its route names another one`,
    { fix },
  )
}

function isSameScope(one: NumberScope | undefined, other: NumberScope | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  const { syntax, sender, receiver, usage } = one
  return (
    syntax === other.syntax && sender === other.sender && receiver === other.receiver && usage === other.usage
  )
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
  else if (context.route.acknowledge === 'answered') await acknowledgeConfirmed(context, delivery)
}

/** Whether the file in the spool is not needed any more. */
export function isDelivered({ state }: DeliveryEntry): boolean {
  return state !== 'composed'
}

/** composed → delivered, or done where nothing is acknowledged. A file that got its name is never delivered again. */
async function deliverFile(context: OutboundContext, delivery: DeliveryEntry, isNew: boolean): Promise<void> {
  const { journal, lease, route, target } = context
  const { id, folder, records } = delivery
  await deliverOnce(context, {
    ...delivery,
    spooled: getDeliverySpoolName(id),
    isNew,
    compose: () => ensureComposed(context, delivery),
    rename: async (tries) => {
      const name = addNameSuffix(delivery.name, tries + 1)
      await journal.renameDelivery(lease, id, name)
      return name
    },
    finish: async (name) => {
      const place = getFolderPlace(target, folder)
      await (route.acknowledge === 'never'
        ? journal.markDeliveryDone(lease, id, place)
        : journal.markDeliveryDelivered(lease, id, place))
      // A bridge stopped before it noted that the file is in place; the partner may have answered since.
      if (route.acknowledge === 'answered' && !isNew) await applyAnswers(context)
      return () =>
        context.notify({ kind: 'delivered', route: route.name, file: target.describe(folder, name), records })
    },
    // A person states whether the reader has the file; until then it is not delivered again.
    hold: (why) => {
      const reason = `the bridge stopped while it was delivered, and ${why}`
      return journal.holdDelivery(lease, id, reason.slice(0, REASON_MAX))
    },
  })
}

/** A file with other bytes would not be recognized at the target, and its records would be in two files. */
async function ensureComposed(context: OutboundContext, delivery: DeliveryEntry): Promise<void> {
  const { spool } = context
  const name = getDeliverySpoolName(delivery.id)
  if ((await spool.has(name)) || (await composeAgain(context, delivery, name))) return
  throw new BridgeError(
    'cannot-write',
    `The file ${delivery.name} of route ${delivery.route} was composed but not delivered, and its spool file ${spool.path(name)} is missing.`,
    { details: LOST_FILE_FIX },
  )
}

/** Carries out what partners answered; the inboxes of interchanges stored it. */
export async function applyAnswers({ journal, lease, route, notify }: OutboundContext): Promise<void> {
  for (const { name, accepted, refused } of await journal.applyReceivedAnswers(lease))
    notify({ kind: 'delivery-answered', route: route.name, file: name, accepted, refused })
}

/** Puts the bytes of the delivery into the spool; false where its records do not give the same bytes again. */
export async function composeAgain(context: OutboundContext, delivery: DeliveryEntry, name: string) {
  const { spool } = context
  const lines = await writeDeliveryAgain(context, delivery)
  if (lines === undefined) return false
  const { sha256 } = await spool.put(name, lines)
  if (sha256 === delivery.sha256) return true
  await spool.remove(name)
  return false
}

/**
 * The bytes of the delivery once more, from its own records; the reader compares their hash. Undefined where the
 * route writes for another partner by now. Writes nothing.
 */
export async function writeDeliveryAgain(context: ComposeContext, { id }: Pick<DeliveryEntry, 'id'>) {
  const numbers = await context.journal.findReservation(id)
  if (!isSameScope(numbers?.scope, context.interchanges?.scope)) return undefined
  const counts = { progress: { upToRecord: 0, held: [] }, found: { records: 0, rows: 0 }, numbers }
  const read = (after: number) => context.journal.listDeliveryRecords(id, after, PAGE)
  const pages = readPages(read, 0, (record) => record.id)
  return writeDeliveryLines(context, pages, counts)
}

/** Removes files whose composing a crash interrupted, and files of deliveries that are in place. */
export async function cleanDeliverySpool({
  spool,
  journal,
  lease,
}: Pick<OutboundContext, 'spool' | 'journal' | 'lease'>): Promise<void> {
  const names = (await spool.list()).filter(isDeliverySpoolName)
  // A process that paused and lost the route must not remove what its successor is composing.
  if (names.length > 0) await journal.renewLease(lease)
  for (const name of names) {
    const delivery = await journal.getDelivery(name.split('.', 1)[0] ?? '')
    if (delivery === undefined || isDelivered(delivery)) await spool.remove(name)
  }
}

// Acknowledges each record of a delivery whose file is where the user wants it, and no other record.

/** A record whose answer was lost is acknowledged again, but in one run not more often than this. */
const ROUNDS_MAX = 3

/**
 * delivered → acknowledged when every record is final. Acknowledging may be repeated, so a pass after a crash does it
 * again. A record that the API refuses to acknowledge stays in its delivery with its problem. A record whose answers
 * are lost again and again keeps the delivery open and blocks no other record.
 */
export async function acknowledgeDelivery(context: OutboundContext, delivery: DeliveryEntry): Promise<void> {
  const { journal, lease } = context
  const work = { delivery: delivery.id }
  await journal.recoverAttempts(lease, work)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await journal.retryDeferredRecords(lease, work)
    await acknowledgeWaiting(context, delivery, work)
    if (await journal.markDeliveryAcknowledged(lease, delivery.id)) return
  }
}

/** The partner accepted some records of the delivery, and has not answered the others. */
async function acknowledgeConfirmed(context: OutboundContext, delivery: DeliveryEntry): Promise<void> {
  const { journal, lease } = context
  const work = { delivery: delivery.id, isConfirmed: true } as const
  await journal.recoverAttempts(lease, work)
  await journal.retryDeferredRecords(lease, work)
  await acknowledgeWaiting(context, delivery, work)
}

function acknowledgeWaiting(
  context: OutboundContext,
  delivery: DeliveryEntry,
  work: Extract<WorkRef, { delivery: string }>,
): Promise<void> {
  const { name: file, records: total } = delivery
  const progress = {
    kind: 'progress',
    route: context.route.name,
    file,
    phase: 'acknowledging',
    total,
  } as const
  return dispatchRecords({
    ...context,
    work,
    send: createAcknowledger(context),
    resetState: 'collected',
    onProgress: (done) => context.notify({ ...progress, done }),
  })
}

/** Makes the function that acknowledges one record. A failed read defers its own record and stops no other. */
function createAcknowledger(context: OutboundContext): DispatchOptions['send'] {
  const { api, route } = context
  const checkAccount = createAccountCheck(api, route.party)
  const { acknowledge, get }: OutboundOperation = OPERATIONS[route.operation]
  assert(acknowledge && get, `nothing is acknowledged of what ${route.operation} lists`)
  const readAgain = (record: SendingRecord) =>
    tryRead(() => api.get(createRecordCall(route, get, record.naturalKey)))

  return async (record, permit) => {
    const { id } = record
    if (route.verifyBeforeAck) {
      const now = await readAgain(record)
      if ('trouble' in now) return createDeferredResult(id, 'answer-lost', now.trouble)
      const changed = findDecidingChange(now.value)
      if (changed) return { id, ...changed }
    }
    const answer = await api.send(createRecordCall(route, acknowledge, record.naturalKey), permit)
    if (answer.certainty === 'answered' && answer.status < 400) {
      return { id, state: 'accepted', http: answer.status, problems: [] }
    }
    if (answer.certainty === 'not-applied')
      return createDeferredResult(id, 'not-sent', answer.detail, answer.fix)
    // Refused, or the answer was lost: the record itself shows whether it is acknowledged.
    const now = await readAgain(record)
    if ('value' in now && isAcknowledged(now.value)) return { id, state: 'accepted', problems: [] }
    if (answer.certainty === 'unknown') return createDeferredResult(id, 'answer-lost', answer.detail)
    if (answer.status === 403) await checkAccount()
    if ('trouble' in now) return createDeferredResult(id, 'answer-lost', now.trouble)
    return { id, state: 'rejected', http: answer.status, problems: describeRefusal(answer) }
  }
}

function createDeferredResult(
  id: number,
  code: 'answer-lost' | 'not-sent',
  detail: string,
  fix?: string,
): RecordResult {
  return { id, state: 'deferred', problems: [problem(code, {}, detail, fix)] }
}

function describeRefusal({ status, body, text }: Extract<CallResult, { certainty: 'answered' }>): Problem[] {
  const code = 'acknowledge-refused'
  const errors = readApiErrors(body, text)
  if (errors.length === 0) return [problem(code, {}, `HTTP ${status}, without a reason`)]
  return errors.map(({ path, message }) => problem(code, path === '' ? {} : { field: path }, message))
}

function isAcknowledged(resource: Resource | undefined): boolean {
  return resource?.['is_acknowledged'] === true
}

/** A change since the record was written into the file, if it decides the outcome of the record. */
function findDecidingChange(resource: Resource | undefined) {
  if (isAcknowledged(resource)) return { state: 'accepted', problems: [] } as const
  const hold = (why: string) =>
    ({ state: 'held', problems: [problem('changed-since-delivery', {}, why)] }) as const
  if (resource === undefined) return hold('it is not there any more')
  if (String(resource['status']).toLowerCase() !== 'canceled') return undefined
  const at = typeof resource['canceled_at'] === 'string' ? ` at ${resource['canceled_at']}` : ''
  return hold(`it was cancelled${at}`)
}
