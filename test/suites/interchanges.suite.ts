/** The promises of the journal about interchanges, their parts and answers, for any database. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_CONTROL_NUMBER } from '../../src/domain/interchange.ts'
import type {
  AnsweredDelivery,
  InterchangeEntry,
  NewAnswer,
  NewReceivedAnswer,
  NumberScope,
} from '../../src/domain/interchange-journal.ts'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import type { SetSelection } from '../../src/domain/place.ts'
import { problem } from '../../src/domain/problem.ts'
import type { Clock } from '../../src/support/clock.ts'
import { accepted, planned, receiveFile, START, type TestClock, testClock } from './journal.suite.ts'

/** Answers go from us to the partner. */
export const SCOPE: NumberScope = {
  syntax: 'x12',
  sender: 'ZZ:HAVENRETAIL',
  receiver: '12:7755550100',
  usage: 'production',
}

/** An interchange of the partner, with as many sets as it is asked for. */
export function interchange(ordinal: number, more: Partial<InterchangeEntry> = {}): InterchangeEntry {
  return {
    ordinal,
    segment: (ordinal - 1) * 20 + 1,
    syntax: 'x12',
    sender: '12:7755550100',
    receiver: 'ZZ:HAVENRETAIL',
    usage: 'production',
    number: `00000010${ordinal}`,
    sha256: `contents ${ordinal}`,
    sets: 2,
    verdict: 'taken',
    partner: 'northlight',
    ...more,
  }
}

export function answerTo(id: string, more: Partial<NewAnswer> = {}): NewAnswer {
  return {
    id,
    scope: SCOPE,
    partner: 'northlight',
    interchanges: [1],
    groups: 1,
    dueAt: START + 60_000,
    ...more,
  }
}

/** A partner accepts a group, or all of it but one set. */
export function accepts(partner: string, number: string, refused?: string): NewReceivedAnswer {
  const sets =
    refused === undefined ? [] : [{ number: refused, verdict: 'R' as const, reasons: ['too long'] }]
  return {
    answer: { kind: '997', number, segment: 3, verdict: 'accepted', reasons: [], sets },
    interchange: 1,
    syntax: 'x12',
    usage: 'production',
    partner: [partner],
  }
}

/** A partner refuses a group. */
export function refuses(partner: string, number: string): NewReceivedAnswer {
  const { answer, ...rest } = accepts(partner, number)
  return { ...rest, answer: { ...answer, verdict: 'refused', reasons: ['trailer missing'] } }
}

interface GivenAway {
  readonly parts?: Readonly<Record<string, SetSelection>>
  readonly answers?: readonly NewAnswer[]
  readonly interchanges?: readonly InterchangeEntry[]
  readonly received?: readonly NewReceivedAnswer[]
}

/** Receives a file of interchanges and gives its sets away: the part `FILE.ROUTE` to each route. */
export async function unbundleFile(
  journal: Journal,
  lease: Lease,
  id: string,
  { parts = {}, answers = [], interchanges = [interchange(1)], received = [] }: GivenAway = {},
): Promise<readonly AnsweredDelivery[]> {
  await receiveFile(journal, lease, id)
  await journal.startUnbundling(lease, id)
  await journal.addInterchanges(lease, id, interchanges)
  return journal.markFileUnbundled(lease, id, {
    parts: Object.entries(parts).map(([route, sets]) => ({ id: `${id}.${route}`, route, sets })),
    answers,
    unrouted: [],
    ambiguous: [],
    received,
    problems: [],
  })
}

/** Plans the part with one record, has the record accepted, and closes the part. */
export async function closePart(journal: Journal, lease: Lease, id: string, key: string): Promise<void> {
  await planPart(journal, lease, id, key)
  const [sent] = await journal.startAttempts(lease, { file: id }, 1)
  if (sent !== undefined) await journal.finishAttempts(lease, [accepted(sent.id, '91')])
  await journal.markFileSubmitted(lease, id)
  await journal.saveReportName(lease, id, `${id}.results`, [])
  await journal.markFileReported(lease, id)
  await journal.markFileClosed(lease, id)
}

export async function planPart(journal: Journal, lease: Lease, id: string, key: string): Promise<void> {
  await journal.startPlanning(lease, id)
  await journal.addRecords(lease, id, [planned(1, key)])
  const found = { keyColumns: ['PO'], headerLines: 0, encoding: 'utf-8', keyed: ['create-order'] }
  await journal.markFilePlanned(lease, id, found)
}

export function answerDelivery(id: string) {
  const name = (sequence: number) => `997-${sequence}.x12`
  return { id, nameFor: name, folder: 'out', sha256: `bytes of ${id}`, rows: 9, records: 0 }
}

const alive = () => true

export function interchangesSuite(name: string, open: (clock: Clock) => Promise<Journal>): void {
  describe(`a journal of interchanges ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let lease: Lease
    let orders: Lease

    const take = (route: string) => journal.acquireLease(route, 'bridge-1', 3_600_000, alive)

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await take('inbox:van')
      orders = await take('orders-in')
    })

    afterEach(() => journal.close())

    describe('knows interchanges by their keys', () => {
      const find = (number: string, notFile = 'other', since = 0) =>
        journal.findEarlierInterchange({ ...interchange(1), number }, since, notFile)

      it('finds the first file that brought an interchange which was taken', async () => {
        await unbundleFile(journal, lease, 'a', { interchanges: [interchange(1), interchange(2)] })
        await unbundleFile(journal, lease, 'b')

        expect(await find('000000101')).toEqual({ file: 'a', name: 'a.csv', sha256: 'contents 1' })
        expect(await find('000000103')).toBeUndefined()
      })

      it('leaves out the file itself, files from before the window, and other verdicts', async () => {
        const verdicts = ['answer', 'duplicate', 'reused', 'unknown'] as const
        await unbundleFile(journal, lease, 'a', {
          interchanges: [
            interchange(1),
            ...verdicts.map((verdict, place) => interchange(place + 2, { verdict })),
          ],
        })

        expect(await find('000000101', 'a')).toBeUndefined()
        expect(await find('000000101', 'b', START + 1)).toBeUndefined()
        expect(await find('000000101', 'b', START)).toMatchObject({ file: 'a' })
        for (const number of ['000000102', '000000103', '000000104', '000000105'])
          expect(await find(number)).toBeUndefined()
      })

      it.each([
        ['syntax', { syntax: 'edifact' }],
        ['sender', { sender: '12:7755550101' }],
        ['receiver', { receiver: 'ZZ:HAVENBRAND' }],
        ['usage', { usage: 'test' }],
      ] as const)('tells interchanges of another %s apart', async (_, more) => {
        await unbundleFile(journal, lease, 'a', { interchanges: [interchange(1, more)] })

        expect(await journal.findEarlierInterchange(interchange(1), 0, 'b')).toBeUndefined()
        expect(await journal.findEarlierInterchange(interchange(1, more), 0, 'b')).toMatchObject({
          file: 'a',
        })
      })

      it('prefers one with the same contents, where several with the key were taken', async () => {
        await unbundleFile(journal, lease, 'a')
        await unbundleFile(journal, lease, 'b', { interchanges: [interchange(1, { sha256: 'others' })] })

        expect(await find('000000101')).toMatchObject({ file: 'a' })
        const other = interchange(1, { sha256: 'others' })
        expect(await journal.findEarlierInterchange(other, 0, 'c')).toMatchObject({ file: 'b' })
      })

      it('finds none in a file that could not be used, nor in a rejects or exceptions file', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.addInterchanges(lease, 'a', [interchange(1)])
        await unbundleFile(journal, lease, 'b.rejects', {})
        await unbundleFile(journal, lease, 'b.EXCEPTIONS', {})
        expect(await find('000000101')).toMatchObject({ file: 'a' })

        await journal.markFileUnusable(lease, 'a', [problem('text-undecodable', {}, 'It is no text.')])

        expect(await find('000000101')).toBeUndefined()
      })

      it('knows which were answered: by their contents where they were taken, by their place in a file of a retake', async () => {
        const verdicts = [{}, {}, { verdict: 'unknown' }, { verdict: 'reused' }] as const
        const noted = verdicts.map((more, place) => interchange(place + 1, more))
        await unbundleFile(journal, lease, 'a', {
          interchanges: noted,
          answers: [
            answerTo('one', { interchanges: [1, 2] }),
            answerTo('two', { interchanges: [4], scope: { ...SCOPE, usage: 'test' } }),
          ],
        })
        const areAnswered = (of: string) =>
          Promise.all(noted.map((each) => journal.isInterchangeAnswered(each, of)))

        expect(await areAnswered('a')).toEqual([true, true, false, true])
        expect(await areAnswered('b')).toEqual([true, true, false, false])
        const others = interchange(1, { sha256: 'others' })
        expect(await journal.isInterchangeAnswered(others, 'b')).toBe(false)
      })

      it('counts what waits for a correction of one of them: records of its segments, and sets that no route takes', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.startUnbundling(lease, 'a')
        await journal.addInterchanges(lease, 'a', [interchange(1), interchange(2), interchange(3)])
        await journal.markFileUnbundled(lease, 'a', {
          parts: [{ id: 'a.orders-in', route: 'orders-in', sets: [[3, 4]] }],
          answers: [],
          unrouted: [[2, 3]],
          ambiguous: [[5, 5]],
          received: [],
          problems: [],
        })
        const count = async () =>
          Promise.all([1, 2, 3, 4].map((each) => journal.countCorrectable('a', interchange(each))))
        expect(await count()).toEqual([1, 1, 1, 0])

        await journal.startPlanning(orders, 'a.orders-in')
        const refused = { problems: [problem('value-missing', {}, 'It is missing.')] }
        await journal.addRecords(orders, 'a.orders-in', [
          { ...planned(1, 'A'), ...refused, lines: [[22, 30]] },
          { ...planned(2, 'B'), lines: [[31, 39]] },
        ])

        expect(await count()).toEqual([1, 2, 1, 0])
        expect(await journal.countCorrectable('b', interchange(1))).toBe(0)
      })

      it('lists them in their order, page by page, with the file that had their number first', async () => {
        await unbundleFile(journal, lease, 'a')
        const all = [
          interchange(1, { verdict: 'duplicate', earlier: { file: 'a', name: 'a.csv' } }),
          interchange(2, { verdict: 'reused', earlier: { file: 'a', name: 'a.csv' } }),
          interchange(3, { syntax: 'edifact', usage: 'test' }),
        ]
        await receiveFile(journal, lease, 'b')
        await journal.addInterchanges(lease, 'b', all.slice(0, 2))
        await journal.addInterchanges(lease, 'b', all.slice(2))

        expect(await journal.listInterchanges('b', 0, 2)).toEqual(all.slice(0, 2))
        expect(await journal.listInterchanges('b', 2, 2)).toEqual(all.slice(2))
      })

      it('finds the one in which a segment stands', async () => {
        await unbundleFile(journal, lease, 'a', { interchanges: [interchange(1), interchange(2)] })

        expect(await journal.findInterchangeAt('a', 20)).toMatchObject({ ordinal: 1 })
        expect(await journal.findInterchangeAt('a', 21)).toMatchObject({ ordinal: 2 })
        expect(await journal.findInterchangeAt('a', 900)).toMatchObject({ ordinal: 2 })
        expect(await journal.findInterchangeAt('a', 0)).toBeUndefined()
        expect(await journal.findInterchangeAt('b', 1)).toBeUndefined()
      })

      it('keeps one without a partner', async () => {
        const { partner: _, ...stranger } = interchange(1, { verdict: 'unknown' })
        await unbundleFile(journal, lease, 'a', { interchanges: [stranger] })

        expect(await journal.listInterchanges('a', 0, 9)).toEqual([stranger])
      })

      it('deletes what an interrupted unbundling left', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.addInterchanges(lease, 'a', [interchange(1), interchange(2)])

        await journal.startUnbundling(lease, 'a')

        expect(await journal.listInterchanges('a', 0, 9)).toEqual([])
        await journal.addInterchanges(lease, 'a', [interchange(1)])
        expect(await journal.listInterchanges('a', 0, 9)).toEqual([interchange(1)])
      })

      it('stops the program when one comes out of order, or its file is unbundled already', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.addInterchanges(lease, 'a', [interchange(2)])
        await expect(journal.addInterchanges(lease, 'a', [interchange(2)])).rejects.toThrow(
          'Interchange 2 of file a is not behind number 2.',
        )
        await unbundleFile(journal, lease, 'b')
        await expect(journal.addInterchanges(lease, 'b', [interchange(2)])).rejects.toThrow(
          'File b of route inbox:van should be received and is not.',
        )
        await expect(journal.startUnbundling(lease, 'b')).rejects.toThrow('should be received')
      })
    })

    describe('gives the sets of a file to routes', () => {
      const parts = {
        'orders-in': [
          [1, 800],
          [802, 802],
        ],
        'cancels-in': [[801, 801]],
      } as const

      it('makes a received file of each route, with the name, contents and times of the one that came', async () => {
        await receiveFile(journal, lease, 'a')
        clock.advance(5)
        await journal.addInterchanges(lease, 'a', [interchange(1)])
        const unrouted = [[803, 804]] as const
        const problems = [problem('edi-between', { line: 3 }, 'Text stands between interchanges.')]
        await journal.markFileUnbundled(lease, 'a', {
          parts: [
            { id: 'p1', route: 'orders-in', sets: parts['orders-in'] },
            { id: 'p2', route: 'cancels-in', sets: parts['cancels-in'] },
          ],
          answers: [],
          received: [],
          unrouted,
          ambiguous: [[805, 805]],
          problems,
        })

        const parent = await journal.getFile('a')
        expect(parent).toMatchObject({ state: 'planned', plannedAt: START + 5, problems })
        const { folder, size, modifiedAt, sha256, receivedAt, claimedAt } = parent!
        const shared = { name: 'a.csv', folder, size, modifiedAt, sha256, receivedAt, claimedAt }
        const first = { ...shared, id: 'p1', route: 'orders-in', state: 'received', partOf: 'a' }
        expect(await journal.getFile('p1')).toEqual({
          ...first,
          problems: [],
          keyColumns: [],
          headerLines: 0,
        })
        expect(await journal.listParts('a')).toMatchObject([first, { id: 'p2', route: 'cancels-in' }])
        expect(await journal.getPartSets('p1')).toEqual(parts['orders-in'])
        expect(await journal.getPartSets('p2')).toEqual(parts['cancels-in'])
        expect(await journal.getPartSets('a')).toBeUndefined()
        expect(await journal.getUnrouted('a')).toEqual({ unrouted, ambiguous: [[805, 805]] })
        expect(await journal.getUnrouted('p1')).toEqual({ unrouted: [], ambiguous: [] })
      })

      it('is work of these routes at once', async () => {
        await unbundleFile(journal, lease, 'a', { parts })

        expect(await journal.listUnfinishedRoutes()).toEqual(['cancels-in', 'inbox:van', 'orders-in'])
        expect(await journal.listUnfinishedFiles('orders-in')).toMatchObject([{ id: 'a.orders-in' }])
        expect(await journal.listUnfinishedFiles('inbox:van')).toMatchObject([{ id: 'a' }])
      })

      it('makes all of them or none', async () => {
        await receiveFile(journal, lease, 'a')
        await journal.addInterchanges(lease, 'a', [interchange(1)])
        const twice = { id: 'p', route: 'orders-in', sets: [[1, 1]] } as const
        const unbundling = {
          parts: [twice, twice],
          answers: [answerTo('n')],
          unrouted: [],
          ambiguous: [],
          received: [],
          problems: [],
        }

        await expect(journal.markFileUnbundled(lease, 'a', unbundling)).rejects.toThrow('UNIQUE')

        expect(await journal.getFile('a')).toMatchObject({ state: 'received' })
        expect(await journal.listParts('a')).toEqual([])
        expect(await journal.listAnswers('a')).toEqual([])
      })

      it('takes no part for a file of its inbox, or for the first one with these contents', async () => {
        await unbundleFile(journal, lease, 'a', { parts })
        const info = { name: 'a.csv', size: 10, modifiedAt: 1.5 }

        expect(await journal.isFileTaken('inbox:van', info)).toBe(true)
        expect(await journal.isFileTaken('orders-in', info)).toBe(false)
        expect(await journal.findFirstWithContents('orders-in', 'a')).toBeUndefined()
        expect(await journal.findFirstWithContents('inbox:van', 'a')).toMatchObject({ id: 'a' })
      })

      it('takes the same bytes for a duplicate once a record of a part was sent or will be', async () => {
        await unbundleFile(journal, lease, 'a', { parts })
        const state = async (id: string) => {
          await receiveFile(journal, lease, id, 'a')
          return (await journal.getFile(id))?.state
        }
        expect(await state('b')).toBe('submitted')
        await closePart(journal, orders, 'a.orders-in', 'PO-1')
        const cancels = await take('cancels-in')
        await closePart(journal, cancels, 'a.cancels-in', 'PO-2')
        await journal.markPartsFinished(lease, 'a')
        expect(await state('c')).toBe('submitted')
        expect(await journal.getFile('c')).toMatchObject({ outcome: 'duplicate', duplicateOf: { id: 'a' } })
      })

      it('reads the same bytes again when all records of its parts were refused', async () => {
        await unbundleFile(journal, lease, 'a', { parts: { 'orders-in': [[1, 1]] } })
        const refusal = problem('value-missing', {}, 'Qty is blank.')
        await journal.addRecords(orders, 'a.orders-in', [planned(1, 'PO-1', { problems: [refusal] })])
        const found = { keyColumns: [], headerLines: 0, encoding: 'utf-8', keyed: [] }
        await journal.markFilePlanned(orders, 'a.orders-in', found)

        await receiveFile(journal, lease, 'b', 'a')

        expect(await journal.getFile('b')).toMatchObject({ state: 'received' })
      })

      it('is finished when every part is closed and every answer is delivered', async () => {
        await unbundleFile(journal, lease, 'a', {
          parts: { 'orders-in': [[1, 1]] },
          answers: [answerTo('n1')],
        })
        expect(await journal.markPartsFinished(lease, 'a')).toBe(false)
        await closePart(journal, orders, 'a.orders-in', 'PO-1')
        expect(await journal.getFile('a.orders-in')).toMatchObject({ state: 'closed', outcome: 'processed' })
        expect(await journal.markPartsFinished(lease, 'a')).toBe(false)
        await journal.decideAnswer(lease, 'n1', { byStructure: false, start: 1 })
        expect(await journal.markPartsFinished(lease, 'a')).toBe(false)
        await journal.createAnswerDelivery(lease, 'n1', answerDelivery('d1'))
        expect(await journal.markPartsFinished(lease, 'a')).toBe(false)
        await journal.markDeliveryDone(lease, 'd1')
        clock.advance(7)

        expect(await journal.markPartsFinished(lease, 'a')).toBe(true)

        expect(await journal.getFile('a')).toMatchObject({
          state: 'submitted',
          outcome: 'processed',
          submittedAt: START + 7,
        })
        await expect(journal.markPartsFinished(lease, 'a')).rejects.toThrow('should be planned')
      })

      it('stops the program when a part has no sets', async () => {
        await expect(unbundleFile(journal, lease, 'a', { parts: { 'orders-in': [] } })).rejects.toThrow(
          'Part a.orders-in for route orders-in has no sets.',
        )
      })
    })

    describe('answers interchanges', () => {
      const decide = (id: string, start = 1, byStructure = false) =>
        journal.decideAnswer(lease, id, { byStructure, start })

      it('lists the answers to a file as they were found to be due', async () => {
        const all = [
          answerTo('n2', { interchanges: [1, 2, 3, 7], groups: 5 }),
          answerTo('n1', { scope: { ...SCOPE, usage: 'test' }, interchanges: [4], groups: 0 }),
        ]
        await unbundleFile(journal, lease, 'a', { answers: all })

        expect(await journal.listAnswers('a')).toEqual(all.map((answer) => ({ ...answer, file: 'a' })))
      })

      it('has one answer for each scope of a file', async () => {
        const twice = [answerTo('n1'), answerTo('n2', { interchanges: [2] })]
        await expect(unbundleFile(journal, lease, 'a', { answers: twice })).rejects.toThrow('UNIQUE')
      })

      it('reserves as many numbers as it has interchanges and groups, counted apart', async () => {
        await unbundleFile(journal, lease, 'a', {
          answers: [answerTo('n1', { interchanges: [1, 2, 3], groups: 5 })],
        })
        await unbundleFile(journal, lease, 'b', { answers: [answerTo('n2', { groups: 0 })] })
        await unbundleFile(journal, lease, 'c', { answers: [answerTo('n3')] })
        clock.advance(3)

        const first = await decide('n1', 1000)

        const numbers = { interchange: 1000, group: 1000 }
        expect(first.decided).toEqual({ at: START + 3, numbers, byStructure: false })
        expect(await journal.listAnswers('a')).toEqual([first])
        expect((await decide('n2', 1000)).decided?.numbers).toEqual({ interchange: 1003, group: 1005 })
        expect((await decide('n3', 1000)).decided?.numbers).toEqual({ interchange: 1004, group: 1005 })
        expect(await journal.listNumberCounters()).toEqual([{ ...SCOPE, interchange: 1004, group: 1005 }])
      })

      it.each([
        ['syntax', { syntax: 'edifact' }],
        ['sender', { sender: 'ZZ:HAVENBRAND' }],
        ['receiver', { receiver: '12:7755550101' }],
        ['usage', { usage: 'test' }],
      ] as const)('counts each %s by itself', async (_, more) => {
        const scope = { ...SCOPE, ...more }
        await unbundleFile(journal, lease, 'a', { answers: [answerTo('n1'), answerTo('n2', { scope })] })

        await decide('n1', 7)

        expect((await decide('n2', 50)).decided?.numbers).toEqual({ interchange: 50, group: 50 })
      })

      it('keeps its decision when it is decided again', async () => {
        await unbundleFile(journal, lease, 'a', { answers: [answerTo('n1')] })
        const first = await decide('n1', 5, true)
        clock.advance(9)

        expect(await decide('n1', 99, false)).toEqual(first)
        expect(first.decided?.byStructure).toBe(true)
        expect(await journal.listNumberCounters()).toEqual([{ ...SCOPE, interchange: 5, group: 5 }])
      })

      it('counts on from 1 after the highest number', async () => {
        const setTo = { ...SCOPE, interchange: MAX_CONTROL_NUMBER - 2, group: MAX_CONTROL_NUMBER }
        await journal.setNumberCounter(setTo, { by: 'Ada', why: 'moved from the old gateway' })
        await unbundleFile(journal, lease, 'a', {
          answers: [answerTo('n1', { interchanges: [1, 2, 3], groups: 2 })],
        })
        await unbundleFile(journal, lease, 'b', { answers: [answerTo('n2')] })

        const first = { interchange: MAX_CONTROL_NUMBER - 1, group: 1 }
        expect((await decide('n1')).decided?.numbers).toEqual(first)
        expect(await journal.listNumberCounters()).toEqual([{ ...SCOPE, interchange: 1, group: 2 }])
        expect((await decide('n2')).decided?.numbers).toEqual({ interchange: 2, group: 3 })
      })

      it('binds a delivery of the inbox to a decided answer, once', async () => {
        await unbundleFile(journal, lease, 'a', {
          answers: [answerTo('n1'), answerTo('n2', { scope: { ...SCOPE, usage: 'test' } })],
        })
        await expect(journal.createAnswerDelivery(lease, 'n1', answerDelivery('d1'))).rejects.toThrow(
          'Answer n1 is not decided.',
        )
        await decide('n1')
        await decide('n2')

        const first = await journal.createAnswerDelivery(lease, 'n1', answerDelivery('d1'))
        const second = await journal.createAnswerDelivery(lease, 'n2', answerDelivery('d2'))

        expect(first).toMatchObject({ route: 'inbox:van', sequence: 1, name: '997-1.x12', state: 'composed' })
        expect(second).toMatchObject({ sequence: 2, name: '997-2.x12' })
        expect(await journal.listUnfinishedDeliveries('inbox:van')).toMatchObject([
          { id: 'd1' },
          { id: 'd2' },
        ])
        expect(await journal.findAnswerOfDelivery('d1')).toMatchObject({ id: 'n1', delivery: 'd1' })
        expect(await journal.findAnswerOfDelivery('d3')).toBeUndefined()
        await expect(journal.createAnswerDelivery(lease, 'n1', answerDelivery('d3'))).rejects.toThrow(
          'Answer n1 has the delivery d1 already.',
        )
        expect(await journal.getDelivery('d3')).toBeUndefined()
      })

      it('decides and delivers only under the lease of its inbox', async () => {
        await unbundleFile(journal, lease, 'a', { answers: [answerTo('n1')] })

        await expect(journal.decideAnswer(orders, 'n1', { byStructure: false, start: 1 })).rejects.toThrow(
          'Answer n1 is not one of orders-in.',
        )
        expect(await journal.listNumberCounters()).toEqual([])
      })

      it('lists those that are due and not delivered, the oldest first', async () => {
        const due = (id: string, dueAt: number) => ({ answers: [answerTo(id, { dueAt })] })
        for (const [file, id, dueAt] of [
          ['a', 'late', START + 1],
          ['b', 'composed', START + 3],
          ['c', 'delivered', START + 2],
          ['d', 'decided', START],
          ['e', 'later', START + 4],
        ] as const)
          await unbundleFile(journal, lease, file, due(id, dueAt))
        for (const id of ['composed', 'delivered', 'decided']) await decide(id)
        for (const id of ['composed', 'delivered'])
          await journal.createAnswerDelivery(lease, id, answerDelivery(`of ${id}`))
        await journal.markDeliveryDone(lease, 'of delivered')

        const list = async (now: number, limit = 9) =>
          (await journal.listOverdueAnswers(now, limit)).map(({ id }) => id)
        expect(await list(START + 3)).toEqual(['decided', 'late', 'composed'])
        expect(await list(START + 4, 1)).toEqual(['decided'])
        expect(await list(START + 4)).toEqual(['decided', 'late', 'composed', 'later'])
      })
    })

    it('counts what came of each partner', async () => {
      await unbundleFile(journal, lease, 'a', {
        interchanges: [interchange(1), interchange(2, { partner: 'haven' })],
      })
      clock.advance(5)
      await unbundleFile(journal, lease, 'b')

      expect(await journal.listPartnerActivity()).toEqual([
        { partner: 'haven', interchanges: 1, lastAt: START },
        { partner: 'northlight', interchanges: 2, lastAt: START + 5 },
      ])
    })

    describe('counts control numbers', () => {
      it('takes the last numbers from a person, who says why', async () => {
        await journal.setNumberCounter(
          { ...SCOPE, interchange: 41, group: 7 },
          { by: 'Ada', why: 'the old gateway' },
        )
        await unbundleFile(journal, lease, 'a', { answers: [answerTo('n1')] })

        const { decided } = await journal.decideAnswer(lease, 'n1', { byStructure: false, start: 1 })

        expect(decided?.numbers).toEqual({ interchange: 42, group: 8 })
      })

      it.each([-1, 1.5, MAX_CONTROL_NUMBER + 1])(
        'stops the program at %d as a last number',
        async (wrong) => {
          const decision = { by: 'Ada', why: 'a typing error' }
          const setting = journal.setNumberCounter({ ...SCOPE, interchange: wrong, group: 1 }, decision)
          await expect(setting).rejects.toThrow(`${wrong} is no last control number.`)
        },
      )
    })

    describe('reserves the control numbers of outgoing files', () => {
      const RULES = { start: 1, groupFollows: false }
      let invoices: Lease

      beforeEach(async () => {
        invoices = await take('invoices-out')
      })

      const deliver = (own: Lease, id: string, reservation: number) =>
        journal.createReportDelivery(own, {
          ...answerDelivery(id),
          reservation: { id: reservation, sets: 1 },
        })

      it('gives the same numbers and time until a delivery carries them, and then the next', async () => {
        const first = await journal.reserveNumbers(invoices, SCOPE, RULES)
        clock.advance(60_000)
        expect(await journal.reserveNumbers(invoices, SCOPE, RULES)).toEqual(first)
        await deliver(invoices, 'd1', first.id)

        expect(await journal.findReservation('d1')).toEqual(first)
        expect(first).toMatchObject({ scope: SCOPE, numbers: { interchange: 1, group: 1 }, at: START })
        const second = await journal.reserveNumbers(invoices, SCOPE, RULES)
        expect(second).toMatchObject({ numbers: { interchange: 2, group: 2 }, at: START + 60_000 })
      })

      it('gives an old reservation the time of now, because nothing carries it', async () => {
        const first = await journal.reserveNumbers(invoices, SCOPE, RULES)
        clock.advance(86_400_000)
        const again = await journal.reserveNumbers(await take('invoices-out'), SCOPE, RULES)
        expect(again).toEqual({ ...first, at: START + 86_400_000 })
      })

      it('gives a number that a person set to no reservation from before', async () => {
        const open = await journal.reserveNumbers(invoices, SCOPE, RULES)
        await journal.setNumberCounter({ ...SCOPE, interchange: 41, group: 7 }, { by: 'Ada', why: 'moved' })

        await expect(deliver(invoices, 'd1', open.id)).rejects.toThrow('were set or taken otherwise')
        const next = await journal.reserveNumbers(invoices, SCOPE, RULES)
        expect(next.numbers).toEqual({ interchange: 42, group: 8 })
      })

      it('never sets the counter of groups back where groups follow interchanges', async () => {
        await journal.setNumberCounter({ ...SCOPE, interchange: 2, group: 9 }, { by: 'Ada', why: 'moved' })
        const follows = await journal.reserveNumbers(invoices, SCOPE, { ...RULES, groupFollows: true })
        await deliver(invoices, 'd1', follows.id)

        expect(follows.numbers).toEqual({ interchange: 3, group: 3 })
        const own = await journal.reserveNumbers(invoices, SCOPE, RULES)
        expect(own.numbers).toEqual({ interchange: 4, group: 10 })
      })

      it('gives each route and scope its own, from the counter that answers use too', async () => {
        await journal.setNumberCounter({ ...SCOPE, interchange: 41, group: 7 }, { by: 'Ada', why: 'moved' })
        const one = await journal.reserveNumbers(invoices, SCOPE, RULES)
        const other = await journal.reserveNumbers(orders, SCOPE, RULES)
        const test = await journal.reserveNumbers(
          orders,
          { ...SCOPE, usage: 'test' },
          { ...RULES, start: 700 },
        )
        await unbundleFile(journal, lease, 'a', { answers: [answerTo('n1')] })
        const { decided } = await journal.decideAnswer(lease, 'n1', { byStructure: false, start: 1 })

        expect([one, other, test].map(({ numbers }) => numbers)).toEqual([
          { interchange: 42, group: 8 },
          { interchange: 43, group: 9 },
          { interchange: 700, group: 700 },
        ])
        expect(decided?.numbers).toEqual({ interchange: 44, group: 10 })
      })

      it('gives the group the number of the interchange where the partner wants it', async () => {
        await journal.setNumberCounter({ ...SCOPE, interchange: 41, group: 7 }, { by: 'Ada', why: 'moved' })
        const { numbers } = await journal.reserveNumbers(invoices, SCOPE, { start: 1, groupFollows: true })
        expect(numbers).toEqual({ interchange: 42, group: 42 })
        expect(await journal.listNumberCounters()).toEqual([{ ...SCOPE, interchange: 42, group: 42 }])
      })

      it('counts on from 1 after the highest number', async () => {
        const highest = { ...SCOPE, interchange: MAX_CONTROL_NUMBER, group: MAX_CONTROL_NUMBER }
        await journal.setNumberCounter(highest, { by: 'Ada', why: 'moved' })
        const { numbers } = await journal.reserveNumbers(invoices, SCOPE, RULES)
        expect(numbers).toEqual({ interchange: 1, group: 1 })
      })

      it('binds a reservation once, to a delivery of its route, or makes no delivery', async () => {
        const { id } = await journal.reserveNumbers(invoices, SCOPE, RULES)
        await expect(deliver(orders, 'd1', id)).rejects.toThrow('were set or taken otherwise')
        await deliver(invoices, 'd2', id)
        await expect(deliver(invoices, 'd3', id)).rejects.toThrow('were set or taken otherwise')
        expect(await journal.getDelivery('d1')).toBeUndefined()
        expect(await journal.getDelivery('d3')).toBeUndefined()
      })
    })

    describe('stores what partners answer, and carries it out at the records', () => {
      const { receiver } = SCOPE
      let out: Lease

      beforeEach(async () => {
        out = await take('invoices-out')
      })

      /** Delivers an interchange with a set for each of so many records. */
      const deliverRecords = async (count: number, id = 'd1') => {
        const { id: reservation } = await journal.reserveNumbers(out, SCOPE, {
          start: 17,
          groupFollows: false,
        })
        const records = Array.from({ length: count }, (_, index) => ({
          operation: 'export-orders',
          account: 'brand 77',
          apiId: `${id}-${index + 1}`,
          body: '{}',
        }))
        await journal.collectRecords(out, records)
        await journal.createDelivery(out, {
          ...answerDelivery(id),
          reservation: { id: reservation, sets: count },
          upToRecord: Number.MAX_SAFE_INTEGER,
          held: [],
        })
        await journal.markDeliveryDelivered(out, id)
      }

      it('confirms a delivery once its route carries out that all sets are accepted', async () => {
        await deliverRecords(2)
        const received = [accepts(receiver, '17')]
        expect(await unbundleFile(journal, lease, 'fa', { received })).toEqual([
          { delivery: 'd1', route: 'invoices-out' },
        ])
        expect((await journal.getDelivery('d1'))?.confirmedAt).toBeUndefined()

        const done = { delivery: 'd1', name: 'd1', file: 'fa.csv', accepted: 2, refused: 0, isWhole: true }
        expect(await journal.applyReceivedAnswers(out)).toMatchObject([{ ...done, name: expect.any(String) }])
        expect(await journal.applyReceivedAnswers(out)).toEqual([])
        expect(await journal.getDelivery('d1')).toMatchObject({ confirmedBy: 'fa.csv', state: 'delivered' })
      })

      it('holds refused records, and sends them anew once a person releases them', async () => {
        await deliverRecords(3)
        await unbundleFile(journal, lease, 'fa', { received: [accepts(receiver, '17', '0002')] })
        await journal.applyReceivedAnswers(out)

        expect(await journal.listUnacknowledgedRecords(10)).toMatchObject([{ apiId: 'd1-2', state: 'held' }])
        expect(await journal.listRefusedDeliveries(10)).toMatchObject([
          { delivery: 'd1', route: 'invoices-out', sets: 1, reasons: ['too long'] },
        ])
        expect(await journal.isAwaitingDecision('d1')).toBe(true)
        const decision = { by: 'Ada', why: 'the name is shorter now' }
        expect(await journal.releaseRefused(out, 'd1', decision)).toMatchObject({
          action: 'release',
          records: 1,
        })
        expect(await journal.listUndeliveredRecords('invoices-out', 0, 10)).toMatchObject([{ apiId: 'd1-2' }])
        expect(await journal.listRefusedDeliveries(10)).toEqual([])
        expect(await journal.isAwaitingDecision('d1')).toBe(false)
        expect((await journal.verifyChain({})).findings).toEqual([])
      })

      it('releases nothing of a delivery that no partner refused', async () => {
        await deliverRecords(1)
        expect(await journal.releaseRefused(out, 'd1', { by: 'Ada', why: 'a try' })).toBeUndefined()
      })

      it('matches numbers within one partner, and the newest interchange that has the number', async () => {
        await deliverRecords(1)
        await journal.setNumberCounter(
          { ...SCOPE, interchange: 16, group: 16 },
          { by: 'Ada', why: 'wrapped' },
        )
        await deliverRecords(1, 'd2')
        const received = [accepts('ZZ:OTHER', '17'), accepts(receiver, '17'), accepts(receiver, '18')]
        await unbundleFile(journal, lease, 'fa', { received })

        const answers = await journal.listReceivedAnswers({ file: 'fa' }, 10)
        expect(answers.map(({ outcome, delivery }) => [outcome, delivery?.id])).toEqual([
          ['unmatched', undefined],
          ['matched', 'd2'],
          ['unmatched', undefined],
        ])
        expect(await journal.listReceivedAnswers({ delivery: 'd1' }, 10)).toEqual([])
      })

      it('lists what is not answered until all sets are, or a person dismisses it', async () => {
        await deliverRecords(2)
        await journal.markDeliveryDone(out, 'd1')
        expect(await journal.listUnansweredDeliveries('invoices-out', 10)).toMatchObject([
          { id: 'd1', interchange: 17, sets: 2 },
        ])
        await journal.dismissUnacknowledged('d1', { by: 'Ada', why: 'the partner has it' })
        expect(await journal.listUnansweredDeliveries('invoices-out', 10)).toEqual([])
      })
    })
  })
}
