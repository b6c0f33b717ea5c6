/** Sends the records of a file or delivery: many lanes at once, one record of a lane after the other. */
import type { LeaseCheck } from '../../domain/api.ts'
import type { Journal, WorkRef } from '../../domain/journal.ts'
import type { Lease } from '../../domain/lease.ts'
import type { RecordResult, SendingRecord } from '../../domain/record.ts'
import { createBatchWriter } from '../../support/async.ts'
import type { Clock } from '../../support/clock.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'
import { toError } from '../failures.ts'
import type { SendLimit } from './circuit-breaker.ts'
import { createLeaseGuard, type LeaseGuard } from '../lease-guard.ts'

/** How many records are begun in one transaction, and may be unfinished. After a crash these must be looked up. */
const BEGIN_BATCH = 200

/** Results are written with the next beginnings, or at this number or time: a commit costs more than its contents. */
const RESULT_BATCH = { atMost: 400, afterMs: 50 }

/** So often in a row everything is given back: what the journal lets go and what is known here differ, and would for ever. */
const IDLE_ROUNDS_MAX = 2

/** So many records in a row without an answer mean that the API is in trouble, and not a record. */
const UNANSWERED_MAX = 10

export interface DispatchOptions {
  readonly journal: Journal
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly work: WorkRef
  readonly concurrency: number
  /**
   * Sends one record. A refusal of the credentials or a redirect may be thrown: nothing took effect then. Whatever else
   * it throws leaves the record as `sending`, to be looked up by the next run.
   */
  readonly send: (record: SendingRecord, permit: LeaseCheck) => Promise<RecordResult>
  /** What an unsent record goes back to. */
  readonly resetState: 'planned' | 'collected'
  readonly onProgress: (done: number) => void
  /** When it lets nothing more be sent, the draining ends, and what waits is left as it is. */
  readonly sendLimit?: SendLimit
  /** The records are of several steps: none is sent after an earlier one of its lane was refused or held. */
  readonly inSteps?: boolean
}

/**
 * Drains what waits. Every record is durable as `sending` before it is sent and gets its result after. A record that is
 * deferred or uncertain holds its lane back and stops no other; when ten in a row have no answer, or all of them, the
 * API is in trouble. Then, at a signal, or at what `perform` throws, the draining stops: what was begun but not sent is
 * given back, what is in flight is finished, and `api-unreachable`, `interrupted` or the thrown failure is thrown.
 */
export async function dispatchRecords(options: DispatchOptions): Promise<void> {
  const { resetState } = options
  const stopReason = createStopReason(options.signal)
  const leaseGuard = createLeaseGuard(options)
  const results = createResultsWriter(options, leaseGuard)
  const breaker = createApiBreaker()
  const sendWindow = createSendWindow(options.sendLimit, BEGIN_BATCH)
  let done = 0
  /** How many times in a row nothing was begun but to be given back. Once may be for an answer that came meanwhile. */
  let idleRounds = 0
  // What has no outcome yet must come to one before the next record of its lane may be sent.
  const blocked = createBlockedLanes(options.inSteps === true)
  const addResult = (result: RecordResult) => void results.add(result).catch(stopReason.set)
  const resetRecord = ({ id }: SendingRecord) => addResult({ id, state: resetState, problems: [] })

  const send = async (record: SendingRecord): Promise<RecordResult | undefined> => {
    if (stopReason.reason() !== undefined || sendWindow.isClosed() || blocked.has(record)) {
      resetRecord(record)
      return undefined
    }
    try {
      await leaseGuard.assertHeld()
      const result = await options.send(record, leaseGuard.leaseCheck)
      blocked.observe(record, result)
      const trouble = breaker.observe(result)
      if (trouble) stopReason.set(trouble)
      addResult(result)
      done++
      return result
    } catch (error) {
      stopReason.set(error)
      if (hasCode(error, 'credentials-refused', 'api-redirected')) resetRecord(record)
      return undefined
    }
  }

  const sendNext = async (record: SendingRecord) => sendWindow.noteEnded(await send(record))
  const lanes = createLaneRunner(options.concurrency, BEGIN_BATCH, sendNext)

  try {
    while (stopReason.reason() === undefined && idleRounds < IDLE_ROUNDS_MAX) {
      const room = await sendWindow.waitForRoom()
      if (room === 0 || stopReason.reason() !== undefined) break
      // The journal leaves out the lanes it knows to be blocked: it is reported them all, right before.
      const records = await results.begin(room)
      if (records.length === 0) break
      sendWindow.noteStarted(records.length)
      idleRounds = records.every(blocked.has) ? idleRounds + 1 : 0
      for (const record of records) await lanes.start(record.lane, record)
      options.onProgress(done)
      if (idleRounds > 0) await lanes.idle()
    }
  } catch (error) {
    stopReason.set(error)
  }
  await lanes.idle()
  await results.flush()
  options.onProgress(done)
  const reason = stopReason.reason() ?? breaker.end()
  if (reason !== undefined) throw reason
}

/** Takes results to the journal, alone or with the next beginnings. */
function createResultsWriter({ journal, lease, work }: DispatchOptions, leaseGuard: LeaseGuard) {
  const { writeWithLease } = leaseGuard
  const finish = (ended: readonly RecordResult[]) => writeWithLease(journal.finishAttempts(lease, ended))
  const writer = createBatchWriter(RESULT_BATCH, finish)
  const begin = (room: number) =>
    writer.flushWithin((ended) => writeWithLease(journal.startAttempts(lease, work, room, ended)))
  return { ...writer, begin }
}

function hasNoOutcome({ state }: RecordResult): boolean {
  return state === 'deferred' || state === 'uncertain'
}

/** The record was not even tried, because of its order; that says nothing of the API. */
function isWaitingForOrder({ problems }: RecordResult): boolean {
  return problems[0]?.code === 'waiting-for-order'
}

/** The lanes that must wait: for an outcome, or, when an earlier step failed, for ever. */
function createBlockedLanes(inSteps: boolean) {
  /** From later steps than this no record is sent. */
  const lastSteps = new Map<string, number>()
  return {
    observe({ lane, step = 1 }: SendingRecord, result: RecordResult): void {
      if (hasNoOutcome(result)) lastSteps.set(lane, 0)
      else if (inSteps && (result.state === 'rejected' || result.state === 'held')) {
        lastSteps.set(lane, Math.min(step, lastSteps.get(lane) ?? step))
      }
    },
    has: ({ lane, step = 1 }: SendingRecord) => step > (lastSteps.get(lane) ?? Infinity),
  }
}

/** Tells a failing API from a failing record. */
function createApiBreaker() {
  let inRow = 0
  let answered = 0
  let last: RecordResult | undefined
  const trouble = () => {
    const why = (last?.problems[0]?.message ?? 'it gives no answers').replace(/\.+$/, '')
    return new BridgeError('api-unreachable', `the API cannot be used right now: ${why}. The work is kept`)
  }
  return {
    observe(result: RecordResult): BridgeError | undefined {
      if (!hasNoOutcome(result) || isWaitingForOrder(result)) {
        answered++
        inRow = 0
        return undefined
      }
      last = result
      inRow++
      return inRow >= UNANSWERED_MAX ? trouble() : undefined
    },
    /** When nothing was answered at all and something was not even taken. A lone lost answer may be the record's. */
    end(): BridgeError | undefined {
      const wasNotTaken = last?.problems.some(({ code }) => code === 'not-sent') === true
      return answered === 0 && wasNotTaken ? trouble() : undefined
    },
  }
}

/** Remembers the first reason to stop. */
function createStopReason(signal: AbortSignal) {
  let first: Error | undefined
  return {
    set: (reason: unknown): void => {
      first ??= toError(reason)
    },
    reason: (): Error | undefined => {
      if (signal.aborted) first ??= new BridgeError('interrupted', 'stopped by a signal')
      return first
    },
  }
}

// Many lanes at once, the items of one lane one after the other.

/**
 * Runs items in the order they are started, lane by lane: so many busy lanes at once, and so many items that are started
 * and not finished. `run` never rejects.
 */
function createLaneRunner<Item>(concurrency: number, most: number, run: (item: Item) => Promise<void>) {
  const queues = new Map<string, Item[]>()
  let unfinished = 0
  let wakeStarter: (() => void) | undefined
  let wakeIdler: (() => void) | undefined

  const runLane = async (lane: string, queue: Item[]): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      await run(item)
      unfinished--
      wakeStarter?.()
    }
    queues.delete(lane)
    wakeStarter?.()
    if (queues.size === 0) wakeIdler?.()
  }
  return {
    /** Resolves when the item runs or waits behind another of its lane, and there is room for a next one. */
    async start(lane: string, item: Item): Promise<void> {
      while (unfinished >= most || (!queues.has(lane) && queues.size >= concurrency)) {
        await new Promise<void>((resolve) => (wakeStarter = resolve))
      }
      unfinished++
      const busy = queues.get(lane)
      if (busy) {
        busy.push(item)
        return
      }
      const queue = [item]
      queues.set(lane, queue)
      void runLane(lane, queue)
    },
    async idle(): Promise<void> {
      if (queues.size > 0) await new Promise<void>((resolve) => (wakeIdler = resolve))
    },
  }
}

// The send window: while the answers of the first records are unknown, only a few more may start.

/** Counts what is under way, and lets as many begin as the restraint and `atOnce` allow. */
function createSendWindow(sendLimit: SendLimit | undefined, atOnce: number) {
  let underWay = 0
  let wake: (() => void) | undefined
  const room = () => Math.min(atOnce, sendLimit?.room(underWay) ?? atOnce)
  return {
    noteStarted(count: number): void {
      underWay += count
    },
    /** A record that was begun has ended; with its result, when it was sent. */
    noteEnded(result?: RecordResult): void {
      underWay--
      if (result !== undefined) sendLimit?.observe(result)
      wake?.()
    },
    /** Whether nothing more may be sent, whatever is still answered. */
    isClosed: () => sendLimit?.room(0) === 0,
    /** Resolves with how many may be begun, once that is known; with 0 when the gate is shut. */
    async waitForRoom(): Promise<number> {
      while (room() === 0 && underWay > 0) await new Promise<void>((resolve) => (wake = resolve))
      return room()
    },
  }
}
