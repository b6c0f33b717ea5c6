/** Which file names belong to a route. */
import { expect, test } from 'vitest'
import { compileFilePattern } from '../../src/support/name-pattern.ts'

test.each([
  [
    '*.csv',
    ['orders.csv', 'ORDERS.CSV', '.csv', 'a.b.csv', 'ä ö (1).csv', 'two\nlines.csv'],
    ['orders.csv.bak', 'orders_csv', 'csv'],
  ],
  ['orders-??.csv', ['orders-01.csv', 'Orders-😀é.csv'], ['orders-1.csv', 'orders-001.csv']],
  ['PO[1]+(a).txt', ['po[1]+(a).txt'], ['po1.txt', 'PO[1](a).txt', 'PO[1]+(a)xtxt']],
  ['*', ['anything', ''], []],
  ['a*b*c', ['abc', 'a-b-c', 'aabbcc'], ['ab', 'abcd']],
  ['^x$|y{2}', ['^x$|y{2}'], ['x', 'yy']],
])('%s takes what it says and nothing else', (pattern, taken, left) => {
  const matches = compileFilePattern(pattern)

  expect(taken.filter((name) => !matches(name))).toEqual([])
  expect(left.filter(matches)).toEqual([])
})
