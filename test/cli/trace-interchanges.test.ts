/** Where is my order, when it came in an interchange? Shows the file, the interchange and the answer to it. */
import { beforeEach, describe, expect, it } from 'vitest'
import { traceKey } from '../../src/app/trace.ts'
import { formatTrace } from '../../src/cli/format/trace.ts'
import { MAX_CONTROL_NUMBER } from '../../src/domain/interchange.ts'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { openJournal } from '../../src/journal/open.ts'
import {
  answerDelivery,
  answerTo,
  closePart,
  interchange,
  SCOPE,
  unbundleFile,
} from '../suites/interchanges.suite.ts'
import { type TestClock, testClock } from '../suites/journal.suite.ts'

let clock: TestClock
let journal: Journal
let lease: Lease

const take = (route: string) => journal.acquireLease(route, 'bridge-1', 3_600_000, () => true)

/** File a brings three interchanges; the order of its part is in the second one, on segment 21. */
beforeEach(async () => {
  clock = testClock()
  journal = await openJournal({ path: ':memory:', clock })
  lease = await take('inbox:van')
  await unbundleFile(journal, lease, 'b', { interchanges: [interchange(3)] })
  await unbundleFile(journal, lease, 'a', {
    parts: { 'orders-in': [[1, 3]] },
    interchanges: [
      interchange(1, { usage: 'test', sets: 1, segment: 1 }),
      interchange(2, { segment: 2 }),
      interchange(3, { segment: 40, verdict: 'duplicate', earlier: { file: 'b', name: 'b.csv' } }),
    ],
    answers: [
      answerTo('n1', { interchanges: [2, 3] }),
      answerTo('n2', { scope: { ...SCOPE, usage: 'test' } }),
    ],
  })
  // Its record is on line 2.
  await closePart(journal, await take('orders-in'), 'a.orders-in', 'PO-1')
  return () => journal.close()
})

const lines = async (key: string) => formatTrace(await traceKey(journal, { key }))

const answerLine = async () => (await lines('PO-1')).filter((line) => line.startsWith('   answer'))

describe('the trace of an order that came in an interchange', () => {
  it('shows the file and the interchange that brought it', async () => {
    const all = await lines('PO-1')

    expect(all).toContain('   from      a.csv, segment 2, record 1')
    expect(all).toContain('   part of   file a, with its sets for orders-in')
    expect(all).toContain(
      '   came in   file a, interchange 000000102 of 12:7755550100 to ZZ:HAVENRETAIL, 2 sets, taken, partner northlight',
    )
  })

  it('shows how far the answer is: due, decided under a number, composed, delivered', async () => {
    const due = 'due 2026-11-21T02:16:00.000Z'
    expect(await answerLine()).toEqual([`   answer    ${due}, not decided yet`])

    const setTo = { ...SCOPE, interchange: MAX_CONTROL_NUMBER - 1, group: 0 }
    await journal.setNumberCounter(setTo, { by: 'Ada', why: 'moved' })
    await journal.decideAnswer(lease, 'n1', { byStructure: true, start: 1 })
    const numbers = 'numbers 999999999 to 1 given 2026-11-21T02:15:00.000Z, by structure alone'
    expect(await answerLine()).toEqual([`   answer    ${due}, in no file yet, ${numbers}`])

    await journal.createAnswerDelivery(lease, 'n1', answerDelivery('d1'))
    expect(await answerLine()).toEqual([`   answer    out/997-1.x12, composed: not in place yet, ${numbers}`])

    await journal.markDeliveryDone(lease, 'd1')
    expect(await answerLine()).toEqual([
      `   answer    out/997-1.x12, done: delivered 2026-11-21T02:15:00.000Z, ${numbers}`,
    ])
  })

  it('shows the answer that waits for a person', async () => {
    await journal.decideAnswer(lease, 'n1', { byStructure: false, start: 1 })
    await journal.createAnswerDelivery(lease, 'n1', answerDelivery('d1'))
    await journal.holdDelivery(lease, 'd1', 'it may have been delivered')

    expect((await answerLine())[0]).toContain(
      'out/997-1.x12, composed, held: not in place yet, numbers 1 to 2',
    )
  })
})

describe('the trace of a file', () => {
  it('shows its interchanges with their verdicts, its parts and its answers', async () => {
    await journal.decideAnswer(lease, 'n2', { byStructure: false, start: 7 })

    const all = await lines('a')

    expect(all.slice(2, 8)).toEqual([
      '   brought   interchange 000000101 of 12:7755550100 to ZZ:HAVENRETAIL, test, 1 set, taken, partner northlight',
      '   brought   interchange 000000102 of 12:7755550100 to ZZ:HAVENRETAIL, 2 sets, taken, partner northlight',
      '   brought   interchange 000000103 of 12:7755550100 to ZZ:HAVENRETAIL, 2 sets, came before in b.csv, id b, partner northlight',
      '   part      id a.orders-in, for orders-in, closed',
      '   answer    due 2026-11-21T02:16:00.000Z, not decided yet',
      '   answer    due 2026-11-21T02:16:00.000Z, in no file yet, number 7 given 2026-11-21T02:15:00.000Z',
    ])
  })

  it('shows what a delivered answer answers', async () => {
    await journal.decideAnswer(lease, 'n1', { byStructure: false, start: 1 })
    await journal.createAnswerDelivery(lease, 'n1', answerDelivery('d1'))

    expect(await lines('997-1.x12')).toContain(
      '   answers   2 interchanges of northlight in a.csv, id a, numbers 1 to 2 given 2026-11-21T02:15:00.000Z',
    )
  })
})
