/** Routes with schedules, run by a scheduler that calls all the time, or by a person. */
import { expect, test } from 'vitest'
import type { Api } from '../../src/domain/api.ts'
import { BridgeError } from '../../src/support/errors.ts'
import type { DailySchedule } from '../../src/config/schedule.ts'
import { aCalendar, type Calendar } from '../fixtures/calendar.ts'

const WINDOW = 'select: { received_at: { since: previous, until: now } }\nempty: write'
const DAILY = `daily: { after: "06:30", zone: America/New_York }\n${WINDOW}`

test('a report is made once for each business date, after its time', async () => {
  const { setTime, place, runDue, files, ordersIn, runs } = await aCalendar({ report: DAILY })
  setTime('2026-12-01T09:00Z')
  await runDue()
  const first = await place()
  setTime('2026-12-01T11:29Z')
  await runDue()
  expect(await files('report')).toEqual([])

  setTime('2026-12-01T11:30Z')
  await runDue()
  const second = await place()
  setTime('2026-12-01T15:00Z')
  await runDue()
  setTime('2026-12-02T11:31Z')
  await runDue()

  expect(await files('report')).toEqual(['2026-12-01.csv', '2026-12-02.csv'])
  expect(await ordersIn('report')).toEqual([first, second])
  expect(await runs('report')).toEqual(['2026-11-30 before', '2026-12-01 done', '2026-12-02 done'])
})

test('missed nights are made up for, each in a file of its own with its own records', async () => {
  const { setTime, place, runDue, day, files, runs } = await aCalendar({ report: DAILY })
  setTime('2026-12-01T12:00Z')
  await runDue()
  const numbers: string[] = []
  for (const date of ['01', '02', '03', '04']) {
    setTime(`2026-12-${date}T20:00Z`)
    numbers.push(await place())
  }

  setTime('2026-12-04T22:00Z')
  const { routes } = await runDue()

  expect(routes).toMatchObject([{ scheduledRuns: { done: ['2026-12-02', '2026-12-03', '2026-12-04'] } }])
  expect(await files('report')).toEqual(
    ['2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04'].map((it) => `${it}.csv`),
  )
  expect(await day.lines('outbox/report/2026-12-02.csv')).toEqual(['PO Number', numbers[0]])
  expect(await day.lines('outbox/report/2026-12-04.csv')).toEqual(['PO Number', numbers[2]])
  expect(await runs('report')).toEqual(['01', '02', '03', '04'].map((date) => `2026-12-${date} done`))
})

test('dates that are older than the limit for catching up are reported once', async () => {
  const { setTime, runDue, day, files } = await aCalendar({
    report: `daily: { after: "06:30", zone: America/New_York, catchUp: 2d }\n${WINDOW}`,
  })
  const { world } = day
  setTime('2026-12-01T12:00Z')
  await runDue()
  setTime('2026-12-07T12:00Z')
  const late = await runDue()
  await runDue()

  expect(late.routes).toMatchObject([
    { scheduledRuns: { missed: ['2026-12-02', '2026-12-03', '2026-12-04'] } },
  ])
  expect(world.events.filter(({ kind }) => kind === 'runs-missed')).toEqual([
    { kind: 'runs-missed', route: 'report', runs: ['2026-12-02', '2026-12-03', '2026-12-04'] },
  ])
  expect(await files('report')).toEqual(['01', '05', '06', '07'].map((date) => `2026-12-${date}.csv`))
})

test('a person who runs a daily report gets what is due, learns when nothing is, and may have it made again', async () => {
  const { setTime, run, files, runs } = await aCalendar({ report: DAILY })
  setTime('2026-12-01T12:00Z')

  await run(['report'])
  const second = await run(['report'])
  expect(await files('report')).toEqual(['2026-12-01.csv'])
  expect(second).toMatchObject({
    exit: 0,
    routes: [
      { kind: 'idle', scheduledRuns: { last: '2026-12-01', nextAt: Date.parse('2026-12-02T11:30Z') } },
    ],
  })

  const again = await run(['report'], { scheduleMode: 'again' })
  expect(again).toMatchObject({ routes: [{ kind: 'outbound', scheduledRuns: { again: '2026-12-01' } }] })
  expect(await files('report')).toEqual(['2026-12-01.csv', '2026-12-01~2.csv'])
  expect(await runs('report')).toEqual(['2026-12-01 done'])
})

test('an export with a schedule is run whenever a person wants it, and one pass does for all missed dates', async () => {
  const routes = `
  receipts:
    retailer: 1000
    operation: export-shipments
    mapping: MAPPINGS/shipments-export.yaml
    to: { mailbox: erp, folder: outbox/receipts, name: "{seq}.csv" }
    daily: { after: "18:00", zone: Europe/Berlin, days: [mon, tue, wed, thu, fri] }
`
  const { setTime, run, runDue, runs } = await aCalendar({}, { routes })
  setTime('2026-12-01T12:00Z')
  const early = await run(['receipts'])
  setTime('2026-12-01T17:00Z')
  await runDue()
  setTime('2026-12-07T16:59Z')
  const late = await runDue()

  expect(early).toMatchObject({ routes: [{ kind: 'outbound' }] })
  expect(late).toMatchObject({
    routes: [{ scheduledRuns: { done: ['2026-12-04'], covered: ['2026-12-02', '2026-12-03'] } }],
  })
  expect(await runs('receipts')).toEqual([
    '2026-11-30 before',
    '2026-12-01 done',
    '2026-12-02 covered',
    '2026-12-03 covered',
    '2026-12-04 done',
  ])
})

test('a report by a cron expression is made once for all the times that have passed', async () => {
  const { setTime, runDue, files, runs } = await aCalendar({
    report: `cron: { expression: "0 */6 * * *", zone: UTC }\nselect: {}\nempty: write`,
  })
  setTime('2026-12-01T01:00Z')
  await runDue()
  setTime('2026-12-01T06:00Z')
  await runDue()
  await runDue()
  setTime('2026-12-02T13:00Z')
  await runDue()

  expect(await files('report')).toHaveLength(2)
  expect(await runs('report')).toEqual([
    '2026-12-01T00:00:00.000Z before',
    '2026-12-01T06:00:00.000Z done',
    '2026-12-02T12:00:00.000Z done',
  ])
})

test('a report at intervals is made once in each of them, and one without a schedule never by itself', async () => {
  const { setTime, run, runDue, files } = await aCalendar({
    often: 'every: 1h\nselect: {}\nempty: write',
    never: 'select: {}\nempty: write',
  })
  for (const time of ['10:05', '10:55', '11:00', '11:01', '13:30']) {
    setTime(`2026-12-01T${time}Z`)
    await runDue()
  }

  expect(await files('often')).toHaveLength(3)
  expect(await files('never')).toEqual([])
  await run(['never'])
  expect(await files('never')).toHaveLength(1)
})

test('the alert of a route that fails names the scheduled run that is not done', async () => {
  const { setTime, runDue, day } = await aCalendar({ report: DAILY })
  setTime('2026-12-01T12:00Z')
  await runDue()
  setTime('2026-12-02T12:00Z')
  const failing = (api: Api): Api => ({
    ...api,
    list: () => {
      throw new BridgeError('api-unreachable', 'the API is away')
    },
  })
  const { routes } = await runDue({ api: failing })
  expect(routes).toMatchObject([{ kind: 'failed' }])

  const bridge = await day.world.open()
  const failure = { route: 'report', code: 'api-unreachable', message: 'the API is away', fix: 'Wait.' }
  const { alerts } = await bridge.takeSnapshotAndPublishAlerts({ routes: ['report'], failures: [failure] })
  await bridge.close()

  expect(alerts).toMatchObject([{ code: 'route-failing', message: 'the API is away (run of 2026-12-02)' }])
})

const INBOUND = `
  orders:
    retailer: 1000
    operation: create-order
    mapping: new-orders.yaml
    from: { mailbox: erp, folder: inbox/orders, stableFor: 0ms }
    results: { mailbox: erp }
    daily: { after: "18:00", zone: UTC }
`
const MAPPING = `operation: create-order
group: PO
body:
  purchase_order_number: PO
  ordered_at: { const: 2026-12-01T08:00:00Z }
  ship_to: { name1: { const: Ada Park }, street1: { const: 12 Mill Road }, city: { const: Albany }, province: { const: NY }, postal_code: { const: '12207' }, country: { const: US } }
  shipping_method: { code: { const: FEDEX_GROUND }, carrier: { code: { const: FDEG } } }
  order_lines:
    - { variant: { identifier: SKU }, quantity: { const: 1 }, net_price: { const: '11.24' }, price: { const: '23.47' } }
`
const fileOf = (number: string) => `PO,SKU\n${number},HV-10001\n`

test('files that came before the time are taken at it, and unfinished ones continue between the runs', async () => {
  const { setTime, runDue, day, runs } = await aCalendar(
    {},
    { routes: INBOUND, files: { 'new-orders.yaml': MAPPING } },
  )
  const { world } = day
  setTime('2026-12-01T08:00Z')
  await world.drop('inbox/orders', 'first.csv', fileOf('PO-1'))
  await runDue()
  expect(await world.list('inbox/orders')).toEqual(['first.csv'])

  setTime('2026-12-01T18:00Z')
  const lost = { certainty: 'unknown', detail: 'the connection broke' } as const
  await runDue({ api: (api) => ({ ...api, send: () => Promise.resolve(lost) }) })
  await world.drop('inbox/orders', 'second.csv', fileOf('PO-2'))
  expect(await world.list('results')).toEqual([])

  setTime('2026-12-01T18:10Z')
  await runDue()
  expect(await world.list('results')).toEqual(['first.csv.results.csv', 'first.csv.summary.json'])
  expect(await world.list('inbox/orders')).toEqual(['second.csv'])
  expect((await world.orders()).map((order) => order.purchase_order_number)).toEqual(['PO-1'])

  setTime('2026-12-02T18:00Z')
  await runDue()
  expect((await world.orders()).map((order) => order.purchase_order_number)).toEqual(['PO-1', 'PO-2'])
  expect(await runs('orders')).toEqual(['2026-11-30 before', '2026-12-01 done', '2026-12-02 done'])
})

/** Changes the schedule, as a person does who edits the configuration between two runs. */
function changeSchedule({ day }: Calendar, changes: Partial<DailySchedule>): void {
  const route = day.world.configuration.routes.find(({ name }) => name === 'report')
  if (route?.schedule?.kind !== 'daily') throw new Error('no such route')
  Object.assign(route, { schedule: { ...route.schedule, ...changes } })
}

const IN_UTC = `daily: { after: "06:30", zone: UTC }\n${WINDOW}`

test('a report continues where the one before ended, whatever time and days its schedule is given meanwhile', async () => {
  const calendar = await aCalendar({ report: IN_UTC })
  const { setTime, runDue, place, ordersIn, files } = calendar
  setTime('2026-12-03T07:00Z')
  await runDue()
  setTime('2026-12-03T12:00Z')
  const numbers = [await place()]
  changeSchedule(calendar, { after: '18:00' })
  for (const date of ['04', '05']) {
    setTime(`2026-12-${date}T17:00Z`)
    numbers.push(await place())
    setTime(`2026-12-${date}T19:00Z`)
    await runDue()
  }
  changeSchedule(calendar, { days: [1, 2, 3, 4, 5] })
  setTime('2026-12-06T12:00Z')
  numbers.push(await place())
  setTime('2026-12-07T19:00Z')
  await runDue()

  expect(await ordersIn('report')).toEqual(numbers)
  expect(await files('report')).toEqual(['03', '04', '05', '07'].map((date) => `2026-12-${date}.csv`))
})

test('a report that is asked for again while its scheduled run is due is made by that run, once', async () => {
  const { setTime, run, runDue, files, runs } = await aCalendar({ report: IN_UTC })
  setTime('2026-12-01T07:00Z')
  await runDue()
  setTime('2026-12-02T07:00Z')
  await run(['report'], { scheduleMode: 'again' })
  await runDue()

  expect(await files('report')).toEqual(['2026-12-01.csv', '2026-12-02.csv'])
  expect((await runs('report')).at(-1)).toBe('2026-12-02 done')
})

test('a clock that is days ahead for one run costs no date its report, and no order its place in one', async () => {
  const { setTime, run, runDue, place, ordersIn, runs } = await aCalendar({ report: IN_UTC })
  setTime('2026-12-01T07:00Z')
  await runDue()
  setTime('2026-12-04T07:00Z')
  await run()
  const numbers: string[] = []
  for (const date of ['01', '02', '03', '04', '05']) {
    setTime(`2026-12-${date}T12:00Z`)
    numbers.push(await place())
    setTime(`2026-12-${date}T12:10Z`)
    await runDue()
  }
  setTime('2026-12-06T07:00Z')
  await runDue()

  expect((await runs('report')).slice(-5)).toEqual(
    ['02', '03', '04', '05', '06'].map((date) => `2026-12-${date} done`),
  )
  expect((await ordersIn('report')).toSorted()).toEqual(numbers.toSorted())
})
