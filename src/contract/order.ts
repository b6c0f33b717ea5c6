/** Orders. Spec: "Order", "Order Line", "Order create". */
import { z } from 'zod'
import { Address, AddressInput, flatAddress } from './address.ts'
import { RequestedShippingMethod, ShippingAccount, ShippingMethod, ShippingMethodInput } from './carrier.ts'
import { boolean, choice, dateTime, id, integer, money, numberText, text, textOrBlank } from './fields.ts'
import { objectSchema } from './object-schema.ts'
import { BrandVariantSummary, oneLinePerItem, RetailerVariantSummary, VariantInput } from './variant.ts'

/** Prices have no shown size; amounts up to 99,999,999.99 are taken. */
const price = () => money(8)

export const OrderLineInput = objectSchema({
  variant: VariantInput,
  quantity: integer(1),
  net_price: price(),
  price: price(),
})

/**
 * The body that creates an order (retailer context). Spec: all required unless marked; purchase_order_number is
 * unique, at most 32 characters; gift_message lines at most 64; one line per unique item.
 */
export const OrderCreate = objectSchema(
  {
    purchase_order_number: numberText(32),
    customer_order_number: text(32).nullish(),
    ordered_at: dateTime(),
    sold_to: AddressInput.nullish(),
    ship_to: AddressInput,
    gift_message: z.array(textOrBlank(64)).nullish(),
    shipping_method: ShippingMethodInput,
    order_lines: z.array(OrderLineInput).min(1),
  },
  oneLinePerItem('order_lines', 'id', 'identifier', 'upc'),
)
export type OrderCreate = z.infer<typeof OrderCreate>

const lineFields = {
  id: id(),
  order_line_number: text(),
  quantity: integer(),
  quantity_shipped: integer(),
  quantity_returned: integer(),
  quantity_canceled: integer(),
  price: price(),
  subtotal: price(),
  shipping_charged: price(),
  subtotal_charged: price(),
  tax_charged: price(),
  fulfill_by: dateTime().nullable(),
  status: choice('open', 'closed'),
  canceled_at: dateTime().nullable(),
}

export const RetailerOrderLine = z.object({
  ...lineFields,
  variant: RetailerVariantSummary,
  net_price: price(),
})
export type RetailerOrderLine = z.infer<typeof RetailerOrderLine>

/** Spec: net_price is "absent in the brand view". */
export const BrandOrderLine = z.object({ ...lineFields, variant: BrandVariantSummary })

export const PartySummary = z.object({ id: id(), name: text(), code: text() })
export type PartySummary = z.infer<typeof PartySummary>

// What belongs to an order, as the order shows it. Spec: not shown; this is our choice.

export const OrderShipment = z.object({
  id: id(),
  tracking_number: text(128).nullable(),
  shipped_at: dateTime().nullable(),
  status: text(32),
  shipment_lines: z.array(z.object({ order_line_number: text(), part: integer(1), quantity: integer() })),
})
export type OrderShipment = z.infer<typeof OrderShipment>

export const OrderInvoice = z.object({
  id: id(),
  invoice_number: text(32),
  due_amount: money(),
  invoiced_at: dateTime(),
})

export const OrderCancel = z.object({
  id: id(),
  reason: text(256),
  canceled_at: dateTime(),
  cancel_lines: z.array(z.object({ order_line_number: text(), quantity: integer() })),
})
export type OrderCancel = z.infer<typeof OrderCancel>

export const OrderRma = z.object({
  id: id(),
  rma_number: text(32).nullable(),
  status: text(),
  rmad_at: dateTime(),
})

export const OrderCredit = z.object({
  id: id(),
  credit_number: text(32),
  credit_amount: money(),
  credited_at: dateTime(),
})

/** Both views. Nothing can be attached yet, so `attachments` and `memos` are empty. */
const orderFields = {
  id: id(),
  retailer: PartySummary,
  brand: PartySummary,
  purchase_order_number: text(32),
  customer_order_number: text(32).nullable(),
  retailer_order_number: text(32).nullable(),
  sold_to: Address.nullable(),
  ship_to: Address,
  bill_to: Address.nullable(),
  ship_from: Address.nullable(),
  shipping_method: ShippingMethod.nullable(),
  requested_shipping_method: RequestedShippingMethod.nullable(),
  shipment_count: integer(),
  gift_message: z.array(textOrBlank(64)),
  subtotal_charged: price(),
  status: choice('open', 'partial', 'closed', 'canceled'),
  is_acknowledged: boolean(),
  acknowledge_by: dateTime().nullable(),
  fulfill_by: dateTime().nullable(),
  received_at: dateTime(),
  ordered_at: dateTime(),
  acknowledged_at: dateTime().nullable(),
  pickup_on: dateTime().nullable(),
  closed_at: dateTime().nullable(),
  canceled_at: dateTime().nullable(),
  updated_at: dateTime(),
  shipments: z.array(OrderShipment),
  cancels: z.array(OrderCancel),
  invoices: z.array(OrderInvoice),
  rmas: z.array(OrderRma),
  credits: z.array(OrderCredit),
  attachments: z.array(z.unknown()),
  memos: z.array(z.unknown()),
}

/** Spec: `brands` is deprecated in favor of `brand`; "older retailer-view payloads still show it". */
export const RetailerOrder = z.object({
  ...orderFields,
  brands: z.array(PartySummary),
  order_lines: z.array(RetailerOrderLine),
})
export type RetailerOrder = z.infer<typeof RetailerOrder>

/** Brands see the shipping accounts and the destination flattened as well. */
export const BrandOrder = z.object({
  ...orderFields,
  shipping_accounts: z.array(ShippingAccount),
  order_lines: z.array(BrandOrderLine),
  ...flatAddress('ship_to'),
})
export type BrandOrder = z.infer<typeof BrandOrder>

// The values that a record about an order may take from the order, by their paths.

const fieldPaths = (path: string, ...names: readonly string[]) => names.map((name) => `${path}.${name}`)

/** The same paths for both parties; null in an order counts as blank. */
export const ORDER_VALUES: readonly string[] = [
  'id',
  'purchase_order_number',
  'customer_order_number',
  'retailer_order_number',
  'ordered_at',
  'received_at',
  'acknowledge_by',
  'fulfill_by',
  'acknowledged_at',
  'closed_at',
  ...fieldPaths('retailer', 'id', 'name', 'code'),
  ...fieldPaths('brand', 'id', 'name', 'code'),
  ...fieldPaths('shipping_method', 'id', 'name', 'code'),
  ...fieldPaths('shipping_method.carrier', 'id', 'name', 'code'),
  ...fieldPaths('requested_shipping_method', 'id', 'name'),
]

/** The list of an order's lines, which makes the lines of a record about it. */
export const ORDER_LINES = 'order_lines'
