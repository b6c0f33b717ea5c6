/** A file of three partners with documents for five routes, and with what no route takes. */
import { expect, test } from 'vitest'
import {
  aMixedWorld,
  expectMixedEnd,
  makeMixedFile,
  MIXED_FILE,
  playMixedCrash,
} from '../../fixtures/edi-mixed.ts'

test('each set of a mixed file goes to the route of its partner and document, each partner is answered once, and the source is archived once', async () => {
  const world = await aMixedWorld()
  await world.drop('inbox/van', MIXED_FILE, makeMixedFile())

  const { routes } = await world.run()

  expect(routes.flatMap((each) => (each.kind === 'failed' ? [each.failure.message] : []))).toEqual([])
  await expectMixedEnd(world, 'at the end')
  const results = await world.read(`results/${MIXED_FILE}.haven-orders.results.csv`)
  expect(results).toContain('set 000002001/2001/0002')
  // Answers that came are for no route, and are not counted as if one were missing.
  expect(world.events).toContainEqual(
    expect.objectContaining({ kind: 'file-unbundled', file: MIXED_FILE, sets: 11, unrouted: 2 }),
  )
})

test('a bridge that dies at the steps of a mixed file comes to the same end when it is started again', async () => {
  const ground = await aMixedWorld()
  for (const [only, effect] of [
    ['journal.markFileUnbundled', 1],
    ['journal.decideAnswer', 3],
    ['journal.createAnswerDelivery', 4],
    ['mailbox.giveName', 2],
  ] as const) {
    expect(await playMixedCrash(ground, { effect, moment: 'after', only })).toBe(`after ${only}`)
  }
})
