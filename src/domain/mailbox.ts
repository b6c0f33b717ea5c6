/** A place where files arrive or are delivered. */
import type { Lease } from './lease.ts'

/** A file as a listing shows it. Two listings with the same size and time count as the same contents. */
export interface FileInfo {
  readonly folder: string
  readonly name: string
  readonly size: number
  /** As the mailbox tells it, milliseconds; only ever compared with itself, never with our clock. */
  readonly modifiedAt: number
}

/** What is in a folder and is no file that a listing shows. */
export interface IgnoredEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** As the mailbox tells it, milliseconds; 0 where it cannot. */
  readonly modifiedAt: number
}

/** A file taken out of reach of everybody else. The id is chosen by the caller and is in the journal before the claim. */
export interface Claim {
  readonly id: string
  readonly folder: string
  readonly name: string
}

/** How a file is staged. */
export interface StageOptions {
  /** What the file will most likely be called; its working name says so. */
  readonly name: string
  /** An earlier naming of the same file that was found not to have come about: it goes on from where it stands. */
  readonly earlier?: Naming
  /** Asked before a folder that is missing is made; with what it throws none is made, and nothing is staged. */
  readonly beforeCreate?: () => Promise<void>
  /** Another file is staged in the folder right after; a mailbox may leave the flush of the folder to that one. */
  readonly moreFollow?: boolean
}

/** How a staged file gets its name. */
export interface GiveNameOptions {
  /** Called with better evidence while the name is given. */
  readonly note?: SaveEvidence
  /** Another file gets its name in the folder right after; a mailbox may leave the flush of the folder to that one. */
  readonly moreFollow?: boolean
}

/**
 * Every call may be repeated after a crash with the same arguments and then does what is still to be done.
 * Folders and names come from outside: each call refuses those that would leave the mailbox (`configuration-invalid`
 * for folders, and such names are never listed). Trouble with the place itself throws `mailbox-unreachable`, trouble
 * with writing `cannot-write`.
 */
export interface Mailbox {
  /** Whether a claimed file stays where it is, because nobody may move it: the same size and time again are the same file. */
  readonly claimsInPlace: boolean
  /**
   * The files in one folder, flat, without temporary names, oldest first, then by name. A missing folder is made
   * where `beforeCreate` does not throw. Where nobody may list the folder, the files of the only names that are wanted are looked for.
   */
  list(folder: string, only?: readonly string[], beforeCreate?: () => Promise<void>): Promise<FileInfo[]>
  /** Takes the file away from the folder, atomically. `gone` when somebody else had it first or it vanished. */
  claim(claim: Claim): Promise<'claimed' | 'gone'>
  /** The bytes of a claimed file. */
  read(claim: Claim): AsyncIterable<Uint8Array>
  /** The ids of the files that were claimed from the folder and are still where a claim leaves them. */
  listClaims(folder: string): Promise<string[]>
  /** How many bytes a claimed file has by now; undefined where it does not lie apart, or is gone. */
  getClaimSize(claim: Claim): Promise<number | undefined>
  /** Gives a claimed file back to its folder; `occupied` when another one of its name stands there by now. */
  releaseClaim(claim: Claim): Promise<'returned' | 'occupied'>
  /** Moves a claimed file to the folder under a name that no other file has; gives the path within the mailbox. */
  archive(claim: Claim, folder: string): Promise<string>
  /** How many bytes the files have by now that lie at paths `archive` gave; without those that are gone. */
  getArchivedSizes(paths: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** First half of a delivery: copies a local file under a working name, flushed. Without renaming, nothing yet. */
  stage(localPath: string, folder: string, how: StageOptions): Promise<StagedFile>
  /** Second half: gives it its name, flushed, never over another file. The naming is durable before. */
  giveName(staged: StagedFile, name: string, how?: GiveNameOptions): Promise<NamingOutcome>
  /** After a crash: what became of a naming. One that came about is flushed; nothing is changed. */
  inspectNaming(folder: string, naming: Naming): Promise<NamingInspection>
  /** Removes what is left under the working name, once the journal knows what came of it. */
  removeStaged(staged: Pick<StagedFile, 'folder' | 'working'>): Promise<void>
  /** Whether there is such a folder; none is made. */
  hasFolder(folder: string): Promise<boolean>
  /**
   * The names of all that is in the folder: files, folders, hidden ones and temporary ones. Undefined where there is no
   * such folder; none is made, so that a share that is not mounted does not look like an emptied one.
   */
  listNames(folder: string): Promise<ReadonlySet<string> | undefined>
  /**
   * Whether anything has this name in the folder. Asks for the name alone and needs no listing. False where there is no
   * such folder. A place that does not answer throws: only a clear no is a no.
   */
  hasEntry(folder: string, name: string): Promise<boolean>
  /** What `list` passes over in the folder, by name; nothing where there is no such folder, and none is made. */
  listIgnored(folder: string): Promise<readonly IgnoredEntry[]>
  /** Makes the empty hidden folder `name` within the folder, where it is missing: the place is known again by it. */
  createMarkerFolder(folder: string, name: string): Promise<void>
  /** How people find the file: a path or address without secrets. */
  describe(folder: string, name: string): string
  /** Lets go of whatever is held for it, such as connections. It may be used again. */
  close(): Promise<void>
}

// Files that are about to get their names: what the journal saves before, and knows after a crash.

/** What tells whether a file got its name. JSON-safe; only the mailbox that gave it reads it. */
export type NamingEvidence = Readonly<Record<string, string>>

/** A copy of a local file that is ready in a folder of a mailbox under a working name, until it gets its own. */
export interface StagedFile {
  /** The local file. */
  readonly source: string
  readonly folder: string
  readonly working: string
  readonly evidence: NamingEvidence
  /** A pass before this one staged it; its bridge may have stood still, and may give it its name meanwhile. */
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

/** What came of giving a name. */
export type NamingOutcome =
  /** The file has the name, or the same bytes stood there already. */
  | 'delivered'
  /** Something else has the name. */
  | 'occupied'
  /** The staged file was removed before it got the name. */
  | 'lost'
  | UnclearNaming

/** What became of a noted naming. */
export type NamingInspection =
  | 'named'
  /** It did not get the name, and is still staged where it was. */
  | 'not-named'
  | UnclearNaming

/** It cannot be told whether a reader has the file. */
export interface UnclearNaming {
  readonly unclear: string
}

/** Makes durable what is known by now, in place of the evidence that was noted before. */
export type SaveEvidence = (evidence: NamingEvidence) => Promise<void>

/** Whose working files a mailbox makes, and which of them a note of the journal speaks of. */
export interface WorkingFiles {
  /** The identity of the journal. */
  readonly owner: string
  readonly noted: NamingJournal['findKnownWorkingNames']
}

/** The part of the journal that knows which files are about to get their names. */
export interface NamingJournal {
  /** By what this journal is distinguished from all others; the same for its whole life. */
  getIdentity(): Promise<string>
  /** Notes what is about to be named, in place of what was noted of the subject before. Renews the lease. */
  saveNamings(lease: Lease, subject: string, namings: readonly Naming[]): Promise<void>
  /** What was noted and has not come to its end. */
  listNamings(subject: string): Promise<Naming[]>
  /** Those of the working names that stand in a note, of whichever subject. */
  findKnownWorkingNames(names: readonly string[]): Promise<string[]>
}
