/** A million records: what each page asks SQLite, how many rows that gives, and amounts that are exact before and after pruning. */
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ConsoleContext } from '../../src/app/console/context.ts'
import { readReport } from '../../src/app/console/reports.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { openJournal, openJournalToRead } from '../../src/journal/open.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import { PAGES } from '../../src/web/pages.ts'
import { visit } from '../fixtures/console.ts'
import { fillJournal, sumAcceptedCents } from '../fixtures/full-journal.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { testClock } from '../suites/journal.suite.ts'

const RECORDS = Number(process.env['CONSOLE_RECORDS'] ?? 1_000_000)

/** Of one page; the most has the list of files, with the counts of each. */
const STATEMENTS_MAX = 400

/** Where nothing is found, the first 2,000 names of each index are compared; every other page has a tenth of these rows. */
const ROWS_MAX = 8_000

/** What a page of each kind is about. */
const VALUES: Readonly<Record<string, string>> = {
  files: 'f77',
  deliveries: 'd77',
  decisions: '77',
  records: '19001',
  orders: 'HV-19001',
  routes: 'orders-1',
}

/** Pages whose work grows with their time, or that read the whole journal. */
const NOT_BOUNDED = ['/reports']

interface Asked {
  statements: number
  rows: number
  readonly sql: Set<string>
}

interface Statement {
  readonly source: string
  all(...values: unknown[]): unknown[]
  get(...values: unknown[]): unknown
  iterate(...values: unknown[]): IterableIterator<unknown>
}

/** Counts the statements of this process and the rows that they return. */
function countStatements(statement: Statement) {
  const proto = Object.getPrototypeOf(statement) as Statement
  const { all, get, iterate } = proto
  const asked: Asked = { statements: 0, rows: 0, sql: new Set() }
  const note = (own: Statement, rows: number) => {
    asked.statements++
    asked.rows += rows
    asked.sql.add(own.source)
  }
  vi.spyOn(proto, 'all').mockImplementation(function (this: Statement, ...values) {
    const rows = all.apply(this, values)
    note(this, rows.length)
    return rows
  })
  vi.spyOn(proto, 'get').mockImplementation(function (this: Statement, ...values) {
    const row = get.apply(this, values)
    note(this, row === undefined ? 0 : 1)
    return row
  })
  vi.spyOn(proto, 'iterate').mockImplementation(function* (this: Statement, ...values) {
    note(this, 0)
    for (const row of iterate.apply(this, values)) {
      asked.rows++
      yield row
    }
  })
  return {
    take: (): Asked => {
      const taken = { ...asked, sql: new Set(asked.sql) }
      Object.assign(asked, { statements: 0, rows: 0 })
      asked.sql.clear()
      return taken
    },
  }
}

async function aFullJournal() {
  const path = `${await tempFolder()}/journal.db`
  const clock = testClock()
  await (await openJournal({ path, clock })).close()
  const filled = openDatabase(path, {})
  onTestFinished(() => void filled.close())
  fillJournal(filled, RECORDS)
  const { journal } = await openJournalToRead({ path, clock })
  onTestFinished(() => journal.close())
  const configuration = { routes: [], mailboxes: {} } as unknown as Configuration
  return { path, clock, filled, context: { journal, clock, configuration } satisfies ConsoleContext }
}

/** Takes the first or last entry of an index, or steps on from there. */
const BOUNDED =
  /^\s*(with recursive lanes\b|select distinct name from|select id as event, hash from events where true order by id desc limit 1|select at, not exists [^]* from events order by id limit 1$)/

/** An index of the few records whose outcome is unknown is read as a whole. */
const BIG = /^SCAN (records|bodies|attempts|events)\b(?! USING COVERING INDEX records_uncertain$)/

function sumCents(rows: readonly { readonly direction: string; readonly amount?: string }[]): bigint {
  const own = rows.filter(({ direction }) => direction === 'incoming')
  return own.reduce((sum, { amount = '0' }) => sum + BigInt(amount.replace('.', '')), 0n)
}

const FEBRUARY = { span: 'month', day: '1970-02-01', zone: 'UTC' } as const

test('at a million records each page asks few statements, gets few rows, and scans no table of records', async () => {
  const { filled, context, path, clock } = await aFullJournal()
  const counted = countStatements(filled.prepare('select 1') as unknown as Statement)
  onTestFinished(() => void vi.restoreAllMocks())
  const tooMuch: string[] = []
  const all = new Set<string>()
  let shown = 0
  for (const page of PAGES) {
    const section = page.path.split('/')[1] ?? ''
    const name = /:(\w+)/.exec(page.path)?.[1] ?? ''
    const params = { [name]: VALUES[section] ?? 'none' }
    for (const query of [{}, { q: 'hv-1900', name: 'orders-77', state: 'rejected', after: 'rest-100' }]) {
      counted.take()
      const found = await visit(context, page as (typeof PAGES)[number], {
        params,
        query,
        role: 'admin',
      }).catch(() => undefined)
      const { statements, rows, sql } = counted.take()
      for (const each of sql) all.add(each)
      if (found !== undefined) shown++
      const isFew = statements <= STATEMENTS_MAX && rows <= ROWS_MAX
      if (!isFew && !NOT_BOUNDED.includes(page.path))
        tooMuch.push(`${page.path} ${JSON.stringify(query)}: ${statements} statements, ${rows} rows`)
    }
  }
  expect(shown).toBeGreaterThan(30)
  expect(tooMuch).toEqual([])
  vi.restoreAllMocks()
  expect(all.size).toBeGreaterThan(30)
  const scans = [...all]
    .filter((sql) => /^\s*(select|with)\b/i.test(sql) && !BOUNDED.test(sql))
    .flatMap((sql) => {
      const blanks = Array.from({ length: sql.split('?').length - 1 }, () => null)
      const plan = filled.prepare(`explain query plan ${sql}`).all(...blanks) as { detail: string }[]
      return plan.filter(({ detail }) => BIG.test(detail)).map(({ detail }) => `${detail}: ${sql}`)
    })
  expect(scans).toEqual([])

  const expected = sumAcceptedCents(RECORDS, { from: Date.UTC(1970, 1, 1), ms: 28 * 86_400_000 })
  const before = await readReport(context, FEBRUARY)
  expect(sumCents(before.rows)).toBe(expected)
  const writing = await openJournal({ path, clock })
  await writing.prune({ before: clock.now() + 1, signal: new AbortController().signal })
  await writing.close()
  expect(filled.prepare(`select count(*) from bodies where body <> '{}'`).pluck().get()).toBe(0)
  const after = await readReport(context, FEBRUARY)
  expect(after.rows).toEqual(before.rows)
  expect(sumCents(after.rows)).toBe(expected)
}, 600_000)
