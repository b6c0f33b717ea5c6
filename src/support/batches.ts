/** Many small writes as few large ones, and many small reads too. */
import { setImmediate } from 'node:timers/promises'
import { assert } from './errors.ts'

export interface BatchWriter<Item> {
  /** Resolves when the batch with the item has been written, rejects with what the writing threw. */
  add(item: Item): Promise<void>
  /** Writes what waits, now. */
  flush(): Promise<void>
  /** Writes what waits, perhaps nothing, as a part of a larger write, in its turn; gives or throws what that does. */
  within<Result>(write: (items: readonly Item[]) => Promise<Result>): Promise<Result>
}

/**
 * Gathers items until there are `atMost` or `afterMs` have passed, whichever is first, and writes them in one call, one
 * call at a time and in the order they came. The delay is a real one: it is about throughput, not about time.
 */
export function batchWriter<Item>(
  limits: { readonly atMost: number; readonly afterMs: number },
  write: (items: readonly Item[]) => Promise<void>,
): BatchWriter<Item> {
  let waiting: Item[] = []
  let gathering: PromiseWithResolvers<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let last: Promise<void> = Promise.resolve()

  const within = <Result>(writing: (items: readonly Item[]) => Promise<Result>): Promise<Result> => {
    clearTimeout(timer)
    const items = waiting
    const gathered = gathering
    waiting = []
    gathering = undefined
    const written = last.then(() => writing(items))
    last = written.then(
      () => gathered?.resolve(),
      (error: unknown) => gathered?.reject(error),
    )
    return written
  }
  const writeWaiting = (): Promise<void> => {
    // Whoever added to the batch hears what became of it.
    if (gathering) void within(write).catch(() => undefined)
    return last
  }

  return {
    add(item) {
      if (!gathering) {
        gathering = deferred()
        timer = setTimeout(() => void writeWaiting(), limits.afterMs)
      }
      waiting.push(item)
      const { promise } = gathering
      if (waiting.length >= limits.atMost) void writeWaiting()
      return promise
    },
    flush: writeWaiting,
    within,
  }
}

/**
 * Answers many questions by few reads: one read goes on at a time, and whatever is asked meanwhile shares the next one. So a
 * read always begins after the question. `read` gives an answer for each, in their order; what it throws, all of them hear.
 */
export function batchReader<Asked, Answer>(
  read: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  let waiting: Asked[] = []
  let next: Promise<readonly Answer[]> | undefined
  let last: Promise<unknown> = Promise.resolve()

  const readWaiting = async (before: Promise<unknown>): Promise<readonly Answer[]> => {
    await before
    // Those that ask at the same moment shall share it.
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

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value) => void
  readonly reject: (reason: unknown) => void
}

/** Node 20 has no `Promise.withResolvers`. */
function deferred(): PromiseWithResolvers<void> {
  let settle: Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'> | undefined
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, resolve: () => settle?.resolve(), reject: (reason) => settle?.reject(reason) }
}
