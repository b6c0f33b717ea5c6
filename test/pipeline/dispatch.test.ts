/** Dispatching: many at once, one at a time per lane, and no record lost when it stops. */
import { onTestFinished, expect, test } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import { problem } from '../../src/domain/problem.ts'
import type { RecordResult, SendingRecord } from '../../src/domain/record.ts'
import { openJournal } from '../../src/journal/open.ts'
import { dispatchRecords } from '../../src/pipeline/send/dispatch.ts'
import { BridgeError } from '../../src/support/errors.ts'
import { skippingClock } from '../fixtures/skipping-clock.ts'
import { planFile, planned } from '../suites/journal.suite.ts'

type Perform = (record: SendingRecord) => Promise<RecordResult>

interface Bench {
  readonly journal: Journal
  readonly lease: Lease
  readonly stop: AbortController
  /** Keys in the order in which they were sent. */
  readonly sent: string[]
  run(perform: Perform, concurrency?: number): Promise<void>
  states(): Promise<string[]>
}

/** A planned file with one record per key; the lane is the text before the dash. */
async function bench(keys: readonly string[]): Promise<Bench> {
  const journal = await openJournal({ path: ':memory:', clock: skippingClock() })
  onTestFinished(() => journal.close())
  const lease = await journal.acquireLease('orders', 'bridge', 60_000, () => true)
  const records = keys.map((key, index) => planned(index + 1, key, { lane: key.split('-')[0] ?? key }))
  await planFile(journal, lease, 'file', records)
  const stop = new AbortController()
  const sent: string[] = []
  return {
    journal,
    lease,
    stop,
    sent,
    run: (perform, concurrency = 4) =>
      dispatchRecords({
        journal,
        lease,
        signal: stop.signal,
        clock: skippingClock(),
        work: { file: 'file' },
        concurrency,
        send: (record) => {
          sent.push(record.naturalKey)
          return perform(record)
        },
        resetState: 'planned',
        onProgress: () => undefined,
      }),
    states: async () => (await journal.listReportedRecords('file', 0, 10_000)).map((record) => record.state),
  }
}

const accepted = ({ id, number }: SendingRecord): RecordResult => ({
  id,
  state: 'accepted',
  http: 201,
  apiId: String(number),
  problems: [],
})
const notSent = ({ id }: SendingRecord): RecordResult => ({
  id,
  state: 'deferred',
  problems: [problem('not-sent', {}, 'HTTP 503')],
})
const lost = ({ id }: SendingRecord): RecordResult => ({
  id,
  state: 'uncertain',
  problems: [problem('answer-lost', {}, 'the connection broke')],
})

/** Yields to the event loop, another number of times for each record. */
async function aWhile(record: SendingRecord): Promise<void> {
  for (let turn = 0; turn < (record.number * 7) % 5; turn++)
    await new Promise((resolve) => setImmediate(resolve))
}

const laneOf = (key: string) => key.split('-')[0] ?? key
const keysOf = (count: number, lanes: number) =>
  Array.from({ length: count }, (_, index) => `L${index % lanes}-${index}`)

test('records of one lane are sent one at a time and in the order of the file', async () => {
  const keys = keysOf(450, 7)
  const { run, sent, states } = await bench(keys)
  const underWay = new Map<string, string>()
  const overlaps: string[] = []

  await run(async (record) => {
    const lane = laneOf(record.naturalKey)
    const other = underWay.get(lane)
    if (other !== undefined) overlaps.push(`${other} and ${record.naturalKey}`)
    underWay.set(lane, record.naturalKey)
    await aWhile(record)
    underWay.delete(lane)
    return accepted(record)
  })

  expect(overlaps).toEqual([])
  for (let lane = 0; lane < 7; lane++) {
    const own = (list: readonly string[]) => list.filter((key) => laneOf(key) === `L${lane}`)
    expect(own(sent)).toEqual(own(keys))
  }
  expect(new Set(await states())).toEqual(new Set(['accepted']))
})

test.each([1, 3, 16])(
  'with %i connections, as many records are under way at once and never more',
  async (concurrency) => {
    const { run, sent } = await bench(keysOf(300, 300))
    let underWay = 0
    let most = 0

    await run(async (record) => {
      most = Math.max(most, ++underWay)
      await aWhile(record)
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
      return accepted(record)
    }, concurrency)

    expect(most).toBe(concurrency)
    expect(new Set(sent).size).toBe(300)
  },
)

test('every record is durably noted as being sent before it is sent', async () => {
  const { run, journal } = await bench(keysOf(20, 20))
  const seen: string[] = []

  await run(async (record) => {
    const [state] = await journal.listReportedRecords('file', record.number - 1, 1)
    seen.push(`${state?.state} ${state?.attempts}`)
    return accepted(record)
  })

  expect(new Set(seen)).toEqual(new Set(['sending 1']))
})

test('dispatch gives up an API that takes nothing after ten records in a row, and gives the others back', async () => {
  const { run, sent, states } = await bench(keysOf(100, 100))

  await expect(run(async (record) => notSent(record), 4)).rejects.toMatchObject({
    code: 'api-unreachable',
    message: expect.stringContaining('HTTP 503') as unknown,
  })

  const found = await states()
  expect(sent.length).toBeLessThan(10 + 4)
  expect(found.filter((state) => state === 'deferred')).toHaveLength(sent.length)
  expect(found.filter((state) => state === 'planned')).toHaveLength(100 - sent.length)
})

test('an API that takes none of a few records counts as unusable, and all are kept', async () => {
  const { run, states } = await bench(keysOf(3, 3))

  await expect(run(async (record) => notSent(record))).rejects.toMatchObject({ code: 'api-unreachable' })

  expect(await states()).toEqual(['deferred', 'deferred', 'deferred'])
})

test('answers in between prove that the records and not the API are in trouble', async () => {
  const { run, states } = await bench(keysOf(60, 60))

  await run(async (record) => (record.number % 5 === 0 ? accepted(record) : notSent(record)), 1)

  const found = await states()
  expect(found.filter((state) => state === 'deferred')).toHaveLength(48)
  expect(found.filter((state) => state === 'accepted')).toHaveLength(12)
})

test('a deferred record holds its lane back, so that nothing overtakes it', async () => {
  const { run, sent, states } = await bench(['A-1', 'B-1', 'A-2', 'B-2'])

  await run(async (record) => (record.naturalKey === 'A-1' ? notSent(record) : accepted(record)))

  expect(sent.toSorted()).toEqual(['A-1', 'B-1', 'B-2'])
  expect(await states()).toEqual(['deferred', 'accepted', 'planned', 'accepted'])
})

test('dispatch ends when the journal returns records again and again that must wait here', async () => {
  const { journal, lease } = await bench(['A-1', 'A-2', 'B-1'])
  let begun = 0
  // Notes no deferral, so that no lane is skipped.
  const forgetful: Journal = {
    ...journal,
    startAttempts: (...asked) => {
      if (++begun > 20) throw new Error('it never ends')
      return journal.startAttempts(...asked)
    },
    finishAttempts: (owner, results) =>
      journal.finishAttempts(
        owner,
        results.map((each) => (each.state === 'deferred' ? { ...each, state: 'planned' } : each)),
      ),
  }
  const sent: string[] = []

  await dispatchRecords({
    journal: forgetful,
    lease,
    signal: new AbortController().signal,
    clock: skippingClock(),
    work: { file: 'file' },
    concurrency: 1,
    send: async (record) => {
      sent.push(record.naturalKey)
      return record.naturalKey === 'A-1' ? notSent(record) : accepted(record)
    },
    resetState: 'planned',
    onProgress: () => undefined,
  })

  expect(sent).toContain('B-1')
  expect(sent).not.toContain('A-2')
})

test('a record that is deferred for a reason of its own stops no other', async () => {
  const { run, states } = await bench(keysOf(10, 10))

  await run(async (record) =>
    record.number === 3
      ? { id: record.id, state: 'deferred', problems: [problem('answer-lost', {}, 'HTTP 500')] }
      : accepted(record),
  )

  const found = await states()
  expect(found[2]).toBe('deferred')
  expect(found.filter((state) => state === 'accepted')).toHaveLength(9)
})

test('records in flight when the API stops taking records get their own results', async () => {
  const { run, states } = await bench(keysOf(50, 50))
  let release: (() => void) | undefined
  const stopped = new Promise<void>((resolve) => (release = resolve))

  const running = run(async (record) => {
    if (record.number === 1) {
      await stopped
      return accepted(record)
    }
    if (record.number === 2) setTimeout(() => release?.(), 5)
    return notSent(record)
  }, 2)

  await expect(running).rejects.toMatchObject({ code: 'api-unreachable' })
  expect((await states())[0]).toBe('accepted')
})

test('a lane with an uncertain record waits, also beyond the records that were begun with it', async () => {
  // More than are started at once, so that the journal is read again while the answer is unknown.
  const keys = keysOf(500, 10)
  const { run, sent, states, journal, lease } = await bench(keys)

  await run(async (record) => {
    await aWhile(record)
    return record.naturalKey === 'L3-13' ? lost(record) : accepted(record)
  })

  const waiting = keys.filter((key, index) => laneOf(key) === 'L3' && index > 13)
  expect(sent.filter((key) => waiting.includes(key))).toEqual([])
  const before = await states()
  expect(before.filter((state) => state === 'planned')).toHaveLength(waiting.length)
  expect(before.filter((state) => state === 'uncertain')).toHaveLength(1)
  expect(before.filter((state) => state === 'accepted')).toHaveLength(500 - waiting.length - 1)
  // No record was taken up and put back over and over.
  const attempts = (await journal.listReportedRecords('file', 0, 1000)).map((record) => record.attempts)
  expect(Math.max(...attempts)).toBe(1)

  const [uncertain] = await journal.listUncertainRecords({ file: 'file' }, 0, 10)
  await journal.saveReconciledResults(lease, [
    { id: uncertain?.id ?? 0, state: 'accepted', apiId: '13', problems: [] },
  ])
  sent.length = 0
  await run(async (record) => accepted(record))
  expect(sent).toEqual(waiting)
})

test.each(['credentials-refused', 'api-redirected'] as const)(
  'when the API says %s, nothing took effect: every record waits again and the failure is reported',
  async (code) => {
    const { run, sent, states } = await bench(keysOf(30, 30))

    await expect(
      run(() => Promise.reject(new BridgeError(code, 'not for this account'))),
    ).rejects.toMatchObject({ code })

    expect(sent.length).toBeLessThanOrEqual(4)
    expect(new Set(await states())).toEqual(new Set(['planned']))
  },
)

test('a record whose sending failed in an unknown way stays as being sent, to be looked up', async () => {
  const { run, states } = await bench(keysOf(10, 10))

  await expect(run(() => Promise.reject(new Error('out of memory')), 1)).rejects.toThrow('out of memory')

  expect(await states()).toEqual(['sending', ...Array.from({ length: 9 }, () => 'planned')])
})

test('a signal ends dispatch: it finishes what is in flight, the rest waits, and the next pass continues', async () => {
  const { run, sent, states, stop, journal, lease } = await bench(keysOf(60, 60))

  const running = run(async (record) => {
    if (record.number === 5) stop.abort()
    await aWhile(record)
    return accepted(record)
  })

  await expect(running).rejects.toMatchObject({ code: 'interrupted' })
  const after = await states()
  expect(after.filter((state) => state === 'accepted')).toHaveLength(sent.length)
  expect(after.filter((state) => state === 'planned')).toHaveLength(60 - sent.length)
  expect(sent.length).toBeLessThan(20)

  await dispatchRecords({
    journal,
    lease,
    signal: new AbortController().signal,
    clock: skippingClock(),
    work: { file: 'file' },
    concurrency: 4,
    send: async (record) => accepted(record),
    resetState: 'planned',
    onProgress: () => undefined,
  })
  expect(new Set(await states())).toEqual(new Set(['accepted']))
})

test('a route taken over by another bridge stops dispatch at once, and nothing more is sent', async () => {
  const { run, sent, journal } = await bench(keysOf(1000, 1000))

  const running = run(async (record) => {
    if (record.number === 1) await journal.acquireLease('orders', 'other', 60_000, () => false)
    await aWhile(record)
    return accepted(record)
  })

  await expect(running).rejects.toMatchObject({ code: 'lease-lost' })
  expect(sent.length).toBeLessThanOrEqual(200)
})

test('an empty file is dispatched at once', async () => {
  const { run, sent } = await bench([])

  await run(async (record) => accepted(record))

  expect(sent).toEqual([])
})
