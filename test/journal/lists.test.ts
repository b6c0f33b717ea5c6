/** The lists of the journal that people read page by page, and how SQLite reads them. */
import { Kysely, SqliteDialect } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { problem } from '../../src/domain/problem.ts'
import { migrate, openJournal } from '../../src/journal/open.ts'
import { createDecisionJournal } from '../../src/journal/decisions.ts'
import { createActivityJournal, createListJournal } from '../../src/journal/overview.ts'
import type { Tables } from '../../src/journal/schema.ts'
import { bindStore } from '../../src/journal/store.ts'
import { createTraceJournal } from '../../src/journal/trace.ts'
import { openDatabase } from '../../src/support/sqlite.ts'
import {
  accepted,
  planFile,
  planned,
  receiveFile,
  START,
  type TestClock,
  testClock,
} from '../suites/journal.suite.ts'

describe('the lists of a journal', () => {
  let clock: TestClock
  let journal: Journal
  let lease: Lease

  beforeEach(async () => {
    clock = testClock()
    journal = await openJournal({ path: ':memory:', clock })
    lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000_000, () => true)
  })

  afterEach(() => journal.close())

  const refused = (number: number, key: string, column: string) => {
    const { operation, account, lines, keyValues } = planned(number, key)
    const problems = [problem('value-missing', { line: number + 1, column }, `${column} is blank.`)]
    return { number, operation, account, lines, keyValues, problems }
  }

  async function sendAll(file: string): Promise<void> {
    const sending = await journal.startAttempts(lease, { file }, 100)
    await journal.finishAttempts(
      lease,
      sending.map(({ id }) => accepted(id, String(id))),
    )
    await journal.markFileSubmitted(lease, file)
  }

  const names = async (...args: Parameters<Journal['listFiles']>) =>
    (await journal.listFiles(...args)).map(({ id }) => id)

  it('show files newest first, page by page, and count them up to a limit', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await receiveFile(journal, lease, id)
    expect(await names({}, undefined, 3)).toEqual(['d', 'c', 'b'])
    expect(await names({}, 'b', 3)).toEqual(['a'])
    expect(await names({ route: 'other' }, undefined, 3)).toEqual([])
    expect(await journal.countFiles({}, 100)).toBe(4)
    expect(await journal.countFiles({}, 3)).toBe(3)
  })

  it('show the files whose names hold a text, and those of a time', async () => {
    await receiveFile(journal, lease, 'monday')
    clock.advance(86_400_000)
    await receiveFile(journal, lease, 'Tuesday')
    expect(await names({ name: 'tues' }, undefined, 3)).toEqual(['Tuesday'])
    expect(await names({ name: '%' }, undefined, 3)).toEqual([])
    expect(await names({ from: START, to: START + 1 }, undefined, 3)).toEqual(['monday'])
  })

  it('show the files with trouble', async () => {
    await planFile(journal, lease, 'good', [planned(1, 'PO-1')])
    await sendAll('good')
    await planFile(journal, lease, 'refused', [refused(1, 'PO-2', 'Qty')])
    await planFile(journal, lease, 'lost', [planned(1, 'PO-3')])
    const [sending] = await journal.startAttempts(lease, { file: 'lost' }, 1)
    await journal.finishAttempts(lease, [{ id: sending!.id, state: 'uncertain', problems: [] }])
    await planFile(journal, lease, 'held', [planned(1, 'PO-4')])
    await journal.holdRemainingRecords(lease, 'held', problem('circuit-breaker-open', {}, 'too many'))
    await receiveFile(journal, lease, 'unusable')
    await journal.markFileUnusable(lease, 'unusable', [])
    expect(await names({ isTroubled: true }, undefined, 10)).toEqual(['unusable', 'held', 'lost', 'refused'])
    expect(await journal.countFiles({ isTroubled: true }, 10)).toBe(4)
  })

  it('count the records of several files by state', async () => {
    await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-2'), refused(3, 'PO-3', 'Qty')])
    await planFile(journal, lease, 'b', [planned(1, 'PO-4')])
    await sendAll('b')
    expect([...(await journal.countRecordsOfFiles(['a', 'b', 'c']))]).toEqual([
      ['a', { planned: 2, rejected: 1 }],
      ['b', { accepted: 1 }],
      ['c', {}],
    ])
  })

  it('show the records of a file with trouble first, each page after the one before, or those of one state', async () => {
    const records = [
      planned(1, 'PO-1'),
      refused(2, 'PO-2', 'Qty'),
      planned(3, 'PO-3'),
      refused(4, 'PO-4', 'Qty'),
    ]
    await planFile(journal, lease, 'a', records)
    const work = { file: 'a' }
    const numbers = async (query: Parameters<Journal['listRecords']>[1], limit: number) =>
      (await journal.listRecords(work, query, limit)).map(({ number }) => number)
    expect(await numbers({}, 3)).toEqual([2, 4, 1])
    expect(await numbers({ after: { isTroubled: false, number: 1 } }, 3)).toEqual([3])
    expect(await numbers({ after: { isTroubled: true, number: 2 } }, 1)).toEqual([4])
    expect(await numbers({ state: 'rejected' }, 3)).toEqual([2, 4])
    expect(await numbers({ state: 'rejected', after: { isTroubled: true, number: 2 } }, 3)).toEqual([4])
    expect(await numbers({ state: 'planned' }, 3)).toEqual([1, 3])
    expect(await numbers({ state: 'planned', after: { isTroubled: false, number: 1 } }, 3)).toEqual([3])
    expect(await numbers({ state: 'accepted' }, 3)).toEqual([])
  })

  it('show a refused record that is given up behind those that wait, on pages of all states and of its own', async () => {
    const records = [refused(1, 'PO-1', 'Qty'), planned(2, 'PO-2'), refused(3, 'PO-3', 'Qty')]
    await planFile(journal, lease, 'a', records)
    const [first] = await journal.listRecords({ file: 'a' }, {}, 9)
    await journal.dismissRejected('a', { by: 'nadia', why: 'not wanted', record: first?.id ?? 0 })
    const numbers = async (query: Parameters<Journal['listRecords']>[1], limit: number) =>
      (await journal.listRecords({ file: 'a' }, query, limit)).map(({ number }) => number)
    expect(await numbers({}, 9)).toEqual([3, 1, 2])
    expect(await numbers({ after: { isTroubled: true, number: 3 } }, 1)).toEqual([1])
    expect(await numbers({ state: 'rejected' }, 9)).toEqual([3, 1])
    expect(await numbers({ state: 'rejected', after: { isTroubled: false, number: 1 } }, 9)).toEqual([])
    const ids = (await journal.listRecords({ file: 'a' }, {}, 9)).map(({ id }) => id)
    expect([...(await journal.listRefusedFates('a', ids)).values()].toSorted()).toEqual(['dismissed', 'open'])
    expect(await journal.listRefusedFates('b', ids)).toEqual(new Map())
  })

  it('count the problems of a file by code and column, and its warnings behind them', async () => {
    const warning = { ...problem('field-invalid', { column: 'Date' }, 'odd'), severity: 'warning' as const }
    await planFile(journal, lease, 'a', [
      refused(1, 'PO-1', 'Qty'),
      refused(2, 'PO-2', 'Qty'),
      refused(3, 'PO-3', 'State'),
      planned(4, 'PO-4', { warnings: [warning] }),
    ])
    expect(await journal.countProblems('a', 100)).toEqual([
      { code: 'value-missing', column: 'Qty', records: 2, corrected: 0 },
      { code: 'value-missing', column: 'State', records: 1, corrected: 0 },
      { code: 'field-invalid', column: 'Date', records: 1, corrected: 0, severity: 'warning' },
    ])
  })

  it('show the decisions of all files, newest first, each with its file and its first record', async () => {
    for (const id of ['a', 'b']) {
      await planFile(journal, lease, id, [planned(1, `PO-${id}`)])
      await journal.holdRemainingRecords(lease, id, problem('circuit-breaker-open', {}, 'too many'))
      await journal.applyDecision(lease, id, { action: 'release', by: 'Ada', why: `why ${id}` })
    }
    const [b, a] = await journal.listAllDecisions(undefined, 10)
    expect(b).toMatchObject({
      action: 'release',
      by: 'Ada',
      why: 'why b',
      records: 1,
      route: 'orders-in',
      file: { id: 'b', name: 'b.csv' },
      record: { keyValues: ['PO-b'] },
    })
    expect(await journal.listAllDecisions(b!.id, 10)).toEqual([a])
    expect(await journal.countAllDecisions()).toBe(2)
  })

  it('show deliveries newest first, those of a route and a state, page by page', async () => {
    const out = await journal.acquireLease('orders-out', 'bridge-1', 60_000_000, () => true)
    for (const id of ['x', 'y', 'z']) {
      await journal.collectRecords(out, [
        { operation: 'export-orders', account: 'brand/7', apiId: id, body: '{"id":1}' },
      ])
      const [record] = await journal.listUndeliveredRecords('orders-out', 0, 1)
      const made = { id, folder: 'outbox', sha256: id, rows: 1, held: [], upToRecord: record!.id }
      await journal.createDelivery(out, { ...made, nameFor: () => `${id}.csv` })
      clock.advance(1000)
    }
    await journal.markDeliveryDelivered(out, 'x', '/out')
    const ids = async (...args: Parameters<Journal['listDeliveries']>) =>
      (await journal.listDeliveries(...args)).map(({ id }) => id)
    expect(await ids({}, undefined, 2)).toEqual(['z', 'y'])
    expect(await ids({}, 'y', 2)).toEqual(['x'])
    expect(await ids({ state: 'waiting' }, undefined, 2)).toEqual(['x'])
    expect(await ids({ state: 'composed', route: 'orders-out' }, undefined, 5)).toEqual(['z', 'y'])
    expect(await journal.countDeliveries({ route: 'nobody' }, 5)).toBe(0)
  })

  it('find a refused record by its first cell only, and names by their beginning', async () => {
    await planFile(journal, lease, 'HV-file', [planned(1, 'HV-10001'), refused(2, 'HV-10002', 'Qty')])
    const quick = await journal.traceKey('HV-10002', { limit: 5, isQuick: true })
    expect(quick.records.map(({ keyValues, isMeant }) => [keyValues, isMeant])).toEqual([
      [['HV-10002'], true],
    ])
    expect((await journal.traceKey('HV-1000', { limit: 5, isQuick: true })).records).toEqual([])
    const found = await journal.findNamesByPrefix('hv-', 10)
    expect(found.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'file HV-file.csv',
      'record HV-10001',
      'record HV-10002',
    ])
    const [first] = quick.records
    expect(await journal.listTracedRecords([first!.id])).toEqual([first])
  })
})

describe('SQLite reads for the lists', () => {
  const BIG = /^SCAN (records|bodies|attempts|events)\b/
  /** Takes the first entry of an index, and steps on from there. */
  const STEPPING = /^\s*with recursive lanes\b/

  it('no table of records, bodies, attempts or events from its beginning to its end', async () => {
    const database = openDatabase(':memory:', {})
    const read: { sql: string; parameters: readonly unknown[] }[] = []
    const db = new Kysely<Tables>({
      dialect: new SqliteDialect({ database }),
      log: ({ query }) => void read.push({ sql: query.sql, parameters: query.parameters }),
    })
    const store = { db, clock: testClock(), path: ':memory:', isInPlace: () => true }
    await migrate(store)
    read.length = 0
    const bound = bindStore(store)
    const lists = createListJournal(bound)
    const trace = createTraceJournal(bound)
    for (const query of [{}, { route: 'orders', name: 'x', from: 1, to: 2, isTroubled: true as const }]) {
      await lists.listFiles(query, 'a', 50)
      await lists.countFiles(query, 1000)
    }
    await lists.countRecordsOfFiles(['a'])
    for (const query of [{}, { route: 'orders', state: 'waiting' as const }]) {
      await lists.listDeliveries(query, 'a', 50)
      await lists.countDeliveries(query, 1000)
    }
    await createDecisionJournal(bound).listAllDecisions(5, 50)
    await lists.countAllDecisions()
    for (const work of [{ file: 'a' }, { delivery: 'a' }]) {
      await trace.listRecords(work, {}, 200)
      for (const state of ['rejected', 'held', 'uncertain', 'deferred', 'accepted', 'planned'] as const)
        await trace.listRecords(work, { state, after: { isTroubled: true, number: 4 } }, 200)
    }
    await trace.countProblems('a', 1000)
    await trace.listTracedRecords([1, 2])
    await trace.traceKey('HV-1', { limit: 20, isQuick: true })
    await trace.findNamesByPrefix('HV-1', 20)
    for (const direction of ['incoming', 'outgoing'] as const)
      await createActivityJournal(bound).markRecords(direction, [{ id: 'a', first: 1, last: 9 }])
    const statements = read.filter(({ sql }) => !STEPPING.test(sql))
    expect(statements.length).toBeGreaterThan(30)
    const scans = statements.flatMap(({ sql, parameters }) => {
      const plan = database.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[]
      return plan.filter(({ detail }) => BIG.test(detail)).map(({ detail }) => `${detail}: ${sql}`)
    })
    expect(scans).toEqual([])
    await db.destroy()
  })
})
