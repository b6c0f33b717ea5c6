/** The rows that orders are made of, for any number of orders at once. */
import { ITEM_COLUMNS, type ItemRow } from '../items.ts'
import { idsIn, type Prepared, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'

type Stored<Name extends 'orders' | 'order_lines' | 'invoices'> = Omit<
  Tables[Name],
  'id' | 'is_acknowledged'
> & { readonly id: number }

export type OrderRow = Stored<'orders'> & { readonly ship_to: string; readonly sold_to: string | null }

export type OrderLineRow = Stored<'order_lines'> & ItemRow

export type OrderInvoiceRow = Pick<
  Stored<'invoices'>,
  'id' | 'order_id' | 'invoice_number' | 'due_amount' | 'invoiced_at'
>

export interface OrderShipmentLineRow {
  readonly order_id: number
  readonly shipment_id: number
  readonly tracking_number: string | null
  readonly shipped_at: number | null
  readonly status: string
  readonly number: number
  readonly part: number
  readonly quantity: number
}

/** The ids of the wanted orders as JSON text. */
interface Wanted {
  readonly ids: string
}

export interface OrderRows {
  readonly orders: Prepared<Wanted, OrderRow>
  readonly lines: Prepared<Wanted, OrderLineRow>
  readonly shipmentLines: Prepared<Wanted, OrderShipmentLineRow>
  readonly invoices: Prepared<Wanted, OrderInvoiceRow>
}

export function prepareOrderRows(store: Store): OrderRows {
  const { build, prepare } = store
  return {
    orders: prepare((p) =>
      build
        .selectFrom('orders')
        .innerJoin('addresses as ship_to', 'ship_to.id', 'orders.ship_to_id')
        .leftJoin('addresses as sold_to', 'sold_to.id', 'orders.sold_to_id')
        .selectAll('orders')
        .select(['ship_to.body as ship_to', 'sold_to.body as sold_to'])
        .where('orders.id', 'in', idsIn(p.ids))
        .orderBy('orders.id'),
    ),
    lines: prepareOrderLines(store),
    shipmentLines: prepare((p) =>
      build
        .selectFrom('shipments')
        .innerJoin('shipment_lines', 'shipment_lines.shipment_id', 'shipments.id')
        .innerJoin('order_lines', 'order_lines.id', 'shipment_lines.order_line_id')
        .select([
          'shipments.order_id',
          'shipments.id as shipment_id',
          'shipments.tracking_number',
          'shipments.shipped_at',
          'shipments.status',
          'order_lines.number',
          'shipment_lines.part',
          'shipment_lines.quantity',
        ])
        .where('shipments.order_id', 'in', idsIn(p.ids))
        .orderBy('shipment_lines.id'),
    ),
    invoices: prepare((p) =>
      build
        .selectFrom('invoices')
        .select(['id', 'order_id', 'invoice_number', 'due_amount', 'invoiced_at'])
        .where('order_id', 'in', idsIn(p.ids))
        .orderBy('id'),
    ),
  }
}

/** The lines of orders with their items, in the order they were sent. */
export function prepareOrderLines({ build, prepare }: Store): Prepared<Wanted, OrderLineRow> {
  return prepare((p) =>
    build
      .selectFrom('order_lines')
      .innerJoin('orders', 'orders.id', 'order_lines.order_id')
      .innerJoin('variants', 'variants.id', 'order_lines.variant_id')
      .leftJoin('retailer_items', (join) =>
        join
          .onRef('retailer_items.variant_id', '=', 'order_lines.variant_id')
          .onRef('retailer_items.retailer_id', '=', 'orders.retailer_id'),
      )
      .selectAll('order_lines')
      .select(ITEM_COLUMNS)
      .where('order_lines.order_id', 'in', idsIn(p.ids))
      .orderBy('order_lines.id'),
  )
}
