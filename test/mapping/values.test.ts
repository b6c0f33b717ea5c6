import { describe, expect, test } from 'vitest'
import type { FieldRule } from '../../src/contract/fields.ts'
import { createConverter } from '../../src/mapping/values/convert.ts'
import { compileDateFormat, type DateFormat } from '../../src/mapping/values/date-format.ts'
import { type DateOptions, findZone, refuseDate, UTC } from '../../src/mapping/values/dates.ts'
import { toProvince } from '../../src/mapping/values/places.ts'
import { cleanText, FAILED, wrapText } from '../../src/mapping/values/text.ts'
import { draftsOf, ORDERS, orderSheet, placesOf } from './sheet.ts'

/** The value, or the code of its problem. */
function convert(rule: FieldRule, text: string, dates: Partial<DateOptions> = {}): unknown {
  let code = ''
  const value = createConverter(rule, { formats: [], names: [], zone: UTC, ...dates })(text, (refused) => {
    code = refused
    return FAILED
  })
  return value === FAILED ? code : value
}

function format(text: string): DateFormat {
  const compiled = compileDateFormat(text)
  if (typeof compiled === 'string') throw new Error(compiled)
  return compiled
}

const day: FieldRule = { kind: 'date' }

/** The code, message and fix of a refused cell. */
function refuse(rule: FieldRule, text: string, dates: Partial<DateOptions> = {}): unknown {
  let refused: unknown
  const options = { formats: [], names: [], zone: UTC, ...dates }
  createConverter(rule, options, { isCell: true })(text, (code, message, fix) => {
    refused = [code, message, fix]
    return FAILED
  })
  return refused
}

test.each<FieldRule>([
  { kind: 'integer', min: 1, max: 9 },
  { kind: 'money', wholeDigits: 8 },
  { kind: 'dateTime' },
  day,
  { kind: 'boolean' },
])('An error of a spreadsheet is no value of the kind $kind, and is called so.', (rule) => {
  for (const text of ['#N/A', '#REF!', '########'])
    expect(refuse(rule, text)).toEqual([
      'spreadsheet-error',
      `"${text}" is what a spreadsheet shows for no value.`,
      'Correct the formula or the width of the column, or fill in the value.',
    ])
})

test.each([
  ['46347.42', '2026-11-21 10:04'],
  ['46347,42', '2026-11-21 10:04'],
  ['46347', '2026-11-21'],
])('The day number %s of a spreadsheet is refused with its date.', (text, date) => {
  const format = compileDateFormat('MM/dd/yyyy')
  if (typeof format === 'string') throw new Error(format)
  for (const dates of [{}, { formats: [format], names: ['MM/dd/yyyy'] }])
    expect(refuse(day, text, dates)).toEqual([
      'date-expected',
      `"${text}" is the number that a spreadsheet has for ${date}.`,
      'Format the column as a date in the spreadsheet, and save the file again.',
    ])
  expect(refuse(day, '463470')).not.toContain('a spreadsheet')
})

test.each([
  ['2', 2],
  ['007', 7],
  ['10.00', 10],
  ['1,000', 'integer-expected'],
  ['1.000', 'integer-expected'],
  ['1,234,567', 1234567],
  ['1,00', 'integer-expected'],
  ['two', 'integer-expected'],
  ['1e3', 'integer-expected'],
  ['2.5', 'integer-expected'],
  ['', 'integer-expected'],
  ['.', 'integer-expected'],
  ['0', 'number-out-of-range'],
  ['-1', 'number-out-of-range'],
  ['2147483648', 'number-out-of-range'],
  ['9'.repeat(31), 'integer-expected'],
])('the whole number %j is %j', (text, value) => {
  expect(convert({ kind: 'integer', min: 1, max: 2_147_483_647 }, text)).toBe(value)
})

test.each([
  ['12.50', '12.50'],
  ['12', '12.00'],
  ['12.', '12.00'],
  ['.5', '0.50'],
  ['007.5', '7.50'],
  ['$1,433.66', '1433.66'],
  ['US$ 5', '5.00'],
  ['5 USD', '5.00'],
  ['12.5000', '12.50'],
  ['0.005', 'decimal-expected'],
  ['12,50', 'decimal-expected'],
  ['€5', 'decimal-expected'],
  ['1.2.3', 'decimal-expected'],
  ['-5', 'number-out-of-range'],
  ['($5.00)', 'number-out-of-range'],
  ['999999.99', '999999.99'],
  ['1,234', 'decimal-expected'],
  ['1.000', 'decimal-expected'],
  ['$1,234.00', '1234.00'],
  ['1000000', 'number-out-of-range'],
])('the amount %j is %j', (text, value) => {
  expect(convert({ kind: 'money', wholeDigits: 6 }, text)).toBe(value)
})

test.each([
  ['2.50', '2.5'],
  ['10', '10'],
  ['0.0001', '0.0001'],
  ['0', 'number-out-of-range'],
  ['-1', 'number-out-of-range'],
  ['1000000', 'number-out-of-range'],
  ['1.00001', 'decimal-expected'],
  ['5 lb', 'decimal-expected'],
])('the weight %j is %j', (text, value) => {
  expect(convert({ kind: 'decimal', unit: 'pounds', wholeDigits: 6, decimals: 4 }, text)).toBe(value)
})

test.each<[FieldRule, string, unknown]>([
  [{ kind: 'text', max: 3 }, 'abc', 'abc'],
  [{ kind: 'text', max: 3 }, 'abcd', 'value-too-long'],
  [{ kind: 'text', max: 64, code: 'upc' }, '012345678905', '012345678905'],
  [{ kind: 'text', max: 64, code: 'upc' }, '1.23457E+11', 'number-in-exponent-form'],
  [{ kind: 'boolean' }, 'Y', true],
  [{ kind: 'boolean' }, '0', false],
  [{ kind: 'boolean' }, 'maybe', 'boolean-expected'],
  [{ kind: 'choice', values: ['open', 'closed'] }, 'OPEN', 'open'],
  [{ kind: 'choice', values: ['open', 'closed'] }, 'opn', 'value-not-allowed'],
  [{ kind: 'country' }, 'us', 'US'],
  [{ kind: 'country' }, 'USA', 'US'],
  [{ kind: 'country' }, 'United States', 'US'],
  [{ kind: 'country' }, 'canada', 'CA'],
  [{ kind: 'country' }, 'U.K.', 'GB'],
  [{ kind: 'country' }, 'XX', 'country-unknown'],
  [{ kind: 'country' }, '-', 'country-unknown'],
])('%j makes of %j %j', (rule, text, value) => {
  expect(convert(rule, text)).toBe(value)
})

test.each([
  ['ny', 'US', 'NY'],
  ['US-NY', 'US', 'NY'],
  ['New York', 'US', 'NY'],
  ['D.C.', 'US', 'DC'],
  ['Québec', 'CA', 'QC'],
  ['ZZ', 'US', 'ZZ'],
  ['Atlantis', 'US', 'Atlantis'],
])('the province %j of %s is %j', (text, country, code) => {
  expect(toProvince(text, country)).toBe(code)
})

describe('dates', () => {
  const NEW_YORK = findZone('America/New_York')

  test.each([
    ['2026-11-21T02:15:00Z', '2026-11-21T02:15:00Z'],
    ['2026-11-20T21:15:00-05:00', '2026-11-21T02:15:00Z'],
    ['2026-11-20 21:15:00 -0500', '2026-11-21T02:15:00Z'],
    ['2026-11-21T02:15:00.250Z', '2026-11-21T02:15:00Z'],
    ['2026-11-21', '2026-11-21T00:00:00Z'],
    ['2026-11-21 02:15', '2026-11-21T02:15:00Z'],
    ['2026-02-29', 'date-expected'],
    ['2026-13-01', 'date-expected'],
    ['0026-11-21', 'date-expected'],
    ['2026-11-21 24:00', 'date-expected'],
    ['11/21/2026', 'date-expected'],
  ])('without a format %j is %j', (text, value) => {
    expect(convert({ kind: 'dateTime' }, text)).toBe(value)
  })

  test.each([
    ['MM/dd/yyyy HH:mm', '11/21/2026 09:05', '2026-11-21T09:05:00Z'],
    ['MM/dd/yyyy', '7/4/2026', '2026-07-04T00:00:00Z'],
    ['M/d/yy h:mm a', '7/4/26 12:30 am', '2026-07-04T00:30:00Z'],
    ['M/d/yy h:mm a', '7/4/26 1:30 PM', '2026-07-04T13:30:00Z'],
    ['M/d/yy h:mm a', '7/4/26 13:30 PM', 'date-expected'],
    ['MMM-dd-yy', 'Jul-21-25', '2025-07-21T00:00:00Z'],
    ['MMMM d, yyyy', 'march 5, 2026', '2026-03-05T00:00:00Z'],
    ['yyyyMMdd', '20261121', '2026-11-21T00:00:00Z'],
    ['yyyyMMdd', '2026112', 'date-expected'],
    ["yyyy-MM-dd'T'HH:mm:ssZZ", '2026-11-20T21:15:00-05:00', '2026-11-21T02:15:00Z'],
    ['yyyy/MM/dd HH:mm:ss ZZZ', '2014/05/26 15:27:46 -0400', '2014-05-26T19:27:46Z'],
    ['dd.MM.yyyy', '21.11.2026', '2026-11-21T00:00:00Z'],
    ['dd.MM.yyyy', '21-11-2026', 'date-expected'],
  ])('in the format %j the text %j is %j', (name, text, value) => {
    expect(convert({ kind: 'dateTime' }, text, { formats: [format(name)], names: [name] })).toBe(value)
  })

  test.each([
    ['2026-07-04 12:00:00', '2026-07-04T16:00:00Z'],
    ['2026-12-04 12:00:00', '2026-12-04T17:00:00Z'],
    ['2026-12-04T12:00:00Z', '2026-12-04T12:00:00Z'],
    ['2026-03-08 01:59:59', '2026-03-08T06:59:59Z'],
    ['2026-03-08 02:30:00', 'date-expected'],
    ['2026-03-08 03:00:00', '2026-03-08T07:00:00Z'],
    ['2026-11-01 01:30:00', '2026-11-01T05:30:00Z'],
    ['2026-11-01 02:00:00', '2026-11-01T07:00:00Z'],
  ])('in New York %j is %j', (text, value) => {
    expect(convert({ kind: 'dateTime' }, text, NEW_YORK ? { zone: NEW_YORK } : {})).toBe(value)
  })

  test('a date is taken as written, whatever time follows it', () => {
    expect(convert({ kind: 'date' }, '2026-11-20T23:59:00-05:00')).toBe('2026-11-20')
    expect(convert({ kind: 'date' }, '11/20/26', { formats: [format('MM/dd/yy')] })).toBe('2026-11-20')
  })

  test('formats are tried in order, and the message names them all', async () => {
    const text = ORDERS.replace(
      'ordered_at: Order Date',
      'ordered_at: { from: Order Date, format: [MM/dd/yyyy HH:mm, MM/dd/yyyy], zone: America/New_York }',
    )

    const [first] = await draftsOf(text, orderSheet({ 'Order Date': '11/20/2026 14:30' }))
    const [second] = await draftsOf(text, orderSheet({ 'Order Date': '11/20/2026' }))
    const [wrong] = await draftsOf(text, orderSheet({ 'Order Date': '20.11.2026' }))

    expect(first?.body?.['ordered_at']).toBe('2026-11-20T19:30:00Z')
    expect(second?.body?.['ordered_at']).toBe('2026-11-20T05:00:00Z')
    expect(wrong?.problems[0]?.message).toBe(
      '"20.11.2026" is not a date written as MM/dd/yyyy HH:mm or MM/dd/yyyy, such as 12/31/2026 18:45.',
    )
  })

  test.each([
    [[], '2026-02-30', 'there is no 30 February'],
    [[], '2026-02-29 00:00:00', 'there is no 29 February 2026'],
    [['MM/dd/yyyy'], '04/31/2026', 'there is no 31 April'],
    [['d MMM yyyy', 'M/d/yyyy'], '9/31/2026', 'there is no 31 September'],
    [[], '2026-02-28 24:10', 'a day has no hour 24'],
    [['MM/dd/yyyy HH:mm'], '04/30/2026 12:60', 'there is no minute above 59'],
  ] as [string[], string, string][])('in the form of %j, "%s" is refused: %s', (formats, text, why) => {
    const problems: unknown[] = []
    const options = { formats: formats.map(format), names: formats, zone: UTC }
    refuseDate(text, options, (code, message, fix) => {
      problems.push([code, message, fix])
      return FAILED
    })
    expect(problems).toEqual([['date-expected', `"${text}" is not a date: ${why}.`, 'Correct the date.']])
  })

  test.each(['YYYY-MM-dd', 'EEE yyyy-MM-dd', "yyyy-MM-dd 'T"])('%j is no date format', (name) => {
    expect(typeof compileDateFormat(name)).toBe('string')
  })
})

describe('lists of texts', () => {
  const long = 'Happy birthday dear Grandmother, with all our love from everybody at home!\r\n\r\nAda & Bo'

  test('a text is broken at its own line breaks, and an empty line between them stays', async () => {
    const [draft] = await draftsOf(ORDERS, orderSheet({ Gift: 'Happy birthday\n\nAda' }))

    expect(draft?.body?.['gift_message']).toEqual(['Happy birthday', '', 'Ada'])
  })

  test('a line that is too long is a problem, and with wrap it is broken between words', async () => {
    const wrapping = ORDERS.replace('gift_message: Gift', 'gift_message: { from: Gift, wrap: 40 }')

    const [refused] = await draftsOf(ORDERS, orderSheet({ Gift: long }))
    const [draft] = await draftsOf(wrapping, orderSheet({ Gift: long }))

    expect(placesOf(refused)).toEqual(['value-too-long@2:Gift gift_message'])
    expect(draft?.body?.['gift_message']).toEqual([
      'Happy birthday dear Grandmother, with',
      'all our love from everybody at home!',
      '',
      'Ada & Bo',
    ])
  })

  test('another separator may be named', async () => {
    const text = ORDERS.replace('gift_message: Gift', 'gift_message: { from: Gift, split: "|" }')

    const [draft] = await draftsOf(text, orderSheet({ Gift: 'For you | from me' }))

    expect(draft?.body?.['gift_message']).toEqual(['For you', 'from me'])
  })

  test('a word longer than a line is cut, and never inside one character', () => {
    expect(wrapText('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij'])
    expect(wrapText('ab😀cd', 3)).toEqual(['ab', '😀c', 'd'])
  })
})

test.each([
  ['="02134"', '02134'],
  ['="a""b"', 'a"b'],
  ["'00123", '00123'],
  ["'tis", "'tis"],
  ['\u00a0 x\u00a0', 'x'],
  ['=1+1', '=1+1'],
  [' \t', ''],
])('the cell %j says %j', (raw, text) => {
  expect(cleanText(raw)).toBe(text)
})

test.each([
  [
    'dd.MM.yyyy HH:MM',
    'write dd.MM.yyyy HH:mm instead: "MM" names the month once more; M is the month, and m the minute',
  ],
  [
    'mm/dd/yyyy hh:mm',
    'write MM/dd/yyyy hh:mm, or dd/MM/yyyy hh:mm where the day comes first, instead: "mm" names the minute once more',
  ],
  ['yyyy-MM-dd hh:HH', '"HH" names the hour once more'],
  ['yy.dd.MM.yyyy', '"yyyy" names the year once more'],
])('the format %s names a part twice', (format, error) => {
  expect(compileDateFormat(format)).toBe(error)
})

test.each([
  ['DD.MM.YYYY', 'dd.MM.yyyy'],
  ['%m/%d/%Y %H:%M', 'MM/dd/yyyy HH:mm'],
  ['YYYY-MM-DDTHH:mm:SS', "yyyy-MM-dd'T'HH:mm:ss"],
])('the format %s of other programs names ours', (format, meant) => {
  expect(compileDateFormat(format)).toContain(`write ${meant} instead: `)
})

test.each([
  ['mm/dd/yyyy HH:MM', 'mm', 'MM', 'MM/dd/yyyy HH:mm, or dd/MM/yyyy HH:mm where the day comes first,'],
  ['dd.m.yyyy', 'm', 'M', 'dd.M.yyyy'],
  ['yyyy-mm-dd', 'mm', 'MM', 'yyyy-MM-dd'],
  ['yyyymmddHHMM', 'mm', 'MM', 'yyyyMMddHHmm'],
])('the format %s has a minute where the month belongs', (format, minute, month, meant) => {
  expect(compileDateFormat(format)).toBe(
    `write ${meant} instead: "${minute}" is the minute, and no hour stands before it; the month is "${month}"`,
  )
})
