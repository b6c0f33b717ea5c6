/** A watch gives routes their turns: when they are due, and what was missed before it was started. */
import { expect, test } from 'vitest'
import type { Journal } from '../../../src/domain/journal.ts'
import { aCalendar } from '../../fixtures/calendar.ts'
import { watchWorld } from '../../fixtures/watching.ts'

test('a watch makes a report when its time comes, once, and makes up for what was missed before it', async () => {
  const { to, runDue, day, files, turns } = await aCalendar({
    daily: 'daily: { after: "06:30", zone: Europe/Berlin }\nselect: {}\nempty: write',
    never: 'select: {}\nempty: write',
  })
  to('2026-12-01T07:00Z')
  await runDue()

  to('2026-12-03T07:00Z')
  const watching = await watchWorld(day.world, { speed: 200 })
  await watching.until(async () => (await files('daily')).length === 3)
  to('2026-12-04T05:29:59Z')
  await watching.until(async () => (await files('daily')).length === 4)
  await watching.stop()

  expect(await files('daily')).toEqual(['01', '02', '03', '04'].map((date) => `2026-12-${date}.csv`))
  expect(await turns('daily')).toEqual(['01', '02', '03', '04'].map((date) => `2026-12-${date} done`))
  expect(await files('never')).toEqual([])
  expect(
    watching.events.filter(({ kind }) => kind === 'run-started').map((event) => 'run' in event && event.run),
  ).toEqual(['2026-12-02', '2026-12-03', '2026-12-04'])
})

test('a run that counts as due and was had already leaves timers, signals and the other routes their turn', async () => {
  const { to, runDue, day } = await aCalendar({
    daily: 'daily: { after: "06:30", zone: UTC }\nselect: {}\nempty: write',
  })
  to('2026-12-01T07:00Z')
  await runDue()
  to('2026-12-02T07:00Z')
  await runDue()
  // As if nobody knew of the run until it is begun.
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
