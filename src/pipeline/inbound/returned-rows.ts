/** Collects the rows that go back to the sender, refused or held, and copies them byte for byte from the source. */
import type { ReportedRecord } from '../../domain/record.ts'
import type { LineRange } from '../../domain/translator.ts'
import { detectNewline, SAMPLE_SIZE } from '../../support/line-ends.ts'
import { isHeldDependent } from './summary.ts'

/** Dependents of a refused record return with the refused rows, dependents of a held record with the held rows. */
export function collectReturnedRows() {
  const refused: [number, number][] = []
  const held: [number, number][] = []
  return {
    add(page: readonly ReportedRecord[]): void {
      for (const { state, lines } of page) if (state === 'rejected') addRanges(refused, lines)
      // Lost answers included: if the row is delivered again, its key prevents a second request.
      const heldForOwnReason = page.filter((record) => record.state === 'held' && !isHeldDependent(record))
      for (const { lines } of heldForOwnReason) addRanges(held, lines)
      const dependents = page.filter(isHeldDependent)
      if (dependents.length === 0) return
      const refusedSoFar = mergeRanges(refused)
      for (const { lines } of dependents) {
        addRanges(lines.some((range) => isInRanges(refusedSoFar, range)) ? refused : held, lines)
      }
    },
    ranges() {
      const [all, rows] = [mergeRanges(held), mergeRanges(refused)]
      return { refused: rows, held: rows.length === 0 ? all : subtractRanges(all, rows) }
    },
  }
}

/** Joins neighbours at once, so that a file with only refused rows needs no memory for each of them. */
function addRanges(ranges: [number, number][], lines: readonly LineRange[]): void {
  for (const [first, last] of lines) {
    const before = ranges.at(-1)
    if (before && first >= before[0] && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else ranges.push([first, last])
  }
}

function isInRanges(ranges: readonly LineRange[], [first, last]: LineRange): boolean {
  const found = ranges[findFirstEnding(ranges, first, (range) => range[1])]
  return found !== undefined && found[0] <= last
}

/** The index of the first of these sorted ranges that ends at the line or later. */
export function findFirstEnding<R>(ranges: readonly R[], line: number, getEnd: (range: R) => number): number {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const range = ranges[middle]
    if (range !== undefined && getEnd(range) < line) low = middle + 1
    else high = middle
  }
  return low
}

/** The parts of the ranges that are in none of the excluded ones; both are sorted. */
function subtractRanges(ranges: readonly LineRange[], excluded: readonly LineRange[]): [number, number][] {
  const left: [number, number][] = []
  let at = 0
  for (const [first, last] of ranges) {
    let from = first
    while (at < excluded.length && (excluded[at]?.[1] ?? 0) < first) at++
    for (let next = at; next < excluded.length; next++) {
      const [start, end] = excluded[next] ?? [Infinity, Infinity]
      if (start > last) break
      if (start > from) left.push([from, start - 1])
      from = Math.max(from, end + 1)
    }
    if (from <= last) left.push([from, last])
  }
  return left
}

// Copies physical lines of a file byte for byte: the sender gets back exactly what it sent.

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

/** Sorts line ranges and joins those that touch or overlap. */
export function mergeRanges(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const joined: [number, number][] = []
  addRanges(
    joined,
    ranges.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]),
  )
  return joined
}
