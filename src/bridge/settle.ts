/** Carrying out what a person found out about a record whose answer was lost: noted first, then its file goes on. */
import { OPERATIONS, type InboundOperationName } from '../contract/operations.ts'
import type { InboundOperation } from '../contract/inbound-operations.ts'
import type { SettlementAction, UnsettledRecord } from '../domain/held.ts'
import type { FileEntry, Journal } from '../domain/journal.ts'
import { accountOf } from '../domain/route.ts'
import type { TracedRecord } from '../domain/trace.ts'
import { passFile } from '../pipelines/inbound/inbound.ts'
import type { InboundPass } from '../pipelines/inbound/progress.ts'
import type { Body } from '../pipelines/operations/operation.ts'
import { isShown, type Shown } from '../pipelines/operations/shown.ts'
import type { InboundParts } from '../pipelines/parts.ts'
import { assert, BridgeError } from '../support/errors.ts'
import {
  type DecisionResult,
  inboundRouteOf,
  keyOf,
  KNOWN_MAX,
  notKnown,
  reportedFirst,
  resultOf,
} from './decide.ts'
import { runRoute, type Workshop } from './run-route.ts'

export interface SettleRequest {
  readonly action: SettlementAction
  /** `ROUTE/KEY`, or a key where one record fits. */
  readonly what: string
  readonly by: string
  readonly why: string
  /** With `settle-accepted`: the id that the API gave. */
  readonly apiId?: string
}

export type SettleResult =
  | (DecisionResult & {
      readonly kind: 'settled'
      readonly record: UnsettledRecord
      readonly wasSeen?: boolean
    })
  /** What came of the records with this key is known. */
  | { readonly kind: 'known'; readonly records: readonly TracedRecord[] }
  /** A late answer may still come, for so long. */
  | { readonly kind: 'too-early'; readonly record: UnsettledRecord; readonly waitMs: number }
  /** The API shows that it cannot be so. */
  | { readonly kind: 'refused'; readonly record: UnsettledRecord; readonly why: string }

/** Throws `not-known` for what is not, and whatever keeps the file from being brought to its end. */
export async function settleRecord(
  shop: Workshop,
  request: SettleRequest,
  signal: AbortSignal,
): Promise<SettleResult> {
  const found = await recordMeant(shop, request.what)
  if ('known' in found) return { kind: 'known', records: found.known }
  const { record } = found
  const route = inboundRouteOf(shop.configuration, record.route)
  let verdict: Verdict | undefined
  const work = async (parts: InboundParts): Promise<InboundPass> => {
    verdict = await settleHeld(parts, record, request)
    if (verdict.kind === 'settled') return passFile(parts, record.file)
    return { route: route.name, summaries: [], reported: [], open: [], waiting: [] }
  }
  const result = await runRoute(shop, route, signal, { inbound: work })
  if (result.kind === 'failed') throw result.failure
  assert(result.kind === 'inbound' && verdict !== undefined, `${route.name} takes no files`)
  if (verdict.kind === 'refused' || verdict.kind === 'too-early') return { ...verdict, record }
  if (verdict.kind === 'known')
    return { kind: 'known', records: await knownRecords(shop.journal, `#${record.id}`) }
  const { file, decision, shown } = verdict
  const told = await resultOf(shop.journal, { file, action: request.action, decision, pass: result.pass })
  return { ...told, kind: 'settled', record, ...(shown === undefined ? {} : { wasSeen: shown === 'seen' }) }
}

type Verdict =
  | {
      readonly kind: 'settled'
      readonly file: FileEntry
      readonly decision: DecisionResult['decision']
      readonly shown?: Shown
    }
  | { readonly kind: 'known' }
  | { readonly kind: 'too-early'; readonly waitMs: number }
  | { readonly kind: 'refused'; readonly why: string }

/** While the route is held, so that nobody looks the record up or sends it at the same time. */
async function settleHeld(
  parts: InboundParts,
  { id, file: fileId }: UnsettledRecord,
  { action, by, why, apiId }: SettleRequest,
): Promise<Verdict> {
  const { journal, lease, route } = parts
  const file = await reportedFirst(parts, fileId)
  if (file.state === 'planned') await journal.recoverAttempts(lease, { file: fileId })
  const [record] = await journal.unsettledRecords(1, { key: `#${id}`, route: route.name })
  if (record === undefined) return { kind: 'known' }
  const waitMs = action === 'settle-accepted' ? 0 : await lateAnswerIn(parts, record)
  if (waitMs > 0) return { kind: 'too-early', waitMs }
  const shown = apiId === undefined ? undefined : await shownAs(parts, record, apiId)
  if (typeof shown === 'object') return { kind: 'refused', why: shown.refused }
  const named = apiId === undefined ? {} : { apiId, wasSeen: shown === 'seen' }
  const decision = await journal.settleByHand(lease, fileId, { action, by, why, record: id, ...named })
  if (decision === undefined) return { kind: 'known' }
  return { kind: 'settled', file, decision, ...(shown === undefined ? {} : { shown }) }
}

/**
 * How long a late answer may still come. By a clock that was set back it would be for hours: then the time is waited out
 * instead.
 */
async function lateAnswerIn(
  { route, clock, signal }: InboundParts,
  { state, since }: UnsettledRecord,
): Promise<number> {
  if (state !== 'uncertain') return 0
  const waitMs = since + route.lateAnswerMs - clock.now()
  if (waitMs <= route.lateAnswerMs) return Math.max(0, waitMs)
  await clock.sleep(route.lateAnswerMs, signal)
  if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
  return 0
}

/** Whatever the API shows, it must not be the id of another record. */
async function shownAs(
  { api, route, journal }: InboundParts,
  record: UnsettledRecord,
  id: string,
): Promise<Shown> {
  const operation = record.operation as InboundOperationName
  const { target }: InboundOperation = OPERATIONS[operation]
  let shown: Shown = 'believed'
  if (record.body !== undefined) {
    const body = JSON.parse(record.body) as Body
    const named = { operation, body, id, ...(target === undefined ? {} : { target }) }
    shown = await isShown(api, route.party, named)
    if (target !== undefined) return shown
  }
  const { records } = await journal.traceKey(id, { limit: ALIKE_MAX, everywhere: true })
  const account = accountOf(route.party)
  const other = records.find(
    (each) =>
      each.apiId === id && each.operation === operation && each.account === account && each.id !== record.id,
  )
  if (other === undefined) return shown
  const whose = `${id} is the id of ${other.keyValues.join(', ') || other.naturalKey || `#${other.id}`}`
  return { refused: typeof shown === 'object' ? `${shown.refused}; ${whose}` : whose }
}

/** How many records of a key are told apart in a message. */
const ALIKE_MAX = 20

type Meant = { readonly record: UnsettledRecord } | { readonly known: readonly TracedRecord[] }

async function recordMeant({ journal, configuration }: Workshop, what: string): Promise<Meant> {
  const slash = what.indexOf('/')
  const named = configuration.routes.find(
    ({ name, direction }) => direction === 'inbound' && slash !== -1 && name === what.slice(0, slash),
  )
  const of = named === undefined ? { key: what } : { key: what.slice(slash + 1), route: named.name }
  const exact = await journal.unsettledRecords(ALIKE_MAX, of)
  const records =
    exact.length > 0 ? exact : await journal.unsettledRecords(ALIKE_MAX, { ...of, isLoose: true })
  const known = exact.length > 0 ? [] : await knownRecords(journal, of.key, of.route)
  const isAmongKnown = known.some(({ id }) => records.some((each) => each.id === id))
  if (known.length > 0 && !isAmongKnown) return { known }
  const [first] = records
  if (first !== undefined && records.length === 1) return { record: first }
  if (first !== undefined) {
    const ids = records.map(
      ({ id, route, name, operation, lines }) =>
        `${route}/#${id}: ${operation}, ${name}, line ${lines[0]?.[0] ?? ''}`,
    )
    const message = `the answers of several records called ${of.key} were lost; name the one that is meant by its number`
    throw new BridgeError('usage-wrong', message, { details: ids })
  }
  const unsettled = await journal.unsettledRecords(
    KNOWN_MAX,
    named === undefined ? {} : { route: named.name },
  )
  throw notKnown(`no record "${what}" is known`, of.key, unsettled.map(keyOf))
}

async function knownRecords(journal: Journal, key: string, route?: string): Promise<TracedRecord[]> {
  const { records } = await journal.traceKey(key, {
    limit: ALIKE_MAX,
    ...(route === undefined ? {} : { route }),
  })
  return records.filter(({ direction, isMeant }) => direction === 'incoming' && isMeant)
}
