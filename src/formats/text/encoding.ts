/** Detects the encoding of a file from its byte order mark, the mapping, or its first bytes. */
import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { problem, type Problem } from '../../domain/problem.ts'
import {
  type Decoded,
  type Decoder,
  hasInvalidBytes,
  measureIncompleteTail,
  openDecoder,
} from './decoders.ts'

export interface Encoding {
  readonly name: string
  /** The length of the byte order mark, which is not text. */
  readonly markLength: number
  /** False for UTF-8 without a mark: damage may mean that the default or the mapping is wrong. */
  readonly isCertain: boolean
}

type EncodingResult = { readonly encoding: Encoding } | { readonly problem: Problem }

export function detectEncoding(head: Uint8Array, stated: string | undefined): EncodingResult {
  if (head.length === 0) return { problem: emptyFileProblem() }
  const statedName = stated === undefined ? undefined : normalizeEncodingName(stated)
  if (stated !== undefined && statedName === undefined) return { problem: unknownEncodingProblem(stated) }
  const other = FILE_SIGNATURES.find(({ bytes }) => startsWith(head, bytes))
  if (other) return { problem: notTextProblem(other.kind) }
  if (isWebPage(head)) return { problem: notTextProblem(WEB_PAGE) }
  const marked = BYTE_ORDER_MARKS.find(({ bytes }) => startsWith(head, bytes))
  if (marked) return toEncodingResult(marked.name, marked.bytes.length, true)
  const wide = statedName === undefined ? detectUtf16(head) : undefined
  const isWide = wide !== undefined || /^(?:utf-?(?:16|32)|ucs)/.test(statedName ?? '')
  if (!isWide && isBinary(head)) return { problem: notTextProblem('binary data') }
  if (statedName !== undefined) return toEncodingResult(statedName, 0, statedName !== 'utf-8')
  return wide === undefined ? toEncodingResult('utf-8', 0, false) : toEncodingResult(wide, 0, true)
}

/** A file without a byte: a program created it, and wrote nothing. */
export function emptyFileProblem(): Problem {
  const fix = "The sender's program stopped, or its export was empty: have the file delivered again."
  return problem('file-empty', {}, 'The file is empty: it has 0 bytes.', fix)
}

function toEncodingResult(name: string, markLength: number, isCertain: boolean): EncodingResult {
  return { encoding: { name, markLength, isCertain } }
}

const BYTE_ORDER_MARKS = [
  { name: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { name: 'utf-16le', bytes: [0xff, 0xfe] },
  { name: 'utf-16be', bytes: [0xfe, 0xff] },
] as const

const FILE_SIGNATURES = [
  { kind: 'an Excel workbook or zip archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { kind: 'an old Excel workbook', bytes: [0xd0, 0xcf, 0x11, 0xe0] },
  { kind: 'a PDF document', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { kind: 'a gzip archive', bytes: [0x1f, 0x8b, 0x08] },
] as const

const WEB_PAGE = 'a web page (HTML)'

function isWebPage(head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 1024)).toString('latin1')
  return /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+)?html\b/i.test(start)
}

const ENCODING_NAMES: Readonly<Record<string, string>> = {
  utf8: 'utf-8',
  utf16: 'utf-16le',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
  windows1252: 'windows-1252',
  cp1252: 'windows-1252',
  latin1: 'latin1',
  iso88591: 'latin1',
}

/** Names that the conversion library knows but that are not text encodings. */
const NOT_ENCODINGS = new Set(['base64', 'hex', 'binary', 'utf7', 'utf7imap'])

function normalizeEncodingName(stated: string): string | undefined {
  const folded = stated.toLowerCase().replace(/[^a-z0-9]/g, '')
  const knownName = ENCODING_NAMES[folded]
  if (knownName !== undefined) return knownName
  return !NOT_ENCODINGS.has(folded) && iconv.encodingExists(stated) ? stated.toLowerCase() : undefined
}

/** Detects UTF-16 without a mark: in Western text every other byte is zero, as in no other encoding. */
function detectUtf16(head: Uint8Array): string | undefined {
  const pairs = Math.floor(Math.min(head.length, 1024) / 2)
  const zeros = [0, 0]
  for (let at = 0; at < pairs * 2; at++) {
    if (head[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros
  if (odd > pairs * 0.4 && even < pairs * 0.05) return 'utf-16le'
  if (even > pairs * 0.4 && odd < pairs * 0.05) return 'utf-16be'
  return undefined
}

/** Control bytes that are rare in text of any byte encoding, without separators and escapes. */
const BINARY_BYTES = [...range(0x00, 0x06), ...range(0x0e, 0x19)]
const MIN_BINARY_KINDS = 8
const MIN_BINARY_SHARE = 0.02

function isBinary(head: Uint8Array): boolean {
  if (isUtf8(head)) return false
  const counts = new Map(BINARY_BYTES.map((byte) => [byte, 0]))
  for (const byte of head) {
    const count = counts.get(byte)
    if (count !== undefined) counts.set(byte, count + 1)
  }
  const kinds = [...counts.values()].filter((count) => count > 0)
  const sum = kinds.reduce((total, count) => total + count, 0)
  return kinds.length >= MIN_BINARY_KINDS && sum > head.length * MIN_BINARY_SHARE
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function startsWith(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte)
}

function unknownEncodingProblem(stated: string): Problem {
  const message = `The mapping names the encoding "${stated}", which is not known.`
  const fix = 'Use utf-8, utf-16le, utf-16be, windows-1252 or latin1 under `read: { encoding: … }`.'
  return problem('file-undecodable', {}, message, fix)
}

function notTextProblem(kind: string): Problem {
  const fix =
    kind === WEB_PAGE
      ? 'Send the CSV file itself: a download may have given a login or error page instead.'
      : undefined
  return problem('file-not-text', {}, `The file is ${kind}, not CSV text.`, fix)
}

/**
 * Returns the fix for undecodable bytes; an assumed encoding is probably the wrong one, but not where other `texts` of the
 * file have letters in it.
 */
export function suggestEncodingFix(
  { name, isCertain }: Encoding,
  texts: readonly string[] = [],
): string | undefined {
  if (isCertain) return undefined
  if (texts.some((text) => Buffer.byteLength(text) !== text.length && !hasInvalidBytes(text)))
    return `The rest of the file is ${name}: have this cell written in it too, and the program that wrote it checked.`
  return 'Save the file as UTF-8, or add its encoding under `read`: most often `encoding: windows-1252`.'
}

// Encoding mismatch: a file in UTF-8 although the mapping names a one-byte encoding, in which every byte is text.

/** The verdict so far: no evidence, another encoding, or UTF-8 as far as the bytes show. */
type Utf8Verdict = 'unsure' | 'other' | 'utf-8'

type Utf8Detector = NonNullable<ReturnType<typeof createUtf8Detector>>

/** Checks the bytes of a file as they arrive. Undefined for an encoding with multi-byte characters. */
export function createUtf8Detector(encoding: string) {
  if (!isSingleByte(encoding)) return undefined
  let kept = Buffer.alloc(0)
  let verdict: Utf8Verdict = 'unsure'
  let word = ''
  const rare = new Set<string>()
  return {
    inspect(bytes: Uint8Array): Utf8Verdict {
      if (verdict !== 'unsure' || (kept.length === 0 && isAscii(bytes))) return verdict
      const all = Buffer.concat([kept, bytes])
      const whole = all.subarray(0, all.length - measureIncompleteTail(all))
      kept = Buffer.from(all.subarray(whole.length))
      if (!isUtf8(whole)) return (verdict = 'other')
      const text = whole.toString('utf8')
      verdict = judgeUtf8(text, encoding, rare)
      word = NON_ASCII_WORD.exec(text)?.[0] ?? ''
      return verdict
    },
    problem() {
      const misread = iconv.decode(Buffer.from(word), encoding)
      const message = `The mapping says ${encoding}, but this file is UTF-8 ("${misread}" would be "${word}").`
      const fix = `Save it as ${encoding}, or take \`encoding\` out of the mapping.`
      return problem('file-undecodable', {}, message, fix)
    },
  }
}

/** A word with a letter beyond ASCII, for the message. */
const NON_ASCII_WORD = /[\p{L}\p{N}]{0,20}[\u00A0-\u{10FFFF}][\p{L}\p{N}]{0,20}/u
const NON_ASCII_RUNS = /[^\0-\u007F]+/g

/** Western letters and signs, and all three-byte characters: read byte by byte, `Ã«` and `â€™`. */
const DECISIVE_CHARACTERS = /[\u00A0-\u00FF\u0800-\u{10FFFF}]/u
const CONTROL_CHARACTER = /[\u0080-\u009F]/
const LATIN_EXTENDED = /^[\u0100-\u017F]$/

/** A single three-byte character, without the dashes, quotes and ticks of U+2000 to U+2FFF. */
const THREE_BYTES = /^[\u0800-\u1FFF\u3000-\uFFFF]$/

/** As in `Tomáš’s`, whose last letters are U+1692 in UTF-8. */
const END_OF_WORD = /^\p{L}\p{L}[\p{L}\p{P}\p{S}]$/u

/**
 * Judges text that was decoded as UTF-8. Single-byte text looks like UTF-8 by accident only where a capital letter with a
 * mark precedes a sign, as in `CAFÉ®`, or two letters with marks end a word before one, as in `Tomáš’s`. One such
 * character is no proof, unless the pair is implausible.
 */
function judgeUtf8(text: string, encoding: string, rare: Set<string>): Utf8Verdict {
  if (CONTROL_CHARACTER.test(text)) return 'other'
  for (const [run] of text.matchAll(NON_ASCII_RUNS)) {
    if (LATIN_EXTENDED.test(run) || isEndOfWord(run, encoding)) rare.add(run)
    else if (DECISIVE_CHARACTERS.test(run) || run.length > 1) return 'utf-8'
    if (rare.size > 1) return 'utf-8'
  }
  return 'unsure'
}

function isEndOfWord(run: string, encoding: string): boolean {
  return THREE_BYTES.test(run) && END_OF_WORD.test(iconv.decode(Buffer.from(run), encoding))
}

/** Wraps the decoder to treat UTF-8 characters as undecodable once the detector has found UTF-8. */
export function guardDecoder(decoder: Decoder, detector: Utf8Detector): Decoder {
  let asUtf8: Decoder | undefined
  return {
    write(bytes) {
      if (asUtf8 === undefined && detector.inspect(bytes) === 'utf-8') asUtf8 = openDecoder('utf-8')
      return asUtf8 === undefined ? decoder.write(bytes) : markNonAscii(asUtf8.write(bytes).text)
    },
    end: () => (asUtf8 === undefined ? decoder.end() : markNonAscii(asUtf8.end().text)),
  }
}

function markNonAscii(text: string): Decoded {
  const without = text.replace(NON_ASCII_RUNS, '\uDC80')
  return { text: without, damaged: without !== text }
}

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

function isSingleByte(encoding: string): boolean {
  if (encoding.startsWith('utf')) return false
  return iconv.decode(EVERY_BYTE, encoding, { stripBOM: false }).length === EVERY_BYTE.length
}
