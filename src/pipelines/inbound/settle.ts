/** Settles what was sent and not answered: it is looked up at the API, and sent again only when proven absent. */
import type { FileEntry } from '../../domain/journal.ts'
import { problem } from '../../domain/problem.ts'
import type { RecordResult, UncertainRecord } from '../../domain/record.ts'
import { BridgeError } from '../../support/errors.ts'
import type { Finding, InboundRules } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import type { InboundParts } from '../parts.ts'
import type { ReadResult } from '../reads.ts'
import { type Lost, lookUpLost } from './look-up.ts'
import { type AbsentSteps, doesOperation, partsFor } from './steps.ts'

/** How many uncertain records are looked up between two writes to the journal. */
const LOOK_UP_AT_ONCE = 256

/** A record that was sent so often, and every time proven absent, is one that the API cannot digest. */
const LOST_MAX = 6

/** Where in its run a file is settled. */
export interface SettlingMoment {
  readonly isLastRound: boolean
  /** When the last request of this run ended, by the running clock; left out before the first. */
  readonly sentUntil?: number
  /** Told of what the route does not do any more: it stays as it is, since no other step knows how to look it up. */
  readonly absent: AbsentSteps
}

/**
 * uncertain → accepted, or planned again. What the API does not tell stays uncertain, and is held for a person in the
 * last round of a run, so that it does not keep its file from being reported.
 */
export async function settleUncertain(
  parts: InboundParts,
  file: FileEntry,
  moment: SettlingMoment,
): Promise<void> {
  const { journal, lease, route, signal } = parts
  let afterId = 0
  let done = 0
  for (;;) {
    const records = await journal.uncertainRecords({ file: file.id }, afterId, LOOK_UP_AT_ONCE)
    const last = records.at(-1)
    if (last === undefined) return
    await lateAnswersAreOut(parts, file, { records, sentUntil: done === 0 ? moment.sentUntil : undefined })
    if (!signal.aborted) await journal.settleRecords(lease, await lookedUp(parts, file, records, moment))
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    afterId = last.id
    done += records.length
    parts.notify({ kind: 'progress', route: route.name, file: file.name, phase: 'settling', done })
  }
}

/**
 * A request may still take effect when its answer is given up: looking it up too early would find nothing. The time
 * counts from when the record became uncertain, since its request may have waited long before it left. A clock that was
 * set back makes nobody wait longer, and one that was set forward since the last request nobody shorter.
 */
async function lateAnswersAreOut(
  { clock, route, signal, notify }: InboundParts,
  file: FileEntry,
  { records, sentUntil }: { records: readonly UncertainRecord[]; sentUntil: number | undefined },
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
async function lookedUp(
  parts: InboundParts,
  file: FileEntry,
  records: readonly UncertainRecord[],
  { isLastRound, absent }: SettlingMoment,
): Promise<RecordResult[]> {
  const results: RecordResult[] = []
  const lost: Lost[] = []
  for (const operation of new Set(records.map((record) => record.operation))) {
    if (!doesOperation(parts, operation)) {
      absent.note(operation)
      continue
    }
    const all = records.filter((record) => record.operation === operation)
    const own = partsFor(parts, operation)
    const rules: InboundRules = INBOUND_RULES[own.route.operation]
    // A note is durable before its request leaves, so what has none has not been sent.
    const wasSent = ({ note }: UncertainRecord) => rules.note === undefined || note !== undefined
    for (const record of all) {
      if (!wasSent(record)) results.push({ id: record.id, state: 'planned', problems: [] })
    }
    lost.push({ parts: own, records: all.filter(wasSent) })
  }
  const findings = await lookUpLost(parts, file, lost)
  for (const [record, read] of findings) results.push(resultOf(record, read, isLastRound))
  return results
}

function resultOf(record: UncertainRecord, read: ReadResult<Finding>, isLastRound: boolean): RecordResult {
  if ('value' in read) return outcomeOf(record, read.value, isLastRound)
  const message = `whether it took effect is not known, and it cannot be looked up: ${read.trouble}`
  return { id: record.id, state: 'uncertain', problems: [problem('answer-lost', {}, message)] }
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
      const problems = [problem(code, {}, `whether it took effect is not known: ${finding.why}`)]
      return { id, state: isLastRound ? 'held' : 'uncertain', problems }
    }
  }
}
