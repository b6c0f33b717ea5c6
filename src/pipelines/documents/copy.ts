/** Copies of documents for a person who asks: fetched anew, left in a folder, and not noted anywhere. */
import type {
  DocumentId,
  DocumentQuery,
  ShipmentQuery,
  ShippingDocument,
} from '../../domain/shipping-document.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'
import { numberedName } from '../names.ts'
import { IN_FLIGHT } from './bring.ts'
import { documentFetcher, missing } from './fetch.ts'
import { inParallel } from '../../support/parallel.ts'
import type { DocumentParts } from './parts.ts'
import { documentsFor, nameValues } from './shipment.ts'
import { troubleWatch } from './trouble.ts'

export type CopyParts = Omit<DocumentParts, 'lease' | 'clock'>

/** How many shipments are taken from the journal at once. */
const PAGE = 32

/** How many names are tried when others stand there already. */
const NAMES_MAX = 1000

/** Copies the documents of the shipments that are meant, or those that are missing. */
export async function copyDocuments(
  parts: CopyParts,
  { which, ...query }: Omit<DocumentQuery, 'which'> & { readonly which: 'all' | 'missing' },
  tell: (document: ShippingDocument) => void,
): Promise<void> {
  const trouble = troubleWatch()
  const fetch = documentFetcher(parts)
  const copy = async (document: ShippingDocument): Promise<void> => {
    if (trouble.isEnough()) return tell({ ...document, ...trouble.givenUp(document.kind) })
    const spooled = `${document.recordId}-${document.kind}`
    const came = await fetch(document, document.kind, spooled)
    trouble.look(came)
    if ('state' in came) return tell({ ...document, ...came })
    try {
      const name = await leaveCopy(parts, document, { spooled, extension: came.extension })
      tell({ ...document, name, state: 'delivered' })
    } catch (error) {
      if (!hasCode(error, 'mailbox-unreachable', 'cannot-write')) throw error
      trouble.ofMailbox(error.message)
      tell({ ...document, ...missing(document.kind, error.message) })
    }
    await parts.spool.remove(spooled)
  }
  for await (const some of which === 'all' ? documentsOfAll(parts, query) : missingDocuments(parts, query)) {
    if (parts.signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
    await inParallel(some, Math.min(parts.concurrency, IN_FLIGHT), copy)
  }
}

/** What the API makes for the shipments, whatever is known of it. */
async function* documentsOfAll(
  { journal, documents }: CopyParts,
  query: ShipmentQuery,
): AsyncGenerator<ShippingDocument[]> {
  const { mailboxName: mailbox, folder, kinds } = documents
  let afterId = 0
  for (;;) {
    const shipments = await journal.createdShipments(query, afterId, PAGE)
    const last = shipments.at(-1)
    if (last === undefined) return
    yield shipments.flatMap((shipment) =>
      documentsFor(shipment, kinds).map((kind) => ({
        ...shipment,
        kind,
        mailbox,
        folder,
        state: 'wanted' as const,
      })),
    )
    afterId = last.recordId
  }
}

async function* missingDocuments(
  { journal, documents: { folder } }: CopyParts,
  query: ShipmentQuery,
): AsyncGenerator<ShippingDocument[]> {
  let after: DocumentId | undefined
  for (;;) {
    const some = await journal.findDocuments({ ...query, which: 'missing' }, after, PAGE)
    after = some.at(-1)
    if (after === undefined) return
    yield some.map((each) => {
      const { problem: _, ...document } = each
      return { ...document, folder }
    })
  }
}

async function leaveCopy(
  { spool, documents }: CopyParts,
  document: ShippingDocument,
  { spooled, extension }: { spooled: string; extension: string },
): Promise<string> {
  const { mailbox, folder, nameFor } = documents
  const base = nameFor(nameValues(document, document.kind)) + extension
  const staged = await mailbox.stage(spool.path(spooled), folder, { name: base })
  try {
    for (let turn = 1; turn <= NAMES_MAX; turn++) {
      const name = numberedName(base, turn)
      const outcome = await mailbox.giveName(staged, name)
      if (outcome === 'delivered') return name
      if (outcome !== 'occupied') throw new BridgeError('cannot-write', `${name} was taken away half-written`)
    }
  } finally {
    await mailbox.discard(staged)
  }
  throw new BridgeError(
    'cannot-write',
    `${mailbox.describe(folder, base)} and ${NAMES_MAX} names like it are taken`,
  )
}
