/** Fetches copies of documents for a person and delivers them to a folder. The journal does not record them. */
import { addNameSuffix, NAMES_MAX, namesTakenError } from '../../domain/mailbox.ts'
import type {
  DocumentId,
  DocumentQuery,
  ShipmentQuery,
  ShippingDocument,
} from '../../domain/shipping-document.ts'
import { BridgeError, hasCode, throwIfStopped } from '../../support/errors.ts'
import { IN_FLIGHT, readShipments } from './delivery.ts'
import {
  createDocumentFetcher,
  createFailureTracker,
  createMissing,
  getNameValues,
  listDocumentKinds,
} from './fetch.ts'
import { readPages, runInParallel } from '../../support/async.ts'
import type { DocumentContext } from '../context.ts'

export type CopyContext = Omit<DocumentContext, 'lease' | 'clock'>

/** How many shipments are read from the journal at once. */
const PAGE = 32

/** Copies the documents of the selected shipments, all or only the missing ones. */
export async function copyDocuments(
  context: CopyContext,
  { which, ...query }: Omit<DocumentQuery, 'which'> & { readonly which: 'all' | 'missing' },
  report: (document: ShippingDocument) => void,
): Promise<void> {
  const failures = createFailureTracker()
  const fetch = createDocumentFetcher(context)
  const copy = async (document: ShippingDocument): Promise<void> => {
    if (failures.shouldStop()) return report({ ...document, ...failures.createGivenUp(document.kind) })
    const spooled = `${document.recordId}-${document.kind}`
    const fetched = await fetch(document, document.kind, spooled)
    failures.observe(fetched)
    if ('state' in fetched) return report({ ...document, ...fetched })
    try {
      const name = await deliverCopy(context, document, { spooled, extension: fetched.extension })
      report({ ...document, name, state: 'delivered' })
    } catch (error) {
      if (!hasCode(error, 'mailbox-unreachable', 'cannot-write')) throw error
      failures.noteMailboxFailure(error.message)
      report({ ...document, ...createMissing(document.kind, error.message) })
    }
    await context.spool.remove(spooled)
  }
  const list = which === 'all' ? listAllDocuments : listMissingDocuments
  for await (const page of list(context, query)) {
    throwIfStopped(context.signal)
    await runInParallel(page, Math.min(context.concurrency, IN_FLIGHT), copy)
  }
}

/** The documents that the API may have for the shipments, whatever the journal knows of them. */
async function* listAllDocuments({ journal, documents }: CopyContext, query: ShipmentQuery) {
  const { mailboxName: mailbox, folder, kinds } = documents
  const place = { mailbox, folder, state: 'wanted' } as const
  for await (const shipments of readShipments(journal, query, PAGE)) {
    yield shipments.flatMap((shipment) =>
      listDocumentKinds(shipment, kinds).map((kind) => ({ ...shipment, kind, ...place })),
    )
  }
}

async function* listMissingDocuments({ journal, documents: { folder } }: CopyContext, query: ShipmentQuery) {
  const find = (after: DocumentId | undefined) =>
    journal.findDocuments({ ...query, which: 'missing' }, after, PAGE)
  for await (const page of readPages(find, undefined, (last) => last)) {
    yield page.map((each) => {
      const { problem: _, ...document } = each
      return { ...document, folder }
    })
  }
}

async function deliverCopy(
  { spool, documents }: CopyContext,
  document: ShippingDocument,
  { spooled, extension }: { spooled: string; extension: string },
): Promise<string> {
  const { mailbox, folder, nameFor } = documents
  const base = nameFor(getNameValues(document, document.kind)) + extension
  const staged = await mailbox.stage(spool.path(spooled), folder, { name: base })
  try {
    for (let suffix = 1; suffix <= NAMES_MAX; suffix++) {
      const name = addNameSuffix(base, suffix)
      const outcome = await mailbox.giveName(staged, name)
      if (outcome === 'delivered') return name
      if (outcome !== 'occupied')
        throw new BridgeError('cannot-write', `another program removed ${name} before it was complete`)
    }
  } finally {
    await mailbox.removeStaged(staged)
  }
  throw namesTakenError(mailbox.describe(folder, base))
}
