/** What a person must hear of: findings at a moment, each said once and shown as long as it stands. */

interface ConcernKind {
  /** What it means. */
  readonly meaning: string
  /** What a person does about it, where the finding itself does not say it better. */
  readonly cure: string
}

/** Every kind of finding, the most urgent first. The codes are stable; `docs/attention.md` is printed from this table. */
export const CONCERNS = {
  'receipt-refused': {
    meaning: 'A receipt came for a delivered file, and it does not hold what `receipt.contains` asks for.',
    cure: 'Ask whoever reads the files what is wrong with this one. Nothing of it is acknowledged until a receipt comes that holds it.',
  },
  'pick-up-overdue': {
    meaning:
      'A delivered file still lies where it was left, longer than `overdue.within`, or its records must be acknowledged soon.',
    cure: 'Find out why nobody takes the file. Nothing of it is acknowledged before; when the time of its records is over, the retailer may cancel them.',
  },
  'receipt-overdue': {
    meaning:
      'No receipt came for a delivered file within `overdue.within`, or its records must be acknowledged soon.',
    cure: 'Find out whether the file was read. Nothing of it is acknowledged before its receipt comes; when the time of its records is over, the retailer may cancel them.',
  },
  'delivery-held': {
    meaning: 'An outgoing file is held, because it may have been delivered before.',
    cure: 'Ask the reader of the files whether its records came, under whatever name. Then say so with `dropbridge settle FILE`.',
  },
  'journal-restored': {
    meaning:
      'The journal was restored from a backup. Records of new files are looked up before they are first sent.',
    cure: 'When no file from before the restoration comes again, run `dropbridge restored --end`.',
  },
  'outcome-unknown': {
    meaning:
      'Records were sent, their answers were lost, and the look-ups could not tell for more than an hour.',
    cure: 'See `dropbridge status` and `dropbridge settle`.',
  },
  'records-held': {
    meaning: 'Records of a file wait for a person to decide.',
    cure: 'See `dropbridge status`, then `dropbridge release` or `dropbridge discard`.',
  },
  'route-failing': {
    meaning: 'A route could not do its work when it was tried last.',
    cure: 'See `dropbridge explain CODE` for the code of the failure. What is unfinished goes on with the next pass that can.',
  },
  'file-grew': {
    meaning:
      'More was written to a file after it was read and archived: its writer paused for longer than `settle`. Of the latest 2000 files of a route, and for 36 hours.',
    cure: 'Move the file from the archive back into the inbox: what was sent of it counts as duplicate. Let the route wait longer (`settle`), or for a `marker`.',
  },
  'watch-gone': {
    meaning:
      'A watch is not there any more, and it was not asked to end: it was killed, or its machine went down. Shown until another one watches its routes, for a week at most.',
    cure: 'See why it is gone, and start `dropbridge watch` again: the new one goes on where it was.',
  },
  'turn-overdue': {
    meaning:
      'A turn of a schedule (`daily`, `cron`) has been due for more than an hour, and was not carried out.',
    cure: 'See whether `dropbridge watch`, or the scheduler that calls `dropbridge run --due`, is running.',
  },
  'turns-missed': {
    meaning:
      'A report was not made for some business dates, because they were farther back than its `catchUp` when a bridge ran again. Shown for a week.',
    cure: 'Ask for what is missing with `dropbridge export`.',
  },
  'file-not-come': {
    meaning: 'A file that `from.expect` names did not come by its time.',
    cure: 'Ask whoever sends it. It is taken whenever it comes.',
  },
  'mailbox-away': {
    meaning: 'A mailbox cannot be looked into, so nobody knows what lies there.',
    cure: 'Check that it is there, mounted or reachable, and may be read.',
  },
  'route-unknown': {
    meaning: 'A route that is not in the configuration any more has unfinished work.',
    cure: 'Give the route back its name in the configuration.',
  },
  'file-waits': {
    meaning: 'A file lies in its inbox and waits for its marker, its manifest, or the number before it.',
    cure: 'See `dropbridge why-not FILE`.',
  },
  'marker-orphaned': {
    meaning: 'A marker or manifest lies in an inbox, and the file that it speaks for does not.',
    cure: 'Ask whoever sends it for the file, or take the marker away.',
  },
  'receipt-unknown': {
    meaning:
      'A file lies where receipts come, is called as they are, and confirms no delivered file that waits for one: its name is wrong, or it came twice.',
    cure: 'Rename it to what is looked for, or take it away.',
  },
  'file-of-no-route': {
    meaning:
      'A file lies in an inbox folder and matches no route, has a name that is never taken, is a link or a folder, or has been called as files are while they are written for an hour: nobody will ever read it.',
    cure: 'Rename it, change `match` of the route, or let it be sent again.',
  },
  'folder-not-emptied': {
    meaning: 'Files lie in a results or delivery folder for longer than `emptied`.',
    cure: 'Find out who should read them; move away what is read, or set `emptied: never`.',
  },
} as const satisfies Record<string, ConcernKind>

export type ConcernCode = keyof typeof CONCERNS

/** One finding. The same code, route and subject make it the same finding, however its words change. */
export interface Concern {
  readonly code: ConcernCode
  readonly route?: string
  /** What it is about: a file, a folder, a day. */
  readonly subject: string
  /** Since when it is so, milliseconds. */
  readonly since: number
  readonly message: string
  readonly cure: string
}

/** What only the passes know: which routes were tried, and which of them could not do their work. */
export interface Tried {
  readonly routes: readonly string[]
  readonly failures: readonly RouteFailure[]
}

export interface RouteFailure {
  readonly route: string
  readonly code: string
  /** Without words of the API. */
  readonly message: string
}

/** A finding that came or went, in the order in which the journal was told. */
export interface ConcernChange {
  /** Grows by one with every change. */
  readonly turn: number
  readonly change: 'raised' | 'ended'
  /** The turn in which it was raised. */
  readonly raisedTurn: number
  readonly at: number
  readonly concern: Concern
}

/** The part of the journal that remembers what was found, so that each finding is said once. */
export interface AttentionJournal {
  /**
   * Compares what is found with what stood before. What is new is raised; what is not found any more has ended, but for
   * what `unseen` says nobody could look at. Gives what changed. Several bridges may note at once.
   */
  noteConcerns(
    found: readonly Concern[],
    unseen: (standing: Concern) => boolean,
  ): Promise<readonly ConcernChange[]>
  /** Those that stand, as they were last noted, the most urgent first. */
  standingConcerns(limit: number): Promise<readonly Concern[]>
  /** In their order. */
  concernChanges(afterTurn: number, limit: number): Promise<readonly ConcernChange[]>
}

const URGENCY = Object.keys(CONCERNS)

/** The most urgent first, then the oldest. */
export function byUrgency(one: Concern, other: Concern): number {
  return URGENCY.indexOf(one.code) - URGENCY.indexOf(other.code) || one.since - other.since
}

/** The same for the same finding. */
export function concernKey({ code, route = '', subject }: Concern): string {
  return JSON.stringify([code, route, subject])
}
