/** The filters of lists. Spec: "List filters". */

/**
 * `text`: exact match. `flag`: 1, 0, true or false. `choice`: one of the values, repeatable. `time`: four filters
 * `{name}_lt|lte|gt|gte`, each an epoch timestamp in UTC seconds. `attributes`: a search of the form
 * `code[value1||value2]::code[value]`. `view`: 1, 0, true or false, for how resources are shown.
 */
export type Filter =
  | { readonly kind: 'text' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'time' }
  | { readonly kind: 'attributes' }
  | { readonly kind: 'view' }

export type Filters = Readonly<Record<string, Filter>>

export const TIME_OPERATORS = ['lt', 'lte', 'gt', 'gte'] as const

/** Spec: limit is at most 250. */
export const MAX_PAGE_SIZE = 250

const text = { kind: 'text' } as const
const flag = { kind: 'flag' } as const
const time = { kind: 'time' } as const
const orderStatus = { kind: 'choice', values: ['open', 'partial', 'closed', 'canceled'] } as const

export const RETAILER_ORDER_FILTERS = {
  purchase_order_number: text,
  status: orderStatus,
  is_acknowledged: flag,
  ordered_at: time,
  received_at: time,
  fulfill_by: time,
  acknowledged_at: time,
  closed_at: time,
} as const satisfies Filters

export const BRAND_ORDER_FILTERS = {
  status: orderStatus,
  is_acknowledged: flag,
  ordered_at: time,
  acknowledged_at: time,
} as const satisfies Filters

export const SHIPMENT_FILTERS = {
  is_acknowledged: flag,
  is_picked_up: flag,
  shipped_at: time,
} as const satisfies Filters

export const CANCEL_FILTERS = { is_acknowledged: flag, canceled_at: time } as const satisfies Filters

export const INVOICE_FILTERS = { is_acknowledged: flag, invoiced_at: time } as const satisfies Filters

export const CREDIT_FILTERS = { is_acknowledged: flag, credited_at: time } as const satisfies Filters

export const RMA_FILTERS = {
  is_acknowledged: flag,
  rmad_at: time,
  received_at: time,
} as const satisfies Filters

export const RETAILER_VARIANT_FILTERS = {
  in_stock: flag,
  is_acknowledged: flag,
  meets_publish_rules: flag,
  created_at: time,
  updated_at: time,
} as const satisfies Filters

/** `short` limits what is shown of each item and leaves no item out. */
export const BRAND_VARIANT_FILTERS = {
  short: { kind: 'view' },
  in_stock: flag,
  has_images: flag,
  has_shipping: flag,
  attribute: { kind: 'attributes' },
  created_at: time,
  updated_at: time,
} as const satisfies Filters
