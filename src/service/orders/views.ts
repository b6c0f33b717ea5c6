/** Orders as the retailer and as the brand see them. Spec: "Order", "Order Line". */
import type { Order, OrderInvoice, OrderLine, OrderShipment } from '../../contract/order.ts'
import { isoTime } from '../../support/clock.ts'
import { flattened, toAddress } from '../addresses.ts'
import type { Directory, PartyKind } from '../directory.ts'
import { groupRows } from '../grouping.ts'
import { toVariantSummary } from '../items.ts'
import {
  type OrderInvoiceRow,
  type OrderLineRow,
  type OrderRow,
  type OrderShipmentLineRow,
  prepareOrderRows,
} from './rows.ts'
import type { Store } from '../store/store.ts'

/** Orders by their ids, in the order of the ids, with the same few queries for any number of them. */
export type ReadOrders = (ids: readonly number[], view: PartyKind) => Order[]

export function createOrderReader(store: Store, directory: Directory): ReadOrders {
  const rows = prepareOrderRows(store)
  return (ids, view) => {
    const named = { ids: JSON.stringify(ids) }
    const lines = groupRows(rows.lines.all(named), (line) => line.order_id)
    const shipmentLines = groupRows(rows.shipmentLines.all(named), (line) => line.order_id)
    const invoices = groupRows(rows.invoices.all(named), (invoice) => invoice.order_id)
    return rows.orders.all(named).map((row) =>
      toOrder({
        row,
        view,
        directory,
        lines: lines.get(row.id) ?? [],
        shipments: toShipments(shipmentLines.get(row.id) ?? []),
        invoices: (invoices.get(row.id) ?? []).map(toInvoice),
      }),
    )
  }
}

interface OrderParts {
  readonly row: OrderRow
  readonly view: PartyKind
  readonly directory: Directory
  readonly lines: readonly OrderLineRow[]
  readonly shipments: OrderShipment[]
  readonly invoices: OrderInvoice[]
}

function toOrder({ row, view, directory, lines, shipments, invoices }: OrderParts): Order {
  const brand = directory.party('brand', row.brand_id)
  const shipTo = toAddress(row.ship_to_id, row.ship_to)
  const soldTo =
    row.sold_to_id === null || row.sold_to === null ? null : toAddress(row.sold_to_id, row.sold_to)
  return {
    id: row.id,
    retailer: directory.party('retailer', row.retailer_id),
    brand,
    ...(view === 'retailer' ? { brands: [brand] } : {}),
    purchase_order_number: row.purchase_order_number,
    customer_order_number: row.customer_order_number,
    retailer_order_number: null,
    sold_to: soldTo,
    ship_to: shipTo,
    bill_to: null,
    ship_from: null,
    shipping_method: directory.method(row.shipping_method_id),
    requested_shipping_method: null,
    shipment_count: shipments.length,
    gift_message: JSON.parse(row.gift_message) as string[],
    subtotal_charged: row.subtotal_charged,
    status: row.status,
    is_acknowledged: row.acknowledged_at !== null,
    acknowledge_by: isoTime(row.acknowledge_by),
    fulfill_by: isoTime(row.fulfill_by),
    received_at: isoTime(row.received_at),
    ordered_at: isoTime(row.ordered_at),
    acknowledged_at: isoTimeOrNull(row.acknowledged_at),
    pickup_on: null,
    closed_at: isoTimeOrNull(row.closed_at),
    canceled_at: isoTimeOrNull(row.canceled_at),
    updated_at: isoTime(row.updated_at),
    ...(view === 'brand' ? brandOnly(row, directory) : {}),
    order_lines: lines.map((line) => toLine(line, view, brand.name)),
    shipments,
    cancels: [],
    invoices,
    rmas: [],
    credits: [],
    attachments: [],
    memos: [],
    ...(view === 'brand' ? flattened('ship_to', shipTo) : {}),
  }
}

/** Null stays null. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}

function brandOnly(row: OrderRow, directory: Directory): Pick<Order, 'shipping_accounts'> {
  return { shipping_accounts: [...(directory.connection(row.retailer_id, row.brand_id)?.accounts ?? [])] }
}

/** Spec: net_price is absent in the brand view. */
function toLine(line: OrderLineRow, view: PartyKind, brandName: string): OrderLine {
  return {
    id: line.id,
    order_line_number: String(line.number),
    variant: toVariantSummary(line, brandName),
    quantity: line.quantity,
    quantity_shipped: line.quantity_shipped,
    quantity_returned: line.quantity_returned,
    quantity_canceled: line.quantity_canceled,
    ...(view === 'retailer' ? { net_price: line.net_price } : {}),
    price: line.price,
    subtotal: line.subtotal,
    shipping_charged: '0.00',
    subtotal_charged: line.subtotal,
    tax_charged: '0.00',
    fulfill_by: isoTime(line.fulfill_by),
    status: line.status,
    canceled_at: isoTimeOrNull(line.canceled_at),
  }
}

function toShipments(lines: readonly OrderShipmentLineRow[]): OrderShipment[] {
  return [...groupRows(lines, (line) => line.shipment_id)].map(([id, ofShipment]) => {
    const [first] = ofShipment
    return {
      id,
      tracking_number: first?.tracking_number ?? null,
      shipped_at: isoTimeOrNull(first?.shipped_at ?? null),
      status: first?.status ?? 'open',
      shipment_lines: ofShipment.map(({ number, part, quantity }) => ({
        order_line_number: String(number),
        part,
        quantity,
      })),
    }
  })
}

function toInvoice({ id, invoice_number, due_amount, invoiced_at }: OrderInvoiceRow): OrderInvoice {
  return { id, invoice_number, due_amount, invoiced_at: isoTime(invoiced_at) }
}
