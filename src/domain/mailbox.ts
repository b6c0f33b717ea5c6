/** A place where files arrive or are delivered. */
import type { Lease } from './lease.ts'
import { BridgeError } from '../support/errors.ts'

/** A file as a listing shows it. Two listings with the same size and time count as the same contents. */
export interface FileInfo {
  readonly folder: string
  readonly name: string
  readonly size: number
  /** The mailbox's own time, milliseconds; compared only with itself, never with the bridge's clock. */
  readonly modifiedAt: number
}

/** An entry of a folder that a listing does not show. */
export interface IgnoredEntry {
  readonly name: string
  /** `linked`: a file with a second name, where others can write the folder. */
  readonly kind: 'file' | 'folder' | 'link' | 'linked' | 'other'
  /** The mailbox's own time, milliseconds; 0 where unknown. */
  readonly modifiedAt: number
}

/** A file that is out of reach of other programs. The caller chooses the id and notes it in the journal before the claim. */
export interface Claim {
  readonly id: string
  readonly folder: string
  readonly name: string
}

/** An archived file by its path within the mailbox. */
export interface ArchivedFile {
  readonly archivedAs: string
}

/** How a file is staged. */
export interface StageOptions {
  /** The likely final name of the file; part of its working name. */
  readonly name: string
  /** An earlier naming of the same file that did not happen: staging continues from it. */
  readonly earlier?: Naming
  /** Called before a missing folder is created; an error stops the creation and the staging. */
  readonly beforeCreate?: () => Promise<void>
  /** Another file is staged in the folder next; the mailbox may leave the flush of the folder to it. */
  readonly moreFollow?: boolean
}

/** How a staged file gets its name. */
export interface GiveNameOptions {
  /** Called with better evidence while the file gets its name. */
  readonly note?: SaveEvidence
  /** Another file gets its name in the folder next; the mailbox may leave the flush of the folder to it. */
  readonly moreFollow?: boolean
}

/**
 * Every call may be repeated with the same arguments after a crash, and then does the missing part.
 * Folders and names come from outside: each call refuses those that would leave the mailbox (`configuration-invalid`
 * for folders, and such names are never listed). Trouble with the place itself throws `mailbox-unreachable`, trouble
 * with writing `cannot-write`.
 */
export interface Mailbox {
  /** Whether a claimed file stays where it is, for lack of a right to move it: equal size and time mean the same file. */
  readonly claimsInPlace: boolean
  /**
   * The files in one folder, flat, without temporary names, oldest first, then by name. A missing folder is created unless
   * `beforeCreate` throws. Where listing is not allowed, files with the names in `only` are looked up one by one.
   */
  list(folder: string, only?: readonly string[], beforeCreate?: () => Promise<void>): Promise<FileInfo[]>
  /** The last bytes of a listed file, at most so many; undefined where it cannot be read now. Never throws for the file. */
  readTail(file: FileInfo, bytes: number): Promise<Uint8Array | undefined>
  /** Moves the file out of the folder, atomically. `gone` when another program took it first or it vanished. */
  claim(claim: Claim): Promise<'claimed' | 'gone'>
  /** The bytes of a claimed file, or of an archived one at this path within the mailbox. */
  read(file: Claim | ArchivedFile): AsyncIterable<Uint8Array>
  /** The ids of claimed files of the folder that are still in their claimed place. */
  listClaims(folder: string): Promise<string[]>
  /** The present size of a claimed file in bytes; undefined where it is claimed in place, or gone. */
  getClaimSize(claim: Claim): Promise<number | undefined>
  /** Releases a claimed file to its folder; `occupied` when there is another file of its name by now. */
  releaseClaim(claim: Claim): Promise<'returned' | 'occupied'>
  /** Moves a claimed file to the folder under a unique name; returns the path within the mailbox. */
  archive(claim: Claim, folder: string): Promise<string>
  /** The present sizes in bytes of archived files at these paths; without those that are gone. */
  getArchivedSizes(paths: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** First half of a delivery: copies a local file under a working name, flushed. Without a right to rename, does nothing yet. */
  stage(localPath: string, folder: string, how: StageOptions): Promise<StagedFile>
  /** Second half: gives it its name, flushed, never over another file. The caller has saved the naming before. */
  giveName(staged: StagedFile, name: string, how?: GiveNameOptions): Promise<NamingOutcome>
  /** After a crash: finds out whether the file got its name. Flushes it then, and changes nothing. */
  inspectNaming(folder: string, naming: Naming): Promise<NamingInspection>
  /** Removes the working name, after the journal has noted the outcome. */
  removeStaged(staged: Pick<StagedFile, 'folder' | 'working'>): Promise<void>
  /** Whether there is such a folder; does not create it. */
  hasFolder(folder: string): Promise<boolean>
  /**
   * The names of all entries of the folder: files, folders, hidden and temporary ones. Undefined where there is no such
   * folder; never creates it, so that a share that is not mounted does not look like an emptied one.
   */
  listNames(folder: string): Promise<ReadonlySet<string> | undefined>
  /**
   * Whether any entry has this name in the folder. Checks only the name and needs no listing. False where there is no such
   * folder. Throws where the place does not answer, because that is not a no.
   */
  hasEntry(folder: string, name: string): Promise<boolean>
  /** The entries of the folder that `list` leaves out; none where there is no such folder, which is not created. */
  listIgnored(folder: string): Promise<readonly IgnoredEntry[]>
  /** Creates the empty hidden folder `name` within the folder, where it is missing; it identifies the place later. */
  createMarkerFolder(folder: string, name: string): Promise<void>
  /** The path or address of the file for people, without secrets. */
  describe(folder: string, name: string): string
  /** Closes connections and the like. The mailbox may be used again. */
  close(): Promise<void>
}

// Namings: the journal saves them before a file gets its name, for use after a crash.

/** Evidence of whether a file got its name. JSON-safe; only the mailbox that made it reads it. */
export type NamingEvidence = Readonly<Record<string, string>>

/** A copy of a local file in a folder of a mailbox, under a working name until it gets its final one. */
export interface StagedFile {
  /** The local file. */
  readonly source: string
  readonly folder: string
  readonly working: string
  readonly evidence: NamingEvidence
  /** An earlier pass staged it; its bridge may only be stalled, and may give it its name meanwhile. */
  readonly isEarlier?: true
}

/** The durable intent to give a staged file this name. */
export interface Naming {
  readonly name: string
  readonly working: string
  readonly evidence: NamingEvidence
}

export function toNaming({ working, evidence }: StagedFile, name: string): Naming {
  return { name, working, evidence }
}

/** The outcome of giving a name. */
export type NamingOutcome =
  /** The file has the name, or a file with the same bytes had it already. */
  | 'delivered'
  /** Another entry has the name. */
  | 'occupied'
  /** The staged file was removed before it got the name. */
  | 'lost'
  | UnclearNaming

/** The state of a noted naming. */
export type NamingInspection =
  | 'named'
  /** The file did not get the name and is still staged. */
  | 'not-named'
  | UnclearNaming

/** Whether a reader has the file is unknown. */
export interface UnclearNaming {
  readonly unclear: string
}

/** Saves new evidence in place of the noted one. */
export type SaveEvidence = (evidence: NamingEvidence) => Promise<void>

/** The owner of working files that a mailbox makes, and which of them the journal has noted. */
export interface WorkingFiles {
  /** The identity of the journal. */
  readonly owner: string
  readonly noted: NamingJournal['findKnownWorkingNames']
}

/** The part of the journal for namings. */
export interface NamingJournal {
  /** The unique identity of this journal, which never changes. */
  getIdentity(): Promise<string>
  /** Saves the namings of a subject in place of its earlier ones. Renews the lease. */
  saveNamings(lease: Lease, subject: string, namings: readonly Naming[]): Promise<void>
  listNamings(subject: string): Promise<Naming[]>
  /** Returns the working names that are part of a saved naming, of any subject. */
  findKnownWorkingNames(names: readonly string[]): Promise<string[]>
}

// Names that are taken get a suffix.

/** How many names are tried when others are taken; a folder with more has another problem. */
export const NAMES_MAX = 1000

/** How many names the journal tries for one file; if all are used, the template does not depend on the file. */
export const USED_NAMES_MAX = 10_000

/** `orders.csv`; with suffix 2 `orders~2.csv`, and so on. */
export function addNameSuffix(name: string, suffix: number): string {
  if (suffix === 1) return name
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? `${name}~${suffix}` : `${name.slice(0, dot)}~${suffix}${name.slice(dot)}`
}

/** `first`: the name, or path, that was tried first. */
export function namesTakenError(first: string, tried = NAMES_MAX): BridgeError {
  return new BridgeError('cannot-write', `${first} and ${tried} names like it are taken`)
}
