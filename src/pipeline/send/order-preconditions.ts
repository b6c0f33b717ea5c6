/** Checks, before a record is sent, whether its order is far enough. If not, the record waits, is skipped or is rejected. */
import type { FileEntry } from '../../domain/file.ts'
import type { ResourceFacts } from '../../domain/resource.ts'
import { problem } from '../../domain/problem.ts'
import type { RecordResult, SendingRecord, WaitingRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import { isoTime } from '../../support/clock.ts'
import { readId, createPartyParams } from '../../operations/operation.ts'
import type { InboundContext } from '../context.ts'
import { tryRead } from '../failures.ts'
import { createOrderReader } from '../references/finder.ts'
import { getStepContext } from '../inbound/steps.ts'
import { createDeferredResult } from './reconcile.ts'
import { readPages } from '../../support/async.ts'

/** Returns the result of a record that must not be sent now; undefined when it may be sent. */
export type OrderPreconditions = (record: SendingRecord) => Promise<RecordResult | undefined>

/** Undefined where no record of the route waits for its order. */
export function createOrderPreconditions(
  context: InboundContext,
  file: FileEntry,
): OrderPreconditions | undefined {
  const { api, route, journal } = context
  if (route.when === undefined && route.waitMs === undefined) return undefined
  return async (record) => {
    const id = readOrderId(record)
    if (id === undefined) return undefined
    if (route.operation === 'create-invoice') {
      // The bridge's own close request has just shown the order. If it was reopened since, the API refuses the invoice.
      const [known] = await journal.findResourcesById(formatAccount(route.party), 'order', [id])
      if (known?.facts && describeMissingStep(route.operation, known.facts) === undefined) return undefined
    }
    const params = { ...createPartyParams(route.party), id }
    const read = await tryRead(() => api.get({ endpoint: 'getBrandOrder', params }))
    if ('trouble' in read) return createDeferredResult(record, read.trouble)
    const lack = read.value && describeMissingStep(route.operation, read.value)
    return lack === undefined ? undefined : createWaitResult(context, file, record.id, lack)
  }
}

/** Undefined where the order is not known: the API decides then. */
function readOrderId({ body, lane }: Pick<SendingRecord, 'body' | 'lane'>): string | undefined {
  const { order_id: id } = JSON.parse(body) as { order_id?: unknown }
  if (typeof id === 'number') return String(id)
  return /^\d+$/.test(lane) ? lane : undefined
}

/** Says what is still missing on the order; undefined when nothing is, or when the order is canceled. */
function describeMissingStep(operation: string, order: ResourceFacts): string | undefined {
  const status = String(order['status']).toLowerCase()
  if (status === 'canceled') return undefined
  const units = countUnits(order)
  const isClosing = operation === 'close-order'
  const purchaseOrder = order['purchase_order_number']
  const start = `order ${typeof purchaseOrder === 'string' ? purchaseOrder : (readId(order) ?? '')} is ${status}`
  if (isClosing && (units === undefined || units.ordered === 0))
    return `${start}: it does not show what is shipped`
  if (units !== undefined && units.done < units.ordered) {
    return `${start}: of ${units.ordered} units, ${units.done} are shipped or canceled`
  }
  return isClosing || status === 'closed' ? undefined : `${start}, and not closed`
}

/** Undefined when the order does not show the units of every line. */
function countUnits(order: ResourceFacts) {
  const lines = order['order_lines']
  if (!Array.isArray(lines)) return undefined
  const units = { ordered: 0, done: 0 }
  for (const line of lines as (ResourceFacts | null)[]) {
    const { quantity, quantity_shipped: shipped, quantity_canceled: canceled } = line ?? {}
    if (typeof quantity !== 'number' || typeof shipped !== 'number') return undefined
    units.ordered += quantity
    units.done += Math.min(quantity, shipped + (typeof canceled === 'number' ? canceled : 0))
  }
  return units
}

function createWaitResult(context: InboundContext, file: FileEntry, id: number, lack: string): RecordResult {
  const { clock, route } = context
  const { operation, waitMs } = route
  const until = getWaitDeadline(file, waitMs ?? 0)
  if (waitMs !== undefined && clock.now() < until) {
    const message = `${lack}. The record waits for it until ${isoTime(until)}.`
    return { id, state: 'deferred', problems: [problem('waiting-for-order', {}, message)] }
  }
  const waited = waitMs === undefined ? '.' : `. The record waited for it until ${isoTime(until)}.`
  const isClosing = operation === 'close-order'
  const code = isClosing ? 'order-not-shipped' : 'order-not-closed'
  const state = isClosing && waitMs === undefined ? 'skipped' : 'rejected'
  return { id, state, problems: [problem(code, {}, `${lack}${waited}`)] }
}

function getWaitDeadline(file: FileEntry, waitMs: number): number {
  return (file.receivedAt ?? file.claimedAt) + waitMs
}

/** How many waiting records are checked between two writes to the journal. */
const WAITING_PAGE = 200

/** deferred → planned: records whose order is ready, or whose waiting time is over. */
export async function retryWaitingRecords(context: InboundContext, file: FileEntry): Promise<void> {
  const { journal, lease, clock } = context
  const orders = createOrderReader(context)
  const list = (afterId: number) => journal.listWaitingRecords(file.id, afterId, WAITING_PAGE)
  for await (const records of readPages(list, 0, ({ id }) => id)) {
    const read = await tryRead(() => orders.readAgain(records.flatMap((record) => readOrderId(record) ?? [])))
    const isReady = (record: WaitingRecord) => {
      const { waitMs = 0 } = getStepContext(context, record.operation).route
      if (clock.now() >= getWaitDeadline(file, waitMs)) return true
      const order = 'value' in read ? read.value.get(readOrderId(record) ?? '') : undefined
      return order?.facts !== undefined && describeMissingStep(record.operation, order.facts) === undefined
    }
    const ids = records.filter(isReady).map(({ id }) => id)
    if (ids.length > 0) await journal.retryWaitingRecords(lease, file.id, ids)
  }
}
