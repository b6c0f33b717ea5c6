/** Receipts: files that come back and confirm delivered ones. Each is taken, read once, and archived. */
import type { Claim, Mailbox, Sighting } from '../../domain/mailbox.ts'
import type { AwaitedDelivery, ReceiptEntry } from '../../domain/taking.ts'
import { assert, BridgeError, hasCode } from '../../support/errors.ts'
import { CONCERNS_ALL } from '../concerns-all.ts'
import { assertNeverTakenFrom, refuseToMakeAnew } from '../inbound/inbox-gone.ts'
import type { OutboundParts } from '../parts.ts'
import { assertFolderThere } from './folder-gone.ts'
import type { ReceiptRules } from './receipt-rules.ts'

/** So many deliveries are looked after in one pass; those behind them come up as these are confirmed. */
const AWAITED_MAX = 10_000

/** What a receipt has to say stands at its beginning. */
const READ_BYTES_MAX = 1 << 20

/**
 * Brings what a crash left to its end first, so that no receipt is taken twice. One listing, however many files wait. What
 * fails with one receipt keeps no other from being read: the first of these failures is thrown at the end.
 */
export async function noteReceipts(parts: OutboundParts): Promise<void> {
  const { journal, route } = parts
  const { rules } = receiptsOf(parts)
  const failures: unknown[] = []
  for (const receipt of await journal.openReceipts(route.name, AWAITED_MAX)) {
    await gather(failures, parts, () => finishReceipt(parts, receipt))
  }
  const awaited = await journal.awaitedDeliveries(AWAITED_MAX, route.name)
  const byName = new Map(awaited.map((delivery) => [rules.nameFor(delivery.name).toLowerCase(), delivery]))
  const found = awaited.length === 0 ? [] : await settledReceipts(parts, byName)
  for (const receipt of found) await gather(failures, parts, () => takeReceipt(parts, receipt))
  if (failures.length > 0) throw failures[0]
}

/** Goes on after a failure that is about one receipt, and not after one of the mailbox. */
async function gather(failures: unknown[], parts: OutboundParts, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (hasCode(error, ...CONCERNS_ALL)) throw error
    if (!hasCode(error, 'cannot-write')) await assertReachable(parts)
    failures.push(error)
  }
}

async function assertReachable(parts: OutboundParts): Promise<void> {
  const { rules, mailbox } = receiptsOf(parts)
  await mailbox.claims(rules.folder)
}

async function takeReceipt(parts: OutboundParts, { delivery, folder, name }: Found): Promise<void> {
  const receipt = { id: parts.newId(), delivery: delivery.id, folder, name }
  const { leaves } = receiptsOf(parts).mailbox
  // One that nobody may move lies there still after it was refused; only when it holds what it should it is news.
  if (leaves && delivery.refusedReceipt?.name === name) {
    if (!(await holdsWhatItShould(parts, receipt, delivery.id))) return
  }
  await parts.journal.beginReceipt(parts.lease, receipt)
  await finishReceipt(parts, { ...receipt, state: 'claiming' })
}

interface Found {
  readonly delivery: AwaitedDelivery
  readonly folder: string
  readonly name: string
}

/** Those that are still the same after the settle time. */
async function settledReceipts(
  parts: OutboundParts,
  byName: ReadonlyMap<string, AwaitedDelivery>,
): Promise<Found[]> {
  const { clock, signal } = parts
  const { rules } = receiptsOf(parts)
  const { folder } = rules
  const before = await listed(parts, byName)
  if (before.length === 0) return []
  await clock.sleep(rules.settleMs, signal)
  if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
  const seen = new Set(before.map(({ name, size, modifiedAt }) => JSON.stringify([name, size, modifiedAt])))
  const taken = new Map<string, Found>()
  for (const { name, size, modifiedAt } of await listed(parts, byName)) {
    const delivery = byName.get(name.toLowerCase())
    // Two whose names differ in case alone: the other is looked at by a later pass, and finds nobody waiting.
    if (delivery === undefined || taken.has(delivery.id)) continue
    if (seen.has(JSON.stringify([name, size, modifiedAt]))) taken.set(delivery.id, { delivery, folder, name })
  }
  return [...taken.values()]
}

/** A folder that is missing is made only where no other one is away: they may be on one share. */
async function listed(
  parts: OutboundParts,
  byName: ReadonlyMap<string, AwaitedDelivery>,
): Promise<Sighting[]> {
  const { journal, receiptInboxes = [] } = parts
  const { rules, mailbox } = receiptsOf(parts)
  const { folder } = rules
  const isThere = await mailbox.has(folder)
  if (!isThere) {
    await assertFolderThere(parts)
    for (const inbox of receiptInboxes) await assertNeverTakenFrom(journal, inbox)
  }
  const files = await mailbox.list(folder, undefined, isThere ? () => refuseToMakeAnew(folder) : undefined)
  return files.filter(({ name }) => byName.has(name.toLowerCase()))
}

/** The one next step of a receipt, and the one after it. May be repeated from the start after a crash. */
async function finishReceipt(parts: OutboundParts, receipt: ReceiptEntry): Promise<void> {
  const { journal, lease, signal } = parts
  const { mailbox } = receiptsOf(parts)
  if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
  const claim: Claim = { id: receipt.id, folder: receipt.folder, name: receipt.name }
  if (receipt.state === 'claiming') {
    if ((await mailbox.claim(claim)) === 'gone') return journal.endReceipt(lease, receipt.id, 'gone')
    const isAsAsked = await holdsWhatItShould(parts, claim, receipt.delivery)
    await journal.endReceipt(lease, receipt.id, isAsAsked ? 'accepted' : 'refused')
  }
  await journal.receiptArchived(lease, receipt.id, await archived(parts, claim))
}

/** Where the read receipt lies by now; nowhere when somebody removed it in between. */
async function archived(parts: OutboundParts, claim: Claim): Promise<string> {
  const { rules, mailbox } = receiptsOf(parts)
  try {
    return await mailbox.archive(claim, rules.archiveFolder)
  } catch (error) {
    if (!hasCode(error, 'mailbox-unreachable')) throw error
    // Gone with its whole folder, it is most likely on a share that is away.
    if (mailbox.leaves || !(await mailbox.has(claim.folder))) throw error
    if ((await mailbox.claims(claim.folder)).includes(claim.id)) throw error
    return ''
  }
}

async function holdsWhatItShould(parts: OutboundParts, claim: Claim, deliveryId: string): Promise<boolean> {
  const { rules, mailbox } = receiptsOf(parts)
  if (rules.textFor === undefined) return true
  const delivery = await parts.journal.delivery(deliveryId)
  assert(delivery, `receipt ${claim.id} is for a delivery that is not there`)
  const text = rules.textFor(delivery.name)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of mailbox.read(claim)) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= READ_BYTES_MAX) break
  }
  const read = Buffer.concat(chunks)
  return read.includes(Buffer.from(text)) || read.includes(Buffer.from(text, 'utf16le'))
}

function receiptsOf({ route, receipts }: OutboundParts): { rules: ReceiptRules; mailbox: Mailbox } {
  assert(route.receipt && receipts, `route ${route.name} waits for receipts and knows of none`)
  return { rules: route.receipt, mailbox: receipts }
}
