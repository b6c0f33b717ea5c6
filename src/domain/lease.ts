/** Which bridge may work on a route, and which bridges are watching. */

/**
 * The right to work on one route. Every writing call throws `lease-lost` when somebody else has taken it over, and renews it
 * in the same transaction, unless there was nothing to write, so that a process which wakes up late cannot write over its successor.
 */
export interface Lease {
  readonly route: string
  /** Grows with every owner of the route. */
  readonly token: number
  /** Not renewed for this long, it is free for others. */
  readonly ttlMs: number
}

/** `process 11204 on bridge-host`, of a owner that is `place/pid/nonce`; any other as it is. */
export function formatLeaseOwner(owner: string): string {
  const [place = '', pid = ''] = owner.split('/')
  const [host = ''] = place.split('+')
  return /^\d+$/.test(pid) && host !== '' ? `process ${pid} on ${host}` : owner
}

// Bridges that watch all the time, so that `status` can tell whether one is running.

export interface Watcher {
  /** Who it is, as in leases. */
  readonly owner: string
  /** The names of those that it watches. */
  readonly routes: readonly string[]
  /** Milliseconds. */
  readonly beganAt: number
  readonly seenAt: number
}

/** The part of the journal that remembers them. */
export interface WatcherJournal {
  /** A watch begins, or is there still. */
  saveHeartbeat(owner: string, routes: readonly string[]): Promise<void>
  /** These have ended by themselves, or others do their work. */
  removeWatchers(owners: readonly string[]): Promise<void>
  /** Those that have begun and not ended, the oldest first. */
  listWatchers(): Promise<readonly Watcher[]>
}
