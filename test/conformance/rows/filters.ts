/** Spec: "List filters", every operator of every time filter. */
import { choices, filtersOf, statements } from './row.ts'

const SECTION = 'List filters'

export const FILTER_ROWS = [
  ...filtersOf('retailer-orders', SECTION, [
    ['purchase_order_number', 'Orders, retailer context: purchase_order_number'],
    ['status', 'Orders, retailer context: status (open, closed, canceled, partial; repeatable)'],
    ['is_acknowledged', 'Orders, retailer context: is_acknowledged'],
    ['ordered_at_{op}', 'Orders, retailer context: ordered_at'],
    ['received_at_{op}', 'Orders, retailer context: received_at'],
    ['fulfill_by_{op}', 'Orders, retailer context: fulfill_by'],
    ['acknowledged_at_{op}', 'Orders, retailer context: acknowledged_at'],
    ['closed_at_{op}', 'Orders, retailer context: closed_at'],
    ['limit', 'Orders, retailer context: limit'],
  ]),
  ...filtersOf('brand-orders', SECTION, [
    ['status', 'Orders, brand context: status'],
    ['is_acknowledged', 'Orders, brand context: is_acknowledged'],
    ['ordered_at_{op}', 'Orders, brand context: ordered_at'],
    ['acknowledged_at_{op}', 'Orders, brand context: acknowledged_at'],
    ['limit', 'Orders, brand context: limit'],
  ]),
  ...filtersOf('shipments', SECTION, [
    ['is_acknowledged', 'Shipments: is_acknowledged'],
    ['is_picked_up', 'Shipments: is_picked_up (1 picked up, 0 awaiting pickup)'],
    ['shipped_at_{op}', 'Shipments: shipped_at'],
    ['limit', 'Shipments: limit'],
  ]),
  ...filtersOf('cancels', SECTION, [
    ['is_acknowledged', 'Cancels: is_acknowledged'],
    ['canceled_at_{op}', 'Cancels: canceled_at'],
    ['limit', 'Cancels: limit'],
  ]),
  ...filtersOf('retailer-invoices', SECTION, [
    ['is_acknowledged', 'Invoices: is_acknowledged'],
    ['invoiced_at_{op}', 'Invoices: invoiced_at'],
    ['limit', 'Invoices: limit'],
  ]),
  ...filtersOf('brand-invoices', SECTION, [
    ['is_acknowledged', 'Invoices, brand context: is_acknowledged'],
    ['invoiced_at_{op}', 'Invoices, brand context: invoiced_at'],
    ['limit', 'Invoices, brand context: limit'],
  ]),
  ...filtersOf('credits', SECTION, [
    ['is_acknowledged', 'Credits: is_acknowledged'],
    ['credited_at_{op}', 'Credits: credited_at'],
    ['limit', 'Credits: limit'],
  ]),
  ...filtersOf('rmas', SECTION, [
    ['is_acknowledged', 'Returns: is_acknowledged'],
    ['rmad_at_{op}', 'Returns: rmad_at'],
    ['received_at_{op}', 'Returns: received_at'],
    ['limit', 'Returns: limit'],
  ]),
  ...filtersOf('retailer-variants', SECTION, [
    ['in_stock', 'Variants, retailer context: in_stock (1 inventory above 0, 0 inventory of 0)'],
    ['is_acknowledged', 'Variants, retailer context: is_acknowledged'],
    [
      'meets_publish_rules',
      'Variants, retailer context: meets_publish_rules (1 meets merchandising specifications, 0 does not)',
    ],
    ['created_at_{op}', 'Variants, retailer context: created_at'],
    ['updated_at_{op}', 'Variants, retailer context: updated_at'],
    ['limit', 'Variants, retailer context: limit'],
  ]),
  ...filtersOf('brand-variants', SECTION, [
    ['short', 'Variants, brand context: short (1 limited attribute set, 0 all)'],
    ['in_stock', 'Variants, brand context: in_stock (1 inventory above 0, 0 inventory of 0)'],
    ['has_images', 'Variants, brand context: has_images (1 with images, 0 without)'],
    ['has_shipping', 'Variants, brand context: has_shipping (1 with package sizes and weights, 0 without)'],
    ['attribute', 'Variants, brand context: attribute, a free-text search'],
    ['created_at_{op}', 'Variants, brand context: created_at'],
    ['updated_at_{op}', 'Variants, brand context: updated_at'],
    ['limit', 'Variants, brand context: limit'],
  ]),
]

export const FILTER_RULES = [
  ...statements(SECTION, 'rule.filters', [
    ['attribute-form', 'attribute=code[value1||value2]; the value must be URL-encoded.'],
    ['attribute-several', 'Several codes are joined with ::.'],
    ['attribute-color', 'Searchable attribute: Color.'],
    ['attribute-size', 'Searchable attribute: Size.'],
    ['attribute-category', 'Searchable attribute: Category.'],
    ['attribute-material', 'Searchable attribute: Material.'],
    ['attribute-finish', 'Searchable attribute: Finish.'],
    ['attribute-collection', 'Searchable attribute: Collection.'],
  ]),
  ...choices(SECTION, 'choice.filters', [
    ['wrong-value', 'A value that a filter does not take is refused: 400 that names the filter.'],
  ]),
]
