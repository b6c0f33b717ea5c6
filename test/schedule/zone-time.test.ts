/** Times of day on days on which the clocks are set. */
import { describe, expect, test } from 'vitest'
import { getLocalDate, toInstant } from '../../src/schedule/zone-time.ts'

const iso = (date: string, time: string, zone: string) => new Date(toInstant(date, time, zone)).toISOString()

describe('a time that does not exist that day is the first moment after the gap', () => {
  test.each([
    ['2026-03-29', '02:30', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-03-29', '02:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-03-29', '03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-03-08', '02:15', 'America/New_York', '2026-03-08T07:00:00.000Z'],
    ['2026-09-06', '00:00', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['2026-09-06', '00:59', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['2026-03-29', '00:00', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
    // Half an hour only.
    ['2026-10-04', '02:10', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    // The island left out a day when it crossed the date line.
    ['2011-12-30', '06:30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('%s %s in %s', (date, time, zone, moment) => {
    expect(iso(date, time, zone)).toBe(moment)
  })
})

describe('of a time that comes twice that day the first counts', () => {
  test.each([
    ['2026-10-25', '02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25', '02:00', 'Europe/Berlin', '2026-10-25T00:00:00.000Z'],
    ['2026-10-25', '03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    ['2026-11-01', '01:45', 'America/New_York', '2026-11-01T05:45:00.000Z'],
    ['2026-04-04', '23:30', 'America/Santiago', '2026-04-05T02:30:00.000Z'],
    ['2026-04-05', '00:00', 'America/Santiago', '2026-04-05T04:00:00.000Z'],
    ['2026-10-24', '23:30', 'Asia/Beirut', '2026-10-24T20:30:00.000Z'],
  ])('%s %s in %s', (date, time, zone, moment) => {
    expect(iso(date, time, zone)).toBe(moment)
  })
})

test('on all other days it is what the clock on the wall says', () => {
  expect(iso('2026-01-15', '06:30', 'America/New_York')).toBe('2026-01-15T11:30:00.000Z')
  expect(iso('2026-07-15', '06:30', 'America/New_York')).toBe('2026-07-15T10:30:00.000Z')
  expect(iso('2026-07-15', '06:30', 'Asia/Kolkata')).toBe('2026-07-15T01:00:00.000Z')
  expect(iso('2026-07-15', '06:30', 'UTC')).toBe('2026-07-15T06:30:00.000Z')
})

test('the date is the one of the zone', () => {
  const moment = Date.UTC(2026, 2, 8, 3)

  expect(getLocalDate('America/New_York', moment)).toBe('2026-03-07')
  expect(getLocalDate('Europe/Berlin', moment)).toBe('2026-03-08')
  expect(getLocalDate('Pacific/Kiritimati', Date.UTC(2026, 2, 8, 12))).toBe('2026-03-09')
})
