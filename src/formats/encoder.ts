/** Text to bytes for files that are written, in any encoding, and never with a character silently replaced. */
import iconv from 'iconv-lite'
import { BridgeError } from '../support/errors.ts'

export interface Encoder {
  /** Throws when the encoding has no such character; whoever makes the rows has to see to it first. */
  readonly encode: (text: string) => Uint8Array
  /** Whether nothing but its byte order mark would say what the file is. */
  readonly needsMark: boolean
}

/** Names under which iconv knows what is no encoding of text, or one that keeps a state between calls. */
const NOT_ENCODINGS = new Set(['base64', 'hex', 'binary', 'utf7', 'utf7imap', 'cesu8', 'ucs2'])

/** Throws `configuration-invalid` for a name that is no encoding. */
export function encoderFor(name: string): Encoder {
  const folded = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (folded === 'utf8') return { encode: (text) => Buffer.from(text, 'utf8'), needsMark: false }
  if (folded === 'utf16le' || folded === 'utf16') {
    return { encode: (text) => Buffer.from(text, 'utf16le'), needsMark: true }
  }
  if (NOT_ENCODINGS.has(folded) || !iconv.encodingExists(name)) {
    const message = `Files cannot be written as "${name}": use utf-8, utf-16le or one such as windows-1252.`
    throw new BridgeError('configuration-invalid', message)
  }
  const encode = (text: string) => iconv.encode(text, name, { addBOM: false })
  if (folded.startsWith('utf')) return { encode, needsMark: true }
  return { encode: (text) => exactly(text, encode(text), name), needsMark: false }
}

/** Plain letters are the same in nearly all encodings; the rest must come back as it went in. */
function exactly(text: string, bytes: Uint8Array, name: string): Uint8Array {
  if (iconv.decode(bytes, name, { stripBOM: false }) === text) return bytes
  const lost = Array.from(text).find(
    (it) => iconv.decode(iconv.encode(it, name), name, { stripBOM: false }) !== it,
  )
  throw new BridgeError(
    'configuration-invalid',
    `A file in ${name} cannot hold "${lost ?? text}". Write it as utf-8, or tell the mapping what to do: \`write: { fold: ascii }\` or \`replace\`.`,
  )
}
