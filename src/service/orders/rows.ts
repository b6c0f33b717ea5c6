/** The rows that orders are made of, for any number of orders at once. */
import { ITEM_COLUMNS, type ItemRow } from '../items/summaries.ts'
import { idsIn, type Prepared, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

type Stored<Name extends 'orders' | 'order_lines'> = Omit<Tables[Name], 'id' | 'is_acknowledged'> & {
  readonly id: number
}

export type OrderRow = Stored<'orders'> & {
  readonly ship_to: string
  readonly sold_to: string | null
  /** The origin of the first shipment. */
  readonly ship_from_id: number | null
  readonly ship_from: string | null
}

/** `cartons` is how many packages one of the item is shipped in. */
export type OrderLineRow = Stored<'order_lines'> & ItemRow & { readonly cartons: number }

/** The ids of the wanted orders as JSON text. */
export interface Wanted {
  readonly ids: string
}

export function prepareOrders({ build, prepare }: Store): Prepared<Wanted, OrderRow> {
  return prepare((p) =>
    build
      .selectFrom('orders')
      .innerJoin('addresses as ship_to', 'ship_to.id', 'orders.ship_to_id')
      .leftJoin('addresses as sold_to', 'sold_to.id', 'orders.sold_to_id')
      .leftJoin('addresses as ship_from', (join) =>
        join.on('ship_from.id', '=', (expression) =>
          expression
            .selectFrom('shipments')
            .select('ship_from_id')
            .whereRef('order_id', '=', 'orders.id')
            .orderBy('id')
            .limit(1),
        ),
      )
      .selectAll('orders')
      .select(['ship_to.body as ship_to', 'sold_to.body as sold_to'])
      .select(['ship_from.id as ship_from_id', 'ship_from.body as ship_from'])
      .where('orders.id', 'in', idsIn(p.ids))
      .orderBy('orders.id'),
  )
}

/** The lines of orders with their items, in the order they were sent. */
export function prepareOrderLines({ build, prepare }: Store): Prepared<Wanted, OrderLineRow> {
  return prepare((p) =>
    build
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
      .where('order_lines.order_id', 'in', idsIn(p.ids))
      .orderBy('order_lines.id'),
  )
}
