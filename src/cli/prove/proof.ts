/** The proof: every route through a calm run, a death at every effect, and storms with kills until the time is over. */
import { BridgeError } from '../../support/errors.ts'
import type { Configuration } from '../../config/configuration.ts'
import { casesOf } from './cases.ts'
import type { Wrap } from './death.ts'
import { REAL_KINDS, type RealKind } from './real-rounds.ts'
import { type Ledger, openLedger, type RouteVerdict } from './ledger.ts'
import { calmRun, dieEverywhere, realStorms } from './phases.ts'
import type { ProofCase } from './rounds.ts'
import type { Ground } from './world.ts'

export interface ProofOptions {
  readonly configuration: Configuration
  /** The names of the routes to prove; all when there are none. */
  readonly routes: readonly string[]
  /** Files to prove with, by the name of the route. */
  readonly files: ReadonlyMap<string, string>
  readonly seed: number
  /** How long the proof takes at least; every route dies at every effect, however long that takes. */
  readonly forMs: number
  /** At least so many deaths in all. */
  readonly kills: number
  /** The folder of everything. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly say: (line: string) => void
  /** For the tests that see whether the proof notices what is taken out. */
  readonly sabotage?: { readonly wrap?: Wrap; readonly module?: string }
  /** The program of the real processes; the one beside this file when left out. */
  readonly childPath?: string
  /** Only these parts of the proof; all when left out. */
  readonly only?: readonly ('deaths' | RealKind)[]
}

export interface Proof {
  readonly seed: number
  readonly routes: readonly RouteVerdict[]
  /** False when it was stopped before its end. */
  readonly whole: boolean
}

/** A route that is being proven. */
export interface Provable {
  readonly proof: ProofCase
  readonly ground: Ground
  readonly options: ProofOptions
  readonly ledger: Ledger
}

export async function prove(options: ProofOptions): Promise<Proof> {
  const until = performance.now() + options.forMs
  const { configuration, seed, signal, sabotage } = options
  const routes = chosenRoutes(options)
  let numbers = 100_000
  const serial = () => ++numbers
  const { cases, market } = await casesOf(configuration, { routes, files: options.files, serial })
  const ledger = openLedger(routes.map(({ name }) => name))
  const wrap = sabotage?.wrap === undefined ? {} : { sabotage: sabotage.wrap }
  const calmed: Provable[] = []
  for (const { route, proof } of cases) {
    if (signal.aborted) break
    // A world has the one route: the others would only take time to open.
    const ground = { market, serial, ...wrap, configuration: { ...configuration, routes: [route] } }
    const why = typeof proof === 'string' ? proof : await calmRun({ proof, ground, options, ledger })
    if (why !== undefined) ledger.unproven(route.name, why)
    else if (typeof proof !== 'string') calmed.push({ proof, ground, options, ledger })
  }
  const { only = ['deaths', ...REAL_KINDS] } = options
  if (only.includes('deaths')) for (const each of calmed) await dieEverywhere(each)
  // Windows cannot stop a process.
  const kinds = REAL_KINDS.filter(
    (kind) => only.includes(kind) && (kind !== 'stopped' || process.platform !== 'win32'),
  )
  await realStorms(calmed, { kinds, until })
  return { seed, routes: ledger.verdicts(), whole: !signal.aborted }
}

function chosenRoutes({ configuration: { routes }, routes: names, files }: ProofOptions) {
  const unknown = [...names, ...files.keys()].filter((name) => !routes.some((route) => route.name === name))
  if (unknown.length === 0) return routes.filter(({ name }) => names.length === 0 || names.includes(name))
  const known = routes.map(({ name }) => name).join(', ')
  throw new BridgeError('usage-wrong', `there is no route "${unknown.join('", "')}"; the routes are ${known}`)
}
