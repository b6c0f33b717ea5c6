/** What events say to people: the words that depend on what was sent before. */
import { expect, test } from 'vitest'
import { formatFoundAbsent } from '../../src/observability/format.ts'

test.each([
  [1, 0, '1 record is not at the API, so it is sent (time 1 of at most 4)'],
  [3, 0, '3 records are not at the API, so they are sent (time 1 of at most 4)'],
  [1, 1, '1 record is not at the API, so it is sent again (time 2 of at most 4)'],
])('%i records of which %i requests were lost are sent, or sent again', (records, sent, expected) => {
  expect(formatFoundAbsent({ records, sent, atMost: 4 })).toBe(expected)
})
