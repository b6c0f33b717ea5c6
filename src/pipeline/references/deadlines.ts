/** What an order still needs, and by when: the API sets `acknowledge_by` and `fulfill_by`. */
import type { Api, Resource } from '../../domain/api.ts'
import type { Journal } from '../../domain/journal.ts'
import { createPartyParams, readId } from '../../operations/operation.ts'
import { formatScalar, readItems, readLines, readUnits } from '../../operations/order-lines.ts'
import { countOpenUnits } from '../rules/rule.ts'
import { readPages, runInParallel } from '../../support/async.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { MINUTE_MS } from '../../support/clock.ts'
import { formatAccount, type Party } from '../../domain/route.ts'
import { tryRead } from '../failures.ts'

export interface Deadline {
  /** `retailer/1000`. */
  readonly account: string
  /** The id of the order. */
  readonly id: string
  readonly purchaseOrder: string
  readonly what: 'acknowledge' | 'ship'
  /** Milliseconds. */
  readonly by: number
  /** How many units are not shipped or canceled yet; left out where the order does not show them. */
  readonly units?: number
  readonly isAcknowledged: boolean
  /** The account of its brand, which acknowledges and ships it. */
  readonly brand: string
  /** When the API got the order, milliseconds; left out where it does not say so. */
  readonly receivedAt?: number
  /** When the API showed the order, milliseconds. */
  readonly seenAt: number
}

interface SeenOrder {
  readonly account: string
  readonly order: Resource
  readonly seenAt: number
}

/** The deadlines of an order that is open or partial; none of another one. */
export function listDeadlines({ account, order, seenAt }: SeenOrder): Deadline[] {
  if (!['open', 'partial'].includes(String(order['status']))) return []
  const called = {
    account,
    id: readId(order) ?? '',
    purchaseOrder: formatScalar(order['purchase_order_number']),
    isAcknowledged: order['is_acknowledged'] === true,
    brand: findBrandAccount(order) ?? account,
    ...omitUndefined({ receivedAt: parseTime(order['received_at']) }),
    seenAt,
  }
  const units = sumOpenUnits(order)
  const deadlines: Deadline[] = []
  const acknowledgeBy = parseTime(order['acknowledge_by'])
  if (order['is_acknowledged'] !== true && acknowledgeBy !== undefined)
    deadlines.push({ ...called, what: 'acknowledge', by: acknowledgeBy })
  const fulfillBy = parseTime(order['fulfill_by'])
  if (units !== 0 && fulfillBy !== undefined)
    deadlines.push({ ...called, what: 'ship', by: fulfillBy, ...(units === undefined ? {} : { units }) })
  return deadlines
}

function findBrandAccount({ brand }: Resource): string | undefined {
  const id = typeof brand === 'object' && brand !== null ? readId(brand as Resource) : undefined
  return id === undefined ? undefined : formatAccount({ kind: 'brand', id: Number(id) })
}

/** Undefined where a line does not show its quantity. */
function sumOpenUnits(order: Resource): number | undefined {
  let sum = 0
  for (const line of readLines(order)) {
    const units = countOpenUnits(line)
    if (units === undefined) return undefined
    sum += Math.max(0, units)
  }
  return sum
}

function parseTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isNaN(time) ? undefined : time
}

const PAGE = 250

/** The deadlines that `isDue` accepts, of the orders as the bridge last saw them; asks no API. */
export async function* findSeenDeadlines(
  journal: Journal,
  account: string,
  isDue: (deadline: Deadline) => boolean,
): AsyncGenerator<Deadline, void, undefined> {
  const read = (after: string) => journal.listOpenOrders(account, after, PAGE)
  for await (const page of readPages(read, '', ({ id }) => id)) {
    const deadlines = page.flatMap(({ facts = {}, seenAt }) =>
      listDeadlines({ account, order: facts, seenAt }),
    )
    for (const deadline of deadlines.filter(isDue)) {
      const left = await subtractOwnWork(journal, deadline)
      if (left !== undefined) yield left
    }
  }
}

/** What one order still needs, as the bridge last saw it and after what it did since. */
export async function findOrderDeadlines(journal: Journal, seen: SeenOrder): Promise<Deadline[]> {
  const left = listDeadlines(seen).map((deadline) => subtractOwnWork(journal, deadline))
  return (await Promise.all(left)).filter((deadline) => deadline !== undefined)
}

/** What the bridge did after it saw the order: the answer to that need not show the order. Undefined when all is done. */
async function subtractOwnWork(journal: Journal, seen: Deadline): Promise<Deadline | undefined> {
  const { account, brand, id, what, units, seenAt } = seen
  const isAcknowledged =
    seen.isAcknowledged || (await journal.hasAcknowledged({ account: brand, id, since: seenAt }))
  if (what === 'acknowledge' && isAcknowledged) return undefined
  const deadline = { ...seen, isAcknowledged }
  if (what === 'acknowledge' || units === undefined) return deadline
  const of = { lane: id, since: seenAt }
  const shipped = await journal.listAcceptedBodies({ ...of, account: brand, operations: ['create-shipment'] })
  const canceled = await journal.listAcceptedBodies({ ...of, account, operations: ['create-cancel'] })
  const done = [...shipped, ...canceled]
    .map((text) => JSON.parse(text) as Resource)
    .flatMap((body) => [...readItems(body, 'shipment_lines'), ...readItems(body, 'cancel_lines')])
    .reduce((sum, item) => sum + (readUnits(item, 'quantity') ?? 0), 0)
  return units > done ? { ...deadline, units: units - done } : undefined
}

/** What was seen so long ago is read again before it raises an alert. */
const STALE_MS = 15 * MINUTE_MS

/** So many orders a pass, those first that were not seen for the longest time. */
const READS_MAX = 50

const READS_IN_FLIGHT = 8

interface LateOrderReader {
  /** Stores what it reads. */
  readonly api: Api
  readonly journal: Journal
  readonly party: Party
  readonly now: number
}

/** Reads due orders again: they may have been acknowledged, shipped or canceled by others. What is not shown stays as it was. */
export async function readDueOrdersAgain(
  { api, journal, party, now }: LateOrderReader,
  isDue: (deadline: Deadline) => boolean,
): Promise<void> {
  const isStale = ({ seenAt }: Deadline) => seenAt < now - STALE_MS
  const due = new Map<string, number>()
  const found = findSeenDeadlines(journal, formatAccount(party), (it) => isStale(it) && isDue(it))
  for await (const { id, seenAt } of found) due.set(id, seenAt)
  const oldest = [...due].toSorted(([, one], [, other]) => one - other).slice(0, READS_MAX)
  const endpoint = party.kind === 'brand' ? 'getBrandOrder' : 'getRetailerOrder'
  await runInParallel(oldest, READS_IN_FLIGHT, ([id]) =>
    tryRead(() => api.get({ endpoint, params: { ...createPartyParams(party), id } })),
  )
}
