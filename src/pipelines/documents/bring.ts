/** Bringing documents to their mailbox: each is safe in the spool and its name is reserved before it is left there. */
import { type DocumentId, type DocumentQuery, type ShippingDocument } from '../../domain/shipping-document.ts'
import { BridgeError } from '../../support/errors.ts'
import { documentFetcher, withoutBytes } from './fetch.ts'
import { giveItsName, isHere, type Left, leftBefore, nameThem, type Ready, stageDocument } from './leave.ts'
import { inParallel } from '../../support/parallel.ts'
import type { DocumentParts } from './parts.ts'
import { type TroubleWatch, troubleWatch } from './trouble.ts'

/** How many documents are noted in one transaction, and how many are fetched, and so in memory, together. */
const AT_ONCE = 32
export const IN_FLIGHT = 8

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
    const brought: readonly Left[] = trouble.isEnough()
      ? some.map((each) => ({ document: withoutBytes(each, trouble.givenUp(each.kind)) }))
      : await bring(some)
    await journal.endDocuments(lease, brought.map(({ document }) => document).filter(isNews))
    for (const { document, working } of brought) {
      if (document.state === 'delivered') await spool.remove(spoolNameOf(document))
      if (working !== undefined) await parts.documents.mailbox.discard(working)
      tell(document)
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

function bringer(parts: DocumentParts, spooled: ReadonlySet<string>, trouble: TroubleWatch) {
  const fetch = documentFetcher(parts)
  const limit = Math.min(parts.concurrency, IN_FLIGHT)

  const fetched = async (document: ShippingDocument): Promise<Ready | Left> => {
    const before = await leftBefore(parts, document, trouble)
    if (before !== undefined) return before
    const left = leftBehind(parts, document, spooled)
    if (left !== undefined) return left
    const came = await fetch(document, document.kind, spoolNameOf(document))
    trouble.look(came)
    return 'state' in came
      ? { document: withoutBytes(document, came) }
      : { document, spooled: spoolNameOf(document), extension: came.extension }
  }

  return async (some: readonly ShippingDocument[]): Promise<Left[]> => {
    const all = await inParallel(some, limit, fetched)
    const staged = await inParallel(all, limit, async (each) =>
      'extension' in each ? stageDocument(parts, each, trouble) : each,
    )
    const named = await nameThem(
      parts,
      staged.filter((each) => 'staged' in each),
    )
    const placed = await inParallel(named, limit, (each) => giveItsName(parts, each, trouble))
    return [...staged.flatMap((each) => ('staged' in each ? [] : [each])), ...placed]
  }
}

/** A document that a crash, or a mailbox out of reach, left in the spool under a name that is its own. */
function leftBehind(
  { documents }: DocumentParts,
  document: ShippingDocument,
  spooled: ReadonlySet<string>,
): Ready | undefined {
  const { name = '' } = document
  const path = spoolNameOf(document)
  if (!isHere(documents, document) || !isNamed(document) || !spooled.has(path)) return undefined
  const [extension] = /\.[a-z]+$/.exec(name) ?? []
  return extension === undefined ? undefined : { document, spooled: path, extension, reserved: name }
}
