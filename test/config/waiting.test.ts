/** The settings of acknowledging later, of expected files, and of folders that must be emptied. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fillNameTemplate } from '../../src/config/file-name.ts'
import type { InboundRoute, OutboundRoute } from '../../src/config/routes.ts'
import { loadConfiguration } from '../../src/config/load.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

async function load(routes: string, head = '') {
  const path = join(await tempFolder(), 'dropbridge.yaml')
  await writeFile(
    path,
    `api: { baseUrl: "https://api.example.com", clientId: acme, clientSecret: secret }
${head}
mailboxes: { erp: { type: directory, path: ./exchange }, other: { type: directory, path: ./other } }
routes:
${routes}`,
  )
  return loadConfiguration(path, {})
}

const OUT = (lines: string) => `  out:
    brand: 2000
    operation: export-orders
    mapping: m.yaml
    to: { mailbox: erp, folder: out, name: "{seq}.csv" }
    ${lines.replaceAll('\n', '\n    ')}
`

const IN = ({ from = '', results = '' }) => `  in:
    retailer: 1000
    operation: create-order
    mapping: m.yaml
    from: { mailbox: erp, folder: inbox${from} }
    results: { mailbox: erp${results} }
`

async function out(lines: string): Promise<OutboundRoute> {
  const [route] = (await load(OUT(lines))).routes
  if (route?.direction !== 'outbound') throw new Error('no outbound route')
  return route
}

async function inbound(parts: { from?: string; results?: string }, head?: string): Promise<InboundRoute> {
  const [route] = (await load(IN(parts), head)).routes
  if (route?.direction !== 'inbound') throw new Error('no inbound route')
  return route
}

async function errorsOf(loading: Promise<unknown>): Promise<string[]> {
  const error: unknown = await loading.catch((thrown: unknown) => thrown)
  if (!(error instanceof BridgeError)) throw new Error('it has no errors')
  return error.details.map((detail) => detail.replace(/^.*?yaml:\d+:\d+ routes\./, '').replace(/\.$/, ''))
}

test('a route that waits for pick-ups reads orders again first, and reports files that wait for a day or are nearly due', async () => {
  expect(await out('acknowledge: picked-up')).toMatchObject({
    acknowledge: 'picked-up',
    verifyBeforeAck: true,
    overdue: { withinMs: DAY_MS, beforeMs: 2 * HOUR_MS },
  })
})

test('a receipt is named .ok in a folder of the same mailbox, unless the route says otherwise', async () => {
  const plain = await out('acknowledge: receipt\nreceipt: { folder: ./receipts/ }')
  const other = await out(
    'acknowledge: receipt\nreceipt: { mailbox: other, folder: back, match: "{stem}.ack", contains: "OK {name}", archive: old, stableFor: 5s }\noverdue: { within: 2d, before: 30m }',
  )

  expect(plain.receipt).toEqual({
    mailbox: 'erp',
    folder: 'receipts',
    match: '{name}.ok',
    archive: 'archive/out',
    stableForMs: 2000,
  })
  expect(other.receipt).toEqual({
    mailbox: 'other',
    folder: 'back',
    match: '{stem}.ack',
    contains: 'OK {name}',
    archive: 'old',
    stableForMs: 5000,
  })
  expect(other.overdue).toEqual({ withinMs: 2 * DAY_MS, beforeMs: HOUR_MS / 2 })
})

test('a route raises alerts about late orders only where it says how long before', async () => {
  expect((await out('alertIfLate: { acknowledge: 4h, ship: 1d }')).alertIfLate).toEqual({
    acknowledgeMs: 4 * HOUR_MS,
    shipMs: DAY_MS,
  })
  expect((await out('alertIfLate: { ship: 30m }')).alertIfLate).toEqual({ shipMs: HOUR_MS / 2 })
  expect(await out('')).not.toHaveProperty('alertIfLate')
})

test('a route that acknowledges at once is overdue with nothing', async () => {
  const route = await out('')

  expect(route).not.toHaveProperty('overdue')
  expect(route).not.toHaveProperty('receipt')
})

test.each([
  ['{name}.ok', 'orders-1.csv', 'orders-1.csv.ok'],
  ['{stem}.ok', 'orders-1.csv', 'orders-1.ok'],
  ['{stem}-{name}', 'orders', 'orders-orders'],
  ['ack_{stem}', 'a.b.csv', 'ack_a.b'],
  ['{name}', '$&.csv', '$&.csv'],
])('%s of %s is %s', (template, name, text) => {
  expect(fillNameTemplate(template, name)).toBe(text)
})

test.each([
  ['acknowledge: later', ['out.acknowledge: must be one of delivered, picked-up, receipt, never']],
  [
    'acknowledge: receipt',
    [
      'out.acknowledge: says receipt and not which file is one: add receipt: { folder: …, match: "{name}.ok" }, or { by: edi }',
    ],
  ],
  [
    'acknowledge: picked-up\nreceipt: { folder: back }',
    ['out.receipt: is only looked for with `acknowledge: receipt`'],
  ],
  [
    'overdue: { within: 4h }',
    [
      'out.overdue: is for routes that wait, with `acknowledge: picked-up` or `receipt`, or that write to a `partner`',
    ],
  ],
  [
    'acknowledge: picked-up\noverdue: { within: soon }',
    [
      'out.overdue.within: must be a time in minutes, hours or days, such as 30m, 4h or 2d: longer than nothing, and at most 30 days',
    ],
  ],
  [
    'acknowledge: receipt\nreceipt: { folder: back, match: "all.ok" }',
    [
      'out.receipt.match: must say which file it is for: {name} stands for the name of the delivered file, {stem} for the name without its last extension',
    ],
  ],
  [
    'acknowledge: receipt\nreceipt: { folder: back, match: "{name}-{seq}.ok" }',
    [
      'out.receipt.match: cannot hold {seq}: {name} stands for the name of the delivered file, {stem} for the name without its last extension',
    ],
  ],
  [
    'acknowledge: receipt\nreceipt: { folder: back, match: "sub/{name}" }',
    ['out.receipt.match: is the name of one file: it cannot hold any of < > : " / \\ | ? *'],
  ],
  [
    'acknowledge: receipt\nreceipt: { folder: back, mailbox: erpp }',
    ['out.receipt.mailbox: there is no such mailbox. Did you mean "erp"?'],
  ],
  [
    'acknowledge: picked-up\nselect: { status: open }',
    [
      'out.acknowledge: a route with `select` is a report and acknowledges nothing: leave it out, or write never',
    ],
  ],
])('%s is an error', async (lines, message) => {
  expect(await errorsOf(out(lines))).toEqual(message)
})

test('read receipts are never moved to a folder where a route takes files from', async () => {
  const both = IN({}) + OUT('acknowledge: receipt\nreceipt: { folder: back, archive: inbox }')

  expect(await errorsOf(load(both))).toEqual([
    'out.receipt.archive: read receipts would be left where the route in takes files from; use another folder',
  ])
})

test.each([
  [', match: "*.csv"', '"orders-{date:yyyyMMdd}-{seq}.csv"'],
  ['', '"{seq}.csv"'],
  [', match: "order?-*"', '"{route}-{seq}.txt"'],
])('files are never exported to an inbox whose route%s would take them as %s', async (match, name) => {
  const out = OUT('').replace('folder: out, name: "{seq}.csv"', `folder: ./inbox/, name: ${name}`)

  expect(await errorsOf(load(IN({ from: match }) + out))).toEqual([
    'out.to.folder: files would be left where the route in takes them; use another folder',
  ])
})

test('files may be exported to an inbox whose route takes only other names', async () => {
  const out = OUT('').replace('folder: out, name: "{seq}.csv"', 'folder: inbox, name: "o-{seq}.json"')

  expect((await load(IN({ from: ', match: "*.csv"' }) + out)).routes).toHaveLength(2)
})

const TWO = (names: readonly [string, string], receipts = ['', '']) =>
  ['out', 'out-2']
    .map(
      (route, at) => `  ${route}:
    brand: ${2000 + at}
    operation: export-orders
    mapping: m.yaml
    to: { mailbox: erp, folder: out/${at}, name: "${names[at]}" }
    acknowledge: receipt
    receipt: { folder: back${receipts[at]} }
`,
    )
    .join('')

const MAY_MEET = [
  'out-2.receipt: a receipt for a file of this route may be taken for one of out: both look in the same folder, for the same names. Let the receipts come to a folder of their own, or begin the names of the files (`to.name`) with {route}',
]

test.each([
  [['orders-{seq}.csv', 'orders-{seq}.csv'], []],
  [['orders-{seq}.csv', 'ORDERS-{date:yyyy}-{seq}.csv'], []],
  [['{seq}.csv', '7-{seq}.csv'], []],
  [
    ['{route}{seq}.csv', '{route}{seq}.csv'],
    ['', ''],
  ],
  [['{purchase_order_number}.csv', 'a-{seq}.csv'], []],
  [
    ['o-{seq}.csv', 'o-{seq}.txt'],
    [', match: "{stem}.ok"', ', match: "{stem}.ok"'],
  ],
  [
    ['{seq}.csv', '{seq}.csv'],
    ['', ', mailbox: erp, match: "{name}.OK"'],
  ],
] as const)(
  'two routes whose receipts may collide, with files called %j%j, are refused',
  async (names, receipts) => {
    expect(await errorsOf(load(TWO(names, [...receipts])))).toEqual(MAY_MEET)
  },
)

test.each([
  [['{route}-{seq}.csv', '{route}-{seq}.csv'], []],
  [['{route}-{date:yyyyMMdd}.csv', '{route}-{date:yyyyMMdd}.csv'], []],
  [['orders-{seq}.csv', 'invoices-{seq}.csv'], []],
  [
    ['{seq}.csv', '{seq}.csv'],
    ['', ', match: "{name}.ack"'],
  ],
  [
    ['{seq}.csv', '{seq}.csv'],
    ['', ', match: "second-{name}.ok"'],
  ],
  [
    ['{seq}.csv', '{seq}.csv'],
    ['', '/2'],
  ],
  [
    ['{seq}.csv', '{seq}.csv'],
    ['', ', mailbox: other'],
  ],
] as const)('the receipts of two routes with files called %j%j are told apart', async (names, receipts) => {
  expect((await load(TWO(names, [...receipts]))).routes).toHaveLength(2)
})

test('a file is expected by a time of day in a zone, its own or that of the file', async () => {
  const own = await inbound({
    from: ', expectFile: { by: "07:00", zone: Europe/Berlin, days: [fri, mon, mon] }',
  })
  const shared = await inbound({ from: ', expectFile: { by: "07:00" }' }, 'zone: America/New_York')

  expect(own.from.expectFile).toEqual({ by: '07:00', zone: 'Europe/Berlin', days: [1, 5] })
  expect(shared.from.expectFile).toEqual({
    by: '07:00',
    zone: 'America/New_York',
    days: [1, 2, 3, 4, 5, 6, 7],
  })
})

test('folders are to be emptied within 30 days, or as a route says, or never', async () => {
  expect((await inbound({})).results.alertIfNotEmptiedMs).toBe(30 * DAY_MS)
  expect((await inbound({ results: ', alertIfNotEmptied: 3d' })).results.alertIfNotEmptiedMs).toBe(3 * DAY_MS)
  expect((await inbound({ results: ', alertIfNotEmptied: never' })).results).not.toHaveProperty(
    'alertIfNotEmptiedMs',
  )
  expect((await out('')).to.alertIfNotEmptiedMs).toBe(30 * DAY_MS)
})

test.each([
  [
    { from: ', expectFile: { by: "07:00" }' },
    'in.from.expectFile: says a time of day and no zone: add "zone: Europe/Berlin" (or yours), or one `zone` for the whole file',
  ],
  [
    { from: ', expectFile: { by: "7", zone: UTC }' },
    'in.from.expectFile.by: must be a time of day such as "07:00"',
  ],
  [
    { from: ', expectFile: { by: "07:00", zone: Mars }' },
    'in.from.expectFile.zone: must be the name of a time zone, such as Europe/Berlin or America/New_York',
  ],
  [
    { results: ', alertIfNotEmptied: 3h' },
    'in.results.alertIfNotEmptied: must be a number of days or weeks, such as 3d or 2w, or never',
  ],
])('%j is an error', async (parts, message) => {
  expect(await errorsOf(inbound(parts))).toEqual([message])
})
