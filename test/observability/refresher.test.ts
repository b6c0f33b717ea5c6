/** The refresher: it repeats no expensive read too often, and none too seldom. */
import { expect, test } from 'vitest'
import type { Clock } from '../../src/support/clock.ts'
import { startRefresher } from '../../src/support/async.ts'

/** How long it rests after a read of this duration, during which the time of day moved by that much. */
async function restAfter(tookMs: number, wallMs = tookMs): Promise<number | undefined> {
  let wall = 1_000_000_000
  let running = 0
  const rests: number[] = []
  const clock: Clock = {
    now: () => wall,
    elapsed: () => running,
    sleep: (ms, signal) => {
      rests.push(ms)
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
    },
  }
  const refresh = () => {
    wall += wallMs
    running += tookMs
    return Promise.resolve()
  }
  const keeper = startRefresher({ clock, refresh })
  await expect.poll(() => rests.length).toBe(1)
  await keeper.close()
  return rests[0]
}

test('an expensive read is made less often, and one that only waited is delayed by minutes at most', async () => {
  expect(await restAfter(10)).toBe(3000)
  expect(await restAfter(1000)).toBe(20_000)
  expect(await restAfter(120_000)).toBe(300_000)
})

test('a time of day that is set forward during a read changes nothing', async () => {
  expect(await restAfter(10, 28_800_000)).toBe(3000)
})
