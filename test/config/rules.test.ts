/** `rules` of a route: what is done about records that are only odd. */
import { expect, test } from 'vitest'
import { RulesFile } from '../../src/config/rules.ts'

test('odd totals and dates are warnings unless told, and stock is left alone', () => {
  expect(RulesFile.parse({})).toEqual({ totals: 'warn', dates: 'warn', stock: 'off' })
  expect(RulesFile.parse({ totals: 'refuse', stock: 'warn' })).toEqual({
    totals: 'refuse',
    dates: 'warn',
    stock: 'warn',
  })
})

test.each([
  [{ totals: 'strict' }, 'must be warn, refuse or off'],
  [{ total: 'warn' }, 'Unrecognized key'],
])('%j is a mistake', (written, message) => {
  expect(RulesFile.safeParse(written).error?.message).toContain(message)
})
