/** The reading pages over a journal with many records: what SQLite reads for them, and, printed, how long they take. */
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ConsoleContext } from '../../src/app/console/context.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { digestPlannedRecords } from '../../src/journal/event-detail.ts'
import { hashEvent } from '../../src/journal/events.ts'
import { openJournal, openJournalToRead } from '../../src/journal/open.ts'
import { type Database, openDatabase } from '../../src/support/sqlite.ts'
import type { Page } from '../../src/web/page.ts'
import { decisionsPage } from '../../src/web/pages/decisions.ts'
import { deliveriesPage, deliveryPage } from '../../src/web/pages/deliveries.ts'
import { filePage, filesPage } from '../../src/web/pages/files.ts'
import { proofPage } from '../../src/web/pages/proof.ts'
import { orderPage, recordPage } from '../../src/web/pages/records.ts'
import { reportsPage } from '../../src/web/pages/reports.ts'
import { routesPage } from '../../src/web/pages/routes.ts'
import { searchPage } from '../../src/web/pages/search.ts'
import { type Asked, visit } from '../fixtures/console.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { testClock } from '../suites/journal.suite.ts'

const RECORDS_IN_A_FILE = 250
const RECORDS = Number(process.env['CONSOLE_RECORDS'] ?? 200_000)
const FILES = RECORDS / RECORDS_IN_A_FILE

/** They come in the course of 90 days. */
const FILE_MS = Math.floor((90 * 86_400_000) / FILES)

/** Every tenth record is refused; every file is exported as one delivery; every file has a decision. */
const FILLING = `
  with recursive n (n) as (select 1 union all select n + 1 from n where n < ${FILES})
  insert into files (number, id, route, folder, name, size, modified_at, state, outcome, claimed_at, received_at,
    planned_at, submitted_at, closed_at, archived_as, report_name)
  select n, 'f' || n, 'orders-' || (n % 10), 'inbox', 'orders-' || n || '.csv', 99999999, n, 'closed', 'processed',
    n * ${FILE_MS}, n * ${FILE_MS}, n * ${FILE_MS}, n * ${FILE_MS}, n * ${FILE_MS}, 'archive/' || n, 'orders-' || n || '.csv' from n;

  with recursive n (n) as (select 1 union all select n + 1 from n where n < ${RECORDS})
  insert into records (id, direction, route, file_id, number, operation, account, natural_key, owns_key, body_hash, lane,
    lines, key_values, state, http, api_id, problems, attempts, changed_at)
  select n, 'incoming', 'orders-' || (((n - 1) / ${RECORDS_IN_A_FILE} + 1) % 10), 'f' || ((n - 1) / ${RECORDS_IN_A_FILE} + 1),
    (n - 1) % ${RECORDS_IN_A_FILE} + 1, 'create-order', 'retailer/1000',
    iif(n % 10 = 0, null, 'HV-' || n), n % 10 <> 0, 'x', 'HV-' || n,
    '[[' || (n % ${RECORDS_IN_A_FILE} + 2) || ',' || (n % ${RECORDS_IN_A_FILE} + 2) || ']]', '["HV-' || n || '"]',
    iif(n % 10 = 0, 'rejected', 'accepted'), 201, iif(n % 10 = 0, null, n),
    iif(n % 10 = 0, '[{"code":"province-unknown","message":"m","fix":"f","place":{"line":2,"column":"State"}}]', '[]'),
    1, n from n;

  insert into bodies (record_id, body)
  select id, '{"purchase_order_number":"' || lane || '","ship_to":{"name1":"Ada","street1":"1 Long Road","city":"Reno"},
    "order_lines":[{"order_line_number":"1","quantity":2,"net_price":"12.50","price":"20.00","variant":{"upc":"0123"}},
    {"order_line_number":"2","quantity":1,"net_price":"0.99","price":"2.00","variant":{"upc":"0124"}}]}' from records where owns_key = 1;
  insert into attempts (record_id, attempt, began_at, ended_at, http, result)
  select id, 1, id, id, 201, state from records where owns_key = 1;

  insert into deliveries (id, route, sequence, folder, name, sha256, rows, records, state, composed_at, delivered_at)
  select 'd' || number, 'out', number, 'outbox', 'out-' || number || '.csv', 'x', 1, 1, 'done', number * ${FILE_MS}, number * ${FILE_MS}
  from files;
  insert into records (direction, route, delivery_id, number, operation, account, owns_key, lines, key_values, state,
    api_id, problems, attempts, changed_at)
  select 'outgoing', 'out', 'd' || number, 1, 'export-orders', 'brand/7', 0, '[]', '[]', 'exported', number, '[]', 0, number
  from files;

  insert into decisions (file_id, action, decided_by, why, decided_at, records)
  select id, 'release', 'Ada', 'asked', number, 1 from files;
  insert into decided_records (record_id, decision_id)
  select (decisions.id - 1) * ${RECORDS_IN_A_FILE} + 1, decisions.id from decisions;`

/** The chain as a bridge would have written it: a plan of each file, and its attempts and answers in batches of 25. */
function fillChain(database: Database): void {
  const insert = database.prepare(
    'insert into events (id, at, kind, route, subject, detail, hash) values (?, ?, ?, ?, ?, ?, ?)',
  )
  const first = database.prepare('select id, hash from events order by id desc limit 1').get() as {
    id: number
    hash: string
  }
  let [id, hash] = [first.id, first.hash]
  const append = (
    file: number,
    kind: 'records-planned' | 'attempts-started' | 'records-answered',
    detail: object,
  ) => {
    const row = {
      id: ++id,
      at: file * FILE_MS,
      kind,
      route: `orders-${file % 10}`,
      subject: `f${file}`,
      detail: JSON.stringify(detail),
    }
    hash = hashEvent(hash, row)
    insert.run(row.id, row.at, row.kind, row.route, row.subject, row.detail, hash)
  }
  for (let file = 1; file <= FILES; file++) {
    const ids = Array.from(
      { length: RECORDS_IN_A_FILE },
      (_, index) => (file - 1) * RECORDS_IN_A_FILE + index + 1,
    )
    const [accepted, rejected] = [true, false].map((isGood) =>
      ids.filter((each) => (each % 10 !== 0) === isGood),
    )
    const records = ids.map((n, index) => {
      const key = n % 10 === 0 ? null : `HV-${n}`
      return {
        number: index + 1,
        operation: 'create-order',
        account: 'retailer/1000',
        naturalKey: key,
        bodyHash: 'x',
      }
    })
    append(file, 'records-planned', {
      records: [
        { state: 'planned', ids: accepted },
        { state: 'rejected', ids: rejected },
      ],
      planned: { ids: [[ids[0], ids.at(-1)]], ...digestPlannedRecords(`f${file}`, records) },
    })
    for (let at = 0; at < accepted!.length; at += 25) {
      const batch = accepted!.slice(at, at + 25)
      append(file, 'attempts-started', { records: [{ state: 'sending', ids: batch }] })
      append(file, 'records-answered', {
        records: [{ state: 'accepted', ids: batch, http: 201, api: batch.map(String) }],
      })
    }
  }
}

/** Takes the first or last entry of an index and steps on from there; or compares the first 2000 entries of each index. */
const BOUNDED =
  /^\s*(with recursive lanes\b|select distinct name from|select id as event, hash from events where true order by id desc limit 1)/

const BIG = /^SCAN (records|bodies|attempts|events)\b/

test('the reading pages scan no table of records, however many there are', { timeout: 300_000 }, async () => {
  const path = `${await tempFolder()}/journal.db`
  const clock = testClock()
  await (await openJournal({ path, clock })).close()
  const filled = openDatabase(path, {})
  onTestFinished(() => void filled.close())
  for (const statement of FILLING.split(';\n')) filled.exec(statement)
  filled.exec('begin')
  fillChain(filled)
  filled.exec('commit')

  const database = Object.getPrototypeOf(filled) as { prepare: (sql: string) => unknown }
  const prepare = vi.spyOn(database, 'prepare')
  onTestFinished(() => prepare.mockRestore())
  const { journal } = await openJournalToRead({ path, clock })
  onTestFinished(() => journal.close())
  const configuration = { routes: [], mailboxes: {} } as unknown as Configuration
  const context: ConsoleContext = { journal, clock, configuration }
  const times: string[] = []
  const open = async <Data>(what: string, page: Page<Data>, asked: Asked = {}) => {
    const taken: number[] = []
    let found = await visit(context, page, asked)
    for (let turn = 0; turn < 5; turn++) {
      const began = performance.now()
      found = await visit(context, page, asked)
      taken.push(performance.now() - began)
    }
    const [, , median = 0] = taken.toSorted((one, other) => one - other)
    times.push(`${what}: ${median.toFixed(1)} ms (first ${(taken[0] ?? 0).toFixed(1)})`)
    return found?.data
  }

  const files = await open('files', filesPage)
  expect(files?.total).toEqual({ count: Math.min(FILES, 10_000), isMore: FILES > 10_000 })
  const troubled = await open('files with trouble', filesPage, { query: { outcome: 'trouble' } })
  expect(troubled?.total.count).toBe(Math.min(FILES, 10_000))
  const named = await open('files by name', filesPage, { query: { name: 'orders-77' } })
  expect(named?.files.every(({ name }) => name.includes('orders-77'))).toBe(true)
  await open('files, page 10', filesPage, { query: { after: `f${FILES - 450}` } })
  const file = await open('file', filePage, { params: { id: 'f77' } })
  expect(file?.records).toEqual({ accepted: 225, rejected: 25 })
  expect(file?.reasons).toMatchObject([{ code: 'province-unknown', column: 'State', records: 25 }])
  expect(file?.page.slice(0, 25).every(({ state }) => state === 'rejected')).toBe(true)
  const record = await open('record', recordPage, { params: { n: '19001' } })
  expect(record?.record).toMatchObject({ key: 'HV-19001', timesSent: 1, timesEffective: 1 })
  for (const n of ['19001', String(RECORDS - 9), String(RECORDS - 50_009)]) {
    const proof = await open(`proof of record ${n}`, proofPage, { params: { n } })
    // The bodies of this journal are not those of their hashes.
    expect(proof?.chain.findings.map(({ message }) => message)).toEqual([
      `record ${n}: its body is not what was planned`,
    ])
    expect(proof?.chain.isFromItsFirstEvent).toBe(true)
    expect(proof?.steps).toHaveLength(3)
  }
  expect((await open('order', orderPage, { params: { key: 'HV-19001' } }))?.records).toHaveLength(1)
  const search = async (what: string, q: string) => (await open(what, searchPage, { query: { q } }))!
  expect((await search('search, accepted', 'HV-19001')).only).toBe('/records/19001')
  expect((await search('search, refused', 'HV-19000')).only).toBe('/records/19000')
  expect((await search('search, file', 'orders-77.csv')).only).toBe('/files/f77')
  expect((await search('search, row', 'orders-77.csv:3')).only).toMatch(/^\/records\//)
  expect((await search('search, prefix', 'hv-1900')).how).toBe('prefix')
  expect((await search('search, nothing', 'XV-1')).how).toBe('nothing')
  expect((await open('deliveries', deliveriesPage))?.total.count).toBe(Math.min(FILES, 10_000))
  expect((await open('delivery', deliveryPage, { params: { id: 'd77' } }))?.page).toHaveLength(1)
  expect((await open('decisions', decisionsPage))?.total.count).toBe(FILES)
  await open('routes', routesPage)
  const report = await open('report of a day', reportsPage, { query: { day: '1970-02-01' } })
  const ofDay = report!.rows.filter(({ direction }) => direction === 'incoming')
  const add = (read: (row: (typeof ofDay)[number]) => number) =>
    ofDay.reduce((sum, row) => sum + read(row), 0)
  expect(add(({ records }) => records)).toBeGreaterThan(RECORDS / 100)
  expect(add(({ amount }) => Number(amount?.replace('.', '')))).toBe(
    add(({ states }) => states.accepted ?? 0) * 2599,
  )
  await open('report of a week', reportsPage, { query: { day: '1970-02-01', span: 'week' } })
  // A month takes seconds, so it must leave other pages their turns.
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await open('report of a month', reportsPage, { query: { day: '1970-02-01', span: 'month' } })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(RECORDS / 10_000)
  process.stdout.write(`${RECORDS} records, ${FILES} files\n${times.join('\n')}\n`)

  const statements = [...new Set(prepare.mock.calls.map(([sql]) => sql))].filter((sql) =>
    /^\s*(select|with)\b/i.test(sql),
  )
  prepare.mockRestore()
  expect(statements.length).toBeGreaterThan(20)
  const scans = statements
    .filter((sql) => !BOUNDED.test(sql))
    .flatMap((sql) => {
      const blanks = Array.from({ length: sql.split('?').length - 1 }, () => null)
      const plan = filled.prepare(`explain query plan ${sql}`).all(...blanks) as { detail: string }[]
      return plan.filter(({ detail }) => BIG.test(detail)).map(({ detail }) => `${detail}: ${sql}`)
    })
  expect(scans).toEqual([])
})
