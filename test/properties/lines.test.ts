/** Copied lines are the bytes that came, in any encoding, with any line ends, however the bytes are cut into chunks. */
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { expect, test } from 'vitest'
import { isUnreadable, type Row } from '../../src/domain/format.ts'
import { createCsvFormat } from '../../src/formats/csv/format.ts'
import { copyLines } from '../../src/formats/text/copy-lines.ts'
import { mergeRanges } from '../../src/pipeline/inbound/returned-rows.ts'

const ENCODINGS = {
  'utf-8': { name: 'utf-8', mark: '' },
  'utf-8 with a mark': { name: 'utf-8', mark: '\uFEFF' },
  'utf-16le': { name: 'utf-16le', mark: '\uFEFF' },
  'utf-16be': { name: 'utf-16be', mark: '\uFEFF' },
  'windows-1252': { name: 'windows-1252', mark: '' },
} as const
type EncodingName = keyof typeof ENCODINGS

function encode(text: string, encoding: EncodingName): Buffer {
  const { name, mark } = ENCODINGS[encoding]
  return iconv.encode(mark + text, name)
}

const encodingName = fc.constantFrom(...(Object.keys(ENCODINGS) as EncodingName[]))

/** Ċ, ഍ and 𠀊 have the bytes of line breaks within them. */
const LETTERS = ['a', 'b', '7', ',', ' ', 'é'] as const
const WIDE_LETTERS = [...LETTERS, 'Ċ', '\u0A0D', '\u0D0A', '\u0A0A', '😀', '𠀊'] as const
const lettersOf = (encoding: EncodingName) => (encoding === 'windows-1252' ? LETTERS : WIDE_LETTERS)

const NEWLINES = {
  'line feeds': ['\n'],
  'carriage returns with line feeds': ['\r\n'],
  'carriage returns': ['\r'],
  'a mixture': ['\n', '\r\n', '\r'],
} as const

const ranges = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 3 })).map(([first, more]) => {
    return [first, first + more] as const
  }),
  { maxLength: 5 },
)

async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? bytes.length
    yield await Promise.resolve(bytes.subarray(at, at + size))
    at += size
  }
}

async function gathered(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

const chunkSizes = fc.array(fc.constantFrom(1, 2, 3, 5, 64, 100_000), { minLength: 1, maxLength: 4 })

/** The text's lines with their ends, found in the whole text at once. */
function linesOf(text: string): string[] {
  const lines = text.includes('\n') ? text.split(/(?<=\n)/) : text.split(/(?<=\r)/)
  return text === '' ? [] : lines
}

const text = encodingName.chain((encoding) =>
  fc.constantFrom(...Object.values(NEWLINES)).chain((ends) =>
    fc
      .array(
        fc.tuple(
          fc.array(fc.constantFrom(...lettersOf(encoding)), { maxLength: 8 }).map((parts) => parts.join('')),
          fc.constantFrom(...ends),
        ),
        { maxLength: 10 },
      )
      .chain((lines) =>
        fc.boolean().map((endsWithBreak) => ({
          encoding,
          text: lines
            .map(([line, end], index) => line + (index < lines.length - 1 || endsWithBreak ? end : ''))
            .join(''),
        })),
      ),
  ),
)

test('exactly the lines asked for are copied, and the byte order mark with them', async () => {
  await fc.assert(
    fc.asyncProperty(text, ranges, chunkSizes, async (file, asked, sizes) => {
      const bytes = encode(file.text, file.encoding)
      const { name, mark } = ENCODINGS[file.encoding]
      const wanted = linesOf(file.text).filter((_, index) =>
        asked.some(([first, last]) => index + 1 >= first && index + 1 <= last),
      )

      const rules = { encoding: name, quote: '"' }
      const copied = await gathered(copyLines(inChunks(bytes, sizes), rules, mergeRanges(asked)))

      const kept = asked.length > 0 && bytes.length > 0 ? mark : ''
      expect(copied.toString('hex')).toBe(iconv.encode(kept + wanted.join(''), name).toString('hex'))
    }),
    { numRuns: 400 },
  )
})

test('ranges are joined into ascending ones that do not touch and cover the same lines', () => {
  fc.assert(
    fc.property(ranges, (asked) => {
      const covered = (list: readonly (readonly [number, number])[]) =>
        Array.from({ length: 20 }, (_, line) => list.some(([first, last]) => line >= first && line <= last))

      const joined = mergeRanges(asked)

      expect(covered(joined)).toEqual(covered(asked))
      for (const [index, [first, last]] of joined.entries()) {
        expect(first).toBeLessThanOrEqual(last)
        expect(first).toBeGreaterThan((joined[index - 1]?.[1] ?? -1) + 1)
      }
    }),
  )
})

/** A table whose quoted cells hold line breaks of every kind, whatever ends the rows. */
const table = fc.record({
  encoding: encodingName,
  end: fc.constantFrom('\n', '\r\n', '\r'),
  rows: fc.array(
    fc.array(fc.constantFrom('x', 'y', ',', '"', '\n', '\r\n', '\r', 'é'), { minLength: 1, maxLength: 5 }),
    { minLength: 1, maxLength: 8 },
  ),
})

test('the rows whose lines the reader returns are the rows that are copied, whatever is in their cells', async () => {
  await fc.assert(
    fc.asyncProperty(table, chunkSizes, fc.nat(), async ({ encoding, end, rows }, sizes, seed) => {
      const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
      const lines = rows.map((cells, index) => `${index},${quoted(cells.join(''))}`)
      const bytes = encode(['Key,Note', ...lines].map((line) => line + end).join(''), encoding)
      const { name } = ENCODINGS[encoding]
      const read = async (from: Uint8Array) => {
        const reading = await createCsvFormat().read(inChunks(from, sizes), { format: 'csv', encoding: name })
        if (isUnreadable(reading)) throw new Error(reading.problems.map((each) => each.message).join())
        const found: Row[] = []
        for await (const batch of reading.batches) found.push(...batch)
        return { found, headerLines: reading.headerLines }
      }
      const { found, headerLines } = await read(bytes)
      const refused = found.filter((row, index) => !row.problems && (seed >> index) % 2 === 1)

      const stretches = mergeRanges([
        [1, headerLines],
        ...refused.map((row) => [row.line, row.lastLine] as const),
      ])
      const rules = { encoding: name, quote: '"' }
      const copied = await gathered(copyLines(inChunks(bytes, sizes), rules, stretches))

      // A lone row may end its lines in a way of its own; the cells must come back.
      const again = refused.length === 0 ? [] : (await read(copied)).found
      expect(again.map((row) => row.values)).toEqual(refused.map((row) => row.values))
    }),
    { numRuns: 300 },
  )
})

test('a line break in a cell far down the file does not change how lines are counted', async () => {
  const rows = Array.from({ length: 3000 }, (_, index) => `PO-${index},plain`)
  rows[2000] = 'PO-2000,"two\nlines"'
  const bytes = Buffer.from(['PO,Note', ...rows].map((row) => `${row}\r`).join(''))

  const rules = { encoding: 'utf-8', quote: '"' }
  const copied = await gathered(
    copyLines(inChunks(bytes, [65_536]), rules, [
      [1, 1],
      [2502, 2502],
    ]),
  )

  expect(copied.toString()).toBe('PO,Note\rPO-2500,plain\r')
})

test.each(['utf-16le', 'utf-16be'] as const)(
  'pieces of a large %s file that end within a letter hide no line',
  async (name) => {
    const line = (index: number) => `PO-${index},Ċ\u0A0D\r\n`
    const lines = Array.from({ length: 5000 }, (_, index) => line(index + 1))
    const bytes = encode(lines.join(''), name)

    const copied = await gathered(
      copyLines(inChunks(bytes, [33_333, 1, 777]), { encoding: name, quote: '"' }, [
        [1, 1],
        [4000, 4001],
      ]),
    )

    expect(iconv.decode(copied, name)).toBe(line(1) + line(4000) + line(4001))
  },
)
