/** What came and went in a day, a week or a month, route by route, beside the time before; and the same as CSV. */
import { DateTime } from 'luxon'
import type { ActivityCounts, ReportedWork, TimeRange } from '../../domain/activity.ts'
import { MEASURES, type OperationName } from '../../contract/operations.ts'
import { PROBLEMS } from '../../domain/problem.ts'
import type { RecordState, StateCounts } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import { formatDecimal } from '../../support/decimal.ts'
import { type Mutable, omitUndefined } from '../../support/object-paths.ts'
import { guardFormula } from '../../support/text.ts'
import type { ConsoleContext } from './context.ts'
import { createReportCounts } from './report-counts.ts'

export const SPANS = ['day', 'week', 'month'] as const

export type Span = (typeof SPANS)[number]

/** A route with an operation. */
export interface ReportRow {
  readonly route: string
  readonly direction: 'incoming' | 'outgoing'
  readonly operation: string
  /** `retailer/1000`. */
  readonly party: string
  /** Files that came, or deliveries. */
  readonly files: number
  readonly records: number
  readonly sent: number
  readonly states: StateCounts
  /** Accepted, or of a delivery acknowledged: not in a corrected file. */
  readonly acceptedFirst: number
  /** In a corrected file, or in the rejects of an earlier one. */
  readonly acceptedCorrected: number
  /** How many of those that were refused or held are corrected, dismissed or sent anew since. */
  readonly corrected: number
  /** Of the accepted records, US dollars with two decimals; left out where records of the operation have none. */
  readonly amount?: string
  /** Accepted records without an amount in the journal, such as pruned ones: the sum lacks them. */
  readonly unknown: number
  /** The slowest answer, until it was noted. */
  readonly slowest?: { readonly ms: number; readonly record: number }
  /** Whole seconds from when a file was received until the last answer about a record: of half of them, and of 95 %. */
  readonly answered?: { readonly median: number; readonly p95: number }
}

export interface ReportReason {
  readonly route: string
  readonly code: string
  readonly title: string
  readonly column?: string
  readonly records: number
  /** How many of them are corrected, dismissed or sent anew since. */
  readonly corrected: number
}

export interface Report {
  readonly span: Span
  /** Its first and last day, such as `2026-11-20`. */
  readonly from: string
  readonly to: string
  readonly zone: string
  /** Of a day on which clocks change: 23 or 25. */
  readonly hours?: number
  /** A day of the time before and of the one after. */
  readonly previous: string
  readonly next: string
  /** By route and operation. */
  readonly rows: readonly ReportRow[]
  /** The same of the time before, without how long answers took. */
  readonly before: readonly ReportRow[]
  /** Why records were refused or held, the most frequent first. */
  readonly reasons: readonly ReportReason[]
  /** How many accepted records the amounts lack, and when the last file or delivery with such records came or went. */
  readonly unsummed?: { readonly records: number; readonly until: number }
}

export interface ReportRequest {
  readonly span: Span
  /** A day of it, such as `2026-11-20`; today where it is left out or no day. */
  readonly day?: string
  readonly zone: string
}

/** Reads the journal piece by piece, so that other pages are served meanwhile. */
export async function readReport(
  context: ConsoleContext,
  { span, day, zone }: ReportRequest,
): Promise<Report> {
  const given = DateTime.fromISO(day ?? '', { zone })
  const today = DateTime.fromMillis(context.clock.now(), { zone })
  const from = (given.isValid ? given : today).startOf(span)
  const [before, after] = [from.minus({ [span]: 1 }), from.plus({ [span]: 1 })]
  const own = await sumRange(context, toRange(from, after))
  const earlier = await sumRange(context, toRange(before, from), { isShort: true })
  const hours = Math.round(after.diff(from, 'hours').hours)
  return omitUndefined({
    span,
    from: toDate(from),
    to: toDate(after.minus({ days: 1 })),
    zone,
    hours: span === 'day' && hours !== 24 ? hours : undefined,
    previous: toDate(before),
    next: toDate(after),
    rows: own.rows,
    before: earlier.rows,
    reasons: own.reasons,
    unsummed: own.unsummed,
  })
}

function toRange(from: DateTime, to: DateTime): TimeRange {
  return { from: from.toMillis(), to: to.toMillis() }
}

function toDate(time: DateTime): string {
  return time.toFormat('yyyy-MM-dd')
}

// The sums.

/** A file counts when it was received, a delivery when it was delivered, whatever became of its records later. */
async function sumRange(
  { journal, configuration, reportCounts = createReportCounts() }: ConsoleContext,
  range: TimeRange,
  { isShort = false } = {},
) {
  const sums = createSums(configuration)
  await reportCounts.turns.run(async () => {
    for await (const { works, parts } of reportCounts.countRange(journal, range, { isShort })) {
      const byId = new Map(works.map((work) => [work.id, work]))
      for await (const counts of parts) sums.add(byId, counts)
      sums.addFiles(works)
    }
  })
  return sums.finish()
}

type RowSum = Mutable<Omit<ReportRow, 'amount' | 'files' | 'states' | 'answered'>> & {
  readonly works: Set<string>
  /** How many records have their last answer after so many seconds. */
  readonly waits: Map<number, number>
  readonly states: Partial<Record<RecordState, number>>
  cents?: bigint
}

function createSums({ routes }: ConsoleContext['configuration']) {
  const rows = new Map<string, RowSum>()
  const reasons = new Map<string, Mutable<ReportReason>>()
  const seen = new Set<string>()
  let unsummed: { records: number; until: number } | undefined
  const find = ({ id, route, direction }: ReportedWork, operation: string, party: string): RowSum => {
    const key = JSON.stringify([direction, route, operation, party])
    const { amount, prices } = MEASURES[operation as OperationName] ?? {}
    const hasAmount = amount !== undefined || prices !== undefined
    const row: RowSum = rows.get(key) ?? {
      route,
      direction,
      operation,
      party,
      works: new Set(),
      waits: new Map(),
      records: 0,
      sent: 0,
      states: {},
      acceptedFirst: 0,
      acceptedCorrected: 0,
      corrected: 0,
      unknown: 0,
      ...(hasAmount && { cents: 0n }),
    }
    rows.set(key, row)
    row.works.add(id)
    seen.add(id)
    return row
  }
  return {
    add(byId: ReadonlyMap<string, ReportedWork>, counts: ActivityCounts): void {
      for (const { work: id, operation, account, state, isCorrected, records, sent } of counts.records) {
        const work = byId.get(id)
        if (work === undefined) continue
        const row = find(work, operation, account)
        row.records += records
        row.sent += sent
        row.states[state] = (row.states[state] ?? 0) + records
        if (state === 'accepted') row[work.isCorrection ? 'acceptedCorrected' : 'acceptedFirst'] += records
        if (isCorrected && (state === 'rejected' || state === 'held')) row.corrected += records
      }
      for (const { work: id, operation, account, cents, unknown } of counts.amounts) {
        const work = byId.get(id)
        if (work === undefined) continue
        const row = find(work, operation, account)
        row.cents = (row.cents ?? 0n) + cents
        row.unknown += unknown
        if (unknown === 0) continue
        const { records = 0, until = 0 } = unsummed ?? {}
        unsummed = { records: records + unknown, until: Math.max(until, work.at) }
      }
      for (const { work: id, operation, account, seconds, records, record, ms } of counts.answers) {
        const work = byId.get(id)
        if (work === undefined) continue
        const row = find(work, operation, account)
        const { slowest = { ms: -1, record } } = row
        // Of two that are as slow, the first one: files come in no fixed order.
        if (ms > slowest.ms || (ms === slowest.ms && record < slowest.record)) row.slowest = { ms, record }
        if (seconds !== undefined) row.waits.set(seconds, (row.waits.get(seconds) ?? 0) + records)
      }
      for (const { work: id, code, column, records, corrected } of counts.reasons) {
        const { route = '' } = byId.get(id) ?? {}
        const key = JSON.stringify([route, code, column])
        const { title } = (PROBLEMS[code] as (typeof PROBLEMS)[typeof code] | undefined) ?? { title: code }
        const reason =
          reasons.get(key) ?? omitUndefined({ route, code, title, column, records: 0, corrected: 0 })
        reason.records += records
        reason.corrected += corrected
        reasons.set(key, reason)
      }
    },
    /** Files without records: duplicates, unusable ones, and those of which nothing is planned yet. */
    addFiles(works: readonly ReportedWork[]): void {
      for (const work of works) {
        if (seen.has(work.id)) continue
        const { operation = '', party } = routes.find(({ name }) => name === work.route) ?? {}
        find(work, operation, party === undefined ? '' : formatAccount(party))
      }
    },
    finish() {
      const inOrder = (one: RowSum, other: RowSum) => keyOf(one).localeCompare(keyOf(other), 'en')
      return {
        rows: [...rows.values()].toSorted(inOrder).map(toRow),
        reasons: [...reasons].toSorted(byRecordsThenKey).map(([, reason]) => reason),
        ...(unsummed && { unsummed }),
      }
    },
  }
}

/** Files come in no fixed order, so equal counts are sorted too. */
function byRecordsThenKey(
  [key, { records }]: readonly [string, ReportReason],
  [otherKey, other]: readonly [string, ReportReason],
): number {
  return other.records - records || key.localeCompare(otherKey, 'en')
}

function keyOf({ direction, route, operation, party }: RowSum): string {
  return JSON.stringify([direction, route, operation, party])
}

/** The shortest time within which this share of the records has its answer. */
function findQuantile(waits: ReadonlyMap<number, number>, share: number): number {
  const all = [...waits.values()].reduce((sum, count) => sum + count, 0)
  let seen = 0
  for (const [seconds, count] of [...waits].toSorted(([one], [other]) => one - other)) {
    seen += count
    if (seen >= share * all) return seconds
  }
  return 0
}

function toRow({ works, waits, cents, ...row }: RowSum): ReportRow {
  const answered =
    waits.size === 0 ? undefined : { median: findQuantile(waits, 0.5), p95: findQuantile(waits, 0.95) }
  const amount = cents === undefined ? undefined : formatDecimal({ units: cents, scale: 2 })
  return omitUndefined({ ...row, files: works.size, amount, answered })
}

/** The sums of rows by operation, in the order of the rows; operations without amounts are left out. */
export function sumAmounts(rows: readonly ReportRow[]): ReadonlyMap<string, string> {
  const sums = new Map<string, bigint>()
  for (const { operation, amount } of rows)
    if (amount !== undefined)
      sums.set(operation, (sums.get(operation) ?? 0n) + BigInt(amount.replace('.', '')))
  return new Map([...sums].map(([operation, units]) => [operation, formatDecimal({ units, scale: 2 })]))
}

/**
 * All rows of one direction as one; undefined for none. How long answers took has no sum, and amounts of several operations
 * have none: an order and its invoice are the same goods.
 */
export function totalRows(rows: readonly ReportRow[]): ReportRow | undefined {
  const [first] = rows
  if (first === undefined) return undefined
  const add = (read: (row: ReportRow) => number) => rows.reduce((sum, row) => sum + read(row), 0)
  const states: Partial<Record<RecordState, number>> = {}
  for (const row of rows)
    for (const [state, count] of Object.entries(row.states) as [RecordState, number][])
      states[state] = (states[state] ?? 0) + count
  const [amount, ...others] = sumAmounts(rows).values()
  return {
    route: 'Total',
    direction: first.direction,
    operation: '',
    party: '',
    files: add(({ files }) => files),
    records: add(({ records }) => records),
    sent: add(({ sent }) => sent),
    states,
    acceptedFirst: add(({ acceptedFirst }) => acceptedFirst),
    acceptedCorrected: add(({ acceptedCorrected }) => acceptedCorrected),
    corrected: add(({ corrected }) => corrected),
    unknown: add(({ unknown }) => unknown),
    ...(amount !== undefined && others.length === 0 && { amount }),
  }
}

/** States in which nothing more is to come, beside those with a column of their own. */
const COUNTED: readonly RecordState[] = ['accepted', 'rejected', 'held', 'duplicate', 'skipped', 'exported']

/** How many records are under way: planned, being sent, or waiting. */
export function countUnderWay({ states }: ReportRow): number {
  const open = Object.entries(states).filter(([state]) => !COUNTED.includes(state as RecordState))
  return open.reduce((sum, [, count]) => sum + count, 0)
}

// The same for programs that calculate.

const CSV_COLUMNS: readonly (readonly [string, (row: ReportRow) => string | number | undefined])[] = [
  ['route', ({ route }) => route],
  ['direction', ({ direction }) => direction],
  ['operation', ({ operation }) => operation],
  ['party', ({ party }) => party],
  ['files', ({ files }) => files],
  ['records', ({ records }) => records],
  ['sent', ({ sent }) => sent],
  ['accepted_first', ({ acceptedFirst }) => acceptedFirst],
  ['accepted_corrected', ({ acceptedCorrected }) => acceptedCorrected],
  ['refused', ({ states }) => states.rejected ?? 0],
  ['corrected_or_given_up', ({ corrected }) => corrected],
  ['held', ({ states }) => states.held ?? 0],
  ['duplicates', ({ states }) => states.duplicate ?? 0],
  ['skipped', ({ states }) => states.skipped ?? 0],
  ['exported', ({ states }) => states.exported ?? 0],
  ['under_way', countUnderWay],
  ['amount_usd', ({ amount }) => amount],
  ['amount_unknown', ({ unknown }) => unknown],
  ['slowest_ms', ({ slowest }) => slowest?.ms],
  ['answered_median_s', ({ answered }) => answered?.median],
  ['answered_p95_s', ({ answered }) => answered?.p95],
]

/** By RFC 4180. */
export function formatReport({ from, to, rows }: Report): string {
  const head = ['from', 'to', ...CSV_COLUMNS.map(([name]) => name)]
  const lines = rows.map((row) => [from, to, ...CSV_COLUMNS.map(([, read]) => read(row))])
  return [head, ...lines].map((cells) => `${cells.map(formatCell).join(',')}\r\n`).join('')
}

function formatCell(value: string | number | undefined): string {
  const safe = typeof value === 'string' ? guardFormula(value) : String(value ?? '')
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
