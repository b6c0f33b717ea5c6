/** Delivers packing slips and labels of the shipments that a file created, before its reports are delivered. */
import type { FileEntry } from '../../domain/file.ts'
import type { Journal } from '../../domain/journal.ts'
import {
  addNameSuffix,
  NAMES_MAX,
  namesTakenError,
  type NamingEvidence,
  type StagedFile,
  toNaming,
} from '../../domain/mailbox.ts'
import type { RecordResult, ReportedRecord } from '../../domain/record.ts'
import {
  type DocumentId,
  type DocumentQuery,
  type DocumentState,
  namingSubject,
  type ShipmentQuery,
  type ShippingDocument,
} from '../../domain/shipping-document.ts'
import { readPages, runInParallel } from '../../support/async.ts'
import { groupBy } from '../../support/collections.ts'
import { BridgeError, hasCode, throwIfStopped } from '../../support/errors.ts'
import type { DocumentContext, DocumentPlace, InboundContext } from '../context.ts'
import { assertInboxExists } from '../inbound/inbox.ts'
import {
  addFailure,
  createDocumentFetcher,
  createFailureTracker,
  createMissing,
  type FailureTracker,
  getNameValues,
  listDocumentKinds,
  selectAnswer,
} from './fetch.ts'
import { createLeaseGuard } from '../failures.ts'

/** How many shipments are processed in one transaction. */
const SHIPMENTS_PAGE = 500

/** The part of an answer that is stored with its record: it shows later which documents exist, and names them. */
export function keepAnswer({ documents }: InboundContext, body: unknown): Pick<RecordResult, 'answer'> {
  const answer = documents === undefined ? undefined : selectAnswer(body)
  return answer === undefined ? {} : { answer }
}

/** Runs between submitted and reported. Notes a missing document and does not retry it: a report must not change. */
export async function deliverFileDocuments(context: InboundContext, file: FileEntry): Promise<void> {
  const { documents, route } = context
  if (documents === undefined || file.outcome !== 'processed') return
  await assertInboxExists(context)
  await requestDocuments(context, documents, { route: route.name, fileId: file.id })
  const query = { route: route.name, fileId: file.id, which: 'new' } as const
  let done = 0
  await deliverDocuments({ ...context, documents }, query, () => {
    done++
    context.notify({ kind: 'progress', route: route.name, file: file.name, phase: 'fetching', done })
  })
  await cleanDocumentSpool(context, file.id)
}

/** Notes the intent to fetch the documents of the shipments; documents that are known already stay as they are. */
export async function requestDocuments(
  { journal, lease }: Pick<InboundContext, 'journal' | 'lease'>,
  { mailboxName: mailbox, folder, kinds }: DocumentPlace,
  query: ShipmentQuery,
): Promise<void> {
  for await (const shipments of readShipments(journal, query, SHIPMENTS_PAGE)) {
    const intents = shipments.flatMap((shipment) => {
      const { recordId } = shipment
      return listDocumentKinds(shipment, kinds).map((kind) => ({ recordId, kind, mailbox, folder }))
    })
    if (intents.length > 0) await journal.requestDocuments(lease, intents)
  }
}

/** The created shipments of a query, page by page. */
export function readShipments(journal: Journal, query: ShipmentQuery, size: number) {
  return readPages(
    (after) => journal.listCreatedShipments(query, after, size),
    0,
    ({ recordId }) => recordId,
  )
}

/** A record with the documents for its report; left out where the route wants none. */
export interface RecordWithDocuments extends ReportedRecord {
  readonly documents?: {
    /** Where the documents are, by mailbox and folder: a path of this machine means nothing to a reader elsewhere. */
    readonly paths: readonly string[]
    readonly states: readonly DocumentState[]
  }
}

/** Adds their documents to the records of a page; a missing document adds a problem to its record. */
export async function addDocuments({ journal, documents }: InboundContext, page: readonly ReportedRecord[]) {
  if (documents === undefined) return page
  const found = await journal.listDocuments(page.map(({ id }) => id))
  const all = groupBy(found, ({ recordId }) => recordId)
  return page.map((record) => {
    const own = all.get(record.id) ?? []
    const paths = own.flatMap(({ state, mailbox, folder, name }) =>
      state === 'delivered' && name !== undefined ? [`${mailbox}:${folder}/${name}`] : [],
    )
    const problems = [...record.problems, ...own.flatMap(({ problem }) => problem ?? [])]
    return { ...record, problems, documents: { paths, states: own.map(({ state }) => state) } }
  })
}

// A document is safe in the spool and its name is reserved before it is staged in the mailbox.

/** How many documents are noted in one transaction. */
const DOCUMENT_BATCH = 32

/** How many documents are fetched, and so in memory, at once. */
export const IN_FLIGHT = 8

/**
 * Fetches and delivers the documents of a query. A missing document is noted with its problem and stops no other; when
 * the API or the mailbox is in trouble, the rest is noted at once. May be repeated: a document that a crash left in the
 * spool is delivered from there, byte for byte, so that no second copy appears. A document that was delivered before
 * keeps its note until its further copy is delivered.
 */
export async function deliverDocuments(
  context: DocumentContext,
  query: DocumentQuery,
  report: (document: ShippingDocument) => void = () => undefined,
): Promise<void> {
  const { journal, lease, signal, spool } = context
  const spooled = new Set(await spool.list())
  const trouble = createFailureTracker()
  const deliver = createDeliverer(context, spooled, trouble)
  const find = (after: DocumentId | undefined) => journal.findDocuments(query, after, DOCUMENT_BATCH)
  for await (const page of readPages(find, undefined, (last) => last)) {
    throwIfStopped(signal)
    const outcomes: readonly DocumentOutcome[] = trouble.shouldStop()
      ? page.map((each) => ({ document: addFailure(each, trouble.createGivenUp(each.kind)) }))
      : await deliver(page)
    await journal.saveDocumentResults(lease, outcomes.map(({ document }) => document).filter(isChange))
    for (const { document, working } of outcomes) {
      if (document.state === 'delivered') await spool.remove(getDocumentSpoolName(document))
      if (working !== undefined) await context.documents.mailbox.removeStaged(working)
      report(document)
    }
  }
}

/** A delivered document with a problem is an earlier copy that could not be fetched again: nothing changed. */
function isChange({ state, problem: why }: ShippingDocument): boolean {
  return state !== 'delivered' || why === undefined
}

/** Removes the spooled documents of a file that a crash left, except those that must still be delivered. */
export async function cleanDocumentSpool(
  { journal, spool }: Pick<InboundContext, 'journal' | 'spool'>,
  fileId: string,
): Promise<void> {
  const start = `${fileId}.${SPOOL_PREFIX}`
  const own = (await spool.list()).filter((name) => name.startsWith(start))
  if (own.length === 0) return
  const records = own.map((name) => Number.parseInt(name.slice(start.length), 10))
  const known = await journal.listDocuments([...new Set(records)])
  const reserved = known.filter(hasReservedName)
  const needed = new Set(reserved.map((each) => getDocumentSpoolName({ ...each, fileId })))
  for (const name of own) if (!needed.has(name)) await spool.remove(name)
}

const SPOOL_PREFIX = 'document-'

function getDocumentSpoolName({ fileId, recordId, kind }: DocumentId & { readonly fileId: string }): string {
  return `${fileId}.${SPOOL_PREFIX}${recordId}-${kind}`
}

/** With a reserved name, the bytes in the spool are whole if there are any. */
function hasReservedName({ state, name }: Pick<ShippingDocument, 'state' | 'name'>): boolean {
  return state === 'wanted' && name !== undefined
}

function createDeliverer(context: DocumentContext, spooled: ReadonlySet<string>, trouble: FailureTracker) {
  const fetch = createDocumentFetcher(context)
  const limit = Math.min(context.concurrency, IN_FLIGHT)

  const fetchDocument = async (document: ShippingDocument): Promise<SpooledDocument | DocumentOutcome> => {
    const before =
      (await findEarlierDelivery(context, document, trouble)) ?? findSpooled(context, document, spooled)
    if (before !== undefined) return before
    const fetched = await fetch(document, document.kind, getDocumentSpoolName(document))
    trouble.observe(fetched)
    return 'state' in fetched
      ? { document: addFailure(document, fetched) }
      : { document, spooled: getDocumentSpoolName(document), extension: fetched.extension }
  }

  return async (documents: readonly ShippingDocument[]): Promise<DocumentOutcome[]> => {
    const all = await runInParallel(documents, limit, fetchDocument)
    const staged = await runInParallel(all, limit, async (each) =>
      'extension' in each ? stageDocument(context, each, trouble) : each,
    )
    const named = await reserveNames(
      context,
      staged.filter((each) => 'staged' in each),
    )
    const placed = await runInParallel(named, limit, (each) => nameDocument(context, each, trouble))
    return [...staged.flatMap((each) => ('staged' in each ? [] : [each])), ...placed]
  }
}

/** A document that a crash, or a mailbox out of reach, left in the spool with a reserved name. */
function findSpooled(
  { documents }: DocumentContext,
  document: ShippingDocument,
  spooled: ReadonlySet<string>,
) {
  const { name = '' } = document
  const path = getDocumentSpoolName(document)
  if (!isInPlace(documents, document) || !hasReservedName(document) || !spooled.has(path)) return undefined
  const [extension] = /\.[a-z]+$/.exec(name) ?? []
  return extension === undefined ? undefined : { document, spooled: path, extension, reserved: name }
}

// Stages a document, notes its name, then names the file, so that a crash makes no second copy.

interface SpooledDocument {
  readonly document: ShippingDocument
  readonly spooled: string
  readonly extension: string
  /** The name that was reserved before a crash. */
  readonly reserved?: string
  /** Its copy in the folder, once there is one. */
  readonly staged?: StagedFile
}

type StagedDocument = SpooledDocument & { readonly staged: StagedFile }

/** `attempt`: the number of the tried name; 0 for a name that was reserved before. */
type NamedDocument = StagedDocument & { readonly name: string; readonly attempt: number }

/** The result of a document, and its working file, which is removed once the result is noted. */
interface DocumentOutcome {
  readonly document: ShippingDocument
  readonly working?: Pick<StagedFile, 'folder' | 'working'>
}

function isInPlace(documents: DocumentContext['documents'], { mailbox, folder }: ShippingDocument) {
  return mailbox === documents.mailboxName && folder === documents.folder
}

/** A document that got its name before a crash; its reader may have removed the file since. */
async function findEarlierDelivery(
  context: DocumentContext,
  document: ShippingDocument,
  trouble: FailureTracker,
): Promise<DocumentOutcome | undefined> {
  const { journal, documents } = context
  const { folder } = document
  if (document.name === undefined || !isInPlace(documents, document)) return undefined
  const [earlier] = await journal.listNamings(namingSubject(document))
  if (earlier === undefined) return undefined
  return catchMailboxFailure(document, trouble, async (): Promise<DocumentOutcome | undefined> => {
    if ((await documents.mailbox.inspectNaming(folder, earlier)) !== 'named') return undefined
    const { problem: _, ...rest } = document
    return {
      document: { ...rest, name: earlier.name, state: 'delivered' },
      working: { folder, working: earlier.working },
    }
  })
}

/** A document that cannot be staged gets its name reserved all the same, so that its bytes stay in the spool. */
async function stageDocument(context: DocumentContext, ready: SpooledDocument, trouble: FailureTracker) {
  const { spool, documents, journal, lease } = context
  const name = ready.reserved ?? createName(documents, ready, 1)
  const staged = await catchMailboxFailure(ready.document, trouble, async () => ({
    ...ready,
    staged: await documents.mailbox.stage(spool.path(ready.spooled), documents.folder, { name }),
  }))
  if (!('staged' in staged) && ready.reserved === undefined)
    await journal.reserveDocumentNames(lease, [createReservation(context, ready, 1)])
  return staged
}

function createName(documents: DocumentPlace, { document, extension }: SpooledDocument, attempt: number) {
  return addNameSuffix(documents.nameFor(getNameValues(document, document.kind)) + extension, attempt)
}

/** Renews the lease: a process that wakes up late must not deliver a file next to its successor's. */
async function reserveNames(context: DocumentContext, staged: readonly StagedDocument[]) {
  const { journal, lease } = context
  const named: NamedDocument[] = []
  for (const each of staged) {
    if (each.reserved === undefined) continue
    await journal.saveNamings(lease, namingSubject(each.document), [toNaming(each.staged, each.reserved)])
    named.push({ ...each, name: each.reserved, attempt: 0 })
  }
  const unnamed = staged.filter(({ reserved }) => reserved === undefined)
  const reservations = unnamed.map((each) => createReservation(context, each, 1))
  const names = await journal.reserveDocumentNames(lease, reservations)
  for (const [index, each] of unnamed.entries()) {
    const name = names[index]
    if (name !== undefined) named.push({ ...each, ...name })
  }
  return named
}

function createReservation({ documents }: DocumentContext, ready: SpooledDocument, fromAttempt: number) {
  const { recordId, kind } = ready.document
  const { mailboxName: mailbox, folder } = documents
  const nameFor = (attempt: number) => createName(documents, ready, attempt)
  const staged = ready.staged && { staged: ready.staged }
  return { recordId, kind, mailbox, folder, fromAttempt, nameFor, ...staged }
}

/** Never overwrites a file: if a name is taken, the next name is reserved and tried. */
async function nameDocument(context: DocumentContext, named: NamedDocument, trouble: FailureTracker) {
  const { journal, lease, documents } = context
  const { mailbox, mailboxName, folder } = documents
  const { staged } = named
  const { problem: _, ...document } = named.document
  const subject = namingSubject(document)
  const { assertHeld } = createLeaseGuard(context)
  let current: { readonly name: string; readonly attempt: number } | undefined = named
  return catchMailboxFailure(named.document, trouble, async () => {
    for (let tries = 0; tries < NAMES_MAX && current !== undefined; tries++) {
      const { name, attempt } = current
      await assertHeld()
      const note = (evidence: NamingEvidence) =>
        journal.saveNamings(lease, subject, [toNaming({ ...staged, evidence }, name)])
      const outcome = await mailbox.giveName(staged, name, { note })
      if (outcome === 'delivered') {
        const place = { mailbox: mailboxName, folder, name, state: 'delivered' } as const
        return { document: { ...document, ...place }, working: staged }
      }
      if (outcome !== 'occupied') {
        await journal.saveNamings(lease, subject, [])
        throw new BridgeError(
          'cannot-write',
          `another program removed ${mailbox.describe(folder, name)} before it was complete`,
        )
      }
      ;[current] = await journal.reserveDocumentNames(lease, [createReservation(context, named, attempt + 1)])
    }
    throw namesTakenError(mailbox.describe(folder, named.name))
  })
}

/** Notes a failure of the mailbox with its document; the failure stops no other document. */
async function catchMailboxFailure<Result>(
  document: ShippingDocument,
  trouble: FailureTracker,
  work: () => Promise<Result>,
): Promise<Result | DocumentOutcome> {
  try {
    return await work()
  } catch (error) {
    if (!hasCode(error, 'mailbox-unreachable', 'cannot-write')) throw error
    trouble.noteMailboxFailure(error.message)
    return { document: addFailure(document, createMissing(document.kind, error.message)) }
  }
}
