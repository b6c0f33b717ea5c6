/** Stores the state of an order before a record is sent, to find out later whether a request without an answer took effect. */
import type { FileEntry } from '../../domain/file.ts'
import type { SendingRecord } from '../../domain/record.ts'
import { formatAccount } from '../../domain/route.ts'
import { createBatchWriter } from '../../support/async.ts'
import type { RequestBody, InboundRules } from '../../operations/operation.ts'
import { INBOUND_RULES } from '../../operations/operations.ts'
import type { InboundContext } from '../context.ts'
import { tryRead } from '../failures.ts'
import { planLists, readList } from '../references/finder.ts'

/** Snapshots are durable before their requests leave, so they wait only a moment to be written together. */
const SNAPSHOT_BATCH = { atMost: 100, afterMs: 2 }

/** In a file with more records, their orders are read as one list instead of one by one. */
const SINGLE_READS_MAX = 50

/** In a long file, another program may change an order between the reading of the list and the sending of its record. */
const RECENTLY_SEEN_MS = 5_000

/** Makes the function that stores, durably and before the request leaves, what a later lookup needs. */
export function createSnapshotTaker(context: InboundContext, file: FileEntry) {
  const { api, route, journal, lease } = context
  const { takeSnapshot }: InboundRules = INBOUND_RULES[route.operation]
  if (takeSnapshot === undefined) return () => Promise.resolve({ value: undefined })
  const write = (notes: readonly { id: number; note: string }[]) => journal.saveAttemptNotes(lease, notes)
  const snapshots = createBatchWriter(SNAPSHOT_BATCH, write)
  const snapshotFromList = createListSnapshots(context, file)
  return async (record: SendingRecord) => {
    if (record.note !== undefined) return { value: record.note }
    const body = JSON.parse(record.body) as RequestBody
    const take = async () =>
      (await snapshotFromList(record, body)) ?? (await takeSnapshot(api, route.party, body))
    const read = await tryRead(take)
    if ('value' in read) await snapshots.add({ id: record.id, note: read.value })
    return read
  }
}

/** Takes snapshots from a list that is read before sending; none where an earlier record may have changed the order. */
function createListSnapshots(context: InboundContext, file: FileEntry) {
  const { journal, route, clock } = context
  const { operation, party } = route
  const rules: InboundRules = INBOUND_RULES[operation]
  const account = formatAccount(party)
  let listReadAt: Promise<number | undefined> | undefined
  const readOrderList = async () => {
    if ((await journal.countRecordsWithoutNote(file.id, operation)) <= SINGLE_READS_MAX) return undefined
    const startedAt = clock.now()
    for (const list of planLists('order', party).lists.slice(0, 1)) await readList(context, list)
    return startedAt
  }
  return async (record: SendingRecord, body: RequestBody): Promise<string | undefined> => {
    listReadAt ??= readOrderList()
    const since = await listReadAt
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
