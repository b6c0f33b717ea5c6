/** What a run came to, and the exit code that says it. */
import { type BridgeError, EXIT, type ExitCode } from '../support/errors.ts'
import type { InboundPass } from '../pipelines/inbound/progress.ts'
import type { OutboundPass } from '../pipelines/outbound/outbound.ts'
import type { Retention } from './retention.ts'

/** What passes over a route came to. */
export type Done =
  | { readonly kind: 'inbound'; readonly pass: InboundPass }
  | { readonly kind: 'outbound'; readonly pass: OutboundPass }

/** One route's part of a run: what it did, or why it could not. */
export type RouteResult = {
  readonly route: string
  /** Of a route with a schedule, which turns it had. */
  readonly turns?: TurnsOfPass
} & (
  | Done
  /** With what was done before, if anything was begun. */
  | { readonly kind: 'failed'; readonly failure: BridgeError; readonly done?: Done }
  /** Nothing was due, and nothing unfinished. */
  | { readonly kind: 'idle' }
  /** It was left to another bridge, as asked: who is working on it. */
  | { readonly kind: 'busy'; readonly why: string }
)

/** The turns that a pass was for, by their business dates or instants. */
export interface TurnsOfPass {
  readonly done?: readonly string[]
  /** What was done for these as well. */
  readonly covered?: readonly string[]
  /** Nobody will carry these out: they are too long ago. */
  readonly missed?: readonly string[]
  /** A report was made once more for this business date. */
  readonly again?: string
  /** The last business date that had its turn, where nothing is due. */
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
  readonly retention?: Retention
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

export function exitOf(
  routes: readonly RouteResult[],
  stranded: readonly string[],
  retention?: Retention,
): ExitCode {
  const codes = new Set(routes.flatMap(codesOf))
  if (stranded.length > 0) codes.add(EXIT.tryLater)
  if (retention?.kind === 'failed') codes.add(retention.failure.exit)
  return BY_URGENCY.find((code) => codes.has(code)) ?? EXIT.ok
}

function codesOf(result: RouteResult): ExitCode[] {
  const codes = doneIn(result).flatMap((done) =>
    done.kind === 'inbound' ? inboundCodes(done.pass) : outboundCodes(done.pass),
  )
  return result.kind === 'failed' ? [result.failure.exit, ...codes] : codes
}

/** What was done on the route, whether it failed later or not. */
export function doneIn(result: RouteResult): readonly Done[] {
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

function inboundCodes({ summaries, open }: InboundPass): ExitCode[] {
  const codes: ExitCode[] = open.length > 0 ? [EXIT.tryLater] : []
  for (const { outcome, records, documents = {} } of summaries) {
    if ((documents.missing ?? 0) + (documents.refused ?? 0) > 0) codes.push(EXIT.rejects)
    if (outcome === 'unusable') codes.push(EXIT.unusableFile)
    if ((records.rejected ?? 0) + (records.held ?? 0) > 0) codes.push(EXIT.rejects)
  }
  return codes
}

/** A file that waits to be taken or confirmed is as it should be, until it is overdue: then somebody has to look. */
function outboundCodes({ deliveries, awaited, heldDeliveries, held, missing }: OutboundPass): ExitCode[] {
  const overdue = awaited?.overdue ?? 0
  const waiting = held + missing + overdue + (heldDeliveries?.count ?? 0)
  const codes: ExitCode[] = waiting > 0 ? [EXIT.rejects] : []
  for (const { delivery, isAwaited, records } of deliveries) {
    const waits = isAwaited === true || delivery.held !== undefined
    if (!waits && delivery.state !== 'acknowledged' && delivery.state !== 'done') codes.push(EXIT.tryLater)
    if ((records.rejected ?? 0) + (records.held ?? 0) > 0) codes.push(EXIT.rejects)
  }
  return codes
}
