/** Looking up by sweeping a list that has no filter for what is looked for: however many are sought, it is read once. */
import type { Api, Call, Resource } from '../../domain/api.ts'
import { likenessFinding, type Likeness, looseName } from './likeness.ts'
import { CLOCK_MARGIN_MS, madeBefore, type MadeFields } from './made-at.ts'
import type { Finding, SentRecord } from './operation.ts'

export interface Sweep {
  readonly list: Pick<Call, 'endpoint' | 'params'>
  /** The filter by the time when a resource was made. */
  readonly since: string
  /** What a resource is told apart by, and the same of a record. */
  readonly nameOf: (resource: Resource) => unknown
  readonly nameOfRecord: (record: SentRecord) => string
  /** Where a resource shows when it was made; an API that ignores the filter shows older ones too. */
  readonly madeAt: MadeFields
  readonly likeness: (resource: Resource, record: SentRecord) => Likeness
}

/** More often than this a list is not begun anew. */
const SWEEPS_MAX = 3

/** A finding for each record, in their order. */
export async function sweepFor(
  api: Api,
  records: readonly SentRecord[],
  sweep: Sweep,
): Promise<readonly Finding[]> {
  for (let time = 0; time < SWEEPS_MAX; time++) {
    const findings = await sweepOnce(api, records, sweep)
    if (findings !== undefined) return findings
  }
  const why = 'the clock of the API kept going back while its list was read'
  return records.map(() => ({ found: 'unclear', why }))
}

/** Undefined when the list was read from too late on: how far the API's clock is off is told by its answers only. */
async function sweepOnce(
  api: Api,
  records: readonly SentRecord[],
  sweep: Sweep,
): Promise<readonly Finding[] | undefined> {
  const from = sweptSince(api, records)
  const isTooLate = () => from - sweptSince(api, records) > CLOCK_SLACK_MS / 1000
  const named = byName(records, sweep.nameOfRecord)
  const found: Found = { accepted: new Map(), unclear: new Map() }
  for await (const page of api.list({ ...sweep.list, query: { [sweep.since]: from } })) {
    for (const resource of page) {
      const name = sweep.nameOf(resource)
      // what does not show its name may be any of them
      const meant = name === undefined ? records : (named.get(looseName(name)) ?? [])
      for (const record of meant) {
        const isOlder = madeBefore(api, record, resource, sweep.madeAt)
        note(found, record, likenessFinding(resource, { ...sweep.likeness(resource, record), isOlder }))
      }
    }
    if (found.accepted.size === records.length) break
    if (isTooLate()) return undefined
  }
  if (found.accepted.size < records.length && isTooLate()) return undefined
  return records.map(
    (record) => found.accepted.get(record) ?? found.unclear.get(record) ?? { found: 'absent' },
  )
}

interface Found {
  readonly accepted: Map<SentRecord, Finding>
  readonly unclear: Map<SentRecord, Finding>
}

function note({ accepted, unclear }: Found, record: SentRecord, finding: Finding | undefined): void {
  if (finding !== undefined) (finding.found === 'accepted' ? accepted : unclear).set(record, finding)
}

function byName(records: readonly SentRecord[], nameOf: Sweep['nameOfRecord']): Map<string, SentRecord[]> {
  const named = new Map<string, SentRecord[]>()
  for (const record of records) {
    const name = looseName(nameOf(record))
    named.set(name, [...(named.get(name) ?? []), record])
  }
  return named
}

/** How much of the margin may be lost to an API whose clock proves to be behind what was thought of it. */
const CLOCK_SLACK_MS = 60 * 60 * 1000

/** The time, for a filter, from which on a list shows all that these attempts may have made. */
function sweptSince(api: Api, records: readonly SentRecord[]): number {
  const sentAt = Math.min(...records.map((record) => record.sentAt))
  return Math.floor((sentAt + api.clockOffsetMs() - CLOCK_MARGIN_MS) / 1000)
}
