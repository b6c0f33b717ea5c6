/** What an order, an invoice list or an order list proves about a request whose answer was lost. */
import { describe, expect, test } from 'vitest'
import type { Api, Call, Resource } from '../../src/domain/api.ts'
import { createCancel } from '../../src/operations/create-cancel.ts'
import { createInvoice } from '../../src/operations/create-invoice.ts'
import { createOrder } from '../../src/operations/create-order.ts'
import { createShipment } from '../../src/operations/create-shipment.ts'
import { createVariant } from '../../src/operations/variants.ts'
import type { LookupResult, InboundRules } from '../../src/operations/operation.ts'

const BRAND = { kind: 'brand', id: 2000 } as const
const RETAILER = { kind: 'retailer', id: 1000 } as const
const DAY_MS = 86_400_000
const SENT_AT = Date.UTC(2026, 10, 21, 2, 15)

/** Runs the lookup of the operation. */
async function lookUpOne(
  { lookUp, lookUpAll }: InboundRules,
  ...[api, party, record]: Parameters<NonNullable<InboundRules['lookUp']>>
): Promise<LookupResult | undefined> {
  return lookUp === undefined ? (await lookUpAll(api, party, [record]))[0] : lookUp(api, party, record)
}

/** An API that shows what it is given, and records the requests. */
function showing(shown: { pages?: readonly Resource[][]; resource?: Resource }): Api & { calls: Call[] } {
  const calls: Call[] = []
  return {
    calls,
    send: () => Promise.reject(new Error('a look-up changes nothing')),
    get: (call) => {
      calls.push(call)
      return Promise.resolve(shown.resource)
    },
    async *list(call) {
      calls.push(call)
      yield* shown.pages ?? []
      await Promise.resolve()
    },
    document: () => Promise.reject(new Error('a look-up needs no document')),
    clockOffsetMs: () => 0,
    close: () => Promise.resolve(),
  }
}

const sent = (body: Resource, note?: string) => ({
  naturalKey: body['purchase_order_number'] as string,
  body: JSON.stringify(body),
  sentAt: SENT_AT,
  ...(note === undefined ? {} : { note }),
})

describe('an order', () => {
  const order = sent({ purchase_order_number: 'PO-1' })

  test('is there when the list shows its number, and the API is asked for just that number', async () => {
    const api = showing({ pages: [[{ id: 7, purchase_order_number: 'PO-1' }]] })

    expect(await lookUpOne(createOrder, api, RETAILER, order)).toEqual({ found: 'accepted', apiId: '7' })
    expect(api.calls).toEqual([
      {
        endpoint: 'listRetailerOrders',
        params: { retailer_id: 1000 },
        query: { purchase_order_number: 'PO-1' },
      },
    ])
  })

  test('is found on a later page of an API that ignores the filter, and no other order is mistaken for it', async () => {
    const others = [{ id: 1, purchase_order_number: 'PO-10' }]
    const api = showing({ pages: [others, [...others, { id: 7, purchase_order_number: 'PO-1' }]] })

    expect(await lookUpOne(createOrder, api, RETAILER, order)).toEqual({ found: 'accepted', apiId: '7' })
    expect(await lookUpOne(createOrder, showing({ pages: [others] }), RETAILER, order)).toEqual({
      found: 'absent',
    })
  })

  test('is known by a number shown as a number, unless that may be that of another', async () => {
    const find = (shown: unknown, ours: string) => {
      const api = showing({ pages: [[{ id: 7, purchase_order_number: shown }]] })
      return lookUpOne(createOrder, api, RETAILER, sent({ purchase_order_number: ours }))
    }

    expect(await find(4711, '4711')).toEqual({ found: 'accepted', apiId: '7' })
    expect(await find(4711, '04711')).toEqual({
      found: 'unclear',
      why: 'order 7, as the API shows it, may be 04711 or not',
    })
    expect(await find(47_110_000_000_000_000_000, '47110000000000000001')).toMatchObject({ found: 'unclear' })
    expect(await find('po-1', 'PO-1')).toMatchObject({ found: 'unclear' })
    expect(await find(undefined, 'PO-1')).toMatchObject({ found: 'unclear' })
    expect(await find(4712, '4711')).toEqual({ found: 'absent' })
    expect(await find('04711', '4711')).toEqual({ found: 'absent' })
  })

  describe('with the number of the sent one', () => {
    const ours = {
      purchase_order_number: 'PO-1',
      order_lines: [
        { variant: { upc: '086000100025' }, quantity: 3 },
        { variant: { identifier: 'NL-0002', upc: '086000100032' }, quantity: 1 },
      ],
    }
    const one = { variant: { id: 1, identifier: 'NL-0001', upc: '086000100025' }, quantity: 3 }
    const two = { variant: { id: 2, identifier: 'NL-0002', upc: '086000100032' }, quantity: 1 }
    const find = (...lines: Resource[]) => {
      const shown = { id: 7, purchase_order_number: 'PO-1', order_lines: lines }
      return lookUpOne(createOrder, showing({ pages: [[shown]] }), RETAILER, sent(ours))
    }

    test.each<[string, Resource[]]>([
      ['just so', [one, two]],
      ['in another order', [two, one]],
      [
        'with its numbers as numbers and the other way round',
        [{ ...one, variant: { upc: 86_000_100_025 }, quantity: '3' }, two],
      ],
      ['with a name in other letters', [one, { ...two, variant: { identifier: 'nl-0002' } }]],
      [
        "with the other party's name for an item",
        [one, { ...two, variant: { identifier: 'R-77', upc: null } }],
      ],
      ['without names', [{ quantity: 1 }, { quantity: 3 }]],
      ['without quantities', [{ variant: one.variant }, { variant: two.variant }]],
      ['without lines', []],
    ])('it is the sent one when its lines are shown %s', async (_, lines) => {
      expect(await find(...lines)).toEqual({ found: 'accepted', apiId: '7' })
    })

    test.each<[string, Resource[]]>([
      ['has 9 of upc "086000100025", and the record 3', [{ ...one, quantity: 9 }, two]],
      ['has the quantities 1, 9, and the record 1, 3', [{ quantity: 9 }, { quantity: 1 }]],
      ['has the quantities 3, and the record 4', [one]],
      ['has no upc "086000100025"', [{ ...one, variant: { upc: '086000100049' } }, two]],
    ])('it is left to a person when it %s', async (difference, lines) => {
      expect(await find(...lines)).toEqual({
        found: 'unclear',
        why: `order 7 has its number at the API, but ${difference}`,
      })
    })

    test('it is the sent one when there is another with the same number, which is not', async () => {
      const shown = [{ ...one, quantity: 9 }, one].map((line, id) => ({
        id,
        purchase_order_number: 'PO-1',
        order_lines: [line, two],
      }))
      const api = showing({ pages: [shown] })
      expect(await lookUpOne(createOrder, api, RETAILER, sent(ours))).toEqual({
        found: 'accepted',
        apiId: '1',
      })
    })
  })

  test.each([
    ['received_at', '2019-11-21T02:15:00Z'],
    ['created_at', '2026-11-20T02:14:59Z'],
  ])('of the same number and lines is not the sent one when its %s is %s', async (field, made) => {
    const find = (shown: Resource, offset = 0) => {
      const api = showing({ pages: [[{ id: 7, purchase_order_number: 'PO-1', ...shown }]] })
      return lookUpOne(createOrder, { ...api, clockOffsetMs: () => offset }, RETAILER, order)
    }

    expect(await find({ [field]: made })).toEqual({
      found: 'unclear',
      why: `order 7 has its number at the API, but was made ${new Date(made).toISOString()}, before this was sent`,
    })
    expect(await find({ [field]: made }, -8 * 365 * DAY_MS)).toMatchObject({ found: 'accepted' })
    expect(await find({ [field]: '2026-11-20T02:15:00Z' })).toMatchObject({ found: 'accepted' })
    expect(await find({ [field]: null })).toMatchObject({ found: 'accepted' })
    expect(await find({ [field]: 'soon' })).toMatchObject({ found: 'accepted' })
    expect(await find({ updated_at: made })).toMatchObject({ found: 'accepted' })
  })

  test.each<[string, Resource, string]>([
    [
      'another customer order number',
      { customer_order_number: 'C-2' },
      'customer order number C-2, and the record C-1',
    ],
    ['another recipient', { ship_to: { name1: 'Bo Kim' } }, 'recipient Bo Kim, and the record Ann Lee'],
    ['another postal code', { ship_to: { postal_code: '10001' } }, 'postal code 10001, and the record 12207'],
    [
      'another day',
      { ordered_at: '2026-11-18T18:00:00Z' },
      'order date 2026-11-18T18:00:00Z, and the record 2026-11-20T18:30:00Z',
    ],
  ])('of the same number and lines with %s is left to a person', async (_, shown, difference) => {
    const ours = sent({
      purchase_order_number: 'PO-1',
      customer_order_number: 'C-1',
      ordered_at: '2026-11-20T18:30:00Z',
      ship_to: { name1: 'Ann Lee', postal_code: '12207' },
    })
    const find = (resource: Resource) =>
      lookUpOne(
        createOrder,
        showing({ pages: [[{ id: 7, purchase_order_number: 'PO-1', ...resource }]] }),
        RETAILER,
        ours,
      )

    expect(await find(shown)).toEqual({
      found: 'unclear',
      why: `order 7 has its number at the API, but has the ${difference}`,
    })
    const loose = {
      customer_order_number: ' c-1',
      ordered_at: '2026-11-20',
      ship_to: { name1: 'ANN  LEE', postal_code: '12207-1234' },
    }
    expect(await find(loose)).toMatchObject({ found: 'accepted' })
    expect(await find({ customer_order_number: null, ship_to: null })).toMatchObject({ found: 'accepted' })
  })

  test('is absent when the list is empty', async () => {
    expect(await lookUpOne(createOrder, showing({}), RETAILER, order)).toEqual({ found: 'absent' })
  })
})

describe('an invoice', () => {
  const invoice = sent({ purchase_order_number: 'PO-1', invoice_number: 'INV-1' })

  test('is there when both its numbers are, among those made since a day before it was sent, whatever the clocks', async () => {
    const api = showing({ pages: [[{ id: 9, purchase_order_number: 'PO-1', invoice_number: 'INV-1' }]] })

    expect(await lookUpOne(createInvoice, api, BRAND, invoice)).toEqual({ found: 'accepted', apiId: '9' })
    expect(api.calls[0]?.query).toEqual({ invoiced_at_gte: SENT_AT / 1000 - 24 * 60 * 60 })
  })

  test('of the same numbers that was made long before is not the sent one', async () => {
    const shown = { id: 9, purchase_order_number: 'PO-1', invoice_number: 'INV-1' }
    const find = (invoiced_at: string) =>
      lookUpOne(createInvoice, showing({ pages: [[{ ...shown, invoiced_at }]] }), BRAND, invoice)

    expect(await find('2024-11-21T02:15:00Z')).toEqual({
      found: 'unclear',
      why: 'invoice 9 has its number at the API, but was made 2024-11-21T02:15:00.000Z, before this was sent',
    })
    expect(await find('2026-11-21T02:15:01Z')).toEqual({ found: 'accepted', apiId: '9' })
  })

  test('is known by its numbers shown as numbers', async () => {
    const api = showing({ pages: [[{ id: 9, purchase_order_number: 4711, invoice_number: 22 }]] })
    const numbers = sent({ purchase_order_number: '4711', invoice_number: '22' })

    expect(await lookUpOne(createInvoice, api, BRAND, numbers)).toEqual({ found: 'accepted', apiId: '9' })
  })

  test('of other lines is not the sent one, and one of another amount due may be', async () => {
    const line = { variant: { upc: '1' }, quantity: 2 }
    const ours = sent({ ...JSON.parse(invoice.body), due_amount: '10.00', invoice_lines: [line] })
    const find = (shown: Resource) => {
      const numbers = { id: 9, purchase_order_number: 'PO-1', invoice_number: 'INV-1' }
      return lookUpOne(createInvoice, showing({ pages: [[{ ...numbers, ...shown }]] }), BRAND, ours)
    }

    expect(await find({ due_amount: '12.00', invoice_lines: [line] })).toMatchObject({ found: 'accepted' })
    expect(await find({ invoice_lines: [{ ...line, quantity: 3 }] })).toEqual({
      found: 'unclear',
      why: 'invoice 9 has its number at the API, but has 3 of upc "1", and the record 2',
    })
  })

  test('is looked up anew when the first page shows that the clock of the API is behind the estimate', async () => {
    let offset = 0
    const invoices = [{ id: 9, purchase_order_number: 'PO-1', invoice_number: 'INV-1' }]
    const made = SENT_AT - 3 * DAY_MS
    const calls: Call[] = []
    const api: Api = {
      ...showing({}),
      async *list(call) {
        calls.push(call)
        offset = await Promise.resolve(-3 * DAY_MS)
        if (Number(call.query?.['invoiced_at_gte']) * 1000 <= made) yield invoices
      },
      clockOffsetMs: () => offset,
    }

    expect(await lookUpOne(createInvoice, api, BRAND, invoice)).toEqual({ found: 'accepted', apiId: '9' })
    expect(calls.map(({ query }) => query?.['invoiced_at_gte'])).toEqual(
      [SENT_AT - DAY_MS, SENT_AT - 4 * DAY_MS].map((ms) => ms / 1000),
    )
  })

  test('proves nothing where the clock of the API goes back with every answer', async () => {
    let offset = 0
    const api = { ...showing({}), clockOffsetMs: () => (offset -= DAY_MS) }

    expect(await lookUpOne(createInvoice, api, BRAND, invoice)).toEqual({
      found: 'unclear',
      why: 'the clock of the API kept going back while its list was read',
    })
  })

  test('is absent when only one of its numbers is there', async () => {
    const api = showing({
      pages: [
        [
          { id: 8, purchase_order_number: 'PO-1', invoice_number: 'INV-0' },
          { id: 9, purchase_order_number: 'PO-2', invoice_number: 'INV-1' },
        ],
      ],
    })

    expect(await lookUpOne(createInvoice, api, BRAND, invoice)).toEqual({ found: 'absent' })
  })
})

describe('a new item', () => {
  const item = { ...sent({ attributes: { identifier: 'NL-0001' } }), naturalKey: 'NL-0001' }

  test('is known by its identifier, also where only the attributes show it', async () => {
    const attributes = { identifier: { code: 'identifier', values: [{ value: 'NL-0001' }] } }
    const find = (shown: Resource) =>
      lookUpOne(createVariant, showing({ pages: [[{ id: 3, ...shown }]] }), BRAND, item)

    expect(await find({ identifier: 'NL-0001' })).toEqual({ found: 'accepted', apiId: '3' })
    expect(await find({ attributes })).toEqual({ found: 'accepted', apiId: '3' })
    expect(await find({ identifier: 'NL-0002' })).toEqual({ found: 'absent' })
    expect(await find({})).toMatchObject({ found: 'unclear' })
  })

  describe('with the identifier of the sent one', () => {
    const attributes = {
      identifier: 'NL-0001',
      name: 'Field Mug',
      upc: '086000100025',
      size: '12 oz',
      color: 'Green',
      shipping_weight: '1.50',
      cost: '7.00',
      inventory: 5,
    }
    const ours = { ...sent({ attributes }), naturalKey: 'NL-0001' }
    const find = (shown: Resource) =>
      lookUpOne(
        createVariant,
        showing({ pages: [[{ id: 3, identifier: 'NL-0001', ...shown }]] }),
        BRAND,
        ours,
      )
    const byCode = (values: Readonly<Record<string, unknown>>) => ({
      attributes: Object.fromEntries(
        Object.entries(values).map(([code, value]) => [code, { code, values: [{ id: 1, value }] }]),
      ),
    })

    test.each<[string, Resource]>([
      ['just so', byCode(attributes)],
      [
        'in other letters and forms',
        { name: 'FIELD  MUG', upc: 86_000_100_025, ...byCode({ shipping_weight: 1.5, size: '12 OZ' }) },
      ],
      ['with another stock and price', byCode({ ...attributes, inventory: '9', cost: '8.00' })],
      ['with attributes that the record leaves out', byCode({ ...attributes, material: 'Steel' })],
      ['without its attributes', { name: null, upc: null, attributes: {} }],
    ])('it is the sent one when it is shown %s', async (_, shown) => {
      expect(await find(shown)).toEqual({ found: 'accepted', apiId: '3' })
    })

    test.each<[string, Resource, string]>([
      ['name', { name: 'Trail Mug' }, 'name Trail Mug, and the record Field Mug'],
      ['size among the attributes', byCode({ size: '16 oz' }), 'size 16 oz, and the record 12 oz'],
      ['color', { color: 'Red' }, 'color Red, and the record Green'],
      ['upc', { upc: '086000100032' }, 'upc 086000100032, and the record 086000100025'],
      ['weight', byCode({ shipping_weight: '2.5' }), 'shipping_weight 2.5, and the record 1.50'],
    ])('it is left to a person when it has another %s', async (_, shown, difference) => {
      expect(await find(shown)).toEqual({
        found: 'unclear',
        why: `item 3 has its number at the API, but has the ${difference}`,
      })
    })

    test('it is left to a person when it was made long before', async () => {
      expect(await find({ created_at: '2024-01-01T00:00:00Z' })).toMatchObject({
        found: 'unclear',
        why: expect.stringContaining('was made 2024-01-01'),
      })
    })
  })
})

describe('a shipment', () => {
  const orderOf = (shipped: readonly number[], shipments: readonly Resource[] = []): Resource => ({
    id: 5,
    order_lines: shipped.map((quantity_shipped) => ({ quantity_shipped })),
    shipments,
  })
  const lines = [
    { variant: { upc: '1' }, quantity: 2 },
    { variant: { upc: '2' }, quantity: 1 },
  ]
  const tracked = { order_id: 5, tracking_number: 'T-1', shipment_lines: lines }
  const untracked = { order_id: 5, shipment_lines: lines }
  const noteOf = async (order: Resource) =>
    createShipment.takeSnapshot?.(showing({ resource: order }), BRAND, untracked) ?? ''
  const lookUp = (body: Resource, order: Resource | undefined, note?: string) =>
    lookUpOne(
      createShipment,
      showing(order === undefined ? {} : { resource: order }),
      BRAND,
      sent(body, note),
    )

  test('is proven by its tracking number, whatever the quantities say', async () => {
    const after = orderOf(
      [9, 9],
      [
        { id: 40, tracking_number: 'T-0' },
        { id: 41, tracking_number: 'T-1' },
      ],
    )

    expect(await lookUp(tracked, after)).toEqual({ found: 'accepted', apiId: '41' })
  })

  test('is proven by the quantities before and after, and named when one shipment was added', async () => {
    const note = await noteOf(orderOf([1, 0], [{ id: 40 }]))

    expect(await lookUp(untracked, orderOf([3, 1], [{ id: 40 }, { id: 41 }]), note)).toEqual({
      found: 'accepted',
      apiId: '41',
    })
    expect(await lookUp(untracked, orderOf([3, 1], [{ id: 40 }]), note)).toEqual({ found: 'accepted' })
  })

  test('is proven absent when the order is as it was before', async () => {
    const before = orderOf([1, 0], [{ id: 40 }])

    expect(await lookUp(tracked, before, await noteOf(before))).toEqual({ found: 'absent' })
    expect(await lookUp(untracked, before, await noteOf(before))).toEqual({ found: 'absent' })
  })

  test('stays unclear, with the reason, when another program shipped of the order too', async () => {
    const note = await noteOf(orderOf([1, 0]))

    expect(await lookUp(untracked, orderOf([3, 3]), note)).toEqual({
      found: 'unclear',
      why: 'the order had 1 units shipped before and has 6 now, which this shipment alone does not explain',
    })
  })

  test('stays unclear when the order is gone, or when nothing is known of what was before', async () => {
    expect(await lookUp(tracked, undefined, '{}')).toEqual({
      found: 'unclear',
      why: 'order 5 is not there any more',
    })
    expect(await lookUp(untracked, orderOf([1]), '{}')).toMatchObject({ found: 'unclear' })
    expect(await lookUp(untracked, orderOf([1]))).toMatchObject({ found: 'unclear' })
  })

  test.each([
    ['no lines', { id: 5 }],
    ['something else in their place', { id: 5, order_lines: 'none', shipments: [null, 7, 'x'] }],
    ['lines without quantities', { id: 5, order_lines: [{ quantity: 3 }, null] }],
  ])(
    'of an order that shows %s is never taken for absent, because it would be sent again',
    async (_, order) => {
      const known = await noteOf(orderOf([1, 0]))

      expect(await lookUp(untracked, order, await noteOf(order))).toMatchObject({ found: 'unclear' })
      expect(await lookUp(untracked, order, known)).toEqual({
        found: 'unclear',
        why: 'the order does not show the quantities shipped',
      })
    },
  )

  const shippedOf = (...units: readonly number[]): Resource => ({
    id: 5,
    order_lines: units.map((quantity_shipped, index) => ({
      id: index + 1,
      variant: { upc: String(index + 1), brand_identifier: `NL-${index + 1}` },
      quantity_shipped,
    })),
    shipments: [],
  })

  test('with a tracking number is absent when others show all the units that are shipped more', async () => {
    const old = createShipment.snapshotFromKnownOrder?.(
      { ...shippedOf(1, 0), shipments: [{ id: 40 }] },
      tracked,
    )
    const other = { id: 41, tracking_number: 'X-9', shipment_lines: [{ quantity: 2 }, { quantity: 1 }] }
    const having = (...added: readonly Resource[]) => ({
      ...shippedOf(3, 1),
      shipments: [{ id: 40 }, ...added],
    })

    expect(await lookUp(tracked, having(other), old)).toEqual({ found: 'absent' })
    expect(await lookUp(tracked, having(other))).toMatchObject({ found: 'unclear' })
  })

  test.each<[string, string, readonly Resource[]]>([
    ['lags behind', 'T-1', []],
    ['is cut', 'T-1', [{ id: 41, tracking_number: 'X-9', shipment_lines: [{ quantity: 2 }] }]],
    ['shows no units', 'T-1', [{ id: 41, tracking_number: 'X-9' }]],
    [
      'shows the number as null',
      'T-1',
      [{ id: 41, tracking_number: null, shipment_lines: [{ quantity: 3 }] }],
    ],
    [
      'shows the number without its dash',
      'T-1',
      [{ id: 41, tracking_number: 'T1', shipment_lines: [{ quantity: 3 }] }],
    ],
    [
      'shows the number without its zeros',
      '0079',
      [{ id: 41, tracking_number: 79, shipment_lines: [{ quantity: 3 }] }],
    ],
    [
      'shows the number without its last digits',
      '9400111899223100000017',
      [{ id: 41, tracking_number: 9_400_111_899_223_100_000_000, shipment_lines: [{ quantity: 3 }] }],
    ],
  ])(
    'is not shipped again when more is shipped and the list of shipments %s',
    async (_, tracking_number, added) => {
      const known = { id: 40, tracking_number: 'X-0' }
      const body = { ...tracked, tracking_number }
      const old = createShipment.snapshotFromKnownOrder?.({ ...shippedOf(1, 0), shipments: [known] }, body)
      const order = { ...shippedOf(3, 1), shipments: [known, ...added] }

      expect(await lookUp(body, order, old)).toMatchObject({ found: 'unclear' })
      expect(await lookUp(body, order)).toMatchObject({ found: 'unclear' })
    },
  )

  test.each([
    ['as a number', '794600000001', 794_600_000_001],
    ['in capitals', '1z999aa10123456784', '1Z999AA10123456784'],
    ['with blanks around it', 'T-1', ' T-1 '],
  ])('is known by its tracking number shown %s', async (_, tracking_number, shown) => {
    const order = { ...shippedOf(2, 1), shipments: [{ id: 41, tracking_number: shown }] }

    expect(await lookUp({ ...tracked, tracking_number }, order)).toEqual({ found: 'accepted', apiId: '41' })
  })

  test('is not taken for one with another number that adds as much', async () => {
    const note = createShipment.snapshotFromList?.(shippedOf(0, 0))
    const order = { ...shippedOf(2, 1), shipments: [{ id: 41, tracking_number: 'X-9' }] }

    expect(await lookUp(tracked, order, note)).toEqual({
      found: 'unclear',
      why: 'more of the order is shipped, but under other tracking numbers than this',
    })
  })

  test('with a tracking number is proven absent when nothing of the order is shipped', async () => {
    expect(await lookUp(tracked, orderOf([0, 0]))).toEqual({ found: 'absent' })
    expect(await lookUp(tracked, orderOf([0, 1]))).toMatchObject({ found: 'unclear' })
    expect(await lookUp(untracked, orderOf([0, 0]))).toMatchObject({ found: 'unclear' })
  })

  test('with an old snapshot is never proven by quantities, because another program may have shipped as much', async () => {
    const old = createShipment.snapshotFromKnownOrder?.(shippedOf(0, 0), tracked)

    expect(await lookUp(tracked, { ...shippedOf(2, 1), shipments: [{ id: 41 }] }, old)).toMatchObject({
      found: 'unclear',
    })
    expect(await lookUp(tracked, { ...shippedOf(0, 0), shipments: [{ id: 40 }] }, old)).toMatchObject({
      found: 'unclear',
    })
    expect(createShipment.snapshotFromKnownOrder?.(shippedOf(0, 0), untracked)).toBeUndefined()
  })

  test('and a cancel are not proven by a list that was read long before, but absent where the order is as it was', async () => {
    const old = createShipment.snapshotFromList?.(shippedOf(0, 0), true)
    const lines = (canceled: number) => ({
      id: 5,
      order_lines: [{ id: 1, variant: { upc: '1' }, quantity_canceled: canceled }],
    })
    const cancel = { order_id: 5, cancel_lines: [{ variant: { upc: '1' }, quantity: 2 }] }
    const cancelOf = (order: Resource, isOld: boolean) =>
      lookUpOne(
        createCancel,
        showing({ resource: order }),
        RETAILER,
        sent(cancel, createCancel.snapshotFromList?.(lines(0), isOld)),
      )

    expect(await lookUp(untracked, shippedOf(2, 1), old)).toMatchObject({ found: 'unclear' })
    expect(await lookUp(untracked, shippedOf(0, 0), old)).toEqual({ found: 'absent' })
    expect(await cancelOf(lines(2), true)).toMatchObject({ found: 'unclear' })
    expect(await cancelOf(lines(2), false)).toEqual({ found: 'accepted' })
    expect(await cancelOf(lines(0), true)).toEqual({ found: 'absent' })
  })

  test('is not absent when fewer units, shipments or lines are shown than before it was sent', async () => {
    const known = { id: 40, tracking_number: 'X-0' }
    const old = createShipment.snapshotFromKnownOrder?.({ ...shippedOf(1, 0), shipments: [known] }, tracked)
    const fresh = createShipment.snapshotFromList?.({ ...shippedOf(1, 0), shipments: [known] })
    const unnamed = createShipment.snapshotFromList?.({ ...shippedOf(1, 0), shipments: [{}, {}] })
    const stale = (why: string) => ({
      found: 'unclear',
      why: `the API shows an older state of the order than before it was sent: ${why}`,
    })

    expect(await lookUp(tracked, shippedOf(0, 0), old)).toEqual(stale('fewer units shipped'))
    expect(await lookUp(tracked, shippedOf(1, 0), old)).toEqual(stale('shipment 40 is missing'))
    expect(await lookUp(untracked, shippedOf(1, 0), fresh)).toEqual(stale('shipment 40 is missing'))
    expect(await lookUp(untracked, shippedOf(0, 3), fresh)).toEqual(stale('fewer units shipped'))
    expect(await lookUp(untracked, { ...shippedOf(1), shipments: [known] }, fresh)).toEqual(
      stale('order line 2 is missing'),
    )
    expect(await lookUp(untracked, { ...shippedOf(1, 0), shipments: [{}] }, unnamed)).toEqual(
      stale('fewer shipments'),
    )
    expect(await lookUp(tracked, { ...shippedOf(1, 0), shipments: [known] }, old)).toEqual({
      found: 'absent',
    })
  })

  test('with the same tracking number is not the sent one when it was there before, or holds other units', async () => {
    const theirs = { id: 40, tracking_number: 'T-1' }
    const old = createShipment.snapshotFromKnownOrder?.({ ...shippedOf(2, 1), shipments: [theirs] }, tracked)
    const after = (...shipments: readonly Resource[]) => ({ ...shippedOf(2, 1), shipments })
    const of = (...quantities: readonly number[]) => ({
      ...theirs,
      shipment_lines: quantities.map((quantity) => ({ quantity, part: 1 })),
    })

    expect(await lookUp(tracked, after(theirs), old)).toEqual({
      found: 'unclear',
      why: 'shipment 40 has its tracking number, but was there before it was sent',
    })
    expect(await lookUp(tracked, after(theirs, { ...theirs, id: 41 }), old)).toEqual({
      found: 'accepted',
      apiId: '41',
    })
    expect(await lookUp(tracked, after(of(1, 1)))).toEqual({
      found: 'unclear',
      why: 'shipment 40 has its tracking number, but holds 2 units, and the record 3',
    })
    expect(await lookUp(tracked, after({ ...theirs, created_at: '2024-01-01T00:00:00Z' }))).toEqual({
      found: 'unclear',
      why: 'shipment 40 has its tracking number, but was made 2024-01-01T00:00:00.000Z, before this was sent',
    })
    expect(await lookUp(tracked, after(of(2, 1)))).toEqual({ found: 'accepted', apiId: '40' })
  })

  test('is known by its units without the further packages of an item', async () => {
    const packages = [
      { quantity: 2, part: 1 },
      { quantity: 2, part: 2 },
      { quantity: 1, part: 1 },
    ]
    const shown = { id: 41, tracking_number: 'T-1', shipment_lines: packages }

    expect(await lookUp(tracked, { ...shippedOf(2, 1), shipments: [shown] })).toEqual({
      found: 'accepted',
      apiId: '41',
    })
  })

  test('without a tracking number is not one that has a number, unless the API makes the label', async () => {
    const note = createShipment.snapshotFromList?.(shippedOf(0, 0))
    const order = { ...shippedOf(2, 1), shipments: [{ id: 41, tracking_number: 'X-9' }] }
    const labelled = { ...untracked, shipping_account_id: 500 }

    expect(await lookUp(untracked, order, note)).toEqual({
      found: 'unclear',
      why: 'shipment 41 fits, but has the tracking number X-9, and the record none',
    })
    expect(await lookUp(labelled, order, note)).toEqual({ found: 'accepted', apiId: '41' })
  })

  test('is not one that was made long before, although its quantities fit', async () => {
    const note = createShipment.snapshotFromList?.(shippedOf(0, 0))
    const shipments = [{ id: 41, created_at: '2024-01-01T00:00:00Z' }]

    expect(await lookUp(untracked, { ...shippedOf(2, 1), shipments }, note)).toEqual({
      found: 'unclear',
      why: 'shipment 41 fits, but was made 2024-01-01T00:00:00.000Z, before this was sent',
    })
  })

  test('is compared line by line: as many units of other lines are not this shipment', async () => {
    const note = createShipment.snapshotFromList?.(shippedOf(1, 0))

    expect(await lookUp(untracked, shippedOf(3, 1), note)).toEqual({ found: 'accepted' })
    expect(await lookUp(untracked, shippedOf(2, 2), note)).toMatchObject({ found: 'unclear' })
    expect(await lookUp(untracked, shippedOf(0, 1), note)).toMatchObject({ found: 'unclear' })
    expect(await lookUp(untracked, shippedOf(1, 0), note)).toEqual({ found: 'absent' })
  })

  test('with a tracking number is known by it, and without one by its number in the file and its lines', () => {
    expect(createShipment.naturalKey(tracked, ['HV-1', 'Box 1'])).toBe('5 T-1')
    expect(createShipment.naturalKey(untracked, ['HV-1', 'Box 1'])).toBe(
      `5 HV-1 Box 1 ${JSON.stringify(lines)}`,
    )
    expect(createShipment.naturalKey(untracked, ['HV-1', 'Box 2'])).not.toBe(
      createShipment.naturalKey(untracked, ['HV-1', 'Box 1']),
    )
    expect(createShipment.lane(tracked)).toBe('5')
  })
})

describe('a cancel', () => {
  const body = { order_id: 5, reason_id: 1, cancel_lines: [{ variant: { upc: '1' }, quantity: 2 }] }
  const canceledOf = (units: number, cancels: readonly Resource[] = []): Resource => ({
    id: 5,
    order_lines: [{ id: 1, variant: { upc: '1' }, quantity_canceled: units }],
    cancels,
  })
  const lookUp = (order: Resource, before: Resource) =>
    lookUpOne(
      createCancel,
      showing({ resource: order }),
      RETAILER,
      sent(body, createCancel.snapshotFromList?.(before)),
    )

  test('is not absent when less is canceled, or listed, than before it was sent', async () => {
    expect(await lookUp(canceledOf(0), canceledOf(1))).toEqual({
      found: 'unclear',
      why: 'the API shows an older state of the order than before it was sent: fewer units canceled',
    })
    expect(await lookUp(canceledOf(1), canceledOf(1, [{ id: 8 }]))).toEqual({
      found: 'unclear',
      why: 'the API shows an older state of the order than before it was sent: cancel 8 is missing',
    })
    expect(await lookUp(canceledOf(1), canceledOf(1))).toEqual({ found: 'absent' })
  })

  test.each<[string, Resource, string]>([
    [
      'another reason',
      { reason: 'Not Enough Inventory' },
      'has the reason "Not Enough Inventory", and the record "Retailer Requested Cancellation"',
    ],
    [
      'a time long before',
      { canceled_at: '2024-01-01T00:00:00Z' },
      'was made 2024-01-01T00:00:00.000Z, before this was sent',
    ],
  ])('is left to a person when the one that fits has %s', async (_, shown, difference) => {
    expect(await lookUp(canceledOf(2, [{ id: 8, ...shown }]), canceledOf(0))).toEqual({
      found: 'unclear',
      why: `cancel 8 fits, but ${difference}`,
    })
  })

  test('is there when the one that fits has its reason, or words of its own', async () => {
    for (const reason of ['retailer requested cancellation', 'customer changed their mind', null]) {
      expect(await lookUp(canceledOf(2, [{ id: 8, reason }]), canceledOf(0))).toEqual({
        found: 'accepted',
        apiId: '8',
      })
    }
  })
})
