/** Acknowledging: each record of a delivery whose file is where the user asked for it, and no other. */
import { readApiErrors } from '../../contract/api-errors.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { Resource } from '../../domain/api.ts'
import type { DeliveryEntry } from '../../domain/journal.ts'
import { problem } from '../../domain/problem.ts'
import type { RecordResult, SendingRecord } from '../../domain/record.ts'
import { drain } from '../drain.ts'
import { partyParams } from '../operations/operation.ts'
import type { OutboundParts } from '../parts.ts'

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
  const { journal, lease, signal, concurrency, route } = parts
  const total = delivery.records
  return drain({
    journal,
    lease,
    signal,
    concurrency,
    work: { delivery: delivery.id },
    perform: (record) => acknowledge(parts, record),
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

async function acknowledge(parts: OutboundParts, record: SendingRecord): Promise<RecordResult> {
  const { id } = record
  const { api, route } = parts
  if (route.reread) {
    const changed = whyNot(await readAgain(parts, record))
    if (changed) return { id, ...changed }
  }
  const params = { ...partyParams(route.party), id: record.naturalKey }
  const answer = await api.send({ endpoint: OPERATIONS[route.operation].acknowledge, params })
  if (answer.certainty === 'answered' && answer.status < 400) {
    return { id, state: 'accepted', http: answer.status, problems: [] }
  }
  if (answer.certainty === 'not-applied') {
    return { id, state: 'deferred', problems: [problem('not-sent', {}, answer.detail)] }
  }
  // Refused, or its answer lost: the record itself tells whether it is acknowledged.
  if (isAcknowledged(await readAgain(parts, record))) return { id, state: 'accepted', problems: [] }
  if (answer.certainty === 'unknown') {
    return { id, state: 'deferred', problems: [problem('answer-lost', {}, answer.detail)] }
  }
  const problems = readApiErrors(answer.body, answer.text).map(({ path, message }) =>
    problem('acknowledge-refused', path === '' ? {} : { field: path }, message),
  )
  if (problems.length === 0) {
    problems.push(problem('acknowledge-refused', {}, `HTTP ${answer.status}, without a reason`))
  }
  return { id, state: 'rejected', http: answer.status, problems }
}

function readAgain({ api, route }: OutboundParts, record: SendingRecord): Promise<Resource | undefined> {
  const params = { ...partyParams(route.party), id: record.naturalKey }
  return api.get({ endpoint: OPERATIONS[route.operation].get, params })
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
