/** The settings of an outbound route about acknowledging and about the records of its report. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OutboundRoute } from '../../src/config/routes.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import { buildQuery } from '../../src/config/select.ts'
import { BridgeError } from '../../src/support/errors.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dropbridge-reports-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Saturday, 21 November 2026, half past midday in UTC, and some milliseconds. */
const NOW = Date.UTC(2026, 10, 21, 12, 30, 15, 678)

const HEAD = `api: { baseUrl: "http://localhost", clientId: a, clientSecret: b }
mailboxes: { erp: { type: directory, path: ./exchange } }
routes:
  out:
`

/** A route of this operation with these lines, the first of which is line 8 of the file. */
function configurationText(operation: string, lines: string, party = 'retailer: 1000'): string {
  return `${HEAD}    ${party}
    operation: ${operation}
    mapping: m.yaml
    ${lines.trim().replaceAll('\n', '\n    ')}
${lines.includes('to:') ? '' : '    to: { mailbox: erp, folder: out, name: "{seq}.csv" }\n'}`
}

async function load(text: string): Promise<OutboundRoute> {
  const path = join(folder, 'dropbridge.yaml')
  await writeFile(path, text)
  const { routes } = await loadConfiguration(path, {})
  const [route] = routes
  if (route?.direction !== 'outbound') throw new Error('no outbound route')
  return route
}

async function errorsOf(
  ...[operation, lines, party]: Parameters<typeof configurationText>
): Promise<string[]> {
  try {
    await load(configurationText(operation, lines, party))
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return error.details.map((detail) => detail.replace(/^.*?yaml:\d+:\d+ routes\.out\.?/, ''))
  }
  return []
}

/** The query of the list at NOW. */
async function queryOf(...[operation, lines, party]: Parameters<typeof configurationText>): Promise<unknown> {
  const { report } = await load(configurationText(operation, lines, party))
  return report && buildQuery(report.select, NOW)
}

const BRAND = 'brand: 7'

test('a route acknowledges deliveries unless its setting is never, and then reads nothing again', async () => {
  const never = await load(configurationText('export-orders', 'acknowledge: never', BRAND))
  const atOnce = await load(configurationText('export-orders', 'acknowledge: delivered', BRAND))

  expect([never.acknowledge, never.verifyBeforeAck, never.report]).toEqual(['never', false, undefined])
  expect([atOnce.acknowledge, atOnce.verifyBeforeAck, atOnce.report]).toEqual(['delivered', true, undefined])
})

test('a select makes a report of any list, and lists without acknowledging are always reports', async () => {
  const selected = await load(configurationText('export-orders', 'select: {}', BRAND))
  const carriers = await load(configurationText('export-carriers', 'empty: write'))
  const never = await load(configurationText('export-brand-invoices', 'acknowledge: never', BRAND))

  const nothingSaid = { zone: 'UTC', fixed: {}, windows: [] }
  expect(selected).toMatchObject({ acknowledge: 'never', report: { select: nothingSaid, empty: 'skip' } })
  expect(carriers).toMatchObject({ acknowledge: 'never', report: { select: nothingSaid, empty: 'write' } })
  expect(never).toMatchObject({ acknowledge: 'never', report: { select: nothingSaid, empty: 'skip' } })
})

test('every kind of filter is sent under the names of the API', async () => {
  const select = `select:
  status: [open, closed]
  is_acknowledged: true
  received_at: { since: 24h, until: now }`
  const items = `select:
  short: true
  in_stock: false
  attribute: { color: [Red, Slate Blue], size: M }`

  expect(await queryOf('export-retailer-orders', select)).toEqual({
    status: ['open', 'closed'],
    is_acknowledged: true,
    received_at_gte: Date.UTC(2026, 10, 20, 12, 30, 15) / 1000,
    received_at_lt: Date.UTC(2026, 10, 21, 12, 30, 15) / 1000,
  })
  expect(await queryOf('export-retailer-orders', 'select: { status: canceled }')).toEqual({
    status: ['canceled'],
  })
  expect(await queryOf('export-brand-variants', items, BRAND)).toEqual({
    short: true,
    in_stock: false,
    attribute: 'size[M]::color[Red||Slate Blue]',
  })
})

test.each([
  ['2026-11-01', 'UTC', Date.UTC(2026, 10, 1)],
  ['2026-11-01', 'America/New_York', Date.UTC(2026, 10, 1, 4)], // the clocks go back later that day
  ['2026-11-02', 'America/New_York', Date.UTC(2026, 10, 2, 5)],
  ['2026-11-01T08:30', 'Asia/Kolkata', Date.UTC(2026, 10, 1, 3)],
  ['2026-11-01 08:30:15', 'UTC', Date.UTC(2026, 10, 1, 8, 30, 15)],
  ['2026-11-01T00:00Z', 'America/New_York', Date.UTC(2026, 10, 1)],
  ['2026-11-01T00:00+02:00', 'America/New_York', Date.UTC(2026, 9, 31, 22)],
  ['90m', 'America/New_York', Date.UTC(2026, 10, 21, 11, 0, 15)],
  ['7d', 'UTC', Date.UTC(2026, 10, 14, 12, 30, 15)],
  ['2w', 'UTC', Date.UTC(2026, 10, 7, 12, 30, 15)],
  ['now', 'UTC', Date.UTC(2026, 10, 21, 12, 30, 15)],
])('since %s in the zone %s is one moment', async (since, zone, expected) => {
  const select = `select: { zone: ${zone}, rmad_at: { since: "${since}" } }`
  expect(await queryOf('export-returns', select)).toEqual({ rmad_at_gte: expected / 1000 })
})

test('consecutive windows leave no second out and share none', async () => {
  const { report } = await load(
    configurationText('export-invoices', 'select: { invoiced_at: { since: 24h, until: now } }'),
  )
  if (report === undefined) throw new Error('no report')

  const today = buildQuery(report.select, NOW)
  const tomorrow = buildQuery(report.select, NOW + 24 * 3_600_000)

  expect(tomorrow['invoiced_at_gte']).toBe(today['invoiced_at_lt'])
})

test('records are named by purchase orders or ids, each once, in the configuration or in a file beside it', async () => {
  const named = async (operation: string, select: string) =>
    (await load(configurationText(operation, select))).report?.select.named

  expect(
    await named('export-retailer-orders', 'select: { purchase_order_number: ["0012", B-2, "0012"] }'),
  ).toEqual({
    by: 'purchase_order_number',
    values: ['0012', 'B-2'],
  })
  expect(await named('export-credits', 'select: { purchase_order_number: A }')).toMatchObject({
    values: ['A'],
  })
  expect(await named('export-shipments', 'select: { purchase_order_number: { file: pos.txt } }')).toEqual({
    by: 'purchase_order_number',
    values: { file: join(folder, 'pos.txt') },
  })
  expect(await named('export-invoices', 'select: { ids: [5, "7", 5] }')).toEqual({
    by: 'id',
    values: ['5', '7'],
  })
})

test('every error in a select is reported with its fix, and none repeats a value', async () => {
  const lines = `select:
  status: [opne]
  is_acknowledged: yes please
  received_at: { since: lately, untill: now }
  closed_at: {}
  ordered_at: { since: 2026-11-30, until: 2026-11-01 }
  acknowledged_at: { since: 24h, until: 48h }
  fulfill_by: { since: 2026-02-30 }
  recieved_at: { since: 24h }
  shipped_at: { since: 24h }
  purchase_order_number: 12
  zone: Mars`

  expect(await errorsOf('export-retailer-orders', lines)).toEqual([
    'select.status: must be one of open, partial, closed, canceled, or a list of them. Did you mean "open"?',
    'select.is_acknowledged: must be true or false.',
    'select.received_at.since: must be now, today, yesterday, a time back from now such as 24h or 7d (m, h, d or w), a date such as 2026-11-01, or a time such as 2026-11-01T08:00.',
    'select.received_at.untill: unknown key. Did you mean "until"?',
    'select.closed_at: says no time: name since, until or both, such as { since: 24h }.',
    'select.ordered_at.until: until must be later than since, or there is no time between them.',
    'select.acknowledged_at.until: until must be later than since, or there is no time between them.',
    'select.fulfill_by.since: must be now, today, yesterday, a time back from now such as 24h or 7d (m, h, d or w), a date such as 2026-11-01, or a time such as 2026-11-01T08:00.',
    'select.recieved_at: unknown key. Did you mean "received_at"?',
    'select.shipped_at: export-retailer-orders cannot be asked for this; it takes purchase_order_number, status, is_acknowledged, ordered_at, received_at, fulfill_by, acknowledged_at, closed_at.',
    'select.purchase_order_number: must be a text in quotes, a list of at most 1000 of them, or { file: … } with one on each line.',
    'select.zone: must be the name of a time zone, such as America/New_York.',
  ])
})

test('a select is held to the filters of its own list', async () => {
  expect(await errorsOf('export-orders', 'select: { received_at: { since: 1h } }', BRAND)).toEqual([
    'select.received_at: export-orders cannot be asked for this; it takes status, is_acknowledged, ordered_at, acknowledged_at.',
  ])
  expect(await errorsOf('export-carriers', 'select: { status: open }')).toEqual([
    'select.status: export-carriers cannot be asked for this; it takes no filters.',
  ])
  expect(await errorsOf('export-cancels', 'select: { purchase_order_number: A }')).toEqual([
    'select.purchase_order_number: what export-cancels lists does not say its purchase order number.',
  ])
  expect(await errorsOf('export-retailers', 'select: { ids: [1000] }')).toEqual([
    'select.ids: export-retailers cannot read a record by its id.',
  ])
  expect(await errorsOf('export-invoices', 'select: { ids: [1], is_acknowledged: false }')).toEqual([
    'select.ids: the ids say by themselves which records are meant: take away is_acknowledged.',
  ])
  expect(await errorsOf('export-invoices', 'select: { ids: [1], purchase_order_number: A }')).toEqual([
    'select.purchase_order_number: ids and purchase_order_number exclude each other.',
  ])
  expect(await errorsOf('export-brand-variants', 'select: { attribute: { colour: Red } }', BRAND)).toEqual([
    'select.attribute.colour: unknown key. Did you mean "color"?',
  ])
  expect(await errorsOf('export-brand-variants', 'select: { attribute: { size: "M::L" } }', BRAND)).toEqual([
    'select.attribute.size: cannot hold [, ], | or ::.',
  ])
})

test('a report acknowledges nothing, and what goes out once is no report', async () => {
  const lines = `select: { status: open }
acknowledge: delivered
verifyBeforeAck: true
to: { mailbox: erp, folder: out, name: "{purchase_order_number}.csv" }`

  expect(await errorsOf('export-orders', lines, BRAND)).toEqual([
    'acknowledge: a route with `select` is a report and acknowledges nothing: leave it out, or write never.',
    'verifyBeforeAck: nothing is acknowledged, so nothing is read again before: take it away.',
    'to.name: a report is one file of many records: its name cannot contain fields of a record.',
  ])
  expect(await errorsOf('export-carriers', 'acknowledge: delivered')).toEqual([
    'acknowledge: nothing is acknowledged of what export-carriers lists: leave it out, or write never.',
  ])
  expect(await errorsOf('export-invoices', 'empty: write')).toEqual([
    'empty: `empty` is for reports, which have a `select`: take it away.',
  ])
  expect(await errorsOf('export-invoices', 'acknowledge: never\nverifyBeforeAck: true')).toEqual([
    'verifyBeforeAck: nothing is acknowledged, so nothing is read again before: take it away.',
  ])
  const misplaced = await errorsOf('create-order', 'select: {}\nto: {}')
  expect(misplaced).toContain('select: does not belong here: it is for other operations.')
  expect(misplaced).toContain(
    'to: does not belong here: create-order takes files and writes none. Write `from` and `results`, or another operation.',
  )
  expect(await errorsOf('export-orders', 'from: { mailbox: erp, folder: inbox }')).toContain(
    'from: does not belong here: export-orders takes no files, it writes them. Write `to`, or another operation.',
  )
})

test('the report that docs/routes.md shows is one', async () => {
  const readme = await readFile(new URL('../../docs/routes.md', import.meta.url), 'utf8')
  const [, shown = ''] = /```yaml\n( {2}closed-orders:\n[^]*?)```/.exec(readme) ?? []
  const route = await load(`${HEAD.replace('erp', 'exchange').replace('  out:\n', '')}${shown}`)

  expect(route).toMatchObject({ operation: 'export-retailer-orders', report: { empty: 'write' } })
  expect(route.report && buildQuery(route.report.select, NOW)).toEqual({
    status: ['closed'],
    closed_at_gte: Date.UTC(2026, 10, 20, 12, 30, 15) / 1000,
    closed_at_lt: Date.UTC(2026, 10, 21, 12, 30, 15) / 1000,
  })
})

function twoRoutes(first: string, second: string): string {
  const route = (name: string, lines: string) =>
    `  ${name}:\n    mapping: m.yaml\n    to: { mailbox: erp, folder: out, name: "${name}-{seq}.csv" }\n    ${lines}\n`
  return HEAD.replace('  out:\n', '') + route('orders-fixed', first) + route('orders-people', second)
}

async function errorsOfTwo(first: string, second: string): Promise<readonly string[]> {
  const path = join(folder, 'dropbridge.yaml')
  await writeFile(path, twoRoutes(first, second))
  try {
    await loadConfiguration(path, {})
    return []
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return error.details.map((detail) => detail.replace(/^.*?yaml:/, ''))
  }
}

test('two routes that export the same list of one party are refused, because each record goes to only one of them', async () => {
  const orders = 'brand: 2000\n    operation: export-orders'

  expect(await errorsOfTwo(orders, orders)).toEqual([
    '9:3 routes.orders-people: orders-fixed and orders-people both export the orders of brand 2000: an order goes to whichever runs first, and never to the other. Make one of them a report (`select`) or one file with both.',
  ])
})

test('other parties, other lists, and a report beside an export go together', async () => {
  const orders = 'brand: 2000\n    operation: export-orders'

  expect(await errorsOfTwo(orders, 'brand: 2001\n    operation: export-orders')).toEqual([])
  const shipments = 'retailer: 1000\n    operation: export-shipments'
  expect(await errorsOfTwo(shipments, shipments.replace('shipments', 'invoices'))).toEqual([])
  expect(await errorsOfTwo(orders, `${orders}\n    select: {}`)).toEqual([])
  expect(await errorsOfTwo(`${orders}\n    select: {}`, `${orders}\n    select: {}`)).toEqual([])
})
