/** Stopped files, held records, and a person's decisions about them: against the real service. */
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Crash, crashAt } from '../fixtures/crash-after.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aStoppingWorld, offerItem, someOrders } from '../fixtures/stopped-route.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, type SampleOrder } from '../samples/orders.ts'

const ADA = { by: 'Ada Park', why: 'the items are offered now' }
const never = new AbortController().signal

const statuses = async (world: World, report = 'orders.csv') =>
  parseCsv(await world.read(`results/${report}.results.csv`)).map((row) => row['_status'])

function counted(states: readonly (string | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const state of states) counts[state ?? ''] = (counts[state ?? ''] ?? 0) + 1
  return counts
}

async function decide(world: World, action: 'release' | 'discard', what: string, who = ADA) {
  const bridge = await world.open()
  try {
    return await bridge.decide({ action, what, ...who }, never)
  } finally {
    await bridge.close()
  }
}

const numbersAtService = async (world: World) =>
  (await world.orders()).map((order) => order.purchase_order_number).toSorted()

test.each([1, 8, 40])(
  'a file whose first five records are all refused alike is stopped at exactly five, with %i connections',
  async (connections) => {
    const world = await aStoppingWorld({ sameRefusal: 5 }, connections)
    const orders = someOrders(60, () => true)
    await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)

    const { exit } = await world.run('orders')

    expect(exit).toBe(2)
    const rows = parseCsv(await world.read('results/orders.csv.results.csv'))
    expect(rows.map((row) => row['_status'])).toEqual([
      ...Array.from({ length: 5 }, () => 'rejected'),
      ...Array.from({ length: 55 }, () => 'held'),
    ])
    expect(rows[5]).toMatchObject({ _code: 'circuit-breaker-open', _attempts: '0', _http: '' })
    expect(rows[5]?.['_message']).toMatch(
      /^line 7: The first 5 records that were sent were all refused for the same reason: HTTP 400, column "SKU": .*NL-NEW-1.* The rest of the file is held\.$/,
    )
    expect(rows[5]?.['_fix']).toMatch(/^Wrong cells: dropbridge discard orders\.csv .* drop it in\.$/)
    expect(await world.read('results/orders.csv.exceptions.csv')).toBe(ordersFile(orders.slice(5)).text)
    expect(await world.read('results/orders.csv.rejects.csv')).toBe(ordersFile(orders.slice(0, 5)).text)
    expect(JSON.parse(await world.read('results/orders.csv.summary.json'))).toMatchObject({
      records: { total: 60, rejected: 5, held: 55 },
      rows: { total: 60, refused: 5, held: 55 },
      codes: { 'circuit-breaker-open': 55 },
      refusedLines: 5,
      heldLines: 55,
    })
  },
)

test('a file is not stopped when one of its first records is accepted, or when the mapping refuses them', async () => {
  const world = await aStoppingWorld({ sameRefusal: 5 })
  const orders = someOrders(30, (index) => index !== 3)
  const broken = someOrders(30, () => false).map((order, index) => ({ ...order, po: `X-${index}` }))
  for (const [index, order] of broken.entries()) {
    Object.assign(order.rows[0] ?? {}, { 'PO Number': order.po, ...(index < 25 ? { Qty: 'none' } : {}) })
  }
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.drop('inbox/orders', 'broken.csv', ordersFile(broken).text)

  await world.run('orders')

  expect(counted(await statuses(world))).toEqual({ rejected: 29, accepted: 1 })
  expect(counted(await statuses(world, 'broken.csv'))).toEqual({ rejected: 25, accepted: 5 })
  expect((await world.list('results')).filter((name) => name.includes('exceptions'))).toEqual([])
})

test('a file is stopped when more of it is refused than configured, from fifty answers on', async () => {
  const world = await aStoppingWorld({ refusedShare: 0.3 }, 1)
  const orders = someOrders(120, (index) => index % 2 === 0)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)

  await world.run('orders')

  const states = await statuses(world)
  expect(counted(states)).toEqual({ accepted: 25, rejected: 25, held: 70 })
  expect(new Set(states.slice(50))).toEqual(new Set(['held']))
})

test('the canary is sent alone, and the others follow when one of it was accepted', async () => {
  const world = await aStoppingWorld({ canary: 4 })
  await world.drop('inbox/orders', 'bad.csv', ordersFile(someOrders(30, (index) => index < 4)).text)

  await world.run('orders')

  expect(await statuses(world, 'bad.csv')).toEqual([
    ...Array.from({ length: 4 }, () => 'rejected'),
    ...Array.from({ length: 26 }, () => 'held'),
  ])
  const others = someOrders(30, (index) => index < 3).map((order) => ({ ...order, po: `B${order.po}` }))
  for (const order of others) Object.assign(order.rows[0] ?? {}, { 'PO Number': order.po })
  await world.drop('inbox/orders', 'good.csv', ordersFile(others).text)
  await world.run('orders')
  expect(counted(await statuses(world, 'good.csv'))).toEqual({ accepted: 27, rejected: 3 })
})

test('held records are sent exactly once when they are released, and the file is reported again with all its records', async () => {
  const world = await aStoppingWorld({ sameRefusal: 5 })
  const orders = someOrders(40, () => true)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  expect(await world.run('orders')).toMatchObject({ exit: 0 })
  await offerItem(world)

  const released = await decide(world, 'release', 'orders.csv')
  const again = await decide(world, 'release', 'orders.csv')
  const after = await world.run('orders')

  expect(released).toMatchObject({
    exit: 0,
    decision: { action: 'release', by: 'Ada Park', why: 'the items are offered now', records: 35 },
    records: { accepted: 35 },
    held: [],
  })
  expect(again).toMatchObject({ exit: 2, records: {}, pass: { summaries: [] } })
  expect(again).not.toHaveProperty('decision')
  expect(after.exit).toBe(0)
  expect(await numbersAtService(world)).toEqual(orders.slice(5).map(({ po }) => po))
  expect(await world.list('results')).toEqual([
    'orders.csv.exceptions.csv',
    'orders.csv.rejects.csv',
    'orders.csv.results.csv',
    'orders.csv.summary.json',
    'orders.csv~2.rejects.csv',
    'orders.csv~2.results.csv',
    'orders.csv~2.summary.json',
  ])
  expect(counted(await statuses(world, 'orders.csv~2'))).toEqual({ rejected: 5, accepted: 35 })
  expect(await world.read('results/orders.csv~2.rejects.csv')).toBe(ordersFile(orders.slice(0, 5)).text)
  expect(await readdir(join(world.folder, 'state', 'spool', 'orders'))).toEqual([])
})

test('a file whose records are refused again after they were released is stopped again', async () => {
  const world = await aStoppingWorld({ sameRefusal: 5 })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(someOrders(40, () => true)).text)
  await world.run('orders')

  const released = await decide(world, 'release', 'orders.csv')

  expect(released).toMatchObject({ exit: 2, records: { rejected: 5, held: 30 }, held: [{ records: 30 }] })
  expect(counted(await statuses(world, 'orders.csv~2'))).toEqual({ rejected: 10, held: 30 })
})

test('one record can be released alone, by the key that people know', async () => {
  const world = await aStoppingWorld({ sameRefusal: 2 })
  const orders = someOrders(6, () => true)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  await offerItem(world)

  const released = await decide(world, 'release', `orders/${orders[3]?.po ?? ''}`)

  expect(released).toMatchObject({ exit: 0, records: { accepted: 1 }, held: [{ records: 3 }] })
  expect(await statuses(world, 'orders.csv~2')).toEqual([
    'rejected',
    'rejected',
    'held',
    'accepted',
    'held',
    'held',
  ])
  const rest = await decide(world, 'release', 'orders.csv')
  expect(rest).toMatchObject({ records: { accepted: 3 } })
  expect(counted(await statuses(world, 'orders.csv~3'))).toEqual({ rejected: 2, accepted: 4 })
  expect(world.service.counts().orders).toBe(4)
})

test('discarded records are never sent, are in the rejects, and show who decided so and why', async () => {
  const world = await aStoppingWorld({ sameRefusal: 5 })
  const orders = someOrders(10, () => true)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  await offerItem(world)

  const discarded = await decide(world, 'discard', 'orders.csv', { by: 'Bo', why: 'the customer called.' })
  const released = await decide(world, 'release', 'orders.csv')

  expect(discarded).toMatchObject({ exit: 0, decision: { records: 5 }, records: { rejected: 5 }, held: [] })
  expect(released).not.toHaveProperty('decision')
  expect(world.service.counts().orders).toBe(0)
  const rows = parseCsv(await world.read('results/orders.csv~2.results.csv'))
  expect(rows[9]).toMatchObject({ _status: 'rejected', _code: 'discarded' })
  expect(rows[9]?.['_message']).toMatch(
    /^line 11: It was held, and Bo discarded it on .*: the customer called\.$/,
  )
  expect(await world.read('results/orders.csv~2.rejects.csv')).toBe(ordersFile(orders).text)
})

test('records that were corrected and sent meanwhile are not sent again when the file is released', async () => {
  const world = await aStoppingWorld({ sameRefusal: 2 })
  const orders = someOrders(5, () => true)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  await offerItem(world)
  const [, , third, fourth] = orders
  const corrected = { ...third, rows: third?.rows.map((row) => ({ ...row, Qty: '9' })) } as SampleOrder
  await world.drop('inbox/orders', 'corrected.csv', ordersFile([corrected, fourth as SampleOrder]).text)
  await world.run('orders')

  const released = await decide(world, 'release', 'orders.csv')

  expect(released).toMatchObject({ exit: 2, records: { rejected: 1, duplicate: 1, accepted: 1 } })
  expect(await statuses(world, 'orders.csv~2')).toEqual([
    'rejected',
    'rejected',
    'rejected',
    'duplicate',
    'accepted',
  ])
  expect(world.service.counts().orders).toBe(3)
})

test('a released file needs its source no more, wherever a person moved it from the archive', async () => {
  const world = await aStoppingWorld({ sameRefusal: 2 })
  const orders = someOrders(4, () => true)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  await rm(join(world.folder, 'exchange', 'archive'), { recursive: true })

  const discarded = await decide(world, 'discard', 'orders.csv')

  expect(discarded.exit).toBe(0)
  expect(await world.read('results/orders.csv~2.rejects.csv')).toBe(ordersFile(orders).text)
})

test('a name that is unknown or ambiguous is reported with names that would do', async () => {
  const world = await aStoppingWorld({ sameRefusal: 2 })
  const orders = someOrders(8, () => true)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders.slice(0, 4)).text)
  await world.run('orders')
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders.slice(4)).text)
  await world.run('orders')

  const refusal = (what: string) => decide(world, 'release', what).catch((error: unknown) => error)

  expect(await refusal('order.csv')).toMatchObject({ code: 'not-known', message: /no file "order.csv"/ })
  expect(await refusal('order/PO')).toMatchObject({ message: /no inbound route "order".*orders/ })
  expect(await refusal('orders/PO-1')).toMatchObject({ message: /no record "PO-1" of orders is held/ })
  const several = (await refusal('orders.csv')) as { message: string; details: string[] }
  expect(several.message).toContain('several files called orders.csv')
  expect(several.details).toHaveLength(2)
  const [id] = several.details[0]?.split(':') ?? []
  expect(await decide(world, 'discard', id ?? '')).toMatchObject({ decision: { records: 2 } })
})

test('of two bridges that release a file at the same time, one does, and everything is sent once', async () => {
  const world = await aStoppingWorld({ sameRefusal: 5 })
  const orders = someOrders(40, () => true)
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
  await world.run('orders')
  await offerItem(world)

  // Both are open first: otherwise one may be done before the other begins.
  const bridges = [await world.open(), await world.open()]
  const release = { action: 'release', what: 'orders.csv', ...ADA } as const
  const outcomes = await Promise.allSettled(bridges.map((bridge) => bridge.decide(release, never)))
  for (const bridge of bridges) await bridge.close()

  const failures = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  expect(failures).toMatchObject([{ code: 'lease-held' }])
  expect(await numbersAtService(world)).toEqual(orders.slice(5).map(({ po }) => po))
})

const HOLDING = `operation: create-order
group: PO Number
hold:
  - { when: { Ship Via: Pigeon }, say: The API has no call for pigeons. Tell the retailer. }
lines:
  hold:
    - { when: { Status: [REJECTED, Void] }, say: 'The supplier refuses this line: tell the retailer.' }
body:
  purchase_order_number: PO Number
  ordered_at: { const: 2026-11-20T00:00:00Z }
  ship_to: { name1: Name, street1: { const: 1 Mill Road }, city: { const: Albany }, province: { const: NY }, postal_code: { const: "12207" }, country: { const: US } }
  shipping_method: { code: { const: FEDEX_GROUND }, carrier: { code: { const: FDEG } } }
  order_lines:
    - when: { Status: { not: Void } }
      variant: { identifier: SKU }
      quantity: Qty
      net_price: { const: 10 }
      price: { const: 20 }
`
const HELD_ROWS = [
  'PO Number,Name,Ship Via,SKU,Qty,Status',
  'A-1,Ada,UPS,NL-0001,1,OK',
  'A-2,"Bo, ""Bob"" Reed",UPS,NL-0001,2,OK',
  'A-2,"Bo, ""Bob"" Reed",UPS,NL-0002,none,rejected',
  'A-3,Cy,pigeon,,,',
  'A-4,Di,UPS,NL-0001,0,OK',
  'A-5,Ed,UPS,NL-0001,1,OK',
  'A-5,Ed,UPS,NL-0002,1,Void',
]

async function aHoldingWorld(): Promise<World> {
  const world = await aWorld({ routes: ['orders'] })
  const mapping = join(world.folder, 'holding.yaml')
  await writeFile(mapping, HOLDING)
  Object.assign(world.configuration.routes[0] ?? {}, { mappingPath: mapping })
  await world.drop('inbox/orders', 'orders.csv', `${HELD_ROWS.join('\r\n')}\r\n`)
  return world
}

test('records that the mapping holds are not sent, whole, and are in the exceptions byte for byte', async () => {
  const world = await aHoldingWorld()

  const { exit } = await world.run('orders')

  expect(exit).toBe(2)
  const rows = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect(rows.map((row) => [row['_status'], row['_code'], row['_message']])).toEqual([
    ['accepted', '', ''],
    [
      'held',
      'held-by-mapping',
      'line 4, column "Status": The supplier refuses this line: tell the retailer.',
    ],
    [
      'held',
      'held-by-mapping',
      'line 5, column "Ship Via": The API has no call for pigeons. Tell the retailer.',
    ],
    ['rejected', 'number-out-of-range', expect.stringContaining('line 6') as string],
    [
      'held',
      'held-by-mapping',
      'line 8, column "Status": The supplier refuses this line: tell the retailer.',
    ],
  ])
  expect(await world.read('results/orders.csv.exceptions.csv')).toBe(
    [0, 2, 3, 4, 6, 7].map((line) => `${HELD_ROWS[line] ?? ''}\r\n`).join(''),
  )
  expect(JSON.parse(await world.read('results/orders.csv.summary.json'))).toMatchObject({
    records: { total: 5, accepted: 1, held: 3, rejected: 1 },
    heldLines: 5,
    heldFor: {
      'The supplier refuses this line: tell the retailer.': 2,
      'The API has no call for pigeons. Tell the retailer.': 1,
    },
  })
  expect(await numbersAtService(world)).toEqual(['A-1'])
})

test('records that the mapping holds cannot be released, and are discarded when a person has dealt with them', async () => {
  const world = await aHoldingWorld()
  await world.run('orders')

  const released = await decide(world, 'release', 'orders.csv')
  const discarded = await decide(world, 'discard', 'orders.csv', { by: 'Bo', why: 'told them by telephone' })

  expect(released).toMatchObject({ exit: 2, held: [{ code: 'held-by-mapping', records: 3 }] })
  expect(released).not.toHaveProperty('decision')
  expect(discarded).toMatchObject({ exit: 0, decision: { records: 3 }, held: [] })
  expect(await numbersAtService(world)).toEqual(['A-1'])
})

const EFFECTS_MAX = 200
/** The effects before are those of taking and planning any file. */
const FIRST_SENT = 12

test('a bridge that dies right after any effect of a run that is stopped holds the rest, reports it once, and sends nothing of it', async () => {
  const orders = someOrders(6, () => true)
  const play = async (death: Death) => {
    const world = await aStoppingWorld({ sameRefusal: 3 }, 2)
    let sent = 0
    await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
    const died = await dieAt(world, death, (bridge) => bridge.run(['orders'], never))
    world.clock.skip(60_000)
    const bridge = await world.open({
      api: (api) => ({
        ...api,
        send: (call) => {
          sent++
          return api.send(call)
        },
      }),
    })
    await bridge.run(['orders'], never)
    await bridge.close()

    const when = `${died ?? 'nothing'} (effect ${death.effect})`
    expect(await statuses(world), when).toEqual(['rejected', 'rejected', 'rejected', 'held', 'held', 'held'])
    expect(sent, when).toBeLessThanOrEqual(3)
    expect(await world.list('results'), when).toEqual([
      'orders.csv.exceptions.csv',
      'orders.csv.rejects.csv',
      'orders.csv.results.csv',
      'orders.csv.summary.json',
    ])
    expect(await world.run('orders'), when).toMatchObject({ exit: 0 })
    return died
  }
  await afterEachEffect(play, FIRST_SENT)
  const hold = { effect: 1, only: 'journal.holdRemainingRecords' }
  expect(await play(hold)).toBe('after journal.holdRemainingRecords')
})

test('a bridge that dies right after any effect of a release sends everything exactly once and reports it once more', async () => {
  const orders = someOrders(6, () => true)
  const play = async (death: Death) => {
    const world = await aStoppingWorld({ sameRefusal: 2 }, 2)
    await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
    await world.run('orders')
    await offerItem(world)

    const died = await dieAt(world, death, (bridge) =>
      bridge.decide({ action: 'release', what: 'orders.csv', ...ADA }, never),
    )
    world.clock.skip(60_000)
    await world.run('orders')
    await decide(world, 'release', 'orders.csv')

    const when = `${died ?? 'nothing'} (effect ${death.effect})`
    expect(await numbersAtService(world), when).toEqual(orders.slice(2).map(({ po }) => po))
    expect(counted(await statuses(world, 'orders.csv~2')), when).toEqual({ rejected: 2, accepted: 4 })
    expect(
      (await world.list('results')).filter((name) => name.includes('~3')),
      when,
    ).toEqual([])
    return died
  }
  await afterEachEffect(play, 1)
  const decision = { effect: 1, only: 'journal.applyDecision' }
  expect(await play(decision)).toBe('after journal.applyDecision')
})

interface Death {
  readonly effect: number
  /** Stated where one effect must be met: by its number, another one may come first in one of the runs. */
  readonly only?: string
}

/** Plays a death right after one effect after the other, until a run has no more of them. */
async function afterEachEffect(
  play: (death: Death) => Promise<string | undefined>,
  first: number,
): Promise<void> {
  let effect = first
  while (effect < EFFECTS_MAX && (await play({ effect })) !== undefined) effect++
  expect(effect).toBeGreaterThan(first + 20)
  expect(effect).toBeLessThan(EFFECTS_MAX)
}

async function dieAt(
  world: World,
  { effect, only }: Death,
  act: (bridge: Awaited<ReturnType<World['open']>>) => Promise<unknown>,
): Promise<string | undefined> {
  const plan = crashAt(effect, 'after', only)
  const bridge = await world.open(plan.wrap)
  try {
    await act(bridge)
  } catch (error) {
    if (!(error instanceof Crash) && plan.diedAt() === undefined) throw error
  } finally {
    await bridge.close()
  }
  return plan.diedAt()
}
