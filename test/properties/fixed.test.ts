/** Properties of every file of fixed width, however odd, checked with random ones. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnreadable, type ReadOptions } from '../../src/domain/format.ts'
import { createFixedFormat } from '../../src/formats/fixed/format.ts'
import { inChunks, readable, rowsOf } from '../suites/format.suite.ts'

const TABLE: ReadOptions = {
  format: 'fixed',
  columns: ['A', 'B', 'C'],
  places: [
    { start: 1, length: 3 },
    { start: 4, length: 2 },
    { start: 6, length: 4 },
  ],
}
const RECORDS: ReadOptions = {
  format: 'fixed',
  ignore: [{ startsWith: '#' }],
  records: [
    { type: 'a', columns: ['A'], places: [{ start: 1, length: 3 }] },
    { type: 'b', columns: ['B'], places: [{ start: 2, length: 2 }], of: 'a' },
    { type: ' ', columns: ['C'], places: [{ start: 2, length: 9 }], like: 'a' },
    { type: 'é', ignored: true, columns: [], places: [] },
  ],
}
const letter = fc.constantFrom('a', 'b', ' ', '"', ',', 'é', '€', '😀', '\uFFFD', '#')
const cell = (width: number) =>
  fc.array(letter, { minLength: width, maxLength: width }).map((all) => all.join(''))
const row = fc.tuple(cell(3), cell(2), cell(4)).filter((cells) => cells.join('').trim() !== '')
const size = fc.integer({ min: 1, max: 20 })

test('written rows are read as the same cells, on the lines where they are', async () => {
  const how = fc.record({
    newline: fc.constantFrom('\n' as const, '\r\n' as const),
    encoding: fc.constantFrom('utf-8', 'utf-16le'),
    byteOrderMark: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      how,
      size,
      async (rows, options, chunk) => {
        const writer = createFixedFormat().createWriter([], { format: 'fixed', ...options })
        const bytes = Buffer.concat([writer.formatHeader(), writer.formatRows(rows)])

        const given = { ...TABLE, encoding: options.encoding }
        const found = await rowsOf(await readable(createFixedFormat().read(inChunks(bytes, chunk), given)))

        expect(found.map(({ values }) => values)).toEqual(rows)
        expect(found.map(({ line }) => line)).toEqual(rows.map((_, index) => index + 1))
      },
    ),
    { numRuns: 300 },
  )
})

test('any bytes are read to their end, the same however they arrive, each line in one row at most', async () => {
  const given = fc.constantFrom<ReadOptions>(
    TABLE,
    RECORDS,
    { ...TABLE, encoding: 'utf-16be', skip: 1 },
    { ...RECORDS, encoding: 'shift_jis', typeIn: { start: 2, length: 1 } },
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .string({ unit: fc.constantFrom('a', 'b', 'b', '#', ' ', '\n', '\n', '\r', 'é', '😀'), maxLength: 120 })
      .map((text) => Buffer.from(text)),
  )
  await fc.assert(
    fc.asyncProperty(bytes, given, size, async (file, options, chunk) => {
      const read = async (from: AsyncIterable<Uint8Array>) => {
        const reading = await createFixedFormat({ maxRowCharacters: 20 }).read(from, options)
        return isUnreadable(reading)
          ? reading
          : { rows: await rowsOf(reading), ignored: reading.countIgnoredLines() }
      }
      const whole = await read(inChunks(file))

      expect(await read(inChunks(file, chunk))).toEqual(whole)
      let before = 0
      for (const { line, lastLine } of 'rows' in whole ? whole.rows : []) {
        expect(line).toBeGreaterThan(before)
        expect(lastLine).toBeGreaterThanOrEqual(line)
        before = lastLine
      }
    }),
    { numRuns: 800 },
  )
})
