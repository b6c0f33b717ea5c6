/** Orders as the retailer and as the brand see them. Spec: "Order", "Order Line". */
import type { BrandOrder, RetailerOrder, RetailerOrderLine } from '../../contract/order.ts'
import { isoTime } from '../../support/clock.ts'
import { flattened, toAddress, toAddressOrNull } from '../addresses.ts'
import type { Directory } from '../directory.ts'
import { groupRows } from '../grouping.ts'
import type { ItemSummaries } from '../items/summaries.ts'
import type { Store } from '../store/store.ts'
import { isoTimeOrNull } from '../times.ts'
import { type Attached, createAttachedReader } from './attached.ts'
import { type OrderLineRow, type OrderRow, prepareOrderLines, prepareOrders } from './rows.ts'

/** Orders by their ids, in the order of the ids, with the same few queries for any number of them. */
export interface OrderReader {
  readonly retailer: (ids: readonly number[]) => RetailerOrder[]
  readonly brand: (ids: readonly number[]) => BrandOrder[]
}

export interface OrderReaderParts {
  readonly store: Store
  readonly directory: Directory
  readonly summaries: ItemSummaries
}

export function createOrderReader({ store, directory, summaries }: OrderReaderParts): OrderReader {
  const orders = prepareOrders(store)
  const orderLines = prepareOrderLines(store)
  const readAttached = createAttachedReader(store)

  function read<Shown>(
    ids: readonly number[],
    show: (parts: OrderParts, lines: readonly OrderLineRow[]) => Shown,
  ) {
    const wanted = { ids: JSON.stringify(ids) }
    const lines = orderLines.all(wanted)
    const attached = readAttached(wanted)
    const linesOf = groupRows(lines, (line) => line.order_id)
    return orders
      .all(wanted)
      .map((row) =>
        show({ row, directory, attached: attached(row.id), lines: linesOf.get(row.id) ?? [] }, lines),
      )
  }

  return {
    retailer: (ids) => {
      let summary: ReturnType<ItemSummaries['retailer']> | undefined
      return read(ids, (parts, all) => toRetailerOrder(parts, (summary ??= summaries.retailer(all))))
    },
    brand: (ids) => {
      let summary: ReturnType<ItemSummaries['brand']> | undefined
      return read(ids, (parts, all) => toBrandOrder(parts, (summary ??= summaries.brand(all))))
    },
  }
}

interface OrderParts {
  readonly row: OrderRow
  readonly directory: Directory
  readonly lines: readonly OrderLineRow[]
  readonly attached: Attached
}

function toRetailerOrder(parts: OrderParts, summary: ReturnType<ItemSummaries['retailer']>): RetailerOrder {
  const common = toCommon(parts)
  return {
    ...common,
    brands: [common.brand],
    order_lines: parts.lines.map((line) => toRetailerLine(line, summary(line))),
  }
}

function toBrandOrder(parts: OrderParts, summary: ReturnType<ItemSummaries['brand']>): BrandOrder {
  const { row, directory } = parts
  const common = toCommon(parts)
  const connection = directory.connection(row.retailer_id, row.brand_id)
  return {
    ...common,
    shipping_accounts: [...(connection?.accounts ?? [])],
    // Spec: net_price is absent in the brand view
    order_lines: parts.lines.map((line) => ({ ...toLine(line), variant: summary(line) })),
    ...flattened('ship_to', common.ship_to),
  }
}

function toCommon({ row, directory, attached }: OrderParts) {
  const soldTo = toAddressOrNull(row.sold_to_id, row.sold_to)
  return {
    id: row.id,
    retailer: directory.party('retailer', row.retailer_id),
    brand: directory.party('brand', row.brand_id),
    purchase_order_number: row.purchase_order_number,
    customer_order_number: row.customer_order_number,
    retailer_order_number: row.retailer_order_number,
    sold_to: soldTo,
    ship_to: toAddress(row.ship_to_id, row.ship_to),
    // both deprecated. Spec: what they hold is not shown
    bill_to: soldTo,
    ship_from: toAddressOrNull(row.ship_from_id, row.ship_from),
    shipping_method: row.shipping_method_id === null ? null : directory.method(row.shipping_method_id),
    requested_shipping_method:
      row.requested_shipping_method_id === null
        ? null
        : directory.requestedMethod(row.requested_shipping_method_id),
    shipment_count: attached.shipments.length,
    gift_message: JSON.parse(row.gift_message) as string[],
    subtotal_charged: row.subtotal_charged,
    status: row.status,
    is_acknowledged: row.acknowledged_at !== null,
    ...toTimes(row),
    ...attached,
    attachments: [],
    memos: [],
  }
}

function toTimes(row: OrderRow) {
  return {
    acknowledge_by: isoTime(row.acknowledge_by),
    fulfill_by: isoTime(row.fulfill_by),
    received_at: isoTime(row.received_at),
    ordered_at: isoTime(row.ordered_at),
    acknowledged_at: isoTimeOrNull(row.acknowledged_at),
    pickup_on: isoTimeOrNull(row.pickup_on),
    closed_at: isoTimeOrNull(row.closed_at),
    canceled_at: isoTimeOrNull(row.canceled_at),
    updated_at: isoTime(row.updated_at),
  }
}

/** A line as retailers see it, on an order or on a return. */
export function toRetailerLine(line: OrderLineRow, variant: RetailerOrderLine['variant']): RetailerOrderLine {
  return { ...toLine(line), variant, net_price: line.net_price }
}

/** Nothing is charged for shipping and tax, because no order can say so. */
function toLine(line: OrderLineRow) {
  return {
    id: line.id,
    order_line_number: String(line.number),
    quantity: line.quantity,
    quantity_shipped: line.quantity_shipped,
    quantity_returned: line.quantity_returned,
    quantity_canceled: line.quantity_canceled,
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
