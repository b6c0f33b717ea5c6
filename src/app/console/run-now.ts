/** A run that a person starts from the page of a route: what came of it, as plain data, and what the page of it shows. */
import { PROBLEMS, type ProblemCode } from '../../domain/problem.ts'
import type { RouteResults } from '../../domain/alert.ts'
import type { StateCounts } from '../../domain/record.ts'
import type { ReportedFile } from '../../pipeline/inbound/report.ts'
import type { ExitCode } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { Bridge } from '../bridge.ts'
import { EXIT_TEXTS, fullMessage, listOutcomes, type RouteResult } from '../outcome.ts'
import type { ConsoleContext } from './context.ts'
import { findOwner, type ShownPause } from './routes.ts'

/** Files that a run may list; those of a longer one are on the page of files. */
const LISTED_MAX = 100

/** Why work that a person asked for failed. */
export interface HandFailure {
  readonly code: string
  readonly message: string
  readonly fix: string
  readonly details: readonly string[]
}

export interface RunProblem {
  readonly code: string
  readonly title: string
  readonly fix: string
  /** Left out where it is about the file as a whole. */
  readonly records?: number
}

export interface RunFile {
  /** Left out where it is not in the journal any more. */
  readonly id?: string
  readonly name: string
  readonly outcome: string
  readonly records: StateCounts
  readonly problems: readonly RunProblem[]
}

export interface RunReport {
  readonly exit: ExitCode
  /** The run left the route as it is. */
  readonly paused?: Pick<ShownPause, 'by' | 'until' | 'why'>
  /** The first of the incoming files that it finished. */
  readonly files: readonly RunFile[]
  /** The first of the outgoing ones. */
  readonly deliveries: readonly { readonly id: string; readonly name: string; readonly records: number }[]
  /** Names of files that are not finished, and of those that only wait for their orders. */
  readonly open: readonly string[]
  readonly waiting: readonly string[]
  readonly failures: readonly (HandFailure & { readonly route: string })[]
}

/** A run that a person started here, and what is known of it. */
export interface RunWork {
  readonly route: string
  readonly by: string
  readonly at: number
  /** Why it waits, as far as it was last known. */
  readonly busy?: string
  readonly report?: RunReport
  readonly failure?: HandFailure
}

export interface RunRequest {
  readonly route: string
  /** Makes the report of the last business date, also where one exists: `dropbridge run --again ROUTE`. */
  readonly isAgain?: boolean
}

/** As `dropbridge run ROUTE` does it. Throws `lease-held` while another bridge works on the route. */
export async function runNow(
  bridge: Bridge,
  { route, isAgain = false }: RunRequest,
  signal: AbortSignal,
): Promise<RunReport> {
  const { routes, exit } = await bridge.run([route], signal, isAgain ? { scheduleMode: 'again' } : {})
  const own = routes.find((each) => each.route === route)
  if (own?.kind === 'failed' && own.failure.code === 'lease-held') throw own.failure
  await bridge.publishAlerts(toTried(routes))
  const outcomes = routes.flatMap(listOutcomes)
  const passes = outcomes.flatMap((done) => (done.kind === 'inbound' ? [done.pass] : []))
  const reported = passes.flatMap((pass) => pass.reported).slice(0, LISTED_MAX)
  const { by, until, why } = own?.kind === 'paused' ? own.pause : {}
  return {
    exit,
    ...(by !== undefined && until !== undefined && why !== undefined && { paused: { by, until, why } }),
    files: await Promise.all(reported.map((each) => showFile(bridge, each))),
    deliveries: outcomes
      .flatMap((done) => (done.kind === 'outbound' ? done.pass.deliveries : []))
      .slice(0, LISTED_MAX)
      .map(({ delivery: { id, name, records } }) => ({ id, name, records })),
    open: passes.flatMap((pass) => pass.open.map(({ name }) => name)),
    waiting: passes.flatMap((pass) => pass.waiting.map(({ name }) => name)),
    failures: routes.flatMap(listFailures),
  }
}

function listFailures(result: RouteResult): RunReport['failures'] {
  if (result.kind !== 'failed') return []
  const { code, message, fix, details } = result.failure
  return [{ route: result.route, code, message, fix, details }]
}

function toTried(results: readonly RouteResult[]): RouteResults {
  const tried = results.filter(({ kind }) => kind !== 'paused' && kind !== 'busy')
  const failures = tried.flatMap((result) => {
    if (result.kind !== 'failed') return []
    const { code, fix } = result.failure
    return [{ route: result.route, code, message: fullMessage(result.failure), fix }]
  })
  return { routes: tried.map(({ route }) => route), failures }
}

async function showFile({ journal }: Bridge, { summary }: ReportedFile): Promise<RunFile> {
  const { file: name, route, outcome, records, codes } = summary
  const { total: _, ...counts } = records
  const found = await journal.findFilesByName(name, LISTED_MAX)
  const ofRecords = Object.entries(codes).map(([code, count]) => ({ ...nameProblem(code), records: count }))
  const ofFile = summary.problems.map(({ code, fix }) => ({ ...nameProblem(code), fix }))
  const id = found.find((each) => each.route === route)?.id
  return omitUndefined({ id, name, outcome, records: counts, problems: [...ofFile, ...ofRecords] })
}

function nameProblem(code: string): RunProblem {
  const known = PROBLEMS[code as ProblemCode] as { readonly title: string; readonly fix: string } | undefined
  return { code, title: known?.title ?? code, fix: known?.fix ?? '' }
}

// The page of a run.

export interface RunPage {
  readonly route: string
  /** `lost`: the console was started again since, or it ran elsewhere. */
  readonly state: 'lost' | 'waiting' | 'working' | 'done' | 'failed'
  /** The process that works on the route, while it is waited for. */
  readonly waitsFor?: string
  readonly by?: string
  readonly at?: number
  readonly report?: RunReport
  /** How the run ended. */
  readonly end?: string
  readonly failure?: HandFailure
}

/** Undefined where the configuration has no such route. */
export async function readRunPage(
  context: ConsoleContext,
  route: string,
  work: RunWork | undefined,
): Promise<RunPage | undefined> {
  if (!context.configuration.routes.some(({ name }) => name === route)) return undefined
  if (work?.route !== route) return { route, state: 'lost' }
  const { by, at, report, failure, busy } = work
  if (report !== undefined) return { route, state: 'done', by, at, report, end: EXIT_TEXTS[report.exit] }
  if (failure !== undefined) return { route, state: 'failed', by, at, failure }
  // The last word of another process stands until it has given the route back.
  const owner = await findOwner(context, route)
  if (owner === undefined || busy?.includes(owner) !== true) return { route, state: 'working', by, at }
  return { route, state: 'waiting', waitsFor: owner, by, at }
}
