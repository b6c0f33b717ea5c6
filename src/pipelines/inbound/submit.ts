/** Sending what was planned: an attempt is durable before its request leaves, and so is its outcome after. */
import { readApiErrors } from '../../contract/api-errors.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { CallResult } from '../../domain/api.ts'
import type { FileEntry } from '../../domain/journal.ts'
import { type Problem, problem } from '../../domain/problem.ts'
import type { RecordResult, SendingRecord } from '../../domain/record.ts'
import { batchWriter } from '../../support/batches.ts'
import { drain } from '../drain.ts'
import { idOf, partyParams } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import type { InboundParts } from '../parts.ts'
import { columnFinder } from './columns.ts'
import { settleUncertain } from './settle.ts'

/** A record proven absent is sent again; more often than this in one run helps nobody. */
const ROUNDS_MAX = 3

/** Notes are made durable before their requests leave, so they wait only a moment for company. */
const NOTES = { atMost: 100, afterMs: 2 }

/** planned → submitted when every record is final; otherwise the file stays, and the next run goes on with it. */
export async function submitFile(parts: InboundParts, file: FileEntry): Promise<void> {
  const { journal, lease } = parts
  const work = { file: file.id }
  await journal.recoverAttempts(lease, work)
  await journal.retryDeferred(lease, work)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await settleUncertain(parts, file)
    await sendPlanned(parts, file)
    if (await journal.fileSubmitted(lease, file.id)) return
  }
}

async function sendPlanned(parts: InboundParts, file: FileEntry): Promise<void> {
  const { journal, lease, signal, concurrency, route } = parts
  const counts = await journal.countRecords({ file: file.id })
  const total = counts.planned ?? 0
  if (total === 0) return
  await drain({
    journal,
    lease,
    signal,
    concurrency,
    work: { file: file.id },
    perform: sender(parts, file),
    unsent: 'planned',
    onProgress: (done) =>
      parts.notify({ kind: 'progress', route: route.name, file: file.name, phase: 'sending', done, total }),
  })
}

/** Makes the function that sends one record of the file. */
function sender(parts: InboundParts, file: FileEntry): (record: SendingRecord) => Promise<RecordResult> {
  const { api, route, journal, lease } = parts
  const { party } = route
  const rules = INBOUND_RULES[route.operation]
  const { endpoint } = OPERATIONS[route.operation]
  const params = partyParams(party)
  const notes = batchWriter<{ id: number; note: string }>(NOTES, (batch) =>
    journal.noteAttempts(lease, batch),
  )
  const columnOf = columnFinder(parts, file)

  return async (record) => {
    if (rules.note) {
      await notes.add({ id: record.id, note: await rules.note(api, party, JSON.parse(record.body)) })
    }
    const answer = await api.send({ endpoint, params, body: record.body })
    if (answer.certainty !== 'answered') return unanswered(record, answer)
    if (answer.status < 400) return accepted(record, answer.status, idOf(answer.body))
    if (record.attempt > 1) {
      // An earlier attempt may have done it after all, and this refusal may be about the repetition.
      const finding = await rules.lookUp(api, party, { ...record, sentAt: file.receivedAt ?? file.claimedAt })
      if (finding.found === 'accepted') return accepted(record, answer.status, finding.apiId)
    }
    const problems = await refusals(answer, columnOf)
    return { id: record.id, state: 'rejected', http: answer.status, problems }
  }
}

function accepted(record: SendingRecord, http: number, apiId: string | undefined): RecordResult {
  return { id: record.id, state: 'accepted', http, problems: [], ...(apiId === undefined ? {} : { apiId }) }
}

function unanswered(
  record: SendingRecord,
  answer: Exclude<CallResult, { certainty: 'answered' }>,
): RecordResult {
  const code = answer.certainty === 'unknown' ? 'answer-lost' : 'not-sent'
  const state = answer.certainty === 'unknown' ? 'uncertain' : 'deferred'
  const http = answer.status === undefined ? {} : { http: answer.status }
  return { id: record.id, state, problems: [problem(code, {}, answer.detail)], ...http }
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
