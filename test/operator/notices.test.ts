/** Announcing: nobody hears of anything twice without a mark, nothing is lost, and no more often than is wanted. */
import { expect, onTestFinished, test } from 'vitest'
import type { Configuration } from '../../src/config/configuration.ts'
import type { NoticeConfiguration } from '../../src/config/notices.ts'
import type { Concern } from '../../src/domain/attention.ts'
import type { BridgeEvent } from '../../src/domain/event.ts'
import type { Journal, Lease } from '../../src/domain/journal.ts'
import type { Digest, Message } from '../../src/domain/notice.ts'
import { problem } from '../../src/domain/problem.ts'
import { openJournal } from '../../src/journal/open.ts'
import { announce, type Announcing, joinNotices } from '../../src/operator/notices.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import { planFile, planned, receiveFile } from '../suites/journal.suite.ts'

const OPS: NoticeConfiguration = {
  name: 'ops',
  type: 'command',
  command: 'tell',
  args: [],
  folder: '/',
  on: 'trouble',
  everyMs: 900_000,
  timeoutMs: 30_000,
}

const HELD: Concern = {
  code: 'records-held',
  route: 'orders',
  subject: 'a.csv',
  since: 0,
  message: 'a.csv: 3 records are held',
  cure: 'decide',
}

function failure(code: string): Concern {
  return {
    code: 'route-failing',
    route: 'orders',
    subject: code,
    since: 0,
    message: 'it went wrong',
    cure: 'mend it',
  }
}

async function anOffice(...notices: NoticeConfiguration[]) {
  const clock = instantClock()
  const journal = await openJournal({ path: ':memory:', clock })
  onTestFinished(() => journal.close())
  const lease = await journal.takeLease('orders', 'me', 60_000, () => true)
  const messages: (Message & { readonly data: Digest })[] = []
  const events: BridgeEvent[] = []
  /** Of each try, whether it was to be the only one. */
  const tried: boolean[] = []
  let ids = 0
  const state = { broken: false }
  const announcing: Announcing = {
    journal,
    configuration: { routes: [{ name: 'orders' }], mailboxes: {} } as unknown as Configuration,
    notices: notices.length === 0 ? [OPS] : notices,
    notifierOf: () => ({
      send: (message, _, { once } = { once: false }) => {
        tried.push(once)
        if (state.broken) return Promise.reject(new Error('nobody there'))
        messages.push(message as Message & { readonly data: Digest })
        return Promise.resolve()
      },
    }),
    clock,
    signal: new AbortController().signal,
    newId: () => `n${++ids}`,
    notify: (event) => events.push(event),
  }
  await joinNotices(announcing)
  return { clock, journal, lease, messages, events, tried, state, announcing }
}

/** A file with one record that came to this. */
async function report(
  { journal, lease }: { journal: Journal; lease: Lease },
  id: string,
  state: 'accepted' | 'rejected',
): Promise<void> {
  await planFile(journal, lease, id, [planned(1, `PO-${id}`)])
  const [sending] = await journal.beginAttempts(lease, { file: id }, 1)
  const problems = state === 'accepted' ? [] : [problem('api-refused', {}, 'Ada Whitfield is unknown')]
  await journal.endAttempts(lease, [{ id: sending!.id, state, problems }])
  await journal.fileSubmitted(lease, id)
  await journal.nameReport(lease, id, `${id}.csv`, [])
  await journal.fileReported(lease, id)
}

const filesOf = ({ data }: { readonly data: Digest }) => data.files.map(({ file }) => file)

test('a refused record is told once, by its file and code and not by what the API said', async () => {
  const office = await anOffice()
  await report(office, 'a', 'rejected')
  await announce(office.announcing)
  await announce(office.announcing)

  expect(office.messages).toHaveLength(1)
  const [{ subject, text, data }] = office.messages as [Message & { data: Digest }]
  expect(subject).toBe('1 refused')
  expect(data.files).toMatchObject([
    { route: 'orders', records: { rejected: 1 }, codes: { 'api-refused': 1 } },
  ])
  expect(text).not.toContain('Whitfield')
})

test('good files are not named where only trouble is told, and are counted beside it', async () => {
  const office = await anOffice()
  await report(office, 'good', 'accepted')
  await announce(office.announcing)
  expect(office.messages).toEqual([])
  await report(office, 'bad', 'rejected')
  await announce(office.announcing)

  expect(office.messages[0]!.data.files).toHaveLength(1)
  expect(office.messages[0]!.data.totals).toMatchObject({ files: 2, incoming: { accepted: 1, rejected: 1 } })
})

test('a crash after sending and before its note repeats the same digest under the same id', async () => {
  const office = await anOffice()
  await report(office, 'a', 'rejected')
  const crashing: Journal = { ...office.journal, endNotice: () => Promise.reject(new Error('power cut')) }
  await announce({ ...office.announcing, journal: crashing })
  await report(office, 'b', 'rejected')
  office.clock.advance(3_600_000)
  await announce(office.announcing)

  const [first, again, next] = office.messages
  expect(office.messages).toHaveLength(3)
  expect([again!.id, filesOf(again!)]).toEqual([first!.id, filesOf(first!)])
  expect(next!.id).not.toBe(first!.id)
  expect(filesOf(next!)).not.toEqual(filesOf(first!))
})

test('a crash before sending sends it the next time', async () => {
  const office = await anOffice()
  await report(office, 'a', 'rejected')
  const dying = { send: () => new Promise<void>(() => undefined) }
  void announce({ ...office.announcing, notifierOf: () => dying })
  await expect.poll(() => office.journal.latestNotices(['ops'])).toMatchObject([{ state: 'begun' }])
  office.clock.advance(3_600_000)
  await announce(office.announcing)

  expect(office.messages.map(({ id }) => id)).toEqual(['n1'])
})

test('what another bridge is just sending is left to it', async () => {
  const office = await anOffice()
  await report(office, 'a', 'rejected')
  const slow = { send: () => new Promise<void>(() => undefined) }
  void announce({ ...office.announcing, notifierOf: () => slow })
  await expect.poll(() => office.journal.latestNotices(['ops'])).toMatchObject([{ state: 'begun' }])
  await announce(office.announcing)

  expect(office.messages).toEqual([])
})

test('a notice that nobody takes is tried again later and later, and loses nothing of what happens meanwhile', async () => {
  const office = await anOffice()
  office.state.broken = true
  await report(office, 'a', 'rejected')
  for (let minute = 0; minute < 60; minute++) {
    await announce(office.announcing, true)
    office.clock.advance(60_000)
  }
  const tries = office.events.filter(({ kind }) => kind === 'notice-failed').length
  await report(office, 'b', 'rejected')
  office.state.broken = false
  office.clock.advance(3_600_000)
  await announce(office.announcing)

  expect(tries).toBeGreaterThan(5)
  expect(tries).toBeLessThan(15)
  expect(office.messages).toHaveLength(2)
})

test('a notice that comes again is tried once, so that nobody waits for who was away before', async () => {
  const office = await anOffice()
  office.state.broken = true
  await report(office, 'a', 'rejected')
  await announce(office.announcing)
  await announce(office.announcing)

  expect(office.tried).toEqual([false, true])
})

test('in a watch there is at most one notice in the time that is wanted, with all that came together', async () => {
  const office = await anOffice()
  for (const id of ['a', 'b', 'c', 'd']) {
    await report(office, id, 'rejected')
    await announce(office.announcing, true)
    office.clock.advance(300_000)
  }
  await announce(office.announcing, true)

  expect(office.messages.map((message) => filesOf(message).length)).toEqual([1, 3])
})

test('a finding is told when it comes and when it is over, and one that came and went in between is not', async () => {
  const office = await anOffice()
  const note = (...found: Concern[]) => office.journal.noteConcerns(found, () => false)
  await note(HELD)
  await announce(office.announcing)
  await announce(office.announcing)
  await note()
  await announce(office.announcing)
  await note({ ...HELD, subject: 'b.csv' })
  await note()
  await announce(office.announcing)

  expect(
    office.messages.map(({ data }) => [data.attention.raised.length, data.attention.ended.length]),
  ).toEqual([
    [1, 0],
    [0, 1],
  ])
  expect(office.messages[0]!.text).toContain('what to do: decide')
})

test('the subject says what there is, and a notice of a finding alone counts no files', async () => {
  const office = await anOffice()
  await office.journal.noteConcerns([HELD], () => false)
  await announce(office.announcing)
  await office.journal.noteConcerns([], () => false)
  await announce(office.announcing)

  expect(office.messages.map(({ subject }) => subject)).toEqual(['records-held', 'over: records-held'])
  for (const { text } of office.messages) expect(text).not.toContain('0 files')
})

test('a file that is of no use is told in the subject', async () => {
  const office = await anOffice()
  const { journal, lease } = office
  await receiveFile(journal, lease, 'bad')
  await journal.fileUnusable(lease, 'bad', [problem('file-empty', {}, 'bad.csv holds no rows.')])
  await journal.nameReport(lease, 'bad', 'bad.csv', [])
  await journal.fileReported(lease, 'bad')
  await announce(office.announcing)

  expect(office.messages.map(({ subject }) => subject)).toEqual(['1 file unusable'])
})

test('what was found before anybody joined is not told', async () => {
  const office = await anOffice()
  await office.journal.noteConcerns([HELD], () => false)
  office.clock.advance(1000)
  const later = { ...office.announcing, notices: [{ ...OPS, name: 'later' }] }
  await joinNotices(later)
  await announce(later)

  expect(office.messages).toEqual([])
})

test('a channel that joined while the clock was ahead is told what is found when it is right', async () => {
  const office = await anOffice()
  const later = { ...office.announcing, notices: [{ ...OPS, name: 'later' }] }
  office.clock.advance(3 * 3_600_000)
  await joinNotices(later)
  office.clock.advance(-3 * 3_600_000)
  await office.journal.noteConcerns([HELD], () => false)
  await announce(later)

  expect(office.messages.map(({ subject }) => subject)).toEqual(['records-held'])
})

test('a channel is not told that something is over of which it never heard', async () => {
  const office = await anOffice()
  await office.journal.noteConcerns([HELD], () => false)
  const later = { ...office.announcing, notices: [{ ...OPS, name: 'later' }] }
  await joinNotices(later)
  await office.journal.noteConcerns([failure('bug')], () => false)
  await announce(later)

  expect(office.messages.map(({ data }) => [data.failures.length, data.attention.ended])).toEqual([[1, []]])
})

test('a route that is not in the configuration any more does not work again', async () => {
  const office = await anOffice()
  const gone = { ...failure('bug'), route: 'gone' }
  await office.journal.noteConcerns([gone], () => false)
  await announce(office.announcing)
  await office.journal.noteConcerns([], () => false)
  await announce(office.announcing)

  expect(office.messages.map(({ subject }) => subject)).toEqual(['gone failed (bug)'])
})

test('a failure is told once while it lasts, again when it is another, and by the name of its route', async () => {
  const office = await anOffice()
  const fail = async (...codes: string[]) => {
    const found = codes.map((code) => failure(code))
    await office.journal.noteConcerns(found, () => false)
    await announce(office.announcing)
  }
  await fail('api-unreachable')
  await fail('api-unreachable')
  await fail('credentials-refused')
  await fail()

  expect(office.messages.map(({ subject }) => subject)).toEqual([
    'orders failed (api-unreachable)',
    'orders failed (credentials-refused)',
    'orders works again',
  ])
  expect(office.messages[1]!.data).toMatchObject({
    attention: { raised: [], ended: [] },
    failures: [{ route: 'orders', code: 'credentials-refused', message: 'it went wrong' }],
    recovered: [],
  })
})

test('a failure that comes and goes between two notices is told to nobody', async () => {
  const office = await anOffice()
  await office.journal.noteConcerns([failure('api-unreachable')], () => false)
  await office.journal.noteConcerns([], () => false)
  await announce(office.announcing)

  expect(office.messages).toEqual([])
})

test('a notice for some routes hears of no others', async () => {
  const office = await anOffice({ ...OPS, routes: ['shipments'] })
  await report(office, 'a', 'rejected')
  await office.journal.noteConcerns([HELD], () => false)
  await office.journal.noteConcerns([HELD, failure('bug')], () => false)
  await announce(office.announcing)

  expect(office.messages).toEqual([])
})

test('a digest of many files names a hundred of them and counts all', async () => {
  const office = await anOffice()
  for (let turn = 0; turn < 105; turn++) await report(office, `f${turn}`, 'rejected')
  await announce(office.announcing)

  expect(office.messages[0]!.data.files).toHaveLength(100)
  expect(office.messages[0]!.text).toContain('and 5 more: see dropbridge status')
  expect(office.messages[0]!.data.totals.files).toBe(105)
})

test('what does not fit into one digest comes with the next, and none of it is lost', async () => {
  const office = await anOffice()
  for (const id of ['good', 'fine', 'bad']) await report(office, id, id === 'bad' ? 'rejected' : 'accepted')
  const { journal } = office
  const narrow: Journal = { ...journal, noticeMatter: (range) => journal.noticeMatter(range, 2) }
  await announce({ ...office.announcing, journal: narrow })
  await announce({ ...office.announcing, journal: narrow })

  expect(office.messages.map(({ subject }) => subject)).toEqual(['1 refused'])
})

test('an announcement that cannot even ask the journal fails nothing', async () => {
  const office = await anOffice()
  const journal: Journal = { ...office.journal, dueNotice: () => Promise.reject(new Error('locked')) }

  await expect(announce({ ...office.announcing, journal })).resolves.toBeUndefined()
  expect(office.events).toMatchObject([{ kind: 'notice-failed', why: 'locked' }])
})
