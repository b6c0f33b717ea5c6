/** The tables of the service's database, as the query builder knows them. Times are milliseconds since 1970 in UTC. */
import type { Generated, GeneratedAlways } from 'kysely'

export interface Tables {
  accounts: { id: Generated<number>; name: string }
  clients: { client_id: string; secret_hash: string; account_id: number }
  tokens: { token_hash: string; account_id: number; expires_at: number }
  parties: { kind: 'retailer' | 'brand'; id: number; account_id: number; name: string; code: string }
  carriers: { id: number; name: string; code: string }
  shipping_methods: { id: number; carrier_id: number; name: string; code: string; type: string | null }
  connections: ConnectionTable
  connection_methods: { connection_id: number; shipping_method_id: number }
  shipping_accounts: {
    id: number
    connection_id: number
    carrier_id: number
    nickname: string
    owner_type: 'brand' | 'retailer'
  }
  shipping_account_methods: { shipping_account_id: number; shipping_method_id: number }
  variants: VariantTable
  /** What a retailer calls an item, where it has a SKU of its own. */
  retailer_items: { retailer_id: number; variant_id: number; identifier: string }
  /** An address as it was sent; nothing looks for one by its contents. */
  addresses: { id: Generated<number>; body: string }
  orders: OrderTable
  order_lines: OrderLineTable
  shipments: ShipmentTable
  shipment_lines: {
    id: Generated<number>
    shipment_id: number
    order_line_id: number
    part: number
    quantity: number
  }
  invoices: InvoiceTable
  invoice_lines: { id: Generated<number>; invoice_id: number; order_line_id: number } & PricedQuantity
}

interface PricedQuantity {
  number: number
  quantity: number
  net_price: string
}

interface ConnectionTable {
  id: number
  retailer_id: number
  brand_id: number
  level: 'Full' | 'Basic'
  status: 'Active' | 'Pending' | 'Suspended'
  acknowledge_within_ms: number
  fulfill_within_ms: number
}

interface VariantTable {
  id: number
  brand_id: number
  identifier: string
  upc: string | null
  name: string
  description: string | null
  size: string | null
  color: string | null
  lead_time_ms: number
}

interface OrderTable {
  id: Generated<number>
  retailer_id: number
  brand_id: number
  purchase_order_number: string
  customer_order_number: string | null
  ship_to_id: number
  sold_to_id: number | null
  shipping_method_id: number
  gift_message: string
  subtotal_charged: string
  status: 'open' | 'partial' | 'closed' | 'canceled'
  is_acknowledged: GeneratedAlways<number>
  acknowledge_by: number
  fulfill_by: number
  received_at: number
  ordered_at: number
  acknowledged_at: number | null
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
  ship_weight: string | null
  ship_width: string | null
  ship_length: string | null
  ship_height: string | null
  ship_girth: string | null
  ship_volume: string | null
  tracking_number: string | null
  shipped_at: number | null
  picked_up_at: number | null
  is_picked_up: GeneratedAlways<number>
  delivered_at: number | null
  acknowledged_at: number | null
  is_acknowledged: GeneratedAlways<number>
  status: 'open' | 'closed'
}

interface InvoiceTable {
  id: Generated<number>
  order_id: number
  retailer_id: number
  brand_id: number
  purchase_order_number: string
  invoice_number: string
  terms_net_days_due: number
  terms_date_due: string
  subtotal: string
  due_amount: string
  invoiced_at: number
  acknowledged_at: number | null
  is_acknowledged: GeneratedAlways<number>
}
