/** The names of files that hold a part of another. */
import { expect, test } from 'vitest'
import { isPartFile, isPartOf, partSuffix } from '../../src/domain/file.ts'

test.each([
  ['orders.csv', '.rejects.csv'],
  ['b.txt', '.rejects.txt'],
  ['HV_20261121.DAT', '.rejects.DAT'],
  ['november.csv.gz', '.rejects.csv'],
  ['ORDERS', '.rejects.csv'],
  ['orders.of november', '.rejects.csv'],
])('the rejects of %s end in %s', (source, suffix) => {
  expect(partSuffix('rejects', source)).toBe(suffix)
  expect(isPartOf(`results/${source}${suffix}`, 'rejects')).toBe(true)
})

test('the name of a file shows its role, whatever a person appended to it', () => {
  expect(
    ['orders.csv.rejects.csv', 'b.txt.rejects.corrected.txt', 'a.exceptions.csv'].map(isPartFile),
  ).toEqual([true, true, true])
  expect(['rejects.csv', 'orders.csv', 'orders-rejects.csv'].map(isPartFile)).toEqual([false, false, false])
  expect(isPartOf('orders.csv.rejects.csv.exceptions.csv', 'rejects')).toBe(false)
})
