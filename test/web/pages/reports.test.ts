/** Reports: their numbers are those of the journal, of `status` and of `activity`; days of the zone; and the download. */
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sumActivity } from '../../../src/app/activity.ts'
import type { ConsoleContext } from '../../../src/app/console/context.ts'
import { createReportCounts } from '../../../src/app/console/report-counts.ts'
import { formatReport, readReport, type Report, type ReportRow } from '../../../src/app/console/reports.ts'
import type { RecordState } from '../../../src/domain/record.ts'
import { openJournal, openJournalToRead } from '../../../src/journal/open.ts'
import { openDatabase } from '../../../src/support/sqlite.ts'
import { reportsPage } from '../../../src/web/pages/reports.ts'
import { aFinishedMonth, aRequest, lookAt, visit } from '../../fixtures/console.ts'
import { parseCsv } from '../../fixtures/csv.ts'
import { commandsOf } from '../../fixtures/office.ts'
import { history, live, type Look, order, type Order } from '../../fixtures/histories.ts'
import { planFile, planned, receiveFile, START, testClock } from '../../suites/journal.suite.ts'
import { aConsole } from '../harness.ts'

const DAY_MS = 86_400_000
const NEW_YORK = 'America/New_York'

const countStates = (rows: readonly ReportRow[]) => {
  const sum = { records: 0, sent: 0, corrected: 0, states: {} as Partial<Record<RecordState, number>> }
  for (const { records, sent, corrected, states } of rows) {
    sum.records += records
    sum.sent += sent
    sum.corrected += corrected
    for (const [state, count] of Object.entries(states) as [RecordState, number][])
      sum.states[state] = (sum.states[state] ?? 0) + count
  }
  return sum
}

test('a day has the counts of status and the amounts of activity, in and out', async () => {
  const world = await aFinishedMonth()
  const context = await lookAt(world)
  const page = await visit(context, reportsPage, { role: 'viewer' })
  const { rows, reasons } = page!.data
  const of = (route: string) => rows.find((row) => row.route === route)
  expect(of('orders')).toMatchObject({
    files: 1,
    records: 4,
    sent: 3,
    acceptedFirst: 3,
    corrected: 0,
    unknown: 0,
  })
  expect(of('orders')?.slowest?.record).toBeGreaterThan(0)
  expect(of('orders-out')).toMatchObject({ direction: 'outgoing', files: 1, records: 3, acceptedFirst: 3 })
  expect(reasons).toMatchObject([{ route: 'orders', records: 1 }])

  const range = { from: world.clock.now() - DAY_MS, to: world.clock.now() + DAY_MS }
  const activity = await sumActivity(context.journal, world.configuration, range)
  expect(activity.filter(({ amount }) => amount !== undefined).length).toBeGreaterThan(2)
  for (const { route, direction, operation, party, files, records, amount, unknown } of activity) {
    const row = rows.find((each) => each.route === route && each.direction === direction)
    expect(row, route).toMatchObject({ operation, party, files, records, unknown })
    expect(row?.amount, route).toBe(amount)
  }
  const { out } = await (await commandsOf(world))('status', '--json')
  const { routes } = JSON.parse(out) as { routes: { route: string; incoming: object; outgoing: object }[] }
  for (const { route, incoming, outgoing } of routes)
    expect(countStates(rows.filter((row) => row.route === route)).states, route).toEqual({
      ...incoming,
      ...outgoing,
    })
  expect(page?.text).toContain('Files that came')
  expect(page?.text).toContain('Files that went out')
  expect(page?.text).toContain('An order counts with its net price, which the supplier is paid')
  expect(page?.html).toContain(`href="/records/${of('orders')?.slowest?.record}"`)
})

const pruneAll = async (world: Awaited<ReturnType<typeof aFinishedMonth>>) => {
  const bridge = await world.open()
  await bridge.journal.prune({ before: world.clock.now() + 1, signal: new AbortController().signal })
  await bridge.close()
}

/** As the journal of an older version has it: without amounts beside the bodies. */
const loseAmounts = ({ configuration }: Awaited<ReturnType<typeof aFinishedMonth>>) => {
  const database = openDatabase(configuration.journal.path)
  const { changes } = database.prepare('update bodies set cents = null where cents is not null').run()
  database.close()
  return changes
}

test.each([
  ['of this version', false],
  ['that an older version wrote', true],
])('after pruning a journal %s, counts and amounts stay', async (_, isOld) => {
  const world = await aFinishedMonth()
  const before = (await visit(await lookAt(world), reportsPage))?.data
  expect(before?.rows.filter(({ amount = '0.00' }) => amount !== '0.00').length).toBeGreaterThan(3)
  const lost = isOld ? loseAmounts(world) : 0
  expect(lost > 6).toBe(isOld)
  expect((await visit(await lookAt(world), reportsPage))?.data.rows).toEqual(before?.rows)
  await pruneAll(world)
  const page = await visit(await lookAt(world), reportsPage)
  expect(page?.data.rows).toEqual(before?.rows)
  expect(page?.data.unsummed).toBeUndefined()
  const database = openDatabase(world.configuration.journal.path, { readonly: true })
  expect(database.prepare("select count(*) from bodies where body <> '{}'").pluck().get()).toBe(0)
  database.close()
})

test('the page says which part of the time has no amounts, where they were pruned without them', async () => {
  const world = await aFinishedMonth()
  const before = (await visit(await lookAt(world), reportsPage))?.data
  expect(before?.unsummed).toBeUndefined()
  const whole = before?.rows.find(({ route }) => route === 'orders')
  await pruneAll(world)
  loseAmounts(world)
  const page = await visit(await lookAt(world), reportsPage)
  const orders = page?.data.rows.find(({ route }) => route === 'orders')
  expect(orders).toMatchObject({ records: whole?.records, acceptedFirst: 3, amount: '0.00', unknown: 3 })
  expect(page?.data.unsummed?.records).toBeGreaterThanOrEqual(3)
  expect(page?.data.unsummed?.until).toBeGreaterThan(0)
  expect(page?.text).toContain('The amounts lack')
  expect(page?.text).toContain('their contents were pruned')
  expect(page?.data.rows.map(({ files, records }) => [files, records])).toEqual(
    before?.rows.map(({ files, records }) => [files, records]),
  )
})

// Random histories.

async function readDays(context: ConsoleContext, zone: string): Promise<Report[]> {
  const reports: Report[] = []
  let day: string | undefined
  for (let count = 0; count < 14; count++) {
    const report: Report = await readReport(context, { span: 'day', zone, ...(day !== undefined && { day }) })
    reports.push(report)
    day = report.previous
  }
  return reports
}

interface RecordRow {
  readonly state: string
  readonly attempts: number
  readonly corrected: number
  readonly at: number
  readonly name: string
  readonly body: string | null
  readonly answered_at: number | null
}

function readRecords(path: string): RecordRow[] {
  const database = openDatabase(path, { readonly: true })
  const records = database
    .prepare(
      `select records.state, records.attempts, records.corrected, files.received_at as at, files.name, body,
        (select max(ended_at) from attempts where record_id = records.id and http is not null) as answered_at
      from records join files on files.id = records.file_id left join bodies on bodies.record_id = records.id`,
    )
    .all() as RecordRow[]
  database.close()
  return records
}

/** As SQL says it, record by record, with sums of decimals made by hand. */
function countByHand(records: readonly RecordRow[], report: Report) {
  const zoneOf = new Intl.DateTimeFormat('sv-SE', { timeZone: report.zone, dateStyle: 'short' })
  const own = records.filter(({ at }) => zoneOf.format(at) === report.from)
  const good = own.filter(({ state }) => state === 'accepted')
  let cents = 0n
  let unknown = 0
  for (const { body } of good) {
    const { order_lines } = JSON.parse(body ?? '') as {
      order_lines: { quantity: number; net_price?: string; part?: number }[]
    }
    const counted = order_lines.filter(({ part = 1 }) => part <= 1)
    if (counted.some(({ net_price }) => net_price === undefined)) unknown++
    else
      for (const { quantity, net_price = '' } of counted)
        cents += BigInt(quantity) * BigInt(net_price.replace('.', ''))
  }
  const waits = own
    .flatMap(({ at, answered_at }) => (answered_at === null ? [] : [Math.floor((answered_at - at) / 1000)]))
    .toSorted((one, other) => one - other)
  const isCorrection = ({ name }: { name: string }) => name.includes('.rejects.')
  return {
    records: own.length,
    sent: own.filter(({ attempts }) => attempts > 0).length,
    acceptedFirst: good.filter((each) => !isCorrection(each)).length,
    acceptedCorrected: good.filter(isCorrection).length,
    refused: own.filter(({ state }) => state === 'rejected').length,
    cents,
    unknown,
    unsummed: unknown,
    answered: [0.5, 0.95].map((share) => waits[Math.ceil(share * waits.length) - 1]),
  }
}

test('random histories have the same counts by days in any zone, by SQL and by status', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (files) => {
      const { context, journal, path } = await live(files)
      const records = readRecords(path)
      for (const zone of ['UTC', NEW_YORK, 'Asia/Tokyo']) {
        const days = await readDays(context, zone)
        for (const report of days) {
          const [row] = report.rows
          const amount = row?.amount === undefined ? 0n : BigInt(row.amount.replace('.', ''))
          expect({
            records: row?.records ?? 0,
            sent: row?.sent ?? 0,
            acceptedFirst: row?.acceptedFirst ?? 0,
            acceptedCorrected: row?.acceptedCorrected ?? 0,
            refused: row?.states.rejected ?? 0,
            cents: amount,
            unknown: row?.unknown ?? 0,
            unsummed: report.unsummed?.records ?? 0,
            answered: [row?.answered?.median, row?.answered?.p95],
          }).toEqual(countByHand(records, report))
        }
        const { states, corrected } = countStates(days.flatMap(({ rows }) => rows))
        const [route] = await journal.summarizeRoutes()
        const { incoming = {} } = route ?? {}
        const { rejected = 0, held = 0, ...others } = states
        const { rejected: open = 0, held: waiting = 0, ...rest } = incoming
        expect(others).toEqual(rest)
        expect(rejected + held - corrected).toBe(open + waiting)
        const files0 = days.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.files, 0)
        expect(files0).toBe(files.length)
      }
      await journal.close()
    }),
    { numRuns: 70 },
  )
}, 120_000)

test('what is kept from earlier reports is what is counted anew, after each change of the journal', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (files) => {
      const reportCounts = createReportCounts()
      let looks = 0
      const look: Look = async (context) => {
        looks++
        const asked = { span: 'month', zone: 'UTC' } as const
        const fresh = await readReport(context, asked)
        // At the second time, all is from what was kept.
        for (let time = 0; time < 2; time++)
          expect(await readReport({ ...context, reportCounts }, asked)).toEqual(fresh)
      }
      const { journal, clock, context } = await live(files, { look })
      expect(looks).toBeGreaterThan(files.length)
      clock.advance(100 * DAY_MS)
      await journal.prune({ before: clock.now(), signal: new AbortController().signal })
      await look(context)
      await journal.close()
    }),
    { numRuns: 25 },
  )
}, 120_000)

test('counts that are kept are read, and not counted, the next time', async () => {
  const files = [{ hours: 1, isCorrection: false, orders: fc.sample(order, { numRuns: 5, seed: 7 }) }]
  const { context, journal } = await live(files.map((file) => ({ ...file, orders: file.orders.map(asNew) })))
  onTestFinished(() => journal.close())
  const reportCounts = createReportCounts()
  const counted = vi.spyOn(journal, 'countActivity')
  const first = await readReport({ ...context, reportCounts }, { span: 'day', zone: 'UTC' })
  expect(counted).toHaveBeenCalledTimes(1)
  expect(await readReport({ ...context, reportCounts }, { span: 'week', zone: 'UTC' })).toMatchObject({
    rows: first.rows,
  })
  expect(counted).toHaveBeenCalledTimes(1)
})

test('while nothing is committed to the journal, its records are not read again', async () => {
  const { context, journal, path, clock } = await live([])
  onTestFinished(() => journal.close())
  const lease = await journal.acquireLease('orders', 'bridge-2', 1e12, () => false)
  await planFile(journal, lease, 'f', [planned(1, 'PO-1', { cents: 100 })])
  const opened = await openJournalToRead({ path, clock })
  onTestFinished(() => opened.journal.close())
  const reportCounts = createReportCounts(() => String(opened.readDataVersion()))
  const marked = vi.spyOn(opened.journal, 'markRecords')
  const read = () =>
    readReport({ ...context, journal: opened.journal, reportCounts }, { span: 'day', zone: 'UTC' })
  expect(await read()).toMatchObject({ rows: [{ states: { planned: 1 } }] })
  expect(await read()).toMatchObject({ rows: [{ states: { planned: 1 } }] })
  expect(marked).toHaveBeenCalledTimes(1)
  await journal.startAttempts(lease, { file: 'f' }, 1)
  expect(await read()).toMatchObject({ rows: [{ states: { sending: 1 } }] })
  expect(marked).toHaveBeenCalledTimes(2)
})

test('the latest months are counted in advance', async () => {
  const files = [{ hours: 1, isCorrection: false, orders: fc.sample(order, { numRuns: 5, seed: 7 }) }]
  const { context, journal, clock } = await live(
    files.map((file) => ({ ...file, orders: file.orders.map(asNew) })),
  )
  onTestFinished(() => journal.close())
  const reportCounts = createReportCounts()
  clock.advance(40 * DAY_MS)
  await reportCounts.countAhead(journal, clock.now(), () => false)
  const counted = vi.spyOn(journal, 'countActivity')
  await readReport({ ...context, reportCounts }, { span: 'month', zone: 'UTC' })
  expect(counted).not.toHaveBeenCalled()
})

/** As this version plans it, with its amount beside it. */
function asNew(each: Order): Order {
  return { ...each, isOld: false, hasPrice: true }
}

describe('the time of a report', () => {
  const aJournalAt = async (times: readonly number[]) => {
    const clock = testClock()
    const journal = await openJournal({ path: ':memory:', clock })
    onTestFinished(() => journal.close())
    const lease = await journal.acquireLease('orders', 'bridge-1', 1e12, () => true)
    for (const [index, at] of times.entries()) {
      clock.advance(at - clock.now())
      await receiveFile(journal, lease, `f${index}`)
    }
    const configuration = { routes: [] } as unknown as ConsoleContext['configuration']
    return { journal, clock, configuration } as ConsoleContext
  }

  test('is a day of the zone, and says when it has 23 or 25 hours', async () => {
    const context = await aJournalAt([
      Date.UTC(2027, 2, 14, 4, 59, 59),
      Date.UTC(2027, 2, 14, 5),
      Date.UTC(2027, 2, 15, 3, 59, 59),
      Date.UTC(2027, 2, 15, 4),
      Date.UTC(2027, 10, 7, 4),
      Date.UTC(2027, 10, 8, 4, 59, 59),
    ])
    const read = async (day: string) => {
      const { hours, rows } = await readReport(context, { span: 'day', day, zone: NEW_YORK })
      return [hours, rows[0]?.files ?? 0]
    }
    expect(await read('2027-03-13')).toEqual([undefined, 1])
    expect(await read('2027-03-14')).toEqual([23, 2])
    expect(await read('2027-03-15')).toEqual([undefined, 1])
    expect(await read('2027-11-07')).toEqual([25, 2])
    const page = await visit(context, reportsPage, { query: { day: '2027-03-14' } })
    expect(page?.text).not.toContain('hours')
    const report = await readReport(context, { span: 'day', day: '2027-03-14', zone: NEW_YORK })
    expect(reportsPage.draw(report, { ...aRequest({}, START), zone: NEW_YORK }).main.html).toContain(
      'The day has 23 hours',
    )
  })

  test('is a week from Monday or a month, beside the one before', async () => {
    const context = await aJournalAt([START, START + DAY_MS, START + 3 * DAY_MS])
    const week = await readReport(context, { span: 'week', day: '2026-11-24', zone: 'UTC' })
    expect(week).toMatchObject({
      from: '2026-11-23',
      to: '2026-11-29',
      previous: '2026-11-16',
      next: '2026-11-30',
    })
    expect([week.rows[0]?.files, week.before[0]?.files]).toEqual([1, 2])
    const month = await readReport(context, { span: 'month', day: '2026-11-24', zone: 'UTC' })
    expect(month).toMatchObject({ from: '2026-11-01', to: '2026-11-30', rows: [{ files: 3 }], before: [] })
  })

  test('is today without a day, and a day on which nothing came says so', async () => {
    const context = await aJournalAt([START])
    expect((await readReport(context, { span: 'day', zone: 'UTC' })).from).toBe('2026-11-21')
    expect((await readReport(context, { span: 'day', day: 'x', zone: 'UTC' })).from).toBe('2026-11-21')
    const page = await visit(context, reportsPage, { query: { day: '2026-11-20' } })
    expect(page?.text).toContain('No file came and none went out in this time.')
  })
})

test('the download is CSV by RFC 4180, and no cell of it is a formula', async () => {
  const row: ReportRow = {
    route: '=1+1,"x"',
    direction: 'incoming',
    operation: '@sum',
    party: '+\r\n-',
    files: 1,
    records: 2,
    sent: 2,
    states: { accepted: 1, rejected: 1 },
    acceptedFirst: 1,
    acceptedCorrected: 0,
    corrected: 0,
    amount: '90071992547409931.10',
    unknown: 0,
  }
  const time = {
    span: 'day',
    from: '2026-11-21',
    to: '2026-11-21',
    zone: 'UTC',
    previous: '',
    next: '',
  } as const
  const text = formatReport({ ...time, rows: [row], before: [], reasons: [] })
  expect(text.split('\r\n')[0]).toMatch(/^from,to,route,direction,/)
  const [first] = parseCsv(text)
  expect(first).toMatchObject({
    route: `'=1+1,"x"`,
    operation: `'@sum`,
    party: `'+\r\n-`,
    amount_usd: '90071992547409931.10',
    refused: '1',
  })
  expect(text.endsWith('\r\n')).toBe(true)
})

test('the page leads to its download, which a browser keeps as a file', async () => {
  const console = await aConsole()
  const { body } = await console.get('/reports?day=2026-11-21', 'viewer')
  const [, address = ''] = /href="(\/reports\?[^"]*format=csv[^"]*)"/.exec(body) ?? []
  const { statusCode, headers, body: text } = await console.get(address.replaceAll('&amp;', '&'), 'viewer')
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(headers['content-disposition']).toBe('attachment; filename="report-day-2026-11-21.csv"')
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(text).toMatch(/^from,to,route/)
  const data = await console.get('/reports', 'viewer', { accept: 'application/json' })
  expect(JSON.parse(data.body)).toMatchObject({ span: 'day', rows: [], before: [] })
})
