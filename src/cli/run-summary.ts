/** What all routes of a run came to together: for the last line, and for programs. */
import { doneIn, type RouteResult, type RunResult } from '../bridge/outcome.ts'
import type { StateCounts } from '../domain/record.ts'
import type { DeliveryResult } from '../pipelines/outbound/finish-delivery.ts'
import { countsInWords } from './counts-in-words.ts'
import { exitInWords } from './exit-in-words.ts'

export interface RunSummary {
  /** Files that were taken in and reported, or that were reported by a run that failed and are done now. */
  readonly files: number
  /** What came of their records. */
  readonly records: StateCounts
  /** Files that were left for others, and the records in them. */
  readonly delivered: { readonly files: number; readonly records: number }
  /** Files that an earlier run left, and whose records are acknowledged now, as far as they can be. */
  readonly acknowledged: { readonly files: number; readonly records: number }
  /** Files that are not finished. */
  readonly open: number
  readonly failedRoutes: number
  /** Routes that were not done with when the time of the run was over. */
  readonly routesOutOfTime: number
}

export function summaryOf({ routes }: Pick<RunResult, 'routes'>): RunSummary {
  const done = routes.flatMap(doneIn)
  const inbound = done.flatMap((each) => (each.kind === 'inbound' ? [each.pass] : []))
  const deliveries = done.flatMap((each) => (each.kind === 'outbound' ? each.pass.deliveries : []))
  const summaries = inbound.flatMap((pass) => pass.summaries)
  const archived = inbound.flatMap((pass) => pass.archived ?? [])
  const records: Record<string, number> = {}
  const ended: (StateCounts & { total?: number })[] = [...summaries, ...archived].map((each) => each.records)
  for (const { total: _, ...counts } of ended) {
    for (const [state, count] of Object.entries(counts)) records[state] = (records[state] ?? 0) + count
  }
  return {
    files: summaries.length + archived.length,
    records,
    delivered: totalOf(deliveries.filter(({ isLeft }) => isLeft)),
    acknowledged: totalOf(deliveries.filter(({ isLeft }) => !isLeft)),
    open: inbound.reduce((sum, pass) => sum + pass.open.length, 0),
    failedRoutes: routes.filter((each) => each.kind === 'failed' && !isOutOfTime(each)).length,
    routesOutOfTime: routes.filter(isOutOfTime).length,
  }
}

function isOutOfTime(result: RouteResult): boolean {
  return result.kind === 'failed' && result.failure.code === 'time-over'
}

function totalOf(deliveries: readonly DeliveryResult[]): RunSummary['delivered'] {
  const records = deliveries.reduce((sum, { delivery }) => sum + delivery.records, 0)
  return { files: deliveries.length, records }
}

/** Whether the run came to anything that somebody may want to hear of; what is overdue is told once, as a finding. */
export function cameToSomething(result: RunResult): boolean {
  const { retention, stranded, routes } = result
  return stranded.length > 0 || retention?.kind === 'failed' || routes.some(isSomething)
}

function isSomething(result: RouteResult): boolean {
  if ((result.turns?.missed ?? []).length > 0) return true
  switch (result.kind) {
    case 'idle':
    case 'busy':
      return false
    case 'failed':
      return true
    case 'inbound':
      return result.pass.reported.length + result.pass.open.length + (result.pass.archived ?? []).length > 0
    case 'outbound': {
      const { deliveries, held, missing } = result.pass
      return deliveries.length + held + missing > 0
    }
  }
}

/**
 * `3 files: 40 accepted, 1 rejected; 1 file delivered with 5 records; exit 2: …`. `mapped` is what the program ends with
 * instead, for a scheduler.
 */
export function summaryInWords(result: RunResult, mapped: number = result.exit): string {
  const { files, records, delivered, acknowledged, open, failedRoutes, routesOutOfTime } = summaryOf(result)
  const parts = [
    ...(files > 0 ? [`${counted(files, 'file')}: ${countsInWords(records)}`] : []),
    ...(delivered.files > 0
      ? [`${counted(delivered.files, 'file')} delivered with ${counted(delivered.records, 'record')}`]
      : []),
    ...(acknowledged.files > 0
      ? [
          `${counted(acknowledged.files, 'earlier file')} with ${counted(acknowledged.records, 'record')} acknowledged`,
        ]
      : []),
    ...(open > 0 ? [`${counted(open, 'file')} not finished`] : []),
    ...(failedRoutes > 0 ? [`${counted(failedRoutes, 'route')} failed`] : []),
    ...(routesOutOfTime > 0 ? [`${counted(routesOutOfTime, 'route')} not finished in time`] : []),
  ]
  const what = parts.length === 0 ? 'nothing to do' : parts.join('; ')
  const exit = mapped === result.exit ? `${mapped}` : `${mapped}, by the map for ${result.exit}`
  return `${what}; exit ${exit}: ${exitInWords(result.exit)}`
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}
