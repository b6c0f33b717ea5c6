/** What an order still needs, and by when: the API sets `acknowledge_by` and `fulfill_by`. */
import type { Resource } from '../../domain/api.ts'
import type { Journal } from '../../domain/journal.ts'
import { readId } from '../../operations/operation.ts'
import { formatScalar, readItems, readLines, readUnits } from '../../operations/order-lines.ts'
import { countOpenUnits } from '../rules/rule.ts'
import { readPages } from '../../support/async.ts'

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
      const left = deadline.what === 'ship' ? await subtractOwnUnits(journal, deadline) : deadline
      if (left !== undefined) yield left
    }
  }
}

/** What the bridge shipped or canceled after it saw the order: no answer to that shows the order. Undefined when all is done. */
async function subtractOwnUnits(journal: Journal, deadline: Deadline): Promise<Deadline | undefined> {
  const { account, id, units, seenAt } = deadline
  if (units === undefined) return deadline
  const operations = ['create-shipment', 'create-cancel']
  const bodies = await journal.listAcceptedBodies({ account, operations, lane: id, since: seenAt })
  const done = bodies
    .map((text) => JSON.parse(text) as Resource)
    .flatMap((body) => [...readItems(body, 'shipment_lines'), ...readItems(body, 'cancel_lines')])
    .reduce((sum, item) => sum + (readUnits(item, 'quantity') ?? 0), 0)
  return units > done ? { ...deadline, units: units - done } : undefined
}
