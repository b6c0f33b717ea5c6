/** Which fields of the API are about people: by their names, which mean the same in every resource. */

/**
 * Fields with names, addresses, numbers of phones, and texts that people wrote. Countries and states are too coarse to
 * find a person by.
 */
const PERSONAL_FIELDS: ReadonlySet<string> = new Set([
  'name1',
  'name2',
  'street1',
  'street2',
  'city',
  'postal_code',
  'phone',
  'phone1',
  'phone2',
  'fax',
  'email',
  'gift_message',
  'memos',
  'attachments',
  'created_by',
  'nickname',
  'message',
  'client_id',
  'client_secret',
  'access_token',
  'ship_to_name1',
  'ship_to_name2',
  'ship_to_street1',
  'ship_to_street2',
  'ship_to_city',
  'ship_to_postal_code',
  'ship_to_phone',
  'ship_from_name1',
  'ship_from_name2',
  'ship_from_street1',
  'ship_from_street2',
  'ship_from_city',
  'ship_from_postal_code',
  'ship_from_phone',
])

/** Every other field that a resource has: numbers, times, amounts, states, and what describes goods and companies. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(
  `acknowledge_by acknowledged_at amount attributes batch_number brand_identifier canceled_at carrier_id cartons category closed_at
  code collection color cost country credit_amount credit_number credited_at currency customer_order_number delivered_at
  description due_amount expires_in finish fulfill_by grant_type grouping id identifier image_1 image_2 image_3 image_4
  image_5 image_6 image_7 image_8 inventory inventory_updated_at invoice_line_number invoice_number invoiced_at
  is_acknowledged label_reference lead_time level manufacturer manufacturer_part_number material media msrp name net_price
  order_id order_line_number ordered_at owner_type parent_identifier parent_name part picked_up_at pickup_on price priority
  province purchase_order_number quantity quantity_canceled quantity_returned quantity_shipped reason reason_id received_at
  retailer_id retailer_item retailer_item_name retailer_order_number retailer_sku rma_number rmad_at scope sellable
  sellable_updated_at ship_from_country ship_from_province ship_girth ship_height ship_length ship_to_country
  ship_to_province ship_volume ship_weight ship_width shipment_count shipped_at shipping_account_id shipping_charged
  shipping_height shipping_length shipping_method_id shipping_weight shipping_width ships signature size status subtotal
  subtotal_charged tax_charged terms_date_due terms_discount_date_due terms_discount_days terms_discount_percent
  terms_net_days_due token_type total_amount tracking_number type units upc updated_at url valid_packing_slip
  valid_shipping_label value variant_id`.split(/\s+/),
)

export type FieldKind = 'personal' | 'other' | 'unknown'

/** `unknown`: no resource of the contract has such a field, so it may hold anything. */
export function classifyField(name: string): FieldKind {
  if (PERSONAL_FIELDS.has(name)) return 'personal'
  return OTHER_FIELDS.has(name) ? 'other' : 'unknown'
}

/** By the path of a field, such as `order_lines[0].quantity` or `ship_to.name1`. */
export function classifyPath(path: string): FieldKind {
  const names = path.replaceAll(/\[\d*\]/g, '').split('.')
  if (names.some((name) => PERSONAL_FIELDS.has(name))) return 'personal'
  return classifyField(names.at(-1) ?? '')
}
