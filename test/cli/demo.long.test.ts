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
  // The X12 orders come through an inbox: the partner is told of the bad set, which comes back to be corrected.
  expect(today).toMatch(/inbox:van +850-one-day\.x12 +3 sets: 2 given, 1 refused/)
  expect(today).toContain('in exchange/outbox/edi/997-haven-000000001.edi:')
  expect(today).toMatch(/AK2\*850\*0002~\s+AK3\*PO1\*14\*PO1\*8~\s+AK4\*2\*330\*6\*two~\s+AK5\*R\*5~/)
  expect(today).toContain('AK9*P*3*3*2~')
  expect(today).toMatch(
    /in exchange\/results\/850-one-day\.x12\.edi-orders-in\.rejects\.x12:\s+ST\*850\*0002~/,
  )
  expect(today).not.toContain('date-implausible')
  for (const days of [-1, 5000]) expect(await demoIn(days)).toBe(today)
})
