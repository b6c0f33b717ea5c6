/** Reports: all that a list shows, in a new file at each run, with nothing acknowledged and nothing remembered. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunResult } from '../../src/app/outcome.ts'
import { createClient } from '../../src/client/client.ts'
import { parseSelect } from '../../src/config/outbound-checks.ts'
import { buildQuery } from '../../src/config/select.ts'
import { OPERATIONS, type OutboundOperationName } from '../../src/contract/operations.ts'
import type { RetailerOrder } from '../../src/contract/order.ts'
import { readSelected } from '../../src/pipeline/outbound/listing.ts'
import { sampleSeed } from '../../src/service/sample-seed.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import { json, startMisbehavingServer } from '../fixtures/misbehaving-server.ts'
import { addReport } from '../fixtures/reports.ts'
import { aWorld, type World } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const ORDERS = sampleOrders({ seed: 61, orders: 5, damageEvery: 0 })
const NUMBERS = ORDERS.map((order) => order.po)

const BY_NUMBER = 'columns: { PO Number: purchase_order_number, Status: status }\n'

/** Five orders at the service. */
async function ordersAtService(): Promise<World> {
  const world = await aWorld({ routes: ['orders', 'orders-out'] })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(ORDERS).text)
  await world.run('orders')
  return world
}

/** One column of a file, in the order of the file. */
async function columnOf(world: World, file: string, column = 'PO Number'): Promise<string[]> {
  return parseCsv(await world.read(`outbox/${file}`)).map((row) => row[column] ?? '')
}

function passOf({ routes }: RunResult) {
  const [result] = routes
  if (result?.kind !== 'outbound') throw new Error(JSON.stringify(result))
  return result.pass
}

const retailerOrders = { operation: 'export-retailer-orders', mapping: BY_NUMBER } as const

test('a report writes the whole list into a new file at each run, and changes nothing at the API', async () => {
  const world = await ordersAtService()
  await addReport(world, retailerOrders)

  const first = await world.run('report')
  const second = await world.run('report')

  expect([first.exit, second.exit]).toEqual([0, 0])
  expect(await world.list('outbox')).toEqual(['report-1.csv', 'report-2.csv'])
  expect((await columnOf(world, 'report-1.csv')).toSorted()).toEqual(NUMBERS)
  expect(await world.read('outbox/report-2.csv')).toBe(await world.read('outbox/report-1.csv'))
  expect(passOf(second).deliveries).toMatchObject([
    { delivery: { sequence: 2, state: 'done', records: 5, rows: 5 }, records: {}, troubled: [] },
  ])
  expect(world.service.counts().acknowledgedOrders).toBe(0)
})

test('a report of records that an export delivers once leaves them to the export', async () => {
  const world = await ordersAtService()
  await addReport(world, { operation: 'export-orders', mapping: BY_NUMBER, party: 'brand' })

  await world.run('report')
  await world.run('orders-out')
  await world.run('report')
  await world.run('orders-out')

  expect(await world.list('outbox')).toEqual(['orders-1.csv', 'report-1.csv', 'report-2.csv'])
  expect((await columnOf(world, 'report-2.csv')).toSorted()).toEqual(NUMBERS)
  expect([...new Set(await columnOf(world, 'orders-1.csv'))].toSorted()).toEqual(NUMBERS)
  expect(world.service.counts().acknowledgedOrders).toBe(5)
})

test('a window of time holds its first moment and not its last', async () => {
  const world = await ordersAtService()
  const times = [...new Set((await world.orders()).map(({ ordered_at }) => ordered_at))].toSorted()
  const [, from = '', , to = ''] = times
  expect(times).toHaveLength(5)
  const windowed = (since: string, until: string, name: string) =>
    addReport(world, { ...retailerOrders, name, select: { ordered_at: { since, until } } })
  const shifted = (time: string, seconds: number) =>
    new Date(Date.parse(time) + seconds * 1000).toISOString().replace('.000Z', 'Z')
  await windowed(shifted(from, 0), shifted(to, 0), 'exact')
  await windowed(shifted(from, 1), shifted(to, 1), 'later')

  await world.run('exact', 'later')

  const orderedAt = async (file: string) => {
    const numbers = await columnOf(world, file)
    const orders = await world.orders()
    return numbers
      .map((po) => orders.find((each) => each.purchase_order_number === po)?.ordered_at)
      .toSorted()
  }
  expect(await orderedAt('exact-1.csv')).toEqual([times[1], times[2]])
  expect(await orderedAt('later-1.csv')).toEqual([times[2], times[3]])
})

test('a duration reaches back from the moment of the run', async () => {
  const world = await ordersAtService()
  await addReport(world, { ...retailerOrders, select: { received_at: { since: '1h' } } })

  await world.run('report')
  world.clock.skip(2 * 3_600_000)
  const later = await world.run('report')

  expect(await world.list('outbox')).toEqual(['report-1.csv'])
  expect(later.exit).toBe(0)
})

test('an empty report is no file, or one with the header alone where the route wants that', async () => {
  const world = await aWorld({ routes: [] })
  await addReport(world, { ...retailerOrders, name: 'skipped' })
  const trailer = 'trailer: { columns: { Text: { const: TOTAL }, Orders: { count: records } } }\n'
  const mapping = `write: { format: csv, newline: "\\n" }\n${BY_NUMBER}${trailer}`
  await addReport(world, { ...retailerOrders, name: 'written', mapping, empty: 'write' })

  const skipped = await world.run('skipped')
  const written = await world.run('written')

  expect([skipped.exit, written.exit]).toEqual([0, 0])
  expect(passOf(skipped).deliveries).toEqual([])
  expect(await world.list('outbox')).toEqual(['written-1.csv'])
  expect(await world.read('outbox/written-1.csv')).toBe('PO Number,Status\n')
})

test('purchase orders are looked up one by one where the list has the filter, else in the whole list, and missing ones are reported', async () => {
  const world = await ordersAtService()
  const wanted = [NUMBERS[3] ?? '', 'HV-99999', NUMBERS[1] ?? '', 'HV-99998']
  const select = { purchase_order_number: wanted }
  await addReport(world, { ...retailerOrders, name: 'asked', select })
  await addReport(world, {
    operation: 'export-orders',
    mapping: BY_NUMBER,
    name: 'sieved',
    party: 'brand',
    select,
  })

  const asked = await world.run('asked')
  const sieved = await world.run('sieved')

  const found = [NUMBERS[1], NUMBERS[3]]
  for (const [result, file] of [
    [asked, 'asked-1.csv'],
    [sieved, 'sieved-1.csv'],
  ] as const) {
    expect(result.exit, file).toBe(2)
    expect(passOf(result), file).toMatchObject({ missing: 2, firstMissing: ['HV-99999', 'HV-99998'] })
    expect((await columnOf(world, file)).toSorted(), file).toEqual(found)
  }
})

test('purchase orders may be in a file, which is read anew at each run; an empty one asks for nothing', async () => {
  const world = await ordersAtService()
  await addReport(world, { ...retailerOrders, select: { purchase_order_number: { file: 'pos.txt' } } })
  const path = join(world.folder, 'pos.txt')

  const without = await world.run('report')
  await writeFile(path, '')
  const blank = await world.run('report')
  await writeFile(path, `\ufeff${NUMBERS[0]}\r\n  ${NUMBERS[2]} \r\n\r\n${NUMBERS[0]}`)
  const filled = await world.run('report')

  expect(without.exit).toBe(78)
  expect(without.routes).toMatchObject([{ kind: 'failed', failure: { code: 'configuration-invalid' } }])
  expect(blank.exit).toBe(0)
  expect(filled.exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['report-1.csv'])
  expect(await columnOf(world, 'report-1.csv')).toEqual([NUMBERS[0], NUMBERS[2]])
})

test('records are read by their ids, in the order in which they are named', async () => {
  const world = await ordersAtService()
  const ids = (await world.orders()).map(({ id }) => id).toSorted((a, b) => b - a)
  await addReport(world, {
    ...retailerOrders,
    mapping: 'columns: { Id: id, Status: status }\n',
    select: { ids: [ids[0], 999_999, ids[4], ids[2]] },
  })
  await addReport(world, {
    operation: 'export-carriers',
    mapping: 'columns: { Id: code, Name: name }\n',
    name: 'carriers',
    select: { ids: ['3'] },
  })

  const { exit, routes } = await world.run('report')
  await world.run('carriers')

  expect(exit).toBe(2)
  expect(routes).toMatchObject([{ pass: { missing: 1, firstMissing: ['999999'] } }])
  expect(await columnOf(world, 'report-1.csv', 'Id')).toEqual([ids[0], ids[4], ids[2]].map(String))
  expect(await columnOf(world, 'carriers-1.csv', 'Id')).toEqual(['USPS'])
})

test('a record that cannot be written is reported, and the report has the others', async () => {
  const world = await ordersAtService()
  const [one, ...others] = await world.orders()
  const rows = [...new Set(others.map(({ id }) => id))].map((id) => `      "${id}": x`).join('\n')
  await addReport(world, {
    ...retailerOrders,
    mapping: `${BY_NUMBER.replace(' }', ', Depot: { from: id, table: depots } }')}tables:\n  depots:\n    rows:\n${rows}\n`,
  })

  const result = await world.run('report')

  expect(result.exit).toBe(2)
  expect(passOf(result)).toMatchObject({
    held: 1,
    heldRecords: [
      { apiId: String(one?.id), problems: [{ code: 'lookup-missed', place: { column: 'Depot' } }] },
    ],
  })
  expect(await columnOf(world, 'report-1.csv')).toHaveLength(4)
})

const EVERY_REPORT: Readonly<Record<string, { mapping: string; party?: 'brand'; file: string[] }>> = {
  'export-carriers': {
    mapping: 'each: shipping_methods\ncolumns: { Carrier: code, Method: shipping_methods.code }\n',
    file: [
      'FDEG,FEDEX_GROUND',
      'FDEG,FEDEX_2_DAY',
      'FDEG,FEDEX_STANDARD_OVERNIGHT',
      'UPSN,UPS_GROUND',
      'UPSN,UPS_2ND_DAY_AIR',
      'USPS,USPS_PRIORITY',
    ],
  },
  'export-connections': {
    mapping:
      'each: shipping_methods\ncolumns: { Supplier: brand.id, Carrier: shipping_methods.carrier.code, Method: shipping_methods.code }\n',
    file: ['2000', '2001'].flatMap((brand) => [
      `${brand},FDEG,FEDEX_GROUND`,
      `${brand},FDEG,FEDEX_2_DAY`,
      `${brand},FDEG,FEDEX_STANDARD_OVERNIGHT`,
      `${brand},UPSN,UPS_GROUND`,
      `${brand},UPSN,UPS_2ND_DAY_AIR`,
      `${brand},USPS,USPS_PRIORITY`,
    ]),
  },
  'export-retailers': { mapping: 'columns: { Id: id, Code: code }\n', file: ['1000,HARBORVINE'] },
  'export-brands': {
    mapping: 'columns: { Id: id, Code: code }\n',
    party: 'brand',
    file: ['2000,NORTHLIGHT'],
  },
  'export-brand-invoices': { mapping: 'columns: { Number: invoice_number }\n', party: 'brand', file: [] },
}

test.each(Object.entries(EVERY_REPORT))(
  '%s is reported from the real service',
  async (operation, expected) => {
    const world = await aWorld({ routes: [] })
    const { mapping, party, file } = expected
    await addReport(world, {
      operation: operation as OutboundOperationName,
      mapping: `write: { format: csv, newline: "\\n", header: false }\n${mapping}`,
      empty: 'write',
      ...(party === undefined ? {} : { party }),
    })

    const { exit } = await world.run('report')

    expect(exit).toBe(0)
    const lines = (await world.read('outbox/report-1.csv')).split('\n').slice(0, -1)
    expect(lines.toSorted()).toEqual(file.toSorted())
  },
)

/** The sample market with this many items of one supplier. */
function manyItems(count: number) {
  const seed = sampleSeed()
  const [first] = seed.variants
  if (first === undefined) throw new Error('no items')
  const variants = Array.from({ length: count }, (_, index) => ({
    ...first,
    id: 20_000 + index,
    brandIdentifier: `ITEM-${index}`,
    upc: null,
    retailerItems: [],
  }))
  return { ...seed, variants }
}

test('a report of 2,000 records comes in pages and has every record once', async () => {
  const world = await aWorld({ routes: [], seed: manyItems(2000) })
  await addReport(world, {
    operation: 'export-brand-variants',
    mapping: 'columns: { SKU: identifier, Cost: attributes.cost, Color: attributes.color }\n',
    party: 'brand',
  })

  const { exit } = await world.run('report')

  expect(exit).toBe(0)
  const rows = parseCsv(await world.read('outbox/report-1.csv'))
  expect(new Set(rows.map((row) => row['SKU'])).size).toBe(2000)
  expect(rows).toHaveLength(2000)
  expect(rows.every((row) => row['Cost'] === '7.87')).toBe(true)
  const pages = world.events.flatMap((event) => (event.kind === 'progress' ? [event.done] : []))
  expect(pages).toEqual([250, 500, 750, 1000, 1250, 1500, 1750, 2000])
})

test('a signal ends a report between two pages, with no file', async () => {
  const world = await aWorld({ routes: [], seed: manyItems(600) })
  await addReport(world, {
    operation: 'export-brand-variants',
    mapping: 'columns: { SKU: identifier, Id: id }\n',
    party: 'brand',
  })
  const stop = new AbortController()
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      async *list(call) {
        for await (const page of api.list(call)) {
          yield page
          stop.abort()
        }
      },
    }),
  })

  const { routes } = await bridge.run(['report'], stop.signal)
  await bridge.close()
  const { exit } = await world.run('report')

  expect(routes).toMatchObject([{ kind: 'failed', failure: { code: 'interrupted' } }])
  expect(exit).toBe(0)
  expect(await world.list('outbox')).toEqual(['report-1.csv'])
  expect(await columnOf(world, 'report-1.csv', 'SKU')).toHaveLength(600)
})

test('a file that has the name in the outbox keeps it, and the report gets another', async () => {
  const world = await ordersAtService()
  await addReport(world, retailerOrders)
  await mkdir(join(world.folder, 'exchange/outbox'), { recursive: true })
  await writeFile(join(world.folder, 'exchange/outbox/report-1.csv'), 'somebody else’s')

  await world.run('report')

  expect(await world.read('outbox/report-1.csv')).toBe('somebody else’s')
  expect(await columnOf(world, 'report-1~2.csv')).toHaveLength(5)
})

/** The requests of a selection, as they are sent. */
async function requestsFor(
  operation: OutboundOperationName,
  select: Readonly<Record<string, unknown>>,
  page: readonly unknown[] = [],
): Promise<{ urls: string[]; found: unknown[]; missing: readonly string[] }> {
  const server = await startMisbehavingServer()
  onTestFinished(() => server.close())
  server.next(json(200, { count: page.length, next: null, previous: null, results: page }))
  const clock = instantClock(Date.UTC(2026, 10, 21, 12))
  const api = createClient({ baseUrl: server.url, clientId: 'a', clientSecret: 'b', clock, random: () => 0 })
  const read = parseSelect(operation, select, '/')
  if ('errors' in read) throw new Error(JSON.stringify(read.errors))
  const { named } = read.select
  const names = named === undefined || 'file' in named.values ? undefined : { ...named, values: named.values }
  const selection = {
    query: buildQuery(read.select, clock.now()),
    ...(names === undefined ? {} : { named: names }),
  }
  const [party] = OPERATIONS[operation].parties
  const { pages, missing } = readSelected(api, { operation, party: { kind: party, id: 7 } }, selection)
  const found: unknown[] = []
  for await (const records of pages) found.push(...records)
  await api.close()
  return { urls: server.received.map(({ url }) => url), found, missing: missing() }
}

test('a selection is sent as the specification says', async () => {
  const select = {
    status: ['open', 'closed'],
    is_acknowledged: true,
    received_at: { since: '24h', until: '2026-11-21T10:30Z' },
  }
  const items = { short: false, attribute: { color: 'Slate Blue' } }

  expect((await requestsFor('export-retailer-orders', select)).urls).toEqual([
    '/v1/retailers/7/orders/?status=open&status=closed&is_acknowledged=1' +
      '&received_at_gte=1795176000&received_at_lt=1795257000&limit=250',
  ])
  expect((await requestsFor('export-brand-variants', items)).urls).toEqual([
    '/v1/brands/7/variants/?short=0&attribute=color%5BSlate%20Blue%5D&limit=250',
  ])
  expect((await requestsFor('export-carriers', {})).urls).toEqual(['/v1/carriers/?limit=250'])
})

test('up to fifty purchase orders are asked for one by one, together with the other filters; more make one pass over the list', async () => {
  const order = (number: string): Partial<RetailerOrder> => ({ purchase_order_number: number })
  const numbers = Array.from({ length: 50 }, (_, index) => `A${index}`)
  const select = { status: 'open', purchase_order_number: numbers }
  const more = { status: 'open', purchase_order_number: [...numbers, 'A 50'] }

  const singly = await requestsFor('export-retailer-orders', select)
  const whole = await requestsFor('export-retailer-orders', more, [order('A 50'), order('B'), order('A7')])

  expect(singly.urls).toHaveLength(50)
  expect(singly.urls[49]).toBe('/v1/retailers/7/orders/?status=open&purchase_order_number=A49&limit=250')
  expect(whole.urls).toEqual(['/v1/retailers/7/orders/?status=open&limit=250'])
  expect(whole.found).toEqual([order('A 50'), order('A7')])
  expect(whole.missing).toHaveLength(49)
})

test('an API that ignores the filter for purchase orders gets no unwanted record into the report, nor one twice', async () => {
  const everything = ['A', 'B', 'C'].map((number, id) => ({ id, purchase_order_number: number }))

  const { urls, found, missing } = await requestsFor(
    'export-retailer-orders',
    { purchase_order_number: ['C', 'A', 'D'] },
    everything,
  )

  expect(urls).toHaveLength(3)
  expect(found).toEqual([everything[2], everything[0]])
  expect(missing).toEqual(['D'])
})
