/** What was seen of an inbox so far: how long each file has been as it is, by our own clock. */
import type { Sighting } from '../../domain/mailbox.ts'

/**
 * The memory of one inbox, from one look to the next. It holds no more than the last look showed. What a file's own date
 * says is only ever compared with itself: it cannot be trusted to be a time.
 */
export interface Sightings {
  /**
   * How long an empty file must have been as it is. Many programs make their file first and write its first rows much
   * later; whoever goes on looking has the time to wait for them.
   */
  readonly emptyMs: number
  /** Notes what a look showed that began and ended at these times. Gives the names that are new or changed. */
  note(listed: readonly Sighting[], look: Look): readonly string[]
  /** What is known of a file of the last look. */
  of(name: string): Seen | undefined
  /** Notes that it is being taken. Should it go on standing there as it is, that did not succeed. */
  taking(name: string): void
  /** True the first time that this is to be told of the file. */
  isNews(name: string, words: string): boolean
}

/** When a look at a folder began and ended, milliseconds that only grow. */
export interface Look {
  readonly began: number
  readonly ended: number
}

export interface Seen {
  /** How long it has been unchanged for certain. */
  readonly unchangedMs: number
  /** How long it has been there, in whatever state. */
  readonly thereMs: number
  /** It was seen in another state before. */
  readonly hasChanged: boolean
  /** How long ago it was to be taken, where it still stands there as it was. */
  readonly takenMsAgo?: number
}

interface Entry {
  readonly size: number
  readonly modifiedAt: number
  /** The end of the first look that showed it so: whatever was done to it before that does not count. */
  readonly since: number
  readonly firstSeen: number
  readonly hasChanged: boolean
  told: string
  takenAt: number | undefined
}

export function createSightings(emptyMs = 0): Sightings {
  let known = new Map<string, Entry>()
  let lastLook: Look = { began: 0, ended: 0 }
  return {
    emptyMs,
    note(listed, look) {
      // A look that began before the last one ended says nothing newer.
      if (look.ended < lastLook.ended) return []
      lastLook = look
      const news: string[] = []
      const next = new Map<string, Entry>()
      for (const { name, size, modifiedAt } of listed) {
        const before = known.get(name)
        if (before?.size === size && before.modifiedAt === modifiedAt) {
          next.set(name, before)
          continue
        }
        news.push(name)
        const since = look.ended
        const first =
          before === undefined
            ? { firstSeen: since, hasChanged: false }
            : { firstSeen: before.firstSeen, hasChanged: true }
        next.set(name, { size, modifiedAt, since, told: '', takenAt: undefined, ...first })
      }
      known = next
      return news
    },
    of(name) {
      const entry = known.get(name)
      if (entry === undefined) return undefined
      const { began } = lastLook
      return {
        unchangedMs: Math.max(0, began - entry.since),
        thereMs: Math.max(0, began - entry.firstSeen),
        hasChanged: entry.hasChanged,
        ...(entry.takenAt === undefined ? {} : { takenMsAgo: Math.max(0, began - entry.takenAt) }),
      }
    },
    taking(name) {
      const entry = known.get(name)
      if (entry !== undefined) entry.takenAt = lastLook.ended
    },
    isNews(name, words) {
      const entry = known.get(name)
      if (entry === undefined || entry.told === words) return false
      entry.told = words
      return true
    },
  }
}
