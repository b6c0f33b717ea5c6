/** Sends the records of a file or delivery: many lanes at once, the records of one lane one after the other. */
import type { Api, LeaseCheck } from '../../domain/api.ts'
import type { WorkRef } from '../../domain/journal.ts'
import { PROBLEMS } from '../../domain/problem.ts'
import type { PlannedRecord, RecordResult, SendingRecord } from '../../domain/record.ts'
import { createBatchWriter } from '../../support/async.ts'
import { BridgeError, hasCode } from '../../support/errors.ts'
import type { SharedContext } from '../context.ts'
import { createLeaseGuard, type LeaseGuard, toError } from '../failures.ts'
import type { SendLimit } from './circuit-breaker.ts'
/** How many records are started in one transaction, and how many may be unfinished. After a crash these are looked up. */
const BEGIN_BATCH = 200

/** Results are written with the next starts, or at this number or time: a commit costs more than its contents. */
const RESULT_BATCH = { atMost: 400, afterMs: 200 }

/** After so many rounds that only reset records, dispatch ends: the journal and memory disagree about blocked lanes. */
const IDLE_ROUNDS_MAX = 2

/** After so many records in a row without an answer, the API is in trouble, and not a record. */
const UNANSWERED_MAX = 10

/** Records of a file that are planned together, and that the journal does not have yet. */
type Block = readonly PlannedRecord[]

export interface DispatchOptions extends Pick<
  SharedContext,
  'journal' | 'lease' | 'signal' | 'clock' | 'concurrency'
> {
  readonly work: WorkRef
  /**
   * Sends one record. It may throw that the credentials are refused or the API redirects: then nothing took effect. Any
   * other failure leaves the record as `sending`, and the next run looks it up.
   */
  readonly send: (record: SendingRecord, permit: LeaseCheck) => Promise<RecordResult>
  /** The state of a record that was started and not sent. */
  readonly resetState: 'planned' | 'collected'
  readonly onProgress: (done: number) => void
  /** When it allows no more records, dispatch ends, and waiting records stay as they are. */
  readonly sendLimit?: SendLimit
  /** Plans more records of a file while others are sent; undefined when it has no more. Left out: the journal has all of them. */
  readonly nextBlock?: () => Promise<Block | undefined>
  /** What sends, if it wants more calls than there are connections. */
  readonly api?: Pick<Api, 'spareCalls'>
  /** The records belong to several steps: none is sent after an earlier one of its lane was refused or held. */
  readonly inSteps?: boolean
}

/**
 * Sends the waiting records. Every record is durable as `sending` before its request leaves and gets its result after. A
 * deferred or uncertain record blocks its lane and no other. When ten in a row have no answer, or none has, the API is
 * in trouble. Then, at a signal, or when `send` throws, dispatch stops: records that were started and not sent are
 * reset, requests in flight are finished, and `api-unreachable`, `interrupted` or the thrown failure is thrown.
 */
export async function dispatchRecords(options: DispatchOptions): Promise<void> {
  const { resetState, journal, lease, work } = options
  const stopReason = createStopReason(options.signal)
  const leaseGuard = createLeaseGuard(options)
  const { leaseCheck } = leaseGuard
  const results = createResultsWriter(options, leaseGuard)
  const apiBreaker = createApiBreaker()
  const sendWindow = createSendWindow(options.sendLimit, BEGIN_BATCH)
  let done = 0
  /** How many rounds in a row only started records that were reset. One may be due to an answer that arrived meanwhile. */
  let idleRounds = 0
  // A record without an outcome blocks the next records of its lane.
  const blocked = createBlockedLanes(options.inSteps === true)
  const addResult = (result: RecordResult) => void results.add(result).catch(stopReason.set)
  const resetRecord = ({ id }: SendingRecord) => addResult({ id, state: resetState, problems: [] })

  const send = async (record: SendingRecord): Promise<RecordResult | undefined> => {
    if (stopReason.reason() !== undefined || sendWindow.isClosed() || blocked.has(record)) {
      resetRecord(record)
      return undefined
    }
    try {
      if (!leaseCheck.isValid()) await leaseCheck.renew()
      const result = await options.send(record, leaseCheck)
      blocked.observe(record, result)
      const trouble = apiBreaker.observe(result)
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
  const atOnce = () => options.concurrency + (options.api?.spareCalls?.() ?? 0)
  const lanes = createLaneRunner(atOnce, BEGIN_BATCH, sendNext)
  const ahead = createPlanningAhead(options.nextBlock)
  /** Whether the journal has perhaps no more records that may start. */
  let isDry = true

  try {
    while (stopReason.reason() === undefined && idleRounds < IDLE_ROUNDS_MAX) {
      const block: Block | undefined = isDry ? await ahead.take() : undefined
      // Asked for last: answers that come meanwhile may leave less room.
      const room = await sendWindow.waitForRoom()
      if (room === 0 || stopReason.reason() !== undefined) {
        ahead.putBack(block)
        break
      }
      // `begin` stores all results first, so the journal knows the blocked lanes and leaves them out.
      const begun = results.begin(room, block)
      ahead.start()
      const records = await begun
      if (records.length === 0 && block === undefined && (isDry || ahead.isOver())) break
      isDry = records.length < room || (block !== undefined && records.length >= block.length)
      if (records.length === 0) continue
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
  // Records that are planned and not added are planned again by the next pass, unless this one goes on with the file.
  const planned = await ahead.finish().catch(stopReason.set)
  await results.flush()
  if (planned !== undefined && 'file' in work && stopReason.reason() === undefined) {
    await journal.addRecords(lease, work.file, planned)
  }
  options.onProgress(done)
  const reason = stopReason.reason() ?? apiBreaker.end()
  if (reason !== undefined) throw reason
}

/** Writes results to the journal, alone or with the next starts. */
function createResultsWriter({ journal, lease, work }: DispatchOptions, leaseGuard: LeaseGuard) {
  const { writeWithLease } = leaseGuard
  const finish = (results: readonly RecordResult[]) => writeWithLease(journal.finishAttempts(lease, results))
  const writer = createBatchWriter(RESULT_BATCH, finish)
  const begin = (room: number, block?: Block) =>
    writer.flushWithin((results) =>
      writeWithLease(
        journal.startAttempts(lease, work, room, { ended: results, ...(block && { added: block }) }),
      ),
    )
  return { ...writer, begin }
}

/** Plans one block ahead, while the records of earlier ones are sent. */
function createPlanningAhead(nextBlock: DispatchOptions['nextBlock']) {
  let isOver = nextBlock === undefined
  let running: Promise<void> | undefined
  let ready: Block | undefined
  const start = () => {
    if (isOver || running !== undefined || ready !== undefined || nextBlock === undefined) return
    running = nextBlock().then((block) => {
      isOver = block === undefined
      ready = block
      running = undefined
    })
    // Its failure is thrown where it is awaited.
    running.catch(() => undefined)
  }
  const finish = async () => {
    await running
    const block = ready
    ready = undefined
    return block
  }
  return {
    start,
    /** Whether the last block is planned. */
    isOver: () => isOver,
    /** Waits for the next block; undefined behind the last one. */
    take: () => {
      start()
      return finish()
    },
    putBack(block: Block | undefined): void {
      ready ??= block
    },
    /** Waits for the block that is being planned, and plans no other. */
    finish,
  }
}

function hasNoOutcome({ state }: RecordResult): boolean {
  return state === 'deferred' || state === 'uncertain'
}

/** The record was not sent because of its order, which shows nothing about the API. */
function isWaitingForOrder({ problems }: RecordResult): boolean {
  return problems[0]?.code === 'waiting-for-order'
}

/** The lanes that must wait: for an outcome or, after a failed step, until a person decides. */
function createBlockedLanes(inSteps: boolean) {
  /** Per lane, the last step whose records may be sent. */
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

/** Distinguishes a failing API from a failing record. */
function createApiBreaker() {
  let inRow = 0
  let answered = 0
  let last: RecordResult | undefined
  const trouble = () => {
    const problem = last?.problems[0]
    const why = (problem?.message ?? 'it gives no answers').replace(/\.+$/, '')
    const message = `the API cannot be used right now: ${why}. The work is kept`
    const isKnown = problem?.code === 'not-sent' && problem.fix !== PROBLEMS['not-sent'].fix
    return new BridgeError('api-unreachable', message, isKnown ? { fix: problem.fix } : {})
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
    /** Trouble if no request was answered and one was not even taken. A single lost answer may be the fault of its record. */
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

/** Lane by lane. `concurrency` limits the busy lanes, `limit` the items that are not finished. `run` never rejects. */
function createLaneRunner<Item>(
  concurrency: () => number,
  limit: number,
  run: (item: Item) => Promise<void>,
) {
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
    /** Resolves when the item runs or waits behind another of its lane, and the next item may be started. */
    async start(lane: string, item: Item): Promise<void> {
      while (unfinished >= limit || (!queues.has(lane) && queues.size >= concurrency())) {
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

/** Counts the records in flight, and lets as many start as `sendLimit` and `atOnce` allow. */
function createSendWindow(sendLimit: SendLimit | undefined, atOnce: number) {
  let inFlight = 0
  let wake: (() => void) | undefined
  const room = () => Math.min(atOnce, sendLimit?.room(inFlight) ?? atOnce)
  return {
    noteStarted(count: number): void {
      inFlight += count
    },
    /** A started record has ended; `result` is given if it was sent. */
    noteEnded(result?: RecordResult): void {
      inFlight--
      if (result !== undefined) sendLimit?.observe(result)
      wake?.()
    },
    /** Whether no more records may be sent, whatever the answers in flight will be. */
    isClosed: () => sendLimit?.room(0) === 0,
    /** Resolves with how many records may start, once that is known; with 0 when the window is closed. */
    async waitForRoom(): Promise<number> {
      while (room() === 0 && inFlight > 0) await new Promise<void>((resolve) => (wake = resolve))
      return room()
    },
  }
}
