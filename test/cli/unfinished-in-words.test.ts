/** What to do about what is not finished: nothing, where somebody goes on with it anyway. */
import { expect, test } from 'vitest'
import { unfinishedInWords } from '../../src/cli/unfinished-in-words.ts'
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

test('a run goes on with it, and a watch does by itself', () => {
  const watch = { holder: 'bridge-host/1207/x', routes: ['stock', 'orders'], beganAt: 0, seenAt: 0 }
  const line = 'orders: orders.csv: 2 deferred, sent again by the next run: the API is away'

  expect(unfinishedInWords([WORK])).toEqual(['not finished:', line, '    what to do: dropbridge run orders'])
  expect(unfinishedInWords([WORK], [{ ...watch, routes: ['stock'] }])[2]).toBe(
    '    what to do: dropbridge run orders',
  )
  expect(unfinishedInWords([WORK], [watch])).toEqual([
    'not finished:',
    line,
    '    what to do: nothing yet: the watch (process 1207 on bridge-host) tries again within minutes; dropbridge run orders does at once',
  ])
})
