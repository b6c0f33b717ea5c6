/** "Did you mean": a guess when it is likely to be right, and none when it is not. */
import { expect, test } from 'vitest'
import {
  didYouMean,
  didYouMeanOneOf,
  findSimilarName,
  normalizeForSearch,
  rankSimilarNames,
  unknownNameError,
} from '../../src/support/text.ts'

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

test('names that contain the sought one, or end otherwise, are similar; those spelt like it come first', () => {
  const names = ['Orders-Monday.csv', 'orders-monday.xml', 'mondey', 'returns.csv']

  expect(rankSimilarNames('monday', names, 5)).toEqual(['mondey', 'Orders-Monday.csv', 'orders-monday.xml'])
  expect(rankSimilarNames('ORDERS_MONDAY.txt', names, 5)).toEqual(['Orders-Monday.csv', 'orders-monday.xml'])
  expect(rankSimilarNames('cs', names, 5)).toEqual([])
})

test('known names are listed where none is meant, as long as they are few', () => {
  expect(didYouMeanOneOf('order-in', ROUTES)).toBe(' Did you mean "orders-in"?')
  expect(didYouMeanOneOf('xyzzy', ROUTES)).toBe(' Known: orders-in, orders-out, Shipments, id.')
  expect(didYouMeanOneOf('xyzzy', [])).toBe('')
  expect(didYouMeanOneOf('xyzzy', Array(41).fill('a') as string[])).toBe('')
})

test.each([
  ['order-in', ROUTES, 'none here. Did you mean "orders-in"?', 'Write "orders-in" instead of "order-in".'],
  [
    'xyzzy',
    ROUTES,
    'none here; known: orders-in, orders-out, Shipments, id.',
    'Write one of the known names.',
  ],
  ['xyzzy', [], 'none here; none is known.', 'Add it to the configuration first, or leave the name out.'],
  [
    'xyzzy',
    Array(41).fill('a') as string[],
    'none here.',
    'Write one of the names that the configuration has.',
  ],
])('the failure of the unknown name %s says what to write', (name, known, message, fix) => {
  expect(unknownNameError('none here', name, known)).toMatchObject({ code: 'usage-wrong', message, fix })
})
