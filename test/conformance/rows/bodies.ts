/** Spec: "Request bodies", with the values that each field refuses and accepts. */
import { bodyOf, choices, statements } from './row.ts'

const required = { required: true } as const
const long = (length: number) => 'x'.repeat(length)
const TEXT = [5, [], '']
const QUANTITY = [0, -1, 1.5, '2', null]
const PRICE = ['1.999', '-1.00', 'free', '', null]
const VARIANT = [{}, { id: null, identifier: null }, 'NL-0001']

const address = {
  name1: 'Ann Lee',
  street1: '12 Main St',
  city: 'Albany',
  province: 'NY',
  postal_code: '12207',
  country: 'US',
}

const optionalText = { wrong: ['', 5], right: ['Unit 4'] }
const requiredText = { ...required, wrong: ['', 5, null], right: ['Unit 4'] }

const ORDER = 'Order create'

const orderFields = bodyOf('order', ORDER, [
  [
    'purchase_order_number',
    'string (32). Unique PO number.',
    { ...required, wrong: [long(33), ...TEXT], right: [long(32)] },
  ],
  [
    'customer_order_number',
    'string (32). Pass it if it must appear on the packing slip.',
    { wrong: [long(33), ...TEXT], right: [long(32)] },
  ],
  [
    'ordered_at',
    'ISO-8601 datetime, UTC.',
    { ...required, wrong: ['yesterday', '2026-11-20', 5, null], right: ['2026-11-20T18:30:00Z'] },
  ],
  [
    'sold_to',
    'Address. Empty strings not allowed.',
    { wrong: [{ ...address, name1: '' }, 'Ann'], right: [address] },
  ],
  ['ship_to', 'Address.', { ...required, wrong: [null, 'Ann', {}], right: [address] }],
  [
    'gift_message',
    'array of strings, at most 64 characters per element; empty string is a line break.',
    { wrong: [[long(65)], 'Enjoy', [5]], right: [[long(64)], ['Enjoy', '', 'Ann']] },
  ],
  [
    'shipping_method',
    'object: code plus carrier with code. An older shape also passes id, name and carrier id and name.',
    {
      ...required,
      wrong: [null, {}, { code: 'FEDEX_GROUND' }, { code: '', carrier: { code: 'FDEG' } }],
      right: [
        { code: 'FEDEX_GROUND', carrier: { code: 'FDEG' } },
        {
          id: 3,
          name: 'FedEx Ground',
          code: 'FEDEX_GROUND',
          carrier: { id: 1, name: 'FedEx', code: 'FDEG' },
        },
      ],
    },
  ],
  ['order_lines', 'array. One line per unique item.', { ...required, wrong: [null, [], {}], right: [] }],
  [
    'order_lines.0.variant',
    'object (id, identifier, upc).',
    {
      ...required,
      wrong: VARIANT,
      right: [{ id: 9001 }, { identifier: 'NL-0001' }, { upc: '086000100018' }],
    },
  ],
  ['order_lines.0.quantity', 'integer.', { ...required, wrong: QUANTITY, right: [1] }],
  ['order_lines.0.net_price', 'decimal string.', { ...required, wrong: PRICE, right: ['7.87'] }],
  [
    'order_lines.0.price',
    'decimal string, gross per-unit selling price.',
    { ...required, wrong: PRICE, right: ['16.73'] },
  ],
])

const addressFields = bodyOf(
  'order',
  'Address object',
  Object.entries({
    type: optionalText,
    name1: requiredText,
    name2: optionalText,
    street1: requiredText,
    street2: optionalText,
    city: requiredText,
    province: { ...required, wrong: ['', 'ZZ', 'New York', null], right: ['CA'] },
    postal_code: { ...required, wrong: ['', null], right: ['not a postal code'] },
    country: { ...required, wrong: ['', 'USA', 'us', 'ZZ', null], right: ['US'] },
    phone1: optionalText,
    phone2: optionalText,
    fax: optionalText,
    email: optionalText,
  }).map(([name, values]) => [`ship_to.${name}`, 'a field of an address that is sent.', values] as const),
)

const CANCEL = 'Cancel create'

const cancelFields = bodyOf('cancel', CANCEL, [
  ['order_id', 'integer (11).', { ...required, wrong: [0, 'one', 999, null], right: [] }],
  [
    'reason_id',
    'integer (11), 1 to 5 as listed under Cancel.',
    { ...required, wrong: [0, 6, 'late', null], right: [1, 5] },
  ],
  ['cancel_lines', 'array. One per unique item.', { ...required, wrong: [null, [], {}], right: [] }],
  [
    'cancel_lines.0.variant',
    'id, identifier, upc; at least one.',
    {
      ...required,
      wrong: VARIANT,
      right: [{ id: 9001 }, { identifier: 'NL-0001' }, { upc: '086000100018' }],
    },
  ],
  ['cancel_lines.0.quantity', 'integer.', { ...required, wrong: [...QUANTITY, 3], right: [1, 2] }],
])

const SHIPMENT = 'Shipment create'

const shipmentFields = bodyOf('shipment', SHIPMENT, [
  ['order_id', 'integer.', { ...required, wrong: [0, 'one', 999, null], right: [] }],
  ['ship_from_name1', 'string.', requiredText],
  ['ship_from_street1', 'string.', requiredText],
  ['ship_from_city', 'string.', requiredText],
  ['ship_from_province', 'string.', { ...required, wrong: ['', 'ZZ', null], right: ['NY'] }],
  ['ship_from_postal_code', 'string.', { ...required, wrong: ['', null], right: ['07102'] }],
  [
    'ship_from_country',
    'string. A two-character code.',
    { ...required, wrong: ['', 'USA', 'ZZ', null], right: ['US'] },
  ],
  ['ship_from_name2', 'string.', optionalText],
  ['ship_from_street2', 'string.', optionalText],
  ['ship_from_phone', 'string.', optionalText],
  [
    'shipped_at',
    'datetime, shown in an example: date and time, space separated.',
    { wrong: ['today', 5], right: ['2026-11-20 18:30:00', '2026-11-20T18:30:00Z'] },
  ],
  ['shipment_lines', 'array. One per unique item.', { ...required, wrong: [null, [], {}], right: [] }],
  [
    'shipment_lines.0.variant',
    'upc and brand_identifier; at least one.',
    {
      ...required,
      wrong: [{}, { upc: null }, 'NL-0001'],
      right: [{ upc: '086000100018' }, { brand_identifier: 'NL-0001' }],
    },
  ],
  ['shipment_lines.0.quantity', 'integer.', { ...required, wrong: [...QUANTITY, 3], right: [1, 2] }],
  [
    'carrier_id',
    'labels already generated (mode A): integer.',
    { ...required, wrong: [0, 99, 'FDEG'], right: [1] },
  ],
  [
    'shipping_method_id',
    'labels already generated (mode A): integer.',
    { ...required, wrong: [0, 99, 10, null], right: [3] },
  ],
  [
    'tracking_number',
    'labels already generated (mode A): string (128).',
    { ...required, wrong: [long(129), '', 5], right: [long(128)] },
  ],
])

const size = { ...required, wrong: ['0', '-1', 'big', ''], right: ['2.5', 3] }

const labelFields = bodyOf('label', SHIPMENT, [
  [
    'shipping_account_id',
    "service generates the label (mode B): must be an id from the order's shipping_accounts.",
    { ...required, wrong: [0, 501, 'mine'], right: [500] },
  ],
  [
    'shipping_method_id',
    "service generates the label (mode B): an id from that account's shipping_methods.",
    { ...required, wrong: [10, 99, null], right: [4] },
  ],
  ['ship_weight', 'pounds (mode B).', size],
  ['ship_width', 'inches (mode B).', size],
  ['ship_length', 'inches (mode B).', size],
  ['ship_height', 'inches (mode B).', size],
])

const INVOICE = 'Invoice create'

const invoiceFields = bodyOf('invoice', INVOICE, [
  [
    'purchase_order_number',
    "string. PO from the retailer's system.",
    { ...required, wrong: ['PO-NONE', long(33), '', null], right: [] },
  ],
  ['invoice_number', 'string.', { ...required, wrong: [long(33), '', null], right: [long(32)] }],
  ['terms_net_days_due', 'integer.', { ...required, wrong: [-1, '30 days', 1.5, null], right: [0, 30] }],
  [
    'terms_date_due',
    'date, YYYY-MM-DD.',
    { ...required, wrong: ['12/21/2026', '2026-02-30', null], right: ['2026-12-21'] },
  ],
  [
    'due_amount',
    'decimal.',
    { ...required, wrong: ['1.999', '1000000.00', '', null], right: ['26.98', '999999.99'] },
  ],
  ['invoice_lines', 'array. One per unique item.', { ...required, wrong: [null, [], {}], right: [] }],
  [
    'invoice_lines.0.variant',
    'id, identifier, upc; at least one.',
    {
      ...required,
      wrong: VARIANT,
      right: [{ id: 9001 }, { identifier: 'NL-0001' }, { upc: '086000100018' }],
    },
  ],
  ['invoice_lines.0.quantity', 'integer.', { ...required, wrong: [...QUANTITY, 3], right: [1, 2] }],
  [
    'invoice_lines.0.net_price',
    'the example shows a leading currency symbol.',
    { ...required, wrong: PRICE, right: ['7.87', '$7.87'] },
  ],
])

const VARIANT_BODY = 'Variant create and update'

const variantFields = bodyOf('variant', VARIANT_BODY, [
  ['attributes', 'an array of entries.', { ...required, wrong: [null, {}, 'name'], right: [] }],
  [
    'attributes.1.attribute',
    'object with code.',
    { ...required, wrong: [null, {}, { code: '' }, 'name'], right: [{ code: 'manufacturer' }] },
  ],
  ['attributes.1.value', 'the value.', { ...required, wrong: [[], {}], right: ['Northlight'] }],
])

export const BODY_ROWS = [
  ...orderFields,
  ...addressFields,
  ...cancelFields,
  ...shipmentFields,
  ...labelFields,
  ...invoiceFields,
  ...variantFields,
]

const line = 'One line per unique item: a second line for the same item is refused.'
const one = 'At least one of variant.id, variant.identifier, variant.upc is required.'
const priority = 'When several are given, priority is id, then identifier, then upc.'

export const BODY_RULES = [
  ...statements(ORDER, 'rule.order-create', [
    ['unique-number', 'purchase_order_number is unique.'],
    ['gift-line-break', 'An empty string in gift_message is a line break.'],
    ['methods', 'Allowed methods come from the connection lookup.'],
    ['one-line-per-item', line],
    ['one-of', one],
    ['identifier', 'identifier is the retailer SKU if set, otherwise the brand SKU.'],
    ['priority', priority],
  ]),
  ...choices(ORDER, 'choice.order-create', [
    ['one-brand', 'Items of two brands are refused: an order is for one.'],
    ['largest', 'The lines of an order come to at most 99999999.99, each and together.'],
  ]),
  ...statements(CANCEL, 'rule.cancel-create', [
    ['one-line-per-item', line],
    ['one-of', one],
    ['priority', priority],
  ]),
  ...statements(SHIPMENT, 'rule.shipment-create', [
    ['one-line-per-item', line],
    ['one-of', 'At least one of upc and brand_identifier.'],
    ['priority', 'When both upc and brand_identifier are given, upc has priority.'],
    ['mode-a', 'Labels already generated: carrier_id, shipping_method_id, tracking_number.'],
    ['mode-b', 'Service generates the label: shipping_account_id, shipping_method_id, weight and sizes.'],
    ['method-spelling', 'One example spells the method key shipping_method in mode B.'],
    [
      'label-only-if',
      'The label comes only if ship_weight, ship_width, ship_height and ship_length were sent.',
    ],
    ['label-eligibility', 'valid_shipping_label shows eligibility.'],
  ]),
  ...statements(INVOICE, 'rule.invoice-create', [
    ['one-line-per-item', line],
    ['one-of', one],
    ['priority', priority],
  ]),
  ...choices(INVOICE, 'choice.invoice-create', [
    ['own-sku', "The brand's own SKU is understood as identifier even where the retailer has one."],
    [
      'same-number',
      'Of two orders with one number, from two retailers, the one that can be invoiced and has all the items is meant, or else the older.',
    ],
    ['largest', 'The lines of an invoice come to at most 999999.99 together.'],
    ['number-formats', 'Prices with a leading $, grouping commas or fewer decimals are taken.'],
  ]),
  ...statements(VARIANT_BODY, 'rule.variant-body', [
    ['entry', 'An entry is attribute (object with code), value, and optionally retailer (object with id).'],
    ['retailer', 'retailer is for retailer-specific attributes such as retailer_item, retailer_item_name.'],
    ['identifier-mandatory', 'On create, the identifier attribute is mandatory and all others optional.'],
    ['identifier-fixed', 'On update, the identifier attribute cannot be changed.'],
    ['both-contexts', 'Update also in the retailer context.'],
    ['publish', 'More attributes are needed if the service is to publish new products to retailers.'],
  ]),
]
