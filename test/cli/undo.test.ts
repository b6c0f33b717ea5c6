/** What can still be undone, by its commands: each of them is carried out against the real service. */
import { execFile } from 'node:child_process'
import { appendFile, copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { PlannedStep, UndoAnswer } from '../../src/app/undo.ts'
import type { InboundRoute, Route } from '../../src/config/routes.ts'
import type { RetailerOrder } from '../../src/contract/order.ts'
import { caller, type Json } from '../fixtures/day.ts'
import { type Commands, commandsOf, runUnheard } from '../fixtures/office.ts'
import { change } from '../fixtures/partner.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { invoicesFile, sampleInvoices, sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 5, orders: 3, damageEvery: 0 })
const [PO = ''] = ORDERS.map(({ po }) => po)
const MAPPINGS = new URL('../../mappings/', import.meta.url).pathname
const sh = promisify(execFile)

async function anOrder(...routes: string[]): Promise<World> {
  const world = await aWorld({ routes: ['orders', ...routes] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', ...routes.filter((route) => route === 'orders-out'))
  return world
}

const answerOf = async (run: Commands, key: string, ...options: string[]) =>
  JSON.parse((await run('undo', key, '--json', ...options)).out) as UndoAnswer

/** The step of the view of a party. */
function stepOf({ orders, records }: UndoAnswer, account: string, what: string): PlannedStep | undefined {
  const steps = orders.filter((order) => order.account === account).flatMap((order) => order.steps)
  return [...steps, ...records].find((step) => step.what === what)
}

/** Does what a person does with the step: adds the route that it names, then runs its commands in a shell. */
async function carryOut({ folder }: World, run: Commands, step: PlannedStep | undefined): Promise<number[]> {
  const { commands = [], newRoute } = step ?? {}
  if (newRoute !== undefined) {
    const path = join(folder, 'dropbridge.yaml')
    const api = new RegExp(`^  ${newRoute.apiOf ?? '-'}:\n(?:    .*\n)*?(    api: .*\n)`, 'm')
    const [, line = ''] = api.exec(await readFile(path, 'utf8')) ?? []
    await appendFile(path, `${newRoute.lines.join('\n')}\n${line}`)
  }
  const exits: number[] = []
  for (const command of commands) {
    if (!command.startsWith('dropbridge ')) await sh('sh', ['-c', command], { cwd: folder })
    else {
      const { stdout } = await sh('sh', ['-c', `dropbridge() { printf '%s\\0' "$@"; }; ${command}`])
      exits.push((await run(...stdout.split('\0').slice(0, -1))).exit)
    }
  }
  return exits
}

async function orderOf(world: World, po = PO): Promise<RetailerOrder> {
  const order = (await world.orders()).find((each) => each.purchase_order_number === po)
  if (order === undefined) throw new Error(`no order ${po}`)
  return order
}

/** A route that reads the file of a ready mapping, or of another one. */
function addRoute(
  world: World,
  name: string,
  operation: InboundRoute['operation'],
  mappingPath: string,
): void {
  const retailer = world.configuration.routes.find((each) => each.name === 'orders') as InboundRoute
  const from = { ...retailer.from, folder: `inbox/${name}`, archive: `archive/${name}` }
  const route: InboundRoute = { ...retailer, name, operation, mappingPath, from }
  ;(world.configuration.routes as Route[]).push(route)
}

test('a retailer cancels an unacknowledged order with the file and the route that the command prints', async () => {
  const world = await anOrder()
  const run = await commandsOf(world)
  const before = world.service.counts()
  await mkdir(join(world.folder, 'mappings'))
  await copyFile(`${MAPPINGS}retailer-cancels.yaml`, join(world.folder, 'mappings/retailer-cancels.yaml'))

  const printed = await run('undo', PO)
  const cancel = stepOf(await answerOf(run, PO), 'retailer/1000', 'cancel')

  expect(world.service.counts()).toEqual(before)
  expect(printed.exit).toBe(0)
  expect(printed.out).toContain(`order 1 (${PO}) as retailer/1000 sees it: open, not acknowledged`)
  expect(printed.out).toMatch(/^can +cancel: \d+ open units, until the supplier acknowledges the order/m)
  expect(printed.out).toContain('no route reads such a file; paste this one under `routes`:')
  expect(printed.out).toContain(
    '\n  undo-create-cancel:\n    retailer: 1000\n    operation: create-cancel\n    mapping: "mappings/retailer-cancels.yaml"\n',
  )
  expect(printed.out).toMatch(/^ {4}dropbridge run undo-create-cancel$/m)
  expect(await carryOut(world, run, cancel)).toEqual([0])
  expect(await orderOf(world)).toMatchObject({ status: 'canceled' })
  const after = stepOf(await answerOf(run, PO), 'retailer/1000', 'cancel')
  expect(after).toMatchObject({ chance: 'no', text: expect.stringContaining('it is canceled'), commands: [] })
})

test('a route that reads the file takes it, and the same units can be canceled a second time', async () => {
  const world = await anOrder()
  const other = join(world.folder, 'other.yaml')
  await appendFile(
    other,
    'operation: create-cancel\nread: { format: csv }\ngroup: Order\nbody:\n  order_id: { from: Order, find: order }\n  reason_id: { const: 1 }\n  cancel_lines:\n    - variant: { identifier: Item }\n      quantity: Units\n',
  )
  addRoute(world, 'own-cancels', 'create-cancel', other)
  addRoute(world, 'cancels', 'create-cancel', `${MAPPINGS}retailer-cancels.yaml`)
  const run = await commandsOf(world)
  const even = (await world.orders()).find(
    ({ order_lines: lines }) => lines.length === 1 && (lines[0]?.quantity ?? 1) % 2 === 0,
  )
  const units = even?.order_lines[0]?.quantity ?? 0
  const po = even?.purchase_order_number ?? ''
  const first = stepOf(await answerOf(run, po), 'retailer/1000', 'cancel')
  // The person cancels one half now.
  const half = first?.commands.map((each) => each.replace(`,${units}' >`, `,${units / 2}' >`)) ?? []

  expect(first?.newRoute).toBeUndefined()
  expect(await carryOut(world, run, first && { ...first, commands: half })).toEqual([0])
  const second = stepOf(await answerOf(run, po), 'retailer/1000', 'cancel')
  expect(await carryOut(world, run, second)).toEqual([0])

  expect(units).toBeGreaterThan(0)
  expect(await orderOf(world, po)).toMatchObject({ status: 'canceled', cancels: [{}, {}] })
  expect(await world.list('archive/own-cancels')).toEqual([])
})

test('an acknowledged order cannot be canceled any more; its supplier closes and reopens it with the printed files', async () => {
  const world = await anOrder('orders-out')
  const run = await commandsOf(world)
  const first = await answerOf(run, PO)

  expect(stepOf(first, 'retailer/1000', 'cancel')).toMatchObject({ chance: 'no', commands: [] })
  expect(stepOf(first, 'brand/2000', 'cancel')).toMatchObject({ chance: 'no' })
  expect(stepOf(first, 'brand/2000', 'acknowledgement')).toMatchObject({ chance: 'no' })
  const close = stepOf(first, 'brand/2000', 'close')
  expect(close?.newRoute).toMatchObject({ apiOf: 'orders-out' })
  expect(await carryOut(world, run, close)).toEqual([0])
  expect(await orderOf(world)).toMatchObject({ status: 'closed' })
  const closed = await answerOf(run, PO, '--party', '2000')
  expect(closed.accounts).toEqual(['brand/2000'])
  expect(await carryOut(world, run, stepOf(closed, 'brand/2000', 'reopen'))).toEqual([0])
  expect(await orderOf(world)).toMatchObject({ status: 'open', closed_at: null })
})

test('what nothing takes back is named: shipments, invoices and cancels; returns and credits are outside of the API', async () => {
  const world = await anOrder('orders-out', 'shipments', 'invoices')
  const parcels = sampleShipments(ORDERS, { seed: 1, damageEvery: 0 })
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(parcels))
  await world.run('shipments')
  const bills = sampleInvoices(ORDERS, { firstNumber: 1, damageEvery: 0 })
  await world.drop('inbox/invoices', 'invoices.csv', invoicesFile(bills))
  await world.run('invoices')
  const run = await commandsOf(world)
  const { shipments, invoices, order_lines: lines } = await orderOf(world)
  const [tracking, number] = [shipments[0]?.tracking_number ?? '', invoices[0]?.invoice_number ?? '']

  const byTracking = await run('undo', tracking, '--party', 'brand/2000')
  const byInvoice = await run('undo', number, '--party', 'brand/2000')
  const shipped = await answerOf(run, PO)

  expect([byTracking.exit, byInvoice.exit]).toEqual([0, 0])
  expect(byTracking.out).toContain(`cannot           shipment 1 (${tracking}): no call changes or removes it`)
  expect(byInvoice.out).toContain(`(${number}): no call changes or removes it`)
  expect(stepOf(shipped, 'retailer/1000', 'return')).toMatchObject({ chance: 'elsewhere' })
  expect(stepOf(shipped, 'retailer/1000', 'credit')).toMatchObject({ chance: 'no' })
  expect(stepOf(shipped, 'retailer/1000', 'reopen')).toMatchObject({ chance: 'no' })

  const ask = caller(world)
  await ask('operator', 'POST', '/admin/orders/1/rmas/', {
    created_by: 'brand',
    reason: 'Item was damaged or defective',
    rma_number: 'RMA-1',
    rma_lines: [{ variant: { id: lines[0]?.variant.id }, quantity: 1 }],
  })
  await ask('operator', 'PUT', '/admin/rmas/1/accept/')
  await ask('operator', 'POST', '/admin/rmas/1/credits/', { credit_number: 'CM-1' })
  const returned = await answerOf(run, PO)
  const credit = stepOf(returned, 'retailer/1000', 'credit')

  expect(stepOf(returned, 'brand/2000', 'return')?.text).toContain('there is one return')
  expect(credit).toMatchObject({ chance: 'elsewhere', text: expect.stringContaining('there is one credit') })
  const look = await run(...(credit?.commands[0]?.split(' ').slice(1) ?? []))
  expect(look.out).toContain('return 1 (RMA-1), credit 1 (CM-1)')
})

test('an order that the bridge never touched is found, and a delivered file goes once more', async () => {
  const world = await anOrder('orders-out')
  const ask = caller(world)
  const sent = (await ask('retailer', 'GET', '/v1/retailers/1000/orders/1/')) as unknown as RetailerOrder
  const address = Object.entries(sent.ship_to).filter(([name, value]) => name !== 'id' && value !== null)
  await ask('retailer', 'POST', '/v1/retailers/1000/orders/', {
    purchase_order_number: 'ELSE 1',
    ordered_at: new Date(world.clock.now()).toISOString(),
    ship_to: Object.fromEntries(address),
    shipping_method: {
      code: sent.shipping_method?.code,
      carrier: { code: sent.shipping_method?.carrier?.code },
    },
    order_lines: sent.order_lines.map(({ variant, quantity, net_price, price }): Json => {
      return { variant: { id: variant.id }, quantity, net_price, price }
    }),
  })
  const run = await commandsOf(world)

  const cancel = stepOf(await answerOf(run, 'ELSE 1'), 'retailer/1000', 'cancel')
  const redeliver = stepOf(await answerOf(run, PO), 'brand/2000', 'redeliver')
  const nowhere = await run('undo', 'ELSE-2')

  expect(await carryOut(world, run, cancel)).toEqual([0])
  expect(await orderOf(world, 'ELSE 1')).toMatchObject({ status: 'canceled' })
  expect(await carryOut(world, run, redeliver)).toEqual([0])
  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-1~2.csv'])
  expect(nowhere.exit).toBe(2)
  expect(nowhere.err).toBe(
    [
      'Neither the API nor the journal shows "ELSE-2".',
      'Give the number or the id of an order. Files and records: dropbridge trace ELSE-2.',
    ].join('\n'),
  )
})

test('records that are held, and deliveries that are not finished, are said with what comes first', async () => {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments'] })
  change(world, { acknowledge: 'picked-up' })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  const parcels = sampleShipments(ORDERS.slice(0, 1), { seed: 1, damageEvery: 0 })
  await world.drop('inbox/shipments', 'parcels.csv', shipmentsFile(parcels))
  await runUnheard(world, 'shipments', { arrives: true })
  const run = await commandsOf(world)

  const answer = await answerOf(run, parcels[0]?.rows[0]?.['Tracking Number'] ?? '')
  const order = await answerOf(run, PO)
  await world.service.close()
  const away = await run('undo', PO)

  expect(stepOf(answer, 'brand/2000', 'undo')).toMatchObject({
    chance: 'no',
    commands: [
      expect.stringMatching(/^dropbridge resolve 'shipments\/HV-.*' --absent --by NAME --why TEXT$/),
    ],
  })
  expect(stepOf(order, 'brand/2000', 'redeliver')).toMatchObject({ chance: 'no', commands: [] })
  expect(away.exit).toBe(69)
})

test('the name of a file is no order, and trace is named', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  const run = await commandsOf(world)

  const { exit, err } = await run('undo', 'orders.csv')

  expect(exit).toBe(2)
  expect(err).toBe(
    [
      'The journal knows "orders.csv" as a file or by another name, and not as an order.',
      'Give the number or the id of an order. Files and records: dropbridge trace orders.csv.',
    ].join('\n'),
  )
})
