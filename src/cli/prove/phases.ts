/** The phases of a proof: a calm run, a death at every effect, and real processes killed until the time is over. */
import { join } from 'node:path'
import { type Dice, dice } from './dice.ts'
import type { StormKind } from './kinds.ts'
import { openNursery, type Nursery } from './processes.ts'
import { type Provable, type Proving, worldsFor } from './provable.ts'
import type { ReaderHabit } from './reader.ts'
import { realRound } from './real-rounds.ts'
import { calmRound, type Death, deathRound, type Played } from './rounds.ts'
import { stormOf } from './storms.ts'
import { openWorld } from './world.ts'
import type { Worlds } from './worlds.ts'

/** Files of these sizes: a small one to die in at every effect, a larger one to be killed in at random. */
export const FEW = 4
const MANY = 40

/** Gives why the route cannot be proven. */
export async function calmRun(provable: Provable): Promise<string | undefined> {
  const { beside } = provable
  for (const records of [FEW, MANY]) {
    const why = await calmlyRun(provable, provable, { records, word: String(records) })
    if (why !== undefined) return why
  }
  return beside && calmlyRun(provable, beside, { records: FEW, word: 'twins' })
}

async function calmlyRun(
  { options, ledger }: Provable,
  { proof, ground }: Proving,
  { records, word }: { readonly records: number; readonly word: string },
): Promise<string | undefined> {
  const folder = join(options.folder, proof.route, 'calm', word)
  const world = await openWorld(ground, { folder, swift: true, forms: {}, isCalm: true })
  try {
    const played = await calmRound({ world, proof, records })
    if (typeof played === 'string') return played
    await ledger.note(proof.route, played, folder)
    return undefined
  } finally {
    await world.close()
  }
}

export function deathBy(chance: Dice, effects: number): Death {
  return { effect: chance.between(1, effects), moment: chance.next() < 0.5 ? 'before' : 'after' }
}

/** After each of them, so many deaths in this process, over as many records and in worse weather. */
const DEATHS_BETWEEN = 2
const TOLD_EVERY = 10

export interface Storming {
  readonly kinds: readonly StormKind[]
  /** Whether readers take files away in some of the rounds. */
  readonly hasReaders: boolean
  readonly until: number
}

/** Real processes are killed and stopped until the time is over and there are enough deaths. */
export async function realStorms(
  all: readonly Provable[],
  { kinds, hasReaders, until }: Storming,
): Promise<void> {
  const stages = all.flatMap((provable) => stageOf(provable, kinds, hasReaders))
  const [first] = stages
  if (first === undefined) return
  const { options, ledger } = first.provable
  const nursery = openNursery(options.childPath)
  const isOver = (turn: number) =>
    stages.every(({ provable }) => ledger.hasEnough(provable.proof.route)) ||
    (turn >= stages.length && performance.now() >= until && ledger.kills() >= options.kills)
  try {
    for (let turn = 0; !isOver(turn) && !options.signal.aborted; turn++) {
      const stage = stages[turn % stages.length]
      if (stage === undefined) return
      if (ledger.hasEnough(stage.provable.proof.route)) continue
      const round = Math.floor(turn / stages.length)
      await oneTurn(stage, nursery, { turn, round })
      if (turn % TOLD_EVERY === TOLD_EVERY - 1) options.say(`storms: ${ledger.kills()} deaths so far`)
    }
  } finally {
    for (const { venues } of stages) for (const { worlds } of venues) await worlds.close()
    await nursery.close()
  }
}

/** A route with all that it goes through in storms. */
interface Stage {
  readonly provable: Provable
  readonly kinds: readonly [StormKind, ...StormKind[]]
  readonly real: Venue
  readonly swift: Venue
  /** With its twin. */
  readonly beside?: { readonly real: Venue; readonly swift: Venue }
  readonly venues: readonly Venue[]
}

interface Venue {
  readonly proving: Proving
  readonly readers: typeof READERS
  readonly worlds: Worlds
}

/** None where no kind is possible for the route. */
function stageOf(provable: Provable, all: readonly StormKind[], hasReaders: boolean): Stage[] {
  const { beside: twins, options } = provable
  const [kind, ...kinds] = all.filter((each) => each !== 'twins' || twins !== undefined)
  if (kind === undefined) return []
  const venue = (proving: Proving, word: string, swift: boolean): Venue => ({
    proving,
    readers: hasReaders ? READERS : ['none'],
    worlds: worldsFor(proving, options, { word, swift }),
  })
  const real = venue(provable, 'kills', false)
  const swift = venue(provable, 'storms', true)
  const isBeside = twins !== undefined && all.includes('twins')
  const beside = isBeside
    ? { real: venue(twins, 'twins-kills', false), swift: venue(twins, 'twins-storms', true) }
    : undefined
  const venues = [real, swift, ...(beside === undefined ? [] : [beside.real, beside.swift])]
  return [
    { provable, kinds: [kind, ...kinds], real, swift, venues, ...(beside === undefined ? {} : { beside }) },
  ]
}

async function oneTurn(
  { provable, kinds, real, swift, beside }: Stage,
  nursery: Nursery,
  { turn, round }: { readonly turn: number; readonly round: number },
): Promise<void> {
  const { options } = provable
  // the kinds move on with every round, so that each route meets all of them
  const kind = kinds[(turn + round) % kinds.length] ?? kinds[0]
  const chance = dice(options.seed, provable.proof.route, 'storm', round)
  const { module } = options.sabotage ?? {}
  const venue = kind === 'twins' && beside !== undefined ? beside.real : real
  const scene = await sceneAt(venue, chance, kind !== 'stopped')
  const sabotage = module === undefined ? {} : { sabotage: module }
  await note(provable, await realRound(scene, kind, { chance, nursery, ...sabotage }), venue.worlds)
  for (let death = 0; death < DEATHS_BETWEEN && !options.signal.aborted; death++) {
    const place = death > 0 && beside !== undefined ? beside.swift : swift
    const scene = await sceneAt(place, chance, true)
    await note(provable, await deathRound(scene, deathBy(chance, 90), deathBy(chance, 60)), place.worlds)
  }
}

const READERS: readonly [ReaderHabit, ...ReaderHabit[]] = ['none', 'none', 'after-deaths', 'at-any-time']

async function sceneAt({ proving, readers, worlds }: Venue, chance: Dice, hangs: boolean) {
  const world = await worlds.next()
  const storm = stormOf(chance, hangs)
  return { world, proof: proving.proof, records: MANY, storm, reader: chance.pick(readers), chance }
}

export async function note(
  { proof, ledger, options }: Provable,
  played: Played,
  worlds: Worlds,
): Promise<void> {
  const isBad = await ledger.note(proof.route, played, worlds.folder())
  if (!isBad) return
  const [first] = played.counted.findings
  const what = first === undefined ? played.restless : `${first.wrong}: ${first.record}: ${first.what}`
  options.say(`${proof.route}: ${what ?? ''} (${played.step})`)
  await worlds.leaveBehind()
}
