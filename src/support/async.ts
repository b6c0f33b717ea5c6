/** Primitives for asynchronous work: timers, queues and limits that several parts of the program share. */
import { setImmediate } from 'node:timers/promises'
import { type Clock, elapsed } from './clock.ts'
import { assert } from './errors.ts'

// A timer that other code can end early.

/** The signal wakes it, and every later wait at once. */
export function createWakeableTimer(clock: Clock, signal: AbortSignal) {
  let hasRung = false
  let wake = (): void => undefined
  const ring = () => {
    hasRung = true
    wake()
  }
  signal.addEventListener('abort', ring)
  return {
    /** Ends the current wait, or the next one. */
    wake: ring,
    /** Waits at most this long for a wake-up; true when there was one. */
    async wait(ms: number): Promise<boolean> {
      if (!hasRung && !signal.aborted) {
        const nap = new AbortController()
        wake = () => nap.abort()
        await clock.sleep(ms, nap.signal)
        wake = () => undefined
      }
      const wasRung = hasRung
      hasRung = false
      return wasRung
    },
  }
}

// A semaphore: callers wait in their order of arrival.

export type Semaphore = ReturnType<typeof createSemaphore>

export function createSemaphore(atOnce: number) {
  let free = atOnce
  const queue: (() => void)[] = []
  return {
    /** Does the work when there is a free slot. */
    async run<Result>(work: () => Promise<Result>): Promise<Result> {
      if (free > 0) free--
      else await new Promise<void>((resolve) => queue.push(resolve))
      try {
        return await work()
      } finally {
        const next = queue.shift()
        if (next === undefined) free++
        else next()
      }
    },
  }
}

// A refresher: runs soon after a change, at least every minute, and uses at most a twentieth of the time.

export type Refresher = ReturnType<typeof startRefresher>

const REFRESH_INTERVAL_MS = 60_000

/** Many files in a row are one change. */
const REFRESH_GAP_MS = 3000

/** A refresh takes at most a twentieth of the time, however much there is to count. */
const REFRESH_COST_FACTOR = 20

/** The longest gap: a refresh that only waited for a slow mailbox cost little, and people wait for fresh data. */
const REFRESH_GAP_MS_MAX = 5 * 60_000

/** A mailbox that does not answer must not keep the program from ending. */
const CLOSE_TIMEOUT_MS = 5000

/** Calls `refresh`, which must not throw, after changes and at intervals. */
export function startRefresher({ clock, refresh }: { clock: Clock; refresh: () => Promise<void> }) {
  const end = new AbortController()
  let wake = new AbortController()
  let isTouched = false

  const loop = async () => {
    while (!end.signal.aborted) {
      const began = elapsed(clock)
      isTouched = false
      await refresh()
      const cost = elapsed(clock) - began
      const rest = Math.min(REFRESH_GAP_MS_MAX, Math.max(REFRESH_GAP_MS, cost * REFRESH_COST_FACTOR))
      await clock.sleep(rest, end.signal)
      if (isTouched || end.signal.aborted) continue
      wake = new AbortController()
      await clock.sleep(REFRESH_INTERVAL_MS, AbortSignal.any([wake.signal, end.signal]))
    }
  }
  const running = loop()
  return {
    /** Requests a refresh soon. */
    markChanged: () => {
      isTouched = true
      wake.abort()
    },
    /** Refreshes once more, unless that takes long, and ends. */
    async close(): Promise<void> {
      end.abort()
      const last = running.then(() => refresh())
      await waitAtMost(CLOSE_TIMEOUT_MS, last)
    },
  }
}

export type Precedence = ReturnType<typeof createPrecedence>

/**
 * Lets short work go before long work. Between its pieces long work waits while short work runs: at most `waitMs` at a time, and
 * not for work that has run for `shortMs` already, because that may wait for a server.
 */
export function createPrecedence({ waitMs, shortMs }: { readonly waitMs: number; readonly shortMs: number }) {
  const running = new Map<symbol, { readonly began: number; readonly ended: Promise<unknown> }>()
  return {
    async runShort<Result>(work: () => Promise<Result>): Promise<Result> {
      const own = Symbol('work')
      const ended = work()
      running.set(own, { began: performance.now(), ended: ended.catch(() => undefined) })
      try {
        return await ended
      } finally {
        running.delete(own)
      }
    },
    /** Call it before each piece of long work. Other work of the event loop gets a turn in any case. */
    async giveWay(): Promise<void> {
      await setImmediate()
      const now = performance.now()
      const short = [...running.values()].filter(({ began }) => now - began < shortMs)
      if (short.length > 0) await waitAtMost(waitMs, Promise.all(short.map(({ ended }) => ended)))
    },
  }
}

/** Waits for the work, but not longer than `ms`. */
export async function waitAtMost(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, over])
  clearTimeout(timer)
}

/**
 * Does the work for every item, `limit` at a time; the results are in the order of the items. After an error no further
 * work begins; the rest finishes, and the first error is thrown.
 */
export async function runInParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const entries = items.entries()
  const worker = async () => {
    for (const [index, item] of entries) {
      if (failures.length > 0) return
      try {
        results[index] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}

// Background tasks beside the main work, a few at a time.

export interface BackgroundTasks {
  /** Begins the work, when there is room. Throws the error of an earlier task. */
  add(work: () => Promise<void>): Promise<void>
  /** Resolves when all tasks are done. Throws the error of a task. */
  waitForAll(): Promise<void>
}

/** Returns or throws the outcome of `ahead`, but only after all background tasks are done. */
export async function withBackgroundTasks<Result>(
  atOnce: number,
  foreground: (behind: BackgroundTasks) => Promise<Result>,
): Promise<Result> {
  const running = new Set<Promise<void>>()
  let failed: { readonly error: unknown } | undefined
  const throwFailure = () => {
    if (failed !== undefined) throw failed.error
  }
  const behind: BackgroundTasks = {
    async add(work) {
      while (running.size >= atOnce) await Promise.race(running)
      throwFailure()
      const piece: Promise<void> = work()
        .catch((error: unknown) => {
          failed ??= { error }
        })
        .finally(() => running.delete(piece))
      running.add(piece)
    },
    async waitForAll() {
      await Promise.all(running)
      throwFailure()
    },
  }
  try {
    const result = await foreground(behind)
    await behind.waitForAll()
    return result
  } finally {
    await Promise.all(running)
  }
}

// Batches: many small writes or reads as few large ones.

/**
 * Gathers items until there are `atMost` or `afterMs` have passed, whichever is first, and writes them in one call, one
 * call at a time and in their order. The delay uses real time: it is about throughput.
 */
export function createBatchWriter<Item>(
  limits: { readonly atMost: number; readonly afterMs: number },
  write: (items: readonly Item[]) => Promise<void>,
) {
  let waiting: Item[] = []
  let pending: ReturnType<typeof createDeferred> | undefined
  let timer: NodeJS.Timeout | undefined
  let last: Promise<void> = Promise.resolve()

  const flushWithin = <Result>(writing: (items: readonly Item[]) => Promise<Result>): Promise<Result> => {
    clearTimeout(timer)
    const items = waiting
    const gathered = pending
    waiting = []
    pending = undefined
    const written = last.then(() => writing(items))
    last = written.then(
      () => gathered?.resolve(),
      (error: unknown) => gathered?.reject(error),
    )
    return written
  }
  const writeWaiting = (): Promise<void> => {
    // The callers of `add` get the error of the batch.
    if (pending) void flushWithin(write).catch(() => undefined)
    return last
  }

  return {
    /** Resolves when the batch with the item is written, and rejects with the error of the write. */
    add(item: Item): Promise<void> {
      if (!pending) {
        pending = createDeferred()
        timer = setTimeout(() => void writeWaiting(), limits.afterMs)
      }
      waiting.push(item)
      const { promise } = pending
      if (waiting.length >= limits.atMost) void writeWaiting()
      return promise
    },
    /** Writes the waiting items now. */
    flush: writeWaiting,
    /** Passes the waiting items, perhaps none, to a larger write, in order; returns or throws its outcome. */
    flushWithin,
  }
}

/**
 * Answers many questions by few reads: one read runs at a time, and all questions that arrive meanwhile share the next one.
 * So a read always begins after its questions. `read` returns an answer for each, in order; its error rejects all of them.
 */
export function createBatchReader<Asked, Answer>(
  read: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  let waiting: Asked[] = []
  let next: Promise<readonly Answer[]> | undefined
  let last: Promise<unknown> = Promise.resolve()

  const readWaiting = async (before: Promise<unknown>): Promise<readonly Answer[]> => {
    await before
    // Questions of the same moment share the read.
    await setImmediate()
    const asked = waiting
    waiting = []
    next = undefined
    return read(asked)
  }

  return async (asked) => {
    const place = waiting.push(asked) - 1
    if (next === undefined) {
      next = readWaiting(last)
      last = next.catch(() => undefined)
    }
    const answers = await next
    const answer = answers[place]
    assert(answer !== undefined, 'a question has no answer')
    return answer
  }
}

/** Node 20 has no `Promise.withResolvers`. */
function createDeferred() {
  let resolve = (): void => undefined
  let reject = (_reason: unknown): void => undefined
  return { promise: new Promise<void>((...callbacks) => ([resolve, reject] = callbacks)), resolve, reject }
}

/**
 * The timer keeps a reference to its controller. Node garbage-collects an `AbortSignal.timeout` within an `AbortSignal.any` that
 * has no other reference, and its listeners then wait forever.
 */
export function startDeadline(ms: number, signal: AbortSignal) {
  const controller = new AbortController()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    controller.abort()
  }, ms)
  const stop = () => controller.abort()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return {
    /** Fires when the time is over, or with the signal that it was made with. */
    signal: controller.signal,
    isOver: () => isOver,
    /** Ends the deadline after the work: the signal no longer fires. */
    clear: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    },
  }
}

/** The pages of a list, each read from behind the last item of the one before, until one is empty. */
export async function* readPages<Item, Key>(
  read: (after: Key) => Promise<readonly Item[]>,
  start: Key,
  keyOf: (item: Item) => Key,
) {
  let page = await read(start)
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    yield page
    page = await read(keyOf(last))
  }
}

/** An input that begins anew with each iteration. */
export function repeatable<Item>(open: () => AsyncIterable<Item>): AsyncIterable<Item> {
  return { [Symbol.asyncIterator]: () => open()[Symbol.asyncIterator]() }
}

/** The chunks as a stream, for what reads streams. */
export async function* toStream(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk)
}
