/** Delivered files that wait until somebody took them or confirmed them, before their records are acknowledged. */
import type { DeliveryEntry } from './delivery.ts'
import type { Lease } from './lease.ts'

/** A file that came back for a delivered one. Its claim goes by its id. */
export interface NewReceipt {
  readonly id: string
  readonly delivery: string
  readonly folder: string
  readonly name: string
}

/** `refused`: it does not hold what it should. `gone`: it went away before it could be read. */
export type ReceiptEnd = 'accepted' | 'refused' | 'gone'

export interface ReceiptEntry extends NewReceipt {
  readonly state: 'claiming' | ReceiptEnd
}

/** A delivered file that nobody took or confirmed yet. */
export interface AwaitedDelivery extends DeliveryEntry {
  /** When the first of its records should be acknowledged, milliseconds; where the records say so. */
  readonly acknowledgeBy?: number
  /** The last receipt that came for it and was none. */
  readonly refusedReceipt?: { readonly name: string; readonly at: number }
}

/** The part of the journal that is about what was taken. Writing calls are durable when they return. */
export interface TakingJournal {
  /** The delivered file is gone from where it was left. Nothing is noted when it is known already to be taken. */
  deliveryPickedUp(lease: Lease, id: string): Promise<void>
  /** A receipt is about to be taken out of its folder. */
  beginReceipt(lease: Lease, receipt: NewReceipt): Promise<void>
  /** claiming → its end; an accepted one confirms its delivery. */
  endReceipt(lease: Lease, id: string, end: ReceiptEnd): Promise<void>
  /** An accepted or refused receipt lies in the archive; nowhere (empty) when it was removed before it could. */
  receiptArchived(lease: Lease, id: string, archivedAs: string): Promise<void>
  /** Those of the route that are not brought to their end. */
  openReceipts(route: string, limit: number): Promise<ReceiptEntry[]>
  /** Of one route, or of all; the oldest first. */
  awaitedDeliveries(limit: number, route?: string): Promise<AwaitedDelivery[]>
  /** A place got its mark, by which it is known again. */
  notePlace(lease: Lease, place: string): Promise<void>
  isPlaceKnown(place: string): Promise<boolean>
  /** Whether the route has found a file in the folder before. */
  wasTakenFrom(route: string, folder: string): Promise<boolean>
  /** Whether the route has left a file in the place before. */
  wasLeftIn(route: string, place: string): Promise<boolean>
}
