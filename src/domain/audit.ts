/** The chain of events, by which a manual change of the journal shows; pruning; and restoring from a backup. */
import type { Lease } from './lease.ts'

/** What events tell. None of them holds personal data: ids, states, counts, codes and hashes only. */
const JOURNAL_EVENTS = {
  'chain-began': 'The chain began; what was there before it is counted.',
  'lease-taken-over': 'A bridge took a route over whose owner had not given it back.',
  'file-claiming': 'A file is about to be taken out of its inbox.',
  'file-received': 'A copy of it is safe.',
  'file-planned': 'Every record of it is in the journal.',
  'file-submitted': 'Every record of it has its outcome, or it could not be used.',
  'file-reported': 'Its results are delivered.',
  'file-closed': 'It is done.',
  'plan-discarded': 'What an interrupted planning left was removed.',
  'report-named': 'Its results were given a name.',
  'records-planned': 'Records of a file came into the journal.',
  'attempts-started': 'They are about to be sent.',
  'attempts-noted': 'What a look-up of them will need was noted, before they were sent.',
  'records-answered': 'They came to their results.',
  'records-reconciled': 'What was uncertain of them is known.',
  'records-recovered': 'They were being sent when a bridge stopped.',
  'records-retried': 'They are tried again.',
  'records-deferred': 'They wait for other records.',
  'records-held': 'They wait for a person.',
  'records-superseded': 'A later file says something newer of them.',
  'records-refused': 'Their file contradicts itself.',
  'keys-decided': 'They were released while others had taken their keys.',
  'records-collected': 'The API showed them for the first time.',
  'records-refreshed': 'The API showed them otherwise before they went out.',
  'journal-restored': 'A person declared that the journal was restored from a backup, or that this is over.',
  'decision-made': 'A person decided about records or a delivery.',
  'delivery-composed': 'An outgoing file was made, with its records.',
  'delivery-renamed': 'It got another name, because the first was taken.',
  'delivery-held': 'It waits for a person to say whether it was delivered.',
  'delivery-delivered': 'It is in place.',
  'delivery-confirmed': 'It was picked up, or its receipt came.',
  'receipt-claiming': 'A receipt of it is about to be taken out of its folder.',
  'receipt-accepted': 'The receipt confirms it.',
  'receipt-refused': 'The receipt does not hold what it should.',
  'receipt-gone': 'The receipt went away before it could be read.',
  'receipt-archived': 'The receipt lies in the archive.',
  'delivery-acknowledged': 'All of it is acknowledged.',
  'delivery-done': 'It is in place, and nothing of it is acknowledged from here.',
  'documents-wanted': 'Packing slips or labels are to be fetched.',
  'documents-named': 'Their names are reserved.',
  'documents-ended': 'They are delivered, refused or missing.',
  'schedule-began': 'The schedule of a route was seen for the first time.',
  'run-started':
    'A run of a route that has a schedule was begun; runs before it were covered by it, or missed.',
  'run-finished': 'It was carried out.',
  'contents-pruned': 'The contents of finished work were removed.',
} as const

export type JournalEventKind = keyof typeof JOURNAL_EVENTS

/** One event, as it can be kept outside to find out later whether the chain up to it is still the same. */
export interface Anchor {
  readonly event: number
  /** SHA-256 in hex, over the event and the hash of the one before it. */
  readonly hash: string
}

/** Something that is not as the chain says. */
export interface Mismatch {
  /** What was found out about: an event, a record, a file, … */
  readonly about: 'event' | 'record' | 'file' | 'delivery' | 'document' | 'decision' | 'run' | 'anchor'
  /** Its id; of a delivery its route and sequence. */
  readonly id: string
  /** What is wrong, in words. */
  readonly message: string
  /** The event that tells how it should be, or the one that is wrong itself. */
  readonly event?: number
  /** When that event happened, milliseconds: it was changed after that. */
  readonly since?: number
}

export interface AuditReport {
  readonly events: number
  /** Times of the first and the last event, milliseconds. */
  readonly firstAt?: number
  readonly lastAt?: number
  readonly head: Anchor
  /** How many rows were compared with what the chain says last of them. */
  readonly compared: { readonly records: number; readonly files: number; readonly deliveries: number }
  /** How many things are not as they should be. */
  readonly found: number
  /** The first of them; none when the journal is whole. */
  readonly findings: readonly Mismatch[]
}

/** How much was, or would be, pruned. */
export interface PruneResult {
  readonly files: number
  readonly deliveries: number
  readonly records: number
  /** Orders, items and others that the API showed, and was not seen to show since. */
  readonly resources: number
  readonly orderAttributes: number
  /** Nothing of it is left on the disk. False when another program reads the journal, and after a dry run. */
  readonly isGone: boolean
}

export interface PruneRequest {
  /** What was finished, or last seen, before this time goes; milliseconds. */
  readonly before: number
  /** Only counts. */
  readonly dryRun?: boolean
  readonly signal: AbortSignal
}

/** The part of the journal that can be checked, and that prunes. */
export interface AuditJournal {
  /** The event by which the file came to be submitted the last time; undefined when that was before the chain. */
  findSubmission(fileId: string): Promise<Anchor | undefined>
  /** Walks the whole chain, and compares it with the tables. Changes nothing. */
  verifyChain(options: { readonly anchor?: Anchor }): Promise<AuditReport>
  /**
   * Removes the contents of finished work: what was sent and answered, cells, and the texts of messages; and what is
   * remembered of resources that were not seen since. Ids, keys, states, times, counts, codes, hashes, names of files and
   * decisions stay. A file of which something waits for a person keeps all it has. At a signal it stops early.
   */
  prune(request: PruneRequest): Promise<PruneResult>
}

// A journal that is older than the world: how that shows, and what a person declares then.

/** The last event of the chain and its time, milliseconds. */
export interface ChainHead extends Anchor {
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
  readonly isAlive: (owner: string) => boolean
}

/** What was, or would be, changed. */
export interface RestorationResult {
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
export interface RestorationJournal {
  getHead(): Promise<ChainHead>
  /** The hash of an event; undefined when the chain does not reach it. */
  getEventHash(event: number): Promise<string | undefined>
  /** The first letters of ids of files and deliveries. A copy has the same, until it is declared to be restored. */
  getIdTag(): Promise<string>
  /** Those of the ids that no file has. */
  findUnknownFiles(ids: readonly string[]): Promise<string[]>
  /** The last sequence number of an outgoing route that was given or skipped; 0 before the first. */
  getLastSequence(route: string): Promise<number>
  /** Whether a mark was written beside this journal. */
  hasMark(): Promise<boolean>
  saveMarked(): Promise<void>
  /**
   * Declares that the journal was restored, in one transaction. All that may have happened since its last event is in
   * doubt: incoming records without an outcome become uncertain; changes that may be overtaken are held; held records are
   * looked up when they are released. Composed deliveries are held. Records in no delivery are removed, so that the
   * API shows again which are still to go out. Every route is in doubt from then on: see `endDoubt` and `markListRead`.
   */
  declareRestored(restoration: NewRestoration): Promise<RestorationResult>
  /** Inbound routes whose new records are looked up before they are first sent, since when. */
  listDoubtfulRoutes(): Promise<readonly { readonly route: string; readonly since: number }[]>
  /** From now on new records are sent without being looked up. Gives how many routes were in doubt. */
  endDoubt(said: { readonly by: string; readonly why: string }): Promise<number>
  /**
   * The list of an outgoing route was read to its end. The records of the first such reading after a restoration may
   * have been delivered before it, so their deliveries are held when they are composed.
   */
  markListRead(lease: Lease): Promise<void>
}
