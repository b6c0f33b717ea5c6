/** What an SFTP mailbox is made from. */
import type { WorkingFiles } from '../../domain/mailbox.ts'
import type { Clock } from '../../support/clock.ts'

/** How a server is reached, known and logged in to. */
export interface SftpServer {
  /** What the configuration calls the mailbox, for messages. */
  readonly mailbox: string
  readonly host: string
  readonly port: number
  readonly username: string
  readonly login: SftpLogin
  /** Which keys the server may show. Without either nothing is trusted. */
  readonly trust: {
    readonly knownHostsFile?: string
    /** Fingerprints such as `SHA256:…`; when there are any, they alone count. */
    readonly pinned?: readonly string[]
  }
  /** An address such as `socks5://user:password@host:1080` or `http://host:3128`. */
  readonly proxy?: string
  /** How long one call may be without an answer. */
  readonly timeoutMs: number
}

/** All ways that are given are tried. */
export interface SftpLogin {
  readonly password?: string
  readonly privateKeyFile?: string
  readonly passphrase?: string
  /** The path of an agent's socket, or of its pipe on Windows. */
  readonly agent?: string
}

export interface SftpMailboxOptions extends SftpServer {
  /** The folder on the server: absolute, or from where a login starts. */
  readonly root: string
  /** How many connections may be open at once. */
  readonly connections: number
  /** How an upload is checked before it gets its name: by its size, or by reading it back. */
  readonly verify: 'size' | 'hash'
  /** How a file is taken: renamed, or left where it is on a server without the right to move it. */
  readonly claim: 'rename' | 'leave'
  /** How a file is left: renamed into place, or written straight under its name on a server without the right to rename. */
  readonly deliver: 'rename' | 'direct'
  readonly clock: Clock
  readonly random: () => number
  /** Nothing is tried again. */
  readonly isImpatient?: boolean
  /** Makes working names unique. */
  readonly newId: () => string
  /** Whose working files are made and swept. */
  readonly working: WorkingFiles
}
