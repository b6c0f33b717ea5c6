/** Outgoing files as the journal knows them. */
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
  /**
   * Given the sequence number, the name of the file at the target. Asked with turns from 1 upwards until it gives one
   * that no other delivery of the route has.
   */
  readonly nameFor: (sequence: number, turn: number) => string
  readonly folder: string
  readonly sha256: string
  readonly rows: number
  /** The records of the delivery: all waiting ones of the route up to this record id but for the held ones. */
  readonly upToRecord: number
  /** Records that could not be turned into rows, with their problems. */
  readonly held: readonly RecordResult[]
}

/**
 * What a person may say of a held delivery. `settle-delivered`: it was delivered already and goes on from there.
 * `settle-again`: it is delivered now, whether it was before or not. Kept as decisions.
 */
export type DeliveryAnswer = 'settle-delivered' | 'settle-again'

export interface NewDeliveryAnswer {
  readonly action: DeliveryAnswer
  readonly by: string
  readonly why: string
  /** With `settle-delivered`: the place where the file was left, as with `deliveryDelivered`. */
  readonly place?: string
}

/** A file of records that are not remembered. */
export type NewReport = Omit<NewDelivery, 'upToRecord' | 'held'> & {
  readonly records: number
  /** The turn that it is made for, which has begun and has no delivery yet. */
  readonly turn?: string
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
  readonly leftIn?: string
  /** When somebody was found to have taken or confirmed it, and by what: `picked-up`, or the name of the receipt. */
  readonly takenAt?: number
  readonly takenBy?: string
  readonly acknowledgedAt?: number
  /** Why it waits for a person, in words; only while it does. */
  readonly held?: string
}

/** How records become an outgoing file, and the file comes from state to state. */
export interface DeliveryJournal {
  /** Adds those not known yet and refreshes those still waiting; gives how many were new. */
  collect(
    lease: Lease,
    records: readonly {
      readonly operation: string
      readonly account: string
      readonly apiId: string
      readonly body: string
    }[],
  ): Promise<number>
  /** Records that belong to no delivery yet, the held ones too, in the order they were collected. */
  waitingRecords(route: string, afterId: number, limit: number): Promise<OutgoingRecord[]>
  /** The records of a delivery, in the order they stand in its file. */
  deliveryRecords(deliveryId: string, afterId: number, limit: number): Promise<OutgoingRecord[]>
  /**
   * Makes the delivery with its records in one step, and holds the held ones. Sequences have no gaps, but where the journal was
   * restored. Then the delivery itself may be held.
   */
  deliveryComposed(lease: Lease, delivery: NewDelivery): Promise<DeliveryEntry>
  /** Makes a delivery without records of its own, in the same sequence. */
  reportComposed(lease: Lease, report: NewReport): Promise<DeliveryEntry>
  /** Only holds records; for when nothing could be composed. */
  holdRecords(lease: Lease, held: readonly RecordResult[]): Promise<void>
  /** Another name, when the first is taken at the target. */
  renameDelivery(lease: Lease, id: string, name: string): Promise<void>
  /**
   * Holds a composed delivery of which nobody can prove whether it was delivered. It stays composed, with its records and its
   * sequence number, and no pass goes on with it: `unfinishedDeliveries` and `unfinishedRoutes` leave it out, and the calls that
   * deliver or rename it stop the program. Others of its route go on. It ends with `answerHeldDelivery` alone. `reason`
   * is a sentence for people, at most 200 characters, without contents of records. One that is held already keeps its
   * first reason.
   */
  holdDelivery(lease: Lease, id: string, reason: string): Promise<void>
  /**
   * What a person says of a held delivery: composed → delivered, or composed and to be delivered. What was noted of its naming is
   * dropped. Undefined, and nothing is noted, when it is not held.
   */
  answerHeldDelivery(lease: Lease, id: string, answer: NewDeliveryAnswer): Promise<DeliveryEntry | undefined>
  /** Those that wait for a person, the oldest first. */
  heldDeliveries(limit: number, route?: string): Promise<DeliveryEntry[]>
  /** composed → delivered, in this place. */
  deliveryDelivered(lease: Lease, id: string, place?: string): Promise<void>
  /** composed or delivered → done, and its records with it: nothing of it is acknowledged from here. */
  deliveryDone(lease: Lease, id: string, place?: string): Promise<void>
  /** delivered → acknowledged, when every record is final; false when some are not. */
  deliveryAcknowledged(lease: Lease, id: string): Promise<boolean>
  delivery(id: string): Promise<DeliveryEntry | undefined>
  /** Those that are not in place first, those that somebody may still have to take last; without the held ones. */
  unfinishedDeliveries(route: string): Promise<DeliveryEntry[]>
  recentDeliveries(limit: number, route?: string): Promise<DeliveryEntry[]>
  /** By name or id, newest first. */
  deliveriesCalled(nameOrId: string, limit: number): Promise<DeliveryEntry[]>
}
