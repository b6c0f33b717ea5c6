/** Contenders measured side by side: turn and turn about, so that a busy moment of the machine hits all of them. */

/** What one turn of a contender came to: how long it took and how much it did. */
export interface Turn {
  readonly ms: number
  readonly count: number
}

export interface Pace {
  /** The median of the turns. */
  readonly ms: number
  readonly count: number
  readonly perSecond: number
}

/** A contender did another amount of work than it should have: the one thing that makes the bench fail. */
export class WrongCount extends Error {}

/** The first turns of a program are slow: Node compiles what is hot while it runs. */
const WARM_UPS = 2

/**
 * Two turns of each for warming up, then `rounds` turns of each, A, B, A, B, …. A contender prepares its turn outside
 * of the time it reports. Throws when one of them did not do exactly `count`.
 */
export async function interleave<Name extends string>(
  { rounds, count }: { readonly rounds: number; readonly count: number },
  contenders: Readonly<Record<Name, () => Promise<Turn>>>,
): Promise<Record<Name, Pace>> {
  const names = Object.keys(contenders) as Name[]
  const times = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (let round = -WARM_UPS; round < rounds; round++) {
    for (const name of names) {
      const turn = await contenders[name]()
      if (turn.count !== count) throw new WrongCount(`${name} did ${turn.count} of ${count}`)
      if (round >= 0) times.get(name)?.push(turn.ms)
    }
  }
  const paces = names.map((name) => {
    const ms = median(times.get(name) ?? [])
    return [name, { ms, count, perSecond: (count / ms) * 1000 }] as const
  })
  return Object.fromEntries(paces) as Record<Name, Pace>
}

export async function timed(work: () => Promise<number>): Promise<Turn> {
  const start = performance.now()
  const count = await work()
  return { ms: performance.now() - start, count }
}

/** The middle one; of an even number the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN
  const high = sorted[Math.floor(middle)] ?? Number.NaN
  return (low + high) / 2
}
