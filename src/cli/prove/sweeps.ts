/** Sweeps: the bridge dies in this process at its first effect, at its second, and so on, until a pass has no more. */
import { type Dice, dice } from './dice.ts'
import type { Moment } from './death.ts'
import type { KindName, SweepKind } from './kinds.ts'
import { deathBy, FEW, note } from './phases.ts'
import { type Provable, worldsFor } from './provable.ts'
import type { ReaderHabit } from './reader.ts'
import { type Death, deathRound, type Played, restoredRound, type Scene } from './rounds.ts'
import { NO_STORM, stormOf } from './storms.ts'
import type { Worlds } from './worlds.ts'

/** Far more effects than a pass over a few records has. */
const EFFECTS_MAX = 1000

interface Sweep {
  readonly kind: SweepKind
  readonly moment: Moment
  /** From one effect to the next; with 2, every other one is left out. */
  readonly step: 1 | 2
  /** What is done beside the deaths, for people. */
  readonly told: string
  /** One of them for each effect. */
  readonly readers: readonly [ReaderHabit, ...ReaderHabit[]]
  readonly round: (scene: Scene, at: Death, chance: Dice) => Promise<Played>
}

/** The second death is somewhere on the way of the bridge that is started after the first. */
function twoDeaths(scene: Scene, at: Death, chance: Dice): Promise<Played> {
  return deathRound(scene, at, deathBy(chance, 20))
}

/** The copy is made at the effect, and the death comes some effects later. */
function putBack(scene: Scene, { effect, moment }: Death, chance: Dice): Promise<Played> {
  return restoredRound(scene, effect, { effect: effect + chance.between(1, 25), moment })
}

const SWEEPS: readonly Sweep[] = [
  { kind: 'deaths', moment: 'before', step: 1, told: '', readers: ['none'], round: twoDeaths },
  { kind: 'deaths', moment: 'after', step: 1, told: '', readers: ['none'], round: twoDeaths },
  {
    kind: 'readers',
    moment: 'after',
    step: 1,
    told: ' with a reader of its files',
    readers: ['after-deaths', 'at-any-time'],
    round: twoDeaths,
  },
  {
    kind: 'twins',
    moment: 'after',
    step: 2,
    told: ' beside a twin',
    readers: ['none', 'at-any-time', 'after-deaths'],
    round: twoDeaths,
  },
  {
    kind: 'restored',
    moment: 'after',
    step: 2,
    told: ' with an older state put back',
    readers: ['none'],
    round: putBack,
  },
]

export async function dieEverywhere(provable: Provable, kinds: readonly KindName[]): Promise<void> {
  for (const sweep of SWEEPS) {
    if (!kinds.includes(sweep.kind)) continue
    await carryOut(provable, kinds.includes('readers') ? sweep : { ...sweep, readers: ['none'] })
  }
}

async function carryOut(provable: Provable, sweep: Sweep): Promise<void> {
  const { options, ledger, proof } = provable
  const { kind, moment, step, told } = sweep
  const proving = kind === 'twins' ? provable.beside : provable
  if (proving === undefined) return
  const worlds = worldsFor(proving, options, { word: `${kind}-${moment}`, swift: true })
  try {
    let last = 0
    for (let effect = 1; effect <= EFFECTS_MAX; effect += step) {
      const came = await dieOnce(provable, { sweep, worlds, case: proving.proof }, effect)
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

interface Sweeping {
  readonly sweep: Sweep
  readonly worlds: Worlds
  readonly case: Scene['proof']
}

/**
 * `over` when the pass has fewer effects than that, or the proof is stopped. Faults may end a pass early, so only one in fine
 * weather shows how many effects there are.
 */
async function dieOnce(
  provable: Provable,
  { sweep, worlds, case: proof }: Sweeping,
  effect: number,
): Promise<'died' | 'ended early' | 'over'> {
  const { options, ledger } = provable
  if (options.signal.aborted || ledger.hasEnough(proof.route)) return 'over'
  const { kind, moment, readers, round } = sweep
  const chance = dice(options.seed, proof.route, kind, moment, effect)
  // every third time the weather is fine, so that nothing but the deaths can be the reason
  const isFine = effect % 3 === 0
  const storm = isFine ? NO_STORM : stormOf(chance, false)
  const reader = chance.pick(readers)
  const scene = { world: await worlds.next(), proof, records: FEW, storm, reader, chance }
  const played = await round(scene, { effect, moment }, chance)
  await note(provable, played, worlds)
  if (played.happened) return 'died'
  return isFine ? 'over' : 'ended early'
}
