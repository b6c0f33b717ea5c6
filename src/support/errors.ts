/** Failures: what can go wrong with the world or the program, each with its exit code and its fix. */

/** The exit codes of the command line. Schedulers act on them, so a number never changes its meaning. */
export const EXIT = {
  ok: 0,
  rejects: 2,
  usage: 64,
  unusableFile: 65,
  unavailable: 69,
  bug: 70,
  cannotWrite: 74,
  tryLater: 75,
  refusedCredentials: 77,
  badConfiguration: 78,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The texts of a code for people. */
export interface CodeText {
  /** What is wrong, in at most 60 characters. */
  readonly title: string
  /** What to do about it, in at most 100 characters. */
  readonly fix: string
  /** More to know, for `dropbridge explain`. */
  readonly details?: string
}

interface FailureKind extends CodeText {
  readonly exit: ExitCode
}

/** Every failure the program can end with. One row per code; `docs/errors.md` is printed from this table. */
export const FAILURES = {
  'usage-wrong': {
    exit: EXIT.usage,
    title: 'The command line is wrong.',
    fix: 'Correct the word that the message names; docs/commands.md lists all commands.',
  },
  'not-known': {
    exit: EXIT.rejects,
    title: 'No file or record with this name waits for a decision.',
    fix: 'See `dropbridge status` for what waits, and `dropbridge trace KEY` for the rest.',
  },
  'not-repeatable': {
    exit: EXIT.rejects,
    title: 'The file cannot be delivered or taken once more.',
    fix: 'Do what the message says; `dropbridge trace FILE` shows all that is known of the file.',
    details: 'Nothing was delivered, taken or sent.',
  },
  'not-repairable': {
    exit: EXIT.unusableFile,
    title: 'The EDI file cannot be put right.',
    fix: 'Have the sender send the file again.',
    details: 'Nothing was written: what is missing is not known, or the file holds no interchange.',
  },
  'configuration-invalid': {
    exit: EXIT.badConfiguration,
    title: 'The configuration is missing or has errors.',
    fix: 'Correct every listed place, then run `dropbridge check`.',
  },
  'mapping-invalid': {
    exit: EXIT.badConfiguration,
    title: 'A mapping file has errors.',
    fix: 'Correct every listed place, then run `dropbridge check`.',
    details: 'Nothing was sent.',
  },
  'restart-needed': {
    exit: EXIT.badConfiguration,
    title: 'The change needs a restart of `dropbridge watch`.',
    fix: 'Stop `dropbridge watch` and start it again, or take the change back.',
    details:
      'The journal or the state is in another place. The watch continues with what it had. Move the files there first.',
  },
  'no-watch': {
    exit: EXIT.unavailable,
    title: 'No watch is running with this journal.',
    fix: 'Start `dropbridge watch`: it reads the files as they are now.',
    details: 'A reload is only for a watch that is running. `dropbridge run` reads the files each time.',
  },
  'api-unreachable': {
    exit: EXIT.unavailable,
    title: 'The API does not answer, or cannot serve now.',
    fix: 'Run `dropbridge run` later; nothing is lost. If it fails for hours, ask the API’s operator.',
    details:
      'The retries are used up, and the work is kept in the journal. With an HTTP status the API itself is busy or in trouble; without one, nothing answers at its address.',
  },
  'api-answer-unusable': {
    exit: EXIT.unavailable,
    title: 'The API answered something undocumented.',
    fix: 'Check that api.baseUrl names the API itself, not a proxy or a login page.',
    details: 'The work is kept.',
  },
  'api-redirected': {
    exit: EXIT.badConfiguration,
    title: 'The API answered with a redirect.',
    fix: 'Set api.baseUrl to the address of the redirect, if that is really the API.',
    details: 'A redirect is never followed: the token must not leave its origin.',
  },
  'party-changed': {
    exit: EXIT.badConfiguration,
    title: 'The party of a route changed before its work was done.',
    fix: 'Put the old party back until the work is done, or add a new route for the new one.',
    details:
      'The `retailer` or `brand` of the route is another one. Records that wait for their order can be given up: `dropbridge discard`.',
  },
  'credentials-refused': {
    exit: EXIT.refusedCredentials,
    title: 'The API or a server refused the login.',
    fix: 'Check api.clientId, api.clientSecret and the party, or the login of the mailbox.',
    details: 'The message says which login. The party is the id in the route. Nothing was sent with them.',
  },
  'credentials-unusable': {
    exit: EXIT.refusedCredentials,
    title: 'The key or agent of an SFTP login cannot be used.',
    fix: 'Correct `privateKeyFile` of the mailbox, or what the message names; see docs/sftp.md.',
    details:
      'The key is missing, unreadable, open to others, or the passphrase does not fit. Nothing was sent. Other mailboxes go on.',
  },
  'host-key-unknown': {
    exit: EXIT.refusedCredentials,
    title: 'The host key of the SFTP server is not known.',
    fix: 'Ask its operator for the fingerprint, then: `dropbridge trust-host MAILBOX --fingerprint …`.',
    details:
      'Without a known key the server could be anybody. Nothing was sent, not even the user name. Other mailboxes go on.',
  },
  'host-key-changed': {
    exit: EXIT.refusedCredentials,
    title: 'The SFTP server shows another host key.',
    fix: 'Ask its operator for the new fingerprint, then: `dropbridge trust-host MAILBOX --replace`.',
    details:
      'The server was set up anew, the key was revoked, or a third party listens in between. Nothing was sent, not even the user name. Other mailboxes go on.',
  },
  'mailbox-unreachable': {
    exit: EXIT.unavailable,
    title: 'A mailbox folder or its SFTP server cannot be reached.',
    fix: 'Check that the folder exists, or the server answers: `dropbridge check --online`.',
    details: 'Its files stay where they are.',
  },
  'cannot-write': {
    exit: EXIT.cannotWrite,
    title: 'A file or folder cannot be written.',
    fix: 'Make room or grant the rights, then run `dropbridge run`: the work is kept.',
  },
  'edi-self-check': {
    exit: EXIT.bug,
    title: 'An interchange that the bridge wrote has faults.',
    fix: 'See it with `dropbridge export ROUTE --out F` and `dropbridge edi check F`, or report the bug.',
    details:
      'Its own checker reads every interchange before it is delivered. Nothing was delivered, its records wait, and its control numbers go to the next file.',
  },
  'journal-unusable': {
    exit: EXIT.cannotWrite,
    title: 'The journal cannot be opened or written.',
    fix: 'Check the path in `journal`, the rights and the free space. Never delete the journal.',
    details: 'The journal is what stops a second posting.',
  },
  'journal-busy': {
    exit: EXIT.tryLater,
    title: 'Another program keeps the journal locked.',
    fix: 'Run `dropbridge run` again. If it stays, end the program that has the file open.',
    details: 'Such as a backup, a database browser or a suspended bridge. The work is kept.',
  },
  'journal-damaged': {
    exit: EXIT.cannotWrite,
    title: 'The journal is damaged, or is no SQLite database.',
    fix: 'Correct the path, put a backup back, or move the file away and: `dropbridge restored --dry-run`.',
    details:
      'Stop every bridge and keep the file with its -wal and -shm; see docs/operating.md. `sqlite3 journal.db .recover` may save what a backup lacks. Without a backup, `dropbridge restored` lets the bridge go on with a new journal: it looks each record up before it first sends it.',
  },
  'journal-newer': {
    exit: EXIT.badConfiguration,
    title: 'A newer version of dropbridge wrote the journal.',
    fix: 'Use the newer version, or point `journal` to another file.',
  },
  'journal-absent': {
    exit: EXIT.tryLater,
    title: 'There is no journal yet.',
    fix: 'Start the bridge, `dropbridge run` or `watch`; or correct the path in `journal`.',
    details: 'Of a program that only reads, such as the console. It tries again by itself.',
  },
  'journal-outdated': {
    exit: EXIT.tryLater,
    title: 'An older version of dropbridge wrote the journal.',
    fix: 'Start the bridge in this version: `dropbridge run` or `watch`.',
    details: 'It brings the journal up to date. A program that only reads, such as the console, does not.',
  },
  'journal-altered': {
    exit: EXIT.unusableFile,
    title: 'The journal was changed by other means.',
    fix: 'Find out who had access, and restore an earlier backup; see docs/audit.md.',
    details: 'Something of it was changed, removed or added. The bridge can also go on with it.',
  },
  'journal-older': {
    exit: EXIT.badConfiguration,
    title: 'The journal is older than the work done with it.',
    fix: 'Put the newest journal back. If it is lost: `dropbridge restored --dry-run`.',
    details:
      'A backup was put back, or a copy is at work elsewhere; then stop one of the two first. Nothing was sent or delivered. `dropbridge restored --by NAME --why TEXT` goes on with the older journal.',
  },
  'journal-missing': {
    exit: EXIT.badConfiguration,
    title: 'The journal is gone, but work was done with it.',
    fix: 'Correct the path in `journal` or put it back; if it is lost: `dropbridge restored --dry-run`.',
    details:
      'The journal is new, and other files show work of an earlier one, or of another bridge in the same folders; give this one its own archive then. Nothing was sent or delivered. A bridge whose journal is deleted while it works stops so, too. After `dropbridge restored --by NAME --why TEXT`, the bridge looks each record up before it first sends it.',
  },
  'people-unusable': {
    exit: EXIT.cannotWrite,
    title: 'The file with the people of the console cannot be used.',
    fix: 'Put `people.db` back from a backup, or remove it and add the people again.',
    details: 'Stop the console first. The journal is another file, and nothing of it is lost.',
  },
  'sqlite-missing': {
    exit: EXIT.cannotWrite,
    title: 'The SQLite library does not fit this Node.',
    fix: 'Install it again with this Node, optional packages and install scripts: `npm ci`.',
  },
  'service-data-unusable': {
    exit: EXIT.cannotWrite,
    title: 'The database of the service cannot be opened.',
    fix: 'Check the folder of --data and its rights, or start with a new folder.',
    details: 'Another version may have made it.',
  },
  'service-data-in-use': {
    exit: EXIT.tryLater,
    title: 'Another service uses the same data folder.',
    fix: 'Stop the other service, or start this one with its own folder.',
  },
  'lease-held': {
    exit: EXIT.tryLater,
    title: 'Another bridge is working on this route.',
    fix: 'Wait for it. If it was killed, the next run takes over within seconds.',
  },
  'lease-lost': {
    exit: EXIT.tryLater,
    title: 'Another bridge has taken the route over.',
    fix: 'Nothing to do: the other bridge continues.',
    details:
      'This bridge was silent for longer than its lease. If it happens often, the machine stalls for long times.',
  },
  'time-over': {
    exit: EXIT.tryLater,
    title: 'The time of --until was over before all was done.',
    fix: 'Nothing to do: the next run continues, after the waits that are left. Or give it more time.',
    details: 'Nothing new was started after it.',
  },
  'notification-not-sent': {
    exit: EXIT.unavailable,
    title: 'A notification could not be sent.',
    fix: 'Correct `notifications`, then: `dropbridge notifications test NAME`.',
    details:
      'A mail server, a webhook or a command did not take it. Notifications never change how the work itself ends.',
  },
  interrupted: {
    exit: EXIT.interrupted,
    title: 'A signal asked the program to stop.',
    fix: 'Nothing to do: the next run continues from the journal.',
    details: 'What has no answer yet is looked up before anything is sent again.',
  },
  bug: {
    exit: EXIT.bug,
    title: 'The program found a state that it believes impossible.',
    fix: 'Please report it with the message. The journal keeps the work.',
  },
} as const satisfies Record<string, FailureKind>

export type FailureCode = keyof typeof FAILURES

/**
 * A failure of the world or of the program. Thrown, never returned. The code decides what to do next;
 * the message is for people and never decides anything. Keep the `cause`.
 */
export class BridgeError extends Error {
  readonly code: FailureCode
  /** The single errors, one line each, where there are several. */
  readonly details: readonly string[]
  readonly fix: string

  constructor(
    code: FailureCode,
    message: string,
    options: { cause?: unknown; details?: readonly string[]; fix?: string | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BridgeError'
    this.code = code
    this.details = options.details ?? []
    this.fix = options.fix ?? FAILURES[code].fix
  }

  get exit(): ExitCode {
    return FAILURES[this.code].exit
  }
}

/** Makes the failure for a wrong command line. */
export function usageError(message: string, fix?: string, details: readonly string[] = []): BridgeError {
  return new BridgeError('usage-wrong', message, { fix, details })
}

export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new BridgeError('interrupted', 'stopped by a signal')
}

/** Whether a thrown value is a failure of one of the given kinds. */
export function hasCode(error: unknown, ...codes: FailureCode[]): error is BridgeError {
  return error instanceof BridgeError && codes.includes(error.code)
}

/** Whether a thrown value carries the given system error code, such as ENOENT. */
export function hasSystemCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Says that a file is not there, or why it cannot be read. */
export function describeUnreadable(error: unknown): string {
  if (hasSystemCode(error, 'EISDIR')) return 'is a folder, and not a file'
  return hasSystemCode(error, 'ENOENT') ? 'is not there' : `cannot be read: ${getErrorMessage(error)}`
}

/** The same with the name of a file that a mapping names, and the whole path that was tried for it. */
export function describeUnreadablePart(name: string, error: unknown): string {
  const tried = error instanceof Error && 'path' in error ? String(error.path) : name
  const where = hasSystemCode(error, 'ENOENT') && tried !== name
  return `${name} ${describeUnreadable(error)}${where ? `: relative to the mapping it is ${tried}` : ''}`
}

/** Returns the message of a thrown value; `otherwise` where an error has none. */
export function getErrorMessage(error: unknown, otherwise = ''): string {
  if (!(error instanceof Error)) return otherwise || String(error)
  return error.message || otherwise
}

/** States what must be true; a false condition is a bug and stops the program. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new BridgeError('bug', message)
}
