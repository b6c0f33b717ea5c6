/** Following one record, order or file through everything the journal knows. */
import type { DecisionEntry } from './decision.ts'
import type { RecordState, ReportedRecord } from './record.ts'

export interface TracedRecord extends ReportedRecord {
  readonly direction: 'incoming' | 'outgoing'
  readonly route: string
  readonly account: string
  readonly step?: number
  readonly naturalKey?: string
  /** The id of the file it came from. */
  readonly file?: string
  /** The id of the delivery it left in; left out while it waits for one. */
  readonly delivery?: string
  /** The key is its own: in its cells, as its key or as its id at the API. The others are of the same order. */
  readonly isMeant: boolean
}

/** What the API has shown that goes by the key, or is of the same order. */
export interface TracedResource {
  readonly account: string
  readonly kind: string
  readonly id: string
  readonly keys: readonly string[]
  /** In the API's own names. */
  readonly facts?: Readonly<Record<string, unknown>>
  readonly seenAt: number
}

export interface KeyQuery {
  /** Only records of this route. */
  readonly route?: string
  readonly limit: number
  /** Looks through the cells of all records too: slow where there are many. */
  readonly everywhere?: boolean
}

export interface KeyTrace {
  /** The latest, oldest first. */
  readonly records: readonly TracedRecord[]
  /** How many earlier ones there are; of very many no more are counted than the journal looks at. */
  readonly earlier: number
  readonly resources: readonly TracedResource[]
}

/** One sending of a record. */
export interface TracedAttempt {
  readonly attempt: number
  readonly beganAt: number
  /** Left out when no answer was ever noted. */
  readonly endedAt?: number
  readonly http?: number
  readonly result?: string
  /** Nobody knows whether it was sent: the journal was restored from a backup that is older than this would be. */
  readonly isPresumed?: true
}

/** What was found out about a record whose answer was lost. */
export interface TracedLookup {
  readonly at: number
  /** What it came to. Accepted: it is at the API; planned: it is not there, so it is sent again. */
  readonly state: RecordState
  readonly apiId?: string
}

export interface TracedDetail {
  readonly record: number
  /** JSON text; left out where none was made, or where it is no longer kept. */
  readonly body?: string
  /** When the contents of it were removed. */
  readonly prunedAt?: number
  readonly attempts: readonly TracedAttempt[]
  /** Oldest first. */
  readonly lookUps: readonly TracedLookup[]
  /** Oldest first. */
  readonly decisions: readonly DecisionEntry[]
  /** Of what repeats another record: the one that holds the key. */
  readonly first?: TracedRecord
}

export interface KeySuggestions {
  /** Names that differ in no more than case, dashes, blanks and leading zeros. */
  readonly same: readonly string[]
  /** The latest end of work whose contents were pruned: cells of its rows are not found any more. */
  readonly prunedUntil?: number
}

/** The part of the journal that answers "where is it?". Reading only; lists are bounded by their `limit`. */
export interface TraceJournal {
  /**
   * Records with this key, id or cell, and all that belongs to the same orders: the order, its shipments and invoices, what
   * was exported. Found by indexes, but for what was refused or is held, which is looked through.
   */
  traceKey(key: string, query: KeyQuery): Promise<KeyTrace>
  /** The records that the line of the file is of. */
  traceLine(fileId: string, line: number, limit: number): Promise<TracedRecord[]>
  /** Records of a file or delivery: first those with problems, each in the order of their numbers. */
  traceWork(work: { file: string } | { delivery: string }, limit: number): Promise<TracedRecord[]>
  /** In the order of the ids. */
  traceDetails(recordIds: readonly number[]): Promise<TracedDetail[]>
  /** The file of the route because of which another one with these bytes would not be sent. */
  findFirstWithContents(
    route: string,
    sha256: string,
  ): Promise<{ readonly id: string; readonly name: string; readonly receivedAt: number } | undefined>
  /** Who holds the route's lease, if its time is not over; and when it was last renewed. */
  getLeaseOwner(route: string): Promise<{ readonly owner: string; readonly renewedAt: number } | undefined>
  /** What may be meant by a name under which nothing is found. Looks through all there is. */
  suggestKeys(key: string, limit: number): Promise<KeySuggestions>
  /** Keys, file names and names of deliveries that are spelt much alike. */
  findSimilarNames(key: string, limit: number): Promise<string[]>
}
