/** Which encoding a file is in: from its byte order mark, from what the mapping says, or from its first bytes. */
import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { problem, type Problem } from '../../domain/problem.ts'

export interface Encoding {
  /** As `Reading.encoding` shows it. */
  readonly name: string
  /** The length of the byte order mark, which is not text. */
  readonly markLength: number
  /** False when it is only what is assumed of a file that says nothing; then damage may mean a wrong guess. */
  readonly isCertain: boolean
}

export type EncodingFound = { readonly encoding: Encoding } | { readonly problem: Problem }

export function findEncoding(head: Uint8Array, told: string | undefined): EncodingFound {
  const toldName = told === undefined ? undefined : knownEncoding(told)
  if (told !== undefined && toldName === undefined) return { problem: unknownEncoding(told) }
  const other = SIGNATURES.find(({ bytes }) => startsWith(head, bytes))
  if (other) return { problem: notText(other.kind) }
  const marked = MARKS.find(({ bytes }) => startsWith(head, bytes))
  if (marked) return found(marked.name, marked.bytes.length, true)
  const wide = toldName === undefined ? wideEncoding(head) : undefined
  const isWide = wide !== undefined || /^(?:utf-?(?:16|32)|ucs)/.test(toldName ?? '')
  if (!isWide && isBinary(head)) return { problem: notText('binary data') }
  if (toldName !== undefined) return found(toldName, 0, true)
  return wide === undefined ? found('utf-8', 0, false) : found(wide, 0, true)
}

function found(name: string, markLength: number, isCertain: boolean): EncodingFound {
  return { encoding: { name, markLength, isCertain } }
}

const MARKS = [
  { name: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { name: 'utf-16le', bytes: [0xff, 0xfe] },
  { name: 'utf-16be', bytes: [0xfe, 0xff] },
] as const

/** What people drop in place of a CSV file. */
const SIGNATURES = [
  { kind: 'an Excel workbook or zip archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { kind: 'an old Excel workbook', bytes: [0xd0, 0xcf, 0x11, 0xe0] },
  { kind: 'a PDF document', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { kind: 'a gzip archive', bytes: [0x1f, 0x8b, 0x08] },
] as const

const NAMES: Readonly<Record<string, string>> = {
  utf8: 'utf-8',
  utf16: 'utf-16le',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
  windows1252: 'windows-1252',
  cp1252: 'windows-1252',
  latin1: 'latin1',
  iso88591: 'latin1',
}

/** Names that the conversion library knows but which are no encodings of text. */
const NOT_ENCODINGS = new Set(['base64', 'hex', 'binary', 'utf7', 'utf7imap'])

/** The name as we spell it, for every encoding there is a decoder for. */
function knownEncoding(told: string): string | undefined {
  const folded = told.toLowerCase().replace(/[^a-z0-9]/g, '')
  const ours = NAMES[folded]
  if (ours !== undefined) return ours
  return !NOT_ENCODINGS.has(folded) && iconv.encodingExists(told) ? told.toLowerCase() : undefined
}

/** UTF-16 without a mark: in Western text every other byte is zero, which text in no other encoding has. */
function wideEncoding(head: Uint8Array): string | undefined {
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

/** In no encoding of a byte or more for each letter does text have so many of these; separators and escapes are left out. */
const NEVER_TEXT = [...range(0x00, 0x06), ...range(0x0e, 0x19)]
const KINDS_MIN = 8
const SHARE_MIN = 0.02

function isBinary(head: Uint8Array): boolean {
  if (isUtf8(head)) return false
  const counts = new Map(NEVER_TEXT.map((byte) => [byte, 0]))
  for (const byte of head) {
    const count = counts.get(byte)
    if (count !== undefined) counts.set(byte, count + 1)
  }
  const kinds = [...counts.values()].filter((count) => count > 0)
  const sum = kinds.reduce((total, count) => total + count, 0)
  return kinds.length >= KINDS_MIN && sum > head.length * SHARE_MIN
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function startsWith(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte)
}

function unknownEncoding(told: string): Problem {
  const message = `The mapping names the encoding "${told}", which is not known.`
  const hint = 'Use utf-8, utf-16le, utf-16be, windows-1252 or latin1 under `read: { encoding: … }`.'
  return problem('file-undecodable', {}, message, hint)
}

function notText(kind: string): Problem {
  const hint = 'Save the table as CSV (in a spreadsheet: Save as, CSV UTF-8) and send that file.'
  return problem('file-undecodable', {}, `The file is ${kind}, not CSV text.`, hint)
}

/** What to do about bytes that are no text; when the encoding was only assumed, it is probably the wrong one. */
export function undecodableHint({ isCertain }: Encoding): string | undefined {
  if (isCertain) return undefined
  return 'Save the file as UTF-8, or name its encoding in the mapping, usually `read: { encoding: windows-1252 }`.'
}
