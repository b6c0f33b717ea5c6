/** Packing slips and labels of the shipments a file created, as the journal knows them. */
import type { Lease } from './lease.ts'
import type { Naming } from './mailbox.ts'
import type { Problem } from './problem.ts'

/** What can be had for a shipment, with the words for people. */
export const DOCUMENT_KINDS = { label: 'label', 'packing-slip': 'packing slip' } as const

export type DocumentKind = keyof typeof DOCUMENT_KINDS

/**
 * `wanted`: not in its mailbox yet; with a problem it was asked for and could not be had. `refused`: the API makes none.
 */
export type DocumentState = 'wanted' | 'delivered' | 'refused'

/** A shipment of a file that the API accepted. */
export interface CreatedShipment {
  readonly recordId: number
  readonly fileId: string
  readonly fileName: string
  /** The id the API gave; left out when its answer did not tell. */
  readonly shipmentId?: string
  readonly keyValues: readonly string[]
  /** What was sent and answered was pruned: nothing tells any more which documents there are, and their names. */
  readonly isPruned?: true
  /** JSON text of the body that was sent. */
  readonly body: string
  /** JSON text of what was kept of the answer; left out when the answer was lost and looked up. */
  readonly answer?: string
}

export interface DocumentId {
  readonly recordId: number
  readonly kind: DocumentKind
}

export interface DocumentIntent extends DocumentId {
  /** The name of the mailbox, and the folder in it. */
  readonly mailbox: string
  readonly folder: string
}

/** A document with its shipment. */
export interface ShippingDocument extends DocumentIntent, CreatedShipment {
  readonly state: DocumentState
  /** Reserved before anything stands there. */
  readonly name?: string
  readonly problem?: Problem
}

export interface DocumentResult extends DocumentId, Partial<Omit<DocumentIntent, keyof DocumentId>> {
  readonly state: DocumentState
  /** Where it was left; it has its place from its reservation when left out. */
  readonly name?: string
  readonly problem?: Problem
}

/** Which shipments are meant; all that is said must hold. */
export interface ShipmentQuery {
  readonly route: string
  readonly fileId?: string
  readonly fileName?: string
  readonly purchaseOrderNumber?: string
  readonly shipmentId?: string
}

/** Which documents: `new` were never asked for, `missing` are in no mailbox for whatever reason. */
export interface DocumentQuery extends ShipmentQuery {
  readonly which: 'new' | 'missing' | 'all'
}

export interface DocumentNaming extends DocumentIntent {
  /** The name at a turn from 1 upwards. */
  readonly nameFor: (attempt: number) => string
  readonly fromAttempt: number
  /** Its copy in the folder, which is about to get the name; left out where nothing could be copied yet. */
  readonly staged?: Pick<Naming, 'working' | 'evidence'>
}

/** By what the namings of a document are noted. */
export function namingSubject({ recordId, kind }: DocumentId): string {
  return `${recordId}-${kind}`
}

/** As with the rest of the journal: writing calls are durable when they return, lists are bounded by their `limit`. */
export interface DocumentJournal {
  listCreatedShipments(query: ShipmentQuery, afterId: number, limit: number): Promise<CreatedShipment[]>
  /** Those that are known already stay as they are. */
  requestDocuments(lease: Lease, intents: readonly DocumentIntent[]): Promise<void>
  /** In the order of their records; none of those whose contents were pruned. */
  findDocuments(of: DocumentQuery, after: DocumentId | undefined, limit: number): Promise<ShippingDocument[]>
  /**
   * Reserves for each document the name of the first turn that no other document has in the folder, compared without
   * case as some file systems do, and has it wanted there. Gives the names with their turns, in order. One that was
   * delivered stays noted as it is until its further copy is: the name is only found for it, and not kept. The naming with
   * its evidence is noted for each.
   */
  reserveDocumentNames(
    lease: Lease,
    namings: readonly DocumentNaming[],
  ): Promise<{ readonly name: string; readonly attempt: number }[]>
  saveDocumentResults(lease: Lease, results: readonly DocumentResult[]): Promise<void>
  listDocuments(
    recordIds: readonly number[],
  ): Promise<Pick<ShippingDocument, 'recordId' | 'kind' | 'folder' | 'state' | 'name' | 'problem'>[]>
}
