/** Before a record is sent: is its order as far as the call needs it? If not, the record waits, is left out, or refused. */
import type { FileEntry, Facts } from '../../domain/journal.ts'
import { problem } from '../../domain/problem.ts'
import type { RecordResult, SendingRecord } from '../../domain/record.ts'
import { accountOf } from '../../domain/route.ts'
import type { RecordInWait } from '../../domain/steps.ts'
import { isoTime } from '../../support/clock.ts'
import { idOf, partyParams } from '../operations/operation.ts'
import type { InboundParts } from '../parts.ts'
import { tryRead } from '../reads.ts'
import { orderReader } from '../references/orders.ts'
import { partsFor } from './steps.ts'

/** What keeps a record from being sent; nothing does when it gives undefined. */
export type OrderGate = (record: SendingRecord) => Promise<RecordResult | undefined>

export function orderGate(parts: InboundParts, file: FileEntry): OrderGate {
  const { api, route, journal } = parts
  if (route.when === undefined && route.waitMs === undefined) return () => Promise.resolve(undefined)
  return async (record) => {
    const id = orderIdOf(record)
    if (id === undefined) return undefined
    if (route.operation === 'create-invoice') {
      // Our own closing has just shown the order. An order that is known to be closed may be so no more: the API tells.
      const [known] = await journal.resourcesById(accountOf(route.party), 'order', [id])
      if (known?.facts && lackOf(route.operation, known.facts) === undefined) return undefined
    }
    const params = { ...partyParams(route.party), id }
    const read = await tryRead(() => api.get({ endpoint: 'getBrandOrder', params }))
    if ('trouble' in read) {
      return { id: record.id, state: 'deferred', problems: [problem('not-sent', {}, read.trouble)] }
    }
    const lack = read.value === undefined ? undefined : lackOf(route.operation, read.value)
    return lack === undefined ? undefined : notReady(parts, file, { id: record.id, lack })
  }
}

/** Where the order is not known, the API has the word. */
function orderIdOf({ body, lane }: Pick<SendingRecord, 'body' | 'lane'>): string | undefined {
  const { order_id: id } = JSON.parse(body) as { order_id?: unknown }
  if (typeof id === 'number') return String(id)
  return /^\d+$/.test(lane) ? lane : undefined
}

/** What is still to happen to the order, in words; undefined when nothing is, or when it never will. */
function lackOf(operation: string, order: Facts): string | undefined {
  const status = String(order['status']).toLowerCase()
  if (status === 'canceled') return undefined
  const units = unitsOf(order)
  const isClosing = operation === 'close-order'
  if (isClosing && (units === undefined || units.ordered === 0)) {
    return `order ${nameIn(order)} is ${status}: it does not show what is shipped`
  }
  const isShipped = units === undefined || units.done >= units.ordered
  if (isShipped && (isClosing || status === 'closed')) return undefined
  const name = `order ${nameIn(order)}`
  const shipped =
    units === undefined ? '' : ` of ${units.ordered} units, ${units.done} are shipped or canceled`
  return isShipped ? `${name} is ${status}, and not closed` : `${name} is ${status}:${shipped}`
}

function nameIn(order: Facts): string {
  const number = order['purchase_order_number']
  return typeof number === 'string' ? number : (idOf(order) ?? '')
}

interface Units {
  readonly ordered: number
  readonly done: number
}

/** Undefined when the order does not show them for every line. */
function unitsOf(order: Facts): Units | undefined {
  const lines = order['order_lines']
  if (!Array.isArray(lines)) return undefined
  let units: Units = { ordered: 0, done: 0 }
  for (const line of lines as (Facts | null)[]) {
    const [ordered, shipped, canceled] = ['quantity', 'quantity_shipped', 'quantity_canceled'].map(
      (field) => line?.[field],
    )
    if (typeof ordered !== 'number' || typeof shipped !== 'number') return undefined
    const done = Math.min(ordered, shipped + (typeof canceled === 'number' ? canceled : 0))
    units = { ordered: units.ordered + ordered, done: units.done + done }
  }
  return units
}

function notReady(
  { route, clock }: InboundParts,
  file: FileEntry,
  { id, lack }: { readonly id: number; readonly lack: string },
): RecordResult {
  const { operation, waitMs } = route
  const until = waitUntil(file, waitMs ?? 0)
  if (waitMs !== undefined && clock.now() < until) {
    const message = `${lack}. It is waited for until ${isoTime(until)}.`
    return { id, state: 'deferred', problems: [problem('waits-for-close', {}, message)] }
  }
  const waited = waitMs === undefined ? '.' : `, and it was waited for until ${isoTime(until)}.`
  const isClosing = operation === 'close-order'
  const code = isClosing ? 'order-not-shipped' : 'order-not-closed'
  const state = isClosing && waitMs === undefined ? 'skipped' : 'rejected'
  return { id, state, problems: [problem(code, {}, `${lack}${waited}`)] }
}

function waitUntil(file: FileEntry, waitMs: number): number {
  return (file.receivedAt ?? file.claimedAt) + waitMs
}

/** How many waiting records are looked at between two writes to the journal. */
const LOOKED_AT_ONCE = 200

/**
 * deferred → planned: what waited for its order and need not any more, because the order is ready or the time is over. The
 * orders are read in bounded numbers, and many of them as one list.
 */
export async function retryWaiting(parts: InboundParts, file: FileEntry): Promise<void> {
  const { journal, lease, clock } = parts
  const orders = orderReader(parts)
  let afterId = 0
  for (;;) {
    const records = await journal.recordsInWait(file.id, afterId, LOOKED_AT_ONCE)
    const last = records.at(-1)
    if (last === undefined) return
    afterId = last.id
    const read = await tryRead(() => orders.anew(records.flatMap((record) => orderIdOf(record) ?? [])))
    const isReady = (record: RecordInWait) => {
      const { waitMs = 0 } = partsFor(parts, record.operation).route
      if (clock.now() >= waitUntil(file, waitMs)) return true
      const order = 'value' in read ? read.value.get(orderIdOf(record) ?? '') : undefined
      return order?.facts !== undefined && lackOf(record.operation, order.facts) === undefined
    }
    const ids = records.filter(isReady).map(({ id }) => id)
    if (ids.length > 0) await journal.retryWaiting(lease, file.id, ids)
  }
}
