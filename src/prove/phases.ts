/** The phases of a proof: a baseline run, sweeps that crash at every effect, and trials with killed processes. */
import { join } from 'node:path'
import type { Configuration } from '../config/configuration.ts'
import type { Moment, PartsWrapper } from './crash-point.ts'
import type { ReaderHabit } from './delivered-files.ts'
import { createFaultPlan, createRandom, NO_FAULTS, type Random } from './fault-plan.ts'
import { openProcessPool, playProcessRound, type ProcessPool } from './process-rounds.ts'
import type { PlayedRound, ProcessTrial, Results, SweepTrial, TrialName } from './results.ts'
import {
  type CrashPoint,
  playBaselineRound,
  playCrashRound,
  playRestoredRound,
  type ProofCase,
  type Scenario,
} from './rounds.ts'
import { openWorld, openWorlds, type Worlds, type WorldSetup } from './world.ts'

/** The sizes of files: a small one to crash in at every effect, a larger one to be killed in at random. */
const FEW_RECORDS = 4

const MANY_RECORDS = 40

/** Returns why the route cannot be proven. */
export async function runBaselines(provable: RouteProof): Promise<string | undefined> {
  const { beside } = provable
  for (const records of [FEW_RECORDS, MANY_RECORDS]) {
    const why = await runBaseline(provable, provable, records, String(records))
    if (why !== undefined) return why
  }
  return beside && runBaseline(provable, beside, FEW_RECORDS, 'twins')
}

async function runBaseline(
  { options, results }: RouteProof,
  { proof, setup }: ProofTarget,
  records: number,
  word: string,
): Promise<string | undefined> {
  const folder = join(options.folder, proof.route, 'baseline', word)
  const world = await openWorld(setup, { folder, swift: true, forms: {}, isCalm: true })
  try {
    const played = await playBaselineRound(world, proof, records)
    if (typeof played === 'string') return played
    await results.addRound(proof.route, played, folder)
    return undefined
  } finally {
    await world.close()
  }
}

function chooseCrash(chance: Random, effects: number): CrashPoint {
  return { effect: chance.between(1, effects), moment: chance.next() < 0.5 ? 'before' : 'after' }
}

/** How many crashes in this process follow each of them, over as many records and with more faults. */
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
  const { options, results } = first.provable
  const pool = openProcessPool()
  const isOver = (index: number) =>
    stages.every(({ provable }) => results.hasEnough(provable.proof.route)) ||
    (index >= stages.length &&
      performance.now() >= until &&
      results.kills() >= options.kills &&
      results.processes() >= (options.processes ?? 0))
  try {
    for (let index = 0; !isOver(index) && !options.signal.aborted; index++) {
      const stage = stages[index % stages.length]
      if (stage === undefined) return
      if (results.hasEnough(stage.provable.proof.route)) continue
      await runTrial(stage, pool, index, Math.floor(index / stages.length))
      if (index % REPORT_EVERY === REPORT_EVERY - 1)
        options.say(
          `process trials: ${results.kills()} kills so far, ${results.processes()} of real processes`,
        )
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

/** None where no kind of trial is possible for the route. */
function openRouteTrials(provable: RouteProof, all: readonly ProcessTrial[], readers: ReaderChoices) {
  const { beside: twins, options } = provable
  const kinds = all.filter((each) => each !== 'twins' || twins !== undefined)
  if (kinds.length === 0) return []
  /** The worlds of real processes, and of crashes in this one. */
  const open = (target: ProofTarget, prefix: string) => ({
    proof: target.proof,
    real: openWorldsFor(target, options, `${prefix}kills`, false),
    swift: openWorldsFor(target, options, `${prefix}crashes`, true),
  })
  const beside = twins !== undefined && kinds.includes('twins') ? open(twins, 'twins-') : undefined
  return [{ provable, kinds, readers, alone: open(provable, ''), beside }]
}

async function runTrial(
  { provable, kinds, readers, alone, beside = alone }: ReturnType<typeof openRouteTrials>[number],
  pool: ProcessPool,
  index: number,
  round: number,
): Promise<void> {
  const { options } = provable
  // The kinds move on with every round, so that each route meets all of them.
  const kind = kinds[(index + round) % kinds.length]
  if (kind === undefined) return
  const chance = createRandom(options.seed, provable.proof.route, 'process-trial', round)
  const prepare = async (proof: ProofCase, worlds: Worlds, hangs: boolean): Promise<Scenario> => {
    const world = await worlds.next()
    const faultPlan = createFaultPlan(chance, hangs)
    return { world, proof, records: MANY_RECORDS, faultPlan, reader: chance.pick(readers), chance }
  }
  const { proof, real } = kind === 'twins' ? beside : alone
  const scenario = await prepare(proof, real, kind !== 'stopped')
  await recordRound(provable, await playProcessRound(scenario, kind, pool, options.sabotage?.module), real)
  for (let death = 0; death < CRASHES_BETWEEN && !options.signal.aborted; death++) {
    const { proof, swift } = death > 0 ? beside : alone
    const scenario = await prepare(proof, swift, true)
    const played = await playCrashRound(scenario, chooseCrash(chance, 90), chooseCrash(chance, 60))
    await recordRound(provable, played, swift)
  }
}

/** Each round or effect has one of them. */
type ReaderChoices = readonly [ReaderHabit, ...ReaderHabit[]]

export const READER_CHOICES: ReaderChoices = ['none', 'none', 'after-crashes', 'at-any-time']

async function recordRound({ proof, results, options }: RouteProof, played: PlayedRound, worlds: Worlds) {
  const isBad = await results.addRound(proof.route, played, worlds.folder())
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
  /** The distance from one effect to the next; with 2, every other one is left out. */
  readonly step: 1 | 2
  /** What happens besides the crashes, for people. */
  readonly note?: string
  readonly readers: ReaderChoices
  readonly round: (scenario: Scenario, at: CrashPoint) => Promise<PlayedRound>
}

/** The second crash is somewhere in the work of the bridge that starts after the first. */
function crashTwice(scenario: Scenario, at: CrashPoint): Promise<PlayedRound> {
  return playCrashRound(scenario, at, chooseCrash(scenario.chance, 20))
}

/** The copy is made at the effect, and the crash comes some effects later. */
function restoreBackup(scenario: Scenario, { effect, moment }: CrashPoint): Promise<PlayedRound> {
  return playRestoredRound(scenario, effect, { effect: effect + scenario.chance.between(1, 25), moment })
}

const CRASHES: Sweep = { kind: 'crashes', moment: 'after', step: 1, readers: ['none'], round: crashTwice }

const BUSY_READERS: ReaderChoices = ['after-crashes', 'at-any-time']

const SWEEPS: readonly Sweep[] = [
  { ...CRASHES, moment: 'before' },
  CRASHES,
  { ...CRASHES, kind: 'readers', note: ' with a reader of its files', readers: BUSY_READERS },
  {
    ...CRASHES,
    kind: 'twins',
    step: 2,
    note: ' beside another route',
    readers: ['none', 'at-any-time', 'after-crashes'],
  },
  { ...CRASHES, kind: 'restored', step: 2, note: ' with an older state put back', round: restoreBackup },
]

export async function runSweeps(provable: RouteProof, kinds: readonly TrialName[]): Promise<void> {
  for (const sweep of SWEEPS) {
    if (!kinds.includes(sweep.kind)) continue
    await runSweep(provable, kinds.includes('readers') ? sweep : { ...sweep, readers: ['none'] })
  }
}

async function runSweep(provable: RouteProof, sweep: Sweep): Promise<void> {
  const { options, results, proof } = provable
  const { kind, moment, step, note = '' } = sweep
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
    if (options.signal.aborted || results.hasEnough(proof.route)) return
    const deaths = `${results.killsOf(proof.route)} kills so far`
    const which = step === 1 ? 'each' : 'every other one'
    options.say(`${proof.route}: died right ${moment} ${which} of ${last} effects${note}, ${deaths}`)
  } finally {
    await worlds.close()
  }
}

/** `over`: the pass has fewer effects, as only a round without faults can show, or the proof is stopped. */
async function crashOnce(
  provable: RouteProof,
  { kind, moment, readers, round }: Sweep,
  worlds: Worlds,
  effect: number,
): Promise<'died' | 'ended early' | 'over'> {
  const { options, results } = provable
  const { proof } = kind === 'twins' ? (provable.beside ?? provable) : provable
  if (options.signal.aborted || results.hasEnough(proof.route)) return 'over'
  const chance = createRandom(options.seed, proof.route, kind, moment, effect)
  // Every third round has no faults, so that nothing but the crashes can be the reason.
  const isFine = effect % 3 === 0
  const faultPlan = isFine ? NO_FAULTS : createFaultPlan(chance, false)
  const reader = chance.pick(readers)
  const scenario = { world: await worlds.next(), proof, records: FEW_RECORDS, faultPlan, reader, chance }
  const played = await round(scenario, { effect, moment })
  await recordRound(provable, played, worlds)
  if (played.happened) return 'died'
  return isFine ? 'over' : 'ended early'
}

export interface ProofOptions {
  readonly configuration: Configuration
  /** The names of the routes to prove; all when empty. */
  readonly routes: readonly string[]
  /** Files to prove with, by the name of the route. */
  readonly files: ReadonlyMap<string, string>
  readonly seed: number
  /** How long the proof takes at least; every route crashes at every effect, however long that takes. */
  readonly forMs: number
  /** The least number of crashes in all. */
  readonly kills: number
  /** The least number of real processes that are killed or stopped; left out for none. */
  readonly processes?: number
  /** The folder that contains everything. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly say: (line: string) => void
  /** For the tests of whether the proof detects a bridge with a part taken out. */
  readonly sabotage?: { readonly wrap?: PartsWrapper; readonly module?: string }
  /** After so many failed rounds a route is given up; five when left out. */
  readonly failuresMax?: number
  /** Only these parts of the proof; the usual ones when left out. */
  readonly only?: readonly TrialName[]
}

/** A case, and the setup of the worlds that it runs in. */
interface ProofTarget {
  readonly proof: ProofCase
  readonly setup: WorldSetup
}

export interface RouteProof extends ProofTarget {
  /** The route beside its twin, where it can have one. */
  readonly beside?: ProofTarget
  readonly options: ProofOptions
  readonly results: Results
}

function openWorldsFor(
  { proof, setup }: ProofTarget,
  { folder, seed }: ProofOptions,
  word: string,
  swift: boolean,
): Worlds {
  const { route, hasFixedRecords: onlyOnce } = proof
  return openWorlds(setup, { folder, seed, route, word, swift, onlyOnce })
}
