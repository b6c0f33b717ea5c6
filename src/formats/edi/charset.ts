/** Turns the bytes of a value into text. */
import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'

/** A character that stands for a byte which the character set does not have; refused as damaged text. */
const UNDECODABLE = '\uFFFD'

const NOT_ASCII = /[\x80-\xFF]/

/** The character sets of the levels that UNB can state. */
const LEVELS: Readonly<Record<string, string>> = {
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
}

/** These have no letters beyond ASCII, but real files do. */
const ASCII_LEVELS: readonly string[] = ['UNOA', 'UNOB']

/**
 * Text of X12 is UTF-8. Text of EDIFACT is what its level says; under the two ASCII levels it is UTF-8, or else Latin-1.
 * `level` is undefined for X12.
 */
export function decodeText(latin1: string, level: string | undefined): string {
  if (!NOT_ASCII.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  const charset = level === undefined ? undefined : LEVELS[level]
  if (charset !== undefined) return iconv.decode(bytes, charset)
  if (isUtf8(bytes)) return bytes.toString('utf8')
  if (level !== undefined && ASCII_LEVELS.includes(level)) return latin1
  return latin1.replace(/[\x80-\xFF]/g, UNDECODABLE)
}
