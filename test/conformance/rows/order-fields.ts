/** Spec: the fields of addresses, carriers, shipping methods, orders, order lines and shipping accounts. */
import { z } from 'zod'
import { choices, fieldsOf, statements } from './row.ts'
import {
  address,
  boolean,
  carrier,
  having,
  id,
  integer,
  list,
  method,
  money,
  oneOf,
  party,
  text,
  time,
  variantSummary,
} from './shapes.ts'

const empty = { empty: true } as const
const inBrand = { view: 'brand' } as const
const inBrandOrNull = { view: 'brand', empty: true } as const
const ADDRESS = 'Address object'

const addressFields = fieldsOf({ section: ADDRESS, resource: 'address' }, [
  ['id', 'integer or string', 'Response only. Assigned by the service.', id],
  ['type', 'string, optional', "Example value 'residential'.", text(), empty],
  ['name1', 'string, required', '', text()],
  ['name2', 'string, optional', '', text(), empty],
  ['street1', 'string, required', '', text()],
  ['street2', 'string, optional', '', text(), empty],
  ['city', 'string, required', '', text()],
  ['province', 'string, required', 'State or province code. Validated on input.', text()],
  ['postal_code', 'string, required', 'Not validated on input.', text()],
  ['country', 'string, required', 'Two-character country code. Validated on input.', z.string().length(2)],
  ['phone1', 'string, optional', '', text(), empty],
  ['phone2', 'string, optional', '', text(), empty],
  ['fax', 'string, optional', '', text(), empty],
  ['email', 'string, optional', '', text(), empty],
])

const addressRules = [
  ...statements(ADDRESS, 'rule.address', [
    ['used-for', 'sold_to, ship_to, bill_to, ship_from and remit_to are address objects.'],
    ['optional', 'Optional fields may be omitted or sent as null.'],
    ['no-empty-strings', 'Empty strings must not be sent (they are not ignored).'],
    ['validated', 'Only the province code and the country code are validated.'],
    ['existence', 'The existence of the address is not checked.'],
    ['every-key', 'In responses every key is present, null when empty.'],
  ]),
  ...choices(ADDRESS, 'choice.address', [
    ['size', 'Texts of an address have at most 255 characters.'],
    ['type', 'Other values of type are not shown: any text is taken.'],
    ['codes', 'Country is ISO 3166-1; province is ISO 3166-2 of that country, or a military post code.'],
  ]),
]

const carrierFields = fieldsOf({ section: 'Carrier', resource: 'carrier' }, [
  ['id', 'integer', 'Static id. Common ids: 1, 2, 3 for the three most common carriers.', id],
  ['name', 'string', '', text()],
  ['code', 'string', 'SCAC code of the carrier.', z.string().regex(/^[A-Z]{2,4}$/)],
  ['shipping_methods', 'array of Shipping Method', 'Present on carrier lookups.', list('id', 'name', 'code')],
])

const methodFields = fieldsOf({ section: 'Shipping Method', resource: 'shipping_method' }, [
  ['id', 'integer', '', id],
  ['name', 'string', '', text()],
  ['code', 'string', 'Method code.', text()],
  ['type', 'string', "For example 'small_parcel'. Present on some payloads.", text(), empty],
  ['carrier', 'Carrier (id, name, code)', 'Nested on order, shipment and connection payloads.', carrier],
  [
    'generic_shipping_method',
    'object or null',
    'name, description, type. Present on some payloads.',
    having('name', 'description', 'type'),
    empty,
  ],
])

const REQUESTED = 'Requested Shipping Method'

const requestedFields = fieldsOf({ section: REQUESTED, resource: 'requested_shipping_method' }, [
  ['id', 'integer', 'Static id.', id],
  [
    'name',
    'string',
    'One of: Next Day, Expedited, Ground, LTL, White Glove.',
    oneOf('Next Day', 'Expedited', 'Ground', 'LTL', 'White Glove'),
  ],
  ['description', 'string', 'Short delivery-window text.', text()],
])

const ORDER = 'Order'
const attached = 'Resources attached to the order.'
const flat = 'Flattened destination field of the brand view.'

const orderFields = fieldsOf({ section: ORDER, resource: 'order' }, [
  ['id', 'integer (11)', 'Static id; used in other order paths.', id],
  ['retailer', 'object', 'id, name, code.', party],
  ['brand', 'object', 'The supplier that must fulfill the order (id, name, code).', party],
  [
    'brands',
    'array of brand objects',
    'Deprecated in favor of brand. Older retailer-view payloads still show it.',
    z.array(party).length(1),
    { view: 'retailer' },
  ],
  ['purchase_order_number', 'string (32)', "PO number from the retailer's order system.", text(32)],
  ['customer_order_number', 'string (32), nullable', 'Customer-facing number.', text(32), empty],
  ['retailer_order_number', 'string (32), nullable', 'Extra reference id of the retailer.', text(32), empty],
  ['sold_to', 'Address, nullable', 'Consumer billed.', address, empty],
  ['ship_to', 'Address', 'Destination.', address],
  ['bill_to', 'Address', 'Deprecated.', address, empty],
  ['ship_from', 'Address, nullable', 'Deprecated in favor of the shipment-level origin.', address, empty],
  ['shipping_method', 'Shipping Method, nullable', 'Chosen by the retailer.', method, empty],
  [
    'requested_shipping_method',
    'Requested Shipping Method, nullable',
    'Present when shipping_method is not specified.',
    having('id', 'name', 'description'),
    empty,
  ],
  ['shipment_count', 'integer', 'Appears in create responses.', integer],
  [
    'gift_message',
    'array of strings, max 64 characters per element',
    'Empty string is a line break.',
    z.array(z.string().max(64)),
  ],
  ['subtotal_charged', 'decimal string', 'Appears in create responses.', money],
  [
    'status',
    'string (8)',
    'open, closed, canceled; one payload version also lists partial.',
    oneOf('open', 'closed', 'canceled', 'partial'),
  ],
  ['is_acknowledged', 'boolean', 'True once the supplier acknowledges; signals intent to fulfill.', boolean],
  ['acknowledge_by', 'datetime', "Set automatically from the retailer's SLA.", time],
  ['fulfill_by', 'datetime', 'Set automatically from item lead time and the connection SLA.', time],
  [
    'received_at',
    'datetime',
    'When the service received the order; lead-time calculations start here.',
    time,
  ],
  ['ordered_at', 'datetime', 'When the consumer placed it.', time],
  ['acknowledged_at', 'datetime, nullable', 'Null until acknowledged.', time, empty],
  ['pickup_on', 'datetime, nullable', 'Scheduled carrier pickup, mainly for LTL.', time, empty],
  ['closed_at', 'datetime, nullable', 'Null until closed.', time, empty],
  ['canceled_at', 'datetime, nullable', 'Null until canceled.', time, empty],
  ['updated_at', 'datetime', '', time],
  [
    'shipping_accounts',
    'array of Shipping Account',
    'Brand view only; accounts eligible for the order, configured per connection.',
    list('id', 'nickname', 'owner_type', 'carrier', 'shipping_methods'),
    inBrand,
  ],
  ['order_lines', 'array of Order Line', '', list('id', 'variant', 'quantity')],
  ['shipments', 'array', attached, list('id', 'tracking_number', 'shipment_lines')],
  ['cancels', 'array', attached, list('id', 'reason', 'cancel_lines')],
  ['invoices', 'array', attached, list('id', 'invoice_number', 'due_amount')],
  ['rmas', 'array', attached, list('id', 'status')],
  ['credits', 'array', attached, list('id', 'credit_number')],
  ['attachments', 'array', attached, z.array(z.unknown())],
  ['ship_to_name1', 'string', flat, text(), inBrand],
  ['ship_to_name2', 'string, optional', flat, text(), inBrandOrNull],
  ['ship_to_street1', 'string', flat, text(), inBrand],
  ['ship_to_street2', 'string, optional', flat, text(), inBrandOrNull],
  ['ship_to_city', 'string', flat, text(), inBrand],
  ['ship_to_province', 'string', flat, text(), inBrand],
  ['ship_to_postal_code', 'string', flat, text(), inBrand],
  ['ship_to_country', 'string', `${flat} A two-character code.`, z.string().length(2), inBrand],
  ['ship_to_phone', 'string, optional', flat, text(), inBrandOrNull],
])

const orderRules = [
  ...statements(ORDER, 'rule.order.status', [
    ['open', 'open = one or more line items outstanding (the retailer-view version says all).'],
    ['closed', 'closed = all line items and quantities fulfilled.'],
    ['partial', 'partial = at least one line item fulfilled.'],
    ['canceled', 'canceled = entire order canceled.'],
  ]),
  ...choices(ORDER, 'choice.order', [
    ['memos', "The memos array is marked upcoming: it is there, and its item shape is the service's choice."],
    ['attached-items', 'Item shapes inside the attached arrays: the ids and main facts of each resource.'],
  ]),
]

const lineFields = fieldsOf({ section: 'Order Line', resource: 'order_line' }, [
  ['id', 'integer', 'Static id.', id],
  ['order_line_number', 'string', 'Appears in create responses.', text()],
  [
    'variant',
    'Variant summary',
    'id, name, description, brand, identifier, upc, media, attributes (subset).',
    variantSummary,
  ],
  ['quantity', 'integer', 'Ordered.', integer],
  ['quantity_shipped', 'integer', 'Shipped to date.', integer],
  ['quantity_returned', 'integer', 'Fully returned to date.', integer],
  ['quantity_canceled', 'integer', 'Canceled to date.', integer],
  [
    'net_price',
    'decimal string',
    'Price the supplier expects to be paid (retailer view; absent in the brand view).',
    money,
    { view: 'retailer' },
  ],
  ['price', 'decimal string', 'Price charged to the consumer per item.', money],
  ['subtotal', 'decimal string', 'Consumer subtotal.', money],
  ['shipping_charged', 'decimal string', 'Appears in create responses.', money],
  ['subtotal_charged', 'decimal string', 'Appears in create responses.', money],
  ['tax_charged', 'decimal string', 'Appears in create responses.', money],
  ['fulfill_by', 'datetime', 'Appears in create responses.', time],
  ['status', 'string', 'open or closed.', oneOf('open', 'closed')],
  ['canceled_at', 'datetime, nullable', '', time, empty],
])

const summaryFields = fieldsOf({ section: 'Order Line', resource: 'variant_summary' }, [
  ['id', 'integer (11)', 'Variant summary.', id],
  ['name', 'string (200)', 'Variant summary.', text(200), empty],
  ['description', 'string', 'Variant summary.', text(), empty],
  ['brand', 'object', 'Variant summary.', having('id', 'name')],
  ['identifier', 'string (128)', 'Variant summary.', text(128)],
  ['upc', 'string (64)', 'Variant summary. If applicable.', text(64), empty],
  ['media', 'array', 'Variant summary.', list('media', 'priority', 'url')],
  ['attributes', 'subset of the attributes', 'Variant summary.', z.union([having(), list('code', 'values')])],
  ['brand_identifier', 'string', 'Brand-view payloads also show it.', text(128), inBrand],
  ['size', 'string (100)', 'Brand-view payloads also show it.', text(100), inBrandOrNull],
  ['color', 'string (100)', 'Brand-view payloads also show it.', text(100), inBrandOrNull],
])

const accountFields = fieldsOf({ section: 'Shipping Account', resource: 'shipping_account' }, [
  ['id', 'integer', '', id],
  ['nickname', 'string', 'Human-readable name.', text()],
  ['owner_type', 'string', 'brand or retailer.', oneOf('brand', 'retailer')],
  ['carrier', 'Carrier', '', carrier],
  [
    'shipping_methods',
    'array of (id, name, code)',
    'Methods available on the account.',
    list('id', 'name', 'code'),
  ],
])

export const ORDER_FIELDS = [
  ...addressFields,
  ...carrierFields,
  ...methodFields,
  ...requestedFields,
  ...orderFields,
  ...lineFields,
  ...summaryFields,
  ...accountFields,
]

export const ORDER_RULES = [
  ...addressRules,
  ...statements('Carrier', 'rule.carrier', [
    ['common-ids', 'Common ids: 1, 2, 3 for an express carrier, a parcel carrier, a postal service.'],
  ]),
  ...statements(REQUESTED, 'rule.requested-method', [
    ['names', 'Next Day (1 day), Expedited (2-3 days), Ground (3-7 days), LTL (to threshold), White Glove.'],
  ]),
  ...orderRules,
]
