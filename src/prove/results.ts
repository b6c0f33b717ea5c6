/** The results of a proof per route: rounds, kills, faults and defects. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Defect, DEFECTS, type DefectKind } from './criteria.ts'
import type { Faults, PlayedRound } from './rounds.ts'

export interface RouteVerdict {
  readonly route: string
  /** Why the route could not be proven, when it could not. */
  readonly unproven?: string
  readonly kills: number
  /** How many of them ended or stopped a separate process. */
  readonly processes: number
  readonly faults: number
  /** How often each kind of fault struck. */
  readonly struck: Faults
  readonly records: number
  readonly left: number
  readonly wrongs: Readonly<Record<DefectKind, number>>
  readonly failures: readonly {
    readonly step: string
    readonly folder: string
    readonly findings: readonly Defect[]
    readonly restless?: string
  }[]
}

export type Results = ReturnType<typeof createResults>

const FAILURES_MAX = 5

/** After `failuresMax` failed rounds the proof gives a route up. */
export function createResults(routes: readonly string[], failuresMax = FAILURES_MAX) {
  const verdicts = new Map(routes.map((route) => [route, emptyVerdict(route)]))
  const of = (route: string) => verdicts.get(route) ?? emptyVerdict(route)
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  return {
    markUnproven: (route: string, why: string) => void verdicts.set(route, { ...of(route), unproven: why }),
    /** Resolves to true when the round shows a defect. */
    async addRound(route: string, played: PlayedRound, folder: string): Promise<boolean> {
      const { counted, kills, isReal, faults, step, restless } = played
      const before = of(route)
      const { findings, records, left } = counted
      const isBad = findings.length > 0 || restless !== undefined
      const failure = { step, folder, findings, ...(restless === undefined ? {} : { restless }) }
      verdicts.set(route, {
        ...before,
        kills: before.kills + kills,
        processes: before.processes + (isReal ? kills : 0),
        faults: before.faults + sum(Object.values(faults)),
        struck: sumFaults(before.struck, faults),
        records: before.records + records,
        left: before.left + left,
        wrongs: sumDefects(before.wrongs, findings),
        failures: isBad ? [...before.failures, failure] : before.failures,
      })
      if (!isBad) return false
      // The failure is stored beside the journal and the files of its world.
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'failure.json'), `${JSON.stringify(failure, null, 2)}\n`)
      return true
    },
    /** Whether so many rounds failed that more of them show nothing new. */
    hasEnough: (route: string) => of(route).failures.length >= failuresMax,
    killsOf: (route: string) => of(route).kills,
    kills: () => sum([...verdicts.values()].map(({ kills }) => kills)),
    verdicts: () => [...verdicts.values()],
  }
}

function emptyVerdict(route: string): RouteVerdict {
  const wrongs = { lost: 0, doubled: 0, early: 0, twice: 0 }
  return { route, kills: 0, processes: 0, faults: 0, struck: {}, records: 0, left: 0, wrongs, failures: [] }
}

function sumFaults(before: Faults, faults: Faults): Faults {
  const names = Object.keys({ ...before, ...faults }) as (keyof Faults)[]
  return Object.fromEntries(names.map((name) => [name, (before[name] ?? 0) + (faults[name] ?? 0)]))
}

function sumDefects(wrongs: RouteVerdict['wrongs'], findings: readonly Defect[]): RouteVerdict['wrongs'] {
  const sums = { ...wrongs }
  for (const name of Object.keys(DEFECTS) as DefectKind[]) {
    sums[name] += findings.filter(({ wrong }) => wrong === name).length
  }
  return sums
}
