/** Measures contenders side by side in alternating rounds, so that a busy moment of the machine hits all of them. */

/** How long one round of a contender took, and how much it did. */
export interface Round {
  readonly ms: number
  /** The processor time of its process, user and system; left out where the work is not of one process. */
  readonly cpuMs?: number
  readonly count: number
}

export interface Pace {
  /** The medians of the rounds. */
  readonly ms: number
  readonly cpuMs: number
  readonly count: number
  readonly perSecond: number
}

/** A contender did more or less work than it should have: the only reason for which the bench fails. */
export class WrongCount extends Error {}

/** The first rounds of a program are slow: Node compiles hot code while it runs. */
const WARM_UPS = 2

/**
 * Runs two rounds of each for warming up, then `rounds` rounds of each, A, B, A, B, …. A contender prepares its round outside of
 * the time it reports. Throws when a contender did not do exactly `count`.
 */
export async function interleave<Name extends string>(
  { rounds, count }: { readonly rounds: number; readonly count: number },
  contenders: Readonly<Record<Name, () => Promise<Round>>>,
): Promise<Record<Name, Pace>> {
  const names = Object.keys(contenders) as Name[]
  const all = new Map<Name, Round[]>(names.map((name) => [name, []]))
  for (let round = -WARM_UPS; round < rounds; round++) {
    for (const name of names) {
      const measurement = await contenders[name]()
      if (measurement.count !== count) throw new WrongCount(`${name} did ${measurement.count} of ${count}`)
      if (round >= 0) all.get(name)?.push(measurement)
    }
  }
  const paces = names.map((name) => {
    const measured = all.get(name) ?? []
    const ms = median(measured.map((each) => each.ms))
    const cpuMs = median(measured.map((each) => each.cpuMs ?? Number.NaN))
    return [name, { ms, cpuMs, count, perSecond: (count / ms) * 1000 }] as const
  })
  return Object.fromEntries(paces) as Record<Name, Pace>
}

export async function timed(work: () => Promise<number>): Promise<Round> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const count = await work()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { ms, cpuMs: (user + system) / 1000, count }
}

/** The middle value; of an even number the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN
  const high = sorted[Math.floor(middle)] ?? Number.NaN
  return (low + high) / 2
}
