/** Remembers the files of one inbox from scan to scan: how long each is unchanged and still needs, and which failed. */
import type { FileInfo } from '../../domain/mailbox.ts'
import { type FailureCode, hasCode } from '../../support/errors.ts'

export type FileTracker = ReturnType<typeof createFileTracker>

/** When a scan of a folder began and ended, in milliseconds of a clock that only grows. */
export interface ScanTimes {
  readonly began: number
  readonly ended: number
}

interface TrackedFile {
  readonly size: number
  readonly modifiedAt: number
  /** The end of the first scan that showed the file like this; time before that does not count. */
  readonly since: number
  readonly firstSeen: number
  readonly hasChanged: boolean
  reason: string
  confirmedAt: number | undefined
  /** Whether its last line has no line end; undefined until `noteEnd`. */
  isOpen: boolean | undefined
}

const UNKNOWN = { confirmedAt: undefined, isOpen: undefined }

/** Timers sometimes fire a part of a millisecond early. */
const TIMER_SLACK_MS = 1

/** The files of the last scan. A file's own date is only compared with itself: it may not be a correct time. */
export function createFileTracker(emptyMs = 0) {
  let known = new Map<string, TrackedFile>()
  let lastScan: ScanTimes = { began: 0, ended: 0 }
  /** The state of a file in the last scan, and for how long it is certain. */
  const get = (name: string) => {
    const entry = known.get(name)
    if (entry === undefined) return undefined
    const since = (time: number) => Math.max(0, lastScan.began - time)
    const { confirmedAt, hasChanged, isOpen } = entry
    // Only a file that was claimed and is still in the inbox, unchanged, has this time.
    const takenMsAgo = confirmedAt === undefined ? undefined : since(confirmedAt)
    return {
      unchangedMs: since(entry.since),
      thereMs: since(entry.firstSeen),
      hasChanged,
      takenMsAgo,
      isOpen,
    }
  }
  return {
    /** How long an empty file must stay empty: many programs create a file long before they write its first rows. */
    emptyMs,
    /** Notes the files of a scan with these times. Returns the names that are new or changed. */
    update(listed: readonly FileInfo[], scan: ScanTimes): readonly string[] {
      // A scan that ended before the last one shows nothing newer.
      if (scan.ended < lastScan.ended) return []
      lastScan = scan
      const changed: string[] = []
      const next = new Map<string, TrackedFile>()
      for (const { name, size, modifiedAt } of listed) {
        const before = known.get(name)
        if (before?.size === size && before.modifiedAt === modifiedAt) {
          next.set(name, before)
          continue
        }
        changed.push(name)
        const since = scan.ended
        const { firstSeen = since } = before ?? {}
        const hasChanged = before !== undefined
        next.set(name, { size, modifiedAt, since, firstSeen, hasChanged, reason: '', ...UNKNOWN })
      }
      known = next
      return changed
    },
    get,
    /** How much longer the file must stay unchanged to be stable for `neededMs`; 0 or less once it is. */
    getMsUntilStable: (name: string, neededMs: number): number =>
      neededMs - (get(name)?.unchangedMs ?? 0) - TIMER_SLACK_MS,
    /** Notes that the file is being claimed. If it stays in the inbox unchanged, the claim did not succeed. */
    noteClaim(name: string): void {
      const entry = known.get(name)
      if (entry !== undefined) entry.confirmedAt = lastScan.ended
    },
    /** Notes whether the last line of the file has no line end. Valid until the file changes. */
    noteEnd(name: string, isOpen: boolean): void {
      const entry = known.get(name)
      if (entry !== undefined) entry.isOpen = isOpen
    },
    /** True the first time that this reason is reported for the file. */
    isFirstReport(name: string, why: string): boolean {
      const entry = known.get(name)
      if (entry === undefined || entry.reason === why) return false
      entry.reason = why
      return true
    },
  }
}

// Files that failed for reasons of their own. The next passes skip them until the backoff is cleared.

/** Failures that every file would meet, so they are not noted for one. The scan itself finds a mailbox that is away. */
const ROUTE_FATAL: FailureCode[] = [
  'api-unreachable',
  'api-answer-unusable',
  'credentials-unusable',
  'host-key-unknown',
  'host-key-changed',
]

export type FileBackoff = ReturnType<typeof createFileBackoff>

/** The backoff of one inbox, from one pass of a watch to the next. It holds only unfinished files. */
export function createFileBackoff() {
  const failures = new Map<string, unknown>()
  const names = new Set<string>()
  return {
    /** The failure of a file that must not be tried now. */
    getFailure: (id: string) => failures.get(id),
    /** Notes only failures of this file alone. `name` is given for a file that could not be claimed and is still in the inbox. */
    noteFailure(fileId: string, failure: unknown, name?: string): void {
      if (hasCode(failure, ...ROUTE_FATAL)) return
      failures.set(fileId, failure)
      if (name !== undefined) names.add(name)
    },
    /** Notes a failure at a place that only this file, or this redelivery, waits for: whatever it is, others go on. */
    noteFailureElsewhere: (id: string, failure: unknown): void => void failures.set(id, failure),
    isBackedOff: (name: string) => names.has(name),
    isFileFailure: (failure: unknown) => [...failures.values()].includes(failure),
    /** Has the next pass try all files again. */
    clear(): void {
      failures.clear()
      names.clear()
    },
  }
}
