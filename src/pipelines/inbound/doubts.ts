/** Looks a record up whose earlier attempt may have taken effect, while it is sent once more. */
import type { FileEntry } from '../../domain/journal.ts'
import { problem } from '../../domain/problem.ts'
import type { RecordResult, SendingRecord } from '../../domain/record.ts'
import type { Finding, InboundRules, SentRecord } from '../operations/operation.ts'
import { batchReader } from '../../support/batches.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import type { InboundParts } from '../parts.ts'
import { type ReadResult, tryRead } from '../reads.ts'
import { unlessAnothers } from './others.ts'

export interface DoubtReader {
  /**
   * The last read before the request is sent once more: the result of the record when it is not to be sent. What a person said
   * is absent is sent unless the API shows it, because nothing else could ever prove it. `note` is that of this attempt.
   */
  beforeRepetition(record: SendingRecord, note: string | undefined): Promise<RecordResult | undefined>
  /** An earlier attempt may have done it after all, and the refusal may be about the repetition. */
  afterRefusal(
    record: SendingRecord,
    note: string | undefined,
    status: number,
  ): Promise<RecordResult | undefined>
}

export function doubtReader(parts: InboundParts, file: FileEntry): DoubtReader {
  const lookUp = sharedLookUp(parts)

  const readNow = async (record: SendingRecord, note: string | undefined): Promise<ReadResult<Finding>> => {
    const noted = record.doubtNote ?? note
    const sentAt = record.doubtSince ?? file.receivedAt ?? file.claimedAt
    const sent = { ...record, sentAt, ...(noted === undefined ? {} : { note: noted }) }
    const read = await tryRead(() => lookUp(sent))
    if ('trouble' in read) return read
    return { value: await unlessAnothers(parts, { ...record, file: file.id, since: sentAt }, read.value) }
  }

  return {
    beforeRepetition: async (record, note) => {
      const read = await readNow(record, note)
      if ('trouble' in read) return deferred(record, read.trouble)
      const { value } = read
      if (value.found === 'accepted') return accepted(record, undefined, value.apiId)
      return value.found === 'unclear' && record.saidAbsent !== true
        ? uncertain(record, value.why)
        : undefined
    },
    afterRefusal: async (record, note, status) => {
      const read = await readNow(record, note)
      if ('trouble' in read) return uncertain(record, read.trouble, status)
      const { value } = read
      if (value.found === 'accepted') return accepted(record, status, value.apiId)
      // A person said that it was not there before, so that the refusal is about this record.
      return value.found === 'unclear' && record.saidAbsent !== true
        ? uncertain(record, value.why, status)
        : undefined
    },
  }
}

/** Records that are looked for in a list at the same time share one reading of it: a list may be long. */
function sharedLookUp({ api, route }: InboundParts): (record: SentRecord) => Promise<Finding> {
  const { lookUp, lookUpAll }: InboundRules = INBOUND_RULES[route.operation]
  if (lookUpAll === undefined) return (record) => lookUp(api, route.party, record)
  return batchReader((records) => lookUpAll(api, route.party, records))
}

export function accepted(
  record: SendingRecord,
  http: number | undefined,
  apiId: string | undefined,
): RecordResult {
  return {
    id: record.id,
    state: 'accepted',
    problems: [],
    ...(http === undefined ? {} : { http }),
    ...(apiId === undefined ? {} : { apiId }),
  }
}

export function deferred({ id }: SendingRecord, detail: string, http?: number): RecordResult {
  return {
    id,
    state: 'deferred',
    problems: [problem('not-sent', {}, detail)],
    ...(http === undefined ? {} : { http }),
  }
}

export function uncertain({ id }: SendingRecord, detail: string, http?: number): RecordResult {
  const problems = [problem('answer-lost', {}, detail)]
  return { id, state: 'uncertain', problems, ...(http === undefined ? {} : { http }) }
}
