/** Rules about the lines of a record beside those of its order: the item is on it, and enough of it is left. */
import type { Facts } from '../../domain/journal.ts'
import type { Body } from '../operations/operation.ts'
import {
  describeItem,
  itemsOf,
  lineMeant,
  linesOf,
  type OrderLine,
  unitsIn,
} from '../operations/order-lines.ts'
import type { Broken } from './rule.ts'

export interface LineRule {
  /** The list of the body: `shipment_lines`. */
  readonly list: string
  /** How many units of the line there are for records like this; undefined where the order does not show it. */
  readonly left: (line: OrderLine) => number | undefined
  /** `to be shipped` */
  readonly use: string
}

export function checkLines(
  { list, left, use }: LineRule,
  { body, order, earlier }: { readonly body: Body; readonly order: Facts; readonly earlier: readonly Body[] },
): Broken[] {
  const lines = linesOf(order)
  const taken = new Map<OrderLine, number>()
  for (const record of earlier) {
    for (const item of itemsOf(record, list)) take(taken, lineMeant(lines, item), unitsIn(item, 'quantity'))
  }
  return itemsOf(body, list).flatMap((item, index): Broken[] => {
    const line = lineMeant(lines, item)
    if (line === 'untold') return []
    if (line === 'none') {
      const message = `the order has no line with this item (${describeItem(item)})`
      return [{ code: 'item-not-ordered', field: `${list}[${index}].variant`, message }]
    }
    const wanted = unitsIn(item, 'quantity') ?? 0
    const there = left(line)
    const before = taken.get(line) ?? 0
    take(taken, line, wanted)
    if (there === undefined || wanted + before <= there) return []
    const field = `${list}[${index}].quantity`
    return [{ code: 'quantity-exceeded', field, message: tooMany({ line, there, before, wanted, use }) }]
  })
}

function take(
  taken: Map<OrderLine, number>,
  line: ReturnType<typeof lineMeant>,
  units: number | undefined,
): void {
  if (typeof line !== 'string') taken.set(line, (taken.get(line) ?? 0) + (units ?? 0))
}

interface TooMany {
  readonly line: OrderLine
  readonly there: number
  readonly before: number
  readonly wanted: number
  readonly use: string
}

function tooMany({ line, there, before, wanted, use }: TooMany): string {
  const ordered = unitsIn(line, 'quantity')
  const of = ordered === undefined ? '' : ` of ${ordered}`
  const others = before === 0 ? '' : `, and earlier records of the file take ${before}`
  return `the record has ${wanted}; only ${Math.max(0, there)}${of} are left ${use}${others}`
}

/** Units that are neither shipped nor canceled. */
export function openUnits(line: OrderLine): number | undefined {
  const [ordered, shipped, canceled] = ['quantity', 'quantity_shipped', 'quantity_canceled'].map((field) =>
    unitsIn(line, field),
  )
  return ordered === undefined || shipped === undefined || canceled === undefined
    ? undefined
    : ordered - shipped - canceled
}

export function shippedUnits(line: OrderLine): number | undefined {
  return unitsIn(line, 'quantity_shipped')
}
