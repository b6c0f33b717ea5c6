/** Runs an outbound route: collects or reports, composes, delivers and acknowledges, starting from each delivery's state. */
import type { DeliveryEntry, UnconfirmedDelivery } from '../../domain/delivery.ts'
import { type FailureCode, hasCode } from '../../support/errors.ts'
import { omitUndefined } from '../../support/object-paths.ts'
import type { OutboundContext } from '../context.ts'
import { assertSameParty, PASS_FATAL } from '../failures.ts'
import {
  composeDelivery,
  type ComposeProgress,
  composeReport,
  getRecordsPerFile,
  type HeldRecord,
  type ReportOptions,
} from './compose.ts'
import {
  isAwaitingConfirmation,
  checkOverdue,
  type Overdue,
  waitsForConfirmation,
} from './confirmation-rules.ts'
import {
  applyAnswers,
  cleanDeliverySpool,
  composeAgain,
  type DeliveryResult,
  finishDelivery,
  TROUBLED_MAX,
} from './deliver.ts'
import { collectRecords } from './listing.ts'
import { recordPickUps } from './outbox.ts'
import { processReceipts } from './receipts.ts'
import { type ComposeAgain, finishRedelivery, type RedeliveryResult } from './redeliver.ts'
import type { UnwrittenRecord } from './file-rows.ts'

export interface OutboundOutcome {
  readonly route: string
  readonly deliveries: readonly DeliveryResult[]
  /** Files that were delivered once more, as a person asked; left out where there are none. */
  readonly redeliveries?: readonly RedeliveryResult[]
  /** Delivered files that wait to be picked up or confirmed; left out where there are none. */
  readonly awaited?: AwaitedFiles
  /** Composed files that wait for a person; left out where there are none. */
  readonly heldDeliveries?: HeldDeliveries
  /** How many records could not be turned into rows and are in no file; `heldRecords` has the first of them. */
  readonly held: number
  readonly heldRecords: readonly UnwrittenRecord[]
  /** How many names of a report's selection were not found; `firstMissing` has the first of them. */
  readonly missing: number
  readonly firstMissing: readonly string[]
}

/**
 * One pass: it continues unfinished deliveries first, so that their records are acknowledged and leave the list. Then it
 * collects and delivers new records. A delivery or receipt that fails does not stop the others; its failure is thrown at
 * the end. Failures of the whole route are thrown at once. `deliveries` then has the work done until then.
 */
export async function runOutbound(context: OutboundContext, deliveries: DeliveryResult[] = []) {
  await cleanDeliverySpool(context)
  if (context.route.acknowledge === 'picked-up') await recordPickUps(context)
  if (context.route.acknowledge === 'answered') await applyAnswers(context)
  const failures = context.route.acknowledge === 'receipt' ? await collectReceiptFailures(context) : []
  const run = { deliveries, failures, failedFiles: 0, isAway: false, unreachable: 0 }
  const pass = await continueRun(context, run)
  if (failures.length > 0) throw failures[0]
  return { ...pass, ...(await listHeldDeliveries(context)) }
}

/** A mailbox only for receipts delays nothing else when it is away, but the pass must report the failure. */
async function collectReceiptFailures(context: OutboundContext): Promise<unknown[]> {
  try {
    await processReceipts(context)
    return []
  } catch (error) {
    if (hasCode(error, ...PASS_FATAL)) throw error
    return [error]
  }
}

async function continueRun(context: OutboundContext, run: OutboundRun): Promise<OutboundOutcome> {
  const redeliveries = await continueRedeliveries(context, run)
  const pass = await continueDeliveries(context, run)
  return redeliveries.length === 0 ? pass : { ...pass, redeliveries }
}

/** A stop left them open; a person asked for them. */
async function continueRedeliveries(context: OutboundContext, run: OutboundRun) {
  const finished: RedeliveryResult[] = []
  const again: ComposeAgain = (delivery, spooled) => composeAgain(context, delivery, spooled)
  for (const redelivery of await context.journal.listOpenRedeliveries(context.route.name)) {
    if (!canDeliverMore(run)) break
    try {
      finished.push(await finishRedelivery(context, redelivery, { isNew: false, composeAgain: again }))
    } catch (error) {
      noteFailure(run, error)
      run.failedFiles++
    }
  }
  return finished
}

async function continueDeliveries(context: OutboundContext, run: OutboundRun): Promise<OutboundOutcome> {
  const { journal, route } = context
  const { deliveries } = run
  for (const delivery of await journal.listUnfinishedDeliveries(route.name)) {
    if (!isAwaitingConfirmation(context, delivery))
      await processDelivery(context, { delivery, isNew: false }, run)
  }
  if (route.acknowledge === 'answered') {
    for (const delivery of await journal.listPartlyConfirmedDeliveries(route.name))
      await processDelivery(context, { delivery, isNew: false }, run)
  }
  if (context.onlyUnfinished === true || context.scheduledRun?.isComposed === true || !canDeliverMore(run))
    return { ...getOutboundOutcome(route.name, deliveries), ...(await listAwaitedFiles(context)) }
  if (route.report !== undefined) return runReport(context, route.report, run)
  // Waiting records would share a file with the records that are collected now.
  await assertSameParty(context, { waitingIn: route.name }, 'Records that wait for a file')
  await collectRecords(context)
  const held = await deliverWaiting(context, run)
  return {
    ...getOutboundOutcome(route.name, deliveries),
    ...(await listAwaitedFiles(context)),
    held: held.length,
    heldRecords: held.slice(0, TROUBLED_MAX),
  }
}

interface OutboundRun {
  readonly deliveries: DeliveryResult[]
  readonly failures: unknown[]
  failedFiles: number
  /** The mailbox cannot be reached, so this pass delivers nothing more. */
  isAway: boolean
  /** How many deliveries in a row found the API unreachable. */
  unreachable: number
}

/** After so many files that cannot be delivered, the folder is most likely full or closed, so the pass stops delivering. */
const FAILED_FILES_MAX = 10

/** After so many deliveries in a row that find the API unreachable, it is down. */
const UNREACHABLE_MAX = 2

function canDeliverMore({ isAway, failedFiles }: OutboundRun): boolean {
  return !isAway && failedFiles < FAILED_FILES_MAX
}

/** Continues after a failure of one delivery. With the mailbox away, only files that are in place are processed. */
async function processDelivery(
  context: OutboundContext,
  { delivery, isNew }: { readonly delivery: DeliveryEntry; readonly isNew: boolean },
  run: OutboundRun,
): Promise<void> {
  if (delivery.held !== undefined || (delivery.state === 'composed' && run.isAway)) return
  try {
    run.deliveries.push(await finishDelivery(context, delivery, isNew))
    run.unreachable = 0
  } catch (error) {
    noteFailure(run, error)
    if (hasCode(error, 'api-unreachable')) {
      run.unreachable++
      if (run.unreachable >= UNREACHABLE_MAX) throw error
    } else if (delivery.state === 'composed' && !hasCode(error, 'party-changed')) run.failedFiles++
  }
}

/** Throws the failure again if it ends the pass. */
function noteFailure(run: OutboundRun, error: unknown): void {
  if (hasCode(error, ...PASS_FATAL)) throw error
  run.failures.push(error)
  if (hasCode(error, ...MAILBOX_AWAY)) run.isAway = true
}

/** The failures that mean that the mailbox takes no files now. */
const MAILBOX_AWAY: FailureCode[] = [
  'mailbox-unreachable',
  'host-key-unknown',
  'host-key-changed',
  'credentials-unusable',
]

export function getOutboundOutcome(route: string, deliveries: readonly DeliveryResult[]): OutboundOutcome {
  return { route, deliveries, held: 0, heldRecords: [], missing: 0, firstMissing: [] }
}

async function runReport(context: OutboundContext, report: ReportOptions, run: OutboundRun) {
  const { delivery, tally, missing } = await composeReport(context, report)
  if (delivery !== undefined) await processDelivery(context, { delivery, isNew: true }, run)
  return {
    ...getOutboundOutcome(context.route.name, run.deliveries),
    held: tally.unwritten,
    heldRecords: tally.firstUnwritten,
    missing: missing.length,
    firstMissing: missing.slice(0, TROUBLED_MAX),
  }
}

/** Delivers file after file until no record waits; each is finished before the next. Returns the records in no file. */
async function deliverWaiting(context: OutboundContext, run: OutboundRun): Promise<HeldRecord[]> {
  const progress: ComposeProgress = { upToRecord: 0, held: [] }
  while (canDeliverMore(run)) {
    const delivery = await composeDelivery(context, progress)
    if (delivery === undefined) break
    await processDelivery(context, { delivery, isNew: true }, run)
    if (getRecordsPerFile(context) === undefined) break
  }
  return progress.held
}

export function mergeOutboundOutcomes(route: string, passes: readonly OutboundOutcome[]): OutboundOutcome {
  const awaited = passes.findLast((pass) => pass.awaited !== undefined)?.awaited
  const heldDeliveries = passes.findLast((pass) => pass.heldDeliveries !== undefined)?.heldDeliveries
  const redeliveries = passes.flatMap((pass) => pass.redeliveries ?? [])
  return {
    route,
    ...omitUndefined({ awaited, heldDeliveries }),
    ...(redeliveries.length === 0 ? {} : { redeliveries }),
    deliveries: passes.flatMap(({ deliveries }) => deliveries),
    held: passes.reduce((sum, { held }) => sum + held, 0),
    heldRecords: passes.flatMap(({ heldRecords }) => heldRecords).slice(0, TROUBLED_MAX),
    missing: passes.reduce((sum, { missing }) => sum + missing, 0),
    firstMissing: passes.flatMap(({ firstMissing }) => firstMissing).slice(0, TROUBLED_MAX),
  }
}

// Delivered files that wait for the consumer's confirmation.

/** How many waiting files are checked. */
const AWAITED_MAX = 10_000

export interface AwaitedFiles {
  readonly count: number
  readonly overdue: number
  /** The first of the overdue ones. */
  readonly firstOverdue: readonly OverdueFile[]
}

export interface OverdueFile extends Overdue {
  readonly delivery: UnconfirmedDelivery
  /** The path of the delivered file, for people. */
  readonly path: string
}

async function listAwaitedFiles({ journal, route, target, clock }: OutboundContext) {
  if (!waitsForConfirmation(route)) return {}
  const awaited = await journal.listUnconfirmedDeliveries(AWAITED_MAX, route.name)
  if (awaited.length === 0) return {}
  const { overdue: rules } = route
  const now = clock.now()
  const overdue = awaited.flatMap((delivery) => {
    const late = rules && checkOverdue(delivery, rules, now)
    return late ? { ...late, delivery, path: target.describe(delivery.folder, delivery.name) } : []
  })
  const first = overdue.slice(0, TROUBLED_MAX)
  return { awaited: { count: awaited.length, overdue: overdue.length, firstOverdue: first } }
}

// Composed files that wait until a person states whether they were delivered before.

export interface HeldDeliveries {
  readonly count: number
  /** Each with the path that its file would have, for people. */
  readonly first: readonly { readonly delivery: DeliveryEntry; readonly path: string }[]
}

async function listHeldDeliveries({ journal, route, target }: OutboundContext) {
  const held = await journal.listHeldDeliveries(AWAITED_MAX, route.name)
  if (held.length === 0) return {}
  const first = held
    .slice(0, TROUBLED_MAX)
    .map((delivery) => ({ delivery, path: target.describe(delivery.folder, delivery.name) }))
  return { heldDeliveries: { count: held.length, first } }
}
