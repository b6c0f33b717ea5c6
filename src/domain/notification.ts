/** Notifications: digests of results and alerts for people, and the journal entries that keep any from being lost. */
import type { Alert } from './alert.ts'
import type { StateCounts } from './record.ts'

/** The contents of one digest; plain data without contents of records. Times are ISO 8601 in UTC. */
export interface Digest {
  /** The same for every try of one notification, so that receivers can recognize repeats. */
  readonly id: string
  readonly at: string
  /** Whether any part of it needs a person. */
  readonly trouble: boolean
  readonly totals: {
    readonly files: number
    readonly deliveries: number
    /** Records of the files, by outcome. */
    readonly incoming: StateCounts
    /** Records of the deliveries. */
    readonly outgoing: StateCounts
  }
  /** The reported files, the latest last; for channels that report only trouble, the files in trouble. */
  readonly files: readonly DigestFile[]
  readonly deliveries: readonly DigestDelivery[]
  /** How many more files and deliveries there are than listed here. */
  readonly more: number
  readonly alerts: { readonly raised: readonly DigestAlert[]; readonly ended: readonly DigestAlert[] }
  /** Routes that fail, and routes that work again. */
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

export interface DigestDelivery extends Omit<DigestFile, 'outcome' | 'results'> {
  readonly state: string
}

/** `since` as ISO 8601. */
export type DigestAlert = Pick<Alert, 'code' | 'route' | 'message' | 'fix'> & { readonly since: string }

/** A formatted digest, ready to be sent. */
export interface Message {
  readonly id: string
  readonly subject: string
  readonly text: string
  /** For programs. */
  readonly data: unknown
}

/** Sends messages through one channel. Throws an `Error` with the reason, without secrets; soon after the signal fires. */
export interface Notifier {
  /** `once`: a failed message is not tried again, so that the caller does not wait. */
  send(message: Message, signal: AbortSignal, manner?: { readonly once: boolean }): Promise<void>
}

/** The range of a notification: events and alert changes after one position, up to another. */
export interface NotificationRange {
  readonly afterEvent: number
  readonly upToEvent: number
  readonly afterCursor: number
  readonly upToCursor: number
}

export interface DueNotification extends Omit<NotificationRange, 'upToCursor'> {
  /** The last alert change before this channel joined: it reports neither earlier alerts nor their end. */
  readonly joinedCursor: number
  /** The notification that was begun and not sent: it is sent first, unchanged. */
  readonly open?: { id: string; tries: number; heldUntil: number; upToCursor: number }
  /** The time of the last try, milliseconds. */
  readonly lastTriedAt?: number
}

/** The files and deliveries of a range. */
export interface NotificationSubjects {
  /** Ids, in the order of their events. */
  readonly files: readonly string[]
  readonly deliveries: readonly string[]
  /** The last event that they cover. */
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

/** The part of the journal for notifications. */
export interface NotificationJournal {
  /** Queues events for these channels from now on; known channels keep their position. */
  joinChannels(channels: readonly string[]): Promise<void>
  /** Undefined for a channel that never joined. */
  getDueNotification(channel: string): Promise<DueNotification | undefined>
  /** With more files or deliveries than the limit, the range ends before the first surplus one; the next range has it. */
  listNotificationSubjects(
    range: Pick<NotificationRange, 'afterEvent' | 'upToEvent'>,
    limit: number,
  ): Promise<NotificationSubjects>
  /** Saves the intent before sending; an open one is tried again. False when another bridge is sending it. */
  startNotification(
    channel: string,
    notification: NotificationRange & { readonly id: string; readonly heldUntil: number },
  ): Promise<boolean>
  finishNotification(
    id: string,
    result: { readonly state: 'sent' | 'failed'; readonly problem?: string },
  ): Promise<void>
  /** Skips a range that needs no notification. */
  skipNotifications(channel: string, range: NotificationRange): Promise<void>
  /** The latest notification of each channel. */
  listLatestNotifications(channels: readonly string[]): Promise<readonly NotificationEntry[]>
}
