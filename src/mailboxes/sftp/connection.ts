/** One connection to a server: made with its own deadline, and of no use any more once anything about it is in doubt. */
import type { Socket } from 'node:net'
import type SftpClientClass from 'ssh2-sftp-client'
import type { SFTPWrapper } from 'ssh2'
import { BridgeError, hasCode } from '../../support/errors.ts'
import { type Calls, callsOver } from './calls.ts'
import { isRefusedLogin, loginOf } from './credentials.ts'
import { deadlines } from './deadlines.ts'
import { type KeyOffer, withTrustedHost } from './host-keys.ts'
import type { SftpServer } from './options.ts'
import { ConnectionLost } from './refusals.ts'
import { openSocket } from './socket.ts'
import { SftpClient } from './ssh2.ts'

export interface Connection {
  readonly calls: Calls
  readonly isLost: () => boolean
  /** The folders that were looked at on this connection: what they are called in the mailbox, and where they really are. */
  readonly folders: Map<string, string>
  /** Says goodbye where that takes no time. */
  end(): Promise<void>
}

/** Throws `ConnectionLost` where another try may help, and a `BridgeError` where it will not. */
export async function connect(server: SftpServer): Promise<Connection> {
  const login = await loginOf(server)
  try {
    return await withTrustedHost(server, (offer) => open(server, { ...offer, ...login.options }))
  } catch (error) {
    if (isRefusedLogin(error)) throw login.refused(nameOf(server))
    if (hasCode(error, 'mailbox-unreachable')) throw new ConnectionLost(error.message, error)
    if (error instanceof BridgeError || error instanceof ConnectionLost) throw error
    throw new ConnectionLost(`${nameOf(server)} cannot be spoken to: ${messageOf(error)}`, error)
  }
}

/** For people; the user's name is part of it nowhere. */
export function nameOf({ host, port }: Pick<SftpServer, 'host' | 'port'>): string {
  return `The SFTP server ${host}${port === 22 ? '' : `:${port}`}`
}

type ConnectOptions = Omit<KeyOffer, 'algorithms'> &
  Pick<SftpClientClass.ConnectOptions, 'algorithms' | 'username' | 'authHandler'>

async function open(server: SftpServer, options: ConnectOptions): Promise<Connection> {
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
        const late = `${nameOf(server)} did not let us in within ${timeoutMs / 1000} seconds`
        timer = setTimeout(() => reject(new ConnectionLost(late)), timeoutMs)
        socket.once('close', () =>
          setImmediate(() => reject(raw ?? new Error('the server closed the connection'))),
        )
      }),
    ])
    return connectionOver(server, { client, socket, sftp })
  } catch (error) {
    socket.destroy()
    throw raw ?? error
  } finally {
    clearTimeout(timer)
  }
}

interface Parts {
  readonly client: SftpClientClass
  readonly socket: Socket
  readonly sftp: SFTPWrapper
}

function connectionOver(server: SftpServer, { client, socket, sftp }: Parts): Connection {
  let isLost = false
  const lose = (why: ConnectionLost) => {
    isLost = true
    asked.end(why)
    // Never `end()` of the library here: on a broken connection it may not come back.
    socket.destroy()
  }
  const asked = deadlines({ who: nameOf(server), timeoutMs: server.timeoutMs }, lose)
  const gone = (error?: unknown) =>
    lose(new ConnectionLost(`${nameOf(server)} ended the connection${because(error)}`, error))
  socket.on('close', () => gone()).on('error', gone)
  sftp.on('error', gone)
  sftp.on('close', () => gone())
  return {
    calls: callsOver(sftp, asked),
    isLost: () => isLost,
    folders: new Map(),
    end: async () => {
      if (isLost) return
      isLost = true
      let timer: NodeJS.Timeout | undefined
      const bound = new Promise<void>((resolve) => (timer = setTimeout(resolve, GOODBYE_MS)))
      await Promise.race([client.end().catch(() => false), bound])
      clearTimeout(timer)
      lose(new ConnectionLost('the connection was closed'))
    },
  }
}

/** A server that wants to hear it has heard it by then. */
const GOODBYE_MS = 1000

function because(error: unknown): string {
  return error instanceof Error && error.message !== '' ? ` (${error.message})` : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'the connection failed'
}
