/** Lets a few through at a time; the others wait in the order in which they came. */

export interface Turnstile {
  /** Does the work when it is its turn. */
  through<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createTurnstile(atOnce: number): Turnstile {
  let free = atOnce
  const queue: (() => void)[] = []
  return {
    async through(work) {
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
