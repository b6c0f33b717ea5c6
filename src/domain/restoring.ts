/** A journal that is older than the world: what tells it, and what a person declares after a backup was restored. */
import type { Anchor } from './audit.ts'
import type { Lease } from './lease.ts'

/** The last event of the chain and its time, milliseconds. */
export interface Head extends Anchor {
  readonly at: number
}

export interface NewRestoration {
  readonly by: string
  readonly why: string
  /** How many sequence numbers each outgoing route skips. */
  readonly skip: number
  /** All routes, with the highest sequence number that was seen at the target of an outgoing one. */
  readonly routes: readonly {
    readonly name: string
    readonly direction: 'inbound' | 'outbound'
    readonly highest?: number
  }[]
  /** Only counts. */
  readonly dryRun: boolean
  /** Whether the process that holds a lease is still at work: nothing is declared then (`lease-held`). */
  readonly isAlive: (holder: string) => boolean
}

/** What was, or would be, changed. */
export interface Restored {
  /** The time of the last event that the journal knows: what happened later is in doubt. */
  readonly asOf: number
  /** Incoming records that are looked up before they are sent. */
  readonly uncertain: number
  /** Incoming changes that may be older than what is there, and wait for a person. */
  readonly held: number
  /** Composed deliveries that wait for a person. */
  readonly deliveries: number
  /** Outgoing records in no delivery; those that are still to go out are listed again. */
  readonly removed: number
  /** Documents that are not fetched by themselves any more. */
  readonly documents: number
  /** The sequence number of each outgoing route's next file. */
  readonly sequences: readonly { readonly route: string; readonly next: number }[]
}

/** The part of the journal that is about being restored. */
export interface RestoringJournal {
  head(): Promise<Head>
  /** The hash of an event; undefined when the chain does not reach it. */
  hashOfEvent(event: number): Promise<string | undefined>
  /**
   * The first letters of the ids of files and deliveries. A copy of the journal has the same; when it is declared to be
   * restored, the tag becomes another one.
   */
  tag(): Promise<string>
  /** Those of the ids that no file has. */
  unknownFiles(ids: readonly string[]): Promise<string[]>
  /** The last sequence number of an outgoing route that was given or skipped; 0 before the first. */
  lastSequence(route: string): Promise<number>
  /** Whether a mark was written beside this journal. */
  isMarked(): Promise<boolean>
  noteMarked(): Promise<void>
  /**
   * Declares that the journal was restored, in one transaction. All that may have happened since its last event is in
   * doubt: incoming records without an outcome become uncertain; changes that may be overtaken are held; held records are
   * looked up when they are released. Composed deliveries are held. Records in no delivery are removed, so that the
   * API shows again which are still to go out. Every route is in doubt from then on: see `endDoubt` and `noteListed`.
   */
  declareRestored(restoration: NewRestoration): Promise<Restored>
  /** Inbound routes whose new records are looked up before they are first sent, since when. */
  doubtfulRoutes(): Promise<readonly { readonly route: string; readonly since: number }[]>
  /** From now on new records are sent without being looked up. Gives how many routes were in doubt. */
  endDoubt(said: { readonly by: string; readonly why: string }): Promise<number>
  /**
   * The list of an outgoing route was read to its end. The records of the first such reading after a restoration may
   * have been delivered before it, so their deliveries are held when they are composed.
   */
  noteListed(lease: Lease): Promise<void>
}
