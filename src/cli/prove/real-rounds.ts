/** Rounds with real processes: killed right at an effect, killed at a moment nobody chose, stopped beyond their lease. */
import type { Moment } from './death.ts'
import type { Dice } from './dice.ts'
import type { StormKind } from './kinds.ts'
import type { Job, Nursery, StartedChild } from './processes.ts'
import { type Act, play, type Played, type Playing, type Scene } from './rounds.ts'
import { LEASE_MS } from './world.ts'

export interface RealOptions {
  readonly chance: Dice
  readonly nursery: Nursery
  /** A module that takes something out of the bridge, for tests. */
  readonly sabotage?: string
}

export async function realRound(scene: Scene, kind: StormKind, options: RealOptions): Promise<Played> {
  return { ...(await play(scene, (playing) => ACTS[kind](playing, options))), isReal: true }
}

type RealAct = (playing: Playing, options: RealOptions) => Promise<Act>

const ACTS: Readonly<Record<StormKind, RealAct>> = {
  'at-effect': dieAtEffects,
  'at-random': dieAtRandom,
  twins: dieAtRandom,
  stopped: stopBeyondLease,
}

/** One work, and so many processes that die over it, each a little further on. */
const DEATHS_IN_ROW = 5

async function dieAtEffects(playing: Playing, options: RealOptions): Promise<Act> {
  const { chance } = options
  const { outgoing, proof } = playing
  const steps: string[] = []
  for (let turn = 0; turn < DEATHS_IN_ROW; turn++) {
    const moment: Moment = chance.next() < 0.5 ? 'before' : 'after'
    const effect = chance.between(1, 40)
    const job = { ...jobFor(playing, proof.names[0], options), death: { effect, moment } }
    const { ended } = options.nursery.start(job)
    await outgoing.untilEnded(ended)
    if ((await ended).signal !== 'SIGKILL') break
    outgoing.afterDeath()
    steps.push(`${moment} effect ${effect}`)
  }
  return { kills: steps.length, step: `killed right ${steps.join(', then ')}`, happened: steps.length > 0 }
}

/** One process for each route of the case; they work beside each other. */
async function dieAtRandom(playing: Playing, options: RealOptions): Promise<Act> {
  const { proof, outgoing, world } = playing
  const { service } = world
  service.switches.latencyMs = 10
  const steps: string[] = []
  for (let turn = 0; turn < DEATHS_IN_ROW; turn++) {
    const killings = proof.names.map((name) => killAtRandom(playing, name, options))
    const killed = (await Promise.all(killings)).filter((moment) => moment !== undefined)
    if (killed.length === 0) break
    outgoing.afterDeath()
    steps.push(...killed)
  }
  service.switches.latencyMs = 0
  return { kills: steps.length, step: `killed ${steps.join(', then ')}`, happened: steps.length > 0 }
}

/** Gives when; undefined when it ended before. */
async function killAtRandom(
  playing: Playing,
  name: string,
  options: RealOptions,
): Promise<string | undefined> {
  const { chance, nursery } = options
  const { watch, outgoing } = playing
  // half of them while it sends, which is the shorter part of its life
  const requests = chance.next() < 0.5 ? watch.arrivals() + chance.between(1, 12) : Infinity
  const afterMs = chance.between(0, 250)
  const child = nursery.start(jobFor(playing, name, options))
  const reading = outgoing.untilEnded(child.ended)
  await comesAbout(child, playing, () => watch.arrivals() >= requests, requests === Infinity ? afterMs : 3000)
  const isKilled = child.kill('SIGKILL')
  await reading
  const { signal } = await child.ended
  if (!isKilled || signal !== 'SIGKILL') return undefined
  return requests === Infinity ? `${afterMs} ms after it began` : `at request ${requests}`
}

/** For the second one to take over and finish. */
const LONGEST_MS = 8000

/** Few at a time, so that much is begun and not sent yet; and patient, so that no answer is given up while it is stopped. */
const STOPPED = { connections: 4, timeoutMs: 20_000 } as const

/** The first is stopped in the middle of its work, the second takes over, the first goes on where it was. */
async function stopBeyondLease(playing: Playing, options: RealOptions): Promise<Act> {
  const { world, watch, outgoing, proof } = playing
  world.service.switches.latencyMs = 30
  const request = watch.arrivals() + options.chance.between(1, 15)
  const job = jobFor(playing, proof.names[0], options)
  const patient = {
    ...job,
    configuration: { ...job.configuration, api: { ...job.configuration.api, ...STOPPED } },
  }
  const first = options.nursery.start(patient)
  await comesAbout(first, playing, () => watch.arrivals() >= request, 3000)
  const wasStopped = await first.stop()
  outgoing.afterDeath()
  await world.pause(LEASE_MS + 100)
  const second = options.nursery.start({ ...job, untilQuietMs: LONGEST_MS })
  const reading = outgoing.untilEnded(second.ended)
  // sometimes the first wakes while the second works, and sometimes after it is done
  const met = options.chance.next() < 0.5 ? watch.arrivals() + options.chance.between(1, 15) : Infinity
  await comesAbout(second, playing, () => watch.arrivals() >= met, LONGEST_MS)
  first.kill('SIGCONT')
  await Promise.all([first.ended, second.ended, reading])
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

function jobFor({ world }: Scene, route: string, { sabotage }: RealOptions): Job {
  return {
    configuration: world.configuration,
    route,
    leaseMs: LEASE_MS,
    ...(sabotage === undefined ? {} : { sabotage }),
  }
}
