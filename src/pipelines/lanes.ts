/** Work in lanes: many lanes at once, the items of one lane one after the other. */

export interface LaneLimits {
  /** How many lanes may be busy at once. */
  readonly concurrency: number
  /** How many items may be started and not finished, those that wait behind another of their lane included. */
  readonly unfinished: number
}

/** Runs items in the order they are started, lane by lane. `run` never rejects. */
export function laneRunner<Item>(limits: LaneLimits, run: (item: Item) => Promise<void>) {
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
      while (unfinished >= limits.unfinished || (!queues.has(lane) && queues.size >= limits.concurrency)) {
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
