/** The event chain, which reveals manual changes of the journal; pruning; and restoring from a backup. */
import type { Lease } from './lease.ts'
import type { RecordState } from './record.ts'

/** The kinds of events. Events hold no personal data, only ids, states, counts, codes and hashes. */
const JOURNAL_EVENTS = {
  'chain-began': 'The chain began; what was there before it is counted.',
  'lease-taken-over': 'A bridge took a route over whose owner had not given it back.',
  'file-claiming': 'A file is about to be taken out of its inbox.',
  'file-received': 'A copy of it is safe.',
  'file-planned': 'Every record of it is in the journal.',
  'file-submitted': 'Every record of it has its outcome, or it could not be used.',
  'file-reported': 'Its results are delivered.',
  'file-closed': 'It is done.',
  'interchanges-noted': 'It was noted which interchanges a file has, and what was decided about them.',
  'unbundling-discarded': 'What an interrupted reading of its interchanges left was removed.',
  'file-unbundled':
    'Its sets were given to their routes, the answers to it are due, and what partners answered is stored.',
  'part-received': 'A route has its sets of a file of interchanges.',
  'answer-decided': 'An answer to interchanges has its control numbers.',
  'numbers-reserved': 'An outgoing file has its control numbers, before it is composed.',
  'numbers-set': 'A person set the last control numbers of a partner.',
  'numbers-raised': 'Control numbers were left out, because the journal was restored from a backup.',
  'plan-discarded': 'What an interrupted planning left was removed.',
  'report-named': 'Its results were given a name.',
  'records-planned': 'Records of a file came into the journal.',
  'attempts-started': 'They are about to be sent.',
  'attempts-noted': 'Their pre-send snapshots were saved.',
  'records-answered': 'Their results were noted.',
  'records-reconciled': 'What was uncertain of them is known.',
  'records-recovered': 'They were being sent when a bridge stopped.',
  'records-retried': 'They are tried again.',
  'records-deferred': 'They wait for other records.',
  'records-held': 'They wait for a person.',
  'records-superseded': 'A later file has newer values for them.',
  'records-refused': 'Their file contradicts itself.',
  'keys-decided': 'They were released while others had taken their keys.',
  'records-collected': 'The API showed them for the first time.',
  'records-refreshed': 'The API showed them otherwise before they went out.',
  'journal-restored': 'A person declared that the journal was restored from a backup, or that this is over.',
  'decision-made': 'A person decided about records or a delivery.',
  'correction-made': 'A person corrected refused records; their rows are about to be left in the inbox.',
  'correction-changed': 'The corrected file got another name, was left in the inbox, or was given up.',
  'delivery-composed': 'An outgoing file was made, with its records.',
  'delivery-renamed': 'It got another name, because the first was taken.',
  'delivery-held': 'It waits for a person to say whether it was delivered.',
  'delivery-delivered': 'It is in place.',
  'delivery-moved': 'Its file was found at another path, with its mailbox.',
  'delivery-confirmed': 'It was picked up, or its receipt came.',
  'answers-applied': 'The answers of its partner came to its records: they were accepted, or are held.',
  'receipt-claiming': 'A receipt of it is about to be taken out of its folder.',
  'receipt-accepted': 'The receipt confirms it.',
  'receipt-refused': 'The receipt does not match `receipt.contains`.',
  'receipt-gone': 'The receipt went away before it could be read.',
  'receipt-archived': 'The receipt lies in the archive.',
  'delivery-acknowledged': 'All of it is acknowledged.',
  'redelivery-begun': 'A person has it delivered once more.',
  'redelivery-renamed': 'The name of the second file was taken, so it got another.',
  'redelivery-ended': 'The second file is in place, or it is known why not.',
  'delivery-done': 'It is in place, and nothing of it is acknowledged from here.',
  'documents-wanted': 'Packing slips or labels are to be fetched.',
  'documents-named': 'Their names are reserved.',
  'documents-ended': 'They are delivered, refused or missing.',
  'schedule-began': 'The schedule of a route was seen for the first time.',
  'run-started':
    'A run of a route that has a schedule was begun; runs before it were covered by it, or missed.',
  'run-finished': 'It was carried out.',
  'route-paused': 'A person paused a route: no pass over it begins until the time that was given.',
  'route-resumed': 'A person ended the pause before its time.',
  'contents-pruned': 'The contents of finished work were removed.',
} as const

export type JournalEventKind = keyof typeof JOURNAL_EVENTS

/** One event, to keep outside of the journal and later check whether the chain up to it is unchanged. */
export interface Anchor {
  readonly event: number
  /** SHA-256 in hex, over the event and the hash of the one before it. */
  readonly hash: string
}

/** A row or event that contradicts the chain. */
export interface Mismatch {
  /** The kind of thing: an event, a record, a file, … */
  readonly about:
    | 'event'
    | 'record'
    | 'file'
    | 'delivery'
    | 'document'
    | 'decision'
    | 'correction'
    | 'pause'
    | 'run'
    | 'anchor'
    | 'interchange'
    | 'answer'
    | 'numbers'
  /** Its id; of a delivery its route and sequence. */
  readonly id: string
  /** What is wrong, for people. */
  readonly message: string
  /** The event with the right state, or the wrong event itself. */
  readonly event?: number
  /** The time of that event, milliseconds: the change came later. */
  readonly since?: number
}

export interface AuditReport {
  readonly events: number
  /** Times of the first and the last event, milliseconds. */
  readonly firstAt?: number
  readonly lastAt?: number
  readonly head: Anchor
  /** How many rows were compared with their last events. */
  readonly compared: { readonly records: number; readonly files: number; readonly deliveries: number }
  /** The number of mismatches. */
  readonly found: number
  /** The first mismatches; empty when the journal is whole. */
  readonly findings: readonly Mismatch[]
}

// What the chain says of one record.

/** An event about a record, with what it says of it. */
export interface RecordEvent extends Anchor {
  readonly kind: JournalEventKind
  readonly at: number
  /** The state that it gave the record. */
  readonly state?: RecordState
  /** Null where it took an earlier status away. */
  readonly http?: number | null
  readonly apiId?: string
  readonly decision?: { readonly id: number; readonly action: string }
  /** The delivery that the record came into. */
  readonly delivery?: string
}

/** The events about one record, and whether the journal still is what they say. */
export interface RecordProof {
  /** Oldest first. */
  readonly events: readonly RecordEvent[]
  /** Whether the first event about the record is among them. The search for it is bounded. */
  readonly isComplete: boolean
  /** The events whose hashes were checked, each against the one before it. */
  readonly checked: { readonly from: number; readonly to: number }
  readonly head: Anchor
  /** What differs from the chain, of these events and of the record; empty where all is whole. */
  readonly findings: readonly Mismatch[]
}

/** How much was, or would be, pruned. */
export interface PruneResult {
  readonly files: number
  readonly deliveries: number
  readonly records: number
  /** Orders, items and other API resources that the bridge has not seen since `before`. */
  readonly resources: number
  readonly orderAttributes: number
  /** Whether the contents are gone from the disk. False while another program reads the journal, and after a dry run. */
  readonly isGone: boolean
}

export interface PruneRequest {
  /** Removes contents that were finished, or last seen, before this time; milliseconds. */
  readonly before: number
  /** Only counts. */
  readonly dryRun?: boolean
  readonly signal: AbortSignal
}

/** The part of the journal that verifies and prunes it. */
export interface AuditJournal {
  /** Finds the event of the file's last submission; undefined when that was before the chain. */
  findSubmission(fileId: string): Promise<Anchor | undefined>
  /** Walks the whole chain, and compares it with the tables. Changes nothing. */
  verifyChain(options: { readonly anchor?: Anchor }): Promise<AuditReport>
  /**
   * Removes the contents of finished work (requests, answers, cells, texts of messages) and the facts of resources that were
   * not seen since. Ids, keys, states, times, counts, codes, hashes, file names and decisions stay. A file with records that
   * wait for a person keeps everything. A signal stops it early.
   */
  prune(request: PruneRequest): Promise<PruneResult>
}

// Restoring a backup: the journal is then older than the API and the mailboxes.

/** The last event of the chain and its time, milliseconds. */
export interface ChainHead extends Anchor {
  readonly at: number
}

export interface NewRestoration {
  readonly by: string
  readonly why: string
  /** An earlier journal was lost, and this one is new. */
  readonly isLost?: boolean
  /** How many sequence numbers each outgoing route skips. */
  readonly skip: number
  /** All routes and inboxes; outgoing ones with the highest sequence number found at their target. */
  readonly routes: readonly {
    readonly name: string
    /** `inbox`: the name is the `inbox:NAME` of an inbox of interchanges, which delivers answers and has no records. */
    readonly direction: 'inbound' | 'outbound' | 'inbox'
    readonly highest?: number
  }[]
  /** Only counts. */
  readonly dryRun: boolean
  /** Whether the owner of a lease is still running; then nothing is declared (`lease-held`). */
  readonly isAlive: (owner: string) => boolean
}

/** What was, or would be, changed. */
export interface RestorationResult {
  /** The time of the last event in the journal; everything later is in doubt. 0 for a new journal: everything is. */
  readonly asOf: number
  /** Incoming records that are looked up before they are sent. */
  readonly uncertain: number
  /** Incoming changes that may be older than what is there, and wait for a person. */
  readonly held: number
  /** Composed deliveries that wait for a person. */
  readonly deliveries: number
  /** Outgoing records without a delivery; the API lists those again that still must be exported. */
  readonly removed: number
  /** Documents that are no longer fetched automatically. */
  readonly documents: number
  /** How many counters of control numbers left numbers out. */
  readonly counters: number
  /** The sequence number of each outgoing route's next file. */
  readonly sequences: readonly { readonly route: string; readonly next: number }[]
}

/** The part of the journal for restorations. */
export interface RestorationJournal {
  getHead(): Promise<ChainHead>
  /** When the journal was created; and whether it never received a file and was never declared restored. */
  getBeginning(): Promise<{ readonly at: number; readonly isUnused: boolean }>
  /** The hash of an event; undefined when the chain does not reach it. */
  getEventHash(event: number): Promise<string | undefined>
  /** The first letters of ids of files and deliveries. A copy has the same, until it is declared restored. */
  getIdTag(): Promise<string>
  /** Returns the ids that no file has. */
  findUnknownFiles(ids: readonly string[]): Promise<string[]>
  /** The last used or skipped sequence number of an outgoing route; 0 before the first. */
  getLastSequence(route: string): Promise<number>
  /** Whether a mark was written beside this journal. */
  hasMark(): Promise<boolean>
  saveMarked(): Promise<void>
  /**
   * Declares in one transaction that the journal was restored. Everything after its last event is in doubt: incoming records
   * without an outcome become uncertain, changes that may be outdated are held, and held records are looked up on release.
   * Composed deliveries are held. Records without a delivery are removed; the API lists again those that still must be
   * exported. Control numbers that may have been given since are left out. From then on every route is in doubt: see `endDoubt` and `markListRead`.
   */
  declareRestored(restoration: NewRestoration): Promise<RestorationResult>
  /** Lists inbound routes whose new records are looked up before they are first sent, and since when. */
  listDoubtfulRoutes(): Promise<readonly { readonly route: string; readonly since: number }[]>
  /** Ends the doubt: new records are sent without a lookup. Returns how many routes were in doubt. */
  endDoubt(statement: { readonly by: string; readonly why: string }): Promise<number>
  /**
   * Notes that the list of an outgoing route was read to its end. Records of the first reading after a restoration may have
   * been delivered before it, so their deliveries are held when they are composed.
   */
  markListRead(lease: Lease): Promise<void>
}
