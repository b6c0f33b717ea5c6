/** What a person hears of turns that nobody carries out. */
import { expect, test } from 'vitest'
import { aCalendar, type Calendar } from '../../fixtures/calendar.ts'

const REPORT = 'select: {}\nempty: write'

async function concernsOf({ day }: Calendar) {
  const bridge = await day.world.open()
  const { attention } = await bridge.snapshot()
  await bridge.close()
  return attention.map(({ code, route, subject, message }) => ({ code, route, subject, message }))
}

test('a turn that nobody carries out for an hour is told until somebody does', async () => {
  const calendar = await aCalendar({
    daily: `daily: { after: "06:30", zone: UTC }\n${REPORT}`,
    hourly: `cron: { expression: "0 * * * *", zone: UTC }\n${REPORT}`,
  })
  const { to, runDue } = calendar
  to('2026-12-01T07:00Z')
  expect(await concernsOf(calendar)).toEqual([])
  await runDue()
  to('2026-12-02T07:00Z')
  expect(await concernsOf(calendar)).toMatchObject([{ route: 'hourly', subject: 'hourly' }])

  to('2026-12-02T07:30Z')
  expect(await concernsOf(calendar)).toMatchObject([
    { route: 'hourly' },
    {
      code: 'turn-overdue',
      route: 'daily',
      subject: 'daily',
      message:
        'daily should have had its turn of 2026-12-02 at 2026-12-02T06:30:00.000Z, and nobody has carried it out',
    },
  ])
  await runDue()
  expect(await concernsOf(calendar)).toEqual([])
})

test('dates that were missed for good are told for a week', async () => {
  const calendar = await aCalendar({ daily: `daily: { after: "06:30", zone: UTC, catchUp: 1d }\n${REPORT}` })
  const { to, runDue } = calendar
  to('2026-12-01T07:00Z')
  await runDue()
  to('2026-12-06T07:00Z')
  await runDue()

  expect(await concernsOf(calendar)).toEqual([
    {
      code: 'turns-missed',
      route: 'daily',
      subject: '2026-12-04',
      message:
        'daily was not made for 2026-12-02 to 2026-12-04, 3 turns: it was too long ago when a bridge ran again',
    },
  ])
  for (const date of ['08', '10', '12']) {
    to(`2026-12-${date}T07:00Z`)
    await runDue()
  }
  to('2026-12-13T07:01Z')
  await runDue()
  expect(await concernsOf(calendar)).toEqual([])
})

test('status tells of each scheduled route its last turn and when the next one is', async () => {
  const calendar = await aCalendar({
    daily: `daily: { after: "06:30", zone: America/New_York, days: [mon, tue, wed, thu, fri] }\n${REPORT}`,
    often: `every: 1h\n${REPORT}`,
    plain: REPORT,
  })
  const { to, runDue, day } = calendar
  const turnsOf = async () => {
    const bridge = await day.world.open()
    const { turns } = await bridge.snapshot()
    await bridge.close()
    return turns.map(({ nextAt, ...turn }) => ({
      ...turn,
      next: new Date(nextAt ?? 0).toISOString().slice(0, 16),
    }))
  }
  to('2026-12-04T12:20Z')
  expect(await turnsOf()).toEqual([
    { route: 'daily', next: '2026-12-04T12:20' },
    { route: 'often', next: '2026-12-04T12:20' },
  ])
  await runDue()

  expect(await turnsOf()).toEqual([
    { route: 'daily', last: { turn: '2026-12-04', state: 'done' }, next: '2026-12-07T11:30' },
    { route: 'often', next: '2026-12-04T13:00' },
  ])
})
