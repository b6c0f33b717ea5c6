/** Which bridge may work on a route, and which bridges are watching. */

/**
 * The right to work on one route. Every writing call throws `lease-lost` when another process has taken it over. A call that
 * writes also renews it in the same transaction, so that a process which wakes up late cannot overwrite its successor.
 */
export interface Lease {
  readonly route: string
  /** Grows with every owner of the route. */
  readonly token: number
  /** Without renewal for this long, other processes may take it. */
  readonly ttlMs: number
}

/** Formats the owner `place/pid/nonce` as `process 11204 on bridge-host`; returns any other text unchanged. */
export function formatLeaseOwner(owner: string): string {
  const [place = '', pid = ''] = owner.split('/')
  const [host = ''] = place.split('+')
  return /^\d+$/.test(pid) && host !== '' ? `process ${pid} on ${host}` : owner
}

// Running watches, so that `status` can show them.

export interface Watcher {
  /** Its owner id, as in leases. */
  readonly owner: string
  /** The names of the routes that it watches. */
  readonly routes: readonly string[]
  /** Milliseconds. */
  readonly beganAt: number
  readonly seenAt: number
}

/** The part of the journal for watches. */
export interface WatcherJournal {
  /** Notes that a watch has begun or is still running. */
  saveHeartbeat(owner: string, routes: readonly string[]): Promise<void>
  /** Removes watches that have ended, or whose work other watches do. */
  removeWatchers(owners: readonly string[]): Promise<void>
  /** Lists watches that have not ended, the oldest first. */
  listWatchers(): Promise<readonly Watcher[]>
}
