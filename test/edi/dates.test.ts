/** Dates and times of segments. */
import { expect, test } from 'vitest'
import { Segment } from '../../src/edi/segment.ts'
import { readDate } from '../../src/formats/edi/dates.ts'

const delimiters = { syntax: 'x12', element: '*', component: '>', segment: '~' } as const

test.each([
  ['', '2026-11-21'],
  ['1045', '2026-11-21T10:45:00'],
  ['104530', '2026-11-21T10:45:30'],
  ['1045305', '2026-11-21T10:45:30.5'],
  // A digit is missing: the whole is no time, and the mapping refuses it.
  ['10453', '20261121 10453'],
  ['104', '20261121 104'],
])('the time "%s" of X12 is read as %s', (time, expected) => {
  const text = `DTM*002*20261121*${time}`
  const segment = new Segment({ text, offset: 0, delimiters }, 1)

  expect(readDate(segment, { date: 2, time: 3 })).toBe(expected)
})
