/** The thread that `sending-thread.ts` starts: it sends what it gets by messages, and answers in messages. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { isFresh, type Renewal, systemClock } from '../support/clock.ts'
import {
  type Exchange,
  openTransport,
  type Transport,
  type TransportOptions,
  type TransportRequest,
} from './transport.ts'

/** `transport`: the number that the first message gave it. */
export type ToThread = { readonly transport: number } & (
  | { readonly kind: 'open'; readonly options: Omit<TransportOptions, 'clock'> }
  | { readonly kind: 'requests'; readonly requests: readonly SentRequest[] }
  | { readonly kind: 'abort' | 'close' }
)

export interface SentRequest {
  readonly id: number
  readonly request: TransportRequest
  readonly headers: string[]
  /** The lease under which it may be sent; the memory is shared, so that the thread sees each renewal. */
  readonly renewal: Renewal | undefined
}

export interface WorkerData {
  /** How long answers wait for others, to go over in one message. */
  readonly messageEveryMs: number
}

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'closed'; readonly transport: number }
  | {
      readonly kind: 'exchanges'
      readonly transport: number
      readonly exchanges: readonly { readonly id: number; readonly exchange: SentExchange }[]
      /** How far the API's clock is ahead, in milliseconds. */
      readonly offsetMs: number
    }

/** An exchange as it crosses to the other thread: a message would lose the code of an error. */
export type SentExchange =
  | Extract<Exchange, { ended: 'answer' }>
  | { readonly ended: 'nothing-sent' | 'no-answer'; readonly cause: SentError }

interface SentError {
  readonly message: string
  readonly name: string
  readonly stack: string | undefined
  readonly details: Readonly<Record<string, string | number>>
}

function toSentExchange(exchange: Exchange): SentExchange {
  if (exchange.ended === 'answer') return exchange
  const { cause } = exchange
  const { message, name, stack } = cause
  return { ended: exchange.ended, cause: { message, name, stack, details: pickPlain(cause) } }
}

/** Such as `code`, `syscall` and `address`. */
function pickPlain(details: object): Record<string, string | number> {
  const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  return Object.fromEntries(Object.entries(details).filter(([, value]) => isPlain(value)))
}

// Only types of this file are imported by other threads, never its code.
const { messageEveryMs } = workerData as WorkerData

function serve(port: MessagePort): void {
  const transports = new Map<number, ReturnType<typeof serveTransport>>()
  port.on('message', (message: ToThread) => {
    const { kind, transport: number } = message
    if (kind === 'open') {
      const post = (answer: FromThread) => port.postMessage(answer)
      transports.set(
        number,
        serveTransport(number, openTransport({ ...message.options, clock: systemClock }), post),
      )
      return
    }
    const transport = transports.get(number)
    if (kind === 'requests') transport?.send(message.requests)
    if (kind === 'abort') transport?.abort()
    if (kind === 'close') void transport?.close().then(() => transports.delete(number))
  })
  port.postMessage({ kind: 'ready' } satisfies FromThread)
}

function serveTransport(number: number, transport: Transport, post: (answer: FromThread) => void) {
  let exchanges: { id: number; exchange: SentExchange }[] = []
  let flushing: NodeJS.Timeout | undefined
  const flush = () => {
    flushing = undefined
    post({ kind: 'exchanges', transport: number, exchanges, offsetMs: transport.clockOffsetMs() })
    exchanges = []
  }
  const sendOne = async ({ id, request, headers, renewal }: SentRequest) => {
    const right = renewal === undefined ? undefined : { isValid: () => isFresh(renewal, systemClock) }
    const exchange = await transport.exchange(request, headers, right)
    exchanges.push({ id, exchange: toSentExchange(exchange) })
    flushing ??= setTimeout(flush, messageEveryMs)
  }
  return {
    send(requests: readonly SentRequest[]): void {
      for (const request of requests) void sendOne(request)
    },
    abort: () => void transport.abortAll(),
    async close() {
      await transport.close()
      clearTimeout(flushing)
      flush()
      post({ kind: 'closed', transport: number })
    },
  }
}

if (parentPort !== null) serve(parentPort)
