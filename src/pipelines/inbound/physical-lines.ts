/** Copying physical lines of a file byte for byte: what a person sent is what a person gets back. */

/** First and last line of each stretch to copy, from 1, ascending and apart from each other. */
export type Stretches = Iterable<readonly [first: number, last: number]>

/** What must be known of a file to find its lines as its reader found them. */
export interface LineRules {
  /** Matters for its width: `utf-16le` and `utf-16be` have two bytes to a unit. */
  readonly encoding: string
  /** A line break between two of these may be a cell's own; null when quotes are data. */
  readonly quote: string | null
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * The bytes of the given lines, with their line ends. A byte order mark is part of line 1, and is kept when line 1 is
 * not copied.
 */
export async function* copyLines(
  source: AsyncIterable<Uint8Array>,
  rules: LineRules,
  stretches: Stretches,
): AsyncGenerator<Uint8Array> {
  const wanted = stretches[Symbol.iterator]()
  let stretch = wanted.next()
  let line = 1
  let start: number | undefined
  let findEnd: LineEndFinder | undefined
  let bytesBefore = 0
  for await (const chunk of headFirst(source)) {
    if (findEnd === undefined) {
      const mark = byteOrderMark(chunk)
      findEnd = lineEndFinder(chunk.subarray(mark.length), rules)
      if (mark.length > 0 && !stretch.done && stretch.value[0] > 1) yield mark
    }
    start = undefined
    let position = 0
    while (position < chunk.length && !stretch.done) {
      const [first, last] = stretch.value
      if (line >= first) start ??= position
      const end = findEnd(chunk, position, bytesBefore)
      if (end === -1) break
      position = end
      line++
      if (line <= last) continue
      if (start !== undefined) yield chunk.subarray(start, position)
      start = undefined
      stretch = wanted.next()
    }
    if (start !== undefined) yield chunk.subarray(start)
    if (stretch.done) return
    bytesBefore += chunk.length
  }
}

/** Enough for `SAMPLE` characters in any encoding. */
const HEAD_BYTES = 32 * 1024

/** The chunks as they come, but for the first, which holds enough to tell how lines end. */
async function* headFirst(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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

/** Gives the position after the next line end at or after `from`, or -1. */
type LineEndFinder = (chunk: Uint8Array, from: number, bytesBefore: number) => number

function lineEndFinder(head: Uint8Array, rules: LineRules): LineEndFinder {
  const { encoding } = rules
  const mark = lineEnd(head, rules)
  if (!isWide(encoding)) {
    return (chunk, from) => {
      const index = chunk.indexOf(mark, from)
      return index === -1 ? -1 : index + 1
    }
  }
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

/** As many characters at the top of a file tell its reader how lines end, so they must tell us the same. */
const SAMPLE = 8 * 1024

/** Carriage returns alone end lines only where, outside of quotes, there is no line feed at all. */
function lineEnd(head: Uint8Array, { encoding, quote }: LineRules): number {
  const text = textOf(head, encoding)
  const isWhole = text.length <= SAMPLE
  // A carriage return that is cut off from what follows tells nothing.
  const sample = isWhole ? text : text.slice(0, SAMPLE).replace(/\r$/, '')
  const parts = quote === null ? [sample] : sample.split(quote).filter((_, index) => index % 2 === 0)
  const unquoted = parts.join('')
  const telling = /[\r\n]/.test(unquoted) ? unquoted : sample
  return telling.includes('\r') && !telling.includes('\n') ? CARRIAGE_RETURN : LINE_FEED
}

/** Only line breaks and quotes matter, and they are the same in every encoding with one byte to them. */
function textOf(bytes: Uint8Array, encoding: string): string {
  const known = encoding === 'utf-8' || isWide(encoding)
  return new TextDecoder(known ? encoding : 'latin1', { ignoreBOM: true }).decode(bytes)
}

function isWide(encoding: string): boolean {
  return encoding.startsWith('utf-16')
}

function byteOrderMark(chunk: Uint8Array): Uint8Array {
  const [first, second, third] = chunk
  if (first === 0xef && second === 0xbb && third === 0xbf) return chunk.subarray(0, 3)
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return chunk.subarray(0, 2)
  return chunk.subarray(0, 0)
}

/** Sorts line ranges and joins those that touch or overlap. */
export function joinRanges(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const sorted = ranges.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
  const joined: [number, number][] = []
  for (const [first, last] of sorted) {
    const before = joined.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else joined.push([first, last])
  }
  return joined
}
