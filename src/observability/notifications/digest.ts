/** Builds the digest of a range of the journal after the fact, with the final states, and formats it as a mail. */
import type { Configuration } from '../../config/configuration.ts'
import { type Alert, type AlertChange, alertKey } from '../../domain/alert.ts'
import type { Journal, WorkRef } from '../../domain/journal.ts'
import type {
  Digest,
  DigestAlert,
  DigestDelivery,
  DigestFile,
  Message,
  NotificationSubjects,
} from '../../domain/notification.ts'
import type { Problem } from '../../domain/problem.ts'
import type { StateCounts } from '../../domain/record.ts'
import { isoTime } from '../../support/clock.ts'
import { toOneLine } from '../../support/text.ts'
import { findResultPath, formatCount, formatStateCounts } from '../format.ts'

/** How many files and deliveries a digest counts; it names fewer of them. */
export const DIGEST_ITEMS_MAX = 2000

const NAMED_MAX = 100

/** How many records with problems are searched for their codes. */
const TROUBLED_MAX = 1000

interface DigestRequest {
  readonly id: string
  readonly at: number
  readonly subjects: NotificationSubjects
  readonly on: 'trouble' | 'always'
  /** All routes when left out. */
  readonly routes?: readonly string[]
  readonly changes: readonly AlertChange[]
}

export interface DigestSources {
  readonly journal: Journal
  readonly configuration: Configuration
}

/** Undefined when nothing in it is worth a notification. */
export async function buildDigest(sources: DigestSources, request: DigestRequest) {
  const { subjects } = request
  const files = await collectItems(subjects.files, (id) => describeFile(sources, id), request)
  const deliveries = await collectItems(subjects.deliveries, (id) => describeDelivery(sources, id), request)
  const { alerts, failures, recovered } = summarizeChanges(request, sources.configuration)
  const trouble =
    files.some(hasTrouble) ||
    deliveries.some(hasTrouble) ||
    alerts.raised.length + alerts.ended.length + failures.length + recovered.length > 0
  const isEmpty = files.length + deliveries.length === 0 && !trouble
  if (isEmpty || (request.on === 'trouble' && !trouble)) return undefined
  const worth = <Item extends DigestFile | DigestDelivery>(all: readonly Item[]) =>
    request.on === 'always' ? all : all.filter(hasTrouble)
  const named = { files: worth(files), deliveries: worth(deliveries) }
  const totals = { files: files.length, deliveries: deliveries.length }
  const digest: Digest = {
    id: request.id,
    at: isoTime(request.at),
    trouble,
    totals: { ...totals, incoming: sumRecords(files), outgoing: sumRecords(deliveries) },
    files: named.files.slice(-NAMED_MAX),
    deliveries: named.deliveries.slice(-NAMED_MAX),
    more: Math.max(0, named.files.length - NAMED_MAX) + Math.max(0, named.deliveries.length - NAMED_MAX),
    alerts,
    failures,
    recovered,
  }
  return digest
}

function isWantedRoute({ routes }: DigestRequest, route: string | undefined): boolean {
  return routes === undefined || route === undefined || routes.includes(route)
}

async function collectItems<Item extends { readonly route: string }>(
  ids: readonly string[],
  describe: (id: string) => Promise<Item | undefined>,
  request: DigestRequest,
): Promise<Item[]> {
  const items: Item[] = []
  for (const id of ids) {
    const one = await describe(id)
    if (one !== undefined && isWantedRoute(request, one.route)) items.push(one)
  }
  return items
}

async function describeFile(sources: DigestSources, id: string): Promise<DigestFile | undefined> {
  const file = await sources.journal.getFile(id)
  if (file === undefined) return undefined
  const { route, name, outcome = 'processed', problems } = file
  const counts = await countRecords(sources, { file: id }, problems)
  const results = findResultPath(sources.configuration, file)?.text ?? ''
  return { route, file: name, outcome, ...counts, results }
}

async function describeDelivery(sources: DigestSources, id: string): Promise<DigestDelivery | undefined> {
  const delivery = await sources.journal.getDelivery(id)
  if (delivery === undefined) return undefined
  const { route, name, state } = delivery
  return { route, file: name, state, ...(await countRecords(sources, { delivery: id }, [])) }
}

/** Counts each code once a record, and those of the file itself; messages may contain cells, so they are left out. */
async function countRecords({ journal }: DigestSources, work: WorkRef, ownProblems: readonly Problem[]) {
  const records = await journal.countRecords(work)
  const troubled = countTroubled(records) === 0 ? [] : await journal.listProblemRecords(work, TROUBLED_MAX)
  const codes: Record<string, number> = {}
  const all = troubled.flatMap(({ problems }) => [...new Set(problems.map(({ code }) => code))])
  for (const code of [...ownProblems.map((each) => each.code), ...all]) codes[code] = (codes[code] ?? 0) + 1
  return { records, codes }
}

function hasTrouble(item: DigestFile | DigestDelivery): boolean {
  return countTroubled(item.records) > 0 || ('outcome' in item && item.outcome === 'unusable')
}

function countTroubled({ rejected = 0, held = 0, uncertain = 0 }: StateCounts): number {
  return rejected + held + uncertain
}

function sumRecords(all: readonly { readonly records: StateCounts }[]): StateCounts {
  const sum: Record<string, number> = {}
  for (const { records } of all) {
    for (const [state, count] of Object.entries(records)) sum[state] = (sum[state] ?? 0) + count
  }
  return sum
}

/** An alert that was raised and ended within the range needs no person. */
function summarizeChanges(request: DigestRequest, { routes }: Configuration) {
  const { changes } = request
  const last = new Map(changes.map((change) => [alertKey(change.alert), change]))
  const first = new Map(changes.toReversed().map((change) => [alertKey(change.alert), change]))
  const wanted = [...last.values()].filter(({ alert }) => isWantedRoute(request, alert.route))
  const raised = wanted.flatMap(({ change, alert }) => (change === 'raised' ? [alert] : []))
  const ended = wanted.flatMap(({ change, alert }) =>
    change === 'ended' && first.get(alertKey(alert))?.change === 'ended' ? [alert] : [],
  )
  const failing = new Set(raised.filter(isRouteFailure).map(({ route }) => route))
  const recovered = new Set(ended.filter(isRouteFailure).map(({ route }) => route))
  const others = (alerts: readonly Alert[]) => alerts.filter((alert) => !isRouteFailure(alert))
  return {
    alerts: { raised: others(raised).map(toDigestAlert), ended: others(ended).map(toDigestAlert) },
    failures: raised
      .filter(isRouteFailure)
      .map(({ route = '', subject: code, message }) => ({ route, code, message })),
    // A removed route does not recover.
    recovered: routes.flatMap(({ name }) => (recovered.has(name) && !failing.has(name) ? [name] : [])),
  }
}

function isRouteFailure({ code }: Alert): boolean {
  return code === 'route-failing'
}

function toDigestAlert({ code, route, since, message, fix }: Alert): DigestAlert {
  return { code, since: isoTime(since), message, fix, ...(route === undefined ? {} : { route }) }
}

/** Everything in the notification is over by now; a receiver that got its first try learns that from this one. */
export function createAllClearDigest(id: string, at: number): Digest {
  return {
    id,
    at: isoTime(at),
    trouble: false,
    totals: { files: 0, deliveries: 0, incoming: {}, outgoing: {} },
    files: [],
    deliveries: [],
    more: 0,
    alerts: { raised: [], ended: [] },
    failures: [],
    recovered: [],
  }
}

/** All active alerts, whether they were reported before or not. */
export function createAlertDigest(id: string, at: number, alerts: readonly Alert[]): Digest {
  const raised = alerts.map(toDigestAlert)
  return { ...createAllClearDigest(id, at), trouble: true, alerts: { raised, ended: [] } }
}

// The mail: its subject says whether it must be opened at all.

export function formatMessage(digest: Digest): Message {
  const text = `${formatText(digest).join('\n')}\n`
  return { id: digest.id, subject: formatSubject(digest), text, data: digest }
}

function formatSubject({ trouble, totals, alerts, failures, recovered, files, more }: Digest): string {
  const { incoming, outgoing } = totals
  const unusable = files.filter(({ outcome }) => outcome === 'unusable').length
  const parts = [
    ...failures.map(({ route, code }) => `${route} failed (${code})`).slice(0, 2),
    ...(unusable === 0 ? [] : [`${formatCount(unusable, 'file')}${more === 0 ? '' : ' or more'} unusable`]),
    ...formatPart((incoming.rejected ?? 0) + (outgoing.rejected ?? 0), 'refused'),
    ...formatPart((incoming.held ?? 0) + (outgoing.held ?? 0), 'held'),
    ...formatPart(incoming.uncertain ?? 0, 'not known'),
    ...alerts.raised.map(({ code }) => code).slice(0, 2),
    ...recovered.map((route) => `${route} works again`).slice(0, 1),
  ]
  if (parts.length > 0) return parts.join(', ')
  const over = alerts.ended.map(({ code }) => code).slice(0, 2)
  if (trouble) return `over: ${over.join(', ')}`
  if (totals.files + totals.deliveries === 0) return 'all is well: the alerts are over'
  return `all is well: ${formatCount(totals.files, 'file')} in, ${formatCount(totals.deliveries, 'file')} out`
}

function formatPart(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}`]
}

function formatText(digest: Digest): string[] {
  const { alerts, failures, recovered, files, deliveries, totals, more } = digest
  return [
    ...formatSection('What needs a person', [
      ...failures.map(({ route, code, message }) => `${route}: ${message} (${code})`),
      ...alerts.raised.flatMap((alert) => [
        `${formatAlert(alert)} (${alert.code}, since ${alert.since})`,
        `  fix: ${alert.fix}`,
      ]),
    ]),
    ...formatSection('Ended', [
      ...recovered.map((route) => `${route} works again`),
      ...alerts.ended.map(formatAlert),
    ]),
    ...formatSection('Files in', files.flatMap(formatFile)),
    ...formatSection('Files out', deliveries.flatMap(formatDelivery)),
    ...(more === 0 ? [] : [`and ${more} more: see dropbridge status`, '']),
    ...formatSection('In all', [
      ...formatTotal(totals.files, 'in', totals.incoming),
      ...formatTotal(totals.deliveries, 'out', totals.outgoing),
    ]),
    `Notification ${digest.id}, ${digest.at}`,
  ]
}

function formatAlert({ route, message }: DigestAlert): string {
  return route === undefined ? message : `${route}: ${message}`
}

/** A notification with nothing but alerts has no line about files. */
function formatTotal(files: number, where: 'in' | 'out', records: StateCounts): string[] {
  return files === 0 ? [] : [`${formatCount(files, 'file')} ${where}: ${formatStateCounts(records)}`]
}

function formatSection(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${toOneLine(line)}`), '']
}

function formatFile({ route, file, outcome, records, codes, results }: DigestFile): string[] {
  const how = outcome === 'processed' ? formatStateCounts(records) : outcome
  const more = results === '' ? [] : [`  results: ${results}`]
  return [`${route}: ${file}: ${how}`, ...formatCodes(codes), ...more]
}

function formatDelivery({ route, file, state, records, codes }: DigestDelivery): string[] {
  const how = Object.keys(records).length === 0 ? state : `${state}, ${formatStateCounts(records)}`
  return [`${route}: ${file}: ${how}`, ...formatCodes(codes)]
}

function formatCodes(codes: Readonly<Record<string, number>>): string[] {
  const most = Object.entries(codes).toSorted(([, one], [, other]) => other - one)
  return most.length === 0 ? [] : [`  ${most.map(([code, count]) => `${code} × ${count}`).join(', ')}`]
}
