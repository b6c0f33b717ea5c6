/** What the sender reads: one line per record with everything needed to correct it, and counts that add up. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileEntry } from '../../src/domain/file.ts'
import type { Mailbox } from '../../src/domain/mailbox.ts'
import { problem } from '../../src/domain/problem.ts'
import type { ReportedRecord } from '../../src/domain/record.ts'
import { formatFileRow, RESULT_COLUMNS, formatResultRow } from '../../src/pipeline/inbound/report.ts'
import { createSummary } from '../../src/pipeline/inbound/summary.ts'
import { parseCsv } from '../fixtures/csv.ts'
import { commandsOf } from '../fixtures/office.ts'
import { aWorld } from '../fixtures/world.ts'
import { ordersFile, sampleOrders } from '../samples/orders.ts'

const AT = Date.UTC(2026, 10, 21, 2, 15)

const record = (changes: Partial<ReportedRecord>): ReportedRecord => ({
  id: 1,
  number: 4,
  operation: 'create-order',
  lines: [
    [7, 7],
    [8, 9],
    [10, 10],
  ],
  keyValues: ['PO-4'],
  state: 'accepted',
  problems: [],
  warnings: [],
  attempts: 1,
  changedAt: AT,
  ...changes,
})

/** The row under its column names, without the empty cells. */
function filled(row: readonly string[], keyColumns = ['PO Number']): Record<string, string> {
  const names = [...keyColumns, ...RESULT_COLUMNS]
  expect(row).toHaveLength(names.length)
  return Object.fromEntries(
    names.map((name, index) => [name, row[index] ?? '']).filter(([, cell]) => cell !== ''),
  )
}

test('an accepted record is reported with its line, its number, its status and the id the API gave', () => {
  expect(filled(formatResultRow(record({ http: 201, apiId: '77' }), 1, { detailRows: false }))).toEqual({
    'PO Number': 'PO-4',
    _line: '7',
    _record: '4',
    _status: 'accepted',
    _http: '201',
    _id: '77',
    _attempts: '1',
    _at: '2026-11-21T02:15:00.000Z',
  })
})

test('a warning is reported and does not change the outcome of the record', () => {
  const warning = {
    ...problem('totals-disagree', { field: 'due_amount' }, 'It is odd.'),
    severity: 'warning',
  } as const

  expect(filled(formatResultRow(record({ warnings: [warning] }), 1, { detailRows: false }))).toMatchObject({
    _status: 'accepted',
    _code: 'totals-disagree',
    _message: expect.stringContaining('It is odd.') as string,
  })
})

test('all problems of a record are in one line, in the same order in each column, each fix once', () => {
  const problems = [
    problem(
      'integer-expected',
      { line: 7, column: 'Qty', field: 'order_lines[0].quantity' },
      '"two" is no number',
    ),
    problem(
      'integer-expected',
      { line: 8, column: 'Qty', field: 'order_lines[1].quantity' },
      '"x" is no number',
    ),
    problem('value-missing', { line: 7, column: 'City' }, 'City is blank', 'Fill in the city.'),
  ]

  expect(
    filled(formatResultRow(record({ state: 'rejected', problems }), 1, { detailRows: false })),
  ).toMatchObject({
    _code: 'integer-expected | integer-expected | value-missing',
    _field: 'order_lines[0].quantity | order_lines[1].quantity | City',
    _message:
      'line 7, column "Qty": "two" is no number | line 8, column "Qty": "x" is no number | line 7, column "City": City is blank',
    _fix: 'Write a whole number with digits only, such as 2. | Fill in the city.',
  })
})

test.each([
  ['order_lines[1].quantity', false, 8],
  ['order_lines[2].quantity', false, 10],
  ['order_lines[1].quantity', true, 10],
  ['order_lines[9].quantity', false, 7],
  ['ship_to.city', false, 7],
])(
  'a message of the API about %s is put on its line of the file (header row of its own: %s): line %i',
  (field, detailRows, line) => {
    const problems = [problem('api-refused', { field }, 'Not allowed.')]

    const row = filled(formatResultRow(record({ state: 'rejected', problems }), 1, { detailRows }))

    expect(row['_message']).toBe(`line ${line}, ${field}: Not allowed.`)
  },
)

test('a record without all its keys still has its cells in the right columns', () => {
  const row = filled(formatResultRow(record({ keyValues: [] }), 2, { detailRows: false }), [
    'PO Number',
    'Parcel',
  ])

  expect(row).toMatchObject({ _line: '7', _record: '4', _status: 'accepted' })
  expect(row).not.toHaveProperty('PO Number')
})

const FILE: FileEntry = {
  id: 'f',
  folder: 'inbox',
  name: 'orders.csv',
  size: 812,
  modifiedAt: AT,
  route: 'orders',
  state: 'submitted',
  outcome: 'processed',
  sha256: 'abc',
  problems: [],
  keyColumns: ['PO Number'],
  headerLines: 1,
  claimedAt: AT,
  receivedAt: AT,
  plannedAt: AT + 40,
  submittedAt: AT + 140,
}

test('a file that is a duplicate, or unusable, is reported in one line with the reason', () => {
  const repeated = [problem('file-repeated', {}, 'The same bytes came before as monday.csv.')]
  const empty = [problem('file-empty', {}, 'The file holds nothing but blank lines.')]

  expect(filled(formatFileRow({ ...FILE, outcome: 'duplicate', problems: repeated }), [])).toMatchObject({
    _status: 'duplicate',
    _code: 'file-repeated',
    _message: 'The same bytes came before as monday.csv.',
  })
  expect(filled(formatFileRow({ ...FILE, outcome: 'unusable', problems: empty }), [])).toMatchObject({
    _status: 'rejected',
    _code: 'file-empty',
    _fix: 'Have it sent with its rows. If there are none: dropbridge dismiss orders.csv --by NAME --why TEXT.',
  })
})

test('a route writes its results for a spreadsheet with a decimal comma where it says so; rejects stay as they came', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 5, orders: 4, damageEvery: 3 })
  Object.assign(world.configuration.routes[0] ?? {}, {
    results: { mailbox: 'exchange', folder: 'results', write: { delimiter: ';', byteOrderMark: true } },
  })
  await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)

  await world.run('orders')

  const results = await world.read('results/orders.csv.results.csv')
  expect(results).toMatch(/^\uFEFFPO Number;_line;_record;_status;/)
  expect(results).toContain(';accepted;201;')
  expect(await world.read('results/orders.csv.rejects.csv')).toMatch(/^\uFEFF?PO Number,/)
})

test('the summary counts records, rows, refused lines and codes, and they add up', () => {
  const summary = createSummary(
    {
      name: 'orders',
      party: { kind: 'retailer', id: 1000 },
      operation: 'create-order',
      folder: 'inbox',
      matches: () => true,
      archiveFolder: 'archive',
      resultsFolder: 'results',
      stableForMs: 0,
      lateAnswerMs: 0,
    },
    FILE,
  )
  summary.add(
    record({ warnings: [problem('totals-disagree', {}, 'odd'), problem('totals-disagree', {}, 'odd too')] }),
  )
  summary.add(record({ state: 'duplicate', lines: [[20, 20]] }))
  summary.add(
    record({
      state: 'rejected',
      problems: [problem('value-missing', {}, 'x'), problem('value-missing', {}, 'y')],
    }),
  )

  summary.add(
    record({ state: 'held', lines: [[30, 31]], problems: [problem('held-by-mapping', {}, 'Tell them.')] }),
  )
  summary.add(
    record({ state: 'held', lines: [[40, 40]], problems: [problem('outcome-unprovable', {}, 'lost')] }),
  )

  expect(
    summary.finish({
      refused: [[7, 10]],
      held: [
        [30, 31],
        [40, 40],
      ],
      warnings: [],
    }),
  ).toEqual({
    file: 'orders.csv',
    route: 'orders',
    operation: 'create-order',
    account: 'retailer/1000',
    outcome: 'processed',
    bytes: 812,
    sha256: 'abc',
    problems: [],
    records: { total: 5, accepted: 1, duplicate: 1, rejected: 1, held: 2 },
    rows: { total: 9, refused: 3, held: 2 },
    refusedLines: 4,
    heldLines: 3,
    heldFor: {
      'Tell them.': 1,
      'Nothing shows whether the record took effect.': 1,
    },
    codes: { 'value-missing': 2, 'held-by-mapping': 1, 'outcome-unprovable': 1 },
    warnings: { 'totals-disagree': 1 },
    receivedAt: '2026-11-21T02:15:00.000Z',
    finishedAt: '2026-11-21T02:15:00.140Z',
    milliseconds: { planning: 40, sending: 100 },
  })
})

test('the rejects of a file from an old Mac, with line feeds in its cells, are exactly the refused rows', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const orders = sampleOrders({ seed: 61, orders: 4, damageEvery: 0 })
  for (const order of orders) for (const row of order.rows) row['Gift Message'] = 'With love,\nGrandma'
  const second = orders[1]
  for (const row of second?.rows ?? []) row.Qty = 'many'
  const macFile = (some: typeof orders) => ordersFile(some).text.replaceAll('\r\n', '\r')
  await world.drop('inbox/orders', 'orders.csv', macFile(orders))

  const { exit } = await world.run('orders')

  expect(exit).toBe(2)
  expect(await world.read('results/orders.csv.rejects.csv')).toBe(macFile(second ? [second] : []))
  expect(world.service.counts().orders).toBe(3)
})

test('for an order that the API has from elsewhere, the fix warns of a second order', async () => {
  const world = await aWorld({ routes: ['orders'] })
  const file = ordersFile(sampleOrders({ seed: 61, orders: 1, damageEvery: 0 })).text
  await world.drop('inbox/orders', 'orders.csv', file)
  await world.run('orders')
  await rm(world.configuration.stateFolder, { recursive: true })
  await rm(join(world.folder, 'exchange'), { recursive: true })
  await world.drop('inbox/orders', 'orders.csv', file)
  await world.run('orders')

  const [row] = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect(row).toMatchObject({
    _code: 'api-refused',
    _fix: expect.stringMatching(
      /^If it is the same: dropbridge dismiss 'orders\/#\d+' --by NAME --why TEXT\. A new number makes a second record\.$/,
    ),
  })
  expect(world.service.counts().orders).toBe(1)
  const run = await commandsOf(world)
  const [, target = ''] = /dismiss '(.+)' --by/.exec(row?.['_fix'] ?? '') ?? []
  expect((await run('status')).out).toContain('records-rejected')
  expect((await run('dismiss', target, '--by', 'Ada', '--why', 'known')).exit).toBe(0)
  expect((await run('status')).out).not.toContain('records-rejected')
})

test('a refusal of the API without a message is reported with its status', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop(
    'inbox/orders',
    'orders.csv',
    ordersFile(sampleOrders({ seed: 61, orders: 1, damageEvery: 0 })).text,
  )
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: () => Promise.resolve({ certainty: 'answered', status: 422, body: undefined, text: '' }),
    }),
  })

  await bridge.run(['orders'], new AbortController().signal)
  await bridge.close()

  const [row] = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect(row).toMatchObject({ _status: 'rejected', _http: '422', _code: 'api-refused' })
  expect(row?.['_message']).toBe('line 2: HTTP 422, without a reason')
})

test('results that no name is free for are not lost: the run reports them and the file stays open', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop(
    'inbox/orders',
    'orders.csv',
    ordersFile(sampleOrders({ seed: 61, orders: 1, damageEvery: 0 })).text,
  )
  const full = (mailbox: Mailbox): Mailbox => ({ ...mailbox, giveName: () => Promise.resolve('occupied') })
  const bridge = await world.open({ mailbox: full })

  const { exit } = await bridge.run(['orders'], new AbortController().signal)
  const [file] = await bridge.journal.listUnfinishedFiles('orders')
  await bridge.close()

  expect(exit).toBe(74)
  expect(file?.state).toBe('submitted')
  expect((await world.run('orders')).exit).toBe(0)
  expect(world.service.counts().orders).toBe(1)
})

test('a signal while a file is planned stops the planning and loses nothing, and the next run sends it once', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop(
    'inbox/orders',
    'orders.csv',
    ordersFile(sampleOrders({ seed: 62, orders: 30, damageEvery: 0 })).text,
  )
  const stop = new AbortController()
  const bridge = await world.open({
    journal: (journal) => ({
      ...journal,
      startPlanning: (lease, id) => {
        stop.abort()
        return journal.startPlanning(lease, id)
      },
    }),
  })

  const { routes } = await bridge.run(['orders'], stop.signal)
  const [left] = await bridge.journal.listUnfinishedFiles('orders')
  await bridge.close()
  const before = world.service.counts().orders
  const { exit } = await world.run('orders')

  expect(routes).toMatchObject([{ kind: 'failed', failure: { code: 'interrupted' } }])
  expect(left?.state).toBe('received')
  expect(before).toBe(0)
  expect(exit).toBe(0)
  expect(world.service.counts().orders).toBe(30)
})

test('attempts that a stop took back before their requests are not counted in the results', async () => {
  const world = await aWorld({ routes: ['orders'] })
  await world.drop(
    'inbox/orders',
    'orders.csv',
    ordersFile(sampleOrders({ seed: 65, orders: 60, damageEvery: 0 })).text,
  )
  const stop = new AbortController()
  let sent = 0
  const bridge = await world.open({
    api: (api) => ({
      ...api,
      send: (call) => {
        sent += 1
        if (sent === 12) stop.abort()
        return api.send(call)
      },
    }),
  })

  await bridge.run(['orders'], stop.signal)
  const [left] = await bridge.journal.listUnfinishedFiles('orders')
  const reported = await bridge.journal.listReportedRecords(left?.id ?? '', 0, 100)
  await bridge.close()
  await world.run('orders')

  expect(reported.filter(({ state, attempts }) => state === 'planned' && attempts > 0)).not.toEqual([])
  expect(sent).toBeLessThan(60)
  const rows = parseCsv(await world.read('results/orders.csv.results.csv'))
  expect(rows).toHaveLength(60)
  expect(new Set(rows.map((row) => `${row['_status']} ${row['_attempts']}`))).toEqual(new Set(['accepted 1']))
})

test('a reader that takes only the results gets those of the next file of the name once, beside its summary', async () => {
  const world = await aWorld({ routes: ['orders'] })
  for (const seed of [63, 64]) {
    const orders = sampleOrders({ seed, orders: 2, damageEvery: 0, firstNumber: seed * 100 })
    await world.drop('inbox/orders', 'orders.csv', ordersFile(orders).text)
    await world.run('orders')
    if (seed === 63) await rm(join(world.folder, 'exchange/results/orders.csv.results.csv'))
  }

  expect(await world.list('results')).toEqual([
    'orders.csv.summary.json',
    'orders.csv~2.results.csv',
    'orders.csv~2.summary.json',
  ])
})
