/** "Did you mean": a guess when it is likely to be right, and silence when it is not. */
import { expect, test } from 'vitest'
import { didYouMean, nearestName } from '../../src/support/nearest.ts'

const ROUTES = ['orders-in', 'orders-out', 'Shipments', 'id']

test.each([
  ['order-in', 'orders-in'],
  ['ORDERS-OUT', 'orders-out'],
  ['shipmnets', 'Shipments'],
  ['orders-in', 'orders-in'],
])('"%s" was meant to be "%s"', (slip, meant) => {
  expect(nearestName(slip, ROUTES)).toBe(meant)
  expect(didYouMean(slip, ROUTES)).toBe(` Did you mean "${meant}"?`)
})

test.each(['invoices', 'customer-returns', 'xyzzy'])('for "%s" nothing is guessed', (word) => {
  expect(nearestName(word, ROUTES)).toBeUndefined()
  expect(didYouMean(word, ROUTES)).toBe('')
})

test('nothing is guessed when there is nothing to choose from', () => {
  expect(nearestName('anything', [])).toBeUndefined()
})
