/** The phases of a proof: a calm run, a death at every effect, and real processes killed until the time is over. */
import { join } from 'node:path'
import { type Dice, dice } from './dice.ts'
import type { Moment } from './death.ts'
import { type Nursery, openNursery } from './processes.ts'
import type { Provable } from './provable.ts'
import { type RealKind, realRound } from './real-rounds.ts'
import { calmRound, type Death, deathRound, type Played } from './rounds.ts'
import { NO_STORM, stormOf } from './storms.ts'
import { openWorld } from './world.ts'
import { openWorlds, type Worlds } from './worlds.ts'

/** Files of these sizes: a small one to die in at every effect, a larger one to be killed in at random. */
const FEW = 4
const MANY = 40

/** Gives why the route cannot be proven. */
export async function calmRun({ proof, ground, options, ledger }: Provable): Promise<string | undefined> {
  const folder = join(options.folder, proof.route, 'calm')
  for (const records of [FEW, MANY]) {
    const own = join(folder, String(records))
    const world = await openWorld(ground, { folder: own, swift: true, forms: {} })
    try {
      const played = await calmRound({ world, proof, records })
      if (typeof played === 'string') return played
      await ledger.note(proof.route, played, own)
    } finally {
      await world.close()
    }
  }
  return undefined
}

/** Far more effects than a pass over a few records has. */
const EFFECTS_MAX = 1000

/** Right before and right after the first effect, the second, and so on, until a pass has no more of them. */
export async function dieEverywhere(provable: Provable): Promise<void> {
  const { proof, options, ledger } = provable
  const worlds = worldsFor(provable, 'deaths', true)
  try {
    for (const moment of ['before', 'after'] satisfies Moment[]) {
      let effect = 1
      while (effect <= EFFECTS_MAX && (await hasDied(provable, worlds, { effect, moment }))) effect++
      if (options.signal.aborted || ledger.hasEnough(proof.route)) return
      const deaths = `${ledger.killsOf(proof.route)} deaths so far`
      options.say(`${proof.route}: died right ${moment} each of ${effect - 1} effects, ${deaths}`)
    }
  } finally {
    await worlds.close()
  }
}

/** False when the pass has fewer effects than that, or the proof is stopped. */
async function hasDied(provable: Provable, worlds: Worlds, first: Death): Promise<boolean> {
  const { proof, options, ledger } = provable
  if (options.signal.aborted || ledger.hasEnough(proof.route)) return false
  const { effect, moment } = first
  const chance = dice(options.seed, proof.route, moment, effect)
  // every third time the weather is fine, so that nothing but the deaths can be the reason
  const storm = effect % 3 === 0 ? NO_STORM : stormOf(chance, false)
  const scene = { world: await worlds.next(), proof, records: FEW, storm }
  const played = await deathRound(scene, first, deathBy(chance, 20))
  await note(provable, played, worlds)
  return played.happened
}

function deathBy(chance: Dice, effects: number): Death {
  return { effect: chance.between(1, effects), moment: chance.next() < 0.5 ? 'before' : 'after' }
}

/** After each of them, so many deaths in this process, over as many records and in worse weather. */
const DEATHS_BETWEEN = 2
const TOLD_EVERY = 10

/** Real processes are killed and stopped until the time is over and there are enough deaths. */
export async function realStorms(
  all: readonly Provable[],
  { kinds, until }: { readonly kinds: readonly RealKind[]; readonly until: number },
): Promise<void> {
  const [first] = all
  if (first === undefined || kinds.length === 0) return
  const { options, ledger } = first
  const nursery = openNursery(options.childPath)
  const stages = all.map((provable) => ({
    provable,
    real: worldsFor(provable, 'kills', false),
    swift: worldsFor(provable, 'storms', true),
  }))
  const isOver = (turn: number) =>
    all.every(({ proof }) => ledger.hasEnough(proof.route)) ||
    (turn >= all.length && performance.now() >= until && ledger.kills() >= options.kills)
  try {
    for (let turn = 0; !isOver(turn) && !options.signal.aborted; turn++) {
      const stage = stages[turn % all.length]
      if (stage === undefined) return
      if (ledger.hasEnough(stage.provable.proof.route)) continue
      const round = Math.floor(turn / all.length)
      // the kinds move on with every round, so that each route meets all of them
      const kind = kinds[(turn + round) % kinds.length] ?? 'at-effect'
      await oneTurn({ ...stage, nursery }, kind, round)
      if (turn % TOLD_EVERY === TOLD_EVERY - 1) options.say(`storms: ${ledger.kills()} deaths so far`)
    }
  } finally {
    for (const { real, swift } of stages) await Promise.all([real.close(), swift.close()])
    await nursery.close()
  }
}

interface Stage {
  readonly provable: Provable
  readonly real: Worlds
  readonly swift: Worlds
  readonly nursery: Nursery
}

async function oneTurn(
  { provable, real, swift, nursery }: Stage,
  kind: RealKind,
  round: number,
): Promise<void> {
  const { proof, options } = provable
  const chance = dice(options.seed, proof.route, 'storm', round)
  const { module } = options.sabotage ?? {}
  const world = await real.next()
  const storm = stormOf(chance, kind !== 'stopped')
  const scene = { world, proof, records: MANY, storm }
  const played = await realRound(scene, kind, {
    chance,
    nursery,
    ...(module === undefined ? {} : { sabotage: module }),
  })
  await note(provable, played, real)
  for (let death = 0; death < DEATHS_BETWEEN && !options.signal.aborted; death++) {
    const scene = { world: await swift.next(), proof, records: MANY, storm: stormOf(chance, true) }
    await note(provable, await deathRound(scene, deathBy(chance, 90), deathBy(chance, 60)), swift)
  }
}

async function note({ proof, ledger, options }: Provable, played: Played, worlds: Worlds): Promise<void> {
  const isBad = await ledger.note(proof.route, played, worlds.folder())
  if (!isBad) return
  const [first] = played.counted.findings
  const what = first === undefined ? played.restless : `${first.wrong}: ${first.record}: ${first.what}`
  options.say(`${proof.route}: ${what ?? ''} (${played.step})`)
  await worlds.leaveBehind()
}

function worldsFor({ proof, ground, options }: Provable, word: string, swift: boolean): Worlds {
  const { folder, seed } = options
  return openWorlds(ground, {
    folder,
    seed,
    route: proof.route,
    word,
    swift,
    onlyOnce: proof.saysTheSame,
  })
}
