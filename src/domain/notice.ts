/** Notices: what came of the work, told to people in one digest, and what the journal keeps so that none is lost. */
import type { ConcernCode } from './attention.ts'
import type { StateCounts } from './record.ts'

/** What one digest tells; plain data without contents of records. Times are ISO 8601 in UTC. */
export interface Digest {
  /** Stays the same when the same notice comes again, so that it can be told from a new one. */
  readonly id: string
  readonly at: string
  /** Whether something of it needs a person. */
  readonly trouble: boolean
  readonly totals: {
    readonly files: number
    readonly deliveries: number
    /** Records of the files, by what came of them. */
    readonly incoming: StateCounts
    /** Records of the deliveries. */
    readonly outgoing: StateCounts
  }
  /** The files that were reported, the latest last; where only trouble is told, those in trouble. */
  readonly files: readonly ToldFile[]
  readonly deliveries: readonly ToldDelivery[]
  /** How many more files and deliveries there are than stand here. */
  readonly more: number
  readonly attention: {
    readonly raised: readonly ToldConcern[]
    readonly ended: readonly ToldConcern[]
  }
  /** Routes that could not do their work, and those that can again. */
  readonly failures: readonly { readonly route: string; readonly code: string; readonly message: string }[]
  readonly recovered: readonly string[]
}

export interface ToldFile {
  readonly route: string
  readonly file: string
  readonly outcome: string
  readonly records: StateCounts
  /** How often each problem code occurred among the first thousand records in trouble. */
  readonly codes: Readonly<Record<string, number>>
  /** Where its results are. */
  readonly results: string
}

export interface ToldDelivery {
  readonly route: string
  readonly file: string
  readonly state: string
  readonly records: StateCounts
  readonly codes: Readonly<Record<string, number>>
}

export interface ToldConcern {
  readonly code: ConcernCode
  readonly route?: string
  readonly message: string
  readonly cure: string
}

/** A digest in words, ready to be sent. */
export interface Message {
  readonly id: string
  readonly subject: string
  readonly text: string
  /** For programs. */
  readonly data: unknown
}

/** Sends messages by one way. Throws an `Error` that says why it could not, without secrets; soon when the signal fires. */
export interface Notifier {
  /** `once`: what fails is not tried again, since nobody should wait for it. */
  send(message: Message, signal: AbortSignal, manner?: { readonly once: boolean }): Promise<void>
}

/** What a notice tells of: the events and the changes of findings after one, up to another. */
export interface NoticeRange {
  readonly afterEvent: number
  readonly upToEvent: number
  readonly afterTurn: number
  readonly upToTurn: number
}

export interface DueNotice extends Omit<NoticeRange, 'upToTurn'> {
  /** The last change of findings before this channel joined: neither those from before are told nor their end. */
  readonly joinedTurn: number
  /** The notice that was begun and not sent: it comes first, as it was. */
  readonly open?: {
    readonly id: string
    readonly tries: number
    readonly heldUntil: number
    readonly upToTurn: number
  }
  /** When something was tried last, milliseconds. */
  readonly lastTriedAt?: number
}

/** What happened in a range, by the journal. */
export interface NoticeMatter {
  /** Ids, in the order of their events. */
  readonly files: readonly string[]
  readonly deliveries: readonly string[]
  /** The last event of which they tell. */
  readonly upToEvent: number
}

export interface NoticeEntry {
  readonly channel: string
  readonly id: string
  readonly state: 'begun' | 'sent' | 'failed'
  readonly tries: number
  readonly beganAt: number
  readonly triedAt: number
  readonly problem?: string
}

/** The part of the journal that remembers what was told, and to whom. */
export interface NoticeJournal {
  /** From now on these are told what happens; those known already go on where they are. */
  joinNotices(channels: readonly string[]): Promise<void>
  /** Undefined for a channel that never joined. */
  dueNotice(channel: string): Promise<DueNotice | undefined>
  /** Where there are more files or deliveries than the limit, it ends before the first of these: they come with the next. */
  noticeMatter(range: Pick<NoticeRange, 'afterEvent' | 'upToEvent'>, limit: number): Promise<NoticeMatter>
  /**
   * Notes the intent to send, before anything leaves. False when another bridge was quicker, or is at it until `heldUntil`.
   * With the id of an open notice it is tried again.
   */
  beginNotice(
    channel: string,
    notice: NoticeRange & { readonly id: string; readonly heldUntil: number },
  ): Promise<boolean>
  endNotice(
    id: string,
    result: { readonly state: 'sent' | 'failed'; readonly problem?: string },
  ): Promise<void>
  /** Moves on past what need not be told. */
  passNotices(channel: string, range: NoticeRange): Promise<void>
  /** The latest of each channel. */
  latestNotices(channels: readonly string[]): Promise<readonly NoticeEntry[]>
}
