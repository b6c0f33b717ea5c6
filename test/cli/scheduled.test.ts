/** What people are told of routes that have a schedule. */
import { expect, test } from 'vitest'
import { EXIT } from '../../src/support/errors.ts'
import { runInWords } from '../../src/cli/run-in-words.ts'
import { statusInWords } from '../../src/cli/status-in-words.ts'

const AT = Date.parse('2026-12-04T12:20Z')
const NOTHING = {
  at: AT,
  attention: [],
  routes: [],
  files: [],
  deliveries: [],
  held: [],
  heldRecords: [],
  waiting: [],
  unfinished: [],
  strangers: [],
  watches: [],
}

test('status has a line for each of them', () => {
  const turns = [
    {
      route: 'closed-daily',
      last: { turn: '2026-12-04', state: 'done' as const },
      nextAt: Date.parse('2026-12-07T11:30Z'),
    },
    { route: 'stock', nextAt: AT },
  ]

  expect(statusInWords({ ...NOTHING, turns }).slice(-4)).toEqual([
    'scheduled route  last turn        next turn',
    '───────────────  ───────────────  ────────────────────────',
    'closed-daily     2026-12-04 done  2026-12-07T11:30:00.000Z',
    'stock                             due now',
  ])
})

test('a run says why a report was not made, and what was missed and made up for', () => {
  const routes = [
    {
      kind: 'idle' as const,
      route: 'closed',
      turns: { last: '2026-12-04', nextAt: Date.parse('2026-12-07T11:30Z') },
    },
    { kind: 'idle' as const, route: 'stock', turns: { nextAt: Date.parse('2026-12-04T13:00Z') } },
    {
      kind: 'idle' as const,
      route: 'late',
      turns: {
        done: ['2026-12-03', '2026-12-04'],
        missed: ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04'],
      },
    },
  ]
  const result = { routes, stranded: [], exit: EXIT.ok }

  expect(runInWords(result)).toEqual([
    'closed: nothing is due: the turn of 2026-12-04 is over; the next turn is at 2026-12-07T11:30:00.000Z. --again makes a report once more',
    'stock: nothing is due; the next turn is at 2026-12-04T13:00:00.000Z',
    'late: missed for good, because it is too long ago: 2026-11-01 to 2026-11-04',
    'late: makes up for 2026-12-03',
    'late: nothing is due',
  ])
  expect(runInWords(result, { terse: true })).toEqual([
    'late: missed for good, because it is too long ago: 2026-11-01 to 2026-11-04',
    'late: makes up for 2026-12-03',
  ])
})
