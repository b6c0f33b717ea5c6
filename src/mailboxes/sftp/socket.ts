/** The TCP connection under an SFTP session: straight to the server, or through a SOCKS 5 or HTTP proxy. */
import { request } from 'node:http'
import { connect, isIPv6, type Socket } from 'node:net'
import { SocksClient } from 'socks'
import { deadlineAfter } from '../../support/deadline.ts'
import { BridgeError } from '../../support/errors.ts'
import { type Proxy, proxyOf } from './proxy.ts'

export interface SocketTarget {
  readonly host: string
  readonly port: number
  /** For all of it: the name, the connection, and what the proxy has to say. */
  readonly timeoutMs: number
}

/** Gives a socket that is connected to the server, paused, and never kills the program by an error nobody listens for. */
export async function openSocket(
  target: SocketTarget,
  proxyAddress: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const proxy = proxyAddress === undefined ? undefined : proxyOf(proxyAddress)
  const deadline = deadlineAfter(target.timeoutMs, signal)
  const until = deadline.signal
  const where = placeOf(target, proxy)
  let socket: Socket | undefined
  const cutOff = () => socket?.destroy(new Error('given up'))
  until.addEventListener('abort', cutOff, { once: true })
  try {
    until.throwIfAborted()
    socket = dial(proxy ?? target)
    await connected(socket)
    if (proxy?.kind === 'socks5') await throughSocks(socket, proxy, target)
    if (proxy?.kind === 'http') await throughHttp(socket, proxy, target)
    until.throwIfAborted()
    return socket
  } catch (error) {
    socket?.destroy()
    if (error instanceof BridgeError) throw error
    const seconds = `it did not answer within ${target.timeoutMs / 1000} seconds`
    const why = deadline.isOver() ? seconds : messageOf(error)
    // No cause: what the libraries throw holds the proxy's password.
    throw new BridgeError('mailbox-unreachable', `${where} cannot be reached: ${why}.`)
  } finally {
    until.removeEventListener('abort', cutOff)
    deadline.end()
  }
}

function placeOf({ host, port }: SocketTarget, proxy: Proxy | undefined): string {
  const place = `The SFTP server ${authorityOf(host, port)}`
  return proxy === undefined ? place : `${place} by the proxy ${authorityOf(proxy.host, proxy.port)}`
}

function authorityOf(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

const KEEP_ALIVE_AFTER_MS = 30_000
/** Node gives an address a quarter of a second before it tries the next one, which far servers do not manage. */
const NEXT_ADDRESS_AFTER_MS = 2500

function dial({ host, port }: { readonly host: string; readonly port: number }): Socket {
  const socket = connect({ host, port, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS })
  // Without it an upload takes a hundred times as long: each packet would wait for an answer to the one before.
  socket.setNoDelay(true)
  socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS)
  socket.on('error', () => {})
  return socket
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
}

async function throughSocks(socket: Socket, proxy: Proxy, target: SocketTarget): Promise<void> {
  const { host, port, username, password } = proxy
  const login = username === undefined ? {} : { userId: username, password: password ?? '' }
  const early: Buffer[] = []
  try {
    await SocksClient.createConnection({
      proxy: { host, port, type: 5, ...login },
      command: 'connect',
      destination: { host: target.host, port: target.port },
      existing_socket: socket,
      timeout: target.timeoutMs,
    })
  } catch (error) {
    throw isRefusedLogin(error) ? refusedLogin(proxy) : error
  }
  // The library gives what came right behind the proxy's answer to whoever listens a moment later, and to nobody else.
  const keep = (chunk: Buffer) => void early.push(chunk)
  socket.on('data', keep)
  await new Promise((resolve) => setImmediate(resolve))
  socket.pause()
  socket.off('data', keep)
  if (early.length > 0) socket.unshift(Buffer.concat(early))
}

/** The library has only words for it. */
function isRefusedLogin(error: unknown): boolean {
  return /authentication/i.test(messageOf(error))
}

function throughHttp(socket: Socket, proxy: Proxy, target: SocketTarget): Promise<void> {
  const { username, password = '' } = proxy
  const authority = authorityOf(target.host, target.port)
  const login = Buffer.from(`${username}:${password}`).toString('base64')
  const headers = {
    host: authority,
    ...(username === undefined ? {} : { 'proxy-authorization': `Basic ${login}` }),
  }
  return new Promise((resolve, reject) => {
    const asked = request({ method: 'CONNECT', path: authority, headers, createConnection: () => socket })
    asked.once('error', reject)
    asked.once('response', (answer) => reject(refusedByHttp(answer.statusCode, proxy)))
    asked.once('connect', (answer, connection, head) => {
      if (answer.statusCode !== 200) return reject(refusedByHttp(answer.statusCode, proxy))
      connection.pause()
      if (head.length > 0) connection.unshift(head)
      resolve()
    })
    asked.end()
  })
}

function refusedByHttp(status: number | undefined, proxy: Proxy): Error {
  return status === 407 ? refusedLogin(proxy) : new Error(`the proxy answered with ${status ?? 'nothing'}`)
}

function refusedLogin({ host, port }: Proxy): BridgeError {
  return new BridgeError(
    'credentials-refused',
    `The proxy ${authorityOf(host, port)} refused the name and password in \`proxy\`.`,
    { cure: 'Check the name and password in `proxy` of the mailbox. The work is kept.' },
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'the connection failed'
}
