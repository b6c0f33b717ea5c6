/** Files that are about to get their names in a mailbox: what the journal notes before, and what is known after a crash. */
import type { Lease } from './lease.ts'

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

export function namingOf({ working, evidence }: StagedFile, name: string): Naming {
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
  | Unclear

/** What became of a noted naming. */
export type NamingFate =
  | 'named'
  /** It did not get the name, and is still staged where it was. */
  | 'not-named'
  | Unclear

/** It cannot be told whether a reader has the file. */
export interface Unclear {
  readonly unclear: string
}

/** Makes durable what is known by now, in place of the evidence that was noted before. */
export type NoteEvidence = (evidence: NamingEvidence) => Promise<void>

/** Whose working files a mailbox makes, and which of them a note of the journal speaks of. */
export interface WorkingFiles {
  /** The identity of the journal. */
  readonly owner: string
  readonly noted: NamingJournal['notedWorkingNames']
}

/** The part of the journal that knows which files are about to get their names. */
export interface NamingJournal {
  /** By what this journal is told apart from all others; the same for its whole life. */
  identity(): Promise<string>
  /** Notes what is about to be named, in place of what was noted of the subject before. Renews the lease. */
  noteNamings(lease: Lease, subject: string, namings: readonly Naming[]): Promise<void>
  /** What was noted and has not come to its end. */
  namingsOf(subject: string): Promise<Naming[]>
  /** Those of the working names that stand in a note, of whichever subject. */
  notedWorkingNames(names: readonly string[]): Promise<string[]>
}
