/** The outbound story: collect, compose, deliver, acknowledge, each delivery from where it stands. */
import type { DeliveryEntry, DeliveryState } from '../../domain/journal.ts'
import type { ReportedRecord, StateCounts } from '../../domain/record.ts'
import { BridgeError } from '../../support/errors.ts'
import type { OutboundParts } from '../parts.ts'
import { acknowledgeDelivery } from './acknowledge.ts'
import { collectRecords } from './collect.ts'
import {
  composeDelivery,
  deliverySpoolName,
  type HeldRecord,
  type Progress,
  recordsPerFile,
} from './compose.ts'
import { deliverFile } from './deliver.ts'

/** How many records in trouble a pass names; the journal has them all. */
const TROUBLED_MAX = 100

export interface DeliveryResult {
  readonly delivery: DeliveryEntry
  /** Where the file is, for people. */
  readonly path: string
  readonly records: StateCounts
  /** Records that were not acknowledged, and why. */
  readonly troubled: readonly ReportedRecord[]
}

/** What a pass over an outbound route came to. */
export interface OutboundPass {
  readonly route: string
  readonly deliveries: readonly DeliveryResult[]
  /** How many records could not be turned into rows and are in no file, and the first of them. */
  readonly held: number
  readonly heldRecords: readonly HeldRecord[]
}

/**
 * One pass: unfinished deliveries go on first, so that their records are acknowledged and leave the list; then what is
 * new is collected and delivered. Failures of the world are thrown.
 */
export async function passOutbound(parts: OutboundParts): Promise<OutboundPass> {
  const { journal, route } = parts
  const deliveries: DeliveryResult[] = []
  await sweepSpool(parts)
  for (const delivery of await journal.unfinishedDeliveries(route.name)) {
    deliveries.push(await finishDelivery(parts, delivery))
  }
  await collectRecords(parts)
  const held = await deliverWaiting(parts, deliveries)
  return { route: route.name, deliveries, held: held.length, heldRecords: held.slice(0, TROUBLED_MAX) }
}

/** File after file until nothing waits; each is done before the next is begun. Gives the records in no file. */
async function deliverWaiting(parts: OutboundParts, deliveries: DeliveryResult[]): Promise<HeldRecord[]> {
  const progress: Progress = { upToRecord: 0, held: [] }
  for (;;) {
    const delivery = await composeDelivery(parts, progress)
    if (delivery === undefined) return progress.held
    deliveries.push(await finishDelivery(parts, delivery))
    if (recordsPerFile(parts) === undefined) return progress.held
  }
}

/** The one next step of each state. */
const NEXT_STEP: Readonly<
  Record<
    Exclude<DeliveryState, 'acknowledged'>,
    (parts: OutboundParts, delivery: DeliveryEntry) => Promise<void>
  >
> = {
  composed: deliverFile,
  delivered: acknowledgeDelivery,
}

async function finishDelivery(parts: OutboundParts, delivery: DeliveryEntry): Promise<DeliveryResult> {
  let current = delivery
  while (current.state !== 'acknowledged') {
    const { state } = current
    if (parts.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    await NEXT_STEP[state](parts, current)
    const next = await parts.journal.delivery(delivery.id)
    if (next === undefined || next.state === state) break
    current = next
  }
  if (current.state === 'acknowledged') await parts.spool.remove(deliverySpoolName(delivery.id))
  const work = { delivery: delivery.id }
  return {
    delivery: current,
    path: parts.target.describe(current.folder, current.name),
    records: await parts.journal.countRecords(work),
    troubled: await parts.journal.troubledRecords(work, TROUBLED_MAX),
  }
}

/** Removes the files of composings that a crash interrupted, and of deliveries that are done. */
async function sweepSpool({ spool, journal }: OutboundParts): Promise<void> {
  for (const name of await spool.list()) {
    const delivery = await journal.delivery(name.split('.', 1)[0] ?? '')
    if (delivery === undefined || delivery.state === 'acknowledged') await spool.remove(name)
  }
}
