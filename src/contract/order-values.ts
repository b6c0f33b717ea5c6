/** The values of an order that a record about it may take over, by their paths. */

const named = (path: string, ...names: readonly string[]) => names.map((name) => `${path}.${name}`)

/** Whichever party looks at the order; what is null in an order counts as blank. */
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
  ...named('retailer', 'id', 'name', 'code'),
  ...named('brand', 'id', 'name', 'code'),
  ...named('shipping_method', 'id', 'name', 'code'),
  ...named('shipping_method.carrier', 'id', 'name', 'code'),
  ...named('requested_shipping_method', 'id', 'name'),
]

/** The list of an order's lines, which makes the lines of a record about it. */
export const ORDER_LINES = 'order_lines'
