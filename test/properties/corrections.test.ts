/** Rows with other cells: what nobody touched is byte for byte the same, and what was typed reads back as typed. */
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { normalizeTyped, openEditable } from '../../src/app/console/correct-rows.ts'
import { isUnreadable, type ReadOptions } from '../../src/domain/format.ts'
import { createFormats } from '../../src/formats/formats.ts'

const ENCODINGS = ['utf-8', 'windows-1252', 'latin1', 'utf-16le', 'utf-16be'] as const
const LETTERS = ['a', 'B', '7', ' ', 'é', 'ß', '\u00a0', '"', ',', ';', '|', '\t', "'", '\\', '-', '=']

const cell = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 6 })
const lines = fc.string({ unit: fc.constantFrom(...LETTERS, '\n'), maxLength: 6 })

interface Case {
  readonly encoding: (typeof ENCODINGS)[number]
  readonly delimiter: string
  readonly newline: string
  readonly mark: boolean
  readonly rows: readonly (readonly string[])[]
  /** Which cells have quotes although they need none. */
  readonly quoted: number
  readonly changes: readonly { readonly row: number; readonly cell: number; readonly text: string }[]
}

const WIDTH = 4

const cases = (text: fc.Arbitrary<string>): fc.Arbitrary<Case> =>
  fc.record({
    encoding: fc.constantFrom(...ENCODINGS),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    newline: fc.constantFrom('\n', '\r\n', '\r'),
    mark: fc.boolean(),
    rows: fc.array(fc.array(text, { minLength: WIDTH, maxLength: WIDTH }), { minLength: 2, maxLength: 6 }),
    quoted: fc.nat(),
    changes: fc.array(fc.record({ row: fc.nat(5), cell: fc.nat(WIDTH - 1), text }), {
      minLength: 1,
      maxLength: 4,
    }),
  })

/** The file as its sender writes it, and the bytes of each of its rows. */
function write({ encoding, delimiter, newline, mark, rows, quoted }: Case) {
  const encode = (text: string) => iconv.encode(text, encoding, { addBOM: false })
  const breakLines = (text: string) => text.replaceAll('\n', newline)
  const needs = (text: string) =>
    /["\r\n]|^\s|\s$/.test(text) || text.includes(delimiter) || /^sep=/i.test(text)
  const toCell = (text: string, at: number) =>
    needs(text) || (quoted >> at) % 2 === 1 ? `"${breakLines(text).replaceAll('"', '""')}"` : text
  // A first cell that is never blank keeps the reader from leaving the row out.
  const texts = rows.map((row, at) => [`r${at}`, ...row].map(toCell).join(delimiter) + newline)
  const wide = encoding.startsWith('utf-16')
  const bom = wide || (mark && encoding === 'utf-8') ? encode('\uFEFF') : Buffer.alloc(0)
  const header = encode(['id', 'c1', 'c2', 'c3', 'c4'].join(delimiter) + newline)
  return { head: Buffer.concat([bom, header]), rows: texts.map(encode) }
}

async function readBack(bytes: Uint8Array, read: ReadOptions) {
  async function* input() {
    yield await Promise.resolve(bytes)
  }
  const reading = await createFormats().read({ [Symbol.asyncIterator]: input }, read)
  if (isUnreadable(reading)) throw new Error(JSON.stringify(reading.problems))
  const rows: (readonly string[])[] = []
  for await (const batch of reading.batches) rows.push(...batch.map(({ values }) => values))
  return rows
}

test.each([
  ['one-line cells', cell],
  ['cells with line breaks', lines],
])('of CSV in any encoding, delimiter and line end: %s', async (_name, text) => {
  await fc.assert(
    fc.asyncProperty(cases(text), async (file) => {
      const { encoding, delimiter, rows, changes } = file
      const written = write(file)
      const bytes = Buffer.concat([written.head, ...written.rows])
      const read = { format: 'csv', encoding, delimiter } as const
      const before = await readBack(bytes, read)
      // Where the line end of a file is not the one of its cells, its reader may see other rows.
      fc.pre(before.length === rows.length)
      const count = bytes.length
      const numbers = Array.from({ length: count }, (_, index) => index + 1)
      const editable = await openEditable({ bytes, numbers }, read)
      if ('problems' in editable) throw new Error(JSON.stringify(editable.problems))
      const own = editable.rows
      expect(own).toHaveLength(rows.length)
      const wanted = new Map(changes.map((each) => [`${each.row % rows.length} ${each.cell + 1}`, each]))
      const real = [...wanted.values()].map(({ row, cell: at, text: typed }) => ({
        line: own[row % rows.length]?.line ?? 0,
        cell: at + 1,
        text: normalizeTyped(typed),
      }))
      const lastLine = own.at(-1)?.lastLine ?? 0
      const rewritten = editable.rewrite([editable.headLines + 1, lastLine], real)
      expect(rewritten.errors).toEqual([])
      const after = await readBack(Buffer.concat([editable.head, rewritten.bytes]), read)
      const touched = new Set(real.map(({ line }) => line))
      const expected = before.map((values, at) =>
        values.map((value, column) => wanted.get(`${at} ${column}`)?.text ?? value),
      )
      const plain = (all: readonly (readonly string[])[]) => all.map((row) => row.map(normalizeTyped))
      expect(plain(after)).toEqual(plain(expected))
      // Untouched rows, and the head, are the same bytes.
      expect(Buffer.from(editable.head).equals(written.head)).toBe(true)
      for (const [at, row] of own.entries()) {
        if (touched.has(row.line)) continue
        const kept = editable.rewrite([row.line, row.lastLine], real)
        expect(Buffer.from(kept.bytes).equals(written.rows[at] as Buffer)).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

const PLACES = [
  { start: 1, length: 4 },
  { start: 5, length: 6 },
  { start: 11, length: 5 },
]

test('of fixed width, in characters and in bytes: a cell keeps its place, and what is too long is refused', async () => {
  const letters = fc.constantFrom('a', 'B', '7', 'é', ' ', '-')
  const rowOf = fc.tuple(...PLACES.map(({ length }) => fc.string({ unit: letters, maxLength: length })))
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        rows: fc.array(rowOf, { minLength: 1, maxLength: 4 }),
        widths: fc.constantFrom('bytes' as const, undefined),
        encoding: fc.constantFrom('utf-8', 'windows-1252'),
        newline: fc.constantFrom('\n', '\r\n'),
        row: fc.nat(3),
        cell: fc.nat(2),
        typed: fc.string({ unit: letters, maxLength: 8 }),
      }),
      async ({ rows, widths, encoding, newline, row, cell: at, typed }) => {
        const measure = (text: string) =>
          widths === 'bytes' ? iconv.encode(text, encoding).length : Array.from(text).length
        const fill = (text: string, length: number) => {
          let cut = text
          while (measure(cut) > length) cut = cut.slice(0, -1)
          return cut + ' '.repeat(length - measure(cut))
        }
        const texts = rows.map((cells) =>
          cells
            .map((text, index) => fill(index === 0 ? `x${text}` : text, PLACES[index]?.length ?? 0))
            .join(''),
        )
        const bytes = iconv.encode(texts.map((text) => text + newline).join(''), encoding)
        const read = { format: 'fixed', encoding, columns: ['a', 'b', 'c'], places: PLACES, widths } as const
        const numbers = rows.map((_, index) => index + 1)
        const editable = await openEditable({ bytes, numbers }, read)
        if ('problems' in editable) return
        const line = (row % rows.length) + 1
        const rewritten = editable.rewrite([1, rows.length], [{ line, cell: at, text: typed }])
        const isTooLong = measure(typed) > (PLACES[at]?.length ?? 0)
        expect(rewritten.errors).toHaveLength(isTooLong ? 1 : 0)
        if (isTooLong) return
        const after = iconv.decode(Buffer.from(rewritten.bytes), encoding).split(newline)
        expect(after.filter((_, index) => index !== line - 1)).toEqual(
          [...texts, ''].filter((_, index) => index !== line - 1),
        )
        expect(measure(after[line - 1] ?? '')).toBe(measure(texts[line - 1] ?? ''))
        // A blank line is no row; where it is the only one, the file is empty and cannot be read.
        if (after[line - 1]?.trim() === '') return
        const [values = []] = (await readBack(rewritten.bytes, read)).slice(line - 1)
        expect(values[at]?.trim()).toBe(typed.trim())
      },
    ),
    { numRuns: 300 },
  )
})

test('bytes that are no text of the encoding stay in the cells that nobody touches', async () => {
  const bytes = Buffer.concat([
    Buffer.from('id,name,city\nr0,'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from(',Bern\n'),
  ])
  const read = { format: 'csv', encoding: 'utf-8' } as const
  const editable = await openEditable({ bytes, numbers: [1, 2] }, read)
  if ('problems' in editable) throw new Error('it can be read')
  const { bytes: row } = editable.rewrite([2, 2], [{ line: 2, cell: 2, text: 'Zürich' }])
  expect(Buffer.from(row)).toEqual(
    Buffer.concat([Buffer.from('r0,'), Buffer.from([0xff, 0xfe]), Buffer.from(',Zürich\n')]),
  )
})

test('a character that the encoding lacks is refused at its cell', async () => {
  const read = { format: 'csv', encoding: 'windows-1252' } as const
  const editable = await openEditable({ bytes: Buffer.from('id,name\nr0,Anna\n'), numbers: [1, 2] }, read)
  if ('problems' in editable) throw new Error('it can be read')
  const { errors, bytes } = editable.rewrite([2, 2], [{ line: 2, cell: 1, text: 'Łukasz' }])
  expect(errors).toEqual([{ line: 2, cell: 1, message: 'A file in windows-1252 cannot hold "Ł".' }])
  expect(Buffer.from(bytes).toString()).toBe('r0,Anna\n')
})

test('cells that a short row lacks are filled in, and a line with an open quote is corrected as a whole', async () => {
  const text = 'id,name,city\nr0,Anna\nr1,"Ben,Bern\n'
  const editable = await openEditable({ bytes: Buffer.from(text), numbers: [1, 2, 3] }, { format: 'csv' })
  if ('problems' in editable) throw new Error('it can be read')
  const [, broken] = editable.rows
  expect(broken?.cells).toEqual([{ cell: 0, column: '', text: 'r1,"Ben,Bern', isWholeLine: true }])
  const { bytes } = editable.rewrite(
    [2, 3],
    [
      { line: 2, cell: 2, text: 'Bern, CH' },
      { line: 3, cell: 0, text: 'r1,Ben,Bern' },
    ],
  )
  expect(Buffer.from(bytes).toString()).toBe('r0,Anna,"Bern, CH"\nr1,Ben,Bern\n')
})
