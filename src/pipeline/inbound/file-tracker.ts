/** Remembers the files of one inbox from scan to scan: how long each is unchanged, and which failed. */
import type { FileInfo } from '../../domain/mailbox.ts'
import { type FailureCode, hasCode } from '../../support/errors.ts'

// How long each file has been unchanged, by our own clock.

export type FileTracker = ReturnType<typeof createFileTracker>

/** When a look at a folder began and ended, milliseconds that only grow. */
export interface ScanTimes {
  readonly began: number
  readonly ended: number
}

interface TrackedFile {
  readonly size: number
  readonly modifiedAt: number
  /** The end of the first look that showed it so: whatever was done to it before that does not count. */
  readonly since: number
  readonly firstSeen: number
  readonly hasChanged: boolean
  told: string
  confirmedAt: number | undefined
}

/** The files of the last scan. A file's own date is only compared with itself: it cannot be trusted to be a time. */
export function createFileTracker(emptyMs = 0) {
  let known = new Map<string, TrackedFile>()
  let lastLook: ScanTimes = { began: 0, ended: 0 }
  return {
    /** How long an empty file must stay so: many programs create their file long before they write its first rows. */
    emptyMs,
    /** Notes what a look showed that began and ended at these times. Gives the names that are new or changed. */
    update(listed: readonly FileInfo[], look: ScanTimes): readonly string[] {
      // A look that began before the last one ended says nothing newer.
      if (look.ended < lastLook.ended) return []
      lastLook = look
      const news: string[] = []
      const next = new Map<string, TrackedFile>()
      for (const { name, size, modifiedAt } of listed) {
        const before = known.get(name)
        if (before?.size === size && before.modifiedAt === modifiedAt) {
          next.set(name, before)
          continue
        }
        news.push(name)
        const since = look.ended
        const { firstSeen = since } = before ?? {}
        const hasChanged = before !== undefined
        next.set(name, { size, modifiedAt, since, firstSeen, hasChanged, told: '', confirmedAt: undefined })
      }
      known = next
      return news
    },
    /** What is known of a file of the last look, and how long for certain. */
    get(name: string) {
      const entry = known.get(name)
      if (entry === undefined) return undefined
      const since = (time: number) => Math.max(0, lastLook.began - time)
      const { confirmedAt, hasChanged } = entry
      /** Only of one that was to be taken, and still stands there as it was. */
      const taken: { takenMsAgo?: number } =
        confirmedAt === undefined ? {} : { takenMsAgo: since(confirmedAt) }
      return { unchangedMs: since(entry.since), thereMs: since(entry.firstSeen), hasChanged, ...taken }
    },
    /** Notes that it is being taken. Should it go on standing there as it is, that did not succeed. */
    noteClaim(name: string): void {
      const entry = known.get(name)
      if (entry !== undefined) entry.confirmedAt = lastLook.ended
    },
    /** True the first time that this is to be told of the file. */
    isFirstReport(name: string, words: string): boolean {
      const entry = known.get(name)
      if (entry === undefined || entry.told === words) return false
      entry.told = words
      return true
    },
  }
}

// Files that failed for reasons of their own. The next passes skip them until the backoff is cleared.

/** Whatever file is next, it will fare no better. A mailbox that is away is found out by the look at it. */
const ROUTE_FATAL: FailureCode[] = [
  'api-unreachable',
  'api-answer-unusable',
  'credentials-unusable',
  'host-key-unknown',
  'host-key-changed',
]

export type FileBackoff = ReturnType<typeof createFileBackoff>

/** The memory of one inbox, from one pass of a watch to the next. It holds no more than is unfinished. */
export function createFileBackoff() {
  const failures = new Map<string, unknown>()
  const names = new Set<string>()
  return {
    /** The failure of a file that is not to be tried now. */
    getFailure: (fileId: string) => failures.get(fileId),
    /** Notes only failures of this file alone. `name`: of a file that is still in the inbox, as it could not be taken. */
    noteFailure(fileId: string, failure: unknown, name?: string): void {
      if (hasCode(failure, ...ROUTE_FATAL)) return
      failures.set(fileId, failure)
      if (name !== undefined) names.add(name)
    },
    isBackedOff: (name: string) => names.has(name),
    /** Whether this is what befell a single file. */
    isFileFailure: (failure: unknown) => [...failures.values()].includes(failure),
    /** From now on all of them are tried again. */
    clear(): void {
      failures.clear()
      names.clear()
    },
  }
}
