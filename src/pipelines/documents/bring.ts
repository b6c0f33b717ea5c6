/** Bringing documents to their mailbox: each is safe in the spool and its name is reserved before it is left there. */
import { type DocumentId, type DocumentQuery, type ShippingDocument } from '../../domain/shipping-document.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'
import { keepLease } from '../lease-keeper.ts'
import { numberedName } from '../names.ts'
import { documentFetcher, missing, withoutBytes } from './fetch.ts'
import { inParallel } from './parallel.ts'
import type { DocumentParts } from './parts.ts'
import { nameValues } from './shipment.ts'
import { type TroubleWatch, troubleWatch } from './trouble.ts'

/** How many documents are noted in one transaction, and how many are fetched, and so in memory, together. */
const AT_ONCE = 32
export const IN_FLIGHT = 8

/** How many names are tried when others stand there already. */
const NAMES_MAX = 1000

/**
 * Brings the documents of a question. What cannot be had is noted with its problem and stands in nobody's way; when the
 * API or the mailbox is in trouble, the rest is noted at once. May be repeated: what a crash left is delivered from the
 * spool, byte for byte, so that no second copy comes about. A document that was delivered before stays noted as it is
 * until its further copy is left.
 */
export async function bringDocuments(
  parts: DocumentParts,
  query: DocumentQuery,
  tell: (document: ShippingDocument) => void = () => undefined,
): Promise<void> {
  const { journal, lease, signal, spool } = parts
  const spooled = new Set(await spool.list())
  const trouble = troubleWatch()
  const bring = bringer(parts, spooled, trouble)
  let after: DocumentId | undefined
  for (;;) {
    const some = await journal.findDocuments(query, after, AT_ONCE)
    const last = some.at(-1)
    if (last === undefined) return
    if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    const brought = trouble.isEnough()
      ? some.map((each) => withoutBytes(each, trouble.givenUp(each.kind)))
      : await bring(some)
    await journal.endDocuments(lease, brought.filter(isNews))
    for (const each of brought) {
      if (each.state === 'delivered') await spool.remove(spoolNameOf(each))
      tell(each)
    }
    after = last
  }
}

/** What is delivered and has a problem is an earlier copy that could not be had again. */
function isNews({ state, problem: why }: ShippingDocument): boolean {
  return state !== 'delivered' || why === undefined
}

/** Removes what a crash left of the documents of a file, but for those that are still to be left in their mailbox. */
export async function sweepDocuments(
  { journal, spool }: Pick<DocumentParts, 'journal' | 'spool'>,
  fileId: string,
): Promise<void> {
  const start = `${fileId}.${SPOOLED}`
  const own = (await spool.list()).filter((name) => name.startsWith(start))
  if (own.length === 0) return
  const records = own.map((name) => Number.parseInt(name.slice(start.length), 10))
  const known = await journal.documentsOf([...new Set(records)])
  const needed = new Set(known.filter(isNamed).map((each) => spoolNameOf({ ...each, fileId })))
  for (const name of own) if (!needed.has(name)) await spool.remove(name)
}

const SPOOLED = 'document-'

function spoolNameOf({ fileId, recordId, kind }: DocumentId & { readonly fileId: string }): string {
  return `${fileId}.${SPOOLED}${recordId}-${kind}`
}

/** Its bytes are in the spool, whole, when they are there at all. */
function isNamed({ state, name }: Pick<ShippingDocument, 'state' | 'name'>): boolean {
  return state === 'wanted' && name !== undefined
}

/** A document whose bytes are in the spool. */
interface Ready {
  readonly document: ShippingDocument
  readonly extension: string
  /** Reserved, with the turn it came at; 0 for one that was reserved before a crash. */
  readonly named?: { readonly name: string; readonly turn: number }
}

function bringer(parts: DocumentParts, spooled: ReadonlySet<string>, trouble: TroubleWatch) {
  const fetch = documentFetcher(parts)
  const limit = Math.min(parts.concurrency, IN_FLIGHT)

  const fetched = async (document: ShippingDocument): Promise<Ready | ShippingDocument> => {
    const left = leftBehind(parts, document, spooled)
    if (left !== undefined) return left
    const came = await fetch(document, document.kind, spoolNameOf(document))
    trouble.look(came)
    return 'state' in came ? withoutBytes(document, came) : { document, extension: came.extension }
  }

  return async (some: readonly ShippingDocument[]): Promise<ShippingDocument[]> => {
    const all = await inParallel(some, limit, fetched)
    const ready = all.filter((each) => 'extension' in each)
    const named = await nameThem(parts, ready)
    const placed = await inParallel(named, limit, (each) => leave(parts, each, trouble))
    return [...all.flatMap((each) => ('extension' in each ? [] : [each])), ...placed]
  }
}

/** A document that a crash, or a mailbox out of reach, left in the spool under a name that is its own. */
function leftBehind(
  { documents }: DocumentParts,
  document: ShippingDocument,
  spooled: ReadonlySet<string>,
): Ready | undefined {
  const { name = '', mailbox, folder } = document
  const isHere = mailbox === documents.mailboxName && folder === documents.folder
  if (!isHere || !isNamed(document) || !spooled.has(spoolNameOf(document))) return undefined
  const [extension] = /\.[a-z]+$/.exec(name) ?? []
  return extension === undefined ? undefined : { document, extension, named: { name, turn: 0 } }
}

/** Renews the lease in any case: a process that wakes up late must not leave a file next to its successor's. */
async function nameThem(parts: DocumentParts, ready: readonly Ready[]): Promise<Ready[]> {
  const [known, unnamed] = [ready.filter(({ named }) => named), ready.filter(({ named }) => !named)]
  const names = await parts.journal.nameDocuments(
    parts.lease,
    unnamed.map((each) => namingOf(parts, each, 1)),
  )
  const named = unnamed.flatMap((each, index) => {
    const name = names[index]
    return name === undefined ? [] : [{ ...each, named: name }]
  })
  return [...known, ...named]
}

function namingOf({ documents }: DocumentParts, { document, extension }: Ready, fromTurn: number) {
  const { recordId, kind } = document
  const { mailboxName: mailbox, folder } = documents
  const base = documents.nameFor(nameValues(document, kind)) + extension
  return { recordId, kind, mailbox, folder, fromTurn, nameFor: (turn: number) => numberedName(base, turn) }
}

/** Never over another file: where one stands, the next name is reserved and tried. */
async function leave(parts: DocumentParts, ready: Ready, trouble: TroubleWatch): Promise<ShippingDocument> {
  const handover = { stillOurs: keepLease(parts).fresh, takenOver: ready.named?.turn === 0 }
  const { journal, lease, spool, documents } = parts
  const { problem: _, ...document } = ready.document
  const { mailbox, mailboxName, folder } = documents
  const place = { mailbox: mailboxName, folder }
  let named = ready.named
  try {
    for (let tries = 0; tries < NAMES_MAX && named !== undefined; tries++) {
      const { name, turn } = named
      const outcome = await mailbox.deliver(spool.path(spoolNameOf(document)), folder, name, handover)
      if (outcome === 'delivered') return { ...document, ...place, name, state: 'delivered' }
      ;[named] = await journal.nameDocuments(lease, [namingOf(parts, ready, turn + 1)])
    }
    throw new BridgeError(
      'cannot-write',
      `${NAMES_MAX} names like ${named?.name ?? ''} are taken in ${folder}`,
    )
  } catch (error) {
    if (!hasCode(error, 'mailbox-unreachable', 'cannot-write')) throw error
    trouble.ofMailbox(error.message)
    return withoutBytes(document, missing(document.kind, error.message))
  }
}
