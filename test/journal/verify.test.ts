/** A journal in the middle of its work, in which a row that decides what is sent was changed by hand: the check reports it. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/open.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { accepted, planFile, planned, testClock } from '../suites/journal.suite.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

const PARCEL = { operation: 'create-shipment' }

/**
 * Of a file: 1 was accepted, 2 is uncertain at its second attempt, 3 is put off, 4 was refused, 5 is planned with a note,
 * 6 is sent without an answer, 7 changes an item. 8 and 9 are outgoing orders; 8 was seen twice, the second time
 * otherwise.
 */
async function writeJournal(path: string): Promise<void> {
  const journal = await openJournal({ path, clock: testClock() })
  const lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
  await planFile(journal, lease, 'a', [
    planned(1, 'PO-1'),
    planned(2, 'PO-2 1', PARCEL),
    planned(3, 'PO-3'),
    planned(4, 'PO-4'),
    planned(5, 'PO-5 1', { ...PARCEL, note: '{"open":2}' }),
    planned(6, 'PO-6'),
    planned(7, 'SKU-1 a', {
      operation: 'update-variant',
      change: { target: 'SKU-1', values: ['inventory'] },
    }),
  ])
  const [one, two, three, four] = await journal.startAttempts(lease, { file: 'a' }, 4)
  await journal.saveAttemptNotes(lease, [{ id: two!.id, note: '{"open":3}' }])
  await journal.finishAttempts(lease, [
    accepted(one!.id, '91'),
    { id: two!.id, state: 'deferred', problems: [] },
    { id: three!.id, state: 'deferred', http: 503, problems: [] },
    { id: four!.id, state: 'rejected', http: 400, problems: [] },
  ])
  await journal.retryDeferredRecords(lease, { file: 'a' })
  const again = await journal.startAttempts(lease, { file: 'a' }, 2)
  await journal.saveAttemptNotes(lease, [{ id: two!.id, note: '{"open":4}' }])
  await journal.saveAttemptNotes(lease, [{ id: two!.id, note: '{"open":5}' }])
  await journal.finishAttempts(lease, [
    { id: again[0]!.id, state: 'uncertain', problems: [] },
    { id: again[1]!.id, state: 'deferred', http: 503, problems: [] },
  ])
  await journal.startAttempts(lease, { file: 'a' }, 2)
  const out = await journal.acquireLease('orders-out', 'bridge-1', 60_000, () => true)
  const order = { operation: 'export-orders', account: 'brand/7' }
  await journal.collectRecords(out, [
    { ...order, apiId: '71', body: '{"qty":1}' },
    { ...order, apiId: '72', body: '{"qty":1}' },
  ])
  await journal.collectRecords(out, [{ ...order, apiId: '71', body: '{"qty":2}' }])
  await journal.close()
}

/** Changes the file with the tools of another program, and checks it. */
async function problemsAfter(change: string): Promise<readonly string[]> {
  const path = join(await tempFolder(), 'journal.db')
  await writeJournal(path)
  const database = openDatabase(path)
  database.pragma('foreign_keys = on')
  const { changes } = database.prepare(change).run()
  database.close()
  expect(changes).toBeGreaterThan(0)
  const journal = await openJournal({ path, clock: testClock() })
  const { findings } = await journal.verifyChain({})
  await journal.close()
  return findings.map(({ message }) => message)
}

describe('the check of a journal whose work is not done', () => {
  it('finds nothing in a journal that only the bridge wrote', async () => {
    expect(await problemsAfter('update leases set until = until')).toEqual([])
  })

  it.each([
    [
      'an accepted order whose key is let go: it would be posted again',
      `update records set owns_key = 0 where id = 1`,
      /^record 1\b.*: it does not own its key, so a duplicate may be sent$/,
    ],
    [
      'an uncertain order whose key is let go',
      `update records set owns_key = 0 where id = 2`,
      /^record 2\b.*: it does not own its key/,
    ],
    [
      'a refused order that keeps its key: the corrected one would not be sent',
      `update records set owns_key = 1 where id = 4`,
      /^record 4\b.*: it owns its key, which was released$/,
    ],
    [
      'the body of a planned record that was removed',
      `delete from bodies where record_id = 6`,
      /^record 6\b.*: its body is missing$/,
    ],
    [
      'the body of an uncertain record that was removed',
      `delete from bodies where record_id = 2`,
      /^record 2\b.*: its body is missing$/,
    ],
    [
      'a planned note that was removed',
      `update bodies set note = null where record_id = 5`,
      /^record 5\b.*: its note is not what was planned$/,
    ],
    [
      'a change of an item that would be overtaken no more',
      `update bodies set changes = '["price"]' where record_id = 7`,
      /^record 7\b.*: what it changes is not what was planned$/,
    ],
    [
      'a change of an item that is said to be of a later file',
      `update bodies set file_number = 99 where record_id = 7`,
      /^record 7\b.*: what it changes is not what was planned$/,
    ],
    [
      'an attempt that was removed: nothing is in doubt any more',
      `delete from attempts where record_id = 2 and attempt = 2`,
      /^record 2\b.*: its attempt 2 is missing/,
    ],
    [
      'an earlier attempt that was removed',
      `delete from attempts where record_id = 2 and attempt = 1`,
      /^record 2\b.*: its attempt 1 is missing/,
    ],
    [
      'a lost answer that is made one without effect',
      `update attempts set result = 'deferred' where record_id = 2 and attempt = 2`,
      /^record 2\b.*: the result of its attempt 2 is deferred, and was uncertain$/,
    ],
    [
      'an attempt without an answer that is given one',
      `update attempts set result = 'deferred' where record_id = 5`,
      /^record 5\b.*: the result of its attempt 1 is deferred, and was none$/,
    ],
    [
      'an attempt with another HTTP status',
      `update attempts set http = 200 where record_id = 3 and attempt = 1`,
      /^record 3\b.*: the HTTP status of its attempt 1 is 200, and was 503$/,
    ],
    [
      'an attempt that was put there',
      `insert into attempts (record_id, attempt, began_at) values (7, 1, 1)`,
      /^record 7\b.*: its attempt 1 has no event: it was added to the table directly$/,
    ],
    [
      'a number of attempts that was turned back',
      `update records set attempts = 1 where id = 2`,
      /^record 2\b.*: its number of attempts is 1, and 2 began$/,
    ],
    [
      'the note of a lost attempt that was removed: it would count as never sent',
      `update attempts set note = null where record_id = 2 and attempt = 2`,
      /^record 2\b.*: the note of its attempt 2 is not what was noted$/,
    ],
    [
      'the note of an earlier attempt that was changed',
      `update attempts set note = '{"open":9}' where record_id = 2 and attempt = 1`,
      /^record 2\b.*: the note of its attempt 1 is not what was noted$/,
    ],
    [
      'a planned note that an attempt lost',
      `update attempts set note = null where record_id = 5`,
      /^record 5\b.*: the note of its attempt 1 is not what was noted$/,
    ],
    [
      'an order whose body is another than the API showed last',
      `update bodies set body = '{"qty":1}' where record_id = 8`,
      /^record 8\b.*: its body is not what the API showed$/,
    ],
    [
      'the body of an order that was removed',
      `delete from bodies where record_id = 9`,
      /^record 9\b.*: its body is missing$/,
    ],
    [
      'a record that is given to another route',
      `update records set route = 'orders-out' where id = 6`,
      /^record 6\b.*: its route is orders-out, and was orders-in$/,
    ],
  ])('reports %s', async (_, change, message) => {
    expect(await problemsAfter(change)).toContainEqual(expect.stringMatching(message))
  })
})
