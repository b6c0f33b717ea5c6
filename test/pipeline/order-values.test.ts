/** Values that a file takes from its order: values of the order, its lines, and order attributes. */
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Route } from '../../src/config/routes.ts'
import { compileMapping } from '../../src/mapping/load.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { addRoute, clientOf, runFile } from '../fixtures/own-route.ts'
import { aWorld, BRAND, type World } from '../fixtures/world.ts'
import { ordersFile, type SampleOrder, sampleOrders } from '../samples/orders.ts'

const FROM = `
  ship_from_name1: { const: Northlight Goods }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }`

/** Two columns: the order ships whole, the way the retailer asked for. */
const SHIPPED_WHOLE = `
group: PO
body:
  order_id: { from: PO, find: order }${FROM}
  carrier_id: { order: shipping_method.carrier.id }
  shipping_method_id: { order: shipping_method.id }
  label_reference: { kept: erp_id }
  tracking_number: Tracking
  shipment_lines: { order: order_lines }
`

const INVOICED = (prices = '') => `
group: PO
body:
  purchase_order_number: PO
  invoice_number: Invoice
  terms_net_days_due: { const: 30 }
  terms_date_due: { const: 2030-12-20 }
  due_amount: Total
  invoice_lines: { order: order_lines${prices} }
`

let world: World

async function placeOrders(
  count: number,
  change: (order: SampleOrder) => void = () => {},
): Promise<string[]> {
  const orders = sampleOrders({ seed: 8, orders: count, damageEvery: 0 })
  for (const order of orders) order.rows.length = 1
  orders.forEach(change)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  expect((await world.run('orders')).exit).toBe(0)
  return orders.map(({ po }) => po)
}

beforeEach(async () => {
  world = await aWorld({ routes: ['orders', 'orders-out'] })
  await addRoute(world, { name: 'whole', operation: 'create-shipment', mapping: SHIPPED_WHOLE })
})

describe('values of the order', () => {
  test('make a shipment of two columns: its carrier and method are those the retailer asked for', async () => {
    const [po = ''] = await placeOrders(1)
    const [before] = await world.orders()

    const [row] = await runFile(world, 'whole', {
      rows: [
        ['PO', 'Tracking'],
        [po, 'T1'],
      ],
    })

    expect(row).toMatchObject({ _status: 'accepted', _message: '' })
    const [after] = await world.orders()
    expect(after?.status).toBe('closed')
    expect(after?.order_lines.map((line) => line.quantity_shipped)).toEqual(
      before?.order_lines.map((line) => line.quantity),
    )
    expect(after?.shipments).toMatchObject([{ tracking_number: 'T1' }])
  })

  test('that are missing are reported, and so is an order whose lines are all shipped', async () => {
    const [po = ''] = await placeOrders(1)
    await runFile(world, 'whole', {
      rows: [
        ['PO', 'Tracking'],
        [po, 'T1'],
      ],
    })

    const [row] = await runFile(world, 'whole', {
      rows: [
        ['PO', 'Tracking'],
        [po, 'T2'],
      ],
      file: 'again.csv',
    })

    expect(row).toMatchObject({ _status: 'rejected', _code: 'order-value-missing', _field: 'shipment_lines' })
    expect(row?.['_message']).toContain('nothing of the order is left to be shipped')
  })
})

describe('three columns make an invoice', () => {
  const bill = async (mapping: string, row: readonly string[], file?: string) => {
    const name = `bills-${world.configuration.routes.length}`
    await addRoute(world, { name, operation: 'create-invoice', mapping })
    const rows = [['PO', 'Invoice', 'Total'], row]
    const [result] = await runFile(world, name, { rows, ...(file === undefined ? {} : { file }) })
    return result
  }
  const costs = (rows: string) => `tables: { costs: { rows: { ${rows} } } }\n`

  test('of an order of one line: its price is the total by what was shipped, to the cent', async () => {
    const [po = ''] = await placeOrders(1, (order) => Object.assign(order.rows[0] ?? {}, { Qty: '3' }))
    await runFile(world, 'whole', {
      rows: [
        ['PO', 'Tracking'],
        [po, 'T1'],
      ],
    })

    const odd = await bill(INVOICED(), [po, 'I-1', '10.00'], 'odd.csv')
    const even = await bill(INVOICED(), [po, 'I-1', '37.50'], 'even.csv')

    expect(odd).toMatchObject({ _status: 'rejected', _code: 'price-unknown' })
    expect(odd?.['_message']).toContain('the total 10.00 divided by 3 units is no price in whole cents')
    expect(even).toMatchObject({ _status: 'accepted', _message: '' })
    const client = clientOf(world, 'brand')
    const invoice = await client.get({
      endpoint: 'getBrandInvoice',
      params: { brand_id: BRAND, id: even?.['_id'] ?? '' },
    })
    await client.close()
    expect(invoice).toMatchObject({ invoice_lines: [{ quantity: 3, price: '12.50' }], due_amount: '37.50' })
  })

  test('of several lines: prices come from the table, and from nowhere else', async () => {
    const [po = ''] = await placeOrders(1, (order) => {
      const [row] = order.rows
      if (row)
        order.rows.splice(
          0,
          1,
          { ...row, SKU: 'NL-0001', UPC: '', Qty: '2' },
          { ...row, SKU: 'NL-0003', UPC: '', Qty: '1' },
        )
    })
    await runFile(world, 'whole', {
      rows: [
        ['PO', 'Tracking'],
        [po, 'T1'],
      ],
    })
    const prices = ', net_price: { table: costs }'

    const none = await bill(INVOICED(), [po, 'I-1', '25.00'], 'none.csv')
    const lacking = await bill(INVOICED(prices) + costs('NL-0001: 7.50'), [po, 'I-1', '25.00'], 'lacking.csv')
    const whole = await bill(
      INVOICED(prices) + costs('nl-0001: 7.50, NL-0003: 10'),
      [po, 'I-1', '25.00'],
      'whole.csv',
    )

    expect(none?.['_message']).toContain('the total does not show the price of NL-0001')
    expect(lacking?.['_message']).toContain('the table "costs" has no price of NL-0003')
    expect(whole).toMatchObject({ _status: 'accepted' })
  })

  test('and is refused when the order is unknown', async () => {
    const row = await bill(INVOICED(), ['NOBODY-1', 'I-1', '10.00'])

    expect(row).toMatchObject({ _status: 'rejected', _code: 'order-unknown' })
  })
})

describe('order attributes', () => {
  test('travel from the file that made the order to the label and to the export of the same retailer', async () => {
    const orders = world.configuration.routes.find(({ name }) => name === 'orders') as Route & {
      mappingPath: string
    }
    const base = orders.mappingPath
    await addRoute(world, {
      name: 'keeping',
      operation: 'create-order',
      party: 'retailer',
      mapping: `extends: ${base}\nkeep: { erp_id: Customer Order }\n`,
    })
    await addRoute(world, {
      name: 'report',
      operation: 'export-shipments',
      party: 'retailer',
      mapping:
        'columns: { PO: purchase_order_number, ERP: { kept: erp_id }, Other: { kept: nothing_such } }\n',
    })
    const [order] = sampleOrders({ seed: 8, orders: 1, damageEvery: 0 })
    for (const row of order?.rows ?? []) row['Customer Order'] = 'ERP-778'
    await world.drop('inbox/keeping', 'orders.csv', ordersFile(order ? [order] : []).text)
    expect((await world.run('keeping')).exit).toBe(0)
    await runFile(world, 'whole', {
      rows: [
        ['PO', 'Tracking'],
        [order?.po ?? '', 'T1'],
      ],
    })

    await world.run('report')

    expect(parseCsv(await world.read('outbox/report-1.csv'))).toEqual([
      { PO: order?.po, ERP: 'ERP-778', Other: '' },
    ])
  })

  test('travel from an export of the supplier to the file it sends back', async () => {
    await addRoute(world, {
      name: 'out',
      operation: 'export-orders',
      mapping: 'keep: { erp_id: customer_order_number }\ncolumns: { PO: purchase_order_number }\n',
    })
    const [po = ''] = await placeOrders(1, (order) =>
      Object.assign(order.rows[0] ?? {}, { 'Customer Order': 'W-9' }),
    )
    await world.run('out')

    const [row] = await runFile(world, 'whole', {
      rows: [
        ['PO', 'Tracking'],
        [po, 'T1'],
      ],
    })

    expect(row).toMatchObject({ _status: 'accepted' })
    const client = clientOf(world, 'retailer')
    const [shipment] = await firstPage(
      client.list({ endpoint: 'listShipments', params: { retailer_id: 1000 } }),
    )
    await client.close()
    expect(shipment).toMatchObject({ label_reference: 'W-9' })
  })

  async function firstPage<Item>(pages: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
    for await (const page of pages) return page
    return []
  }
})

describe('the error of a mapping is reported', () => {
  test.each([
    [
      'a value of an order where there is none',
      'create-variant',
      'group: SKU\nbody: { attributes: { identifier: { order: status } } }',
      'expected one of id, purchase_order_number',
    ],
    [
      'a value of an order in a record that makes one',
      'create-order',
      'group: PO\nbody: { customer_order_number: { order: closed_at } }',
      'about no order that the API has',
    ],
    [
      'a price for what has none',
      'create-shipment',
      'group: PO\nbody: { shipment_lines: { order: order_lines, net_price: { table: costs } } }\ntables: { costs: { rows: { A: 1 } } }',
      'only invoices have prices',
    ],
    [
      'a price that is none',
      'create-invoice',
      'group: PO\nbody: { invoice_lines: { order: order_lines, net_price: { table: costs } } }\ntables: { costs: { rows: { A: cheap } } }',
      'the table "costs" says for "a"',
    ],
    [
      'keeping in a file that makes no order',
      'create-invoice',
      'group: PO\nkeep: { erp_id: A }\nbody: {}',
      '`keep` is for create-order and for exports',
    ],
    ['a name with capitals', 'create-order', 'group: PO\nkeep: { ERP: A }\nbody: {}', 'erp_id'],
  ])('%s', async (_, operation, text, message) => {
    const mapping = {
      text: `operation: ${operation}\n${text}\n`,
      name: join('m.yaml'),
      readTable: () => Promise.reject(new Error('none')),
    }

    const error: unknown = await compileMapping(mapping).catch((thrown: unknown) => thrown)

    expect((error as { details: string[] }).details.join('\n')).toContain(message)
  })
})
