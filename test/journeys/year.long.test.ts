/** A year of nights: two changes of the clocks in each zone, missed nights, reboots, and two bridges at once. */
import { expect, test } from 'vitest'
import { aCalendar, type Calendar } from '../fixtures/calendar.ts'
import { atEachEffect, crashAt } from '../fixtures/crash-after.ts'
import { type Dice, dice } from '../samples/random.ts'

const HOUR_MS = 3_600_000

/** At times of day that are skipped, or come twice, when the clocks of the zone are set. */
const ZONES = {
  berlin: { after: '02:30', zone: 'Europe/Berlin' },
  'new-york': { after: '01:30', zone: 'America/New_York' },
  santiago: { after: '00:00', zone: 'America/Santiago' },
  beirut: { after: '00:15', zone: 'Asia/Beirut' },
}

function reportLines({ after, zone }: { readonly after: string; readonly zone: string }): string {
  return `daily: { after: "${after}", zone: ${zone}, catchUp: 30d }
select: { received_at: { since: previous, until: now } }
empty: write`
}

function aYear(): Promise<Calendar> {
  return aCalendar(Object.fromEntries(Object.entries(ZONES).map(([name, zone]) => [name, reportLines(zone)])))
}

/** What the machine does at some hour: the bridge dies, runs twice at once, or does its work. */
async function live({ runDue, setTime, now }: Calendar, chance: Dice): Promise<void> {
  const draw = chance.next()
  if (draw < 0.25) {
    const plan = crashAt(chance.between(1, 12), chance.pick(['before', 'after'] as const))
    await runDue(plan.wrap).catch((error: unknown) => {
      if (plan.diedAt() === undefined) throw error
    })
    // The lease of the dead bridge expires.
    setTime(now() + 20_000)
  } else if (draw < 0.35) await Promise.all([runDue(), runDue()])
  else {
    const { routes } = await runDue()
    for (const each of routes) if (each.kind === 'failed') throw each.failure
  }
}

/** From one date to another, both included. */
function datesFrom(first: string, last: string): string[] {
  const dates: string[] = []
  for (let ms = Date.parse(first); ms <= Date.parse(last); ms += 24 * HOUR_MS) {
    dates.push(new Date(ms).toISOString().slice(0, 10))
  }
  return dates
}

test('a year of daily runs with clock changes, missed nights, crashes and two bridges at once makes each report exactly once, with each order in exactly one', async () => {
  const chance = dice(365)
  const calendar = await aYear()
  const { setTime, now, place, runDue, files, ordersIn, runs, day } = calendar
  const placed: string[] = []
  setTime('2026-11-22T12:00Z')
  await runDue()
  while (now() < Date.parse('2027-11-24T00:00Z')) {
    setTime(now() + chance.between(2 * HOUR_MS, 11 * HOUR_MS))
    // The machine is off, for a night or for days.
    if (chance.chance(0.08)) setTime(now() + chance.between(12 * HOUR_MS, 150 * HOUR_MS))
    if (chance.chance(0.4)) placed.push(await place())
    await live(calendar, chance)
  }
  setTime('2027-12-03T12:00Z')
  await runDue()
  await runDue()

  const dates = datesFrom('2026-11-22', '2027-12-03')
  for (const name of Object.keys(ZONES)) {
    expect(await files(name), name).toEqual(dates.map((date) => `${date}.csv`))
    expect(await ordersIn(name), name).toEqual(placed)
    expect(await runs(name), name).toEqual(dates.map((date) => `${date} done`))
  }
  const bridge = await day.world.open()
  expect((await bridge.journal.verifyChain({})).findings).toEqual([])
  await bridge.close()
}, 480_000)

test.each(['before', 'after'] as const)(
  'a bridge that dies right %s any effect of a run makes the report of each date exactly once',
  async (moment) => {
    const calendar = await aYear()
    const { setTime, runDue, files, runs } = calendar
    const start = Date.parse('2026-12-01T12:00Z')
    setTime(start)
    await runDue()
    let date = 0
    const effects = await atEachEffect(moment, async (effect) => {
      setTime(start + ++date * 24 * HOUR_MS)
      const plan = crashAt(effect, moment)
      await runDue(plan.wrap).catch((error: unknown) => {
        if (plan.diedAt() === undefined) throw error
      })
      setTime(start + date * 24 * HOUR_MS + 60_000)
      await runDue()
      return plan.diedAt()
    })

    expect(effects).toBeGreaterThan(30)
    const dates = datesFrom('2026-12-01', new Date(start + date * 24 * HOUR_MS).toISOString().slice(0, 10))
    for (const name of Object.keys(ZONES)) {
      expect(await files(name), name).toEqual(dates.map((each) => `${each}.csv`))
      expect(await runs(name), name).toEqual(dates.map((each) => `${each} done`))
    }
  },
  480_000,
)
