/** Alerts about things that did not happen in time: scheduled runs and expected files. */
import { formatIntakeKey } from '../config/edi.ts'
import { listScannedInboxes, type Route, type ScannedInbox } from '../config/routes.ts'
import type { ExpectedFile } from '../config/alerts.ts'
import { type Alert, alertKey, createAlert } from '../domain/alert.ts'
import type { KnownRuns, NewScheduledRun, ScheduledRun } from '../domain/scheduled-run.ts'
import { compileFilePattern } from '../support/name-pattern.ts'
import { createCronTimes, findDueRuns, findLastDate, isOneRunPerDate } from '../schedule/schedule.ts'
import { toInstant } from '../schedule/zone-time.ts'
import { DAY_MS, HOUR_MS, isoTime } from '../support/clock.ts'
import type { EvaluationContext } from './context.ts'

/** A scheduler that runs once an hour, or an API that is away for a while, is no reason to alert a person. */
const OVERDUE_MS = HOUR_MS

/** How long missed runs are shown: no event ends this alert. */
const SHOWN_MS = 7 * DAY_MS

/** How many of the latest runs of a route are searched for missed ones; a stretch of them is noted at once. */
const LATEST_RUNS_MAX = 500

export async function findScheduleAlerts(context: EvaluationContext): Promise<Alert[]> {
  const { journal, configuration, now } = context
  const alerts: Alert[] = []
  for (const route of configuration.routes) {
    if (route.schedule === undefined || route.schedule.kind === 'every') continue
    const overdue = findOldestDue(route, await journal.getKnownRuns(route.name), now)
    if (overdue !== undefined && overdue.dueAt <= now - OVERDUE_MS)
      alerts.push(buildOverdueAlert(route, overdue))
    const latest = await journal.listRecentRuns(LATEST_RUNS_MAX, route.name)
    const missed = latest.filter(({ state, changedAt }) => state === 'missed' && changedAt > now - SHOWN_MS)
    if (missed.length > 0) alerts.push(buildMissedAlert(route, missed))
  }
  return alerts
}

/** Undefined for a route that never ran: its first run begins with the first bridge. */
function findOldestDue(route: Route, known: KnownRuns, now: number): NewScheduledRun | undefined {
  const { schedule } = route
  if (schedule === undefined || (known.latestDate ?? known.latestInstant) === undefined) return undefined
  if (schedule.kind === 'cron' && known.latestInstant !== undefined && known.begun.length === 0) {
    const { nextAfter } = createCronTimes(schedule.expression, schedule.zone)
    const dueAt = nextAfter(Date.parse(known.latestInstant))
    return dueAt === undefined || dueAt > now ? undefined : { occurrence: isoTime(dueAt), dueAt }
  }
  const { covered, runs } = findDueRuns(schedule, known, { now, oneByOne: isOneRunPerDate(route) })
  return [...covered, ...runs][0]
}

function buildOverdueAlert({ name }: Route, { occurrence, dueAt }: NewScheduledRun): Alert {
  const message = `${name} missed its scheduled run of ${occurrence} (due ${isoTime(dueAt)})`
  // One subject, however many runs are overdue and whichever is the oldest that a later run makes up for.
  return createAlert({ code: 'run-overdue', route: name, subject: name, since: dueAt, message })
}

function buildMissedAlert({ name }: Route, missed: readonly ScheduledRun[]): Alert {
  const dates = missed.map(({ occurrence }) => occurrence).toSorted()
  const [first = ''] = dates
  const last = dates.at(-1) ?? first
  const which = first === last ? first : `${first} to ${last}, ${dates.length} runs`
  const since = Math.min(...missed.map(({ changedAt }) => changedAt))
  const message = `${name} was not made for ${which}: it was too long ago when a bridge ran again`
  const fix = `Make what is missing: \`dropbridge export ${name} --since … --until …\`.`
  return { code: 'runs-missed', route: name, subject: last, since, message, fix }
}

/** How many of the latest files of a route are searched for one that did not vanish. */
const LATEST_FILES_MAX = 100

/** Checks the last time that has passed: every file since that day began counts, however late it came. */
export async function findMissingFiles(context: EvaluationContext): Promise<Alert[]> {
  const { journal, configuration, now } = context
  const alerts: Alert[] = []
  for (const inbox of listScannedInboxes(configuration)) {
    const { key, from: source } = inbox
    const { expectFile } = source
    if (expectFile === undefined) continue
    const { day, from, dueAt } = findLastDue(expectFile, now)
    const latest = await journal.listRecentFiles(LATEST_FILES_MAX, key)
    const last = latest.find(({ outcome, retakeOf }) => outcome !== 'vanished' && retakeOf === undefined)
    const cameAt = last === undefined ? undefined : (last.receivedAt ?? last.claimedAt)
    if (cameAt !== undefined && cameAt >= from) continue
    const isThere = await hasArrived(context, source, from)
    if (isThere === true) continue
    const before = cameAt === undefined ? 'none ever came' : `the last one came at ${isoTime(cameAt)}`
    // What was due before the journal began was for another program.
    if (cameAt === undefined && dueAt < (await journal.getBeginning()).at) continue
    const message = `no file came for ${formatIntakeKey(key)} on ${day} by ${expectFile.by} (${expectFile.zone}); ${before}`
    const about = { code: 'expected-file-missing', route: key, subject: day } as const
    const alert = createAlert({ ...about, since: dueAt, message })
    if (isThere === undefined) context.unverified.add(alertKey(alert))
    else alerts.push(alert)
  }
  return alerts
}

/** The last day and time that have passed; files since that day began count. */
export function findLastDue({ by, zone, days }: ExpectedFile, now: number) {
  const { occurrence, dueAt } = findLastDate({ kind: 'daily', after: by, zone, days, catchUpDays: 0 }, now)
  return { day: occurrence, from: toInstant(occurrence, '00:00', zone), dueAt }
}

/** Whether the file is in the inbox and not taken yet. Undefined where the folder cannot be read. */
async function hasArrived({ listings }: EvaluationContext, inbox: ScannedInbox['from'], since: number) {
  const files = await listings.list(inbox)
  const isMatch = compileFilePattern(inbox.match)
  return files?.some(({ name, modifiedAt }) => modifiedAt >= since && isMatch(name))
}

// Routes that a person paused: it ends by itself, and until then each person should know.

export async function findPausedRoutes({ journal, configuration }: EvaluationContext): Promise<Alert[]> {
  const names = new Set(configuration.routes.map(({ name }) => name))
  const pauses = (await journal.listPauses()).filter(({ route }) => names.has(route))
  return pauses.map(({ route, by, why, at, until }) =>
    createAlert({
      code: 'route-paused',
      route,
      subject: route,
      since: at,
      message: `${by} paused it until ${isoTime(until)}: ${why}`,
      fix: `Nothing, if that is right: it ends by itself. Sooner: \`dropbridge resume ${route} --by NAME --why TEXT\`.`,
    }),
  )
}
