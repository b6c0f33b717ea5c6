/** Deadlines: of orders, as the bridge last saw them, and of files that are expected by a time of day. */
import { DateTime } from 'luxon'
import { findLastDue } from '../../alerts/schedules.ts'
import type { ExpectedFile } from '../../config/alerts.ts'
import { listScannedInboxes } from '../../config/routes.ts'
import type { Alert } from '../../domain/alert.ts'
import type { RefusedCounts } from '../../domain/decision.ts'
import type { FileEntry } from '../../domain/file.ts'
import type { StateCounts } from '../../domain/record.ts'
import type { TracedResource } from '../../domain/trace.ts'
import { type Deadline, findOrderDeadlines } from '../../pipeline/references/deadlines.ts'
import { formatScalar } from '../../operations/order-lines.ts'
import { findNextRunAfter } from '../../schedule/schedule.ts'
import { HOUR_MS } from '../../support/clock.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { ConsoleContext } from './context.ts'
import { readRefused, TROUBLED } from './lists.ts'

/** How near a deadline is; each counts in the first that it belongs to. `today` and `tomorrow` are days of the zone. */
export const NEARNESS = ['late', '1 h', '4 h', 'today', 'tomorrow'] as const

export type Nearness = (typeof NEARNESS)[number]

/** What a clock is about: `acknowledge_by` and `fulfill_by` of the API. */
export const CLOCK_KINDS = ['acknowledge', 'ship'] as const

export type ClockKind = Deadline['what']

export interface ClockBoard {
  readonly counts: Readonly<Record<ClockKind, Readonly<Record<Nearness, number>>>>
  /** The next one that is not late yet. */
  readonly next?: Deadline
  /** Since when the API showed all of these orders: the oldest of the times at which it showed each last. */
  readonly seenAt?: number
}

/** Undefined for what is due after tomorrow. */
export function classifyDeadline(by: number, now: number, zone: string): Nearness | undefined {
  if (by < now) return 'late'
  if (by < now + HOUR_MS) return '1 h'
  if (by < now + 4 * HOUR_MS) return '4 h'
  const today = DateTime.fromMillis(now, { zone }).startOf('day')
  if (by < today.plus({ days: 1 }).toMillis()) return 'today'
  return by < today.plus({ days: 2 }).toMillis() ? 'tomorrow' : undefined
}

/** Undefined until the orders were read, and where no order has a deadline. */
export function countClocks(
  deadlines: readonly Deadline[] | undefined,
  now: number,
  zone: string,
): ClockBoard | undefined {
  if (deadlines === undefined || deadlines.length === 0) return undefined
  const counts = { acknowledge: createCounts(), ship: createCounts() }
  for (const { what, by } of deadlines) {
    const nearness = classifyDeadline(by, now, zone)
    if (nearness !== undefined) counts[what][nearness]++
  }
  const next = deadlines.find(({ by }) => by >= now)
  const seenAt = deadlines.reduce((oldest, each) => Math.min(oldest, each.seenAt), Infinity)
  return { counts, seenAt, ...(next && { next }) }
}

function createCounts(): Record<Nearness, number> {
  return { late: 0, '1 h': 0, '4 h': 0, today: 0, tomorrow: 0 }
}

/** What one order needs by when. */
export interface OrderClock {
  readonly account: string
  readonly id: string
  /** As the API calls it: `open`, `partial`, `closed` … */
  readonly status: string
  readonly isAcknowledged: boolean
  /** What is still to do, and by when; empty where nothing is. */
  readonly deadlines: readonly Deadline[]
  readonly seenAt: number
}

/** Of the orders among the resources of a key. */
export async function readOrderClocks(
  { journal }: Pick<ConsoleContext, 'journal'>,
  resources: readonly TracedResource[],
): Promise<OrderClock[]> {
  const clocks: OrderClock[] = []
  for (const { account, kind, id, facts: order, seenAt } of resources) {
    if (kind !== 'order' || order === undefined) continue
    const deadlines = await findOrderDeadlines(journal, { account, order, seenAt })
    const isAcknowledged =
      order['is_acknowledged'] === true || (await journal.hasAcknowledged({ account, id, since: seenAt }))
    clocks.push({ account, id, status: formatScalar(order['status']), isAcknowledged, deadlines, seenAt })
  }
  return clocks
}

/** Late orders, and those that soon are, as one card of Today. */
export interface LateOrders {
  /** How many orders; each has one deadline or two. */
  readonly total: number
  /** The most urgent ones. */
  readonly orders: readonly LateOrder[]
  /** How many of the shown and not shown deadlines are over. */
  readonly late: number
}

export type LateOrder = Pick<Deadline, 'id' | 'purchaseOrder' | 'what' | 'by' | 'isAcknowledged'> & {
  readonly units?: number
}

const LATE_SHOWN = 5

/** The alerts about single orders, put together; undefined where there are none. */
export function joinLateOrders(
  alerts: readonly Alert[],
  now: number,
): { readonly alert: Alert; readonly late: LateOrders } | undefined {
  const own = alerts.filter(({ code }) => code === 'order-late')
  const bySubject = new Map(own.map((alert) => [alert.subject, parseLateAlert(alert)]))
  const found = [...bySubject.values()].filter((each) => each !== undefined)
  const orders = found.toSorted((one, other) => one.by - other.by)
  const [first] = orders
  if (first === undefined) return undefined
  const more = own.reduce((sum, { message }) => sum + Number(/: (\d+) more like /.exec(message)?.[1] ?? 0), 0)
  const total = new Set(orders.map(({ id, purchaseOrder }) => `${id} ${purchaseOrder}`)).size + more
  const late = orders.filter(({ by }) => by < now).length
  const alert = {
    code: 'order-late' as const,
    subject: 'orders',
    since: first.by,
    message: describeLate(total, { late, of: orders.length + more }),
    fix: describeLateFix(orders, total),
  }
  return { alert, late: { total, orders: orders.slice(0, LATE_SHOWN), late } }
}

function describeLate(total: number, { late, of }: { readonly late: number; readonly of: number }): string {
  const are = total === 1 ? '1 order is' : `${total} orders are`
  if (late === 0) return `${are} due soon.`
  return late === of ? `${are} late.` : `${are} late or due soon.`
}

function describeLateFix(orders: readonly LateOrder[], total: number): string {
  const it = total === 1 ? 'it' : 'them'
  const acknowledged = orders.filter(({ isAcknowledged }) => isAcknowledged).length
  if (acknowledged === orders.length) return `Ship ${it}.`
  return acknowledged === 0 ? `Acknowledge ${it} or ship ${it}.` : 'Acknowledge or ship them, as each says.'
}

/** Undefined for the alert that stands for all beyond the listed ones. */
function parseLateAlert({ subject, message, fix }: Alert): LateOrder | undefined {
  const [, purchaseOrder, id = '', what] = /^(.*) \(([^()]*)\), (acknowledge|ship)$/.exec(subject) ?? []
  const by = Date.parse(/ by (\S+Z)/.exec(message)?.[1] ?? '')
  if (purchaseOrder === undefined || what === undefined || Number.isNaN(by)) return undefined
  const units = /; (\d+) units? /.exec(message)?.[1]
  const isAcknowledged = fix.startsWith('Ship it.')
  return {
    id,
    purchaseOrder,
    what: what as Deadline['what'],
    by,
    isAcknowledged,
    ...(units !== undefined && { units: Number(units) }),
  }
}

export interface ClocksPage {
  /** At most a page of them, the next ones first. */
  readonly deadlines: readonly (Deadline & { readonly nearness: Nearness })[]
  readonly total: number
  /** Undefined: the orders were not read yet. */
  readonly board?: ClockBoard
  /** How many come before the next page; undefined on the last one. */
  readonly next?: number
}

export interface ClockFilter {
  readonly what?: string
  readonly when?: string
  /** How many to leave out. */
  readonly after?: number
}

const PAGE = 200

/** The deadlines that match, from what was found in the background. */
export async function readClocks(
  { lookout, clock, configuration: { zone = 'UTC' } }: ConsoleContext,
  { what, when, after = 0 }: ClockFilter,
): Promise<ClocksPage> {
  const { deadlines } = (await lookout?.read()) ?? {}
  const now = clock.now()
  const matching = (deadlines ?? []).flatMap((deadline) => {
    const nearness = classifyDeadline(deadline.by, now, zone)
    const isWanted = (what ?? deadline.what) === deadline.what && (when ?? nearness) === nearness
    return nearness !== undefined && isWanted ? [{ ...deadline, nearness }] : []
  })
  const board = countClocks(deadlines, now, zone)
  const end = after + PAGE
  return {
    deadlines: matching.slice(after, end),
    total: matching.length,
    ...(board && { board }),
    ...(end < matching.length && { next: end }),
  }
}

// Files that are expected by a time of day.

/** A file that should come by a time of day. */
export interface ExpectedFileState {
  readonly route: string
  /** `07:00`, in the zone. */
  readonly by: string
  readonly zone: string
  /** The latest file of the route. */
  readonly last?: { readonly id: string; readonly name: string; readonly at: number }
  /** The first file of the latest day; left out while none came. */
  readonly came?: Arrival
  /** Since when the file of the latest day is missing: an alert says so, or it was due earlier today. */
  readonly missingSince?: number
  /** When the next one is due. */
  readonly nextAt: number
}

/** An expected file that came: when, when it was due, and whether all of it is there. */
export interface Arrival {
  readonly at: number
  readonly dueAt: number
  readonly file: { readonly id: string; readonly name: string; readonly route: string }
  /**
   * `whole`: nothing of it is refused or waits; a last row that was cut off is often refused. `mended`: what was refused is
   * sent again or given up since.
   */
  readonly contents: 'being-read' | 'perhaps-cut' | 'unusable' | 'in-part' | 'mended' | 'whole'
  readonly records: StateCounts
  /** What became of its refused records; left out where none was refused. */
  readonly refused?: RefusedCounts
}

/** So many of the latest files of a route are searched for the first one of the day. */
const LATEST_FILES_MAX = 100

function isSameDay(one: number, other: number, zone: string): boolean {
  return DateTime.fromMillis(one, { zone }).hasSame(DateTime.fromMillis(other, { zone }), 'day')
}

/** A missing file is what the alert says, which also knows the files that lie in the inbox and are not taken yet. */
export async function listExpectedFiles(
  { journal, configuration, clock }: ConsoleContext,
  alerts: readonly Alert[],
): Promise<ExpectedFileState[]> {
  const found: ExpectedFileState[] = []
  const begunAt = (await journal.getBeginning()).at
  for (const { key, from } of listScannedInboxes(configuration)) {
    if (from.expectFile === undefined) continue
    const { by, zone } = from.expectFile
    const missing = alerts.find(({ code, route }) => code === 'expected-file-missing' && route === key)
    const now = clock.now()
    const due = findLastDue(from.expectFile, now)
    const latest = await journal.listRecentFiles(LATEST_FILES_MAX, key)
    const [last] = latest
    const files = latest.filter(({ outcome, retakeOf }) => outcome !== 'vanished' && retakeOf === undefined)
    const findFirst = (since: number) => files.findLast((file) => whenCame(file) >= since)
    const nextAt = findNextDue(from.expectFile, now)
    // It came before its time, on its day.
    const early = findFirst(DateTime.fromMillis(nextAt, { zone }).startOf('day').toMillis())
    const first = early ?? findFirst(due.from)
    const dueAt = early === undefined ? due.dueAt : nextAt
    // What was due before the journal began is no alert, but a person who looks today wants to know.
    const isEarlierToday = due.dueAt < begunAt && isSameDay(due.dueAt, now, zone) && due.dueAt <= now
    const missed = missing?.since ?? (isEarlierToday ? due.dueAt : undefined)
    const missingSince = first === undefined ? missed : undefined
    found.push({
      route: key,
      by,
      zone,
      ...(last && { last: { id: last.id, name: last.name, at: whenCame(last) } }),
      ...(first !== undefined && { came: await describeArrival(journal, first, dueAt) }),
      ...(missingSince !== undefined && { missingSince }),
      nextAt: early === undefined ? nextAt : findNextDue(from.expectFile, nextAt),
    })
  }
  return found
}

function whenCame({ receivedAt, claimedAt }: Pick<FileEntry, 'receivedAt' | 'claimedAt'>): number {
  return receivedAt ?? claimedAt
}

function findNextDue({ by, zone, days }: ExpectedFile, now: number): number {
  return findNextRunAfter({ kind: 'daily', after: by, zone, days, catchUpDays: 0 }, { begun: [] }, now)
}

async function describeArrival(
  journal: ConsoleContext['journal'],
  file: FileEntry,
  dueAt: number,
): Promise<Arrival> {
  const { id, name, route } = file
  const records = await journal.countRecords({ file: id })
  const refused = await readRefused(journal, { id, records })
  const contents = await judgeContents(journal, file, { records, refused })
  return omitUndefined({ at: whenCame(file), dueAt, file: { id, name, route }, contents, records, refused })
}

async function judgeContents(
  journal: ConsoleContext['journal'],
  { id, outcome }: FileEntry,
  { records, refused }: { readonly records: StateCounts; readonly refused: RefusedCounts | undefined },
): Promise<Arrival['contents']> {
  if (outcome === undefined) return 'being-read'
  const held = await journal.listHeldFiles(HELD_MAX, id)
  if (held.some(({ code }) => code === 'file-perhaps-cut')) return 'perhaps-cut'
  if (outcome === 'unusable') return 'unusable'
  const troubled = TROUBLED.filter((state) => (records[state] ?? 0) > 0)
  if (troubled.length === 0) return 'whole'
  const { open = 0, underWay = 0 } = refused ?? {}
  return open + underWay === 0 && troubled.every((state) => state === 'rejected') ? 'mended' : 'in-part'
}

const HELD_MAX = 20
