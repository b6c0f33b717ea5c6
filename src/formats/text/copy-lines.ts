/** Copies physical lines of a file byte for byte: the sender gets back exactly what it sent. */
import type { CopyOptions } from '../../domain/format.ts'
import { detectNewline, SAMPLE_SIZE } from './buffer.ts'

type LineRange = CopyOptions['ranges'][number]

/** Copies the header lines and the lines of the ranges; `quote` is null where quotes are data. */
export function copyRows(
  input: AsyncIterable<Uint8Array>,
  { encoding, headerLines, ranges }: CopyOptions,
  quote: string | null,
): AsyncGenerator<Uint8Array> {
  return copyLines(input, { encoding, quote }, addHeader(headerLines, ranges))
}

function addHeader(headerLines: number, ranges: readonly LineRange[]): readonly LineRange[] {
  if (headerLines === 0) return ranges
  // A typed row may name the columns within the header lines.
  const below = ranges.flatMap(([first, last]): LineRange[] =>
    last > headerLines ? [[Math.max(first, headerLines + 1), last]] : [],
  )
  return [[1, headerLines], ...below]
}

/** The properties of a file that decide where its lines end; the same as for its reader. */
interface LineRules {
  /** Only its width matters: `utf-16le` and `utf-16be` have two bytes a unit. */
  readonly encoding: string
  /** Line breaks between two of these may be part of a cell; null when quotes are data. */
  readonly quote: string | null
}

/** The bytes of these ranges (from line 1, ascending, disjoint). A byte order mark is kept when line 1 is not copied. */
export async function* copyLines(
  source: AsyncIterable<Uint8Array>,
  rules: LineRules,
  ranges: Iterable<LineRange>,
): AsyncGenerator<Uint8Array> {
  const wanted = ranges[Symbol.iterator]()
  let range = wanted.next()
  let line = 1
  let start: number | undefined
  let findEnd: LineEndFinder | undefined
  let bytesBefore = 0
  for await (const chunk of readHeadFirst(source)) {
    if (findEnd === undefined) {
      const mark = readByteOrderMark(chunk)
      findEnd = createLineEndFinder(chunk.subarray(mark.length), rules)
      if (mark.length > 0 && !range.done && range.value[0] > 1) yield mark
    }
    start = undefined
    let position = 0
    while (position < chunk.length && !range.done) {
      const [first, last] = range.value
      if (line >= first) start ??= position
      const end = findEnd(chunk, position, bytesBefore)
      if (end === -1) break
      position = end
      line++
      if (line <= last) continue
      if (start !== undefined) yield chunk.subarray(start, position)
      start = undefined
      range = wanted.next()
    }
    if (start !== undefined) yield chunk.subarray(start)
    if (range.done) return
    bytesBefore += chunk.length
  }
}

/** Enough for the sample of `detectNewline` in any encoding. */
const HEAD_BYTES = 32 * 1024

/** Passes the chunks through, but makes the first one large enough to detect how lines end. */
async function* readHeadFirst(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    if (size >= HEAD_BYTES) {
      yield chunk
      continue
    }
    head.push(chunk)
    size += chunk.length
    if (size < HEAD_BYTES) continue
    yield Buffer.concat(head)
    head = []
  }
  if (size > 0 && size < HEAD_BYTES) yield Buffer.concat(head)
}

/** Returns the position after the next line end at or after `from`, or -1. */
type LineEndFinder = (chunk: Uint8Array, from: number, bytesBefore: number) => number

function createLineEndFinder(head: Uint8Array, rules: LineRules): LineEndFinder {
  const { encoding } = rules
  const text = decodeText(head, encoding)
  const newline = detectNewline(text, text.length <= SAMPLE_SIZE, rules.quote)
  const mark = newline.charCodeAt(0)
  if (!isUtf16(encoding)) return (chunk, from) => chunk.indexOf(mark, from) + 1 || -1
  const markFirst = encoding === 'utf-16le'
  let previous = 0
  return (chunk, from, bytesBefore) => {
    for (let index = from; index < chunk.length; index++) {
      // Only whole units count: the second byte of each pair completes one.
      if ((bytesBefore + index) % 2 === 0) {
        previous = chunk[index] ?? 0
        continue
      }
      const byte = chunk[index] ?? 0
      if (markFirst ? previous === mark && byte === 0 : previous === 0 && byte === mark) return index + 1
    }
    return -1
  }
}

/** Only line breaks and quotes matter; they are the same in every single-byte encoding. */
function decodeText(bytes: Uint8Array, encoding: string): string {
  const known = encoding === 'utf-8' || isUtf16(encoding)
  return new TextDecoder(known ? encoding : 'latin1', { ignoreBOM: true }).decode(bytes)
}

function isUtf16(encoding: string): boolean {
  return encoding.startsWith('utf-16')
}

function readByteOrderMark(chunk: Uint8Array): Uint8Array {
  const [first, second, third] = chunk
  if (first === 0xef && second === 0xbb && third === 0xbf) return chunk.subarray(0, 3)
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return chunk.subarray(0, 2)
  return chunk.subarray(0, 0)
}
