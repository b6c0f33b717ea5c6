/**
 * Moves the connections to the API into a thread of its own while much is sent. There, the next request leaves as soon as an
 * answer frees its connection, also while the main thread plans records or waits for the journal.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { waitAtMost } from '../support/async.ts'
import { systemClock } from '../support/clock.ts'
import { resolvePackagePath } from '../support/process.ts'
import type { FromThread, SentExchange, SentRequest, ToThread, WorkerData } from './sending-worker.ts'
import {
  type Exchange,
  openTransport,
  RIGHT_LOST,
  type Transport,
  type TransportOptions,
} from './transport.ts'

export interface ThreadSettings {
  /** After how many requests the thread may be used: starting it costs some 50 ms of another processor, and memory. */
  readonly afterRequests: number
  /** The least share of the time in which this thread waited, and had nothing to do. */
  readonly idleShare: number
  /** Without a request for so long, the connections come back. */
  readonly idleMs: number
}

const USUAL_SETTINGS = { afterRequests: 500, idleMs: 10_000 } as const

/**
 * With two processors, the thread pays only while this one waits for the API: then the connections are what is short. An API that
 * answers at once leaves no time to wait, and the two threads would only share what the processors can do.
 */
const IDLE_SHARES = { twoProcessors: 0.35, more: 0 } as const

/** How long the thread waits for the requests that began without it, so that no more connections than allowed are open. */
const LONGEST_HANDOVER_MS = 1000

/** Undefined without a second processor, or with another clock than the system's, which the thread compares leases by. */
function chooseSettings({ clock }: TransportOptions): ThreadSettings | undefined {
  const processors = availableParallelism()
  if (clock !== systemClock || processors < 2) return undefined
  const { twoProcessors, more } = IDLE_SHARES
  return { ...USUAL_SETTINGS, idleShare: processors === 2 ? twoProcessors : more }
}

/** A transport that works in this thread for few requests, and in one of its own for many. */
export function openBusyTransport(
  options: TransportOptions,
  settings: ThreadSettings | undefined = chooseSettings(options),
): Transport {
  let inline = openTransport(options)
  if (settings === undefined) return inline
  const { afterRequests, idleShare, idleMs } = settings
  let remote: RemoteTransport | undefined
  let starting: Promise<void> | undefined
  let sent = 0
  let usage = performance.eventLoopUtilization()
  let offsetMs = 0
  let isEnding = false
  let isClosed = false
  let idleTimer: NodeJS.Timeout | undefined

  /** Asked again after as many requests more. */
  const isWorthwhile = () => {
    sent = 0
    const { utilization } = performance.eventLoopUtilization(usage)
    usage = performance.eventLoopUtilization()
    return 1 - utilization >= idleShare
  }
  const start = async () => {
    const thread = await useSendingThread()
    if (thread === undefined || isEnding) return
    const opened = thread.open(options)
    offsetMs = inline.clockOffsetMs()
    remote = opened
    // However the old connections end, the requests that wait must leave.
    await waitAtMost(
      LONGEST_HANDOVER_MS,
      inline.close().catch(() => undefined),
    )
    opened.begin()
  }
  const comeBack = (from: RemoteTransport) => {
    if (remote !== from || isEnding) return
    offsetMs = from.clockOffsetMs() || offsetMs
    inline = openTransport(options)
    remote = undefined
    starting = undefined
    sent = 0
    void from.close()
  }
  const exchangeBy = async (busy: RemoteTransport, ...asked: Parameters<Transport['exchange']>) => {
    const exchange = await busy.exchange(...asked)
    if (busy.isIdle()) {
      clearTimeout(idleTimer)
      idleTimer = setTimeout(() => busy.isIdle() && comeBack(busy), idleMs).unref()
    }
    return exchange
  }

  return {
    exchange(request, headers, right) {
      if (remote?.hasFailed() === true) comeBack(remote)
      if (remote !== undefined && !isClosed) return exchangeBy(remote, request, headers, right)
      if (++sent > afterRequests && !isEnding && isWorthwhile()) starting ??= start()
      return inline.exchange(request, headers, right)
    },
    spareRequests: () => (remote ?? inline).spareRequests(),
    clockOffsetMs: () => (remote ?? inline).clockOffsetMs() || offsetMs,
    async abortAll() {
      isEnding = true
      await Promise.all([inline.abortAll(), remote?.abortAll()])
    },
    async close() {
      isEnding = true
      isClosed = true
      clearTimeout(idleTimer)
      await starting
      await Promise.all([inline.close(), remote?.close()])
    },
  }
}

// The thread: one for the whole process, and for all its transports.

/** The built module: the thread runs without the tools that run sources. */
const PROGRAM = 'dist/client/sending-worker.js'

/** What is asked for within this time goes over in one message; enough requests wait in the thread that no connection does. */
const MESSAGE_EVERY_MS = 2

/** Requests and answers live for a moment; the default of 48 MB would be half of what the whole program takes. */
const YOUNG_MB = 24

/** The thread ends when it has no transport for so long. */
const IDLE_THREAD_MS = 10_000

type SendingThread = ReturnType<typeof controlThread>

let current: Promise<SendingThread | undefined> | undefined

/** Undefined where it cannot be started, such as from sources that are not built. */
function useSendingThread(): Promise<SendingThread | undefined> {
  current ??= startSendingThread()
  return current
}

async function startSendingThread(): Promise<SendingThread | undefined> {
  const worker = new Worker(resolvePackagePath(PROGRAM), {
    workerData: { messageEveryMs: MESSAGE_EVERY_MS } satisfies WorkerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  })
  const isReady = await new Promise<boolean>((resolve) => {
    worker.once('message', () => resolve(true))
    worker.once('error', () => resolve(false))
  })
  return isReady ? controlThread(worker) : undefined
}

function controlThread(worker: Worker) {
  const remotes = new Map<number, { take(message: FromThread): void; fail(cause: Error): void }>()
  let busy = 0
  let idleTimer: NodeJS.Timeout | undefined
  let isOver = false
  const end = (cause: Error) => {
    if (!isOver) current = undefined
    isOver = true
    for (const remote of remotes.values()) remote.fail(cause)
    remotes.clear()
  }
  worker.on('message', (message: FromThread) => {
    if (message.kind !== 'ready') remotes.get(message.transport)?.take(message)
  })
  worker.on('error', end)
  worker.on('exit', (code) => end(new Error(`the thread that sends ended with ${code}`)))
  // The program ends when nothing is on its way, without waiting for the thread.
  worker.unref()
  const noteBusy = (change: 1 | -1) => {
    busy += change
    if (busy === 0) worker.unref()
    else if (busy === 1 && change === 1) worker.ref()
  }
  const post = (message: ToThread) => worker.postMessage(message)
  const endIfIdle = () => {
    if (remotes.size > 0 || isOver) return
    isOver = true
    current = undefined
    void worker.terminate()
  }
  const leave = (number: number) => {
    remotes.delete(number)
    clearTimeout(idleTimer)
    idleTimer = setTimeout(endIfIdle, IDLE_THREAD_MS).unref()
  }
  return {
    open(given: TransportOptions) {
      const { clock: _, ...options } = given
      const number = ++lastTransport
      post({ transport: number, kind: 'open', options })
      clearTimeout(idleTimer)
      const spare = options.connections > 1 ? options.connections : 0
      const remote = controlTransport(number, { spare, post, noteBusy, leave: () => leave(number) })
      remotes.set(number, remote)
      return remote
    },
  }
}

let lastTransport = 0

interface RemoteContext {
  /** With one connection, requests leave strictly one after the other. */
  readonly spare: number
  readonly post: (message: ToThread) => void
  /** A request is on its way, or back. */
  readonly noteBusy: (change: 1 | -1) => void
  readonly leave: () => void
}

/** One transport of the thread, from this side. */
interface RemoteTransport extends Transport {
  /** Lets the requests leave that were taken so far, and each later one. */
  begin(): void
  isIdle(): boolean
  /** The thread ended on its own. */
  hasFailed(): boolean
  take(message: FromThread): void
  /** What was sent has no answer; what was not handed over was not sent. */
  fail(cause: Error): void
}

function controlTransport(
  transport: number,
  { spare, post, noteBusy, leave }: RemoteContext,
): RemoteTransport {
  const waiting = new Map<number, (exchange: Exchange) => void>()
  let requests: SentRequest[] = []
  let flushing: NodeJS.Timeout | undefined
  let lastId = 0
  let offsetMs = 0
  let hasBegun = false
  let failure: Error | undefined
  let closed: Promise<void> | undefined
  let noteClosed = (): void => undefined
  const flush = () => {
    flushing = undefined
    if (!hasBegun || requests.length === 0 || failure !== undefined) return
    post({ transport, kind: 'requests', requests })
    requests = []
  }
  const resolve = (id: number, exchange: Exchange) => {
    waiting.get(id)?.(exchange)
    if (waiting.delete(id)) noteBusy(-1)
  }
  const close = async () => {
    if (failure !== undefined) return
    const ended = new Promise<void>((end) => (noteClosed = end))
    noteBusy(1)
    flush()
    post({ transport, kind: 'close' })
    await ended
    noteBusy(-1)
    leave()
  }
  return {
    exchange(request, headers, right) {
      const renewal = right?.renewal
      const hasLostRight = renewal === undefined && right?.isValid() === false
      const refusal = failure ?? (hasLostRight ? new Error(RIGHT_LOST) : undefined)
      if (refusal !== undefined) return Promise.resolve({ ended: 'nothing-sent', cause: refusal })
      const id = ++lastId
      requests.push({ id, request, headers, renewal })
      noteBusy(1)
      flushing ??= setTimeout(flush, MESSAGE_EVERY_MS)
      return new Promise((answer) => waiting.set(id, answer))
    },
    begin() {
      hasBegun = true
      flush()
    },
    isIdle: () => waiting.size === 0,
    hasFailed: () => failure !== undefined,
    take(message) {
      if (message.kind === 'closed') noteClosed()
      if (message.kind !== 'exchanges') return
      offsetMs = message.offsetMs
      for (const { id, exchange } of message.exchanges) resolve(id, reviveExchange(exchange))
    },
    fail(cause) {
      failure ??= cause
      const unsent = new Set(requests.map(({ id }) => id))
      for (const id of waiting.keys())
        resolve(id, { ended: unsent.has(id) ? 'nothing-sent' : 'no-answer', cause })
      noteClosed()
    },
    spareRequests: () => spare,
    clockOffsetMs: () => offsetMs,
    abortAll() {
      if (failure === undefined) post({ transport, kind: 'abort' })
      return Promise.resolve()
    },
    close: () => (closed ??= close()),
  }
}

function reviveExchange(exchange: SentExchange): Exchange {
  if (exchange.ended === 'answer') return exchange
  const { message, details, ...own } = exchange.cause
  return { ended: exchange.ended, cause: Object.assign(new Error(message), own, details) }
}
