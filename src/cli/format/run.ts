/** Formats a run: events while it runs, lines per route, the summary line, and what was pruned. */
import { formatEvent as formatLogged } from '../../observability/event-log.ts'
import {
  EXIT_TEXTS,
  listOutcomes,
  type RetentionResult,
  type RouteOutcome,
  type RouteResult,
  type RunResult,
  type ScheduledRunResults,
} from '../../app/outcome.ts'
import type { AlertCode } from '../../domain/alert.ts'
import type { PruneResult } from '../../domain/audit.ts'
import type { BridgeEvent } from '../../domain/event.ts'
import type { StateCounts } from '../../domain/record.ts'
import { formatWait } from '../../observability/format.ts'
import type { DeliveryResult } from '../../pipeline/outbound/deliver.ts'
import { isoTime } from '../../support/clock.ts'
import { FAILURES } from '../../support/errors.ts'
import { didYouMean } from '../../support/text.ts'
import { countWarnings, formatArchivedFile, formatReport, formatWaitingFile } from './inbound.ts'
import { formatInterchanges } from './interchanges.ts'
import { formatOutbound } from './outbound.ts'
import { formatCount, formatCounts, formatPause, formatWarnings } from './text.ts'

const REPORTED_BY_LINES: ReadonlySet<string> = new Set<AlertCode>([
  'records-held',
  'records-rejected',
  'file-unusable',
  'route-failing',
])

/** Formats the events that a person wants to see during a run. */
export function formatEvent(event: BridgeEvent): string | undefined {
  if (event.kind === 'columns-differ') return `${event.route}: ${event.file} ${formatColumnMismatch(event)}`
  if (event.kind === 'file-skipped') return `${event.route}: ${event.file} is skipped: ${event.why}`
  if (event.kind === 'cells-warned') return `${event.route}: ${formatLogged(event)}`
  if (event.kind === 'alert-raised') {
    // The lines about a file or a delivery say this already.
    if (REPORTED_BY_LINES.has(event.code)) return undefined
    const about = event.route === undefined ? '' : `${event.route}: `
    return `needs a person: ${about}${event.message}; fix: ${event.fix}`
  }
  if (event.kind === 'found-absent') return `${event.route}: ${formatLogged(event)}`
  if (event.kind !== 'waiting') return undefined
  const seconds = Math.round(event.ms / 1000)
  if (seconds === 0) return undefined
  return `${event.route}: ${event.file}: ${formatWait(event, formatCount(seconds, 'second'))}`
}

/** One or a few lines for each route. `terse`: leaves out routes that had nothing to do. */
export function formatRun(result: RunResult, { terse = false } = {}): string[] {
  const stranded = result.stranded.map(
    (route) =>
      `${route}: this route is not in the configuration any more, and it has unfinished work: give it back its name, or see dropbridge status`,
  )
  const isUsedUp = result.limit?.isReached === true
  const limit = `${result.limit?.records} records were sent, as many as --max-records allows; the next run sends the rest`
  const all = result.routes.map((each) => formatRoute(each, { terse, isUsedUp }))
  const isIdle = (lines: readonly string[], index: number) =>
    lines.length === 1 && lines[0] === formatNothing(result.routes[index]?.route ?? '')
  const idle = all.filter(isIdle).length
  const isCounted = idle >= IDLE_ROUTES_COUNTED
  return [
    ...all.filter((lines, index) => !(isCounted && isIdle(lines, index))).flat(),
    ...(isCounted ? [`${idle} routes: nothing to do`] : []),
    ...(isUsedUp ? [limit] : []),
    ...stranded,
    ...(terse ? [] : formatMistypedInboxes(result)),
    ...formatRetention(result.retention),
  ]
}

/** So many routes without work get one line together; `--json` names each. */
const IDLE_ROUTES_COUNTED = 20

function formatNothing(route: string): string {
  return `${route}: nothing to do`
}

/** Of routes that took nothing: with a file in the inbox, it has the right name. */
function formatMistypedInboxes({ mistyped = [], routes }: RunResult): string[] {
  const busy = routes.filter(hasRouteActivity).map(({ route }) => route)
  return mistyped
    .filter(({ key }) => !busy.includes(key))
    .flatMap(({ message, fix }) => [`warning: ${message}`, `    fix: ${fix}`])
}

/** What came of some routes, outside of a run. */
export function formatRouteResults(results: readonly RouteResult[]): string[] {
  return results.flatMap((each) => formatRoute(each, { terse: true, isUsedUp: false }))
}

interface RunFormat {
  readonly terse: boolean
  readonly isUsedUp: boolean
}

function formatRoute(result: RouteResult, { terse, isUsedUp }: RunFormat): string[] {
  const { route, scheduledRuns } = result
  const lines = scheduledRuns === undefined ? [] : formatScheduledRuns(route, scheduledRuns)
  switch (result.kind) {
    case 'failed': {
      const { failure } = result
      const details = [...failure.details, `fix: ${failure.fix}`].map((line) => `    ${line}`)
      return [...lines, ...formatFinishedWork(result), `${route}: ${failure.message}`, ...details]
    }
    case 'idle':
      return terse ? lines : [...lines, formatIdleRoute(route, scheduledRuns)]
    case 'busy':
      return terse ? lines : [...lines, `${route}: left to another bridge: ${result.why}`]
    case 'paused':
      return terse ? lines : [...lines, `${route}: not run: ${formatPause(result.pause)}`]
    case 'inbound':
    case 'interchanges':
    case 'outbound': {
      const formatted = formatOutcome(route, result, { terse, isUsedUp })
      const nothing = terse ? [] : [formatNothing(route)]
      return [...lines, ...(formatted.length > 0 ? formatted : nothing)]
    }
  }
}

export function formatFinishedWork({ route, done }: Extract<RouteResult, { kind: 'failed' }>): string[] {
  if (done === undefined) return []
  return formatOutcome(route, withoutOpenFiles(done), { terse: true, isUsedUp: false })
}

/** The failure says why they are open, except that several answers may have failed, each for its own reason. */
function withoutOpenFiles(done: RouteOutcome): RouteOutcome {
  switch (done.kind) {
    case 'inbound':
      return { ...done, pass: { ...done.pass, open: [] } }
    case 'interchanges':
      return { ...done, pass: { ...done.pass, open: done.pass.open.filter(({ failed }) => failed) } }
    case 'outbound':
      return done
  }
}

function formatOutcome(route: string, done: RouteOutcome, { terse, isUsedUp }: RunFormat): string[] {
  if (done.kind === 'outbound') return formatOutbound(route, done.pass, terse)
  if (done.kind === 'interchanges') return formatInterchanges(done.pass)
  const { reported, open, waiting, archived = [] } = done.pass
  const formatWhy = (why = 'some answers are not known yet') =>
    isUsedUp ? 'not all of it could be sent' : `${why}. Run again later`
  const unfinished = open.map(({ name, why }) => `${route}: ${name} is not finished: ${formatWhy(why)}`)
  const waits = terse ? [] : waiting.map(formatWaitingFile)
  const ended = archived.map((file) => formatArchivedFile(route, file))
  return [...ended, ...reported.flatMap(formatReport), ...unfinished, ...waits]
}

function formatScheduledRuns(route: string, { done = [], missed = [] }: ScheduledRunResults): string[] {
  const names = missed.length > 3 ? `${missed[0]} to ${missed.at(-1)}` : missed.join(', ')
  return [
    ...(missed.length > 0 ? [`${route}: missed for good, because it is too long ago: ${names}`] : []),
    ...(done.length > 1 ? [`${route}: makes up for ${done.slice(0, -1).join(', ')}`] : []),
  ]
}

/** Why no report was made, and how to make one all the same. */
function formatIdleRoute(route: string, { last, nextAt }: ScheduledRunResults = {}): string {
  const next = nextAt === undefined || nextAt === Infinity ? '' : `; the next run is at ${isoTime(nextAt)}`
  if (last === undefined) return `${route}: nothing is due${next}`
  return `${route}: nothing is due: the run of ${last} is over${next}. --again makes a report once more`
}

/** Describes what a misspelled column looks like: the mapping names a missing column, and the file has unused ones. */
export function formatColumnMismatch(columns: Record<'absent' | 'unused', readonly string[]>): string {
  const { absent, unused } = columns
  const listed = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')
  const unusedColumns = unused.length === 0 ? '' : `; not used: ${listed(unused)}`
  const meant = absent.map((name) => didYouMean(name, unused)).find((suggestion) => suggestion !== '') ?? ''
  return `has no column ${listed(absent)}, which the mapping names: nothing of it is sent${unusedColumns}${meant === '' ? '' : `.${meant}`}`
}

export function summarizeRun({ routes }: Pick<RunResult, 'routes'>) {
  const done = routes.flatMap(listOutcomes)
  const inbound = done.flatMap((each) => (each.kind === 'inbound' ? [each.pass] : []))
  const deliveries = done.flatMap((each) => (each.kind === 'outbound' ? each.pass.deliveries : []))
  const summaries = inbound.flatMap((pass) => pass.summaries)
  const archived = inbound.flatMap((pass) => pass.archived ?? [])
  const records: Partial<Record<string, number>> & StateCounts = {}
  const ended: (StateCounts & { total?: number })[] = [...summaries, ...archived].map((each) => each.records)
  for (const { total: _, ...counts } of ended) {
    for (const [state, count] of Object.entries(counts)) records[state] = (records[state] ?? 0) + count
  }
  return {
    /** Files that this run took in and reported, or that a failed run reported and this one finished. */
    files: summaries.length + archived.length,
    records,
    warnings: summaries.reduce((sum, summary) => sum + countWarnings(summary), 0),
    delivered: sumDeliveries(deliveries.filter(({ isNewlyDelivered }) => isNewlyDelivered)),
    /** Files that an earlier run delivered, and whose records this one acknowledged, as far as possible. */
    acknowledged: sumDeliveries(deliveries.filter(({ isNewlyDelivered }) => !isNewlyDelivered)),
    open: done.reduce((sum, each) => sum + (each.kind === 'outbound' ? 0 : each.pass.open.length), 0),
    failedRoutes: routes.filter((each) => each.kind === 'failed' && !isOutOfTime(each)).length,
    routesOutOfTime: routes.filter(isOutOfTime).length,
  }
}

function isOutOfTime(result: RouteResult): boolean {
  return result.kind === 'failed' && result.failure.code === 'time-over'
}

function sumDeliveries(deliveries: readonly DeliveryResult[]) {
  const records = deliveries.reduce((sum, { delivery }) => sum + delivery.records, 0)
  return { files: deliveries.length, records }
}

/** Whether the run did anything that a person wants to read; overdue work is reported once, as an alert. */
export function hasActivity(result: RunResult): boolean {
  const { retention, stranded, routes } = result
  return stranded.length > 0 || retention?.kind === 'failed' || routes.some(hasRouteActivity)
}

function hasRouteActivity(result: RouteResult): boolean {
  if ((result.scheduledRuns?.missed ?? []).length > 0) return true
  switch (result.kind) {
    case 'idle':
    case 'busy':
    case 'paused':
      return false
    case 'failed':
      return true
    case 'inbound':
      return result.pass.reported.length + result.pass.open.length + (result.pass.archived ?? []).length > 0
    case 'interchanges':
      return result.pass.reported.length + result.pass.open.length + result.pass.answers.length > 0
    case 'outbound':
      return (
        [result.pass.deliveries, result.pass.redeliveries ?? []].flat().length +
          result.pass.held +
          result.pass.missing >
        0
      )
  }
}

/** `3 files: 40 accepted, 1 rejected; exit 2: …`. `mapped` is the exit code of the program, for a scheduler. */
export function formatRunSummary(result: RunResult, mapped: number = result.exit): string {
  const { files, records, warnings, delivered, acknowledged, open, failedRoutes, routesOutOfTime } =
    summarizeRun(result)
  const file = (count: number) => formatCount(count, 'file')
  const record = (count: number) => formatCount(count, 'record')
  const earlier = formatCount(acknowledged.files, 'earlier file')
  const parts = [
    ...(files > 0
      ? [[`${file(files)}: ${formatCounts(records)}`, ...formatWarnings(warnings)].join(', ')]
      : []),
    ...(delivered.files > 0 ? [`${file(delivered.files)} delivered with ${record(delivered.records)}`] : []),
    ...(acknowledged.files > 0 ? [`${earlier} with ${record(acknowledged.records)} acknowledged`] : []),
    ...(open > 0 ? [`${file(open)} not finished`] : []),
    ...(failedRoutes > 0 ? [`${formatCount(failedRoutes, 'route')} failed`] : []),
    ...(routesOutOfTime > 0 ? [`${formatCount(routesOutOfTime, 'route')} not finished in time`] : []),
  ]
  const what = parts.length === 0 ? 'nothing to do' : parts.join('; ')
  const exit = mapped === result.exit ? `${mapped}` : `${mapped}, by the map for ${result.exit}`
  return `${what}; exit ${exit}: ${EXIT_TEXTS[result.exit]}`
}

/** For a run: no line when nothing was pruned. */
function formatRetention(retention: RetentionResult | undefined): string[] {
  if (retention === undefined) return []
  if (retention.kind === 'failed') {
    const { code, message } = retention.failure
    return [`contents that are kept no longer: ${message}`, `    fix: ${FAILURES[code].fix}`]
  }
  const { files, deliveries, records, resources, orderAttributes } = retention.pruned
  const isNothing = files + deliveries + records + resources + orderAttributes === 0
  return isNothing ? [] : [`pruned: ${formatPruned(retention.pruned)}`]
}

export function formatPruned({ files, deliveries, records, resources, orderAttributes }: PruneResult) {
  const work = `the contents of ${files} files, ${deliveries} deliveries and ${records} records`
  return `${work}; ${resources} resources and ${orderAttributes} kept values not seen since`
}
