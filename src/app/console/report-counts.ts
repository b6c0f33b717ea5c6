/** Counts the records of files and deliveries for reports, and keeps the counts until the records change. */
import type { ActivityCounts, ReportedWork, TimeRange, WorkSegment } from '../../domain/activity.ts'
import type { Journal } from '../../domain/journal.ts'
import type { RecordState } from '../../domain/record.ts'
import { yieldToEventLoop } from '../../journal/store.ts'
import { createSemaphore } from '../../support/async.ts'
import { DAY_MS } from '../../support/clock.ts'
import { IN_FILE } from '../activity.ts'

const WORKS_ON_A_PAGE = 500

/** So many records are counted at once, which takes some ten milliseconds. */
const RECORDS_AT_ONCE = 4_000

/** Reading whether records have changed is some ten times as fast. */
const MARKED_AT_ONCE = 10 * RECORDS_AT_ONCE

/** So many rows of counts are kept, some twenty megabytes: of each file three or more. */
const ROWS_MAX = 100_000

/** Counted in advance: a month and the month before. */
const AHEAD_DAYS = 62

/** While counting in advance: between two parts, so that pages go first. */
const REST_MS = 20

interface DirectedWorks {
  readonly direction: ReportedWork['direction']
  readonly works: readonly ReportedWork[]
}

interface Kept {
  readonly mark: string
  /** The version of the journal at which it was read last. */
  readonly version: string | undefined
  readonly counts: ActivityCounts
  readonly rows: number
}

interface Counting {
  /** Without answers and reasons, which are counted all the same. */
  readonly isShort: boolean
  /** Awaited after each part. */
  readonly pause?: () => Promise<unknown>
}

/** Some works of a range, and what their records have come to, part by part. */
export interface RangeCounts {
  readonly works: readonly ReportedWork[]
  readonly parts: AsyncIterable<ActivityCounts>
}

export type ReportCounts = ReturnType<typeof createReportCounts>

/** For one journal. `readVersion`: changes with each commit. */
export function createReportCounts(readVersion: () => string | undefined = () => undefined) {
  const kept = new Map<string, Kept>()
  let rows = 0
  const drop = (id: string) => {
    rows -= kept.get(id)?.rows ?? 0
    kept.delete(id)
  }
  /** The latest kept or used is the last to be dropped. */
  const keep = (id: string, entry: Kept) => {
    drop(id)
    kept.set(id, entry)
    rows += entry.rows
    for (const oldest of kept.keys()) {
      if (rows <= ROWS_MAX) return
      drop(oldest)
    }
  }

  async function* countWorks(
    journal: Journal,
    { direction, works }: DirectedWorks,
    { isShort, pause = yieldToEventLoop }: Counting,
  ): AsyncGenerator<ActivityCounts> {
    const states: readonly RecordState[] = direction === 'incoming' ? ['accepted'] : IN_FILE
    const version = readVersion()
    const isFresh = ({ id }: ReportedWork) => version !== undefined && kept.get(id)?.version === version
    const marks = await markWorks(
      journal,
      { direction, works: works.filter((work) => !isFresh(work)) },
      pause,
    )
    const shorten = (counts: ActivityCounts) => (isShort ? { ...counts, answers: [], reasons: [] } : counts)
    const changed: ReportedWork[] = []
    for (const work of works) {
      const entry = kept.get(work.id)
      if (entry !== undefined && (isFresh(work) || entry.mark === marks.get(work.id))) {
        keep(work.id, { ...entry, version })
        yield shorten(entry.counts)
      } else changed.push(work)
    }
    const found = new Map<string, WorkCounts>()
    for (const segments of cutSegments(changed, RECORDS_AT_ONCE)) {
      addByWork(found, await journal.countActivity(direction, segments, { states }))
      await pause()
    }
    for (const [id, counts] of found) {
      const own = marks.get(id)
      // An amount that is not in the journal yet may be later.
      if (own !== undefined && counts.amounts.every(({ unknown }) => unknown === 0))
        keep(id, { mark: own, version, counts, rows: countRows(counts) })
      yield shorten(counts)
    }
  }

  async function* countRange(
    journal: Journal,
    range: TimeRange,
    counting: Counting,
  ): AsyncGenerator<RangeCounts> {
    let after: ReportedWork | undefined
    // Each page is a scan of the files and deliveries, so none is read beyond the last one.
    for (let isLast = false; !isLast;) {
      const page = await journal.listReportedWork(range, after, WORKS_ON_A_PAGE)
      after = page.at(-1)
      isLast = page.length < WORKS_ON_A_PAGE
      for (const direction of ['incoming', 'outgoing'] as const) {
        const works = page.filter((work) => work.direction === direction)
        yield { works, parts: countWorks(journal, { direction, works }, counting) }
      }
    }
  }

  const countDay = async (
    journal: Journal,
    to: number,
    { isEnough, pause }: Required<Pick<Counting, 'pause'>> & { readonly isEnough: () => boolean },
  ) => {
    for await (const { parts } of countRange(journal, { from: to - DAY_MS, to }, { isShort: true, pause }))
      for await (const _ of parts) if (isEnough()) return
  }

  return {
    /** One report is counted at a time, so that other pages wait for a part of one, however many are asked for. */
    turns: createSemaphore(1),
    /** Counts page by page, and lets other work go first after each part; works without records are there too. */
    countRange,
    /** Counts the latest months, so that their reports are there at once. Ends when `isEnded`, and when enough is kept. */
    async countAhead(journal: Journal, now: number, isEnded: () => boolean): Promise<void> {
      const pause = () => new Promise((resolve) => setTimeout(resolve, REST_MS).unref())
      const isEnough = () => isEnded() || rows > ROWS_MAX / 2
      for (let to = now; to > now - AHEAD_DAYS * DAY_MS && !isEnough(); to -= DAY_MS) {
        await countDay(journal, to, { isEnough, pause })
        // Of a day without work, too, all files were read.
        await pause()
      }
    },
  }
}

/** Read before the counts: what changes between the two has another mark the next time. */
async function markWorks(
  journal: Journal,
  { direction, works }: DirectedWorks,
  pause: () => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const sums = new Map<string, readonly number[]>()
  for (const segments of cutSegments(works, MARKED_AT_ONCE)) {
    for (const { work, sums: own } of await journal.markRecords(direction, segments)) {
      const before = sums.get(work)
      sums.set(work, before === undefined ? own : own.map((sum, place) => sum + (before[place] ?? 0)))
    }
    await pause()
  }
  return new Map([...sums].map(([id, own]) => [id, own.join(' ')]))
}

type WorkCounts = { -readonly [K in keyof ActivityCounts]: ActivityCounts[K][number][] }

function addByWork(found: Map<string, WorkCounts>, counts: ActivityCounts): void {
  const find = (id: string) => {
    const own = found.get(id) ?? { records: [], amounts: [], answers: [], reasons: [] }
    found.set(id, own)
    return own
  }
  for (const row of counts.records) find(row.work).records.push(row)
  for (const row of counts.amounts) find(row.work).amounts.push(row)
  for (const row of counts.answers) find(row.work).answers.push(row)
  for (const row of counts.reasons) find(row.work).reasons.push(row)
}

function countRows({ records, amounts, answers, reasons }: ActivityCounts): number {
  return records.length + amounts.length + answers.length + reasons.length
}

function* cutSegments(works: readonly ReportedWork[], atOnce: number): Generator<readonly WorkSegment[]> {
  let segments: WorkSegment[] = []
  let room = atOnce
  for (const { id, lastNumber } of works) {
    for (let first = 1; first <= lastNumber;) {
      const last = Math.min(lastNumber, first + room - 1)
      segments.push({ id, first, last })
      room -= last - first + 1
      first = last + 1
      if (room > 0) continue
      yield segments
      segments = []
      room = atOnce
    }
  }
  if (segments.length > 0) yield segments
}
