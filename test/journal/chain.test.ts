/** Every promise of the journal, on a watched journal: nothing is written without an event, and the chain stays whole. */
import { describe, expect, it } from 'vitest'
import type { ResolutionAction } from '../../src/domain/decision.ts'
import { problem } from '../../src/domain/problem.ts'
import { openJournal } from '../../src/journal/open.ts'
import { CALLS, openWatched } from '../fixtures/watched-journal.ts'
import { alertsSuite } from '../suites/alerts.suite.ts'
import { documentsSuite } from '../suites/documents.suite.ts'
import { heldDeliveriesSuite } from '../suites/held-deliveries.suite.ts'
import { heldRecordsSuite } from '../suites/held-records.suite.ts'
import { interchangesSuite } from '../suites/interchanges.suite.ts'
import { journalSuite, planFile, planned, testClock } from '../suites/journal.suite.ts'
import { notificationsSuite } from '../suites/notifications.suite.ts'
import { restoredSuite } from '../suites/restored.suite.ts'
import { stepsSuite } from '../suites/steps.suite.ts'
import { supersededSuite } from '../suites/superseded.suite.ts'
import { scheduledRunsSuite } from '../suites/scheduled-runs.suite.ts'

const seen = new Set<string>()
const name = 'that is watched'

journalSuite(name, (clock) => openWatched(clock, seen))
heldRecordsSuite(name, (clock) => openWatched(clock, seen))
heldDeliveriesSuite(name, (clock) => openWatched(clock, seen))
restoredSuite(name, (clock) => openWatched(clock, seen))
stepsSuite(name, (clock) => openWatched(clock, seen))
interchangesSuite(name, (clock) => openWatched(clock, seen))
documentsSuite(name, (clock) => openWatched(clock, seen))
supersededSuite(name, (clock) => openWatched(clock, seen))
notificationsSuite(name, (clock) => openWatched(clock, seen))
scheduledRunsSuite(name, (clock) => openWatched(clock, seen))
alertsSuite(name, (clock) => openWatched(clock, seen))

it('states for every call of the journal whether it adds an event, and if not, why', async () => {
  const journal = await openJournal({ path: ':memory:', clock: testClock() })

  expect(Object.keys(CALLS).toSorted()).toEqual(Object.keys(journal).toSorted())
  await journal.close()
})

describe('a journal that is watched', () => {
  it('stays whole when a person resolves records whose answers were lost', async () => {
    const journal = await openWatched(testClock(), seen)
    const lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await planFile(journal, lease, 'a', [planned(1, 'PO-1'), planned(2, 'PO-2'), planned(3, 'PO-3')])
    const begun = await journal.startAttempts(lease, { file: 'a' }, 10)
    await journal.recoverAttempts(lease, { file: 'a' })
    const resolve = (record: number, action: ResolutionAction, apiId?: string) =>
      journal.resolveRecord(lease, 'a', {
        record,
        action,
        by: 'Ann',
        why: 'asked',
        ...(apiId === undefined ? {} : { apiId }),
      })
    await resolve(begun[0]!.id, 'resolve-accepted', '91')
    await resolve(begun[1]!.id, 'resolve-absent')
    await resolve(begun[2]!.id, 'resolve-discard')

    expect(await journal.countRecords({ file: 'a' })).toEqual({ accepted: 1, planned: 1, rejected: 1 })
    await journal.close()
  })

  it('stays whole when a person has a file delivered once more, or taken again', async () => {
    const journal = await openWatched(testClock(), seen)
    const lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    const first = { id: 'd1', nameFor: () => 'a.csv', folder: 'out', sha256: 'x', rows: 1, records: 1 }
    await journal.createReportDelivery(lease, first)
    const nameFor = (attempt: number) => `a~${attempt}.csv`
    const decided = { by: 'Ada', why: 'the first one is lost', via: 'console' } as const
    const again = { id: 'r1', delivery: 'd1', folder: 'out', nameFor, decided }
    const begun = await journal.startRedelivery(lease, again)
    expect(begun).toMatchObject({ name: 'a~1.csv', state: 'begun', decision: 1 })
    expect(await journal.noteRedeliveryDecision(lease, 'd1', { by: 'Bob', why: 'still lost' })).toBe(2)
    expect(await journal.listAllDecisions(undefined, 9)).toMatchObject([
      { id: 2, action: 'redeliver', by: 'Bob', delivery: { id: 'd1' }, records: 1 },
      { id: 1, action: 'redeliver', ...decided },
    ])
    expect(await journal.renameRedelivery(lease, 'r1', nameFor)).toBe('a~2.csv')
    await journal.finishRedelivery(lease, 'r1', 'delivered')
    await planFile(journal, lease, 'a', [
      planned(1, 'PO-1', { problems: [problem('value-missing', {}, '')] }),
    ])
    await journal.markFileSubmitted(lease, 'a')
    await journal.markFileReported(lease, 'a')
    await journal.markFileClosed(lease, 'a', 'archive/a.csv')
    await journal.startRetake(lease, 'b', 'a')

    expect(await journal.getFile('b')).toMatchObject({
      state: 'claiming',
      retakeOf: 'a',
      archivedAs: 'archive/a.csv',
    })
    expect(await journal.listOpenRedeliveries('orders-in')).toEqual([])
    await journal.close()
  })

  it('stays whole when a person pauses a route, pauses it for longer, and resumes it', async () => {
    const clock = testClock()
    const journal = await openWatched(clock, seen)
    const ada = { by: 'Ada', why: 'the shop sends again' }
    const until = clock.now() + 60_000
    expect(await journal.resumeRoute('orders-in', ada)).toBeUndefined()
    expect(await journal.pauseRoute('orders-in', { ...ada, until })).toMatchObject({ decision: 1, until })
    await journal.pauseRoute('orders-in', { ...ada, until: until + 60_000 })
    clock.advance(60_000)
    expect(await journal.listPauses()).toMatchObject([{ decision: 2, route: 'orders-in', ...ada }])
    expect(await journal.resumeRoute('orders-in', ada)).toMatchObject({ pause: { decision: 2 }, decision: 3 })
    expect(await journal.findPause('orders-in')).toBeUndefined()
    // One that ended by itself stays as it was.
    await journal.pauseRoute('orders-in', { ...ada, until: clock.now() + 1 })
    clock.advance(1)
    expect(await journal.listPauses()).toEqual([])
    await journal.close()
  })

  it('stays whole when it prunes', async () => {
    const clock = testClock()
    const journal = await openWatched(clock, seen)
    const lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
    await planFile(journal, lease, 'a', [
      planned(1, 'PO-1', { problems: [problem('value-missing', {}, '')] }),
    ])
    await journal.markFileSubmitted(lease, 'a')
    await journal.markFileReported(lease, 'a')
    await journal.markFileClosed(lease, 'a', 'archive/a.csv')
    const { signal } = new AbortController()

    expect(await journal.prune({ before: clock.now() + 1, signal })).toMatchObject({ files: 1 })
    await journal.close()
  })
})

it('was seen to add an event by each call that is listed as such', () => {
  const adding = Object.keys(CALLS).filter((call) => CALLS[call as keyof typeof CALLS] === 'adds an event')

  expect(adding.filter((call) => !seen.has(call))).toEqual([])
})
