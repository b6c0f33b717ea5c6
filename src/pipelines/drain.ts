/** Sending the records of a file or delivery: many at once, one at a time per lane, in batches towards the journal. */
import type { Journal, Lease, WorkOf } from '../domain/journal.ts'
import type { RecordResult, SendingRecord } from '../domain/record.ts'
import { batchWriter } from '../support/batches.ts'
import { BridgeError } from '../support/errors.ts'

/** How many records are begun in one transaction. After a crash at most these must be looked up. */
const BEGIN_AT_ONCE = 200
/** Results are made durable when there are this many, or after this time, whichever comes first. */
const RESULTS = { atMost: 200, afterMs: 20 }

export interface DrainOptions {
  readonly journal: Journal
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly work: WorkOf
  readonly concurrency: number
  /**
   * Sends one record. A refusal of the credentials or a redirect may be thrown: nothing took effect then. Whatever else
   * it throws leaves the record as `sending`, to be looked up by the next run.
   */
  readonly perform: (record: SendingRecord) => Promise<RecordResult>
  /** What an unsent record goes back to. */
  readonly unsent: 'planned' | 'collected'
  readonly onProgress: (done: number) => void
}

/**
 * Drains what waits. Every record is durable as `sending` before it is sent and gets its result after. Stops at the
 * first record that was `not-sent` (the API takes nothing right now), at a signal, or at what `perform` throws: then what
 * was begun but not sent is given back, what is in flight is finished, and `api-unreachable`, `interrupted` or the thrown
 * failure is thrown. A record that is deferred for another reason stops no other.
 */
export async function drain(options: DrainOptions): Promise<void> {
  const { journal, lease, work, unsent } = options
  const stop = stopper(options.signal)
  const results = batchWriter<RecordResult>(RESULTS, (batch) => journal.endAttempts(lease, batch))
  let done = 0
  // What is uncertain must be settled before the next record of its lane may be sent.
  const uncertainLanes = new Set<string>()
  const note = (result: RecordResult) => void results.add(result).catch(stop.because)

  const lanes = laneRunner(options.concurrency, async (record: SendingRecord) => {
    if (stop.reason() !== undefined || uncertainLanes.has(record.lane)) {
      return note({ id: record.id, state: unsent, problems: [] })
    }
    try {
      const result = await options.perform(record)
      if (wasNotSent(result)) stop.because(unavailable(result))
      if (result.state === 'uncertain') uncertainLanes.add(record.lane)
      note(result)
      done++
    } catch (error) {
      stop.because(error)
      if (nothingWasSent(error)) note({ id: record.id, state: unsent, problems: [] })
    }
  })

  try {
    while (stop.reason() === undefined) {
      // The journal leaves out the lanes it knows to be uncertain, so it must know them all.
      if (uncertainLanes.size > 0) await results.flush()
      const records = await journal.beginAttempts(lease, work, BEGIN_AT_ONCE)
      if (records.length === 0) break
      for (const record of records) await lanes.start(record.lane, record)
      options.onProgress(done)
    }
  } catch (error) {
    stop.because(error)
  }
  await lanes.idle()
  await results.flush()
  options.onProgress(done)
  const reason = stop.reason()
  if (reason !== undefined) throw reason
}

function nothingWasSent(error: unknown): boolean {
  return (
    error instanceof BridgeError && (error.code === 'credentials-refused' || error.code === 'api-redirected')
  )
}

function wasNotSent({ state, problems }: RecordResult): boolean {
  return state === 'deferred' && problems.some(({ code }) => code === 'not-sent')
}

function unavailable(result: RecordResult): BridgeError {
  const why = result.problems[0]?.message ?? 'it takes no records right now'
  return new BridgeError('api-unreachable', `the API cannot be used right now: ${why}. The work is kept`)
}

/** Remembers the first reason to stop. */
function stopper(signal: AbortSignal) {
  let first: Error | undefined
  return {
    because: (reason: unknown): void => {
      first ??=
        reason instanceof Error
          ? reason
          : new BridgeError('bug', 'something that is no error was thrown', { cause: reason })
    },
    reason: (): Error | undefined => {
      if (signal.aborted) first ??= new BridgeError('interrupted', 'stopped by a signal')
      return first
    },
  }
}

/** Runs items of different lanes at once, up to a bound, and items of one lane one after the other. */
function laneRunner<Item>(concurrency: number, run: (item: Item) => Promise<void>) {
  const queues = new Map<string, Item[]>()
  let wakeStarter: (() => void) | undefined
  let wakeIdler: (() => void) | undefined

  const runLane = async (lane: string, queue: Item[]): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item)
    queues.delete(lane)
    wakeStarter?.()
    if (queues.size === 0) wakeIdler?.()
  }
  return {
    /** Resolves when the item runs or waits behind another of its lane. */
    async start(lane: string, item: Item): Promise<void> {
      const busy = queues.get(lane)
      if (busy) {
        busy.push(item)
        return
      }
      while (queues.size >= concurrency) await new Promise<void>((resolve) => (wakeStarter = resolve))
      const queue = [item]
      queues.set(lane, queue)
      void runLane(lane, queue)
    },
    async idle(): Promise<void> {
      if (queues.size > 0) await new Promise<void>((resolve) => (wakeIdler = resolve))
    },
  }
}
