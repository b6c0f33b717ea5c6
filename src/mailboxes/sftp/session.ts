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
import { openSocket } from './socket.ts'
import { SftpClient } from './ssh2.ts'

export type ConnectionPool = ReturnType<typeof createConnectionPool>

export function createConnectionPool(options: SftpMailboxOptions) {
  const pool = createPool(options)
  const retries = createRetryPolicy(options)
  /** A connection for as long as the caller wants, without a second try. */
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
    /** Does the work with its own connection; after a loss again from its start, as long as `reached` grows. */
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

/** A folder that was looked at earlier may be gone: then it is looked for, or made, once more. */
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

/** How often something is tried again. While a server is away, each piece of work gets one try. */
function createRetryPolicy({ clock, random, isImpatient = false }: SftpMailboxOptions) {
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
    /** Waits before the next try, unless there were too many: then what was lost is thrown as a failure. */
    waitForRetry: async (error: unknown, tries: number): Promise<void> => {
      if (!(error instanceof ConnectionLost)) throw error
      if (isAway || tries >= TRIES_MAX) {
        isAway = true
        const often = tries === 1 ? 'at the first try' : `after ${tries} tries`
        const says = `${error.message.replace(/\.$/, '')}; given up ${often}.`
        throw new BridgeError('mailbox-unreachable', says, { cause: error })
      }
      const wait = FIRST_WAIT_MS * 2 ** (tries - 1)
      await clock.sleep(wait / 2 + random() * wait)
    },
  }
}

/** Partners count idle sessions; after this long a connection is not kept for the next piece of work. */
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

// One connection has its own deadline, and is discarded as soon as anything about it is in doubt.

export interface Connection {
  readonly calls: SftpCalls
  readonly isLost: () => boolean
  /** The folders that were looked at on this connection: what they are called in the mailbox, and where they really are. */
  readonly folders: Map<string, string>
  /** Says goodbye where that takes no time. */
  end(): Promise<void>
}

/** Throws `ConnectionLost` where another try may help, and a `BridgeError` where it will not. */
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

/** For people; the user's name is part of it nowhere. */
function describeServer({ host, port }: Pick<SftpServer, 'host' | 'port'>): string {
  return `The SFTP server ${host}${port === 22 ? '' : `:${port}`}`
}

type ConnectOptions = Omit<KeyOffer, 'algorithms'> &
  Pick<SftpClientClass.ConnectOptions, 'algorithms' | 'username' | 'authHandler'>

async function openSession(server: SftpServer, options: ConnectOptions): Promise<Connection> {
  const socket = await openSocket(server, server.proxy, new AbortController().signal)
  // What the library throws at nobody in particular must reach somebody for as long as the socket lives.
  let raw: Error | undefined
  const tell = (error: unknown) => (raw ??= error instanceof Error ? error : undefined)
  socket.on('error', tell)
  const client = new SftpClient('dropbridge', { error: tell, end: () => {}, close: () => {} })
  // The library's own errors say less: it drops the level by which a refused login is known.
  client.on('error', tell)
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

/** A server that wants to hear it has heard it by then. */
const GOODBYE_MS = 1000

function formatCause(error: unknown): string {
  return error instanceof Error && error.message !== '' ? ` (${error.message})` : ''
}
