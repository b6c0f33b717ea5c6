/** `rules` of a route: what the bridge does about records that are only odd. */
import { expect, test } from 'vitest'
import { RuleSettings } from '../../src/config/sending.ts'

test('odd totals, dates and postal codes are warnings by default, and stock is not checked', () => {
  expect(RuleSettings.parse({})).toEqual({
    totals: 'warn',
    dates: 'warn',
    prices: 'warn',
    stock: 'off',
    addresses: 'warn',
    numbers: 'warn',
    closings: 'warn',
  })
  expect(RuleSettings.parse({ totals: 'refuse', stock: 'warn' })).toEqual({
    totals: 'refuse',
    dates: 'warn',
    prices: 'warn',
    stock: 'warn',
    addresses: 'warn',
    numbers: 'warn',
    closings: 'warn',
  })
})

test.each([
  [{ totals: 'strict' }, 'must be warn, refuse or off'],
  [{ total: 'warn' }, 'Unrecognized key'],
])('%j is an error', (written, message) => {
  expect(RuleSettings.safeParse(written).error?.message).toContain(message)
})
