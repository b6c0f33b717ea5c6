/** Sends the planned records of a file. Each attempt is in the journal before its request leaves, and its result after. */
import { readApiErrors } from '../../contract/api-errors.ts'
import { type InboundOperation, OPERATIONS } from '../../contract/operations.ts'
import type { Call, CallResult } from '../../domain/api.ts'
import type { FileEntry } from '../../domain/file.ts'
import { blameMapping, type Problem, type ProblemCode, problem } from '../../domain/problem.ts'
import type { SendingRecord } from '../../domain/record.ts'
import { assert, hasCode, throwIfStopped } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import { quoteForShell } from '../../support/text.ts'
import { dispatchRecords, type DispatchOptions } from './dispatch.ts'
import { createPartyParams, type InboundRules, readId, type RequestBody } from '../../operations/operation.ts'
import { INBOUND_RULES } from '../../operations/operations.ts'
import { suggestItemFix } from '../../operations/order-lines.ts'
import type { InboundContext } from '../context.ts'
import { assertSameParty, createAccountCheck, tryRead } from '../failures.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { openRest, type RestOfFile } from '../inbound/blocks.ts'
import { createFieldFinder, listSteps, type RemovedSteps, trackRemovedSteps } from '../inbound/steps.ts'
import { keepAnswer } from '../documents/delivery.ts'
import { createOrderPreconditions, retryWaitingRecords } from './order-preconditions.ts'
import {
  createAcceptedResult,
  createDeferredResult,
  createDoubtfulRecordLookup,
  createUncertainResult,
  reconcileUncertain,
} from './reconcile.ts'
import { formatAccount } from '../../domain/route.ts'
import { createBatchWriter } from '../../support/async.ts'
import { planLists, readList } from '../references/finder.ts'
import { findOtherSpellings } from '../references/resolver.ts'

/** A record proven absent is sent again, but in one run not more often than this. */
const ROUNDS_MAX = 4

/** planned → submitted when every record is final; otherwise the file stays, and the next run continues it. */
export async function submitFile(context: InboundContext, file: FileEntry): Promise<void> {
  const { journal, lease } = context
  const work = { file: file.id }
  await assertSameParty(context, work, `Records of file ${file.name}`)
  await journal.recoverAttempts(lease, work)
  await journal.retryDeferredRecords(lease, work)
  await retryWaitingRecords(context, file)
  const removedSteps = trackRemovedSteps(context, file)
  let sentUntil: number | undefined
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const isLastRound = round === ROUNDS_MAX
    await reconcileUncertain(context, file, { isLastRound, removedSteps, ...omitUndefined({ sentUntil }) })
    await sendPlanned(context, file, removedSteps)
    sentUntil = performance.now()
    if (context.next !== undefined) await journal.holdDependents(lease, file.id)
    if (await journal.markFileSubmitted(lease, file.id)) return
    const failure = removedSteps.failure()
    if (failure !== undefined) throw failure
  }
}

/** Sends the planned records; of a long file, plans the others meanwhile. */
async function sendPlanned(context: InboundContext, file: FileEntry, removed: RemovedSteps): Promise<void> {
  const rest = await openRest(context, file)
  try {
    await sendWithRest(context, file, { removed, rest })
  } finally {
    await rest?.close()
  }
}

async function sendWithRest(
  context: InboundContext,
  file: FileEntry,
  { removed, rest }: { readonly removed: RemovedSteps; readonly rest: RestOfFile | undefined },
): Promise<void> {
  const { journal, lease, route, notify } = context
  const { planned = 0 } = await journal.countRecords({ file: file.id })
  if (planned === 0 && rest === undefined) return
  const total = planned + (rest?.records ?? 0)
  const { circuitBreaker = {} } = route
  // After a crash the earlier answers count too, with as many refusals as the breaker compares.
  const answers = await journal.summarizeAnswers(file.id, circuitBreaker.sameRefusal ?? 1)
  const sendLimit = createCircuitBreaker(circuitBreaker, answers)
  const progress = { kind: 'progress', route: route.name, file: file.name, phase: 'sending', total } as const
  const dispatched = dispatchRecords({
    ...context,
    work: { file: file.id },
    send: createFileSender(context, file, removed),
    inSteps: context.next !== undefined,
    resetState: 'planned',
    onProgress: (done) => notify({ ...progress, done }),
    sendLimit,
    ...(rest === undefined ? {} : { nextBlock: () => rest.nextBlock() }),
  })
  // Dispatch takes deferred records of a removed step for an API that takes nothing.
  await dispatched.catch((error: unknown) => {
    const failure = hasCode(error, 'api-unreachable') ? removed.failure() : undefined
    return Promise.reject(failure ?? error)
  })
  const reason = sendLimit.reason()
  if (reason === undefined) return
  // The records that are not planned yet are held too.
  for (let block = await rest?.nextBlock(); block !== undefined; block = await rest?.nextBlock()) {
    throwIfStopped(context.signal)
    await journal.addRecords(lease, file.id, block)
  }
  await journal.holdRemainingRecords(lease, file.id, reason)
}

type Sender = DispatchOptions['send']

/** Makes the function that sends one record of the file, as its step sends it. */
function createFileSender(context: InboundContext, file: FileEntry, removed: RemovedSteps): Sender {
  const senders = new Map(
    listSteps(context).map(({ context: own }) => [
      own.route.operation as string,
      { checkOrder: createOrderPreconditions(own, file), send: createStepSender(own, file) },
    ]),
  )
  return (record, permit) => {
    const own = senders.get(record.operation)
    if (own === undefined) {
      removed.note(record.operation)
      const message = `route ${context.route.name} does no ${record.operation} any more; put it back into the configuration`
      return Promise.resolve(createDeferredResult(record, message))
    }
    const { checkOrder, send } = own
    if (checkOrder === undefined) return send(record, permit)
    return checkOrder(record).then((found) => found ?? send(record, permit))
  }
}

function createStepSender(context: InboundContext, file: FileEntry): Sender {
  const { api, route } = context
  const requestOf = createRequestBuilder(context)
  const { repeatable } = OPERATIONS[route.operation]
  const takeSnapshot = createSnapshotTaker(context, file)
  const checkAccount = createAccountCheck(api, route.party)
  const findField = createFieldFinder(context, file)
  const lookUpDoubtful = createDoubtfulRecordLookup(context, file)

  return async (record, permit) => {
    const snapshot = takeSnapshot === undefined ? NO_SNAPSHOT : await takeSnapshot(record)
    if ('trouble' in snapshot) return createDeferredResult(record, snapshot.trouble)
    if (record.inDoubt && !repeatable) {
      const known = await lookUpDoubtful(record, snapshot.value)
      if (known) return known
    }
    const answer = await api.send(requestOf(record), permit)
    if (answer.certainty === 'not-applied') {
      return createDeferredResult(record, answer.detail, { http: answer.status, fix: answer.fix })
    }
    if (answer.certainty === 'unknown')
      return createUncertainResult(record, answer.detail, { http: answer.status })
    if (answer.status < 400) {
      const id = readId(answer.body)
      // A gateway under maintenance may answer with a success.
      if (id === undefined && !repeatable) {
        const why = `HTTP ${answer.status}, but the answer has no id`
        return createUncertainResult(record, why, { http: answer.status })
      }
      return Object.assign(createAcceptedResult(record, answer.status, id), keepAnswer(context, answer.body))
    }
    if (answer.status === 403) await checkAccount()
    // A repeatable request may already have taken effect, through this bridge or another program.
    if (record.inDoubt || repeatable) {
      const known = await lookUpDoubtful(record, snapshot.value, answer.status)
      if (known) return known
    }
    const found = await describeRefusal(
      answer,
      { ...record, operation: route.operation, route: route.name },
      findField,
    )
    const problems = await Promise.all(found.map((each) => suggestOrder(context, each, record.body)))
    return { id: record.id, state: 'rejected', http: answer.status, problems }
  }
}

/** Makes the function that turns a record into its call. A body that needs no change is not parsed. */
function createRequestBuilder({ route }: InboundContext): (record: SendingRecord) => Call {
  const { endpoints }: InboundOperation = OPERATIONS[route.operation]
  const endpoint = endpoints[route.party.kind]
  assert(endpoint !== undefined, `${route.operation} is not for a ${route.party.kind}`)
  const params = createPartyParams(route.party)
  const { request } = INBOUND_RULES[route.operation]
  if (request === undefined) return ({ body }) => ({ endpoint, params, body })
  return ({ body }) => {
    const made = request(JSON.parse(body) as RequestBody, route.party)
    return { endpoint, ...made, params: { ...params, ...made.params } }
  }
}

// What the API says in its own words: it gives no code.

/** `target`: the record, as `dismiss` takes it; its file may have others that wait for a correction. */
function formatExistingFix(target: string): string {
  return `If it is the same: dropbridge dismiss ${quoteForShell(target)} --by NAME --why TEXT. A new number makes a second record.`
}

const CANCELED_FIXES: Readonly<Record<string, string>> = {
  'acknowledge-order': 'Remove the row, and do not pack the order: it is canceled.',
}

const CARRIERS_FIX = 'Use an id of a carrier; a route with `operation: export-carriers` lists them.'

/** The code of a refusal that people can act on, with its fix where that of the code is not right. */
function classifyRefusal(
  message: string,
  { operation, target }: { readonly operation: string; readonly target: string },
): { code: ProblemCode; fix?: string | undefined } {
  if (/\balready exists\b/i.test(message)) return { code: 'api-refused', fix: formatExistingFix(target) }
  if (/^an? cancell?ed order cannot be /i.test(message))
    return {
      code: 'order-finished',
      fix: CANCELED_FIXES[operation] ?? 'Remove its rows, or correct the order number.',
    }
  // The same as of a record whose order the bridge reads itself.
  if (/^only 0 of \d+ (?:is|are) left to be /i.test(message))
    return { code: 'quantity-exceeded', fix: 'Nothing is left: remove the row.' }
  if (/^only \d+ of \d+ (?:is|are) left to be /i.test(message)) return { code: 'quantity-exceeded' }
  if (/^the order is acknowledged; it can be cancell?ed only before/i.test(message))
    return { code: 'order-acknowledged' }
  if (/^no order has this /i.test(message)) return { code: 'order-unknown' }
  if (/^carrier \S+ does not exist/i.test(message)) return { code: 'api-refused', fix: CARRIERS_FIX }
  if (/^no item has the /i.test(message)) return { code: 'item-unknown', fix: suggestItemFix(message) }
  return { code: 'api-refused' }
}

/** The API's own messages, each with the user's column or the part of the mapping for the field it names. */
async function describeRefusal(
  { status, body, text }: Extract<CallResult, { certainty: 'answered' }>,
  {
    id,
    route,
    operation,
    body: sent,
  }: Readonly<Record<'route' | 'operation' | 'body', string>> & { readonly id: number },
  findField: ReturnType<typeof createFieldFinder>,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { path, message } of readApiErrors(body, text)) {
    const { column, origin } = path === '' ? {} : await findField(path)
    const place = path === '' ? {} : omitUndefined({ field: path, column })
    const { code, fix } = classifyRefusal(message, { operation, target: `${route}/#${id}` })
    // As of a record whose order the bridge looks up itself.
    const number = code === 'order-unknown' ? (JSON.parse(sent) as RequestBody)[path] : undefined
    const what = typeof number === 'string' ? `no order "${number}" is known to this account` : message
    problems.push(blameMapping(problem(code, place, what, fix), origin))
  }
  if (problems.length === 0) problems.push(problem('api-refused', {}, `HTTP ${status}, without a reason`))
  return problems
}

/** An order number in other letters, where the bridge has seen the order. */
async function suggestOrder(context: InboundContext, found: Problem, sent: string): Promise<Problem> {
  const key = (JSON.parse(sent) as RequestBody)[found.place.field ?? '']
  if (found.code !== 'order-unknown' || typeof key !== 'string') return found
  const [spelling] = await findOtherSpellings(context, { kind: 'order', key })
  return spelling === undefined ? found : { ...found, fix: `Did you mean "${spelling}"?` }
}

// Stores the state of an order before a record is sent, to find out later whether a request without an answer took
// effect.

/** Snapshots are durable before their requests leave, so they wait only a moment to be written together. */
const SNAPSHOT_BATCH = { atMost: 100, afterMs: 2 }

/** In a file with more records, their orders are read as one list instead of one by one. */
const SINGLE_READS_MAX = 50

/** In a long file, another program may change an order between the reading of the list and the sending of its record. */
const RECENTLY_SEEN_MS = 5_000

const NO_SNAPSHOT = { value: undefined }

/** Makes the function that stores, durably and before the request leaves, what a later lookup needs; undefined where it needs nothing. */
export function createSnapshotTaker(context: InboundContext, file: FileEntry) {
  const { api, route, journal, lease } = context
  const { takeSnapshot }: InboundRules = INBOUND_RULES[route.operation]
  if (takeSnapshot === undefined) return undefined
  const write = (notes: readonly { id: number; note: string }[]) => journal.saveAttemptNotes(lease, notes)
  const snapshots = createBatchWriter(SNAPSHOT_BATCH, write)
  const snapshotFromList = createListSnapshots(context, file)
  return async (record: SendingRecord) => {
    if (record.note !== undefined) return { value: record.note }
    const body = JSON.parse(record.body) as RequestBody
    const take = async () =>
      (await snapshotFromList(record, body)) ?? (await takeSnapshot(api, route.party, body))
    const read = await tryRead(take)
    if ('value' in read) await snapshots.add({ id: record.id, note: read.value })
    return read
  }
}

/** Takes snapshots from a list that is read before sending; none where an earlier record may have changed the order. */
function createListSnapshots(context: InboundContext, file: FileEntry) {
  const { journal, route, clock } = context
  const { operation, party } = route
  const rules: InboundRules = INBOUND_RULES[operation]
  const account = formatAccount(party)
  let listReadAt: Promise<number | undefined> | undefined
  const readOrderList = async () => {
    if ((await journal.countRecordsWithoutNote(file.id, operation)) <= SINGLE_READS_MAX) return undefined
    const startedAt = clock.now()
    for (const list of planLists('order', party).lists.slice(0, 1)) await readList(context, list)
    return startedAt
  }
  return async (record: SendingRecord, body: RequestBody): Promise<string | undefined> => {
    listReadAt ??= readOrderList()
    const since = await listReadAt
    if (since === undefined || rules.snapshotFromList === undefined || record.attempt > 1) return undefined
    const lane = rules.lane(body)
    const before = { operation, account, lane, number: record.number }
    if (await journal.hasEarlierRecordInLane(file.id, before)) return undefined
    const [order] = await journal.findResourcesById(account, 'order', [lane])
    if (order?.facts === undefined || order.seenAt < since) return undefined
    const age = clock.now() - order.seenAt
    return rules.snapshotFromList(order.facts, age < 0 || age > RECENTLY_SEEN_MS)
  }
}
