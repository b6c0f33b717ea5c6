/** A journal whose rows or events were changed by hand: the check reports what, where and since when. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AuditReport } from '../../src/domain/audit.ts'
import type { Journal } from '../../src/domain/journal.ts'
import { hashEvent } from '../../src/journal/events.ts'
import { openJournal } from '../../src/journal/open.ts'
import type { EventRow } from '../../src/journal/schema.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { accepted, planFile, planned, START, testClock } from '../suites/journal.suite.ts'
import { type Database, openDatabase } from '../../src/support/sqlite.ts'

/** Two files of two orders each, a refused one among them, and a delivery of two orders; all done. */
async function aFullJournal(): Promise<{ path: string; clock: ReturnType<typeof testClock> }> {
  const path = join(await tempFolder(), 'journal.db')
  const clock = testClock()
  const journal = await openJournal({ path, clock })
  const lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
  for (const id of ['a', 'b']) {
    clock.advance(1000)
    await planFile(journal, lease, id, [planned(1, `PO-${id}1`), planned(2, `PO-${id}2`)])
    const begun = await journal.startAttempts(lease, { file: id }, 10)
    clock.advance(1000)
    await journal.finishAttempts(lease, [
      accepted(begun[0]!.id, `${id}-9`),
      { id: begun[1]!.id, state: 'rejected', http: 400, problems: [] },
    ])
    await journal.markFileSubmitted(lease, id)
    await journal.saveReportName(lease, id, `${id}.csv`, [])
    await journal.markFileReported(lease, id)
    await journal.markFileClosed(lease, id, `archive/${id}.csv`)
  }
  const out = await journal.acquireLease('orders-out', 'bridge-1', 60_000, () => true)
  const seen = ['71', '72'].map((apiId) => ({
    operation: 'export-orders',
    account: 'brand/7',
    apiId,
    body: '{}',
  }))
  await journal.collectRecords(out, seen)
  await compose(journal)
  await journal.markDeliveryDelivered(out, 'd')
  await journal.markDeliveryDone(out, 'd')
  await journal.close()
  return { path, clock }

  async function compose(opened: Journal) {
    const delivery = { id: 'd', folder: 'outbox', sha256: 'h', rows: 2, upToRecord: 100, held: [] }
    await opened.createDelivery(out, { ...delivery, nameFor: (sequence) => `orders-${sequence}.csv` })
  }
}

interface Checked {
  readonly report: AuditReport
  readonly messages: readonly string[]
}

/** Changes the file with the tools of another program, and checks it. */
async function checkAfter(
  change: string | ((database: Database) => void),
  anchor?: { event: number; hash: string },
): Promise<Checked> {
  const { path, clock } = await aFullJournal()
  const database = openDatabase(path)
  if (typeof change === 'string') database.exec(change)
  else change(database)
  database.close()
  const journal = await openJournal({ path, clock })
  const report = await journal.verifyChain(anchor === undefined ? {} : { anchor })
  await journal.close()
  return { report, messages: report.findings.map(({ message }) => message) }
}

const eventOf = (database: Database, kind: string) =>
  database.prepare('select * from events where kind = ? order by id limit 1').get(kind) as EventRow

describe('the check of a journal', () => {
  it('finds nothing in a journal that only the bridge wrote, and says how much it checked', async () => {
    const { report } = await checkAfter('select 1')

    expect(report).toMatchObject({
      found: 0,
      findings: [],
      firstAt: START,
      compared: { records: 6, files: 2, deliveries: 1 },
    })
    expect(report.events).toBe(report.head.event)
    expect(report.head.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([
    [
      'a record that was refused and is made accepted',
      `update records set state = 'accepted' where id = 2`,
      'record 2 (orders-in, a.csv line 3, PO-a2): its state is accepted, and was rejected',
    ],
    [
      'a record with another answer',
      `update records set http = 201 where id = 2`,
      'record 2 (orders-in, a.csv line 3, PO-a2): its HTTP status is 201, and was 400',
    ],
    [
      'a record with another id at the API',
      `update records set api_id = 'b-9' where id = 1`,
      'record 1 (orders-in, a.csv line 2, PO-a1): its id at the API is b-9, and was a-9',
    ],
    [
      'a record with another key',
      `update records set natural_key = 'PO-x' where id = 3`,
      'record 3 (orders-in, b.csv line 2, PO-b1): its number, key, account, operation, file or body hash is not what was planned',
    ],
    [
      'a record with another body',
      `update bodies set body = '{"purchase_order_number":"PO-x"}' where record_id = 4`,
      'record 4 (orders-in, b.csv line 3, PO-b2): its body is not what was planned',
    ],
    [
      'a body that was emptied without being pruned',
      `update bodies set body = '{}' where record_id = 4`,
      'record 4 (orders-in, b.csv line 3, PO-b2): its body is not what was planned',
    ],
    ['a record that was removed', 'delete from records where id = 2', 'record 2 is missing; it was rejected'],
    [
      'a record that was put in',
      `insert into records (direction, route, file_id, number, operation, account, owns_key, lines, key_values, state,
         problems, attempts, changed_at)
       values ('incoming', 'orders-in', 'a', 3, 'create-order', 'retailer/1000', 0, '[]', '[]', 'accepted', '[]', 1, 1)`,
      'record 7 (orders-in, a.csv) has no event: it was added to the table directly',
    ],
    [
      'a record that was moved to another delivery',
      `insert into deliveries (id, route, sequence, folder, name, sha256, rows, records, state, composed_at)
         select 'e', route, 2, folder, 'e.csv', sha256, rows, records, state, composed_at from deliveries;
       update records set delivery_id = 'e' where id = 5`,
      'record 5 (orders-out, export-orders, 71) belongs to the delivery e, and was in d',
    ],
    [
      'a file with another outcome',
      `update files set outcome = 'unusable' where id = 'a'`,
      'file a (a.csv) is closed (unusable), and was closed (processed)',
    ],
    [
      'a file with another hash',
      `update files set sha256 = 'x' where id = 'a'`,
      'file a (a.csv) is not what it was: a name, time or hash differs',
    ],
    [
      'a delivery that is to be delivered again',
      `update deliveries set state = 'composed'`,
      'delivery orders-out 1 (orders-1.csv) is composed, and was done',
    ],
    [
      'a delivery with other bytes',
      `update deliveries set sha256 = 'x'`,
      'delivery orders-out 1 (orders-1.csv) is not what it was: a name, time, count or hash differs',
    ],
  ])('reports %s', async (_, change, message) => {
    const { messages } = await checkAfter(change)

    expect(messages).toContain(message)
  })

  it('reports since when, and by which event, a row is different', async () => {
    const { report } = await checkAfter(`update records set state = 'accepted' where id = 2`)

    expect(report.findings).toEqual([
      {
        about: 'record',
        id: '2',
        message: 'record 2 (orders-in, a.csv line 3, PO-a2): its state is accepted, and was rejected',
        event: 7,
        since: START + 2000,
      },
    ])
  })

  it('reports an event that was changed', async () => {
    const { messages } = await checkAfter(`update events set at = at - 1 where id = 4`)

    expect(messages).toEqual([
      'event 4 (records-planned) or the hash of the one before it is not what was written',
    ])
  })

  it('reports an event that was changed and hashed anew, by the one after it', async () => {
    const { messages } = await checkAfter((database) => {
      const before = database.prepare('select hash from events where id = 3').pluck().get() as string
      const event = { ...eventOf(database, 'records-planned'), at: 1 }
      database.prepare('update events set at = 1, hash = ? where id = 4').run(hashEvent(before, event))
    })

    expect(messages).toEqual([
      'event 5 (file-planned) or the hash of the one before it is not what was written',
    ])
  })

  it('reports an event that was changed together with its row', async () => {
    const { messages } = await checkAfter(
      `update records set state = 'accepted' where id = 2;
       update events set detail = replace(detail, 'rejected', 'accepted') where id = 7`,
    )

    expect(messages).toContain(
      'event 7 (records-answered) or the hash of the one before it is not what was written',
    )
  })

  it('reports events that were removed from the middle, from the beginning, and all of them', async () => {
    const middle = await checkAfter('delete from events where id in (4, 5)')
    const beginning = await checkAfter('delete from events where id = 1')
    const all = await checkAfter('delete from events')

    expect(middle.messages).toContain(
      'events 4 to 5 are missing; the next one, attempts-started, does not follow it',
    )
    expect(beginning.messages).toContain('event 1 is missing: the beginning of the chain was removed')
    expect(all.messages).toContain('the chain is empty: all of its events were removed')
  })

  it('reports an event that was inserted', async () => {
    const { report } = await checkAfter((database) => {
      database.exec('update events set id = -id where id > 4; update events set id = 1 - id where id < 0')
      database.exec(
        `insert into events select 5, at, kind, route, subject, detail, hash from events where id = 4`,
      )
    })

    expect(report.found).toBeGreaterThan(0)
    expect(report.findings[0]).toMatchObject({ about: 'event', event: 5 })
  })

  it('reports an end that was cut off only by an anchor that was kept', async () => {
    const whole = await checkAfter('select 1')
    const anchor = whole.report.head
    // The rows are set back to what the chain then says about them.
    const cut = (database: Database) => {
      database.prepare('delete from events where id = ?').run(anchor.event)
      database.exec(
        `update deliveries set state = 'delivered'; update records set state = 'collected' where delivery_id = 'd'`,
      )
    }

    const alone = await checkAfter(cut)
    const anchored = await checkAfter(cut, anchor)

    expect(alone.messages).toEqual([])
    expect(anchored.messages).toEqual([
      `the anchor is event ${anchor.event}, and the chain ends with event ${anchor.event - 1}: its end was cut off`,
    ])
  })

  it('reports a chain that was written anew as a whole, by an anchor', async () => {
    const { report: whole } = await checkAfter('select 1')
    const { messages } = await checkAfter(
      (database) => {
        database.exec(`update records set http = 202 where id = 1`)
        const all = database.prepare('select * from events order by id').all() as EventRow[]
        let before = ''
        for (const event of all) {
          const detail = event.detail.replace('"http":201', '"http":202')
          before = hashEvent(before, { ...event, detail })
          database
            .prepare('update events set detail = ?, hash = ? where id = ?')
            .run(detail, before, event.id)
        }
      },
      { event: whole.head.event, hash: whole.head.hash },
    )

    expect(messages).toContain(
      `event ${whole.head.event} is not the one that was anchored: the chain up to it was rewritten`,
    )
  })

  it('takes the anchor of a summary', async () => {
    const { path, clock } = await aFullJournal()
    const journal = await openJournal({ path, clock })
    const anchor = await journal.findSubmission('a')

    expect(anchor).toEqual({ event: 8, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(await journal.verifyChain({ anchor: anchor! })).toMatchObject({ found: 0 })
    await journal.close()
  })

  it('holds no personal data: no cells, keys, names or messages', async () => {
    const { path } = await aFullJournal()
    const database = openDatabase(path, { readonly: true })
    const text = JSON.stringify(database.prepare('select * from events').all())
    database.close()

    for (const word of ['PO-', 'a.csv', 'b.csv', 'inbox', 'archive', 'purchase_order_number']) {
      expect(text).not.toContain(word)
    }
  })
})

describe('two bridges at one journal', () => {
  it('make one chain', async () => {
    const path = join(await tempFolder(), 'journal.db')
    const clock = testClock()
    const journals = await Promise.all([openJournal({ path, clock }), openJournal({ path, clock })])
    await Promise.all(
      journals.map(async (journal, number) => {
        const lease = await journal.acquireLease(`route-${number}`, `bridge-${number}`, 60_000, () => true)
        for (const round of [1, 2, 3, 4, 5]) {
          await planFile(journal, lease, `${number}-${round}`, [planned(1, `PO-${number}-${round}`)])
        }
      }),
    )

    expect(await journals[0]!.verifyChain({})).toMatchObject({ found: 0, compared: { records: 10 } })
    await Promise.all(journals.map((journal) => journal.close()))
  })

  it('show when one took a route over from the other', async () => {
    const path = join(await tempFolder(), 'journal.db')
    const journal = await openJournal({ path, clock: testClock() })
    await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await journal.acquireLease('orders-in', 'bridge-2', 60_000, () => false)
    await journal.close()
    const database = openDatabase(path, { readonly: true })
    const kinds = database.prepare('select kind, route from events order by id').all()
    database.close()

    expect(kinds).toEqual([
      { kind: 'chain-began', route: null },
      { kind: 'lease-taken-over', route: 'orders-in' },
    ])
  })
})
