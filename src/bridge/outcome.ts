/** What a run came to, and the exit code that says it. */
import { type BridgeError, EXIT, type ExitCode } from '../support/errors.ts'
import type { InboundPass } from '../pipelines/inbound/inbound.ts'
import type { OutboundPass } from '../pipelines/outbound/outbound.ts'
import type { Retention } from './retention.ts'

/** One route's part of a run: what it did, or why it could not. */
export type RouteResult = { readonly route: string } & (
  | { readonly kind: 'inbound'; readonly pass: InboundPass }
  | { readonly kind: 'outbound'; readonly pass: OutboundPass }
  | { readonly kind: 'failed'; readonly failure: BridgeError }
)

export interface RunResult {
  readonly routes: readonly RouteResult[]
  /** Routes with unfinished work that the configuration does not have any more: nobody goes on with it. */
  readonly stranded: readonly string[]
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
  if (result.kind === 'failed') return [result.failure.exit]
  return result.kind === 'inbound' ? inboundCodes(result.pass) : outboundCodes(result.pass)
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

function outboundCodes({ deliveries, held, missing }: OutboundPass): ExitCode[] {
  const codes: ExitCode[] = held + missing > 0 ? [EXIT.rejects] : []
  for (const { delivery, records } of deliveries) {
    if (delivery.state !== 'acknowledged' && delivery.state !== 'done') codes.push(EXIT.tryLater)
    if ((records.rejected ?? 0) + (records.held ?? 0) > 0) codes.push(EXIT.rejects)
  }
  return codes
}
