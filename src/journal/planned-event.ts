/** The event of records that came into the journal: which, in what states, and what makes each of them the same. */
import type { Kysely } from 'kysely'
import type { Lease } from '../domain/journal.ts'
import type { PlannedRecord } from '../domain/record.ts'
import { chain } from './chain.ts'
import { plannedDigest } from './digests.ts'
import { mentionsOf } from './event-detail.ts'
import { changeText, summed } from './sums.ts'
import type { Verdict } from './repeats.ts'
import type { Tables } from './schema.ts'

interface Addition {
  readonly lease: Lease
  readonly fileId: string
  readonly records: readonly PlannedRecord[]
  /** What the first of them is in the journal; the others come after it, in their order. */
  readonly firstId: number
  readonly now: number
}

export async function chainPlanned(
  tables: Kysely<Tables>,
  { lease, fileId, records, firstId: first, now }: Addition,
  verdicts: readonly Verdict[],
): Promise<void> {
  if (records.length === 0) return
  const last = first + records.length - 1
  const sent = records
    .map((record, place) => ({ ...record, id: first + place }))
    .filter((_, place) => verdicts[place]?.state === 'planned')
  const notes = sent.flatMap(({ id, note }) => (note === undefined ? [] : [{ id, text: note }]))
  const changes = sent.flatMap(({ id, change }) =>
    change === undefined ? [] : [{ id, text: changeText(change.target, change.values) }],
  )
  await chain(tables, now, {
    kind: 'records-planned',
    route: lease.route,
    subject: fileId,
    detail: {
      records: mentionsOf(verdicts.map(({ state, apiId }, place) => ({ id: first + place, state, apiId }))),
      planned: { ids: [[first, last]], ...plannedDigest(fileId, records) },
      ...(notes.length === 0 ? {} : { notes: summed(notes) }),
      ...(changes.length === 0 ? {} : { changes: summed(changes) }),
    },
  })
}
