/** Settling what was sent and not answered: looked up at the API, and sent again only when proven absent. */
import type { FileEntry } from '../../domain/journal.ts'
import { problem } from '../../domain/problem.ts'
import type { RecordResult, UncertainRecord } from '../../domain/record.ts'
import { BridgeError } from '../../support/errors.ts'
import type { Finding, InboundRules } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import type { InboundParts } from '../parts.ts'
import { tryRead } from '../reads.ts'
import { partsFor } from './steps.ts'

/** How many uncertain records are looked up between two writes to the journal, and how many at a time. */
const LOOK_UP_AT_ONCE = 64
const LOOK_UPS_IN_FLIGHT = 8

/** A record that was sent so often, and every time proven absent, is one that the API cannot digest. */
const LOST_MAX = 6

/**
 * uncertain → accepted, or planned again. What the API does not tell stays uncertain, and is held for a person in the
 * last round of a run, so that it does not keep its file from being reported.
 */
export async function settleUncertain(
  parts: InboundParts,
  file: FileEntry,
  isLastRound: boolean,
): Promise<void> {
  const { journal, lease, route, signal } = parts
  let afterId = 0
  let done = 0
  for (;;) {
    const records = await journal.uncertainRecords({ file: file.id }, afterId, LOOK_UP_AT_ONCE)
    const last = records.at(-1)
    if (last === undefined) return
    await lateAnswersAreOut(parts, records)
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    const results: RecordResult[] = []
    for (let start = 0; start < records.length; start += LOOK_UPS_IN_FLIGHT) {
      const some = records.slice(start, start + LOOK_UPS_IN_FLIGHT)
      results.push(...(await Promise.all(some.map((record) => settle(parts, record, isLastRound)))))
    }
    await journal.settleRecords(lease, results)
    afterId = last.id
    done += records.length
    parts.notify({ kind: 'progress', route: route.name, file: file.name, phase: 'settling', done })
  }
}

/**
 * A request may still take effect when its answer is given up: looking it up too early would find nothing. The time
 * counts from when the record became uncertain, since its request may have waited long before it left. A clock that was
 * set back makes nobody wait longer.
 */
async function lateAnswersAreOut(
  { clock, route, signal }: InboundParts,
  records: readonly UncertainRecord[],
) {
  const since = Math.max(...records.map((record) => record.uncertainSince))
  const wait = Math.min(since + route.lateAnswerMs - clock.now(), route.lateAnswerMs)
  if (wait > 0) await clock.sleep(wait, signal)
}

async function settle(
  parts: InboundParts,
  record: UncertainRecord,
  isLastRound: boolean,
): Promise<RecordResult> {
  const { api, route } = partsFor(parts, record.operation)
  const rules: InboundRules = INBOUND_RULES[route.operation]
  const { id } = record
  // A note is durable before its request leaves, so what has none has not been sent.
  if (rules.note && record.note === undefined) return { id, state: 'planned', problems: [] }
  const read = await tryRead(() => rules.lookUp(api, route.party, record))
  if ('trouble' in read) {
    const message = `the answer was lost, and it cannot be looked up: ${read.trouble}`
    return { id, state: 'uncertain', problems: [problem('answer-lost', {}, message)] }
  }
  return outcomeOf(record, read.value, isLastRound)
}

function outcomeOf({ id, timesLost }: UncertainRecord, finding: Finding, isLastRound: boolean): RecordResult {
  switch (finding.found) {
    case 'accepted':
      return {
        id,
        state: 'accepted',
        problems: [],
        ...(finding.apiId === undefined ? {} : { apiId: finding.apiId }),
      }
    case 'absent': {
      if (timesLost < LOST_MAX) return { id, state: 'planned', problems: [] }
      const message = `it was sent ${timesLost} times without an answer, and it is not at the API`
      return { id, state: 'rejected', problems: [problem('api-keeps-failing', {}, message)] }
    }
    case 'unclear': {
      const code = isLastRound ? 'outcome-unprovable' : 'answer-lost'
      const problems = [problem(code, {}, `the answer was lost, and ${finding.why}`)]
      return { id, state: isLastRound ? 'held' : 'uncertain', problems }
    }
  }
}
