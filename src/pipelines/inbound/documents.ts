/** Packing slips and labels of the shipments a file created: they are in place before its sender is told. */
import type { FileEntry } from '../../domain/journal.ts'
import type { RecordResult, ReportedRecord } from '../../domain/record.ts'
import type { DocumentState, ShipmentQuery } from '../../domain/shipping-document.ts'
import { bringDocuments, sweepDocuments } from '../documents/bring.ts'
import type { DocumentPlace } from '../documents/place.ts'
import { answerToKeep, documentsFor } from '../documents/shipment.ts'
import type { InboundParts } from '../parts.ts'
import { assertInboxThere } from './inbox-gone.ts'

/** How many shipments are looked at in one transaction. */
const PAGE = 500

/** What of an answer is kept with its record: what tells, later, which documents there are and names them. */
export function keptAnswer({ documents }: InboundParts, body: unknown): Pick<RecordResult, 'answer'> {
  const answer = documents === undefined ? undefined : answerToKeep(body)
  return answer === undefined ? {} : { answer }
}

/**
 * Between submitted and reported, where the route wants documents. What could not be had is noted with its problem and
 * not tried again here: a report that was begun must not change.
 */
export async function deliverDocuments(parts: InboundParts, file: FileEntry): Promise<void> {
  const { documents, route } = parts
  if (documents === undefined || file.outcome !== 'processed') return
  await assertInboxThere(parts)
  await wantDocuments(parts, documents, { route: route.name, fileId: file.id })
  let done = 0
  await bringDocuments({ ...parts, documents }, { route: route.name, fileId: file.id, which: 'new' }, () => {
    done++
    parts.notify({ kind: 'progress', route: route.name, file: file.name, phase: 'fetching', done })
  })
  await sweepDocuments(parts, file.id)
}

/** Notes the intent to have the documents of the shipments; those that are known already stay as they are. */
export async function wantDocuments(
  { journal, lease }: Pick<InboundParts, 'journal' | 'lease'>,
  { mailboxName: mailbox, folder, kinds }: DocumentPlace,
  query: ShipmentQuery,
): Promise<void> {
  let afterId = 0
  for (;;) {
    const shipments = await journal.createdShipments(query, afterId, PAGE)
    const last = shipments.at(-1)
    if (last === undefined) return
    const intents = shipments.flatMap((shipment) =>
      documentsFor(shipment, kinds).map((kind) => ({ recordId: shipment.recordId, kind, mailbox, folder })),
    )
    if (intents.length > 0) await journal.wantDocuments(lease, intents)
    afterId = last.recordId
  }
}

/** A record with what its report says of its documents; left out where the route wants none. */
export interface ToldRecord extends ReportedRecord {
  readonly documents?: {
    /** Where they are, for people. */
    readonly paths: readonly string[]
    readonly states: readonly DocumentState[]
  }
}

/** The records of a page with their documents; why some are missing is a problem more of their record. */
export async function withDocuments(
  { journal, documents }: InboundParts,
  page: readonly ReportedRecord[],
): Promise<readonly ToldRecord[]> {
  if (documents === undefined) return page
  const { mailbox } = documents
  const found = await journal.documentsOf(page.map(({ id }) => id))
  const all = new Map(found.map(({ recordId }): [number, typeof found] => [recordId, []]))
  for (const each of found) all.get(each.recordId)?.push(each)
  return page.map((record) => {
    const own = all.get(record.id) ?? []
    const paths = own.flatMap(({ state, folder, name }) =>
      state === 'delivered' && name !== undefined ? [mailbox.describe(folder, name)] : [],
    )
    const problems = own.flatMap(({ problem }) => problem ?? [])
    return {
      ...record,
      problems: [...record.problems, ...problems],
      documents: { paths, states: own.map(({ state }) => state) },
    }
  })
}
