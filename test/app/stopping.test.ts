/** A bridge that is asked to stop waits for nothing any more. */
import { expect, test } from 'vitest'
import type { Journal } from '../../src/domain/journal.ts'
import { aWorld } from '../fixtures/world.ts'

test('a stop that comes while a route waits for its lease asks the API nothing', async () => {
  const world = await aWorld({ routes: ['orders-out'] })
  const stop = new AbortController()
  let lists = 0
  const bridge = await world.open({
    journal: (journal): Journal => ({
      ...journal,
      acquireLease: async (...asked) => {
        const lease = await journal.acquireLease(...asked)
        stop.abort()
        return lease
      },
    }),
    api: (api) => ({
      ...api,
      list: (call) => {
        lists++
        return api.list(call)
      },
    }),
  })

  const { exit } = await bridge.run(['orders-out'], stop.signal)
  await bridge.close()

  expect([exit, lists]).toEqual([130, 0])
})
