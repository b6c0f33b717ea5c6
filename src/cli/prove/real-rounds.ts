/** Rounds with real processes: killed right at an effect, killed at a moment nobody chose, stopped beyond their lease. */
import type { Moment } from './death.ts'
import type { Dice } from './dice.ts'
import type { Job, Nursery, StartedChild } from './processes.ts'
import { type Act, play, type Played, type Scene } from './rounds.ts'
import type { Watch } from './witness.ts'
import { LEASE_MS } from './world.ts'

/** What happens to real processes, in turn. */
export const REAL_KINDS = ['at-effect', 'stopped', 'at-random'] as const

export type RealKind = (typeof REAL_KINDS)[number]

export interface RealOptions {
  readonly chance: Dice
  readonly nursery: Nursery
  /** A module that takes something out of the bridge, for tests. */
  readonly sabotage?: string
}

export async function realRound(scene: Scene, kind: RealKind, options: RealOptions): Promise<Played> {
  return { ...(await play(scene, (same, watch) => ACTS[kind](same, watch, options))), isReal: true }
}

type RealAct = (scene: Scene, watch: Watch, options: RealOptions) => Promise<Act>

const ACTS: Readonly<Record<RealKind, RealAct>> = {
  'at-effect': dieAtEffects,
  'at-random': dieAtRandom,
  stopped: stopBeyondLease,
}

/** One work, and so many processes that die over it, each a little further on. */
const DEATHS_IN_ROW = 5

async function dieAtEffects(scene: Scene, _watch: Watch, options: RealOptions): Promise<Act> {
  const { chance } = options
  const steps: string[] = []
  for (let turn = 0; turn < DEATHS_IN_ROW; turn++) {
    const moment: Moment = chance.next() < 0.5 ? 'before' : 'after'
    const effect = chance.between(1, 40)
    const ended = await options.nursery.start({ ...jobFor(scene, options), death: { effect, moment } }).ended
    if (ended.signal !== 'SIGKILL') break
    steps.push(`${moment} effect ${effect}`)
  }
  return { kills: steps.length, step: `killed right ${steps.join(', then ')}`, happened: steps.length > 0 }
}

async function dieAtRandom(scene: Scene, watch: Watch, options: RealOptions): Promise<Act> {
  const { chance } = options
  const { service } = scene.world
  service.switches.latencyMs = 10
  const steps: string[] = []
  for (let turn = 0; turn < DEATHS_IN_ROW; turn++) {
    const child = options.nursery.start(jobFor(scene, options))
    // half of them while it sends, which is the shorter part of its life
    const requests = chance.next() < 0.5 ? watch.arrivals() + chance.between(1, 12) : Infinity
    const afterMs = chance.between(0, 250)
    await comesAbout(child, scene, () => watch.arrivals() >= requests, requests === Infinity ? afterMs : 3000)
    if (!child.kill('SIGKILL')) break
    const { signal } = await child.ended
    if (signal === 'SIGKILL')
      steps.push(requests === Infinity ? `${afterMs} ms after it began` : `at request ${requests}`)
  }
  service.switches.latencyMs = 0
  return { kills: steps.length, step: `killed ${steps.join(', then ')}`, happened: steps.length > 0 }
}

/** For the second one to take over and finish. */
const LONGEST_MS = 8000

/** Few at a time, so that much is begun and not sent yet; and patient, so that no answer is given up while it is stopped. */
const STOPPED = { connections: 4, timeoutMs: 20_000 } as const

/** The first is stopped in the middle of its work, the second takes over, the first goes on where it was. */
async function stopBeyondLease(scene: Scene, watch: Watch, options: RealOptions): Promise<Act> {
  const { world } = scene
  world.service.switches.latencyMs = 30
  const request = watch.arrivals() + options.chance.between(1, 15)
  const job = jobFor(scene, options)
  const patient = {
    ...job,
    configuration: { ...job.configuration, api: { ...job.configuration.api, ...STOPPED } },
  }
  const first = options.nursery.start(patient)
  await comesAbout(first, scene, () => watch.arrivals() >= request, 3000)
  const wasStopped = await first.stop()
  await world.pause(LEASE_MS + 100)
  const second = options.nursery.start({ ...job, untilQuietMs: LONGEST_MS })
  // sometimes the first wakes while the second works, and sometimes after it is done
  const met = options.chance.next() < 0.5 ? watch.arrivals() + options.chance.between(1, 15) : Infinity
  await comesAbout(second, scene, () => watch.arrivals() >= met, LONGEST_MS)
  first.kill('SIGCONT')
  await Promise.all([first.ended, second.ended])
  world.service.switches.latencyMs = 0
  return {
    kills: wasStopped ? 1 : 0,
    step: `stopped at request ${request} for longer than its lease`,
    happened: wasStopped,
  }
}

/** Waits for what is to come about, the end of the child, or the time; real time passes. */
async function comesAbout(
  child: StartedChild,
  { world }: Scene,
  has: () => boolean,
  mostMs: number,
): Promise<void> {
  await child.began
  const until = performance.now() + mostMs
  while (!child.isOver() && !has() && performance.now() < until) await world.pause(1)
}

function jobFor({ world, proof }: Scene, { sabotage }: RealOptions): Job {
  return {
    configuration: world.configuration,
    route: proof.route,
    leaseMs: LEASE_MS,
    ...(sabotage === undefined ? {} : { sabotage }),
  }
}
