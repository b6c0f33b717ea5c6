/** Rounds with real processes: killed at an effect or at random, or stopped for longer than their lease. */
import { type ChildProcess, fork } from 'node:child_process'
import type { ThreadSettings } from '../client/sending-thread.ts'
import type { Configuration } from '../config/configuration.ts'
import type { BlockSizes } from '../pipeline/context.ts'
import { resolvePackagePath } from '../support/process.ts'
import type { Moment } from './crash-point.ts'
import type { PlayedRound, ProcessTrial } from './results.ts'
import {
  type ActionResult,
  answerNew,
  playRound,
  runUntilAnswered,
  type RunningScenario,
  type Scenario,
} from './rounds.ts'
import { LEASE_MS } from './world.ts'

type ProcessScenario = RunningScenario & { readonly pool: ProcessPool; readonly sabotage: string | undefined }

/** `sabotage`: a module that takes something out of the bridge, for tests. */
export async function playProcessRound(
  scenario: Scenario,
  kind: ProcessTrial,
  pool: ProcessPool,
  sabotage: string | undefined,
): Promise<PlayedRound> {
  const act = PROCESS_ACTIONS[kind]
  return { ...(await playRound(scenario, (playing) => act({ ...playing, pool, sabotage }))), isReal: true }
}

/** One piece of work, and this many processes that die over it, each a little further on. */
const KILLS_IN_ROW = 5

/** Few connections, so that much is begun and not sent yet; a long timeout, so that no answer is given up during the stop. */
const STOPPED_API_OPTIONS = { connections: 4, timeoutMs: 20_000 } as const

/** The time for the second process to take over and finish. */
const TAKEOVER_MAX_MS = 8000

const PROCESS_ACTIONS: Record<ProcessTrial, (playing: ProcessScenario) => Promise<ActionResult>> = {
  'at-effect': killAtEffects,
  'at-random': killAllAtRandom,
  twins: killAllAtRandom,
  stopped: stopBeyondLease,
}

async function killAtEffects(playing: ProcessScenario): Promise<ActionResult> {
  const { chance, outgoing, proof, pool } = playing
  const steps: string[] = []
  for (let kill = 0; kill < KILLS_IN_ROW; kill++) {
    const moment: Moment = chance.next() < 0.5 ? 'before' : 'after'
    const effect = chance.between(1, 40)
    const { ended } = pool.start({ ...createJob(playing, proof.names[0]), death: { effect, moment } })
    await outgoing.untilEnded(ended)
    const isKilled = (await ended).signal === 'SIGKILL'
    if (isKilled) outgoing.afterDeath()
    const answers = await answerNew(playing)
    if (!isKilled && answers === 0) break
    if (isKilled) steps.push(`${moment} effect ${effect}`)
  }
  return { kills: steps.length, step: `killed right ${steps.join(', then ')}`, happened: steps.length > 0 }
}

/** One process for each route of the case; they work beside each other. */
async function killAllAtRandom(playing: ProcessScenario): Promise<ActionResult> {
  const { proof, outgoing, world } = playing
  const { service } = world
  service.switches.latencyMs = 10
  const steps: string[] = []
  for (let kill = 0; kill < KILLS_IN_ROW; kill++) {
    const killings = proof.names.map((name) => killAtRandom(playing, name))
    const killed = (await Promise.all(killings)).filter((moment) => moment !== undefined)
    if (killed.length > 0) outgoing.afterDeath()
    steps.push(...killed)
    if ((await answerNew(playing)) === 0 && killed.length === 0) break
  }
  service.switches.latencyMs = 0
  return { kills: steps.length, step: `killed ${steps.join(', then ')}`, happened: steps.length > 0 }
}

/** Returns when the process was killed; undefined when it ended before. */
async function killAtRandom(playing: ProcessScenario, name: string): Promise<string | undefined> {
  const { chance, pool, watch, outgoing } = playing
  // Half of them are killed while they send, which is the shorter part of their life.
  const requests = chance.next() < 0.5 ? watch.arrivals() + chance.between(1, 12) : Infinity
  const afterMs = chance.between(0, 250)
  const child = pool.start(createJob(playing, name))
  const reading = outgoing.untilEnded(child.ended)
  await waitUntil(child, playing, () => watch.arrivals() >= requests, requests === Infinity ? afterMs : 3000)
  const isKilled = child.kill('SIGKILL')
  await reading
  const { signal } = await child.ended
  if (!isKilled || signal !== 'SIGKILL') return undefined
  return requests === Infinity ? `${afterMs} ms after it began` : `at request ${requests}`
}

/** The first process is stopped in the middle of its work, the second takes over, the first continues where it was. */
async function stopBeyondLease(playing: ProcessScenario): Promise<ActionResult> {
  const { world, watch, outgoing, proof, chance, pool } = playing
  // It is stopped while it sends.
  await runUntilAnswered(playing)
  world.service.switches.latencyMs = 30
  const request = watch.arrivals() + chance.between(1, 15)
  const job = createJob(playing, proof.names[0])
  const { configuration } = job
  const patient = { ...configuration, api: { ...configuration.api, ...STOPPED_API_OPTIONS } }
  const first = pool.start({ ...job, configuration: patient })
  await waitUntil(first, playing, () => watch.arrivals() >= request, 3000)
  const wasStopped = await first.stop()
  outgoing.afterDeath()
  await world.pause(LEASE_MS + 100)
  const second = pool.start({ ...job, untilQuietMs: TAKEOVER_MAX_MS })
  const reading = outgoing.untilEnded(second.ended)
  // Sometimes the first wakes while the second works, and sometimes after it is done.
  const met = chance.next() < 0.5 ? watch.arrivals() + chance.between(1, 15) : Infinity
  await waitUntil(second, playing, () => watch.arrivals() >= met, TAKEOVER_MAX_MS)
  first.kill('SIGCONT')
  await Promise.all([first.ended, second.ended, reading])
  world.service.switches.latencyMs = 0
  const step = `stopped at request ${request} for longer than its lease`
  return { kills: wasStopped ? 1 : 0, step, happened: wasStopped }
}

/** Waits for the condition, the end of the child, or the end of the time; real time passes. */
async function waitUntil(child: StartedChild, { world }: Scenario, has: () => boolean, mostMs: number) {
  await child.began
  const until = performance.now() + mostMs
  while (!child.isOver() && !has() && performance.now() < until) await world.pause(1)
}

/** From the second request on: the first ones show the process without the thread. */
const THREAD: ThreadSettings = { afterRequests: 1, idleShare: 0, idleMs: 100 }

function createJob({ world, sabotage }: ProcessScenario, route: string): Job {
  const { configuration, blocks } = world
  return { configuration, route, leaseMs: LEASE_MS, sabotage, thread: THREAD, ...(blocks && { blocks }) }
}

// Process pool: processes start ahead, because loading the program takes longer than most of them live.

/** The job of a process, sent as its first message. */
export interface Job {
  readonly configuration: Configuration
  readonly route: string
  readonly leaseMs: number
  readonly blocks?: BlockSizes
  /** A thread of its own sends, as usually only where much is sent. */
  readonly thread?: ThreadSettings
  /** The process kills itself right there. */
  readonly death?: { readonly effect: number; readonly moment: Moment }
  /** The process works until the route is quiet, for at most this long; one pass when left out. */
  readonly untilQuietMs?: number
  /** The path of a module whose `sabotage` takes something out of the bridge. */
  readonly sabotage: string | undefined
}

export type ProcessPool = ReturnType<typeof openProcessPool>

/** A process that is not done by then hangs; the counts show what it left undone. */
const LIFE_MAX_MS = 60_000

/** How many loaded processes wait for a job. */
const IDLE_PROCESSES = 2

export function openProcessPool() {
  const waiting: IdleProcess[] = []
  const alive = new Set<ChildProcess>()
  const killAll = () => {
    for (const child of alive) child.kill('SIGKILL')
  }
  // A stopped process would stay for ever when this process is ended at once.
  process.once('exit', killAll)
  const startWaiting = () => {
    const born = forkChild(resolvePackagePath('dist/prove/child.js'))
    alive.add(born.child)
    void born.ended.then(() => alive.delete(born.child))
    return born
  }
  const fill = () => {
    while (waiting.length < IDLE_PROCESSES) waiting.push(startWaiting())
  }
  return {
    start(job: Job) {
      fill()
      const idle = waiting.shift() ?? startWaiting()
      idle.child.send(job, () => undefined)
      fill()
      return superviseChild(idle)
    },
    /** Ends the processes that got no job. */
    close: async () => {
      for (const { child } of waiting) child.kill('SIGKILL')
      await Promise.all(waiting.map(({ ended }) => ended))
      process.off('exit', killAll)
    },
  }
}

type IdleProcess = ReturnType<typeof forkChild>

function forkChild(path: string) {
  const child = fork(path, { stdio: 'ignore', serialization: 'json', execArgv: [] })
  const ended = new Promise<{ readonly signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (_, signal) => resolve({ signal }))
  })
  return { child, ended }
}

type StartedChild = ReturnType<typeof superviseChild>

function superviseChild({ child, ended }: IdleProcess) {
  const watchdog = setTimeout(() => child.kill('SIGKILL'), LIFE_MAX_MS)
  void ended.finally(() => clearTimeout(watchdog))
  /** Resolves when the process begins to work, or has ended before. */
  const began = new Promise<void>((resolve) => {
    child.once('message', () => resolve())
    void ended.then(() => resolve())
  })
  /** Asks the process to stop itself; resolves to false when it had ended before. */
  const stop = async () => {
    const stops = new Promise<boolean>((resolve) => child.once('message', () => resolve(true)))
    child.send('stop', () => undefined)
    return Promise.race([stops, ended.then(() => false)])
  }
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  /** False when the process had ended. */
  const kill = (signal: 'SIGKILL' | 'SIGCONT') => !isOver() && child.kill(signal)
  return { began, ended, isOver, stop, kill }
}
