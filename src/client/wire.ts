/** One HTTP request and what became of it: this file and `connect.ts` are all that knows undici. */
import { Client, type Dispatcher, Pool } from 'undici'
import type { Clock } from '../support/clock.ts'
import { createConnect } from './connect.ts'

/** How a request ended. Never an exception: where it ended is what decides about sending again. */
export type Exchange =
  | {
      /** `nothing-sent`: it never got a connection. `no-answer`: it may have left, and no status came back. */
      readonly ended: 'nothing-sent' | 'no-answer'
      readonly cause: Error
    }
  | Answer

export interface Answer {
  readonly ended: 'answer'
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  /** Empty when `bytes` are there. */
  readonly text: string
  /** The body as it came: that of a success to a request that wants a file. */
  readonly bytes: Uint8Array | undefined
  /** False when the connection, the deadline or the size limit cut the body short. */
  readonly whole: boolean
}

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** With prefix and query. */
  readonly path: string
  readonly body?: string
  /** The answer is a file and no text. */
  readonly wantsFile?: boolean
  /** Asked right before the first byte leaves; with false, none does. */
  readonly mayLeave?: () => boolean
}

export interface Wire {
  /** `headers` are names and values in turn. */
  exchange(request: WireRequest, headers: string[]): Promise<Exchange>
  clockOffsetMs(): number
  /** Cuts off what is in flight. */
  cut(): Promise<void>
  /** Lets what is in flight finish, then closes every connection. */
  close(): Promise<void>
}

export interface WireOptions {
  readonly origin: string
  readonly clock: Clock
  readonly timeoutMs: number
  readonly connections: number
}

/** An error body is for people; what a person reads fits in here. */
const LARGEST_ERROR_BODY = 64 * 1024
const LARGEST_BODY = 64 * 1024 * 1024
/** Far more than a label or a packing slip has, and little enough to hold some at once. */
const LARGEST_FILE = 20 * 1024 * 1024
/** Short, so that we seldom send on a connection that the server has just closed. */
const KEEP_ALIVE_MS = 4_000
const LONGEST_CONNECT_MS = 10_000

export function openWire({ origin, clock, timeoutMs, connections }: WireOptions): Wire {
  const connect = createConnect(Math.min(timeoutMs, LONGEST_CONNECT_MS))
  const pool = new Pool(origin, {
    factory(url, options) {
      const client: Client = new Client(url, { ...options, connect: connect(() => client.stats.running > 0) })
      return client
    },
    connections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  const watch: Watch = { clock, timeoutMs, latestDate: undefined, latestAt: 0 }
  let closed: Promise<void> | undefined

  return {
    exchange: (request, headers) =>
      new Promise((resolve) => {
        const { method, path, body = null } = request
        pool.dispatch({ method, path, headers, body }, new Receiver(resolve, watch, request))
      }),
    clockOffsetMs() {
      const theirs = watch.latestDate === undefined ? Number.NaN : Date.parse(watch.latestDate)
      return Number.isNaN(theirs) ? 0 : Math.round(theirs - watch.latestAt)
    },
    cut: () => pool.destroy(new Error('the bridge was stopped')),
    close() {
      closed ??= pool.destroyed ? Promise.resolve() : pool.close()
      return closed
    },
  }
}

/** What the requests of one wire share. */
interface Watch {
  readonly clock: Clock
  readonly timeoutMs: number
  latestDate: string | undefined
  /** Our time in the middle of the request that brought `latestDate`. */
  latestAt: number
}

/**
 * Receives one answer. A class, because there is one per request and its methods should not be made anew; and not
 * `pool.request`, because only a handler is told when its request is given a connection, which is what proves that
 * nothing was sent.
 */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #resolve: (exchange: Exchange) => void
  readonly #watch: Watch
  readonly #wantsFile: boolean
  readonly #mayLeave: (() => boolean) | undefined
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #deadline: NodeJS.Timeout | undefined
  #startedAt = 0
  #status = 0
  #headers: Dispatcher.ResponseData['headers'] = {}
  #size = 0
  #room: number

  constructor(resolve: (exchange: Exchange) => void, watch: Watch, request: WireRequest) {
    const { wantsFile = false, mayLeave } = request
    this.#resolve = resolve
    this.#watch = watch
    this.#wantsFile = wantsFile
    this.#mayLeave = mayLeave
    this.#room = wantsFile ? LARGEST_FILE : LARGEST_BODY
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#controller !== undefined) {
      controller.abort(new Error('the connection broke and the request would have been sent a second time'))
      return
    }
    if (this.#mayLeave?.() === false) {
      controller.abort(new Error('the right to send was lost before a byte of it left'))
      return
    }
    this.#controller = controller
    this.#startedAt = this.#watch.clock.now()
    // a real timer whatever the clock: it is about a socket, and it starts only once the request has one
    this.#deadline = setTimeout(expire, this.#watch.timeoutMs, controller, this.#watch.timeoutMs)
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Dispatcher.ResponseData['headers'],
  ): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    if (status >= 300) this.#room = LARGEST_ERROR_BODY
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

function expire(controller: Dispatcher.DispatchController, timeoutMs: number): void {
  controller.abort(new Error(`no whole answer within ${timeoutMs} ms`))
}

/** The first value of a header. */
export function headerOf(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name]
  return Array.isArray(value) ? value[0] : value
}
