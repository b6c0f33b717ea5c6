/** The output of commands about routes that have a schedule. */
import { expect, test } from 'vitest'
import { EXIT } from '../../src/support/errors.ts'
import { formatRun } from '../../src/cli/format/run.ts'
import { formatStatus } from '../../src/cli/format/status.ts'

const AT = Date.parse('2026-12-04T12:20Z')
const NOTHING = {
  at: AT,
  alerts: [],
  routes: [],
  files: [],
  deliveries: [],
  held: [],
  heldRecords: [],
  waiting: [],
  unfinished: [],
  unmatchedFiles: [],
  disks: [],
  watches: [],
}

test('status has a line for each scheduled route', () => {
  const scheduledRuns = [
    {
      route: 'closed-daily',
      last: { occurrence: '2026-12-04', state: 'done' as const },
      nextAt: Date.parse('2026-12-07T11:30Z'),
    },
    { route: 'stock', nextAt: AT },
  ]

  expect(formatStatus({ ...NOTHING, scheduledRuns }).slice(-4)).toEqual([
    'scheduled route  last run         next run',
    '───────────────  ───────────────  ────────────────────────',
    'closed-daily     2026-12-04 done  2026-12-07T11:30:00.000Z',
    'stock                             due now',
  ])
})

test('a run says why a report was not made, and which runs were missed and caught up', () => {
  const routes = [
    {
      kind: 'idle' as const,
      route: 'closed',
      scheduledRuns: { last: '2026-12-04', nextAt: Date.parse('2026-12-07T11:30Z') },
    },
    { kind: 'idle' as const, route: 'stock', scheduledRuns: { nextAt: Date.parse('2026-12-04T13:00Z') } },
    {
      kind: 'idle' as const,
      route: 'late',
      scheduledRuns: {
        done: ['2026-12-03', '2026-12-04'],
        missed: ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04'],
      },
    },
  ]
  const result = { routes, stranded: [], exit: EXIT.ok }

  expect(formatRun(result)).toEqual([
    'closed: nothing is due: the run of 2026-12-04 is over; the next run is at 2026-12-07T11:30:00.000Z. --again makes a report once more',
    'stock: nothing is due; the next run is at 2026-12-04T13:00:00.000Z',
    'late: missed for good, because it is too long ago: 2026-11-01 to 2026-11-04',
    'late: makes up for 2026-12-03',
    'late: nothing is due',
  ])
  expect(formatRun(result, { terse: true })).toEqual([
    'late: missed for good, because it is too long ago: 2026-11-01 to 2026-11-04',
    'late: makes up for 2026-12-03',
  ])
})
