/** Properties of every CSV file, however odd, checked with random ones. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isUnreadable,
  type ReadOptions,
  type Row,
  type UnreadableFile,
  type WriteOptions,
} from '../../src/domain/format.ts'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import type { ReadLimits } from '../../src/formats/text/buffer.ts'
import { inChunks, readable, rowsOf } from '../suites/format.suite.ts'

const CSV = { format: 'csv' } as const

/** Cells that are likely to be misread. */
const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '"', ',', ';', '\t', '|', '\n', '\r', 'é', '€', '😀', '\uFFFD'),
    maxLength: 6,
  }),
)
const row = fc
  .array(cell, { minLength: 3, maxLength: 3 })
  .filter((cells) => cells.some((text) => text.trim() !== ''))
const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 8 })

/** The bytes cut into chunks of the given sizes, over and over. */
async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let from = 0, index = 0; from < bytes.length; index++) {
    const size = (sizes[index % sizes.length] ?? 0) || (index % sizes.length === 0 ? 1 : 0)
    yield Buffer.from(bytes.subarray(from, from + size))
    from += size
  }
}

describe('written rows', () => {
  it('are read as the same cells, on the lines where they are, however they are written and arrive', async () => {
    const options = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t', '|', '||'),
      newline: fc.constantFrom('\n' as const, '\r\n' as const),
      quoteAll: fc.boolean(),
      byteOrderMark: fc.boolean(),
      encoding: fc.constantFrom('utf-8', 'utf-16le'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        options,
        cuts,
        async (rows, how, sizes) => {
          const writer = createCsvFormat().createWriter(['A', 'B', 'C'], {
            ...CSV,
            ...how,
          } satisfies WriteOptions)
          const bytes = Buffer.concat([writer.formatHeader(), writer.formatRows(rows)])
          const given: ReadOptions = { ...CSV, delimiter: how.delimiter, encoding: how.encoding }
          const found = await rowsOf(await readable(createCsvFormat().read(inPieces(bytes, sizes), given)))
          expect(found.map(({ values }) => values)).toEqual(rows)
          expect(found.every(({ problems }) => problems === undefined)).toBe(true)

          let line = 2
          for (const [index, cells] of rows.entries()) {
            const lastLine = line + cells.join('').split('\n').length - 1
            expect([found[index]?.line, found[index]?.lastLine]).toEqual([line, lastLine])
            line = lastLine + 1
          }
        },
      ),
      { numRuns: 400 },
    )
  })
})

describe('any file', () => {
  const damagedText = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '"', '"', ',', ',', '\n', '\n', '\r\n', '5"', '",', ',"'),
    maxLength: 120,
  })
  const oddText = fc.string({
    unit: fc.constantFrom('a', ' ', '"', '"', ',', ',', ';', '\n', '\n', '\r', '\r\n', '\t', 'é', '\uFEFF'),
    maxLength: 120,
  })
  const smallLimits = fc.record({
    maxRowCharacters: fc.integer({ min: 5, max: 60 }),
    maxRowLines: fc.integer({ min: 1, max: 5 }),
  })
  const readAll = async (
    input: AsyncIterable<Uint8Array>,
    limits: Partial<ReadLimits>,
    options: ReadOptions,
  ) => {
    const reading = await createCsvFormat(limits).read(input, options)
    if (isUnreadable(reading)) return reading
    const { close: _, countIgnoredLines, getOpenLine, ...given } = reading
    const batches = await rowsOf(reading)
    return { ...given, batches, ignored: countIgnoredLines(), openLine: getOpenLine() }
  }
  const headerless: ReadOptions = { ...CSV, columns: ['A', 'B'], delimiter: ',' }

  /** All settings of a mapping for reading a file. */
  const anyReadOptions = fc.constantFrom<ReadOptions>(
    CSV,
    { ...CSV, escape: 'a', expectColumns: ['b'], skip: 'header' },
    {
      ...CSV,
      delimiter: ',',
      ignore: [{ startsWith: 'a' }, { matches: 'b$' }],
      rows: { short: 'pad', long: 'cut' },
    },
    { ...CSV, header: { lines: 3, names: 2 }, repeated: 'allowed', ignore: [{ matches: 'ab' }] },
    { ...CSV, skip: 2, columns: ['A', 'B', 'C'], escape: 'b', quote: null },
    {
      ...CSV,
      delimiter: ',',
      records: [{ type: 'a' }, { type: 'b*', columns: ['X'], of: 'a' }, { type: ' ', ignored: true }],
    },
    { ...CSV, typeIn: 'a', records: [{ type: 'b' }, { type: '*', of: 'b' }] },
    {
      ...CSV,
      typeIn: 2,
      records: [
        { type: 'a', columns: ['X', 'Y'] },
        { type: 'b', columns: ['Y', 'Z'], like: 'a' },
      ],
    },
  )

  it('has each of its lines in exactly one row, or it is blank', async () => {
    await fc.assert(
      fc.asyncProperty(damagedText, smallLimits, cuts, async (text, limits, sizes) => {
        const reading = await readAll(inPieces(Buffer.from(text), sizes), limits, headerless)
        expect(faults(reading, text)).toEqual([])
      }),
      { numRuns: 1500 },
    )
  })

  it('is read the same however its bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(damagedText, oddText),
        fc.record({ limits: smallLimits, options: anyReadOptions }),
        cuts,
        async (text, { limits, options }, sizes) => {
          const bytes = Buffer.from(text)
          const whole = await readAll(inChunks(bytes), limits, options)
          expect(await readAll(inPieces(bytes, sizes), limits, options)).toEqual(whole)
          expect(faults(whole)).toEqual([])
        },
      ),
      { numRuns: 2000 },
    )
  })

  const ignored = fc.constantFrom<Partial<ReadOptions>>(
    {},
    { ignore: [{ startsWith: 'a' }, { matches: 'b' }] },
  )

  it('is read the same piece by piece and row by row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(damagedText, oddText), ignored, async (text, ignore) => {
        const given = { ...headerless, ...ignore }
        // A limit below the length of the file, though above every row, leaves only the careful way.
        const padded = `${text}\r\n${'a,b\r\n'.repeat(100)}`
        const limits = { maxRowCharacters: 300 }
        const careful = await readAll(inChunks(Buffer.from(padded)), limits, given)
        expect(await readAll(inChunks(Buffer.from(padded)), {}, given)).toEqual(careful)
      }),
      { numRuns: 800 },
    )
  })

  it('of any bytes is read to its end without failing', async () => {
    const given = fc.constantFrom<ReadOptions>(
      CSV,
      { ...CSV, encoding: 'utf-16be' },
      { ...CSV, encoding: 'windows-1252', quote: null },
      { ...CSV, encoding: 'shift_jis', columns: ['A', 'B'] },
      { ...CSV, records: [{ type: 'a', columns: ['B'] }], delimiter: 'a' },
    )
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), given, cuts, async (bytes, options, sizes) => {
        const reading = await readAll(
          inPieces(bytes, sizes),
          { maxRowCharacters: 40, maxRowLines: 2 },
          options,
        )
        expect(faults(reading)).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})

type Read = UnreadableFile | { readonly batches: readonly Row[] }

/** The errors in the lines of the rows: they must follow each other and leave out only blank lines. */
function faults(reading: Read, text?: string): string[] {
  if ('problems' in reading) return reading.problems.length > 0 ? [] : ['unreadable without a reason']
  const found: string[] = []
  const covered = new Set<number>()
  let before = 0
  for (const { line, lastLine } of reading.batches) {
    if (line <= before || lastLine < line) found.push(`row ${line}-${lastLine} behind line ${before}`)
    for (let at = line; at <= lastLine; at++) covered.add(at)
    before = lastLine
  }
  const lines = text?.split('\n') ?? []
  for (const [index, line] of lines.entries()) {
    if (!covered.has(index + 1) && line.replace(/[",\s]/g, '') !== '')
      found.push(`line ${index + 1} is in no row`)
  }
  if (text !== undefined && before > lines.length) found.push(`row on line ${before} of ${lines.length}`)
  return found
}
