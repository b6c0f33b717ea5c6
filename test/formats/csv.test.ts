/** Sound CSV files: delimiters, line breaks, headers, layouts. */
import { describe, expect, it } from 'vitest'
import type { ReadOptions } from '../../src/domain/format.ts'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import { describeFormat, inChunks, problemsOf, readable, rowsOf } from '../suites/format.suite.ts'

describeFormat('CSV', { format: createCsvFormat(), read: { format: 'csv' }, write: { format: 'csv' } })
describeFormat('UTF-16 with tabs', {
  format: createCsvFormat(),
  read: { format: 'csv' },
  write: { format: 'csv', encoding: 'utf-16le', delimiter: '\t', newline: '\n' },
})

type Options = Omit<ReadOptions, 'format'>

const start = (text: string, options: Options = {}) =>
  createCsvFormat().read(inChunks(Buffer.from(text)), { format: 'csv', ...options })

const valuesOf = async (text: string, options: Options = {}) =>
  (await rowsOf(await readable(start(text, options)))).map((row) => row.values)

describe('the delimiter', () => {
  it.each([
    [',', 'PO,SKU,Qty\n1,a,2\n'],
    [';', 'PO;SKU;Price\n1;a;2,50\n2;b;3,50\n'],
    ['\t', 'PO\tSKU\tNote\n1\ta\tone, two\n'],
    ['|', 'PO|SKU|Note\n1|a|x;y\n'],
  ])('%j is detected in the first rows', async (delimiter, text) => {
    const reading = await readable(start(text))
    expect(reading.delimiter).toBe(delimiter)
    expect(reading.layouts[0]?.columns).toHaveLength(3)
  })

  it('that the mapping names and the file does not have is reported as that, with the line', async () => {
    const problem = {
      code: 'delimiter-wrong',
      fix: 'Save it with semicolons, or take `delimiter` out of the mapping: it is found out.',
      place: { line: 3 },
    }
    const file = 'Report\n\nPO,SKU,Qty\n1,a,2\n'
    const options = { delimiter: ';', skip: 2, expectColumns: ['PO', 'SKU'] }
    const message = 'Line 3 has 2 commas and no semicolon, and the mapping says `delimiter: ";"`.'
    expect(await problemsOf(start(file, options))).toEqual([{ ...problem, message }])
    const columns = { delimiter: ';', columns: ['PO', 'SKU'], skip: 2 }
    expect(await problemsOf(start('a\nb\n1\ta\n', columns))).toEqual([
      { ...problem, message: 'Line 3 has one tab and no semicolon, and the mapping says `delimiter: ";"`.' },
    ])
  })

  it('may be in a name of the only column there is', async () => {
    const options = { delimiter: ';', expectColumns: ['Name, first and last'] }
    expect(await valuesOf('"Name, first and last"\nAda\n', options)).toEqual([['Ada']])
  })

  it('inside quotes does not count', async () => {
    expect(await valuesOf('A;B\n"1,2,3";"4,5,6"\n"7,8,9";x\n')).toEqual([
      ['1,2,3', '4,5,6'],
      ['7,8,9', 'x'],
    ])
  })

  it('is a comma where a file has one column only', async () => {
    expect((await readable(start('PO\n1\n2\n'))).delimiter).toBe(',')
  })

  it('is the one that makes the expected columns, when another divides the rows as evenly', async () => {
    const text = 'PO;Price, net, in EUR\n1;2,5,0\n'
    expect((await readable(start(text, { expectColumns: ['PO'] }))).delimiter).toBe(';')
  })

  it('is detected in a file without header from the number of columns', async () => {
    expect(await valuesOf('a;b;2,5\nc;d;4,5\n', { columns: ['A', 'B', 'C'] })).toEqual([
      ['a', 'b', '2,5'],
      ['c', 'd', '4,5'],
    ])
  })

  it('is detected in a file of typed records from the types', async () => {
    const records = [
      { type: 'H', columns: ['PO'] },
      { type: 'D', columns: ['SKU', 'Price'] },
    ]
    expect(await valuesOf('H;PO-1,PO-2\nD;a;2,5\n', { records })).toEqual([['PO-1,PO-2'], ['a', '2,5']])
  })

  it('is taken from a sep= line, which is no data', async () => {
    const reading = await readable(start('sep=;\r\nPO;Qty\r\n1,5;2\r\n'))
    expect(reading).toMatchObject({ delimiter: ';', headerLines: 2, layouts: [{ columns: ['PO', 'Qty'] }] })
    expect(await rowsOf(reading)).toEqual([{ layout: 0, line: 3, lastLine: 3, values: ['1,5', '2'] }])
  })

  it('is the declared one, even against a sep= line', async () => {
    expect(await valuesOf('sep=;\nA|B;C\n1|2;3\n', { delimiter: '|' })).toEqual([['1', '2;3']])
  })

  it('may be longer than one character', async () => {
    expect(await valuesOf('A||B\n"x||y"||2\n', { delimiter: '||' })).toEqual([['x||y', '2']])
  })

  it.each(['', '"', '\n', 'a\r'])('%j is refused as an error in the mapping', async (delimiter) => {
    await expect(start('A,B\n1,2\n', { delimiter })).rejects.toMatchObject({ code: 'configuration-invalid' })
  })
})

describe('line breaks', () => {
  const lines = async (text: string) =>
    (await rowsOf(await readable(start(text)))).map(({ line, lastLine, values }) => [
      line,
      lastLine,
      ...values,
    ])

  it.each([
    ['line feeds', 'A,B\n1,2\n3,4\n'],
    ['pairs', 'A,B\r\n1,2\r\n3,4\r\n'],
    ['carriage returns', 'A,B\r1,2\r3,4\r'],
    ['a mixture', 'A,B\r\n1,2\n3,4\r\n'],
    ['none at the end', 'A,B\r\n1,2\r\n3,4'],
    ['the end mark of DOS', 'A,B\r\n1,2\r\n3,4\r\n\u001A'],
  ])('may be %s', async (_, text) => {
    expect(await lines(text)).toEqual([
      [2, 2, '1', '2'],
      [3, 3, '3', '4'],
    ])
  })

  it('inside quotes are kept and counted', async () => {
    expect(await lines('A,B\r\n"1\r\n1",2\r\n\r\n3,"4\n\n4"\r\n5,6\r\n')).toEqual([
      [2, 3, '1\r\n1', '2'],
      [5, 7, '3', '4\n\n4'],
      [8, 8, '5', '6'],
    ])
  })

  it('leave a carriage return alone that a quoted cell ends with', async () => {
    expect(await lines('A,B\r\n1,"2\r"\r\n3,4\n')).toEqual([
      [2, 2, '1', '2\r'],
      [3, 3, '3', '4'],
    ])
  })

  it('of carriage returns leave line feeds inside quotes as data', async () => {
    expect(await lines('A,B\r1,"2\n2"\r3,4\r')).toEqual([
      [2, 2, '1', '2\n2'],
      [3, 3, '3', '4'],
    ])
  })

  it('make blank lines that are skipped and counted, like lines of only delimiters', async () => {
    expect(await lines('\n\nA,B\n\n1,2\n , \n,,\n""\n3,4\n\n')).toEqual([
      [5, 5, '1', '2'],
      [9, 9, '3', '4'],
    ])
  })
})

describe('the header', () => {
  it('is the first line that is not blank, its names without blanks around them', async () => {
    const reading = await readable(start('\r\n,,\r\n PO Number ,"Qty "\r\n1,2\r\n'))
    expect(reading.layouts).toEqual([{ recordType: '', columns: ['PO Number', 'Qty'] }])
    expect(reading.headerLines).toBe(3)
  })

  it('counts all its lines when a name goes over two', async () => {
    const reading = await readable(start('PO,"Ship\nTo"\n1,2\n'))
    expect(reading.headerLines).toBe(2)
    expect(await rowsOf(reading)).toMatchObject([{ line: 3, values: ['1', '2'] }])
  })

  it('with names that are equal but for case and blanks is refused, all of them at once', async () => {
    expect(await problemsOf(start('\nPO,Qty,po , QTY\n1,2,3,4\n'))).toMatchObject([
      {
        code: 'header-duplicate',
        message: 'Columns 1 and 3 are both named "po".',
        place: { line: 2, column: 'po' },
      },
      {
        code: 'header-duplicate',
        message: 'Columns 2 and 4 are both named "QTY".',
        place: { line: 2, column: 'QTY' },
      },
    ])
  })

  it('may have blank names in the middle and at the end', async () => {
    const reading = await readable(start('PO,,Qty,,\n1,x,2,,\n3,y,4\n'))
    expect(reading.layouts[0]?.columns).toEqual(['PO', '', 'Qty', '', ''])
    expect((await rowsOf(reading)).map((row) => row.values)).toEqual([
      ['1', 'x', '2', '', ''],
      ['3', 'y', '4', '', ''],
    ])
  })

  it('that has none of the expected columns is refused with what was found and expected', async () => {
    const [problem, ...others] = await problemsOf(
      start('Order,,Menge,\nPO-2,2026-01-02,4,\n', { expectColumns: ['PO Number', 'Qty'] }),
    )
    expect(others).toEqual([])
    expect(problem).toMatchObject({ code: 'header-missing', place: { line: 1 } })
    expect(problem?.message).toContain('found "Order", "Menge"; expected "PO Number", "Qty"')
  })

  it('that is a row of data is a header that is missing', async () => {
    const problems = await problemsOf(
      start('D-12,,2026-01-01,3,x\nD-13,,2026-01-02,4,x\n', { expectColumns: ['PO Number', 'Qty'] }),
    )
    expect(problems).toEqual([
      {
        code: 'header-missing',
        message:
          'Line 1 looks like data (it begins with "D-12", "2026-01-01", "3"): the header line is missing. Expected "PO Number", "Qty".',
        fix: 'Put the header line back above the first row of data.',
        place: { line: 1 },
      },
    ])
  })

  it('below other lines is found and named, with how to have those left out', async () => {
    const [problem] = await problemsOf(
      start('Export of 16.11.\n\n"made by, ERP",x\nPO Number,Qty\n1,2\n', {
        expectColumns: ['PO Number', 'Qty'],
      }),
    )
    expect(problem?.message).toContain('Line 4 looks like the header.')
    expect(problem?.fix).toBe(
      'Remove the lines above line 4, or write `skip: header` under `read` in the mapping.',
    )
  })

  it('below a title without delimiters is found by any delimiter', async () => {
    const [problem] = await problemsOf(
      start('Export of 16 November\n\nPO Number|Qty\n1|2\n', { expectColumns: ['PO Number', 'Qty'] }),
    )
    expect(problem?.message).toContain('Line 3 looks like the header.')
  })

  it('has an expected column whatever its case, spaces, underscores and hyphens', async () => {
    expect(await valuesOf('po_number,x\n1,2\n', { expectColumns: ['PO-Number'] })).toEqual([['1', '2']])
  })

  it("keeps the bridge's own result columns like any others", async () => {
    const reading = await readable(start('_line,_status,PO\n3,rejected,1\n'))
    expect(reading.layouts[0]?.columns).toEqual(['_line', '_status', 'PO'])
  })

  it('with a quote left open makes the file unreadable', async () => {
    expect(await problemsOf(start('PO,"Qty\n1,2\n'))).toMatchObject([
      { code: 'quote-not-closed', place: { line: 1 } },
    ])
  })
})

describe('a file without a header', () => {
  it('has rows from its first line on, under the names of the mapping', async () => {
    const reading = await readable(start('1,2\n3,4\n', { columns: ['PO', 'Qty'] }))
    expect(reading).toMatchObject({ headerLines: 0, layouts: [{ recordType: '', columns: ['PO', 'Qty'] }] })
    expect(await rowsOf(reading)).toEqual([
      { layout: 0, line: 1, lastLine: 1, values: ['1', '2'] },
      { layout: 0, line: 2, lastLine: 2, values: ['3', '4'] },
    ])
  })

  it.each(['', '\n\r\n', ',,\n ,,\n'])('is empty when it is %j', async (text) => {
    expect(await problemsOf(start(text, { columns: ['A', 'B', 'C'] }))).toMatchObject([
      { code: 'file-empty' },
    ])
  })

  it('of 0 bytes is empty because its sender wrote nothing', async () => {
    expect(await problemsOf(start('', { columns: ['A'] }))).toEqual([
      {
        code: 'file-empty',
        place: {},
        message: 'The file is empty: it has 0 bytes.',
        fix: "The sender's program stopped, or its export was empty: have the file delivered again.",
      },
    ])
  })
})

describe('typed records', () => {
  const records = [
    { type: 'PH', columns: ['PO', 'Date'] },
    { type: 'PD', columns: ['SKU', 'Qty', 'Price'] },
  ]

  it('are distinguished by their first cell, which is not one of the values', async () => {
    const reading = await readable(
      start('"PH","PO-1","2026-01-01"\n PD ,a,2,3.50\nPD,b,1,4.00\n', { records }),
    )
    expect(reading.layouts).toEqual([
      { recordType: 'PH', columns: ['PO', 'Date'] },
      { recordType: 'PD', columns: ['SKU', 'Qty', 'Price'] },
    ])
    expect(await rowsOf(reading)).toEqual([
      { layout: 0, line: 1, lastLine: 1, values: ['PO-1', '2026-01-01'] },
      { layout: 1, line: 2, lastLine: 2, values: ['a', '2', '3.50'] },
      { layout: 1, line: 3, lastLine: 3, values: ['b', '1', '4.00'] },
    ])
  })

  it('of an unknown type, too short or too long are refused alone', async () => {
    const rows = await rowsOf(await readable(start('PH,1,d\nPX,1\nPD,a\nPH,1,d,x\nPD,a,1,2\n', { records })))
    expect(rows.map((row) => row.problems?.map(({ code }) => code))).toEqual([
      undefined,
      ['record-type-unknown'],
      ['row-short'],
      ['row-long'],
      undefined,
    ])
    expect(rows[1]?.problems?.[0]).toMatchObject({
      message: 'The row is of record type "PX", which the mapping does not have; it has PH, PD.',
      place: { line: 2, column: '1' },
    })
    expect(rows[2]?.problems?.[0]?.place).toEqual({ line: 3 })
  })
})

describe('cells', () => {
  it('are text exactly as written', async () => {
    expect(await valuesOf('A,B,C\n 007 ,1e5,=1+1\n"a ""b""", x"y ,5" pipe\n')).toEqual([
      [' 007 ', '1e5', '=1+1'],
      ['a "b"', ' x"y ', '5" pipe'],
    ])
  })

  it('keep their quotes where the mapping says that there is no quoting', async () => {
    expect(await valuesOf('A\tB\n"x\t5" pipe\n"y"\tz\n', { quote: null })).toEqual([
      ['"x', '5" pipe'],
      ['"y"', 'z'],
    ])
  })

  it('are quoted with the character that the mapping names', async () => {
    expect(await valuesOf(`A,B\n'x,y','it''s "so"'\n`, { quote: "'" })).toEqual([['x,y', `it's "so"`]])
  })
})
