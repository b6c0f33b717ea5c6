/** The bounds of `run`: which options are accepted, and what they mean. */
import { describe, expect, test } from 'vitest'
import { parseRunBounds, parseExitMap, type RunFlags } from '../../src/cli/commands/run.ts'

const PLAIN: RunFlags = {
  due: false,
  again: false,
  ifBusy: 'fail',
  waitAtMost: undefined,
  until: undefined,
  maxRecords: undefined,
}
/** Saturday, 28 March 2026, 23:30 in Berlin; in the night the clocks are set forward. */
const NOW = Date.parse('2026-03-28T22:30Z')

function bounds(flags: Partial<RunFlags>) {
  return parseRunBounds({ ...PLAIN, ...flags }, { now: NOW, zone: 'Europe/Berlin' })
}
const untilOf = (until: string) => new Date(bounds({ until }).until ?? 0).toISOString()

test('without options a run starts now, has no bound, and fails where another one is at work', () => {
  expect(bounds({})).toEqual({ scheduleMode: 'now', ifBusy: 'fail' })
})

describe('the time after which nothing is begun', () => {
  test('may be a time of day, which is the next one', () => {
    expect(untilOf('23:45')).toBe('2026-03-28T22:45:00.000Z')
    expect(untilOf('23:30')).toBe('2026-03-29T21:30:00.000Z')
    expect(untilOf('06:00')).toBe('2026-03-29T04:00:00.000Z')
  })

  test('may be so long from now, or a moment', () => {
    expect(untilOf('2h')).toBe('2026-03-29T00:30:00.000Z')
    expect(untilOf('2026-03-29T06:00+02:00')).toBe('2026-03-29T04:00:00.000Z')
  })

  test.each(['25:00', '6', 'tomorrow', '2026-03-29', '2026-03-29T06:00', '2026-13-01T00:00Z'])(
    '%j is refused',
    (until) => {
      expect(() => bounds({ until })).toThrow('--until must be a time of day such as 06:30')
    },
  )
})

describe('waiting for another bridge', () => {
  test('lasts ten minutes by default', () => {
    expect(bounds({ ifBusy: 'wait' }).ifBusy).toEqual({ waitAtMostMs: 600_000 })
    expect(bounds({ ifBusy: 'wait', waitAtMost: '90s' }).ifBusy).toEqual({ waitAtMostMs: 90_000 })
  })

  test('cannot be limited without waiting, nor to a text that is no time', () => {
    expect(() => bounds({ waitAtMost: '5m' })).toThrow(
      expect.objectContaining({
        message: '--wait-at-most goes with --if-busy wait, and is how long to wait for another bridge',
        fix: expect.stringContaining('write `--until` instead') as string,
      }),
    )
    expect(() => bounds({ ifBusy: 'wait', waitAtMost: 'long' })).toThrow('--wait-at-most must be a time')
  })
})

test.each([0, -1, 1.5, Number.NaN])('no run sends at most %d records', (maxRecords) => {
  expect(() => bounds({ maxRecords })).toThrow('--max-records must be a whole number from 1 on')
})

test('--due and --again cannot be combined', () => {
  expect(() => bounds({ due: true, again: true })).toThrow(
    '--due runs what its schedule asks for, and --again what it does not',
  )
})

describe('other exit codes', () => {
  test('replace those of the program', () => {
    expect([...parseExitMap('2=0, 75=0,69=1')]).toEqual([
      [2, 0],
      [75, 0],
      [69, 1],
    ])
    expect([...parseExitMap(undefined)]).toEqual([])
  })

  test.each([
    ['3=0', '--exit-map "3=0" names no exit code of the program'],
    ['2', '--exit-map "2" names no exit code of the program'],
    ['2=256', 'an exit code is at most 255'],
    ['2=0,2=1', '--exit-map names 2 twice'],
  ])('%s is refused', (text, message) => {
    expect(() => parseExitMap(text)).toThrow(message)
  })
})
