/** Exports: a record is in exactly one file, and is acknowledged only when the checks allow it. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RouteResult } from '../../src/app/outcome.ts'
import type { Api, Call, CallResult, Resource } from '../../src/domain/api.ts'
import { delivered } from '../fixtures/delivered.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 51, orders: 5, damageEvery: 0 })
const NUMBERS = ORDERS.map((order) => order.po)

/** Five orders at the service, which the supplier has not seen yet. */
async function ordersToExport(): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  return world
}

/** Changes what a call answers; undefined leaves it as it is. */
interface Changes {
  readonly send?: (call: Call) => CallResult | undefined
  readonly get?: (call: Call, shown: Resource | undefined) => Resource | undefined
}

const withChanges =
  ({ send, get }: Changes) =>
  (api: Api): Api => ({
    ...api,
    send: async (call) => send?.(call) ?? api.send(call),
    get: async (call) => {
      const shown = await api.get(call)
      return get ? get(call, shown) : shown
    },
  })

async function exportWith(
  world: World,
  changes: Changes = {},
): Promise<{ exit: number; result: RouteResult }> {
  const bridge = await world.open({ api: withChanges(changes) })
  try {
    const { exit, routes } = await bridge.run(['orders-out'], new AbortController().signal)
    const [result] = routes
    if (!result) throw new Error('no result')
    return { exit, result }
  } finally {
    await bridge.close()
  }
}

async function idOfOrder(world: World, po: string): Promise<number> {
  const order = (await world.orders()).find((each) => each.purchase_order_number === po)
  if (!order) throw new Error(`no order ${po}`)
  return order.id
}

function troubles(result: RouteResult): string[] {
  if (result.kind !== 'outbound') throw new Error(JSON.stringify(result))
  return result.pass.deliveries.flatMap(({ troubled }) =>
    troubled.flatMap((record) =>
      record.problems.map(({ code, message }) => `${record.apiId} ${record.state} ${code}: ${message}`),
    ),
  )
}

const answered = (status: number, body: unknown): CallResult => ({
  certainty: 'answered',
  status,
  body,
  text: JSON.stringify(body),
})

test('a record the API refuses to acknowledge stays in its delivery with the reason, and never goes out again', async () => {
  const world = await ordersToExport()
  const refusedId = await idOfOrder(world, NUMBERS[2] ?? '')
  const refuse = {
    send: ({ params }: Call) =>
      params?.['id'] === String(refusedId) ? answered(400, { detail: 'This order is on hold.' }) : undefined,
  }

  const first = await exportWith(world, refuse)
  const second = await exportWith(world, refuse)

  expect(first.exit).toBe(2)
  expect(troubles(first.result)).toEqual([
    `${refusedId} rejected acknowledge-refused: This order is on hold.`,
  ])
  expect(second).toMatchObject({ exit: 0, result: { pass: { deliveries: [], held: 0 } } })
  expect(await delivered(world)).toEqual({ 'orders-1.csv': NUMBERS })
  expect(world.service.counts().acknowledgedOrders).toBe(4)
})

test('a refusal without a message is reported with its status', async () => {
  const world = await ordersToExport()
  const id = await idOfOrder(world, NUMBERS[0] ?? '')
  const silent = (call: Call): CallResult | undefined =>
    call.params?.['id'] === String(id)
      ? { certainty: 'answered', status: 409, body: undefined, text: '' }
      : undefined

  const { result } = await exportWith(world, { send: silent })

  expect(troubles(result)).toEqual([`${id} rejected acknowledge-refused: HTTP 409, without a reason`])
})

test('an order cancelled since its file was delivered is reported and held, and is not acknowledged', async () => {
  const world = await ordersToExport()
  const cancelledId = await idOfOrder(world, NUMBERS[1] ?? '')
  const calls: string[] = []
  const changes: Changes = {
    send: ({ params }) => {
      calls.push(String(params?.['id']))
      return undefined
    },
    get: ({ params }, shown) =>
      params?.['id'] === String(cancelledId)
        ? { ...shown, status: 'canceled', canceled_at: '2026-11-21T02:20:00Z' }
        : shown,
  }

  const { exit, result } = await exportWith(world, changes)
  const again = await exportWith(world, changes)

  expect(exit).toBe(2)
  expect(troubles(result)).toEqual([
    `${cancelledId} held changed-since-delivery: it was cancelled at 2026-11-21T02:20:00Z`,
  ])
  expect(calls).toHaveLength(4)
  expect(calls).not.toContain(String(cancelledId))
  expect(again.exit).toBe(0)
  expect(await delivered(world)).toEqual({ 'orders-1.csv': NUMBERS })
})

test('an order that is gone since its file was delivered is reported and held', async () => {
  const world = await ordersToExport()
  const goneId = await idOfOrder(world, NUMBERS[4] ?? '')

  const { exit, result } = await exportWith(world, {
    get: ({ params }, shown) => (params?.['id'] === String(goneId) ? undefined : shown),
  })

  expect(exit).toBe(2)
  expect(troubles(result)).toEqual([`${goneId} held changed-since-delivery: it is not there any more`])
  expect(world.service.counts().acknowledgedOrders).toBe(4)
})

test('an order that another client has acknowledged meanwhile counts as acknowledged', async () => {
  const world = await ordersToExport()
  let calls = 0

  const { exit, result } = await exportWith(world, {
    send: () => {
      calls++
      return undefined
    },
    get: (_, shown) => ({ ...shown, is_acknowledged: true }),
  })

  expect(exit).toBe(0)
  expect(calls).toBe(0)
  expect(troubles(result)).toEqual([])
})

test('an order whose acknowledging was refused because it had taken effect before counts as acknowledged', async () => {
  const world = await ordersToExport()
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: async (call) => {
        await api.send(call)
        return answered(400, { detail: 'The order is acknowledged already.' })
      },
    }),
  })

  const { exit, routes } = await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()

  expect(exit).toBe(0)
  expect(routes.flatMap(troubles)).toEqual([])
  expect(world.service.counts().acknowledgedOrders).toBe(5)
})

test('one order whose acknowledging always breaks blocks no other, nor later ones', async () => {
  const world = await ordersToExport()
  const brokenId = await idOfOrder(world, NUMBERS[0] ?? '')
  const broken = {
    send: ({ params }: Call): CallResult | undefined =>
      params?.['id'] === String(brokenId) ? { certainty: 'unknown', detail: 'HTTP 500' } : undefined,
  }

  const first = await exportWith(world, broken)
  expect(first.exit).toBe(75)
  expect(troubles(first.result)).toEqual([`${brokenId} deferred answer-lost: HTTP 500`])
  expect(world.service.counts().acknowledgedOrders).toBe(4)

  const later = sampleOrders({ seed: 52, orders: 2, damageEvery: 0, firstNumber: 20_001 })
  await world.drop('inbox/orders', 'later.csv', ordersFile(later).text)
  await world.run('orders')
  await exportWith(world, broken)
  expect(await delivered(world)).toEqual({
    'orders-1.csv': NUMBERS,
    'orders-2.csv': later.map((order) => order.po),
  })

  const repaired = await exportWith(world)
  expect(repaired.exit).toBe(0)
  expect(world.service.counts().acknowledgedOrders).toBe(7)
})

test('an API that takes no acknowledging right now keeps the work, and the next run finishes it without a second file', async () => {
  const world = await ordersToExport()
  let calls = 0

  const first = await exportWith(world, {
    send: () => {
      calls++
      return { certainty: 'not-applied', status: 503, detail: 'HTTP 503' }
    },
  })
  const second = await exportWith(world)

  expect(first.exit).toBe(69)
  expect(calls).toBeLessThanOrEqual(8)
  expect(second.exit).toBe(0)
  expect(await delivered(world)).toEqual({ 'orders-1.csv': NUMBERS })
  expect(world.service.counts().acknowledgedOrders).toBe(5)
})

/** A mapping that has a depot for these cities only. */
const TABLE = (cities: readonly string[]) => `operation: export-orders
write: { format: csv }
columns:
  PO Number: purchase_order_number
  Depot: { from: ship_to.city, table: depots }
tables:
  depots:
    rows:
${cities.map((city) => `      ${JSON.stringify(city)}: D-${city.length}`).join('\n')}
`

test('a record that cannot be written is in no file, is reported, and is exported once the mapping is corrected', async () => {
  const world = await ordersToExport()
  const mapping = join(world.folder, 'orders-export.yaml')
  const cities = [...new Set((await world.orders()).map((order) => order.ship_to.city))]
  const [missing = '', ...known] = cities
  const held = (await world.orders()).filter((order) => order.ship_to.city === missing)
  expect(held.length).toBeLessThan(NUMBERS.length)
  const route = world.configuration.routes.find((each) => each.name === 'orders-out')
  Object.assign(route ?? {}, { mappingPath: mapping })

  await writeFile(mapping, TABLE(known))
  const first = await exportWith(world)
  const stillHeld = await exportWith(world)

  const heldNumbers = held.map((order) => order.purchase_order_number).toSorted()
  expect(first.exit).toBe(2)
  expect(first.result).toMatchObject({ pass: { held: held.length } })
  expect(stillHeld).toMatchObject({ exit: 2, result: { pass: { deliveries: [], held: held.length } } })
  if (first.result.kind !== 'outbound') throw new Error('not an export')
  for (const record of first.result.pass.heldRecords) {
    expect(held.map((order) => String(order.id))).toContain(record.apiId)
    expect(record.problems[0]).toMatchObject({ code: 'lookup-missed', place: { column: 'Depot' } })
    expect(record.problems[0]?.message).toContain(missing)
  }
  expect(await delivered(world)).toEqual({
    'orders-1.csv': NUMBERS.filter((number) => !heldNumbers.includes(number)),
  })
  expect(world.service.counts().acknowledgedOrders).toBe(NUMBERS.length - held.length)

  await writeFile(mapping, TABLE(cities))
  const corrected = await exportWith(world)

  expect(corrected.exit).toBe(0)
  expect((await delivered(world))['orders-2.csv']).toEqual(heldNumbers)
  expect(world.service.counts().acknowledgedOrders).toBe(NUMBERS.length)
})

test('a file that has the name in the outbox keeps it, and the delivery gets another', async () => {
  const world = await ordersToExport()
  const outbox = join(world.folder, 'exchange', 'outbox')
  await mkdir(outbox, { recursive: true })
  await writeFile(join(outbox, 'orders-1.csv'), 'somebody else’s')
  await writeFile(join(outbox, 'orders-1~2.csv'), 'and another')

  const { exit, result } = await exportWith(world)

  expect(exit).toBe(0)
  expect(await readFile(join(outbox, 'orders-1.csv'), 'utf8')).toBe('somebody else’s')
  expect(await readFile(join(outbox, 'orders-1~2.csv'), 'utf8')).toBe('and another')
  const rows = parseCsv(await world.read('outbox/orders-1~3.csv'))
  expect([...new Set(rows.map((row) => row['PO Number']))].toSorted()).toEqual(NUMBERS)
  expect(result).toMatchObject({ pass: { deliveries: [{ path: join(outbox, 'orders-1~3.csv') }] } })
})

test('a folder that is gone gets no file and acknowledges nothing, until it is back', async () => {
  const world = await ordersToExport()
  const first = await exportWith(world)
  await world.drop(
    'inbox/orders',
    'more.csv',
    ordersFile(sampleOrders({ seed: 51, orders: 7, damageEvery: 0 }).slice(5)).text,
  )
  await world.run('orders')
  const outbox = join(world.folder, 'exchange', 'outbox')
  await rename(outbox, join(world.folder, 'share'))

  const away = await exportWith(world)
  const madeMeanwhile = existsSync(outbox)
  await rename(join(world.folder, 'share'), outbox)
  const back = await exportWith(world)

  expect([first.exit, away.exit, madeMeanwhile, back.exit]).toEqual([0, 69, false, 0])
  expect(away.result).toMatchObject({ kind: 'failed', failure: { code: 'mailbox-unreachable' } })
  expect(Object.values(await delivered(world)).map((numbers) => numbers.length)).toEqual([5, 2])
})

test('a list that shows a record without an id is refused whole, because it could never be acknowledged', async () => {
  const world = await ordersToExport()
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      async *list(call) {
        for await (const page of api.list(call)) yield page.map((order) => ({ ...order, id: null }))
      },
    }),
  })

  const { exit, routes } = await bridge.run(['orders-out'], new AbortController().signal)
  await bridge.close()

  expect(exit).toBe(69)
  expect(routes).toMatchObject([{ kind: 'failed', failure: { code: 'api-answer-unusable' } }])
  expect(await world.list('outbox')).toEqual([])
  expect(world.service.counts().acknowledgedOrders).toBe(0)
})

test('a signal while the list is read ends the export at once with nothing delivered, and the next run delivers it all', async () => {
  const world = await ordersToExport()
  const stop = new AbortController()
  let pages = 0
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      async *list(call) {
        for await (const page of api.list(call)) {
          for (const order of page) {
            pages++
            stop.abort()
            yield [order]
          }
        }
      },
    }),
  })

  const { routes } = await bridge.run(['orders-out'], stop.signal)
  await bridge.close()
  const before = await delivered(world)
  const { exit } = await exportWith(world)

  expect(routes).toMatchObject([{ kind: 'failed', failure: { code: 'interrupted' } }])
  expect(pages).toBe(1)
  expect(before).toEqual({})
  expect(exit).toBe(0)
  expect(await delivered(world)).toEqual({ 'orders-1.csv': NUMBERS })
})

/** The route with another mapping, and another name for its files when one is given. */
async function exportAs(world: World, mapping: string, name?: string): Promise<void> {
  const path = join(world.folder, 'orders-export.yaml')
  await writeFile(path, mapping)
  const route = world.configuration.routes.find((each) => each.name === 'orders-out')
  if (route?.direction !== 'outbound') throw new Error('no such route')
  Object.assign(route, { mappingPath: path, to: { ...route.to, ...(name === undefined ? {} : { name }) } })
}

const COUNTED = `operation: export-orders
file: { records: 2 }
each: order_lines
columns:
  PO Number: purchase_order_number
  Line: order_lines.order_line_number
trailer: { columns: { Text: { const: TOTAL }, Orders: { count: records } } }
`

test('O11: a file holds so many records and no more, each with its own trailer, and every record is in one of them', async () => {
  const world = await ordersToExport()
  await exportAs(world, COUNTED)

  const { exit, result } = await exportWith(world)

  expect(exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'orders-2.csv', 'orders-3.csv'])
  const files = await delivered(world)
  expect(
    Object.values(files)
      .flatMap((numbers) => numbers.filter((number) => number !== 'TOTAL'))
      .toSorted(),
  ).toEqual(NUMBERS)
  const trailers = await Promise.all(
    Object.keys(files).map(async (name) =>
      (await world.read(`outbox/${name}`)).trimEnd().split('\r\n').at(-1),
    ),
  )
  expect(trailers).toEqual(['TOTAL,2', 'TOTAL,2', 'TOTAL,1'])
  expect(world.service.counts().acknowledgedOrders).toBe(5)
  expect(result).toMatchObject({ pass: { deliveries: [{}, {}, {}], held: 0 } })
})

test('O12: a name with a field of the order makes one file per order', async () => {
  const world = await ordersToExport()
  await exportAs(world, COUNTED, 'order_{purchase_order_number}_{seq}.csv')

  const { exit } = await exportWith(world)

  expect(exit).toBe(0)
  const files = await delivered(world)
  expect(Object.keys(files)).toHaveLength(5)
  for (const [name, numbers] of Object.entries(files)) {
    const [number = ''] = numbers
    expect(numbers).toEqual([number, 'TOTAL'])
    expect(name).toMatch(new RegExp(`^order_${number}_\\d\\.csv$`))
  }
  expect(world.service.counts().acknowledgedOrders).toBe(5)
  expect((await exportWith(world)).result).toMatchObject({ pass: { deliveries: [] } })
})

test('a record that cannot be written is held and delays no other file', async () => {
  const world = await ordersToExport()
  const orders = await world.orders()
  const missing = orders[2]?.ship_to.city ?? ''
  const held = orders
    .filter((order) => order.ship_to.city === missing)
    .map((order) => order.purchase_order_number)
  const known = [...new Set(orders.map((order) => order.ship_to.city))].filter((city) => city !== missing)
  await exportAs(world, `${TABLE(known)}file: { records: 1 }\n`)

  const { exit, result } = await exportWith(world)

  expect(exit).toBe(2)
  expect(result).toMatchObject({ pass: { held: held.length } })
  const files = await delivered(world)
  expect(Object.values(files).flat().toSorted()).toEqual(NUMBERS.filter((number) => !held.includes(number)))
  expect(Object.values(files).every((numbers) => numbers.length === 1)).toBe(true)
  expect(world.service.counts().acknowledgedOrders).toBe(NUMBERS.length - held.length)

  await exportAs(world, `${TABLE([...known, missing])}file: { records: 1 }\n`)
  expect((await exportWith(world)).exit).toBe(0)
  expect(
    Object.values(await delivered(world))
      .flat()
      .toSorted(),
  ).toEqual(NUMBERS)
  expect(world.service.counts().acknowledgedOrders).toBe(NUMBERS.length)
})

test('V19: an order with a character the encoding lacks is held with column and character, and the others are exported', async () => {
  const world = await ordersToExport()
  const text = `operation: export-orders
write: { format: csv, encoding: windows-1252 }
columns: { PO Number: purchase_order_number, Name: ship_to.name1 }
`
  await exportAs(world, text)
  const foreign = (await world.orders()).filter(({ ship_to }) => /[^ -~À-ÿ’]/u.test(ship_to.name1))
  const heldNumbers = foreign.map((order) => order.purchase_order_number)
  expect(heldNumbers.length).toBeGreaterThan(0)

  const { exit, result } = await exportWith(world)

  expect(exit).toBe(2)
  if (result.kind !== 'outbound') throw new Error('not an export')
  const problems = result.pass.heldRecords.flatMap((record) => record.problems)
  expect(problems.map(({ code, place }) => [code, place])).toEqual(
    heldNumbers.map(() => ['character-unwritable', { column: 'Name', field: 'ship_to.name1' }]),
  )
  expect(problems[0]?.message).toMatch(/^"." \(U\+[0-9A-F]{4}\) cannot be written in windows-1252\.$/u)
  expect(await delivered(world)).toEqual({
    'orders-1.csv': NUMBERS.filter((number) => !heldNumbers.includes(number)),
  })

  await exportAs(world, text.replace('windows-1252', 'windows-1252, replace: "?"'))
  expect((await exportWith(world)).exit).toBe(0)
  expect((await delivered(world))['orders-2.csv']).toEqual(heldNumbers.toSorted())
})
