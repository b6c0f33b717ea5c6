/** Opens the TCP connection under an SFTP session: directly, or through a SOCKS 5 or HTTP proxy. */
import { request } from 'node:http'
import { connect, isIPv6, type Socket } from 'node:net'
import { SocksClient } from 'socks'
import { startDeadline } from '../../support/async.ts'
import { BridgeError, getErrorMessage } from '../../support/errors.ts'

export interface SocketTarget {
  readonly host: string
  readonly port: number
  /** How long one call may be without an answer; for the lookup, the connection and the proxy together. */
  readonly timeoutMs: number
}

/** Opens a connected, paused socket with an error listener, so that no error event ends the program. */
export async function openSocket(
  target: SocketTarget,
  proxyAddress: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const proxy = proxyAddress === undefined ? undefined : parseProxy(proxyAddress)
  const deadline = startDeadline(target.timeoutMs, signal)
  const until = deadline.signal
  const where = describeTarget(target, proxy)
  let socket: Socket | undefined
  const cutOff = () => socket?.destroy(new Error('given up'))
  until.addEventListener('abort', cutOff, { once: true })
  try {
    until.throwIfAborted()
    socket = dial(proxy ?? target)
    await waitForConnect(socket)
    if (proxy?.kind === 'socks5') await connectThroughSocks(socket, proxy, target)
    if (proxy?.kind === 'http') await connectThroughHttp(socket, proxy, target)
    until.throwIfAborted()
    return socket
  } catch (error) {
    socket?.destroy()
    if (error instanceof BridgeError) throw error
    const seconds = `it did not answer within ${target.timeoutMs / 1000} seconds`
    const why = deadline.isOver() ? seconds : getErrorMessage(error, 'the connection failed')
    // No cause: the errors of the libraries hold the proxy's password.
    const fix = suggestServerFix(target, proxyAddress)
    throw new BridgeError('mailbox-unreachable', `${where} cannot be reached: ${why}.`, { fix })
  } finally {
    until.removeEventListener('abort', cutOff)
    deadline.clear()
  }
}

/** The fix of a server that does not answer as an SFTP server; `name`: how messages call its mailbox. */
export function suggestServerFix(
  { host, port }: Pick<SocketTarget, 'host' | 'port'>,
  proxy: string | undefined,
  name = 'its mailbox',
): string {
  const way = proxy === undefined ? 'the firewall' : 'the proxy and the firewall'
  return `Check host ${host} and port ${port} in ${name}, whether the server runs, and ${way}.`
}

function describeTarget({ host, port }: SocketTarget, proxy: Proxy | undefined): string {
  const place = `The SFTP server ${formatAuthority(host, port)}`
  return proxy === undefined ? place : `${place} by the proxy ${formatAuthority(proxy.host, proxy.port)}`
}

function formatAuthority(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

const KEEP_ALIVE_AFTER_MS = 30_000

/** Node's default of a quarter of a second for each address is too short for distant servers. */
const NEXT_ADDRESS_AFTER_MS = 2500

function dial({ host, port }: { host: string; port: number }): Socket {
  const socket = connect({ host, port, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS })
  // Otherwise an upload takes a hundred times as long: each packet would wait for the answer to the previous one.
  socket.setNoDelay(true)
  socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS)
  socket.on('error', () => {})
  return socket
}

function waitForConnect(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
}

async function connectThroughSocks(socket: Socket, proxy: Proxy, target: SocketTarget): Promise<void> {
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
    throw isProxyLoginRefused(error) ? proxyLoginError(proxy) : error
  }
  // The library emits the bytes right behind the proxy's answer only once, so this listener keeps them.
  const keep = (chunk: Buffer) => void early.push(chunk)
  socket.on('data', keep)
  await new Promise((resolve) => setImmediate(resolve))
  socket.pause()
  socket.off('data', keep)
  if (early.length > 0) socket.unshift(Buffer.concat(early))
}

/** The library reports it only by message. */
function isProxyLoginRefused(error: unknown): boolean {
  return /authentication/i.test(getErrorMessage(error, 'the connection failed'))
}

function connectThroughHttp(socket: Socket, proxy: Proxy, target: SocketTarget): Promise<void> {
  const { username, password = '' } = proxy
  const authority = formatAuthority(target.host, target.port)
  const login = Buffer.from(`${username}:${password}`).toString('base64')
  const headers = {
    host: authority,
    ...(username === undefined ? {} : { 'proxy-authorization': `Basic ${login}` }),
  }
  return new Promise((resolve, reject) => {
    const asked = request({ method: 'CONNECT', path: authority, headers, createConnection: () => socket })
    asked.once('error', reject)
    asked.once('response', (answer) => reject(httpProxyError(answer.statusCode, proxy)))
    asked.once('connect', (answer, connection, head) => {
      if (answer.statusCode !== 200) return reject(httpProxyError(answer.statusCode, proxy))
      connection.pause()
      if (head.length > 0) connection.unshift(head)
      resolve()
    })
    asked.end()
  })
}

function httpProxyError(status: number | undefined, proxy: Proxy): Error {
  return status === 407 ? proxyLoginError(proxy) : new Error(`the proxy answered with ${status ?? 'nothing'}`)
}

function proxyLoginError({ host, port }: Proxy): BridgeError {
  const message = `The proxy ${formatAuthority(host, port)} refused the name and password in \`proxy\`.`
  const fix = 'Check the name and password in `proxy` of the mailbox. The work is kept.'
  return new BridgeError('credentials-refused', message, { fix })
}

interface Proxy {
  readonly kind: 'socks5' | 'http'
  readonly host: string
  readonly port: number
  readonly username?: string
  readonly password?: string
}

/** From `socks5://name:password@host:1080` or `http://host:3128`. The error never repeats the address. */
function parseProxy(address: string): Proxy {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const kind = PROXY_KINDS[url?.protocol ?? '']
  if (url === undefined || kind === undefined || url.hostname === '') {
    const message = 'A proxy must be an address such as socks5://host:1080 or http://host:3128.'
    throw new BridgeError('configuration-invalid', message)
  }
  const { hostname, port, username, password } = url
  return {
    kind,
    // the URL of an address of version 6 has brackets around it
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? DEFAULT_PORTS[kind] : Number(port),
    ...(username === '' ? {} : { username: decodeIfEncoded(username), password: decodeIfEncoded(password) }),
  }
}

/** With the h, the proxy looks up the name; the bridge leaves this to the proxy in any case. */
const PROXY_KINDS: Readonly<Record<string, Proxy['kind']>> = {
  'socks5:': 'socks5',
  'socks5h:': 'socks5',
  'http:': 'http',
}

const DEFAULT_PORTS = { socks5: 1080, http: 80 } as const

/** Decodes a part of a URL; returns invalid encodings unchanged. */
function decodeIfEncoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
