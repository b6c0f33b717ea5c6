/** Bridges that watch all the time: so that whoever asks is told whether one is there. */

export interface WatchEntry {
  /** Who it is, as in leases. */
  readonly holder: string
  /** The names of those that it watches. */
  readonly routes: readonly string[]
  /** Milliseconds. */
  readonly beganAt: number
  readonly seenAt: number
}

/** The part of the journal that remembers them. */
export interface WatchJournal {
  /** A watch begins, or is there still. */
  noteWatch(holder: string, routes: readonly string[]): Promise<void>
  /** These have ended by themselves, or others do their work. */
  forgetWatches(holders: readonly string[]): Promise<void>
  /** Those that have begun and not ended, the oldest first. */
  watches(): Promise<readonly WatchEntry[]>
}
