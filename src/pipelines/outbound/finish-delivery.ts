/** Finishing one delivery: its file is left in the mailbox, and its records are acknowledged, from where it stands. */
import type { DeliveryEntry, DeliveryState } from '../../domain/journal.ts'
import type { ReportedRecord, StateCounts } from '../../domain/record.ts'
import { BridgeError } from '../../support/errors.ts'
import type { OutboundParts } from '../parts.ts'
import { assertSameParty } from '../party.ts'
import { acknowledgeDelivery } from './acknowledge.ts'
import { deliverySpoolName } from './compose.ts'
import { deliverFile } from './deliver.ts'
import { isAwaited } from './pick-ups.ts'

/** How many records in trouble are named; the journal has them all. */
export const TROUBLED_MAX = 100

export interface DeliveryResult {
  readonly delivery: DeliveryEntry
  /** The file was left by this pass, and not by an earlier one. */
  readonly isLeft: boolean
  /** Its records are acknowledged once somebody took or confirmed its file. */
  readonly isAwaited?: true
  /** Where the file is, for people. */
  readonly path: string
  readonly records: StateCounts
  /** Records that were not acknowledged, and why. */
  readonly troubled: readonly ReportedRecord[]
}

/**
 * Does step after step until nothing is left to do, or nothing that can be done now. A delivery that is not new may have been
 * under way at somebody who was stopped, and who may wake up.
 */
export async function finishDelivery(
  parts: OutboundParts,
  delivery: DeliveryEntry,
  isNew: boolean,
): Promise<DeliveryResult> {
  await assertSameParty(parts, { delivery: delivery.id }, `Records of file ${delivery.name}`)
  let current = delivery
  for (let step = NEXT_STEP[current.state]; step !== undefined; step = NEXT_STEP[current.state]) {
    if (parts.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    await step(parts, current, isNew)
    const next = await parts.journal.delivery(delivery.id)
    if (next === undefined) break
    const isSame = next.state === current.state
    current = next
    if (isSame) break
  }
  if (isInPlace(current)) await parts.spool.remove(deliverySpoolName(delivery.id))
  const work = { delivery: delivery.id }
  const records = await parts.journal.countRecords(work)
  if (current.state === 'acknowledged' && delivery.state !== 'acknowledged') {
    parts.notify({ kind: 'delivery-acknowledged', route: parts.route.name, file: current.name, records })
  }
  return {
    delivery: current,
    isLeft: !isInPlace(delivery) && isInPlace(current),
    ...(isAwaited(parts, current) ? { isAwaited: true } : {}),
    path: parts.target.describe(current.folder, current.name),
    records,
    troubled: await parts.journal.troubledRecords(work, TROUBLED_MAX),
  }
}

/** The one next step of each state. */
const NEXT_STEP: Readonly<
  Record<
    DeliveryState,
    ((parts: OutboundParts, delivery: DeliveryEntry, isNew: boolean) => Promise<void>) | undefined
  >
> = {
  composed: deliverFile,
  delivered: settleDelivered,
  acknowledged: undefined,
  done: undefined,
}

/** A route that acknowledges nothing any more may come upon a delivery of the time when it did. */
async function settleDelivered(parts: OutboundParts, delivery: DeliveryEntry): Promise<void> {
  if (parts.route.acknowledge === 'never') await parts.journal.deliveryDone(parts.lease, delivery.id)
  else if (!isAwaited(parts, delivery)) await acknowledgeDelivery(parts, delivery)
}

/** Nobody needs the file in the spool any more. */
export function isInPlace({ state }: DeliveryEntry): boolean {
  return state !== 'composed'
}
