/** Notes: what must be known before a record is sent, to be able to tell later what became of it. */
import type { FileEntry } from '../../domain/journal.ts'
import type { SendingRecord } from '../../domain/record.ts'
import { accountOf } from '../../domain/route.ts'
import { batchWriter } from '../../support/batches.ts'
import type { Body, InboundRules } from '../operations/operation.ts'
import { INBOUND_RULES } from '../operations/operations.ts'
import type { InboundParts } from '../parts.ts'
import { type ReadResult, tryRead } from '../reads.ts'
import { readWhole } from '../references/finder.ts'
import { sweepOf } from '../references/sweeps.ts'

/** Notes are made durable before their requests leave, so they wait only a moment for company. */
const NOTES = { atMost: 100, afterMs: 2 }

/** A file with more records whose orders must be read right before has them read as one list. */
const SINGLE_READS_MAX = 50

/** In a long file, somebody else may change an order between the reading of the list and its record's turn. */
const SEEN_JUST_NOW_MS = 5_000

/**
 * Makes the function that notes, durably and before the request leaves, what a look-up will need. Operations that need
 * nothing cost nothing, and so do records of which planning knew enough.
 */
export function noteTaker(
  parts: InboundParts,
  file: FileEntry,
): (record: SendingRecord) => Promise<ReadResult<string | undefined>> {
  const { api, route, journal, lease } = parts
  const { note }: InboundRules = INBOUND_RULES[route.operation]
  if (note === undefined) return () => Promise.resolve({ value: undefined })
  const notes = batchWriter<{ id: number; note: string }>(NOTES, (batch) =>
    journal.noteAttempts(lease, batch),
  )
  const noteFromSweep = sweptNotes(parts, file)
  return async (record) => {
    if (record.note !== undefined) return { value: record.note }
    const body = JSON.parse(record.body) as Body
    const read = await tryRead(
      async () => (await noteFromSweep(record, body)) ?? (await note(api, route.party, body)),
    )
    if ('value' in read) await notes.add({ id: record.id, note: read.value })
    return read
  }
}

/**
 * Makes the function that notes an order as it stood in a list that was read before the sending began; undefined where
 * the order was not in it, or where an earlier record of the file may have changed it since.
 */
function sweptNotes(parts: InboundParts, file: FileEntry) {
  const { journal, route, clock } = parts
  const { operation, party } = route
  const rules: InboundRules = INBOUND_RULES[operation]
  const account = accountOf(party)
  let swept: Promise<number | undefined> | undefined
  const sweep = async () => {
    if ((await journal.countUnnoted(file.id, operation)) <= SINGLE_READS_MAX) return undefined
    const startedAt = clock.now()
    for (const list of sweepOf('order', party).lists.slice(0, 1)) await readWhole(parts, list)
    return startedAt
  }
  return async (record: SendingRecord, body: Body): Promise<string | undefined> => {
    swept ??= sweep()
    const since = await swept
    if (since === undefined || rules.noteOf === undefined || record.attempt > 1) return undefined
    const lane = rules.lane(body)
    const before = { operation, account, lane, number: record.number }
    if (await journal.isBehind(file.id, before)) return undefined
    const [order] = await journal.resourcesById(account, 'order', [lane])
    if (order?.facts === undefined || order.seenAt < since) return undefined
    const age = clock.now() - order.seenAt
    return rules.noteOf(order.facts, age < 0 || age > SEEN_JUST_NOW_MS)
  }
}
