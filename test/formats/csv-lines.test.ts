/** The lines of rows whose cells hold line breaks. */
import { expect, test } from 'vitest'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import { inChunks, readable, rowsOf } from '../suites/format.suite.ts'

async function linesOf(text: string) {
  const rows = await rowsOf(
    await readable(createCsvFormat().read(inChunks(Buffer.from(text)), { format: 'csv' })),
  )
  return rows.map(({ line, lastLine, values }) => [line, lastLine, values[1]])
}

test.each([
  ['without a line end, where others have one', 'PO,Qty\n1,2\n3,4', 3],
  ['with a line end', 'PO,Qty\n1,2\n3,4\n', undefined],
  ['before the mark for the end of a DOS text', 'PO,Qty\n1,2\n3,4\u001A', undefined],
  ['over two lines', 'PO,Qty\n1,2\n"3\n3",4', 4],
  ['before blanks', 'PO,Qty\n1,2\n3,4\n  ', undefined],
])('a reading knows of a last row %s', async (_, text, line) => {
  for (const chunk of [1, 5, 1000]) {
    const reading = await readable(
      createCsvFormat().read(inChunks(Buffer.from(text), chunk), { format: 'csv' }),
    )
    await rowsOf(reading)
    expect(reading.getOpenLine()).toBe(line)
  }
})

test('a line break behind many doubled quotes belongs to its row', async () => {
  const text = 'PO,Note,Qty\n1,"""""""""""\nb",2\n2,plain,3\n3,"two\nlines",4\n4,end,5\n'
  expect(await linesOf(text)).toEqual([
    [2, 3, '"""""\nb'],
    [4, 4, 'plain'],
    [5, 6, 'two\nlines'],
    [7, 7, 'end'],
  ])
})

test('line breaks are counted in the rows that hold them, beside quoted rows that hold none', async () => {
  const text = 'PO,Note\r\n1,"a, b"\r\n2,"one\r\ntwo\r\nthree"\r\n3,"12"" wide"\r\n\r\n4,"\r\n"\r\n5,c\r\n'
  expect(await linesOf(text)).toEqual([
    [2, 2, 'a, b'],
    [3, 5, 'one\r\ntwo\r\nthree'],
    [6, 6, '12" wide'],
    [8, 9, '\r\n'],
    [10, 10, 'c'],
  ])
})
