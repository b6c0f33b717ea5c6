/** The lines of orders, and of the resources whose lines point to them, for many at once; the status of an order by its lines. */
import type { Selectable } from 'kysely'
import { groupBy } from '../../support/collections.ts'
import type { ServiceContext } from '../endpoints.ts'
import { ITEM_COLUMNS, type Summarize } from '../items/summaries.ts'
import { build, idsFromJson, type IdsParameter, idsParameter, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
/** The lines of orders with their items, in the order they were sent. `cartons` is how many packages hold one item. */
const orderLines = build
  .selectFrom('order_lines')
  .innerJoin('orders', 'orders.id', 'order_lines.order_id')
  .innerJoin('variants', 'variants.id', 'order_lines.variant_id')
  .leftJoin('retailer_variants', (join) =>
    join
      .onRef('retailer_variants.variant_id', '=', 'order_lines.variant_id')
      .onRef('retailer_variants.retailer_id', '=', 'orders.retailer_id'),
  )
  .selectAll('order_lines')
  .select(ITEM_COLUMNS)
  .select('variants.cartons')
  .orderBy('order_lines.id')

const linesOfOrders = (p: IdsParameter) => orderLines.where('order_lines.order_id', 'in', idsFromJson(p.ids))

const linesByIds = (p: IdsParameter) => orderLines.where('order_lines.id', 'in', idsFromJson(p.ids))

export function readLinesOfOrders(store: Store, orderIds: readonly number[]) {
  return store.rows(linesOfOrders, idsParameter(orderIds))
}

export type OrderLineRow = ReturnType<typeof readLinesOfOrders>[number]

/** Reads the order lines that other lines point to, by their ids. */
export function readOrderLines(store: Store, pointing: readonly { readonly order_line_id: number }[]) {
  const ids = pointing.map((line) => line.order_line_id)
  return new Map(store.rows(linesByIds, idsParameter(ids)).map((line) => [line.id, line]))
}

export function sumUnits(lines: readonly { order_line_id: number; quantity: number }[]): Map<number, number> {
  const sums = new Map<number, number>()
  for (const { order_line_id: id, quantity } of lines) sums.set(id, (sums.get(id) ?? 0) + quantity)
  return sums
}

type LineTable = 'cancel_lines' | 'shipment_lines' | 'invoice_lines' | 'rma_lines' | 'credit_lines'

/** The lines of each resource, with the line of the order and the item of each. */
export function readLinesOf<Name extends LineTable, Summary>(
  context: ServiceContext,
  [table, parent]: readonly [Name, parent: keyof Tables[Name] & string],
  ids: readonly number[],
  summarize: Summarize<Summary>,
) {
  type Line = Selectable<Tables[Name]> & { readonly order_line_id: number }
  const lines = context.store.findAll(table, parent, ids) as Line[]
  const ordered = readOrderLines(context.store, lines)
  const summaryOf = summarize(context, [...ordered.values()])
  const withItems = lines.flatMap((line) => {
    const orderLine = ordered.get(line.order_line_id)
    return orderLine === undefined ? [] : [{ ...line, orderLine, variant: summaryOf(orderLine) }]
  })
  const byResource = groupBy(withItems, (line) => Number(line[parent as keyof Line]))
  return (id: number) => byResource.get(id) ?? []
}

// Derives the status of an order from the shipped and canceled units of its lines.

/** Brings the status up to date whenever a line's counters have changed. An order that was closed by hand stays closed. */
export function updateOrderStatus(context: ServiceContext, id: number, now: number): void {
  const { store } = context
  touchOrder(store, id, now)
  const before = store.find('orders', { id })?.status
  if (before !== 'open' && before !== 'partial') return
  const status = computeOrderStatus(context, id)
  const closed_at = status === 'closed' ? now : null
  store.update('orders', { id }, { status, closed_at, canceled_at: status === 'canceled' ? now : null })
}

type OrderStatus = Tables['orders']['status']

/**
 * Computes the status, without regard to closing by hand. Spec: open is "one or more line items outstanding",
 * partial "at least one line item fulfilled", closed "all line items and quantities fulfilled", canceled "entire order
 * canceled". The trigger is not shown: here it is the shipment or cancel that makes it true, and a switch decides whether
 * an order closes by itself.
 */
export function computeOrderStatus({ store, switches }: ServiceContext, id: number): OrderStatus {
  const lines = store.findAll('order_lines', 'order_id', [id])
  const isDone = (line: (typeof lines)[number]) =>
    line.quantity_shipped + line.quantity_canceled === line.quantity
  const hasShipped = (line: (typeof lines)[number]) => line.quantity_shipped > 0
  if (!lines.every(isDone)) return lines.some((line) => isDone(line) && hasShipped(line)) ? 'partial' : 'open'
  if (!lines.some(hasShipped)) return 'canceled'
  return switches.fulfilledOrderCloses ? 'closed' : 'partial'
}

/** Notes that an order or something that belongs to it has changed. Spec: "updated_at". */
export function touchOrder(store: Store, id: number, now: number): void {
  store.update('orders', { id }, { updated_at: now })
}
