import { expect, test } from 'vitest'
import { fileNameMistakes, fileNameOf } from '../../src/config/file-name.ts'

const VALUES = { route: 'shipments-out', sequence: 42, at: Date.UTC(2026, 10, 21, 3, 4, 5, 67), zone: 'utc' }

test('a name is filled with the date, the sequence and the route', () => {
  expect(fileNameOf('{route}-{date:yyyyMMdd-HHmmss}-{seq}.csv', VALUES)).toBe(
    'shipments-out-20261121-030405-42.csv',
  )
  expect(fileNameOf('{date:yy.MM_dd}{date:SSS}', VALUES)).toBe('26.11_21067')
})

test('the date is that of the zone', () => {
  const newYork = { ...VALUES, zone: 'America/New_York' }
  expect(fileNameOf('{date:yyyyMMdd-HHmm}', newYork)).toBe('20261120-2204')
})

test.each(['orders-{seq}.csv', '{date:yyyy-MM-dd}', 'a {route} {seq}', 'ORDERS.{date:HHmmss}'])(
  '%j is a good template',
  (template) => {
    expect(fileNameMistakes(template)).toEqual([])
  },
)

test.each([
  ['orders.csv', 'needs {seq} or {date:…}'],
  ['{seq}/orders.csv', 'is the name of a file'],
  ['{seq}\\orders.csv', 'is the name of a file'],
  ['{seq}\n', 'is the name of a file'],
  ['{seq}:a', 'is the name of a file'],
  ['{date:yyyy/MM}', 'write yyyy, MM, dd'],
  ['{date:D}', 'write yyyy, MM, dd'],
  ['{date}', 'write yyyy, MM, dd'],
  ['{seq:5}', 'is not a placeholder'],
  ['{sequence}-{seq}', 'has {sequence}, which is not a placeholder'],
  ['{seq', 'has a brace without its partner'],
  ['{seq}}', 'has a brace without its partner'],
  ['.orders-{seq}.csv', 'looks like a file still being written'],
  ['orders-{seq}.TMP', 'looks like a file still being written'],
])('what is wrong with %j is said', (template, message) => {
  expect(fileNameMistakes(template).join('\n')).toContain(message)
})
