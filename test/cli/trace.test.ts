/** Where is my order? Shows all that is known of an order, a record or a file. */
import { expect, test } from 'vitest'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { invoicesFile, sampleInvoices, sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 5, orders: 4, damageEvery: 3 })
const GOOD = ORDERS.filter((order) => order.damage.length === 0)
const [FIRST = ''] = GOOD.map((order) => order.po)
const BAD = ORDERS.find((order) => order.damage.length > 0)?.po ?? ''
const SHIPMENTS = sampleShipments(GOOD, { seed: 1, damageEvery: 0 })
const TRACKING = SHIPMENTS[0]?.rows[0]?.['Tracking Number'] ?? ''

/** Four orders, one of them damaged; exported, shipped, invoiced, and the receipts exported again. */
async function aFinishedMonth(): Promise<World> {
  const world = await aWorld()
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  await world.drop('inbox/shipments', 'ship.csv', shipmentsFile(SHIPMENTS))
  await world.run('shipments')
  const invoices = sampleInvoices(GOOD, { firstNumber: 700, damageEvery: 0 })
  await world.drop('inbox/invoices', 'bill.csv', invoicesFile(invoices))
  await world.run('invoices', 'shipments-out', 'invoices-out')
  return world
}

/** The first line of each record of a trace. */
const recordLines = (out: string) => out.split('\n').filter((line) => /^\d+ {2}/.test(line))

const LIFE = [
  `1  create-order ${FIRST}: accepted as 1`,
  `2  export-orders 1 (order ${FIRST}): acknowledged`,
  `3  create-shipment ${FIRST}, ${TRACKING}: accepted as 1`,
  `4  create-invoice ${FIRST}, `,
  `5  export-shipments 1 (shipment ${TRACKING}): acknowledged`,
  `6  export-invoices 1 (invoice `,
]

test('a purchase order number shows the whole life of the order, in the order of time', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  const { exit, out } = await run('trace', FIRST)

  expect(exit).toBe(0)
  const lines = recordLines(out)
  expect(lines).toHaveLength(LIFE.length)
  for (const [index, beginning] of LIFE.entries()) expect(lines[index]).toContain(beginning)
  expect(out).toMatch(
    /from {6}orders\.csv, line 2, record 1\n {3}file {6}id \S+, from inbox\/orders, received \S+Z, closed/,
  )
  expect(out).toMatch(/sent {6}\S+Z POST \/v1\/retailers\/1000\/orders\/ → HTTP 201, accepted at \S+Z/)
  expect(out).toMatch(/PUT \/v1\/brands\/2000\/orders\/1\/acknowledge\/ → HTTP 200/)
  expect(out).toMatch(
    /delivery {2}outbox\/orders-1\.csv, number 1 of orders-out, 3 records in \d+ rows, acknowledged/,
  )
  expect(out).toContain(`"purchase_order_number": "${FIRST}"`)
})

test.each([
  ['a tracking number', TRACKING],
  ['the cells as status shows them', `${FIRST}, ${TRACKING}`],
])('%s leads to its order and all of its resources', async (_, key) => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  const { out } = await run('trace', key)

  expect(recordLines(out)).toHaveLength(LIFE.length)
  expect(recordLines(out)[2]).toBe(`3  create-shipment ${FIRST}, ${TRACKING}: accepted as 1`)
  expect(recordLines(out)[0]).toContain('(of the same order)')
})

test('a route narrows the search, and an unknown route is reported', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  const narrowed = await run('trace', FIRST, '--route', 'shipments-out')
  const misspelt = await run('trace', FIRST, '--route', 'shipment-out')

  expect(recordLines(narrowed.out)).toHaveLength(1)
  expect(misspelt).toMatchObject({ exit: 64 })
  expect(misspelt.err).toContain('Did you mean "shipments-out"?')
})

test('a refused order is found by the cell of its file, with its problems and their fixes', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  const { exit, out } = await run('trace', BAD)

  expect(exit).toBe(0)
  expect(recordLines(out)).toEqual([`1  create-order ${BAD}: rejected`])
  expect(out).toMatch(/problem {3}line \d+, .+ {2}\[province-unknown\]/)
  expect(out).not.toContain('sent ')
})

test('a row of a file shows its record, and the name of a file all of them, those with problems first', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  const row = await run('trace', 'orders.csv:2')
  const file = await run('trace', 'orders.csv')

  expect(recordLines(row.out)).toEqual([LIFE[0]])
  expect(file.out.split('\n')[0]).toBe('orders.csv: closed, processed; 3 accepted, 1 rejected')
  expect(file.out).toMatch(new RegExp(`state +why\\n.+\\n +3 .+ ${BAD} +rejected +province-unknown`))
})

test('a line beyond the end of a file, or without a record, is named with the last line that has one', async () => {
  const run = await commandsOf(await aFinishedMonth())

  for (const line of [1, 9999]) {
    const { exit, err } = await run('trace', `orders.csv:${line}`)
    expect(exit).toBe(2)
    expect(err).toMatch(/^No record of orders\.csv is on that line: its records stand on lines up to \d+\.$/m)
    expect(err).not.toContain('Searched')
  }
})

test('the name of a delivered file shows which records left in it', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  const { out } = await run('trace', 'shipments-1.csv')

  expect(out.split('\n')[0]).toBe('shipments-1.csv: acknowledged; 3 acknowledged')
  expect(out).toContain('number 1 of shipments-out')
})

test('a record that came twice points at the first', async () => {
  const world = await aFinishedMonth()
  await world.drop('inbox/orders', 'again.csv', `${ordersFile(GOOD).text}\r\n`)
  await world.run('orders')
  const run = await commandsOf(world)

  const { out } = await run('trace', 'again.csv:2')

  expect(recordLines(out)).toEqual([`1  create-order ${FIRST}: duplicate as 1`])
  expect(out).toMatch(/first {5}accepted as 1 in orders\.csv, line 2, record 1, received \S+Z/)
})

test('for an unknown number trace says where it looked, suggests similar ones, and exits 2', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  const { exit, out, err } = await run('trace', `${FIRST}9`)

  expect([exit, out]).toEqual([2, ''])
  expect(err).toContain(`Nothing is known of "${FIRST}9".`)
  expect(err).toMatch(new RegExp(`Similar names: .*${FIRST}`))
  expect(err).toContain('dropbridge why-not FILE')
})

test('before the first run there is no journal, and trace makes none', async () => {
  const world = await aWorld()
  const run = await commandsOf(world)

  const { exit, err } = await run('trace', FIRST)

  expect(exit).toBe(2)
  expect(err).toContain('there is no journal yet')
  expect(await world.list('../state')).toEqual([])
})

test('--json gives the records with all that is kept of them', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  const { out } = await run('trace', FIRST, '--json')

  expect(JSON.parse(out)).toMatchObject({
    key: FIRST,
    earlier: 0,
    records: [
      {
        record: { operation: 'create-order', state: 'accepted', apiId: '1', isMeant: true },
        call: 'POST /v1/retailers/1000/orders/',
        attempts: [{ attempt: 1, http: 201, result: 'accepted' }],
        body: { purchase_order_number: FIRST },
        from: { name: 'orders.csv' },
      },
      { into: { name: 'orders-1.csv', sequence: 1 } },
      {},
      {},
      {},
      {},
    ],
  })
})

test('a pruned record shows when it was pruned, and is found by its key as before', async () => {
  const world = await aFinishedMonth()
  const bridge = await world.open()
  const before = world.clock.now() + 1
  await bridge.journal.prune({ before, signal: new AbortController().signal })
  await bridge.close()
  const run = await commandsOf(world)

  const { exit, out } = await run('trace', FIRST, '--route', 'orders')

  expect(exit).toBe(0)
  expect(recordLines(out)).toEqual([`1  create-order ${FIRST}: accepted as 1`])
  expect(out).toMatch(/body {6}pruned on \S+Z, with the cells of its rows/)
  expect(out).toMatch(/POST \/v1\/retailers\/1000\/orders\/ → HTTP 201/)
})

test('after everything was pruned, each number still leads to the whole life of the order', async () => {
  const world = await aFinishedMonth()
  await pruneAll(world)
  const run = await commandsOf(world)

  const byOrder = await run('trace', FIRST)
  const byTracking = await run('trace', TRACKING)
  const byInvoice = await run('trace', 'NL-INV-700')

  for (const { out } of [byOrder, byTracking, byInvoice]) expect(recordLines(out)).toHaveLength(LIFE.length)
  expect(recordLines(byOrder.out)[0]).toBe(`1  create-order ${FIRST}: accepted as 1`)
  expect(recordLines(byTracking.out)[2]).not.toContain('(of the same order)')
  expect(recordLines(byInvoice.out)[3]).not.toContain('(of the same order)')
})

test('what is not found after pruning says that contents were pruned', async () => {
  const world = await aFinishedMonth()
  await pruneAll(world)
  const run = await commandsOf(world)

  const { exit, err } = await run('trace', BAD)

  expect(exit).toBe(2)
  expect(err).toMatch(
    /The contents of what was done until \S+Z were pruned, .+ so not everything can be found\./,
  )
})

test('a number that differs in case, dashes, blanks or zeros is taken for the only one that it can be', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  for (const slip of [FIRST.toLowerCase(), ...['', ' ', '-000'].map((each) => FIRST.replace('-', each))]) {
    const { out, err } = await run('trace', slip)
    expect(recordLines(out)).toHaveLength(LIFE.length)
    expect(err).toBe(`Nothing goes by "${slip}"; this is "${FIRST}".`)
  }
  const refused = await run('trace', BAD.toLowerCase())
  expect(recordLines(refused.out)).toEqual([`1  create-order ${BAD}: rejected`])
})

test('when a number may be one of two, both are named first and neither is taken', async () => {
  const world = await aFinishedMonth()
  const [order] = sampleOrders({ seed: 6, orders: 1, damageEvery: 0 })
  const twin = FIRST.replace('-', '')
  const rows = order!.rows.map((row) => ({ ...row, 'PO Number': twin }))
  await world.drop('inbox/orders', 'twin.csv', ordersFile([{ ...order!, po: twin, rows }]).text)
  await world.run('orders')
  const run = await commandsOf(world)

  const { exit, err } = await run('trace', FIRST.toLowerCase())

  expect(exit).toBe(2)
  expect(err).toMatch(new RegExp(`Similar names: (${FIRST}, ${twin}|${twin}, ${FIRST})[.,]`))
})

test('a file goes by every name that the bridge prints: paths, its archived copy, and its results', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)
  const byName = await run('trace', 'orders.csv')
  const [, archived = ''] = /archived as (\S+~\S+\.csv)/.exec(byName.out) ?? []

  for (const name of [
    'exchange/inbox/orders/orders.csv',
    String.raw`D:\edi\orders\orders.csv`,
    archived,
    'orders.csv.results.csv',
    'exchange/results/orders.csv.rejects.csv',
    'orders.csv.summary.json',
  ]) {
    const file = await run('trace', name)
    const row = await run('trace', `${name}:2`)
    expect(file.out).toBe(byName.out)
    expect(recordLines(row.out)).toEqual([LIFE[0]])
  }
})

test('a delivered file goes by its path, and lists what left in it by number and purchase order', async () => {
  const world = await aFinishedMonth()
  const run = await commandsOf(world)

  const { out } = await run('trace', 'exchange/outbox/shipments-1.csv')

  expect(out).toMatch(/^id +operation +key +purchase order +state/m)
  expect(out).toMatch(new RegExp(`^ *1 +export-shipments +shipment ${TRACKING} +${FIRST} +acknowledged`, 'm'))
  expect(out).not.toContain('FILE:LINE')
})

test('a lost answer is shown with how it became known: looked up, and found', async () => {
  const world = await aShippedParcel({ arrives: true })
  const run = await commandsOf(world)

  const { out } = await run('trace', TRACKING, '--route', 'shipments')

  expect(out).toMatch(/sent {6}\S+Z POST \S+ → uncertain at \S+Z\n {3}looked up \S+Z found at the API as 1\n/)
})

test('a lost answer of a request that never arrived is shown as proven absent, and sent again', async () => {
  const world = await aShippedParcel({ arrives: false })
  const run = await commandsOf(world)

  const { out } = await run('trace', TRACKING, '--route', 'shipments')

  expect(out).toMatch(
    /uncertain at \S+Z\n {3}looked up \S+Z proven absent at the API, to be sent again\n {3}sent {6}\S+Z .+ HTTP 201/,
  )
})

/** A parcel whose first answer was lost; the shipment reached the API or not. */
async function aShippedParcel({ arrives }: { readonly arrives: boolean }): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out', 'shipments'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders', 'orders-out')
  await world.drop('inbox/shipments', 'ship.csv', shipmentsFile(SHIPMENTS.slice(0, 1)))
  let isLost = false
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: async (call, permit) => {
        if (isLost) return api.send(call, permit)
        isLost = true
        if (arrives) await api.send(call, permit)
        return { certainty: 'unknown', detail: 'the connection broke' }
      },
    }),
  })
  await bridge.run(['shipments'], new AbortController().signal)
  await bridge.close()
  return world
}

async function pruneAll(world: World): Promise<void> {
  const bridge = await world.open()
  await bridge.journal.prune({ before: world.clock.now() + 1, signal: new AbortController().signal })
  await bridge.close()
}
