/** Buffers the text of a file that is read but not yet parsed, with its physical line number. */
import type { Problem } from '../../domain/problem.ts'
import { type Decoded, type Decoder, openDecoder } from './decoders.ts'
import { createUtf8Detector, detectEncoding, guardDecoder } from './encoding.ts'

export type TextBuffer = ReturnType<typeof createTextBuffer>

/**
 * Opens a file as text. Detects encoding and line ends in the first piece and decodes further pieces on demand. `quote` is
 * null where quotes are data.
 */
export async function openText(
  input: AsyncIterable<Uint8Array>,
  statedEncoding: string | undefined,
  quote: string | null,
) {
  const pieces = splitPieces(input)
  const refuse = async (problem: Problem) => {
    await pieces.return(undefined)
    return { problems: [problem] }
  }
  const head: Uint8Array[] = []
  let size = 0
  let isWhole = false
  while (size < PIECE_SIZE && !isWhole) {
    const { value, done } = await pieces.next()
    isWhole = done === true
    if (value !== undefined) head.push(value)
    size += value?.length ?? 0
  }
  const bytes = Buffer.concat(head)
  const result = detectEncoding(bytes, statedEncoding)
  if ('problem' in result) return refuse(result.problem)
  const { encoding } = result
  const plain = openDecoder(encoding.name)
  // A byte order mark is certain and needs no detector.
  const detector = encoding.markLength > 0 ? undefined : createUtf8Detector(encoding.name)
  if (detector?.inspect(bytes) === 'utf-8') return refuse(detector.problem())
  const decoder = detector === undefined ? plain : guardDecoder(plain, detector)
  const first = plain.write(bytes.subarray(encoding.markLength))
  const newline = detectNewline(first.text, isWhole, quote)
  return { buffer: createTextBuffer(first, newline, pieces, decoder), newline, encoding }
}

function createTextBuffer(
  first: Decoded,
  newline: Newline,
  pieces: AsyncGenerator<Uint8Array, undefined>,
  decoder: Decoder,
) {
  const buffer = {
    /** The unparsed text. At the end of the file it is empty or ends with a line break. */
    text: first.text,
    line: 1,
    ended: false,
    /** Whether the file ended without a line end, or a mark for its end; known at its end. */
    unterminated: false,
    damaged: first.damaged,
    advance(characters: number, line: number) {
      buffer.text = buffer.text.slice(characters)
      buffer.line = line
    },
    async more() {
      const enough = buffer.text.length + PIECE_SIZE / 2
      while (!buffer.ended && buffer.text.length < enough) {
        const { value, done } = await pieces.next()
        const { text, damaged } = done ? decoder.end() : decoder.write(value)
        buffer.text += text
        buffer.damaged ||= damaged
        if (done) end()
      }
    },
    async close() {
      await pieces.return(undefined)
    },
  }
  function end() {
    buffer.ended = true
    const isMarked = buffer.text.endsWith(DOS_END_OF_FILE)
    if (isMarked) buffer.text = buffer.text.slice(0, -1)
    const isOpen = buffer.text !== '' && !buffer.text.endsWith(newline)
    if (isOpen) buffer.text += newline
    buffer.unterminated = isOpen && !isMarked
  }
  return buffer
}

/** Ctrl-Z, with which old DOS programs mark the end of a text file. */
const DOS_END_OF_FILE = '\u001A'

/** Drops that many physical lines from the top of the file. */
export async function skipLines(buffer: TextBuffer, newline: Newline, count: number): Promise<void> {
  while (buffer.line <= count && !(buffer.ended && buffer.text === '')) await skipRestOfLine(buffer, newline)
}

/** Fills the buffer to at least this many characters, where the file has them. */
export async function fillBuffer(buffer: TextBuffer, characters: number): Promise<void> {
  while (!buffer.ended && buffer.text.length < characters) await buffer.more()
}

/** Drops the rest of the current line without buffering it. */
export async function skipRestOfLine(buffer: TextBuffer, newline: Newline): Promise<void> {
  for (;;) {
    const stop = buffer.text.indexOf(newline)
    if (stop !== -1) return buffer.advance(stop + 1, buffer.line + 1)
    buffer.advance(buffer.text.length, buffer.line)
    if (buffer.ended) return
    await buffer.more()
  }
}

async function* splitPieces(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length; from += PIECE_SIZE) yield chunk.subarray(from, from + PIECE_SIZE)
  }
  return undefined
}

// A row that exceeds these limits counts as damaged.

export interface ReadLimits {
  /** Characters of one row. Also bounds the memory that an open quote can take. */
  readonly maxRowCharacters: number
  /** Line breaks inside the quoted cells of one row. Bounds how far an open quote is followed. */
  readonly maxRowLines: number
}

export const DEFAULT_LIMITS: ReadLimits = { maxRowCharacters: 1024 * 1024, maxRowLines: 200 }

/** How much is read and parsed at a time, in bytes and in characters; larger pieces are measurably slower. */
const PIECE_SIZE = 32 * 1024

// How the lines of a file end: its reader and the copier of its rows must agree.
/** Before a line feed a carriage return belongs to the line break. */
export type Newline = '\n' | '\r'

/** Shorter than any first piece can be, so that the same file is read the same way however its bytes arrive. */
export const SAMPLE_SIZE = 8 * 1024

/**
 * Returns a carriage return only where there is no line feed outside of quotes. `isWhole`: the text is the whole file and
 * not only its beginning.
 */
export function detectNewline(text: string, isWhole: boolean, quote: string | null): Newline {
  const sample = text.slice(0, SAMPLE_SIZE)
  const isCut = sample.length < text.length || !isWhole
  const shown = isCut ? sample.replace(/\r$/, '') : sample
  const unquoted = quote === null ? shown : removeQuoted(shown, quote)
  const relevant = /[\r\n]/.test(unquoted) ? unquoted : shown
  return relevant.includes('\r') && !relevant.includes('\n') ? '\r' : '\n'
}

function removeQuoted(sample: string, quote: string): string {
  return sample
    .split(quote)
    .filter((_, index) => index % 2 === 0)
    .join('')
}
