/** Turns on SQLite, and how a change of them by hand shows. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { testClock } from '../suites/journal.suite.ts'
import { turnsSuite } from '../suites/turns.suite.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

turnsSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))

it('finds a turn that was taken away, put there, or made to look undone', async () => {
  const path = join(await tempFolder(), 'journal.db')
  const journal = await openJournal({ path, clock: testClock() })
  const lease = await journal.takeLease('report', 'me', 1000, () => true)
  for (const day of ['05', '06', '07', '08']) {
    const turn = `2026-03-${day}`
    await journal.beginTurn(lease, { turn, dueAt: Number(day), covered: [], missed: [] })
    await journal.turnDone(lease, turn)
  }
  const whole = await journal.verifyChain({})
  const database = openDatabase(path)
  database.exec(`
    delete from turns where turn = '2026-03-05';
    update turns set state = 'begun' where turn = '2026-03-06';
    update turns set due_at = 6 where turn = '2026-03-07';
    insert into turns values ('report', '2026-03-09', 'done', 9, 9, null)`)
  database.close()

  const { findings } = await journal.verifyChain({})
  await journal.close()

  expect(whole.found).toBe(0)
  expect(findings.map(({ message }) => message).toSorted()).toEqual([
    'turn 2026-03-05 of report is missing; it was done',
    'turn 2026-03-06 of report is begun, and was done',
    'turn 2026-03-07 of report is not what it was: its time or its delivery differs',
    'turn 2026-03-09 of report was put there: no event tells of it',
  ])
})
