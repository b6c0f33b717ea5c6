/** Dates are the same however they are read and written. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileDateFormat, type DateFormat } from '../../src/mapping/values/date-format.ts'
import { createDateTimeConverter, UTC } from '../../src/mapping/values/dates.ts'
import { FAILED } from '../../src/mapping/values/text.ts'

function format(text: string): DateFormat {
  const compiled = compileDateFormat(text)
  if (typeof compiled === 'string') throw new Error(compiled)
  return compiled
}

const twoDigits = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'))

test('a format of two-digit numbers reads what that of one-digit numbers reads', () => {
  const [wide, narrow] = [format('MM/dd/yyyy HH:mm'), format('M/d/yyyy H:m')]
  const year = fc.integer({ min: 1890, max: 2210 }).map(String)
  const sound = fc
    .tuple(twoDigits, twoDigits, year, twoDigits, twoDigits)
    .map(([month, day, year, hour, minute]) => `${month}/${day}/${year} ${hour}:${minute}`)
  const damaged = fc
    .tuple(sound, fc.nat(15), fc.constantFrom('', ' ', '/', '7', 'x', '٣'))
    .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1))
  fc.assert(
    fc.property(fc.oneof(sound, damaged), (text) => {
      expect(wide.read(text)).toEqual(narrow.read(text))
    }),
  )
})

test('every instant is written as ISO 8601 writes it', () => {
  const second = format('yyyy-MM-dd HH:mm:ss')
  const convert = createDateTimeConverter({ formats: [second], names: [], zone: UTC })
  const min = Date.UTC(1900, 0, 1) / 1000
  const max = Date.UTC(2199, 11, 31) / 1000
  fc.assert(
    fc.property(fc.integer({ min, max }), (seconds) => {
      const written = convert(second.write(seconds * 1000, 0), () => FAILED)
      expect(written).toBe(`${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`)
    }),
  )
})
