/** Looking up what was sent and not answered. One read proves that a record is there; that it is absent takes two. */
import { OPERATIONS } from '../../contract/operations.ts'
import type { FileEntry } from '../../domain/journal.ts'
import type { UncertainRecord } from '../../domain/record.ts'
import type { Finding, InboundRules } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import type { InboundParts } from '../parts.ts'
import { type ReadResult, tryRead } from '../reads.ts'
import { unlessAnothers } from './others.ts'

const READS_IN_FLIGHT = 8

/** Records of one operation. */
export interface Lost {
  /** Of the step that sends them. */
  readonly parts: InboundParts
  readonly records: readonly UncertainRecord[]
}

export type Findings = ReadonlyMap<UncertainRecord, ReadResult<Finding>>

/**
 * What became of the records; at a signal, of those for which it was proven by then. A read may come from a replica that
 * lags behind, so what it does not show is read again, after as long as a late answer may take. The wait is one for all
 * records. What may be repeated does no harm twice, and is read once.
 */
export async function lookUpLost(
  { clock, route, signal, notify }: InboundParts,
  file: FileEntry,
  lost: readonly Lost[],
): Promise<Findings> {
  /** Two records of one order may explain the same effect; shared by all, so that none is given to both. */
  const given = new Set<string>()
  const findings = new Map<UncertainRecord, ReadResult<Finding>>()
  for (const some of lost) await readOnce(file, some, { given, findings })
  const again = lost.map(({ parts, records }) => ({
    parts,
    records: records.filter((record) => needsSecondRead(parts, findings.get(record))),
  }))
  const absent = again.flatMap(({ records }) => records)
  if (absent.length === 0) return findings
  for (const record of absent) findings.delete(record)
  if (!signal.aborted && route.lateAnswerMs > 0) {
    notify({ kind: 'waiting', route: route.name, file: file.name, ms: route.lateAnswerMs })
    await clock.sleep(route.lateAnswerMs, signal)
  }
  for (const some of again) await readOnce(file, some, { given, findings })
  return findings
}

function needsSecondRead({ route }: InboundParts, read: ReadResult<Finding> | undefined): boolean {
  if (read === undefined || 'trouble' in read) return false
  return read.value.found === 'absent' && !OPERATIONS[route.operation].repeatable
}

interface Found {
  readonly given: Set<string>
  readonly findings: Map<UncertainRecord, ReadResult<Finding>>
}

async function readOnce(
  file: FileEntry,
  { parts, records }: Lost,
  { given, findings }: Found,
): Promise<void> {
  const rules: InboundRules = INBOUND_RULES[parts.route.operation]
  const atOnce = rules.lookUpAll === undefined ? READS_IN_FLIGHT : Math.max(1, records.length)
  for (let start = 0; start < records.length && !parts.signal.aborted; start += atOnce) {
    const some = records.slice(start, start + atOnce)
    const reads = await find(parts, rules, some)
    for (const [index, record] of some.entries()) {
      const read = reads[index]
      if (read === undefined) continue
      findings.set(record, 'trouble' in read ? read : { value: await own(record, read.value) })
    }
  }

  function own(record: UncertainRecord, finding: Finding): Promise<Finding> {
    return unlessAnothers(parts, { ...record, file: file.id, since: record.sentAt }, finding, given)
  }
}

async function find(
  { api, route }: InboundParts,
  rules: InboundRules,
  records: readonly UncertainRecord[],
): Promise<readonly ReadResult<Finding>[]> {
  const { lookUp, lookUpAll } = rules
  if (lookUpAll === undefined) {
    return Promise.all(records.map((record) => tryRead(() => lookUp(api, route.party, record))))
  }
  const read = await tryRead(() => lookUpAll(api, route.party, records))
  if ('trouble' in read) return records.map(() => read)
  return read.value.map((value) => ({ value }))
}
