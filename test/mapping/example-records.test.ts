/** Compares a mapping with the records of its example, refused ones included. */
import { expect, test } from 'vitest'
import type { Draft } from '../../src/domain/translator.ts'
import { toExampleBody, compareRecords } from '../../src/mapping/examples.ts'
import { draftsOf, ORDERS, orderSheet } from './sheet.ts'

const A = { 'PO Number': 'A' }
const BAD = { 'PO Number': 'B', Qty: 'two', City: '' }
const C = { 'PO Number': 'C' }

const three = () => draftsOf(ORDERS, orderSheet(A, BAD, C))
const bodies = (drafts: readonly Draft[]): unknown[] => drafts.map(toExampleBody)

test('a refused record is in the example with the codes of its problems, in any order', async () => {
  const drafts = await three()
  const [a, , c] = bodies(drafts)

  expect(compareRecords(drafts, [a, { refused: ['value-missing', 'integer-expected'] }, c])).toEqual([])
  expect(compareRecords(drafts, [a, { refused: ['value-missing'] }, c])).toEqual([
    'Record 2 was refused for value-missing, integer-expected; expected was value-missing.',
  ])
  expect(compareRecords(drafts, [{ refused: ['value-missing'] }, a, c]).slice(0, 1)).toEqual([
    'Record 1 was expected to be refused for value-missing, and it is not.',
  ])
})

test('one record too many, or one missing, does not make the others differ', async () => {
  const drafts = await three()
  const [a, , c] = bodies(drafts)
  const refused = { refused: ['integer-expected', 'value-missing'] }

  expect(compareRecords(drafts, [a, c])).toEqual([
    'Record 2 was refused: line 3, column "City": The cell is blank, and the API requires ship_to.city.',
    'Record 2 was refused: line 3, column "Qty": "two" is not a whole number.',
  ])
  expect(compareRecords(drafts.slice(1), [{ ...(a as object) }, refused, c])).toEqual([
    `A record was expected before record 2: ${JSON.stringify(a)}.`,
  ])
  expect(compareRecords(drafts, [refused, c])).toEqual(['Record 1 was not expected.'])
})

test('a record that differs is reported field by field, and the next one is compared with its own', async () => {
  const drafts = await three()
  const [a, , c] = bodies(drafts)
  const refused = { refused: ['integer-expected', 'value-missing'] }
  const changed = { ...(a as object), purchase_order_number: 'X' }

  expect(compareRecords(drafts, [changed, refused, c])).toEqual([
    'Record 1: purchase_order_number is "A"; expected was "X".',
  ])
})
