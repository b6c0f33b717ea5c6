/** What a proof is asked to do, and a route that is being proven. */
import type { Configuration } from '../../config/configuration.ts'
import type { Wrap } from './death.ts'
import type { Ledger } from './ledger.ts'
import type { RealKind } from './real-rounds.ts'
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

/** A route that is being proven. */
export interface Provable {
  readonly proof: ProofCase
  readonly ground: Ground
  readonly options: ProofOptions
  readonly ledger: Ledger
}
