/** Sends one HTTP request and reports how it ended. No other file uses undici. */
import type { Socket } from 'node:net'
import type Undici from 'undici'
import type { buildConnector, Client, Dispatcher, Pool } from 'undici'
import type { LeaseCheck } from '../domain/api.ts'
import type { Clock } from '../support/clock.ts'

/** How a request ended. Never an exception, because the place of a failure decides whether to send again. */
export type Exchange =
  | {
      /** `nothing-sent`: it never got a connection. `no-answer`: it may have been sent, and no status came back. */
      readonly ended: 'nothing-sent' | 'no-answer'
      readonly cause: Error
    }
  | Answer

type Headers = Dispatcher.ResponseData['headers']

export interface Answer {
  readonly ended: 'answer'
  readonly status: number
  readonly headers: Headers
  /** Empty when `bytes` are there. */
  readonly text: string
  /** The raw body of a success, for a request that wants a file. */
  readonly bytes: Uint8Array | undefined
  /** False when the connection, the deadline or the size limit cut the body short. */
  readonly whole: boolean
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** With prefix and query. */
  readonly path: string
  readonly body?: string
  /** The answer is a file and not text. */
  readonly wantsFile?: boolean
}

/** The right to send: asked for right before the first byte leaves; without it, none does. */
export type SendRight = Pick<LeaseCheck, 'isValid' | 'renewal'>

export interface Transport {
  /** `headers` are names and values in turn. */
  exchange(request: TransportRequest, headers: string[], right?: SendRight): Promise<Exchange>
  /** How many requests more than connections are wanted, so that a free connection has the next one at once. */
  spareRequests(): number
  /** How far the server's clock is ahead by its latest answer, in milliseconds; 0 before the first. */
  clockOffsetMs(): number
  /** Cuts off requests in flight. */
  abortAll(): Promise<void>
  /** Lets requests in flight finish, then closes every connection. */
  close(): Promise<void>
}

export interface TransportOptions {
  readonly origin: string
  readonly clock: Clock
  readonly timeoutMs: number
  readonly connections: number
}

/** The largest error body; it is for people, who read no more. */
const LARGEST_ERROR_BODY = 64 * 1024
/** How long an error body may take: the status is known, and says what became of the request. */
const LONGEST_ERROR_BODY_MS = 5000
const LARGEST_BODY = 64 * 1024 * 1024

/** Far more than a label or a packing slip has, and small enough to hold several in memory. */
const LARGEST_FILE = 20 * 1024 * 1024

/** Of a request that lost its lease while it waited for a connection. */
export const RIGHT_LOST = 'the right to send was lost before a byte of it left'

/** Short, so that the client seldom sends on a connection that the server has just closed. */
const KEEP_ALIVE_MS = 4_000
const LONGEST_CONNECT_MS = 10_000

export function openTransport(options: TransportOptions): Transport {
  const { clock, timeoutMs } = options
  const state: TransportState = { clock, timeoutMs, latestDate: undefined, latestAt: 0 }
  let pool: Pool | undefined
  let opening: Promise<Pool> | undefined
  let abortion: Error | undefined
  let closed: Promise<void> | undefined
  const open = async () => {
    opening ??= openPool(options)
    pool = await opening
    if (abortion !== undefined || closed !== undefined) await pool.destroy(abortion ?? null)
    return pool
  }

  return {
    async exchange(request, headers, right) {
      const target = pool ?? (await open())
      return new Promise((resolve) => {
        const { method, path, body = null, wantsFile } = request
        target.dispatch({ method, path, headers, body }, new Receiver(resolve, state, { wantsFile, right }))
      })
    },
    spareRequests: () => 0,
    clockOffsetMs() {
      const serverTime = state.latestDate === undefined ? Number.NaN : Date.parse(state.latestDate)
      return Number.isNaN(serverTime) ? 0 : Math.round(serverTime - state.latestAt)
    },
    async abortAll() {
      abortion ??= new Error('the bridge was stopped')
      await pool?.destroy(abortion)
    },
    close() {
      closed ??= closePool(opening)
      return closed
    },
  }
}

async function closePool(opening: Promise<Pool> | undefined): Promise<void> {
  const pool = await opening
  if (pool?.destroyed === false) await pool.close()
}

async function openPool({ origin, timeoutMs, connections }: TransportOptions): Promise<Pool> {
  // Loaded on demand: many commands send nothing.
  const undici = await import('undici')
  const connect = createConnector(undici, Math.min(timeoutMs, LONGEST_CONNECT_MS))
  return new undici.Pool(origin, {
    factory(url, options) {
      const client: Client = new undici.Client(url, {
        ...options,
        connect: connect(() => client.stats.running > 0),
      })
      return client
    },
    connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
}

/** The shared state of the requests of one transport. */
interface TransportState {
  readonly clock: Clock
  readonly timeoutMs: number
  latestDate: string | undefined
  /** The bridge's time in the middle of the request with the answer of `latestDate`. */
  latestAt: number
}

/** What its receiver needs to know of a request. */
interface Asked {
  readonly wantsFile: boolean | undefined
  readonly right: SendRight | undefined
}

/**
 * Receives one answer. A class, so that the methods are not created for every request; and not `pool.request`, because
 * only a handler learns when its request gets a connection, which proves whether anything was sent.
 */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #resolve: (exchange: Exchange) => void
  readonly #watch: TransportState
  readonly #wantsFile: boolean
  readonly #right: SendRight | undefined
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #deadline: NodeJS.Timeout | undefined
  #bodyDeadline: NodeJS.Timeout | undefined
  #startedAt = 0
  #status = 0
  #headers: Headers = {}
  #size = 0
  #room: number

  constructor(resolve: (exchange: Exchange) => void, watch: TransportState, asked: Asked) {
    const { wantsFile = false, right } = asked
    this.#resolve = resolve
    this.#watch = watch
    this.#wantsFile = wantsFile
    this.#right = right
    this.#room = wantsFile ? LARGEST_FILE : LARGEST_BODY
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#controller !== undefined) {
      controller.abort(new Error('the connection broke and the request would have been sent a second time'))
      return
    }
    if (this.#right?.isValid() === false) {
      controller.abort(new Error(RIGHT_LOST))
      return
    }
    this.#controller = controller
    this.#startedAt = this.#watch.clock.now()
    // a real timer for any clock: it is about a socket, and starts only once the request has one
    this.#deadline = setTimeout(abortLate, this.#watch.timeoutMs, controller, this.#watch.timeoutMs)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    if (status >= 300) {
      this.#room = LARGEST_ERROR_BODY
      this.#bodyDeadline = setTimeout(abortLate, LONGEST_ERROR_BODY_MS, controller, LONGEST_ERROR_BODY_MS)
    }
    if (typeof headers['date'] !== 'string') return
    this.#watch.latestDate = headers['date']
    this.#watch.latestAt = (this.#startedAt + this.#watch.clock.now()) / 2
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const left = this.#room - this.#size
    this.#chunks.push(chunk.length > left ? chunk.subarray(0, left) : chunk)
    this.#size += Math.min(chunk.length, left)
    if (chunk.length > left) controller.abort(new Error(`the body is larger than ${this.#room} bytes`))
  }

  onResponseEnd(): void {
    this.#answer(true)
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, cause: Error): void {
    if (this.#status !== 0) return this.#answer(false)
    clearTimeout(this.#deadline)
    this.#resolve({ ended: this.#controller === undefined ? 'nothing-sent' : 'no-answer', cause })
  }

  #answer(whole: boolean): void {
    clearTimeout(this.#deadline)
    clearTimeout(this.#bodyDeadline)
    const [first, ...rest] = this.#chunks
    const bytes = rest.length === 0 ? first : Buffer.concat(this.#chunks, this.#size)
    const isFile = this.#wantsFile && this.#status < 300
    this.#resolve({
      ended: 'answer',
      status: this.#status,
      headers: this.#headers,
      text: isFile ? '' : (bytes?.toString() ?? ''),
      bytes: isFile ? (bytes ?? new Uint8Array()) : undefined,
      whole,
    })
  }
}

function abortLate(controller: Dispatcher.DispatchController, timeoutMs: number): void {
  controller.abort(new Error(`no whole answer within ${timeoutMs} ms, which is api.timeout`))
}

/** The first value of a header. */
export function getHeader(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}

// Opens connections. One that breaks off a request is reset, so that its rest is never sent.

/** TCP connection and TLS handshake may each take `timeoutMs`. `isBusy`: a request has no whole answer yet. */
function createConnector({ buildConnector: build }: typeof Undici, timeoutMs: number) {
  const openTcp = build({ timeout: timeoutMs })
  const openTls = build({ timeout: timeoutMs })

  return (isBusy: () => boolean): buildConnector.connector =>
    (options, callback) => {
      const isTls = options.protocol === 'https:'
      openTcp({ ...options, protocol: 'http:', port: options.port || (isTls ? '443' : '80') }, (...tcp) => {
        if (tcp[0] !== null) return callback(tcp[0], null)
        if (!isTls) return callback(null, resetWhenBusy(tcp[1], tcp[1], isBusy))
        openTls({ ...options, httpSocket: tcp[1] }, (...tls) => {
          if (tls[0] !== null) return callback(tls[0], null)
          callback(null, resetWhenBusy(tls[1], tcp[1], isBusy))
        })
      })
    }
}

/**
 * Makes `destroy` of a busy socket reset the TCP connection below it. After an ordinary close the system continues to send
 * written bytes for minutes. The server could then carry out a request that a lookup did not find.
 */
function resetWhenBusy(socket: Socket, tcp: Socket, isBusy: () => boolean): Socket {
  const close = socket.destroy.bind(socket)
  socket.destroy = (error) => {
    socket.destroy = close
    if (!socket.destroyed && isBusy()) {
      // `resetAndDestroy` calls it without the error, by which undici distinguishes an abort from a loss
      const closeTcp = tcp.destroy.bind(tcp)
      tcp.destroy = () => closeTcp(error)
      tcp.resetAndDestroy()
    }
    return close(error)
  }
  return socket
}
