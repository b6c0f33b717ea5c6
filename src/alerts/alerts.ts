/** Evaluates all alerts from the journal and the mailboxes. It changes nothing. */
import { type Configuration, listWorkNames } from '../config/configuration.ts'
import { type Alert, alertKey, compareUrgency, createAlert, type RouteResults } from '../domain/alert.ts'
import {
  type AlertContext,
  createListings,
  type EvaluationContext,
  type UnreachableFolder,
} from './context.ts'
import { findConfigurationAlerts, findDiskAlerts, findJournalAlerts } from './bridge.ts'
import { findDeliveryAlerts, findReceiptAlerts } from './deliveries.ts'
import { checkResultsFolders, findFilesInResults, findFullFolders, findGrownFiles } from './folders.ts'
import { findInboxAlerts } from './inboxes.ts'
import { findFilesInFolders, findMisplacedFiles } from './misplaced.ts'
import { findLateOrders } from './orders.ts'
import { findMissingFiles, findPausedRoutes, findScheduleAlerts } from './schedules.ts'
import { findAnswerAlerts, findMissingWatches, findRecordAlerts } from './stalled-work.ts'

export type AlertEvaluation = Awaited<ReturnType<typeof evaluateAlerts>>

/** No bridge has as many active alerts as this. */
const ACTIVE_MAX = 10_000

export async function evaluateAlerts(context: AlertContext, tried: RouteResults) {
  const { journal, mailboxes, clock } = context
  const listings = createListings(mailboxes)
  const unverified = new Set<string>()
  const evaluation = { ...context, now: clock.now(), listings, unverified }
  const disks = await findDiskAlerts(context.configuration, evaluation.now)
  const inboxes = await findInboxAlerts(evaluation)
  const fromSources = [
    ...disks.alerts,
    ...(await findJournalAlerts(evaluation)),
    ...(await findConfigurationAlerts(evaluation)),
    ...inboxes.alerts,
    ...(await findMisplacedFiles(evaluation)),
    ...(await findFilesInResults(evaluation)),
    ...(await findFilesInFolders(evaluation, inboxes.withFolders)),
    ...(await findMissingFiles(evaluation)),
    ...(await findScheduleAlerts(evaluation)),
    ...(await findPausedRoutes(evaluation)),
    ...(await findDeliveryAlerts(evaluation)),
    ...(await findReceiptAlerts(evaluation)),
    ...(await findLateOrders(evaluation)),
    ...(await findRecordAlerts(evaluation)),
    ...(await findAnswerAlerts(evaluation)),
    ...(await findFullFolders(evaluation)),
    ...(await findGrownFiles(evaluation)),
    ...(await findMissingWatches(evaluation)),
    ...(await findFailingRoutes(evaluation, tried)),
  ]
  await checkResultsFolders(evaluation)
  const away = listings.listUnreachable()
  const active = await journal.listActiveAlerts(ACTIVE_MAX)
  const found = mergeSince([...fromSources, ...findUnreachableMailboxes(away, evaluation.now)], active)
  const untried = (alert: Alert) => isUntried(alert, tried, context.configuration)
  return {
    /** All active alerts, the most urgent first. */
    alerts: [...found, ...active.filter(untried)].toSorted(compareUrgency),
    found,
    disks: disks.disks,
    unmatchedFiles: inboxes.unmatchedFiles,
    /** Whether the cause of an earlier alert could not be checked this time. */
    isUnverified: (alert: Alert) =>
      untried(alert) ||
      unverified.has(alertKey(alert)) ||
      (alert.code !== 'mailbox-away' && isInUnreachableFolder(away, alert.subject)),
  }
}

/** Whether the alert is about a folder that cannot be read, or a file in one. */
function isInUnreachableFolder(away: readonly UnreachableFolder[], subject: string): boolean {
  return away.some(({ place }) => subject === place || subject.startsWith(`${place}/`))
}

/** Keeps each alert once, with the earliest time that it is known since. */
function mergeSince(found: readonly Alert[], active: readonly Alert[]): readonly Alert[] {
  const before = new Map(active.map((alert) => [alertKey(alert), alert.since]))
  const each = new Map<string, Alert>()
  for (const alert of found) {
    const key = alertKey(alert)
    each.set(key, { ...alert, since: Math.min(alert.since, before.get(key) ?? Infinity) })
  }
  return [...each.values()].toSorted(compareUrgency)
}

/** One alert for each mailbox, however many of its folders are away. */
function findUnreachableMailboxes(away: readonly UnreachableFolder[], since: number): Alert[] {
  return [...new Set(away.map(({ mailbox }) => mailbox))].map((mailbox) => {
    const [first, ...rest] = away.filter((folder) => folder.mailbox === mailbox)
    const more =
      rest.length === 0 ? '' : `; ${rest.map(({ place }) => place).join(', ')} cannot be read either`
    const message = `${first?.place ?? mailbox} cannot be read: ${(first?.why ?? '').replace(/\.$/, '')}${more}`
    const fix = first?.fix === undefined ? {} : { fix: first.fix }
    return createAlert({ code: 'mailbox-away', subject: mailbox, since, message, ...fix })
  })
}

// Routes that fail: only the process that ran them knows, so the journal stores it for other processes.

/** Names the scheduled run that the failure has left unfinished. */
async function findFailingRoutes({ journal, now }: EvaluationContext, { failures }: RouteResults) {
  const alerts: Alert[] = []
  for (const { route, code, message, fix } of failures) {
    const [run] = (await journal.getKnownRuns(route)).begun
    const which = run === undefined ? '' : ` (run of ${run.occurrence})`
    alerts.push({
      code: 'route-failing',
      route,
      subject: code,
      since: now,
      message: `${message}${which}`,
      fix,
    })
  }
  return alerts
}

/** Whether an earlier failure still counts because no pass has tried the route since. A removed route fails no more. */
function isUntried({ code, route }: Alert, { routes }: RouteResults, configuration: Configuration): boolean {
  if (code !== 'route-failing' || route === undefined || routes.includes(route)) return false
  return listWorkNames(configuration).includes(route)
}
