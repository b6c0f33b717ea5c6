/** Reads receipts: files that come back and confirm delivered ones. Each is claimed, read once and archived. */
import type { Claim, Mailbox } from '../../domain/mailbox.ts'
import type { UnconfirmedDelivery, ReceiptEntry } from '../../domain/delivery.ts'
import { elapsed } from '../../support/clock.ts'
import { assert, hasCode, throwIfStopped } from '../../support/errors.ts'
import { PASS_FATAL } from '../failures.ts'
import { createFileTracker } from '../inbound/file-tracker.ts'
import { assertInboxUnused, refuseToCreateFolder } from '../inbound/inbox.ts'
import { archiveClaim } from '../inbound/intake.ts'
import type { OutboundContext } from '../context.ts'
import { assertOutboxExists } from './outbox.ts'
import type { ReceiptRules } from './confirmation-rules.ts'

type ReceiptContext = OutboundContext & { readonly rules: ReceiptRules; readonly mailbox: Mailbox }

/** How many deliveries one pass reads receipts for; the others follow once these are confirmed. */
const AWAITED_MAX = 10_000

/** The expected text is at the beginning of a receipt. */
const READ_BYTES_MAX = 1 << 20

/** Finishes receipts of an interrupted pass first. A failure of one receipt does not stop the others; it is thrown last. */
export async function processReceipts(outbound: OutboundContext): Promise<void> {
  const { journal, route, receipts: mailbox } = outbound
  const rules = route.receipt
  assert(rules && mailbox, `route ${route.name} waits for receipts and knows of none`)
  const context = { ...outbound, rules, mailbox }
  const failures: unknown[] = []
  for (const receipt of await journal.listOpenReceipts(route.name, AWAITED_MAX)) {
    await collectFailure(failures, context, () => finishReceipt(context, receipt))
  }
  const awaited = await journal.listUnconfirmedDeliveries(AWAITED_MAX, route.name)
  const byName = new Map(awaited.map((delivery) => [rules.nameFor(delivery.name).toLowerCase(), delivery]))
  const found = awaited.length === 0 ? [] : await listStableReceipts(context, byName)
  for (const receipt of found) await collectFailure(failures, context, () => claimReceipt(context, receipt))
  if (failures.length > 0) throw failures[0]
}

/** Continues after a failure of one receipt, but not after one of the mailbox. */
async function collectFailure(failures: unknown[], context: ReceiptContext, work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    if (hasCode(error, ...PASS_FATAL)) throw error
    if (!hasCode(error, 'cannot-write')) await context.mailbox.listClaims(context.rules.folder)
    failures.push(error)
  }
}

async function claimReceipt(context: ReceiptContext, { delivery, folder, name }: FoundReceipt) {
  const receipt = { id: context.newId(), delivery: delivery.id, folder, name }
  const { claimsInPlace } = context.mailbox
  // A refused receipt that cannot be moved is still in the folder: read it again only when its text is right now.
  if (claimsInPlace && delivery.refusedReceipt?.name === name) {
    if (!(await hasExpectedText(context, receipt, delivery.id))) return
  }
  await context.journal.startReceipt(context.lease, receipt)
  await finishReceipt(context, { ...receipt, state: 'claiming' })
}

interface FoundReceipt {
  readonly delivery: UnconfirmedDelivery
  readonly folder: string
  readonly name: string
}

/** The receipts that are unchanged after the time of `stableFor`. */
async function listStableReceipts(context: ReceiptContext, byName: ReadonlyMap<string, UnconfirmedDelivery>) {
  const { clock, signal, rules } = context
  const { folder } = rules
  const tracker = createFileTracker()
  const scan = async () => {
    const began = elapsed(clock)
    const listed = await listReceipts(context, byName)
    tracker.update(listed, { began, ended: elapsed(clock) })
    return listed
  }
  if ((await scan()).length === 0) return []
  await clock.sleep(rules.stableForMs, signal)
  throwIfStopped(signal)
  const found = new Map<string, FoundReceipt>()
  for (const { name } of await scan()) {
    const delivery = byName.get(name.toLowerCase())
    // Names that differ only in case: a later pass reads the other one and finds no delivery that waits for it.
    if (delivery === undefined || found.has(delivery.id)) continue
    if (tracker.getMsUntilStable(name, rules.stableForMs) <= 0)
      found.set(delivery.id, { delivery, folder, name })
  }
  return [...found.values()]
}

/** Creates a missing folder only where no other folder is missing: they may be on one share. */
async function listReceipts(context: ReceiptContext, byName: ReadonlyMap<string, UnconfirmedDelivery>) {
  const { journal, receiptInboxes = [], mailbox } = context
  const { folder } = context.rules
  const isThere = await mailbox.hasFolder(folder)
  if (!isThere) {
    await assertOutboxExists(context)
    for (const inbox of receiptInboxes) await assertInboxUnused({ journal, source: mailbox, route: inbox })
  }
  const beforeCreate = isThere ? () => refuseToCreateFolder(folder) : undefined
  const files = await mailbox.list(folder, undefined, beforeCreate)
  return files.filter(({ name }) => byName.has(name.toLowerCase()))
}

/** Claims, reads and archives a receipt from its state. May be repeated from the start after a crash. */
async function finishReceipt(context: ReceiptContext, receipt: ReceiptEntry): Promise<void> {
  const { journal, lease, signal, mailbox } = context
  throwIfStopped(signal)
  const claim: Claim = { id: receipt.id, folder: receipt.folder, name: receipt.name }
  if (receipt.state === 'claiming') {
    if ((await mailbox.claim(claim)) === 'gone') return journal.finishReceipt(lease, receipt.id, 'gone')
    const isAccepted = await hasExpectedText(context, claim, receipt.delivery)
    await journal.finishReceipt(lease, receipt.id, isAccepted ? 'accepted' : 'refused')
  }
  // The path is empty where another program removed the receipt before.
  const archivedAs = (await archiveClaim(mailbox, claim, context.rules.archiveFolder)) ?? ''
  await journal.markReceiptArchived(lease, receipt.id, archivedAs)
}

async function hasExpectedText(context: ReceiptContext, claim: Claim, deliveryId: string): Promise<boolean> {
  const { rules, mailbox } = context
  if (rules.textFor === undefined) return true
  const delivery = await context.journal.getDelivery(deliveryId)
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
