/** The books of a proof: what every route went through and what was found. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, WRONGS, type Wrong } from './findings.ts'
import type { Faults, Played } from './rounds.ts'

export interface RouteVerdict {
  readonly route: string
  /** Why it could not be proven, where it could not. */
  readonly unproven?: string
  readonly kills: number
  /** How many of them ended or stopped a process of its own. */
  readonly processes: number
  readonly faults: number
  /** How many of them there were of each kind. */
  readonly struck: Faults
  readonly records: number
  readonly left: number
  readonly wrongs: Readonly<Record<Wrong, number>>
  readonly failures: readonly Failure[]
}

/** A round that showed something wrong. */
export interface Failure {
  readonly step: string
  readonly folder: string
  readonly findings: readonly Finding[]
  readonly restless?: string
}

export interface Ledger {
  readonly unproven: (route: string, why: string) => void
  /** True when the round shows that something is wrong. */
  readonly note: (route: string, played: Played, folder: string) => Promise<boolean>
  /** So much went wrong that more of it tells nothing new. */
  readonly hasEnough: (route: string) => boolean
  readonly killsOf: (route: string) => number
  readonly kills: () => number
  readonly verdicts: () => readonly RouteVerdict[]
}

/** After so many rounds that went wrong, a route is given up. */
const FAILURES_MAX = 5

export function openLedger(routes: readonly string[]): Ledger {
  const verdicts = new Map(routes.map((route) => [route, blank(route)]))
  const of = (route: string) => verdicts.get(route) ?? blank(route)
  return {
    unproven: (route, why) => void verdicts.set(route, { ...of(route), unproven: why }),
    async note(route, { counted, kills, isReal, faults, step, restless }, folder) {
      const before = of(route)
      const { findings, records, left } = counted
      const isBad = findings.length > 0 || restless !== undefined
      const failure = { step, folder, findings, ...(restless === undefined ? {} : { restless }) }
      verdicts.set(route, {
        ...before,
        kills: before.kills + kills,
        processes: before.processes + (isReal ? kills : 0),
        faults: before.faults + Object.values(faults).reduce((sum, count) => sum + count, 0),
        struck: summed(before.struck, faults),
        records: before.records + records,
        left: before.left + left,
        wrongs: added(before.wrongs, findings),
        failures: isBad ? [...before.failures, failure] : before.failures,
      })
      if (isBad) await writeFailure(folder, failure)
      return isBad
    },
    hasEnough: (route) => of(route).failures.length >= FAILURES_MAX,
    killsOf: (route) => of(route).kills,
    kills: () => [...verdicts.values()].reduce((sum, { kills }) => sum + kills, 0),
    verdicts: () => [...verdicts.values()],
  }
}

/** What was wrong stands beside the journal and the files of its world. */
async function writeFailure(folder: string, failure: Failure): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'failure.json'), `${JSON.stringify(failure, null, 2)}\n`)
}

function blank(route: string): RouteVerdict {
  const wrongs = { lost: 0, doubled: 0, early: 0, twice: 0 }
  return { route, kills: 0, processes: 0, faults: 0, struck: {}, records: 0, left: 0, wrongs, failures: [] }
}

function summed(before: Faults, faults: Faults): Faults {
  const names = Object.keys({ ...before, ...faults }) as (keyof Faults)[]
  return Object.fromEntries(names.map((name) => [name, (before[name] ?? 0) + (faults[name] ?? 0)]))
}

function added(wrongs: RouteVerdict['wrongs'], findings: readonly Finding[]): RouteVerdict['wrongs'] {
  const sums = { ...wrongs }
  for (const name of Object.keys(WRONGS) as Wrong[]) {
    sums[name] += findings.filter(({ wrong }) => wrong === name).length
  }
  return sums
}
