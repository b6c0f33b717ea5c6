/** What a proof is asked to do, and a route that is being proven. */
import type { Configuration } from '../../config/configuration.ts'
import type { Wrap } from './death.ts'
import type { Ledger } from './ledger.ts'
import type { KindName } from './kinds.ts'
import type { ProofCase } from './rounds.ts'
import type { Ground } from './world.ts'
import { openWorlds, type Worlds } from './worlds.ts'

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
  /** Only these parts of the proof; those that are usually tried when left out. */
  readonly only?: readonly KindName[]
}

/** What is set to work, and in which worlds. */
export interface Proving {
  readonly proof: ProofCase
  readonly ground: Ground
}

/** A route that is being proven. */
export interface Provable extends Proving {
  /** The route beside its twin, where it can have one. */
  readonly beside?: Proving
  readonly options: ProofOptions
  readonly ledger: Ledger
}

export function worldsFor(
  { proof, ground }: Proving,
  { folder, seed }: ProofOptions,
  { word, swift }: { readonly word: string; readonly swift: boolean },
): Worlds {
  return openWorlds(ground, { folder, seed, route: proof.route, word, swift, onlyOnce: proof.saysTheSame })
}
