/** Routes with schedules, as a scheduler that calls all the time, or a person, has them run. */
import { expect, test } from 'vitest'
import type { DailySchedule } from '../../src/config/schedule.ts'
import { aCalendar, type Calendar } from '../fixtures/calendar.ts'

const WINDOW = 'select: { received_at: { since: previous, until: now } }\nempty: write'
const DAILY = `daily: { after: "06:30", zone: America/New_York }\n${WINDOW}`

test('a report is made once for each business date, after its time', async () => {
  const { to, place, runDue, files, ordersIn, turns } = await aCalendar({ report: DAILY })
  to('2026-12-01T09:00Z')
  await runDue()
  const first = await place()
  to('2026-12-01T11:29Z')
  await runDue()
  expect(await files('report')).toEqual([])

  to('2026-12-01T11:30Z')
  await runDue()
  const second = await place()
  to('2026-12-01T15:00Z')
  await runDue()
  to('2026-12-02T11:31Z')
  await runDue()

  expect(await files('report')).toEqual(['2026-12-01.csv', '2026-12-02.csv'])
  expect(await ordersIn('report')).toEqual([first, second])
  expect(await turns('report')).toEqual(['2026-11-30 before', '2026-12-01 done', '2026-12-02 done'])
})

test('missed nights are made up for, each in a file of its own with what belongs into it', async () => {
  const { to, place, runDue, day, files, turns } = await aCalendar({ report: DAILY })
  to('2026-12-01T12:00Z')
  await runDue()
  const numbers: string[] = []
  for (const date of ['01', '02', '03', '04']) {
    to(`2026-12-${date}T20:00Z`)
    numbers.push(await place())
  }

  to('2026-12-04T22:00Z')
  const { routes } = await runDue()

  expect(routes).toMatchObject([{ scheduledRuns: { done: ['2026-12-02', '2026-12-03', '2026-12-04'] } }])
  expect(await files('report')).toEqual(
    ['2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04'].map((it) => `${it}.csv`),
  )
  expect(await day.lines('outbox/report/2026-12-02.csv')).toEqual(['PO Number', numbers[0]])
  expect(await day.lines('outbox/report/2026-12-04.csv')).toEqual(['PO Number', numbers[2]])
  expect(await turns('report')).toEqual(['01', '02', '03', '04'].map((date) => `2026-12-${date} done`))
})

test('what lies farther back than it is to be made up for is reported once', async () => {
  const { to, runDue, day, files } = await aCalendar({
    report: `daily: { after: "06:30", zone: America/New_York, catchUp: 2d }\n${WINDOW}`,
  })
  const { world } = day
  to('2026-12-01T12:00Z')
  await runDue()
  to('2026-12-07T12:00Z')
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

test('a person who runs a daily report gets what is due, is told when nothing is, and may have it again', async () => {
  const { to, run, files, turns } = await aCalendar({ report: DAILY })
  to('2026-12-01T12:00Z')

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
  expect(await turns('report')).toEqual(['2026-12-01 done'])
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
  const { to, run, runDue, turns } = await aCalendar({}, { routes })
  to('2026-12-01T12:00Z')
  const early = await run(['receipts'])
  to('2026-12-01T17:00Z')
  await runDue()
  to('2026-12-07T16:59Z')
  const late = await runDue()

  expect(early).toMatchObject({ routes: [{ kind: 'outbound' }] })
  expect(late).toMatchObject({
    routes: [{ scheduledRuns: { done: ['2026-12-04'], covered: ['2026-12-02', '2026-12-03'] } }],
  })
  expect(await turns('receipts')).toEqual([
    '2026-11-30 before',
    '2026-12-01 done',
    '2026-12-02 covered',
    '2026-12-03 covered',
    '2026-12-04 done',
  ])
})

test('a report by a cron expression is made once for all the times that have passed', async () => {
  const { to, runDue, files, turns } = await aCalendar({
    report: `cron: { expression: "0 */6 * * *", zone: UTC }\nselect: {}\nempty: write`,
  })
  to('2026-12-01T01:00Z')
  await runDue()
  to('2026-12-01T06:00Z')
  await runDue()
  await runDue()
  to('2026-12-02T13:00Z')
  await runDue()

  expect(await files('report')).toHaveLength(2)
  expect(await turns('report')).toEqual([
    '2026-12-01T00:00:00.000Z before',
    '2026-12-01T06:00:00.000Z done',
    '2026-12-02T12:00:00.000Z done',
  ])
})

test('a report at intervals is made once in each of them, and one without a schedule never by itself', async () => {
  const { to, run, runDue, files } = await aCalendar({
    often: 'every: 1h\nselect: {}\nempty: write',
    never: 'select: {}\nempty: write',
  })
  for (const time of ['10:05', '10:55', '11:00', '11:01', '13:30']) {
    to(`2026-12-01T${time}Z`)
    await runDue()
  }

  expect(await files('often')).toHaveLength(3)
  expect(await files('never')).toEqual([])
  await run(['never'])
  expect(await files('never')).toHaveLength(1)
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

test('files that came before the time are taken at it, and what is unfinished of them goes on between the turns', async () => {
  const { to, runDue, day, turns } = await aCalendar(
    {},
    { routes: INBOUND, files: { 'new-orders.yaml': MAPPING } },
  )
  const { world } = day
  to('2026-12-01T08:00Z')
  await world.drop('inbox/orders', 'first.csv', fileOf('PO-1'))
  await runDue()
  expect(await world.list('inbox/orders')).toEqual(['first.csv'])

  to('2026-12-01T18:00Z')
  const lost = { certainty: 'unknown', detail: 'the connection broke' } as const
  await runDue({ api: (api) => ({ ...api, send: () => Promise.resolve(lost) }) })
  await world.drop('inbox/orders', 'second.csv', fileOf('PO-2'))
  expect(await world.list('results')).toEqual([])

  to('2026-12-01T18:10Z')
  await runDue()
  expect(await world.list('results')).toEqual(['first.csv.results.csv', 'first.csv.summary.json'])
  expect(await world.list('inbox/orders')).toEqual(['second.csv'])
  expect((await world.orders()).map((order) => order.purchase_order_number)).toEqual(['PO-1'])

  to('2026-12-02T18:00Z')
  await runDue()
  expect((await world.orders()).map((order) => order.purchase_order_number)).toEqual(['PO-1', 'PO-2'])
  expect(await turns('orders')).toEqual(['2026-11-30 before', '2026-12-01 done', '2026-12-02 done'])
})

/** As somebody edits the configuration between two runs. */
function changeSchedule({ day }: Calendar, changes: Partial<DailySchedule>): void {
  const route = day.world.configuration.routes.find(({ name }) => name === 'report')
  if (route?.schedule?.kind !== 'daily') throw new Error('no such route')
  Object.assign(route, { schedule: { ...route.schedule, ...changes } })
}

const IN_UTC = `daily: { after: "06:30", zone: UTC }\n${WINDOW}`

test('whatever time and days its schedule is given meanwhile, a report goes on where the one before ended', async () => {
  const calendar = await aCalendar({ report: IN_UTC })
  const { to, runDue, place, ordersIn, files } = calendar
  to('2026-12-03T07:00Z')
  await runDue()
  to('2026-12-03T12:00Z')
  const numbers = [await place()]
  changeSchedule(calendar, { after: '18:00' })
  for (const date of ['04', '05']) {
    to(`2026-12-${date}T17:00Z`)
    numbers.push(await place())
    to(`2026-12-${date}T19:00Z`)
    await runDue()
  }
  changeSchedule(calendar, { days: [1, 2, 3, 4, 5] })
  to('2026-12-06T12:00Z')
  numbers.push(await place())
  to('2026-12-07T19:00Z')
  await runDue()

  expect(await ordersIn('report')).toEqual(numbers)
  expect(await files('report')).toEqual(['03', '04', '05', '07'].map((date) => `2026-12-${date}.csv`))
})

test('a report that is asked for again while its turn is due is made by that turn, once', async () => {
  const { to, run, runDue, files, turns } = await aCalendar({ report: IN_UTC })
  to('2026-12-01T07:00Z')
  await runDue()
  to('2026-12-02T07:00Z')
  await run(['report'], { scheduleMode: 'again' })
  await runDue()

  expect(await files('report')).toEqual(['2026-12-01.csv', '2026-12-02.csv'])
  expect((await turns('report')).at(-1)).toBe('2026-12-02 done')
})

test('a clock that is days ahead for one run costs no date its report, and no order its place in one', async () => {
  const { to, run, runDue, place, ordersIn, turns } = await aCalendar({ report: IN_UTC })
  to('2026-12-01T07:00Z')
  await runDue()
  to('2026-12-04T07:00Z')
  await run()
  const numbers: string[] = []
  for (const date of ['01', '02', '03', '04', '05']) {
    to(`2026-12-${date}T12:00Z`)
    numbers.push(await place())
    to(`2026-12-${date}T12:10Z`)
    await runDue()
  }
  to('2026-12-06T07:00Z')
  await runDue()

  expect((await turns('report')).slice(-5)).toEqual(
    ['02', '03', '04', '05', '06'].map((date) => `2026-12-${date} done`),
  )
  expect((await ordersIn('report')).toSorted()).toEqual(numbers.toSorted())
})
