/** What the journal promises about notices: none is lost, none is told anew, and one bridge at a time is at it. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Journal, Lease } from '../../src/domain/journal.ts'
import type { DueNotice } from '../../src/domain/notice.ts'
import { planFile, planned, type TestClock, testClock } from './journal.suite.ts'

export function noticesSuite(name: string, open: (clock: TestClock) => Promise<Journal>): void {
  describe(`notices in a journal ${name}`, () => {
    let clock: TestClock
    let journal: Journal
    let lease: Lease

    beforeEach(async () => {
      clock = testClock()
      journal = await open(clock)
      lease = await journal.takeLease('orders-in', 'bridge-1', 60_000, () => true)
      return () => journal.close()
    })

    async function report(id: string): Promise<void> {
      await planFile(journal, lease, id, [planned(1, `PO-${id}`)])
      const [sending] = await journal.beginAttempts(lease, { file: id }, 1)
      await journal.endAttempts(lease, [{ id: sending!.id, state: 'accepted', problems: [] }])
      await journal.fileSubmitted(lease, id)
      await journal.nameReport(lease, id, `${id}.csv`, [])
      await journal.fileReported(lease, id)
    }

    async function due(channel = 'ops'): Promise<DueNotice> {
      const found = await journal.dueNotice(channel)
      if (found === undefined) throw new Error(`${channel} never joined`)
      return found
    }

    async function begin(id: string, heldMs = 1000): Promise<boolean> {
      const { afterEvent, upToEvent, afterTurn } = await due()
      const range = { afterEvent, upToEvent, afterTurn, upToTurn: afterTurn }
      return journal.beginNotice('ops', { ...range, id, heldUntil: clock.now() + heldMs })
    }

    it('are for what happens after a channel joined, and joining again changes nothing', async () => {
      await report('before')
      expect(await journal.dueNotice('ops')).toBeUndefined()
      await journal.joinNotices(['ops'])
      await report('after')
      await journal.joinNotices(['ops', 'other'])

      expect(await journal.noticeMatter(await due(), 10)).toMatchObject({ files: ['after'], deliveries: [] })
      expect(await journal.noticeMatter(await due('other'), 10)).toMatchObject({ files: [], deliveries: [] })
    })

    it('tell nothing twice: what was sent is behind the next one', async () => {
      await journal.joinNotices(['ops'])
      await report('a')
      expect(await begin('n1')).toBe(true)
      await journal.endNotice('n1', { state: 'sent' })
      await report('b')

      expect(await journal.noticeMatter(await due(), 10)).toMatchObject({ files: ['b'], deliveries: [] })
    })

    it('come again under the same id and with the same range when they were begun and not ended', async () => {
      await journal.joinNotices(['ops'])
      await report('a')
      await begin('n1')
      await report('b')
      clock.advance(2000)
      const again = await due()

      expect(again.open).toMatchObject({ id: 'n1', tries: 1 })
      expect(await journal.noticeMatter(again, 10)).toMatchObject({ files: ['a'], deliveries: [] })
      expect(await begin('n1')).toBe(true)
      expect((await due()).open).toMatchObject({ id: 'n1', tries: 2 })
    })

    it('that failed wait in front of the next one, with their reason', async () => {
      await journal.joinNotices(['ops'])
      await report('a')
      await begin('n1', 60_000)
      await journal.endNotice('n1', { state: 'failed', problem: 'nobody there' })

      expect(await begin('n2')).toBe(false)
      expect(await begin('n1')).toBe(true)
      await journal.endNotice('n1', { state: 'failed', problem: 'nobody there' })
      expect(await journal.latestNotices(['ops', 'other'])).toMatchObject([
        { channel: 'ops', id: 'n1', state: 'failed', tries: 2, problem: 'nobody there' },
      ])
    })

    it('are begun by one bridge at a time', async () => {
      await journal.joinNotices(['ops'])
      await report('a')
      const seen = await due()
      const range = { ...seen, upToTurn: 0, heldUntil: clock.now() + 1000 }

      expect(await journal.beginNotice('ops', { ...range, id: 'mine' })).toBe(true)
      expect(await journal.beginNotice('ops', { ...range, id: 'theirs' })).toBe(false)
      expect(await begin('mine')).toBe(false)
      await journal.endNotice('mine', { state: 'sent' })
      expect(await journal.beginNotice('ops', { ...range, id: 'theirs' })).toBe(false)
    })

    it('need not be sent of what is nothing to tell', async () => {
      await journal.joinNotices(['ops'])
      await report('a')
      const seen = await due()
      await journal.passNotices('ops', { ...seen, upToTurn: 7 })

      expect(await due()).toMatchObject({ afterEvent: seen.upToEvent, afterTurn: 7 })
    })

    it('name each file once, however often it was reported, and end at the limit, where the next one goes on', async () => {
      await journal.joinNotices(['ops'])
      for (const id of ['a', 'b', 'c']) await report(id)
      const all = await due()
      const first = await journal.noticeMatter(all, 2)
      const rest = await journal.noticeMatter({ ...all, afterEvent: first.upToEvent }, 2)

      expect(first).toMatchObject({ files: ['a', 'b'], deliveries: [] })
      expect(await journal.noticeMatter({ ...all, upToEvent: first.upToEvent }, 2)).toEqual(first)
      expect(rest).toEqual({ files: ['c'], deliveries: [], upToEvent: all.upToEvent })
    })

    it('that failed are tried again even where the clock was set back since the ones before', async () => {
      await journal.joinNotices(['ops'])
      await begin('n1')
      await journal.endNotice('n1', { state: 'sent' })
      clock.advance(-86_400_000)
      await begin('n2')
      await journal.endNotice('n2', { state: 'failed', problem: 'nobody there' })

      expect((await due()).open?.id).toBe('n2')
      expect(await journal.latestNotices(['ops'])).toMatchObject([{ id: 'n2', state: 'failed' }])
    })

    it('that were being sent when the clock was set back are held no longer for it', async () => {
      await journal.joinNotices(['ops'])
      await report('a')
      await begin('n1', 60_000)
      clock.advance(-1000)
      expect(await begin('n1', 60_000)).toBe(false)
      clock.advance(-86_400_000)
      expect(await begin('n1', 60_000)).toBe(true)
    })
  })
}
