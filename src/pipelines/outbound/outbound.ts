/** The outbound story: collect or report, compose, deliver, acknowledge, each delivery from where it stands. */
import type { DeliveryEntry, DeliveryState } from '../../domain/journal.ts'
import type { ReportedRecord, StateCounts } from '../../domain/record.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'
import type { OutboundParts } from '../parts.ts'
import { acknowledgeDelivery } from './acknowledge.ts'
import { type AwaitedFiles, awaitedFiles } from './awaited.ts'
import { collectRecords } from './collect.ts'
import {
  composeDelivery,
  deliverySpoolName,
  type HeldRecord,
  type Progress,
  recordsPerFile,
} from './compose.ts'
import { deliverFile } from './deliver.ts'
import { isAwaited, notePickUps } from './pick-ups.ts'
import { noteReceipts } from './receipts.ts'
import { composeReport, type Report } from './report.ts'
import type { UnwrittenRecord } from './report-lines.ts'

/** How many records in trouble a pass names; the journal has them all. */
const TROUBLED_MAX = 100

export interface DeliveryResult {
  readonly delivery: DeliveryEntry
  /** Its records are acknowledged once somebody took or confirmed its file. */
  readonly isAwaited?: true
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
  /** Delivered files that wait to be taken or confirmed; left out where there are none. */
  readonly awaited?: AwaitedFiles
  /** How many records could not be turned into rows and are in no file, and the first of them. */
  readonly held: number
  readonly heldRecords: readonly UnwrittenRecord[]
  /** How many records a report names that are not there, and the first of these names. */
  readonly missing: number
  readonly firstMissing: readonly string[]
}

/**
 * One pass: unfinished deliveries go on first, so that their records are acknowledged and leave the list; then what is
 * new is collected and delivered. Failures of the world are thrown.
 */
export async function passOutbound(parts: OutboundParts): Promise<OutboundPass> {
  await sweepSpool(parts)
  if (parts.route.acknowledge === 'picked-up') await notePickUps(parts)
  const away = parts.route.acknowledge === 'receipt' ? await receiptsAway(parts) : undefined
  const pass = await passOn(parts)
  // Nothing else waits for a mailbox that only receipts come to; but that it is away must be said.
  if (away !== undefined) throw away
  return pass
}

async function receiptsAway(parts: OutboundParts): Promise<BridgeError | undefined> {
  try {
    await noteReceipts(parts)
    return undefined
  } catch (error) {
    if (hasCode(error, 'mailbox-unreachable')) return error
    throw error
  }
}

async function passOn(parts: OutboundParts): Promise<OutboundPass> {
  const { journal, route } = parts
  const deliveries: DeliveryResult[] = []
  for (const delivery of await journal.unfinishedDeliveries(route.name)) {
    if (!isAwaited(parts, delivery)) deliveries.push(await finishDelivery(parts, delivery, false))
  }
  if (parts.onlyUnfinished === true || parts.turn?.isComposed === true)
    return { ...unfinishedPass(route.name, deliveries), ...(await awaitedFiles(parts)) }
  if (route.report !== undefined) return passReport(parts, route.report, deliveries)
  await collectRecords(parts)
  const held = await deliverWaiting(parts, deliveries)
  return {
    route: route.name,
    deliveries,
    ...(await awaitedFiles(parts)),
    held: held.length,
    heldRecords: held.slice(0, TROUBLED_MAX),
    missing: 0,
    firstMissing: [],
  }
}

function unfinishedPass(route: string, deliveries: readonly DeliveryResult[]): OutboundPass {
  return { route, deliveries, held: 0, heldRecords: [], missing: 0, firstMissing: [] }
}

async function passReport(
  parts: OutboundParts,
  report: Report,
  deliveries: DeliveryResult[],
): Promise<OutboundPass> {
  const { delivery, tally, missing } = await composeReport(parts, report)
  if (delivery !== undefined) deliveries.push(await finishDelivery(parts, delivery, true))
  return {
    route: parts.route.name,
    deliveries,
    held: tally.unwritten,
    heldRecords: tally.firstUnwritten,
    missing: missing.length,
    firstMissing: missing.slice(0, TROUBLED_MAX),
  }
}

/** File after file until nothing waits; each is done before the next is begun. Gives the records in no file. */
async function deliverWaiting(parts: OutboundParts, deliveries: DeliveryResult[]): Promise<HeldRecord[]> {
  const progress: Progress = { upToRecord: 0, held: [] }
  for (;;) {
    const delivery = await composeDelivery(parts, progress)
    if (delivery === undefined) return progress.held
    deliveries.push(await finishDelivery(parts, delivery, true))
    if (recordsPerFile(parts) === undefined) return progress.held
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

/** A delivery that is not new may have been under way at somebody who was stopped, and who may wake up. */
async function finishDelivery(
  parts: OutboundParts,
  delivery: DeliveryEntry,
  isNew: boolean,
): Promise<DeliveryResult> {
  let current = delivery
  for (let step = NEXT_STEP[current.state]; step !== undefined; step = NEXT_STEP[current.state]) {
    if (parts.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    await step(parts, current, isNew)
    const next = await parts.journal.delivery(delivery.id)
    if (next === undefined || next.state === current.state) break
    current = next
  }
  if (isInPlace(current)) await parts.spool.remove(deliverySpoolName(delivery.id))
  const work = { delivery: delivery.id }
  const records = await parts.journal.countRecords(work)
  if (current.state === 'acknowledged' && delivery.state !== 'acknowledged') {
    parts.notify({ kind: 'delivery-acknowledged', route: parts.route.name, file: current.name, records })
  }
  return {
    delivery: current,
    ...(isAwaited(parts, current) ? { isAwaited: true } : {}),
    path: parts.target.describe(current.folder, current.name),
    records,
    troubled: await parts.journal.troubledRecords(work, TROUBLED_MAX),
  }
}

/** Nobody needs the file in the spool any more. */
function isInPlace({ state }: DeliveryEntry): boolean {
  return state !== 'composed'
}

/** Removes the files of composings that a crash interrupted, and of deliveries that are in place. */
async function sweepSpool({ spool, journal, lease }: OutboundParts): Promise<void> {
  const names = await spool.list()
  // One that was stopped and wakes up now must not remove what its successor is composing.
  if (names.length > 0) await journal.renewLease(lease)
  for (const name of names) {
    const delivery = await journal.delivery(name.split('.', 1)[0] ?? '')
    if (delivery === undefined || isInPlace(delivery)) await spool.remove(name)
  }
}
