/** Traces one record, order or file through the journal. */
import type { RecordProof } from './audit.ts'
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
  /** The id of its delivery; absent while it waits for one. */
  readonly delivery?: string
  /** The key is its own: in its cells, as its key or as its id at the API. Otherwise it is of the same order. */
  readonly isMeant: boolean
  /** It was refused, and a later file has it or a person gave it up. */
  readonly isCorrected?: true
}

/** An API resource with the key, or of the same order. */
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
  /** Searches the cells of all records too: slow where there are many. */
  readonly everywhere?: boolean
  /** Finds refused records only by their first cell while they wait for a correction, so that only indexes are read. */
  readonly isQuick?: boolean
}

export interface KeyTrace {
  /** The latest, oldest first. */
  readonly records: readonly TracedRecord[]
  /** How many earlier ones there are, counted up to the journal's search limit. */
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
  /** Perhaps it was sent: the journal was restored from a backup that is older than it would be. */
  readonly isPresumed?: true
  /** The configuration and mappings that sent it, as in `NotedVersion`. */
  readonly version?: string
}

/** A lookup of a record whose answer was lost. */
export interface TracedLookup {
  readonly at: number
  /** Its result. `accepted`: it is at the API; `planned`: it is absent, so it is sent again. */
  readonly state: RecordState
  readonly apiId?: string
}

export interface TracedDetail {
  readonly record: number
  /** JSON text; absent where none was made, or where it was pruned. */
  readonly body?: string
  /** JSON text of what the journal keeps of the last answer, where packing slips or labels need it. */
  readonly answer?: string
  /** When its contents were pruned. */
  readonly prunedAt?: number
  readonly attempts: readonly TracedAttempt[]
  /** Oldest first. */
  readonly lookUps: readonly TracedLookup[]
  /** Oldest first. */
  readonly decisions: readonly DecisionEntry[]
  /** For a duplicate: the record that has the key. */
  readonly first?: TracedRecord
}

export interface KeySuggestions {
  /** Names that differ in no more than case, dashes, blanks and leading zeros. */
  readonly same: readonly string[]
  /** The latest finish time of pruned work, whose cells cannot be found any more. */
  readonly prunedUntil?: number
}

/** The part of the journal that answers "where is it?". Read-only; `limit` bounds lists. */
export interface TraceJournal {
  /**
   * Finds records with this key, id or cell, and everything of the same orders: the order, its shipments and invoices, its
   * exports. Uses indexes, except for refused and held records, which it scans.
   */
  traceKey(key: string, query: KeyQuery): Promise<KeyTrace>
  traceLine(fileId: string, line: number, limit: number): Promise<TracedRecord[]>
  /** Lists records of a file or delivery: those with problems first, each group in the order of their numbers. */
  traceWork(work: { file: string } | { delivery: string }, limit: number): Promise<TracedRecord[]>
  /** In the order of the ids. */
  traceDetails(recordIds: readonly number[]): Promise<TracedDetail[]>
  /**
   * Finds the events about a record, and checks what `verifyChain` does of them and of the record, in bounded time. Undefined
   * where the journal has no such record.
   */
  proveRecord(recordId: number): Promise<RecordProof | undefined>
  /** Finds the route's first file with these bytes, which makes a second one a duplicate. */
  findFirstWithContents(
    route: string,
    sha256: string,
  ): Promise<{ readonly id: string; readonly name: string; readonly receivedAt: number } | undefined>
  /** Whether a bridge worked on the route before, none does now, and the journal knows no unfinished work of it. */
  hasNoWork(route: string): Promise<boolean>
  /** The owner of the route's lease, while it is valid, and its last renewal. */
  getLeaseOwner(route: string): Promise<{ readonly owner: string; readonly renewedAt: number } | undefined>
  /** Suggests keys for a name without matches. Scans the whole journal. */
  suggestKeys(key: string, limit: number): Promise<KeySuggestions>
  /** Finds keys, file names and delivery names with a similar spelling. */
  findSimilarNames(key: string, limit: number): Promise<string[]>
}
