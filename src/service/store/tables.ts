/** The tables of the service database as Kysely types. Times are milliseconds since 1970 in UTC. */
import type { Generated, GeneratedAlways } from 'kysely'

type Id = Generated<number>

interface AcknowledgedTable {
  id: Id
  acknowledged_at: number | null
  is_acknowledged: GeneratedAlways<number>
}

/** What is made for an order. */
interface OrderDocumentTable extends AcknowledgedTable {
  order_id: number
  retailer_id: number
  brand_id: number
}

export interface Tables {
  // Accounts, parties, carriers and connections.

  accounts: { id: Id; name: string; is_admin: number }
  /** `scope` is `read write` or `read`. */
  clients: {
    client_id: string
    secret_hash: string
    account_id: number
    scope: string
    revoked_at: number | null
    /** 1 for a client that the service prints at its start. */
    announced: number
  }
  tokens: { token_hash: string; account_id: number; client_id: string; scope: string; expires_at: number }
  /** `acknowledge_within_ms` is the SLA of a retailer; a brand has none. */
  parties: {
    kind: 'retailer' | 'brand'
    id: Id
    account_id: number
    name: string
    code: string
    acknowledge_within_ms: number | null
  }
  carriers: { id: Id; name: string; code: string }
  generic_shipping_methods: { id: Id; name: string; description: string; type: string }
  shipping_methods: {
    id: Id
    carrier_id: number
    name: string
    code: string
    type: string | null
    generic_id: number | null
  }
  connections: {
    id: Id
    retailer_id: number
    brand_id: number
    message: string
    level: 'Full' | 'Basic'
    status: 'Active' | 'Pending' | 'Suspended'
    fulfill_within_ms: number
    signature_required: number
    packing_slips: number
  }
  connection_methods: { connection_id: number; shipping_method_id: number }
  shipping_accounts: {
    id: Id
    connection_id: number
    carrier_id: number
    nickname: string
    owner_type: 'brand' | 'retailer'
  }
  shipping_account_methods: { shipping_account_id: number; shipping_method_id: number }

  // Items.

  variants: {
    id: Id
    brand_id: number
    identifier: string
    upc: string | null
    name: string | null
    description: string | null
    parent_identifier: string | null
    parent_name: string | null
    size: string | null
    color: string | null
    inventory: number
    inventory_updated_at: number | null
    lead_time_days: number
    /** Packages that one item is shipped in. */
    cartons: number
    has_images: number
    has_shipping: number
    meets_publish_rules: number
    created_at: number
    updated_at: number
    in_stock: GeneratedAlways<number>
  }
  /** The attributes without a column. `retailer_id` is 0 for a value that is for all. */
  variant_attributes: { variant_id: number; retailer_id: number; code: string; value: string }
  variant_stock: { variant_id: number; location: string; inventory: number; updated_at: number }
  /** The items a retailer may sell; `sku` where it has a number of its own. */
  retailer_variants: {
    retailer_id: number
    variant_id: number
    sku: string | null
    acknowledged_at: number | null
    is_acknowledged: GeneratedAlways<number>
  }

  // Orders, cancels and shipments.

  /** An address as it was sent; no query searches its contents. */
  addresses: { id: Id; body: string }
  orders: AcknowledgedTable & {
    retailer_id: number
    brand_id: number
    purchase_order_number: string
    customer_order_number: string | null
    retailer_order_number: string | null
    ship_to_id: number
    sold_to_id: number | null
    /** One of the two methods is set. */
    shipping_method_id: number | null
    requested_shipping_method_id: number | null
    gift_message: string
    subtotal_charged: string
    status: 'open' | 'partial' | 'closed' | 'canceled'
    acknowledge_by: number
    fulfill_by: number
    received_at: number
    ordered_at: number
    pickup_on: number | null
    closed_at: number | null
    canceled_at: number | null
    updated_at: number
  }
  order_lines: {
    id: Id
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
  cancels: AcknowledgedTable & {
    order_id: number
    retailer_id: number
    reason_id: number
    canceled_at: number
  }
  cancel_lines: { id: Id; cancel_id: number; order_line_id: number; quantity: number }
  shipments: OrderDocumentTable & {
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
    status: 'open' | 'closed'
  }
  shipment_lines: { id: Id; shipment_id: number; order_line_id: number; part: number; quantity: number }

  // Invoices, returns and credits. Amounts are text with two decimals; adjustments are JSON text.

  invoices: OrderDocumentTable & {
    purchase_order_number: string
    invoice_number: string
    terms_net_days_due: number
    terms_date_due: string
    terms_discount_percent: number | null
    terms_discount_days: number | null
    terms_discount_date_due: string | null
    remit_to_id: number | null
    subtotal: string
    charges: string
    allowances: string
    due_amount: string
    invoiced_at: number
  }
  invoice_lines: {
    id: Id
    invoice_id: number
    order_line_id: number
    number: number
    quantity: number
    net_price: string
  }
  rmas: OrderDocumentTable & {
    created_by: 'brand' | 'retailer'
    rma_number: string | null
    reason: string
    status: 'Pending' | 'Accepted'
    total_amount: string
    received_at: number
    rmad_at: number
  }
  rma_lines: { id: Id; rma_id: number; order_line_id: number; quantity: number }
  credits: OrderDocumentTable & {
    rma_id: number
    invoice_id: number | null
    credit_number: string
    subtotal: string
    adjustments: string
    credit_amount: string
    credited_at: number
  }
  credit_lines: { id: Id; credit_id: number; order_line_id: number; quantity: number; price: string }

  /** How many rows of a list there are, by block of ids. Kept by triggers. */
  list_counts: {
    list: string
    owner_id: number
    is_acknowledged: number
    status: string
    block: number
    count: number
  }
}
