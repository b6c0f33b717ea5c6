/** Sending what was planned: an attempt is durable before its request leaves, and so is its outcome after. */
import { readApiErrors } from '../../contract/api-errors.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { InboundOperation } from '../../contract/inbound-operations.ts'
import type { Call, CallResult } from '../../domain/api.ts'
import type { FileEntry } from '../../domain/journal.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { SendingRecord } from '../../domain/record.ts'
import { assert, hasCode } from '../../support/errors.ts'
import { drain, type DrainOptions } from '../drain.ts'
import { type Body, idOf, partyParams } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import type { InboundParts } from '../parts.ts'
import { assertSameParty } from '../party.ts'
import { accountCheck } from '../reads.ts'
import { type Breaker, openBreaker, refusalsNeeded } from './breaker.ts'
import { columnFinder } from './columns.ts'
import { keptAnswer } from './documents.ts'
import { noteTaker } from './notes.ts'
import { orderGate, retryWaiting } from './order-gate.ts'
import { accepted, deferred, doubtReader, uncertain } from './doubts.ts'
import { settleUncertain } from './settle.ts'
import { absentSteps, type AbsentSteps, stepsOf } from './steps.ts'

/** A record proven absent is sent again; more often than this in one run helps nobody. */
const ROUNDS_MAX = 4

/** planned → submitted when every record is final; otherwise the file stays, and the next run goes on with it. */
export async function submitFile(parts: InboundParts, file: FileEntry): Promise<void> {
  const { journal, lease } = parts
  const work = { file: file.id }
  await assertSameParty(parts, work, `Records of file ${file.name}`)
  await journal.recoverAttempts(lease, work)
  await journal.retryDeferred(lease, work)
  await retryWaiting(parts, file)
  const absent = absentSteps(parts, file)
  let sentUntil: number | undefined
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const isLastRound = round === ROUNDS_MAX
    const since = sentUntil === undefined ? {} : { sentUntil }
    await settleUncertain(parts, file, { isLastRound, absent, ...since })
    await sendPlanned(parts, file, absent)
    sentUntil = performance.now()
    if (parts.next !== undefined) await journal.holdFollowers(lease, file.id)
    if (await journal.fileSubmitted(lease, file.id)) return
    const failure = absent.failure()
    if (failure !== undefined) throw failure
  }
}

async function sendPlanned(parts: InboundParts, file: FileEntry, absent: AbsentSteps): Promise<void> {
  const { journal, lease, signal, clock, concurrency, route } = parts
  const counts = await journal.countRecords({ file: file.id })
  const total = counts.planned ?? 0
  if (total === 0) return
  const restraint = await breakerFor(parts, file)
  const draining = drain({
    journal,
    lease,
    signal,
    clock,
    concurrency,
    work: { file: file.id },
    perform: senderOfSteps(parts, file, absent),
    inSteps: parts.next !== undefined,
    unsent: 'planned',
    onProgress: (done) =>
      parts.notify({ kind: 'progress', route: route.name, file: file.name, phase: 'sending', done, total }),
    restraint,
  })
  // What has no step any more looks like an API that takes nothing.
  await draining.catch((error: unknown) => {
    const failure = hasCode(error, 'api-unreachable') ? absent.failure() : undefined
    return Promise.reject(failure ?? error)
  })
  const reason = restraint.reason()
  if (reason !== undefined) await journal.holdRest(lease, file.id, reason)
}

/** What stops this file, as far as its answers are known: after a crash the earlier ones count too. */
async function breakerFor({ journal, route }: InboundParts, file: FileEntry): Promise<Breaker> {
  const { stop = {} } = route
  return openBreaker(stop, await journal.answersSoFar(file.id, refusalsNeeded(stop)))
}

type Sender = DrainOptions['perform']

/** Makes the function that sends one record of the file, as its step does. */
function senderOfSteps(parts: InboundParts, file: FileEntry, absent: AbsentSteps): Sender {
  const steps = stepsOf(parts)
  const senders = new Map(
    steps.map(({ parts: own }) => [
      own.route.operation as string,
      { gate: orderGate(own, file), send: sender(own, file) },
    ]),
  )
  return async (record, permit) => {
    const own = senders.get(record.operation)
    if (own === undefined) {
      absent.note(record.operation)
      const message = `route ${parts.route.name} does no ${record.operation} any more; put it back into the configuration`
      return deferred(record, message)
    }
    return (await own.gate(record)) ?? own.send(record, permit)
  }
}

/** Makes the function that sends one record of a step. */
function sender(parts: InboundParts, file: FileEntry): Sender {
  const { api, route } = parts
  const requestOf = requestMaker(parts)
  const { repeatable } = OPERATIONS[route.operation]
  const noteFor = noteTaker(parts, file)
  const checkAccount = accountCheck(api, route.party)
  const columnOf = columnFinder(parts, file)
  const doubts = doubtReader(parts, file)

  return async (record, permit) => {
    const noted = await noteFor(record)
    if ('trouble' in noted) return deferred(record, noted.trouble)
    if (record.inDoubt && !repeatable) {
      const known = await doubts.beforeRepetition(record, noted.value)
      if (known) return known
    }
    const answer = await api.send(requestOf(record), permit)
    if (answer.certainty === 'not-applied') return deferred(record, answer.detail, answer.status)
    if (answer.certainty === 'unknown') return uncertain(record, answer.detail, answer.status)
    if (answer.status < 400) {
      const id = idOf(answer.body)
      if (id === undefined && !repeatable)
        return uncertain(record, namesNothing(answer.status), answer.status)
      return { ...accepted(record, answer.status, id), ...keptAnswer(parts, answer.body) }
    }
    if (answer.status === 403) await checkAccount()
    // What may be repeated may have been done before, by whomever.
    if (record.inDoubt || repeatable) {
      const known = await doubts.afterRefusal(record, noted.value, answer.status)
      if (known) return known
    }
    const problems = await refusals(answer, columnOf)
    return { id: record.id, state: 'rejected', http: answer.status, problems }
  }
}

/** Makes the function that turns a record into its call. A body that is sent as it is, is not looked at. */
function requestMaker({ route }: InboundParts): (record: SendingRecord) => Call {
  const { endpoints }: InboundOperation = OPERATIONS[route.operation]
  const endpoint = endpoints[route.party.kind]
  assert(endpoint !== undefined, `${route.operation} is not for a ${route.party.kind}`)
  const params = partyParams(route.party)
  const { request } = INBOUND_RULES[route.operation]
  if (request === undefined) return ({ body }) => ({ endpoint, params, body })
  return ({ body }) => {
    const made = request(JSON.parse(body) as Body, route.party)
    return { endpoint, ...made, params: { ...params, ...made.params } }
  }
}

/** A gateway that is being mended may say so with a success. */
function namesNothing(status: number): string {
  return `HTTP ${status}, but the answer names nothing that was made`
}

/** The API's own words, each with the user's column that feeds the field it names. */
async function refusals(
  { status, body, text }: Extract<CallResult, { certainty: 'answered' }>,
  columnOf: (field: string) => Promise<string | undefined>,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { path, message } of readApiErrors(body, text)) {
    const column = path === '' ? undefined : await columnOf(path)
    const place = { ...(path === '' ? {} : { field: path }), ...(column === undefined ? {} : { column }) }
    problems.push(problem('api-refused', place, message))
  }
  if (problems.length === 0) problems.push(problem('api-refused', {}, `HTTP ${status}, without a reason`))
  return problems
}
