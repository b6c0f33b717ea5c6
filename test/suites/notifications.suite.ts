/** The promises of the journal about notifications: none is lost, none is repeated anew, and one bridge at a time sends them. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import type { Lease } from '../../src/domain/lease.ts'
import type { DueNotification } from '../../src/domain/notification.ts'
import { planFile, planned, type TestClock, testClock } from './journal.suite.ts'

export function notificationsSuite(name: string, open: (clock: TestClock) => Promise<Journal>): void {
  describe(`notifications in a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let lease: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await journal.acquireLease('orders-in', 'bridge-1', 60_000, () => true)
      return () => journal.close()
    })

    async function report(id: string): Promise<void> {
      await planFile(journal, lease, id, [planned(1, `PO-${id}`)])
      const [sending] = await journal.startAttempts(lease, { file: id }, 1)
      await journal.finishAttempts(lease, [{ id: sending!.id, state: 'accepted', problems: [] }])
      await journal.markFileSubmitted(lease, id)
      await journal.saveReportName(lease, id, `${id}.csv`, [])
      await journal.markFileReported(lease, id)
    }

    async function due(channel = 'ops'): Promise<DueNotification> {
      const found = await journal.getDueNotification(channel)
      if (found === undefined) throw new Error(`${channel} never joined`)
      return found
    }

    async function begin(id: string, heldMs = 1000): Promise<boolean> {
      const { afterEvent, upToEvent, afterCursor } = await due()
      const range = { afterEvent, upToEvent, afterCursor, upToCursor: afterCursor }
      return journal.startNotification('ops', { ...range, id, heldUntil: clock.now() + heldMs })
    }

    it('are for what happens after a channel joined, and joining again changes nothing', async () => {
      await report('before')
      expect(await journal.getDueNotification('ops')).toBeUndefined()
      await journal.joinChannels(['ops'])
      await report('after')
      await journal.joinChannels(['ops', 'other'])

      expect(await journal.listNotificationSubjects(await due(), 10)).toMatchObject({
        files: ['after'],
        deliveries: [],
      })
      expect(await journal.listNotificationSubjects(await due('other'), 10)).toMatchObject({
        files: [],
        deliveries: [],
      })
    })

    it('repeat nothing: the next one begins after those that were sent', async () => {
      await journal.joinChannels(['ops'])
      await report('a')
      expect(await begin('n1')).toBe(true)
      await journal.finishNotification('n1', { state: 'sent' })
      await report('b')

      expect(await journal.listNotificationSubjects(await due(), 10)).toMatchObject({
        files: ['b'],
        deliveries: [],
      })
    })

    it('come again under the same id and with the same range when they were begun and not ended', async () => {
      await journal.joinChannels(['ops'])
      await report('a')
      await begin('n1')
      await report('b')
      clock.advance(2000)
      const again = await due()

      expect(again.open).toMatchObject({ id: 'n1', tries: 1 })
      expect(await journal.listNotificationSubjects(again, 10)).toMatchObject({
        files: ['a'],
        deliveries: [],
      })
      expect(await begin('n1')).toBe(true)
      expect((await due()).open).toMatchObject({ id: 'n1', tries: 2 })
    })

    it('that failed wait in front of the next one, with their reason', async () => {
      await journal.joinChannels(['ops'])
      await report('a')
      await begin('n1', 60_000)
      await journal.finishNotification('n1', { state: 'failed', problem: 'nobody there' })

      expect(await begin('n2')).toBe(false)
      expect(await begin('n1')).toBe(true)
      await journal.finishNotification('n1', { state: 'failed', problem: 'nobody there' })
      expect(await journal.listLatestNotifications(['ops', 'other'])).toMatchObject([
        { channel: 'ops', id: 'n1', state: 'failed', tries: 2, problem: 'nobody there' },
      ])
    })

    it('are begun by one bridge at a time', async () => {
      await journal.joinChannels(['ops'])
      await report('a')
      const seen = await due()
      const range = { ...seen, upToCursor: 0, heldUntil: clock.now() + 1000 }

      expect(await journal.startNotification('ops', { ...range, id: 'mine' })).toBe(true)
      expect(await journal.startNotification('ops', { ...range, id: 'theirs' })).toBe(false)
      expect(await begin('mine')).toBe(false)
      await journal.finishNotification('mine', { state: 'sent' })
      expect(await journal.startNotification('ops', { ...range, id: 'theirs' })).toBe(false)
    })

    it('need not be sent for events that are not to be reported', async () => {
      await journal.joinChannels(['ops'])
      await report('a')
      const seen = await due()
      await journal.skipNotifications('ops', { ...seen, upToCursor: 7 })

      expect(await due()).toMatchObject({ afterEvent: seen.upToEvent, afterCursor: 7 })
    })

    it('name each file once, however often it was reported, and end at the limit, where the next one continues', async () => {
      await journal.joinChannels(['ops'])
      for (const id of ['a', 'b', 'c']) await report(id)
      const all = await due()
      const first = await journal.listNotificationSubjects(all, 2)
      const rest = await journal.listNotificationSubjects({ ...all, afterEvent: first.upToEvent }, 2)

      expect(first).toMatchObject({ files: ['a', 'b'], deliveries: [] })
      expect(await journal.listNotificationSubjects({ ...all, upToEvent: first.upToEvent }, 2)).toEqual(first)
      expect(rest).toEqual({ files: ['c'], deliveries: [], upToEvent: all.upToEvent })
    })

    it('that failed are tried again even where the clock was set back since the ones before', async () => {
      await journal.joinChannels(['ops'])
      await begin('n1')
      await journal.finishNotification('n1', { state: 'sent' })
      clock.advance(-86_400_000)
      await begin('n2')
      await journal.finishNotification('n2', { state: 'failed', problem: 'nobody there' })

      expect((await due()).open?.id).toBe('n2')
      expect(await journal.listLatestNotifications(['ops'])).toMatchObject([{ id: 'n2', state: 'failed' }])
    })

    it('that were being sent when the clock was set back are delayed no longer by that', async () => {
      await journal.joinChannels(['ops'])
      await report('a')
      await begin('n1', 60_000)
      clock.advance(-1000)
      expect(await begin('n1', 60_000)).toBe(false)
      clock.advance(-86_400_000)
      expect(await begin('n1', 60_000)).toBe(true)
    })
  })
}
