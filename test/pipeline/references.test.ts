/** Files have names and the API wants ids: each is looked up once, remembered, and reported plainly where it is unknown. */
import { beforeEach, describe, expect, test } from 'vitest'
import { addRoute, callsOf, clientOf, resultsOf, runFile } from '../fixtures/own-route.ts'
import { aWorld, BRAND, RETAILER, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const FROM = `
  ship_from_name1: { const: Northlight Goods }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }`

const PARCELS = `
group: [PO, Tracking]
body:
  order_id: { from: PO, find: order }${FROM}
  carrier_id: { from: Carrier, find: carrier }
  shipping_method_id: { from: Method, find: shipping-method }
  tracking_number: Tracking
  shipment_lines: { order: order_lines }
`

const TO_LABEL = `
group: PO
body:
  order_id: { from: PO, find: order }${FROM}
  shipping_account_id: { from: Account, find: shipping-account }
  shipping_method_id: { from: Method, find: shipping-method }
  ship_weight: { const: '2.5' }
  ship_width: { const: '4' }
  ship_length: { const: '5' }
  ship_height: { const: '6' }
  shipment_lines: { order: order_lines }
`

const HEAD = ['PO', 'Carrier', 'Method', 'Tracking']
let world: World

/** Orders of one line at the service, sent by the retailer's own bridge. */
async function placeOrders(count: number, firstNumber = 10_001): Promise<string[]> {
  const orders = sampleOrders({ seed: 8, orders: count, damageEvery: 0, firstNumber })
  for (const order of orders) order.rows.length = 1
  await world.drop('inbox/orders', `orders-${firstNumber}.csv`, ordersFile(orders).text)
  expect((await world.run('orders')).exit).toBe(0)
  return orders.map(({ po }) => po)
}

const shown = (row: Record<string, string> | undefined) => [
  row?.['_code'],
  row?.['_field'],
  row?.['_message'],
]

beforeEach(async () => {
  world = await aWorld({ routes: ['orders', 'orders-out'] })
  await addRoute(world, { name: 'parcels', operation: 'create-shipment', mapping: PARCELS })
})

describe('the bridge finds', () => {
  test('order, carrier and method by their names, however they are written, and reads each list once', async () => {
    const [one = '', two = '', three = ''] = await placeOrders(3)
    const rows = [
      HEAD,
      [one, 'FedEx', 'fedex ground', 'T1'],
      [two, 'upsn', 'UPS_GROUND', 'T2'],
      [three, '3', '20', 'T3'],
    ]
    await world.drop('inbox/parcels', 'file.csv', `${rows.map((row) => row.join(',')).join('\n')}\n`)

    const calls = await callsOf(world, 'parcels')

    expect((await resultsOf(world)).map((row) => row['_status'])).toEqual([
      'accepted',
      'accepted',
      'accepted',
    ])
    expect(
      calls.filter(({ endpoint }) => endpoint.startsWith('list')).map(({ endpoint }) => endpoint),
    ).toEqual(['listBrandOrders', 'listCarriers'])
    const sent = calls.filter(({ endpoint }) => endpoint === 'createShipment')
    const ids = sent.map(({ body = '{}' }) => JSON.parse(body) as Record<string, unknown>)
    expect(ids.map((body) => [body['carrier_id'], body['shipping_method_id']])).toEqual([
      [1, 3],
      [2, 10],
      [3, 20],
    ])
  })

  test('an order of an earlier export without asking the API for it', async () => {
    const [po = ''] = await placeOrders(1)
    await world.run('orders-out')
    await world.drop('inbox/parcels', 'file.csv', `${HEAD.join()}\n${po},UPS,UPS Ground,T1\n`)

    const calls = await callsOf(world, 'parcels')

    expect(calls.filter(({ endpoint }) => endpoint === 'listBrandOrders')).toEqual([])
    expect((await resultsOf(world))[0]).toMatchObject({ _status: 'accepted' })
  })

  test('closed orders too, by a second read of all of them, and reads no third time for an unknown one', async () => {
    const rows = Array.from({ length: 1200 }, (_, index) => [`NO-${index}`, 'UPS', 'UPS Ground', `T${index}`])
    await world.drop(
      'inbox/parcels',
      'file.csv',
      `${[HEAD, ...rows].map((row) => row.join(',')).join('\n')}\n`,
    )

    const calls = await callsOf(world, 'parcels')

    expect(
      calls.filter(({ endpoint }) => endpoint === 'listBrandOrders').map(({ query }) => query?.['status']),
    ).toEqual([['open', 'partial'], undefined])
    const results = await resultsOf(world)
    expect(results).toHaveLength(1200)
    expect(shown(results[1199])).toEqual([
      'order-unknown',
      'order_id',
      'line 1201, column "PO": no order "NO-1199" is known to this account',
    ])
  })

  test('a constant name and a name that a table gives', async () => {
    const mapping = PARCELS.replace('{ from: Carrier, find: carrier }', '{ const: UPSN, find: carrier }')
      .replace('{ from: Method,', '{ from: Method, table: ship-via, pick: method,')
      .concat(
        'tables: { ship-via: { rows: { Slow: { method: UPS_GROUND }, Fast: { method: UPS_2ND_DAY_AIR } } } }\n',
      )
    await addRoute(world, { name: 'by-table', operation: 'create-shipment', mapping })
    const [po = ''] = await placeOrders(1)

    const [row] = await runFile(world, 'by-table', { rows: [HEAD, [po, '', 'Fast', 'T1']] })

    expect(row).toMatchObject({ _status: 'accepted', _message: '' })
  })

  test('retailer orders one by one while they are few, and by one sweep when they are many', async () => {
    const [po = ''] = await placeOrders(1)
    const mapping =
      'group: PO\nbody:\n  order_id: { from: PO, find: order }\n  reason_id: { const: 2 }\n  cancel_lines: { order: order_lines }\n'
    await addRoute(world, { name: 'few', operation: 'create-cancel', mapping, party: 'retailer' })
    const brand = clientOf(world, 'retailer')
    const made = { ...((await world.orders())[0] as object), purchase_order_number: 'ELSEWHERE-1' } as Record<
      string,
      unknown
    >
    const { ship_to, shipping_method, order_lines } = made as {
      ship_to: object
      shipping_method: object
      order_lines: { variant: { identifier: string } }[]
    }
    const lines = order_lines.map(({ variant }) => ({
      variant: { identifier: variant.identifier },
      quantity: 1,
      net_price: '1.00',
      price: '2.00',
    }))
    const body = {
      purchase_order_number: 'ELSEWHERE-1',
      ordered_at: '2026-11-20T00:00:00Z',
      ship_to,
      shipping_method,
      order_lines: lines,
    }
    expect(
      await brand.send({
        endpoint: 'createOrder',
        params: { retailer_id: RETAILER },
        body: JSON.stringify(body),
      }),
    ).toMatchObject({ status: 201 })
    await brand.close()
    await world.drop('inbox/few', 'few.csv', `PO\n${po}\nELSEWHERE-1\nNOBODY-1\n`)
    await world.drop(
      'inbox/few',
      'many.csv',
      `PO\n${Array.from({ length: 60 }, (_, index) => `MISSING-${index}`).join('\n')}\n`,
    )

    const calls = await callsOf(world, 'few')

    const asked = calls.filter(({ endpoint }) => endpoint === 'listRetailerOrders').map(({ query }) => query)
    expect(asked.slice(0, 3)).toEqual([
      { purchase_order_number: po },
      { purchase_order_number: 'ELSEWHERE-1' },
      { purchase_order_number: 'NOBODY-1' },
    ])
    expect(asked.slice(3)).toEqual([{ status: ['open', 'partial'] }, undefined])
    expect((await resultsOf(world, 'few.csv')).map((row) => row['_status'])).toEqual([
      'accepted',
      'accepted',
      'rejected',
    ])
  })
})

describe('a name that leads nowhere is reported', () => {
  test('of the table or the constant of the mapping that gives it, and not of the cell', async () => {
    const [po = ''] = await placeOrders(1)
    const mapping = PARCELS.replace(
      '{ from: Carrier, find: carrier }',
      '{ from: Carrier, table: carriers, find: carrier }',
    )
      .replace('{ from: Method, find: shipping-method }', '{ const: SLEIGH, find: shipping-method }')
      .concat('tables:\n  carriers:\n    rows: { North: UPSX, South: UPSN }\n')
    await addRoute(world, { name: 'by-table', operation: 'create-shipment', mapping })

    const [carrier, method] = await runFile(world, 'by-table', {
      rows: [HEAD, [po, 'North', '', 'T1'], [po, 'South', '', 'T2']],
    })

    expect(shown(carrier)).toEqual([
      'reference-unknown',
      'carrier_id',
      'line 2, carrier_id: The table "carriers" (by-table.yaml:17) gives a refused value: no carrier "UPSX" is there',
    ])
    expect(carrier?.['_fix']).toMatch(/^Correct the table "carriers" \(by-table\.yaml:17\) in the mapping\. /)
    expect(shown(method)).toEqual([
      'reference-unknown',
      'shipping_method_id',
      'line 3, shipping_method_id: The constant (by-table.yaml:13) gives a refused value: no shipping method "SLEIGH" belongs to carrier UPSN',
    ])
  })

  test('of the table whose ids the API or the list of carriers refuses', async () => {
    const [one = '', two = ''] = await placeOrders(2)
    const mapping = PARCELS.replace(
      '{ from: Carrier, find: carrier }',
      '{ from: Carrier, table: services, pick: carrier }',
    )
      .replace('{ from: Method, find: shipping-method }', '{ from: Carrier, table: services, pick: method }')
      .concat(
        'tables:\n  services:\n    rows: { Ours: { carrier: 1, method: 10 }, Theirs: { carrier: 99, method: 3 } }\n',
      )
    await addRoute(world, { name: 'by-id', operation: 'create-shipment', mapping })

    const results = await runFile(world, 'by-id', {
      rows: [HEAD, [one, 'Ours', '', 'T1'], [two, 'Theirs', '', 'T2']],
    })

    expect(results.map((row) => row['_code'])).toEqual(['method-not-allowed', 'api-refused'])
    for (const row of results) {
      expect(row['_message']).toContain('The table "services" (by-id.yaml:17) gives a refused value: ')
      expect(row['_fix']).toContain('Correct the table "services" (by-id.yaml:17) in the mapping. ')
      expect(row['_message']).not.toContain('column')
    }
    expect(results[1]?.['_fix']).toContain('a route with `operation: export-carriers` lists them.')
  })

  test('with the right one where it is near, and with all there are where it is not', async () => {
    const [po = ''] = await placeOrders(1)
    const rows = [
      HEAD,
      [po, 'Fedx', 'FEDEX_GROUND', 'T1'],
      [po, 'FedEx', 'UPS Ground', 'T2'],
      [`0${po}`, 'UPS', 'UPS_GROUND', 'T3'],
    ]

    const results = await runFile(world, 'parcels', { rows })

    expect(results.map((row) => [...shown(row), row['_fix']])).toEqual([
      [
        'reference-unknown',
        'carrier_id',
        'line 2, column "Carrier": no carrier "Fedx" is there',
        'Did you mean "FedEx"?',
      ],
      [
        'reference-unknown',
        'shipping_method_id',
        'line 3, column "Method": no shipping method "UPS Ground" belongs to carrier FDEG',
        expect.stringContaining('FEDEX_GROUND') as string,
      ],
      [
        'order-unknown',
        'order_id',
        `line 4, column "PO": no order "0${po}" is known to this account`,
        `Did you mean "${po}"?`,
      ],
    ])
  })

  test('as that of another party of the bridge, where that knows it', async () => {
    const [po = ''] = await placeOrders(1)
    const [found] = await world.orders()
    const bridge = await world.open()
    await bridge.journal.saveResources('brand/2001', 'order', [{ id: '77', keys: ['CF-1'] }])
    await bridge.close()

    const [row] = await runFile(world, 'parcels', { rows: [HEAD, ['CF-1', 'UPS', 'UPS_GROUND', 'T1']] })

    expect(found?.purchase_order_number).toBe(po)
    expect(shown(row)).toEqual([
      'reference-elsewhere',
      'order_id',
      `line 2, column "PO": the order "CF-1" is one of brand/2001; this route is for brand/${BRAND}`,
    ])
  })

  test('as ambiguous with the ids when two orders have the number', async () => {
    const bridge = await world.open()
    const both = ['501', '502'].map((id) => ({ id, keys: ['TWICE'] }))
    await bridge.journal.saveResources(`brand/${BRAND}`, 'order', both)
    await bridge.close()

    const [row] = await runFile(world, 'parcels', { rows: [HEAD, ['TWICE', 'UPS', 'UPS_GROUND', 'T1']] })

    expect(shown(row)).toEqual([
      'order-ambiguous',
      'order_id',
      'line 2, column "PO": "TWICE" is the number of 2 orders: 501, 502',
    ])
  })
})

describe('a shipping account is one of the order’s', () => {
  const LABELS = ['PO', 'Account', 'Method']

  beforeEach(() => addRoute(world, { name: 'labels', operation: 'create-shipment', mapping: TO_LABEL }))

  test('by its nickname, or as the only one that fits', async () => {
    const [one = '', two = ''] = await placeOrders(2)
    const [order] = await accountsOf(one)

    const rows = await runFile(world, 'labels', {
      rows: [LABELS, [one, order?.nickname ?? '', order?.method ?? ''], [two, 'any', order?.method ?? '']],
    })

    expect(rows.map((row) => [row['_status'], row['_message']])).toEqual([
      ['accepted', ''],
      ['accepted', ''],
    ])
  })

  test('and otherwise is refused with the existing ones', async () => {
    const [po = ''] = await placeOrders(1)
    const [account] = await accountsOf(po)

    const [row] = await runFile(world, 'labels', { rows: [LABELS, [po, 'Our own', 'x']] })

    expect(row).toMatchObject({
      _status: 'rejected',
      _code: 'reference-unknown',
      _field: 'shipping_account_id',
    })
    expect(row?.['_fix']).toContain(account?.nickname)
  })

  async function accountsOf(po: string): Promise<{ nickname: string; method: string }[]> {
    const client = clientOf(world, 'brand')
    const accounts: { nickname: string; method: string }[] = []
    for await (const page of client.list({ endpoint: 'listBrandOrders', params: { brand_id: BRAND } })) {
      const order = page.find((each) => each['purchase_order_number'] === po)
      const shown = (order?.['shipping_accounts'] ?? []) as {
        nickname: string
        shipping_methods: { code: string }[]
      }[]
      accounts.push(
        ...shown.map(({ nickname, shipping_methods: [method] }) => ({
          nickname,
          method: method?.code ?? '',
        })),
      )
    }
    await client.close()
    return accounts
  }
})
