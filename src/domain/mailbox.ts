/** A place where files arrive or are left. */
import type { Naming, NamingFate, NamingOutcome, NoteEvidence, StagedFile } from './naming.ts'

/** A file as a listing shows it. Two sightings with the same size and time are taken for the same contents. */
export interface Sighting {
  readonly folder: string
  readonly name: string
  readonly size: number
  /** As the mailbox tells it, milliseconds; only ever compared with itself, never with our clock. */
  readonly modifiedAt: number
}

/** What is in a folder and is no file that a listing shows. */
export interface PassedOver {
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
export interface Staging {
  /** What the file will most likely be called; its working name says so. */
  readonly name: string
  /** An earlier naming of the same file that was found not to have come about: it goes on from where it stands. */
  readonly earlier?: Naming
  /** Asked before a folder that is missing is made; with what it throws none is made, and nothing is staged. */
  readonly mayMake?: () => Promise<void>
  /** Another file is staged in the folder right after; a mailbox may leave the flush of the folder to that one. */
  readonly moreFollow?: boolean
}

/** How a staged file gets its name. */
export interface GivingName {
  /** Called with better evidence while the name is given. */
  readonly note?: NoteEvidence
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
  /** Whether a claimed file stays where it is, because nobody may move it: the same sighting again is the same file. */
  readonly leaves: boolean
  /**
   * The files in one folder, flat, without temporary names, oldest first, then by name. A missing folder is made
   * where `mayMake` does not throw. Where nobody may list the folder, the files of the only names that are wanted are looked for.
   */
  list(folder: string, only?: readonly string[], mayMake?: () => Promise<void>): Promise<Sighting[]>
  /** Takes the file away from the folder, atomically. `gone` when somebody else had it first or it vanished. */
  claim(claim: Claim): Promise<'claimed' | 'gone'>
  /** The bytes of a claimed file. */
  read(claim: Claim): AsyncIterable<Uint8Array>
  /** The ids of the files that were claimed from the folder and are still where a claim leaves them. */
  claims(folder: string): Promise<string[]>
  /** How many bytes a claimed file has by now; undefined where it does not lie apart, or is gone. */
  sizeOf(claim: Claim): Promise<number | undefined>
  /** Gives a claimed file back to its folder; `occupied` when another one of its name stands there by now. */
  unclaim(claim: Claim): Promise<'returned' | 'occupied'>
  /** Moves a claimed file to the folder under a name that no other file has; gives the path within the mailbox. */
  archive(claim: Claim, folder: string): Promise<string>
  /** How many bytes the files have by now that lie at paths `archive` gave; without those that are gone. */
  sizesInArchive(paths: readonly string[]): Promise<ReadonlyMap<string, number>>
  /**
   * The first half of a delivery: copies a local file into the folder under a working name, whole and flushed. Where a
   * server lets nobody rename, nothing is copied yet.
   */
  stage(localPath: string, folder: string, how: Staging): Promise<StagedFile>
  /**
   * The second half: gives the staged file its name, flushed, and never over another file. The naming with its evidence is
   * durable before. After `occupied` another name may be tried.
   */
  giveName(staged: StagedFile, name: string, how?: GivingName): Promise<NamingOutcome>
  /** After a crash: what became of a naming. One that came about is flushed; nothing is changed. */
  settleNaming(folder: string, naming: Naming): Promise<NamingFate>
  /** Removes what is left under the working name, once the journal knows what came of it. */
  discard(staged: Pick<StagedFile, 'folder' | 'working'>): Promise<void>
  /** Whether there is such a folder; none is made. */
  has(folder: string): Promise<boolean>
  /**
   * The names of all that is in the folder: files, folders, hidden ones and temporary ones. Undefined where there is no
   * such folder; none is made, so that a share that is not mounted does not look like an emptied one.
   */
  names(folder: string): Promise<ReadonlySet<string> | undefined>
  /**
   * Whether anything has this name in the folder. Asks for the name alone and needs no listing. False where there is no
   * such folder. A place that does not answer throws: only a clear no is a no.
   */
  stands(folder: string, name: string): Promise<boolean>
  /** What `list` passes over in the folder, by name; nothing where there is no such folder, and none is made. */
  passedOver(folder: string): Promise<readonly PassedOver[]>
  /**
   * Makes the empty folder `name`, which is hidden from people, within the folder, where it is not there yet. By it the
   * place is known again.
   */
  mark(folder: string, name: string): Promise<void>
  /** How people find the file: a path or address without secrets. */
  describe(folder: string, name: string): string
  /** Lets go of whatever is held for it, such as connections. It may be used again. */
  close(): Promise<void>
}
