/** The outcome of a run: what each route did or why it failed, what was pruned, and the exit code. */
import type { MistypedInbox } from '../alerts/misplaced.ts'
import type { PruneResult } from '../domain/audit.ts'
import type { Pause } from '../domain/scheduled-run.ts'
import type { InterchangeOutcome } from '../pipeline/interchanges/interchange-pass.ts'
import type { InboundOutcome } from '../pipeline/inbound/inbound.ts'
import type { OutboundOutcome } from '../pipeline/outbound/outbound.ts'
import type { RedeliveryResult } from '../pipeline/outbound/redeliver.ts'
import { BridgeError, EXIT, type ExitCode } from '../support/errors.ts'
import type { BridgeContext } from './context.ts'

export type RouteOutcome =
  | { readonly kind: 'inbound'; readonly pass: InboundOutcome }
  | { readonly kind: 'outbound'; readonly pass: OutboundOutcome }
  /** Of an inbox of interchanges. */
  | { readonly kind: 'interchanges'; readonly pass: InterchangeOutcome }

/** One route's part of a run: what it did, or why it could not. */
export type RouteResult = {
  readonly route: string
  readonly scheduledRuns?: ScheduledRunResults
} & (
  | RouteOutcome
  /** `done`: the work before the failure, if any began. */
  | { readonly kind: 'failed'; readonly failure: BridgeError; readonly done?: RouteOutcome }
  /** Nothing was due, and nothing unfinished. */
  | { readonly kind: 'idle' }
  /** The route was left to the bridge that works on it, as the options say; `why` names that bridge. */
  | { readonly kind: 'busy'; readonly why: string }
  /** A person paused the route: nothing of it was done. */
  | { readonly kind: 'paused'; readonly pause: Pause }
)

/** The runs that a pass was for, by their business dates or instants. */
export interface ScheduledRunResults {
  readonly done?: readonly string[]
  /** The pass did the work of these runs too. */
  readonly covered?: readonly string[]
  /** Missed for good: they are too long ago. */
  readonly missed?: readonly string[]
  /** The pass made the report of this business date once more. */
  readonly again?: string
  /** The last business date whose run is over, where nothing is due. */
  readonly last?: string
  /** When the next run is due, in milliseconds since 1970, where nothing is due now. */
  readonly nextAt?: number
}

export interface RunResult {
  readonly routes: readonly RouteResult[]
  /** Routes with unfinished work that are no longer in the configuration: no bridge continues it. */
  readonly stranded: readonly string[]
  /** Routes that took nothing, because their files come into a folder beside the inbox; left out where there are none. */
  readonly mistyped?: readonly MistypedInbox[]
  /** The bound on sent records, and whether more were waiting; left out where there was no bound. */
  readonly limit?: { readonly records: number; readonly isReached: boolean }
  /** Left out where contents are kept for ever. */
  readonly retention?: RetentionResult
  readonly exit: ExitCode
}

/** How a run ended, for people. */
export const EXIT_TEXTS: Readonly<Record<ExitCode, string>> = {
  [EXIT.ok]: 'all is well',
  [EXIT.rejects]: 'finished; something was refused, is held, missing or overdue: see above, and the results',
  [EXIT.usage]: 'the command line is wrong',
  [EXIT.unusableFile]: 'a file could not be used as a whole',
  [EXIT.unavailable]: 'the API or a mailbox could not be reached; the work is kept',
  [EXIT.bug]: 'something unexpected happened; please report it',
  [EXIT.cannotWrite]: 'something could not be written: disk or rights',
  [EXIT.tryLater]: 'not all could be finished yet; the next run continues',
  [EXIT.refusedCredentials]: 'credentials or a host key were refused',
  [EXIT.badConfiguration]: 'the configuration or a mapping is wrong',
  [EXIT.interrupted]: 'stopped by a signal; the next run continues',
  [EXIT.terminated]: 'stopped by a signal; the next run continues',
}

/** When routes end differently, the most urgent code wins. */
const BY_URGENCY: readonly ExitCode[] = [
  EXIT.bug,
  EXIT.usage,
  EXIT.badConfiguration,
  EXIT.refusedCredentials,
  EXIT.cannotWrite,
  EXIT.interrupted,
  EXIT.unavailable,
  EXIT.tryLater,
  EXIT.unusableFile,
  EXIT.rejects,
]

export function chooseExitCode(
  routes: readonly RouteResult[],
  stranded: readonly string[],
  retention?: RetentionResult,
): ExitCode {
  const codes = new Set(routes.flatMap(listExitCodes))
  if (stranded.length > 0) codes.add(EXIT.tryLater)
  if (retention?.kind === 'failed') codes.add(retention.failure.exit)
  return BY_URGENCY.find((code) => codes.has(code)) ?? EXIT.ok
}

function listExitCodes(result: RouteResult): ExitCode[] {
  const codes = listOutcomes(result).flatMap(listOutcomeExitCodes)
  return result.kind === 'failed' ? [result.failure.exit, ...codes] : codes
}

function listOutcomeExitCodes(done: RouteOutcome): ExitCode[] {
  switch (done.kind) {
    case 'inbound':
      return listInboundExitCodes(done.pass)
    case 'outbound':
      return listOutboundExitCodes(done.pass)
    case 'interchanges':
      return listInterchangeExitCodes(done.pass)
  }
}

/** The work done on the route, whether it failed later or not. */
export function listOutcomes(result: RouteResult): readonly RouteOutcome[] {
  switch (result.kind) {
    case 'inbound':
    case 'outbound':
    case 'interchanges':
      return [result]
    case 'failed':
      return result.done === undefined ? [] : [result.done]
    case 'idle':
    case 'busy':
    case 'paused':
      return []
  }
}

function listInboundExitCodes({ summaries, open }: InboundOutcome): ExitCode[] {
  const codes: ExitCode[] = open.length > 0 ? [EXIT.tryLater] : []
  for (const { outcome, records, documents = {} } of summaries) {
    if ((documents.missing ?? 0) + (documents.refused ?? 0) > 0) codes.push(EXIT.rejects)
    if (outcome === 'unusable') codes.push(EXIT.unusableFile)
    if ((records.rejected ?? 0) + (records.held ?? 0) > 0) codes.push(EXIT.rejects)
  }
  return codes
}

/** What was refused of a set is an exit code of the route that got it. */
function listInterchangeExitCodes({ reported, open }: InterchangeOutcome): ExitCode[] {
  const codes: ExitCode[] = open.every(({ isWaiting }) => isWaiting) ? [] : [EXIT.tryLater]
  for (const { summary } of reported) {
    if (summary.outcome === 'unusable') codes.push(EXIT.unusableFile)
    const { refused = 0, held = 0 } = summary.sets
    if (refused + held + summary.problems.length > 0) codes.push(EXIT.rejects)
  }
  return codes
}

/** A delivery may wait for its confirmation until it is overdue; then a person has to check. */
function listOutboundExitCodes(pass: OutboundOutcome): ExitCode[] {
  const waiting = pass.held + pass.missing + (pass.awaited?.overdue ?? 0) + (pass.heldDeliveries?.count ?? 0)
  const isAgain = ({ redelivery }: RedeliveryResult) => redelivery.state === 'delivered'
  const codes: ExitCode[] = waiting > 0 || pass.redeliveries?.every(isAgain) === false ? [EXIT.rejects] : []
  for (const { delivery, isAwaited, records } of pass.deliveries) {
    const waits = isAwaited === true || delivery.held !== undefined
    if (!waits && delivery.state !== 'acknowledged' && delivery.state !== 'done') codes.push(EXIT.tryLater)
    if ((records.rejected ?? 0) + (records.held ?? 0) > 0) codes.push(EXIT.rejects)
  }
  return codes
}

// After its routes, a run prunes the contents of old finished work.

export type RetentionResult =
  | { readonly kind: 'pruned'; readonly pruned: PruneResult }
  | { readonly kind: 'failed'; readonly failure: BridgeError }

/** Undefined when contents are kept for ever. A failure is a result: the run must report what the routes did anyway. */
export async function applyRetention(
  { journal, configuration: { keepContentsMs }, options }: BridgeContext,
  signal: AbortSignal,
): Promise<RetentionResult | undefined> {
  if (keepContentsMs === undefined || signal.aborted) return undefined
  try {
    const before = options.clock.now() - keepContentsMs
    return { kind: 'pruned', pruned: await journal.prune({ before, signal }) }
  } catch (error) {
    if (error instanceof BridgeError) return { kind: 'failed', failure: error }
    throw error
  }
}

/** An unexpected error is a bug of the bridge; the next pass continues from what the journal holds. */
export function toBridgeError(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error
  const details = error instanceof Error && error.stack !== undefined ? [error.stack] : []
  return new BridgeError('bug', `something unexpected happened: ${String(error)}`, { cause: error, details })
}

/** The message for readers who see neither details nor fix. For an unreachable mailbox, the details say what to do. */
export function fullMessage({ code, message, details }: BridgeError): string {
  return code === 'mailbox-unreachable' ? [message, ...details].join(' ') : message
}
