/** Orders as the retailer and the brand see them. Spec: "Order", "Order Line". */
import { CANCEL_REASONS } from '../../contract/cancel.ts'
import {
  BrandOrder,
  BrandOrderLine,
  type OrderCancel,
  OrderCredit,
  OrderInvoice,
  OrderRma,
  type OrderShipment,
  RetailerOrder,
  RetailerOrderLine,
} from '../../contract/order.ts'
import { isoTime } from '../../support/clock.ts'
import { groupBy } from '../../support/collections.ts'
import type { ServiceContext } from '../endpoints.ts'
import { summarizeForBrand, summarizeForRetailer } from '../items/summaries.ts'
import {
  build,
  idsFromJson,
  type IdsParameter,
  idsParameter,
  type RowOf,
  type Store,
} from '../store/store.ts'
import type { TradeDirectory } from '../trade/directory.ts'
import {
  addressFromJson,
  addressFromJsonOrNull,
  createRowView,
  flattenAddress,
  isoTimeOrNull,
} from '../values.ts'
import { type OrderLineRow, readLinesOfOrders } from './rows.ts'

const showForRetailer = createRowView(RetailerOrder)
const showForBrand = createRowView(BrandOrder)
const showRetailerLine = createRowView(RetailerOrderLine)
const showBrandLine = createRowView(BrandOrderLine)
const showInvoice = createRowView(OrderInvoice)
const showRma = createRowView(OrderRma)
const showCredit = createRowView(OrderCredit)

export function readRetailerOrders(context: ServiceContext, ids: readonly number[]): RetailerOrder[] {
  const { orders, allLines } = readOrders(context, ids)
  const summaryOf = summarizeForRetailer(context, allLines)
  return orders.map(({ row, common, lines }) => {
    const order_lines = lines.map((line) => toRetailerLine(line, summaryOf(line)))
    return showForRetailer(row, { ...common, brands: [common.brand], order_lines })
  })
}

export function readBrandOrders(context: ServiceContext, ids: readonly number[]): BrandOrder[] {
  const { orders, allLines } = readOrders(context, ids)
  const summaryOf = summarizeForBrand(context, allLines)
  return orders.map(({ row, common, lines }) => {
    const connection = context.directory.findConnection(common.retailer.id, common.brand.id)
    return showForBrand(row, {
      ...common,
      shipping_accounts: [...(connection?.accounts ?? [])],
      // Spec: net_price is absent in the brand view
      order_lines: lines.map((line) =>
        showBrandLine(line, { ...toLineFields(line), variant: summaryOf(line) }),
      ),
      ...flattenAddress('ship_to', common.ship_to),
    })
  })
}

function readOrders({ store, directory }: ServiceContext, ids: readonly number[]) {
  const allLines = readLinesOfOrders(store, ids)
  const linesOf = groupBy(allLines, (line) => line.order_id)
  const relatedTo = readRelatedRecords(store, ids)
  const orders = store.rows(ordersByIds, idsParameter(ids)).map((row) => ({
    row,
    common: toCommonFields(row, directory, relatedTo(row.id)),
    lines: linesOf.get(row.id) ?? [],
  }))
  return { orders, allLines }
}

/** `ship_from` is the origin of the first shipment. */
const ordersByIds = (p: IdsParameter) =>
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
    .where('orders.id', 'in', idsFromJson(p.ids))
    .orderBy('orders.id')

function toCommonFields(
  row: RowOf<typeof ordersByIds>,
  directory: TradeDirectory,
  related: ReturnType<ReturnType<typeof readRelatedRecords>>,
) {
  const soldTo = addressFromJsonOrNull(row.sold_to_id, row.sold_to)
  return {
    retailer: directory.getParty('retailer', row.retailer_id),
    brand: directory.getParty('brand', row.brand_id),
    sold_to: soldTo,
    ship_to: addressFromJson(row.ship_to_id, row.ship_to),
    // both deprecated. Spec: their contents are not shown
    bill_to: soldTo,
    ship_from: addressFromJsonOrNull(row.ship_from_id, row.ship_from),
    shipping_method: row.shipping_method_id === null ? null : directory.getMethod(row.shipping_method_id),
    requested_shipping_method:
      row.requested_shipping_method_id === null
        ? null
        : directory.getRequestedMethod(row.requested_shipping_method_id),
    shipment_count: related.shipments.length,
    gift_message: JSON.parse(row.gift_message) as string[],
    ...related,
    attachments: [],
    memos: [],
  }
}

export function toRetailerLine(line: OrderLineRow, variant: RetailerOrderLine['variant']): RetailerOrderLine {
  return showRetailerLine(line, { ...toLineFields(line), variant })
}

/** Charges nothing for shipping and tax, because orders have no fields for them. */
function toLineFields({ number, subtotal }: OrderLineRow) {
  const charged = { shipping_charged: '0.00', subtotal_charged: subtotal, tax_charged: '0.00' }
  return { order_line_number: String(number), ...charged }
}

// Related records of an order. Spec: the shapes inside these arrays are not shown; they are our choice.

function readRelatedRecords(store: Store, ids: readonly number[]) {
  const shipments = groupBy(store.rows(shipmentLines, idsParameter(ids)), (line) => line.order_id)
  const cancels = groupBy(store.rows(cancelLines, idsParameter(ids)), (line) => line.order_id)
  const invoices = groupBy(store.findAll('invoices', 'order_id', ids), (invoice) => invoice.order_id)
  const rmas = groupBy(store.findAll('rmas', 'order_id', ids), (rma) => rma.order_id)
  const credits = groupBy(store.findAll('credits', 'order_id', ids), (credit) => credit.order_id)
  return (id: number) => ({
    shipments: toShipments(shipments.get(id) ?? []),
    cancels: toCancels(cancels.get(id) ?? []),
    invoices: (invoices.get(id) ?? []).map((invoice) => showInvoice(invoice, {})),
    rmas: (rmas.get(id) ?? []).map((rma) => showRma(rma, {})),
    credits: (credits.get(id) ?? []).map((credit) => showCredit(credit, {})),
  })
}

const shipmentLines = (p: IdsParameter) =>
  build
    .selectFrom('shipments')
    .innerJoin('shipment_lines', 'shipment_lines.shipment_id', 'shipments.id')
    .innerJoin('order_lines', 'order_lines.id', 'shipment_lines.order_line_id')
    .select(['shipments.order_id', 'shipments.id', 'shipments.tracking_number', 'shipments.shipped_at'])
    .select(['shipments.status', 'order_lines.number', 'shipment_lines.part', 'shipment_lines.quantity'])
    .where('shipments.order_id', 'in', idsFromJson(p.ids))
    .orderBy('shipment_lines.id')

const cancelLines = (p: IdsParameter) =>
  build
    .selectFrom('cancels')
    .innerJoin('cancel_lines', 'cancel_lines.cancel_id', 'cancels.id')
    .innerJoin('order_lines', 'order_lines.id', 'cancel_lines.order_line_id')
    .select(['cancels.order_id', 'cancels.id', 'cancels.reason_id', 'cancels.canceled_at'])
    .select(['order_lines.number', 'cancel_lines.quantity'])
    .where('cancels.order_id', 'in', idsFromJson(p.ids))
    .orderBy('cancel_lines.id')

function toShipments(lines: readonly RowOf<typeof shipmentLines>[]): OrderShipment[] {
  return [...groupBy(lines, (line) => line.id)].map(([id, ofShipment]) => ({
    id,
    tracking_number: ofShipment[0].tracking_number,
    shipped_at: isoTimeOrNull(ofShipment[0].shipped_at),
    status: ofShipment[0].status,
    shipment_lines: ofShipment.map(({ number, part, quantity }) => ({
      order_line_number: String(number),
      part,
      quantity,
    })),
  }))
}

function toCancels(lines: readonly RowOf<typeof cancelLines>[]): OrderCancel[] {
  return [...groupBy(lines, (line) => line.id)].map(([id, ofCancel]) => ({
    id,
    reason: cancelReason(ofCancel[0].reason_id),
    canceled_at: isoTime(ofCancel[0].canceled_at),
    cancel_lines: ofCancel.map(({ number, quantity }) => ({ order_line_number: String(number), quantity })),
  }))
}

export function cancelReason(id: number): string {
  return CANCEL_REASONS[id as keyof typeof CANCEL_REASONS]
}
