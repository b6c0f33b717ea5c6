/** Packing slips and labels of the shipments a file created, as the journal knows them. */
import type { Lease } from './lease.ts'
import type { Naming } from './mailbox.ts'
import type { Problem } from './problem.ts'

/** The kinds of documents of a shipment, with names for people. */
export const DOCUMENT_KINDS = { label: 'label', 'packing-slip': 'packing slip' } as const

export type DocumentKind = keyof typeof DOCUMENT_KINDS

/**
 * `wanted`: not in its mailbox yet; with a problem, a request for it failed. `refused`: the API makes none.
 */
export type DocumentState = 'wanted' | 'delivered' | 'refused'

/** A shipment of a file that the API accepted. */
export interface CreatedShipment {
  readonly recordId: number
  readonly fileId: string
  readonly fileName: string
  /** The id the API gave; absent when its answer had none. */
  readonly shipmentId?: string
  readonly keyValues: readonly string[]
  /** Request and answer were pruned, so its documents and their names are unknown. */
  readonly isPruned?: true
  /** JSON text of the body that was sent. */
  readonly body: string
  /** JSON text of the kept part of the answer; absent when the answer was lost and looked up. */
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
  /** Reserved before the file exists. */
  readonly name?: string
  readonly problem?: Problem
}

export interface DocumentResult extends DocumentId, Partial<Omit<DocumentIntent, keyof DocumentId>> {
  readonly state: DocumentState
  /** Its name at the target; when absent, the reserved one. */
  readonly name?: string
  readonly problem?: Problem
}

/** A selection of shipments; all given conditions must hold. */
export interface ShipmentQuery {
  readonly route: string
  readonly fileId?: string
  readonly fileName?: string
  readonly purchaseOrderNumber?: string
  readonly shipmentId?: string
}

/** A selection of documents: `new` were never requested, `missing` are in no mailbox for any reason. */
export interface DocumentQuery extends ShipmentQuery {
  readonly which: 'new' | 'missing' | 'all'
}

/** The documents of the shipments of a file that were requested and could not be fetched or written. */
export interface MissingDocuments extends Pick<CreatedShipment, 'fileId' | 'fileName'> {
  readonly route: string
  readonly count: number
  /** Since when the first of them is missing. */
  readonly since: number
  /** Of one of them. */
  readonly problem: Problem
}

export interface DocumentNaming extends DocumentIntent {
  /** Returns the name for an attempt from 1 upwards. */
  readonly nameFor: (attempt: number) => string
  readonly fromAttempt: number
  /** Its staged copy, which is about to get the name; absent where staging was not possible yet. */
  readonly staged?: Pick<Naming, 'working' | 'evidence'>
}

/** The subject under which the namings of a document are saved. */
export function namingSubject({ recordId, kind }: DocumentId): string {
  return `${recordId}-${kind}`
}

/** The part of the journal for documents. Writing calls are durable when they return; `limit` bounds lists. */
export interface DocumentJournal {
  listCreatedShipments(query: ShipmentQuery, afterId: number, limit: number): Promise<CreatedShipment[]>
  /** Adds documents; known ones stay unchanged. */
  requestDocuments(lease: Lease, intents: readonly DocumentIntent[]): Promise<void>
  /** Finds documents in the order of their records, without pruned ones. */
  findDocuments(of: DocumentQuery, after: DocumentId | undefined, limit: number): Promise<ShippingDocument[]>
  /** Lists by file what a person must fetch, without pruned shipments; the oldest first. */
  listMissingDocuments(limit: number): Promise<MissingDocuments[]>
  /**
   * Reserves for each document the name of the first attempt that no other document has in the folder, compared without case
   * as some file systems do, and marks it as wanted there. Returns the names with their attempts, in order. A delivered
   * document stays unchanged until its further copy is delivered: its name is found but not reserved. Saves the naming with
   * its evidence for each.
   */
  reserveDocumentNames(
    lease: Lease,
    namings: readonly DocumentNaming[],
  ): Promise<{ readonly name: string; readonly attempt: number }[]>
  saveDocumentResults(lease: Lease, results: readonly DocumentResult[]): Promise<void>
  listDocuments(
    recordIds: readonly number[],
  ): Promise<
    Pick<ShippingDocument, 'recordId' | 'kind' | 'mailbox' | 'folder' | 'state' | 'name' | 'problem'>[]
  >
}
