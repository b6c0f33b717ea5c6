/** The chain of events, by which a change of the journal that was made by hand shows; and what is forgotten on purpose. */

/** What events tell. None of them holds personal data: ids, states, counts, codes and hashes only. */
export const EVENT_KINDS = {
  'chain-began': 'The chain began; what was there before it is counted.',
  'lease-taken-over': 'A bridge took a route over whose holder had not given it back.',
  'file-claiming': 'A file is about to be taken out of its inbox.',
  'file-received': 'A copy of it is safe.',
  'file-planned': 'Every record of it is in the journal.',
  'file-submitted': 'Every record of it has its outcome, or it could not be used.',
  'file-reported': 'Its results are delivered.',
  'file-closed': 'It is done.',
  'plan-thrown-away': 'What an interrupted planning left was removed.',
  'report-named': 'Its results were given a name.',
  'records-planned': 'Records of a file came into the journal.',
  'records-begun': 'They are about to be sent.',
  'attempts-noted': 'What a look-up of them will need was noted, before they were sent.',
  'records-answered': 'They came to their results.',
  'records-settled': 'What was uncertain of them is known.',
  'records-recovered': 'They were being sent when a bridge stopped.',
  'records-retried': 'They are tried again.',
  'records-deferred': 'They wait for other records.',
  'records-held': 'They wait for a person.',
  'records-superseded': 'A later file says something newer of them.',
  'records-refused': 'Their file contradicts itself.',
  'records-judged': 'They were released while others had taken their keys.',
  'records-collected': 'The API showed them for the first time.',
  'records-refreshed': 'The API showed them otherwise before they went out.',
  'journal-restored': 'A person declared that the journal was restored from a backup, or that this is over.',
  'decision-made': 'A person decided about records or a delivery.',
  'delivery-composed': 'An outgoing file was made, with its records.',
  'delivery-renamed': 'It got another name, because the first was taken.',
  'delivery-held': 'It waits for a person to say whether it was delivered.',
  'delivery-delivered': 'It is in place.',
  'delivery-taken': 'It was picked up, or its receipt came.',
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
  'turn-begun':
    'A turn of a route that has a schedule was begun; turns before it were covered by it, or missed.',
  'turn-done': 'It was carried out.',
  'contents-forgotten': 'The contents of finished work were removed.',
} as const

export type EventKind = keyof typeof EVENT_KINDS

/** One event, as it can be kept outside to find out later whether the chain up to it is still the same. */
export interface Anchor {
  readonly event: number
  /** SHA-256 in hex, over the event and the hash of the one before it. */
  readonly hash: string
}

/** Something that is not as the chain says. */
export interface Finding {
  /** What was found out about: an event, a record, a file, … */
  readonly about: 'event' | 'record' | 'file' | 'delivery' | 'document' | 'decision' | 'turn' | 'anchor'
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
  readonly findings: readonly Finding[]
}

/** How much was, or would be, forgotten. */
export interface Forgotten {
  readonly files: number
  readonly deliveries: number
  readonly records: number
  /** Orders, items and others that the API showed, and was not seen to show since. */
  readonly resources: number
  readonly keptValues: number
  /** Nothing of it is left on the disk. False when another program reads the journal, and after a dry run. */
  readonly isGone: boolean
}

export interface ForgetRequest {
  /** What was finished, or last seen, before this time goes; milliseconds. */
  readonly before: number
  /** Only counts. */
  readonly dryRun?: boolean
  readonly signal: AbortSignal
}

/** The part of the journal that can be checked, and that forgets. */
export interface AuditJournal {
  /** The event by which the file came to be submitted the last time; undefined when that was before the chain. */
  submissionOf(fileId: string): Promise<Anchor | undefined>
  /** Walks the whole chain, and compares it with the tables. Changes nothing. */
  verifyChain(options: { readonly anchor?: Anchor }): Promise<AuditReport>
  /**
   * Removes the contents of finished work: what was sent and answered, cells, and the texts of messages; and what is
   * remembered of resources that were not seen since. Ids, keys, states, times, counts, codes, hashes, names of files and
   * decisions stay. A file of which something waits for a person keeps all it has. At a signal it stops early.
   */
  forget(request: ForgetRequest): Promise<Forgotten>
}
