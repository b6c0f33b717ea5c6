/** Outgoing files as the journal knows them. */
import type { RecordResult } from './record.ts'

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
}
