/** Notifications: what came of the work, told to people in one digest, and what the journal keeps so that none is lost. */
import type { AlertCode } from './alert.ts'
import type { StateCounts } from './record.ts'

/** What one digest tells; plain data without contents of records. Times are ISO 8601 in UTC. */
export interface Digest {
  /** Stays the same when the same notification comes again, so that it can be distinguished from a new one. */
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
  /** The files that were reported, the latest last; where only trouble is reported, those in trouble. */
  readonly files: readonly DigestFile[]
  readonly deliveries: readonly DigestDelivery[]
  /** How many more files and deliveries there are than stand here. */
  readonly more: number
  readonly alerts: { readonly raised: readonly DigestAlert[]; readonly ended: readonly DigestAlert[] }
  /** Routes that could not do their work, and those that can again. */
  readonly failures: readonly { readonly route: string; readonly code: string; readonly message: string }[]
  readonly recovered: readonly string[]
}

export interface DigestFile {
  readonly route: string
  readonly file: string
  readonly outcome: string
  readonly records: StateCounts
  /** How often each problem code occurred among the first thousand records in trouble. */
  readonly codes: Readonly<Record<string, number>>
  /** Where its results are. */
  readonly results: string
}

export interface DigestDelivery {
  readonly route: string
  readonly file: string
  readonly state: string
  readonly records: StateCounts
  readonly codes: Readonly<Record<string, number>>
}

export interface DigestAlert {
  readonly code: AlertCode
  readonly route?: string
  readonly message: string
  readonly fix: string
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

/** What a notification tells of: the events and the changes of alerts after one, up to another. */
export interface NotificationRange {
  readonly afterEvent: number
  readonly upToEvent: number
  readonly afterCursor: number
  readonly upToCursor: number
}

export interface DueNotification extends Omit<NotificationRange, 'upToCursor'> {
  /** The last change of alerts before this channel joined: neither those from before are reported nor their end. */
  readonly joinedCursor: number
  /** The notification that was begun and not sent: it comes first, as it was. */
  readonly open?: { id: string; tries: number; heldUntil: number; upToCursor: number }
  /** When something was tried last, milliseconds. */
  readonly lastTriedAt?: number
}

/** What happened in a range, by the journal. */
export interface NotificationSubjects {
  /** Ids, in the order of their events. */
  readonly files: readonly string[]
  readonly deliveries: readonly string[]
  /** The last event of which they tell. */
  readonly upToEvent: number
}

export interface NotificationEntry {
  readonly channel: string
  readonly id: string
  readonly state: 'begun' | 'sent' | 'failed'
  readonly tries: number
  readonly beganAt: number
  readonly triedAt: number
  readonly problem?: string
}

/** The part of the journal that remembers what was reported, and to whom. */
export interface NotificationJournal {
  /** From now on events are queued for these channels; those known already go on where they are. */
  joinChannels(channels: readonly string[]): Promise<void>
  /** Undefined for a channel that never joined. */
  getDueNotification(channel: string): Promise<DueNotification | undefined>
  /** Where there are more files or deliveries than the limit, it ends before the first of these: they come with the next. */
  listNotificationSubjects(
    range: Pick<NotificationRange, 'afterEvent' | 'upToEvent'>,
    limit: number,
  ): Promise<NotificationSubjects>
  /** Saves the intent, before anything leaves; an open one is tried again. False when another bridge is at it. */
  startNotification(
    channel: string,
    notification: NotificationRange & { readonly id: string; readonly heldUntil: number },
  ): Promise<boolean>
  finishNotification(
    id: string,
    result: { readonly state: 'sent' | 'failed'; readonly problem?: string },
  ): Promise<void>
  /** Moves on past what need not be told. */
  skipNotifications(channel: string, range: NotificationRange): Promise<void>
  /** The latest of each channel. */
  listLatestNotifications(channels: readonly string[]): Promise<readonly NotificationEntry[]>
}
