/** Settling what was sent and not answered: looked up at the API, and sent again only when proven absent. */
import type { FileEntry } from '../../domain/journal.ts'
import { problem } from '../../domain/problem.ts'
import type { RecordResult, UncertainRecord } from '../../domain/record.ts'
import { BridgeError } from '../../support/errors.ts'
import type { InboundRules } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import type { InboundParts } from '../parts.ts'

/** How many uncertain records are looked up between two writes to the journal. */
const LOOK_UP_AT_ONCE = 64

/** uncertain → accepted, or planned again, or still uncertain with the reason why it cannot be told. */
export async function settleUncertain(parts: InboundParts, file: FileEntry): Promise<void> {
  const { journal, lease, route, signal } = parts
  let afterId = 0
  let done = 0
  for (;;) {
    const records = await journal.uncertainRecords({ file: file.id }, afterId, LOOK_UP_AT_ONCE)
    const last = records.at(-1)
    if (last === undefined) return
    await lateAnswersAreOut(parts, records)
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    const results = await Promise.all(records.map((record) => settle(parts, record)))
    await journal.settleRecords(lease, results)
    afterId = last.id
    done += records.length
    parts.notify({ kind: 'progress', route: route.name, file: file.name, phase: 'settling', done })
  }
}

/** A request may still be on its way when its answer is given up: looking it up too early would find nothing. */
async function lateAnswersAreOut(
  { clock, route, signal }: InboundParts,
  records: readonly UncertainRecord[],
) {
  const lastSent = Math.max(...records.map((record) => record.sentAt))
  const wait = lastSent + route.lateAnswerMs - clock.now()
  if (wait > 0) await clock.sleep(wait, signal)
}

async function settle(parts: InboundParts, record: UncertainRecord): Promise<RecordResult> {
  const { api, route } = parts
  const rules: InboundRules = INBOUND_RULES[route.operation]
  const { id } = record
  // A note is durable before its request leaves, so what has none has not been sent.
  if (rules.note && record.note === undefined) return { id, state: 'planned', problems: [] }
  const finding = await rules.lookUp(api, route.party, record)
  switch (finding.found) {
    case 'accepted':
      return {
        id,
        state: 'accepted',
        problems: [],
        ...(finding.apiId === undefined ? {} : { apiId: finding.apiId }),
      }
    case 'absent':
      return { id, state: 'planned', problems: [] }
    case 'unclear':
      return {
        id,
        state: 'uncertain',
        problems: [problem('answer-lost', {}, `the answer was lost, and ${finding.why}`)],
      }
  }
}
