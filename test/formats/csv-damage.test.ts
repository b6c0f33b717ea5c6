/** Damaged CSV: the reader refuses the damaged line, and nothing else. */
import { describe, expect, it } from 'vitest'
import type { ReadOptions } from '../../src/domain/format.ts'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import type { ReadLimits } from '../../src/formats/text/buffer.ts'
import { inChunks, problemsOf, readable, rowsOf } from '../suites/format.suite.ts'

interface Reading {
  readonly options?: Omit<ReadOptions, 'format'>
  readonly limits?: Partial<ReadLimits>
  readonly chunk?: number
}

const start = (text: string, { options = {}, limits = {}, chunk }: Reading = {}) =>
  createCsvFormat(limits).read(inChunks(Buffer.from(text), chunk), { format: 'csv', ...options })

/** Each row as its lines and its cells, or the codes and lines of its problems. */
const outcome = async (text: string, reading: Reading = {}) =>
  (await rowsOf(await readable(start(text, reading)))).map(({ line, lastLine, values, problems }) =>
    problems
      ? `${line}-${lastLine}: ${problems.map(({ code, place }) => `${code} at ${place.line}`).join()}`
      : `${line}-${lastLine}: ${values.join('|')}`,
  )

describe('rows in one line', () => {
  const header = 'PO,Ordered,Name,Street,SKU,Qty,Price\n'
  const first = 'C-10,2026-11-20,Ann Lee,1 Oak St,LV-20,1,1849.97'
  const second = 'C-11,2026-11-20,Bob Ray,22 Elm Rd,LV-30,2,99.00'
  const faultsOf = async (line: string) => {
    const rows = await rowsOf(await readable(start(`${header}${line}\n${first}\n`)))
    expect(rows[1]?.problems).toBeUndefined()
    return rows[0]?.problems
  }

  it('that lost the line break between them are two rows, and the message says where to break it', async () => {
    expect(await faultsOf(`${first},${second}`)).toEqual([
      {
        code: 'row-long',
        message: 'The row has 14 cells where 7 are expected: 2 rows stand in one line.',
        fix: 'Break the line before the cell "C-11". Remove nothing.',
        place: { line: 2 },
      },
    ])
  })

  it('whose last and first cell became one are two rows too', async () => {
    expect(await faultsOf(`${first}${second}`)).toMatchObject([
      {
        message: 'The row has 13 cells where 7 are expected: 2 rows stand in one line.',
        fix: 'Break the line inside the cell "1849.97C-11", where the next row begins. Remove nothing.',
      },
    ])
  })

  it('may be three', async () => {
    const [problem] = (await faultsOf([first, second, first].join(','))) ?? []
    expect(problem?.message).toContain('3 rows stand in one line.')
    expect(problem?.fix).toContain('before the cell "C-11"')
  })

  it('are one row with cells too many where these look like no row', async () => {
    const notes = 'call first,then ring,the bell,at,the,back,door'
    for (const line of [`${first},${notes}`, `${first},,,,,,,`, `${first},${notes.slice(0, -5)}`]) {
      const [problem] = (await faultsOf(line)) ?? []
      expect(problem?.message).toMatch(/too many/)
      expect(problem?.fix).toContain('Put quotes around cells')
    }
  })
})

describe('the number of cells', () => {
  const joined = (lines: string, first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, at) => ({
      problems: [
        {
          code: 'row-short',
          message: `Lines ${lines} have the 4 cells of one row together: a cell without quotes holds a line break.`,
          fix: `Join lines ${lines}, or put quotes around the cell with the line break.`,
          place: { line: first + at },
        },
      ],
    }))

  it.each([1, 7, 1000])(
    'that two short lines have together is one row with a line break, as both lines say, read %s bytes at once',
    async (chunk) => {
      const text = 'PO,Note,SKU,Qty\n1,first\nsecond,a,2\n2,x,b,3\n3,b\n4,b\n'
      const rows = await rowsOf(await readable(start(text, { chunk })))
      expect(rows.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6])
      expect(rows.slice(0, 2)).toMatchObject(joined('2 and 3', 2, 3))
      expect(rows[2]?.problems).toBeUndefined()
      for (const row of rows.slice(3))
        expect(row.problems?.[0]?.message).toContain('The row has 2 cells where 4 are expected')
    },
  )

  it('that short lines have together is one row with several line breaks in a cell', async () => {
    const text = 'PO,Note,SKU,Qty\n1,first\nsecond\nthird,a,2\n2,x,b,3\n'
    const rows = await rowsOf(await readable(start(text)))
    expect(rows.slice(0, 3)).toMatchObject(joined('2 to 4', 2, 4))
    expect(rows[3]?.problems).toBeUndefined()
  })

  it('that two short lines have together is one row, or the file is cut in the second one', async () => {
    const rows = await rowsOf(await readable(start('PO,Note,SKU,Qty\n2,x,b,3\n1,first\nsecond,a,2')))
    const found = {
      message:
        'Lines 3 and 4 have the 4 cells of one row together: a cell without quotes holds a line break. Line 4 has no line end: perhaps the file is cut.',
      fix: 'If the file is cut, send it again. If not, join lines 3 and 4.',
    }
    expect(rows.slice(1)).toMatchObject([{ problems: [found] }, { problems: [found] }])
  })

  it('that a short line and the lines around it have is no row where a line is between them', async () => {
    const rows = await rowsOf(await readable(start('PO,Note,SKU,Qty\n1,first\n2,x,b,3\nsecond,a,2\n3\n')))
    for (const at of [0, 2, 3])
      expect(rows[at]?.problems?.[0]?.message).toMatch(/^The row has \d cells? where 4/)
  })

  it('that is too small is refused with what is missing', async () => {
    const [row] = await rowsOf(await readable(start('PO,SKU,Qty\n1,a\n')))
    expect(row).toMatchObject({
      values: ['1', 'a'],
      problems: [
        {
          code: 'row-short',
          message:
            'The row has 2 cells where 3 are expected: a cell is missing somewhere in the row; compare it with the row above.',
          place: { line: 2 },
        },
      ],
    })
  })

  it('that is one where another delimiter divides the row as the header is refused with both delimiters', async () => {
    const row = 'A-1,2026-11-24,"Whitfield, Ada",HV-10001,2'
    const text = `PO;Placed;Name;SKU;Qty\nA-0;2026-11-24;Bob;HV-10001;1\n${row}\n${row},more\n${row}`
    const rows = await rowsOf(await readable(start(text)))
    const wrong = {
      code: 'delimiter-wrong',
      message: 'The row is separated by "," and the header by ";": its 5 cells are read as one.',
      fix: 'Write ";" between the cells of each row, as in the header; or have the file sent again.',
    }
    expect(rows.map(({ problems }) => problems?.map(({ code }) => code))).toEqual([
      undefined,
      ['delimiter-wrong'],
      ['row-short'],
      ['delimiter-wrong'],
    ])
    for (const at of [1, 3]) expect(rows[at]).toMatchObject({ problems: [wrong] })
  })

  it('that is too small in a last line without a line end may come from a cut file', async () => {
    const rows = await rowsOf(await readable(start('PO,SKU,Qty\n1,a\n2,b,3\n3,b')))
    expect(rows.map(({ problems }) => problems?.map(({ fix }) => fix))).toEqual([
      ['Fill in the missing cells; keep the delimiters of empty cells.'],
      undefined,
      ['Send the whole file again. If it is not cut, fill in the missing cells.'],
    ])
    expect(rows[2]?.problems?.[0]?.message).toContain('has no line end: the file seems to be cut')
  })

  it('that is too large is refused with what is too much', async () => {
    const [, row] = await rowsOf(await readable(start('PO,Price\n1,"2,5"\n2,2,5\n')))
    expect(row).toMatchObject({
      problems: [
        {
          code: 'row-long',
          message:
            'The row has 3 cells where 2 are expected: a delimiter too many stands somewhere in the row; compare it with the row above.',
          place: { line: 3 },
        },
      ],
    })
  })

  it('is too large with blank cells too, because the row cannot be distinguished from one with a delimiter too many', async () => {
    expect(await outcome('A,B\n1,2,\n3,4\n5,6,,x\n')).toEqual([
      '2-2: row-long at 2',
      '3-3: 3|4',
      '4-4: row-long at 4',
    ])
    const [row] = await rowsOf(await readable(start('PO,Price,Gift\n1,1,234.00,\n')))
    expect(row?.problems?.[0]?.message).toBe(
      'The row has 4 cells where 3 are expected; there is a delimiter too many.',
    )
  })
})

describe('a quote that is not closed', () => {
  it('costs its own line and no other', async () => {
    expect(await outcome('PO,Name\n1,"Ann\n2,Bob\n3,"Cid, Dora"\n4,Eve\n')).toEqual([
      '2-2: quote-not-closed at 2',
      '3-3: 2|Bob',
      '4-4: 3|Cid, Dora',
      '5-5: 4|Eve',
    ])
  })

  it('is reported with its column, and the cells before it are kept', async () => {
    const [row] = await rowsOf(await readable(start('PO,Name,Qty\n1,"Ann,2\n2,Bob,3\n')))
    expect(row).toMatchObject({
      values: ['1'],
      problems: [
        {
          message:
            'The quote that opens column "Name" is not closed where the cell ends. Only this line is refused.',
          place: { line: 2, column: 'Name' },
        },
      ],
    })
  })

  it.each([
    ['makes a wrong number of cells', '1,"Ann', '99,y",z'],
    ['makes the right number of cells out of lines that are rows', '1,"Ann', '99,y"'],
  ])('costs its own line when another stray quote far below %s', async (_, opening, closing) => {
    const between = Array.from({ length: 50 }, (__, index) => `${index},x`)
    const rows = await outcome(['PO,Name', opening, ...between, closing, '100,z', ''].join('\n'))
    expect(rows[0]).toBe('2-2: quote-not-closed at 2')
    expect(rows.slice(1, 51)).toEqual(
      between.map((text, at) => `${at + 3}-${at + 3}: ${text.replace(',', '|')}`),
    )
    expect(rows.slice(52)).toEqual(['54-54: 100|z'])
  })

  it('swallows no row of a wide table, wherever it is closed', async () => {
    const header = 'PO,Name,C,D,E,F,G'
    expect(await outcome(`${header}\n1,"Ann,c,d,e,f,g\n2,Bob",c,d,e,f,g\n3,Cid,c,d,e,f,g\n`)).toEqual([
      '2-2: quote-not-closed at 2',
      '3-3: 2|Bob"|c|d|e|f|g',
      '4-4: 3|Cid|c|d|e|f|g',
    ])
  })

  it('is none where a cell holds an address of several lines', async () => {
    expect(await outcome('PO,Address\n1,"5 Main St\nBoston, MA"\n')).toEqual(['2-3: 1|5 Main St\nBoston, MA'])
  })

  it('costs its own line in a file that is quoted throughout', async () => {
    expect(await outcome('"A","B"\r\n"1","x\r\n"2","y"\r\n"3",""\r\n')).toEqual([
      '2-2: quote-not-closed at 2',
      '3-3: 2|y',
      '4-4: 3|',
    ])
  })

  it('on the last line costs the last line', async () => {
    expect(await outcome('A,B\n1,2\n3,"4')).toEqual(['2-2: 1|2', '3-3: quote-not-closed at 3'])
  })

  it.each([
    ['on the last line', 'A,B\n1,2\n3,"4', 3],
    ['within a cell of several lines', 'A,B\n1,2\n3,"5 Main St\nBoston, MA', 3],
    ['within a cell of several lines, at a line end', 'A,B,C\n1,2,3\n4,5,"Main St\nBoston\n', 3],
  ])(
    '%s where the file ends is said to be cut, with the line where the cell begins',
    async (_, text, line) => {
      for (const chunk of [1, 1000]) {
        const rows = await rowsOf(await readable(start(text, { chunk })))
        const found = rows.find(({ problems }) => problems?.[0]?.code === 'quote-not-closed')
        expect(found?.problems).toMatchObject([
          {
            message: `The file ends inside the quoted cell that begins on line ${line}; perhaps it was cut in transfer.`,
            fix: 'Have the whole file sent again. If it is whole, close the quote.',
            place: { line },
          },
        ])
      }
    },
  )

  it('before a sound row is no cut, although the text ends in it', async () => {
    const [row] = await rowsOf(await readable(start('A,B\n1,"x\n2,y\n3,z')))
    expect(row?.problems?.[0]?.message).toContain('Only this line is refused.')
  })

  it('behind a cell of two lines is blamed on the line where it opens', async () => {
    expect(await outcome('A,B,C\n1,"x\nx","y\n2,z,z\n')).toEqual(['2-3: quote-not-closed at 3', '4-4: 2|z|z'])
  })

  it('that opens right behind another one left open leaves the rows between them alone', async () => {
    const header = 'PO,Name,C,D,E,F,G'
    expect(
      await outcome(`${header}\n1,"Ann,c,d,e,f,g\n2,Bob,c,d,e,f,g\n3,Cid",c,d,"e,f,g\n4,x,c,d,e,f,g\n`),
    ).toEqual([
      '2-2: quote-not-closed at 2',
      '3-3: 2|Bob|c|d|e|f|g',
      '4-4: quote-not-closed at 4',
      '5-5: 4|x|c|d|e|f|g',
    ])
  })

  it.each(['"abc"d,2', '1,"abc"d', '1,"a"b"'])('is also one that closes too early: %s', async (line) => {
    expect(await outcome(`A,B\n${line}\n3,4\n`)).toEqual(['2-2: quote-not-closed at 2', '3-3: 3|4'])
  })

  it('is not one in the middle of a cell without quotes', async () => {
    expect(await outcome('A,B\n5" pipe,2\n3,6"\n')).toEqual(['2-2: 5" pipe|2', '3-3: 3|6"'])
  })

  it('may occur on every line of a large file without taking more than time', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) =>
      index % 2 === 0 ? `${index},"open` : `${index},fine`,
    )
    const rows = await outcome(['A,B', ...lines, ''].join('\n'))
    expect(rows).toHaveLength(20_000)
    expect(rows.filter((row) => row.includes('quote-not-closed'))).toHaveLength(10_000)
    expect(rows.at(-1)).toBe('20001-20001: 19999|fine')
  })

  it('is followed no further than the limit of lines', async () => {
    const cell = (lines: number) => `"${'x\n'.repeat(lines)}"`
    const limits = { maxRowLines: 3 }
    expect(await outcome(`A\n${cell(3)}\nend\n`, { limits })).toEqual(['2-5: x\nx\nx\n', '6-6: end'])
    expect((await outcome(`A\n${cell(4)}\nend\n`, { limits })).slice(0, 2)).toEqual([
      '2-2: quote-not-closed at 2',
      '3-3: x',
    ])
  })

  it('is followed no further than the limit of characters', async () => {
    const text = `A,B\n1,"${'0123456789\n'.repeat(20)}\n2,3\n`
    const rows = await outcome(text, { limits: { maxRowCharacters: 50 }, chunk: 7 })
    expect(rows[0]).toBe('2-2: quote-not-closed at 2')
    expect(rows.at(-1)).toBe('23-23: 2|3')
  })
})

describe('a row that is too large', () => {
  it('is refused alone, with the cells at its start, however it arrives', async () => {
    const text = `A,B\n1,2\nPO-7,${'x'.repeat(500)}\n3,4\n`
    const expected = ['2-2: 1|2', '3-3: row-too-large at 3', '4-4: 3|4']
    for (const chunk of [1, 64, 10_000]) {
      expect(await outcome(text, { limits: { maxRowCharacters: 100 }, chunk })).toEqual(expected)
    }
    const rows = await rowsOf(await readable(start(text, { limits: { maxRowCharacters: 100 } })))
    expect(rows[1]?.values).toEqual(['PO-7'])
  })

  it('passes by in pieces and is never held as a whole', async () => {
    const piece100k = Buffer.alloc(100_000, 'x')
    const input = async function* () {
      yield Buffer.from('A,B\n1,')
      for (let piece = 0; piece < 4000; piece++) yield piece100k
      yield Buffer.from('\n2,3\n')
    }
    const before = process.memoryUsage.rss()
    const rows = await rowsOf(await readable(createCsvFormat().read(input(), { format: 'csv' })))
    expect(rows.map(({ line, problems }) => [line, problems?.[0]?.code])).toEqual([
      [2, 'row-too-large'],
      [3, undefined],
    ])
    // The row has 400 MB. Garbage of the pieces, and of whatever else runs, stays far below half of it.
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000)
  })

  it('makes the file unreadable when it is the header', async () => {
    const reading = start(`A,${'x'.repeat(500)}\n1,2\n`, { limits: { maxRowCharacters: 100 } })
    expect(await problemsOf(reading)).toMatchObject([{ code: 'row-too-large', place: { line: 1 } }])
  })
})

describe('damage in typed records', () => {
  it('keeps the layout and the cells before the damage', async () => {
    const records = [
      { type: 'H', columns: ['PO', 'Date'] },
      { type: 'D', columns: ['SKU', 'Qty', 'Note'] },
    ]
    const rows = await rowsOf(
      await readable(start('H,PO-1,x\nD,a,2,"oh\nD,b,3,y\n', { options: { records } })),
    )
    expect(rows).toMatchObject([
      { layout: 0, values: ['PO-1', 'x'] },
      {
        layout: 1,
        line: 2,
        lastLine: 2,
        values: ['a', '2'],
        problems: [{ place: { line: 2, column: 'Note' } }],
      },
      { layout: 1, line: 3, values: ['b', '3', 'y'] },
    ])
  })
})

it.each([
  ['a delimiter is missing before a quoted cell', 'B-2,Bo Reed"Reed, Inc",2 B St', 'quote-misplaced'],
  ['a quote behind blanks is opened and closed', 'B-2, "Reed, Inc" ,2 B St', ['B-2', 'Reed, Inc', '2 B St']],
  ['an empty quoted cell stands behind blanks', 'B-2, "",2 B St', ['B-2', '', '2 B St']],
  ['a mark of inches is text', 'B-2,5" pipe,2 B St', ['B-2', '5" pipe', '2 B St']],
  ['marks of inches of one cell are text', 'B-2,5" x 6",2 B St', ['B-2', '5" x 6"', '2 B St']],
  ['marks of inches of two cells are text', 'B-2,5" pipe,2" B St', ['B-2', '5" pipe', '2" B St']],
  ['a cell that ends with a mark of inches is text', 'B-2,5",6"', ['B-2', '5"', '6"']],
  ['text stands behind the partner in a later cell', 'B-2,Bo "Reed, Inc" Ltd', 'quote-misplaced'],
  ['text stands behind a quoted cell behind blanks', 'B-2, "Reed" Inc,2 B St', 'quote-not-closed'],
  [
    'a delimiter is missing before a quoted cell that begins with a quote',
    'B-2,Bo"""Reed, Inc"',
    'quote-misplaced',
  ],
  [
    'a quoted word stands behind a delimiter in a cell',
    'B-2,"Bo, ""Reed""",2 B St',
    ['B-2', 'Bo, "Reed"', '2 B St'],
  ],
  ['a quote behind blanks is not closed', 'B-2, "Reed,2 B St', 'quote-not-closed'],
])('of quotes inside a row, %s', async (_, row, expected) => {
  const text = `PO,Name,Street\nA-1,Ada Park,1 A St\n${row}\nC-3,Cy Hill,3 C St\n`
  const rows = await rowsOf(await readable(start(text)))

  expect(rows.map(({ values }) => values[0])).toEqual(['A-1', 'B-2', 'C-3'])
  const { values, problems = [] } = rows[1]!
  expect(problems.length > 0 ? problems[0]?.code : values).toEqual(expected)
})

it.each([
  [
    'is misplaced where a delimiter is missing before it',
    String.raw`Bo Reed"Reed, Inc"`,
    ['quote-misplaced'],
  ],
  ['is text behind the escape', String.raw`Bo Reed\"Reed, Inc\"`, ['Bo Reed"Reed', ' Inc"']],
])('a quote of a file with escapes %s', async (_, cells, expected) => {
  const rows = await rowsOf(
    await readable(start(`PO,Name,Street\nB-2,${cells}\n`, { options: { escape: '\\' } })),
  )

  const { values, problems } = rows[0]!
  expect(problems?.map(({ code }) => code) ?? values.slice(1)).toEqual(expected)
})
