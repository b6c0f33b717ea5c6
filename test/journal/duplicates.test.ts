/** What the bridge says of a record whose key another record has, by operation. */
import { expect, test } from 'vitest'
import { formatOwnerKey, judgeRecords, type KeyOwner } from '../../src/journal/duplicates.ts'
import { planned } from '../suites/journal.suite.ts'

const owner: KeyOwner = {
  bodyHash: 'another',
  apiId: '77',
  accepted: true,
  held: false,
  keyValues: ['D-03'],
  line: 2,
  file: { name: 'first.csv', receivedAt: Date.parse('2026-11-21T02:15:00Z') },
}

function judge(
  operation: 'create-order' | 'create-cancel' | 'create-shipment' | 'create-variant',
  changes: Partial<KeyOwner> = {},
) {
  const record = planned(1, 'D-03', { operation })
  const key = formatOwnerKey(operation, record.account, 'D-03')
  const [verdict] = judgeRecords([record], new Map([[key, { ...owner, ...changes }]]))
  expect(verdict).toMatchObject({ state: 'rejected', problems: [{ code: 'key-conflict' }] })
  const [{ message, fix } = { message: '', fix: '' }] = verdict?.problems ?? []
  return { message, fix }
}

test('A corrected order is canceled before it is sent under a new number.', () => {
  expect(judge('create-order')).toEqual({
    message: 'D-03 is already known from first.csv, line 2, with other contents.',
    fix: 'To correct it: dropbridge undo D-03, then a new number. Then, or if not: dropbridge dismiss FILE --by NAME --why TEXT.',
  })
})

test('A second cancel of the same lines names the first, and gets no number of its own.', () => {
  expect(judge('create-cancel')).toEqual({
    message:
      'D-03 is canceled already, by first.csv, line 2 (received 2026-11-21T02:15:00.000Z); this row says it otherwise.',
    fix: 'Remove the row: another number here would cancel another order.',
  })
})

test('A cancel that is only under way is not called a canceled order.', () => {
  const { message, fix } = judge('create-cancel', { accepted: false, apiId: null })
  expect(message).toBe('D-03 is already known from first.csv, line 2, with other contents.')
  expect(fix).toContain('Remove the row')
})

test('A shipment gets no invented tracking number, and an item is changed instead of created.', () => {
  expect(judge('create-shipment').fix).toBe(
    'Remove the row if the parcel is the same. If its order or tracking number is wrong, correct that.',
  )
  expect(judge('create-variant').fix).toBe(
    'Remove the row. To change the item, send it to a route with `update-variant`.',
  )
})
