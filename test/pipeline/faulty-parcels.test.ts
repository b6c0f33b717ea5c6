/** Parcels that are refused or held, and orders that lack what they should show: no step of an order comes too early. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Api } from '../../src/domain/api.ts'
import type { BrandOrder } from '../../src/contract/order.ts'
import { BridgeError } from '../../src/support/errors.ts'
import {
  aSequenceWorld,
  CLOSE,
  INVOICE,
  parcelsFile,
  type ParcelRow,
  type SequenceWorld,
} from '../fixtures/sequence.ts'

const never = new AbortController().signal
const close = { operation: 'close-order' } as const
const HOUR = 3_600_000

/** A supplier whose file has the ids of orders. */
const BY_ID = `operation: create-shipment
group: [Order, Tracking]
body:
  order_id: Order
  ship_from_name1: { const: Northlight Goods }
  ship_from_street1: { const: 2100 Vassar St }
  ship_from_city: { const: Reno }
  ship_from_province: { const: NV }
  ship_from_postal_code: { const: '89502' }
  ship_from_country: { const: US }
  carrier_id: { const: 1 }
  tracking_number: Tracking
  shipping_method_id: { const: 3 }
  shipment_lines:
    - variant: { upc: UPC, brand_identifier: SKU }
      quantity: Qty
`

const HELD_WHERE_ASKED = `lines:
  hold: [{ when: { Qty: '9' }, say: Nine of them are asked about first. }]
`

async function runWith(sequence: SequenceWorld, api: (api: Api) => Api, passes = 1): Promise<void> {
  const bridge = await sequence.world.open({ api })
  for (let pass = 0; pass < passes; pass++) await bridge.run(['shipments'], never)
  await bridge.close()
}

async function idOf({ world }: SequenceWorld, number: string): Promise<string> {
  const orders = await world.orders()
  return String(orders.find((order) => order.purchase_order_number === number)?.id)
}

/** An API that shows all orders but the one with this id. */
const hiding =
  (id: string) =>
  (api: Api): Api => ({
    ...api,
    get: (call) =>
      call.endpoint === 'getBrandOrder' && String(call.params?.['id']) === id
        ? Promise.reject(new BridgeError('api-answer-unusable', 'HTTP 403: this order is archived'))
        : api.get(call),
  })

async function dropByIds(sequence: SequenceWorld, quantities: readonly string[], more = ''): Promise<void> {
  const { world, rows } = sequence
  const mappingPath = join(world.folder, 'by-id.yaml')
  await writeFile(mappingPath, BY_ID + more)
  Object.assign(world.configuration.routes.find(({ name }) => name === 'shipments') ?? {}, { mappingPath })
  const id = await idOf(sequence, 'HV-10001')
  const lines = rows.map(({ 'Tracking Number': number, SKU, UPC }, index) =>
    [id, number, SKU, UPC, quantities[index]].join(','),
  )
  await world.drop('inbox/shipments', 'day.csv', ['Order,Tracking,SKU,UPC,Qty', ...lines, ''].join('\n'))
}

test('a parcel that a mapping of order ids refuses keeps its order from being closed', async () => {
  const sequence = await aSequenceWorld({ orders: 1, next: [close] })
  await dropByIds(sequence, ['2', 'two', '2'])

  await sequence.world.run('shipments')

  expect(await sequence.states()).toEqual(['HV-10001 partial, 2 shipped, 0 invoiced'])
})

test('a parcel that the mapping holds keeps its order from being closed', async () => {
  const sequence = await aSequenceWorld({ orders: 1, next: [close] })
  await dropByIds(sequence, ['2', '9', '2'], HELD_WHERE_ASKED)

  await sequence.world.run('shipments')

  expect((await sequence.results('day.csv')).map((row) => row['_status'])).toEqual([
    'accepted',
    'held',
    'accepted',
    'held',
  ])
  expect(await sequence.states()).toEqual(['HV-10001 partial, 2 shipped, 0 invoiced'])
})

test('a parcel refused hundreds of rows before the others of its order keeps it from being closed', async () => {
  const { world, rows, drop, states } = await aSequenceWorld({ orders: 1, next: [close] })
  const refused = (row: ParcelRow): ParcelRow => ({ ...row, Service: 'Fedex Grnd' })
  const [first, ...others] = rows
  if (first === undefined) throw new Error('an order without parcels')
  const unmatchedFiles = Array.from({ length: 499 }, (_, index) =>
    refused({ ...first, 'PO Number': `ZZ-${index}`, 'Tracking Number': `Z${index}` }),
  )
  await drop('day.csv', [...unmatchedFiles, refused(first), ...others])

  await world.run('shipments')

  expect(await states()).toEqual(['HV-10001 partial, 2 shipped, 0 invoiced'])
})

test('an order that the API does not show keeps no other order of its file from being shipped', async () => {
  const sequence = await aSequenceWorld({ orders: 2, next: [] })
  const { rows, drop, states, world } = sequence
  await drop('first.csv', rows.slice(0, 1).concat(rows.slice(3, 4)))
  await world.run('shipments')
  // More than is left: before the bridge refuses the parcel, it reads its order anew.
  await drop('second.csv', [...rows.slice(1, 2).map((row) => ({ ...row, Qty: '9' })), ...rows.slice(4, 5)])

  await runWith(sequence, hiding(await idOf(sequence, 'HV-10001')))

  expect(await states()).toEqual([
    'HV-10001 partial, 1 shipped, 0 invoiced',
    'HV-10002 partial, 2 shipped, 0 invoiced',
  ])
  expect((await sequence.results('second.csv')).map((row) => row['_status'])).toEqual([
    'rejected',
    'accepted',
  ])
})

test('an order that the API does not show keeps no invoice of another from going out when its time has come', async () => {
  const invoice = { ...INVOICE, waitMs: 48 * HOUR }
  const sequence = await aSequenceWorld({ orders: 2, next: [CLOSE, invoice] })
  const { rows, drop, states, world } = sequence
  const partial = [...rows.slice(0, 2), ...rows.slice(3, 5)]
  await drop(
    'day.csv',
    partial.map((row) => ({ ...row, 'Invoice Total': '40.00' })),
  )
  await world.run('shipments')
  await drop('rest.csv', rows.slice(5))
  await world.run('shipments')

  await runWith(sequence, hiding(await idOf(sequence, 'HV-10001')), 2)

  expect(await states()).toEqual([
    'HV-10001 partial, 2 shipped, 0 invoiced',
    'HV-10002 closed, 3 shipped, 1 invoiced',
  ])
})

test.each([
  ['tells in texts', (line: object) => [{ ...line, quantity_shipped: '2' }]],
  ['does not tell, for it shows no lines,', () => []],
])('an order of which the API %s what is shipped is not closed', async (_, changeLine) => {
  const sequence = await aSequenceWorld({ orders: 1, next: [CLOSE] })
  await sequence.drop('day.csv', sequence.rows.slice(0, 1))

  await runWith(sequence, (api) => ({
    ...api,
    get: async (call) => {
      const order = (await api.get(call)) as BrandOrder | undefined
      if (call.endpoint !== 'getBrandOrder' || order === undefined) return order
      return { ...order, order_lines: order.order_lines.flatMap(changeLine) }
    },
  }))

  expect(await sequence.states()).toEqual(['HV-10001 partial, 1 shipped, 0 invoiced'])
  const closing = (await sequence.results('day.csv')).at(-1)
  expect([closing?.['_status'], closing?.['_code']]).toEqual(['skipped', 'order-not-shipped'])
  expect(closing?.['_message']).toContain('does not show what is shipped')
})

test('an unchanged rejects file, dropped once the cause is mended elsewhere, is sent with all that follows', async () => {
  const sequence = await aSequenceWorld({ orders: 1, next: [close] })
  const { world, rows, drop, states } = sequence
  await drop('day.csv', rows)
  await runWith(sequence, (api) => ({
    ...api,
    send: (call) =>
      call.endpoint === 'createShipment'
        ? Promise.resolve({
            certainty: 'answered',
            status: 400,
            body: { order_id: ['Not now.'] },
            text: '',
          })
        : api.send(call),
  }))
  const rejects = await world.read('results/day.csv.rejects.csv')
  expect(rejects).toBe(parcelsFile(rows))

  await world.drop('inbox/shipments', 'again.csv', rejects)
  await world.run('shipments')

  expect(await states()).toEqual(['HV-10001 closed, 3 shipped, 0 invoiced'])
})
