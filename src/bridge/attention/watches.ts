/** Watches that are not there any more and never said that they would end. */
import type { Concern } from '../../domain/attention.ts'
import { holderInWords } from '../../domain/lease.ts'
import { isoTime } from '../../support/clock.ts'
import { presence } from '../watch/presence.ts'
import type { Looking } from './looking.ts'

/** Who does without one from then on must not be told for ever. */
const SHOWN_MS = 7 * 24 * 3_600_000

export async function watchConcerns({ journal, now }: Looking): Promise<Concern[]> {
  const { missed } = presence(await journal.watches(), now)
  return missed
    .filter(({ seenAt }) => now - seenAt < SHOWN_MS)
    .map(({ holder, routes, beganAt, seenAt }) => ({
      code: 'watch-gone',
      subject: `${holderInWords(holder)}, since ${isoTime(beganAt)}`,
      since: seenAt,
      message: `the watch over ${routes.join(', ')} that began at ${isoTime(beganAt)} (${holderInWords(holder)}) was last seen at ${isoTime(seenAt)}, and it was not asked to end`,
      cure: 'see why it is gone, and start `dropbridge watch` again; the new one goes on where it was',
    }))
}
