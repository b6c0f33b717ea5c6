/** The outcome of a run: what each route did or why it failed, what was pruned, and the exit code. */
import type { PruneResult } from '../domain/audit.ts'
import type { InboundOutcome } from '../pipeline/inbound/inbound.ts'
import type { OutboundOutcome } from '../pipeline/outbound/outbound.ts'
import { BridgeError, EXIT, type ExitCode } from '../support/errors.ts'
import type { BridgeContext } from './context.ts'

/** What passes over a route came to. */
export type RouteOutcome =
  | { readonly kind: 'inbound'; readonly pass: InboundOutcome }
  | { readonly kind: 'outbound'; readonly pass: OutboundOutcome }

/** One route's part of a run: what it did, or why it could not. */
export type RouteResult = {
  readonly route: string
  /** Of a route with a schedule, which runs it had. */
  readonly scheduledRuns?: ScheduledRunResults
} & (
  | RouteOutcome
  /** With what was done before, if anything was begun. */
  | { readonly kind: 'failed'; readonly failure: BridgeError; readonly done?: RouteOutcome }
  /** Nothing was due, and nothing unfinished. */
  | { readonly kind: 'idle' }
  /** It was left to another bridge, as asked: who is working on it. */
  | { readonly kind: 'busy'; readonly why: string }
)

/** The runs that a pass was for, by their business dates or instants. */
export interface ScheduledRunResults {
  readonly done?: readonly string[]
  /** What was done for these as well. */
  readonly covered?: readonly string[]
  /** Nobody will carry these out: they are too long ago. */
  readonly missed?: readonly string[]
  /** A report was made once more for this business date. */
  readonly again?: string
  /** The last business date that had its run, where nothing is due. */
  readonly last?: string
  /** When the next one is due, milliseconds, where nothing is. */
  readonly nextAt?: number
}

export interface RunResult {
  readonly routes: readonly RouteResult[]
  /** Routes with unfinished work that the configuration does not have any more: nobody goes on with it. */
  readonly stranded: readonly string[]
  /** How many records could be sent at most, and whether more were there; left out where there was no bound. */
  readonly limit?: { readonly records: number; readonly isReached: boolean }
  /** Left out where contents are kept for ever. */
  readonly retention?: RetentionResult
  readonly exit: ExitCode
}

/** When several routes end differently, the code that needs somebody soonest wins. */
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
  const codes = listOutcomes(result).flatMap((done) =>
    done.kind === 'inbound' ? listInboundExitCodes(done.pass) : listOutboundExitCodes(done.pass),
  )
  return result.kind === 'failed' ? [result.failure.exit, ...codes] : codes
}

/** What was done on the route, whether it failed later or not. */
export function listOutcomes(result: RouteResult): readonly RouteOutcome[] {
  switch (result.kind) {
    case 'inbound':
    case 'outbound':
      return [result]
    case 'failed':
      return result.done === undefined ? [] : [result.done]
    case 'idle':
    case 'busy':
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

/** A file that waits to be taken or confirmed is as it should be, until it is overdue: then somebody has to look. */
function listOutboundExitCodes(pass: OutboundOutcome): ExitCode[] {
  const waiting = pass.held + pass.missing + (pass.awaited?.overdue ?? 0) + (pass.heldDeliveries?.count ?? 0)
  const codes: ExitCode[] = waiting > 0 ? [EXIT.rejects] : []
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

/** Undefined when contents are kept for ever. A failure is a result: what the routes did must be told anyway. */
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

/** What nobody foresaw is a bug of ours; the next pass goes on from where the journal stands. */
export function toBridgeError(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error
  const details = error instanceof Error && error.stack !== undefined ? [error.stack] : []
  return new BridgeError('bug', `something unexpected happened: ${String(error)}`, { cause: error, details })
}

/** The words for those who see nothing else of it. What is said of a place that is away includes what to do about it. */
export function fullMessage({ code, message, details }: BridgeError): string {
  return code === 'mailbox-unreachable' ? [message, ...details].join(' ') : message
}
