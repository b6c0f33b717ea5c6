/** Exports of items by their attributes, and of every list that has lines of its own. */
import { describe, expect, test } from 'vitest'
import { mappingOf, errorsOf } from '../sheet.ts'

type ApiRecord = Readonly<Record<string, unknown>>

async function rowsOf(text: string, record: ApiRecord): Promise<readonly (readonly string[])[]> {
  const mapping = await mappingOf(text)
  if (mapping.direction !== 'outbound') throw new Error('not an export')
  const composed = mapping.composer.composeRows(record)
  if ('problems' in composed) throw new Error(composed.problems.map(({ message }) => message).join('\n'))
  return composed.rows
}

interface Value {
  readonly value: string
  readonly retailer?: { readonly id: number } | null
}

function attribute(code: string, ...values: readonly Value[]) {
  return {
    id: 7,
    code,
    name: `Name of ${code}`,
    values: values.map((value, index) => ({ id: index + 1, ...value })),
  }
}

const ATTRIBUTES = [
  attribute('name', { value: 'Wool Throw' }),
  attribute('color', { value: 'Rust' }),
  attribute('cost', { value: '12.50' }),
  attribute('lead_time', { value: '3' }),
]

/** As the brand sees them: by their codes, with the values of every retailer. */
const BY_CODE = {
  ...Object.fromEntries(ATTRIBUTES.map((each) => [each.code, each])),
  cost: attribute('cost', { value: '11.00', retailer: { id: 1001 } }, { value: '12.50', retailer: null }),
  retailer_sku: attribute('retailer_sku', { value: 'HV-1', retailer: { id: 1000 } }),
}

const COLUMNS =
  '{ Name: attributes.name, Cost: { from: attributes.cost, decimal: "," }, Days: attributes.lead_time, Finish: attributes.finish }'

describe('an attribute', () => {
  test('is its value in the list that a retailer sees and among the codes that a brand sees', async () => {
    const retailer = await rowsOf(`operation: export-variants\ncolumns: ${COLUMNS}`, {
      name: 'repeated',
      attributes: ATTRIBUTES,
    })
    const brand = await rowsOf(`operation: export-brand-variants\ncolumns: ${COLUMNS}`, {
      name: 'repeated',
      attributes: BY_CODE,
    })

    expect(retailer).toEqual([['Wool Throw', '12,50', '3', '']])
    expect(brand).toEqual(retailer)
  })

  test('of a retailer is its own value, and of a brand never that of one retailer', async () => {
    const text = (operation: string) =>
      `operation: ${operation}\ncolumns: { Id: id, SKU: attributes.retailer_sku, Cost: attributes.cost }`
    const own = [attribute('retailer_sku', { value: 'HV-1', retailer: { id: 1000 } })]

    expect(await rowsOf(text('export-variants'), { id: 5, attributes: own })).toEqual([['5', 'HV-1', '']])
    expect(await rowsOf(text('export-brand-variants'), { id: 5, attributes: BY_CODE })).toEqual([
      ['5', '', '12.50'],
    ])
  })

  test('of the items on lines is read, packed and summed like any value', async () => {
    const line = (attributes: unknown, quantity: number) => ({ quantity, variant: { attributes } })
    const packed = `columns:
  All: { from: order_lines.variant.attributes.color, join: "|" }
  Cost: { sum: order_lines.variant.attributes.cost }`
    const single = `each: order_lines
columns: { Id: id, Color: order_lines.variant.attributes.color }`
    const seenByRetailer = { id: 5, order_lines: [line(ATTRIBUTES, 1), line([], 2)] }
    const seenByBrand = { id: 5, order_lines: [line(BY_CODE, 1), line({}, 2)] }

    for (const [operation, record] of [
      ['export-retailer-orders', seenByRetailer],
      ['export-orders', seenByBrand],
    ] as const) {
      expect(await rowsOf(`operation: ${operation}\n${packed}`, record)).toEqual([['Rust|', '12.50']])
      expect(await rowsOf(`operation: ${operation}\n${single}`, record)).toEqual([
        ['5', 'Rust'],
        ['5', ''],
      ])
    }
  })

  test('that does not exist is an error with the nearest name', async () => {
    const text = `operation: export-variants
columns:
  A: attributes.csot
  B: attributes.retailer-sku
  C: attributes
  D: attributes.cost.values
  E: { from: attributes.name, zeros: cut }
  F: { from: attributes.cost, format: yyyy }
`

    expect(await errorsOf(text)).toEqual([
      '3:6 columns.A: attributes has no field "csot". Did you mean "cost"?',
      '4:6 columns.B: attributes has no field "retailer-sku". Did you mean "retailer_sku"?',
      expect.stringMatching(/^5:6 columns\.C: this is an object; name one of its fields: identifier, name, /),
      '6:6 columns.D: attributes.cost has no field "values".',
      '8:39 columns.F.format: `format` is for dates',
    ])
  })
})

describe('a row for each item of a list', () => {
  test.each([
    ['export-carriers', 'shipping_methods', 'shipping_methods.code', { code: 'GROUND' }],
    [
      'export-connections',
      'shipping_methods',
      'shipping_methods.carrier.code',
      { carrier: { code: 'GROUND' } },
    ],
    [
      'export-cancels',
      'cancel_lines',
      'cancel_lines.variant.identifier',
      { variant: { identifier: 'GROUND' } },
    ],
    ['export-credits', 'credit_lines', 'credit_lines.price', { price: 'GROUND' }],
    [
      'export-returns',
      'rma_lines',
      'rma_lines.order_line.net_price',
      { order_line: { net_price: 'GROUND' } },
    ],
    ['export-brand-invoices', 'invoice_lines', 'invoice_lines.price', { price: 'GROUND' }],
    ['export-variants', 'media', 'media.url', { url: 'GROUND' }],
    ['export-brand-variants', 'inventory.locations', 'inventory.locations.code', { code: 'GROUND' }],
  ])('%s has one for each of %s', async (operation, each, path, item) => {
    const items = [item, { part: 2 }]
    const record = each
      .split('.')
      .toReversed()
      .reduce<unknown>((value, name) => ({ [name]: value }), items) as ApiRecord

    const rows = await rowsOf(`operation: ${operation}\neach: ${each}\ncolumns: { Id: id, A: ${path} }`, {
      id: 5,
      ...record,
    })

    expect(rows).toEqual([
      ['5', 'GROUND'],
      ['5', ''],
    ])
  })

  test('of a shipment leaves out the lines for further parcels, which no other list has', async () => {
    const text =
      'operation: export-shipments\neach: shipment_lines\ncolumns: { Id: id, Qty: shipment_lines.quantity }'
    const shipment_lines = [
      { part: 1, quantity: 2 },
      { part: 2, quantity: 1 },
    ]

    expect(await rowsOf(text, { id: 5, shipment_lines })).toEqual([['5', '2']])
  })
})
