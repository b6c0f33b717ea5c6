/** Incoming files as the journal knows them. */
import type { Lease } from './lease.ts'
import type { FileInfo, Naming } from './mailbox.ts'
import type { Problem } from './problem.ts'
import type { PlannedRecord } from './record.ts'

/** The states of an incoming file, in this order; each state has exactly one next step. */
export const FILE_STATES = {
  claiming: 'It is about to be taken out of the inbox.',
  received: 'A copy is safe in the spool; it is translated next.',
  planned:
    'Its records are in the journal and are sent next; the rest of a long file is translated meanwhile.',
  submitted: 'Every record has its outcome; the results are written next.',
  reported: 'The results are delivered; the source goes to the archive next.',
  closed: 'It is done.',
} as const

export type FileState = keyof typeof FILE_STATES

/** The outcome of the file as a whole. `vanished`: it was gone before it could be claimed. */
export type FileOutcome = 'processed' | 'duplicate' | 'unusable' | 'vanished'

export interface NewFile extends FileInfo {
  readonly id: string
}

export interface FileContents {
  readonly sha256: string
  readonly bytes: number
  /** Its contents may repeat: the same stock counts once more when another one came in between. */
  readonly mayRepeat?: boolean
}

export interface FileEntry extends NewFile {
  readonly route: string
  readonly state: FileState
  readonly outcome?: FileOutcome
  readonly sha256?: string
  readonly duplicateOf?: { readonly id: string; readonly name: string; readonly receivedAt: number }
  /** Problems of the file as a whole. */
  readonly problems: readonly Problem[]
  readonly keyColumns: readonly string[]
  readonly headerLines: number
  readonly encoding?: string
  /** The base name under which the results are, or will be, delivered. */
  readonly reportName?: string
  readonly archivedAs?: string
  /** Another program removed the claimed file before it was archived. */
  readonly isSourceRemoved?: true
  readonly claimedAt: number
  readonly receivedAt?: number
  readonly plannedAt?: number
  readonly submittedAt?: number
  readonly closedAt?: number
  /** How often a person's decision about held records reopened it after its report. */
  readonly reports?: number
  /** When it was last reopened. */
  readonly takenUpAt?: number
  /** The id of the archived file that a person had taken again. Its bytes come from the archive, where they stay. */
  readonly retakeOf?: string
  /** The id of the file of interchanges of which it is the part of its route: its bytes are those of that file. */
  readonly partOf?: string
  /** The file whose refused rows a person corrected in this one. It is a part of that file, whatever its name. */
  readonly correctionOf?: { readonly id: string; readonly name: string }
  /** The configuration and mappings that made its records, as in `NotedVersion`. */
  readonly version?: string
  /** Of a long file, whose records are translated while the first are sent already: how many it has in all. */
  readonly recordTotal?: number
}

/** What planning found out about a file. */
export interface FilePlan {
  readonly keyColumns: readonly string[]
  readonly headerLines: number
  readonly encoding: string
  /** The operations whose rows are grouped by their key cells. */
  readonly keyed: readonly string[]
  /** How many records the file has; left out where the journal has them all. */
  readonly total?: number
}

export interface LastPlanned {
  readonly number: number
  readonly lines: readonly (readonly [first: number, last: number])[]
}

/** The part of the journal that moves incoming files from state to state. */
export interface FileJournal {
  /** Notes all of them or, when it throws, none. */
  startClaims(lease: Lease, files: readonly NewFile[]): Promise<void>
  /** Notes that the archived file `of` of the route is about to be taken again, under a new id. */
  startRetake(lease: Lease, id: string, of: string): Promise<void>
  /**
   * claiming → received; or, when it may not repeat and the route already has a file with these bytes of which something
   * was accepted or is under way, claiming → submitted with the outcome `duplicate`. `gone` files: claiming → closed, `vanished`.
   */
  markFileReceived(lease: Lease, id: string, contents: FileContents): Promise<FileEntry>
  markFileVanished(lease: Lease, id: string): Promise<void>
  /** Deletes the records of an interrupted planning. */
  startPlanning(lease: Lease, id: string): Promise<void>
  /**
   * Adds records in their order. A record whose key is held by an earlier record of the same operation and account
   * that is accepted or under way becomes `duplicate` when the bodies are the same (with the id the API gave the first)
   * and `rejected` with `key-conflict`, naming the first file and line, when they differ. Records with problems become
   * `rejected`. The rest become `planned` and hold their key until they are rejected.
   */
  addRecords(lease: Lease, fileId: string, records: readonly PlannedRecord[]): Promise<void>
  /** The record of the file with the highest number; undefined before the first. */
  findLastPlanned(fileId: string): Promise<LastPlanned | undefined>
  /** Lists the planned bodies of the file whose natural keys begin with one of the lanes and a blank. */
  listPlannedBodies(
    fileId: string,
    named: { readonly operation: string; readonly account: string; readonly lanes: readonly string[] },
  ): Promise<{ readonly lane: string; readonly body: string }[]>
  /**
   * received → planned. Refuses a key with two versions in the file (`key-conflict`): either may be the right one. Records
   * of the `keyed` operations that were refused without a natural key count as versions too; their key cells name them.
   * With a `total`, records are added until there are so many; the file is submitted only then.
   */
  markFilePlanned(lease: Lease, id: string, found: FilePlan): Promise<void>
  /** received → submitted with the outcome `unusable`; deletes its records. */
  markFileUnusable(lease: Lease, id: string, problems: readonly Problem[]): Promise<void>
  /** planned → submitted, when every record is final; false when some are not. */
  markFileSubmitted(lease: Lease, id: string): Promise<boolean>
  /** Saves the base name of the results before the first file gets it; called again when the name is taken. */
  saveReportName(lease: Lease, id: string, reportName: string, namings: readonly Naming[]): Promise<void>
  /** submitted → reported. */
  markFileReported(lease: Lease, id: string): Promise<void>
  /** reported → closed. */
  markFileClosed(lease: Lease, id: string, archivedAs?: string, isSourceRemoved?: boolean): Promise<void>
  getFile(id: string): Promise<FileEntry | undefined>
  listUnfinishedFiles(route: string): Promise<FileEntry[]>
  listRecentFiles(limit: number, route?: string): Promise<FileEntry[]>
  /** By name or id, newest first. */
  findFilesByName(nameOrId: string, limit: number): Promise<FileEntry[]>
  /** Whether the route took a file of exactly this name, size and time; one that vanished was not taken. */
  isFileTaken(route: string, file: Pick<NewFile, 'name' | 'size' | 'modifiedAt'>): Promise<boolean>
}

// Names of files that hold a part of another: its rejected rows, and its held rows.

type FilePart = 'rejects' | 'exceptions'

/** A longer suffix is not an extension, and would not fit behind a long name. */
const EXTENSION = /\.[A-Za-z0-9]{1,8}$/

/** `.rejects.txt` for `b.txt`: with the extension of its source, the same route takes the part. */
export function partSuffix(part: FilePart, source: string): string {
  const extension = EXTENSION.exec(source.replace(/\.gz$/i, ''))?.[0] ?? '.csv'
  return `.${part}${extension}`
}

/** Whether the name is that of a part. */
export function isPartOf(name: string, part: FilePart): boolean {
  return new RegExp(`\\.${part}\\.[A-Za-z0-9]{1,8}$`).test(name)
}

/** `a1` of `a1.rejects.edi`: how the name of the file begins that a part corrects; undefined for another file. */
export function findCorrectedName(name: string): string | undefined {
  const [stem = ''] = name.split(/\.(?:rejects|exceptions)\./i)
  return stem === name || stem === '' ? undefined : stem
}

/** Whether the name is that of any part; a person may have extended it. */
export function isPartFile(name: string): boolean {
  return /\.(?:rejects|exceptions)\./i.test(name)
}

/** The name of a corrected copy of a file of interchanges: `orders.rejects.x12` for `orders.x12`. */
export function formatCorrectionName(name: string): string {
  const [, stem = name, ext = '.edi'] = /^(.+?)(\.[^.]*)?$/.exec(name) ?? []
  return `${stem}.rejects${ext}`
}
