/** Spec: the fields of shipments, invoices, cancels, credits, returns, connections and variants. */
import { z } from 'zod'
import { choices, fieldsOf, statements } from './row.ts'
import {
  address,
  boolean,
  carrier,
  date,
  decimal,
  having,
  id,
  integer,
  list,
  method,
  money,
  money82,
  oneOf,
  party,
  text,
  time,
} from './shapes.ts'

const empty = { empty: true } as const
const inBrand = { view: 'brand' } as const
const inBrandOrNull = { view: 'brand', empty: true } as const
const inRetailer = { view: 'retailer' } as const
const SHIPMENT = 'Shipment'
const origin = 'Origin printed on the label, as the brand view exposes it.'
const inches = 'Inches.'

const shipmentFields = fieldsOf({ section: SHIPMENT, resource: 'shipment' }, [
  ['id', 'integer (11)', '', id],
  ['order_id', 'integer (11)', 'Owning order.', id],
  ['brand', 'object', 'Retailer view: supplier that created the shipment.', party],
  ['purchase_order_number', 'string (32)', '', text(32)],
  ['customer_order_number', 'string (32)', '', text(32), empty],
  ['ordered_at', 'datetime', '', time],
  ['carrier', 'Carrier', 'Brand view.', carrier, inBrand],
  ['shipping_account', 'object', 'id, nickname, carrier.', having('id', 'nickname', 'carrier'), empty],
  ['shipping_method', 'Shipping Method', '', method],
  ['ship_from', 'Address', 'Origin printed on the label.', address, inRetailer],
  ['ship_from_name1', 'string', origin, text(), inBrand],
  ['ship_from_name2', 'string', origin, text(), inBrandOrNull],
  ['ship_from_street1', 'string', origin, text(), inBrand],
  ['ship_from_street2', 'string', origin, text(), inBrandOrNull],
  ['ship_from_city', 'string', origin, text(), inBrand],
  ['ship_from_province', 'string', origin, text(), inBrand],
  ['ship_from_postal_code', 'string', origin, text(), inBrand],
  ['ship_from_country', 'string', origin, z.string().length(2), inBrand],
  ['ship_from_phone', 'string', origin, text(), inBrandOrNull],
  [
    'signature',
    'string (16), nullable',
    "'required' when the carrier must collect a signature, otherwise null.",
    z.literal('required'),
    empty,
  ],
  ['ship_weight', 'decimal', 'Pounds, whole carton.', decimal, empty],
  ['ship_width', 'decimal', inches, decimal, empty],
  ['ship_length', 'decimal', inches, decimal, empty],
  ['ship_height', 'decimal', inches, decimal, empty],
  [
    'ship_girth',
    'decimal',
    'Inches, (d1+d2)*2+d3 where d1 and d2 are the two shortest dimensions.',
    decimal,
    empty,
  ],
  ['ship_volume', 'decimal', 'Cubic inches.', decimal, empty],
  ['batch_number', 'integer (11)', 'Groups shipments generated together; usually ignorable.', integer, empty],
  ['label_reference', 'string (30)', 'Text the supplier may add to the label.', text(30), empty],
  ['tracking_number', 'string (128)', 'Carrier-supplied.', text(128), empty],
  [
    'tracking',
    'object',
    'picked_up_at and delivered_at, ISO-8601 UTC or null.',
    z.object({ picked_up_at: time.nullable(), delivered_at: time.nullable() }),
  ],
  ['picked_up_at', 'datetime', 'Also exposed at the top level in one version.', time, empty],
  ['delivered_at', 'datetime', 'Also exposed at the top level in one version.', time, empty],
  ['valid_packing_slip', 'boolean', 'Eligible for packing slip generation.', boolean],
  ['valid_shipping_label', 'boolean', 'Eligible for label generation.', boolean],
  [
    'shipped_at',
    'datetime, nullable',
    'When the tracking number was captured or generated; null until then.',
    time,
    empty,
  ],
  ['acknowledged_at', 'datetime, nullable', '', time, empty],
  ['status', 'string (32)', 'open or closed (see States).', oneOf('open', 'closed')],
  ['is_acknowledged', 'boolean', 'Retailer received and processed it.', boolean],
  [
    'shipment_lines',
    'array',
    'id, order_line_number, part, variant, quantity.',
    list('id', 'order_line_number', 'part', 'variant', 'quantity'),
  ],
])

const shipmentLineFields = fieldsOf({ section: SHIPMENT, resource: 'shipment_line' }, [
  ['id', 'integer', 'Of shipment_lines.', id],
  ['order_line_number', 'string', 'Of shipment_lines.', text()],
  ['part', 'integer', 'Of shipment_lines.', integer],
  ['variant', 'Variant summary', 'Of shipment_lines.', having('id', 'identifier', 'upc')],
  ['quantity', 'integer', 'Of shipment_lines.', integer],
])

const INVOICE = 'Invoice'

const invoiceFields = fieldsOf({ section: INVOICE, resource: 'invoice' }, [
  ['id', 'integer (11)', '', id],
  ['retailer', 'object', 'Retailer expected to pay.', party],
  ['brand', 'object', 'Supplier that submitted.', party],
  ['currency', 'string (3)', 'Always USD.', z.literal('USD')],
  ['purchase_order_number', 'string (32)', '', text(32)],
  ['invoice_number', 'string (32)', "From the supplier's financial system.", text(32)],
  ['terms_net_days_due', 'integer (11)', 'Days until due.', integer],
  ['terms_date_due', 'date', 'YYYY-MM-DD.', date],
  ['terms_discount_percent', 'integer (3)', 'Early-payment discount.', z.int().min(0).max(999), empty],
  ['terms_discount_days', 'integer (11)', 'Days to the discount cutoff.', integer, empty],
  ['terms_discount_date_due', 'date', 'Due date to qualify for the discount.', date, empty],
  ['remit_to', 'Address', 'Where to pay.', address, empty],
  ['subtotal', 'decimal (8,2)', 'Sum of lines before charges and allowances.', money82],
  ['charges', 'array of objects', 'Adjustments increasing the amount due.', list()],
  ['allowances', 'array of objects', 'Adjustments decreasing the amount due.', list()],
  ['due_amount', 'decimal (8,2)', 'Total due.', money82],
  ['is_acknowledged', 'boolean', '', boolean],
  ['invoiced_at', 'datetime', 'When the service received it.', time],
  ['acknowledged_at', 'datetime, nullable', '', time, empty],
  [
    'invoice_lines',
    'array',
    'invoice_line_number (ordinal), variant, quantity, price. One line per unique item.',
    list('invoice_line_number', 'variant', 'quantity', 'price'),
  ],
])

const invoiceLineFields = fieldsOf({ section: INVOICE, resource: 'invoice_line' }, [
  ['invoice_line_number', 'integer (ordinal)', 'Of invoice_lines.', integer],
  ['variant', 'Variant summary', 'Of invoice_lines.', having('id', 'identifier', 'upc')],
  ['quantity', 'integer', 'Of invoice_lines.', integer],
  ['price', 'decimal', 'Of invoice_lines.', money],
])

const CANCEL = 'Cancel'
const REASONS = [
  'Retailer Requested Cancellation',
  'Not Enough Inventory',
  "Can't Meet Fulfillment Deadline",
  'Product Listing and/or Pricing Error',
  'Unfulfillable Address',
] as const

const cancelFields = fieldsOf({ section: CANCEL, resource: 'cancel' }, [
  ['id', 'integer (11)', '', id],
  ['order_id', 'integer (11)', '', id],
  ['reason', 'string (256)', 'Reason text (see reason ids below).', oneOf(...REASONS)],
  ['canceled_at', 'datetime', 'When the service received it.', time],
  ['acknowledged_at', 'datetime', 'When the retailer acknowledged it.', time, empty],
  ['cancel_lines', 'array', 'id, variant, quantity.', list('id', 'variant', 'quantity')],
])

const cancelLineFields = fieldsOf({ section: CANCEL, resource: 'cancel_line' }, [
  ['id', 'integer', 'Of cancel_lines.', id],
  ['variant', 'Variant summary', 'Of cancel_lines.', having('id', 'identifier', 'upc')],
  ['quantity', 'integer', 'Of cancel_lines.', integer],
])

const CREDIT = 'Credit (credit memo)'

const creditFields = fieldsOf({ section: CREDIT, resource: 'credit' }, [
  ['id', 'integer (11)', '', id],
  ['retailer', 'object', '', party],
  ['brand', 'object', '', party],
  ['currency', 'string (3)', 'Always USD.', z.literal('USD')],
  [
    'order',
    'object',
    'id, purchase_order_number, ordered_at.',
    z.object({ id, purchase_order_number: text(32), ordered_at: time }),
  ],
  [
    'rma',
    'object',
    'id, rma_number, rmad_at. The return that created the credit.',
    z.object({ id, rma_number: text().nullable(), rmad_at: time }),
  ],
  [
    'invoice',
    'object, optional',
    'id, invoice_number, invoiced_at. Not guaranteed to be tied to the credit.',
    z.object({ id, invoice_number: text(32), invoiced_at: time }),
    empty,
  ],
  ['credit_number', 'string (32)', "From the supplier's financial system.", text(32)],
  ['subtotal', 'decimal (8,2)', 'Sum of credit lines before adjustments.', money82],
  ['adjustments', 'array', 'Adjustments modifying the credited amount.', list()],
  ['credit_amount', 'decimal (8,2)', '', money82],
  ['is_acknowledged', 'boolean', '', boolean],
  ['credited_at', 'datetime', '', time],
  ['acknowledged_at', 'datetime, nullable', '', time, empty],
  ['credit_lines', 'array', 'id, variant, quantity, price.', list('id', 'variant', 'quantity', 'price')],
])

const creditLineFields = fieldsOf({ section: CREDIT, resource: 'credit_line' }, [
  ['id', 'integer', 'Of credit_lines.', id],
  ['variant', 'Variant summary', 'Of credit_lines.', having('id', 'identifier', 'upc')],
  ['quantity', 'integer', 'Of credit_lines.', integer],
  ['price', 'decimal', 'Of credit_lines.', money],
])

const RMA = 'Return (RMA)'
const RMA_REASONS = [
  'Delivery problem (customer refused or undeliverable)',
  'Item was damaged or defective',
  'Item did not meet customer expectations',
  'Customer Disposition',
] as const

const rmaFields = fieldsOf({ section: RMA, resource: 'rma' }, [
  ['id', 'integer', '', id],
  ['retailer', 'object', '', party],
  ['brand', 'object', '', party],
  ['created_by', 'string', 'brand or retailer.', oneOf('brand', 'retailer')],
  ['purchase_order_number', 'string', '', text(32)],
  ['ordered_at', 'datetime', 'Original PO date.', time],
  ['received_at', 'datetime', 'When the service received the return.', time],
  ['rmad_at', 'datetime', 'When the return was issued.', time],
  ['acknowledged_at', 'datetime', '', time, empty],
  ['rma_number', 'string, optional', '', text(), empty],
  ['reason', 'string', `${RMA_REASONS.join('; ')}.`, oneOf(...RMA_REASONS)],
  ['status', 'string', 'Pending or Accepted.', oneOf('Pending', 'Accepted')],
  ['total_amount', 'decimal', 'USD value.', money],
  [
    'rma_lines',
    'array',
    'id, variant, quantity, order_line (original line with pricing).',
    list('id', 'variant', 'quantity', 'order_line'),
  ],
  ['attachments', 'array', 'Item shapes: not shown.', z.array(z.unknown())],
  ['memos', 'array', 'Item shapes: not shown.', z.array(z.unknown())],
])

const rmaLineFields = fieldsOf({ section: RMA, resource: 'rma_line' }, [
  ['id', 'integer', 'Of rma_lines.', id],
  ['variant', 'Variant summary', 'Of rma_lines.', having('id', 'identifier', 'upc')],
  ['quantity', 'integer', 'Of rma_lines.', integer],
  [
    'order_line',
    'Order Line',
    'Of rma_lines: original line with pricing.',
    having('id', 'price', 'net_price'),
  ],
])

const connectionFields = fieldsOf({ section: 'Connection', resource: 'connection' }, [
  ['message', 'string', 'Static message.', text()],
  ['brand', 'object', 'id, name.', having('id', 'name')],
  ['level', 'string', 'Full (approved for transactions) or Basic (not yet enabled).', oneOf('Full', 'Basic')],
  ['status', 'string', 'Active, Pending or Suspended.', oneOf('Active', 'Pending', 'Suspended')],
  [
    'shipping_methods',
    'array of Shipping Method',
    'Methods authorized for the connection.',
    list('id', 'name', 'code', 'carrier'),
  ],
])

const VARIANT = 'Variant (sellable item)'
const attribute = having('id', 'code', 'name', 'grouping', 'description', 'type', 'units', 'values')

const variantFields = fieldsOf({ section: VARIANT, resource: 'variant' }, [
  ['id', 'integer (11)', '', id],
  ['brand', 'object', 'Owning supplier.', having('id', 'name')],
  ['name', 'string (200)', '', text(200), empty],
  ['identifier', 'string (128)', "Supplier's identifier.", text(128)],
  ['upc', 'string (64)', 'If applicable.', text(64), empty],
  ['parent_identifier', 'string (100)', 'Groups variants into parent products.', text(100), empty],
  ['parent_name', 'string (200)', '', text(200), empty],
  ['color', 'string (100)', '', text(100), empty],
  ['size', 'string (100)', '', text(100), empty],
  [
    'inventory',
    'object',
    'inventory, inventory_updated_at, sellable, sellable_updated_at, locations.',
    having('inventory', 'inventory_updated_at', 'sellable', 'sellable_updated_at', 'locations'),
  ],
  ['media', 'array', 'media, priority, url.', list('media', 'priority', 'url')],
  [
    'attributes',
    'object keyed by attribute code (array in the retailer view)',
    'Each attribute: id, code, name, grouping, description, type, units, values.',
    z.union([z.record(z.string(), attribute), z.array(attribute)]),
  ],
  [
    'is_acknowledged',
    'boolean',
    'Retailer view: retailer has received and pulled all needed attributes.',
    boolean,
    inRetailer,
  ],
])

const partsOfVariants = [
  ...fieldsOf({ section: VARIANT, resource: 'inventory' }, [
    ['inventory', 'integer', 'Units on hand and ready to ship.', integer],
    ['inventory_updated_at', 'datetime', '', time, empty],
    ['sellable', 'string', "Always 'Yes'.", z.literal('Yes')],
    ['sellable_updated_at', 'datetime', '', time, empty],
    [
      'locations',
      'array',
      'Inventory by warehouse; empty unless supplied by warehouse.',
      z.array(z.unknown()),
    ],
  ]),
  ...fieldsOf({ section: VARIANT, resource: 'media' }, [
    ['media', 'string', 'md5 hash of file.', z.string().regex(/^[0-9a-f]{32}$/)],
    ['priority', 'integer', 'Ordinal position.', integer],
    ['url', 'string', 'https URL under {media_url}.', z.string().startsWith('https://')],
  ]),
  ...fieldsOf({ section: VARIANT, resource: 'attribute' }, [
    ['id', 'integer', 'Of an attribute.', id],
    ['code', 'string', 'Of an attribute.', text()],
    ['name', 'string', 'Of an attribute.', text()],
    ['grouping', 'string', 'Of an attribute.', text()],
    ['description', 'string', 'Of an attribute.', text()],
    ['type', 'string', 'Of an attribute.', text()],
    ['units', 'string', 'Of an attribute.', text(), empty],
    ['values', 'array of id and value', 'Of an attribute.', list('id', 'value')],
  ]),
]

export const OTHER_FIELDS = [
  ...shipmentFields,
  ...shipmentLineFields,
  ...invoiceFields,
  ...invoiceLineFields,
  ...cancelFields,
  ...cancelLineFields,
  ...creditFields,
  ...creditLineFields,
  ...rmaFields,
  ...rmaLineFields,
  ...connectionFields,
  ...variantFields,
  ...partsOfVariants,
]

export const OTHER_RULES = [
  ...statements(SHIPMENT, 'rule.shipment', [
    ['parts', 'Lines of items that need several packages carry part greater than 1 and still quantity 1.'],
    ['parts-sum', 'When summing quantities, ignore lines whose part is greater than 1.'],
    ['girth', 'ship_girth is (d1+d2)*2+d3 where d1 and d2 are the two shortest dimensions.'],
    ['volume', 'ship_volume is in cubic inches.'],
  ]),
  ...choices(SHIPMENT, 'choice.shipment', [
    ['label-reference', 'label_reference may be sent when a shipment is created.'],
    ['signature', 'A signature is required where the connection says so.'],
    ['lines', 'More cannot be shipped than is outstanding.'],
    ['batch', 'The shipments made on one day in UTC are a batch, numbered by the day: 20261121.'],
    [
      'packing-slip',
      'A packing slip is made where the connection says so; elsewhere it is refused with 400.',
    ],
  ]),
  ...statements(INVOICE, 'rule.invoice', [
    ['once', 'One invoice is submitted per purchase order.'],
    ['after-close', 'An invoice is submitted after the order is completely fulfilled and closed.'],
    ['subtotal', 'subtotal is the sum of lines before charges and allowances.'],
  ]),
  ...choices(INVOICE, 'choice.invoice', [
    ['adjustment-items', 'Items of charges and allowances: type, description and amount.'],
    [
      'unreachable',
      'Discount terms, remittance, charges and allowances are in no body: only the operator sets them.',
    ],
  ]),
  ...statements(
    CANCEL,
    'rule.cancel',
    REASONS.map((reason, index) => [`reason-${index + 1}`, `Reason id ${index + 1}: ${reason}.`] as const),
  ),
  ...choices(CANCEL, 'choice.cancel', [
    [
      'is-acknowledged',
      'The fields leave out is_acknowledged; the acknowledgement pattern has it, so do we.',
    ],
  ]),
  ...statements(CREDIT, 'rule.credit', [
    ['bound', "A credit's subtotal and quantities cannot exceed the value of the issuing return."],
    ['after-acceptance', 'Credits are issued by suppliers after accepting returns.'],
  ]),
  ...choices(CREDIT, 'choice.credit', [
    ['adjustment-items', 'Items of adjustments: type, description and an amount that may be below zero.'],
  ]),
  ...statements(RMA, 'rule.rma', [['either-party', 'Either party may initiate a return.']]),
  ...choices(RMA, 'choice.rma', [
    [
      'is-acknowledged',
      'The fields leave out is_acknowledged; the acknowledgement pattern has it, so do we.',
    ],
    ['operator', 'Returns are made and accepted, and credits made, on the administration path.'],
    ['attached', 'Item shapes of attachments and memos: both arrays are there and empty.'],
  ]),
  ...choices('Connection', 'choice.connection', [
    ['id', 'The fields leave out id; the address of one connection needs it, so it is there.'],
  ]),
  ...statements(VARIANT, 'rule.variant', [
    ['identifier-unique', "identifier is unique across the supplier's variants."],
    ['identifier-fixed', 'identifier cannot be updated by the supplier.'],
    ['identifier-retailer', 'identifier: retailers only with coordination from the service operator.'],
    ['attributes-brand', 'attributes is an object keyed by attribute code.'],
    ['attributes-retailer', 'attributes is an array in the retailer view.'],
    ['attributes-common', 'Common attributes (name, size, color, identifier) are repeated in attributes.'],
    ['only-identifier', 'Only identifier is guaranteed present.'],
    ['locations', 'locations is empty unless inventory is supplied by warehouse.'],
    [
      'codes',
      'Codes: name, identifier, inventory, image_1, manufacturer, manufacturer_part_number, cost, msrp, lead_time, ships, shipping_width, shipping_height, shipping_length, shipping_weight, retailer_item, retailer_item_name, retailer_sku.',
    ],
  ]),
  ...choices(VARIANT, 'choice.variant', [
    ['short', 'short leaves identifier, name, size and color.'],
    [
      'publish-rules',
      'An item is fit to be published with name, UPC, MSRP, an image, package size and weight.',
    ],
    ['approved', 'An item is approved for the retailers that have an open connection with its brand.'],
    [
      'locations',
      'A location is code, inventory and inventory_updated_at; the operator gives stock by warehouse.',
    ],
    ['values', 'A value is text or a number; null takes it away.'],
    ['value-ids', 'The values of an attribute are numbered from 1, the one for all retailers first.'],
    [
      'same-for-all',
      'Identifier, UPC, inventory, lead time, cartons and images are the same for all retailers; of those and of the cost a retailer sets none.',
    ],
    ['ranges', 'A lead time is 0 to 999 days; an item is shipped in 1 to 20 cartons.'],
    [
      'catalogue',
      'The catalog of codes is not shown: those that appear, what the filters search, and eight images.',
    ],
  ]),
]
