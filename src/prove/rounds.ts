/** One round of a proof: prepares work, crashes the bridge, restarts it until it is quiet, counts the results. */
import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Bridge } from '../app/bridge.ts'
import type { FaultName } from '../service/switches.ts'
import { EXIT, type ExitCode } from '../support/errors.ts'
import {
  type CallGuard,
  combineWrappers,
  crashAt,
  guardParts,
  isEffect,
  type Moment,
  type PartsWrapper,
} from './crash-point.ts'
import { createReader, type DeliveryFolder, type Reader, type ReaderHabit } from './delivered-files.ts'
import { applyFaults, clearFaults, type FaultPlan, type Random } from './fault-plan.ts'
import type { Recording, RecordingOptions } from './request-recorder.ts'
import type { Faults, PlayedRound, RoundCount } from './results.ts'
import type { World } from './world.ts'

/** How a proof prepares and counts the work of a route. */
export interface ProofCase {
  readonly route: string
  /** The routes that run in its worlds: the route, and its twin if it has one. */
  readonly names: readonly [string, ...string[]]
  /** Its files are the same each time, so that only the first one of a world changes anything. */
  readonly hasFixedRecords: boolean
  readonly prepare: (world: World, records: number) => Promise<Round>
}

export interface Round {
  readonly watch: RecordingOptions
  /** Where the files of the round are delivered. */
  readonly outlet: DeliveryFolder
  /**
   * Has the partner answer what was delivered, while no bridge is at work. Returns how many files it dropped. Left out where
   * nothing depends on answers.
   */
  readonly answerNew?: () => Promise<number>
  /** Called after the bridge came to rest. */
  readonly count: (watch: Recording) => Promise<RoundCount>
  /** Makes the results of a run without faults the baseline. Returns them, or why they prove nothing. */
  readonly asBaseline: (watch: Recording) => Promise<RoundCount | string>
}

export interface Scenario {
  readonly world: World
  readonly proof: ProofCase
  readonly records: number
  readonly faultPlan: FaultPlan
  readonly reader: ReaderHabit
  /** Decides when the reader takes files. */
  readonly chance: Random
}

/** A scenario whose work is in place. */
export interface RunningScenario extends Scenario {
  readonly watch: Recording
  readonly outgoing: Reader
  /** As the round has it. */
  readonly answerNew?: Round['answerNew']
}

/** Returns how many files the partner dropped. */
export async function answerNew({ answerNew: answer }: Pick<RunningScenario, 'answerNew'>): Promise<number> {
  return answer === undefined ? 0 : answer()
}

/** Plays a round without faults and crashes; returns why the route cannot be proven, when it cannot. */
export async function playBaselineRound(world: World, proof: ProofCase, records: number) {
  clearFaults(world.service)
  const round = await proof.prepare(world, records)
  const watch = world.recorder.start(round.watch)
  const restless = await runUntilQuiet({ ...round, world, proof })
  world.recorder.stop()
  const counted = restless ?? (await round.asBaseline(watch))
  if (typeof counted === 'string') return counted
  const step = 'in a run without any fault or death'
  return { counted, kills: 0, faults: {}, step, happened: false } satisfies PlayedRound
}

export interface CrashPoint {
  readonly effect: number
  readonly moment: Moment
}

/** The bridge crashes at its n-th effect, in this process; the one that starts after it crashes at a second effect. */
export function playCrashRound(
  scenario: Scenario,
  first: CrashPoint,
  second: CrashPoint,
): Promise<PlayedRound> {
  return playRound(scenario, async (playing) => {
    const diedAt = await crashBridgeAt(playing, first)
    if (diedAt === undefined) return NO_CRASH
    await scenario.world.waitForLeaseExpiry()
    const again = await crashBridgeAt(playing, second)
    const step = `died right ${diedAt}${again === undefined ? '' : `, and again right ${again}`}`
    return { kills: again === undefined ? 1 : 2, step, happened: true }
  })
}

/** After the crash, a copy of the state folder from right after an effect takes its place, and a person declares it. */
export function playRestoredRound(scenario: Scenario, copiedAfter: number, death: CrashPoint) {
  return playRound(scenario, async (playing) => {
    const backup = backUpAfterEffect(copiedAfter, scenario.world)
    const diedAt = await crashBridgeAt(playing, death, backup.wrap)
    const effect = backup.restore()
    if (effect === undefined) return NO_CRASH
    await scenario.world.waitForLeaseExpiry()
    // As a person does after putting a backup back.
    const restoration = { by: 'the proof', why: 'a backup was put back', skip: 1000, dryRun: false }
    await withBridge(scenario.world, playing.outgoing.wrap, (bridge) => bridge.declareRestored(restoration))
    const end = diedAt === undefined ? 'ended' : `died right ${diedAt}`
    const step = `its state was copied right after ${effect}, it ${end}, and the copy was put back`
    return { kills: diedAt === undefined ? 0 : 1, step, happened: true }
  })
}

async function withBridge<Result>(
  world: World,
  wrap: PartsWrapper | undefined,
  work: (bridge: Bridge) => Promise<Result>,
): Promise<Result> {
  const bridge = await world.open(wrap)
  try {
    return await work(bridge)
  } finally {
    await bridge.close()
  }
}

const NO_CRASH: ActionResult = { kills: 0, step: 'nothing died', happened: false }

/**
 * Returns the effect that the bridge crashed at; undefined when the pass has fewer, and those over the answers to what it
 * delivered.
 */
async function crashBridgeAt(
  playing: RunningScenario,
  { effect, moment }: CrashPoint,
  within?: PartsWrapper,
): Promise<string | undefined> {
  const { world, proof, outgoing } = playing
  const plan = crashAt(effect, moment, isEffect)
  const wrap = combineWrappers(combineWrappers(plan.wrap, within), outgoing.wrap)
  try {
    do await withBridge(world, wrap, (bridge) => runAll(bridge, proof))
    while ((await answerNew(playing)) > 0)
  } catch (error) {
    if (plan.diedAt() === undefined) throw error
  }
  if (plan.diedAt() !== undefined) {
    outgoing.afterDeath()
    await answerNew(playing)
  }
  return plan.diedAt()
}

/** Where nothing is acknowledged before an answer: one pass that delivers, and the answer to it. */
export async function runUntilAnswered(playing: RunningScenario): Promise<void> {
  const { world, proof, outgoing } = playing
  if (playing.answerNew === undefined) return
  await withBridge(world, outgoing.wrap, (bridge) => runAll(bridge, proof))
  await answerNew(playing)
}

/** Runs all routes of the case at the same time, as `watch` does. */
async function runAll(bridge: Bridge, { names }: ProofCase) {
  const { signal } = new AbortController()
  const runs = await Promise.allSettled(names.map((name) => bridge.run([name], signal)))
  return runs.map((run) => {
    if (run.status === 'rejected') throw run.reason
    return run.value
  })
}

export type ActionResult = Pick<PlayedRound, 'kills' | 'step' | 'happened'>

/** Prepares the work, sets the faults, crashes the bridge, starts it again until it is quiet, and counts. */
export async function playRound(
  scenario: Scenario,
  act: (playing: RunningScenario) => Promise<ActionResult>,
) {
  const { world, proof, records, faultPlan, reader: habit, chance } = scenario
  clearFaults(world.service)
  const round = await proof.prepare(world, records)
  const watch = world.recorder.start(round.watch)
  const { outlet } = round
  const outgoing = createReader(outlet, habit, chance, world.pause)
  const before = { ...world.service.faults }
  applyFaults(world.service, faultPlan, world.configuration.api.lateAnswerMs)
  const playing = { ...round, ...scenario, watch, outgoing }
  const done = await act(playing)
  await world.waitForLeaseExpiry()
  const restless = await runUntilQuiet(playing, outgoing.wrap)
  clearFaults(world.service)
  world.recorder.stop()
  const counted = await round.count(watch)
  return {
    ...done,
    step: done.step + outgoing.formatTaken(),
    counted,
    faults: countFaultsSince(before, world),
    ...(restless === undefined ? {} : { restless }),
  }
}

function countFaultsSince(before: World['service']['faults'], { service }: World): Faults {
  const names = Object.keys(before) as FaultName[]
  const counts = names.map((name): [FaultName, number] => [name, service.faults[name] - before[name]])
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

/** How often a bridge may be started before its work must be done. */
const STARTS_MAX = 15

const BETWEEN_STARTS_MS = 150

const QUIET_EXITS: readonly ExitCode[] = [EXIT.ok, EXIT.rejects, EXIT.unusableFile]

/** Returns why the bridge still had work at the end, if it had. */
async function runUntilQuiet(
  playing: Pick<RunningScenario, 'world' | 'proof' | 'answerNew'>,
  wrap?: PartsWrapper,
) {
  const { world, proof } = playing
  let last = ''
  for (let start = 0; start < STARTS_MAX; start++) {
    const runs = await withBridge(world, wrap, (bridge) => runAll(bridge, proof))
    const loud = runs.find(({ exit }) => !QUIET_EXITS.includes(exit))
    const answers = await answerNew(playing)
    if (loud === undefined && answers === 0) return undefined
    const [result] = loud?.routes ?? []
    last = result?.kind === 'failed' ? result.failure.message : `exit ${loud?.exit}`
    await world.pause(BETWEEN_STARTS_MS)
  }
  return `the bridge still had work after ${STARTS_MAX} starts: ${last}`
}

// State backup: copied while a bridge works, restored after its crash.

/** Copies the state right after the n-th effect, at one instant: as a bridge that is killed then would leave it. */
export function backUpAfterEffect(effect: number, { configuration, folder }: World) {
  const copy = join(folder, 'backup')
  let count = 0
  let copiedAfter: string | undefined
  const guard: CallGuard = async (name, act) => {
    const isLast = isEffect(name) && ++count === effect
    const answer = await act()
    if (!isLast) return answer
    rmSync(copy, { recursive: true, force: true })
    cpSync(configuration.stateFolder, copy, { recursive: true })
    copiedAfter = name
    return answer
  }
  return {
    wrap: guardParts(guard),
    /** Returns the name of the effect before the copy; undefined when there is no copy, and nothing is put back. */
    restore: (): string | undefined => {
      if (copiedAfter === undefined) return undefined
      rmSync(configuration.stateFolder, { recursive: true })
      renameSync(copy, configuration.stateFolder)
      return copiedAfter
    },
  }
}
