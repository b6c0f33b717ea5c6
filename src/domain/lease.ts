/** Which bridge may work on a route, which bridges are watching, and the version of configuration that each works with. */

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
  /** The id of the configuration and mappings that it works with; left out where they are not known. */
  readonly version?: string
  /** When a person asked it to reload them; only until it has. */
  readonly reloadRequestedAt?: number
  /** How often it has ended a reload, whether it succeeded or not; left out before the first. */
  readonly reloads?: number
  /** Why the last reload failed; left out when it succeeded. */
  readonly reloadFailure?: string
}

/** The part of the journal for watches. */
export interface WatcherJournal {
  /** Notes that a watch has begun or is still running, and which version of the bridge's files it works with. */
  saveHeartbeat(owner: string, routes: readonly string[]): Promise<void>
  /** Asks watches to reload their configuration and mappings. */
  requestReload(owners: readonly string[]): Promise<void>
  /**
   * Ends the reload that read the files at `startedAt`, and the requests until then: a later one is about files that it did
   * not read. `failure`: why the watch continues with what it had.
   */
  finishReload(owner: string, startedAt: number, failure?: string): Promise<void>
  /** Removes watches that have ended, or whose work other watches do. */
  removeWatchers(owners: readonly string[]): Promise<void>
  /** Lists watches that have not ended, the oldest first. */
  listWatchers(): Promise<readonly Watcher[]>
}

// Which configuration and mappings a bridge works with: noted with what it plans, sends and delivers.

/** The hashes of the files that a bridge works by. */
export interface BridgeVersion {
  /** The first digits of the SHA-256 over `files`. */
  readonly id: string
  /** The SHA-256 of each file, by its path relative to the folder of the configuration, which comes first. */
  readonly files: Readonly<Record<string, string>>
}

export interface NotedVersion extends BridgeVersion {
  readonly firstUsedAt: number
}

/** The part of the journal for versions. */
export interface VersionJournal {
  /** Lists the versions with these ids, the oldest first. */
  listVersions(ids: readonly string[]): Promise<readonly NotedVersion[]>
}
