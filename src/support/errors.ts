/** Failures: what can go wrong with the world or the program, each with its exit code and its cure. */

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

interface FailureKind {
  readonly exit: ExitCode
  /** What happened, for `dropbridge explain`. */
  readonly cause: string
  /** What to do about it. */
  readonly cure: string
}

/** Every failure the program can end with. One row per code; `docs/errors.md` is printed from this table. */
export const FAILURES = {
  'usage-wrong': {
    exit: EXIT.usage,
    cause: 'The command line is not one the program understands.',
    cure: 'Read `dropbridge --help` or `dropbridge COMMAND --help`.',
  },
  'not-known': {
    exit: EXIT.rejects,
    cause: 'No file and no record is known by the name that was given, or it does not wait for a decision.',
    cure: 'See `dropbridge status` for what waits for a person, and `dropbridge trace KEY` for what came of the rest.',
  },
  'configuration-invalid': {
    exit: EXIT.badConfiguration,
    cause: 'The configuration file is missing, unreadable, or has mistakes in it.',
    cure: 'Correct every place that is listed, then run `dropbridge check`.',
  },
  'mapping-invalid': {
    exit: EXIT.badConfiguration,
    cause: 'A mapping file has mistakes in it.',
    cure: 'Correct every place that is listed, then run `dropbridge check`. Nothing was sent.',
  },
  'api-unreachable': {
    exit: EXIT.unavailable,
    cause: 'The API did not answer, or said it cannot serve right now, and the retries are used up.',
    cure: 'Nothing is lost: the work is kept in the journal. Run again later. The message says what to look at when it stays: with an HTTP status the API itself is busy or in trouble; without one, nobody answers at its address.',
  },
  'api-answer-unusable': {
    exit: EXIT.unavailable,
    cause: 'The API answered a read with something that is not the documented answer.',
    cure: 'Check that api.baseUrl names the API itself and not a proxy or a login page. The work is kept.',
  },
  'api-redirected': {
    exit: EXIT.badConfiguration,
    cause:
      'The API answered with a redirect. A redirect is never followed: the token must not leave its origin.',
    cure: 'Set api.baseUrl to the address the redirect points to, if that is really the API.',
  },
  'party-changed': {
    exit: EXIT.badConfiguration,
    cause: 'The `retailer` or `brand` of a route was changed while a file of the old one was not done.',
    cure: 'Put the old one back until the file is done, or give the new one a route of its own. Records that wait for their order can be given up: `dropbridge discard`.',
  },
  'credentials-refused': {
    exit: EXIT.refusedCredentials,
    cause:
      'The API refused the client id and secret, or this account may not act for the retailer or brand; or an SFTP server or a proxy refused the login.',
    cure: 'Check what the message names: api.clientId, api.clientSecret and the id in the route, or the username, key and password of the mailbox. Nothing was sent with them.',
  },
  'credentials-unusable': {
    exit: EXIT.refusedCredentials,
    cause:
      'The private key or the agent of an SFTP login cannot be used: it is missing, unreadable, open to others, or the passphrase does not fit.',
    cure: 'Do what the message says; see docs/sftp.md. Nothing was sent. Other mailboxes go on.',
  },
  'host-key-unknown': {
    exit: EXIT.refusedCredentials,
    cause:
      'The SFTP server shows a host key of which nothing is known, so it could be anybody. Nothing was sent, not even the user’s name.',
    cure: 'Ask whoever runs the server for the fingerprint of its key, and trust that one: `dropbridge trust-host MAILBOX --fingerprint …`. Other mailboxes go on.',
  },
  'host-key-changed': {
    exit: EXIT.refusedCredentials,
    cause:
      'The SFTP server shows another host key than the one that is trusted, or one that is revoked: it was set up anew, or somebody listens in between. Nothing was sent, not even the user’s name.',
    cure: 'Ask whoever runs the server whether their key has changed, and for the new fingerprint. Only then run `dropbridge trust-host MAILBOX --replace`. Other mailboxes go on.',
  },
  'mailbox-unreachable': {
    exit: EXIT.unavailable,
    cause: 'A mailbox folder is missing or cannot be read, or its SFTP server is away.',
    cure: 'Check that the folder exists, is mounted and may be read, or that the server can be reached: `dropbridge check --online`. Files in it are left alone.',
  },
  'cannot-write': {
    exit: EXIT.cannotWrite,
    cause: 'A file or folder cannot be written: the disk is full, or the rights are missing.',
    cure: 'Make room or grant the rights, then run again: the work is kept.',
  },
  'journal-unusable': {
    exit: EXIT.cannotWrite,
    cause: 'The journal cannot be opened or written.',
    cure: 'Check the path in `journal`, the rights and the free space. Never delete the journal: it is what stops a second posting.',
  },
  'journal-busy': {
    exit: EXIT.tryLater,
    cause: 'Another program has kept the journal locked for longer than a write ever takes.',
    cure: 'Run again: the work is kept. If it stays, find the program that has the file open, such as a backup, a database browser or a bridge that was suspended, and end it.',
  },
  'journal-damaged': {
    exit: EXIT.cannotWrite,
    cause: 'The journal is no SQLite database any more, or pages of it are damaged.',
    cure: 'If `journal` names a wrong file, correct it. Otherwise stop every bridge and keep the file with its -wal and -shm as they are. Restore the latest backup, or save what can be read with `sqlite3 journal.db .recover`. Do not start with an empty journal: it is what stops a second posting.',
  },
  'journal-newer': {
    exit: EXIT.badConfiguration,
    cause: 'The journal was written by a newer version of dropbridge.',
    cure: 'Use the newer version, or point `journal` to another file.',
  },
  'journal-altered': {
    exit: EXIT.unusableFile,
    cause:
      'The journal is not what was written into it: something of it was changed, removed or put in by other means.',
    cure: 'Find out who had access to the file. Restore the journal from a backup made before, or go on with it knowing what is told; see docs/audit.md.',
  },
  'journal-older': {
    exit: EXIT.badConfiguration,
    cause:
      'The journal is older than what was done with it: a backup was put back, or a copy of it is at work elsewhere. Nothing was sent or delivered.',
    cure: 'If a copy of the state folder is at work elsewhere, stop one of the two first. Then put the newest journal back, with its mark. Where that is lost: `dropbridge restored --by NAME --why TEXT`, first with `--dry-run`.',
  },
  'sqlite-missing': {
    exit: EXIT.cannotWrite,
    cause:
      'The program was installed with another Node than the one that runs it, or without its SQLite library.',
    cure: 'Install it again with this Node, with optional dependencies and install scripts allowed: `npm ci` in its folder.',
  },
  'service-data-unusable': {
    exit: EXIT.cannotWrite,
    cause: 'The database of the service cannot be opened, or was made by another version.',
    cure: 'Check the folder named with --data and the rights on it, or start with a new folder.',
  },
  'service-data-in-use': {
    exit: EXIT.tryLater,
    cause: 'Another service works with the same data folder.',
    cure: 'Stop the other service, or start this one with a folder of its own.',
  },
  'lease-held': {
    exit: EXIT.tryLater,
    cause: 'Another bridge is working on this route.',
    cure: 'Wait for it. If it was killed, its lease runs out within seconds and the next run takes over.',
  },
  'lease-lost': {
    exit: EXIT.tryLater,
    cause: 'This bridge was silent for longer than its lease, and another one has taken the route over.',
    cure: 'Nothing to do: the other bridge goes on. If it happens often, the machine stalls for long times.',
  },
  'time-over': {
    exit: EXIT.tryLater,
    cause:
      'The time that was given with --until was over before all was done. Nothing new was begun after it.',
    cure: 'Nothing to do: the next run goes on from the journal. When it stays, give the run more time.',
  },
  'notice-not-sent': {
    exit: EXIT.unavailable,
    cause:
      'A mail server, a webhook or a command did not take a notice. Notices never change how the work itself ends.',
    cure: 'Correct what the message says under `notices`, then try `dropbridge notices test NAME`.',
  },
  interrupted: {
    exit: EXIT.interrupted,
    cause: 'A signal asked the program to stop.',
    cure: 'Nothing to do: the next run goes on from the journal. What has no answer yet is looked up before anything is sent again.',
  },
  bug: {
    exit: EXIT.bug,
    cause: 'Something happened that the program believes impossible.',
    cure: 'Please report it with the message. The journal keeps the work.',
  },
} as const satisfies Record<string, FailureKind>

export type FailureCode = keyof typeof FAILURES

/**
 * Something is wrong with the world or with the program. Thrown, never returned. The code decides what to do next;
 * the message is for people and never decides anything. Keep the `cause`.
 */
export class BridgeError extends Error {
  readonly code: FailureCode
  /** Single places that are wrong, one line each, where there are several. */
  readonly details: readonly string[]
  /** What to do about this very one. */
  readonly cure: string

  constructor(
    code: FailureCode,
    message: string,
    options: { cause?: unknown; details?: readonly string[]; cure?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BridgeError'
    this.code = code
    this.details = options.details ?? []
    this.cure = options.cure ?? FAILURES[code].cure
  }

  get exit(): ExitCode {
    return FAILURES[this.code].exit
  }
}

/** Whether a thrown value is a failure of one of the given kinds. */
export function hasCode(error: unknown, ...codes: FailureCode[]): error is BridgeError {
  return error instanceof BridgeError && codes.includes(error.code)
}

/** Whether a thrown value carries the given system error code, such as ENOENT. */
export function hasSystemCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** States what must be true; a false one is a bug of ours and stops the program. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new BridgeError('bug', message)
}
