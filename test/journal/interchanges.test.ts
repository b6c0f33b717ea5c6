/** Interchanges, their parts and answers, on SQLite; also after a restoration and after pruning. */
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { MAX_CONTROL_NUMBER } from '../../src/domain/interchange.ts'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import type { SetSelection } from '../../src/domain/place.ts'
import { problem } from '../../src/domain/problem.ts'
import { openJournal } from '../../src/journal/open.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'
import { openWatched } from '../fixtures/watched-journal.ts'
import {
  answerDelivery,
  answerTo,
  closePart,
  interchange,
  interchangesSuite,
  planPart,
  SCOPE,
  unbundleFile,
} from '../suites/interchanges.suite.ts'
import { planned, receiveFile, type TestClock, testClock } from '../suites/journal.suite.ts'

interchangesSuite('in memory', (clock) => openJournal({ path: ':memory:', clock }))

const WHO = { by: 'Ada', why: 'the disk failed' }

let clock: TestClock
let journal: Journal
let lease: Lease

const take = (route: string) => journal.acquireLease(route, 'bridge-1', 3_600_000, () => false)

beforeEach(async () => {
  clock = testClock()
  journal = await openWatched(clock, new Set())
  lease = await take('inbox:van')
  return () => journal.close()
})

const decide = async (id: string, start = 1) =>
  (await journal.decideAnswer(lease, id, { byStructure: false, start })).decided?.numbers

it('gives each control number once, and leaves none out, to two bridges that answer one partner', async () => {
  const path = join(await tempFolder(), 'journal.db')
  const decideAll = async (inbox: string) => {
    const own = await openJournal({ path, clock })
    const held = await own.acquireLease(`inbox:${inbox}`, inbox, 3_600_000, () => true)
    const given: number[] = []
    for (let file = 1; file <= 15; file++) {
      const id = `${inbox}${file}`
      await unbundleFile(own, held, id, { answers: [answerTo(id, { interchanges: [1, 2] })] })
      const { decided } = await own.decideAnswer(held, id, { byStructure: false, start: 1 })
      const first = decided?.numbers.interchange ?? 0
      given.push(first, first + 1)
    }
    await own.close()
    return given
  }

  const given = await Promise.all(['one', 'two'].map(decideAll))

  const inOrder = given.flat().toSorted((one, other) => one - other)
  expect(inOrder).toEqual(Array.from({ length: 60 }, (_, place) => place + 1))
})

describe('a restored journal of interchanges', () => {
  const declare = async () => {
    clock.advance(1000)
    const restored = await journal.declareRestored({
      ...WHO,
      skip: 10,
      routes: [
        { name: 'inbox:van', direction: 'inbox' },
        { name: 'orders-in', direction: 'inbound' },
      ],
      dryRun: false,
      isAlive: () => false,
    })
    clock.advance(1000)
    lease = await take('inbox:van')
    return restored
  }

  it('leaves out the numbers that may have been given since the backup', async () => {
    const other = { ...SCOPE, receiver: 'ZZ:OTHER' }
    await journal.setNumberCounter({ ...SCOPE, interchange: 41, group: 7 }, WHO)
    await journal.setNumberCounter({ ...other, interchange: MAX_CONTROL_NUMBER - 1, group: 0 }, WHO)

    expect(await declare()).toMatchObject({ counters: 2 })

    expect(await journal.listNumberCounters()).toEqual([
      { ...SCOPE, interchange: 1041, group: 1007 },
      { ...other, interchange: 999, group: 1000 },
    ])
  })

  it('reserves no number again that was reserved before, because a delivery since may carry it', async () => {
    const own = () => journal.acquireLease('invoices-out', 'bridge-1', 60_000, () => true)
    const rules = { start: 1, groupFollows: false }
    await journal.reserveNumbers(await own(), SCOPE, rules)

    await declare()

    const { numbers } = await journal.reserveNumbers(await own(), SCOPE, rules)
    expect(numbers).toEqual({ interchange: 1002, group: 1002 })
    expect((await journal.verifyChain({})).findings).toEqual([])
  })

  it('leaves out as many numbers of a scope that it does not know', async () => {
    await declare()
    await unbundleFile(journal, lease, 'a', { answers: [answerTo('n1')] })

    expect(await decide('n1', 500)).toEqual({ interchange: 1500, group: 1500 })
  })

  it('holds an answer that was composed, and names no later file of the inbox as one before', async () => {
    await unbundleFile(journal, lease, 'a', { answers: [answerTo('n1')] })
    await decide('n1')
    await journal.createAnswerDelivery(lease, 'n1', answerDelivery('d1'))

    expect(await declare()).toMatchObject({ deliveries: 1, sequences: [] })

    expect((await journal.getDelivery('d1'))?.held).toContain('restored from a backup')
    expect(await journal.getLastSequence('inbox:van')).toBe(11)
    expect(await journal.markPartsFinished(lease, 'a')).toBe(false)
    await journal.resolveHeldDelivery(lease, 'd1', { action: 'resolve-delivered', ...WHO })
    expect(await journal.markPartsFinished(lease, 'a')).toBe(true)
  })

  it('holds the answer to a file that was taken before, and delivers one to a file that came later', async () => {
    await unbundleFile(journal, lease, 'a', { answers: [answerTo('n1')] })
    await receiveFile(journal, lease, 'b')
    await declare()
    await journal.addInterchanges(lease, 'b', [interchange(2)])
    const none = { parts: [], unrouted: [], ambiguous: [], received: [], problems: [] }
    await journal.markFileUnbundled(lease, 'b', { ...none, answers: [answerTo('n2')] })
    await unbundleFile(journal, lease, 'c', { answers: [answerTo('n3')] })
    for (const id of ['n1', 'n2', 'n3']) await decide(id)

    const deliveries = []
    for (const id of ['n1', 'n2', 'n3'])
      deliveries.push(await journal.createAnswerDelivery(lease, id, answerDelivery(`d of ${id}`)))

    const [first, second, third] = deliveries
    expect(first?.held).toContain('restored from a backup')
    expect(second?.held).toContain('restored from a backup')
    expect(third).not.toHaveProperty('held')
    expect((await journal.listHeldDeliveries(9)).map(({ id }) => id)).toEqual(['d of n1', 'd of n2'])
  })

  it('looks up the records of parts, and none of the inbox itself', async () => {
    await unbundleFile(journal, lease, 'a', { parts: { 'orders-in': [[1, 1]] } })
    await declare()
    const orders = await take('orders-in')

    await planPart(journal, orders, 'a.orders-in', 'PO-1')

    expect(await journal.countRecords({ file: 'a.orders-in' })).toEqual({ uncertain: 1 })
    expect((await journal.listDoubtfulRoutes()).map(({ route }) => route)).toEqual(['orders-in'])
  })
})

describe('a journal of interchanges that prunes', () => {
  const { signal } = new AbortController()
  const prune = () => journal.prune({ before: clock.now() + 1, signal })
  const closeParent = async (id: string) => {
    await journal.markPartsFinished(lease, id)
    await journal.markFileReported(lease, id)
    await journal.markFileClosed(lease, id, `archive/${id}.csv`)
  }
  /** Every other set. */
  const MANY: SetSelection = Array.from({ length: 500 }, (_, place) => [2 * place + 1, 2 * place + 1])

  it('keeps the contents of a part until the file that it is of is closed', async () => {
    await unbundleFile(journal, lease, 'a', { parts: { 'orders-in': [[1, 1]] } })
    await closePart(journal, await take('orders-in'), 'a.orders-in', 'PO-1')
    const [record] = await journal.listReportedRecords('a.orders-in', 0, 1)
    const body = async () => (await journal.traceDetails([record!.id]))[0]?.body

    expect(await prune()).toMatchObject({ files: 0, records: 0 })
    expect(await body()).toContain('PO-1')

    await closeParent('a')
    expect(await prune()).toMatchObject({ files: 2, records: 1 })
    expect(await body()).toBeUndefined()
  })

  it('keeps the keys of interchanges, and empties large selections of sets', async () => {
    await receiveFile(journal, lease, 'a')
    await journal.addInterchanges(lease, 'a', [interchange(1)])
    await journal.markFileUnbundled(lease, 'a', {
      parts: [
        { id: 'p1', route: 'orders-in', sets: MANY },
        { id: 'p2', route: 'cancels-in', sets: [[2, 2]] },
      ],
      answers: [],
      unrouted: MANY,
      ambiguous: [[4, 4]],
      received: [],
      problems: [],
    })
    for (const [part, route] of [
      ['p1', 'orders-in'],
      ['p2', 'cancels-in'],
    ] as const)
      await closePart(journal, await take(route), part, part)
    await closeParent('a')
    // What no route takes waits for a person, like a held record.
    expect(await prune()).toMatchObject({ files: 2 })
    expect(await journal.getUnrouted('a')).toEqual({ unrouted: MANY, ambiguous: [[4, 4]] })
    await journal.dismissRejected('a', WHO)

    expect(await prune()).toMatchObject({ files: 1 })

    expect(await journal.getPartSets('p1')).toEqual([])
    expect(await journal.getPartSets('p2')).toEqual([[2, 2]])
    expect(await journal.getUnrouted('a')).toEqual({ unrouted: [], ambiguous: [] })
    expect(await journal.findEarlierInterchange(interchange(1), 0, 'b')).toMatchObject({ file: 'a' })
    expect(await journal.listInterchanges('a', 0, 9)).toEqual([interchange(1)])
  })

  it('keeps the sets of a part with a held record, which may be reported again', async () => {
    await unbundleFile(journal, lease, 'a', { parts: { 'orders-in': MANY } })
    const orders = await take('orders-in')
    const problems = [problem('held-by-mapping', {}, 'A person decides.')]
    await journal.addRecords(orders, 'a.orders-in', [planned(1, 'PO-1', { held: true, problems })])
    const found = { keyColumns: [], headerLines: 0, encoding: 'utf-8', keyed: [] }
    await journal.markFilePlanned(orders, 'a.orders-in', found)
    await journal.markFileSubmitted(orders, 'a.orders-in')
    await journal.markFileReported(orders, 'a.orders-in')
    await journal.markFileClosed(orders, 'a.orders-in')
    await closeParent('a')

    expect(await prune()).toMatchObject({ files: 1 })

    expect(await journal.getPartSets('a.orders-in')).toEqual(MANY)
  })
})
