/** Alerts about scheduled runs that are overdue or missed. */
import { expect, test } from 'vitest'
import { aCalendar, type Calendar } from '../fixtures/calendar.ts'

const REPORT = 'select: {}\nempty: write'

async function alertsOf({ day }: Calendar) {
  const bridge = await day.world.open()
  const { alerts } = await bridge.snapshot()
  await bridge.close()
  return alerts.map(({ code, route, subject, message }) => ({ code, route, subject, message }))
}

test('a scheduled run that is overdue by an hour is reported until it is carried out', async () => {
  const calendar = await aCalendar({
    daily: `daily: { after: "06:30", zone: UTC }\n${REPORT}`,
    hourly: `cron: { expression: "0 * * * *", zone: UTC }\n${REPORT}`,
  })
  const { setTime, runDue } = calendar
  setTime('2026-12-01T07:00Z')
  expect(await alertsOf(calendar)).toEqual([])
  await runDue()
  setTime('2026-12-02T07:00Z')
  expect(await alertsOf(calendar)).toMatchObject([{ route: 'hourly', subject: 'hourly' }])

  setTime('2026-12-02T07:30Z')
  expect(await alertsOf(calendar)).toMatchObject([
    { route: 'hourly' },
    {
      code: 'run-overdue',
      route: 'daily',
      subject: 'daily',
      message: 'daily missed its scheduled run of 2026-12-02 (due 2026-12-02T06:30:00.000Z)',
    },
  ])
  await runDue()
  expect(await alertsOf(calendar)).toEqual([])
})

test('dates that were missed for good raise an alert for a week', async () => {
  const calendar = await aCalendar({ daily: `daily: { after: "06:30", zone: UTC, catchUp: 1d }\n${REPORT}` })
  const { setTime, runDue } = calendar
  setTime('2026-12-01T07:00Z')
  await runDue()
  setTime('2026-12-06T07:00Z')
  await runDue()

  expect(await alertsOf(calendar)).toEqual([
    {
      code: 'runs-missed',
      route: 'daily',
      subject: '2026-12-04',
      message:
        'daily was not made for 2026-12-02 to 2026-12-04, 3 runs: it was too long ago when a bridge ran again',
    },
  ])
  for (const date of ['08', '10', '12']) {
    setTime(`2026-12-${date}T07:00Z`)
    await runDue()
  }
  setTime('2026-12-13T07:01Z')
  await runDue()
  expect(await alertsOf(calendar)).toEqual([])
})

test('status shows the last and the next run of each scheduled route', async () => {
  const calendar = await aCalendar({
    daily: `daily: { after: "06:30", zone: America/New_York, days: [mon, tue, wed, thu, fri] }\n${REPORT}`,
    often: `every: 1h\n${REPORT}`,
    plain: REPORT,
  })
  const { setTime, runDue, day } = calendar
  const runsOf = async () => {
    const bridge = await day.world.open()
    const { scheduledRuns } = await bridge.snapshot()
    await bridge.close()
    return scheduledRuns.map(({ nextAt, ...run }) => ({
      ...run,
      next: new Date(nextAt ?? 0).toISOString().slice(0, 16),
    }))
  }
  setTime('2026-12-04T12:20Z')
  expect(await runsOf()).toEqual([
    { route: 'daily', next: '2026-12-04T12:20' },
    { route: 'often', next: '2026-12-04T12:20' },
  ])
  await runDue()

  expect(await runsOf()).toEqual([
    { route: 'daily', last: { occurrence: '2026-12-04', state: 'done' }, next: '2026-12-07T11:30' },
    {
      route: 'often',
      last: { occurrence: '2026-12-04T12:00:00.000Z', state: 'done' },
      next: '2026-12-04T13:00',
    },
  ])
})
