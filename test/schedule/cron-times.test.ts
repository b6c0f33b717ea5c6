/** The instants of cron expressions, with the days on which clocks are set. */
import { describe, expect, test } from 'vitest'
import { createCronTimes } from '../../src/schedule/schedule.ts'

function instants(expression: string, zone: string, from: string, count: number): string[] {
  const { nextAfter } = createCronTimes(expression, zone)
  const found: string[] = []
  let at: number | undefined = Date.parse(from)
  while (found.length < count && at !== undefined) {
    at = nextAfter(at)
    if (at !== undefined) found.push(new Date(at).toISOString())
  }
  return found
}

describe('when the clocks go forward', () => {
  test('a time in the gap comes as much later as the clocks are set', () => {
    expect(instants('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 3)).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ])
  })

  test('each of several times in the gap comes as much later', () => {
    expect(instants('15,45 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 3)).toEqual([
      '2026-03-29T01:15:00.000Z',
      '2026-03-29T01:45:00.000Z',
      '2026-03-30T00:15:00.000Z',
    ])
  })

  test('a bridge that starts between the gap and the later time knows that it is still to come', () => {
    expect(instants('30 2 * * *', 'Europe/Berlin', '2026-03-29T01:10Z', 1)).toEqual([
      '2026-03-29T01:30:00.000Z',
    ])
    expect(instants('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T15:31Z', 1)).toEqual([
      '2026-10-03T15:45:00.000Z',
    ])
  })

  test('an hourly time leaves out nothing that exists', () => {
    expect(instants('0 * * * *', 'Europe/Berlin', '2026-03-28T23:30Z', 4)).toEqual([
      '2026-03-29T00:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T02:00:00.000Z',
      '2026-03-29T03:00:00.000Z',
    ])
  })
})

describe('when the clocks go back', () => {
  test('a time that comes twice is an instant the first time only', () => {
    expect(instants('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ])
    expect(instants('0 0 * * *', 'America/Santiago', '2026-04-04T12:00Z', 2)).toEqual([
      '2026-04-05T04:00:00.000Z',
      '2026-04-06T04:00:00.000Z',
    ])
  })

  test('that is so where they go back by half an hour or by two hours', () => {
    expect(instants('30 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', 2)).toEqual([
      '2026-04-04T14:30:00.000Z',
      '2026-04-05T15:00:00.000Z',
    ])
    expect(instants('*/15 * * * *', 'Australia/Lord_Howe', '2026-04-04T14:15Z', 3)).toEqual([
      '2026-04-04T14:30:00.000Z',
      '2026-04-04T14:45:00.000Z',
      '2026-04-04T15:30:00.000Z',
    ])
    expect(instants('0 * * * *', 'Antarctica/Troll', '2026-10-24T22:06Z', 3)).toEqual([
      '2026-10-24T23:00:00.000Z',
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T03:00:00.000Z',
    ])
  })

  test('in its second coming an hour has none that are over', () => {
    for (const minutes of ['00', '01', '21', '41', '59']) {
      const next = instants('*/20 * * * *', 'Europe/Berlin', `2026-10-25T01:${minutes}Z`, 1)
      expect(next).toEqual(['2026-10-25T02:00:00.000Z'])
    }
  })

  test('the hour that comes twice has its instants once', () => {
    expect(instants('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:45Z', 4)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T02:00:00.000Z',
      '2026-10-25T02:30:00.000Z',
    ])
  })
})

test('the last instant is found however long ago it was', () => {
  const last = (expression: string, now: string) => {
    const at = createCronTimes(expression, 'Europe/Berlin').lastUpTo(Date.parse(now))
    return at === undefined ? undefined : new Date(at).toISOString()
  }

  expect(last('0 6 * * 1-5', '2026-11-22T12:00Z')).toBe('2026-11-20T05:00:00.000Z')
  expect(last('0 6 * * 1-5', '2026-11-20T05:00Z')).toBe('2026-11-20T05:00:00.000Z')
  expect(last('0 6 * * 1-5', '2026-11-20T04:59:59.999Z')).toBe('2026-11-19T05:00:00.000Z')
  expect(last('* 3 * * *', '2026-11-20T12:00Z')).toBe('2026-11-20T02:59:00.000Z')
  expect(last('0 0 29 2 *', '2027-06-01T00:00Z')).toBe('2024-02-28T23:00:00.000Z')
  expect(last('*/30 * * * *', '2026-10-25T01:59Z')).toBe('2026-10-25T00:30:00.000Z')
})
