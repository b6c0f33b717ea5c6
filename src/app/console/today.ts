/** Today: what needs a person, which files are expected, what is done and what waits; and whether anything works. */
import { createHash } from 'node:crypto'
import { listWorkNames } from '../../config/configuration.ts'
import { type Alert, type AlertCode, ALERTS } from '../../domain/alert.ts'
import type { HeldFile, RejectedFile } from '../../domain/decision.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import { formatLeaseOwner } from '../../domain/lease.ts'
import type { FileEntry } from '../../domain/file.ts'
import { type ProblemCode, PROBLEMS } from '../../domain/problem.ts'
import type { RecordState, StateCounts, WaitingFile } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import type { LatestFile, ScheduledRoute, Unfinished, UnmatchedFile } from '../../domain/snapshot.ts'
import { classifyWatches, isOwnerAlive } from '../../journal/heartbeat.ts'
import { listScheduledRoutes } from '../../schedule/schedule.ts'
import { listUnseenParties } from '../late.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import {
  type ClockBoard,
  countClocks,
  type ExpectedFileState,
  joinLateOrders,
  type LateOrders,
  listExpectedFiles,
} from './clocks.ts'
import type { ConsoleContext } from './context.ts'
import { listWaiting, type ShownWaiting } from './correct.ts'
import { findCorrectableRoute, findObstacle } from './correct-source.ts'
import { countDecidable, type DecidableCounts } from './deciding.ts'
import { type AnsweredFile, findRepeatObstacle, readAnswered } from './deliveries.ts'
import type { ListedFile } from './files.ts'
import { readRefused } from './lists.ts'
import { type Audience, toConsoleFix } from './masks.ts'

export interface Today {
  /** When the rest was read. Undefined before the first snapshot: then all lists are empty. */
  readonly at?: number
  /** When mailboxes were last listed; the alerts are from then. Undefined: those that the bridge noted last. */
  readonly checkedAt?: number
  readonly checkingSince?: number
  /** Why the rest could not be read the last time. */
  readonly failure?: string
  readonly alerts: readonly ShownAlert[]
  /** Left out where no order that the bridge has seen has a deadline. */
  readonly clocks?: ClockBoard
  /** The bridge has seen open orders, and none of them is due up to the end of tomorrow. */
  readonly isNoneDue: boolean
  readonly expected: readonly ExpectedFileState[]
  readonly scheduledRuns: readonly ScheduledRoute[]
  readonly files: readonly TodaysFile[]
  readonly deliveries: readonly TodaysDelivery[]
  readonly held: readonly HeldFile[]
  /** Corrected files that lie in an inbox and are not taken yet. */
  readonly corrections: readonly ShownWaiting[]
  readonly waiting: readonly WaitingFile[]
  readonly unfinished: readonly Unfinished[]
  readonly unmatchedFiles: readonly UnmatchedFile[]
  /** Whether the configuration has any route. */
  readonly hasRoutes: boolean
}

export interface TodaysDelivery extends DeliveryEntry {
  /** A person can have its bytes delivered once more. */
  readonly isRepeatable: boolean
  /** As of a listed delivery. */
  readonly answers?: AnsweredFile
}

/** An alert, and where a person does something about it. */
export interface ShownAlert extends Alert {
  /** The file whose records wait, with how many of them a person can decide about. */
  readonly decidable?: DecidableCounts & { readonly file: string }
  /** Names it from one reading to the next. */
  readonly id: string
  /** The person who looks put it aside until then. */
  readonly asideUntil?: number
  /** The delivery that it is about; it can be delivered again where `isRepeatable`. */
  readonly delivery?: { readonly id: string; readonly isRepeatable: boolean }
  /** The file with records whose outcomes are not known. */
  readonly unresolved?: string
  /** The orders that it puts together. */
  readonly late?: LateOrders
  /** The file whose refused records are not corrected. */
  readonly rejected?: {
    readonly file: string
    /** Why nothing of it can be corrected here. */
    readonly missing?: string
    /** Its corrected files that lie in the inbox. */
    readonly waiting: readonly ShownWaiting[]
    /** Why, the most frequent first. */
    readonly reasons: readonly RefusalReason[]
  }
}

export interface RefusalReason {
  readonly title: string
  /** Left out where all of the records have it. */
  readonly records?: number
}

/** What the page shows of a file: its problems, which quote cells, are on the page of the file. */
type TodaysFile = Omit<LatestFile, 'problems' | 'keyColumns'> & Pick<ListedFile, 'refused'>

/** Never waits for a mailbox: what is known of them has its age. `aside`: until when the person put which alert aside. */
export async function readToday(
  context: ConsoleContext,
  { isMasked }: Audience,
  aside: ReadonlyMap<string, number> = new Map(),
): Promise<Today> {
  const { snapshot, deadlines, ...checked } = (await context.lookout?.read()) ?? {}
  const { zone = 'UTC' } = context.configuration
  const clocks = countClocks(deadlines, context.clock.now(), zone)
  const all = snapshot?.alerts ?? []
  const shown: ShownAlert[] = []
  const corrections = await listWaiting(context)
  const paused = new Set((await context.journal.listPauses()).map(({ route }) => route))
  const orders = joinLateOrders(all, context.clock.now())
  const joined = [
    ...(orders === undefined ? [] : [orders.alert]),
    ...all.filter(({ code }) => orders === undefined || code !== 'order-late'),
  ]
  for (const alert of joined) {
    const id = identifyAlert(alert)
    const named = { ...showAlert(alert, snapshot?.held ?? []), id }
    const delivery = await findDelivery(context, alert)
    const rejected = await findRejected(context, alert, corrections)
    if (rejected === 'ended' || (alert.code === 'route-paused' && !paused.has(alert.route ?? ''))) continue
    const late = alert === orders?.alert ? orders.late : undefined
    const fix = toConsoleFix(alert.code, alert.fix)
    shown.push(omitUndefined({ ...named, fix, ...rejected, late, delivery, asideUntil: aside.get(id) }))
  }
  const alerts = isMasked ? shown.map(maskAlert) : shown
  return {
    ...checked,
    ...(snapshot && { at: snapshot.at }),
    alerts,
    ...(clocks && { clocks }),
    isNoneDue: deadlines?.length === 0 && (await hasOpenOrders(context)),
    expected: await listExpectedFiles(context, all),
    scheduledRuns: snapshot?.scheduledRuns ?? [],
    files: await Promise.all((snapshot?.files ?? []).map((file) => toTodaysFile(context, file))),
    deliveries: await Promise.all(
      (snapshot?.deliveries ?? []).map(async (entry) =>
        omitUndefined({
          ...entry,
          isRepeatable: (await findRepeatObstacle(context, entry)) === undefined,
          answers: await readAnswered(context.journal, entry),
        }),
      ),
    ),
    held: snapshot?.held ?? [],
    corrections,
    waiting: (snapshot?.waiting ?? []).map((file) => (isMasked ? { ...file, message: '' } : file)),
    unfinished: (snapshot?.unfinished ?? []).map((work) => (isMasked ? maskUnfinished(work) : work)),
    unmatchedFiles: snapshot?.unmatchedFiles ?? [],
    hasRoutes: context.configuration.routes.length > 0,
  }
}

async function toTodaysFile({ journal }: ConsoleContext, file: LatestFile): Promise<TodaysFile> {
  const { problems: _, keyColumns: __, ...shown } = file
  return omitUndefined({ ...shown, refused: await readRefused(journal, file) })
}

/** Their messages repeat those of problems, which quote cells, or of the API. */
const QUOTING_ALERTS: readonly AlertCode[] = ['record-unacknowledged', 'documents-missing']

/** Without its time: that of some alerts is when they were last seen. */
function identifyAlert({ code, route = '', subject }: Alert): string {
  const text = JSON.stringify([code, route, subject])
  return createHash('sha256').update(text).digest('base64url').slice(0, ALERT_ID_LENGTH)
}

const ALERT_ID_LENGTH = 16

const DELIVERY_ALERTS: readonly AlertCode[] = [
  'pick-up-overdue',
  'receipt-overdue',
  'receipt-refused',
  'interchange-unanswered',
  'delivery-held',
  'document-refused',
]

/** An alert about a delivery names it in brackets behind its name. */
async function findDelivery(
  context: ConsoleContext,
  { code, subject }: Alert,
): Promise<ShownAlert['delivery']> {
  if (!DELIVERY_ALERTS.includes(code)) return undefined
  const [, id = ''] = /\(([^()]+)\)(?:, time is short)?$/.exec(subject) ?? []
  const [entry] = await context.journal.listDeliveries({ id }, undefined, 1)
  return entry && { id, isRepeatable: (await findRepeatObstacle(context, entry)) === undefined }
}

/** An alert names its file in brackets. */
function showAlert(alert: Alert, held: readonly HeldFile[]): Omit<ShownAlert, 'id'> {
  const { code, subject } = alert
  if (code === 'outcome-unknown') {
    const [, unresolved] = /\(([^()]+)\)$/.exec(subject) ?? []
    return unresolved === undefined ? alert : { ...alert, unresolved }
  }
  if (code !== 'records-held') return alert
  const file = held.find((each) => subject.endsWith(`(${each.file}) ${each.code}`))?.file
  if (file === undefined) return alert
  return { ...alert, decidable: { ...countDecidable(held.filter((each) => each.file === file)), file } }
}

async function hasOpenOrders({ journal, configuration }: ConsoleContext): Promise<boolean> {
  const parties = new Set(configuration.routes.map(({ party }) => formatAccount(party)))
  return (await listUnseenParties(journal, configuration)).length < parties.size
}

/** What the console can do about refused records, in place of the commands that do it, and why they were refused, in words. */
async function findRejected(
  { journal, configuration }: ConsoleContext,
  { code, subject }: Alert,
  corrections: readonly ShownWaiting[],
): Promise<Pick<ShownAlert, 'rejected' | 'fix' | 'message'> | 'ended' | undefined> {
  const [, id] = code === 'records-rejected' ? (/\(([^()]+)\)$/.exec(subject) ?? []) : []
  const file = id === undefined ? undefined : await journal.getFile(id)
  if (file === undefined) return undefined
  const refused = (await journal.listRejectedFiles(REFUSED_MAX, file.id)).find(
    ({ what }) => what === 'rejected',
  )
  // It was corrected or dismissed since the alerts were evaluated.
  if (refused === undefined) return 'ended'
  const { records, codes } = refused
  const missing = findObstacle(file, findCorrectableRoute(configuration, file.route))
  const waiting = corrections.filter(({ from }) => from.id === file.id)
  const are = records === 1 ? '1 record is' : `${records} records are`
  return {
    message: `${file.name}: ${are} rejected and not corrected`,
    rejected: omitUndefined({ file: file.id, missing, waiting, reasons: listReasons(codes) }),
    fix: missing === undefined ? CORRECT_HERE : `${missing} Where none is to come, dismiss what is refused.`,
  }
}

/** A file may wait for a person for several reasons. */
const REFUSED_MAX = 10

/** How many reasons of one file are named. */
const REASONS_SHOWN = 5

function listReasons(codes: RejectedFile['codes']): RefusalReason[] {
  const nameOf = (code: string) =>
    (PROBLEMS[code as ProblemCode] as { readonly title: string } | undefined)?.title ?? code
  if (codes.length === 1) return codes.map(({ code }) => ({ title: nameOf(code) }))
  const shown = codes.slice(0, REASONS_SHOWN).map(({ code, records }) => ({ title: nameOf(code), records }))
  const more = codes.length - shown.length
  return more > 0 ? [...shown, { title: more === 1 ? '1 more reason' : `${more} more reasons` }] : shown
}

const CORRECT_HERE = 'Correct the records here and send them again, or dismiss what is refused.'

function maskAlert(alert: ShownAlert): ShownAlert {
  return QUOTING_ALERTS.includes(alert.code) ? { ...alert, message: ALERTS[alert.code].title } : alert
}

function maskUnfinished(work: Unfinished): Unfinished {
  return { ...work, records: work.records.map(({ state, count }) => ({ state, count })) }
}

/** Whether a bridge works now; each page shows it. */
export type Activity =
  | {
      readonly kind: 'watching'
      readonly since: number
      readonly owners: readonly string[]
      readonly work?: RouteActivity
    }
  | { readonly kind: 'running'; readonly work: RouteActivity }
  | {
      readonly kind: 'stopped'
      readonly lastAt: number
      /** The next scheduled run of all routes; left out where no route has a schedule. */
      readonly next?: { readonly route: string; readonly at: number }
    }

/** A route that a bridge works on, and how far it is with its file. */
export interface RouteActivity {
  readonly route: string
  readonly owner: string
  readonly file?: {
    readonly name: string
    /** When its bridge took it. */
    readonly since: number
    /** Records that need no more sending. */
    readonly done: number
    /** Left out while its records are still being planned. */
    readonly total?: number
  }
}

export async function readActivity(context: ConsoleContext): Promise<Activity> {
  const { journal, configuration, clock } = context
  const { alive } = classifyWatches(await journal.listWatchers(), clock.now())
  const [first] = alive
  if (first !== undefined) {
    const owners = alive.map(({ owner }) => formatLeaseOwner(owner))
    const work = await findWork(context, await journal.listUnfinishedRoutes())
    return omitUndefined({ kind: 'watching' as const, since: first.beganAt, owners, work })
  }
  const work = await findWork(context, listWorkNames(configuration))
  if (work !== undefined) return { kind: 'running', work }
  const { at: lastAt } = await journal.getHead()
  return omitUndefined({ kind: 'stopped' as const, lastAt, next: await findNextRun(context) })
}

/** A paused route is run when its pause ends, at the earliest. */
async function findNextRun({ journal, configuration, clock }: ConsoleContext) {
  const scheduled = await listScheduledRoutes(journal, configuration, clock.now())
  if (scheduled.length === 0) return undefined
  const pausedUntil = new Map((await journal.listPauses()).map(({ route, until }) => [route, until]))
  const runs = scheduled.flatMap(({ route, nextAt }) =>
    nextAt === undefined ? [] : { route, at: Math.max(nextAt, pausedUntil.get(route) ?? 0) },
  )
  return runs.toSorted((one, other) => one.at - other.at)[0]
}

/** The first of the routes that a living process works on. */
async function findWork(
  { journal }: ConsoleContext,
  routes: readonly string[],
): Promise<RouteActivity | undefined> {
  for (const route of routes) {
    const lease = await journal.getLeaseOwner(route)
    if (lease === undefined || !isOwnerAlive(lease.owner)) continue
    const [file] = await journal.listUnfinishedFiles(route)
    const owner = formatLeaseOwner(lease.owner)
    return omitUndefined({
      route,
      owner,
      file: file && countProgress(file, await journal.countRecords({ file: file.id })),
    })
  }
  return undefined
}

const UNDER_WAY: readonly RecordState[] = ['planned', 'sending', 'collected', 'deferred', 'uncertain']

function countProgress(
  { name, claimedAt, plannedAt }: FileEntry,
  counts: StateCounts,
): RouteActivity['file'] {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const open = UNDER_WAY.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
  return omitUndefined({
    name,
    since: claimedAt,
    done: all - open,
    total: plannedAt === undefined ? undefined : all,
  })
}
