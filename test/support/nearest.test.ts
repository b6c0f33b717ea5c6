/** "Did you mean": a guess when it is likely to be right, and none when it is not. */
import { expect, test } from 'vitest'
import { didYouMean, findSimilarName, rankSimilarNames, normalizeForSearch } from '../../src/support/text.ts'

const ROUTES = ['orders-in', 'orders-out', 'Shipments', 'id']

test.each([
  ['order-in', 'orders-in'],
  ['ORDERS-OUT', 'orders-out'],
  ['shipmnets', 'Shipments'],
  ['orders-in', 'orders-in'],
  ['ship', 'Shipments'],
])('"%s" was meant to be "%s"', (slip, meant) => {
  expect(findSimilarName(slip, ROUTES)).toBe(meant)
  expect(didYouMean(slip, ROUTES)).toBe(` Did you mean "${meant}"?`)
})

test.each([
  ['Zip', ['Id', 'Name']],
  ['Retail', ['Email', 'Phone']],
  ['map', ['wrap']],
])('"%s" means none of %s: other words are not typing errors', (word, known) => {
  expect(findSimilarName(word, known)).toBeUndefined()
})

test('first letters that changed places are a typing error', () => {
  expect(findSimilarName('roders-in', ['orders-in'])).toBe('orders-in')
})

test.each(['invoices', 'customer-returns', 'xyzzy', 'US', 'shi', 'orders'])(
  'for "%s" nothing is guessed',
  (word) => {
    expect(findSimilarName(word, ROUTES)).toBeUndefined()
    expect(didYouMean(word, ROUTES)).toBe('')
  },
)

test('nothing is guessed when there is nothing to choose from', () => {
  expect(findSimilarName('anything', [])).toBeUndefined()
})

test.each(['BD-0003', 'bd-0003', 'BD0003', 'bd 3', 'Bd_03'])('"%s" sounds like "BD-0003"', (name) => {
  expect(normalizeForSearch(name)).toBe(normalizeForSearch('BD-0003'))
})

test('zeros within a number count', () => {
  expect(normalizeForSearch('BD-3000')).not.toBe(normalizeForSearch('BD-3'))
  expect(normalizeForSearch('BD-1003')).not.toBe(normalizeForSearch('BD-13'))
})

test('names that differ in case and dashes alone come before those that differ in a digit', () => {
  expect(rankSimilarNames('bd0003', ['BD-0004', 'BD-0003', 'XY-9999'], 5)).toEqual(['BD-0003', 'BD-0004'])
})
