/** A watch carries out scheduled runs when they are due, and those that were missed before it started. */
import { expect, test } from 'vitest'
import type { Journal } from '../../../src/domain/journal.ts'
import { aCalendar } from '../../fixtures/calendar.ts'
import { watchWorld } from '../../fixtures/watching.ts'

test('a watch makes a report when its time comes, once, and makes up for what was missed before it', async () => {
  const { setTime, runDue, day, files, runs } = await aCalendar({
    daily: 'daily: { after: "06:30", zone: Europe/Berlin }\nselect: {}\nempty: write',
    never: 'select: {}\nempty: write',
  })
  setTime('2026-12-01T07:00Z')
  await runDue()

  setTime('2026-12-03T07:00Z')
  const watching = await watchWorld(day.world, { speed: 200 })
  await watching.until(async () => (await files('daily')).length === 3)
  setTime('2026-12-04T05:29:59Z')
  await watching.until(async () => (await files('daily')).length === 4)
  await watching.stop()

  expect(await files('daily')).toEqual(['01', '02', '03', '04'].map((date) => `2026-12-${date}.csv`))
  expect(await runs('daily')).toEqual(['01', '02', '03', '04'].map((date) => `2026-12-${date} done`))
  expect(await files('never')).toEqual([])
  expect(
    watching.events.filter(({ kind }) => kind === 'run-started').map((event) => 'run' in event && event.run),
  ).toEqual(['2026-12-02', '2026-12-03', '2026-12-04'])
})

test('a run that counts as due although it was carried out still lets timers, signals and other routes work', async () => {
  const { setTime, runDue, day } = await aCalendar({
    daily: 'daily: { after: "06:30", zone: UTC }\nselect: {}\nempty: write',
  })
  setTime('2026-12-01T07:00Z')
  await runDue()
  setTime('2026-12-02T07:00Z')
  await runDue()
  // The run looks unknown until it has started.
  const forgetful = (journal: Journal): Journal => ({
    ...journal,
    getKnownRuns: () => Promise.resolve({ latestDate: '2026-12-01', begun: [] }),
  })
  const watching = await watchWorld(day.world, { wrap: { journal: forgetful } })
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await watching.stop()

  const passes = watching.events.filter(({ kind }) => kind === 'pass-ended').length
  expect(passes).toBeGreaterThan(1)
  expect(passes).toBeLessThan(20)
})
