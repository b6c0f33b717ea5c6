/** Orders, cancels and shipments. */
import type { Generated, GeneratedAlways } from 'kysely'

export interface OrderTables {
  /** An address as it was sent; nothing looks for one by its contents. */
  addresses: { id: Generated<number>; body: string }
  orders: OrderTable
  order_lines: OrderLineTable
  cancels: {
    id: Generated<number>
    order_id: number
    retailer_id: number
    reason_id: number
    canceled_at: number
    acknowledged_at: number | null
    is_acknowledged: GeneratedAlways<number>
  }
  cancel_lines: { id: Generated<number>; cancel_id: number; order_line_id: number; quantity: number }
  shipments: ShipmentTable
  shipment_lines: {
    id: Generated<number>
    shipment_id: number
    order_line_id: number
    part: number
    quantity: number
  }
}

interface OrderTable {
  id: Generated<number>
  retailer_id: number
  brand_id: number
  purchase_order_number: string
  customer_order_number: string | null
  retailer_order_number: string | null
  ship_to_id: number
  sold_to_id: number | null
  /** Of the two methods one is given. */
  shipping_method_id: number | null
  requested_shipping_method_id: number | null
  gift_message: string
  subtotal_charged: string
  status: 'open' | 'partial' | 'closed' | 'canceled'
  acknowledge_by: number
  fulfill_by: number
  received_at: number
  ordered_at: number
  acknowledged_at: number | null
  is_acknowledged: GeneratedAlways<number>
  pickup_on: number | null
  closed_at: number | null
  canceled_at: number | null
  updated_at: number
}

interface OrderLineTable {
  id: Generated<number>
  order_id: number
  number: number
  variant_id: number
  quantity: number
  quantity_shipped: number
  quantity_returned: number
  quantity_canceled: number
  net_price: string
  price: string
  subtotal: string
  fulfill_by: number
  status: 'open' | 'closed'
  canceled_at: number | null
}

interface ShipmentTable {
  id: Generated<number>
  order_id: number
  retailer_id: number
  brand_id: number
  carrier_id: number
  shipping_account_id: number | null
  shipping_method_id: number
  ship_from_id: number
  signature: 'required' | null
  ship_weight: string | null
  ship_width: string | null
  ship_length: string | null
  ship_height: string | null
  ship_girth: string | null
  ship_volume: string | null
  batch_number: number
  label_reference: string | null
  tracking_number: string | null
  shipped_at: number | null
  picked_up_at: number | null
  is_picked_up: GeneratedAlways<number>
  delivered_at: number | null
  acknowledged_at: number | null
  is_acknowledged: GeneratedAlways<number>
  status: 'open' | 'closed'
}
