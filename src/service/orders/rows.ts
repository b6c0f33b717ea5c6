/** The lines of orders, and of the resources whose lines point to them, for any number of resources at once. */
import type { Selectable } from 'kysely'
import { groupBy } from '../../support/collections.ts'
import type { ServiceContext } from '../context.ts'
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
