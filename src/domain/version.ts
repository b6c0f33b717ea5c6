/** Which configuration and mappings a bridge works with: noted with what it plans, sends and delivers. */

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
