/** Evaluates all alerts from the journal and the mailboxes. It changes nothing. */
import type { Configuration } from '../config/configuration.ts'
import { type Alert, alertKey, compareUrgency, type RouteResults } from '../domain/alert.ts'
import { type FailureCode, FAILURES } from '../support/errors.ts'
import { type AlertContext, createListings, type UnreachableFolder } from './context.ts'
import { findDeliveryAlerts, findReceiptAlerts } from './deliveries.ts'
import { findFullFolders, findGrownFiles } from './folders.ts'
import { findInboxAlerts } from './inboxes.ts'
import { findMissingFiles, findScheduleAlerts } from './schedules.ts'
import { findMissingWatches, findRecordAlerts } from './stalled-work.ts'

export type AlertEvaluation = Awaited<ReturnType<typeof evaluateAlerts>>

/** No bridge has so many alerts that stand. */
const STANDING_MAX = 10_000

export async function evaluateAlerts(attending: AlertContext, tried: RouteResults) {
  const { journal, mailboxes, clock } = attending
  const listings = createListings(mailboxes)
  const unverified = new Set<string>()
  const looking = { ...attending, now: clock.now(), listings, unverified }
  const inboxes = await findInboxAlerts(looking)
  const seen = [
    ...inboxes.alerts,
    ...(await findMissingFiles(looking)),
    ...(await findScheduleAlerts(looking)),
    ...(await findDeliveryAlerts(looking)),
    ...(await findReceiptAlerts(looking)),
    ...(await findRecordAlerts(looking)),
    ...(await findFullFolders(looking)),
    ...(await findGrownFiles(looking)),
    ...(await findMissingWatches(looking)),
    ...findFailingRoutes(tried, looking.now),
  ]
  const away = listings.listUnreachable()
  const standing = await journal.listActiveAlerts(STANDING_MAX)
  const found = mergeSince([...seen, ...findUnreachableMailboxes(away, looking.now)], standing)
  const untried = (alert: Alert) => isUntried(alert, tried, attending.configuration)
  return {
    /** All that stand, the most urgent first. */
    alerts: [...found, ...standing.filter(untried)].toSorted(compareUrgency),
    /** Those of them that were found by looking now. */
    found,
    unmatchedFiles: inboxes.unmatchedFiles,
    /** Whether nobody could look at what an alert that stood before is about. */
    isUnverified: (alert: Alert) =>
      untried(alert) ||
      unverified.has(alertKey(alert)) ||
      (alert.code !== 'mailbox-away' && isInUnreachableFolder(away, alert.subject)),
  }
}

/** Whether what it is about lies in a folder that cannot be read. */
function isInUnreachableFolder(away: readonly UnreachableFolder[], subject: string): boolean {
  return away.some(({ place }) => subject === place || subject.startsWith(`${place}/`))
}

/** Each once. What stood before has stood since then. */
function mergeSince(found: readonly Alert[], standing: readonly Alert[]): readonly Alert[] {
  const before = new Map(standing.map((alert) => [alertKey(alert), alert.since]))
  const each = new Map<string, Alert>()
  for (const alert of found) {
    const key = alertKey(alert)
    each.set(key, { ...alert, since: Math.min(alert.since, before.get(key) ?? Infinity) })
  }
  return [...each.values()].toSorted(compareUrgency)
}

/** One for each mailbox, however many of its folders are away. */
function findUnreachableMailboxes(away: readonly UnreachableFolder[], since: number): Alert[] {
  return [...new Set(away.map(({ mailbox }) => mailbox))].map((mailbox) => {
    const [first, ...others] = away.filter((folder) => folder.mailbox === mailbox)
    const more =
      others.length === 0 ? '' : `; ${others.map(({ place }) => place).join(', ')} cannot be read either`
    const message = `${first?.place ?? mailbox} cannot be read: ${(first?.why ?? '').replace(/\.$/, '')}${more}`
    const fix = first?.fix ?? 'check that it is there, mounted or reachable, and may be read'
    return { code: 'mailbox-away', subject: mailbox, since, message, fix }
  })
}

// Routes that fail: only the process that ran them knows, and the journal keeps it for others.

function findFailingRoutes({ failures }: RouteResults, now: number): Alert[] {
  return failures.map(({ route, code, message }) => ({
    code: 'route-failing',
    route,
    subject: code,
    since: now,
    message,
    fix: code in FAILURES ? FAILURES[code as FailureCode].fix : `see \`dropbridge explain ${code}\``,
  }))
}

/** Whether what was found before is as it was, since nobody has tried the route again; one that is gone fails no more. */
function isUntried({ code, route }: Alert, { routes }: RouteResults, configuration: Configuration): boolean {
  if (code !== 'route-failing' || route === undefined || routes.includes(route)) return false
  return configuration.routes.some(({ name }) => name === route)
}
