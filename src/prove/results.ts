/** What a proof tries with each route, which defects it counts, and the results per route: rounds, kills, faults and defects. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FaultName } from '../service/switches.ts'

/** Trials with bridges in this process, each time at all their effects. */
export type SweepTrial =
  /** The bridge crashes right before and right after each effect. */
  | 'crashes'
  /** The same, while a reader takes delivered files away; it does so in half of all other rounds too. */
  | 'readers'
  /** Two routes with files of the same names write their results to one folder. */
  | 'twins'
  /** A backup is put back and declared. Must be named: a person must restore the work after it, which counts as lost. */
  | 'restored'

/** Trials with real processes: twins, killed by themselves at an effect, stopped for longer than a lease, killed from outside. */
export const PROCESS_TRIALS = ['twins', 'at-effect', 'stopped', 'at-random'] as const

export type ProcessTrial = (typeof PROCESS_TRIALS)[number]

export type TrialName = SweepTrial | ProcessTrial

export const DEFAULT_TRIALS: readonly TrialName[] = ['crashes', 'readers', ...PROCESS_TRIALS]

export const DEFECTS = {
  lost: 'a record that had no effect, or whose outcome was reported wrong, or that is in no file; a report or answer that never came',
  doubled: 'a record that took effect more than once, or was sent again after it had taken effect',
  early:
    'a record that was acknowledged before it was in a whole file at its place, or before its partner accepted it',
  twice:
    'a record that is in more than one delivered file, or more than once in one; a report or answer that came again',
} as const

export type DefectKind = keyof typeof DEFECTS

export interface Defect {
  readonly wrong: DefectKind
  /** The record as its file names it: its key. */
  readonly record: string
  readonly what: string
}

export interface RoundCount {
  readonly records: number
  readonly findings: readonly Defect[]
  /** Records whose outcome the API cannot show, and that wait for a person and say so. */
  readonly left: number
  /** How many interchanges were delivered, answers included, each with control numbers of its own. */
  readonly numbers?: number
}

export function createDefect(wrong: DefectKind, record: string, what: string): Defect {
  return { wrong, record, what }
}

export interface PlayedRound {
  readonly counted: RoundCount
  /** How often a process died or was stopped. */
  readonly kills: number
  /** Whether real processes died, or parts of this one. */
  readonly isReal?: true
  /** How often each fault struck. */
  readonly faults: Faults
  /** What happened, for people who want to see it again: `died before journal.finishAttempts`. */
  readonly step: string
  /** Whether the planned crash happened; otherwise the pass has fewer effects than that. */
  readonly happened: boolean
  /** Why the bridge still had work at the end, if it had. */
  readonly restless?: string
}

export type Faults = Readonly<Partial<Record<FaultName, number>>>

// Per route.

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
  /** The interchanges whose control numbers were compared. */
  readonly numbers: number
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
      const { findings, records, left, numbers = 0 } = counted
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
        numbers: before.numbers + numbers,
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
    processes: () => sum([...verdicts.values()].map(({ processes }) => processes)),
    verdicts: () => [...verdicts.values()],
  }
}

function emptyVerdict(route: string): RouteVerdict {
  const wrongs = { lost: 0, doubled: 0, early: 0, twice: 0 }
  const counts = { kills: 0, processes: 0, faults: 0, records: 0, left: 0, numbers: 0 }
  return { route, ...counts, struck: {}, wrongs, failures: [] }
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
