/** Tracing and settling on SQLite, and what earlier versions noted of decisions. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { first } from '../../src/journal/migrations/001-first.ts'
import { references } from '../../src/journal/migrations/002-references.ts'
import { holds } from '../../src/journal/migrations/003-holds.ts'
import { documents } from '../../src/journal/migrations/004-documents.ts'
import { steps } from '../../src/journal/migrations/005-steps.ts'
import { reports } from '../../src/journal/migrations/006-reports.ts'
import { superseded } from '../../src/journal/migrations/007-superseded.ts'
import { openJournal } from '../../src/journal/open.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { testClock } from '../suites/journal.suite.ts'
import { supportSuite } from '../suites/support.suite.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

supportSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))

it('a journal of an earlier version keeps its decisions and what they were about', async () => {
  const path = join(await tempFolder(), 'journal.db')
  const old = openDatabase(path)
  old.pragma('foreign_keys = on')
  old.exec(
    'create table migration (id integer primary key, name text not null, applied_at integer not null) strict',
  )
  for (const { id, name, statements } of [first, references, holds, documents, steps, reports, superseded]) {
    old.prepare('insert into migration values (?, ?, 1)').run(id, name)
    for (const statement of statements) old.exec(statement)
  }
  old.exec(`
    insert into files (id, route, folder, name, size, modified_at, state, claimed_at)
    values ('a', 'orders', 'inbox', 'a.csv', 1, 1, 'closed', 1);
    insert into records (direction, route, file_id, number, operation, account, holds_key, lines, key_values, state,
      problems, attempts, changed_at)
    values ('incoming', 'orders', 'a', 1, 'create-order', 'retailer/1', 0, '[]', '["PO-1"]', 'rejected', '[]', 0, 1);
    insert into decisions (file_id, action, decided_by, why, decided_at, records)
    values ('a', 'discard', 'Ada', 'too late', 5, 1);
    insert into decided_records (record_id, decision_id) values (1, 1)`)
  old.close()

  const journal = await openJournal({ path, clock: testClock() })
  const decisions = await journal.decisionsOf('a', 5)
  const [detail] = await journal.traceDetails([1])
  const counts = await journal.decidedRecords(1)
  await journal.close()

  expect(decisions).toEqual([
    { id: 1, file: 'a', action: 'discard', by: 'Ada', why: 'too late', at: 5, records: 1 },
  ])
  expect(detail?.decisions).toMatchObject([{ action: 'discard', by: 'Ada' }])
  expect(counts).toEqual({ rejected: 1 })
})
