/** Reconciles records that were sent and not answered. A record is sent again only when the lookup proves it absent. */
import type { FileEntry } from '../../domain/file.ts'
import { problem } from '../../domain/problem.ts'
import type { RecordResult, SendingRecord, UncertainRecord } from '../../domain/record.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundRules, LookupResult, SentRecord } from '../../operations/operation.ts'
import { INBOUND_RULES } from '../../operations/operations.ts'
import type { InboundContext } from '../context.ts'
import { type ReadResult, tryRead } from '../failures.ts'
import { getStepContext, hasOperation, type RemovedSteps } from '../inbound/steps.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { formatAccount } from '../../domain/route.ts'
import { createBatchReader } from '../../support/async.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { readPages } from '../../support/async.ts'

/** How many uncertain records are looked up between two writes to the journal. */
const LOOKUP_PAGE = 256

/** A record that was sent so often, and every time proven absent, is one that the API cannot digest. */
const LOST_MAX = 6

/** Where in its run a file is reconciled. */
export interface ReconcileRound {
  readonly isLastRound: boolean
  /** When the last request of this run ended, by the running clock; left out before the first. */
  readonly sentUntil?: number
  /** Told of what the route does not do any more: it stays as it is, since no other step knows how to look it up. */
  readonly removedSteps: RemovedSteps
}

/** uncertain → accepted, or planned again. What stays unclear is held for a person in the last round of a run. */
export async function reconcileUncertain(context: InboundContext, file: FileEntry, moment: ReconcileRound) {
  const { journal, lease, route, signal } = context
  let done = 0
  const list = (afterId: number) => journal.listUncertainRecords({ file: file.id }, afterId, LOOKUP_PAGE)
  for await (const records of readPages(list, 0, ({ id }) => id)) {
    await waitForLateAnswers(context, file, records, done === 0 ? moment.sentUntil : undefined)
    if (!signal.aborted)
      await journal.saveReconciledResults(lease, await lookUpOutcomes(context, file, records, moment))
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    done += records.length
    context.notify({ kind: 'progress', route: route.name, file: file.name, phase: 'reconciling', done })
  }
}

/**
 * A request may still take effect when its answer is given up: looking it up too early would find nothing. The time
 * counts from when the record became uncertain, since its request may have waited long before it left. A clock that was
 * set back makes nobody wait longer, and one that was set forward since the last request nobody shorter.
 */
async function waitForLateAnswers(
  { clock, route, signal, notify }: InboundContext,
  file: FileEntry,
  records: readonly UncertainRecord[],
  sentUntil: number | undefined,
) {
  const since = Math.max(...records.map((record) => record.uncertainSince))
  const byDay = Math.min(since + route.lateAnswerMs - clock.now(), route.lateAnswerMs)
  const running = sentUntil === undefined ? 0 : sentUntil + route.lateAnswerMs - performance.now()
  const wait = Math.max(byDay, running)
  if (wait <= 0) return
  notify({ kind: 'waiting', route: route.name, file: file.name, ms: wait })
  await clock.sleep(wait, signal)
}

/** What became of the records; at a signal, of those that were looked up by then. */
async function lookUpOutcomes(
  context: InboundContext,
  file: FileEntry,
  records: readonly UncertainRecord[],
  { isLastRound, removedSteps }: ReconcileRound,
): Promise<RecordResult[]> {
  const results: RecordResult[] = []
  const lost: LostRecords[] = []
  for (const operation of new Set(records.map((record) => record.operation))) {
    if (!hasOperation(context, operation)) {
      removedSteps.note(operation)
      continue
    }
    const all = records.filter((record) => record.operation === operation)
    const own = getStepContext(context, operation)
    const rules: InboundRules = INBOUND_RULES[own.route.operation]
    // A note is durable before its request leaves, so what has none has not been sent.
    const wasSent = ({ note }: UncertainRecord) => rules.takeSnapshot === undefined || note !== undefined
    const unsent = all.filter((record) => !wasSent(record))
    results.push(...unsent.map(({ id }): RecordResult => ({ id, state: 'planned', problems: [] })))
    lost.push({ parts: own, records: all.filter(wasSent) })
  }
  const lookups = await lookUpLostRecords(context, file, lost)
  for (const [record, read] of lookups) results.push(createResult(record, read, isLastRound))
  return results
}

function createResult(
  record: UncertainRecord,
  read: ReadResult<LookupResult>,
  isLastRound: boolean,
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
      const why = `whether it took effect is not known: ${lookup.why}`
      if (!isLastRound) return createUncertainResult(record, why)
      return { id, state: 'held', problems: [problem('outcome-unprovable', {}, why)] }
    }
  }
}

// Looks up whether a sent record took effect. One read proves it there; two reads prove it absent.

const READS_IN_FLIGHT = 8

/** Records of one operation. */
interface LostRecords {
  /** Of the step that sends them. */
  readonly parts: InboundContext
  readonly records: readonly UncertainRecord[]
}

/**
 * What became of the records; at a signal, of those for which it was proven by then. A read may come from a replica that
 * lags behind, so what it does not show is read again, after as long as a late answer may take. The wait is one for all
 * records. What may be repeated does no harm twice, and is read once.
 */
async function lookUpLostRecords(
  { clock, route, signal, notify }: InboundContext,
  file: FileEntry,
  lost: readonly LostRecords[],
) {
  /** Two records of one order may explain the same effect; shared by all, so that none is given to both. */
  const given = new Set<string>()
  const lookups = new Map<UncertainRecord, ReadResult<LookupResult>>()
  for (const some of lost) await lookUpOnce(file, some, given, lookups)
  const again = lost.map(({ parts, records }) => ({
    parts,
    records: records.filter((record) => needsSecondRead(parts, lookups.get(record))),
  }))
  const absent = again.flatMap(({ records }) => records)
  if (absent.length === 0) return lookups
  for (const record of absent) lookups.delete(record)
  if (!signal.aborted && route.lateAnswerMs > 0) {
    notify({ kind: 'waiting', route: route.name, file: file.name, ms: route.lateAnswerMs })
    await clock.sleep(route.lateAnswerMs, signal)
  }
  for (const some of again) await lookUpOnce(file, some, given, lookups)
  return lookups
}

function needsSecondRead({ route }: InboundContext, read: ReadResult<LookupResult> | undefined): boolean {
  if (read === undefined || 'trouble' in read) return false
  return read.value.found === 'absent' && !OPERATIONS[route.operation].repeatable
}

/** `given`: the ids that were found for records just now. */
async function lookUpOnce(
  file: FileEntry,
  { parts, records }: LostRecords,
  given: Set<string>,
  lookups: Map<UncertainRecord, ReadResult<LookupResult>>,
) {
  const rules: InboundRules = INBOUND_RULES[parts.route.operation]
  const atOnce = rules.lookUpAll === undefined ? READS_IN_FLIGHT : Math.max(1, records.length)
  for (let start = 0; start < records.length && !parts.signal.aborted; start += atOnce) {
    const some = records.slice(start, start + atOnce)
    const reads = await lookUpRecords(parts, rules, some)
    for (const [index, record] of some.entries()) {
      const read = reads[index]
      if (read === undefined) continue
      if ('trouble' in read) lookups.set(record, read)
      else {
        const sent = { ...record, file: file.id, since: record.sentAt }
        lookups.set(record, { value: await excludeAmbiguous(parts, sent, read.value, given) })
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
  if ('trouble' in read) return records.map(() => read)
  return read.value.map((value) => ({ value }))
}

// Looks up a record whose earlier attempt may have taken effect, while it is sent once more.

/**
 * Makes the function that looks a record up once more; undefined when it is to be sent, or rightly refused. Without a
 * `status` it is the last read before the request is sent again: what a person said is absent is sent unless the API
 * shows it. With the status of a refusal, that may be about the repetition. `note` is that of this attempt.
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
        : createUncertainResult(record, read.trouble, status)
    }
    const value = await excludeAmbiguous(context, { ...record, file: file.id, since: sentAt }, read.value)
    if (value.found === 'accepted') return createAcceptedResult(record, status, value.apiId)
    return value.found === 'unclear' && record.saidAbsent !== true
      ? createUncertainResult(record, value.why, status)
      : undefined
  }
}

/** Records that are looked for in a list at the same time share one reading of it: a list may be long. */
function createSharedLookup({ api, route }: InboundContext): (record: SentRecord) => Promise<LookupResult> {
  const { lookUp, lookUpAll }: InboundRules = INBOUND_RULES[route.operation]
  if (lookUpAll === undefined) return (record) => lookUp(api, route.party, record)
  return createBatchReader((records) => lookUpAll(api, route.party, records))
}

type RecordId = Pick<RecordResult, 'id'>

export function createAcceptedResult({ id }: RecordId, http?: number, apiId?: string): RecordResult {
  return { id, state: 'accepted', problems: [], ...omitUndefined({ http, apiId }) }
}

export function createDeferredResult({ id }: RecordId, detail: string, http?: number): RecordResult {
  return { id, state: 'deferred', problems: [problem('not-sent', {}, detail)], ...omitUndefined({ http }) }
}

export function createUncertainResult({ id }: RecordId, detail: string, http?: number): RecordResult {
  return {
    id,
    state: 'uncertain',
    problems: [problem('answer-lost', {}, detail)],
    ...omitUndefined({ http }),
  }
}

// Two records of one order may explain the same effect. It proves nothing about the one that has not its id.

/** `file`: the id of its file; `since`: when it was first sent, milliseconds. */
type SentRef = Pick<SendingRecord, 'id' | 'lane' | 'operation'> & {
  readonly file: string
  readonly since: number
}

/** The finding, or that it tells nothing. `given` are the ids found for others just now. */
async function excludeAmbiguous(
  { journal, route }: InboundContext,
  { file, id, lane, operation, since }: SentRef,
  lookup: LookupResult,
  given: Set<string> = new Set(),
): Promise<LookupResult> {
  // What may be repeated has the id of what it changes, which others change too.
  if (lookup.found !== 'accepted' || OPERATIONS[route.operation].repeatable) return lookup
  const { apiId } = lookup
  const asked = {
    id,
    operation,
    account: formatAccount(route.party),
    lane,
    since,
    ...omitUndefined({ apiId }),
  }
  const isTaken =
    (apiId !== undefined && given.has(apiId)) || (await journal.mayBelongToAnotherRecord(file, asked))
  if (isTaken) {
    return { found: 'unclear', why: 'what the API shows may be what another record of the same order did' }
  }
  if (apiId !== undefined) given.add(apiId)
  return lookup
}
