/** The reading pages over a journal with many records: what SQLite reads for them, what they weigh, and, printed, how long they take. */
import { brotliDecompressSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ConsoleContext } from '../../src/app/console/context.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { openJournal, openJournalToRead } from '../../src/journal/open.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import type { Page } from '../../src/web/page.ts'
import { PAGES } from '../../src/web/pages.ts'
import { decisionsPage } from '../../src/web/pages/decisions.ts'
import { deliveriesPage, deliveryPage } from '../../src/web/pages/deliveries.ts'
import { filePage, filesPage } from '../../src/web/pages/files.ts'
import { proofPage } from '../../src/web/pages/proof.ts'
import { orderPage, recordPage } from '../../src/web/pages/records.ts'
import { reportsPage } from '../../src/web/pages/reports.ts'
import { routesPage } from '../../src/web/pages/routes.ts'
import { clocksPage } from '../../src/web/pages/clocks.ts'
import { todayPage } from '../../src/web/pages/today.ts'
import { searchPage } from '../../src/web/pages/search.ts'
import { type Asked, visit } from '../fixtures/console.ts'
import { fillJournal, RECORDS_IN_A_FILE, sumAcceptedCents } from '../fixtures/full-journal.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { testClock } from '../suites/journal.suite.ts'
import { aConsole } from './harness.ts'

const RECORDS = Number(process.env['CONSOLE_RECORDS'] ?? 200_000)
const FILES = RECORDS / RECORDS_IN_A_FILE

/** Takes the first or last entry of an index and steps on from there; or compares the first 2000 entries of each index. */
const BOUNDED =
  /^\s*(with recursive lanes\b|select distinct name from|select id as event, hash from events where true order by id desc limit 1|select at, not exists \(select 1 from files\)[^]* from events order by id limit 1$)/

const BIG = /^SCAN (records|bodies|attempts|events)\b/

test('the reading pages scan no table of records, however many there are', { timeout: 300_000 }, async () => {
  const path = `${await tempFolder()}/journal.db`
  const clock = testClock()
  await (await openJournal({ path, clock })).close()
  const filled = openDatabase(path, {})
  onTestFinished(() => void filled.close())
  fillJournal(filled, RECORDS)

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
  expect((await search('search, other case', 'hv-1900')).how).toBe('exact')
  expect((await search('search, prefix', 'hv-')).how).toBe('prefix')
  expect((await search('search, nothing', 'XV-1')).how).toBe('nothing')
  expect((await open('deliveries', deliveriesPage))?.total.count).toBe(Math.min(FILES, 10_000))
  expect((await open('delivery', deliveryPage, { params: { id: 'd77' } }))?.page).toHaveLength(1)
  expect((await open('decisions', decisionsPage))?.total.count).toBe(FILES)
  await open('routes', routesPage)
  await open('today', todayPage)
  await open('orders by their deadlines', clocksPage)
  const report = await open('report of a day', reportsPage, { query: { day: '1970-02-01' } })
  const ofDay = report!.rows.filter(({ direction }) => direction === 'incoming')
  const add = (read: (row: (typeof ofDay)[number]) => number) =>
    ofDay.reduce((sum, row) => sum + read(row), 0)
  expect(add(({ records }) => records)).toBeGreaterThan(RECORDS / 100)
  expect(sumCents(ofDay)).toBe(sumAcceptedCents(RECORDS, { from: Date.UTC(1970, 1, 1), ms: 86_400_000 }))
  await open('report of a week', reportsPage, { query: { day: '1970-02-01', span: 'week' } })
  // A month takes seconds, so it must leave other pages their turns.
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const ofMonth = await open('report of a month', reportsPage, {
    query: { day: '1970-02-01', span: 'month' },
  })
  expect(sumCents(ofMonth!.rows.filter(({ direction }) => direction === 'incoming'))).toBe(
    sumAcceptedCents(RECORDS, { from: Date.UTC(1970, 1, 1), ms: 28 * 86_400_000 }),
  )
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

function sumCents(rows: readonly { readonly amount?: string }[]): bigint {
  return rows.reduce((sum, { amount = '' }) => sum + BigInt(amount.replace('.', '')), 0n)
}

/** With the style sheet, the script and the icon, as a first visit loads them. */
const PAGE_MAX_BYTES = 60 * 1024

test(
  'no page weighs more than 60 KB with all it loads, as it is sent, nor 120 KB unpacked',
  { timeout: 300_000 },
  async () => {
    const clock = testClock()
    clock.advance(91 * 86_400_000)
    const console = await aConsole({ clock })
    const { path } = console.configuration.journal
    const filled = openDatabase(path, {})
    fillJournal(filled, 50_000)
    filled.close()
    const { journal } = await console.opened.getContext()
    const [file] = await journal.listFiles({}, undefined, 1)
    const [delivery] = await journal.listDeliveries({}, undefined, 1)
    const [decision] = await journal.listAllDecisions(undefined, 1)
    const values: Readonly<Record<string, string | number | undefined>> = {
      files: file?.id,
      deliveries: delivery?.id,
      decisions: decision?.id,
      records: 19_001,
      orders: 'HV-19001',
      routes: 'orders',
    }
    const weigh = async (url: string) => {
      const { statusCode, headers, rawPayload } = await console.get(url, 'admin', {
        'accept-encoding': 'gzip, deflate, br',
      })
      const isPacked = headers['content-encoding'] === 'br'
      const unpacked = isPacked ? brotliDecompressSync(rawPayload) : rawPayload
      return { statusCode, sent: rawPayload.length, unpacked: unpacked.length }
    }
    const { body } = await console.get('/', 'admin')
    const assets = await Promise.all(
      [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, url = '']) => weigh(url)),
    )
    expect(assets).toHaveLength(3)
    const ofAssets = assets.reduce((sum, { sent }) => sum + sent, 0)
    const heavy: string[] = []
    let shown = 0
    for (const { path: page } of PAGES) {
      const url = page.replaceAll(
        /^\/(\w+)\/:\w+/g,
        (_, name: string) => `/${name}/${values[name] ?? 'none'}`,
      )
      for (const query of ['', '?q=hv-1900', '?day=1970-02-01&span=month']) {
        const { statusCode, sent, unpacked } = await weigh(url.replaceAll(/:\w+/g, 'none') + query)
        if (statusCode === 200) shown++
        if (ofAssets + sent > PAGE_MAX_BYTES || unpacked > 120 * 1024)
          heavy.push(`${url}${query}: ${sent} bytes, unpacked ${unpacked}`)
      }
    }
    expect(shown).toBeGreaterThan(40)
    expect(heavy).toEqual([])
  },
)
