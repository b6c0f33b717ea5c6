/** Encodings of CSV files: detected or declared, and bytes that are no valid text. */
import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import { inChunks, problemsOf, readable, rowsOf } from '../suites/format.suite.ts'

const TEXT = 'PO,Name\r\n1,Zoë Łukasz €\r\n2,日本 😀\r\n'
const CELLS = [
  ['1', 'Zoë Łukasz €'],
  ['2', '日本 😀'],
]

const start = (bytes: Uint8Array, encoding?: string, chunk?: number) =>
  createCsvFormat().read(inChunks(bytes, chunk), { format: 'csv', encoding })

const read = async (bytes: Uint8Array, encoding?: string, chunk?: number) => {
  const reading = await readable(start(bytes, encoding, chunk))
  return { encoding: reading.encoding, cells: (await rowsOf(reading)).map((row) => row.values) }
}

describe('the encoding', () => {
  it.each([
    ['utf-8', Buffer.from(TEXT)],
    ['utf-8', Buffer.from(`\uFEFF${TEXT}`)],
    ['utf-16le', iconv.encode(TEXT, 'utf-16le', { addBOM: true })],
    ['utf-16be', iconv.encode(TEXT, 'utf-16be', { addBOM: true })],
    ['utf-16le', iconv.encode(TEXT, 'utf-16le')],
    ['utf-16be', iconv.encode(TEXT, 'utf-16be')],
  ])('%s is detected, and characters may be cut anywhere', async (encoding, bytes) => {
    expect(await read(bytes)).toEqual({ encoding, cells: CELLS })
    expect(await read(bytes, undefined, 1)).toEqual({ encoding, cells: CELLS })
  })

  it('of the byte order mark counts more than the declared one', async () => {
    expect(await read(Buffer.from(`\uFEFF${TEXT}`), 'windows-1252')).toEqual({
      encoding: 'utf-8',
      cells: CELLS,
    })
  })

  it.each([
    ['windows-1252', 'windows-1252'],
    ['CP1252', 'windows-1252'],
    ['latin1', 'latin1'],
    ['ISO-8859-1', 'latin1'],
    ['windows-1250', 'windows-1250'],
  ])('may be declared as %s', async (declared, encoding) => {
    const bytes = iconv.encode('PO,Name\n1,Größe\n', declared)
    expect(await read(bytes, declared, 3)).toEqual({ encoding, cells: [['1', 'Größe']] })
  })

  it('with an unknown name makes the file unreadable, and the message lists the known names', async () => {
    const [problem] = await problemsOf(start(Buffer.from(TEXT), 'klingon'))
    expect(problem).toMatchObject({ code: 'file-undecodable' })
    expect(problem?.message).toContain('"klingon"')
    expect(problem?.fix).toContain('windows-1252')
  })
})

describe('bytes that are no text', () => {
  const latin = Buffer.concat([
    Buffer.from('PO,Name\n1,Ann\n2,J'),
    Buffer.from([0xfc]),
    Buffer.from('rgen\n3,Bob\n'),
  ])

  it('cost their row and no other, with line, column and the likely encoding', async () => {
    for (const chunk of [1, 5, 1000]) {
      const rows = await rowsOf(await readable(start(latin, undefined, chunk)))
      expect(rows.map(({ line, values }) => [line, ...values])).toEqual([
        [2, '1', 'Ann'],
        [3, '2', 'J\uFFFDrgen'],
        [4, '3', 'Bob'],
      ])
      expect(rows.map(({ problems }) => problems?.length)).toEqual([undefined, 1, undefined])
      expect(rows[1]?.problems?.[0]).toMatchObject({
        code: 'text-undecodable',
        message: 'Column "Name" holds bytes that are not utf-8.',
        place: { line: 3, column: 'Name' },
      })
      expect(rows[1]?.problems?.[0]?.fix).toContain('encoding: windows-1252')
    }
  })

  it('are to be written in the encoding of the rest, where other letters of the row or header are right', async () => {
    const file = Buffer.concat([Buffer.from('PO,Empfänger\n1,J'), Buffer.from([0xfc]), Buffer.from('rgen\n')])
    const [row] = await rowsOf(await readable(start(file)))
    expect(row?.problems?.[0]?.fix).toContain('The rest of the file is utf-8')
  })

  it.each([undefined, 'utf-8'])(
    'come with the encoding that fits, whether %s was declared',
    async (stated) => {
      const rows = await rowsOf(await readable(start(latin, stated)))
      expect(rows[1]?.problems?.[0]?.fix).toContain('under `read`: most often `encoding: windows-1252`')
    },
  )

  it('come with no guess at another encoding when a mark or the mapping names another than UTF-8', async () => {
    const rows = await rowsOf(
      await readable(start(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), latin]), 'utf-8')),
    )
    expect(rows[1]?.problems?.[0]?.fix).toBe(
      'Save the file in its encoding, or set the right one in the mapping.',
    )
  })

  it('are none in the encoding that the mapping names', async () => {
    expect((await read(latin, 'windows-1252')).cells[1]).toEqual(['2', 'Jürgen'])
  })

  it('are not the replacement characters that the file itself holds', async () => {
    const text = 'PO,Name\n1,J\uFFFDrgen\n'
    const rows = await rowsOf(
      await readable(start(Buffer.concat([Buffer.from(text), Buffer.from([0x32, 0x2c, 0xff])]))),
    )
    expect(rows[0]).toEqual({ layout: 0, line: 2, lastLine: 2, values: ['1', 'J\uFFFDrgen'] })
    expect(rows[1]?.problems).toMatchObject([{ code: 'text-undecodable', place: { line: 3 } }])
  })

  it.each([
    ['windows-1252', Buffer.from([0x81])],
    ['utf-16le', Buffer.from([0x00, 0xd8])],
    ['utf-8', Buffer.from([0xe2, 0x82])],
  ])('are found in %s too', async (encoding, bad) => {
    const file = Buffer.concat([
      iconv.encode('PO,Name\n1,x', encoding),
      bad,
      iconv.encode('\n2,y\n', encoding),
    ])
    const rows = await rowsOf(await readable(start(file, encoding, 3)))
    expect(rows.map(({ problems }) => problems?.[0]?.code)).toEqual(['text-undecodable', undefined])
  })

  it('at the very end of the file are found', async () => {
    for (const [encoding, tail] of [
      ['utf-8', [0xe2]],
      ['utf-16le', [0x41]],
    ] as const) {
      const file = Buffer.concat([iconv.encode('PO,Name\n1,x', encoding), Buffer.from(tail)])
      const rows = await rowsOf(await readable(start(file, encoding)))
      expect(rows.map(({ problems }) => problems?.[0]?.code)).toEqual(['text-undecodable'])
    }
  })

  it('in the header make the file unreadable', async () => {
    const file = Buffer.concat([Buffer.from('PO,Gr'), Buffer.from([0xf6, 0xdf]), Buffer.from('e\n1,2\n')])
    const [problem] = await problemsOf(start(file))
    expect(problem).toMatchObject({ code: 'file-undecodable', place: { line: 1, column: 'Gr\uFFFD\uFFFDe' } })
    expect(problem?.fix).toContain('windows-1252')
  })
})

describe('a file that is UTF-8 although the mapping names an older encoding', () => {
  it.each([
    ['PO,Name\n1,Zoë\n', '("ZoÃ«" would be "Zoë")'],
    ['PO,Größe\n1,2\n', '("GrÃ¶ÃŸe" would be "Größe")'],
    ['PO,Name\n1,5 € “new”\n', '("â‚¬" would be "€")'],
  ])('is refused, with what would become of a word: %j', async (text, shown) => {
    expect(await problemsOf(start(Buffer.from(text), 'windows-1252'))).toEqual([
      {
        code: 'file-undecodable',
        message: `The mapping says windows-1252, but this file is UTF-8 ${shown}.`,
        fix: 'Save it as windows-1252, or take `encoding` out of the mapping.',
        place: {},
      },
    ])
  })

  it('is refused for Cyrillic letters too, in any encoding with one byte for each', async () => {
    for (const encoding of ['windows-1251', 'koi8-r', 'latin1']) {
      expect(await problemsOf(start(Buffer.from('PO,Name\n1,Ольга\n'), encoding))).toMatchObject([
        { code: 'file-undecodable' },
      ])
    }
  })

  it('is not suspected for a capital letter before a sign', async () => {
    const text = 'PO,Name\n1,CAFÉ®\n2,CAFÉ®\n'
    const rows = await rowsOf(await readable(start(iconv.encode(text, 'windows-1252'), 'windows-1252')))
    expect(rows.map(({ values }) => values[1])).toEqual(['CAFÉ®', 'CAFÉ®'])
  })

  it('is not suspected for two letters with marks that end a word before a sign', async () => {
    const text = 'PO,Name\n1,Tomáš’s\n2,Lukáš’s\n'
    const rows = await rowsOf(await readable(start(iconv.encode(text, 'windows-1252'), 'windows-1252')))
    expect(rows.map(({ values }) => values[1])).toEqual(['Tomáš’s', 'Lukáš’s'])
  })

  it.each(['PO,Name\n1,東京都\n', 'PO,Name\n1,東\n2,京\n', 'PO,Name\n1,✔\n'])(
    'is detected in other scripts and ticks: %j',
    async (text) => {
      expect(await problemsOf(start(Buffer.from(text), 'windows-1252'))).toMatchObject([
        { code: 'file-undecodable' },
      ])
    },
  )

  it('is not searched for where characters take several bytes', async () => {
    const rows = await rowsOf(
      await readable(start(iconv.encode('PO,Name\n1,東京\n', 'shift_jis'), 'shift_jis')),
    )
    expect(rows.map(({ values }) => values[1])).toEqual(['東京'])
  })
})

describe('a file that is no CSV at all', () => {
  it.each([
    ['an Excel workbook', [0x50, 0x4b, 0x03, 0x04, 0x14]],
    ['an old Excel workbook', [0xd0, 0xcf, 0x11, 0xe0, 0xa1]],
    ['a PDF document', [0x25, 0x50, 0x44, 0x46, 0x2d, 0x31]],
    ['a web page', [...Buffer.from('\uFEFF\n<!DOCTYPE html>\n<html lang="en">')]],
    ['a web page', [...Buffer.from('<html><body>Please log in</body></html>')]],
  ])('is called %s', async (kind, bytes) => {
    const [problem] = await problemsOf(start(Buffer.from(bytes)))
    expect(problem).toMatchObject({ code: 'file-not-text' })
    expect(problem?.message).toContain(kind)
    expect(problem?.fix).toContain('CSV')
  })

  const noise = Buffer.from(
    Array.from({ length: 4000 }, (_, index) => (index * 7919 + (index >> 3) * 31) % 256),
  )

  it.each([undefined, 'utf-8', 'windows-1252', 'shift_jis'])(
    'is called binary data, and none of it is shown, whatever encoding is declared: %s',
    async (encoding) => {
      const [problem] = await problemsOf(start(noise, encoding))
      expect(problem?.message).toBe('The file is binary data, not CSV text.')
    },
  )

  it.each([
    ['utf-16le', 'PO,Name\n1,Ольга\n2,東京\n'],
    ['utf-32le', 'PO,Name\n1,Ольга\n2,東京\n'],
    ['iso-2022-jp', 'PO,Name\n1,東京\n'],
    ['windows-1252', 'PO,Name\n1,\u0000\u0001Zoé\n'],
  ])('is not suspected in %s', async (encoding, text) => {
    const { encodingExists, encode } = iconv
    if (!encodingExists(encoding)) return
    const found = await start(encode(text, encoding), encoding)
    expect('problems' in found ? found.problems.map(({ message }) => message) : []).toEqual([])
  })
})
