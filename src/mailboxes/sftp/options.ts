/** The options of an SFTP mailbox. */
import type { WorkingFiles } from '../../domain/mailbox.ts'
import type { Clock } from '../../support/clock.ts'
import type { SocketTarget } from './socket.ts'

/** How to reach, trust and log in to a server. */
export interface SftpServer extends SocketTarget {
  /** The mailbox's name in the configuration, for messages. */
  readonly mailbox: string
  readonly username: string
  readonly login: SftpLogin
  /** The trusted keys of the server. Without either, no key is trusted. */
  readonly trust: {
    readonly knownHostsFile?: string
    /** Fingerprints such as `SHA256:…`; if there are any, only these count. */
    readonly pinned?: readonly string[]
  }
  /** An address such as `socks5://user:password@host:1080` or `http://host:3128`. */
  readonly proxy?: string
}

/** The bridge tries all given ways. */
export interface SftpLogin {
  readonly password?: string
  readonly privateKeyFile?: string
  readonly passphrase?: string
  /** The path of an agent's socket, or of its pipe on Windows. */
  readonly agent?: string
}

export interface SftpMailboxOptions extends SftpServer {
  /** The folder on the server: absolute, or relative to the start folder of a login. */
  readonly root: string
  /** How many connections may be open at once. */
  readonly connections: number
  /** How an upload is checked before it gets its name: by its size, or by reading it back. */
  readonly verify: 'size' | 'hash'
  /** How a file is claimed: renamed, or left in place on a server without the right to move it. */
  readonly claim: 'rename' | 'leave'
  /** How a file is delivered: renamed into place, or written directly under its name without the right to rename. */
  readonly deliver: 'rename' | 'direct'
  readonly clock: Clock
  readonly random: () => number
  /** With true, no retries. */
  readonly isImpatient?: boolean
  /** Makes working names unique. */
  readonly newId: () => string
  /** The owner of working files to create and remove. */
  readonly working: WorkingFiles
}
