/** Notifications: none is repeated without a mark, nothing is lost, and channels get no more than they want. */
import { expect, onTestFinished, test } from 'vitest'
import type { Configuration } from '../../src/config/configuration.ts'
import type { NotificationConfiguration } from '../../src/config/notifications.ts'
import type { Alert } from '../../src/domain/alert.ts'
import type { BridgeEvent } from '../../src/domain/event.ts'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import type { Digest, Message } from '../../src/domain/notification.ts'
import { problem } from '../../src/domain/problem.ts'
import { openJournal } from '../../src/journal/open.ts'
import {
  sendNotifications,
  type SendingContext,
  registerChannels,
} from '../../src/observability/notifications/sending.ts'
import { instantClock } from '../fixtures/instant-clock.ts'
import { planFile, planned, receiveFile } from '../suites/journal.suite.ts'

const OPS: NotificationConfiguration = {
  name: 'ops',
  type: 'command',
  command: 'tell',
  args: [],
  folder: '/',
  on: 'trouble',
  everyMs: 900_000,
  timeoutMs: 30_000,
}

const HELD: Alert = {
  code: 'records-held',
  route: 'orders',
  subject: 'a.csv',
  since: 0,
  message: 'a.csv: 3 records are held',
  fix: 'decide',
}

function failure(code: string): Alert {
  return {
    code: 'route-failing',
    route: 'orders',
    subject: code,
    since: 0,
    message: 'it went wrong',
    fix: 'mend it',
  }
}

async function anOffice(...notifications: NotificationConfiguration[]) {
  const clock = instantClock()
  const journal = await openJournal({ path: ':memory:', clock })
  onTestFinished(() => journal.close())
  const lease = await journal.acquireLease('orders', 'me', 60_000, () => true)
  const messages: (Message & { readonly data: Digest })[] = []
  const events: BridgeEvent[] = []
  /** For each try, whether it was to be the only one. */
  const tried: boolean[] = []
  let ids = 0
  const state = { broken: false }
  const announcing: SendingContext = {
    journal,
    configuration: { routes: [{ name: 'orders' }], mailboxes: {} } as unknown as Configuration,
    notifications: notifications.length === 0 ? [OPS] : notifications,
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
  await registerChannels(announcing)
  return { clock, journal, lease, messages, events, tried, state, announcing }
}

/** A file with one record of this outcome. */
async function report(
  { journal, lease }: { journal: Journal; lease: Lease },
  id: string,
  state: 'accepted' | 'rejected',
): Promise<void> {
  await planFile(journal, lease, id, [planned(1, `PO-${id}`)])
  const [sending] = await journal.startAttempts(lease, { file: id }, 1)
  const problems = state === 'accepted' ? [] : [problem('api-refused', {}, 'Ada Whitfield is unknown')]
  await journal.finishAttempts(lease, [{ id: sending!.id, state, problems }])
  await journal.markFileSubmitted(lease, id)
  await journal.saveReportName(lease, id, `${id}.csv`, [])
  await journal.markFileReported(lease, id)
}

const filesOf = ({ data }: { readonly data: Digest }) => data.files.map(({ file }) => file)

test('a refused record is reported once, by its file and code and not by the message of the API', async () => {
  const office = await anOffice()
  await report(office, 'a', 'rejected')
  await sendNotifications(office.announcing)
  await sendNotifications(office.announcing)

  expect(office.messages).toHaveLength(1)
  const [{ subject, text, data }] = office.messages as [Message & { data: Digest }]
  expect(subject).toBe('1 refused')
  expect(data.files).toMatchObject([
    { route: 'orders', records: { rejected: 1 }, codes: { 'api-refused': 1 } },
  ])
  expect(text).not.toContain('Whitfield')
})

test('good files are counted and not named where only trouble is reported', async () => {
  const office = await anOffice()
  await report(office, 'good', 'accepted')
  await sendNotifications(office.announcing)
  expect(office.messages).toEqual([])
  await report(office, 'bad', 'rejected')
  await sendNotifications(office.announcing)

  expect(office.messages[0]!.data.files).toHaveLength(1)
  expect(office.messages[0]!.data.totals).toMatchObject({ files: 2, incoming: { accepted: 1, rejected: 1 } })
})

test('a crash after sending and before its note repeats the same digest under the same id', async () => {
  const office = await anOffice()
  await report(office, 'a', 'rejected')
  const crashing: Journal = {
    ...office.journal,
    finishNotification: () => Promise.reject(new Error('power cut')),
  }
  await sendNotifications({ ...office.announcing, journal: crashing })
  await report(office, 'b', 'rejected')
  office.clock.advance(3_600_000)
  await sendNotifications(office.announcing)

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
  void sendNotifications({ ...office.announcing, notifierOf: () => dying })
  await expect.poll(() => office.journal.listLatestNotifications(['ops'])).toMatchObject([{ state: 'begun' }])
  office.clock.advance(3_600_000)
  await sendNotifications(office.announcing)

  expect(office.messages.map(({ id }) => id)).toEqual(['n1'])
})

test('a notification that another bridge is just sending is left to it', async () => {
  const office = await anOffice()
  await report(office, 'a', 'rejected')
  const slow = { send: () => new Promise<void>(() => undefined) }
  void sendNotifications({ ...office.announcing, notifierOf: () => slow })
  await expect.poll(() => office.journal.listLatestNotifications(['ops'])).toMatchObject([{ state: 'begun' }])
  await sendNotifications(office.announcing)

  expect(office.messages).toEqual([])
})

test('a notification that is not received is tried again later and later, and loses nothing of what happens meanwhile', async () => {
  const office = await anOffice()
  office.state.broken = true
  await report(office, 'a', 'rejected')
  for (let minute = 0; minute < 60; minute++) {
    await sendNotifications(office.announcing, true)
    office.clock.advance(60_000)
  }
  const tries = office.events.filter(({ kind }) => kind === 'notification-failed').length
  await report(office, 'b', 'rejected')
  office.state.broken = false
  office.clock.advance(3_600_000)
  await sendNotifications(office.announcing)

  expect(tries).toBeGreaterThan(5)
  expect(tries).toBeLessThan(15)
  expect(office.messages).toHaveLength(2)
})

test('a notification that comes again is tried once, so that a missing receiver delays nothing', async () => {
  const office = await anOffice()
  office.state.broken = true
  await report(office, 'a', 'rejected')
  await sendNotifications(office.announcing)
  await sendNotifications(office.announcing)

  expect(office.tried).toEqual([false, true])
})

test('a watch sends at most one notification in the wanted time, with all that came together', async () => {
  const office = await anOffice()
  for (const id of ['a', 'b', 'c', 'd']) {
    await report(office, id, 'rejected')
    await sendNotifications(office.announcing, true)
    office.clock.advance(300_000)
  }
  await sendNotifications(office.announcing, true)

  expect(office.messages.map((message) => filesOf(message).length)).toEqual([1, 3])
})

test('an alert is reported when it is raised and when it ends, and one that did both in between is not', async () => {
  const office = await anOffice()
  const note = (...found: Alert[]) => office.journal.updateAlerts(found, () => false)
  await note(HELD)
  await sendNotifications(office.announcing)
  await sendNotifications(office.announcing)
  await note()
  await sendNotifications(office.announcing)
  await note({ ...HELD, subject: 'b.csv' })
  await note()
  await sendNotifications(office.announcing)

  expect(office.messages.map(({ data }) => [data.alerts.raised.length, data.alerts.ended.length])).toEqual([
    [1, 0],
    [0, 1],
  ])
  expect(office.messages[0]!.text).toContain('fix: decide')
})

test('the subject is a summary, and a notification of an alert alone counts no files', async () => {
  const office = await anOffice()
  await office.journal.updateAlerts([HELD], () => false)
  await sendNotifications(office.announcing)
  await office.journal.updateAlerts([], () => false)
  await sendNotifications(office.announcing)

  expect(office.messages.map(({ subject }) => subject)).toEqual(['records-held', 'over: records-held'])
  for (const { text } of office.messages) expect(text).not.toContain('0 files')
  const alert = 'orders: a.csv: 3 records are held'
  expect(office.messages[0]?.text).toContain(`${alert} (records-held, since 1970-01-01T00:00:00.000Z)`)
  expect(office.messages[1]?.text).toContain(alert)
})

test('an unusable file is in the subject', async () => {
  const office = await anOffice()
  const { journal, lease } = office
  await receiveFile(journal, lease, 'bad')
  await journal.markFileUnusable(lease, 'bad', [problem('file-empty', {}, 'bad.csv holds no rows.')])
  await journal.saveReportName(lease, 'bad', 'bad.csv', [])
  await journal.markFileReported(lease, 'bad')
  await sendNotifications(office.announcing)

  expect(office.messages.map(({ subject }) => subject)).toEqual(['1 file unusable'])
})

test('alerts from before the channel joined are not reported', async () => {
  const office = await anOffice()
  await office.journal.updateAlerts([HELD], () => false)
  office.clock.advance(1000)
  const later = { ...office.announcing, notifications: [{ ...OPS, name: 'later' }] }
  await registerChannels(later)
  await sendNotifications(later)

  expect(office.messages).toEqual([])
})

test('a channel that joined while the clock was ahead receives what is found when it is right', async () => {
  const office = await anOffice()
  const later = { ...office.announcing, notifications: [{ ...OPS, name: 'later' }] }
  office.clock.advance(3 * 3_600_000)
  await registerChannels(later)
  office.clock.advance(-3 * 3_600_000)
  await office.journal.updateAlerts([HELD], () => false)
  await sendNotifications(later)

  expect(office.messages.map(({ subject }) => subject)).toEqual(['records-held'])
})

test('a channel receives no end of an alert that it never received', async () => {
  const office = await anOffice()
  await office.journal.updateAlerts([HELD], () => false)
  const later = { ...office.announcing, notifications: [{ ...OPS, name: 'later' }] }
  await registerChannels(later)
  await office.journal.updateAlerts([failure('bug')], () => false)
  await sendNotifications(later)

  expect(office.messages.map(({ data }) => [data.failures.length, data.alerts.ended])).toEqual([[1, []]])
})

test('a route that left the configuration is not reported as working again', async () => {
  const office = await anOffice()
  const gone = { ...failure('bug'), route: 'gone' }
  await office.journal.updateAlerts([gone], () => false)
  await sendNotifications(office.announcing)
  await office.journal.updateAlerts([], () => false)
  await sendNotifications(office.announcing)

  expect(office.messages.map(({ subject }) => subject)).toEqual(['gone failed (bug)'])
})

test('a failure is reported once while it lasts, again when it is another, and by the name of its route', async () => {
  const office = await anOffice()
  const fail = async (...codes: string[]) => {
    const found = codes.map((code) => failure(code))
    await office.journal.updateAlerts(found, () => false)
    await sendNotifications(office.announcing)
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
    alerts: { raised: [], ended: [] },
    failures: [{ route: 'orders', code: 'credentials-refused', message: 'it went wrong' }],
    recovered: [],
  })
})

test('a failure that comes and goes between two notifications is not reported', async () => {
  const office = await anOffice()
  await office.journal.updateAlerts([failure('api-unreachable')], () => false)
  await office.journal.updateAlerts([], () => false)
  await sendNotifications(office.announcing)

  expect(office.messages).toEqual([])
})

test('a notification for some routes contains no others', async () => {
  const office = await anOffice({ ...OPS, routes: ['shipments'] })
  await report(office, 'a', 'rejected')
  await office.journal.updateAlerts([HELD], () => false)
  await office.journal.updateAlerts([HELD, failure('bug')], () => false)
  await sendNotifications(office.announcing)

  expect(office.messages).toEqual([])
})

test('a digest of many files names a hundred of them and counts all', async () => {
  const office = await anOffice()
  for (let index = 0; index < 105; index++) await report(office, `f${index}`, 'rejected')
  await sendNotifications(office.announcing)

  expect(office.messages[0]!.data.files).toHaveLength(100)
  expect(office.messages[0]!.text).toContain('and 5 more: see dropbridge status')
  expect(office.messages[0]!.data.totals.files).toBe(105)
})

test('what does not fit into one digest comes with the next, and nothing is lost', async () => {
  const office = await anOffice()
  for (const id of ['good', 'fine', 'bad']) await report(office, id, id === 'bad' ? 'rejected' : 'accepted')
  const { journal } = office
  const narrow: Journal = {
    ...journal,
    listNotificationSubjects: (range) => journal.listNotificationSubjects(range, 2),
  }
  await sendNotifications({ ...office.announcing, journal: narrow })
  await sendNotifications({ ...office.announcing, journal: narrow })

  expect(office.messages.map(({ subject }) => subject)).toEqual(['1 refused'])
})

test('notifying fails nothing when it cannot even read the journal', async () => {
  const office = await anOffice()
  const journal: Journal = {
    ...office.journal,
    getDueNotification: () => Promise.reject(new Error('locked')),
  }

  await expect(sendNotifications({ ...office.announcing, journal })).resolves.toBeUndefined()
  expect(office.events).toMatchObject([{ kind: 'notification-failed', why: 'locked' }])
})
