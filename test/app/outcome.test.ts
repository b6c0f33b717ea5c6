/** The exit code of a run: the most urgent outcome decides. */
import { describe, expect, test } from 'vitest'
import { chooseExitCode, type RouteResult } from '../../src/app/outcome.ts'
import type { DeliveryEntry } from '../../src/domain/delivery.ts'
import type { FileEntry } from '../../src/domain/file.ts'
import type { StateCounts } from '../../src/domain/record.ts'
import type { Summary } from '../../src/pipeline/inbound/summary.ts'
import { BridgeError, type FailureCode, FAILURES } from '../../src/support/errors.ts'

const failed = (code: FailureCode): RouteResult => ({
  route: 'r',
  kind: 'failed',
  failure: new BridgeError(code, 'it failed'),
})

function inbound(records: StateCounts, outcome = 'processed', open: readonly FileEntry[] = []): RouteResult {
  return {
    route: 'r',
    kind: 'inbound',
    pass: {
      route: 'r',
      summaries: [{ outcome, records: { total: 9, ...records } } as unknown as Summary],
      reported: [],
      open,
      waiting: [],
    },
  }
}

function outbound(
  records: StateCounts,
  state: DeliveryEntry['state'] = 'acknowledged',
  { held = 0, missing = 0 } = {},
): RouteResult {
  const delivery = {
    delivery: { state } as DeliveryEntry,
    isNewlyDelivered: true,
    path: 'orders-1.csv',
    records,
    troubled: [],
  }
  const counts = { held, heldRecords: [], missing, firstMissing: [] }
  return { route: 'r', kind: 'outbound', pass: { route: 'r', deliveries: [delivery], ...counts } }
}

const OPEN = [{ name: 'orders.csv' } as FileEntry]

describe('one route', () => {
  test.each([
    ['with nothing to do', inbound({}), 0],
    ['with everything accepted', inbound({ accepted: 9 }), 0],
    ['with a file that came twice', inbound({}, 'duplicate'), 0],
    ['with records sent before', inbound({ accepted: 3, duplicate: 6 }), 0],
    ['with a refused record', inbound({ accepted: 8, rejected: 1 }), 2],
    ['with a held record', inbound({ accepted: 8, held: 1 }), 2],
    ['with an unusable file', inbound({}, 'unusable'), 65],
    ['with a file that is not finished', inbound({ accepted: 9 }, 'processed', OPEN), 75],
    ['with a delivery that is done', outbound({ accepted: 9 }), 0],
    ['with a record that could not be acknowledged', outbound({ accepted: 8, rejected: 1 }), 2],
    ['with a record in no file', outbound({ accepted: 9 }, 'acknowledged', { held: 1 }), 2],
    ['with a report in place', outbound({}, 'done'), 0],
    ['with a report of records that are not there', outbound({}, 'done', { missing: 1 }), 2],
    ['with a report that is not in place', outbound({}, 'composed'), 75],
    [
      'with a delivery that is not acknowledged whole',
      outbound({ accepted: 8, deferred: 1 }, 'delivered'),
      75,
    ],
  ] as const)('%s', (_, result, exit) => {
    expect(chooseExitCode([result], [])).toBe(exit)
  })

  test.each(Object.keys(FAILURES) as FailureCode[])(
    'that failed with %s never looks like success',
    (code) => {
      expect(chooseExitCode([failed(code)], [])).toBe(FAILURES[code].exit)
      expect(chooseExitCode([failed(code)], [])).not.toBe(0)
    },
  )
})

describe('several routes', () => {
  test.each([
    ['a refused record and an unusable file', [inbound({ rejected: 1 }), inbound({}, 'unusable')], 65],
    ['an unusable file and one to go on with', [inbound({}, 'unusable'), inbound({}, 'processed', OPEN)], 75],
    ['another bridge at work and an API that is down', [failed('lease-held'), failed('api-unreachable')], 69],
    ['an API that is down and a full disk', [failed('api-unreachable'), failed('cannot-write')], 74],
    ['a full disk and refused credentials', [failed('cannot-write'), failed('credentials-refused')], 77],
    ['a signal and rejects', [inbound({ rejected: 1 }), failed('interrupted')], 130],
    ['all well but one', [inbound({ accepted: 1 }), outbound({ accepted: 1 }), inbound({ rejected: 1 })], 2],
  ] as const)('%s', (_, results, exit) => {
    expect(chooseExitCode(results, [])).toBe(exit)
    expect(chooseExitCode([...results].toReversed(), [])).toBe(exit)
  })

  test('none', () => {
    expect(chooseExitCode([], [])).toBe(0)
  })
})

test('unfinished work of a route that was removed from the configuration still counts', () => {
  expect(chooseExitCode([], ['orders-old'])).toBe(75)
})
