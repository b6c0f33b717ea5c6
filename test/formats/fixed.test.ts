/** Lines of fixed width: where cells are, and which lines are no rows. */
import iconv from 'iconv-lite'
import { expect, it, test } from 'vitest'
import type { ReadOptions } from '../../src/domain/format.ts'
import { createFixedFormat } from '../../src/formats/fixed/format.ts'
import { describeFormat, inChunks, problemsOf, readable, rowsOf } from '../suites/format.suite.ts'

const PLACES = [
  { start: 1, length: 9 },
  { start: 10, length: 14 },
  { start: 24, length: 4 },
]
const READ: ReadOptions = { format: 'fixed', columns: ['PO Number', 'Name', 'Qty'], places: PLACES }

describeFormat('Fixed width', {
  format: createFixedFormat(),
  read: READ,
  write: { format: 'fixed' },
  holds: {
    rows: [
      ['PO-1     ', 'Zoë Łukasz    ', '   2'],
      ['PO-2     ', 'Smith, "Joe" 😀', '    '],
      ['PO-3     ', '  blanks      ', '0007'],
    ],
    lines: [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  },
})

const start = (text: string, options: Partial<ReadOptions> = {}) =>
  createFixedFormat().read(inChunks(Buffer.from(text)), { ...READ, ...options })
const valuesOf = async (text: string, options: Partial<ReadOptions> = {}) =>
  (await rowsOf(await readable(start(text, options)))).map(({ line, values }) => [line, ...values])

it('gives what a short line has, and leaves blank lines out', async () => {
  expect(await valuesOf('PO-1\n\n   \nPO-2     Smi\r\n\u001A')).toEqual([
    [1, 'PO-1', '', ''],
    [4, 'PO-2     ', 'Smi', ''],
  ])
})

it('lets columns overlap and lie apart', async () => {
  const places = [
    { start: 1, length: 8 },
    { start: 5, length: 2 },
    { start: 10, length: 1 },
  ]
  expect(await valuesOf('20261121xY!', { places })).toEqual([[1, '20261121', '11', 'Y']])
})

it('of carriage returns alone is divided by them', async () => {
  expect((await valuesOf('PO-1\rPO-2\r')).map(([line, po]) => [line, po])).toEqual([
    [1, 'PO-1'],
    [2, 'PO-2'],
  ])
})

it('with nothing behind what is skipped is an empty file', async () => {
  expect(await problemsOf(start('TOP\n\n', { skip: 1 }))).toMatchObject([{ code: 'file-empty' }])
  expect(await problemsOf(start('TOP', { skip: 5 }))).toMatchObject([{ code: 'file-empty' }])
})

it('reports the cells with bytes that are no text', async () => {
  const bytes = Buffer.from('PO-1     Z\xEBo              2\nPO-2     \n', 'latin1')

  const rows = await rowsOf(await readable(createFixedFormat().read(inChunks(bytes), READ)))

  expect(rows).toMatchObject([
    { problems: [{ code: 'text-undecodable', place: { line: 1, column: 'Name' } }] },
    { values: ['PO-2     ', '', ''] },
  ])
})

it('refuses a line that is longer than a row may be, and continues behind it', async () => {
  const text = `PO-1     ${'x'.repeat(200)}\nPO-2\n`

  const rows = await rowsOf(
    await readable(createFixedFormat({ maxRowCharacters: 50 }).read(inChunks(Buffer.from(text), 7), READ)),
  )

  expect(rows).toMatchObject([
    { line: 1, values: ['PO-1     ', 'xxxxxxxxxxxxxx', 'xxxx'], problems: [{ code: 'row-too-large' }] },
    { line: 2, values: ['PO-2', '', ''] },
  ])
})

it('refuses a line that goes on behind its last column or ends inside one, unless the mapping allows it', async () => {
  const text = 'PO-1     Ada Park      00120\nPO-2     Bo Reed        12\nPO-3     Cy              12\n'
  const foundIn = async (file: string) =>
    (await rowsOf(await readable(start(file)))).flatMap(({ problems = [] }) => problems)
  const bytes = 'PO-4     Zoë Łukasz    12\n'

  expect(await foundIn(text)).toMatchObject([
    { code: 'row-long', place: { line: 1 } },
    { code: 'row-short', place: { line: 2, column: 'Qty' } },
  ])
  expect(await valuesOf(text, { rows: { short: 'pad', long: 'cut' } })).toEqual([
    [1, 'PO-1     ', 'Ada Park      ', '0012'],
    [2, 'PO-2     ', 'Bo Reed       ', ' 12'],
    [3, 'PO-3     ', 'Cy            ', '  12'],
  ])
  expect(await foundIn(bytes)).toMatchObject([
    { code: 'row-short', fix: 'Its width fits in bytes: write `widths: bytes` under `read` of the mapping.' },
  ])
  const behind = await rowsOf(await readable(start('PO-4     Zoë Łukasz    123\n', { widths: 'bytes' })))
  expect(behind.flatMap(({ problems = [] }) => problems)).toMatchObject([{ code: 'row-long' }])
  expect(await valuesOf(bytes, { widths: 'bytes' })).toEqual([[1, 'PO-4     ', 'Zoë Łukasz  ', '  12']])
})

it.each([
  [
    'bytes where the mapping pads short lines',
    { rows: { short: 'pad' } },
    'PO-4     Zoë Łukasz    12\n',
    'bytes',
  ],
  [
    'characters where the mapping counts bytes',
    { widths: 'bytes' },
    'PO-4     Zoë Łukasz      12\n',
    'characters',
  ],
] as const)('reports a line whose width fits in %s', async (_, options, text, unit) => {
  const [row] = await rowsOf(await readable(start(text, options)))

  expect(row?.problems?.[0]?.fix).toMatch(`Its width fits in ${unit}`)
})

it('counts the bytes of the encoding that the mapping names', async () => {
  const bytes = iconv.encode('PO-1     東京            12\n', 'shift_jis')
  const options = { ...READ, encoding: 'shift_jis', widths: 'bytes' } as const
  const reading = await readable(createFixedFormat().read(inChunks(bytes), options))

  expect((await rowsOf(reading)).map(({ values }) => values)).toEqual([
    ['PO-1     ', '東京          ', '  12'],
  ])
})

it('takes the type that says most of what a line begins with', async () => {
  const records = [
    { type: 'H', columns: ['A'], places: [{ start: 2, length: 2 }] },
    { type: 'HX', columns: ['B'], places: [{ start: 3, length: 2 }] },
  ]
  const rows = await rowsOf(await readable(start('H12\nHX34\nQ5\n', { records })))

  expect(rows).toMatchObject([
    { layout: 0, values: ['12'] },
    { layout: 1, values: ['34'] },
    { line: 3, problems: [{ code: 'record-type-unknown' }] },
  ])
})

it.each([
  { places: undefined },
  { places: PLACES.slice(1) },
  { places: [...PLACES.slice(1), { start: 0, length: 4 }] },
  { records: [{ type: 'H' }] },
])('a mapping without the place of every column is refused: %j', async (options) => {
  await expect(start('PO-1', options)).rejects.toMatchObject({ code: 'configuration-invalid' })
})

test.each([
  ['is whole where short lines are refused', undefined, undefined],
  ['may be cut where short lines are padded', 'pad', 2],
] as const)('a last line without a line end %s', async (_, short, line) => {
  const reading = await readable(
    start('PO-1     Ada              2\nPO-2     Bo              12', { rows: { short } }),
  )
  await rowsOf(reading)
  expect(reading.getOpenLine()).toBe(line)
})
