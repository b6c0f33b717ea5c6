/** Opens connections to an SFTP server and keeps a small pool of them. A lost one is replaced. */
import type { Socket } from 'node:net'
import type { SFTPWrapper } from 'ssh2'
import type SftpClientClass from 'ssh2-sftp-client'
import { waitAtMost } from '../../support/async.ts'
import { BridgeError, getErrorMessage, hasCode } from '../../support/errors.ts'
import { isRefusedLogin, prepareLogin } from './auth.ts'
import { type KeyOffer, withTrustedHost } from './host-keys.ts'
import type { SftpMailboxOptions, SftpServer } from './options.ts'
import {
  ConnectionLost,
  createCalls,
  isRefusal,
  type SftpCalls,
  STATUS,
  trackPendingCalls,
} from './protocol.ts'
import { openSocket, suggestServerFix } from './socket.ts'
import { SftpClient } from './ssh2.ts'

export type ConnectionPool = ReturnType<typeof createConnectionPool>

export function createConnectionPool(options: SftpMailboxOptions) {
  const pool = createPool(options)
  const retries = createRetryPolicy(options)
  /** Lends a connection to the caller, without a second try. */
  const borrow = async () => {
    retries.throwIfRefused()
    try {
      return await pool.acquire()
    } catch (error) {
      throw retries.noteRefusal(error)
    }
  }
  const release = (connection: Connection) => {
    if (!connection.isLost()) retries.recordSuccess()
    pool.release(connection)
  }
  const once = async <Result>(work: ConnectionWork<Result>): Promise<Result> => {
    const connection = await borrow()
    try {
      return await withFreshFolders(connection, work)
    } finally {
      release(connection)
    }
  }
  return {
    borrow,
    release,
    waitForRetry: retries.waitForRetry,
    close: pool.close,
    /** Does the work with its own connection; restarts it after a loss, as long as `reached` grows. */
    use: async <Result>(work: ConnectionWork<Result>, reached = () => 0): Promise<Result> => {
      let before = reached()
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(work)
        } catch (error) {
          if (reached() > before) tries = 1
          before = reached()
          await retries.waitForRetry(error, tries)
        }
      }
    },
  }
}

type ConnectionWork<T> = (connection: Connection) => Promise<T>

/** Repeats the work when a cached folder is gone, to find or create the folder again. */
async function withFreshFolders<T>(connection: Connection, work: ConnectionWork<T>): Promise<T> {
  const believed = connection.folders.size > 0
  try {
    return await work(connection)
  } catch (error) {
    connection.folders.clear()
    const cause = error instanceof BridgeError ? error.cause : error
    if (!believed || !isRefusal(cause, STATUS.noSuchFile, STATUS.failure)) throw error
    return work(connection)
  }
}

const TRIES_MAX = 4
const FIRST_WAIT_MS = 500

/** A refused login is not tried again for this long: many servers lock an account after a few. */
const REFUSED_FOR_MS = 5 * 60_000

/** Limits retries. While a server is away, each piece of work gets one try. */
function createRetryPolicy(options: SftpMailboxOptions) {
  const { clock, random, isImpatient = false, mailbox, host, port, proxy } = options
  const fix = suggestServerFix({ host, port }, proxy, `mailboxes.${mailbox}`)

  let isAway = isImpatient
  let refused: { readonly failure: BridgeError; readonly until: number } | undefined
  return {
    recordSuccess: () => {
      isAway = isImpatient
    },
    throwIfRefused: () => {
      if (refused !== undefined && clock.now() < refused.until) throw refused.failure
      refused = undefined
    },
    noteRefusal: (error: unknown): unknown => {
      if (hasCode(error, 'credentials-refused')) {
        refused = { failure: error, until: clock.now() + REFUSED_FOR_MS }
      }
      return error
    },
    /** Waits before the next try; after too many tries, throws the loss as a failure. */
    waitForRetry: async (error: unknown, tries: number): Promise<void> => {
      if (!(error instanceof ConnectionLost)) throw error
      if (isAway || tries >= TRIES_MAX) {
        isAway = true
        const often = tries === 1 ? 'at the first try' : `after ${tries} tries`
        const message = `${error.message.replace(/\.$/, '')}; given up ${often}.`
        throw new BridgeError('mailbox-unreachable', message, { cause: error, fix })
      }
      const wait = FIRST_WAIT_MS * 2 ** (tries - 1)
      await clock.sleep(wait / 2 + random() * wait)
    },
  }
}

/** Closes an idle connection after this long, because partners count idle sessions. */
const IDLE_MS = 60_000

function createPool(server: SftpMailboxOptions) {
  const idle: Connection[] = []
  const waiting: (() => void)[] = []
  let busy = 0
  let timer: NodeJS.Timeout | undefined
  const endIdle = () => Promise.all(idle.splice(0).map((connection) => connection.end()))
  return {
    acquire: async (): Promise<Connection> => {
      while (busy >= server.connections) await new Promise<void>((resolve) => waiting.push(resolve))
      clearTimeout(timer)
      busy += 1
      for (let known = idle.pop(); known !== undefined; known = idle.pop()) if (!known.isLost()) return known
      try {
        return await openConnection(server)
      } catch (error) {
        busy -= 1
        waiting.shift()?.()
        throw error
      }
    },
    release: (connection: Connection): void => {
      busy -= 1
      if (!connection.isLost()) idle.push(connection)
      waiting.shift()?.()
      clearTimeout(timer)
      timer = setTimeout(() => void endIdle(), IDLE_MS)
      timer.unref()
    },
    close: async (): Promise<void> => {
      clearTimeout(timer)
      await endIdle()
    },
  }
}

// One connection, with its own deadline; discarded at the first doubt.

export interface Connection {
  readonly calls: SftpCalls
  readonly isLost: () => boolean
  /** The folders found on this connection: their paths in the mailbox, and their real paths. */
  readonly folders: Map<string, string>
  /** Ends the session properly where that takes no time. */
  end(): Promise<void>
}

/** Throws `ConnectionLost` where another try may help, and a `BridgeError` where none will. */
async function openConnection(server: SftpServer): Promise<Connection> {
  const login = await prepareLogin(server)
  try {
    return await withTrustedHost(server, (offer) => openSession(server, { ...offer, ...login.options }))
  } catch (error) {
    if (isRefusedLogin(error)) throw login.refused(describeServer(server))
    if (hasCode(error, 'mailbox-unreachable')) throw new ConnectionLost(error.message, error)
    if (error instanceof BridgeError || error instanceof ConnectionLost) throw error
    const why = getErrorMessage(error, 'the connection failed')
    throw new ConnectionLost(`${describeServer(server)} does not answer as an SFTP server: ${why}`, error)
  }
}

/** For people; without the user's name. */
function describeServer({ host, port }: Pick<SftpServer, 'host' | 'port'>): string {
  return `The SFTP server ${host}${port === 22 ? '' : `:${port}`}`
}

type ConnectOptions = Omit<KeyOffer, 'algorithms'> &
  Pick<SftpClientClass.ConnectOptions, 'algorithms' | 'username' | 'authHandler'>

async function openSession(server: SftpServer, options: ConnectOptions): Promise<Connection> {
  const socket = await openSocket(server, server.proxy, new AbortController().signal)
  // As long as the socket lives, its error events need a listener.
  let raw: Error | undefined
  const keepFirstError = (error: unknown) => (raw ??= error instanceof Error ? error : undefined)
  socket.on('error', keepFirstError)
  const client = new SftpClient('dropbridge', { error: keepFirstError, end: () => {}, close: () => {} })
  // The wrapper's own errors say less: it drops the level that identifies a refused login.
  client.on('error', keepFirstError)
  const { timeoutMs } = server
  let timer: NodeJS.Timeout | undefined
  try {
    const sftp = await Promise.race([
      client.connect({ ...options, sock: socket, readyTimeout: timeoutMs }),
      new Promise<never>((_, reject) => {
        const late = `${describeServer(server)} did not let us in within ${timeoutMs / 1000} seconds`
        timer = setTimeout(() => reject(new ConnectionLost(late)), timeoutMs)
        const fail = () => reject(raw ?? new Error('the server closed the connection'))
        socket.once('close', () => setImmediate(fail))
      }),
    ])
    return createConnection(server, client, socket, sftp)
  } catch (error) {
    socket.destroy()
    throw raw ?? error
  } finally {
    clearTimeout(timer)
  }
}

function createConnection(server: SftpServer, client: SftpClientClass, socket: Socket, sftp: SFTPWrapper) {
  let isLost = false
  const discard = (why: ConnectionLost) => {
    isLost = true
    asked.end(why)
    // Never `end()` of the library here: on a broken connection it may not come back.
    socket.destroy()
  }
  const asked = trackPendingCalls(describeServer(server), server.timeoutMs, discard)
  const gone = (error?: unknown) =>
    discard(new ConnectionLost(`${describeServer(server)} ended the connection${formatCause(error)}`, error))
  socket.on('close', () => gone()).on('error', gone)
  sftp.on('error', gone)
  sftp.on('close', () => gone())
  return {
    calls: createCalls(sftp, asked),
    isLost: () => isLost,
    folders: new Map(),
    end: async () => {
      if (isLost) return
      isLost = true
      const goodbye = client.end().catch(() => false)
      await waitAtMost(GOODBYE_MS, goodbye)
      discard(new ConnectionLost('the connection was closed'))
    },
  }
}

/** Any cooperative server has closed the session by then. */
const GOODBYE_MS = 1000

function formatCause(error: unknown): string {
  return error instanceof Error && error.message !== '' ? ` (${error.message})` : ''
}
