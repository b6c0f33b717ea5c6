/** Whether a watch is there: each says so as long as it is, and what ended without a word is told. */
import type { Journal } from '../../domain/journal.ts'
import type { WatchEntry } from '../../domain/watches.ts'
import type { Clock } from '../../support/clock.ts'
import { isHolderAlive } from '../holder.ts'

const SAID_EVERY_MS = 60_000

/** A machine that is busy, or a journal that is, may keep a watch from saying so for some minutes. */
const GONE_MS = 10 * SAID_EVERY_MS

interface Present {
  readonly journal: Journal
  readonly clock: Clock
  readonly holder: string
  readonly routes: readonly string[]
  readonly signal: AbortSignal
}

/** Says so until the signal. That it cannot be noted says nothing: whoever works with the journal finds out. */
export async function sayPresent({ journal, clock, holder, routes, signal }: Present): Promise<void> {
  while (!signal.aborted) {
    await journal
      .noteWatch(holder, routes)
      .then(() => forgetReplaced(journal, clock))
      .catch(() => undefined)
    await clock.sleep(SAID_EVERY_MS, signal)
  }
}

export async function sayAbsent({ journal, holder }: Pick<Present, 'journal' | 'holder'>): Promise<void> {
  await journal.forgetWatches([holder]).catch(() => undefined)
}

async function forgetReplaced(journal: Journal, clock: Clock): Promise<void> {
  const { gone, missed } = presence(await journal.watches(), clock.now())
  const missing = new Set(missed)
  await journal.forgetWatches(gone.filter((each) => !missing.has(each)).map(({ holder }) => holder))
}

export interface Presence {
  readonly there: readonly WatchEntry[]
  /** Those that did not end by themselves, and are not seen any more. */
  readonly gone: readonly WatchEntry[]
  /** Those of them that nobody does the work of. */
  readonly missed: readonly WatchEntry[]
}

export function presence(watches: readonly WatchEntry[], now: number): Presence {
  const isThere = ({ holder, seenAt }: WatchEntry) => isHolderAlive(holder) && now - seenAt < GONE_MS
  const there = watches.filter(isThere)
  const gone = watches.filter((each) => !isThere(each))
  const watched = new Set(there.flatMap(({ routes }) => routes))
  return { there, gone, missed: gone.filter(({ routes }) => !routes.every((route) => watched.has(route))) }
}
