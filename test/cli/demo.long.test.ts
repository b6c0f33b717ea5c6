/** The demo on other days: its output does not depend on the date. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/support/clock.ts'
import { runCommand } from '../fixtures/terminal.ts'
import { tempFolder } from '../fixtures/temp-folder.ts'

const DAY_MS = 86_400_000

/** The output of the demo without what differs each time: times, ports and the folder. */
async function demoIn(days: number): Promise<string> {
  const clock: Clock = { ...systemClock, now: () => Date.now() + days * DAY_MS }
  const folder = await tempFolder()

  const { exit, out } = await runCommand({ folder, clock }, ['demo', 'work'])

  expect(exit).toBe(0)
  return out
    .replaceAll(join(folder, 'work'), 'work')
    .replaceAll(/\d{8}-\d{6}/g, 'TIME')
    .replaceAll(/(127\.0\.0\.1:|--port )\d+/g, '$1PORT')
}

test('the demo shows the same yesterday, today and after 2038', async () => {
  const today = await demoIn(0)

  expect(today).toContain('1946 accepted, 54 rejected')
  expect(today).not.toContain('date-implausible')
  for (const days of [-1, 5000]) expect(await demoIn(days)).toBe(today)
})
