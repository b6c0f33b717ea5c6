/** Two bridges on one journal and one inbox of interchanges, which die again and again between pick-up and answer. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Bridge } from '../../../src/app/bridge.ts'
import { isEffect } from '../../../src/prove/crash-point.ts'
import { writeConfigurationFile } from '../../fixtures/configuration-file.ts'
import { crashAt } from '../../fixtures/crash-after.ts'
import { aCrowd, type CrowdFile, expectCrowdOnce, makeCrowdFile } from '../../fixtures/edi-crowd.ts'
import { type Running, startProgram } from '../../fixtures/program.ts'
import type { World } from '../../fixtures/world.ts'
import { type Dice, dice } from '../../samples/random.ts'

const ROUNDS = 14
const FILES_PER_ROUND = 50
/** How often each of the two bridges of a round may die. */
const DEATHS_PER_ROUND = 4
/** Longer than what the jumping clock skips while both are alive. */
const LEASE_MS = 600_000

/** The steps that decide, number, compose and deliver answers, and those around them. */
const ANSWER_STEPS = new Set([
  'journal.addInterchanges',
  'journal.markFileUnbundled',
  'journal.decideAnswer',
  'journal.createAnswerDelivery',
  'journal.startNaming',
  'journal.markDeliveryDone',
  'journal.markPartsFinished',
  'mailbox.stage',
  'mailbox.giveName',
  'mailbox.removeStaged',
])

test('two bridges that die at random steps answer each group once, under gapless numbers, and post each set once', async () => {
  const chance = dice(28)
  const crowd = await aCrowd(100)
  const { world } = crowd
  const files: CrowdFile[] = []
  let deaths = 0
  for (let round = 0; round < ROUNDS; round++) {
    const dropped = Array.from({ length: FILES_PER_ROUND }, (_, at) => makeCrowdFile(files.length + at + 1))
    for (const { name, bytes } of dropped) await world.drop('inbox/van', name, bytes)
    files.push(...dropped)
    for (let life = 0; life < DEATHS_PER_ROUND; life++) {
      const died = await Promise.all([live(world, chance), live(world, chance)])
      deaths += died.filter((name) => name !== undefined).length
      world.clock.skip(LEASE_MS) // the leases of the dead expire
    }
    await runUntilQuiet(world)
  }
  expect(files.length).toBeGreaterThanOrEqual(700)
  expect(deaths).toBeGreaterThan(ROUNDS * DEATHS_PER_ROUND)
  await expectCrowdOnce(crowd, files)
}, 400_000)

/** One pass of a bridge that dies on its way. Returns where, when it did. */
async function live(world: World, chance: Dice): Promise<string | undefined> {
  const [effect, only] = chance.chance(0.5)
    ? ([chance.between(1, 1200), isEffect] as const)
    : ([chance.between(1, 150), (name: string) => ANSWER_STEPS.has(name)] as const)
  const crash = crashAt(effect, chance.pick(['before', 'after']), only)
  const bridge = await world.open(crash.wrap, { leaseMs: LEASE_MS })
  await runOnce(bridge).catch((error: unknown) => {
    if (crash.diedAt() === undefined) throw error
  })
  return crash.diedAt()
}

async function runOnce(bridge: Bridge) {
  try {
    return await bridge.run([], new AbortController().signal)
  } finally {
    await bridge.close()
  }
}

const STARTS_MAX = 6

async function runUntilQuiet(world: World): Promise<void> {
  for (let start = 0; start < STARTS_MAX; start++) {
    const { exit } = await runOnce(await world.open(undefined, { leaseMs: LEASE_MS }))
    if (exit === 0 || exit === 2) return
    world.clock.skip(LEASE_MS)
  }
  throw new Error('the bridge did not come to rest')
}

const PROCESS_FILES = 300
const BATCH = 25
const KILLS = 10
/** Nothing may come: the other one has the work, or everything is done. */
const WATCHED_MS_MAX = 3000

test('two watches that are killed at random moments answer each group once, and post each set once', async () => {
  const chance = dice(30)
  const crowd = await aCrowd(50)
  const { world } = crowd
  const env = await writeConfigurationFile(world)
  const files = Array.from({ length: PROCESS_FILES }, (_, at) => makeCrowdFile(at + 1))
  let isDropping = true
  const drop = async () => {
    for (let at = 0; at < files.length; at += BATCH) {
      for (const { name, bytes } of files.slice(at, at + BATCH)) await world.drop('inbox/van', name, bytes)
      await wait(chance.between(100, 900))
    }
    isDropping = false
  }
  const keepKilling = async () => {
    let kills = 0
    while (isDropping || kills < KILLS) {
      await killWatch(world, startProgram(world.folder, ['watch'], env), chance)
      kills += 1
    }
    return kills
  }
  const [first, second] = await Promise.all([keepKilling(), keepKilling(), drop()])
  expect(Math.min(first, second)).toBeGreaterThanOrEqual(KILLS)
  // They were killed in the middle of their work, and not before it.
  expect((await world.list('outbox/haven')).length).toBeGreaterThan(0)
  await runProgramUntilQuiet(world, env)
  await expectCrowdOnce(crowd, files)
}, 400_000)

/** Kills a watch once so many more answers are there, at a random moment behind the last one. */
async function killWatch(world: World, { process, finished }: Running, chance: Dice): Promise<void> {
  const ended = finished.then(({ stderr }) => {
    if (!process.killed) throw new Error(`a watch ended by itself: ${stderr}`)
  })
  const countAnswers = async () => (await world.list('outbox/haven')).length
  const enough = (await countAnswers()) + chance.between(1, 15)
  const started = new Promise((resolve) => process.stderr?.once('data', resolve))
  const working = async () => {
    await started
    const until = Date.now() + WATCHED_MS_MAX
    while (Date.now() < until && (await countAnswers()) < enough) await wait(10)
    await wait(chance.between(0, 60))
  }
  await Promise.race([ended, working()])
  process.kill('SIGKILL')
  await ended
}

async function runProgramUntilQuiet(world: World, env: NodeJS.ProcessEnv): Promise<void> {
  let said = ''
  for (let start = 0; start < STARTS_MAX; start++) {
    const { exit, stderr } = await startProgram(world.folder, ['run'], env).finished
    if (exit === 0 || exit === 2) return
    said = stderr
  }
  throw new Error(`the program did not come to rest: ${said}`)
}
