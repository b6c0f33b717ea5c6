/** The bytes of written CSV. */
import { describe, expect, it } from 'vitest'
import type { WriteOptions } from '../../src/domain/format.ts'
import { createCsvFormat } from '../../src/formats/csv/format.ts'

const written = (columns: string[], rows: string[][], options: Omit<WriteOptions, 'format'> = {}) => {
  const writer = createCsvFormat().createWriter(columns, { format: 'csv', ...options })
  return Buffer.concat([writer.formatHeader(), writer.formatRows(rows)])
}

describe('written CSV', () => {
  it('has a header line, ends lines in pairs and quotes only where needed', () => {
    const rows = [
      ['1', 'plain text', '5" pipe'],
      ['a,b', 'two\nlines', ' lead'],
      ['trail ', 'a;b', ''],
    ]
    expect(written(['PO', 'Ship, To', 'Qty'], rows).toString()).toBe(
      'PO,"Ship, To",Qty\r\n1,plain text,"5"" pipe"\r\n"a,b","two\nlines"," lead"\r\n"trail ",a;b,\r\n',
    )
  })

  it('quotes every cell on request', () => {
    expect(written(['A', 'B'], [['1', '']], { quoteAll: true }).toString()).toBe('"A","B"\r\n"1",""\r\n')
  })

  it('takes delimiter and line break from its options, and quotes for them', () => {
    expect(written(['A', 'B'], [['1,5', 'x|y']], { delimiter: '|', newline: '\n' }).toString()).toBe(
      'A|B\n1,5|"x|y"\n',
    )
  })

  it('has no header line on request', () => {
    expect(written(['A', 'B'], [['1', '2']], { header: false }).toString()).toBe('1,2\r\n')
  })

  it('never has a line with nothing on it', () => {
    expect(written(['A'], [['1'], [''], ['2']]).toString()).toBe('A\r\n1\r\n""\r\n2\r\n')
  })

  it('has no quotes where there are none, and the given lines above all others', () => {
    const options = { format: 'csv' as const, delimiter: '\t', quote: null, above: ['sep=\t', ['"A"', 'b']] }
    const writer = createCsvFormat().createWriter(['X', 'Y "Z"'], options)
    const bytes = Buffer.concat([writer.formatHeader(), writer.formatRows([['5" pipe', ' a,b ']])])

    expect(bytes.toString()).toBe('sep=\t\r\n"A"\tb\r\nX\tY "Z"\r\n5" pipe\t a,b \r\n')
  })

  it('has a byte order mark on request', () => {
    expect(written(['é'], [], { byteOrderMark: true }).toString('hex')).toBe('efbbbfc3a90d0a')
    expect(written(['é'], []).toString('hex')).toBe('c3a90d0a')
  })

  it('in UTF-16 has a byte order mark by default', () => {
    expect(written(['A'], [], { encoding: 'utf-16le' }).toString('hex')).toBe('fffe41000d000a00')
    expect(written(['A'], [], { encoding: 'utf-16le', byteOrderMark: false }).toString('hex')).toBe(
      '41000d000a00',
    )
  })

  it('takes any encoding', () => {
    expect(written(['Café'], [['Łódź']], { encoding: 'windows-1250' }).toString('hex')).toBe(
      '436166e90d0aa3f3649f0d0a',
    )
    expect(written(['A'], [], { encoding: 'utf-16be' }).toString('hex')).toBe('feff0041000d000a')
  })

  it('is refused rather than written with a question mark where the encoding has no such character', () => {
    expect(() => written(['Name'], [['Łukasz']], { encoding: 'windows-1252' })).toThrow(
      expect.objectContaining({
        code: 'configuration-invalid',
        message: expect.stringContaining('windows-1252 cannot hold "Ł"'),
      }),
    )
  })

  it.each(['base64', 'klingon'])('is refused in %s, which is no encoding', (encoding) => {
    expect(() => written(['A'], [], { encoding })).toThrow(
      expect.objectContaining({
        code: 'configuration-invalid',
        message: expect.stringContaining(encoding),
      }),
    )
  })

  it.each(['', '"', '\r\n'])('is refused with the delimiter %j', (delimiter) => {
    expect(() => written(['A'], [], { delimiter })).toThrow(
      expect.objectContaining({ code: 'configuration-invalid' }),
    )
  })
})
