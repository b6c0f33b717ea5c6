/** The phases of a proof: a baseline run, sweeps that crash at every effect, and trials with killed processes. */
import { join } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { Moment, PartsWrapper } from './crash-point.ts'
import type { ProcessTrial, SweepTrial, TrialName } from './criteria.ts'
import type { ReaderHabit } from './delivered-files.ts'
import { createFaultPlan, createRandom, NO_FAULTS, type Random } from './fault-plan.ts'
import { openProcessPool, playProcessRound, type ProcessPool } from './process-rounds.ts'
import type { Results } from './results.ts'
import {
  type CrashPoint,
  playBaselineRound,
  playCrashRound,
  type PlayedRound,
  playRestoredRound,
  type ProofCase,
  type Scenario,
} from './rounds.ts'
import { openWorld, openWorlds, type Worlds, type WorldSetup } from './world.ts'

/** Files of these sizes: a small one to die in at every effect, a larger one to be killed in at random. */
const FEW_RECORDS = 4

const MANY_RECORDS = 40

/** Gives why the route cannot be proven. */
export async function runBaselines(provable: RouteProof): Promise<string | undefined> {
  const { beside } = provable
  for (const records of [FEW_RECORDS, MANY_RECORDS]) {
    const why = await runBaseline(provable, provable, records, String(records))
    if (why !== undefined) return why
  }
  return beside && runBaseline(provable, beside, FEW_RECORDS, 'twins')
}

async function runBaseline(
  { options, ledger }: RouteProof,
  { proof, ground }: ProofTarget,
  records: number,
  word: string,
): Promise<string | undefined> {
  const folder = join(options.folder, proof.route, 'calm', word)
  const world = await openWorld(ground, { folder, swift: true, forms: {}, isCalm: true })
  try {
    const played = await playBaselineRound(world, proof, records)
    if (typeof played === 'string') return played
    await ledger.addRound(proof.route, played, folder)
    return undefined
  } finally {
    await world.close()
  }
}

function chooseCrash(chance: Random, effects: number): CrashPoint {
  return { effect: chance.between(1, effects), moment: chance.next() < 0.5 ? 'before' : 'after' }
}

/** After each of them, so many deaths in this process, over as many records and in worse weather. */
const CRASHES_BETWEEN = 2

const REPORT_EVERY = 10

/** Real processes are killed and stopped until the time is over and there are enough deaths. */
export async function runProcessTrials(
  all: readonly RouteProof[],
  kinds: readonly ProcessTrial[],
  readers: ReaderChoices,
  until: number,
): Promise<void> {
  const stages = all.flatMap((provable) => openRouteTrials(provable, kinds, readers))
  const [first] = stages
  if (first === undefined) return
  const { options, ledger } = first.provable
  const pool = openProcessPool(options.childPath)
  const isOver = (turn: number) =>
    stages.every(({ provable }) => ledger.hasEnough(provable.proof.route)) ||
    (turn >= stages.length && performance.now() >= until && ledger.kills() >= options.kills)
  try {
    for (let turn = 0; !isOver(turn) && !options.signal.aborted; turn++) {
      const stage = stages[turn % stages.length]
      if (stage === undefined) return
      if (ledger.hasEnough(stage.provable.proof.route)) continue
      await runTrial(stage, pool, turn, Math.floor(turn / stages.length))
      if (turn % REPORT_EVERY === REPORT_EVERY - 1) options.say(`storms: ${ledger.kills()} deaths so far`)
    }
  } finally {
    for (const { alone, beside } of stages) {
      for (const place of [alone, beside]) {
        await place?.real.close()
        await place?.swift.close()
      }
    }
    await pool.close()
  }
}

/** None where no kind is possible for the route. */
function openRouteTrials(provable: RouteProof, all: readonly ProcessTrial[], readers: ReaderChoices) {
  const { beside: twins, options } = provable
  const kinds = all.filter((each) => each !== 'twins' || twins !== undefined)
  if (kinds.length === 0) return []
  /** The worlds of real processes, and of crashes in this one. */
  const open = (target: ProofTarget, prefix: string) => ({
    proof: target.proof,
    real: openWorldsFor(target, options, `${prefix}kills`, false),
    swift: openWorldsFor(target, options, `${prefix}storms`, true),
  })
  const beside = twins !== undefined && kinds.includes('twins') ? open(twins, 'twins-') : undefined
  return [{ provable, kinds, readers, alone: open(provable, ''), beside }]
}

async function runTrial(
  { provable, kinds, readers, alone, beside = alone }: ReturnType<typeof openRouteTrials>[number],
  pool: ProcessPool,
  turn: number,
  round: number,
): Promise<void> {
  const { options } = provable
  // the kinds move on with every round, so that each route meets all of them
  const kind = kinds[(turn + round) % kinds.length]
  if (kind === undefined) return
  const chance = createRandom(options.seed, provable.proof.route, 'storm', round)
  const prepare = async (proof: ProofCase, worlds: Worlds, hangs: boolean): Promise<Scenario> => {
    const world = await worlds.next()
    const storm = createFaultPlan(chance, hangs)
    return { world, proof, records: MANY_RECORDS, storm, reader: chance.pick(readers), chance }
  }
  const { proof, real } = kind === 'twins' ? beside : alone
  const scene = await prepare(proof, real, kind !== 'stopped')
  await recordRound(provable, await playProcessRound(scene, kind, pool, options.sabotage?.module), real)
  for (let death = 0; death < CRASHES_BETWEEN && !options.signal.aborted; death++) {
    const { proof, swift } = death > 0 ? beside : alone
    const scene = await prepare(proof, swift, true)
    const played = await playCrashRound(scene, chooseCrash(chance, 90), chooseCrash(chance, 60))
    await recordRound(provable, played, swift)
  }
}

/** One of them for each round or effect. */
type ReaderChoices = readonly [ReaderHabit, ...ReaderHabit[]]

export const READER_CHOICES: ReaderChoices = ['none', 'none', 'after-deaths', 'at-any-time']

async function recordRound({ proof, ledger, options }: RouteProof, played: PlayedRound, worlds: Worlds) {
  const isBad = await ledger.addRound(proof.route, played, worlds.folder())
  if (!isBad) return
  const [first] = played.counted.findings
  const what = first === undefined ? played.restless : `${first.wrong}: ${first.record}: ${first.what}`
  options.say(`${proof.route}: ${what ?? ''} (${played.step})`)
  await worlds.leaveBehind()
}

// Sweeps: the bridge crashes in this process at effect 1, 2 and so on, until a pass has no further effect.

/** Far more effects than a pass over a few records has. */
const EFFECTS_MAX = 1000

interface Sweep {
  readonly kind: SweepTrial
  readonly moment: Moment
  /** From one effect to the next; with 2, every other one is left out. */
  readonly step: 1 | 2
  /** What is done beside the deaths, for people. */
  readonly told?: string
  readonly readers: ReaderChoices
  readonly round: (scene: Scenario, at: CrashPoint) => Promise<PlayedRound>
}

/** The second death is somewhere on the way of the bridge that is started after the first. */
function crashTwice(scene: Scenario, at: CrashPoint): Promise<PlayedRound> {
  return playCrashRound(scene, at, chooseCrash(scene.chance, 20))
}

/** The copy is made at the effect, and the death comes some effects later. */
function restoreBackup(scene: Scenario, { effect, moment }: CrashPoint): Promise<PlayedRound> {
  return playRestoredRound(scene, effect, { effect: effect + scene.chance.between(1, 25), moment })
}

const DEATHS: Sweep = { kind: 'deaths', moment: 'after', step: 1, readers: ['none'], round: crashTwice }

const BUSY_READERS: ReaderChoices = ['after-deaths', 'at-any-time']

const SWEEPS: readonly Sweep[] = [
  { ...DEATHS, moment: 'before' },
  DEATHS,
  { ...DEATHS, kind: 'readers', told: ' with a reader of its files', readers: BUSY_READERS },
  {
    ...DEATHS,
    kind: 'twins',
    step: 2,
    told: ' beside a twin',
    readers: ['none', 'at-any-time', 'after-deaths'],
  },
  { ...DEATHS, kind: 'restored', step: 2, told: ' with an older state put back', round: restoreBackup },
]

export async function runSweeps(provable: RouteProof, kinds: readonly TrialName[]): Promise<void> {
  for (const sweep of SWEEPS) {
    if (!kinds.includes(sweep.kind)) continue
    await runSweep(provable, kinds.includes('readers') ? sweep : { ...sweep, readers: ['none'] })
  }
}

async function runSweep(provable: RouteProof, sweep: Sweep): Promise<void> {
  const { options, ledger, proof } = provable
  const { kind, moment, step, told = '' } = sweep
  const proving: ProofTarget | undefined = kind === 'twins' ? provable.beside : provable
  if (proving === undefined) return
  const worlds = openWorldsFor(proving, options, `${kind}-${moment}`, true)
  try {
    let last = 0
    for (let effect = 1; effect <= EFFECTS_MAX; effect += step) {
      const came = await crashOnce(provable, sweep, worlds, effect)
      if (came === 'over') break
      if (came === 'died') last = effect
    }
    if (options.signal.aborted || ledger.hasEnough(proof.route)) return
    const deaths = `${ledger.killsOf(proof.route)} deaths so far`
    const which = step === 1 ? 'each' : 'every other one'
    options.say(`${proof.route}: died right ${moment} ${which} of ${last} effects${told}, ${deaths}`)
  } finally {
    await worlds.close()
  }
}

/**
 * `over` when the pass has fewer effects than that, or the proof is stopped. Faults may end a pass early, so only one in fine
 * weather shows how many effects there are.
 */
async function crashOnce(
  provable: RouteProof,
  { kind, moment, readers, round }: Sweep,
  worlds: Worlds,
  effect: number,
): Promise<'died' | 'ended early' | 'over'> {
  const { options, ledger } = provable
  const { proof } = kind === 'twins' ? (provable.beside ?? provable) : provable
  if (options.signal.aborted || ledger.hasEnough(proof.route)) return 'over'
  const chance = createRandom(options.seed, proof.route, kind, moment, effect)
  // every third time the weather is fine, so that nothing but the deaths can be the reason
  const isFine = effect % 3 === 0
  const storm = isFine ? NO_FAULTS : createFaultPlan(chance, false)
  const reader = chance.pick(readers)
  const scene = { world: await worlds.next(), proof, records: FEW_RECORDS, storm, reader, chance }
  const played = await round(scene, { effect, moment })
  await recordRound(provable, played, worlds)
  if (played.happened) return 'died'
  return isFine ? 'over' : 'ended early'
}

// The options of a proof, and a route under proof

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
  /** For the tests that see whether the proof detects what is taken out. */
  readonly sabotage?: { readonly wrap?: PartsWrapper; readonly module?: string }
  /** The program of the real processes; the one beside this file when left out. */
  readonly childPath?: string
  /** Only these parts of the proof; those that are usually tried when left out. */
  readonly only?: readonly TrialName[]
}

/** What is set to work, and in which worlds. */
interface ProofTarget {
  readonly proof: ProofCase
  readonly ground: WorldSetup
}

/** A route that is being proven. */
export interface RouteProof extends ProofTarget {
  /** The route beside its twin, where it can have one. */
  readonly beside?: ProofTarget
  readonly options: ProofOptions
  readonly ledger: Results
}

function openWorldsFor(
  { proof, ground }: ProofTarget,
  { folder, seed }: ProofOptions,
  word: string,
  swift: boolean,
): Worlds {
  const { route, hasFixedRecords: onlyOnce } = proof
  return openWorlds(ground, { folder, seed, route, word, swift, onlyOnce })
}
