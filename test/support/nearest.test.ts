/** "Did you mean": a guess when it is likely to be right, and silence when it is not. */
import { expect, test } from 'vitest'
import { didYouMean, nearestName, nearestNames, spokenName } from '../../src/support/nearest.ts'

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

test.each(['BD-0003', 'bd-0003', 'BD0003', 'bd 3', 'Bd_03'])('"%s" is said like "BD-0003"', (name) => {
  expect(spokenName(name)).toBe(spokenName('BD-0003'))
})

test('zeros within a number count', () => {
  expect(spokenName('BD-3000')).not.toBe(spokenName('BD-3'))
  expect(spokenName('BD-1003')).not.toBe(spokenName('BD-13'))
})

test('what differs in case and dashes alone comes before what differs in a digit', () => {
  expect(nearestNames('bd0003', ['BD-0004', 'BD-0003', 'XY-9999'], 5)).toEqual(['BD-0003', 'BD-0004'])
})
