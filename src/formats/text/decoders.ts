/**
 * Decodes bytes to text, piece by piece. An undecodable byte becomes a lone surrogate, which no sound text can hold. So it
 * can be found in its cell later, and differs from a replacement character in the file itself.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'

export interface Decoded {
  readonly text: string
  /** Whether the text may hold marks of undecodable bytes. */
  readonly damaged: boolean
}

export interface Decoder {
  /** Keeps a character that is cut by the end of the bytes for the next call. */
  write(bytes: Uint8Array): Decoded
  end(): Decoded
}

/** Opens a decoder for an encoding name that `detectEncoding` has returned. */
export function openDecoder(encoding: string): Decoder {
  if (encoding === 'utf-8') return createUtf8Decoder()
  if (encoding === 'utf-16le') return createUtf16Decoder(false)
  if (encoding === 'utf-16be') return createUtf16Decoder(true)
  return createCodePageDecoder(encoding)
}

const INVALID_BYTE = /\p{Surrogate}/u
const INVALID_BYTES = /\p{Surrogate}/gu

/** Whether the text holds the mark of an undecodable byte. */
export function hasInvalidBytes(text: string): boolean {
  return INVALID_BYTE.test(text)
}

/** Makes the text readable: replacement characters for undecodable bytes. */
export function replaceInvalidBytes(text: string): string {
  return text.replace(INVALID_BYTES, '\uFFFD')
}

function createUtf8Decoder(): Decoder {
  let kept = Buffer.alloc(0)
  return {
    write(bytes) {
      const all = kept.length === 0 ? toBuffer(bytes) : Buffer.concat([kept, bytes])
      const whole = all.length - measureIncompleteTail(all)
      kept = Buffer.from(all.subarray(whole))
      return decodeUtf8(all.subarray(0, whole))
    },
    end: () => decodeUtf8(kept),
  }
}

/** Counts the bytes of an incomplete character at the end. */
export function measureIncompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) !== 0x80) return characterLength(byte) > back ? back : 0
  }
  return 0
}

/** Returns the length of a character by its first byte; 0 for an invalid first byte. */
function characterLength(first: number): number {
  if (first < 0x80) return 1
  if (first < 0xc2) return 0
  if (first < 0xe0) return 2
  if (first < 0xf0) return 3
  return first < 0xf5 ? 4 : 0
}

/** Takes half the time of `toString`. The byte order mark is removed before; any other U+FEFF is data. */
const VALID_UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

function decodeUtf8(bytes: Buffer): Decoded {
  if (isAscii(bytes)) return { text: bytes.toString('latin1'), damaged: false }
  if (isUtf8(bytes)) return { text: VALID_UTF8.decode(bytes), damaged: false }
  return { text: decodeInvalidUtf8(bytes), damaged: true }
}

function decodeInvalidUtf8(bytes: Buffer): string {
  let text = ''
  let soundFrom = 0
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    const next = at + characterLength(byte)
    const isSound = next === at + 1 || (next > at && next <= bytes.length && isUtf8(bytes.subarray(at, next)))
    if (!isSound) {
      text += bytes.toString('utf8', soundFrom, at) + String.fromCharCode(0xdc00 + byte)
      soundFrom = at + 1
    }
    at = isSound ? next : at + 1
  }
  return text + bytes.toString('utf8', soundFrom)
}

/** A lone surrogate in the file already marks damage. */
function createUtf16Decoder(isBigEndian: boolean): Decoder {
  let kept = Buffer.alloc(0)
  return {
    write(bytes) {
      const all = Buffer.concat([kept, bytes])
      const whole = all.length - (all.length % 2)
      kept = Buffer.from(all.subarray(whole))
      const units = all.subarray(0, whole)
      const text = (isBigEndian ? units.swap16() : units).toString('utf16le')
      return { text, damaged: hasInvalidBytes(text) }
    },
    end: () => ({ text: kept.length === 0 ? '' : '\uDC80', damaged: kept.length > 0 }),
  }
}

/** Code pages have no replacement character, so each one in the text is an undecodable byte. */
function createCodePageDecoder(encoding: string): Decoder {
  const decoder = iconv.getDecoder(encoding)
  const marked = (text: string): Decoded => {
    return { text: text.replaceAll('\uFFFD', '\uDC80'), damaged: text.includes('\uFFFD') }
  }
  return { write: (bytes) => marked(decoder.write(toBuffer(bytes))), end: () => marked(decoder.end() ?? '') }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
