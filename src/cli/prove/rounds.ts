/** One round of a proof: work is put in place, the bridge dies in the middle of it, and is started until it is quiet. */
import type { Bridge } from '../../bridge/bridge.ts'
import type { FaultName } from '../../service/http/switches.ts'
import { EXIT, type ExitCode } from '../../support/errors.ts'
import { backUpAt } from './backup.ts'
import { crashAt, isEffect, type Moment, type Wrap, wrappedBoth } from './death.ts'
import type { Dice } from './dice.ts'
import type { Counted } from './findings.ts'
import type { Outlet } from './outlet.ts'
import { createReader, type Reader, type ReaderHabit } from './reader.ts'
import { calm, type Storm, strike } from './storms.ts'
import type { Watch, WatchOptions } from './witness.ts'
import type { World } from './world.ts'

/** How a route of one direction is set to work and counted. */
export interface ProofCase {
  readonly route: string
  /** What runs in its worlds: the route, and its twin where there is one. */
  readonly names: readonly [string, ...string[]]
  /** Its files say the same each time, so that only the first one of a world changes anything. */
  readonly saysTheSame: boolean
  readonly prepare: (world: World, records: number) => Promise<Round>
}

export interface Round {
  readonly watch: WatchOptions
  /** Where the files of the round are delivered. */
  readonly outlet: Outlet
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
  /** How often each fault struck. */
  readonly faults: Faults
  /** What happened, for who wants to see it again: `died before journal.endAttempts`. */
  readonly step: string
  /** Whether the death that was planned came about; without it the pass has fewer effects than that. */
  readonly happened: boolean
  /** Why the bridge did not come to rest, where it did not. */
  readonly restless?: string
}

export type Faults = Readonly<Partial<Record<FaultName, number>>>

export interface Scene {
  readonly world: World
  readonly proof: ProofCase
  readonly records: number
  readonly storm: Storm
  readonly reader: ReaderHabit
  /** Decides when the reader looks. */
  readonly chance: Dice
}

/** A scene in which work is in place. */
export interface Playing extends Scene {
  readonly watch: Watch
  readonly outgoing: Reader
}

/** A run without fault or death; gives why the route cannot be proven, where it cannot. */
export async function calmRound({
  world,
  proof,
  records,
}: Pick<Scene, 'world' | 'proof' | 'records'>): Promise<Played | string> {
  calm(world.service)
  const round = await proof.prepare(world, records)
  const watch = world.witness.watch(round.watch)
  const restless = await runUntilQuiet(world, proof)
  world.witness.rest()
  const counted = restless ?? (await round.asBaseline(watch))
  if (typeof counted === 'string') return counted
  return { counted, kills: 0, faults: {}, step: 'in a run without any fault or death', happened: false }
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
  return play(scene, async (playing) => {
    const diedAt = await dieAt(playing, first)
    if (diedAt === undefined) return NOTHING_DIED
    await scene.world.letLeaseRunOut()
    const again = await dieAt(playing, second)
    const step = `died right ${diedAt}${again === undefined ? '' : `, and again right ${again}`}`
    return { kills: again === undefined ? 1 : 2, step, happened: true }
  })
}

/**
 * The state folder is copied right after an effect; the bridge goes on and dies, the copy takes the folder's place, and a person
 * declares it.
 */
export function restoredRound(scene: Scene, copiedAfter: number, death: Death): Promise<Played> {
  return play(scene, async (playing) => {
    const backup = backUpAt(copiedAfter, scene.world)
    const diedAt = await dieAt(playing, death, backup.wrap)
    const effect = backup.putBack()
    if (effect === undefined) return NOTHING_DIED
    await scene.world.letLeaseRunOut()
    await declareRestored(playing)
    const end = diedAt === undefined ? 'ended' : `died right ${diedAt}`
    const step = `its state was copied right after ${effect}, it ${end}, and the copy was put back`
    return { kills: diedAt === undefined ? 0 : 1, step, happened: true }
  })
}

/** As a person does after putting a backup back. */
async function declareRestored({ world, outgoing }: Playing): Promise<void> {
  const bridge = await world.open(outgoing.wrap)
  try {
    await bridge.restored({ by: 'the proof', why: 'a backup was put back', skip: 1000, dryRun: false })
  } finally {
    await bridge.close()
  }
}

const NOTHING_DIED: Act = { kills: 0, step: 'nothing died', happened: false }

/** Gives the effect that it died at; undefined when the pass has fewer. */
async function dieAt(
  { world, proof, outgoing }: Playing,
  { effect, moment }: Death,
  within?: Wrap,
): Promise<string | undefined> {
  const plan = crashAt(effect, moment, isEffect)
  const bridge = await world.open(wrappedBoth(wrappedBoth(plan.wrap, within), outgoing.wrap))
  try {
    await runAll(bridge, proof)
  } catch (error) {
    if (plan.diedAt() === undefined) throw error
  } finally {
    await bridge.close()
  }
  if (plan.diedAt() !== undefined) outgoing.afterDeath()
  return plan.diedAt()
}

/** All routes of the case at the same time, as `watch` runs them. */
async function runAll(bridge: Bridge, { names }: ProofCase) {
  const { signal } = new AbortController()
  const runs = await Promise.allSettled(names.map((name) => bridge.run([name], signal)))
  return runs.map((run) => {
    if (run.status === 'rejected') throw run.reason
    return run.value
  })
}

export type Act = Pick<Played, 'kills' | 'step' | 'happened'>

/** Prepares, lets the storm strike, has the deaths come about, starts the bridge until it is quiet, and counts. */
export async function play(scene: Scene, act: (playing: Playing) => Promise<Act>): Promise<Played> {
  const { world, proof, records, storm, reader: habit, chance } = scene
  calm(world.service)
  const round = await proof.prepare(world, records)
  const watch = world.witness.watch(round.watch)
  const { outlet } = round
  const outgoing = createReader({ outlet, habit, chance, pause: world.pause })
  const before = { ...world.service.faults }
  strike(world.service, storm, world.configuration.api.lateAnswerMs)
  const done = await act({ ...scene, watch, outgoing })
  await world.letLeaseRunOut()
  const restless = await runUntilQuiet(world, proof, outgoing.wrap)
  calm(world.service)
  world.witness.rest()
  const counted = await round.count(watch)
  return {
    ...done,
    step: done.step + outgoing.told(),
    counted,
    faults: struckSince(before, world),
    ...(restless === undefined ? {} : { restless }),
  }
}

function struckSince(before: World['service']['faults'], { service }: World): Faults {
  const names = Object.keys(before) as FaultName[]
  const counts = names.map((name): [FaultName, number] => [name, service.faults[name] - before[name]])
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

/** How often a bridge may be started before it must have come to rest, and how long it waits in between. */
const STARTS_MAX = 15
const BETWEEN_STARTS_MS = 150
const QUIET: readonly ExitCode[] = [EXIT.ok, EXIT.rejects, EXIT.unusableFile]

/** Gives why it did not come to rest. */
async function runUntilQuiet(world: World, proof: ProofCase, wrap?: Wrap): Promise<string | undefined> {
  let last = ''
  for (let start = 0; start < STARTS_MAX; start++) {
    const bridge = await world.open(wrap)
    try {
      const runs = await runAll(bridge, proof)
      const loud = runs.find(({ exit }) => !QUIET.includes(exit))
      if (loud === undefined) return undefined
      const [result] = loud.routes
      last = result?.kind === 'failed' ? result.failure.message : `exit ${loud.exit}`
    } finally {
      await bridge.close()
    }
    await world.pause(BETWEEN_STARTS_MS)
  }
  return `the bridge did not come to rest in ${STARTS_MAX} starts: ${last}`
}
