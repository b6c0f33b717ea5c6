/** Held deliveries on SQLite, and how the check detects changes by hand. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { heldDeliveriesSuite } from '../suites/held-deliveries.suite.ts'
import { testClock } from '../suites/journal.suite.ts'

heldDeliveriesSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))

it('the check detects a held delivery that was released by hand, and an answer that was changed', async () => {
  const path = join(await tempFolder(), 'journal.db')
  const journal = await openJournal({ path, clock: testClock() })
  const lease = await journal.acquireLease('report', 'me', 60_000, () => true)
  for (const id of ['one', 'two']) {
    const report = { nameFor: () => `${id}.csv`, folder: 'outbox', sha256: 'h', rows: 0, records: 0 }
    await journal.createReportDelivery(lease, { id, ...report })
    await journal.holdDelivery(lease, id, 'it may have been delivered.')
  }
  await journal.resolveHeldDelivery(lease, 'two', { action: 'resolve-delivered', by: 'Ada', why: 'seen' })
  const whole = await journal.verifyChain({})
  const database = openDatabase(path)
  database.exec(`update deliveries set held = null; update decisions set decided_by = 'Eve'`)
  database.close()

  const { findings } = await journal.verifyChain({})
  await journal.close()

  expect(whole.found).toBe(0)
  expect(findings.map(({ message }) => message).toSorted()).toEqual([
    'decision 1 (resolve-delivered) is not what was decided, by whom, or why',
    'delivery report 1 (one.csv) is not what it was: a name, time, count or hash differs',
  ])
})
