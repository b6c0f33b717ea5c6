/** An inbox of interchanges whose bridge dies. A few effects; the long test has all of them. */
import { expect, test } from 'vitest'
import { aChaosWorld } from '../../fixtures/edi-chaos.ts'
import { playCrash } from '../../fixtures/edi-crash.ts'

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
