/** Stores what must be known before a record is sent, to tell later whether a request without an answer took effect. */
import type { FileEntry } from '../../domain/file.ts'
import type { SendingRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import { createBatchWriter } from '../../support/async.ts'
import type { RequestBody, InboundRules } from '../../operations/operation.ts'
import { INBOUND_RULES } from '../../operations/operations.ts'
import type { InboundContext } from '../context.ts'
import { tryRead } from '../failures.ts'
import { planLists, readList } from '../references/finder.ts'

/** Notes are made durable before their requests leave, so they wait only a moment for company. */
const SNAPSHOT_BATCH = { atMost: 100, afterMs: 2 }

/** A file with more records whose orders must be read right before has them read as one list. */
const SINGLE_READS_MAX = 50

/** In a long file, somebody else may change an order between the reading of the list and its record's turn. */
const RECENTLY_SEEN_MS = 5_000

/** Makes the function that notes, durably and before the request leaves, what a lookup will need. */
export function createSnapshotTaker(context: InboundContext, file: FileEntry) {
  const { api, route, journal, lease } = context
  const { takeSnapshot }: InboundRules = INBOUND_RULES[route.operation]
  if (takeSnapshot === undefined) return () => Promise.resolve({ value: undefined })
  const write = (notes: readonly { id: number; note: string }[]) => journal.saveAttemptNotes(lease, notes)
  const snapshots = createBatchWriter(SNAPSHOT_BATCH, write)
  const noteFromSweep = createListSnapshots(context, file)
  return async (record: SendingRecord) => {
    if (record.note !== undefined) return { value: record.note }
    const body = JSON.parse(record.body) as RequestBody
    const take = async () =>
      (await noteFromSweep(record, body)) ?? (await takeSnapshot(api, route.party, body))
    const read = await tryRead(take)
    if ('value' in read) await snapshots.add({ id: record.id, note: read.value })
    return read
  }
}

/** Takes notes from a list read before the sending; none where an earlier record may have changed the order. */
function createListSnapshots(context: InboundContext, file: FileEntry) {
  const { journal, route, clock } = context
  const { operation, party } = route
  const rules: InboundRules = INBOUND_RULES[operation]
  const account = formatAccount(party)
  let swept: Promise<number | undefined> | undefined
  const sweep = async () => {
    if ((await journal.countRecordsWithoutNote(file.id, operation)) <= SINGLE_READS_MAX) return undefined
    const startedAt = clock.now()
    for (const list of planLists('order', party).lists.slice(0, 1)) await readList(context, list)
    return startedAt
  }
  return async (record: SendingRecord, body: RequestBody): Promise<string | undefined> => {
    swept ??= sweep()
    const since = await swept
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
