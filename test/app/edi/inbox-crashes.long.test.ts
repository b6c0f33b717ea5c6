/** An inbox of interchanges whose bridge dies before and after each of its effects, over the whole life of its files. */
import { expect, test } from 'vitest'
import { atEachEffect } from '../../fixtures/crash-after.ts'
import { aChaosWorld } from '../../fixtures/edi-chaos.ts'
import { playCrash } from '../../fixtures/edi-crash.ts'

test.each(['before', 'after'] as const)(
  'a bridge that dies right %s any effect posts each order once, answers each group once, and leaves nothing behind',
  async (moment) => {
    const ground = await aChaosWorld()
    const effects = await atEachEffect(moment, (effect) => playCrash(ground, { effect, moment }))
    expect(effects).toBeGreaterThan(100)
  },
  600_000,
)
