import { expect, test } from 'vitest'
import { findFileNameErrors, formatFileName, hasRecordPlaceholder } from '../../src/config/file-name.ts'

const VALUES = { route: 'shipments-out', sequence: 42, at: Date.UTC(2026, 10, 21, 3, 4, 5, 67), zone: 'utc' }

test('a name is filled with the date, the sequence and the route', () => {
  expect(formatFileName('{route}-{date:yyyyMMdd-HHmmss}-{seq}.csv', VALUES)).toBe(
    'shipments-out-20261121-030405-42.csv',
  )
  expect(formatFileName('{date:yy.MM_dd}{date:SSS}', VALUES)).toBe('26.11_21067')
})

test('the date is that of the zone', () => {
  const newYork = { ...VALUES, zone: 'America/New_York' }
  expect(formatFileName('{date:yyyyMMdd-HHmm}', newYork)).toBe('20261120-2204')
})

test.each(['orders-{seq}.csv', '{date:yyyy-MM-dd}', 'a {route} {seq}', 'ORDERS.{date:HHmmss}'])(
  '%j is a good template',
  (template) => {
    expect(findFileNameErrors(template)).toEqual([])
  },
)

test.each([
  ['orders.csv', 'needs {seq}, {date:…} or {day:…}'],
  ['{seq}/orders.csv', 'is the name of a file'],
  ['{seq}\\orders.csv', 'is the name of a file'],
  ['{seq}\n', 'is the name of a file'],
  ['{seq}:a', 'is the name of a file'],
  ['{date:yyyy/MM}', 'write yyyy, MM, dd'],
  ['{date:D}', 'write yyyy, MM, dd'],
  ['{date}', 'write yyyy, MM, dd'],
  ['{seq:5}', 'is not a placeholder'],
  ['{day}.csv', 'has {day}: write yyyy, yy, MM or dd'],
  ['{day:yyyyMMddHHmm}.csv', 'has {day:yyyyMMddHHmm}: write yyyy, yy, MM or dd'],
  ['{sequence}-{seq}', 'has {sequence}, which is not a placeholder'],
  ['{seq', 'has a brace without its partner'],
  ['{seq}}', 'has a brace without its partner'],
  ['.orders-{seq}.csv', 'looks like a file still being written'],
  ['orders-{seq}.TMP', 'looks like a file still being written'],
])('the errors of %j are reported', (template, message) => {
  expect(findFileNameErrors(template).join('\n')).toContain(message)
})

test('a name may contain a field of the record, in safe characters only', () => {
  const named = (value: unknown) =>
    formatFileName('order_{purchase_order_number}_{seq}.csv', {
      ...VALUES,
      record: { purchase_order_number: value },
    })

  expect(named('HV-20001')).toBe('order_HV-20001_42.csv')
  expect(named(' PO 7/8: café.tmp ')).toBe('order_PO-7-8-café-tmp_42.csv')
  expect(named('../../etc/passwd')).toBe('order_etc-passwd_42.csv')
  expect(named('x'.repeat(200))).toBe(`order_${'x'.repeat(40)}_42.csv`)
  expect(named(null)).toBe('order_none_42.csv')
  expect(
    formatFileName('{retailer.code}-{id}.csv', { ...VALUES, record: { id: 7, retailer: { code: 'HV' } } }),
  ).toBe('HV-7.csv')
})

test('a name with a field of the record differs from one without', () => {
  expect(hasRecordPlaceholder('{route}-{date:yyyyMMdd}-{seq}.csv')).toBe(false)
  expect(hasRecordPlaceholder('order_{purchase_order_number}.csv')).toBe(true)
})

test('a field in a name must be one that the exported records show', () => {
  expect(findFileNameErrors('{retailer.code}_{purchase_order_number}.csv', 'export-orders')).toEqual([])
  expect(findFileNameErrors('{purchase_order}-{seq}.csv', 'export-orders')).toEqual([
    'has {purchase_order}, which is not a placeholder: use {date:…}, {day:…}, {seq}, {route} or a field of what export-orders shows',
  ])
  expect(findFileNameErrors('{ship_to}-{seq}.csv', 'export-orders')).toHaveLength(1)
  expect(findFileNameErrors('{invoice_number}-{seq}.csv', 'export-orders')).toHaveLength(1)
  expect(findFileNameErrors('{invoice_number}-{seq}.csv', 'export-invoices')).toEqual([])
})
