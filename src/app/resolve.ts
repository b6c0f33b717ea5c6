/** Carries out what a person found out about a lost answer or a held delivery. The journal notes it first. */
import type { InterchangeInbox } from '../config/edi.ts'
import { findTargetField, type InboundOperationName } from '../contract/operations.ts'
import type { DecisionEntry, NewResolution, UnresolvedRecord } from '../domain/decision.ts'
import type { DeliveryEntry, NewDeliveryResolution } from '../domain/delivery.ts'
import type { FileEntry } from '../domain/file.ts'
import { formatAccount } from '../domain/route.ts'
import type { TracedRecord } from '../domain/trace.ts'
import { type ClaimVerdict, verifyClaimedId } from '../operations/claimed-id.ts'
import type { RequestBody } from '../operations/operation.ts'
import type { InboundContext, OutboundContext } from '../pipeline/context.ts'
import { type InboundOutcome, resumeFile } from '../pipeline/inbound/inbound.ts'
import { resolveAnswer } from '../pipeline/interchanges/answers.ts'
import { getInterchangeOutcome, resumeInterchanges } from '../pipeline/interchanges/interchange-pass.ts'
import { type DeliveryResult, finishDelivery } from '../pipeline/outbound/deliver.ts'
import { getOutboundOutcome, type OutboundOutcome } from '../pipeline/outbound/outbound.ts'
import { getFolderPlace } from '../pipeline/outbound/outbox.ts'
import { isoTime } from '../support/clock.ts'
import { assert, BridgeError, type ExitCode, usageError, throwIfStopped } from '../support/errors.ts'
import { omitUndefined } from '../support/object-paths.ts'
import { rankSimilarNames } from '../support/text.ts'
import type { BridgeContext } from './context.ts'
import {
  buildDecisionResult,
  chooseOnly,
  type DecisionResult,
  findKnownRecords,
  finishPendingReport,
  formatRecordKey,
  getInboundRoute,
  KNOWN_KEYS_MAX,
  unknownKeyError,
} from './decide.ts'
import { chooseExitCode, listOutcomes } from './outcome.ts'
import { runInbox } from './run-inbox.ts'
import { runRoute } from './run-route.ts'

type Resolving = Pick<NewResolution, 'action' | 'by' | 'why' | 'via' | 'apiId'>

export interface ResolveRequest extends Omit<Resolving, 'action'> {
  /** Left out: an unknown record is reported first, and of a known one the outcome is asked for. */
  readonly action?: Resolving['action'] | undefined
  /** `ROUTE/KEY`, or a key where one record fits. */
  readonly what: string
  /** Called when the journal has noted the decision, before the record is sent again. */
  readonly onDecided?: (decision: DecisionEntry) => void
}

export type ResolveResult =
  | (DecisionResult & {
      readonly kind: 'resolved'
      readonly record: UnresolvedRecord
      readonly wasSeen?: boolean
    })
  /** The outcome of the records with this key is known. */
  | { readonly kind: 'known'; readonly records: readonly TracedRecord[] }
  /** A late answer may still come, for `waitMs`. */
  | { readonly kind: 'too-early'; readonly record: UnresolvedRecord; readonly waitMs: number }
  /** The API contradicts the claim. */
  | { readonly kind: 'refused'; readonly record: UnresolvedRecord; readonly why: string }

const ONE_OUTCOME = 'the command does not say what came of it'

const OUTCOME_FIX = 'Add --accepted ID, --absent or --discard; of a held delivery --delivered or --again.'

/** Throws `not-known` for an unknown record, and every failure that keeps the file from being finished. */
export async function resolveRecord(
  context: BridgeContext,
  request: ResolveRequest,
  signal: AbortSignal,
): Promise<ResolveResult> {
  const { action, what } = request
  if (action === undefined && (await listHeldNamed(context, what)).length > 0)
    throw usageError(ONE_OUTCOME, OUTCOME_FIX)
  const found = await findRecord(context, what)
  if ('known' in found) return { kind: 'known', records: found.known }
  if (action === undefined) throw usageError(ONE_OUTCOME, OUTCOME_FIX)
  const { record } = found
  const route = getInboundRoute(context.configuration, record.route)
  let verdict: Resolution | undefined
  const work = async (parts: InboundContext): Promise<InboundOutcome> => {
    verdict = await resolveUnderLease(parts, record, { ...request, action })
    if (verdict.kind === 'resolved') return resumeFile(parts, record.file)
    return { route: route.name, summaries: [], reported: [], open: [], waiting: [] }
  }
  const result = await runRoute(context, route, signal, { inbound: work })
  if (result.kind === 'failed') throw result.failure
  assert(result.kind === 'inbound' && verdict !== undefined, `${route.name} takes no files`)
  if (verdict.kind === 'refused' || verdict.kind === 'too-early') return { ...verdict, record }
  if (verdict.kind === 'known')
    return { kind: 'known', records: await findKnownRecords(context.journal, { key: `#${record.id}` }) }
  const { file, decision, shown } = verdict
  const base = await buildDecisionResult(context.journal, file, decision, result.pass)
  return { ...base, kind: 'resolved', record, ...(shown === undefined ? {} : { wasSeen: shown === 'seen' }) }
}

type Resolution =
  | {
      readonly kind: 'resolved'
      readonly file: FileEntry
      readonly decision: DecisionResult['decision']
      readonly shown?: ClaimVerdict
    }
  | { readonly kind: 'known' }
  | { readonly kind: 'too-early'; readonly waitMs: number }
  | { readonly kind: 'refused'; readonly why: string }

/** Runs under the lease, so that no other process looks the record up or sends it at the same time. */
async function resolveUnderLease(
  context: InboundContext,
  { id, file: fileId }: UnresolvedRecord,
  { action, by, why, via, apiId, onDecided }: ResolveRequest & Resolving,
): Promise<Resolution> {
  const { journal, lease, route } = context
  const file = await finishPendingReport(context, fileId)
  if (file.state === 'planned') await journal.recoverAttempts(lease, { file: fileId })
  const [record] = await journal.listUnresolvedRecords(1, { key: `#${id}`, route: route.name })
  if (record === undefined) return { kind: 'known' }
  const waitMs = action === 'resolve-accepted' ? 0 : await waitForLateAnswer(context, record)
  if (waitMs > 0) return { kind: 'too-early', waitMs }
  const shown = apiId === undefined ? undefined : await checkClaimedId(context, record, apiId)
  if (typeof shown === 'object') return { kind: 'refused', why: shown.refused }
  const named = apiId === undefined ? {} : { apiId, wasSeen: shown === 'seen' }
  const resolution = omitUndefined({ action, by, why, via, record: id, ...named })
  const decision = await journal.resolveRecord(lease, fileId, resolution)
  if (decision === undefined) return { kind: 'known' }
  onDecided?.(decision)
  return { kind: 'resolved', file, decision, ...(shown === undefined ? {} : { shown }) }
}

/** How long a late answer may still come. After a clock was set back that would be hours, so this waits the time itself. */
async function waitForLateAnswer(
  { route, clock, signal }: InboundContext,
  { state, since }: UnresolvedRecord,
): Promise<number> {
  if (state !== 'uncertain') return 0
  const waitMs = since + route.lateAnswerMs - clock.now()
  if (waitMs <= route.lateAnswerMs) return Math.max(0, waitMs)
  await clock.sleep(route.lateAnswerMs, signal)
  throwIfStopped(signal)
  return 0
}

/** Checks that the id is not the id of another record, whatever the API shows. */
async function checkClaimedId({ api, route, journal }: InboundContext, record: UnresolvedRecord, id: string) {
  const operation = record.operation as InboundOperationName
  let shown: ClaimVerdict = 'believed'
  if (record.body !== undefined) {
    const body = JSON.parse(record.body) as RequestBody
    shown = await verifyClaimedId(api, route.party, { operation, body, id })
    if (findTargetField(operation) !== undefined) return shown
  }
  const { records } = await journal.traceKey(id, { limit: AMBIGUOUS_MAX, everywhere: true })
  const account = formatAccount(route.party)
  const other = records.find(
    (each) =>
      each.apiId === id && each.operation === operation && each.account === account && each.id !== record.id,
  )
  if (other === undefined) return shown
  const whose = `${id} is the id of ${other.keyValues.join(', ') || other.naturalKey || `#${other.id}`}`
  return { refused: typeof shown === 'object' ? `${shown.refused}; ${whose}` : whose }
}

/** How many records of one key a message lists. */
const AMBIGUOUS_MAX = 20

type RecordMatch = { readonly record: UnresolvedRecord } | { readonly known: readonly TracedRecord[] }

async function findRecord({ journal, configuration }: BridgeContext, what: string): Promise<RecordMatch> {
  const slash = what.indexOf('/')
  const named = configuration.routes.find(
    ({ name, direction }) => direction === 'inbound' && slash !== -1 && name === what.slice(0, slash),
  )
  const of = named === undefined ? { key: what } : { key: what.slice(slash + 1), route: named.name }
  const exact = await journal.listUnresolvedRecords(AMBIGUOUS_MAX, of)
  const records =
    exact.length > 0 ? exact : await journal.listUnresolvedRecords(AMBIGUOUS_MAX, { ...of, isLoose: true })
  const known = exact.length > 0 ? [] : await findKnownRecords(journal, of)
  const isAmongKnown = known.some(({ id }) => records.some((each) => each.id === id))
  if (known.length > 0 && !isAmongKnown) return { known }
  const record = chooseOnly(
    records,
    `the answers of several records called ${of.key} were lost; name the one that is meant by its number`,
    ({ id, route, name, operation, lines }) =>
      `${route}/#${id}: ${operation}, ${name}, line or segment ${lines[0]?.[0] ?? ''}`,
  )
  if (record !== undefined) return { record }
  const ofRoute = named === undefined ? {} : { route: named.name }
  const unresolved = await journal.listUnresolvedRecords(KNOWN_KEYS_MAX, ofRoute)
  throw unknownKeyError(`no record "${what}" is known`, of.key, unresolved.map(formatRecordKey))
}

export interface ResolveDeliveryRequest extends Omit<NewDeliveryResolution, 'place'> {
  /** The name or id of a held delivery. */
  readonly what: string
}

interface ResolvedDelivery {
  readonly delivery: DeliveryEntry
  /** The outcome of the delivery. Left out when another person decided first. */
  readonly result?: DeliveryResult
  readonly exit: ExitCode
}

/** Throws `not-known` when the delivery is not held, and every failure that keeps it from being finished. */
export async function resolveHeldDelivery(
  context: BridgeContext,
  { what, ...answer }: ResolveDeliveryRequest,
  signal: AbortSignal,
): Promise<ResolvedDelivery> {
  const delivery = await findHeldDelivery(context, what)
  const inbox = context.configuration.edi?.inboxes.find(({ key }) => key === delivery.route)
  if (inbox !== undefined) return resolveHeldAnswer(context, { inbox, delivery, answer }, signal)
  const route = context.configuration.routes.find(({ name }) => name === delivery.route)
  if (route?.direction !== 'outbound') {
    const message = `${delivery.name} is of the route ${delivery.route}, which is not in the configuration any more: give it back its name`
    throw usageError(message)
  }
  const outcome = await runRoute(context, route, signal, {
    outbound: (parts) => finishAnsweredDelivery(parts, delivery, answer),
  })
  if (outcome.kind === 'failed') throw outcome.failure
  assert(outcome.kind === 'outbound', `${route.name} delivers no files`)
  const [result] = outcome.pass.deliveries
  const exit = chooseExitCode([outcome], [])
  return result === undefined ? { delivery, exit } : { delivery: result.delivery, result, exit }
}

/** An answer to interchanges. Its file waited for it, and goes on. */
async function resolveHeldAnswer(
  context: BridgeContext,
  {
    inbox,
    delivery,
    answer,
  }: {
    readonly inbox: InterchangeInbox
    readonly delivery: DeliveryEntry
    readonly answer: Omit<NewDeliveryResolution, 'place'>
  },
  signal: AbortSignal,
): Promise<ResolvedDelivery> {
  const { journal } = context
  let isResolved = false
  const outcome = await runInbox(context, inbox, signal, async (own, progress) => {
    isResolved = await resolveAnswer(own, delivery, answer)
    const { file } = (await journal.findAnswerOfDelivery(delivery.id)) ?? {}
    if (!isResolved || file === undefined) return getInterchangeOutcome(inbox.key, progress)
    return resumeInterchanges(own, file, progress)
  })
  const current = (await journal.getDelivery(delivery.id)) ?? delivery
  // The file may fail for another of its answers, when this one is done.
  if (outcome.kind === 'failed' && !(isResolved && current.state === 'done')) throw outcome.failure
  const exit = chooseExitCode([outcome], [])
  if (!isResolved) return { delivery: current, exit }
  const answers = listOutcomes(outcome).flatMap((done) =>
    done.kind === 'interchanges' ? done.pass.answers : [],
  )
  const path = answers.find((each) => each.delivery === delivery.id)?.path
  const isNewlyDelivered = path !== undefined
  const result = {
    delivery: current,
    isNewlyDelivered,
    path: path ?? current.name,
    records: {},
    troubled: [],
  }
  return { delivery: current, result, exit }
}

/** Returns a pass without deliveries when the delivery is no longer held. */
async function finishAnsweredDelivery(
  context: OutboundContext,
  delivery: DeliveryEntry,
  answer: NewDeliveryResolution,
): Promise<OutboundOutcome> {
  const { journal, lease, route, target } = context
  const place = getFolderPlace(target, delivery.folder)
  const answered = await journal.resolveHeldDelivery(lease, delivery.id, { ...answer, place })
  if (answered === undefined) return getOutboundOutcome(route.name, [])
  return getOutboundOutcome(route.name, [await finishDelivery(context, answered, false)])
}

/** How many held deliveries the search reads. */
const HELD_SEARCH_MAX = 10_000

const SIMILAR_MAX = 5

async function listHeldNamed({ journal }: BridgeContext, what: string): Promise<DeliveryEntry[]> {
  const held = await journal.listHeldDeliveries(HELD_SEARCH_MAX)
  return held.filter(({ id, name }) => id === what || name === what)
}

async function findHeldDelivery(context: BridgeContext, what: string): Promise<DeliveryEntry> {
  const delivery = chooseOnly(
    await listHeldNamed(context, what),
    `several deliveries called ${what} are held; name the one that is meant by its id`,
    ({ id, route, composedAt }) => `${id}: composed ${isoTime(composedAt)} on ${route}`,
  )
  if (delivery !== undefined) return delivery
  const names = (await context.journal.listHeldDeliveries(HELD_SEARCH_MAX)).map(({ name }) => name)
  const near = rankSimilarNames(what, names, SIMILAR_MAX)
  const details = near.length === 0 ? [] : [`similar names: ${near.join(', ')}`]
  throw new BridgeError('not-known', `no delivery "${what}" is held`, { details })
}
