/** The fix for unfinished work: none where a bridge continues it anyway. */
import { expect, test } from 'vitest'
import { formatUnfinished } from '../../src/cli/format/status.ts'
import type { Unfinished } from '../../src/domain/snapshot.ts'

const WORK: Unfinished = {
  route: 'orders',
  file: 'f1',
  name: 'orders.csv',
  state: 'planned',
  next: '',
  records: [{ state: 'deferred', count: 2, why: 'the API is away.' }],
  isRouteKnown: true,
}

test('a run continues it, and a watch does so by itself', () => {
  const watch = { owner: 'bridge-host/1207/x', routes: ['stock', 'orders'], beganAt: 0, seenAt: 0 }
  const line = 'orders: orders.csv: 2 deferred, sent again by the next run: the API is away'

  expect(formatUnfinished([WORK])).toEqual(['not finished:', line, '    fix: dropbridge run orders'])
  expect(formatUnfinished([WORK], [{ ...watch, routes: ['stock'] }])[2]).toBe(
    '    fix: dropbridge run orders',
  )
  expect(formatUnfinished([WORK], [watch])).toEqual([
    'not finished:',
    line,
    '    fix: nothing yet: the watch (process 1207 on bridge-host) tries again within minutes; dropbridge run orders does at once',
  ])
})
