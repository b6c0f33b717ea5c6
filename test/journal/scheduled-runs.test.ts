/** Scheduled runs on SQLite, and how the check detects changes by hand. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { testClock } from '../suites/journal.suite.ts'
import { scheduledRunsSuite } from '../suites/scheduled-runs.suite.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

scheduledRunsSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))

it('the check detects a scheduled run that was removed, inserted, or reset by hand', async () => {
  const path = join(await tempFolder(), 'journal.db')
  const journal = await openJournal({ path, clock: testClock() })
  const lease = await journal.acquireLease('report', 'me', 1000, () => true)
  for (const day of ['05', '06', '07', '08']) {
    const occurrence = `2026-03-${day}`
    await journal.startRun(lease, { occurrence, dueAt: Number(day), covered: [], missed: [] })
    await journal.finishRun(lease, occurrence)
  }
  const whole = await journal.verifyChain({})
  const database = openDatabase(path)
  database.exec(`
    delete from scheduled_runs where occurrence = '2026-03-05';
    update scheduled_runs set state = 'begun' where occurrence = '2026-03-06';
    update scheduled_runs set due_at = 6 where occurrence = '2026-03-07';
    insert into scheduled_runs values ('report', '2026-03-09', 'done', 9, 9, null)`)
  database.close()

  const { findings } = await journal.verifyChain({})
  await journal.close()

  expect(whole.found).toBe(0)
  expect(findings.map(({ message }) => message).toSorted()).toEqual([
    'run 2026-03-05 of report is missing; it was done',
    'run 2026-03-06 of report is begun, and was done',
    'run 2026-03-07 of report is not what it was: its time or its delivery differs',
    'run 2026-03-09 of report has no event: it was added to the table directly',
  ])
})
