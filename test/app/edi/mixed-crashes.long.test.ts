/** A file of several partners and documents whose bridge dies before each of its effects. */
import { expect, test } from 'vitest'
import { atEachEffect } from '../../fixtures/crash-after.ts'
import { aMixedWorld, playMixedCrash } from '../../fixtures/edi-mixed.ts'

test('a bridge that dies right before any effect of a mixed file comes to the same end when it is started again', async () => {
  const ground = await aMixedWorld()
  const effects = await atEachEffect('before', (effect) =>
    playMixedCrash(ground, { effect, moment: 'before' }),
  )
  expect(effects).toBeGreaterThan(100)
}, 600_000)
