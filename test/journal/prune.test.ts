/** Pruning: finished work loses its contents, none of them is left on the disk, and nothing is posted twice for it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { problem } from '../../src/domain/problem.ts'
import { openJournal } from '../../src/journal/open.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { openWatched } from '../fixtures/watched-journal.ts'
import { accepts, SCOPE, unbundleFile } from '../suites/interchanges.suite.ts'
import { accepted, planFile, planned, START, type TestClock, testClock } from '../suites/journal.suite.ts'
import { openDatabase } from '../../src/support/sqlite.ts'

const DAY_MS = 86_400_000
const signal = new AbortController().signal
const NAME = 'Wilhelmina Featherstonehaugh'
const body = JSON.stringify({ purchase_order_number: 'PO-1', ship_to: { name1: NAME } })
/** Too long for one page of the database. */
const longBody = JSON.stringify({
  purchase_order_number: 'PO-2',
  ship_to: { name1: NAME },
  note: 'x'.repeat(20_000),
})

async function open(path: string, clock: TestClock): Promise<{ journal: Journal; lease: Lease }> {
  const journal = await openJournal({ path, clock })
  return { journal, lease: await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true) }
}

/** A file of an accepted order with its answer, an accepted one with a long body, and a refused one, all about one person. */
async function finishFile(journal: Journal, lease: Lease, id = 'a'): Promise<void> {
  await planFile(journal, lease, id, [
    planned(1, 'PO-1', { body, note: `{"to":"${NAME}"}`, keep: { key: 'PO-1', values: { to: NAME } } }),
    planned(2, 'PO-2', { body: longBody, warnings: [problem('rows-disagree', { line: 3 }, `for ${NAME}`)] }),
    planned(3, 'PO-3', {
      keyValues: [NAME],
      problems: [problem('value-missing', { line: 4 }, `of ${NAME}`)],
    }),
  ])
  const begun = await journal.startAttempts(lease, { file: id }, 10)
  await journal.saveAttemptNotes(lease, [{ id: begun[0]!.id, note: NAME }])
  await journal.finishAttempts(lease, [
    { ...accepted(begun[0]!.id, '91'), answer: JSON.stringify({ name: NAME }) },
    accepted(begun[1]!.id, '92'),
  ])
  await journal.saveResources('retailer/1000', 'order', [{ id: '91', keys: ['PO-1'], facts: { name: NAME } }])
  await journal.saveListReadAt('retailer/1000', 'order', START)
  await closeFile(journal, lease, id)
}

async function closeFile(journal: Journal, lease: Lease, id: string): Promise<void> {
  await journal.markFileSubmitted(lease, id)
  await journal.saveReportName(lease, id, `${id}.csv`, [])
  await journal.markFileReported(lease, id)
  await journal.markFileClosed(lease, id, `archive/${id}.csv`)
}

const mentions = async (path: string): Promise<string[]> => {
  const files = ['', '-wal'].map((end) => path + end)
  const bytes = await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0))))
  return files.filter((_, place) => bytes[place]!.includes(NAME)).map((file) => file.slice(path.length))
}

describe('a journal that prunes', () => {
  it('leaves no personal data of finished work on the disk', async () => {
    const clock = testClock()
    const path = join(await tempFolder(), 'journal.db')
    const { journal, lease } = await open(path, clock)
    await finishFile(journal, lease)
    expect(await mentions(path)).not.toEqual([])

    const pruned = await journal.prune({ before: clock.now() + 1, signal })

    expect(pruned).toEqual({
      files: 1,
      deliveries: 0,
      records: 3,
      resources: 1,
      orderAttributes: 1,
      isGone: true,
    })
    expect(await mentions(path)).toEqual([])
    await journal.close()
  })

  it('still knows states, keys, times and codes, and is whole', async () => {
    const clock = testClock()
    const path = join(await tempFolder(), 'journal.db')
    const { journal, lease } = await open(path, clock)
    await finishFile(journal, lease)
    const before = await journal.listReportedRecords('a', 0, 10)
    await journal.prune({ before: clock.now() + 1, signal })

    const after = await journal.listReportedRecords('a', 0, 10)

    const lasting = (records: typeof before) =>
      records.map((record) => ({
        ...record,
        keyValues: [],
        problems: record.problems.map(({ code, place }) => ({ code, place })),
        warnings: record.warnings.map(({ code, place }) => ({ code, place })),
      }))
    expect(lasting(after)).toEqual(lasting(before))
    expect(after[2]!.problems[0]!.message).not.toContain(NAME)
    expect(await journal.getFile('a')).toMatchObject({
      name: 'a.csv',
      state: 'closed',
      archivedAs: 'archive/a.csv',
    })
    expect(await journal.summarizeRoutes()).toMatchObject([{ incoming: { accepted: 2, rejected: 1 } }])
    expect(await journal.verifyChain({})).toMatchObject({ found: 0 })
    await journal.close()
  })

  it('recognises the same file and the same order, and reports where they were first', async () => {
    const clock = testClock()
    const { journal, lease } = await open(':memory:', clock)
    await finishFile(journal, lease)
    await journal.prune({ before: clock.now() + 1, signal })

    await journal.startClaims(lease, [{ id: 'b', folder: 'inbox', name: 'b.csv', size: 1, modifiedAt: 1 }])
    const again = await journal.markFileReceived(lease, 'b', { sha256: 'a', bytes: 10 })
    await planFile(journal, lease, 'c', [planned(1, 'PO-1', { body }), planned(2, 'PO-2')])

    expect(again).toMatchObject({ outcome: 'duplicate', duplicateOf: { id: 'a', name: 'a.csv' } })
    const [same, other] = await journal.listReportedRecords('c', 0, 10)
    expect(same).toMatchObject({ state: 'duplicate', apiId: '91' })
    expect(same!.problems[0]!.message).toContain('a.csv, line 2')
    expect(other).toMatchObject({ state: 'rejected', problems: [{ code: 'key-conflict' }] })
    expect(other!.problems[0]!.message).toContain('a.csv, line 3')
    await journal.close()
  })

  it('keeps what is not finished, what waits for a person, and what was finished later', async () => {
    const clock = testClock()
    const { journal, lease } = await open(':memory:', clock)
    await planFile(journal, lease, 'open', [planned(1, 'PO-open', { body })])
    await planFile(journal, lease, 'held', [planned(1, 'PO-held', { body })])
    await journal.holdRemainingRecords(
      lease,
      'held',
      problem('circuit-breaker-open', {}, `because of ${NAME}`),
    )
    await closeFile(journal, lease, 'held')
    clock.advance(DAY_MS)
    await finishFile(journal, lease, 'later')

    const pruned = await journal.prune({ before: clock.now(), signal })

    expect(pruned).toMatchObject({ files: 0, records: 0 })
    await journal.applyDecision(lease, 'held', { action: 'release', by: 'Ann', why: 'mended' })
    const sent = await journal.startAttempts(lease, { file: 'held' }, 10)
    expect(sent.map((record) => record.body)).toEqual([body])
    expect((await journal.startAttempts(lease, { file: 'open' }, 10))[0]!.body).toBe(body)
    await journal.close()
  })

  it('keeps what decides which of two changes is the later one', async () => {
    const clock = testClock()
    const { journal, lease } = await open(':memory:', clock)
    const change = { target: '9', values: ['stock'] }
    const update = (key: string) => planned(1, key, { operation: 'update-variant', change })
    await planFile(journal, lease, 'first', [update('9 first')])
    await planFile(journal, lease, 'second', [update('9 second')])
    const [sent] = await journal.startAttempts(lease, { file: 'second' }, 10)
    await journal.finishAttempts(lease, [accepted(sent!.id, '9')])
    await closeFile(journal, lease, 'second')
    await journal.prune({ before: clock.now() + 1, signal })

    expect(await journal.startAttempts(lease, { file: 'first' }, 10)).toEqual([])
    expect(await journal.countRecords({ file: 'first' })).toEqual({ skipped: 1 })
    await journal.close()
  })

  it('prunes a file of many records and many files of few, in several steps, each record once', async () => {
    const clock = testClock()
    const { journal, lease } = await open(':memory:', clock)
    const refused = (number: number) =>
      planned(number, `PO-${number}`, { problems: [problem('value-missing', {}, NAME)] })
    await planFile(
      journal,
      lease,
      'large',
      Array.from({ length: 4500 }, (_, place) => refused(place + 1)),
    )
    await closeFile(journal, lease, 'large')
    for (let file = 0; file < 250; file++) {
      await planFile(journal, lease, `small-${file}`, [refused(1)])
      await closeFile(journal, lease, `small-${file}`)
    }

    const pruned = await journal.prune({ before: clock.now() + 1, signal })
    const again = await journal.prune({ before: clock.now() + 1, signal })

    expect(pruned).toMatchObject({ files: 251, records: 4750 })
    expect(again).toMatchObject({ files: 0, records: 0 })
    expect(await journal.verifyChain({})).toMatchObject({ found: 0 })
    await journal.close()
  })

  it('says beforehand how much it would prune, and changes nothing', async () => {
    const clock = testClock()
    const { journal, lease } = await open(':memory:', clock)
    await finishFile(journal, lease)

    const would = await journal.prune({ before: clock.now() + 1, dryRun: true, signal })

    expect(would).toEqual({
      files: 1,
      deliveries: 0,
      records: 3,
      resources: 1,
      orderAttributes: 1,
      isGone: false,
    })
    expect(await journal.listReportedRecords('a', 2, 1)).toMatchObject([{ keyValues: [NAME] }])
    await journal.close()
  })

  it('asks for a list again of which it has pruned something', async () => {
    const clock = testClock()
    const { journal, lease } = await open(':memory:', clock)
    await finishFile(journal, lease)
    await journal.prune({ before: clock.now() + 1, signal })

    expect(await journal.findResourcesByKey('retailer/1000', 'order', ['PO-1'])).toEqual([])
    expect(await journal.getListReadAt('retailer/1000', 'order')).toBeUndefined()
    await journal.close()
  })

  it('prunes the contents of a delivery once it is done', async () => {
    const clock = testClock()
    const path = join(await tempFolder(), 'journal.db')
    const { journal, lease } = await open(path, clock)
    const order = { operation: 'export-orders', account: 'brand/7', apiId: '7', body }
    await journal.collectRecords(lease, [order])
    const delivery = { id: 'd', folder: 'out', sha256: 'h', rows: 1, upToRecord: 9, held: [] }
    await journal.createDelivery(lease, { ...delivery, nameFor: () => 'd.csv' })
    expect(await journal.prune({ before: clock.now() + 1, signal })).toMatchObject({ deliveries: 0 })
    await journal.markDeliveryDone(lease, 'd')

    expect(await journal.prune({ before: clock.now() + 1, signal })).toMatchObject({
      deliveries: 1,
      records: 1,
    })
    expect(await mentions(path)).toEqual([])
    expect(await journal.collectRecords(lease, [order])).toBe(0)
    await journal.close()
  })

  it('prunes what a partner repeated of the documents that it refused', async () => {
    const clock = testClock()
    const path = join(await tempFolder(), 'journal.db')
    const { journal, lease } = await open(path, clock)
    await journal.collectRecords(lease, [
      { operation: 'export-orders', account: 'brand/7', apiId: '7', body: '{}' },
    ])
    const { id } = await journal.reserveNumbers(lease, SCOPE, { start: 1, groupFollows: false })
    const delivery = { id: 'd', folder: 'out', sha256: 'h', rows: 1, upToRecord: 9, held: [] }
    const reservation = { id, sets: 1, code: 'PO' }
    await journal.createDelivery(lease, { ...delivery, reservation, nameFor: () => 'd.x12' })
    await journal.markDeliveryDone(lease, 'd')
    const refusal = accepts(SCOPE.receiver, '1')
    const sets = [{ number: '0001', verdict: 'R' as const, reasons: [`N102 holds "${NAME}": too long`] }]
    await unbundleFile(journal, lease, 'fa', {
      received: [{ ...refusal, answer: { ...refusal.answer, sets } }],
    })
    expect(await mentions(path)).not.toEqual([])

    await journal.prune({ before: clock.now() + 1, signal })

    expect(await mentions(path)).toEqual([])
    expect(await journal.listReceivedAnswers({ delivery: 'd' }, 10)).toMatchObject([{ refused: 1 }])
    expect((await journal.verifyChain({})).findings).toEqual([])
    await journal.close()
  })

  it('reports when another program reads meanwhile and keeps removed contents in the log', async () => {
    const clock = { ...testClock(), sleep: () => Promise.resolve() }
    const path = join(await tempFolder(), 'journal.db')
    const { journal, lease } = await open(path, clock)
    await finishFile(journal, lease)
    const reader = openDatabase(path, { readonly: true })
    reader.exec('begin; select * from files')

    expect(await journal.prune({ before: clock.now() + 1, signal })).toMatchObject({
      isGone: false,
      files: 1,
    })
    reader.exec('rollback')
    reader.close()
    expect(await journal.prune({ before: clock.now() + 1, signal })).toMatchObject({
      isGone: true,
      files: 0,
    })
    expect(await mentions(path)).toEqual([])
    await journal.close()
  })

  it('notes in the chain that it pruned, and how much', async () => {
    const clock = testClock()
    const seen = new Set<string>()
    const journal = await openWatched(clock, seen)
    const lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await finishFile(journal, lease)
    await journal.prune({ before: clock.now() + 1, signal })
    await journal.close()

    expect([...seen]).toContain('prune')
  })

  it('still shows that it was altered beforehand', async () => {
    const clock = testClock()
    const path = join(await tempFolder(), 'journal.db')
    const { journal, lease } = await open(path, clock)
    await finishFile(journal, lease)
    const database = openDatabase(path)
    database.exec(`update records set natural_key = 'PO-x' where id = 1`)
    database.close()
    await journal.prune({ before: clock.now() + 1, signal })

    expect(await journal.verifyChain({})).toMatchObject({ found: 1, findings: [{ id: '1' }] })
    await journal.close()
  })
})
