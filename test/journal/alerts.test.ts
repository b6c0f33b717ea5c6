/** Deliveries without a confirmation, and alerts, on SQLite; and how the check detects changes by hand. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { alertsSuite } from '../suites/alerts.suite.ts'
import { testClock } from '../suites/journal.suite.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

alertsSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))

it('the check detects a delivery that was marked as confirmed by hand', async () => {
  const path = join(await tempFolder(), 'journal.db')
  const journal = await openJournal({ path, clock: testClock() })
  const lease = await journal.acquireLease('out', 'me', 60_000, () => true)
  await journal.collectRecords(lease, [
    { operation: 'export-orders', account: 'brand/1', apiId: '1', body: '{}' },
  ])
  const delivery = { id: 'a', nameFor: () => 'a.csv', folder: 'out', sha256: 'a', rows: 1 }
  await journal.createDelivery(lease, { ...delivery, upToRecord: 1, held: [] })
  await journal.markDeliveryDelivered(lease, 'a')
  const whole = await journal.verifyChain({})
  const database = openDatabase(path)
  database.exec(`update deliveries set confirmed_at = 1, confirmed_by = 'picked-up'`)
  database.close()

  const { findings } = await journal.verifyChain({})
  await journal.close()

  expect(whole.found).toBe(0)
  expect(findings).toMatchObject([{ about: 'delivery', id: 'a' }])
})

it('two bridges that find the same alert at once raise it once', async () => {
  const path = join(await tempFolder(), 'journal.db')
  const journals = await Promise.all([1, 2].map(() => openJournal({ path, clock: testClock() })))
  const found = [
    { code: 'file-unmatched', subject: 'erp:inbox/a.txt', since: 1, message: 'odd', fix: 'look' },
  ] as const

  const results = await Promise.all(journals.map((journal) => journal.updateAlerts(found, () => false)))
  await Promise.all(journals.map((journal) => journal.close()))

  expect(results.flat()).toMatchObject([{ cursor: 1, change: 'raised' }])
})
