/** Reconciles records that were sent and not answered. A record is sent again only when the lookup proves it absent. */
import type { FileEntry } from '../../domain/file.ts'
import { problem } from '../../domain/problem.ts'
import type { RecordResult, SendingRecord, UncertainRecord } from '../../domain/record.ts'
import { throwIfStopped } from '../../support/errors.ts'
import type { InboundRules, LookupResult, SentRecord } from '../../operations/operation.ts'
import { INBOUND_RULES } from '../../operations/operations.ts'
import type { InboundContext } from '../context.ts'
import { type ReadResult, tryRead } from '../failures.ts'
import { getStepContext, listSteps, type RemovedSteps } from '../inbound/steps.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { formatAccount } from '../../domain/route.ts'
import { createBatchReader } from '../../support/async.ts'
import { type Mutable, omitUndefined } from '../../support/object-paths.ts'
import { readPages } from '../../support/async.ts'

/** How many uncertain records are looked up between two writes to the journal. */
const LOOKUP_PAGE = 256

/** A record that was sent so often, and every time proven absent, is one that the API cannot process. */
const LOST_MAX = 6

/** The round of a run in which a file is reconciled. */
export interface ReconcileRound {
  readonly isLastRound: boolean
  /** When the last request of this run ended, by the monotonic clock; left out before the first. */
  readonly sentUntil?: number
  /** Collects the steps that the route has no more: their records stay as they are, as no other step can look them up. */
  readonly removedSteps: RemovedSteps
}

/** uncertain → accepted, or planned again. Records that stay unclear are held for a person in the last round of a run. */
export async function reconcileUncertain(context: InboundContext, file: FileEntry, round: ReconcileRound) {
  const { journal, lease, route, signal } = context
  let done = 0
  const list = (afterId: number) => journal.listUncertainRecords({ file: file.id }, afterId, LOOKUP_PAGE)
  for await (const records of readPages(list, 0, ({ id }) => id)) {
    await waitForLateAnswers(context, file, records, done === 0 ? round.sentUntil : undefined)
    if (!signal.aborted)
      await journal.saveReconciledResults(lease, await lookUpOutcomes(context, file, records, round))
    throwIfStopped(signal)
    done += records.length
    context.notify({ kind: 'progress', route: route.name, file: file.name, phase: 'reconciling', done })
  }
}

/**
 * A request may still take effect after its answer was given up: an early lookup would find nothing. The wait counts
 * from when the record became uncertain, since its request may have waited long before it left. A clock that was set
 * back does not prolong the wait, and a clock that was set forward since the last request does not shorten it.
 */
async function waitForLateAnswers(
  context: InboundContext,
  file: FileEntry,
  records: readonly UncertainRecord[],
  sentUntil: number | undefined,
) {
  const { clock, route } = context
  const since = Math.max(...records.map((record) => record.uncertainSince))
  const byTimeOfDay = Math.min(since + route.lateAnswerMs - clock.now(), route.lateAnswerMs)
  const byTicks = sentUntil === undefined ? 0 : sentUntil + route.lateAnswerMs - performance.now()
  const wait = Math.max(byTimeOfDay, byTicks)
  if (wait > 0) await waitAndReport(context, file, records, { ms: wait })
}

async function waitAndReport(
  { clock, journal, route, signal, notify }: InboundContext,
  file: FileEntry,
  records: readonly UncertainRecord[],
  { ms, isSecond }: { readonly ms: number; readonly isSecond?: true },
) {
  const doubt = (await journal.listDoubtfulRoutes()).find((each) => each.route === route.name)
  const isRestored =
    doubt !== undefined && records.every(({ uncertainSince }) => uncertainSince <= doubt.since)
  const [http, ...others] = new Set(records.map((record) => record.http))
  const which = {
    ...(http !== undefined && others.length === 0 && { http }),
    ...(isRestored && { isRestored }),
    ...(isSecond && { isSecond }),
  }
  notify({ kind: 'waiting', route: route.name, file: file.name, ms, until: clock.now() + ms, ...which })
  await clock.sleep(ms, signal)
}

/** The results of the records; after a signal, only of those that were looked up until then. */
async function lookUpOutcomes(
  context: InboundContext,
  file: FileEntry,
  records: readonly UncertainRecord[],
  { isLastRound, removedSteps }: ReconcileRound,
): Promise<RecordResult[]> {
  const results: RecordResult[] = []
  const lost: LostRecords[] = []
  for (const operation of new Set(records.map((record) => record.operation))) {
    // The configuration may have lost the step meanwhile.
    if (!listSteps(context).some((step) => step.context.route.operation === operation)) {
      removedSteps.note(operation)
      continue
    }
    const all = records.filter((record) => record.operation === operation)
    const own = getStepContext(context, operation)
    const rules: InboundRules = INBOUND_RULES[own.route.operation]
    // A snapshot is durable before its request leaves, so a record without one was never sent.
    const wasSent = ({ note }: UncertainRecord) => rules.takeSnapshot === undefined || note !== undefined
    const unsent = all.filter((record) => !wasSent(record))
    results.push(...unsent.map(({ id }): RecordResult => ({ id, state: 'planned', problems: [] })))
    lost.push({ context: own, records: all.filter(wasSent) })
  }
  const lookups = await lookUpLostRecords(context, file, lost)
  const doubt = (await context.journal.listDoubtfulRoutes()).find((each) => each.route === context.route.name)
  for (const [record, read] of lookups) {
    const isRestored = doubt !== undefined && record.uncertainSince <= doubt.since
    results.push(createResult(record, read, { isLastRound, isRestored }))
  }
  await reportAbsent(context, file, lookups)
  return results
}

/** Says which records are sent again, so that the next wait is not taken for the one before. */
async function reportAbsent(
  { route, journal, notify }: InboundContext,
  file: FileEntry,
  lookups: ReadonlyMap<UncertainRecord, ReadResult<LookupResult>>,
): Promise<void> {
  const again = [...lookups]
    .filter(([{ timesLost }, read]) => {
      return timesLost < LOST_MAX && 'value' in read && read.value.found === 'absent'
    })
    .map(([record]) => record)
  if (again.length === 0) return
  // After a restored journal each record counts one attempt that may never have been.
  const doubt = (await journal.listDoubtfulRoutes()).find((each) => each.route === route.name)
  const sent = again.map(({ timesLost, uncertainSince }) => {
    return doubt !== undefined && uncertainSince <= doubt.since ? timesLost - 1 : timesLost
  })
  const counts = { records: again.length, sent: Math.max(0, ...sent), atMost: LOST_MAX }
  notify({ kind: 'found-absent', route: route.name, file: file.name, ...counts })
}

function createResult(
  record: UncertainRecord,
  read: ReadResult<LookupResult>,
  { isLastRound, isRestored }: { readonly isLastRound: boolean; readonly isRestored: boolean },
): RecordResult {
  const { id, timesLost } = record
  if ('trouble' in read) {
    const why = `whether it took effect is not known, and it cannot be looked up: ${read.trouble}`
    return createUncertainResult(record, why)
  }
  const lookup = read.value
  switch (lookup.found) {
    case 'accepted':
      return createAcceptedResult(record, undefined, lookup.apiId)
    case 'absent': {
      if (timesLost < LOST_MAX) return { id, state: 'planned', problems: [] }
      const message = `it was sent ${timesLost} times without an answer, and it is not at the API`
      return { id, state: 'rejected', problems: [problem('api-keeps-failing', {}, message)] }
    }
    case 'unclear': {
      const end = isRestored ? '; new records are looked up until `dropbridge restored --end`' : ''
      const why = `whether it took effect is not known: ${lookup.why}${end}`
      if (!isLastRound) return createUncertainResult(record, why, { fix: UNCLEAR_FIX })
      return { id, state: 'held', problems: [problem('outcome-unprovable', {}, why)] }
    }
  }
}

// Looks up whether a sent record took effect. One read proves that it did; two reads prove it absent.

const READS_IN_FLIGHT = 8

/** Records of one operation. */
interface LostRecords {
  /** The context of the step that sends them. */
  readonly context: InboundContext
  readonly records: readonly UncertainRecord[]
}

/**
 * The lookups of the records; after a signal, only those that are proven by then. A read may come from a replica that
 * lags behind, so records that it does not show are read again, after as long as a late answer may take. One wait serves
 * all records. A repeatable record may safely be sent twice, so one read is enough.
 */
async function lookUpLostRecords(ownContext: InboundContext, file: FileEntry, lost: readonly LostRecords[]) {
  /** Two records of one order may explain the same effect; shared by all lookups, so that no id is assigned twice. */
  const assignedIds = new Set<string>()
  const lookups = new Map<UncertainRecord, ReadResult<LookupResult>>()
  for (const group of lost) await lookUpOnce(file, group, assignedIds, lookups)
  const again = lost.map(({ context, records }) => ({
    context,
    records: records.filter((record) => needsSecondRead(context, lookups.get(record))),
  }))
  const absent = again.flatMap(({ records }) => records)
  if (absent.length === 0) return lookups
  for (const record of absent) lookups.delete(record)
  const { route, signal } = ownContext
  if (!signal.aborted && route.lateAnswerMs > 0)
    await waitAndReport(ownContext, file, absent, { ms: route.lateAnswerMs, isSecond: true })
  for (const group of again) await lookUpOnce(file, group, assignedIds, lookups)
  return lookups
}

function needsSecondRead({ route }: InboundContext, read: ReadResult<LookupResult> | undefined): boolean {
  if (read === undefined || 'trouble' in read) return false
  return read.value.found === 'absent' && !OPERATIONS[route.operation].repeatable
}

/** `assignedIds`: the ids that this reconciliation found for records. */
async function lookUpOnce(
  file: FileEntry,
  { context, records }: LostRecords,
  assignedIds: Set<string>,
  lookups: Map<UncertainRecord, ReadResult<LookupResult>>,
) {
  const rules: InboundRules = INBOUND_RULES[context.route.operation]
  const atOnce = rules.lookUpAll === undefined ? READS_IN_FLIGHT : Math.max(1, records.length)
  for (let start = 0; start < records.length && !context.signal.aborted; start += atOnce) {
    const batch = records.slice(start, start + atOnce)
    const reads = await lookUpRecords(context, rules, batch)
    for (const [index, record] of batch.entries()) {
      const read = reads[index]
      if (read === undefined) continue
      if ('trouble' in read) lookups.set(record, read)
      else {
        const sent = { ...record, file: file.id, since: record.sentAt }
        lookups.set(record, { value: await excludeAmbiguous(context, sent, read.value, assignedIds) })
      }
    }
  }
}

async function lookUpRecords(
  { api, route }: InboundContext,
  rules: InboundRules,
  records: readonly UncertainRecord[],
): Promise<readonly ReadResult<LookupResult>[]> {
  const { lookUp, lookUpAll } = rules
  if (lookUpAll === undefined) {
    return Promise.all(records.map((record) => tryRead(() => lookUp(api, route.party, record))))
  }
  const read = await tryRead(() => lookUpAll(api, route.party, records))
  return 'trouble' in read ? records.map(() => read) : read.value.map((value) => ({ value }))
}

// Looks up a record whose earlier attempt may have taken effect, while it is sent once more.

/**
 * Makes the function that looks a record up once more; undefined means: send it, or accept the refusal. Without a
 * `status` it is the last read before the request is sent again: a record that a person declared absent is sent unless
 * the API shows it. `status` is that of a refusal, which may be due to the repetition. `note` belongs to this attempt.
 */
export function createDoubtfulRecordLookup(context: InboundContext, file: FileEntry) {
  const lookUp = createSharedLookup(context)
  return async (record: SendingRecord, note: string | undefined, status?: number) => {
    const sentAt = record.doubtSince ?? file.receivedAt ?? file.claimedAt
    const sent = { ...record, sentAt, ...omitUndefined({ note: record.doubtNote ?? note }) }
    const read = await tryRead(() => lookUp(sent))
    if ('trouble' in read) {
      return status === undefined
        ? createDeferredResult(record, read.trouble)
        : createUncertainResult(record, read.trouble, { http: status })
    }
    const value = await excludeAmbiguous(context, { ...record, file: file.id, since: sentAt }, read.value)
    if (value.found === 'accepted') return createAcceptedResult(record, status, value.apiId)
    return value.found === 'unclear' && record.saidAbsent !== true
      ? createUncertainResult(record, value.why, { http: status, fix: UNCLEAR_FIX })
      : undefined
  }
}

/** Records that are looked up in a list at the same time share one reading of it: a list may be long. */
function createSharedLookup({ api, route }: InboundContext): (record: SentRecord) => Promise<LookupResult> {
  const { lookUp, lookUpAll }: InboundRules = INBOUND_RULES[route.operation]
  if (lookUpAll === undefined) return (record) => lookUp(api, route.party, record)
  return createBatchReader((records) => lookUpAll(api, route.party, records))
}

type RecordId = Pick<RecordResult, 'id'>

export function createAcceptedResult({ id }: RecordId, http?: number, apiId?: string): RecordResult {
  const result: Mutable<RecordResult> = { id, state: 'accepted', problems: [] }
  if (http !== undefined) result.http = http
  if (apiId !== undefined) result.apiId = apiId
  return result
}

export function createDeferredResult(
  { id }: RecordId,
  detail: string,
  { http, fix }: { readonly http?: number | undefined; readonly fix?: string | undefined } = {},
): RecordResult {
  return {
    id,
    state: 'deferred',
    problems: [problem('not-sent', {}, detail, fix)],
    ...omitUndefined({ http }),
  }
}

/** Where another lookup would show the same. */
const UNCLEAR_FIX =
  'Check the API, then: dropbridge resolve KEY --accepted ID --by NAME --why TEXT; or --absent.'

export function createUncertainResult(
  { id }: RecordId,
  detail: string,
  { http, fix }: { readonly http?: number | undefined; readonly fix?: string | undefined } = {},
): RecordResult {
  return {
    id,
    state: 'uncertain',
    problems: [problem('answer-lost', {}, detail, fix)],
    ...omitUndefined({ http }),
  }
}

// Two records of one order may explain the same effect, so an effect proves nothing about a record without its id.

/** `file`: the id of its file; `since`: when it was first sent, milliseconds. */
type SentRef = Pick<SendingRecord, 'id' | 'lane' | 'operation'> & {
  readonly file: string
  readonly since: number
}

/** The lookup, or `unclear` when another record may explain it. `assignedIds`: ids found for other records just now. */
async function excludeAmbiguous(
  { journal, route }: InboundContext,
  { file, id, lane, operation, since }: SentRef,
  lookup: LookupResult,
  assignedIds: Set<string> = new Set(),
): Promise<LookupResult> {
  // A repeatable record has the id of the resource it changes, and other records change that resource too.
  if (lookup.found !== 'accepted' || OPERATIONS[route.operation].repeatable) return lookup
  const { apiId } = lookup
  const record = {
    id,
    operation,
    account: formatAccount(route.party),
    lane,
    since,
    ...omitUndefined({ apiId }),
  }
  const isTaken =
    (apiId !== undefined && assignedIds.has(apiId)) || (await journal.mayBelongToAnotherRecord(file, record))
  if (isTaken) {
    return { found: 'unclear', why: 'another record of the same order may explain what the API shows' }
  }
  if (apiId !== undefined) assignedIds.add(apiId)
  return lookup
}
