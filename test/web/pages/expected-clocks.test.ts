/** Expected files on the days on which the clocks of New York change: Today says the same as the alert. */
import { expect, onTestFinished, test } from 'vitest'
import { evaluateAlerts } from '../../../src/alerts/alerts.ts'
import { listExpectedFiles } from '../../../src/app/console/clocks.ts'
import { openMailboxes } from '../../../src/app/context.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { openJournal } from '../../../src/journal/open.ts'
import { drawExpected } from '../../../src/web/pages/clocks.ts'
import { aRequest, toText } from '../../fixtures/console.ts'
import { tempFolder } from '../../fixtures/temp-folder.ts'
import { receiveFile, START, testClock } from '../../suites/journal.suite.ts'
import { configurationAt } from '../harness.ts'

const ZONE = 'America/New_York'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** A day of New York: when it begins, when a file is due on it, and when on the next day. All are counted by hand, in UTC. */
interface Day {
  /** When the day before begins. */
  readonly before: string
  readonly begins: string
  readonly dueAt: string
  readonly nextAt: string
  readonly ends: string
}

const SPRING = ['2027-03-13T05:00Z', '2027-03-14T05:00Z', '2027-03-15T04:00Z', '2027-03-16T04:00Z'] as const
const AUTUMN = ['2027-11-06T04:00Z', '2027-11-07T04:00Z', '2027-11-08T05:00Z', '2027-11-09T05:00Z'] as const

/** 02:30 is not there on 14 March: the file is due when the clocks go forward. 01:30 comes twice on 7 November: the first counts. */
const DUE = [
  ['02:30', SPRING, ['2027-03-13T07:30Z', '2027-03-14T07:00Z', '2027-03-15T06:30Z', '2027-03-16T06:30Z']],
  ['09:00', SPRING, ['2027-03-13T14:00Z', '2027-03-14T13:00Z', '2027-03-15T13:00Z', '2027-03-16T13:00Z']],
  ['01:30', AUTUMN, ['2027-11-06T05:30Z', '2027-11-07T05:30Z', '2027-11-08T06:30Z', '2027-11-09T06:30Z']],
  ['09:00', AUTUMN, ['2027-11-06T13:00Z', '2027-11-07T14:00Z', '2027-11-08T14:00Z', '2027-11-09T14:00Z']],
] as const

const DAYS = DUE.flatMap(([by, days, due]) =>
  ['the day before the change', 'the day of the change', 'the day after the change'].map((which, at) => {
    const [begins = '', ends = ''] = days.slice(at, at + 2)
    const before = days[at - 1] ?? new Date(Date.parse(begins) - 24 * HOUR_MS).toISOString()
    const [dueAt = '', nextAt = ''] = due.slice(at, at + 2)
    return [by, which, begins.slice(0, 10), { before, begins, dueAt, nextAt, ends }] as const
  }),
)

const toMs = (iso: string) => Date.parse(iso)

async function aBridgeThatExpects(by: string) {
  const plain = await configurationAt(await tempFolder())
  const expectFile = { by, zone: ZONE, days: [1, 2, 3, 4, 5, 6, 7] }
  const routes = plain.routes.map((route) =>
    route.direction === 'inbound' ? { ...route, from: { ...route.from, expectFile } } : route,
  )
  const configuration: Configuration = { ...plain, routes }
  const clock = testClock()
  const setTime = (ms: number) => clock.advance(ms - clock.now())
  const journal = await openJournal({ path: configuration.journal.path, clock })
  onTestFinished(() => journal.close())
  const lease = await journal.acquireLease('orders', 'bridge-1', 1e12, () => true)
  const mailboxes = await openMailboxes(configuration, { clock, random: Math.random, newId: () => 'x' })
  onTestFinished(async () => {
    for (const mailbox of mailboxes.values()) await mailbox.close()
  })
  const receive = async (name: string, ms: number) => {
    setTime(ms)
    await receiveFile(journal, lease, name)
  }
  const look = async (ms: number) => {
    setTime(ms)
    const context = { journal, configuration, clock }
    const { alerts } = await evaluateAlerts(
      { ...context, mailboxes, folderCache: new Map() },
      { routes: [], failures: [] },
    )
    const [shown] = await listExpectedFiles(context, alerts)
    const alert = alerts.find(({ code }) => code === 'expected-file-missing')
    const text = toText(drawExpected(shown!, { ...aRequest({}, ms), zone: ZONE }).html)
    return { shown: shown!, alert, text }
  }
  return { receive, look }
}

/** What Today has to say at this time, by the times that are written above. `cameAt`: when the file of the day came or comes. */
function expectAt(now: number, day: Day, cameAt: number | undefined) {
  const [dueAt, nextAt] = [toMs(day.dueAt), toMs(day.nextAt)]
  const isThere = cameAt !== undefined && cameAt <= now
  if (isThere) {
    const state = cameAt <= dueAt ? 'came' : 'came late'
    return { state, file: 'today', alertSince: undefined, nextAt }
  }
  if (now < dueAt) return { state: 'came', file: 'yesterday', alertSince: undefined, nextAt: dueAt }
  return { state: 'missed', file: undefined, alertSince: dueAt, nextAt }
}

const STATES = /✕ (missed)|✓ (came late)|✓ (came)\b/

test.each(DAYS)(
  'by %s on %s (%s), Today says came, late, to come or missed as the alert does',
  async (by, _, date, day) => {
    const [begins, dueAt, ends] = [toMs(day.begins), toMs(day.dueAt), toMs(day.ends)]
    const arrivals = [undefined, begins, dueAt - MINUTE_MS, dueAt, dueAt + 90 * MINUTE_MS]
    const looks = [begins, dueAt - 1, dueAt, dueAt + HOUR_MS, dueAt + 2 * HOUR_MS, ends - 1]
    const seen = new Set<string>()
    for (const cameAt of arrivals) {
      const bridge = await aBridgeThatExpects(by)
      await bridge.receive('yesterday', toMs(day.before) + HOUR_MS)
      // The last moment of that day: it is no file of the next one.
      await bridge.receive('yesterday-again', begins - 1)
      let hasCome = false
      for (const now of looks) {
        if (cameAt !== undefined && cameAt <= now && !hasCome) {
          await bridge.receive('today', cameAt)
          hasCome = true
        }
        const { shown, alert, text } = await bridge.look(now)
        const state = STATES.exec(text)?.slice(1).find(Boolean)
        const where = `came ${cameAt}, at ${new Date(now).toISOString()}: ${text}`
        expect(
          { state, file: shown.came?.file.id, alertSince: alert?.since, nextAt: shown.nextAt },
          where,
        ).toEqual(expectAt(now, day, cameAt))
        expect(shown.missingSince, where).toBe(alert?.since)
        expect(alert?.subject ?? date, where).toBe(date)
        seen.add(`${state} ${shown.came?.file.id}`)
      }
    }
    expect([...seen].toSorted()).toEqual([
      'came late today',
      'came today',
      'came yesterday',
      'missed undefined',
    ])
  },
)

test.each([
  ['02:30', '2027-03-14T07:00Z', '03:00:00'],
  ['01:30', '2027-11-07T05:30Z', '01:30:00'],
])(
  'the time %s of the change of the clocks is shown as the time at which it is missed',
  async (by, due, time) => {
    const { look, receive } = await aBridgeThatExpects(by)
    await receive('before', toMs(due) - 30 * HOUR_MS)
    expect((await look(toMs(due) - 1)).text).toContain(`next by`)
    expect((await look(toMs(due) + 5 * MINUTE_MS)).text).toContain(
      `missed , by ${time} , late 5 min; next by`,
    )
  },
)

test('a file on each day through both changes is never called missed or late, and none at all always is', async () => {
  for (const [by, , due] of DUE) {
    const bridge = await aBridgeThatExpects(by)
    for (const dueAt of due.map(toMs)) {
      await bridge.receive(`f${dueAt}`, dueAt - 30 * MINUTE_MS)
      for (const ms of [-30, 0, 60, 600].map((minutes) => dueAt + minutes * MINUTE_MS)) {
        const { text, alert } = await bridge.look(ms)
        expect([alert, text]).toEqual([undefined, expect.stringMatching(/^✓ came \d/) as string])
      }
    }
    const idle = await aBridgeThatExpects(by)
    // Before its first file, the journal alone says since when files were expected.
    await idle.look(START)
    for (const dueAt of due.map(toMs)) {
      const { text, alert } = await idle.look(dueAt)
      expect([alert?.since, text]).toEqual([dueAt, expect.stringContaining('✕ missed') as string])
    }
  }
})
