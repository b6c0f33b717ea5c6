/** A read that lags behind never causes a second post: absence takes two reads, and one more before the post. */
import { expect, test } from 'vitest'
import type { Api, Call } from '../../src/domain/api.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { addRoute, clientOf } from '../fixtures/own-route.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { LABEL_FIELDS } from '../fixtures/shipping.ts'
import { invoicesFile, sampleInvoices, sampleShipments, shipmentsFile } from '../samples/fulfilment.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const never = new AbortController().signal
const ORDERS = sampleOrders({ seed: 41, orders: 2, damageEvery: 0 })
const SHIPMENTS = sampleShipments(ORDERS, { seed: 6, damageEvery: 0 })
const INVOICES = sampleInvoices(ORDERS, { firstNumber: 700, damageEvery: 0 })
const LATE_ANSWER_MS = 5000

const UNTRACKED = `
group: PO Number
body:
  order_id: { from: PO Number, find: order }
${LABEL_FIELDS}
  shipment_lines:
    - variant: { upc: UPC, brand_identifier: SKU }
      quantity: { const: 1 }
`

const CANCELS = `
group: PO Number
body:
  order_id: { from: PO Number, find: order }
  reason_id: { const: 1 }
  cancel_lines:
    - variant: { upc: UPC }
      quantity: { const: 1 }
`

interface Case {
  readonly route: string
  /** The number that the world counts, which must be that of the records. */
  readonly counted: (world: World) => Promise<number>
  /** Returns the text of the file to send. */
  readonly prepare: (world: World) => Promise<string>
  /** How many reads show all of them; each is read for itself when left out. */
  readonly reads?: 1
}

const place = async (world: World) => {
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  expect((await world.run('orders')).exit).toBe(0)
}

/** The first item of each order. */
const firstItems = () => {
  const rows = firstOf(SHIPMENTS).map(({ po, rows: [row] }) => [po, row?.SKU, row?.UPC].join(','))
  return ['PO Number,SKU,UPC', ...rows, ''].join('\n')
}

const CASES: Readonly<Record<string, Case>> = {
  orders: {
    route: 'orders',
    counted: (world) => Promise.resolve(world.service.counts().orders),
    prepare: () => Promise.resolve(ordersFile(ORDERS).text),
  },
  'shipments with tracking numbers': {
    route: 'shipments',
    counted: (world) => Promise.resolve(world.service.counts().shipments),
    prepare: async (world) => {
      await place(world)
      return shipmentsFile(firstOf(SHIPMENTS))
    },
  },
  'shipments without tracking numbers': {
    route: 'labels',
    counted: (world) => Promise.resolve(world.service.counts().shipments),
    prepare: async (world) => {
      await addRoute(world, { name: 'labels', operation: 'create-shipment', mapping: UNTRACKED })
      await place(world)
      return firstItems()
    },
  },
  invoices: {
    route: 'invoices',
    reads: 1,
    counted: (world) => Promise.resolve(world.service.counts().invoices),
    prepare: async (world) => {
      await place(world)
      await world.drop('inbox/shipments', 'all.csv', shipmentsFile(SHIPMENTS))
      expect((await world.run('shipments')).exit).toBe(0)
      return invoicesFile(INVOICES)
    },
  },
  cancels: {
    route: 'cancels',
    counted: async (world) => {
      const orders = await world.orders()
      return orders.reduce((sum, { cancels }) => sum + cancels.length, 0)
    },
    prepare: async (world) => {
      await addRoute(world, {
        name: 'cancels',
        operation: 'create-cancel',
        mapping: CANCELS,
        party: 'retailer',
      })
      await place(world)
      return firstItems()
    },
  },
  items: {
    route: 'items',
    reads: 1,
    counted: async (world) => {
      const client = clientOf(world, 'brand')
      let count = 0
      const call = { endpoint: 'listBrandVariants', params: { brand_id: 2000 } }
      for await (const page of client.list(call)) {
        count += page.filter(({ identifier }) => String(identifier).startsWith('NEW-')).length
      }
      await client.close()
      return count
    },
    prepare: async (world) => {
      const mapping = `
group: SKU
body:
  attributes:
    identifier: SKU
    name: Name
`
      await addRoute(world, { name: 'items', operation: 'create-variant', mapping })
      return 'SKU,Name\nNEW-1,First\nNEW-2,Second\n'
    },
  },
}

function firstOf(shipments: typeof SHIPMENTS): typeof SHIPMENTS {
  return shipments.filter((each, index, all) => all.findIndex(({ po }) => po === each.po) === index)
}

/** The API, which loses the first answers: the request takes effect, or it does not. */
const losing =
  (answers: number, isDone: boolean, sends: Call[] = []) =>
  (api: Api): Api => ({
    ...api,
    send: async (call, permit) => {
      sends.push(call)
      if (sends.length > answers) return api.send(call, permit)
      if (isDone) expect(await api.send(call, permit)).toMatchObject({ certainty: 'answered', status: 201 })
      return { certainty: 'unknown', detail: 'the connection broke' }
    },
  })

async function ready(name: string): Promise<{ world: World; route: string; counted: () => Promise<number> }> {
  const { route, prepare, counted } = CASES[name]!
  const world = await aWorld({ routes: ['orders', 'shipments', 'invoices'] })
  const { sleep } = world.clock
  world.clock.sleep = (ms, signal) => sleep(Math.ceil(ms), signal)
  const text = await prepare(world)
  await world.clock.sleep(60_000)
  await world.drop(`inbox/${route}`, 'file.csv', text)
  world.events.length = 0
  return { world, route, counted: () => counted(world) }
}

async function run(world: World, route: string, api: (api: Api) => Api, signal = never) {
  const bridge = await world.open({ api })
  const result = await bridge.run([route], signal)
  await bridge.close()
  return result
}

const outcomes = async (world: World) =>
  parseCsv(await world.read('results/file.csv.results.csv')).map((row) => row['_status'])

const waits = (world: World) => world.events.flatMap((event) => (event.kind === 'waiting' ? [event.ms] : []))

test.each(Object.keys(CASES))(
  '%s whose answers were lost are not posted twice where reads lag behind for longer than late answers take',
  async (name) => {
    const { world, route, counted } = await ready(name)
    Object.assign(world.service.switches, { staleRead: 1, readLagMs: 1.6 * LATE_ANSWER_MS })
    const sends: Call[] = []

    await run(world, route, losing(2, true, sends))
    world.service.switches.staleRead = 0

    expect(world.service.faults.staleRead).toBeGreaterThan(0)
    expect(sends).toHaveLength(2)
    expect(await counted()).toBe(2)
    expect(await outcomes(world)).toEqual(['accepted', 'accepted'])
  },
)

test.each(Object.keys(CASES))(
  '%s that two reads do not show are still found by the read right before the second post',
  async (name) => {
    const { world, route, counted } = await ready(name)
    const sends: Call[] = []
    const plan = losing(2, true, sends)
    let waited = 0
    const { sleep } = world.clock
    world.clock.sleep = async (ms, signal) => {
      await sleep(ms, signal)
      // the replica catches up after the second read
      if (ms > LATE_ANSWER_MS - 1000 && ++waited === 2)
        world.service.switches.faultLimit = readsSoFar() + (CASES[name]?.reads ?? 2)
    }
    const readsSoFar = () => world.service.faults.staleRead
    Object.assign(world.service.switches, { staleRead: 1, readLagMs: 3_600_000 })

    await run(world, route, plan)
    world.service.switches.staleRead = 0

    expect(sends).toHaveLength(2)
    expect(await counted()).toBe(2)
    expect(await outcomes(world)).toEqual(['accepted', 'accepted'])
  },
)

test.each(Object.keys(CASES))(
  '%s that never arrived are posted again after two waits in all, and exist once',
  async (name) => {
    const { world, route, counted } = await ready(name)
    const sends: Call[] = []

    expect((await run(world, route, losing(2, false, sends))).exit).toBe(0)

    expect(sends).toHaveLength(4)
    expect(await counted()).toBe(2)
    expect(await outcomes(world)).toEqual(['accepted', 'accepted'])
    expect(waits(world)).toHaveLength(2)
    expect(waits(world)[1]).toBe(LATE_ANSWER_MS)
    // Repeatable changes are proven absent by one read each, the others by two.
    const again = world.events.filter((event) => event.kind === 'found-absent')
    expect(again.map(({ records, sent, atMost }) => [records, sent, atMost])).toEqual([[2, 1, 6]])
  },
)

test('many invoices are looked up together right before they are posted again, and not each by a sweep of its own', async () => {
  const orders = sampleOrders({ seed: 5, orders: 40, damageEvery: 0 })
  const world = await aWorld({ routes: ['orders', 'shipments', 'invoices'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  const shipments = sampleShipments(orders, { seed: 6, damageEvery: 0 })
  await world.drop('inbox/shipments', 'shipments.csv', shipmentsFile(shipments))
  await world.run('shipments')
  const invoices = sampleInvoices(orders, { firstNumber: 700, damageEvery: 0 })
  await world.drop('inbox/invoices', 'file.csv', invoicesFile(invoices))
  let sweeps = 0
  // fewer in a row than prove that the API is in trouble
  let index = 0
  const result = await run(world, 'invoices', (api) => ({
    ...api,
    send: (call, permit) =>
      ++index <= 40 && index % 2 === 0
        ? Promise.resolve({ certainty: 'unknown', detail: 'the connection broke' })
        : api.send(call, permit),
    list: (call) => {
      if (index >= 40 && call.endpoint === 'listBrandInvoices') sweeps++
      return api.list(call)
    },
  }))

  expect(result.exit).toBe(0)
  expect(world.service.counts().invoices).toBe(40)
  expect(sweeps).toBeGreaterThan(2)
  // two for the proof, and one for each few of the twenty that were lost
  expect(sweeps).toBeLessThanOrEqual(12)
})

/** An order whose answer is lost and that never arrives; calls back before each read of it with its number, from 1. */
async function anAbsentOrder(
  beforeRead: (read: number, api: Api, order: Call) => Promise<void> | void,
  signal = never,
) {
  const { world, route } = await ready('orders')
  await world.drop('inbox/orders', 'file.csv', ordersFile(ORDERS.slice(0, 1)).text)
  const sends: Call[] = []
  const times: number[] = []
  const result = await run(
    world,
    route,
    (api) => ({
      ...losing(1, false, sends)(api),
      async *list(call) {
        if (call.query?.['purchase_order_number'] !== undefined) {
          times.push(world.clock.now())
          await beforeRead(times.length, api, sends[0]!)
        }
        yield* api.list(call)
      },
    }),
    signal,
  )
  return { world, sends, times, result }
}

test('the two reads that prove an absence are as far apart as a late answer takes, and the third is right before the post', async () => {
  const { sends, times } = await anAbsentOrder(() => undefined)

  expect(sends).toHaveLength(2)
  expect(times).toHaveLength(3)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(LATE_ANSWER_MS)
})

test.each([2, 3])(
  'an order that arrives right before read number %i is accepted, and not posted again',
  async (when) => {
    const { world, sends, times } = await anAbsentOrder(async (read, api, order) => {
      if (read === when) await api.send(order)
    })

    expect(times).toHaveLength(when)
    expect(sends).toHaveLength(1)
    expect(world.service.counts().orders).toBe(1)
    expect(await outcomes(world)).toEqual(['accepted'])
  },
)

test.each([2, 3])(
  'an order that reads from number %i on show with other lines is held, and not posted again',
  async (when) => {
    const { world, sends } = await anAbsentOrder(async (read, api, order) => {
      if (read !== when) return
      const body = JSON.parse(order.body ?? '') as { order_lines: { quantity: number }[] }
      body.order_lines[0]!.quantity = 999
      await api.send({ ...order, body: JSON.stringify(body) })
    })

    expect(sends).toHaveLength(1)
    expect(world.service.counts().orders).toBe(1)
    expect(await outcomes(world)).toEqual(['held'])
  },
)

test.each([2, 3])(
  'an order that cannot be read at read number %i is not posted, and the next run continues with it',
  async (when) => {
    const { world, sends } = await anAbsentOrder((read) => {
      if (read >= when) throw new BridgeError('api-unreachable', 'it is away')
    })
    expect(sends).toHaveLength(1)
    expect(world.service.counts().orders).toBe(0)

    expect((await world.run('orders')).exit).toBe(0)
    expect(world.service.counts().orders).toBe(1)
    expect(await outcomes(world)).toEqual(['accepted'])
  },
)

test('a signal ends the wait between the reads, what the first read showed is kept, and nothing is posted', async () => {
  const { world, route } = await ready('orders')
  const stop = new AbortController()
  const sends: Call[] = []
  const { sleep } = world.clock
  let reads = 0
  world.clock.sleep = async (ms, signal) => {
    // The wait before the first read may be just as long.
    if (signal !== undefined && ms >= LATE_ANSWER_MS && reads > 0) stop.abort()
    await sleep(ms, signal)
  }
  const result = await run(
    world,
    route,
    (api) => ({
      ...api,
      list: (call) => {
        if (sends.length === 2) reads += 1
        return api.list(call)
      },
      send: async (call, permit) => {
        sends.push(call)
        if (sends.length === 1) await api.send(call, permit)
        return { certainty: 'unknown', detail: 'the connection broke' }
      },
    }),
    stop.signal,
  )
  expect(result.exit).not.toBe(0)
  expect(sends).toHaveLength(2)

  const bridge = await world.open()
  const counts = (await bridge.journal.summarizeRoutes()).find((each) => each.route === route)
  await bridge.close()
  expect(counts?.incoming).toEqual({ accepted: 1, uncertain: 1 })
})

test('a change that may be repeated is looked up once, and done again at once', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const mapping = `
group: PO Number
body:
  order_id: { from: PO Number, find: order }
`
  await addRoute(world, { name: 'acks', operation: 'acknowledge-order', mapping })
  await place(world)
  await world.drop('inbox/acks', 'file.csv', `PO Number\n${ORDERS.map(({ po }) => po).join('\n')}\n`)
  world.events.length = 0
  const sends: Call[] = []

  await run(world, 'acks', losing(2, false, sends))

  expect(sends).toHaveLength(4)
  expect(waits(world)).toHaveLength(1)
  expect(world.service.counts().acknowledgedOrders).toBe(2)
})

test('a shipment is held where the API shows its order as it was before the one that was shipped earlier', async () => {
  const world = await aWorld({ routes: ['orders', 'shipments', 'orders-out'] })
  const [order] = sampleOrders({ seed: 41, orders: 1, damageEvery: 0 })
  const [sample] = SHIPMENTS
  const { po, rows } = sample!
  const [row] = rows
  order?.rows.forEach((each) => Object.assign(each, { Qty: '3' }))
  await world.drop('inbox/orders', 'orders.csv', ordersFile([order!]).text)
  await world.run('orders')
  const parcel = (tracking: string) =>
    shipmentsFile([{ po, damage: [], rows: [{ ...row!, 'Tracking Number': tracking, Qty: '1' }] }])
  const client = clientOf(world, 'brand')
  const id = (await world.orders()).find((order) => order.purchase_order_number === po)?.id
  const readOrder: Call = { endpoint: 'getBrandOrder', params: { brand_id: 2000, id: String(id) } }
  const unshipped = await client.get(readOrder)
  await client.close()
  await world.drop('inbox/shipments', 'file.csv', parcel('T-1'))
  expect((await world.run('shipments')).exit).toBe(0)
  // the bridge sees the order with its first shipment
  expect((await world.run('orders-out')).exit).toBe(0)
  await world.drop('inbox/shipments', 'second.csv', parcel('T-2'))
  const sends: Call[] = []

  await run(world, 'shipments', (api) => ({
    ...losing(1, true, sends)(api),
    get: (call) => (sends.length > 0 ? Promise.resolve(unshipped) : api.get(call)),
  }))

  expect(sends).toHaveLength(1)
  expect(world.service.counts().shipments).toBe(2)
  const [secondRow] = parseCsv(await world.read('results/second.csv.results.csv'))
  expect(secondRow).toMatchObject({
    _status: 'held',
    _code: 'outcome-unprovable',
    _message: expect.stringContaining('an older state of the order than before it was sent'),
  })
})

test('a record resolved as absent is posted although the API proves neither, and not when the API shows it after all', async () => {
  for (const isThere of [false, true]) {
    const { world, counted } = await ready('shipments with tracking numbers')
    const [sample] = SHIPMENTS
    const tracking = sample!.rows[0]?.['Tracking Number']
    await world.drop('inbox/shipments', 'file.csv', shipmentsFile([sample!]))
    const sends: Call[] = []
    let isResolved = false
    /** Another shipment of the order appears in its quantities, and not in its list of shipments. */
    const doubtful = (api: Api): Api => ({
      ...losing(1, isThere, sends)(api),
      get: async (call) => {
        const order = await api.get(call)
        if (sends.length === 0 || order === undefined || (isResolved && isThere)) return order
        const lines = order['order_lines'] as { quantity_shipped: number }[]
        return {
          ...order,
          shipments: [],
          order_lines: lines.map((line) => ({ ...line, quantity_shipped: 7 })),
        }
      },
    })
    await run(world, 'shipments', doubtful)
    expect(await outcomes(world)).toEqual(['held'])

    isResolved = true
    const bridge = await world.open({ api: doubtful })
    const what = `${sample!.po}, ${tracking}`
    await bridge.resolve({ action: 'resolve-absent', what, by: 'Ada', why: 'asked' }, never)
    await bridge.close()

    expect(sends).toHaveLength(isThere ? 1 : 2)
    expect(await counted()).toBe(1)
    const rows = parseCsv(await world.read('results/file.csv~2.results.csv'))
    expect(rows.map((row) => row['_status'])).toEqual(['accepted'])
  }
})
