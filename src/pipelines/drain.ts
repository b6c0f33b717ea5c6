/** Sending the records of a file or delivery: many at once, one at a time per lane, in batches towards the journal. */
import type { Permit } from '../domain/api.ts'
import type { Journal, Lease, WorkOf } from '../domain/journal.ts'
import type { RecordResult, SendingRecord } from '../domain/record.ts'
import { batchWriter } from '../support/batches.ts'
import type { Clock } from '../support/clock.ts'
import { BridgeError, hasCode } from '../support/errors.ts'
import { openGate, type Restraint } from './gate.ts'
import { laneRunner } from './lanes.ts'
import { keepLease, type LeaseKeeper } from './lease-keeper.ts'

/** How many records are begun in one transaction, and may be unfinished. After a crash these must be looked up. */
const BEGIN_AT_ONCE = 200
/**
 * Results are made durable together with the next beginnings, or when there are this many, or after this time, whichever
 * comes first: a commit costs more than what is in it.
 */
const RESULTS = { atMost: 400, afterMs: 50 }
/** So often in a row everything is given back: what the journal lets go and what is known here differ, and would for ever. */
const STUCK_MAX = 2
/** So many records in a row without an answer mean that the API is in trouble, and not a record. */
const UNANSWERED_MAX = 10
export interface DrainOptions {
  readonly journal: Journal
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly work: WorkOf
  readonly concurrency: number
  /**
   * Sends one record. A refusal of the credentials or a redirect may be thrown: nothing took effect then. Whatever else
   * it throws leaves the record as `sending`, to be looked up by the next run.
   */
  readonly perform: (record: SendingRecord, permit: Permit) => Promise<RecordResult>
  /** What an unsent record goes back to. */
  readonly unsent: 'planned' | 'collected'
  readonly onProgress: (done: number) => void
  /** When it lets nothing more be sent, the draining ends, and what waits is left as it is. */
  readonly restraint?: Restraint
  /** The records are of several steps: none is sent after an earlier one of its lane was refused or held. */
  readonly inSteps?: boolean
}

/**
 * Drains what waits. Every record is durable as `sending` before it is sent and gets its result after. A record that is
 * deferred or uncertain holds its lane back and stops no other; when ten in a row have no answer, or all of them, the
 * API is in trouble. Then, at a signal, or at what `perform` throws, the draining stops: what was begun but not sent is
 * given back, what is in flight is finished, and `api-unreachable`, `interrupted` or the thrown failure is thrown.
 */
export async function drain(options: DrainOptions): Promise<void> {
  const { unsent } = options
  const stop = stopper(options.signal)
  const hold = keepLease(options)
  const results = resultsWriter(options, hold)
  const breaker = apiBreaker()
  const gate = openGate(options.restraint, BEGIN_AT_ONCE)
  let done = 0
  /** How many times in a row nothing was begun but to be given back. Once may be for an answer that came meanwhile. */
  let stuck = 0
  // What has no outcome yet must come to one before the next record of its lane may be sent.
  const blocked = blockedLanes(options.inSteps === true)
  const note = (result: RecordResult) => void results.add(result).catch(stop.because)
  const giveBack = ({ id }: SendingRecord) => note({ id, state: unsent, problems: [] })

  const send = async (record: SendingRecord): Promise<RecordResult | undefined> => {
    if (stop.reason() !== undefined || gate.isShut() || blocked.has(record)) {
      giveBack(record)
      return undefined
    }
    try {
      await hold.fresh()
      const result = await options.perform(record, hold.permit)
      blocked.look(record, result)
      const trouble = breaker.look(result)
      if (trouble) stop.because(trouble)
      note(result)
      done++
      return result
    } catch (error) {
      stop.because(error)
      if (hasCode(error, 'credentials-refused', 'api-redirected')) giveBack(record)
      return undefined
    }
  }

  const lanes = laneRunner(
    { concurrency: options.concurrency, unfinished: BEGIN_AT_ONCE },
    async (record: SendingRecord) => gate.ended(await send(record)),
  )

  try {
    while (stop.reason() === undefined && stuck < STUCK_MAX) {
      const room = await gate.opened()
      if (room === 0 || stop.reason() !== undefined) break
      // The journal leaves out the lanes it knows to be blocked: it is told of them all, right before.
      const records = await results.begin(room)
      if (records.length === 0) break
      gate.began(records.length)
      stuck = records.every(blocked.has) ? stuck + 1 : 0
      for (const record of records) await lanes.start(record.lane, record)
      options.onProgress(done)
      if (stuck > 0) await lanes.idle()
    }
  } catch (error) {
    stop.because(error)
  }
  await lanes.idle()
  await results.flush()
  options.onProgress(done)
  const reason = stop.reason() ?? breaker.end()
  if (reason !== undefined) throw reason
}

/** Takes results to the journal, alone or with the next beginnings. */
function resultsWriter({ journal, lease, work }: DrainOptions, hold: LeaseKeeper) {
  const writer = batchWriter<RecordResult>(RESULTS, (batch) =>
    hold.writing(journal.endAttempts(lease, batch)),
  )
  const begin = (room: number) =>
    writer.within((ended) => hold.writing(journal.beginAttempts(lease, work, room, ended)))
  return { ...writer, begin }
}

function isOpen({ state }: RecordResult): boolean {
  return state === 'deferred' || state === 'uncertain'
}

/** The record was not even tried, because of its order; that says nothing of the API. */
function waitsForOrder({ problems }: RecordResult): boolean {
  return problems[0]?.code === 'waits-for-close'
}

/** The lanes that must wait: for an outcome, or, when an earlier step failed, for ever. */
function blockedLanes(inSteps: boolean) {
  /** From later steps than this no record is sent. */
  const lastSteps = new Map<string, number>()
  return {
    look({ lane, step = 1 }: SendingRecord, result: RecordResult): void {
      if (isOpen(result)) lastSteps.set(lane, 0)
      else if (inSteps && (result.state === 'rejected' || result.state === 'held')) {
        lastSteps.set(lane, Math.min(step, lastSteps.get(lane) ?? step))
      }
    },
    has: ({ lane, step = 1 }: SendingRecord) => step > (lastSteps.get(lane) ?? Infinity),
  }
}

/** Tells a failing API from a failing record. */
function apiBreaker() {
  let inRow = 0
  let answered = 0
  let last: RecordResult | undefined
  const trouble = () => {
    const why = (last?.problems[0]?.message ?? 'it gives no answers').replace(/\.+$/, '')
    return new BridgeError('api-unreachable', `the API cannot be used right now: ${why}. The work is kept`)
  }
  return {
    look(result: RecordResult): BridgeError | undefined {
      if (!isOpen(result) || waitsForOrder(result)) {
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
