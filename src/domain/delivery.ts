/** Outgoing files as the journal knows them, and their confirmation by the consumer. */
import type { Decider, DecisionEntry, Dismissal } from './decision.ts'
import type { Lease } from './lease.ts'
import type { Resource } from './api.ts'
import type { Claim } from './mailbox.ts'
import type { Problem } from './problem.ts'
import type { OutgoingRecord, RecordResult } from './record.ts'

/** The states of an outgoing file, in this order. */
export const DELIVERY_STATES = {
  composed: 'Its rows are in the spool and its records belong to it; it is put in place next.',
  delivered:
    'It is at its final name; its records are acknowledged next, or once its reader took it or confirmed it.',
  acknowledged: 'It is done.',
  done: 'It is done: it is at its final name, and nothing of it is acknowledged from here.',
} as const

export type DeliveryState = keyof typeof DELIVERY_STATES

export interface NewDelivery extends Pick<DeliveryEntry, 'id' | 'folder' | 'sha256' | 'rows'> {
  /** Returns its name at the target; called with attempts from 1 until no other delivery of the route has the name. */
  readonly nameFor: (sequence: number, attempt: number) => string
  /** The delivery takes all waiting records of the route up to this id, without the held ones. */
  readonly upToRecord: number
  /** Records that could not be turned into rows, with their problems. */
  readonly held: readonly RecordResult[]
  /** The id of the control numbers that its interchange carries, how many sets it has, and of which kind its group is (GS01). */
  readonly reservation?: { readonly id: number; readonly sets: number; readonly code: string }
}

/**
 * The outcomes a person may state for a held delivery. `resolve-delivered`: it was delivered and continues from there.
 * `resolve-again`: deliver it now, whether it was before or not. Stored as decisions.
 */
export type DeliveryResolution = 'resolve-delivered' | 'resolve-again'

/** A delivered record that changed before it was acknowledged (held), or whose acknowledgement the API refused (rejected). */
export interface UnacknowledgedRecord {
  readonly id: number
  readonly apiId: string
  readonly operation: string
  readonly state: 'held' | 'rejected'
  readonly problems: readonly Problem[]
  /** What was delivered; empty where it was pruned. */
  readonly body: Resource
  readonly route: string
  readonly delivery: string
  readonly name: string
  readonly since: number
}

/** The outgoing records of a route that could not be turned into rows, and are in no delivery. */
export interface UnwrittenRecords {
  readonly route: string
  readonly records: number
  /** Since when the first of them is held. */
  readonly since: number
  readonly first: Pick<UnacknowledgedRecord, 'apiId' | 'operation' | 'problems' | 'body'>
}

export interface NewDeliveryResolution extends Decider {
  readonly action: DeliveryResolution
  /** With `resolve-delivered`: the place of the delivered file, as with `markDeliveryDelivered`. */
  readonly place?: string
}

/** A report: the journal does not keep its records. */
export type NewReport = Omit<NewDelivery, 'upToRecord' | 'held'> & {
  readonly records: number
  /** Its scheduled run, which has begun and has no delivery yet. */
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
  /** The place of the delivered file, for checks; the configuration may name another folder by now. */
  readonly place?: string
  /** When its confirmation was found, and by what: `picked-up`, or the name of the receipt. */
  readonly confirmedAt?: number
  readonly confirmedBy?: string
  readonly acknowledgedAt?: number
  /** Why it waits for a person; only while it does. */
  readonly held?: string
  /** When its contents were pruned. */
  readonly prunedAt?: number
  /** The configuration and mappings that made it, as in `NotedVersion`. */
  readonly version?: string
}

/** The part of the journal that turns records into outgoing files, and moves these from state to state. */
export interface DeliveryJournal {
  /** Adds new records and refreshes waiting ones; returns how many were new. */
  collectRecords(
    lease: Lease,
    records: readonly {
      readonly operation: string
      readonly account: string
      readonly apiId: string
      readonly body: string
      /** Its amount. */
      readonly cents?: number
    }[],
  ): Promise<number>
  /** Lists records without a delivery, held ones included, in the order they were collected. */
  listUndeliveredRecords(route: string, afterId: number, limit: number): Promise<OutgoingRecord[]>
  /** Lists the records of a delivery in the order of its file. */
  listDeliveryRecords(deliveryId: string, afterId: number, limit: number): Promise<OutgoingRecord[]>
  /** Makes the delivery with its records, and holds the held ones. After a restoration it may be held itself. */
  createDelivery(lease: Lease, newDelivery: NewDelivery): Promise<DeliveryEntry>
  /** Makes a delivery without records of its own, in the same sequence. */
  createReportDelivery(lease: Lease, report: NewReport): Promise<DeliveryEntry>
  /** Holds records without a delivery, when none of them could be composed. */
  holdRecords(lease: Lease, held: readonly RecordResult[]): Promise<void>
  /** Lists by route what could not be written into a file. */
  listUnwrittenRecords(): Promise<UnwrittenRecords[]>
  /** Gives the delivery another name, when the first is taken at the target. */
  renameDelivery(lease: Lease, id: string, name: string): Promise<void>
  /**
   * Holds a composed delivery without proof of whether it was delivered. It stays composed, with its records and its sequence
   * number, and no pass continues it: `listUnfinishedDeliveries` and `listUnfinishedRoutes` leave it out, and calls that
   * deliver or rename it stop the program. Other deliveries of its route continue. Only `resolveHeldDelivery` ends it.
   * `reason` is a sentence for people, at most 200 characters, without contents of records. A held delivery keeps its first
   * reason.
   */
  holdDelivery(lease: Lease, id: string, reason: string): Promise<void>
  /**
   * Resolves a held delivery as a person states: composed → delivered, or composed and to be delivered. Drops its noted
   * naming. Returns undefined and notes nothing when it is not held.
   */
  resolveHeldDelivery(
    lease: Lease,
    id: string,
    answer: NewDeliveryResolution,
  ): Promise<DeliveryEntry | undefined>
  /** Lists held deliveries, the oldest first. */
  listHeldDeliveries(limit: number, route?: string): Promise<DeliveryEntry[]>
  /** composed → delivered, in this place. */
  markDeliveryDelivered(lease: Lease, id: string, place?: string): Promise<void>
  /** composed or delivered → done, with its records, which the bridge does not acknowledge. */
  markDeliveryDone(lease: Lease, id: string, place?: string): Promise<void>
  /** delivered → acknowledged, when every record is final; false when some are not. */
  markDeliveryAcknowledged(lease: Lease, id: string): Promise<boolean>
  /** Lists delivered records that are not acknowledged and wait for a person, of one delivery or of all, the oldest first. */
  listUnacknowledgedRecords(limit: number, deliveryId?: string): Promise<UnacknowledgedRecord[]>
  /**
   * Notes that a person needs no acknowledgement of such records: of a delivery, or of one record. Undefined, with nothing
   * stored, where none waits. Needs no lease: it changes no work.
   */
  dismissUnacknowledged(deliveryId: string, dismissal: Dismissal): Promise<DecisionEntry | undefined>
  getDelivery(id: string): Promise<DeliveryEntry | undefined>
  /** Lists undelivered ones first and those that wait for a confirmation last; without the held ones. */
  listUnfinishedDeliveries(route: string): Promise<DeliveryEntry[]>
  listRecentDeliveries(limit: number, route?: string): Promise<DeliveryEntry[]>
  /** By name or id, newest first. */
  findDeliveriesByName(nameOrId: string, limit: number): Promise<DeliveryEntry[]>
}

// A person has the bytes of a finished delivery delivered once more.

/** `unclear`: whether the file got its name is not known. `impossible`: its bytes could not be made again. */
export type RedeliveryEnd = 'delivered' | 'unclear' | 'impossible'

/** One more file with the bytes of a delivery, under a name of its own. Nothing of it is acknowledged. */
export interface RedeliveryEntry {
  readonly id: string
  /** The id of the delivery. */
  readonly delivery: string
  readonly route: string
  readonly folder: string
  readonly name: string
  readonly state: 'begun' | RedeliveryEnd
  readonly beganAt: number
  readonly endedAt?: number
}

export interface StartedRedelivery extends RedeliveryEntry {
  /** The number of the decision of the person who wants it; left out where none was noted. */
  readonly decision?: number
}

export interface RedeliveryDecision {
  readonly id: number
  readonly by: string
  readonly why: string
  readonly at: number
}

/** The part of the journal for redeliveries. Writing calls are durable when they return. */
export interface RedeliveryJournal {
  /** Notes the intent, with the first name by `nameFor` that no delivery or redelivery of the route has, and who decided it. */
  startRedelivery(
    lease: Lease,
    redelivery: Pick<RedeliveryEntry, 'id' | 'delivery' | 'folder'> & {
      readonly nameFor: (attempt: number) => string
      readonly decided?: Decider
    },
  ): Promise<StartedRedelivery>
  /** Notes who decided to have one finished that a stop left open. Returns the number of the decision. */
  noteRedeliveryDecision(lease: Lease, deliveryId: string, decided: Decider): Promise<number>
  /** Gives it the first free name, because its name is taken at the target. Returns the name. */
  renameRedelivery(lease: Lease, id: string, nameFor: (attempt: number) => string): Promise<string>
  /** begun → its end. */
  finishRedelivery(lease: Lease, id: string, end: RedeliveryEnd): Promise<void>
  /** Lists those that are begun, the oldest first. */
  listOpenRedeliveries(route: string): Promise<RedeliveryEntry[]>
  /** Lists all of a delivery, the oldest first. */
  listRedeliveries(deliveryId: string): Promise<RedeliveryEntry[]>
  /** Who wanted them, the oldest first. */
  listRedeliveryDecisions(deliveryId: string): Promise<RedeliveryDecision[]>
}

// The bridge acknowledges delivered files after the consumer has picked them up or confirmed them.

/** A file that came back for a delivered one. Its claim goes by its id. */
export interface NewReceipt extends Claim {
  readonly delivery: string
}

/** `refused`: its contents are wrong. `gone`: it vanished before it could be read. */
export type ReceiptResult = 'accepted' | 'refused' | 'gone'

export interface ReceiptEntry extends NewReceipt {
  readonly state: 'claiming' | ReceiptResult
}

/** A delivered file that was not picked up or confirmed yet. */
export interface UnconfirmedDelivery extends DeliveryEntry {
  /** When the first of its records should be acknowledged, milliseconds; where the records have a deadline. */
  readonly acknowledgeBy?: number
  /** The last receipt for it that was refused. */
  readonly refusedReceipt?: { readonly name: string; readonly at: number }
}

/** The part of the journal for confirmations. Writing calls are durable when they return. */
export interface ConfirmationJournal {
  /** Notes that the file, which waits, stands in another place by now: its mailbox was moved. */
  moveDelivery(lease: Lease, id: string, place: string): Promise<void>
  /** Notes that the delivered file is gone from its place; notes nothing for a confirmed delivery. */
  markDeliveryPickedUp(lease: Lease, id: string): Promise<void>
  /** Notes that a receipt is about to be claimed. */
  startReceipt(lease: Lease, receipt: NewReceipt): Promise<void>
  /** claiming → its end; an accepted one confirms its delivery. */
  finishReceipt(lease: Lease, id: string, end: ReceiptResult): Promise<void>
  /** Notes the archived path of a receipt; empty when it was removed before it could be archived. */
  markReceiptArchived(lease: Lease, id: string, archivedAs: string): Promise<void>
  listOpenReceipts(route: string, limit: number): Promise<ReceiptEntry[]>
  /** Lists unconfirmed deliveries of one route, or of all; the oldest first. */
  listUnconfirmedDeliveries(limit: number, route?: string): Promise<UnconfirmedDelivery[]>
  /** Notes a folder that is in use, or that has its mark, which identifies it later. */
  savePlace(lease: Lease, place: string): Promise<void>
  isPlaceKnown(place: string): Promise<boolean>
  /** Whether the route has delivered a file to the place before. */
  hasDeliveredTo(route: string, place: string): Promise<boolean>
}
