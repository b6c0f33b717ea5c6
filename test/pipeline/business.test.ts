/** Business rules before sending, against the real service: cached facts may let a record pass, and only fresh ones refuse it. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { InboundRoute } from '../../src/config/routes.ts'
import { toSelect } from '../../src/config/select.ts'
import type { Api } from '../../src/domain/api.ts'
import { DEFAULT_POLICIES } from '../../src/pipeline/rules/rule.ts'
import { addRoute, callsOf, clientOf, resultsOf, runFile } from '../fixtures/own-route.ts'
import { aWorld, BRAND, RETAILER, type World } from '../fixtures/world.ts'
import { ordersFile, type SampleOrder, sampleOrders } from '../samples/orders.ts'

const PARCELS = `
group: [PO, Tracking]
body:
  order_id: { from: PO, find: order }
  ship_from_name1: { const: Northlight Goods }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }
  carrier_id: { const: 2 }
  shipping_method_id: { const: 10 }
  tracking_number: Tracking
  shipment_lines:
    - variant: { brand_identifier: SKU }
      quantity: Qty
`

const INVOICES = `
group: PO
body:
  purchase_order_number: PO
  invoice_number: { all: [PO, PO], with: "-" }
  terms_net_days_due: { const: 30 }
  terms_date_due: { const: 2030-12-20 }
  due_amount: Total
  invoice_lines:
    - variant: { identifier: SKU }
      quantity: Qty
      net_price: { const: '10.00' }
`

const CANCELS = `
group: PO
body:
  order_id: { from: PO, find: order }
  reason_id: { const: 2 }
  cancel_lines:
    - variant: { identifier: SKU }
      quantity: Qty
`

const HEAD = ['PO', 'Tracking', 'SKU', 'Qty']
let world: World

function someOrders(count: number, change: Record<string, string> = {}): SampleOrder[] {
  const orders = sampleOrders({ seed: 12, orders: count, damageEvery: 0 })
  for (const order of orders) {
    order.rows.length = 1
    Object.assign(order.rows[0] ?? {}, { SKU: 'NL-0001', UPC: '', Qty: '3', 'Gift Message': '', ...change })
  }
  return orders
}

async function place(count: number): Promise<string[]> {
  const orders = someOrders(count)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  expect((await world.run('orders')).exit).toBe(0)
  return orders.map(({ po }) => po)
}

/** The bridge believes this of the one order, rightly or wrongly. */
async function believe(party: 'brand' | 'retailer', changes: Record<string, unknown>): Promise<void> {
  const [order] = await world.orders()
  const facts = { id: order?.id, status: 'open', order_lines: [], ...changes }
  const seen = { id: String(order?.id), keys: [order?.purchase_order_number ?? ''], facts }
  const bridge = await world.open()
  await bridge.journal.saveResources(`${party}/${party === 'brand' ? BRAND : RETAILER}`, 'order', [seen])
  await bridge.close()
}

const outcomeOf = (row: Record<string, string> | undefined) => [
  row?.['_status'],
  row?.['_code'],
  row?.['_message'],
]

beforeEach(async () => {
  world = await aWorld({ routes: ['orders', 'orders-out'] })
  await addRoute(world, { name: 'parcels', operation: 'create-shipment', mapping: PARCELS })
  await addRoute(world, { name: 'invoices', operation: 'create-invoice', mapping: INVOICES })
  await addRoute(world, { name: 'cancels', operation: 'create-cancel', mapping: CANCELS, party: 'retailer' })
})

test('An order that is closed with nothing of it shipped is closed with a warning, and refused where the route says so.', async () => {
  const mapping = 'group: PO\nbody:\n  order_id: { from: PO, find: order }\n'
  await addRoute(world, { name: 'close', operation: 'close-order', mapping })
  const [first = '', second = '', third = ''] = await place(3)
  await runFile(world, 'parcels', { rows: [HEAD, [second, 'T-1', 'NL-0001', '1']] })
  // The bridge still believes that nothing of the second one is shipped.
  const [one, two] = await runFile(world, 'close', { rows: [['PO'], [first], [second]], file: 'a.csv' })

  expect(outcomeOf(one)).toEqual([
    'accepted',
    'order-unshipped',
    'line 2, column "PO": nothing of the order is shipped: 0 of 3 units',
  ])
  expect(one?.['_fix']).toBe(
    `Closed all the same. If that is wrong: \`dropbridge undo ${first}\` says how to reopen it. To refuse such: \`rules: { closings: refuse }\` under \`routes.close\` in dropbridge.yaml.`,
  )
  expect(outcomeOf(two)).toEqual(['accepted', '', ''])

  const route = world.configuration.routes.find(({ name }) => name === 'close')
  Object.assign(route ?? {}, { rules: { ...DEFAULT_POLICIES, closings: 'refuse' } })
  const [refused] = await runFile(world, 'close', { rows: [['PO'], [third]], file: 'b.csv' })
  expect(refused).toMatchObject({ _status: 'rejected', _code: 'order-unshipped' })
  expect(refused?.['_fix']).toBe('Ship it first. If it is right to close it: `rules: { closings: off }`.')
})

test('A canceled order that is to be acknowledged is not to be packed, as the fix says.', async () => {
  const mapping = 'group: PO\nbody:\n  order_id: { from: PO, find: order }\n'
  await addRoute(world, { name: 'accept', operation: 'acknowledge-order', mapping })
  const [po = ''] = await place(1)
  const [canceled] = await runFile(world, 'cancels', {
    rows: [
      ['PO', 'SKU', 'Qty'],
      [po, 'NL-0001', '3'],
    ],
  })
  expect(canceled?.['_status']).toBe('accepted')

  const [row] = await runFile(world, 'accept', { rows: [['PO'], [po]], file: 'accept.csv' })

  expect(outcomeOf(row).slice(0, 2)).toEqual(['rejected', 'order-finished'])
  expect(row?.['_message']).toContain('A canceled order cannot be acknowledged.')
  expect(row?.['_fix']).toBe('Remove the row, and do not pack the order: it is canceled.')
})

describe('a shipment that breaks rules', () => {
  test('without a tracking number is refused with the field as the API spells it', async () => {
    const mapping = PARCELS.replace('  tracking_number: Tracking\n', '')
    await addRoute(world, { name: 'untracked', operation: 'create-shipment', mapping })
    const [po = ''] = await place(1)

    const [row] = await runFile(world, 'untracked', { rows: [HEAD, [po, 'T1', 'NL-0001', '1']] })

    expect(outcomeOf(row)).toEqual([
      'rejected',
      'value-missing',
      'line 2, tracking_number: tracking_number is missing.',
    ])
  })

  test('of an item that is not ordered names the column whose cell has the item', async () => {
    const mapping = PARCELS.replace('brand_identifier: SKU', 'upc: UPC, brand_identifier: SKU')
    await addRoute(world, { name: 'both', operation: 'create-shipment', mapping })
    const [po = ''] = await place(1)
    const head = [...HEAD, 'UPC']

    const [row] = await runFile(world, 'both', { rows: [head, [po, 'T1', 'NL-0009', '1', '']] })

    expect(row?.['_message']).toMatch(/^line 2, column "SKU": the order has no line with this item/)
  })

  test('is refused with all of them at once, each with the column of the user, and nothing is sent', async () => {
    const [one = '', two = ''] = await place(2)
    const rows = [
      HEAD,
      [one, 'T1', 'NL-0009', '1'],
      [one, 'T1', 'NL-0001', '4'],
      [two, 'T2', 'NL-0001', '2'],
      [two, 'T3', 'NL-0001', '2'],
    ]

    const results = await runFile(world, 'parcels', { rows })

    expect(results.map(outcomeOf)).toEqual([
      [
        'rejected',
        'item-not-ordered | quantity-exceeded',
        'line 2, column "SKU": the order has no line with this item (brand_identifier "NL-0009"); its lines have the brand_identifier "NL-0001" | line 3, column "Qty": the record has 4; only 3 of 3 are left to be shipped',
      ],
      ['accepted', '', ''],
      [
        'rejected',
        'quantity-exceeded',
        'line 5, column "Qty": the record has 2; only 3 of 3 are left to be shipped, and earlier records of the file take 2',
      ],
    ])
  })

  test('counts the units of earlier records of the file, however far apart they are', async () => {
    const [po = ''] = await place(1)
    const others = Array.from({ length: 510 }, (_, index) => ['NOBODY', `X${index}`, 'NL-0001', '1'])
    const rows = [HEAD, [po, 'T1', 'NL-0001', '2'], ...others, [po, 'T2', 'NL-0001', '2']]

    const results = await runFile(world, 'parcels', { rows })

    expect(results[0]?.['_status']).toBe('accepted')
    expect(results.at(-1)?.['_message']).toContain('and earlier records of the file take 2')
  })

  test('only by what was known of the order is sent, once the order has been read anew', async () => {
    const [po = ''] = await place(1)
    await believe('brand', { status: 'canceled' })
    await world.drop('inbox/parcels', 'file.csv', `${HEAD.join()}\n${po},T1,NL-0001,1\n`)

    const calls = await callsOf(world, 'parcels')

    expect(calls.map(({ endpoint }) => endpoint)).toEqual(['getBrandOrder', 'listCarriers', 'createShipment'])
    expect((await resultsOf(world))[0]).toMatchObject({ _status: 'accepted' })
  })

  test('that was sent before is a duplicate and not refused, although its order is closed by now', async () => {
    const [po = ''] = await place(1)
    await runFile(world, 'parcels', { rows: [HEAD, [po, 'T1', 'NL-0001', '3']] })
    await believe('brand', { status: 'closed' })

    const rows = [HEAD, [po, 'T1', 'NL-0001', '3'], [po, 'T2', 'NL-0001', '1']]
    const results = await runFile(world, 'parcels', { rows, file: 'again.csv' })

    expect(results.map((row) => row['_status'])).toEqual(['duplicate', 'rejected'])
    expect(results[1]?.['_code']).toBe('order-finished | quantity-exceeded')
  })
})

describe('an invoice', () => {
  const bill = (row: readonly string[], file: string) =>
    runFile(world, 'invoices', { rows: [['PO', 'Total', 'SKU', 'Qty'], row], file })

  test('of an order that is still open is refused, and of a closed one sent, with a warning where its total is odd', async () => {
    const [po = ''] = await place(1)
    const [early] = await bill([po, '30.00', 'NL-0001', '3'], 'early.csv')
    await runFile(world, 'parcels', { rows: [HEAD, [po, 'T1', 'NL-0001', '3']] })
    const [late] = await bill([po, '31.00', 'NL-0001', '3'], 'late.csv')

    // The bridge did not know the order when the first one came, so the API decided.
    expect(early?.['_status']).toBe('rejected')
    expect(outcomeOf(late)).toEqual([
      'accepted',
      'totals-disagree',
      'line 2, column "Total": due_amount is 31.00, but the lines add up to 30.00',
    ])
    const summary = JSON.parse(await world.read('results/late.csv.summary.json')) as Record<string, unknown>
    expect(summary).toMatchObject({
      records: { accepted: 1, total: 1 },
      warnings: { 'totals-disagree': 1 },
      codes: {},
    })
    expect(await world.list('results')).not.toContain('late.csv.rejects.csv')
  })

  test.each([
    ['refuse', 'rejected', 'totals-disagree'],
    ['off', 'accepted', ''],
  ] as const)('with an odd total and the policy %s is %s', async (totals, status, code) => {
    const [po = ''] = await place(1)
    await runFile(world, 'parcels', { rows: [HEAD, [po, 'T1', 'NL-0001', '3']] })
    const route = world.configuration.routes.find(({ name }) => name === 'invoices') as InboundRoute
    Object.assign(route, {
      rules: {
        totals,
        dates: 'warn',
        prices: 'warn',
        stock: 'off',
        addresses: 'warn',
        numbers: 'warn',
        closings: 'warn',
      },
    })

    const [row] = await bill([po, '31.00', 'NL-0001', '3'], 'odd.csv')

    expect([row?.['_status'], row?.['_code']]).toEqual([status, code])
  })

  describe('whose mapping compares the total with lines and freight', () => {
    const check = 'check: [{ total: Total, is: "sum([Qty] * 10) + [Freight]", say: Odd. }]'
    const billed = async (total: string, policy?: 'refuse' | 'off' | 'warn') => {
      const mapping = INVOICES.replace('group: PO', `group: PO\n${check}`)
      const own = { name: 'freight', operation: 'create-invoice', mapping } as const
      const rules = {
        totals: policy ?? 'warn',
        dates: 'warn',
        prices: 'warn',
        stock: 'off',
        addresses: 'warn',
        numbers: 'warn',
        closings: 'warn',
      } as const
      await addRoute(world, own, policy === undefined ? {} : { rules })
      const [po = ''] = await place(1)
      await runFile(world, 'parcels', { rows: [HEAD, [po, 'T1', 'NL-0001', '3']] })
      const rows = [
        ['PO', 'Total', 'SKU', 'Qty', 'Freight'],
        [po, total, 'NL-0001', '3', '4.50'],
      ]
      const [row] = await runFile(world, 'freight', { rows, file: 'freight.csv' })
      return row
    }

    test('the rule of the bridge, which knows no freight, says nothing', async () => {
      expect(outcomeOf(await billed('34.50'))).toEqual(['accepted', '', ''])
    })

    const SENT =
      'Sent as it is, and the API cannot change an invoice: if wrong, call the retailer. To refuse such: `rules: { totals: refuse }` under `routes.freight` in dropbridge.yaml.'
    test.each([
      [undefined, 'accepted', SENT],
      ['warn', 'accepted', SENT],
      ['refuse', 'rejected', 'Correct the total or the lines.'],
    ] as const)('a wrong one is told under the policy %s', async (policy, status, fix) => {
      const row = await billed('34.00', policy)

      expect(outcomeOf(row)).toEqual([
        status,
        'totals-disagree',
        'line 2, column "Total": Odd. Total says "34.00", and sum([Qty] * 10) + [Freight] gives 34.5.',
      ])
      expect(row?.['_fix']).toBe(fix)
    })

    test('and is no matter where totals are off', async () => {
      expect(outcomeOf(await billed('34.00', 'off'))).toEqual(['accepted', '', ''])
    })
  })

  test('of an unknown order is refused like a shipment of one', async () => {
    const [billed] = await bill(['ZZ-404', '30.00', 'NL-0001', '3'], 'unknown.csv')
    const [shipped] = await runFile(world, 'parcels', { rows: [HEAD, ['ZZ-404', 'T1', 'NL-0001', '1']] })

    expect(billed?.['_http']).not.toBe('')
    expect(outcomeOf(billed)).toEqual([
      'rejected',
      'order-unknown',
      'line 2, column "PO": no order "ZZ-404" is known to this account',
    ])
    expect(outcomeOf(billed)).toEqual(outcomeOf(shipped))
    expect(billed?.['_fix']).toBe(shipped?.['_fix'])
  })

  test('comes once, and for no more than was shipped', async () => {
    const [po = ''] = await place(1)
    await runFile(world, 'parcels', { rows: [HEAD, [po, 'T1', 'NL-0001', '3']] })

    const [much] = await bill([po, '40.00', 'NL-0001', '4'], 'much.csv')
    const [right] = await bill([po, '30.00', 'NL-0001', '3'], 'right.csv')

    expect(much).toMatchObject({ _status: 'rejected', _code: 'quantity-exceeded' })
    expect(right).toMatchObject({ _status: 'accepted' })
  })
})

test('a cancel after the brand has acknowledged is refused with the time of it', async () => {
  const [po = ''] = await place(1)
  await world.run('orders-out')
  await believe('retailer', { is_acknowledged: true })

  const [row] = await runFile(world, 'cancels', {
    rows: [
      ['PO', 'SKU', 'Qty'],
      [po, 'NL-0001', '1'],
    ],
  })

  expect(row).toMatchObject({
    _status: 'rejected',
    _code: 'order-acknowledged',
    _http: '',
    _fix: 'Remove its rows: no call cancels it any more. Once it has shipped, agree on a return with the brand.',
  })
  expect(row?.['_message']).toMatch(
    /^line 2, column "PO": the brand acknowledged the order at .*a cancel may be requested only before that$/,
  )
})

describe('an order', () => {
  const send = async (change: Record<string, string>, file: string) => {
    const [order] = someOrders(1, { 'PO Number': `HV-${file}`, ...change })
    if (order !== undefined) await world.drop('inbox/orders', file, ordersFile([order]).text)
    await world.run('orders')
    return (await resultsOf(world, file))[0]
  }
  const readItems = async () => {
    await addRoute(world, {
      name: 'items',
      operation: 'export-variants',
      mapping: 'columns: { SKU: identifier }\n',
      party: 'retailer',
    })
    const route = world.configuration.routes.find(({ name }) => name === 'items')
    Object.assign(route ?? {}, {
      acknowledge: 'never',
      report: { select: toSelect('export-variants', {}, world.folder), empty: 'skip' },
    })
    const { exit } = await world.run('items')
    expect(exit).toBe(0)
  }

  test('of long ago is sent with a warning', async () => {
    const row = await send({ 'Order Date': '11/16/2024 09:05' }, 'old.csv')

    expect(outcomeOf(row)).toEqual([
      'accepted',
      'date-implausible',
      expect.stringContaining('more than a year ago') as string,
    ])
    expect(row?.['_fix']).toBe(
      'Sent as it is. If wrong, `dropbridge undo KEY` says how to cancel it; then send it under a new number. To refuse such: `rules: { dates: refuse }` under `routes.orders` in dropbridge.yaml.',
    )
  })

  test('to a postal code whose zero a spreadsheet has cut is sent, and its fix names the option of the mapping', async () => {
    const row = await send({ Country: 'US', Zip: '2134' }, 'cut.csv')

    expect(row).toMatchObject({ _status: 'accepted', _code: 'postal-code-odd' })
    expect(row?.['_fix']).toContain(
      'A spreadsheet cut its zeros: write `digits: 5` at ship_to.postal_code in the mapping.',
    )
  })

  test('that is refused for another reason has no fix for what was sent', async () => {
    const row = await send({ 'Order Date': '11/16/2024 09:05', SKU: 'NOTHING' }, 'both.csv')

    expect(row).toMatchObject({ _status: 'rejected' })
    expect(row?.['_code']).toContain('date-implausible')
    expect(row?.['_fix']).toContain('It was not sent. If this is wrong too, correct it with the rest.')
    expect(row?.['_fix']).not.toContain('Sent as it is')
  })

  test('of an item whose number a spreadsheet has cut says so, before and after the list of items was read', async () => {
    const before = await send({ SKU: '1.2E+11' }, 'before.csv')
    await readItems()
    const after = await send({ SKU: '7,12E+11' }, 'after.csv')

    for (const row of [before, after]) {
      expect(row).toMatchObject({ _status: 'rejected', _code: 'item-unknown' })
      expect(row?.['_fix']).toBe(
        'A spreadsheet took its last digits. Take it from its source, and format the column as text.',
      )
    }
  })

  test('of an item that the brand does not offer is left to the API until the whole list of items was read, and is refused then', async () => {
    const before = await send({ SKU: 'NL-9999' }, 'before.csv')
    await readItems()
    const after = await send({ SKU: 'NL-9998' }, 'after.csv')

    expect(before).toMatchObject({
      _status: 'rejected',
      _code: 'item-unknown',
      _fix: 'Correct the item, or ask the brand to offer it.',
    })
    expect(outcomeOf(after)).toEqual([
      'rejected',
      'item-unknown',
      'line 2, column "SKU": no brand offers this item (identifier "NL-9998")',
    ])
  })

  test.each([
    ['in other letters', { SKU: 'nl-0001', UPC: '' }, 'NL-0001'],
    ['without its leading zeros', { SKU: '', UPC: '86000100018' }, '086000100018'],
  ])('of an item that is written %s gets the known number as its fix', async (_how, cells, known) => {
    await readItems()

    const row = await send(cells, 'other.csv')

    expect(row).toMatchObject({
      _status: 'rejected',
      _code: 'item-unknown',
      _fix: `Did you mean "${known}"?`,
    })
  })

  test('of an item that came since the list was read is sent, because the list is read again before anything is refused', async () => {
    await readItems()
    const brand = clientOf(world, 'brand')
    const attributes = [{ attribute: { code: 'identifier' }, value: 'NL-NEW-1' }]
    const answer = await brand.send({
      endpoint: 'createVariant',
      params: { brand_id: BRAND },
      body: JSON.stringify({ attributes }),
    })
    await brand.close()
    expect(answer).toMatchObject({ status: 201 })

    expect(await send({ SKU: 'NL-NEW-1' }, 'new.csv')).toMatchObject({ _status: 'accepted' })
  })

  test('of more than there is in stock is reported where the route asks for it', async () => {
    await readItems()
    const route = world.configuration.routes.find(({ name }) => name === 'orders') as InboundRoute
    Object.assign(route, { rules: { ...route.rules, stock: 'warn' } })

    const row = await send({ Qty: '500' }, 'much.csv')

    expect(outcomeOf(row).slice(0, 2)).toEqual(['accepted', 'stock-short'])
  })
})

describe('a number that another order has', () => {
  const REFUSE = 'To refuse such: `rules: { numbers: refuse }` under `routes.parcels` in dropbridge.yaml.'
  const USED = `Sent as it is, and the API cannot change a shipment: if wrong, call the retailer. ${REFUSE}`

  async function policy(name: string, numbers: 'warn' | 'refuse' | 'off'): Promise<void> {
    const route = world.configuration.routes.find((each) => each.name === name) as InboundRoute
    Object.assign(route, { rules: { ...route.rules, numbers } })
  }

  test('as its tracking number is a warning of a shipment, in a later file and in the same one', async () => {
    const [one = '', two = '', three = ''] = await place(3)
    await runFile(world, 'parcels', { rows: [HEAD, [one, 'T1', 'NL-0001', '1']], file: 'first.csv' })
    const shipped = (await world.orders()).find((order) => order.purchase_order_number === one)
    const shipment = shipped?.shipments[0]?.id

    const rows = await runFile(world, 'parcels', {
      rows: [HEAD, [one, 'T9', 'NL-0001', '1'], [two, 'T1', 'NL-0001', '1'], [three, 'T9', 'NL-0001', '1']],
    })

    expect(rows.map(outcomeOf)).toEqual([
      ['accepted', '', ''],
      [
        'accepted',
        'number-in-use',
        `line 3, column "Tracking": the tracking number T1 is also that of shipment ${shipment} of order ${one}`,
      ],
      [
        'accepted',
        'number-in-use',
        `line 4, column "Tracking": the tracking number T9 is also that of line 2 of the file, for order ${one}`,
      ],
    ])
    expect(rows.map((row) => row['_fix'])).toEqual(['', USED, USED])
  })

  test('as its tracking number is a warning too where the answer to the other shipment was lost', async () => {
    const [one = '', two = ''] = await place(2)
    await world.drop(
      'inbox/parcels',
      'lost.csv',
      [HEAD, [one, 'T1', 'NL-0001', '1']].map(String).join('\n') + '\n',
    )
    const loseAnswers = (api: Api): Api => ({
      ...api,
      send: async (call) => {
        await api.send(call)
        return { certainty: 'unknown', detail: 'the connection broke' }
      },
    })
    const bridge = await world.open({ api: loseAnswers })
    await bridge.run(['parcels'], new AbortController().signal)
    await bridge.close()
    expect((await resultsOf(world, 'lost.csv'))[0]).toMatchObject({ _status: 'accepted', _http: '' })

    const [row] = await runFile(world, 'parcels', { rows: [HEAD, [two, 'T1', 'NL-0001', '1']] })

    expect(row).toMatchObject({ _status: 'accepted', _code: 'number-in-use' })
    expect(row?.['_message']).toMatch(/number T1 is also that of shipment \d+ of order /)
  })

  test('as its tracking number refuses a shipment or is not looked for, as the route says', async () => {
    const [one = '', two = ''] = await place(2)
    await runFile(world, 'parcels', { rows: [HEAD, [one, 'T1', 'NL-0001', '1']], file: 'first.csv' })
    const again = (file: string) =>
      runFile(world, 'parcels', { rows: [HEAD, [two, 'T1', 'NL-0001', '1']], file })

    await policy('parcels', 'refuse')
    expect((await again('refused.csv'))[0]).toMatchObject({ _status: 'rejected', _code: 'number-in-use' })
    await policy('parcels', 'off')
    expect((await again('sent.csv'))[0]).toMatchObject({ _status: 'accepted', _code: '' })
  })

  test('as its invoice number is a warning of an invoice, for which no invoices are read', async () => {
    const mapping = INVOICES.replace('{ all: [PO, PO], with: "-" }', 'Invoice')
    await addRoute(world, { name: 'numbered', operation: 'create-invoice', mapping })
    const [one = '', two = ''] = await place(2)
    const parcels = [one, two].map((po) => [po, `T${po}`, 'NL-0001', '3'])
    await runFile(world, 'parcels', { rows: [HEAD, ...parcels] })
    const head = 'PO,Total,SKU,Qty,Invoice'
    await world.drop('inbox/numbered', 'first.csv', `${head}\n${one},30.00,NL-0001,3,INV-1\n`)
    await world.run('numbered')
    await world.drop('inbox/numbered', 'second.csv', `${head}\n${two},30.00,NL-0001,3,INV-1\n`)

    const calls = await callsOf(world, 'numbered')

    expect(calls.map(({ endpoint }) => endpoint)).toEqual(['getBrandOrder', 'createInvoice'])
    const [row] = await resultsOf(world, 'second.csv')
    const fix = `Sent as it is, and the API cannot change an invoice: if wrong, call the retailer. ${REFUSE.replace('parcels', 'numbered')}`
    expect(row).toMatchObject({ _status: 'accepted', _code: 'number-in-use', _fix: fix })
    expect(row?.['_message']).toMatch(
      new RegExp(
        `^line 2, column "Invoice": the invoice number INV-1 is also that of invoice \\d+ of order ${one}$`,
      ),
    )
  })
})

test('An order number in other letters gets the right one as a suggestion, of a parcel and of an invoice.', async () => {
  const [po = ''] = await place(1)
  const wrong = po.toLowerCase()

  const [parcel] = await runFile(world, 'parcels', { rows: [HEAD, [wrong, 'T-1', 'NL-0001', '1']] })
  const rows = [
    ['PO', 'SKU', 'Qty', 'Total'],
    [wrong, 'NL-0001', '1', '10.00'],
  ]
  const [invoice] = await runFile(world, 'invoices', { rows, file: 'invoices.csv' })

  for (const row of [parcel, invoice]) {
    expect(row?.['_code']).toBe('order-unknown')
    expect(row?.['_fix']).toBe(`Did you mean "${po}"?`)
  }
})
