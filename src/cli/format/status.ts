/** Formats the status screen: alerts and unfinished work first, then the routes, then the latest files. */
import { isInboxKey } from '../../config/edi.ts'
import type { Alert } from '../../domain/alert.ts'
import type { DeliveryEntry } from '../../domain/delivery.ts'
import { formatLeaseOwner, type Watcher } from '../../domain/lease.ts'
import type { WaitingFile } from '../../domain/record.ts'
import type { LatestFile, Snapshot, SnapshotRoute, Unfinished } from '../../domain/snapshot.ts'
import { formatOpenStates } from '../../observability/format.ts'
import { isoTime } from '../../support/clock.ts'
import type { BridgeError } from '../../support/errors.ts'
import { quoteForShell } from '../../support/text.ts'
import { formatHeldFixes } from './inbound.ts'
import { formatCount, formatCounts, formatPause, formatTable, formatWarnings } from './text.ts'

/** Counts and names are shown whole. */
const CELL_MAX = 200

/** How many held files and records are shown; release and discard take all of them. */
const HELD_SHOWN = 8

/** How many alerts, files and deliveries are shown: an ordinary day fits on one screen. */
const ALERTS_SHOWN = 8

const LATEST_SHOWN = 5

/** `isWhole`: all alerts, and not only those that fit on one screen. */
export function formatStatus(snapshot: Snapshot, isWhole = false): string[] {
  const { routes, files, deliveries, unfinished, held, heldRecords, waiting } = snapshot
  const top = <Each>(all: readonly Each[]) => all.slice(0, LATEST_SHOWN)
  return [
    formatAlerts(snapshot.alerts, isWhole),
    formatUnfinished(unfinished, snapshot.watches),
    formatHeldWork({ held, heldRecords }),
    formatRoutes(routes),
    tableOf(
      ['scheduled route', 'last run', 'next run'],
      snapshot.scheduledRuns.map(({ route, last, nextAt }) => [
        route,
        last === undefined ? '' : `${last.occurrence} ${last.state}`,
        nextAt === undefined ? 'never' : nextAt <= snapshot.at ? 'due now' : isoTime(nextAt),
      ]),
    ),
    snapshot.watches.map(({ owner, routes, beganAt, seenAt }) => {
      const seconds = Math.max(0, Math.round((snapshot.at - seenAt) / 1000))
      return `watch over ${routes.join(', ')}: ${formatLeaseOwner(owner)}, since ${isoTime(beganAt)}, seen ${seconds} s ago`
    }),
    tableOf(['latest files', 'route', 'received', 'state', 'outcome'], top(files).map(formatFileRow)),
    tableOf(['latest deliveries', 'route', 'records', 'composed', 'state'], top(deliveries).map(deliveryRow)),
    tableOf(
      ['waits for orders', 'route', 'records', 'received', 'the first'],
      waiting.map(formatWaitingRow),
      CELL_MAX,
    ),
  ]
    .filter((block) => block.length > 0)
    .flatMap((block, index) => (index === 0 ? block : ['', ...block]))
}

function tableOf(head: readonly string[], rows: readonly string[][], widest?: number): string[] {
  return rows.length === 0 ? [] : formatTable(head, rows, widest)
}

/** Held records have a block of their own, with the fix for each of them; a journal that is refused stands above all. */
function formatAlerts(alerts: readonly Alert[], isWhole: boolean): string[] {
  const otherAlerts = alerts.filter(({ code }) => code !== 'records-held' && code !== 'bridge-failing')
  if (otherAlerts.length === 0) return []
  const shown = isWhole ? otherAlerts : otherAlerts.slice(0, ALERTS_SHOWN)
  const more = otherAlerts.length - shown.length
  return [
    'needs a person:',
    ...shown.flatMap(({ code, route, since, message, fix }, index) => {
      const line = `${route === undefined ? '' : `${route}: `}${message} (${code}, since ${isoTime(since)})`
      if (shown[index + 1]?.fix === fix) return [line]
      const same = shown.slice(0, index + 1).filter((each) => each.fix === fix)
      const failing = code === 'route-failing' ? same.flatMap((each) => each.route ?? []) : []
      return [line, `    fix: ${fix}${formatRetry(fix, failing)}`]
    }),
    ...(more > 0 ? [`and ${more} more: dropbridge status --all`] : []),
  ]
}

/** Only a run finds out that the cause of a failure is gone: until then, what the last one said stays. */
function formatRetry(fix: string, routes: readonly string[]): string {
  if (routes.length === 0 || fix.includes('`dropbridge run`')) return ''
  return ` This is of the last run; where it is done: \`dropbridge run ${routes.map(quoteForShell).join(' ')}\`.`
}

function formatRoutes(routes: readonly SnapshotRoute[]): string[] {
  if (routes.length === 0) return ['(there are no routes)']
  return formatTable(
    ['route', 'records in', 'records out', 'now'],
    routes.map((route) => [
      route.route,
      formatCounts(route.incoming),
      formatCounts(route.outgoing, 'acknowledged'),
      formatCurrentState(route),
    ]),
    CELL_MAX,
  )
}

function formatCurrentState(route: SnapshotRoute): string {
  if (route.owner !== undefined) return `${formatLeaseOwner(route.owner)} is working on it`
  if (route.pause !== undefined) return formatPause(route.pause)
  if (route.neverRan === true) return 'has not run yet'
  const open = formatOpenStates(route)
  if (open !== '') return `unfinished: ${open}`
  return route.isGone === true ? 'not in the configuration any more' : 'idle'
}

function formatFileRow(file: LatestFile): string[] {
  const { records, outcome: whole = '', warnings } = file
  const given = whole === 'processed' ? formatTakers(file) : undefined
  const isCounted = whole === 'processed' || Object.keys(records).length > 0
  const counts = isCounted ? [formatCounts(records), ...formatWarnings(warnings)].join(', ') : whole
  const outcome = file.duplicateOf === undefined ? (given ?? counts) : `duplicate of ${file.duplicateOf.name}`
  return [file.name, file.route, isoTime(file.receivedAt ?? file.claimedAt), file.state, outcome]
}

/** Answers of partners are read by the bridge itself; no route takes them. */
function formatTakers({ givenTo, hasAnswers = false }: LatestFile): string | undefined {
  if (givenTo === undefined) return undefined
  if (givenTo.length === 0) return hasAnswers ? 'read as an answer of a partner' : 'given to no route'
  return `given to ${givenTo.join(', ')}${hasAnswers ? '; its answers were read' : ''}`
}

/** An answer to interchanges answers groups, and has no records. */
function deliveryRow({ name, route, records, composedAt, state, held }: DeliveryEntry): string[] {
  const now = held === undefined ? state : `${state}, held`
  const counted = isInboxKey(route) ? formatCount(records, 'group') : String(records)
  return [name, route, counted, isoTime(composedAt), now]
}

function formatHeldWork({ held, heldRecords }: Pick<Snapshot, 'held' | 'heldRecords'>): string[] {
  if (held.length === 0) return []
  const files = held
    .slice(0, HELD_SHOWN)
    .map((each) => [each.name, each.file, each.route, String(each.records), isoTime(each.since), each.code])
  const records = heldRecords.slice(0, HELD_SHOWN).map(({ name, lines, keyValues, problems }) => {
    const key = keyValues.filter((value) => value !== '').join(', ')
    return [name, String(lines[0]?.[0] ?? ''), key, problems.map(({ message }) => message).join(' ')]
  })
  return [
    ...formatTable(['held for a person', 'id', 'route', 'records', 'since', 'code'], files),
    '',
    ...formatTable(['file', 'line', 'key', 'why'], records, CELL_MAX),
    ...(heldRecords.length > HELD_SHOWN ? ['and more: dropbridge status --json has them'] : []),
    '',
    ...formatHeldFixes(held),
    ...(held.every(({ code }) => code === 'outcome-unprovable') ? [] : [DISCARD_HELP]),
  ]
}

/** A record that was sent and never answered cannot be given up like this: a person resolves it. */
const DISCARD_HELP =
  'To give them up: dropbridge discard FILE --by NAME --why TEXT; for one record, here and above, ROUTE/KEY in place of FILE.'

function formatWaitingRow({ name, route, records, receivedAt, message }: WaitingFile): string[] {
  return [name, route, String(records), isoTime(receivedAt), message]
}

// Unfinished files and deliveries: why, and the fix

const NEXT_STEPS = {
  deferred: 'sent again by the next run',
  uncertain: 'looked up by the next run',
  sending: 'begun and without an answer, looked up by the next run',
  planned: 'sent by the next run',
  collected: 'acknowledged by the next run',
} as const

/** A line for each item, with its fix where the next item has another one. */
export function formatUnfinished(works: readonly Unfinished[], watches: readonly Watcher[] = []): string[] {
  if (works.length === 0) return []
  const fixes = works.map((work) => unfinishedFix(work, watches))
  const lines = works.flatMap((work, index) => {
    const line = `${work.route}: ${work.name}: ${formatReason(work)}`
    return fixes[index + 1] === fixes[index] ? [line] : [line, `    fix: ${fixes[index]}`]
  })
  return ['not finished:', ...lines]
}

function formatReason({ state, next, records }: Unfinished): string {
  if (records.length === 0) return `${state}. ${next}`
  return records
    .map(({ state: of, count, why }) => {
      const reason = why === undefined || of === 'planned' ? '' : `: ${why.replace(/\.$/, '')}`
      return `${count} ${of}, ${NEXT_STEPS[of]}${reason}`
    })
    .join('; ')
}

/** The journal does not store why a step failed: where no record says it, the run that fails again does. */
function unfinishedFix({ route, worker, isRouteKnown, records }: Unfinished, watches: readonly Watcher[]) {
  if (!isRouteKnown) return `the configuration has no route ${route} any more: give it back its name`
  if (worker !== undefined)
    return `nothing yet: ${worker} is working on route ${route}. If it was killed: dropbridge run ${route}`
  const watch = watches.find(({ routes }) => routes.includes(route))
  if (watch !== undefined)
    return `nothing yet: the watch (${formatLeaseOwner(watch.owner)}) tries again within minutes; dropbridge run ${route} does at once`
  const isSaidWhy = records.some(({ why }) => why !== undefined)
  return isSaidWhy
    ? `dropbridge run ${route}`
    : `dropbridge run ${route}; if it fails again, it prints the reason`
}

/** Commands that only read print this above the contents of a journal that is older than the work done, or new. */
export function formatJournalFailure(failure: BridgeError | undefined): string[] {
  if (failure === undefined) return []
  return [
    `${failure.message} Until then, no run or watch that starts sends anything. (${failure.code})`,
    `    fix: ${failure.fix}`,
    '',
  ]
}
