/** Acknowledging: each record of a delivery whose file is where the user asked for it, and no other. */
import { readApiErrors } from '../../contract/api-errors.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { OutboundOperation } from '../../contract/outbound-operations.ts'
import type { CallResult, Resource } from '../../domain/api.ts'
import type { DeliveryEntry } from '../../domain/journal.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { RecordResult, SendingRecord } from '../../domain/record.ts'
import { drain, type DrainOptions } from '../drain.ts'
import { assert } from '../../support/errors.ts'
import type { OutboundParts } from '../parts.ts'
import { accountCheck, tryRead } from '../reads.ts'
import { recordCall } from './calls.ts'

/** A record whose answer was lost is acknowledged again; more often than this in one run helps nobody. */
const ROUNDS_MAX = 3

/**
 * delivered → acknowledged when every record is final. Acknowledging may be repeated, so what a crash interrupted is
 * simply done again. A record the API refuses to acknowledge stays in its delivery with its problem; one whose answers
 * are lost again and again keeps the delivery open, and stands in the way of no other.
 */
export async function acknowledgeDelivery(parts: OutboundParts, delivery: DeliveryEntry): Promise<void> {
  const { journal, lease } = parts
  const work = { delivery: delivery.id }
  await journal.recoverAttempts(lease, work)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await journal.retryDeferred(lease, work)
    await acknowledgeWaiting(parts, delivery)
    if (await journal.deliveryAcknowledged(lease, delivery.id)) return
  }
}

function acknowledgeWaiting(parts: OutboundParts, delivery: DeliveryEntry): Promise<void> {
  const { journal, lease, signal, clock, concurrency, route } = parts
  const total = delivery.records
  return drain({
    journal,
    lease,
    signal,
    clock,
    concurrency,
    work: { delivery: delivery.id },
    perform: acknowledger(parts),
    unsent: 'collected',
    onProgress: (done) =>
      parts.notify({
        kind: 'progress',
        route: route.name,
        file: delivery.name,
        phase: 'acknowledging',
        done,
        total,
      }),
  })
}

/** Makes the function that acknowledges one record. A read that fails defers its record and stops no other. */
function acknowledger(parts: OutboundParts): DrainOptions['perform'] {
  const { api, route } = parts
  const checkAccount = accountCheck(api, route.party)
  const { acknowledge, get }: OutboundOperation = OPERATIONS[route.operation]
  assert(acknowledge && get, `nobody acknowledges what ${route.operation} lists`)
  const readAgain = (record: SendingRecord) =>
    tryRead(() => api.get(recordCall(route, get, record.naturalKey)))

  return async (record, permit) => {
    const { id } = record
    if (route.reread) {
      const now = await readAgain(record)
      if ('trouble' in now) return deferred(id, 'answer-lost', now.trouble)
      const changed = whyNot(now.value)
      if (changed) return { id, ...changed }
    }
    const answer = await api.send(recordCall(route, acknowledge, record.naturalKey), permit)
    if (answer.certainty === 'answered' && answer.status < 400) {
      return { id, state: 'accepted', http: answer.status, problems: [] }
    }
    if (answer.certainty === 'not-applied') return deferred(id, 'not-sent', answer.detail)
    // Refused, or its answer lost: the record itself tells whether it is acknowledged.
    const now = await readAgain(record)
    if ('value' in now && isAcknowledged(now.value)) return { id, state: 'accepted', problems: [] }
    if (answer.certainty === 'unknown') return deferred(id, 'answer-lost', answer.detail)
    if (answer.status === 403) await checkAccount()
    if ('trouble' in now) return deferred(id, 'answer-lost', now.trouble)
    return { id, state: 'rejected', http: answer.status, problems: refusals(answer) }
  }
}

function deferred(id: number, code: 'answer-lost' | 'not-sent', detail: string): RecordResult {
  return { id, state: 'deferred', problems: [problem(code, {}, detail)] }
}

function refusals({ status, body, text }: Extract<CallResult, { certainty: 'answered' }>): Problem[] {
  const problems = readApiErrors(body, text).map(({ path, message }) =>
    problem('acknowledge-refused', path === '' ? {} : { field: path }, message),
  )
  return problems.length > 0
    ? problems
    : [problem('acknowledge-refused', {}, `HTTP ${status}, without a reason`)]
}

function isAcknowledged(resource: Resource | undefined): boolean {
  return resource?.['is_acknowledged'] === true
}

/** What happened to the record since it was put into the file, when that decides its outcome. */
function whyNot(resource: Resource | undefined): Pick<RecordResult, 'state' | 'problems'> | undefined {
  if (isAcknowledged(resource)) return { state: 'accepted', problems: [] }
  if (resource === undefined) {
    return { state: 'held', problems: [problem('changed-since-delivery', {}, 'it is not there any more')] }
  }
  if (String(resource['status']).toLowerCase() === 'canceled') {
    const at = typeof resource['canceled_at'] === 'string' ? ` at ${resource['canceled_at']}` : ''
    return { state: 'held', problems: [problem('changed-since-delivery', {}, `it was cancelled${at}`)] }
  }
  return undefined
}
