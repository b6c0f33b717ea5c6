/** An inbox of interchanges whose bridge dies. A few effects; the long test has all of them. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crashAt } from '../../fixtures/crash-after.ts'
import { readAnswers } from '../../fixtures/edi-answers.ts'
import {
  aChaosWorld,
  expectAllOnce,
  expectNumbers,
  expectSoundJournal,
  listAllFiles,
  makeChaosFile,
  runUntilQuiet,
} from '../../fixtures/edi-chaos.ts'
import { playCrash } from '../../fixtures/edi-crash.ts'
import { anEdiInbox } from '../../fixtures/edi-inbox.ts'
import { dress } from '../../fixtures/edi-maker/dress.ts'
import { HAVEN, makeInterchange } from '../../fixtures/edi-maker/envelope.ts'
import { make846 } from '../../fixtures/edi-maker/x12-fulfilment.ts'

test('a bridge that dies at the steps of an inbox leaves nothing undone, and does nothing twice', async () => {
  const ground = await aChaosWorld()
  for (const [only, effect] of [
    ['journal.markFileUnbundled', 1],
    ['journal.decideAnswer', 1],
    ['spool.put', 2],
    ['mailbox.giveName', 1],
    ['journal.markDeliveryDone', 2],
  ] as const) {
    expect(await playCrash(ground, { effect, moment: 'after', only })).toBe(`after ${only}`)
  }
})

/** More than one transaction of a file that is unbundled. */
const MANY = 1100

test('a bridge that dies while it notes a file of many interchanges answers each of them once, and takes none that comes again', async () => {
  const stock = make846({ number: 'S', items: [{ pairs: [['SK', 'HV-10001']], quantities: { '33': 3 } }] })
  const make = (number: number) =>
    makeInterchange({ syntax: 'x12', number, sender: HAVEN, groups: [{ sets: [stock] }] })
  const bytes = dress(Array.from({ length: MANY }, (_, at) => make(at + 1)))
  for (const [only, effect] of [
    ['journal.addInterchanges', 1],
    ['journal.addInterchanges', 3],
    ['journal.startUnbundling', 1],
    ['journal.decideAnswer', 1],
  ] as const) {
    const world = await anEdiInbox()
    await world.drop('inbox/van', 'many.x12', bytes)
    const crash = crashAt(effect, 'after', only)
    const bridge = await world.open(crash.wrap)
    await bridge.run([], new AbortController().signal).catch(() => undefined)
    await bridge.close()
    expect(crash.diedAt()).toBe(`after ${only}`)
    // One interchange of the file, which another one brings as well.
    await world.drop('inbox/van', 'again.x12', dress(make(700)))

    await runUntilQuiet(world)

    const answers = await readAnswers(world, ['haven'])
    const groups = answers.flatMap((each) => each.groups.map(({ group }) => Number(group.split(' ')[1])))
    expect(groups.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: MANY }, (_, at) => at + 1),
    )
    expectNumbers(answers, 'haven', only)
    expect(await world.read('results/again.x12.sets.csv')).toContain('edi-duplicate')
    await expectSoundJournal(world, only)
  }
}, 60_000)

test('an answer whose file is lost from the spool is composed again to the same bytes, days later', async () => {
  const ground = await aChaosWorld()
  const file = makeChaosFile(1)
  const answersOf = async (isLost: boolean) => {
    const world = await ground.fork()
    await world.drop('inbox/van', file.name, file.bytes)
    const crash = crashAt(2, 'after', 'journal.createAnswerDelivery')
    const bridge = await world.open(crash.wrap)
    await bridge.run([], new AbortController().signal).catch(() => undefined)
    await bridge.close()
    const spooled = await listAllFiles(join(world.folder, 'state/spool'))
    const composed = spooled.filter((path) => path.includes('inbox') && path.endsWith('.out'))
    expect(composed.length).toBeGreaterThan(0)
    if (isLost) {
      for (const path of composed) await rm(path)
      world.clock.skip(7 * 86_400_000)
    }
    await runUntilQuiet(world)
    await expectAllOnce(world, [file], isLost ? 'lost' : 'kept')
    const answers = ['haven', 'harbor'].map(async (partner) => {
      const [name = ''] = await world.list(`outbox/${partner}`)
      return world.read(`outbox/${partner}/${name}`)
    })
    // When it was decided differs by milliseconds from world to world, and by no minute.
    return (await Promise.all(answers)).map((text) => text.replaceAll(/\*(261121|20261121)\*\d{4,8}/g, ''))
  }

  expect(await answersOf(true)).toEqual(await answersOf(false))
})
