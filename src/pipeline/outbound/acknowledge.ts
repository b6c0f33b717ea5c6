/** Acknowledges each record of a delivery whose file is where the user wants it, and no other record. */
import { readApiErrors } from '../../contract/api-errors.ts'
import { OPERATIONS, type OutboundOperation } from '../../contract/operations.ts'
import type { CallResult, Resource } from '../../domain/api.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { RecordResult, SendingRecord } from '../../domain/record.ts'
import { dispatchRecords, type DispatchOptions } from '../send/dispatch.ts'
import { assert } from '../../support/errors.ts'
import type { OutboundContext } from '../context.ts'
import { createAccountCheck, tryRead } from '../failures.ts'
import { createRecordCall } from './listing.ts'

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
    await acknowledgeWaiting(context, delivery)
    if (await journal.markDeliveryAcknowledged(lease, delivery.id)) return
  }
}

function acknowledgeWaiting(context: OutboundContext, delivery: DeliveryEntry): Promise<void> {
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
    work: { delivery: delivery.id },
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
