/** Several steps on one file, and records that wait for their orders: against the real service. */
import { expect, test } from 'vitest'
import type { Route } from '../../src/config/routes.ts'
import { UNGUARDED_CALLS } from '../../src/prove/crash-point.ts'
import type { Api, Call } from '../../src/domain/api.ts'
import { Crash } from '../fixtures/crash-after.ts'
import { parseCsv } from '../fixtures/csv.ts'
import {
  aSequenceWorld,
  CLOSE,
  INVOICE,
  MAPPINGS,
  parcelsFile,
  type SequenceWorld,
} from '../fixtures/sequence.ts'
import type { World } from '../fixtures/world.ts'

const never = new AbortController().signal
const HOUR = 3_600_000

/** Every changing call of a run, in the order in which they arrive. */
async function callsOf(world: World, ...routes: string[]): Promise<Call[]> {
  const calls: Call[] = []
  const recording = (api: Api): Api => ({ ...api, send: (call) => (calls.push(call), api.send(call)) })
  const bridge = await world.open({ api: recording })
  try {
    await bridge.run(routes, never)
  } finally {
    await bridge.close()
  }
  return calls
}

const formatRows = (rows: readonly Record<string, string>[]) =>
  rows.map((row) => [row['PO Number'], row['_operation'], row['_status'], row['_code']].join(' ').trim())

test('three parcels of an order are shipped, then it is closed, then invoiced, all from one file', async () => {
  const { world, rows, drop, results, states } = await aSequenceWorld({ orders: 2 })
  await drop('day.csv', rows)

  const calls = await callsOf(world, 'shipments')

  expect(await states()).toEqual([
    'HV-10001 closed, 3 shipped, 1 invoiced',
    'HV-10002 closed, 3 shipped, 1 invoiced',
  ])
  expect(calls).toHaveLength(10)
  const written = await results('day.csv')
  expect(formatRows(written)).toEqual([
    ...['HV-10001', 'HV-10001', 'HV-10001', 'HV-10002', 'HV-10002', 'HV-10002'].map(
      (po) => `${po} create-shipment accepted`,
    ),
    'HV-10001 close-order accepted',
    'HV-10002 close-order accepted',
    'HV-10001 create-invoice accepted',
    'HV-10002 create-invoice accepted',
  ])
  expect(Object.keys(written[0] ?? {}).slice(0, 5)).toEqual([
    'PO Number',
    'Tracking Number',
    'Invoice Number',
    '_operation',
    '_line',
  ])
  expect(
    written.map((row) => [row['_line'], row['_record'], row['Tracking Number'], row['Invoice Number']]),
  ).toEqual([
    ['2', '1', 'T1-1', ''],
    ['3', '2', 'T1-2', ''],
    ['4', '3', 'T1-3', ''],
    ['5', '4', 'T2-1', ''],
    ['6', '5', 'T2-2', ''],
    ['7', '6', 'T2-3', ''],
    ['2', '7', '', ''],
    ['5', '8', '', ''],
    ['2', '9', '', 'INV-1'],
    ['5', '10', '', 'INV-2'],
  ])
  expect(JSON.parse(await world.read('results/day.csv.summary.json'))).toMatchObject({
    operation: 'create-shipment',
    records: { total: 10, accepted: 10 },
    operations: {
      'create-shipment': { accepted: 6 },
      'close-order': { accepted: 2 },
      'create-invoice': { accepted: 2 },
    },
  })
})

test('a file that one of the steps cannot use is refused whole, before anything of it is sent', async () => {
  const { world, rows, states } = await aSequenceWorld({ orders: 1 })
  const text = parcelsFile(rows).replace('Invoice Number', 'Inv')
  await world.drop('inbox/shipments', 'day.csv', text)

  const { exit } = await world.run('shipments')

  expect(exit).toBe(65)
  expect(await states()).toEqual(['HV-10001 open, 0 shipped, 0 invoiced'])
})

test('the calls of one order come in the order of the file and its steps, whatever the others do', async () => {
  const { world, rows, drop, states } = await aSequenceWorld({ orders: 80, connections: 16 })
  Object.assign(world.service.switches, { latencyMs: 1, latencyJitterMs: 6 })
  await drop('day.csv', rows)
  const calls: string[] = []
  const recording = (api: Api): Api => ({
    ...api,
    send: async (call) => {
      const answer = await api.send(call)
      calls.push(nameOf(call))
      return answer
    },
  })
  const bridge = await world.open({ api: recording })

  const { exit } = await bridge.run(['shipments'], never)

  await bridge.close()
  expect(exit).toBe(0)
  const closed = await states()
  expect(closed).toHaveLength(80)
  expect(closed.filter((state) => !state.endsWith('closed, 3 shipped, 1 invoiced'))).toEqual([])
  expect(calls).toHaveLength(400)
  for (let order = 1; order <= 80; order++) {
    const own = calls.filter((call) => call.startsWith(`${order} `)).map((call) => call.split(' ')[1])
    expect(own, `order ${order}`).toEqual([
      `T${order}-1`,
      `T${order}-2`,
      `T${order}-3`,
      'close',
      `INV-${order}`,
    ])
  }
  // Not one after the other: some orders are unfinished when the last one is started.
  expect(calls.indexOf('80 T80-1')).toBeLessThan(calls.indexOf('1 INV-1'))
}, 60_000)

/** `12 T12-1`: the order by its number in the file, and its call. */
function nameOf({ endpoint, params, body = '{}' }: Call): string {
  const sent = JSON.parse(body) as { tracking_number?: string; invoice_number?: string; order_id?: number }
  if (sent.tracking_number !== undefined)
    return `${sent.tracking_number.slice(1).split('-')[0]} ${sent.tracking_number}`
  if (sent.invoice_number !== undefined) return `${sent.invoice_number.slice(4)} ${sent.invoice_number}`
  return `${String(params?.['id'])} ${endpoint === 'closeOrder' ? 'close' : endpoint}`
}

test('the steps after a refused parcel are held with its name and come back with it; corrected, the order goes through whole', async () => {
  const { world, rows, drop, results, states } = await aSequenceWorld({ orders: 2 })
  const bad = rows.map((row, index) => (index === 1 ? { ...row, Service: 'Fedex Grnd' } : row))
  await drop('day.csv', bad)

  const { exit } = await world.run('shipments')

  expect(exit).toBe(2)
  expect(await states()).toEqual([
    'HV-10001 partial, 2 shipped, 0 invoiced',
    'HV-10002 closed, 3 shipped, 1 invoiced',
  ])
  const written = await results('day.csv')
  expect(formatRows(written).filter((row) => !row.endsWith('accepted'))).toEqual([
    'HV-10001 create-shipment rejected lookup-missed',
    'HV-10001 close-order held earlier-step-failed',
    'HV-10001 create-invoice held earlier-step-failed',
  ])
  expect(written.at(-2)?.['_message']).toMatch(
    /create-shipment of HV-10001, T1-2 \(line 3\) was refused: .*Fedex Grnd/,
  )
  const rejects = await world.read('results/day.csv.rejects.csv')
  expect(rejects).toBe(parcelsFile(bad.slice(0, 3)))
  expect(await world.list('results')).not.toContain('day.csv.exceptions.csv')

  await world.drop('inbox/shipments', 'again.csv', rejects.replace('Fedex Grnd', 'FedEx Ground'))
  const second = await world.run('shipments')

  expect(second.exit).toBe(0)
  expect(formatRows(await results('again.csv'))).toEqual([
    'HV-10001 create-shipment duplicate record-repeated',
    'HV-10001 create-shipment accepted',
    'HV-10001 create-shipment duplicate record-repeated',
    'HV-10001 close-order accepted',
    'HV-10001 create-invoice accepted',
  ])
  expect(await states()).toEqual([
    'HV-10001 closed, 3 shipped, 1 invoiced',
    'HV-10002 closed, 3 shipped, 1 invoiced',
  ])
})

test('the steps after a parcel that the API refuses are never sent, until a person releases them', async () => {
  const close = { operation: 'close-order' } as const
  const { world, rows, drop, results, states } = await aSequenceWorld({ orders: 2, next: [close] })
  await drop('day.csv', rows)
  const refusing = (api: Api): Api => ({
    ...api,
    send: (call) =>
      call.body?.includes('"T1-2"') === true
        ? Promise.resolve({ certainty: 'answered', status: 400, body: { order_id: ['No more.'] }, text: '' })
        : api.send(call),
  })
  const bridge = await world.open({ api: refusing })

  const { exit } = await bridge.run(['shipments'], never)

  await bridge.close()
  expect(exit).toBe(2)
  expect(await states()).toEqual([
    'HV-10001 partial, 2 shipped, 0 invoiced',
    'HV-10002 closed, 3 shipped, 0 invoiced',
  ])
  const held = (await results('day.csv')).at(-2)
  expect(held).toMatchObject({
    _operation: 'close-order',
    _status: 'held',
    _code: 'earlier-step-failed',
    _http: '',
  })
  expect(held?.['_message']).toMatch(/create-shipment of HV-10001, T1-2 \(line 3\) was refused: .*No more\./)
  expect(await world.read('results/day.csv.rejects.csv')).toBe(parcelsFile(rows.slice(0, 3)))

  const deciding = await world.open()
  const request = { action: 'release', what: 'day.csv', by: 'Ada Park', why: 'the rest is lost' } as const
  const decided = await deciding.decide(request, never)
  await deciding.close()

  expect(decided).toMatchObject({ exit: 0, records: { accepted: 1 } })
  expect(await states()).toEqual([
    'HV-10001 closed, 2 shipped, 0 invoiced',
    'HV-10002 closed, 3 shipped, 0 invoiced',
  ])
})

const CLOSE_AT_ONCE = { operation: 'close-order' } as const

test('a stopped file that is released does not close the order of the parcel whose refusal stopped it', async () => {
  const { world, rows, drop, states, results } = await aSequenceWorld({ orders: 1, next: [CLOSE_AT_ONCE] })
  Object.assign(world.configuration.routes.find(({ name }) => name === 'shipments') ?? {}, {
    circuitBreaker: { sameRefusal: 1 },
  })
  await drop('day.csv', rows)
  const refusing = (api: Api): Api => ({
    ...api,
    send: () =>
      Promise.resolve({ certainty: 'answered', status: 400, body: { ship_from: ['Not now.'] }, text: '' }),
  })
  const bridge = await world.open({ api: refusing })
  await bridge.run(['shipments'], never)
  await bridge.close()

  const deciding = await world.open()
  await deciding.decide({ action: 'release', what: 'day.csv', by: 'Ada Park', why: 'mended' }, never)
  await deciding.close()

  expect(formatRows(await results('day.csv~2'))).toEqual([
    'HV-10001 create-shipment rejected api-refused',
    'HV-10001 create-shipment accepted',
    'HV-10001 create-shipment accepted',
    'HV-10001 close-order held earlier-step-failed',
  ])
  expect(await states()).toEqual(['HV-10001 partial, 2 shipped, 0 invoiced'])
})

test('an order is not closed while a parcel of it is still on its way from another file', async () => {
  const { world, rows, drop, results, states } = await aSequenceWorld({ orders: 1, next: [CLOSE_AT_ONCE] })
  await drop('one.csv', rows.slice(0, 1))
  const busy = (api: Api): Api => ({
    ...api,
    send: (call) =>
      call.body?.includes('"T1-1"') === true
        ? Promise.resolve({ certainty: 'not-applied', status: 503, detail: 'busy' })
        : api.send(call),
  })
  const bridge = await world.open({ api: busy })
  // A pass in which the API takes nothing ends with that.
  await bridge.run(['shipments'], never)
  await drop('two.csv', rows)
  await bridge.run(['shipments'], never)
  await bridge.close()
  expect(await states()).toEqual(['HV-10001 partial, 2 shipped, 0 invoiced'])

  await world.run('shipments')

  expect(await states()).toEqual(['HV-10001 closed, 3 shipped, 0 invoiced'])
  expect(formatRows(await results('two.csv'))).toEqual([
    'HV-10001 create-shipment duplicate record-repeated',
    'HV-10001 create-shipment accepted',
    'HV-10001 create-shipment accepted',
    'HV-10001 close-order accepted',
  ])
})

test('a held step without a mapping comes back with the refused rows, and no exceptions file could close the order without them', async () => {
  const { world, rows, drop, states } = await aSequenceWorld({ orders: 1, next: [CLOSE_AT_ONCE] })
  const bad = rows.map((row, index) => (index === 1 ? { ...row, Service: 'Fedex Grnd' } : row))
  await drop('day.csv', bad)

  await world.run('shipments')

  expect((await world.list('results')).filter((name) => name.includes('exceptions'))).toEqual([])
  const rejects = await world.read('results/day.csv.rejects.csv')
  expect(rejects).toBe(parcelsFile(bad))
  expect(await states()).toEqual(['HV-10001 partial, 2 shipped, 0 invoiced'])
})

/** Dies right before or after the n-th call of this name: from then on no call has any effect. */
function dyingAt(name: string, occurrence: number, moment: 'before' | 'after') {
  let calls = 0
  let isDead = false
  const wrapped = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property)
        const isFree = UNGUARDED_CALLS.has(property) || property === 'list' || property === 'read'
        if (typeof member !== 'function') return member
        const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args)
        if (isFree) return call
        return async (...args: unknown[]) => {
          const dies = property === name && !isDead && ++calls === occurrence
          if (isDead || (dies && moment === 'before')) {
            isDead = true
            throw new Crash(name)
          }
          const answer = await call(...args)
          if (dies) isDead = true
          if (isDead) throw new Crash(name)
          return answer
        }
      },
    })
  return { wrap: { journal: wrapped, api: wrapped, mailbox: wrapped, spool: wrapped }, died: () => isDead }
}

test.each([
  ['send', 5],
  ['addRecords', 3],
  ['listStepOrders', 2],
  ['holdDependents', 1],
  ['finishAttempts', 1],
  ['markFilePlanned', 1],
] as const)(
  'a bridge that dies at any %s ships, closes and invoices exactly once when it is started again',
  async (name, occurrences) => {
    for (let occurrence = 1; occurrence <= occurrences; occurrence++) {
      for (const moment of ['before', 'after'] as const) {
        const { world, rows, drop, results, states } = await aSequenceWorld({
          orders: 1,
          routes: ['orders', 'shipments'],
        })
        await drop('day.csv', rows)
        const plan = dyingAt(name, occurrence, moment)
        const dying = await world.open(plan.wrap)
        await dying.run(['shipments'], never).catch((error: unknown) => {
          if (!(error instanceof Crash)) throw error
        })
        await dying.close()
        for (let start = 0; start < 3; start++) {
          world.clock.skip(60_000)
          await world.run('shipments')
        }

        const context = `${moment} ${name} ${occurrence}`
        expect(plan.died(), context).toBe(true)
        expect(await states(), context).toEqual(['HV-10001 closed, 3 shipped, 1 invoiced'])
        const statuses = (await results('day.csv')).map((row) => row['_status'])
        expect(statuses, context).toEqual(Array.from({ length: 5 }, () => 'accepted'))
      }
    }
  },
  120_000,
)

test('a partly shipped order is not closed and its invoice waits; a later file completes it, and the invoice goes out', async () => {
  const invoice = { ...INVOICE, waitMs: 48 * HOUR }
  const { world, rows, drop, results, states } = await aSequenceWorld({ orders: 2, next: [CLOSE, invoice] })
  const [first, second, third, ...others] = rows
  if (!first || !second || !third) throw new Error('no rows')
  const invoiced = [first, second].map((row) => ({ ...row, 'Invoice Total': '40.00' }))
  await drop('today.csv', [...invoiced, ...others])

  const today = await world.run('shipments')

  expect(today.exit).toBe(0)
  expect(today.routes[0]).toMatchObject({
    kind: 'inbound',
    pass: { open: [], waiting: [{ name: 'today.csv', records: 1 }] },
  })
  expect(await states()).toEqual([
    'HV-10001 partial, 2 shipped, 0 invoiced',
    'HV-10002 closed, 3 shipped, 1 invoiced',
  ])
  expect(await world.list('results')).not.toContain('today.csv.results.csv')

  const quiet = await callsOf(world, 'shipments')
  expect(quiet).toEqual([])

  await drop('tomorrow.csv', [third])
  const tomorrow = await world.run('shipments')
  const after = await world.run('shipments')

  expect([tomorrow.exit, after.exit]).toEqual([2, 0])
  expect(await states()).toEqual([
    'HV-10001 closed, 3 shipped, 1 invoiced',
    'HV-10002 closed, 3 shipped, 1 invoiced',
  ])
  expect(formatRows(await results('today.csv')).filter((row) => row.startsWith('HV-10001'))).toEqual([
    'HV-10001 create-shipment accepted',
    'HV-10001 create-shipment accepted',
    'HV-10001 close-order skipped order-not-shipped',
    'HV-10001 create-invoice accepted',
  ])
  expect(formatRows(await results('tomorrow.csv'))).toEqual([
    'HV-10001 create-shipment accepted',
    'HV-10001 close-order accepted',
    'HV-10001 create-invoice rejected key-conflict',
  ])
})

/** Shipments, closings and invoices by three routes, in this order. */
async function threeRoutes(order: readonly string[], orders = 2): Promise<SequenceWorld> {
  const sequence = await aSequenceWorld({ orders, next: [] })
  const { configuration } = sequence.world
  const routes = configuration.routes as Route[]
  const like = routes.find(({ name }) => name === 'shipments')
  const invoices = routes.find(({ name }) => name === 'invoices')
  if (!like || like.direction !== 'inbound' || !invoices) throw new Error('no routes')
  Object.assign(invoices, { waitMs: 2 * HOUR })
  routes.push({
    ...like,
    name: 'closings',
    operation: 'close-order',
    mappingPath: MAPPINGS.closings,
    from: { ...like.from, folder: 'inbox/closings', archive: 'archive/closings' },
    when: 'shipped',
    waitMs: 2 * HOUR,
  })
  const own = order.map((name) => routes.find((route) => route.name === name) as Route)
  routes.splice(0, routes.length, ...own)
  return sequence
}

async function dropThree({ world, rows }: SequenceWorld, some = rows): Promise<void> {
  const numbers = [...new Set(rows.map((row) => row['PO Number']))]
  await world.drop('inbox/invoices', 'invoices.csv', parcelsFile(rows))
  await world.drop(
    'inbox/closings',
    'closings.csv',
    `PO Number\r\n${numbers.map((po) => `${po}\r\n`).join('')}`,
  )
  await world.drop('inbox/shipments', 'shipments.csv', parcelsFile(some))
}

test.each([
  [['shipments', 'closings', 'invoices'], 1],
  [['invoices', 'closings', 'shipments'], 3],
])(
  'three files dropped together with the routes in the order %j are all done after %i runs',
  async (order, runs) => {
    const sequence = await threeRoutes(order)
    await dropThree(sequence)

    const exits: number[] = []
    for (let run = 0; run < runs; run++) exits.push((await sequence.world.run()).exit)

    expect(exits).toEqual(Array.from({ length: runs }, () => 0))
    expect(await sequence.states()).toEqual([
      'HV-10001 closed, 3 shipped, 1 invoiced',
      'HV-10002 closed, 3 shipped, 1 invoiced',
    ])
    for (const name of ['shipments', 'closings', 'invoices']) {
      const rows = await sequence.results(`${name}.csv`)
      expect(new Set(rows.map((row) => row['_status'])), name).toEqual(new Set(['accepted']))
    }
  },
)

test('a record that still waits when the time is over is refused with the reason, and comes back in the rejects file', async () => {
  const sequence = await threeRoutes(['shipments', 'closings', 'invoices'])
  const { world, rows } = sequence
  await dropThree(sequence, rows.slice(1))

  const first = await world.run()
  world.clock.skip(3 * HOUR)
  const later = await world.run()

  expect([first.exit, later.exit]).toEqual([0, 2])
  expect(formatRows(await sequence.results('closings.csv'))).toEqual([
    'HV-10001  rejected order-not-shipped',
    'HV-10002  accepted',
  ])
  const invoices = await sequence.results('invoices.csv')
  expect(formatRows(invoices)).toEqual(['HV-10001  rejected order-not-closed', 'HV-10002  accepted'])
  expect(invoices[0]?.['_message']).toMatch(
    /order HV-10001 is partial: of 6 units, 4 are shipped or canceled\. The record waited for it until /,
  )
  expect(parseCsv(await world.read('results/invoices.csv.rejects.csv'))).toHaveLength(3)
  expect((await world.run()).exit).toBe(0)
})

test('a file that waits blocks no other file', async () => {
  const sequence = await threeRoutes(['invoices', 'shipments', 'closings'])
  const { world, rows } = sequence
  await world.drop('inbox/invoices', 'a.csv', parcelsFile(rows.slice(0, 3)))
  await world.run()
  await world.drop('inbox/shipments', 'shipments.csv', parcelsFile(rows.slice(3)))
  await world.drop('inbox/closings', 'closings.csv', 'PO Number\r\nHV-10002\r\n')
  await world.run()
  await world.drop('inbox/invoices', 'b.csv', parcelsFile(rows.slice(3)))

  const { routes, exit } = await world.run()

  expect(exit).toBe(0)
  expect(routes[0]).toMatchObject({
    pass: { waiting: [{ name: 'a.csv' }], reported: [{ summary: { file: 'b.csv' } }] },
  })
  expect(await sequence.states()).toEqual([
    'HV-10001 open, 0 shipped, 0 invoiced',
    'HV-10002 closed, 3 shipped, 1 invoiced',
  ])
})

test('more waiting records than make an API look dead stop nothing', async () => {
  const sequence = await threeRoutes(['invoices'], 15)
  await sequence.world.drop('inbox/invoices', 'invoices.csv', parcelsFile(sequence.rows))

  const { routes, exit } = await sequence.world.run()

  expect(exit).toBe(0)
  expect(routes[0]).toMatchObject({ kind: 'inbound', pass: { waiting: [{ records: 15 }] } })
})

test('two bridges that ship the same orders by two routes at once ship each parcel once and lose none', async () => {
  const { world, rows, states, results } = await aSequenceWorld({ orders: 6, next: [] })
  const routes = world.configuration.routes as Route[]
  const like = routes.find(({ name }) => name === 'shipments')
  if (!like || like.direction !== 'inbound') throw new Error('no route')
  routes.push({
    ...like,
    name: 'others',
    from: { ...like.from, folder: 'inbox/others', archive: 'archive/others' },
  })
  Object.assign(world.service.switches, { latencyMs: 1, latencyJitterMs: 5 })
  // Each has all the first parcels, and of the others every second one.
  const isFirst = (index: number) => index % 3 === 0
  await world.drop(
    'inbox/shipments',
    'a.csv',
    parcelsFile(rows.filter((_, index) => isFirst(index) || index % 2 === 0)),
  )
  await world.drop(
    'inbox/others',
    'b.csv',
    parcelsFile(rows.filter((_, index) => isFirst(index) || index % 2 === 1)),
  )

  const exits = await Promise.all([world.run('shipments'), world.run('others')])

  expect(exits.map(({ exit }) => exit)).toEqual([0, 0])
  expect(await states()).toEqual(
    Array.from({ length: 6 }, (_, index) => `HV-1000${index + 1} partial, 3 shipped, 0 invoiced`),
  )
  const counts = [...(await results('a.csv')), ...(await results('b.csv'))].map((row) => row['_status'])
  expect(counts.filter((status) => status === 'accepted')).toHaveLength(18)
  expect(counts.filter((status) => status === 'duplicate')).toHaveLength(6)
})

test('records held behind a refused parcel wait for no person once its corrected rows went through', async () => {
  const { world, rows, drop } = await aSequenceWorld({ orders: 2 })
  await drop(
    'day.csv',
    rows.map((row, index) => (index === 1 ? { ...row, Service: 'Fedex Grnd' } : row)),
  )
  await world.run('shipments')
  const waiting = await heldNow(world)
  const rejects = await world.read('results/day.csv.rejects.csv')
  await world.drop('inbox/shipments', 'again.csv', rejects.replace('Fedex Grnd', 'FedEx Ground'))

  await world.run('shipments')

  expect(waiting).toEqual(['close-order', 'create-invoice'])
  expect(await heldNow(world)).toEqual([])
})

/** The operations that status shows as waiting for a person. */
async function heldNow(world: World): Promise<string[]> {
  const bridge = await world.open()
  const held = await bridge.journal.listHeldRecords(10)
  const operations: string[] = []
  for (const { file, id } of held) {
    const records = await bridge.journal.listReportedRecords(file, 0, 100)
    operations.push(records.find((record) => record.id === id)?.operation ?? '')
  }
  await bridge.close()
  return operations
}

test('a step that is taken out of the configuration while something waits for it is an error of the configuration', async () => {
  const invoice = { ...INVOICE, waitMs: 48 * HOUR }
  const { world, rows, drop, results } = await aSequenceWorld({ orders: 12, next: [invoice] })
  await drop(
    'today.csv',
    rows.map((row) => ({ ...row, 'Invoice Total': '60.00' })),
  )
  const first = await world.run('shipments')
  const route = world.configuration.routes.find(({ name }) => name === 'shipments')
  Object.assign(route ?? {}, { next: undefined })
  world.clock.skip(72 * HOUR)

  const without = await world.run('shipments')
  Object.assign(route ?? {}, { next: [invoice] })
  const back = await world.run('shipments')

  expect([first.exit, without.exit]).toEqual([0, 78])
  const [result] = without.routes
  expect(result?.kind === 'failed' && result.failure.message).toContain(
    'route shipments does no create-invoice any more, and records of today.csv wait for it',
  )
  expect(back.exit).toBe(2)
  expect(formatRows(await results('today.csv')).at(-1)).toContain('create-invoice rejected order-not-closed')
})
