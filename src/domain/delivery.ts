/** Outgoing files as the journal knows them, and their confirmation by the consumer. */
import type { Lease } from './lease.ts'
import type { OutgoingRecord, RecordResult } from './record.ts'

/** Where an outgoing file stands, in this order. */
export const DELIVERY_STATES = {
  composed: 'Its rows are in the spool and its records belong to it; it is put in place next.',
  delivered:
    'It is at its final name; its records are acknowledged next, or once somebody took it or confirmed it.',
  acknowledged: 'It is done.',
  done: 'It is done: it is at its final name, and nothing of it is acknowledged from here.',
} as const

export type DeliveryState = keyof typeof DELIVERY_STATES

export interface NewDelivery {
  readonly id: string
  /** Its name at the target; asked with attempts from 1 until no other delivery of the route has the name. */
  readonly nameFor: (sequence: number, attempt: number) => string
  readonly folder: string
  readonly sha256: string
  readonly rows: number
  /** The records of the delivery: all waiting ones of the route up to this record id but for the held ones. */
  readonly upToRecord: number
  /** Records that could not be turned into rows, with their problems. */
  readonly held: readonly RecordResult[]
}

/**
 * What a person may say of a held delivery. `resolve-delivered`: it was delivered already and goes on from there.
 * `resolve-again`: it is delivered now, whether it was before or not. Kept as decisions.
 */
export type DeliveryResolution = 'resolve-delivered' | 'resolve-again'

export interface NewDeliveryResolution {
  readonly action: DeliveryResolution
  readonly by: string
  readonly why: string
  /** With `resolve-delivered`: the place where the file was left, as with `markDeliveryDelivered`. */
  readonly place?: string
}

/** A file of records that are not remembered. */
export type NewReport = Omit<NewDelivery, 'upToRecord' | 'held'> & {
  readonly records: number
  /** The run that it is made for, which has begun and has no delivery yet. */
  readonly scheduledRun?: string
}

export interface DeliveryEntry {
  readonly id: string
  readonly route: string
  readonly sequence: number
  readonly folder: string
  readonly name: string
  readonly sha256: string
  readonly rows: number
  readonly records: number
  readonly state: DeliveryState
  readonly composedAt: number
  readonly deliveredAt?: number
  /** The place where the file was left, by which it is looked for; the folder may be configured to be elsewhere by now. */
  readonly place?: string
  /** When somebody was found to have taken or confirmed it, and by what: `picked-up`, or the name of the receipt. */
  readonly confirmedAt?: number
  readonly confirmedBy?: string
  readonly acknowledgedAt?: number
  /** Why it waits for a person, in words; only while it does. */
  readonly held?: string
}

/** How records become an outgoing file, and the file comes from state to state. */
export interface DeliveryJournal {
  /** Adds those not known yet and refreshes those still waiting; gives how many were new. */
  collectRecords(
    lease: Lease,
    records: readonly {
      readonly operation: string
      readonly account: string
      readonly apiId: string
      readonly body: string
    }[],
  ): Promise<number>
  /** Records that belong to no delivery yet, the held ones too, in the order they were collected. */
  listUndeliveredRecords(route: string, afterId: number, limit: number): Promise<OutgoingRecord[]>
  /** The records of a delivery, in the order they stand in its file. */
  listDeliveryRecords(deliveryId: string, afterId: number, limit: number): Promise<OutgoingRecord[]>
  /** Makes the delivery with its records, and holds the held ones. After a restoration it may be held itself. */
  createDelivery(lease: Lease, newDelivery: NewDelivery): Promise<DeliveryEntry>
  /** Makes a delivery without records of its own, in the same sequence. */
  createReportDelivery(lease: Lease, report: NewReport): Promise<DeliveryEntry>
  /** Only holds records; for when nothing could be composed. */
  holdRecords(lease: Lease, held: readonly RecordResult[]): Promise<void>
  /** Another name, when the first is taken at the target. */
  renameDelivery(lease: Lease, id: string, name: string): Promise<void>
  /**
   * Holds a composed delivery of which nobody can prove whether it was delivered. It stays composed, with its records and its
   * sequence number, and no pass goes on with it: `listUnfinishedDeliveries` and `listUnfinishedRoutes` leave it out, and the calls that
   * deliver or rename it stop the program. Others of its route go on. It ends with `resolveHeldDelivery` alone. `reason`
   * is a sentence for people, at most 200 characters, without contents of records. One that is held already keeps its
   * first reason.
   */
  holdDelivery(lease: Lease, id: string, reason: string): Promise<void>
  /**
   * What a person says of a held delivery: composed → delivered, or composed and to be delivered. What was noted of its naming is
   * dropped. Undefined, and nothing is noted, when it is not held.
   */
  resolveHeldDelivery(
    lease: Lease,
    id: string,
    answer: NewDeliveryResolution,
  ): Promise<DeliveryEntry | undefined>
  /** Those that wait for a person, the oldest first. */
  listHeldDeliveries(limit: number, route?: string): Promise<DeliveryEntry[]>
  /** composed → delivered, in this place. */
  markDeliveryDelivered(lease: Lease, id: string, place?: string): Promise<void>
  /** composed or delivered → done, and its records with it: nothing of it is acknowledged from here. */
  markDeliveryDone(lease: Lease, id: string, place?: string): Promise<void>
  /** delivered → acknowledged, when every record is final; false when some are not. */
  markDeliveryAcknowledged(lease: Lease, id: string): Promise<boolean>
  getDelivery(id: string): Promise<DeliveryEntry | undefined>
  /** Those that are not in place first, those that somebody may still have to take last; without the held ones. */
  listUnfinishedDeliveries(route: string): Promise<DeliveryEntry[]>
  listRecentDeliveries(limit: number, route?: string): Promise<DeliveryEntry[]>
  /** By name or id, newest first. */
  findDeliveriesByName(nameOrId: string, limit: number): Promise<DeliveryEntry[]>
}

// Delivered files wait until the consumer fetched or confirmed them; then they are acknowledged.

/** A file that came back for a delivered one. Its claim goes by its id. */
export interface NewReceipt {
  readonly id: string
  readonly delivery: string
  readonly folder: string
  readonly name: string
}

/** `refused`: it does not hold what it should. `gone`: it went away before it could be read. */
export type ReceiptResult = 'accepted' | 'refused' | 'gone'

export interface ReceiptEntry extends NewReceipt {
  readonly state: 'claiming' | ReceiptResult
}

/** A delivered file that was not picked up or confirmed yet. */
export interface UnconfirmedDelivery extends DeliveryEntry {
  /** When the first of its records should be acknowledged, milliseconds; where the records say so. */
  readonly acknowledgeBy?: number
  /** The last receipt that came for it and was none. */
  readonly refusedReceipt?: { readonly name: string; readonly at: number }
}

/** The part of the journal that is about what was taken. Writing calls are durable when they return. */
export interface ConfirmationJournal {
  /** The delivered file is gone from where it was left. Nothing is noted when it is known already to be taken. */
  markDeliveryPickedUp(lease: Lease, id: string): Promise<void>
  /** A receipt is about to be taken out of its folder. */
  startReceipt(lease: Lease, receipt: NewReceipt): Promise<void>
  /** claiming → its end; an accepted one confirms its delivery. */
  finishReceipt(lease: Lease, id: string, end: ReceiptResult): Promise<void>
  /** An accepted or refused receipt lies in the archive; nowhere (empty) when it was removed before it could. */
  markReceiptArchived(lease: Lease, id: string, archivedAs: string): Promise<void>
  /** Those of the route that are not brought to their end. */
  listOpenReceipts(route: string, limit: number): Promise<ReceiptEntry[]>
  /** Of one route, or of all; the oldest first. */
  listUnconfirmedDeliveries(limit: number, route?: string): Promise<UnconfirmedDelivery[]>
  /** A place got its mark, by which it is known again. */
  savePlace(lease: Lease, place: string): Promise<void>
  isPlaceKnown(place: string): Promise<boolean>
  /** Whether the route has found a file in the folder before. */
  hasTakenFrom(route: string, folder: string): Promise<boolean>
  /** Whether the route has left a file in the place before. */
  hasDeliveredTo(route: string, place: string): Promise<boolean>
}
