/** Business rules, each by itself: an order as the API shows it beside the body of a file. */
import { describe, expect, test } from 'vitest'
import type { ResourceFacts } from '../../src/domain/resource.ts'
import { findLineOfItem } from '../../src/operations/order-lines.ts'
import { BUSINESS_RULES, checkCarrier } from '../../src/pipeline/rules/operation-rules.ts'
import { checkConnectionMethod } from '../../src/pipeline/references/shipping-methods.ts'
import type { RequestBody } from '../../src/operations/operation.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

const line = (id: number, upc: string | null, units: readonly [number, number, number] = [3, 0, 0]) => ({
  id,
  variant: { id: 9000 + id, identifier: `HV-${id}`, brand_identifier: `NL-${id}`, upc },
  quantity: units[0],
  quantity_shipped: units[1],
  quantity_canceled: units[2],
})

const order = (changes: ResourceFacts = {}): ResourceFacts => ({
  id: 5,
  status: 'open',
  is_acknowledged: false,
  ordered_at: '2026-11-18T10:00:00Z',
  order_lines: [line(1, '111'), line(2, null, [2, 1, 1])],
  invoices: [],
  shipping_accounts: [
    { id: 7, nickname: 'Main', shipping_methods: [{ id: 3, code: 'GND', name: 'Ground' }] },
  ],
  ...changes,
})

const item = (variant: RequestBody, quantity = 1, more: RequestBody = {}) => ({ variant, quantity, ...more })
const parcel = (...shipment_lines: RequestBody[]) => ({ order_id: 5, shipment_lines })

const wrong = (
  operation: keyof typeof BUSINESS_RULES,
  body: RequestBody,
  of: ResourceFacts = order(),
  earlier: readonly RequestBody[] = [],
) =>
  (BUSINESS_RULES[operation]?.onOrder?.({ body, order: of, earlier }) ?? []).map(
    ({ code, field, message }) => [code, field, message],
  )

const odd = (operation: keyof typeof BUSINESS_RULES, body: RequestBody, of: ResourceFacts = order()) =>
  (BUSINESS_RULES[operation]?.onBody?.({ body, order: of, now: NOW }) ?? []).map(
    ({ field, policy, message }) => [field, policy, message],
  )

describe('a shipment', () => {
  test('of what the order has left is right, by any name of the item', () => {
    expect(wrong('create-shipment', parcel(item({ upc: '111' }, 3)))).toEqual([])
    expect(wrong('create-shipment', parcel(item({ brand_identifier: 'NL-1' }, 1)))).toEqual([])
  })

  test('of an item whose UPC the API shows as a number, without its leading zeros, is right', () => {
    const shown = order({ order_lines: [{ ...line(1, ''), variant: { upc: 86000100810 } }] })
    const other = parcel(item({ upc: '086000100827' }))

    expect(wrong('create-shipment', parcel(item({ upc: '086000100810' }, 3)), shown)).toEqual([])
    expect(wrong('create-shipment', other, shown).map(([code]) => code)).toEqual(['item-not-ordered'])
  })

  test.each(['canceled', 'closed'])('of a %s order is reported with the time', (status) => {
    const [[code, field, message] = []] = wrong(
      'create-shipment',
      parcel(),
      order({ status, [`${status}_at`]: '2026-11-20T00:00:00Z' }),
    )

    expect([code, field]).toEqual(['order-finished', 'order_id'])
    expect(message).toBe(`the order is ${status} since 2026-11-20T00:00:00Z: nothing of it can be shipped`)
  })

  test('of another item, or of more than is left, is reported line by line, all at once', () => {
    const body = parcel(item({ upc: '999' }), item({ upc: '111' }, 4), item({ brand_identifier: 'NL-2' }, 1))

    expect(wrong('create-shipment', body)).toEqual([
      [
        'item-not-ordered',
        'shipment_lines[0].variant.upc',
        'the order has no line with this item (upc "999"); its lines have the upc "111"',
      ],
      [
        'quantity-exceeded',
        'shipment_lines[1].quantity',
        'the record has 4; only 3 of 3 are left to be shipped',
      ],
      [
        'quantity-exceeded',
        'shipment_lines[2].quantity',
        'the record has 1; only 0 of 2 are left to be shipped',
      ],
    ])
  })

  test('counts what earlier records of the file take', () => {
    expect(
      wrong('create-shipment', parcel(item({ upc: '111' }, 2)), order(), [
        parcel(item({ brand_identifier: 'NL-1' }, 2)),
      ]),
    ).toEqual([
      [
        'quantity-exceeded',
        'shipment_lines[0].quantity',
        'the record has 2; only 3 of 3 are left to be shipped, and earlier records of the file take 2',
      ],
    ])
  })

  test.each([
    ['no lines', {}],
    ['lines without their items', { order_lines: [{ id: 1, quantity: 1 }] }],
    ['two lines with the UPC', { order_lines: [line(1, '111'), line(2, '111')] }],
    [
      'lines without quantities',
      { order_lines: [{ id: 1, variant: { upc: '111', brand_identifier: 'NL-1' } }] },
    ],
  ])('is left to the API where the order shows %s', (_, shown) => {
    const of = { ...order(), order_lines: undefined, ...shown }

    expect(wrong('create-shipment', parcel(item({ upc: '111' }, 99)), of)).toEqual([])
  })

  test('names an account of the order and a method of that account', () => {
    const by = (account: number, method: number) =>
      wrong('create-shipment', { ...parcel(), shipping_account_id: account, shipping_method_id: method })

    expect(by(7, 3)).toEqual([])
    expect(by(8, 3)).toEqual([
      [
        'account-not-of-order',
        'shipping_account_id',
        "shipping account 8 is not one of the order's; there are 7 (Main)",
      ],
    ])
    expect(by(7, 4)).toEqual([
      [
        'method-not-allowed',
        'shipping_method_id',
        'shipping account Main has no shipping method 4; there are 3 (GND)',
      ],
    ])
  })

  test('names a method of its carrier, where the carrier is known', () => {
    const carriers = [{ id: '1', names: ['FDEG', '1'], methods: [{ id: '3', names: ['GND', '3'] }] }]
    const by = (carrier: number, method: number) =>
      checkCarrier({ carrier_id: carrier, shipping_method_id: method }, carriers).map(({ code }) => code)

    expect([by(1, 3), by(1, 9), by(2, 9)]).toEqual([[], ['method-not-allowed'], []])
  })

  test('of the future, or older than its order, is odd', () => {
    expect(odd('create-shipment', { shipped_at: '2026-11-21T20:00:00Z' })).toEqual([])
    expect(odd('create-shipment', { shipped_at: '2026-12-21T20:00:00Z' })).toEqual([
      ['shipped_at', 'dates', 'shipped_at is 2026-12-21T20:00:00Z, which is in the future'],
    ])
    expect(odd('create-shipment', { shipped_at: '2026-11-11T20:00:00Z' })).toMatchObject([
      ['shipped_at', 'dates', expect.stringContaining("before the order's ordered_at") as string],
    ])
  })
})

describe('a net price', () => {
  const ordered = (net_price: string, price: string) => ({
    order_lines: [{ ...item({ identifier: 'HV-1' }, 1), net_price, price }],
  })
  const billed = (net_price: string) => ({
    purchase_order_number: 'PO-1',
    due_amount: net_price,
    invoice_lines: [{ ...item({ identifier: 'HV-1' }, 1), net_price }],
  })

  test('of 0, or above the price of the consumer, is odd in an order', () => {
    const field = 'order_lines[0].net_price'
    const above =
      'the net price is 20.00, above the price of the consumer, 19.99; perhaps the mapping swaps their columns'
    expect(odd('create-order', ordered('20.00', '19.99'))).toEqual([[field, 'prices', above]])
    const none = 'the net price is 0.00, which is nothing'
    expect(odd('create-order', ordered('0.00', '19.99'))).toEqual([[field, 'prices', none]])
  })

  test('of an order is right up to the price of the consumer, and where that is 0, as it is not known', () => {
    expect(odd('create-order', ordered('19.99', '19.99'))).toEqual([])
    expect(odd('create-order', ordered('19.99', '0.00'))).toEqual([])
  })

  test('of an invoice is compared with the price of the order line, where the order is known', () => {
    const shown = order({ status: 'closed', order_lines: [{ ...line(1, '111', [1, 1, 0]), price: '19.99' }] })
    expect(odd('create-invoice', billed('20.00'), shown)).toEqual([
      [
        'invoice_lines[0].net_price',
        'prices',
        'the net price is 20.00, above the price of the consumer, 19.99',
      ],
    ])
    expect(odd('create-invoice', billed('19.99'), shown)).toEqual([])
    expect(odd('create-invoice', billed('20.00'))).toEqual([])
  })
})

describe('an invoice', () => {
  const bill = (due_amount: string, ...invoice_lines: RequestBody[]) => ({
    purchase_order_number: 'PO-1',
    due_amount,
    invoice_lines,
  })
  const shipped = order({ status: 'closed', order_lines: [line(1, '111', [3, 2, 1])] })

  test('of what was shipped of a closed order is right', () => {
    expect(wrong('create-invoice', bill('25.00', item({ identifier: 'HV-1' }, 2)), shipped)).toEqual([])
    expect(wrong('create-invoice', bill('25.00', item({ identifier: 'NL-1' }, 2)), shipped)).toEqual([])
  })

  test('of an order that is not closed is refused for that alone', () => {
    const early = wrong('create-invoice', bill('1.00', item({ id: 9001 }, 9)))
    expect(early.map(([code]) => code)).toEqual(['order-not-closed'])
  })

  test('of a canceled order is refused as the order is finished, and not until it is shipped', () => {
    const canceled = order({ status: 'canceled', canceled_at: '2026-11-20T00:00:00Z' })
    expect(wrong('create-invoice', bill('1.00'), canceled)).toEqual([
      [
        'order-finished',
        'purchase_order_number',
        'the order is canceled since 2026-11-20T00:00:00Z: nothing of it can be invoiced',
      ],
    ])
  })

  test('of an order that is not closed, or has one, is reported', () => {
    expect(wrong('create-invoice', bill('1.00'))).toEqual([
      [
        'order-not-closed',
        'purchase_order_number',
        'the order is open; an invoice is submitted after it is completely fulfilled and closed',
      ],
    ])
    expect(
      wrong('create-invoice', bill('1.00'), { ...shipped, invoices: [{ id: 1, invoice_number: 'I-9' }] }),
    ).toEqual([
      [
        'order-invoiced',
        'purchase_order_number',
        'the order is invoiced already as I-9; one invoice is submitted per purchase order',
      ],
    ])
  })

  test('of more than was shipped is reported', () => {
    expect(
      wrong('create-invoice', bill('1.00', item({ id: 9001 }, 3)), shipped).map(([code, field]) => [
        code,
        field,
      ]),
    ).toEqual([['quantity-exceeded', 'invoice_lines[0].quantity']])
  })

  test('whose total is not the sum of its lines, or that was due before it came, is odd', () => {
    const lines = [item({ id: 1 }, 2, { net_price: '10.05' }), item({ id: 2 }, 1, { net_price: '0.90' })]

    expect(odd('create-invoice', { ...bill('21.00', ...lines), terms_date_due: '2026-11-21' })).toEqual([])
    expect(odd('create-invoice', { ...bill('20.00', ...lines), terms_date_due: '2026-11-01' })).toEqual([
      ['due_amount', 'totals', 'due_amount is 20.00, but the lines add up to 21.00'],
      ['terms_date_due', 'dates', 'terms_date_due is 2026-11-01, which has passed'],
    ])
  })
})

test('a cancel comes before the supplier acknowledges, and takes no more than is open', () => {
  const cancel = { order_id: 5, cancel_lines: [item({ identifier: 'HV-1' }, 4)] }
  const acknowledged = order({ is_acknowledged: true, acknowledged_at: '2026-11-20T00:00:00Z' })

  expect(wrong('create-cancel', cancel, acknowledged)).toEqual([
    [
      'order-acknowledged',
      'order_id',
      'the brand acknowledged the order at 2026-11-20T00:00:00Z; a cancel may be requested only before that',
    ],
    [
      'quantity-exceeded',
      'cancel_lines[0].quantity',
      'the record has 4; only 3 of 3 are left to be canceled',
    ],
  ])
})

test('an order asks for a method that some active connection has', () => {
  const asks = (carrier: string, code: string) =>
    checkConnectionMethod(
      { shipping_method: { code, carrier: { code: carrier } } },
      new Set(['FDEG GROUND']),
    ).map(({ field }) => field)

  expect([asks('FDEG', 'GROUND'), asks('UPSN', 'GROUND')]).toEqual([[], ['shipping_method.code']])
  expect(
    checkConnectionMethod({ shipping_method: { code: 'X', carrier: { code: 'Y' } } }, new Set()),
  ).toEqual([])
})

test('an order of the future or of more than a year ago is odd', () => {
  const at = (ordered_at: string) => odd('create-order', { ordered_at }).length

  expect([at('2026-11-20T00:00:00Z'), at('2027-01-01T00:00:00Z'), at('2025-11-01T00:00:00Z')]).toEqual([
    0, 1, 1,
  ])
})

test('an item matches a line only where it is certain which', () => {
  const lines = [line(1, '111'), line(2, '111')]

  expect(findLineOfItem(lines, item({ upc: '111', brand_identifier: 'NL-2' }))).toMatchObject({ id: 2 })
  expect(findLineOfItem(lines, item({ upc: '111' }))).toBe('unclear')
  expect(findLineOfItem(lines, item({ id: 9001, identifier: 'HV-2' }))).toMatchObject({ id: 1 })
  expect(findLineOfItem(lines, item({ upc: '222' }))).toBe('none')
})

describe('a postal code', () => {
  const to = (country: string, postal_code: string) => ({ ship_to: { country, postal_code } })
  const fixOf = (body: RequestBody) =>
    BUSINESS_RULES['create-order']?.onBody?.({ body, order: undefined, now: NOW }).map(({ fix }) => fix)

  test.each([
    ['US', '02134'],
    ['US', '02134-1234'],
    ['US', '021341234'],
    ['CA', 'k1a 0b1'],
    ['CA', 'K1A0B1'],
    ['DE', '1'],
  ])('of %s may be %s', (country, code) => {
    expect(odd('create-order', to(country, code))).toEqual([])
  })

  test.each([
    ['US', '2134', 'one of US has 5 digits, or 5 and 4'],
    ['US', '0213', 'one of US has 5 digits, or 5 and 4'],
    ['US', 'K1A 0B1', 'one of US has 5 digits, or 5 and 4'],
    ['CA', '02134', 'one of CA has a form like K1A 0B1'],
  ])('of %s is odd as %s', (country, code, what) => {
    expect(odd('create-order', to(country, code))).toEqual([
      ['ship_to.postal_code', 'addresses', `the postal code is "${code}"; ${what}`],
    ])
  })

  test('of the US that is too short is to be mapped with its digits', () => {
    expect(fixOf(to('US', '2134'))).toEqual([
      'A spreadsheet cut its zeros: write `digits: 5` at ship_to.postal_code in the mapping.',
    ])
  })
})
