/** The outbound story: collect or report, compose, deliver, acknowledge, each delivery from where it stands. */
import type { DeliveryEntry } from '../../domain/journal.ts'
import { type FailureCode, hasCode } from '../../support/errors.ts'
import { CONCERNS_ALL } from '../concerns-all.ts'
import type { OutboundParts } from '../parts.ts'
import { assertSameParty } from '../party.ts'
import { type AwaitedFiles, awaitedFiles } from './awaited.ts'
import { collectRecords } from './collect.ts'
import { composeDelivery, type HeldRecord, type Progress, recordsPerFile } from './compose.ts'
import { type DeliveryResult, finishDelivery, isInPlace, TROUBLED_MAX } from './finish-delivery.ts'
import { isAwaited, notePickUps } from './pick-ups.ts'
import { heldDeliveries, type HeldDeliveries } from './held-deliveries.ts'
import { noteReceipts } from './receipts.ts'
import { composeReport, type Report } from './report.ts'
import type { UnwrittenRecord } from './report-lines.ts'

/** What a pass over an outbound route came to. */
export interface OutboundPass {
  readonly route: string
  readonly deliveries: readonly DeliveryResult[]
  /** Delivered files that wait to be taken or confirmed; left out where there are none. */
  readonly awaited?: AwaitedFiles
  /** Composed files that wait for a person; left out where there are none. */
  readonly heldDeliveries?: HeldDeliveries
  /** How many records could not be turned into rows and are in no file, and the first of them. */
  readonly held: number
  readonly heldRecords: readonly UnwrittenRecord[]
  /** How many records a report names that are not there, and the first of these names. */
  readonly missing: number
  readonly firstMissing: readonly string[]
}

/**
 * One pass: unfinished deliveries go on first, so that their records are acknowledged and leave the list; then what is
 * new is collected and delivered. A delivery or receipt that cannot be brought on keeps no other from its turn; what it
 * failed with is thrown at the end. Failures that concern everything are thrown at once. What was done before is in
 * `deliveries` then.
 */
export async function passOutbound(
  parts: OutboundParts,
  deliveries: DeliveryResult[] = [],
): Promise<OutboundPass> {
  await sweepSpool(parts)
  if (parts.route.acknowledge === 'picked-up') await notePickUps(parts)
  const failures = parts.route.acknowledge === 'receipt' ? await receiptFailures(parts) : []
  const pass = await passOn(parts, { deliveries, failures, stuck: 0, isAway: false, unreachable: 0 })
  if (failures.length > 0) throw failures[0]
  return { ...pass, ...(await heldDeliveries(parts)) }
}

/** Nothing else waits for a mailbox that only receipts come to; but that it is away must be said. */
async function receiptFailures(parts: OutboundParts): Promise<unknown[]> {
  try {
    await noteReceipts(parts)
    return []
  } catch (error) {
    if (hasCode(error, ...CONCERNS_ALL)) throw error
    return [error]
  }
}

async function passOn(parts: OutboundParts, passing: Passing): Promise<OutboundPass> {
  const { journal, route } = parts
  const { deliveries } = passing
  for (const delivery of await journal.unfinishedDeliveries(route.name)) {
    if (!isAwaited(parts, delivery)) await bringOn(parts, { delivery, isNew: false }, passing)
  }
  if (parts.onlyUnfinished === true || parts.turn?.isComposed === true || !takesMore(passing))
    return { ...outboundSoFar(route.name, deliveries), ...(await awaitedFiles(parts)) }
  if (route.report !== undefined) return passReport(parts, route.report, passing)
  // They would be put into one file with what is collected now.
  await assertSameParty(parts, { waitingIn: route.name }, 'Records that wait for a file')
  await collectRecords(parts)
  const held = await deliverWaiting(parts, passing)
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

/** A pass under way. */
interface Passing {
  readonly deliveries: DeliveryResult[]
  readonly failures: unknown[]
  /** How many files could not be left. */
  stuck: number
  /** The mailbox cannot be reached, so nothing is left there by this pass. */
  isAway: boolean
  /** In a row. */
  unreachable: number
}

/** When so many files cannot be left, it is the place that is full or closed, and more of them help nobody. */
const STUCK_MAX = 10

/** An API that failed on so many deliveries in a row is down. */
const UNREACHABLE_MAX = 2

function takesMore({ isAway, stuck }: Passing): boolean {
  return !isAway && stuck < STUCK_MAX
}

interface Turn {
  readonly delivery: DeliveryEntry
  readonly isNew: boolean
}

/** Goes on after a failure that is about one delivery. Where nothing can be left, only what is in place goes on. */
async function bringOn(parts: OutboundParts, { delivery, isNew }: Turn, passing: Passing): Promise<void> {
  if (delivery.held !== undefined || (delivery.state === 'composed' && passing.isAway)) return
  try {
    passing.deliveries.push(await finishDelivery(parts, delivery, isNew))
    passing.unreachable = 0
  } catch (error) {
    if (hasCode(error, ...CONCERNS_ALL)) throw error
    passing.failures.push(error)
    if (hasCode(error, ...AWAY)) passing.isAway = true
    if (hasCode(error, 'api-unreachable')) {
      passing.unreachable++
      if (passing.unreachable >= UNREACHABLE_MAX) throw error
    } else if (delivery.state === 'composed' && !hasCode(error, 'party-changed')) passing.stuck++
  }
}

/** How the mailbox says that nothing can be left in it now. */
const AWAY = [
  'mailbox-unreachable',
  'host-key-unknown',
  'host-key-changed',
  'credentials-unusable',
] as const satisfies FailureCode[]

export function outboundSoFar(route: string, deliveries: readonly DeliveryResult[]): OutboundPass {
  return { route, deliveries, held: 0, heldRecords: [], missing: 0, firstMissing: [] }
}

async function passReport(parts: OutboundParts, report: Report, passing: Passing): Promise<OutboundPass> {
  const { delivery, tally, missing } = await composeReport(parts, report)
  if (delivery !== undefined) await bringOn(parts, { delivery, isNew: true }, passing)
  return {
    route: parts.route.name,
    deliveries: passing.deliveries,
    held: tally.unwritten,
    heldRecords: tally.firstUnwritten,
    missing: missing.length,
    firstMissing: missing.slice(0, TROUBLED_MAX),
  }
}

/** File after file until nothing waits; each is done before the next is begun. Gives the records in no file. */
async function deliverWaiting(parts: OutboundParts, passing: Passing): Promise<HeldRecord[]> {
  const progress: Progress = { upToRecord: 0, held: [] }
  while (takesMore(passing)) {
    const delivery = await composeDelivery(parts, progress)
    if (delivery === undefined) break
    await bringOn(parts, { delivery, isNew: true }, passing)
    if (recordsPerFile(parts) === undefined) break
  }
  return progress.held
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
