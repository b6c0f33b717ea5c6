/** Turns bytes into text: those of a file, and of a value in it. */
import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'

/** A character that stands for a byte which the character set does not have. */
export const UNDECODABLE = '\uFFFD'

const NOT_ASCII = /[\x80-\xFF]/

/** The character sets of EDIFACT by the level in UNB 0001. Those without one are UTF-8. */
const LEVELS: Readonly<Record<string, string>> = {
  UNOA: 'iso-8859-1',
  UNOB: 'iso-8859-1',
  UNOC: 'iso-8859-1',
  UNOD: 'iso-8859-2',
  UNOE: 'iso-8859-5',
  UNOF: 'iso-8859-7',
  UNOG: 'iso-8859-3',
  UNOH: 'iso-8859-4',
  UNOI: 'iso-8859-6',
  UNOJ: 'iso-8859-8',
  UNOK: 'iso-8859-9',
  UNOL: 'iso-8859-15',
  UNOW: 'utf-8',
  UNOX: 'utf-8',
  UNOY: 'utf-8',
}

/** The character set of an EDIFACT interchange that begins with this text. Levels that are not known are read like UNOC. */
export function findCharset(head: string): string {
  const level = /UNO[A-Z]/.exec(head)?.[0] ?? ''
  return LEVELS[level] ?? 'iso-8859-1'
}

/**
 * Text of UTF-8, whatever the interchange says, because senders write it under any level and other text hardly ever looks like
 * it; else of its character set. Bytes that are neither become U+FFFD, which is refused as damaged text.
 */
export function decodeText(latin1: string, charset: string | undefined): string {
  if (isAscii(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  if (isUtf8(bytes)) return bytes.toString('utf8')
  if (charset !== undefined && charset !== 'utf-8') return iconv.decode(bytes, charset)
  return latin1.replace(/[\x80-\xFF]/g, UNDECODABLE)
}

/** A loop over the characters of a short text is faster than a search. */
function isAscii(text: string): boolean {
  if (text.length > SHORT) return !NOT_ASCII.test(text)
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

const SHORT = 40

/** Text for people: bytes that are no UTF-8 are shown as Latin-1. */
export function decodeForPeople(latin1: string): string {
  if (isAscii(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : latin1
}

// The bytes of a file as text of which each character is a byte.

export type OpenedBytes = ReturnType<typeof openBytes>

/** UTF-16 becomes UTF-8; offsets are then those of the UTF-8 text. */
export function openBytes(head: Uint8Array) {
  const [first, second, third] = head
  if (first === 0xff && second === 0xfe) return { skip: 0, decode: createUtf16Decoder('utf-16le') }
  if (first === 0xfe && second === 0xff) return { skip: 0, decode: createUtf16Decoder('utf-16be') }
  const skip = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
  return { skip, decode: toLatin1 }
}

function createUtf16Decoder(encoding: string) {
  const decoder = new TextDecoder(encoding)
  return (bytes: Uint8Array) =>
    Buffer.from(decoder.decode(bytes, { stream: true }), 'utf8').toString('latin1')
}

function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** Why the bytes are no interchange at all. */
export type ForeignBytes = 'ebcdic' | 'gzip'

/** Recognizes files that can hold no readable interchange by their first bytes. */
export function findForeignBytes(head: Uint8Array): ForeignBytes | undefined {
  const [first, second, third] = head
  if (first === 0xc9 && second === 0xe2 && third === 0xc1) return 'ebcdic'
  return first === 0x1f && second === 0x8b ? 'gzip' : undefined
}
