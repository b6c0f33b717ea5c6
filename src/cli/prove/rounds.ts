/** One round of a proof: work is put in place, the bridge dies in the middle of it, and is started until it is quiet. */
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { crashAt, isEffect, type Moment } from './death.ts'
import type { Counted } from './findings.ts'
import { calm, type Storm, strike } from './storms.ts'
import type { Watch, WatchOptions } from './witness.ts'
import type { World } from './world.ts'

/** How a route of one direction is set to work and counted. */
export interface ProofCase {
  readonly route: string
  /** Its files say the same each time, so that only the first one of a world changes anything. */
  readonly saysTheSame: boolean
  readonly prepare: (world: World, records: number) => Promise<Round>
}

export interface Round {
  readonly watch: WatchOptions
  /** After the bridge came to rest. */
  readonly count: (watch: Watch) => Promise<Counted>
  /** After a run without any fault: takes it for what a run comes to. Gives what is wrong, or why it proves nothing. */
  readonly asBaseline: (watch: Watch) => Promise<Counted | string>
}

export interface Played {
  readonly counted: Counted
  /** How often a process died or was stopped. */
  readonly kills: number
  /** Whether real processes died, or parts of this one. */
  readonly isReal?: true
  readonly faults: number
  /** What happened, for who wants to see it again: `died before journal.endAttempts`. */
  readonly step: string
  /** Whether the death that was planned came about; without it the pass has fewer effects than that. */
  readonly happened: boolean
  /** Why the bridge did not come to rest, where it did not. */
  readonly restless?: string
}

export interface Scene {
  readonly world: World
  readonly proof: ProofCase
  readonly records: number
  readonly storm: Storm
}

/** A run without fault or death; gives why the route cannot be proven, where it cannot. */
export async function calmRound({ world, proof, records }: Omit<Scene, 'storm'>): Promise<Played | string> {
  calm(world.service)
  const round = await proof.prepare(world, records)
  const watch = world.witness.watch(round.watch)
  const restless = await runUntilQuiet(world, proof.route)
  world.witness.rest()
  const counted = restless ?? (await round.asBaseline(watch))
  if (typeof counted === 'string') return counted
  return { counted, kills: 0, faults: 0, step: 'in a run without any fault or death', happened: false }
}

/** Right there a bridge dies. */
export interface Death {
  readonly effect: number
  readonly moment: Moment
}

/**
 * The bridge dies right before or after its n-th effect, in this process, and the one that is started after it at a
 * second place.
 */
export function deathRound(scene: Scene, first: Death, second: Death): Promise<Played> {
  return play(scene, async () => {
    const diedAt = await dieAt(scene, first)
    if (diedAt === undefined) return { kills: 0, step: 'nothing died', happened: false }
    await scene.world.letLeaseRunOut()
    const again = await dieAt(scene, second)
    const step = `died right ${diedAt}${again === undefined ? '' : `, and again right ${again}`}`
    return { kills: again === undefined ? 1 : 2, step, happened: true }
  })
}

/** Gives the effect that it died at; undefined when the pass has fewer. */
async function dieAt({ world, proof }: Scene, { effect, moment }: Death): Promise<string | undefined> {
  const plan = crashAt(effect, moment, isEffect)
  const bridge = await world.open(plan.wrap)
  try {
    await bridge.run([proof.route], new AbortController().signal)
  } catch (error) {
    if (plan.diedAt() === undefined) throw error
  } finally {
    await bridge.close()
  }
  return plan.diedAt()
}

export type Act = Pick<Played, 'kills' | 'step' | 'happened'>

/** Prepares, lets the storm strike, has the deaths come about, starts the bridge until it is quiet, and counts. */
export async function play(scene: Scene, act: (scene: Scene, watch: Watch) => Promise<Act>): Promise<Played> {
  const { world, proof, records, storm } = scene
  calm(world.service)
  const round = await proof.prepare(world, records)
  const watch = world.witness.watch(round.watch)
  const before = struckAt(world)
  strike(world.service, storm)
  const done = await act(scene, watch)
  await world.letLeaseRunOut()
  const restless = await runUntilQuiet(world, proof.route)
  calm(world.service)
  world.witness.rest()
  const counted = await round.count(watch)
  const faults = struckAt(world) - before
  return { ...done, counted, faults, ...(restless === undefined ? {} : { restless }) }
}

function struckAt({ service }: World): number {
  return Object.values(service.faults).reduce((sum, count) => sum + count, 0)
}

/** How often a bridge may be started before it must have come to rest, and how long it waits in between. */
const STARTS_MAX = 15
const BETWEEN_STARTS_MS = 150
const QUIET: readonly ExitCode[] = [EXIT.ok, EXIT.rejects, EXIT.unusableFile]

/** Gives why it did not come to rest. */
async function runUntilQuiet(world: World, route: string): Promise<string | undefined> {
  let last = ''
  for (let start = 0; start < STARTS_MAX; start++) {
    const bridge = await world.open()
    try {
      const { exit, routes } = await bridge.run([route], new AbortController().signal)
      if (QUIET.includes(exit)) return undefined
      const [result] = routes
      last = result?.kind === 'failed' ? result.failure.message : `exit ${exit}`
    } finally {
      await bridge.close()
    }
    await world.pause(BETWEEN_STARTS_MS)
  }
  return `the bridge did not come to rest in ${STARTS_MAX} starts: ${last}`
}
